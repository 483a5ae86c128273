// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of wake-ups.
 *
 * A task was woken up by another task, which was itself woken up before. The chain is stored at
 * the wake-up. It ends at an interrupt, at a task without a recorded wake-up, or at its maximum
 * length.
 */
#include <stdlib.h>

#include "wakeups.h"

/* Maximum number of steps of a chain. */
#define STEPS_MAX 8

/**
 * struct wakeup - a step of a chain
 * @by: task that was running; its tid is negative if it is unknown
 * @interrupt: true if an interrupt woke the task up, not @by
 * @new: true if the task was created by @by
 * @time: time in ns
 */
struct wakeup {
	struct sched_task_id by;
	bool interrupt;
	bool new;
	uint64_t time;
};

/**
 * struct woken_task - a task that was woken up
 * @node: node in the table, by @tid
 * @tid: number of the task
 * @sleeps: true if the task sleeps, so that the next wake-up counts
 * @nr: number of @steps
 * @steps: chain of wake-ups, the latest first
 */
struct woken_task {
	struct hash_node node;
	int32_t tid;
	bool sleeps;
	size_t nr;
	struct wakeup steps[STEPS_MAX];
};

static struct woken_task *find_task(const struct wakeups *w, int32_t tid)
{
	struct hash_node *node;

	for (node = hash_table_first(&w->tasks, hash_number((uint32_t)tid)); node;
	     node = hash_table_next(node)) {
		struct woken_task *task = hash_entry(node, struct woken_task, node);

		if (task->tid == tid)
			return task;
	}
	return NULL;
}

static struct woken_task *get_task(struct wakeups *w, int32_t tid)
{
	struct woken_task *task = find_task(w, tid);

	if (task)
		return task;
	task = xcalloc(1, sizeof(*task));
	task->tid = tid;
	task->sleeps = true;
	hash_table_add(&w->tasks, &task->node, hash_number((uint32_t)tid));
	return task;
}

static void add_switch(struct wakeups *w, const struct sched_event *event)
{
	struct woken_task *task = find_task(w, event->task.tid);

	if (task && !event->waits)
		task->sleeps = true;
}

static void add_wakeup(struct wakeups *w, const struct sched_event *event)
{
	struct woken_task *task = get_task(w, event->task.tid);
	const struct woken_task *by;
	struct wakeup *step = &task->steps[0];
	size_t i;

	/* A wake-up of a task that does not sleep has no effect. */
	if (!task->sleeps)
		return;
	task->sleeps = false;
	task->nr = 1;
	*step = (struct wakeup){
		.by = event->current,
		.interrupt = event->interrupt,
		.new = event->kind == SCHED_WAKEUP_NEW,
		.time = event->time,
	};
	if (step->interrupt || step->by.tid <= 0)
		return;
	by = find_task(w, step->by.tid);
	if (!by || by == task)
		return;
	for (i = 0; i < by->nr && task->nr < STEPS_MAX; i++)
		task->steps[task->nr++] = by->steps[i];
}

void wakeups_add(struct wakeups *w, const struct sched_event *event)
{
	switch (event->kind) {
	case SCHED_SWITCH:
		add_switch(w, event);
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW:
		add_wakeup(w, event);
		break;
	default:
		break;
	}
}

static void print_step(FILE *out, const struct wakeup *step, bool first, uint64_t before)
{
	uint64_t ns = step->time < before ? before - step->time : 0;

	fputs(first ? "" : ", ", out);
	/* The idle task does not wake up tasks itself: an interrupt did. */
	if (step->interrupt || !step->by.tid) {
		fprintf(out, "%s an interrupt", step->new ? "created by" : "woken by");
	} else if (step->by.tid < 0) {
		fprintf(out, "%s an unknown task", step->new ? "created by" : "woken by");
	} else {
		fprintf(out, "%s ", step->new ? "created by" : "woken by");
		fput_name(step->by.comm, out);
		fprintf(out, "[%d]", step->by.tid);
	}
	fprintf(out, " %llu.%03llu ms before", (unsigned long long)(ns / 1000000),
		(unsigned long long)(ns / 1000 % 1000));
}

void wakeups_print(const struct wakeups *w, FILE *out, int32_t tid, uint64_t start)
{
	const struct woken_task *task = find_task(w, tid);
	size_t i;

	if (!tid || !task || !task->nr || task->steps[0].time > start)
		return;
	fprintf(out, "%15s %6s    ", "", "");
	for (i = 0; i < task->nr; i++) {
		print_step(out, &task->steps[i], !i, start);
		start = task->steps[i].time;
	}
	putc('\n', out);
}

static void free_task(struct hash_node *node)
{
	free(hash_entry(node, struct woken_task, node));
}

void wakeups_free(struct wakeups *w)
{
	hash_table_free_all(&w->tasks, free_task);
}

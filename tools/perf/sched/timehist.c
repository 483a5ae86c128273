// SPDX-License-Identifier: GPL-2.0
/*
 * Each time that a task ran: a line when it is scheduled out, with
 *
 *	wait time	from when it was last scheduled out
 *	sch delay	the part of the wait time since its wake-up; 0 after a preemption
 *	run time
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "timehist.h"

/* Size of a buffer for the numbers of a line, which may have 20 digits each. */
#define LINE_SIZE 256

/**
 * struct timed_task - a task
 * @node: node in the table, by @tid and @cpu
 * @tid: number of the task
 * @cpu: CPU of an idle task; 0 for other tasks
 * @out: time in ns when it was last scheduled out; 0: not yet
 * @ready: time in ns of its wake-up; 0: not woken since it was scheduled out
 */
struct timed_task {
	struct hash_node node;
	int32_t tid;
	uint32_t cpu;
	uint64_t out;
	uint64_t ready;
};

void timehist_print_head(const struct timehist *t, FILE *out)
{
	if (t->no_lines)
		return;
	fprintf(out, "%15s %6s  %-30s%s  %9s  %9s  %9s%s\n", "time", "cpu", "task name",
		t->with_prio ? "  prio    " : "", "wait time", "sch delay", "run time",
		t->with_state ? "  state" : "");
	fprintf(out, "%15s %6s  %-30s%s  %9s  %9s  %9s\n", "", "", "[tid/pid]",
		t->with_prio ? "          " : "", "(msec)", "(msec)", "(msec)");
	fputs("--------------- ------  ------------------------------", out);
	fputs(t->with_prio ? "  --------" : "", out);
	fprintf(out, "  ---------  ---------  ---------%s\n", t->with_state ? "  -----" : "");
}

static struct timed_task *task_of(struct timehist *t, int32_t tid, uint32_t cpu)
{
	struct timed_task *task;
	struct hash_node *node;
	uint64_t hash = sched_task_hash(tid, &cpu);

	for (node = hash_table_first(&t->tasks, hash); node; node = hash_table_next(node)) {
		task = hash_entry(node, struct timed_task, node);
		if (task->tid == tid && task->cpu == cpu)
			return task;
	}
	task = xcalloc(1, sizeof(*task));
	task->tid = tid;
	task->cpu = cpu;
	hash_table_add(&t->tasks, &task->node, hash);
	return task;
}

/* Return a pointer to the time of a CPU's last switch; NULL if no machine has such a CPU. */
static uint64_t *last_of(struct timehist *t, uint32_t cpu)
{
	if (cpu >= SCHED_CPUS_MAX)
		return NULL;
	if (cpu >= t->nr_cpus) {
		t->last = xreallocarray(t->last, cpu + 1, sizeof(*t->last));
		while (t->nr_cpus <= cpu)
			t->last[t->nr_cpus++] = 0;
	}
	return &t->last[cpu];
}

static char *put_text(char *at, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	return at + length;
}

/* Put a number of at least @width characters, with @pad in front. Return: the end. */
static char *put_number(char *at, uint64_t number, unsigned int width, char pad)
{
	char digits[20];
	unsigned int nr = 0;

	do {
		digits[nr++] = '0' + number % 10;
		number /= 10;
	} while (number);
	for (; width > nr; width--)
		*at++ = pad;
	while (nr)
		*at++ = digits[--nr];
	return at;
}

static char *put_comm(char *at, const char *comm)
{
	char *safe = escape_name(comm);

	at = put_text(at, safe);
	free(safe);
	return at;
}

static char *put_ms(char *at, uint64_t ns)
{
	at = put_number(put_text(at, "  "), ns / 1000000, 5, ' ');
	*at++ = '.';
	return put_number(at, ns / 1000 % 1000, 3, '0');
}

/* Put a number of a task, which may be negative. */
static char *put_tid(char *at, int32_t tid)
{
	if (tid < 0)
		*at++ = '-';
	return put_number(at, tid < 0 ? -(int64_t)tid : tid, 0, ' ');
}

/* Put the name of the event's task, in a column of 30 characters. */
static char *put_task(char *at, const struct sched_event *event)
{
	char *start = at;

	if (!event->task.tid) {
		at = put_text(at, "<idle>");
	} else {
		at = put_comm(at, event->task.comm);
		*at++ = '[';
		at = put_tid(at, event->task.tid);
		if (event->task.tid != event->pid && event->pid >= 0) {
			*at++ = '/';
			at = put_tid(at, event->pid);
		}
		*at++ = ']';
	}
	while (at < start + 30)
		*at++ = ' ';
	return at;
}

static void print_next(FILE *out, const struct sched_event *event)
{
	fputs("  next: ", out);
	if (!event->next.tid) {
		fputs("<idle>", out);
		return;
	}
	fput_name(event->next.comm, out);
	fprintf(out, "[%d]", event->next.tid);
}

static void print_prio(FILE *out, int32_t prio)
{
	if (prio < 0)
		fprintf(out, "  %-8s", "-");
	else
		fprintf(out, "  %-8" PRId32, prio);
}

static void print_line(const struct timehist *t, FILE *out, const struct sched_event *event,
		       uint64_t wait, uint64_t delay, uint64_t run)
{
	char line[LINE_SIZE], *at = line;

	at = put_number(at, event->time / 1000000000, 8, ' ');
	*at++ = '.';
	at = put_number(at, event->time / 1000 % 1000000, 6, '0');
	at = put_number(put_text(at, " ["), event->cpu, 4, '0');
	at = put_task(put_text(at, "]  "), event);
	if (t->with_prio) {
		fwrite(line, 1, at - line, out);
		print_prio(out, event->prio);
		at = line;
	}
	at = put_ms(put_ms(put_ms(at, wait), delay), run);
	if (t->with_state) {
		at = put_text(at, "      ");
		*at++ = event->state;
	}
	if (t->with_next) {
		fwrite(line, 1, at - line, out);
		print_next(out, event);
		at = line;
	}
	*at++ = '\n';
	fwrite(line, 1, at - line, out);
}

static uint64_t since(uint64_t time, uint64_t before)
{
	return before && before < time ? time - before : 0;
}

static void add_switch(struct timehist *t, FILE *out, const struct sched_event *event)
{
	struct timed_task *task = task_of(t, event->task.tid, event->cpu);
	uint64_t *last = last_of(t, event->cpu);
	bool prints = !t->hide && !t->no_lines;

	if (!last)
		return;
	if (t->with_summary && !t->hide)
		run_summary_add(&t->summary, event, since(event->time, *last));
	if (prints)
		print_line(t, out, event, *last ? since(*last, task->out) : 0,
			   *last ? since(*last, task->ready) : 0, since(event->time, *last));
	if (t->with_wakeups && *last && prints)
		wakeups_print(&t->wakeups, out, event->task.tid, *last);
	task->out = event->time;
	task->ready = 0;
	*last = event->time;
}

void timehist_add(struct timehist *t, FILE *out, const struct sched_event *event)
{
	struct timed_task *task;

	if (event->kind == SCHED_SWITCH) {
		add_switch(t, out, event);
	} else if (event->kind == (t->has_waking ? SCHED_WAKING : SCHED_WAKEUP) ||
		   event->kind == SCHED_WAKEUP_NEW) {
		task = task_of(t, event->task.tid, event->cpu);
		if (!task->ready)
			task->ready = event->time;
	}
	if (t->with_wakeups)
		wakeups_add(&t->wakeups, event);
}

static void free_task(struct hash_node *node)
{
	free(hash_entry(node, struct timed_task, node));
}

void timehist_free(struct timehist *t)
{
	hash_table_free_all(&t->tasks, free_task);
	free(t->last);
	wakeups_free(&t->wakeups);
	run_summary_free(&t->summary);
}

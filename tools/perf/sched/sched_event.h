/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an event of the scheduler says.
 */
#ifndef PERF_SCHED_SCHED_EVENT_H
#define PERF_SCHED_SCHED_EVENT_H

#include "file/file.h"
#include "util/util.h"

/* More CPUs than these are in damaged files only. */
#define SCHED_CPUS_MAX (1 << 20)

/* Bytes of a task's name in a record, with its NUL. */
#define SCHED_COMM_SIZE 16

enum sched_kind {
	SCHED_OTHER,		/* nothing that matters here */
	SCHED_SWITCH,		/* a CPU goes from a task to the next */
	SCHED_WAKING,		/* somebody wakes a task up */
	SCHED_WAKEUP,		/* a task may run again */
	SCHED_WAKEUP_NEW,	/* a new task may run, which nobody wakes up */
	SCHED_RUNTIME,		/* a task has run for so long */
};

/**
 * struct sched_task_id - a task in an event
 * @tid: its number
 * @comm: its name
 */
struct sched_task_id {
	int32_t tid;
	char comm[SCHED_COMM_SIZE];
};

/**
 * struct sched_event - what an event of the scheduler says
 * @kind: which event
 * @time: when, ns
 * @cpu: where
 * @pid: the process of the task in which it happens; of a switch, of @task; -1: it is gone
 * @task: whom it is about; of a switch, who ran
 * @next: of a switch, who runs now
 * @waits: of a switch, @task would go on if there were a CPU for it
 * @runtime: of SCHED_RUNTIME, ns
 * @interrupt: it happens in an interrupt, and the task that runs has nothing to do with it
 */
struct sched_event {
	enum sched_kind kind;
	uint64_t time;
	uint32_t cpu;
	int32_t pid;
	struct sched_task_id task;
	struct sched_task_id next;
	bool waits;
	uint64_t runtime;
	bool interrupt;
};

/* Which event has a name, with modifiers or not. */
enum sched_kind sched_kind_of(const char *name);

/**
 * sched_event_decode() - take a sample of the scheduler apart
 * @event: gets what it says
 * @tracing: what the records look like
 * @name: of the event
 * @attr: likewise
 * @record: the sample
 *
 * Return: 0; -1 when it is none of the scheduler's, or has not the fields that it should have.
 */
int sched_event_decode(struct sched_event *event, const struct tracing_data *tracing,
		       const char *name, const struct perf_event_attr *attr,
		       const struct record *record);

#endif

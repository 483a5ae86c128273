/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes events of the scheduler.
 */
#ifndef PERF_SCHED_SCHED_EVENT_H
#define PERF_SCHED_SCHED_EVENT_H

#include "file/file.h"
#include "util/util.h"

/*
 * Maximum number of CPUs, the largest that CONFIG_NR_CPUS may be; larger CPU numbers are in damaged
 * files only.
 */
#define SCHED_CPUS_MAX 8192

/* Size of a task's name in bytes, with its NUL. */
#define SCHED_COMM_SIZE 16

enum sched_kind {
	SCHED_OTHER,		/* an event that sched/ ignores */
	SCHED_SWITCH,		/* a CPU switches to another task */
	SCHED_WAKING,		/* a task is being woken up */
	SCHED_WAKEUP,		/* a task has become runnable */
	SCHED_WAKEUP_NEW,	/* a new task has become runnable */
	SCHED_RUNTIME,		/* a task has run for some time */
};

/**
 * struct sched_task_id - a task in an event
 * @tid: number of the task
 * @comm: name of the task
 */
struct sched_task_id {
	int32_t tid;
	char comm[SCHED_COMM_SIZE];
};

/**
 * struct sched_event - an event of the scheduler
 * @kind: kind of the event
 * @time: time in ns
 * @cpu: CPU
 * @pid: process of @current; -1: it has exited
 * @current: task in whose context the event happened, which is @task for a switch; its tid is
 *	negative if it is unknown
 * @task: task of the event; for a switch, the task that ran before
 * @next: for a switch, the task that runs next
 * @state: for a switch, letter of @task's state, as ps(1) has it
 * @prio: for a switch, priority of @task; -1: not recorded
 * @waits: for a switch, true if @task was preempted and waits for a CPU
 * @runtime: for SCHED_RUNTIME, the running time in ns
 * @interrupt: true if the event happened in an interrupt, so that @current did not cause it
 */
struct sched_event {
	enum sched_kind kind;
	uint64_t time;
	uint32_t cpu;
	int32_t pid;
	struct sched_task_id current;
	struct sched_task_id task;
	struct sched_task_id next;
	char state;
	int32_t prio;
	bool waits;
	uint64_t runtime;
	bool interrupt;
};

/* Return the kind of the event with a name, which may have modifiers. */
enum sched_kind sched_kind_of(const char *name);

/**
 * sched_event_decode() - Decode a sample of the scheduler's tracepoints
 * @event: set to the event
 * @tracing: formats of the records
 * @name: name of the event
 * @attr: attributes of the event
 * @record: sample
 * @comm: name of the task in whose context the sample was taken
 *
 * Return: 0; -1 if the event is not one of the scheduler's, or a field is missing.
 */
int sched_event_decode(struct sched_event *event, const struct tracing_data *tracing,
		       const char *name, const struct perf_event_attr *attr,
		       const struct record *record, const char *comm);

/*
 * Return the hash of a task. The idle tasks of all CPUs have the number 0 and differ by @cpu, which
 * is set to 0 for other tasks.
 */
static inline uint64_t sched_task_hash(int32_t tid, uint32_t *cpu)
{
	if (tid)
		*cpu = 0;
	return hash_mix(hash_number((uint32_t)tid), *cpu);
}

#endif

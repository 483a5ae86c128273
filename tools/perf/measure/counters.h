/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open counters: one descriptor per event, CPU and task, as few as the kernel
 * allows.
 */
#ifndef PERF_MEASURE_COUNTERS_H
#define PERF_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/util.h"
#include "events.h"
#include "target.h"

/**
 * struct counter - one descriptor
 * @fd: the descriptor, or -1
 * @error: why there is none, as errno has it: the kernel does not have the
 *	event, the PMU is in use by somebody else, or the task had ended; 0 otherwise
 * @has_buffer: its records go to one
 */
struct counter {
	int fd;
	int error;
	bool has_buffer;
};

/**
 * struct counters - every descriptor of a measurement
 * @events: what they count
 * @cpus: where; a single -1 is wherever the tasks are, or the whole machine
 * @tids: whom; a single -1 is everybody
 * @counters: the descriptors, an event's next to one another
 */
struct counters {
	struct event_list *events;
	struct int_list cpus;
	struct int_list tids;
	struct counter *counters;
};

/**
 * struct counters_early - what to do when the counters of early events are open, and no
 *	others yet
 * @ready: called then; 0, or -1 with @err set: nothing more is opened
 * @undo: called before they are closed, where not all that was wanted could be opened
 * @context: passed to both
 */
struct counters_early {
	int (*ready)(void *context, struct error *err);
	void (*undo)(void *context);
	void *context;
};

/**
 * struct count - what a counter counted
 * @value: the count as the kernel has it
 * @enabled: how long it was on, in ns
 * @running: how long of that it was on the hardware, in ns
 */
struct count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* Add up counts. */
void count_add(struct count *sum, const struct count *add);

/* The count since an earlier one. */
struct count count_since(const struct count *now, const struct count *before);

/* What would have been counted, had the counter been on the hardware all the time. */
double count_scaled(const struct count *count);

/**
 * counters_open() - open what a target needs
 * @cs: gets the descriptors
 * @events: what to count; attr filled but for disabled and enable_on_exec. An
 *	event that may not count the kernel, and was not asked to in so many
 *	words, is restricted to user mode, and its name says so.
 * @target: whom to count
 * @command: the command's process, for a TARGET_COMMAND
 * @per_cpu: a descriptor per CPU, even where the kernel could do with one: to read CPUs
 *	one by one, or because perf_event_open cannot map others
 * @early: what to do before the counters of other than early events are opened, or NULL
 * @err: says what could not be opened and why
 *
 * Counters that the kernel does not have are left out, and so are those of a task
 * that has ended, and events by default when the PMU is in use; struct counter says
 * so. The counters of a command start when it is executed, others with
 * counters_enable().
 *
 * Return: 0, or -1 with @err set and nothing open.
 */
int counters_open(struct counters *cs, struct event_list *events, const struct target *target,
		  pid_t command, bool per_cpu, const struct counters_early *early,
		  struct error *err);

/* Is there a descriptor per CPU, with @per_cpu as above? Else there is one for all of them. */
bool counters_are_per_cpu(const struct target *target, bool per_cpu);

/* How many descriptors there are. */
size_t counters_nr_open(const struct counters *cs);

/* The counter of event number @event on CPU number @cpu of task number @task. */
struct counter *counters_at(const struct counters *cs, size_t event, size_t cpu, size_t task);

/* The number of counters of one event. */
size_t counters_per_event(const struct counters *cs);

/*
 * Can the event be counted here? 0, or why not, as errno has it: EBUSY where somebody else
 * has the PMU (and nobody asked for the event), else the kernel or the machine has it not.
 */
int counters_event_error(const struct counters *cs, size_t event);

/*
 * Enable one event alone; enable, or disable, all but early ones. Those are on until they are
 * closed: perf_events lets a counter go on sometimes that it was told to disable, when a task
 * has just inherited it, and who is sampled then may have been forked since.
 */
int counters_enable_event(const struct counters *cs, size_t event, struct error *err);
int counters_enable(const struct counters *cs, struct error *err);
void counters_disable(const struct counters *cs);

/* Read a counter that was opened with both times in its read_format, and not ID or LOST. */
int counter_read(const struct counter *counter, struct count *count);

void counters_close(struct counters *cs);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Open counters: a descriptor per event, CPU and task, or fewer where the kernel allows it. */
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
 * @fd: descriptor, or -1
 * @error: errno if there is no descriptor because the kernel lacks the event, the PMU is in
 *	use, or the task had exited; else 0
 * @has_buffer: records go to a buffer
 */
struct counter {
	int fd;
	int error;
	bool has_buffer;
};

/**
 * struct counters - all descriptors of a measurement
 * @events: events that are counted
 * @cpus: CPUs on which they are counted; a single -1 stands for all
 * @rows: CPUs whose counts are read one by one from descriptors of all CPUs; else empty
 * @tids: tasks that are counted; a single -1 stands for all
 * @counters: descriptors, sorted by event, then CPU, then task
 */
struct counters {
	struct event_list *events;
	struct int_list cpus;
	struct int_list rows;
	struct int_list tids;
	struct counter *counters;
};

/**
 * struct counters_early - callbacks between opening early events and all others
 * @ready: called when the counters of early events are open; returns 0, or -1 with @err set to
 *	stop
 * @undo: called before the counters are closed after a failure
 * @context: argument of both callbacks
 */
struct counters_early {
	int (*ready)(void *context, struct error *err);
	void (*undo)(void *context);
	void *context;
};

/**
 * struct count - value of a counter
 * @value: count as read from the kernel
 * @enabled: time for which the counter was enabled, ns
 * @running: time for which the counter was on the hardware, ns
 */
struct count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* Add up two counts. */
void count_add(struct count *sum, const struct count *add);

/* Subtract an earlier count. */
struct count count_since(const struct count *now, const struct count *before);

/* Extrapolate the value to the time for which the counter was not on the hardware. */
double count_scaled(const struct count *count);

/* Need for the counts of single CPUs. */
enum counters_split {
	COUNTERS_SUM,		/* their sum is enough */
	COUNTERS_READ_CPUS,	/* CPUs are read one by one: by a descriptor for all, or for each */
	COUNTERS_OPEN_CPUS,	/* each CPU needs a descriptor, because its ring is mapped */
};

/**
 * counters_open() - open the counters for a target
 * @cs: receives the descriptors
 * @events: events to count. In their attrs, all fields are set except disabled and enable_on_exec.
 *	An event that may not count the kernel, and for which the user chose no modes, is restricted
 *	to user mode, and its name is changed accordingly.
 * @target: target of the measurement
 * @command: process of the command, for TARGET_COMMAND
 * @split: need for the counts of single CPUs
 * @early: callbacks between early and other events, or NULL
 * @err: receives the reason of a failure
 *
 * Counters that the kernel does not have are left out, as are counters of exited tasks, and
 * default events if the PMU is in use: see @error of struct counter. The counters of a command
 * are enabled by its exec, others by counters_enable().
 *
 * Return: 0, or -1 with @err set and nothing open.
 */
int counters_open(struct counters *cs, struct event_list *events, const struct target *target,
		  pid_t command, enum counters_split split, const struct counters_early *early,
		  struct error *err);

/*
 * Return true if a descriptor per CPU is needed, see @split of counters_open(). Otherwise one
 * descriptor counts on all CPUs.
 */
bool counters_are_per_cpu(const struct target *target, enum counters_split split);

/* Return the CPUs that counters_read_event() tells apart; a single -1 stands for all. */
const struct int_list *counters_read_cpus(const struct counters *cs);

/* Return true if the event is counted on a CPU of counters_read_cpus(), given by index. */
bool counters_has_cpu(const struct counters *cs, size_t event, size_t cpu);

/**
 * counters_read_event() - read all counters of an event
 * @cs: counters, opened as counter_read() needs them
 * @event: index of the event
 * @add: called with each count, and with the indices of its CPU in counters_read_cpus() and of its
 *	task in @tids
 * @context: argument of @add
 *
 * Counters that are not open or cannot be read are left out.
 */
void counters_read_event(const struct counters *cs, size_t event,
			 void (*add)(void *context, size_t cpu, size_t task,
				     const struct count *count), void *context);

/* Return the number of open descriptors. */
size_t counters_nr_open(const struct counters *cs);

/* Return the counter of an event on a CPU for a task, all three given by index. */
struct counter *counters_at(const struct counters *cs, size_t event, size_t cpu, size_t task);

/* Return the number of counters of one event. */
size_t counters_per_event(const struct counters *cs);

/*
 * Return 0 if the event could be opened, else errno: EBUSY for a default event if the PMU is in
 * use, or the error of a kernel or machine that lacks the event.
 */
int counters_event_error(const struct counters *cs, size_t event);

/* Enable the counters of one event. */
int counters_enable_event(const struct counters *cs, size_t event, struct error *err);
/* Disable the counters of one event. */
void counters_disable_event(const struct counters *cs, size_t event);
/* Enable all counters except those of early events, which are enabled already. */
int counters_enable(const struct counters *cs, struct error *err);
/*
 * Disable all counters except those of early events, which stay enabled until they are closed.
 * perf_events sometimes cannot disable a counter that a task has just inherited. The counter then
 * takes further samples of the task, which need the record of the task's fork.
 */
void counters_disable(const struct counters *cs);

/* Read a counter that was opened with both times in its read_format, without ID and LOST. */
int counter_read(const struct counter *counter, struct count *count);

void counters_close(struct counters *cs);

#endif

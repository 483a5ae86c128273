/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records as they come, without a recording: put in order, decoded, applied to the
 * state of the machine, and samples given to who wants them.
 *
 * Uses: record, measure, machine, file, util
 */
#ifndef PERF_LIVE_H
#define PERF_LIVE_H

#include "file/file.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "util/util.h"

/**
 * struct live - a machine that is being watched
 * @sample: called for each sample, once all that was before it is known; the event is
 *	its number in the list
 * @task: called for each FORK and EXIT likewise, before it is applied; or NULL
 * @context: first argument of both
 * @sources: where symbols are
 * @machine: the state at the time of the current sample
 * @buffers: where records come from
 * @events: their events
 * @features: what a recording would say about itself
 * @queue: puts records in order
 * @exited: threads that have ended since the last round but one ...
 * @exiting: ... and since the last one
 * @told_lost: records that were lost, as LOST records tell
 * @nr_lost: records that were lost, by all that is known
 * @nr_bad: records that make no sense
 */
struct live {
	void (*sample)(void *context, struct live *live, const struct record *record);
	void (*task)(void *context, struct live *live, const struct record *record);
	void *context;
	struct symbol_sources sources;
	struct machine machine;
	struct buffers buffers;
	struct event_table events;
	struct data_features features;
	struct record_queue queue;
	struct int_list exited;
	struct int_list exiting;
	uint64_t told_lost;
	uint64_t nr_lost;
	uint64_t nr_bad;
};

/**
 * live_open() - open counters and get ready
 * @live: @sample, @context and @sources are set; to be ended with live_close()
 * @counters: gets the counters; to be closed by the caller, after that
 * @events: what to sample, as sampling_prepare() leaves it
 * @target: whom
 * @command: its process, for a TARGET_COMMAND
 * @pages: as for buffers_open()
 * @err: says what failed and why
 *
 * Return: 0, or -1 with @err set.
 */
int live_open(struct live *live, struct counters *counters, struct event_list *events,
	      const struct target *target, pid_t command, size_t pages, struct error *err);

/**
 * live_start() - find out what is there already, and switch the counters on
 * @live: what live_open() opened
 * @target: whom; the counters of a command start when it is executed
 * @command: as for live_open()
 * @err: says what failed and why
 *
 * Return: 0, or -1 with @err set.
 */
int live_start(struct live *live, const struct target *target, pid_t command,
	       struct error *err);

/* Read the buffers once; what can no longer be preceded by anything is delivered. */
int live_round(struct live *live);

/* Read the buffers, and deliver all that was there when it was called. */
int live_catch_up(struct live *live);

/* Does nothing where nothing was opened. */
void live_close(struct live *live);

#endif

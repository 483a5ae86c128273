/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records as they arrive, without a file: sorted, decoded and applied to the state of the
 * machine. Samples go to a callback.
 *
 * Uses: record, measure, machine, file, util
 */
#ifndef PERF_LIVE_H
#define PERF_LIVE_H

#include "file/file.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "util/util.h"

struct backlog;

/**
 * struct live - a machine that is being observed
 * @sample: function that is called for each sample, after all earlier records have been
 *	applied; record->event is the index of the event in the list
 * @task: function that is called for each FORK and EXIT before it is applied, or NULL
 * @context: first argument of both functions
 * @sources: places of symbols
 * @machine: state of the machine at the time of the current sample
 * @buffers: buffers with the records
 * @backlog: thread that reads @buffers
 * @events: events of the records
 * @features: description of this machine, like that of a recording
 * @queue: queue that sorts the records
 * @exited: threads that have exited
 * @reported_lost: number of lost records according to LOST records
 * @nr_lost: number of lost records according to LOST records and counters
 * @nr_bad: number of damaged records
 */
struct live {
	void (*sample)(void *context, struct live *live, const struct record *record);
	void (*task)(void *context, struct live *live, const struct record *record);
	void *context;
	struct symbol_sources sources;
	struct machine machine;
	struct buffers buffers;
	struct backlog *backlog;
	struct event_table events;
	struct data_features features;
	struct record_queue queue;
	struct exited_threads exited;
	uint64_t reported_lost;
	uint64_t nr_lost;
	uint64_t nr_bad;
};

/**
 * live_open() - open counters and buffers
 * @live: @sample, @context and @sources are set; end it with live_close()
 * @counters: receives the counters; the caller closes them after live_close()
 * @events: events to sample, as sampling_prepare() leaves them
 * @target: target of the measurement
 * @command: process of the command, for TARGET_COMMAND
 * @pages: pages of data per buffer, or 0 to choose as many as are useful
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int live_open(struct live *live, struct counters *counters, struct event_list *events,
	      const struct target *target, pid_t command, size_t pages, struct error *err);

/**
 * live_start() - read the existing tasks, and enable the counters
 * @live: opened by live_open()
 * @target: target of the measurement; the counters of a command are enabled by its exec
 * @command: process of the command, for TARGET_COMMAND
 * @watch: receives a descriptor that is readable when live_round() has records to deliver
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int live_start(struct live *live, const struct target *target, pid_t command,
	       struct watch *watch, struct error *err);

/*
 * Deliver all records that were read from the buffers and that no older record can follow.
 * Return: 0 or a negative errno.
 */
int live_round(struct live *live);

/*
 * Read the buffers, and deliver all records that they had at the time of the call. Return: 0 or
 * a negative errno.
 */
int live_catch_up(struct live *live);

/* Close the buffers. Does nothing before live_open(). */
void live_close(struct live *live);

#endif

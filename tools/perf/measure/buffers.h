/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that sample, and the buffers that they write to. There are as few counters and buffers
 * as the kernel allows.
 */
#ifndef PERF_MEASURE_BUFFERS_H
#define PERF_MEASURE_BUFFERS_H

#include "counters.h"
#include "ring.h"
#include "watch.h"

/*
 * Size of a buffer: four times the default for root, for readers that do more than writing records
 * to a file.
 */
#define BUFFERS_PAGES_LARGE ((size_t)-1)

/**
 * struct output_ring - a buffer that further counters can write to
 * @is_mapped: the buffer exists
 * @fd: counter through which the buffer was mapped
 */
struct output_ring {
	bool is_mapped;
	int fd;
};

/**
 * struct buffers - the buffers of a measurement
 * @counters: counters that write to the buffers
 * @all: buffers: with perf_counter_open, one for tasks or the whole machine; otherwise one per CPU.
 *	With overwritten events, each has a second buffer for events that are not overwritten
 * @nr: number of @all
 * @pages: pages of data in each buffer
 * @overwrites: some buffers are overwritten
 * @outputs: for each CPU the buffer that is not overwritten, and the one that is
 * @error: negative errno if a buffer could not be mapped, else 0
 */
struct buffers {
	const struct counters *counters;
	struct ring_buffer *all;
	size_t nr;
	size_t pages;
	bool overwrites;
	struct output_ring *outputs;
	int error;
};

/**
 * struct event_total - totals of an event over the whole measurement
 * @value: number of counted events
 * @lost: number of lost records; 0 if the kernel does not report it
 */
struct event_total {
	uint64_t value;
	uint64_t lost;
};

/**
 * buffers_open() - open counters and map their buffers
 * @b: receives the buffers; release them with buffers_unmap()
 * @counters: receives the counters; the caller closes them
 * @events: events to sample, as sampling_prepare() leaves them
 * @target: target of the measurement
 * @command: process of the command, for TARGET_COMMAND
 * @pages: pages of data per buffer, a power of two; 0 or BUFFERS_PAGES_LARGE to choose as many as
 *	are useful and allowed
 * @err: receives the reason of a failure
 *
 * Early events are enabled on return. Their counters were opened before the others. So the buffers
 * have a record of every fork whose child inherited one of the other counters.
 *
 * Return: 0, or -1 with @err set.
 */
int buffers_open(struct buffers *b, struct counters *counters, struct event_list *events,
		 const struct target *target, pid_t command, size_t pages, struct error *err);

/**
 * buffers_each_readable() - call a function for each descriptor that a reader can wait for
 * @b: buffers
 * @each: function; it returns 0, or -1 with the error set, which ends the calls
 * @context: first argument of @each
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int buffers_each_readable(const struct buffers *b,
			  int (*each)(void *context, int fd, struct error *err), void *context,
			  struct error *err);

/* Have watch_wait() return when a buffer has to be read. */
int buffers_watch(const struct buffers *b, struct watch *w, struct error *err);

/**
 * buffers_drain() - read all buffers once, except overwritten ones
 * @b: buffers
 * @sink: function that receives the records, ring by ring
 * @context: argument of @sink
 *
 * Return: the number of bytes, or a negative errno.
 */
ssize_t buffers_drain(const struct buffers *b, ring_sink sink, void *context);

/* Limit buffers_drain() to the records that are in the buffers now. */
void buffers_end(const struct buffers *b);

/* Add up the values and losses of all counters of an event, given by its index. */
struct event_total buffers_total(const struct buffers *b, size_t event);

void buffers_unmap(struct buffers *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that sample, and the buffers that they write to, as few of both as the
 * kernel allows.
 */
#ifndef PERF_MEASURE_BUFFERS_H
#define PERF_MEASURE_BUFFERS_H

#include "counters.h"
#include "ring.h"
#include "watch.h"

/**
 * struct output_ring - where other counters write to
 * @is_mapped: there is one
 * @fd: the counter that was mapped
 */
struct output_ring {
	bool is_mapped;
	int fd;
};

/**
 * struct buffers - the buffers of a measurement
 * @counters: what fills them
 * @all: one for tasks or the whole machine with perf_counter_open, else one per CPU;
 *	where events overwrite what they wrote, another one for those that do not
 * @nr: how many
 * @pages: pages of data in each
 * @overwrites: some of them are overwritten
 * @outputs: per CPU the one that does not overwrite, and the one that does
 * @error: why buffers could not be mapped, a negative errno, or 0
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
 * struct event_total - what the counters of an event say of the whole measurement
 * @value: how much they counted
 * @lost: how many of their records were lost; 0 where the kernel does not say
 */
struct event_total {
	uint64_t value;
	uint64_t lost;
};

/**
 * buffers_open() - open counters and map their buffers
 * @b: gets the buffers; to be ended with buffers_unmap()
 * @counters: gets the counters; to be closed by the caller
 * @events: what to sample, as sampling_prepare() leaves it
 * @target: whom
 * @command: its process, for a TARGET_COMMAND
 * @pages: pages of data per buffer, a power of two; 0: as many as are good, and allowed
 * @err: says what failed and why
 *
 * Early events are on when it returns: what tasks did since before the other counters
 * were opened, which what they fork inherits, is in the buffers.
 *
 * Return: 0, or -1 with @err set.
 */
int buffers_open(struct buffers *b, struct counters *counters, struct event_list *events,
		 const struct target *target, pid_t command, size_t pages, struct error *err);

/* Be woken up by the buffers that have to be read. */
int buffers_watch(const struct buffers *b, struct watch *w, struct error *err);

/**
 * buffers_drain() - read all buffers once, but for those that are overwritten
 * @b: the buffers
 * @sink: gets the records, ring by ring
 * @context: the sink's
 *
 * Return: how many bytes there were, or a negative errno.
 */
ssize_t buffers_drain(const struct buffers *b, ring_sink sink, void *context);

/* From now on, buffers_drain() reads what is there now, and no more. */
void buffers_end(const struct buffers *b);

/* What the counters of an event, by its number, say. */
struct event_total buffers_total(const struct buffers *b, size_t event);

void buffers_unmap(struct buffers *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples whose callers in user mode the kernel records later (--call-graph fp,defer).
 *
 * Such a chain ends in CONTEXT_USER_DEFERRED and a cookie. When the task returns to user mode, a
 * record with the cookie has the rest of the chain. Until then the sample is held back.
 */
#ifndef PERF_MACHINE_DEFERRED_CHAINS_H
#define PERF_MACHINE_DEFERRED_CHAINS_H

#include "file/file.h"

struct held_sample;

/* A function that gets a sample when its chain is complete, or cannot be completed. */
typedef void (*deferred_fn)(void *context, struct record *sample, uint64_t offset);

/**
 * struct deferred_chains - samples that are held back
 * @events: events of the recording
 * @give: function that gets the samples, in the order of their arrival
 * @context: first argument of @give
 * @held: samples
 * @nr: number of @held
 * @nr_missing: number of samples that were given without their callers in user mode
 */
struct deferred_chains {
	const struct event_table *events;
	deferred_fn give;
	void *context;
	struct held_sample *held;
	size_t nr;
	uint64_t nr_missing;
};

/**
 * deferred_hold() - hold a sample back if its chain is not complete
 * @d: samples that are held back
 * @header: sample, as in the file
 * @sample: decoded record of @header
 * @offset: offset of the sample in the file
 *
 * Return: true if the sample is held back; false if its chain is complete.
 */
bool deferred_hold(struct deferred_chains *d, const struct perf_event_header *header,
		   const struct record *sample, uint64_t offset);

/* Complete and give the samples whose chains this record ends. */
void deferred_complete(struct deferred_chains *d, const struct record *record);

/* Give the samples of a thread that has exited, or all samples for @tid UINT32_MAX. */
void deferred_give_up(struct deferred_chains *d, uint32_t tid);

void deferred_free(struct deferred_chains *d);

#endif

// SPDX-License-Identifier: GPL-2.0
/* Samples whose callers in user mode the kernel records later (--call-graph fp,defer). */
#include <stdlib.h>
#include <string.h>

#include "deferred_chains.h"

/*
 * The largest number of samples that are held back. A running thread has a few. A recording in
 * which the records of many have been lost would fill the memory otherwise.
 */
#define HELD_MAX 4096

/* A sample that is held back, as in the file. */
struct held_sample {
	struct perf_event_header *header;
	uint64_t offset;
	uint64_t cookie;
	uint32_t tid;
};

/* Find the cookie at the end of a chain. Return: its index, or 0 if the chain is complete. */
static uint64_t find_cookie(const struct sample *sample)
{
	uint64_t nr = sample->chain_nr;

	return nr >= 2 && sample->chain[nr - 2] == CONTEXT_USER_DEFERRED ? nr - 1 : 0;
}

/*
 * Pass a sample on. @chain replaces the mark and the cookie; without it, the chain ends before the
 * mark.
 */
static void give(struct deferred_chains *d, struct held_sample *held, const uint64_t *chain,
		 uint64_t nr)
{
	struct record record;
	uint64_t *whole, kernel;

	if (record_decode(d->events, held->header, &record) == RECORD_OK) {
		kernel = find_cookie(&record.sample) - 1;
		whole = xcalloc(kernel + nr + 1, sizeof(*whole));
		memcpy(whole, record.sample.chain, kernel * sizeof(*whole));
		if (nr)
			memcpy(whole + kernel, chain, nr * sizeof(*whole));
		record.sample.chain = whole;
		record.sample.chain_nr = kernel + nr;
		d->nr_missing += !nr;
		d->give(d->context, &record, held->offset);
		free(whole);
	}
	free(held->header);
}

/* Remove the samples that have no record any more. */
static void compact(struct deferred_chains *d)
{
	size_t i, kept = 0;

	for (i = 0; i < d->nr; i++) {
		if (d->held[i].header)
			d->held[kept++] = d->held[i];
	}
	d->nr = kept;
}

bool deferred_hold(struct deferred_chains *d, const struct perf_event_header *header,
		   const struct record *sample, uint64_t offset)
{
	uint64_t at = find_cookie(&sample->sample);
	struct held_sample *held;

	if (!at)
		return false;
	if (d->nr == HELD_MAX)
		deferred_give_up(d, UINT32_MAX);
	if (!d->held)
		d->held = xcalloc(HELD_MAX, sizeof(*d->held));
	held = &d->held[d->nr++];
	*held = (struct held_sample){
		.header = xcalloc(1, header->size), .offset = offset,
		.cookie = sample->sample.chain[at], .tid = sample->id.tid,
	};
	memcpy(held->header, header, header->size);
	return true;
}

void deferred_complete(struct deferred_chains *d, const struct record *record)
{
	size_t i;

	for (i = 0; i < d->nr; i++) {
		if (d->held[i].tid != record->id.tid ||
		    d->held[i].cookie != record->deferred.cookie)
			continue;
		give(d, &d->held[i], record->deferred.chain, record->deferred.nr);
		d->held[i].header = NULL;
	}
	compact(d);
}

void deferred_give_up(struct deferred_chains *d, uint32_t tid)
{
	size_t i;

	for (i = 0; i < d->nr; i++) {
		if (tid != UINT32_MAX && d->held[i].tid != tid)
			continue;
		give(d, &d->held[i], NULL, 0);
		d->held[i].header = NULL;
	}
	compact(d);
}

void deferred_free(struct deferred_chains *d)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		free(d->held[i].header);
	free(d->held);
	d->held = NULL;
	d->nr = 0;
}

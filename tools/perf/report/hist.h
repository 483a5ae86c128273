/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples put together: how much time, or how many events, went where.
 */
#ifndef PERF_REPORT_HIST_H
#define PERF_REPORT_HIST_H

#include "machine/machine.h"
#include "chain_store.h"
#include "sort_key.h"

/**
 * struct hist_entry - samples that belong together; a row of a report
 * @node: in the histogram, by the values of the sort keys
 * @point: the first of the samples
 * @self: sum of the periods of samples that are here
 * @total: sum of the periods of samples that are here, or in what was called from here
 * @nr_self: number of samples that are here
 * @nr_total: number of samples that are here, or in what was called from here
 * @height: how far above the sampled code it was called from, at most
 * @last_sample: the last sample that was added, counted from 1
 * @chains: call chains of the samples
 */
struct hist_entry {
	struct hash_node node;
	struct sample_point point;
	uint64_t self;
	uint64_t total;
	uint64_t nr_self;
	uint64_t nr_total;
	size_t height;
	uint64_t last_sample;
	struct chain_list chains;
};

/**
 * struct hist - a histogram of one event
 * @keys: what tells its entries apart
 * @children: callers get their share of what they called
 * @caller_first: chains go from the outermost function inward
 * @with_chains: entries have call chains
 * @branches: it is of the branches of samples, each of period 1; it has no chains
 * @entries: the entries
 * @chains: the entries' chains
 * @steps: of the current sample's chain: what starts at each of its frames
 * @steps_room: allocated number of @steps
 * @nr_samples: samples added
 * @period: sum of their periods
 */
struct hist {
	const struct sort_keys *keys;
	bool children;
	bool caller_first;
	bool with_chains;
	bool branches;
	struct hash_table entries;
	struct chain_store chains;
	const struct chain_step **steps;
	size_t steps_room;
	uint64_t nr_samples;
	uint64_t period;
};

void hist_add(struct hist *hist, const struct sample_point *point,
	      const struct callchain *chain, uint64_t period);
void hist_add_branches(struct hist *hist, const struct sample_point *sample,
		       struct machine *machine, const struct thread *thread,
		       const struct record *record);
void hist_add_other(struct hist *hist, const struct sample *sample);
struct hist_entry **hist_sorted(const struct hist *hist);
void hist_decay(struct hist *hist);
void hist_clear(struct hist *hist);
void hist_free(struct hist *hist);

#endif

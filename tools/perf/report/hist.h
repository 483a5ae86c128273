/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms: sums of the samples with equal sort keys.
 */
#ifndef PERF_REPORT_HIST_H
#define PERF_REPORT_HIST_H

#include "machine/machine.h"
#include "chain_store.h"
#include "sort_key.h"

/**
 * struct hist_entry - the samples of a row of a report
 * @node: node in the histogram, by the values of the sort keys
 * @point: sort keys of the first sample
 * @self: sum of the periods of samples in this function
 * @total: sum of the periods of samples in this function or in functions that it called
 * @nr_self: number of samples in this function
 * @nr_total: number of samples in this function or in functions that it called
 * @height: maximum number of frames between the sampled function and this one
 * @last_sample: number of the last sample that was added, from 1
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
 * @keys: sort keys
 * @children: true to add samples to their callers, too
 * @caller_first: true if chains begin with the outermost function
 * @with_chains: true if entries have call chains
 * @branches: true if each branch record is a sample with period 1, without a chain
 * @entries: entries
 * @chains: call chains of the entries
 * @steps: chains that begin at each frame of the current sample
 * @steps_room: allocated number of @steps
 * @nr_samples: number of samples
 * @period: sum of the periods of the samples
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms: sums of the samples with equal sort keys.
 */
#ifndef PERF_REPORT_HIST_H
#define PERF_REPORT_HIST_H

#include "machine/machine.h"
#include "chain_store.h"
#include "hist_entry.h"
#include "sample_memo.h"
#include "sort_key.h"

/**
 * struct hist - a histogram of one event
 * @keys: sort keys
 * @children: true to add samples to their callers, too
 * @caller_first: true if chains begin with the outermost function
 * @with_chains: true if entries have call chains
 * @keys_of_code: sort_keys_are_of_code() of @keys
 * @by_latency: true to sort entries by latency
 * @branches: true if each branch record is a sample with period 1, without a chain
 * @entries: entries
 * @chains: call chains of the entries
 * @steps: chains that begin at each frame of the current sample
 * @steps_room: allocated number of @steps
 * @touched: entries that the last sample added to
 * @memo: samples that were added with hist_note()
 * @memory_max: bytes of memory for @chains and @memo; 0: without a limit
 * @memory_more: bytes beyond @memory_max that many rows need
 * @folded: rare chains are not in @chains any more, only their sums
 * @nr_samples: number of samples
 * @period: sum of the periods of the samples
 * @latency: sum of the latencies of the samples
 */
struct hist {
	const struct sort_keys *keys;
	bool children;
	bool caller_first;
	bool with_chains;
	bool keys_of_code;
	bool by_latency;
	bool branches;
	struct hash_table entries;
	struct chain_store chains;
	const struct chain_step **steps;
	size_t steps_room;
	struct touched_list touched;
	struct sample_memo memo;
	size_t memory_max;
	size_t memory_more;
	bool folded;
	uint64_t nr_samples;
	uint64_t period;
	struct latency latency;
};

/*
 * Maximum number of frames of a chain in a report. The tree of a chain is indented by each frame,
 * so its text grows with the square of the number.
 */
#define CHAIN_FRAMES_MAX 1024

/*
 * Return a chain without the frames beyond CHAIN_FRAMES_MAX; a note to the user says if there are
 * some. The frames remain those of @chain.
 */
struct callchain callchain_cut(const struct callchain *chain);

void hist_add_many(struct hist *hist, const struct sample_point *point,
		   const struct callchain *chain, uint64_t period, uint64_t nr);
void hist_add(struct hist *hist, const struct sample_point *point,
	      const struct callchain *chain, uint64_t period);
bool hist_add_again(struct hist *hist, const struct sample_key *key, uint64_t period,
		    struct pointer_counts *pointed);
void hist_note(struct hist *hist, const struct sample_key *key, const struct callchain *chain,
	       struct pointer_mark pointed);
void hist_add_branches(struct hist *hist, const struct sample_point *sample,
		       struct machine *machine, const struct thread *thread,
		       const struct record *record);
void hist_add_other(struct hist *hist, const struct sample *sample, uint32_t running);
void hist_settle(struct hist *hist);
void hist_fold(struct hist *hist);
const struct hist_entry *hist_find(const struct hist *hist, const struct sample_point *point);
struct hist_entry **hist_sorted(const struct hist *hist);
void hist_divide(struct hist *hist, unsigned int shift);
void hist_decay(struct hist *hist);
void hist_clear(struct hist *hist);
void hist_free(struct hist *hist);

#endif

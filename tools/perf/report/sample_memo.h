/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a histogram that differ only in their periods: code, call chain and state of
 * the address space are equal, so they add to the same entries and chains. The third and later
 * ones of such samples are only summed up; sample_memo_settle() adds the sums to the entries.
 */
#ifndef PERF_REPORT_SAMPLE_MEMO_H
#define PERF_REPORT_SAMPLE_MEMO_H

#include "machine/machine.h"
#include "chain_store.h"

struct hist_entry;

/**
 * struct sample_key - a hash of the values that equal samples have in common
 * @low: hash
 * @high: another hash of the same; together they tell samples apart
 * @running: number of recorded threads that had a CPU, which is in the hashes, too
 */
struct sample_key {
	uint64_t low;
	uint64_t high;
	uint32_t running;
};

/**
 * struct touched - one entry that a sample adds to
 * @entry: entry
 * @chain: chain in the list of the entry; NULL: none
 */
struct touched {
	struct hist_entry *entry;
	struct listed_chain *chain;
};

/**
 * struct touched_list - the entries that the last sample added to
 * @list: entries; the first one is the sample's own
 * @nr: number of elements of @list
 * @room: allocated number of elements of @list
 */
struct touched_list {
	struct touched *list;
	size_t nr;
	size_t room;
};

/**
 * struct sample_memo - the samples that were added; all zeros: none
 * @kinds: samples by key
 * @pool: memory of @kinds
 */
struct sample_memo {
	struct hash_table kinds;
	struct pool pool;
};

/**
 * sample_key_of() - Make the key of a sample
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample; it has neither branches nor a user stack
 *
 * Return: The key, which is equal for equal samples of one histogram.
 */
struct sample_key sample_key_of(const struct machine *machine, const struct thread *thread,
				const struct record *record);

/**
 * sample_memo_add() - Add a sample if enough equal ones have been added
 * @memo: samples so far
 * @key: key of the sample
 * @period: period of the sample
 * @pointed: counts of chains of frame pointers; the sample's chain is added
 *
 * Return: false if the caller has to add the sample, and then call sample_memo_note().
 */
bool sample_memo_add(struct sample_memo *memo, const struct sample_key *key, uint64_t period,
		     struct pointer_counts *pointed);

/**
 * sample_memo_note() - Remember a sample that was added to its entries
 * @memo: samples so far
 * @key: key of the sample
 * @touched: entries that the sample added to
 * @pointed: counts of chains of frame pointers, of this sample alone
 */
void sample_memo_note(struct sample_memo *memo, const struct sample_key *key,
		      const struct touched_list *touched, struct pointer_mark pointed);

/* Add to the entries the samples that the memo has only summed up so far. */
void sample_memo_settle(struct sample_memo *memo);

/* Return the memory of the samples, in bytes. */
size_t sample_memo_size(const struct sample_memo *memo);

void sample_memo_free(struct sample_memo *memo);

#endif

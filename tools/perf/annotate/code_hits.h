/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of samples and branch records for each address of each function.
 */
#ifndef PERF_ANNOTATE_CODE_HITS_H
#define PERF_ANNOTATE_CODE_HITS_H

#include "machine/machine.h"

/* A number of samples, and the sum of their periods. */
struct share {
	uint64_t nr;
	uint64_t period;
};

/**
 * struct code_hit - the samples of one event at one address
 * @node: node in the function, by @event and @offset
 * @event: index of the event
 * @offset: offset of the address in the function
 * @share: samples
 */
struct code_hit {
	struct hash_node node;
	size_t event;
	uint64_t offset;
	struct share share;
};

/**
 * struct branch_hit - the branch records that begin or end at one address
 * @node: node in the function, by @offset
 * @offset: offset of the address in the function
 * @taken: number of taken branches of the instruction here
 * @missed: number of @taken that were mispredicted
 * @begun: number of straight runs of code that begin here
 * @ended: number of straight runs of code that end with the instruction here
 * @cycles: sum of the cycles of those runs that end here and have a number of cycles
 * @timed: number of those runs
 */
struct branch_hit {
	struct hash_node node;
	uint64_t offset;
	uint64_t taken;
	uint64_t missed;
	uint64_t begun;
	uint64_t ended;
	uint64_t cycles;
	uint64_t timed;
};

/**
 * struct function_hits - the samples in one function
 * @node: node in the set, by its dso and its symbol
 * @at: location of the first sample in the function
 * @size: size in bytes of a function whose symbol has no end, such as a BPF program; otherwise 0
 * @totals: sums of all samples, by event
 * @nr_totals: number of elements of @totals
 * @hits: struct code_hit
 * @branches: struct branch_hit
 */
struct function_hits {
	struct hash_node node;
	struct location at;
	uint64_t size;
	struct share *totals;
	size_t nr_totals;
	struct hash_table hits;
	struct hash_table branches;
};

/**
 * struct code_hits - the samples of a recording by function; all zeros: none
 * @functions: struct function_hits
 * @totals: sums of all samples by event, also of those without a function
 * @nr_totals: number of elements of @totals
 * @nr_unknown: number of samples without a function
 * @has_runs: some samples have records of all branches that were taken
 * @has_cycles: some branch records have cycles
 * @has_branches: some samples have branch records that are not calls of --call-graph lbr
 */
struct code_hits {
	struct hash_table functions;
	struct share *totals;
	size_t nr_totals;
	uint64_t nr_unknown;
	bool has_runs;
	bool has_cycles;
	bool has_branches;
};

/**
 * code_hits_add() - Add a sample
 * @hits: sums
 * @machine: machine at the time of the sample
 * @at: location of the sample
 * @record: sample
 */
void code_hits_add(struct code_hits *hits, const struct machine *machine,
		   const struct location *at, const struct record *record);

/**
 * code_hits_add_share() - Add equal samples
 * @hits: sums
 * @machine: machine at the time of the samples
 * @at: location of the samples
 * @event: index of the event
 * @share: number of the samples, and sum of their periods
 */
void code_hits_add_share(struct code_hits *hits, const struct machine *machine,
			 const struct location *at, size_t event, struct share share);

/* Return the function of a location, which has no samples if none were added. */
struct function_hits *code_hits_function(struct code_hits *hits, const struct location *at);

/**
 * code_hits_add_branches() - Add the branch records of a sample
 * @hits: sums
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 * @all: every branch that was taken has a record, so the code between two was executed
 */
void code_hits_add_branches(struct code_hits *hits, struct machine *machine,
			    const struct thread *thread, const struct record *record, bool all);

/* Return the number of samples of an event in a function, and the sum of their periods. */
struct share function_share(const struct function_hits *function, size_t event);

/* Return the number of all samples of an event, and the sum of their periods. */
struct share code_hits_share(const struct code_hits *hits, size_t event);

/**
 * code_hits_sorted() - Sort the functions by an event
 * @hits: sums
 * @event: index of the event
 * @nr: set to the number of functions with samples of the event
 *
 * Return: An array of functions, the one with the largest period first; the caller frees it.
 */
struct function_hits **code_hits_sorted(const struct code_hits *hits, size_t event, size_t *nr);

void code_hits_free(struct code_hits *hits);

#endif

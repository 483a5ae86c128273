/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resolved samples of one event. Views with other sort keys, and of a part of the samples, are
 * made of them without reading the recording again.
 *
 * Equal samples are kept once. Chains are lists of frames from the innermost to the outermost, and
 * chains with the same callers share them.
 */
#ifndef PERF_BROWSE_SAMPLES_H
#define PERF_BROWSE_SAMPLES_H

#include "report/report.h"

/**
 * struct kept_frame - a frame of a chain
 * @node: node in the store, by @caller and @at
 * @caller: frame of the caller, or NULL
 * @at: location
 * @uses: number of frames and samples that point to this frame
 */
struct kept_frame {
	struct hash_node node;
	struct kept_frame *caller;
	struct location at;
	size_t uses;
};

/**
 * struct kept_sample - equal samples
 * @node: node in the store, by contents
 * @pid: process
 * @tid: thread
 * @cpu: CPU
 * @running: number of recorded threads that had a CPU
 * @comm: name of the thread; interned
 * @cgroup: path of the control group, interned, or NULL
 * @at: location
 * @more: all sort keys, if the sample has texts, a parent or a branch; otherwise NULL
 * @chain: innermost frame, or NULL
 * @period: sum of the periods, in the unit of the store
 * @nr: number of samples, in the unit of the store
 */
struct kept_sample {
	struct hash_node node;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t running;
	const char *comm;
	const char *cgroup;
	struct location at;
	struct sample_point *more;
	struct kept_frame *chain;
	uint64_t period;
	uint64_t nr;
};

/**
 * struct sample_store - the samples of an event; all zeros: none
 * @samples: samples, by contents
 * @frames: frames of all chains
 * @known: samples by the key of their records
 * @order: samples in the order of the recording
 * @room: allocated number of @order
 * @shift: binary digits of the fractions that samples are weighed in; 0: whole samples
 * @nr_samples: number of samples in the unit of the store, with those that filters left out
 * @period: sum of the periods of these samples, in the unit of the store
 * @latency: sum of the latencies of these samples
 */
struct sample_store {
	struct hash_table samples;
	struct hash_table frames;
	struct hash_table known;
	struct kept_sample **order;
	size_t room;
	unsigned int shift;
	uint64_t nr_samples;
	uint64_t period;
	struct latency latency;
};

/**
 * struct record_key - key of a record, equal for equal records
 * @code: key of code and call chain
 * @record: record with the thread, CPU and control group of the sample
 */
struct record_key {
	struct sample_key code;
	const struct record *record;
};

/**
 * samples_add_again() - Add a sample if an equal one has been added
 * @store: samples
 * @key: key of the record
 * @period: period of the sample
 * @pointed: counts of chains of frame pointers; the sample's chain is added
 *
 * Return: true if the sample was added.
 */
bool samples_add_again(struct sample_store *store, const struct record_key *key, uint64_t period,
		       struct pointer_counts *pointed);

/**
 * samples_add() - Add a sample
 * @store: samples
 * @point: sort keys of the sample
 * @chain: call chain; may have no frames
 * @period: period of the sample
 *
 * Return: The kept sample, for samples_note().
 */
struct kept_sample *samples_add(struct sample_store *store, const struct sample_point *point,
				const struct callchain *chain, uint64_t period);

/**
 * samples_note() - Remember the record of a sample, for samples_add_again()
 * @store: samples
 * @key: key of the record
 * @sample: the sample
 * @pointed: counts of chains of frame pointers, of this sample alone
 */
void samples_note(struct sample_store *store, const struct record_key *key,
		  struct kept_sample *sample, struct pointer_mark pointed);

/* Add each branch of a sample, with period 1. */
void samples_add_branches(struct sample_store *store, const struct sample_point *sample,
			  struct machine *machine, const struct thread *thread,
			  const struct record *record);

/* Count a sample that a filter leaves out; @running threads had a CPU. */
void samples_add_other(struct sample_store *store, uint64_t period, uint32_t running);

/* Set @point to the sort keys of a sample, and @chain to its frames. */
void kept_sample_get(const struct kept_sample *sample, struct sample_point *point,
		     struct callchain *chain);

/**
 * samples_decay() - Reduce the weight of the samples so far to seven eighths
 * @store: samples with @shift, added without samples_note()
 *
 * Samples with less than an eighth of the weight of a new one are removed.
 */
void samples_decay(struct sample_store *store);

/* Remove all samples. @shift stays. */
void samples_clear(struct sample_store *store);

void samples_free(struct sample_store *store);

#endif

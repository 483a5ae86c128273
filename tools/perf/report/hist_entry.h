/* SPDX-License-Identifier: GPL-2.0 */
/* The sums of the samples in a row of a report. */
#ifndef PERF_REPORT_HIST_ENTRY_H
#define PERF_REPORT_HIST_ENTRY_H

#include "chain_store.h"
#include "latency.h"
#include "sort_key.h"

/**
 * struct hist_entry - the samples of a row of a report
 * @node: node in the histogram, by the values of the sort keys
 * @point: sort keys of the first sample
 * @self: sum of the periods of samples in this function
 * @total: sum of the periods of samples in this function or in functions that it called
 * @self_latency: sum of the latencies of the samples of @self
 * @total_latency: sum of the latencies of the samples of @total
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
	struct latency self_latency;
	struct latency total_latency;
	uint64_t nr_self;
	uint64_t nr_total;
	size_t height;
	uint64_t last_sample;
	struct chain_list chains;
};

#endif

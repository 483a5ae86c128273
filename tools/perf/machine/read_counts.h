/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between readings of a counter, for samples that read counters
 * (PERF_SAMPLE_READ).
 */
#ifndef PERF_MACHINE_READ_COUNTS_H
#define PERF_MACHINE_READ_COUNTS_H

#include <stdint.h>

#include "util/util.h"

struct read_counts {
	struct hash_table counters;
};

uint64_t read_counts_advance(struct read_counts *counts, uint64_t id, uint32_t tid,
			     uint64_t value);
void read_counts_free(struct read_counts *counts);

#endif

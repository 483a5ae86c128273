/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency: the part of the elapsed time that a sample stands for. Where several threads have CPUs
 * at the same time, their samples share it.
 */
#ifndef PERF_REPORT_LATENCY_H
#define PERF_REPORT_LATENCY_H

#include <stdint.h>

/* A period in units of 2^-20, so that divided periods of 1 still have six digits. */
struct latency {
	unsigned __int128 units;
};

#define LATENCY_BITS 20

/* Add a period that @running threads share; 0 threads stand for 1. */
static inline void latency_add(struct latency *latency, uint64_t period, uint32_t running)
{
	unsigned __int128 units = (unsigned __int128)period << LATENCY_BITS;

	latency->units += running > 1 ? units / running : units;
}

static inline void latency_add_sum(struct latency *latency, struct latency more)
{
	latency->units += more.units;
}

/* Return the order of two latencies for qsort(), the larger one first. */
static inline int latency_compare(struct latency a, struct latency b)
{
	return (a.units < b.units) - (a.units > b.units);
}

/* Return the percentage of a part in @all. */
static inline double latency_percent(struct latency part, struct latency all)
{
	return all.units ? 100.0 * (double)part.units / (double)all.units : 0.0;
}

#endif

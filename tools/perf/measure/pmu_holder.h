/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who has the PMU when opening a counter says that it is in use: perf_events and
 * perf_counter never drive it at the same time.
 */
#ifndef PERF_MEASURE_PMU_HOLDER_H
#define PERF_MEASURE_PMU_HOLDER_H

#include <stdbool.h>

/**
 * struct pmu_holder - who has it, and what to do about it
 * @who: as the object of "in use by"
 * @remedy: an imperative
 */
struct pmu_holder {
	const char *who;
	const char *remedy;
};

/**
 * pmu_holder_of() - conclude who it must be
 * @asks_perf_counter: the system call that found it in use is perf_counter_open
 * @has_perf_counter: the kernel has that call
 *
 * Return: the holder.
 */
struct pmu_holder pmu_holder_of(bool asks_perf_counter, bool has_perf_counter);

/* Who has the PMU of this machine. */
struct pmu_holder pmu_holder(void);

#endif

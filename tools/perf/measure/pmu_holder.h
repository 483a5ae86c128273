/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subsystem that uses the PMU: perf_events and perf_counter never drive it at the same
 * time.
 */
#ifndef PERF_MEASURE_PMU_HOLDER_H
#define PERF_MEASURE_PMU_HOLDER_H

#include <stdbool.h>

/**
 * struct pmu_holder - the subsystem that uses the PMU, and a remedy
 * @who: name of the subsystem, for "in use by"
 * @remedy: advice, in the imperative
 */
struct pmu_holder {
	const char *who;
	const char *remedy;
};

/**
 * pmu_holder_of() - infer the subsystem that uses the PMU
 * @asks_perf_counter: perf_counter_open found the PMU in use
 * @has_perf_counter: the kernel has perf_counter_open
 *
 * Return: the subsystem and the remedy.
 */
struct pmu_holder pmu_holder_of(bool asks_perf_counter, bool has_perf_counter);

/**
 * pmu_holder_by_setting() - infer the subsystem that uses the PMU, from the sysctl
 * @setting: value of kernel.perf_counter_pmu
 * @holder: set to the subsystem and the remedy, if the setting is the reason
 *
 * Return: true if perf_counter may not use the PMU at all.
 */
bool pmu_holder_by_setting(long setting, struct pmu_holder *holder);

/* Return true if only users with CAP_PERFMON may use the PMU with perf_counter. */
bool pmu_needs_privilege(void);

/* Infer the subsystem that uses the PMU of this machine. */
struct pmu_holder pmu_holder(void);

#endif

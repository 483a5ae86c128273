// SPDX-License-Identifier: GPL-2.0
/*
 * Who has the PMU when opening a counter says that it is in use.
 *
 * Whoever asks is not told. But it can only be the other one of the two that
 * drive a PMU: the NMI watchdog, which counts with either, keeps nobody from it.
 */
#include "syscall.h"
#include "pmu_holder.h"

struct pmu_holder pmu_holder_of(bool asks_perf_counter, bool has_perf_counter)
{
	if (asks_perf_counter)
		return (struct pmu_holder){ "perf_events",
					    "end what counts with perf_event_open" };
	if (has_perf_counter)
		return (struct pmu_holder){ "perf_counter",
					    "end what counts with perf_counter_open" };
	return (struct pmu_holder){ "somebody else", "end other profilers" };
}

struct pmu_holder pmu_holder(void)
{
	return pmu_holder_of(syscall_is_perf_counter(), syscall_has_perf_counter());
}

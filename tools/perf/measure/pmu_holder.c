// SPDX-License-Identifier: GPL-2.0
/*
 * The subsystem that uses the PMU: perf_events and perf_counter never drive it at the same
 * time.
 *
 * The kernel does not report the user of a PMU that is busy. But it must be the other one of
 * the two subsystems: the NMI watchdog does not block either of them.
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

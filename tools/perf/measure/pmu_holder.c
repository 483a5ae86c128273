// SPDX-License-Identifier: GPL-2.0
/*
 * The subsystem that uses the PMU: perf_events and perf_counter never drive it at the same
 * time.
 *
 * When an open fails with EBUSY, the kernel does not say who uses the PMU. It must be the subsystem
 * that was not asked: the NMI watchdog does not block either of them.
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

/*
 * Read kernel.perf_counter_pmu: 0: no counters of the PMU, 1: CAP_PERFMON is needed, 2: all
 * users.
 */
static long pmu_setting(void)
{
	long setting;

	return syscall_is_perf_counter() && perf_sysctl("pmu", &setting) ? setting : 2;
}

bool pmu_holder_by_setting(long setting, struct pmu_holder *holder)
{
	if (setting)
		return false;
	*holder = (struct pmu_holder){ "perf_events alone, as kernel.perf_counter_pmu is 0",
				       "set it to 1 or 2" };
	return true;
}

bool pmu_needs_privilege(void)
{
	return pmu_setting() == 1;
}

struct pmu_holder pmu_holder(void)
{
	struct pmu_holder holder;

	if (pmu_holder_by_setting(pmu_setting(), &holder))
		return holder;
	return pmu_holder_of(syscall_is_perf_counter(), syscall_has_perf_counter());
}

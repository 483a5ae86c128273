// SPDX-License-Identifier: GPL-2.0
/*
 * Who is said to have the PMU.
 */
#include "pmu_holder.h"
#include "unit.h"

int main(void)
{
	struct pmu_holder holder;

	holder = pmu_holder_of(true, true, "1\n");
	check_string(holder.who, "the NMI watchdog", "the watchdog is on");
	check_string(holder.remedy, "run 'sysctl kernel.nmi_watchdog=0'", "it can be switched off");
	holder = pmu_holder_of(true, true, "0\n");
	check_string(holder.who, "perf_events", "it is off: another program's perf_event_open");
	holder = pmu_holder_of(true, true, NULL);
	check_string(holder.who, "perf_events", "there is none");
	holder = pmu_holder_of(false, true, "1\n");
	check_string(holder.who, "perf_counter",
		     "perf_event_open shares the PMU with the watchdog, not with perf_counter");
	holder = pmu_holder_of(false, false, "1\n");
	check_string(holder.who, "somebody else", "a kernel without perf_counter");
	return unit_finish();
}

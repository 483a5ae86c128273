// SPDX-License-Identifier: GPL-2.0
/* The program that is reported to use the PMU. */
#include "measure/pmu_holder.h"
#include "unit.h"

int main(void)
{
	struct pmu_holder holder;

	holder = pmu_holder_of(true, true);
	check_string(holder.who, "perf_events", "a PMU in use by perf_event_open is reported");
	check_string(holder.remedy, "end what counts with perf_event_open",
		     "the remedy is to end those programs");
	holder = pmu_holder_of(false, true);
	check_string(holder.who, "perf_counter", "for perf_event_open, perf_counter has the PMU");
	holder = pmu_holder_of(false, false);
	check_string(holder.who, "somebody else",
		     "without perf_counter, somebody else has the PMU");
	check(!pmu_holder_by_setting(1, &holder) && !pmu_holder_by_setting(2, &holder),
	      "a sysctl that admits counters of the PMU is no reason");
	check(pmu_holder_by_setting(0, &holder) &&
	      strstr(holder.who, "kernel.perf_counter_pmu is 0"),
	      "a sysctl that admits no counters of the PMU is named");
	check_string(holder.remedy, "set it to 1 or 2", "the remedy is to change the sysctl");
	return unit_finish();
}

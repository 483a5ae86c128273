// SPDX-License-Identifier: GPL-2.0
/*
 * Who is said to have the PMU.
 */
#include "measure/pmu_holder.h"
#include "unit.h"

int main(void)
{
	struct pmu_holder holder;

	holder = pmu_holder_of(true, true);
	check_string(holder.who, "perf_events", "the other call's programs");
	check_string(holder.remedy, "end what counts with perf_event_open", "which can be ended");
	holder = pmu_holder_of(false, true);
	check_string(holder.who, "perf_counter", "perf_event_open: perf_counter has it");
	holder = pmu_holder_of(false, false);
	check_string(holder.who, "somebody else", "a kernel without perf_counter");
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Who has the PMU when opening a counter says that it is in use.
 *
 * Whoever asks is not told. But it can only be the other one of the two that
 * drive a PMU, and of those who use perf_events the NMI watchdog, which is on by
 * default and never lets go, is by far the most likely.
 */
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "pmu_holder.h"
#include "util.h"

struct pmu_holder pmu_holder_of(bool asks_perf_counter, bool has_perf_counter,
				const char *nmi_watchdog)
{
	if (asks_perf_counter && nmi_watchdog && !strncmp(nmi_watchdog, "1", 1))
		return (struct pmu_holder){ "the NMI watchdog",
					    "run 'sysctl kernel.nmi_watchdog=0'" };
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
	char *watchdog = read_text_file("/proc/sys/kernel/nmi_watchdog", NULL);
	struct pmu_holder holder;

	holder = pmu_holder_of(abi_is_perf_counter(), abi_has_perf_counter(), watchdog);
	free(watchdog);
	return holder;
}

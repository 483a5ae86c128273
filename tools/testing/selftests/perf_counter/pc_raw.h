/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Readers of raw register values on x86: some libraries subtract two values of a counter's
 * register and ignore the offset in the user page. The difference has to be the number of events
 * between the two readings, whatever happened between them.
 */
#ifndef PC_RAW_H
#define PC_RAW_H

#include <stdbool.h>

#include <linux/perf_counter.h>

/*
 * Check the differences of register values while counters are disabled, reset, and moved to other
 * CPUs and registers. @attr describes a disabled counter of an event that pc_loop() causes, and
 * @cpus are CPUs on which the event counts. If @theirs is set, perf_events is checked before
 * perf_counter. Returns NULL, or a description of the first error.
 */
const char *pc_raw_check(const struct perf_counter_attr *attr, bool theirs, const int *cpus,
			 int nr_cpus);

#endif /* PC_RAW_H */

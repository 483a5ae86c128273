/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What KUnit tests of perf_counter need of an architecture.
 */
#ifndef _LINUX_PERF_COUNTER_TEST_H
#define _LINUX_PERF_COUNTER_TEST_H

#include <linux/types.h>

/**
 * struct perf_counter_test_nmis - a source of NMIs
 * @on: from here on, call the function in NMIs; false: there are none
 * @send: have one strike a CPU, unless one is under way to it already; by one CPU at a time
 *	for each target. NULL: they strike each CPU again and again by themselves
 * @off: no more; the function is not called after it has returned. False: an NMI that was
 *	sent never came
 *
 * @on and @off may sleep. A CPU is in the function once at a time.
 */
struct perf_counter_test_nmis {
	bool (*on)(void (*function)(void));
	void (*send)(unsigned int cpu);
	bool (*off)(void);
};

const struct perf_counter_test_nmis *perf_counter_test_nmis(void);

#endif /* _LINUX_PERF_COUNTER_TEST_H */

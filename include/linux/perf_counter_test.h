/* SPDX-License-Identifier: GPL-2.0 */
/* Support of the architecture for perf_counter's KUnit tests. */
#ifndef _LINUX_PERF_COUNTER_TEST_H
#define _LINUX_PERF_COUNTER_TEST_H

#include <linux/types.h>

/**
 * struct perf_counter_test_nmis - a source of NMIs
 * @on: start to call the function in NMIs; returns false if there is no source
 * @send: send an NMI to a CPU, unless one is on its way already; for one target, only one CPU at
 *	a time may call this. NULL: NMIs come to each CPU all the time
 * @off: stop the NMIs; the function is not called after the return. Returns false if an NMI that
 *	was sent never came
 *
 * @on and @off may sleep. The function does not nest on a CPU.
 */
struct perf_counter_test_nmis {
	bool (*on)(void (*function)(void));
	void (*send)(unsigned int cpu);
	bool (*off)(void);
};

const struct perf_counter_test_nmis *perf_counter_test_nmis(void);

#endif /* _LINUX_PERF_COUNTER_TEST_H */

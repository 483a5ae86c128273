// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU as the source of NMIs for KUnit tests on architectures without another one:
 * an in-kernel counter on each CPU overflows repeatedly, and its interrupt comes with
 * interrupts off, too.
 *
 * powerpc uses it. Another CPU could only send a system reset, which is fatal while the
 * registers of an interrupt are live (MSR[RI] is 0). The PMU's interrupt does not come
 * then.
 */

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/perf_counter_kernel.h>
#include <linux/perf_counter_test.h>

#include "test.h"

/* Period in instructions: a prime, so that it is no multiple of a loop's length. */
#define PMU_PERIOD	4999

static void (*pmu_function)(void);
static DEFINE_PER_CPU(struct perf_counter_desc *, pmu_desc);

/* Lift the rate limit of samples: these samples write no records. */
static void pmu_unlimited(void)
{
	struct perf_counter_budget *budget = this_cpu_ptr(&perf_counter_budget);

	budget->until = jiffies + HZ;
	budget->spent = 0;
}

static void pmu_overflow(struct perf_counter_desc *desc, const struct perf_counter_sample *sample,
			 struct pt_regs *regs)
{
	pmu_unlimited();
	pmu_function();
}

/* Close all counters that have been opened, and wait for overflows in progress. */
static bool pmu_off(void)
{
	struct perf_counter_desc *desc;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		desc = per_cpu(pmu_desc, cpu);
		if (!desc)
			continue;
		perf_counter_kernel_close(desc);
		per_cpu(pmu_desc, cpu) = NULL;
	}
	return true;
}

static bool pmu_on(void (*function)(void))
{
	const struct perf_counter_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.config		= PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period	= PMU_PERIOD,
		.pinned		= 1,
	};
	struct perf_counter_desc *desc;
	unsigned int cpu;

	pmu_function = function;
	for_each_online_cpu(cpu) {
		desc = perf_counter_kernel_open(&attr, NULL, cpu, pmu_overflow);
		if (IS_ERR(desc)) {
			pmu_off();
			return false;
		}
		per_cpu(pmu_desc, cpu) = desc;
	}
	return true;
}

static const struct perf_counter_test_nmis pmu_nmis = {
	.on	= pmu_on,
	.off	= pmu_off,
};

/**
 * perf_counter_test_nmis() - Get the source of NMIs
 *
 * Architectures with a better source define a function of the same name.
 *
 * Return: source of NMIs; without a PMU, its on() returns an error.
 */
const struct perf_counter_test_nmis * __weak perf_counter_test_nmis(void)
{
	return &pmu_nmis;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The value of a counter: its count, and its times.
 */

#include <linux/percpu.h>

#include "cgroup.h"
#include "desc.h"
#include "pmu.h"
#include "time.h"

DEFINE_PER_CPU(struct perf_counter_ctx, perf_counter_cpu_ctx);
#ifdef CONFIG_CGROUPS
DEFINE_PER_CPU(struct perf_counter_live_cgroups, perf_counter_live_cgroups);
#endif

/**
 * perf_counter_count() - Read what a counter has counted since its reset
 * @counter: the counter
 *
 * Context: ctx->lock held, or an event in the counter's context; any context for a counter whose
 * PMU has no @read.
 * Return: events, or ns of a clock.
 */
u64 perf_counter_count(struct perf_counter *counter)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;

	if (pmu->read)
		pmu->read(counter);
	return perf_counter_count_in_memory(counter);
}

/**
 * perf_counter_value_of() - Read the count and the times of a counter
 * @counter: the counter
 * @now: context time, ns
 * @value: filled in
 *
 * Context: ctx->lock held, or an event in the counter's context.
 */
void perf_counter_value_of(struct perf_counter *counter, u64 now, struct perf_counter_value *value)
{
	value->count = perf_counter_count(counter);
	perf_counter_times_of(counter, now, value);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The state and the times of a counter.
 *
 * A counter's times are differences of context times, which are not ticked: a counter
 * that is enabled for an hour costs nothing in that hour.
 */

#include "internal.h"

/**
 * perf_counter_count() - what a counter has counted since its reset
 * @counter: the counter
 *
 * Context: as perf_counter_value_of(); when its PMU has no read, any.
 * Return: events, or ns of a clock.
 */
u64 perf_counter_count(struct perf_counter *counter)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	u64 base;

	if (pmu->read)
		pmu->read(counter);
	/* The count after its base, which a reset sets to an earlier count. */
	base = smp_load_acquire(&counter->base);
	return local64_read(&counter->count) - base;
}

/**
 * perf_counter_value_of() - what a counter has counted
 * @counter: the counter
 * @now: context time
 * @value: filled in
 *
 * Context: ctx->lock held, or an event in the counter's context.
 */
void perf_counter_value_of(struct perf_counter *counter, u64 now, struct perf_counter_value *value)
{
	value->count = perf_counter_count(counter);
	value->enabled = counter->time_enabled;
	if (counter->group_enabled)
		value->enabled += perf_counter_since(now, counter->enabled_stamp);
	value->running = perf_counter_time_running(counter, now);
}

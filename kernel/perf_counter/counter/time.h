/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time and value of a counter.
 *
 * Context time advances while a context runs. The times of a counter are differences of context
 * times, so no timer has to update them.
 */
#ifndef _PERF_COUNTER_COUNTER_TIME_H
#define _PERF_COUNTER_COUNTER_TIME_H

#include <linux/minmax.h>
#include <linux/sched/clock.h>

#include "counter.h"
#include "ctx.h"

/**
 * struct perf_counter_value - a count with its times
 * @count: events, or ns of a clock
 * @enabled: time enabled, ns
 * @running: time in which the counter counted, ns
 */
struct perf_counter_value {
	u64	count;
	u64	enabled;
	u64	running;
};

static inline void perf_counter_value_add(struct perf_counter_value *sum,
					  const struct perf_counter_value *value)
{
	sum->count += value->count;
	sum->enabled += value->enabled;
	sum->running += value->running;
}

/* Read the clock that context time is derived from: the clock of this CPU, ns. NMI-safe. */
static inline u64 perf_counter_clock(void)
{
	return local_clock();
}

/* Compute the context time of a running context at @clock from its two clock fields. */
static inline u64 perf_counter_time_at(u64 clock, u64 clock_offset, u64 clock_frozen)
{
	/* The clock of another CPU may be a little late. */
	return max_t(s64, clock - clock_offset, clock_frozen);
}

/* Return the context time of a running context at @clock. Locking: see perf_counter_ctx_time(). */
static inline u64 perf_counter_ctx_time_at(struct perf_counter_ctx *ctx, u64 clock)
{
	return perf_counter_time_at(clock, READ_ONCE(ctx->clock_offset),
				    READ_ONCE(ctx->clock_frozen));
}

/*
 * Return the context time now. The caller holds ctx->lock, or is an event of the context: both
 * clock fields are set before live_cpu says that the context runs.
 */
static inline u64 perf_counter_ctx_time(struct perf_counter_ctx *ctx)
{
	if (READ_ONCE(ctx->live_cpu) < 0)
		return READ_ONCE(ctx->clock_frozen);
	return perf_counter_ctx_time_at(ctx, perf_counter_clock());
}

/* Return the time from @stamp to @now, or 0 if a clock of another CPU has set a later @stamp. */
static inline u64 perf_counter_since(u64 now, u64 stamp)
{
	return max_t(s64, now - stamp, 0);
}

/* Return the running time of @counter at context time @now, ns. ctx->lock held, or in an event. */
static inline u64 perf_counter_time_running(struct perf_counter *counter, u64 now)
{
	if (!counter->needs_load)
		return counter->times.enabled +
		       (counter->group_enabled ?
			perf_counter_since(now, counter->times.enabled_stamp) : 0);
	return counter->times.running +
	       (counter->loaded ? perf_counter_since(now, counter->times.run_stamp) : 0);
}

/* Write the times of @counter at context time @now to @value. ctx->lock held, or in an event. */
static inline void perf_counter_times_of(struct perf_counter *counter, u64 now,
					 struct perf_counter_value *value)
{
	value->enabled = counter->times.enabled;
	if (counter->group_enabled)
		value->enabled += perf_counter_since(now, counter->times.enabled_stamp);
	value->running = perf_counter_time_running(counter, now);
}

/*
 * Return the context time in an event of @counter. Return 0 if the counter is leaving its context:
 * its times are not used after that.
 */
static inline u64 perf_counter_event_time(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = READ_ONCE(counter->ctx);

	return ctx ? perf_counter_ctx_time(ctx) : 0;
}

/* Return the running time of @counter so far, in an event of the counter, ns. */
static inline u64 perf_counter_run_time(struct perf_counter *counter)
{
	return perf_counter_time_running(counter, perf_counter_event_time(counter));
}

/* Return what @counter has counted since its reset, if its PMU has no @read. Context: any. */
static inline u64 perf_counter_count_in_memory(const struct perf_counter *counter)
{
	/* Read the base before the count: the count then cannot be older than the base. */
	u64 base = smp_load_acquire(&counter->base);

	return local64_read(&counter->count) - base;
}

/* value.c */
u64 perf_counter_count(struct perf_counter *counter);
void perf_counter_value_of(struct perf_counter *counter, u64 now,
			   struct perf_counter_value *value);

#endif /* _PERF_COUNTER_COUNTER_TIME_H */

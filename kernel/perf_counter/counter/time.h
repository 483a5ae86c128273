/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time and value of a counter.
 *
 * Context time advances while a context runs. Nothing ticks: the times of a counter are
 * differences of context times.
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

/* The clock behind context time: this CPU's, in ns. NMI-safe. */
static inline u64 perf_counter_clock(void)
{
	return local_clock();
}

/* Context time of a running context at @clock, by the two fields of its clock. */
static inline u64 perf_counter_time_at(u64 clock, u64 clock_offset, u64 clock_frozen)
{
	/* The clock of another CPU may be a little behind. */
	return max_t(s64, clock - clock_offset, clock_frozen);
}

/* Context time of a running context at @clock. Locking: see perf_counter_ctx_time(). */
static inline u64 perf_counter_ctx_time_at(struct perf_counter_ctx *ctx, u64 clock)
{
	return perf_counter_time_at(clock, READ_ONCE(ctx->clock_offset),
				    READ_ONCE(ctx->clock_frozen));
}

/*
 * Context time now. Either ctx->lock is held, or the caller is an event of the context
 * itself: both fields of the clock are valid before live_cpu says that the context runs.
 */
static inline u64 perf_counter_ctx_time(struct perf_counter_ctx *ctx)
{
	if (READ_ONCE(ctx->live_cpu) < 0)
		return READ_ONCE(ctx->clock_frozen);
	return perf_counter_ctx_time_at(ctx, perf_counter_clock());
}

/* Context time from @stamp to @now, at least 0: a stamp by another CPU's clock may be ahead. */
static inline u64 perf_counter_since(u64 now, u64 stamp)
{
	return max_t(s64, now - stamp, 0);
}

/* Running time of @counter at context time @now, ns. ctx->lock held, or in an event. */
static inline u64 perf_counter_time_running(struct perf_counter *counter, u64 now)
{
	if (!counter->needs_load)
		return counter->time_enabled +
		       (counter->group_enabled ?
			perf_counter_since(now, counter->enabled_stamp) : 0);
	return counter->time_running +
	       (counter->loaded ? perf_counter_since(now, counter->run_stamp) : 0);
}

/*
 * Context time in an event of @counter; 0 when the counter is just leaving its context, which
 * ends the use of its times.
 */
static inline u64 perf_counter_event_time(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = READ_ONCE(counter->ctx);

	return ctx ? perf_counter_ctx_time(ctx) : 0;
}

/* Running time of @counter so far, in an event of the counter, ns. */
static inline u64 perf_counter_run_time(struct perf_counter *counter)
{
	return perf_counter_time_running(counter, perf_counter_event_time(counter));
}

/* value.c */
u64 perf_counter_count(struct perf_counter *counter);
void perf_counter_value_of(struct perf_counter *counter, u64 now,
			   struct perf_counter_value *value);

#endif /* _PERF_COUNTER_COUNTER_TIME_H */

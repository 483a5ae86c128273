// SPDX-License-Identifier: GPL-2.0
/*
 * Relates a count to another one: per second, per cycle, percent of all.
 */
#include "metric.h"

static bool is_hardware(const struct event *event, __u64 config)
{
	return event->attr.type == PERF_TYPE_HARDWARE && event->attr.config == config;
}

/* Return true if the event counts loads from a cache with @result (accesses or misses). */
static bool is_cache(const struct event *event, int result)
{
	return event->attr.type == PERF_TYPE_HW_CACHE &&
	       (event->attr.config & 0xff) < PERF_COUNT_HW_CACHE_MAX &&
	       event->attr.config >> 8 == (__u64)(PERF_COUNT_HW_CACHE_OP_READ | result << 8);
}

static bool same_modes(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest && a->exclude_idle == b->exclude_idle;
}

void metric_base_add(struct metric_base *base, const struct event *of, const struct event *event,
		     double count)
{
	/* If there are two clocks, counts are related to the first one. */
	if (event_is_clock(event)) {
		if (!base->clock)
			base->clock = count;
	} else if (!same_modes(&of->attr, &event->attr)) {
		return;
	} else if (is_hardware(event, PERF_COUNT_HW_CPU_CYCLES)) {
		base->cycles = count;
	} else if (is_hardware(event, PERF_COUNT_HW_BRANCH_INSTRUCTIONS)) {
		base->branches = count;
	} else if (is_hardware(event, PERF_COUNT_HW_CACHE_REFERENCES)) {
		base->cache_references = count;
	} else if (is_cache(event, PERF_COUNT_HW_CACHE_RESULT_ACCESS)) {
		base->cache_loads[event->attr.config] = count;
	}
}

static struct metric rate(double count, double ns)
{
	double per_second = count * 1e9 / ns;

	if (per_second >= 1e9)
		return (struct metric){ per_second / 1e9, "G/sec", 3, false, NULL };
	if (per_second >= 1e6)
		return (struct metric){ per_second / 1e6, "M/sec", 3, false, NULL };
	if (per_second >= 1e3)
		return (struct metric){ per_second / 1e3, "K/sec", 3, false, NULL };
	return (struct metric){ per_second, "/sec", 3, false, NULL };
}

static const char *const loads_of[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D]  = "of all L1-dcache accesses",
	[PERF_COUNT_HW_CACHE_L1I]  = "of all L1-icache accesses",
	[PERF_COUNT_HW_CACHE_LL]   = "of all LL-cache accesses",
	[PERF_COUNT_HW_CACHE_DTLB] = "of all dTLB cache accesses",
	[PERF_COUNT_HW_CACHE_ITLB] = "of all iTLB cache accesses",
	[PERF_COUNT_HW_CACHE_BPU]  = "of all branch accesses",
	[PERF_COUNT_HW_CACHE_NODE] = "of all node accesses",
};

struct metric metric_of(const struct metric_base *base, const struct event *event, double count)
{
	if (event->tool)
		return (struct metric){ 0 };
	if (event_is_clock(event) && base->wall)
		return (struct metric){ count / base->wall, "CPUs utilized", 3, false, NULL };
	if (event_is_off_cpu(&event->attr) && base->wall)
		return (struct metric){ count / base->wall, "tasks off CPU", 3, false, NULL };
	if (is_hardware(event, PERF_COUNT_HW_INSTRUCTIONS) && base->cycles)
		return (struct metric){ count / base->cycles, " insn per cycle", 2, false, NULL };
	if (is_hardware(event, PERF_COUNT_HW_BRANCH_MISSES) && base->branches)
		return (struct metric){ 100 * count / base->branches, "of all branches", 2, true,
					NULL };
	if (is_hardware(event, PERF_COUNT_HW_CACHE_MISSES) && base->cache_references)
		return (struct metric){ 100 * count / base->cache_references, "of all cache refs",
					2, true, NULL };
	if (is_cache(event, PERF_COUNT_HW_CACHE_RESULT_MISS) &&
	    base->cache_loads[event->attr.config & 0xff])
		return (struct metric){ 100 * count / base->cache_loads[event->attr.config & 0xff],
					loads_of[event->attr.config & 0xff], 2, true, NULL };
	if (!base->clock)
		return (struct metric){ 0 };
	if (is_hardware(event, PERF_COUNT_HW_CPU_CYCLES))
		return (struct metric){ count / base->clock, "GHz", 3, false, NULL };
	return rate(count, base->clock);
}

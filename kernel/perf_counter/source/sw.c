// SPDX-License-Identifier: GPL-2.0
/*
 * Software events: what the kernel counts itself. Nothing is done for their counters at
 * a context switch; an event finds them by its number, see context/event.c.
 */

#include "source.h"

/**
 * perf_counter_sw_attr_check() - does an attr ask for a software event, or a clock?
 * @attr: the checked attr
 *
 * Return: 0; -ENOENT when it does not; -EINVAL when it says more than there is to say
 * about either.
 */
int perf_counter_sw_attr_check(const struct perf_counter_attr *attr)
{
	if (attr->config > PERF_COUNT_SW_DUMMY && attr->config != PERF_COUNT_SW_OFF_CPU)
		return -ENOENT;
	if (attr->precise_ip || attr->bp_type || attr->config2 || attr->config3)
		return -EINVAL;
	return attr->config1 && attr->config != PERF_COUNT_SW_OFF_CPU ? -EINVAL : 0;
}

static int sw_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	int err = perf_counter_sw_attr_check(&desc->attr);

	if (err)
		return err;
	if (perf_counter_attr_is_clock(&desc->attr) || desc->attr.config == PERF_COUNT_SW_OFF_CPU)
		return -ENOENT;
	desc->event = desc->attr.config;
	return 0;
}

/* Events that the kernel raises. */
struct perf_counter_pmu perf_counter_sw_pmu = {
	.types		= BIT(PERF_TYPE_SOFTWARE),
	.event_init	= sw_event_init,
};

static int __init sw_init(void)
{
	return perf_counter_register_pmu(&perf_counter_sw_pmu);
}
core_initcall(sw_init);

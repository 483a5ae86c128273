// SPDX-License-Identifier: GPL-2.0
/*
 * Software events, which the kernel raises. A context switch does nothing for their
 * counters; an event finds its counters by its number, see context/sw_event.c.
 */

#include "source.h"

/**
 * perf_counter_sw_attr_check() - Check whether an attr names a software event or a
 * clock
 * @attr: attr that has passed the general checks
 *
 * Return: 0 if it does; -ENOENT if it names no such event; -EINVAL if it sets a field
 * that software events do not have.
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

/* PMU of the events that the kernel raises. */
struct perf_counter_pmu perf_counter_sw_pmu = {
	.types		= BIT(PERF_TYPE_SOFTWARE),
	.event_init	= sw_event_init,
};

static int __init sw_init(void)
{
	return perf_counter_register_pmu(&perf_counter_sw_pmu);
}
core_initcall(sw_init);

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a count means in terms of another: per second, per cycle, of all.
 */
#ifndef PERF_STAT_METRIC_H
#define PERF_STAT_METRIC_H

#include "measure/measure.h"

/**
 * struct metric_base - what counts are related to
 * @wall: how long was measured, in ns
 * @clock: CPU time counted, in ns; 0: not counted, and so on for the others
 * @cycles: cycles counted
 * @branches: branches counted
 * @cache_references: cache references counted
 * @cache_loads: loads counted, by cache (PERF_COUNT_HW_CACHE_L1D, ...)
 */
struct metric_base {
	double wall;
	double clock;
	double cycles;
	double branches;
	double cache_references;
	double cache_loads[PERF_COUNT_HW_CACHE_MAX];
};

/**
 * struct metric - what to say behind a count
 * @value: the number
 * @unit: what it is, or NULL when there is nothing to say
 * @digits: how many after the decimal point
 * @percent: the number is one of percent
 * @instead: why there is none, "<not counted>"; or NULL
 */
struct metric {
	double value;
	const char *unit;
	int digits;
	bool percent;
	const char *instead;
};

/**
 * metric_base_add() - add what a count contributes to the base
 * @base: the base
 * @of: the event that is to be related to it
 * @event: what was counted; if not a clock, it is taken into account if it was counted in
 *	the modes (user, kernel, ...) that @of was
 * @count: how much
 */
void metric_base_add(struct metric_base *base, const struct event *of, const struct event *event,
		     double count);

/* The metric of a count, given the base. */
struct metric metric_of(const struct metric_base *base, const struct event *event, double count);

#endif

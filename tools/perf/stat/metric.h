/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Relates a count to another one: per second, per cycle, percent of all.
 */
#ifndef PERF_STAT_METRIC_H
#define PERF_STAT_METRIC_H

#include "measure/measure.h"

/**
 * struct metric_base - the counts that other counts are related to; 0: not counted
 * @wall: measured time in ns
 * @clock: CPU time in ns
 * @cycles: number of cycles
 * @branches: number of branches
 * @cache_references: number of cache references
 * @cache_loads: number of loads for each cache (PERF_COUNT_HW_CACHE_L1D, ...)
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
 * struct metric - the number that is printed after a count
 * @value: number
 * @unit: unit and description, or NULL if there is no metric
 * @digits: number of digits after the decimal point
 * @percent: true if @value is in percent
 * @instead: text in the place of the number, "<not counted>"; or NULL
 */
struct metric {
	double value;
	const char *unit;
	int digits;
	bool percent;
	const char *instead;
};

/**
 * metric_base_add() - Add a count to the base
 * @base: base
 * @of: event that is related to the base
 * @event: event that was counted; it is ignored if its modes (user, kernel, ...) are not those
 *	of @of, unless it is a clock
 * @count: count of @event
 */
void metric_base_add(struct metric_base *base, const struct event *of, const struct event *event,
		     double count);

/* Relate the count of an event to the base. */
struct metric metric_of(const struct metric_base *base, const struct event *event, double count);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics with names: "ipc", "branch-miss-rate", "frontend-bound".
 */
#ifndef PERF_STAT_NAMED_METRIC_H
#define PERF_STAT_NAMED_METRIC_H

#include "measure/measure.h"
#include "metric.h"

/**
 * struct metric_formula - a formula for some processors
 * @pmus: processors, "PMU[,PMU...]" with libpfm's names; NULL: all processors
 * @text: formula
 * @source: document that has the formula
 */
struct metric_formula {
	const char *pmus;
	const char *text;
	const char *source;
};

/**
 * struct named_metric - a metric with a name
 * @name: name
 * @description: description
 * @formula: formula for this machine, or NULL
 * @missing: event that the formula needs and this machine lacks; NULL if there is no such event, or
 *	if there is no formula for this processor
 * @percent: true if the value is in percent
 * @first: index of the metric's first event in the list of events
 * @nr_events: number of events
 */
struct named_metric {
	const char *name;
	const char *description;
	const struct metric_formula *formula;
	char *missing;
	bool percent;
	size_t first;
	size_t nr_events;
};

/**
 * named_metric_get() - Describe a metric for this machine
 * @index: index of the metric, from 0
 * @metric: filled in; named_metric_free() frees it
 *
 * Return: False if there is no metric with this index.
 */
bool named_metric_get(size_t index, struct named_metric *metric);
void named_metric_free(struct named_metric *metric);

/* Return a formula of a metric by index, whatever its processors; NULL after the last formula. */
const struct metric_formula *named_metric_formula(size_t index, size_t formula);

/* The metrics of a command line. */
struct named_metrics {
	struct named_metric *metrics;
	size_t nr;
};

/**
 * named_metrics_add() - Add the metrics that the user names, and the events that they need
 * @metrics: receives the metrics
 * @events: receives the events, a group for each metric
 * @names: names that the user wrote, "NAME[,NAME...]"
 * @err: set to the reason if a metric cannot be measured, with the names of the available metrics
 *
 * Return: 0, or EXIT_FAILED with @err set.
 */
int named_metrics_add(struct named_metrics *metrics, struct event_list *events,
		      const char *names, struct error *err);
void named_metrics_free(struct named_metrics *metrics);

/* Return the metric whose first event has the index @event, or NULL. */
const struct named_metric *named_metrics_at(const struct named_metrics *metrics, size_t event);

/* The count of an event. */
struct metric_input {
	double value;
	struct count times;
	const char *instead;	/* reason if there is no value, "<not counted>"; or NULL */
};

/**
 * named_metric_value() - Calculate the value of a metric
 * @m: metric
 * @events: list with the metric's events
 * @inputs: counts of the metric's events, in the order of the formula
 *
 * A metric has no value if its counts are scaled and its counters are not a group: the counts are
 * then from different times.
 *
 * Return: The metric; @instead is set if it has no value.
 */
struct metric named_metric_value(const struct named_metric *m, const struct event_list *events,
				 const struct metric_input *inputs);

#endif

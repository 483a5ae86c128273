/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics that are asked for by name: "ipc", "branch-miss-rate", "frontend-bound".
 */
#ifndef PERF_STAT_NAMED_METRIC_H
#define PERF_STAT_NAMED_METRIC_H

#include "measure/measure.h"
#include "metric.h"

/**
 * struct metric_formula - how a metric is worked out
 * @pmus: of the processors that it is for, "PMU[,PMU...]" as libpfm calls them; NULL: of all
 * @text: the formula
 * @source: where it is from
 */
struct metric_formula {
	const char *pmus;
	const char *text;
	const char *source;
};

/**
 * struct named_metric - a metric
 * @name: its name
 * @description: what it says
 * @formula: how it is worked out on this machine; NULL: it cannot be
 * @missing: the event that it would need and this machine lacks; NULL: there is none, or no
 *	formula for this processor
 * @percent: it is one of percent
 * @first: of its events, index in the list that they were added to
 * @nr_events: how many they are
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
 * named_metric_get() - the metrics, one by one
 * @index: from 0
 * @metric: gets it, as this machine has it; to be freed with named_metric_free()
 *
 * Return: whether there is one of that index.
 */
bool named_metric_get(size_t index, struct named_metric *metric);
void named_metric_free(struct named_metric *metric);

/* All formulas of a metric, one by one; NULL behind the last. */
const struct metric_formula *named_metric_formula(size_t index, size_t formula);

/* Metrics that were asked for. */
struct named_metrics {
	struct named_metric *metrics;
	size_t nr;
};

/**
 * named_metrics_add() - add metrics that a user asks for, and their events
 * @metrics: gets the metrics
 * @events: gets the events, a group for each metric
 * @names: "NAME[,NAME...]"
 * @err: says which is not to be had, and what is
 *
 * Return: 0, or with @err set EXIT_FAILED.
 */
int named_metrics_add(struct named_metrics *metrics, struct event_list *events,
		      const char *names, struct error *err);
void named_metrics_free(struct named_metrics *metrics);

/* The metric whose first event that is, or NULL. */
const struct named_metric *named_metrics_at(const struct named_metrics *metrics, size_t event);

/* What has been counted of an event. */
struct metric_input {
	double value;
	struct count times;
	const char *instead;	/* "<not counted>": why there is no value */
};

/**
 * named_metric_value() - the number, or why there is none
 * @m: the metric
 * @events: its events are among these
 * @inputs: what was counted of its events, in their order
 *
 * Counts that were scaled are of different times, unless their counters were a group.
 *
 * Return: the metric, with @instead set where it has no value.
 */
struct metric named_metric_value(const struct named_metric *m, const struct event_list *events,
				 const struct metric_input *inputs);

#endif

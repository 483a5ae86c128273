/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparison of recordings: the histograms of one event, joined by the texts of their sort keys.
 *
 * Addresses differ from one build of a program to the next, so rows belong together if the texts of
 * their columns are equal.
 */
#ifndef PERF_REPORT_DIFF_H
#define PERF_REPORT_DIFF_H

#include "hist.h"

/* Ways to compare a recording with the baseline. */
enum diff_method {
	DIFF_DELTA,		/* difference of the percentages */
	DIFF_DELTA_ABS,		/* the same, in the order of its size */
	DIFF_RATIO,		/* quotient of the periods */
	DIFF_WEIGHTED,		/* difference of the periods, each with its weight */
};

/* The samples of a row in one recording. */
struct diff_cell {
	uint64_t period;
	uint64_t nr;
};

/**
 * struct diff_row - a row of the comparison
 * @node: node in the table, by @texts
 * @texts: text of each sort key
 * @cells: samples in each recording
 */
struct diff_row {
	struct hash_node node;
	char **texts;
	struct diff_cell *cells;
};

/**
 * struct diff_table - the comparison of one event
 * @event: name of the event
 * @keys: sort keys
 * @nr_recordings: number of recordings
 * @totals: sums of the periods of all samples, for each recording
 * @nr_samples: number of samples, for each recording
 * @rows: struct diff_row
 */
struct diff_table {
	char *event;
	const struct sort_keys *keys;
	size_t nr_recordings;
	uint64_t *totals;
	uint64_t *nr_samples;
	struct hash_table rows;
};

/* Prepare the comparison of an event. */
void diff_init(struct diff_table *table, const char *event, const struct sort_keys *keys,
	       size_t nr_recordings);

/* Add the histogram of a recording; it has the sort keys of the table. */
void diff_add(struct diff_table *table, size_t recording, const struct hist *hist);

/* Return the percentage of a row in a recording; 0 if the recording has no samples. */
double diff_percent(const struct diff_table *table, const struct diff_row *row, size_t recording);

/**
 * struct diff_options - method of a comparison, and its weights
 * @method: method
 * @base_weight: weight of the baseline, with DIFF_WEIGHTED
 * @new_weight: weight of the other recording, with DIFF_WEIGHTED
 */
struct diff_options {
	enum diff_method method;
	long base_weight;
	long new_weight;
};

/**
 * struct diff_value - a recording compared with the baseline
 * @known: true if there is a value: the recording has the row, and for a ratio the baseline does
 * @present: true if the recording has the row
 * @value: percentage points, a quotient, or a period
 */
struct diff_value {
	bool known;
	bool present;
	double value;
};

/* Compare a row of @recording with that of recording 0. */
struct diff_value diff_compare(const struct diff_table *table, const struct diff_options *options,
			       const struct diff_row *row, size_t recording);

/**
 * struct diff_noise - a row of several recordings of each side
 * @base: mean of the baseline: percentages, or periods with DIFF_RATIO and DIFF_WEIGHTED
 * @other: mean of the other side
 * @value: difference or ratio of the means, as the method says
 * @margin: half of the confidence interval around @value; for a ratio, the interval is from
 *	@value / @margin to @value * @margin
 * @known: true if there is a value; a ratio needs the row in all recordings
 * @significant: the interval does not contain equality
 */
struct diff_noise {
	double base;
	double other;
	double value;
	double margin;
	bool known;
	bool significant;
};

/**
 * diff_noise() - Compare several recordings of each side
 * @table: comparison
 * @options: method
 * @row: row
 * @nr_base: number of recordings of the baseline, the first ones; each side has at least 2
 * @confidence: probability that the interval contains the true difference
 *
 * Ratios are compared by the logarithms of the periods.
 *
 * Return: The result of Welch's t-test.
 */
struct diff_noise diff_noise(const struct diff_table *table, const struct diff_options *options,
			     const struct diff_row *row, size_t nr_base, double confidence);

/**
 * struct diff_renamed - a function whose file has another name on either side
 * @function: text of the function
 * @before: text of its file in the baseline
 * @after: text of its file in the other recordings
 */
struct diff_renamed {
	const char *function;
	const char *before;
	const char *after;
};

/**
 * diff_find_renamed() - Find a function that has two rows because its file has another name
 * @table: comparison
 * @nr_base: number of recordings of the baseline, the first ones
 * @found: set to a function with a large share of the samples of both sides; its texts are those of
 *	the table
 *
 * Return: True if there is such a function.
 */
bool diff_find_renamed(const struct diff_table *table, size_t nr_base, struct diff_renamed *found);

void diff_free(struct diff_table *table);

#endif

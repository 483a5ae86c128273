/* SPDX-License-Identifier: GPL-2.0 */
/* Mean and spread of a repeated measurement. */
#ifndef PERF_UTIL_SPREAD_H
#define PERF_UTIL_SPREAD_H

#include <stddef.h>

/**
 * struct spread - mean and spread of the values so far
 * @nr: number of values
 * @mean: mean of the values
 * @squares: sum of the squared distances from the mean
 */
struct spread {
	size_t nr;
	double mean;
	double squares;
};

void spread_add(struct spread *s, double value);

/* Return the standard deviation of the mean. */
double spread_of_mean(const struct spread *s);

/* Return the standard deviation of the mean in percent of the mean, or 0 if the mean is 0. */
double spread_percent(const struct spread *s);

#endif

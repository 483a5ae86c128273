/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mean and spread of a value that is measured again and again.
 */
#ifndef PERF_UTIL_SPREAD_H
#define PERF_UTIL_SPREAD_H

#include <stddef.h>

/**
 * struct spread - what is known about the values so far
 * @nr: how many there were
 * @mean: their mean
 * @squares: sum of the squared distances from the mean
 */
struct spread {
	size_t nr;
	double mean;
	double squares;
};

void spread_add(struct spread *s, double value);

/* Standard deviation of the mean: what repeating as often would change about it. */
double spread_of_mean(const struct spread *s);

/* The same in percent of the mean; 0 when the mean is. */
double spread_percent(const struct spread *s);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between two sets of measurements, and how far chance can explain them. */
#ifndef PERF_UTIL_STUDENT_H
#define PERF_UTIL_STUDENT_H

#include <stdbool.h>

#include "spread.h"

/**
 * student_quantile() - compute a quantile of Student's t-distribution
 * @freedom: degrees of freedom, greater than 0
 * @confidence: probability from 0 to 1, both excluded
 *
 * Return: the number that the absolute value of t exceeds with probability 1 - @confidence.
 */
double student_quantile(double freedom, double confidence);

/**
 * struct difference - the difference of two means
 * @mean: mean of the second set minus mean of the first one
 * @margin: half of the width of the confidence interval around @mean
 */
struct difference {
	double mean;
	double margin;
};

/**
 * welch_difference() - compare the means of two sets by Welch's t-test
 * @base: the first set, of at least two values
 * @other: the second set, of at least two values
 * @confidence: probability that the interval contains the difference of the true means
 *
 * The sets may have different variances and sizes. If neither varies, the margin is 0.
 *
 * Return: the difference.
 */
struct difference welch_difference(const struct spread *base, const struct spread *other,
				   double confidence);

/* Return true if the interval does not contain 0. */
bool difference_is_significant(struct difference difference);

#endif

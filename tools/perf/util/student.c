// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between two sets of measurements, by Welch's t-test.
 *
 * B. L. Welch, "The generalization of 'Student's' problem when several different population
 * variances are involved", Biometrika 34 (1947).
 */
#include <float.h>
#include <math.h>

#include "student.h"

/* Maximum number of terms of the continued fraction. */
#define TERMS_MAX 1000

/* Keep a divisor of the continued fraction away from 0. */
static double nonzero(double value)
{
	return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* Return a coefficient of the continued fraction of the incomplete beta function, from 1. */
static double coefficient(int i, double a, double b, double x)
{
	double m = i / 2;

	if (i % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
	return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

/*
 * Compute the continued fraction of the incomplete beta function, by the method of Lentz:
 * NIST Digital Library of Mathematical Functions, 8.17.22 and 3.10.
 */
static double fraction(double a, double b, double x)
{
	double value = 1, c = 1, d = 0, step;
	int i;

	for (i = 1; i <= TERMS_MAX; i++) {
		d = 1 / nonzero(1 + coefficient(i, a, b, x) * d);
		c = nonzero(1 + coefficient(i, a, b, x) / c);
		step = c * d;
		value *= step;
		if (fabs(step - 1) < 64 * DBL_EPSILON)
			break;
	}
	return value;
}

/* Compute the regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	/* The fraction converges fast on this side of the mean. */
	if (x > (a + 1) / (a + b + 2))
		return 1 - beta(b, a, 1 - x);
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
	return front / fraction(a, b, x);
}

double student_quantile(double freedom, double confidence)
{
	double low = 0, high = 1, middle;
	int i;

	/* The probability that the absolute value of t exceeds a number falls with the number. */
	while (beta(freedom / 2, 0.5, freedom / (freedom + high * high)) > 1 - confidence &&
	       high < 1e12)
		high *= 2;
	for (i = 0; i < 100; i++) {
		middle = (low + high) / 2;
		if (beta(freedom / 2, 0.5, freedom / (freedom + middle * middle)) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

struct difference welch_difference(const struct spread *base, const struct spread *other,
				   double confidence)
{
	struct difference difference = { .mean = other->mean - base->mean };
	double a = spread_of_mean(base), b = spread_of_mean(other);
	double squares = a * a + b * b, freedom;

	if (squares == 0)
		return difference;
	freedom = squares * squares /
		  (pow(a, 4) / (base->nr - 1) + pow(b, 4) / (other->nr - 1));
	difference.margin = student_quantile(freedom, confidence) * sqrt(squares);
	return difference;
}

bool difference_is_significant(struct difference difference)
{
	return fabs(difference.mean) > difference.margin;
}

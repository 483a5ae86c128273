// SPDX-License-Identifier: GPL-2.0
/* Student's t-distribution and Welch's t-test. */
#include <math.h>

#include "unit.h"
#include "util/student.h"
#include "util/util.h"

/* Values of the usual tables, rounded to three decimals. */
static void test_quantile(void)
{
	static const struct {
		double freedom, confidence, value;
	} known[] = {
		{ 1, 0.95, 12.706 }, { 2, 0.95, 4.303 }, { 3, 0.95, 3.182 }, { 4, 0.95, 2.776 },
		{ 5, 0.95, 2.571 }, { 10, 0.95, 2.228 }, { 30, 0.95, 2.042 },
		{ 120, 0.95, 1.980 }, { 1, 0.99, 63.657 }, { 4, 0.99, 4.604 }, { 10, 0.9, 1.812 },
		{ 1, 0.5, 1.000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		check(fabs(student_quantile(known[i].freedom, known[i].confidence) -
			   known[i].value) < 0.0006, "t(%g) of %g degrees of freedom is %g",
		      known[i].confidence, known[i].freedom, known[i].value);
	check(fabs(student_quantile(1e6, 0.95) - 1.960) < 0.0006,
	      "with many degrees of freedom, t is the normal distribution");
}

static struct spread spread_of(double a, double b, double c)
{
	struct spread spread = { 0 };

	spread_add(&spread, a);
	spread_add(&spread, b);
	spread_add(&spread, c);
	return spread;
}

/*
 * Each set has the variance 4, so the error of the difference is sqrt(4/3 + 4/3) = 1.63299, and
 * there are 4 degrees of freedom: 2.77645 * 1.63299 = 4.53390.
 */
static void test_welch(void)
{
	struct spread base = spread_of(50, 52, 54), other = spread_of(60, 62, 64);
	struct spread constant = spread_of(30, 30, 30), same = spread_of(51, 52, 53);
	struct difference d = welch_difference(&base, &other, 0.95);

	check(d.mean == 10 && fabs(d.margin - 4.5339) < 0.0001, "10 +- 4.5339");
	check(difference_is_significant(d), "is beyond noise");
	d = welch_difference(&base, &same, 0.95);
	check(d.mean == 0 && !difference_is_significant(d), "equal means are within noise");
	d = welch_difference(&constant, &constant, 0.95);
	check(d.margin == 0 && !difference_is_significant(d), "constant values do not differ");
	/*
	 * Only one set varies: 2 degrees of freedom, and the error is sqrt(4/3) = 1.15470:
	 * 4.30265 * 1.15470 = 4.96827.
	 */
	d = welch_difference(&constant, &base, 0.95);
	check(d.mean == 22 && fabs(d.margin - 4.96827) < 0.0001, "22 +- 4.96827");
}

int main(void)
{
	test_quantile();
	test_welch();
	return unit_finish();
}

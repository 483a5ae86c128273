// SPDX-License-Identifier: GPL-2.0
/*
 * Means and spreads computed by hand.
 */
#include "util/spread.h"
#include "unit.h"
#include "util/util.h"

int main(void)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct spread s = { 0 };
	size_t i;

	check_double(spread_of_mean(&s), 0, "without values there is no spread");
	spread_add(&s, 7);
	check_double(s.mean, 7, "one value is the mean");
	check_double(spread_of_mean(&s), 0, "one value has no spread");

	/*
	 * Mean 40/8; squared distances 9 1 1 1 0 0 4 16, sum 32; variance of the
	 * sample 32/7, of the mean 32/56 = 4/7.
	 */
	s = (struct spread){ 0 };
	for (i = 0; i < ARRAY_SIZE(values); i++)
		spread_add(&s, values[i]);
	check_double(s.mean, 5, "eight values have the mean");
	check_double(spread_of_mean(&s), sqrt(4.0 / 7), "eight values have the spread");
	check_double(spread_percent(&s), 20 * sqrt(4.0 / 7), "the spread is given in percent");

	/* A sum of squares would lose all digits here. */
	s = (struct spread){ 0 };
	spread_add(&s, 1e15);
	spread_add(&s, 1e15 + 2);
	check_double(s.mean, 1e15 + 1, "large values have the mean");
	check_double(spread_of_mean(&s), 1, "large values have the spread");

	s = (struct spread){ 0 };
	spread_add(&s, 0);
	spread_add(&s, 0);
	check_double(spread_percent(&s), 0, "a mean of 0 has no percentage");
	return unit_finish();
}

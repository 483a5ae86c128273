// SPDX-License-Identifier: GPL-2.0
/*
 * Mean and spread of a repeated measurement, by Welford's method (Knuth, The Art of Computer
 * Programming, volume 2, 4.2.2), which does not subtract large sums from one another.
 */
#include <math.h>

#include "spread.h"

void spread_add(struct spread *s, double value)
{
	double distance = value - s->mean;

	s->nr++;
	s->mean += distance / s->nr;
	s->squares += distance * (value - s->mean);
}

double spread_of_mean(const struct spread *s)
{
	if (s->nr < 2)
		return 0;
	return sqrt(s->squares / (s->nr - 1) / s->nr);
}

double spread_percent(const struct spread *s)
{
	return s->mean ? 100 * spread_of_mean(s) / s->mean : 0;
}

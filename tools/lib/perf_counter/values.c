// SPDX-License-Identifier: GPL-2.0
/* Arithmetic on counts. */
#include "internal.h"

void pc_add(struct pc_values *sum, const struct pc_values *values)
{
	unsigned int i;

	sum->nr = values->nr;
	sum->enabled += values->enabled;
	sum->running += values->running;
	for (i = 0; i < values->nr && i < PC_MAX; i++)
		sum->count[i] += values->count[i];
}

__u64 pc_scaled(const struct pc_values *values, unsigned int i)
{
	if (i >= values->nr || i >= PC_MAX || !values->running)
		return 0;
	if (values->running >= values->enabled)
		return values->count[i];
	return (long double)values->count[i] * values->enabled / values->running + 0.5L;
}

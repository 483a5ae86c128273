// SPDX-License-Identifier: GPL-2.0
/* Count the events of a piece of code, sorting, per execution. */
#include <stdio.h>
#include <stdlib.h>

#include <perf_counter.h>

#define ITEMS 1000
#define ROUNDS 100

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	struct pc_values values, sum = { 0 };
	struct pc_region region;
	struct pc_set *set;
	int items[ITEMS];
	unsigned int i;

	set = pc_open("instructions,cycles,branches");
	if (!set) {
		fprintf(stderr, "example: %s\n", pc_error());
		return 1;
	}
	pc_region_init(&region, set);

	for (int round = 0; round < ROUNDS; round++) {
		for (i = 0; i < ITEMS; i++)
			items[i] = rand() % 1000;
		pc_begin(&region);
		qsort(items, ITEMS, sizeof(items[0]), compare);
		pc_end(&region);
		if (pc_result(&region, &values)) {
			fprintf(stderr, "example: %s\n", pc_error());
			return 1;
		}
		pc_add(&sum, &values);
	}

	printf("sorting %d numbers takes\n", ITEMS);
	for (i = 0; i < pc_nr(set); i++)
		printf("%12llu %s\n", (unsigned long long)pc_scaled(&sum, i) / ROUNDS,
		       pc_name(set, i));
	if (sum.running < sum.enabled)
		printf("(seen %llu %% of the time)\n",
		       (unsigned long long)(100 * sum.running / sum.enabled));
	pc_close(set);
	return 0;
}

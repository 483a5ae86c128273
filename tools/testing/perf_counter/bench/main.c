// SPDX-License-Identifier: GPL-2.0
/*
 * The bench: measures every row of the table on perf_events and on perf_counter
 * and writes a line for each to standard output:
 *
 *   operation <TAB> perf_events <TAB> perf_counter
 *
 * It runs in a guest of one CPU whose TSC counts instructions; see README.rst.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "bench.h"

/* How often everything is measured, the side that goes first changing each time. */
#define PASSES	2

void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double measure(const struct row *row, const struct side *side)
{
	double base = 0, cost;

	counters_settle();
	if (row->base)
		base = row->base(row, side);
	counters_open(row, side);
	cost = row->cost(row, side);
	counters_close();
	return cost - base;
}

int main(int argc, char **argv)
{
	double costs[PASSES][2], best[2];
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		die("sched_setaffinity");
	setvbuf(stdout, NULL, _IOLBF, 0);
	operations_init();
	counters_settle_init();

	for (unsigned int i = 0; i < nr_rows; i++) {
		if (argc > 1 && !strstr(rows[i].name, argv[1]))
			continue;
		for (unsigned int pass = 0; pass < PASSES; pass++) {
			for (unsigned int turn = 0; turn < 2; turn++) {
				unsigned int side = turn ^ (pass & 1);

				costs[pass][side] = measure(&rows[i], &sides[side]);
			}
		}
		for (unsigned int side = 0; side < 2; side++) {
			best[side] = costs[0][side];
			for (unsigned int pass = 1; pass < PASSES; pass++)
				best[side] = costs[pass][side] < best[side] ? costs[pass][side] : best[side];
		}
		printf("%s\t%.0f\t%.0f\n", rows[i].name, best[0], best[1]);
	}
	return 0;
}

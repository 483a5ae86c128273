// SPDX-License-Identifier: GPL-2.0
/*
 * The bench: measures every row of the table on perf_events and on perf_counter and writes a
 * line for each to standard output:
 *
 *   operation <TAB> perf_events <TAB> perf_counter [<TAB> why it may cost more]
 *
 * The program runs in a guest of one CPU with a clock that counts instructions; see README.rst.
 * With an argument, only rows whose names contain it are measured. With --once, each figure is
 * measured once, in half the time. With --branches, only rows that record branches are
 * measured. --groups measures switches between control groups alone, on any kernel. --list prints
 * the names and measures nothing. --unused measures operations that contain hooks, without any
 * counter, on any kernel: operation <TAB> instructions.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "bench.h"

/* Passes over each row: the first begins with perf_events, the second with perf_counter. */
#define PASSES		2
static unsigned int passes = PASSES;

/* Relative difference of two passes above which the program prints a warning. */
#define TOLERANCE	0.02

void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double measure(const struct row *row, const struct side *side)
{
	double base = 0, cost;

	counters_settle();
	operations_count_registers(row->registers);
	if (row->base)
		base = row->base(row, side);
	counters_open(row, side);
	cost = row->cost(row, side);
	counters_close();
	operations_count_registers(false);
	/* The row has two records: return the cost of one. */
	if (row->munmap && side->has_own)
		return (cost - base) / 2;
	return cost - base;
}

/*
 * Measure a row in both subsystems. The result is the lowest figure of all passes, whose
 * figures should be equal.
 */
static void measure_row(const struct row *row)
{
	double cost[PASSES][2], best[2];

	for (unsigned int pass = 0; pass < passes; pass++) {
		for (unsigned int turn = 0; turn < 2; turn++) {
			unsigned int side = turn ^ (pass & 1);

			cost[pass][side] = measure(row, &sides[side]);
		}
	}
	for (unsigned int side = 0; side < 2; side++) {
		best[side] = fmin(cost[0][side], cost[passes - 1][side]);
		if (fabs(cost[0][side] - cost[passes - 1][side]) > TOLERANCE * best[side])
			fprintf(stderr, "bench: %s, %s: %.0f at first, then %.0f\n", row->name,
				sides[side].name, cost[0][side], cost[passes - 1][side]);
	}
	printf("%s\t%.0f\t%.0f", row->name, best[0], best[1]);
	printf(row->why ? "\t%s\n" : "\n", row->why);
}

/*
 * Let both subsystems take any number of samples. A sample that a limit refuses costs little: the
 * more samples a row refuses, the cheaper it seems. Rates cannot be set after the CPU time is
 * without limit.
 */
static void without_limits(void)
{
	write_to("/proc/sys/kernel/perf_event_max_sample_rate", "1000000000");
	write_to("/proc/sys/kernel/perf_counter_max_sample_rate", "1000000000");
	write_to("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	write_to("/proc/sys/kernel/perf_counter_cpu_time_max_percent", "0");
}

/* Measure operations of the kernel without counters. */
static void measure_unused(void)
{
	static const struct row none;

	for (unsigned int i = 0; i < nr_hooked; i++)
		printf("%s\t%.0f\n", hooked[i].name, hooked[i].cost(&none, NULL));
}

int main(int argc, char **argv)
{
	cpu_set_t cpu;
	bool unused, groups, branches = false;

	for (; argc > 1; argc--, argv++) {
		if (!strcmp(argv[1], "--once"))
			passes = 1;
		else if (!strcmp(argv[1], "--branches"))
			branches = true;
		else
			break;
	}
	if (argc > 1 && !strcmp(argv[1], "--list")) {
		for (unsigned int i = 0; i < nr_rows; i++)
			puts(rows[i].name);
		return 0;
	}

	unused = argc > 1 && !strcmp(argv[1], "--unused");
	groups = argc > 1 && !strcmp(argv[1], "--groups");
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		die("sched_setaffinity");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!unused && !groups && !registers_init())
		die("no PMU that counts accesses to its registers; see scripts/boot --help");
	operations_init();
	if (unused) {
		measure_unused();
		return 0;
	}
	counters_settle_init();
	if (groups) {
		groups_measure();
		return 0;
	}

	without_limits();
	for (unsigned int i = 0; i < nr_rows; i++) {
		if ((argc < 2 || strstr(rows[i].name, argv[1])) &&
		    !!(rows[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK) == branches)
			measure_row(&rows[i]);
	}
	return 0;
}

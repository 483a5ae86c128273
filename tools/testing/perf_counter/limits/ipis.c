// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the IPIs that an operation sends to the CPU of its counters. The program runs on CPU 1 and
 * operates on counters of CPU 0. Prints TAP, and in it a line for each row with the IPIs of both
 * subsystems.
 *
 * Other parts of the kernel send IPIs as well now and then, so each row is the least of several
 * rounds.
 */
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "limits.h"

#define ROUNDS	3
/* Number of IPIs that other parts of the kernel can send in all rounds together. */
#define NOISE	8

/* Return the number of function calls by IPI that CPU 0 has handled. */
static unsigned long ipis_so_far(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	unsigned long calls = 0;
	char line[4096];

	if (!file)
		die("/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " CAL: %lu", &calls) == 1)
			break;
	}
	fclose(file);
	return calls;
}

/*
 * Run a round in a process of its own; the end of the process closes the counters of the
 * row.
 */
static unsigned long round_of(const struct row *row, const struct side *side, unsigned long *ipis)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		unsigned long before;

		row->prepare(side, row->large);
		before = ipis_so_far();
		row->operate(side, row->large);
		*ipis = ipis_so_far() - before;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die(row->name);
	return *ipis;
}

static unsigned long measure(const struct row *row, const struct side *side, unsigned long *ipis)
{
	unsigned long least = -1UL, now;

	for (int i = 0; i < ROUNDS; i++) {
		now = round_of(row, side, ipis);
		if (now < least)
			least = now;
	}
	return least;
}

/*
 * perf_events calls a function by IPI for each counter, but sends no IPI while the previous call
 * is pending. So if perf_events sends IPIs, the limit is one IPI for each counter.
 */
static unsigned long limit(const struct row *row, unsigned long their)
{
	return NOISE + (their > NOISE ? row->large : their);
}

int count_ipis(const struct side *ours, const struct side *theirs)
{
	unsigned long *ipis = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int failed = 0;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(1, &cpu);
	if (ipis == MAP_FAILED || sched_setaffinity(0, sizeof(cpu), &cpu))
		die("two CPUs");
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", nr_ipi_rows);
	for (unsigned int i = 0; i < nr_ipi_rows; i++) {
		const struct row *row = &ipi_rows[i];
		unsigned long our = measure(row, ours, ipis), their = measure(row, theirs, ipis);
		bool well = our <= limit(row, their);

		printf("# %s: %u: perf_counter %lu, perf_events %lu\n", row->name, row->large, our,
		       their);
		printf("%s %u IPIs: %s\n", well ? "ok" : "not ok", i + 1, row->name);
		failed |= !well;
	}
	return failed;
}

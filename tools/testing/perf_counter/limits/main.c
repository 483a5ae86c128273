// SPDX-License-Identifier: GPL-2.0
/*
 * The limits program: measures each row at two sizes, and writes a line for each measurement to
 * standard output:
 *
 *   row <TAB> subsystem <TAB> size <TAB> interrupts off <TAB> wait <TAB> sum <TAB> calls <TAB>
 *   begin <TAB> end
 *
 * "calls" is "one", or "many" if the row makes as many system calls as its size. "begin" and "end"
 * are the addresses where the longest stretch with interrupts off began and ended. perf_events is
 * measured only where perf_counter exceeds a limit. A row that exceeds a limit at its smaller size
 * is not measured at its larger size, because that could take hours, except with --limits.
 *
 * With arguments, only rows whose names contain one of them are measured. --both measures
 * perf_events in every row. --limits takes the largest sizes that a user has. --divide N divides
 * all sizes by N. --list prints the names of the rows. --ipis counts IPIs instead, see ipis.c.
 *
 * Except with --ipis, run the program in a guest of one CPU whose clock counts instructions; see
 * README.rst.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "limits.h"

/* Limits in instructions. The script "report" has equal numbers; README.rst has the reasons. */
#define IRQS_OFF_LIMIT	1000000
#define WAIT_LIMIT	10000000

/* Maximum number of measurements of perf_counter while a figure exceeds a limit. */
#define TRIES		3

/* An operation of more instructions than this is measured only once, because it takes minutes. */
#define LONG_SUM	5000000000ULL

static const struct side ours = { "perf_counter", 900, true };
static const struct side theirs = { "perf_events", __NR_perf_event_open, false };

struct options {
	bool		both;
	bool		limits;
	unsigned int	divisor;
};

void die(const char *what)
{
	fprintf(stderr, "limits: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The result of a measurement, in memory that a child shares with its parent. */
static struct figures *figures;

static void print(const struct row *row, const struct side *side, unsigned int size,
		  const struct figures *least)
{
	printf("%s\t%s\t%u\t%llu\t%llu\t%llu\t%s\t%llx\t%llx\n", row->name, side->name, size,
	       (unsigned long long)least->irqs_off, (unsigned long long)least->wait,
	       (unsigned long long)least->sum, row->many ? "many" : "one",
	       (unsigned long long)least->begin, (unsigned long long)least->end);
}

/*
 * Measure in a process of its own; the end of the process closes the counters of the row.
 */
static void measure_once(const struct row *row, const struct side *side, unsigned int size)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		/*
		 * Call both functions once before the row, so that it does not include the
		 * page faults of their memory.
		 */
		measure_begin();
		measure_end(figures);
		row->prepare(side, size);
		measure_begin();
		row->operate(side, size);
		measure_end(figures);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "limits: '%s' of %u on %s ended with 0x%x\n", row->name, size,
			side->name, status);
		exit(1);
	}
}

static bool exceeds(const struct figures *of)
{
	return of->irqs_off > IRQS_OFF_LIMIT || of->wait > WAIT_LIMIT;
}

static void keep_least(struct figures *least)
{
	if (figures->irqs_off < least->irqs_off) {
		least->irqs_off = figures->irqs_off;
		least->begin = figures->begin;
		least->end = figures->end;
	}
	if (figures->wait < least->wait)
		least->wait = figures->wait;
	if (figures->sum < least->sum)
		least->sum = figures->sum;
}

/*
 * Measure the row at one size and print the figures. Return true if one exceeds a limit.
 *
 * A tick or a kernel thread that runs during the operation adds to the figures: a switch to it
 * stops all counters of the task. So a row that exceeds a limit is measured again, and the least
 * of each figure counts. perf_events is measured once.
 */
static bool measure(const struct row *row, const struct side *side, unsigned int size)
{
	struct figures least;

	measure_once(row, side, size);
	least = *figures;
	for (unsigned int i = 1; side->ours && i < TRIES && exceeds(&least) &&
	     least.sum < LONG_SUM; i++) {
		measure_once(row, side, size);
		keep_least(&least);
	}
	print(row, side, size, &least);
	return exceeds(&least);
}

static void measure_row(const struct row *row, const struct options *options)
{
	unsigned int small = row->small / options->divisor;
	unsigned int large = options->limits && row->limit ? row->limit : row->large;
	bool exceeding;

	exceeding = measure(row, &ours, small);
	large /= options->divisor;
	if (!exceeding || options->limits)
		exceeding = measure(row, &ours, large);
	else
		large = small;
	if (!row->only_ours && (exceeding || options->both))
		measure(row, &theirs, large);
}

/* True if the words name the row. Without words, every row is named. */
static bool is_named(const struct row *row, char **words)
{
	if (!*words)
		return true;
	for (; *words; words++) {
		if (strstr(row->name, *words))
			return true;
	}
	return false;
}

static void list(void)
{
	for (unsigned int i = 0; i < nr_rows; i++)
		puts(rows[i].name);
}

static void allow_files(void)
{
	struct rlimit files = { 20000, 20000 };

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
}

static void init(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		die("sched_setaffinity");
	allow_files();
	figures = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (figures == MAP_FAILED)
		die("mmap");
	setvbuf(stdout, NULL, _IOLBF, 0);
	measure_init();
}

int main(int argc, char **argv)
{
	struct options options = { .divisor = 1 };

	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		if (!strcmp(argv[1], "--after-exec")) {
			return after_exec();
		} else if (!strcmp(argv[1], "--list")) {
			list();
			return 0;
		} else if (!strcmp(argv[1], "--ipis")) {
			allow_files();
			return count_ipis(&ours, &theirs);
		} else if (!strcmp(argv[1], "--both")) {
			options.both = true;
		} else if (!strcmp(argv[1], "--limits")) {
			options.limits = true;
			mappings_counters = MANY_COUNTERS;
		} else if (!strcmp(argv[1], "--divide") && argc > 2) {
			options.divisor = atoi(argv[2]);
			argc--, argv++;
		}
	}
	init();
	for (unsigned int i = 0; i < nr_rows; i++) {
		if (is_named(&rows[i], argv + 1))
			measure_row(&rows[i], &options);
	}
	return 0;
}

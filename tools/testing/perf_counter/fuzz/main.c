// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of perf_counter's calls. This file has the supervisor: it starts the workers,
 * restarts those that a program has killed, follows the kernel's log, and reports the result.
 * Run it as root in a guest: it changes sysctls, and switches CPUs off.
 *
 * Usage: fuzz [-w WORKERS] [-c CALLS] [-t SECONDS] [-s SEED] [-o CORPUS] [-b BLOCKS] [FILE...]
 *
 * The programs in FILEs run first. The programs that have reached new blocks are written to
 * CORPUS, and the addresses of all reached blocks to BLOCKS. The fuzzer ends after CALLS or
 * SECONDS, or, without both, when the programs of the FILEs have run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

/* A worker hangs if one call lasts while the others make so many calls in so many seconds. */
#define HUNG_CALLS	50000
#define HUNG_SECONDS	60
/*
 * Seconds for which programs can continue after the end of the run; fewer if the kernel has
 * reported a problem.
 */
#define END_SECONDS	300
#define END_SECONDS_IN_TROUBLE	20

struct shared *shared;
unsigned int nr_workers = 4;
bool only_given;
char self_path[4096];

static u64 max_calls, max_seconds, seed = 1;
static const char *corpus_file, *blocks_file;
static bool in_trouble;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void print_programs(void)
{
	for (unsigned int i = 0; i < nr_workers; i++) {
		struct recent *recent = &shared->recent[i];
		unsigned int runs = recent->runs;

		for (unsigned int j = runs > RECENT ? runs - RECENT : 0; j < runs; j++) {
			printf("# worker %u (pid %d), its program %u%s\n", i,
			       (int)shared->pids[i], j, j == runs - 1 ? ", the last one" : "");
			program_print(&recent->programs[j % RECENT], stdout);
		}
	}
	fflush(stdout);
}

static void trouble(const char *what)
{
	/* Later reports mostly have the same cause. */
	if (in_trouble)
		return;
	in_trouble = true;
	printf("# seed %llu, after %llu calls: %s\n", (unsigned long long)seed,
	       (unsigned long long)shared->calls, what);
	print_programs();
}

/* === The kernel's log === */

static int log_fd = -1;

static void open_log(void)
{
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(log_fd, 0, SEEK_END);
}

/*
 * Return whether a line of the log may report an error that a program has caused.
 * scripts/check-log decides finally, and only it knows which data races are in our functions.
 */
static bool is_suspicious(const char *line)
{
	static const char *const signs[] = {
		"BUG: ", "WARNING: ", "Oops", "general protection", "UBSAN: ", "ODEBUG: ",
		"corruption", "lockup", "INFO: task", "INFO: rcu", "INFO: trying",
		"INFO: possible", "refcount_t: ", "inconsistent lock",
		"possible recursive", "invalid opcode",
	};

	/* This is a problem only if a task is listed later. */
	if (strstr(line, "sched_cpu_dying"))
		return false;
	for (unsigned int i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(line, signs[i]))
			return true;
	return false;
}

static void follow_log(void)
{
	char line[8192], *text;
	ssize_t n;

	for (;;) {
		n = read(log_fd, line, sizeof(line) - 1);
		/* EPIPE: lines were lost before they could be read. */
		if (n < 0 && errno != EPIPE)
			return;
		if (n <= 0)
			continue;
		line[n] = 0;
		line[strcspn(line, "\n")] = 0;
		text = strchr(line, ';');
		if (!text || !is_suspicious(text + 1))
			continue;
		trouble(text + 1);
		if (!strstr(text, "KCSAN"))
			shared->stop = true;
		in_trouble = shared->stop;
	}
}

/* === Workers === */

static u64 lives[WORKERS_MAX];	/* number of starts of each worker */

static void start_worker(unsigned int nr)
{
	pid_t pid = fork();

	if (!pid)
		worker_run(nr, seed * 0x9e3779b97f4a7c15ULL + nr + (lives[nr] << 8));
	lives[nr]++;
	shared->pids[nr] = pid;
}

/* Reap workers that a program has killed. If a worker cannot start, the fuzzer ends. */
static void reap_workers(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned int i = 0; i < nr_workers; i++) {
			if (shared->pids[i] != pid)
				continue;
			shared->pids[i] = 0;
			if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
				in_trouble = true;
				shared->stop = true;
			}
			if (!shared->stop)
				start_worker(i);
		}
	}
}

static bool workers_live(void)
{
	for (unsigned int i = 0; i < nr_workers; i++)
		if (shared->pids[i] > 0)
			return true;
	return false;
}

/*
 * Return whether a call of a worker hangs. The progress of the other workers is the
 * measure, because on a slow machine all are slow.
 */
static bool one_hangs(void)
{
	static struct {
		u64 own, all;
		double since;
	} seen[WORKERS_MAX];
	char what[100];

	for (unsigned int i = 0; i < nr_workers; i++) {
		u64 own = shared->calls_of[i] + lives[i];

		if (own != seen[i].own || !seen[i].since) {
			seen[i].own = own;
			seen[i].all = shared->calls;
			seen[i].since = now();
		} else if (shared->calls - seen[i].all > HUNG_CALLS &&
			   now() - seen[i].since > HUNG_SECONDS) {
			snprintf(what, sizeof(what), "worker %u (pid %d) hangs", i,
				 (int)shared->pids[i]);
			trouble(what);
			return true;
		}
	}
	return false;
}

static bool is_over(double began)
{
	if (max_calls && shared->calls >= max_calls)
		return true;
	if (max_seconds && now() - began >= max_seconds)
		return true;
	return only_given && shared->next_given >= shared->nr_given + nr_workers;
}

static void print_counts(const char *when)
{
	printf("# %llu calls, %llu programs, %llu counters opened, %llu CPUs came or went, ",
	       (unsigned long long)shared->calls, (unsigned long long)shared->programs,
	       (unsigned long long)shared->opened, (unsigned long long)shared->hotplugs);
	printf("%llu blocks, %u programs kept%s\n", (unsigned long long)shared->blocks,
	       (unsigned int)shared->nr_corpus, when);
	fflush(stdout);
}

static void show_progress(void)
{
	static double shown;
	static u64 calls;

	/* Print a sign of life, only if there was progress. */
	if (now() - shown < 10 || shared->calls == calls)
		return;
	shown = now();
	calls = shared->calls;
	print_counts(", so far");
}

/* Supervise the workers until the end. Returns true when every call has returned. */
static bool supervise(void)
{
	double began = now(), stopped = 0, patience;
	bool hung = false;

	for (unsigned int i = 0; i < nr_workers; i++)
		start_worker(i);
	while (workers_live() && !hung) {
		usleep(100000);
		follow_log();
		reap_workers();
		show_progress();
		hung = one_hangs();
		if (is_over(began))
			shared->stop = true;
		if (shared->stop && !stopped)
			stopped = now();
		/* After an oops, parts of a worker's process may never end. */
		patience = in_trouble ? END_SECONDS_IN_TROUBLE : END_SECONDS;
		if (stopped && now() - stopped > patience) {
			trouble("a program does not end");
			hung = true;
		}
	}
	for (unsigned int i = 0; hung && i < nr_workers; i++)
		kill(shared->pids[i], SIGKILL);
	follow_log();
	return !hung;
}

/* === Files === */

static void read_files(char **names)
{
	for (; *names; names++) {
		FILE *f = fopen(*names, "re");
		int n;

		if (!f) {
			fprintf(stderr, "fuzz: %s: %s\n", *names, strerror(errno));
			exit(2);
		}
		n = programs_read(f, *names, shared->given + shared->nr_given,
				  CORPUS_MAX - shared->nr_given);
		fclose(f);
		if (n < 0)
			exit(2);
		shared->nr_given += n;
	}
}

static FILE *create(const char *name)
{
	FILE *f = fopen(name, "we");

	if (!f) {
		fprintf(stderr, "fuzz: %s: %s\n", name, strerror(errno));
		exit(2);
	}
	return f;
}

static void write_corpus(void)
{
	FILE *f = create(corpus_file);

	for (unsigned int i = 0; i < shared->nr_corpus; i++)
		if (shared->ready[i])
			program_print(&shared->corpus[i], f);
	fclose(f);
}

static void write_blocks(void)
{
	FILE *f = create(blocks_file);

	for (u64 at = 0; at < COVER_BYTES; at++)
		if (shared->seen[at / 8] >> at % 8 & 1)
			fprintf(f, "%llx\n", (unsigned long long)(COVER_BASE + at));
	fclose(f);
}

/* Check that perf_counter still works: touch pages and count the page faults. */
static bool counts_afterwards(void)
{
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.size = sizeof(attr), .disabled = 1,
	};
	int fd = syscall(__NR_perf_counter_open, &attr, 0, -1, -1, 0);
	size_t size = 40 * 4096;
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 count;

	if (fd < 0 || area == MAP_FAILED)
		return false;
	madvise(area, size, MADV_NOHUGEPAGE);
	ioctl(fd, PERF_COUNTER_IOC_ENABLE, 0);
	for (size_t at = 0; at < size; at += 4096)
		store(area + at, 1);
	ioctl(fd, PERF_COUNTER_IOC_DISABLE, 0);
	return read(fd, &count, sizeof(count)) == sizeof(count) && count == 40;
}

static void parse_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "w:c:t:s:o:b:")) != -1) {
		switch (option) {
		case 'w':
			nr_workers = strtoul(optarg, NULL, 0);
			if (!nr_workers || nr_workers > WORKERS_MAX)
				exit(2);
			break;
		case 'c':
			max_calls = strtoull(optarg, NULL, 0);
			break;
		case 't':
			max_seconds = strtoull(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			corpus_file = optarg;
			break;
		case 'b':
			blocks_file = optarg;
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	bool came_back, counts;
	ssize_t n;

	n = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
	if (n < 0)
		return 2;
	if (argc > 1 && !strcmp(argv[1], WORK_ARG))
		return work_main(argc, argv);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	parse_options(argc, argv);
	only_given = !max_calls && !max_seconds;
	read_files(argv + optind);
	printf("TAP version 13\n# seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	/* The supervisor reaps children of workers that have ended. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	open_log();
	world_prepare();
	came_back = supervise();
	/* A hanging call may hold a lock that world_restore() needs. */
	if (came_back)
		world_restore();
	counts = came_back && counts_afterwards();
	if (corpus_file)
		write_corpus();
	if (blocks_file)
		write_blocks();
	print_counts("");
	printf("%sok 1 - every call comes back\n", came_back ? "" : "not ");
	printf("%sok 2 - the kernel has nothing to complain about\n", in_trouble ? "not " : "");
	printf("%sok 3 - a counter counts afterwards\n1..3\n", counts ? "" : "not ");
	return !came_back || in_trouble || !counts;
}

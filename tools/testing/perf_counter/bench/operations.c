// SPDX-License-Identifier: GPL-2.0
/*
 * The operations: how many instructions one takes.
 *
 * Most operations are the same instructions every time, but for what happens
 * to fall into them: a timer tick, a full page table, an empty list of free
 * pages. So each is timed by itself, and the lower quartile is what it costs.
 *
 * Opening and closing leave work behind that is done later, by RCU and by
 * workers. That work is part of the cost, so there the time of a long run
 * counts, divided by the operations in it, less the share of the timer ticks
 * and less the time in which nobody had anything to do: the TSC goes on while
 * the CPU is idle, and waiting is not work.
 */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "bench.h"

/* Operations that are timed one by one; operations and batches of a long run. */
#define SINGLES		400
#define SINGLES_QUICK	50
#define SINGLE_FORKS	200
#define BATCH		200
#define MAPPINGS	20
#define BATCHES		5

/* Data pages of the buffer that is mapped and unmapped. */
#define MAPPED_PAGES	64

/* Functions that the one with the page faults is called by, at least. */
#define FRAMES		8

/* After so many, a fork costs what all others will. */
#define FORKS_TO_WARM_UP	1500

/* Instructions of the loop that finds out what the ticks take: 25 ticks at 250 Hz. */
#define SPIN		100000000UL

/* Between two looks at the TSC, an idler that runs takes fewer instructions than this. */
#define IDLE_STEP	100

static unsigned int singles = SINGLES;
static uint64_t samples[SINGLES];

/* The part of all instructions that is not spent on timer ticks. */
static double without_ticks;

/* Instructions that the idler has used up. */
static volatile uint64_t *idle;

static uint64_t now(void)
{
	uint64_t tsc;

	__asm__ __volatile__("rdtsc; shl $32, %%rdx; or %%rdx, %%rax"
			     : "=a" (tsc) : : "rdx", "memory");
	return tsc;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of the samples in order, the one at @nr / @part. */
static double quantile(unsigned int nr, unsigned int part)
{
	qsort(samples, nr, sizeof(*samples), compare);
	return samples[nr / part];
}

/* Time @operation, one after the other, @nr times, after half as many to warm up. */
#define COST_OF(nr, operation)							\
({										\
	for (unsigned int i_ = 0; i_ < (nr) / 2; i_++)			\
		operation;							\
	for (unsigned int i_ = 0; i_ < (nr); i_++) {				\
		uint64_t start_ = now();					\
										\
		operation;							\
		samples[i_] = now() - start_;					\
	}									\
	quantile(nr, 4);							\
})

/* A task that runs when no other wants to, and says for how long. */
static pid_t start_idler(void)
{
	const struct sched_param none = { 0 };
	uint64_t last, next;
	pid_t idler = fork();

	if (idler < 0)
		die("fork");
	if (idler)
		return idler;
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		_exit(1);
	for (last = now();; last = next) {
		next = now();
		if (next - last < IDLE_STEP)
			*idle += next - last;
	}
}

static void stop_idler(pid_t idler)
{
	kill(idler, SIGKILL);
	waitpid(idler, NULL, 0);
}

/* Time @operation @nr times in one go, and that BATCHES times. */
#define MEAN_OF(nr, operation)							\
({										\
	pid_t idler_ = start_idler();						\
	double mean_;								\
										\
	operation;								\
	for (unsigned int b_ = 0; b_ < BATCHES; b_++) {				\
		uint64_t start_ = now(), idle_ = *idle;				\
										\
		for (unsigned int i_ = 0; i_ < (nr); i_++)			\
			operation;						\
		samples[b_] = (now() - start_) * without_ticks - (*idle - idle_); \
	}									\
	mean_ = quantile(BATCHES, 2) / (nr);					\
	stop_idler(idler_);							\
	mean_;									\
})

/* A system call that does nothing. */
double cost_nothing(const struct row *row, const struct side *side)
{
	return COST_OF(singles, syscall(SYS_getppid));
}

double cost_read(const struct row *row, const struct side *side)
{
	int fd = counters_first();
	uint64_t values[3 + 2 * COUNTERS_MAX];

	return COST_OF(singles, syscall(SYS_read, fd, values, sizeof(values)));
}

double cost_open_close(const struct row *row, const struct side *side)
{
	return MEAN_OF(BATCH, close(counter_open(row, side, -1)));
}

static void disable_enable(int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("ioctl");
}

double cost_disable_enable(const struct row *row, const struct side *side)
{
	int fd = counters_first();

	return COST_OF(singles, disable_enable(fd));
}

/* A buffer is there to be read: its first look at a page may cost a fault, or not. */
static void map_read_unmap(int fd)
{
	struct perf_event_mmap_page *buffer = counter_map(fd, MAPPED_PAGES);

	for (unsigned int i = 0; i <= MAPPED_PAGES; i++)
		(void)*((volatile char *)buffer + i * 4096UL);
	counter_unmap(buffer, MAPPED_PAGES);
}

double cost_map_unmap(const struct row *row, const struct side *side)
{
	int fd = counters_first();

	return MEAN_OF(MAPPINGS, map_read_unmap(fd));
}

static void pass_on(int from, int to)
{
	char byte;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		_exit(0);
}

static void there_and_back(int to, int from)
{
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		die("pipe");
}

/*
 * A byte goes to another task and comes back: two switches. The other task is
 * a child, so it has the inherited counters, and only those.
 */
double cost_switch(const struct row *row, const struct side *side)
{
	int there[2], back[2];
	double cost;
	pid_t child;

	if (pipe(there) || pipe(back))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		close(there[1]);
		for (;;)
			pass_on(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	cost = COST_OF(singles, there_and_back(there[1], back[0])) / 2;
	close(there[1]);
	close(back[0]);
	waitpid(child, NULL, 0);
	return cost;
}

static void fork_exit_wait(void)
{
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

double cost_fork(const struct row *row, const struct side *side)
{
	return COST_OF(SINGLE_FORKS, fork_exit_wait());
}

/* The first write to a page of new memory. */
static double time_faults(const struct row *row, const struct side *side)
{
	size_t size = 2 * SINGLES * 4096UL;
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = counters_value();
	char *start = page;
	double cost;

	if (page == MAP_FAILED)
		die("mmap");
	cost = COST_OF(singles, (*(volatile char *)page = 1, page += 4096));
	counters_check_faults(row, side, before, (page - start) / 4096);
	munmap(start, size);
	return cost;
}

static __attribute__((noinline)) double in_frames(const struct row *row, const struct side *side,
						  unsigned int frames)
{
	double cost = frames ? in_frames(row, side, frames - 1) : time_faults(row, side);

	/* No tail call: each of them has a frame. */
	__asm__ __volatile__("" : : : "memory");
	return cost;
}

__attribute__((used)) static double from_first_frame(const struct row *row,
						     const struct side *side)
{
	return in_frames(row, side, FRAMES);
}

/*
 * The C library keeps no frame pointers, so that call chains would end in
 * whatever it has in that register. Here they end in a clean zero.
 */
__asm__(".pushsection .text\n"
	".globl cost_fault\n"
	"cost_fault:\n"
	"	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"	call from_first_frame\n"
	"	pop %rbp\n"
	"	ret\n"
	".popsection\n");

/* How many operations the next calls time: few for a quick look, or as many as it takes. */
void operations_quick(bool quick)
{
	singles = quick ? SINGLES_QUICK : SINGLES;
}

void operations_init(void)
{
	uint64_t loops = SPIN / 2, start;

	/* A fault for every page, not for every 512. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		die("PR_SET_THP_DISABLE");

	idle = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (idle == MAP_FAILED)
		die("mmap");

	/*
	 * Ids stay below 4096, where the kernel's tree of them grows by a level,
	 * and the first of many forks cost more than the others.
	 */
	write_to("/proc/sys/kernel/pid_max", "4000");
	for (int i = 0; i < FORKS_TO_WARM_UP; i++)
		fork_exit_wait();

	/* Two instructions each. */
	start = now();
	__asm__ __volatile__("1: dec %0; jnz 1b" : "+r" (loops));
	without_ticks = SPIN / (double)(now() - start);
}

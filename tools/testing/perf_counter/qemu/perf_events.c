// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the emulated PMU in the guest with Linux's perf_events: a second opinion, by an
 * independent driver. Prints TAP.
 *
 * Usage: perf_events counts MODEL     counts and samples
 *        perf_events branches MODEL   samples with branch records
 *        perf_events watchdog         the NMI watchdog has had an interrupt
 *
 * The code around a loop (ioctl and its return) takes the same instructions each time, so the
 * difference between two loops is the difference of their lengths.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_events.h"

#define PERIOD		20000
#define LOOPS		10000000

static int tests, failures;

void check(const char *name, uint64_t got, uint64_t expected)
{
	tests++;
	failures += got != expected;
	printf("%sok %d - %s\n", got == expected ? "" : "not ", tests, name);
	if (got != expected)
		printf("# expected %lu, got %lu\n", expected, got);
}

struct perf_event_mmap_page *map_buffer(int fd)
{
	void *page = mmap(NULL, (BUFFER_PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);

	if (page != MAP_FAILED)
		return page;
	check("a buffer for samples", 0, 1);
	return NULL;
}

/* 2 * n instructions, n branches */
static void __attribute__((noipa)) loop(uint64_t n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n));
}

static int open_event(uint32_t type, uint64_t config, bool user, bool kernel, uint64_t period,
		      int group)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .config = config, .disabled = group == -1,
		.exclude_user = !user, .exclude_kernel = !kernel, .sample_period = period,
		.sample_type = period ? PERF_SAMPLE_IP : 0,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

static uint64_t read_event(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		printf("# a counter cannot be read\n");
	return value;
}

static uint64_t count_loop(int fd, uint64_t n)
{
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(n);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return read_event(fd);
}

static void check_loop(const char *name, uint32_t type, uint64_t config, uint64_t per_round)
{
	int fd = open_event(type, config, true, false, 0, -1);

	check(name, count_loop(fd, 1001000) - count_loop(fd, 1000), 1000000 * per_round);
	close(fd);
}

/* Check a group of three counters: the third counts the sum of the others. */
static void check_group(void)
{
	int user = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false, 0, -1);
	int kernel = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, true, 0,
				user);
	int both = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, true, 0, user);

	ioctl(user, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	ioctl(user, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	check("user and kernel mode together are both",
	      read_event(user) + read_event(kernel), read_event(both));
	close(user);
	close(kernel);
	close(both);
}

/* Count rounds of a loop and a context switch: each round takes the same instructions. */
static uint64_t count_rounds(int fd, int rounds)
{
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < rounds; i++) {
		loop(1000);
		sched_yield();
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return read_event(fd);
}

static void check_switches(void)
{
	cpu_set_t set;
	pid_t child;
	int fd;
	uint64_t some, more, most;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	child = fork();
	if (!child)
		for (;;)
			sched_yield();
	fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false, 0, -1);
	count_rounds(fd, 1);
	some = count_rounds(fd, 100);
	more = count_rounds(fd, 600);
	most = count_rounds(fd, 1100);
	check("500 context switches cost as much as the next 500", more - some, most - more);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);
}

struct sample {
	struct perf_event_header header;
	uint64_t ip;
};

static void check_samples(void)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false, PERIOD,
			    -1);
	struct perf_event_mmap_page *page = map_buffer(fd);
	char *data = (char *)page + getpagesize();
	uint64_t samples = 0, others = 0, elsewhere = 0, first = 0;

	if (!page)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(LOOPS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (uint64_t at = 0; at < page->data_head;) {
		struct sample *sample = (struct sample *)(data + at);

		if (sample->header.type == PERF_RECORD_SAMPLE) {
			samples++;
			first = first ?: sample->ip;
			elsewhere += sample->ip != first;
		} else {
			others++;
		}
		at += sample->header.size;
	}
	check("one sample for each period", samples, read_event(fd) / PERIOD);
	check("there are 1,000", samples, 1000);
	check("all in the same place of the loop", elsewhere, 0);
	check("which is in the loop", first >= (uint64_t)loop && first < (uint64_t)loop + 16, 1);
	check("no record but samples", others, 0);
	close(fd);
}

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t lo, hi;

	asm volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(counter));
	return (uint64_t)hi << 32 | lo;
}

/* Check reads by RDPMC: MOV and RDPMC are executed between the loop and a reading. */
static void check_rdpmc(void)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false, 0, -1);
	struct perf_event_mmap_page *page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd,
						 0);
	uint32_t before, after, index;

	if (page == MAP_FAILED) {
		check("a control page", 0, 1);
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check("the control page has RDPMC", page->cap_user_rdpmc && page->index, 1);
	index = page->index - 1;
	rdpmc(index);
	asm volatile("rdpmc\n\tmov %%eax, %0\n\tnop\n\tnop\n\trdpmc\n\tmov %%eax, %1"
		     : "=&r"(before), "=&r"(after) : "c"(index) : "eax", "edx");
	check("RDPMC, MOV, NOP, NOP", after - before, 4);
	close(fd);
}

static int check_counts(const char *model)
{
	/* Models on which one register starts all counters also count reference cycles. */
	bool global = strcmp(model, "amd-k8") && strcmp(model, "amd-core");

	check_loop("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 2);
	check_loop("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2);
	check_loop("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1);
	check_loop("a raw event", PERF_TYPE_RAW, 0xc0, 2);
	if (global) {
		check_loop("reference cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 2);
		check_group();
	}
	check_switches();
	check_samples();
	check_rdpmc();
	return 0;
}

/* Return the number of NMIs of all CPUs, from /proc/interrupts. */
static uint64_t nmis(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[256];
	uint64_t sum = 0;

	while (file && fgets(line, sizeof(line), file)) {
		char *at = strstr(line, "NMI:");

		for (at = at ? at + 4 : NULL; at; ) {
			char *end;
			uint64_t number = strtoul(at, &end, 10);

			sum += end == at ? 0 : number;
			at = end == at ? NULL : end;
		}
	}
	if (file)
		fclose(file);
	return sum;
}

/*
 * Check that the watchdog of a busy CPU has an interrupt; it has one in a second, and the
 * test waits for 10 seconds of the clock.
 */
static int check_watchdog(void)
{
	FILE *file = fopen("/proc/sys/kernel/watchdog_thresh", "w");
	uint64_t before = nmis();

	if (file) {
		fputs("1\n", file);
		fclose(file);
	}
	for (int i = 0; i < 50 && nmis() == before; i++)
		loop(100000000);
	check("the NMI watchdog has interrupts", nmis() > before, 1);
	return 0;
}

int main(int argc, char **argv)
{
	printf("TAP version 13\n");
	if (argc == 3 && !strcmp(argv[1], "counts")) {
		check_counts(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "branches")) {
		check_branches(argv[2]);
	} else if (argc == 2 && !strcmp(argv[1], "watchdog")) {
		check_watchdog();
	} else {
		fprintf(stderr, "usage: perf_events counts MODEL | branches MODEL | watchdog\n");
		return 2;
	}
	printf("1..%d\n", tests);
	return failures != 0;
}

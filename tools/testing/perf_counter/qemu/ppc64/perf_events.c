// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the emulated PMU of POWER in the guest with Linux's perf_events: a second opinion, by
 * an independent driver. Prints TAP.
 *
 * The code around a loop (ioctl and its return) takes the same instructions each time, so the
 * difference between two loops is the difference of their lengths.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_events.h"

#define BUFFER_PAGES	16
#define PERIOD		20000
#define LOOPS		20000000
#define SHORT		1000
#define LONG		(SHORT + 1000000)

static int tests, failures;
static uint64_t memory[2];

static void check(const char *name, const char *what, uint64_t got, uint64_t expected)
{
	tests++;
	failures += got != expected;
	printf("%sok %d - %s%s\n", got == expected ? "" : "not ", tests, name, what);
	if (got != expected)
		printf("# expected %lu, got %lu\n", expected, got);
}

/* n instructions, n branches, n - 1 of them taken */
static void __attribute__((noipa)) loop(uint64_t n)
{
	asm volatile("mtctr %0\n\t"
		     ".globl loop_branch\n"
		     "loop_branch: bdnz loop_branch" : : "r" (n) : "ctr");
}

/* 3 * n instructions, n loads, n stores, n branches */
static void __attribute__((noipa)) accesses(uint64_t n)
{
	asm volatile("mtctr %0\n\t"
		     ".globl access_load\n"
		     "access_load: ld 9,0(%1)\n\t"
		     "std 9,8(%1)\n\t"
		     "bdnz access_load" : : "b" (n), "b" (memory) : "ctr", "r9", "memory");
}

static int open_event(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
}

static uint64_t count(uint32_t type, uint64_t config, void (*function)(uint64_t), uint64_t n)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	int fd = open_event(&attr);
	uint64_t value = 0;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	function(n);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		printf("# a counter cannot be read\n");
	close(fd);
	return value;
}

static void check_count(const char *name, uint32_t type, uint64_t config,
			void (*function)(uint64_t), uint64_t expected)
{
	uint64_t few = count(type, config, function, SHORT);

	check(name, "", count(type, config, function, LONG) - few, expected);
}

static void check_counts(const char *platform)
{
	const uint64_t loads = !strcmp(platform, "power8") ? 0x1002e : 0x4003e;
	const uint64_t n = LONG - SHORT;

	check_count("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, loop, n);
	check_count("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, accesses,
		    3 * n);
	check_count("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, accesses, n);
	check_count("mispredictions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, accesses, 0);
	check_count("cache references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
		    accesses, n);
	check_count("cache misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, accesses, 0);
	check_count("loads completed", PERF_TYPE_RAW, loads, accesses, n);
	check_count("stores", PERF_TYPE_RAW, 0x200f0, accesses, n);
	check_count("branches taken", PERF_TYPE_RAW, 0x200fa, loop, n);
}

/* The fields of a sample, in the order of the record. */
struct samples {
	uint64_t number, wrong_ip, wrong_addr, wrong_source, branches, wrong_branches;
	uint64_t other_records;
};

static void see_sample(const uint64_t *word, uint64_t type, uint64_t ip, struct samples *s)
{
	s->number++;
	s->wrong_ip += *word++ != ip;
	if (type & PERF_SAMPLE_ADDR)
		s->wrong_addr += *word++ != (uint64_t)memory;
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t n = *word++;

		s->branches += n;
		for (; n; n--, word += 3)
			s->wrong_branches += word[0] != ip || word[1] != ip;
	}
	if (type & PERF_SAMPLE_DATA_SRC) {
		union perf_mem_data_src source = { .val = *word };

		s->wrong_source += source.mem_op != PERF_MEM_OP_LOAD ||
				   source.mem_lvl_num != PERF_MEM_LVLNUM_L1;
	}
}

static struct samples sample(struct perf_event_attr attr, void (*function)(uint64_t), uint64_t n,
			     uint64_t ip)
{
	const uint64_t size = BUFFER_PAGES * (uint64_t)getpagesize();
	struct samples s = { };
	struct perf_event_mmap_page *page;
	uint64_t at = 0;
	int fd = open_event(&attr);

	page = mmap(NULL, size + getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		check("a buffer for samples", "", 0, 1);
		return s;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	function(n);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (at < page->data_head && page->data_head <= size) {
		struct perf_event_header *h = (void *)page + page->data_offset + at;

		if (h->type == PERF_RECORD_SAMPLE)
			see_sample((uint64_t *)(h + 1), attr.sample_type, ip, &s);
		else
			s.other_records++;
		at += h->size;
	}
	munmap(page, size + getpagesize());
	close(fd);
	return s;
}

static void check_samples(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = PERIOD, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
	};
	struct samples s = sample(attr, loop, LOOPS, (uint64_t)loop_branch);

	check("samples of a loop", "", s.number, LOOPS / PERIOD);
	check("samples of a loop", ", at another instruction", s.wrong_ip, 0);
	check("samples of a loop", ", their branches", s.branches, s.number * 32);
	check("samples of a loop", ", another branch", s.wrong_branches, 0);
	check("samples of a loop", ", other records", s.other_records, 0);
}

/* Check marked loads: SIAR, SDAR and SIER as the driver reads them. */
static void check_loads(const char *platform)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .config = 0x34340401e0, .sample_period = 1000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC,
	};
	struct samples s;

	if (!strcmp(platform, "power8"))
		return;
	if (!strcmp(platform, "power10"))
		attr.config = 0x35340401e0;
	s = sample(attr, accesses, 1000000, (uint64_t)access_load);
	check("samples of loads", "", s.number, 1000);
	check("samples of loads", ", at another instruction", s.wrong_ip, 0);
	check("samples of loads", ", at another address", s.wrong_addr, 0);
	check("samples of loads", ", not from the L1", s.wrong_source, 0);
}

int main(void)
{
	const char *platform = (const char *)getauxval(AT_PLATFORM);

	check_counts(platform);
	check_samples();
	check_loads(platform);
	printf("1..%d\n", tests);
	return failures != 0;
}

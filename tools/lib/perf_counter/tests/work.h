/* SPDX-License-Identifier: GPL-2.0 */
/* A loop with a known number of events, counted by hand. */
#ifndef WORK_H
#define WORK_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <perf_counter.h>

#include "tap.h"

/* Instructions of a round of work(); one of them is a branch. */
#define WORK_INSTRUCTIONS 2

/*
 * Execute n * WORK_INSTRUCTIONS instructions, plus a constant number for the
 * call.
 */
void work(__u64 n);

#ifdef __powerpc64__

#define RAW_INSTRUCTIONS 0x2
#define RAW_INSTRUCTIONS_NAME "r2"
#define RAW_BRANCHES_NAME "r2f04a"
/* An event that every PMC except the PMC of cycles can count. */
#define RAW_ANYWHERE RAW_INSTRUCTIONS

__asm__(".pushsection .text\n"
	".type work, @function\n"
	"work:\n"
	"	mtctr 3\n"
	"	cmpdi 3, 0\n"
	"	beq 2f\n"
	"1:	nop\n"
	"	bdnz 1b\n"
	"2:	blr\n"
	".size work, . - work\n"
	".popsection\n");

#else /* x86 */

#define RAW_INSTRUCTIONS 0xc0
#define RAW_INSTRUCTIONS_NAME "r0c0"
#define RAW_BRANCHES_NAME "rc4"
/* A raw event that any general counter can count, but no fixed one: retired branches. */
#define RAW_ANYWHERE 0xc4

__asm__(".pushsection .text\n"
	".type work, @function\n"
	"work:\n"
	"	test %rdi, %rdi\n"
	"	jz 2f\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"2:	ret\n"
	".size work, . - work\n"
	".popsection\n");

#endif

static inline struct pc_set *open_set(const char *events)
{
	struct pc_set *set = pc_open(events);

	NEED(set, "%s", pc_error());
	return set;
}

/*
 * Return counter @i of a region around @n rounds of work. The code is the same
 * for any @n.
 */
static __attribute__((noipa, unused)) __u64 count_work(struct pc_region *region, unsigned int i,
						       __u64 n)
{
	pc_begin(region);
	work(n);
	pc_end(region);
	return pc_count(region, i);
}

static inline void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	NEED(!sched_setaffinity(0, sizeof(cpus), &cpus), "CPU %d: %s", cpu, strerror(errno));
}

#endif

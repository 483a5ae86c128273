/* SPDX-License-Identifier: GPL-2.0 */
/* What the bench needs to know of x86. */
#ifndef PERF_COUNTER_BENCH_ARCH_H
#define PERF_COUNTER_BENCH_ARCH_H

#include <stdint.h>
#include <linux/perf_event.h>

#define PAGE_SIZE		4096UL

/* Children whose memory is measured: the more there are, the less does a slab more or less say. */
#define CHILDREN_MEASURED	200

/*
 * What records branches; how it is asked for them without what else there is to be read, and
 * for calls.
 */
#define RECORDER		"LBR"
#define WITHOUT_MORE		(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES)
#define RECORD_ADDRESSES	(PERF_SAMPLE_BRANCH_ANY | WITHOUT_MORE)
#define RECORD_CALLS		(PERF_SAMPLE_BRANCH_CALL_STACK | WITHOUT_MORE)

/* Why these cost more than on perf_events: they do not. */
#define WHY_SPLICE		NULL
#define WHY_CALLS		NULL

/* The instruction clock: the TSC, where QEMU counts instructions. */
static inline uint64_t now(void)
{
	uint64_t tsc;

	__asm__ __volatile__("rdtsc; shl $32, %%rdx; or %%rdx, %%rax"
			     : "=a" (tsc) : : "rdx", "memory");
	return tsc;
}

/* Execute @insns instructions in user mode. */
static inline void spin(uint64_t insns)
{
	uint64_t loops = insns / 2;

	__asm__ __volatile__("1: dec %0; jnz 1b" : "+r" (loops));
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions of the bench for x86. */
#ifndef PERF_COUNTER_BENCH_ARCH_H
#define PERF_COUNTER_BENCH_ARCH_H

#include <stdint.h>
#include <linux/perf_event.h>

#define PAGE_SIZE		4096UL

/*
 * Number of children whose memory is measured. More children make the rounding to slabs
 * smaller.
 */
#define CHILDREN_MEASURED	200

/* Name of the recorder of branches. */
#define RECORDER		"LBR"
/* Flags that leave out everything but addresses, and filters for all branches and for calls. */
#define WITHOUT_MORE		(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES)
#define RECORD_ADDRESSES	(PERF_SAMPLE_BRANCH_ANY | WITHOUT_MORE)
#define RECORD_CALLS		(PERF_SAMPLE_BRANCH_CALL_STACK | WITHOUT_MORE)

/* These rows do not cost more than on perf_events, so there are no reasons to print. */
#define WHY_SPLICE		NULL
#define WHY_CALLS		NULL

/* Return the instruction clock: the TSC, where QEMU counts instructions. */
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

/* SPDX-License-Identifier: GPL-2.0 */
/* What the bench needs to know of POWER. */
#ifndef PERF_COUNTER_BENCH_ARCH_H
#define PERF_COUNTER_BENCH_ARCH_H

#include <stdint.h>
#include <linux/perf_event.h>

#define PAGE_SIZE		65536UL

/* Children whose memory is measured: the more there are, the less does a slab more or less say. */
#define CHILDREN_MEASURED	1000

/* What records branches, and how it is asked for calls; it has nothing more to be read. */
#define RECORDER	"BHRB"
#define RECORD_CALLS	PERF_SAMPLE_BRANCH_ANY_CALL

/* Why these cost more than on perf_events. */
#define WHY_SPLICE							\
	"it looks for the ends of records and copies twice, where write() copies once"
#define WHY_CALLS							\
	"which branches are calls is read from their instructions, not only left to the processor"

/* Registers of the emulation: accesses to the PMU, and instructions. */
#define SPR_MFSPRS	984
#define SPR_MTSPRS	985
#define SPR_MFBHRBES	986
#define SPR_INSNS	987

#define mfspr(spr) ({								\
	uint64_t value_;							\
										\
	__asm__ __volatile__("mfspr %0, %1" : "=r" (value_) : "i" (spr) : "memory"); \
	value_; })

/* The instruction clock. */
static inline uint64_t now(void)
{
	return mfspr(SPR_INSNS);
}

/* Execute @insns instructions in user mode. */
static inline void spin(uint64_t insns)
{
	uint64_t loops = insns / 2;

	__asm__ __volatile__("mtctr %0; 1: nop; bdnz 1b" : : "r" (loops) : "ctr");
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions of the bench for POWER. */
#ifndef PERF_COUNTER_BENCH_ARCH_H
#define PERF_COUNTER_BENCH_ARCH_H

#include <stdint.h>
#include <linux/perf_event.h>

#define PAGE_SIZE		65536UL

/*
 * Number of children whose memory is measured. More children make the rounding to slabs
 * smaller.
 */
#define CHILDREN_MEASURED	1000

/* Name of the recorder of branches. */
#define RECORDER	"BHRB"
/* Filter for calls. The recorder has no flags or cycles to leave out. */
#define RECORD_CALLS	PERF_SAMPLE_BRANCH_ANY_CALL

/* Reasons why these rows cost more than on perf_events. */
#define WHY_SPLICE							\
	"it looks for the ends of records and copies twice, where write() copies once"
#define WHY_CALLS							\
	"which branches are calls is read from their instructions, not only left to the processor"

/* Registers of the emulator: counts of accesses to the PMU, and of instructions. */
#define SPR_MFSPRS	984
#define SPR_MTSPRS	985
#define SPR_MFBHRBES	986
#define SPR_INSNS	987

#define mfspr(spr) ({								\
	uint64_t value_;							\
										\
	__asm__ __volatile__("mfspr %0, %1" : "=r" (value_) : "i" (spr) : "memory"); \
	value_; })

/* Return the instruction clock. */
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

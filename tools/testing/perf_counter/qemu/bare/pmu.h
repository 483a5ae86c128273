/* SPDX-License-Identifier: GPL-2.0 */
/* The machine's PMU, which can be of any kind, and functions that start its counters. */
#ifndef PMU_H
#define PMU_H

#include "machine.h"

#define MSR_PERFCTR0		0xc1
#define MSR_EVTSEL0		0x186
#define MSR_DEBUGCTL		0x1d9
#define MSR_FIXED_CTR0		0x309
#define MSR_PERF_CAPABILITIES	0x345
#define MSR_FIXED_CTR_CTRL	0x38d
#define MSR_GLOBAL_STATUS	0x38e
#define MSR_GLOBAL_CTRL		0x38f
#define MSR_GLOBAL_STATUS_RESET	0x390
#define MSR_GLOBAL_STATUS_SET	0x391
#define MSR_GLOBAL_INUSE	0x392
#define MSR_PMC0		0x4c1
#define MSR_K7_EVTSEL0		0xc0010000
#define MSR_K7_PERFCTR0		0xc0010004
#define MSR_CORE_CTL0		0xc0010200
#define MSR_CORE_CTR0		0xc0010201
#define MSR_AMD_GLOBAL_STATUS	0xc0000300
#define MSR_AMD_GLOBAL_CTL	0xc0000301
#define MSR_AMD_GLOBAL_CLEAR	0xc0000302
#define MSR_ACCESSES		0x40000f00
#define MSR_IRQS_OFF		0x40000f10

#define EVTSEL_USR		(1UL << 16)
#define EVTSEL_OS		(1UL << 17)
#define EVTSEL_EDGE		(1UL << 18)
#define EVTSEL_INT		(1UL << 20)
#define EVTSEL_ANY		(1UL << 21)
#define EVTSEL_EN		(1UL << 22)
#define EVTSEL_INV		(1UL << 23)
#define EVTSEL_CMASK(n)		((u64)(n) << 24)
#define EVTSEL_AMD_GUEST	(1UL << 40)
#define EVTSEL_AMD_HOST		(1UL << 41)
#define FIXED_OS		1
#define FIXED_USR		2
#define FIXED_PMI		8
#define STATUS_CTR_FRZ		(1UL << 59)
#define DEBUGCTL_FREEZE_ON_PMI	(1UL << 12)

#define PMU_MASK		((1UL << 48) - 1)

/*
 * Instructions that measure() adds to a sequence: CALL, 3 instructions and the last WRMSR.
 */
#define OVERHEAD 5

struct pmu {
	bool intel;
	bool global;		/* has a register that starts all counters */
	bool capabilities;	/* has PERF_CAPABILITIES */
	bool full_width;
	bool large, small;	/* the kind of core of a hybrid machine */
	int version;
	int num_gp;
	u32 fixed_mask;
	u32 msr_ctrl, msr_status, msr_status_reset;
	u64 insns, cycles, branches, loads, stores;
	u64 conditional, taken, returns, far;
	u64 calls;		/* 0: the PMU does not have the event */
};

extern struct pmu pmu;

void pmu_detect(void);
/* Reset all registers, and unmask the LVTPC. */
void pmu_reset(void);
u32 pmu_msr_counter(int i);
u64 pmu_value(int i);
/* Set the event and the first value of counter i, which is started later. */
void pmu_set(int i, u64 event, u64 value);
/* Run a sequence with counter 0, which was set before. */
void pmu_measure_set(void (*sequence)(void));
/* Run a sequence with all counters that were set before. */
void pmu_measure_all(void (*sequence)(void));
/* Run a sequence while counter i counts the event. */
void pmu_measure(int i, void (*sequence)(void), u64 event);
/* Reset the PMU, run a sequence, and return counter 0's count of the event. */
u64 pmu_count(void (*sequence)(void), u64 event);

/* Forget past interrupts, and unmask the LVTPC. */
void pmi_record(void);
/* Handle an interrupt of the PMU. */
void pmi_handle(struct frame *frame);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural performance monitoring, versions 1 to 6, as CPUID leaf 0xA describes it:
 * Intel SDM volume 3, chapter "Performance Monitoring", section "Architectural Performance
 * Monitoring". Version 6 is driven by the MSRs that it shares with version 5.
 */

#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/processor.h>

#include <asm/cpu.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "internal.h"

/* IA32_PERF_CAPABILITIES: counters may be written in their full width. */
#define CAPABILITY_FULL_WIDTH	BIT_ULL(13)

/* Code of reference cycles on their fixed counter; general counters do not count this code. */
#define CODE_REF_CYCLES		0x0300
/*
 * Code of a general counter: some models count reference cycles for it, and the others bus
 * cycles.
 */
#define CODE_REF_TSC		0x013c

/* The slots of fixed counters 0, 1 and 2. */
#define FIXED_INSTRUCTIONS	BIT_ULL(X86_FIXED_SLOT)
#define FIXED_CYCLES		BIT_ULL(X86_FIXED_SLOT + 1)
#define FIXED_REF_CYCLES	BIT_ULL(X86_FIXED_SLOT + 2)

/*
 * Event and unit mask of the architectural events, in the order of their bits in EBX of leaf 0xA. A
 * set bit in EBX means that the event does not exist.
 */
static const struct {
	unsigned int	generic;
	u64		code;
} events[] = {
	{ PERF_COUNT_HW_CPU_CYCLES,		0x003c },
	{ PERF_COUNT_HW_INSTRUCTIONS,		0x00c0 },
	{ PERF_COUNT_HW_BUS_CYCLES,		CODE_REF_TSC },
	{ PERF_COUNT_HW_CACHE_REFERENCES,	0x4f2e },
	{ PERF_COUNT_HW_CACHE_MISSES,		0x412e },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS,	0x00c4 },
	{ PERF_COUNT_HW_BRANCH_MISSES,		0x00c5 },
};

/*
 * Generic cache events of this machine, separately for each core type of a hybrid machine: the
 * events of the model, and the architectural events of the last level cache and of branches.
 */
static perf_counter_cache_events large_cache_events, small_cache_events;

/* Store @code, an architectural event, in @events, unless the model has an entry there. */
static void intel_set_cache_event(perf_counter_cache_events *events, unsigned int cache,
				  unsigned int result, u64 code)
{
	u64 *event = &(*events)[cache][PERF_COUNT_HW_CACHE_OP_READ][result];

	if (!*event)
		*event = code;
}

static void intel_set_cache_events(const struct x86_counters *pmu,
				   perf_counter_cache_events *cache_events)
{
	intel_set_cache_event(cache_events, PERF_COUNT_HW_CACHE_LL,
			      PERF_COUNT_HW_CACHE_RESULT_ACCESS,
			      pmu->events[PERF_COUNT_HW_CACHE_REFERENCES]);
	intel_set_cache_event(cache_events, PERF_COUNT_HW_CACHE_LL,
			      PERF_COUNT_HW_CACHE_RESULT_MISS,
			      pmu->events[PERF_COUNT_HW_CACHE_MISSES]);
	intel_set_cache_event(cache_events, PERF_COUNT_HW_CACHE_BPU,
			      PERF_COUNT_HW_CACHE_RESULT_ACCESS,
			      pmu->events[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]);
	intel_set_cache_event(cache_events, PERF_COUNT_HW_CACHE_BPU,
			      PERF_COUNT_HW_CACHE_RESULT_MISS,
			      pmu->events[PERF_COUNT_HW_BRANCH_MISSES]);
}

/* === Which counters count an event, by model === */

/*
 * Intel's event lists, one for each model (github.com/intel/perfmon, "Counter"), and the SDM,
 * volume 3, "Performance Monitoring Events", say which counters can count an event. The first
 * matching rule applies; an event without a rule can use every counter.
 */
#define RULE_EVENTS(from, to, where)	{ .code = from, .last = to, .slots = where }
#define RULE_EVENT(event, where)	{ .code = event, .slots = where }
#define RULE_UMASK(event, where)	{ .code = event, .umask = X86_UMASK_IS, .slots = where }
#define RULE_CONDITION(event, where)	\
	{ .code = event, .umask = X86_UMASK_CONDITION, .slots = where }
#define RULE_UMASK_BITS(event, where)	{ .code = event, .umask = X86_UMASK_HAS, .slots = where }
/*
 * An event that needs an extra MSR, such as an offcore response or a latency. perf_counter does not
 * program extra MSRs.
 */
#define RULE_NEEDS_REGISTER(code)	RULE_UMASK(code, 0)
/* INST_RETIRED.PREC_DIST: only the fixed counter of instructions counts it. */
#define RULE_PREC_DIST(code)		RULE_UMASK(code, FIXED_INSTRUCTIONS)
/* All general counters. */
#define EVERYWHERE			GENMASK_ULL(X86_FIXED_SLOT - 1, 0)
/* CPU_CLK_UNHALTED.REF_TSC_P: all general counters and the fixed counter of reference cycles. */
#define RULE_REF_TSC			\
	RULE_UMASK(CODE_REF_TSC, FIXED_REF_CYCLES | EVERYWHERE)

static const struct x86_rule core2_rules[] = {
	RULE_EVENT(0x10, 0x1),		/* FP_COMP_OPS_EXE */
	RULE_EVENTS(0x11, 0x13, 0x2),	/* FP_ASSIST, MUL, DIV */
	RULE_EVENT(0x14, 0x1),		/* CYCLES_DIV_BUSY */
	RULE_EVENT(0x18, 0x1),		/* IDLE_DURING_DIV */
	RULE_EVENT(0x19, 0x2),		/* DELAYED_BYPASS */
	RULE_EVENT(0xa1, 0x1),		/* RS_UOPS_DISPATCHED */
	RULE_EVENT(0xc9, 0x1),		/* ITLB_MISS_RETIRED */
	RULE_EVENT(0xcb, 0x1),		/* MEM_LOAD_RETIRED */
};

static const struct x86_rule nehalem_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),	/* OFF_CORE_RESPONSE_0 */
	RULE_NEEDS_REGISTER(0x100b),	/* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD */
	RULE_EVENTS(0x40, 0x43, 0x3),	/* L1D_CACHE_LD, _ST, _LOCK, L1D_ALL_REF */
	RULE_EVENT(0x48, 0x3),		/* L1D_PEND_MISS */
	RULE_EVENT(0x4c, 0x3),		/* LOAD_HIT_PRE */
	RULE_EVENT(0x4e, 0x3),		/* L1D_PREFETCH */
	RULE_EVENTS(0x51, 0x53, 0x3),	/* L1D, L1D_CACHE_PREFETCH_LOCK_FB_HIT, ..._LOCK_FB_HIT */
	RULE_EVENT(0x63, 0x3),		/* CACHE_LOCK_CYCLES */
};

static const struct x86_rule westmere_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x01bb),	/* OFF_CORE_RESPONSE_1 */
	RULE_NEEDS_REGISTER(0x100b),
	RULE_EVENT(0x4c, 0x3),
	RULE_EVENT(0x4e, 0x3),
	RULE_EVENTS(0x51, 0x52, 0x3),
	RULE_EVENT(0x60, 0x1),		/* OFFCORE_REQUESTS_OUTSTANDING */
	RULE_EVENT(0x63, 0x3),
	RULE_EVENT(0xb3, 0x1),		/* SNOOPQ_REQUESTS_OUTSTANDING */
};

static const struct x86_rule sandybridge_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x01bb),
	RULE_NEEDS_REGISTER(0x01cd),	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	RULE_EVENT(0x48, 0x4),
	RULE_UMASK(0x02a3, 0x4),	/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	RULE_UMASK(0x06a3, 0x4),	/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	RULE_EVENT(0xa3, 0xf),
	RULE_UMASK(0x01c0, 0x2),	/* INST_RETIRED.PREC_DIST */
	RULE_EVENT(0xcd, 0x8),
	RULE_EVENTS(0xd0, 0xd3, 0xf),	/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_..._RETIRED */
};

static const struct x86_rule ivybridge_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x01bb),
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_UMASK(0x0148, 0x4),	/* L1D_PEND_MISS.PENDING */
	RULE_UMASK(0x0279, 0xf),	/* IDQ.EMPTY */
	RULE_UMASK(0x019c, 0xf),	/* IDQ_UOPS_NOT_DELIVERED.CORE */
	RULE_UMASK(0x08a3, 0x4),	/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	RULE_UMASK(0x0ca3, 0x4),	/* CYCLE_ACTIVITY.STALLS_L1D_PENDING */
	RULE_EVENT(0xa3, 0xf),
	RULE_UMASK(0x01c0, 0x2),
	RULE_UMASK(0x02cd, 0x8),	/* MEM_TRANS_RETIRED.PRECISE_STORE */
	RULE_EVENTS(0xd0, 0xd3, 0xf),
};

static const struct x86_rule haswell_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x01bb),
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_UMASK(0x0148, 0x4),
	RULE_UMASK(0x04a3, 0xf),	/* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	RULE_UMASK(0x08a3, 0x4),
	RULE_UMASK(0x0ca3, 0x4),
	RULE_UMASK(0x01c0, 0x2),
	RULE_EVENT(0xcd, 0x8),
	RULE_EVENTS(0xd0, 0xd3, 0xf),
};

static const struct x86_rule broadwell_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x01bb),
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_UMASK(0x0148, 0x4),
	RULE_UMASK_BITS(0x08a3, 0x4),	/* CYCLE_ACTIVITY.*_L1D_MISS */
	RULE_UMASK(0x01c0, 0x2),
	RULE_EVENT(0xcd, 0xf),
	RULE_EVENTS(0xd0, 0xd2, 0xf),
};

static const struct x86_rule skylake_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x01bb),
	RULE_NEEDS_REGISTER(0x01c6),	/* FRONTEND_RETIRED */
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_CONDITION(0x01c0, 0xd),	/* INST_RETIRED.TOTAL_CYCLES_PS */
	RULE_UMASK(0x01c0, 0x2),
	RULE_EVENT(0xc6, 0xf),
	RULE_EVENT(0xcd, 0xf),
	RULE_EVENTS(0xd0, 0xd2, 0xf),
};

static const struct x86_rule icelake_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),	/* OCR */
	RULE_NEEDS_REGISTER(0x01bb),
	RULE_NEEDS_REGISTER(0x01c6),
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_PREC_DIST(0x0100),
	/* INST_RETIRED.STALL_CYCLES and others use the old code of PREC_DIST with conditions. */
	RULE_CONDITION(0x01c0, EVERYWHERE),
	RULE_PREC_DIST(0x01c0),
	RULE_EVENTS(0x03, 0x0a, 0xf),
	RULE_EVENTS(0x1f, 0x28, 0xf),
	RULE_EVENT(0x32, 0xf),
	RULE_EVENTS(0x48, 0x56, 0xf),
	RULE_EVENTS(0x60, 0x8b, 0xf),
	RULE_UMASK(0x04a3, 0xff),	/* CYCLE_ACTIVITY.STALLS_TOTAL */
	RULE_UMASK(0x10a3, 0xff),	/* CYCLE_ACTIVITY.CYCLES_MEM_ANY */
	RULE_UMASK(0x14a3, 0xff),	/* CYCLE_ACTIVITY.STALLS_MEM_ANY */
	RULE_EVENT(0xa3, 0xf),
	RULE_EVENTS(0xa8, 0xb0, 0xf),
	RULE_EVENTS(0xb7, 0xbd, 0xf),
	RULE_EVENTS(0xd0, 0xe6, 0xf),
	RULE_EVENTS(0xef, 0xf4, 0xf),
};

/*
 * Golden Cove: four counters count events up to 0x8f, with two exceptions; all counters count
 * events from 0x90 on.
 */
static const struct x86_rule golden_cove_rules[] = {
	RULE_NEEDS_REGISTER(0x012a),	/* OCR */
	RULE_NEEDS_REGISTER(0x012b),
	RULE_NEEDS_REGISTER(0x01c6),
	RULE_NEEDS_REGISTER(0x02c6),
	RULE_NEEDS_REGISTER(0x03c6),
	RULE_NEEDS_REGISTER(0x40ad),	/* INT_MISC.UNKNOWN_BRANCH_CYCLES */
	RULE_NEEDS_REGISTER(0x04c2),	/* UOPS_RETIRED.MS */
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_PREC_DIST(0x0100),
	RULE_EVENT(0x2e, 0xff),
	RULE_REF_TSC,
	RULE_EVENT(0x3c, 0xff),
	RULE_EVENTS(0x01, 0x8f, 0xf),
	RULE_UMASK(0x01a3, 0xf),
	RULE_UMASK(0x02a3, 0xf),
	RULE_UMASK(0x05a3, 0xf),	/* CYCLE_ACTIVITY.STALLS_L2_MISS */
	RULE_UMASK(0x06a3, 0xf),	/* CYCLE_ACTIVITY.STALLS_L3_MISS */
	RULE_UMASK(0x08a3, 0xf),
	RULE_UMASK(0x0ca3, 0xf),	/* CYCLE_ACTIVITY.STALLS_L1D_MISS */
	RULE_UMASK(0x04a4, 0x1),	/* TOPDOWN.BAD_SPEC_SLOTS */
	RULE_UMASK(0x08a4, 0x1),	/* TOPDOWN.BR_MISPREDICT_SLOTS */
	RULE_UMASK(0x02cd, 0x1),	/* MEM_TRANS_RETIRED.STORE_SAMPLE */
	RULE_EVENT(0xce, 0x1),
	RULE_EVENTS(0xd0, 0xdf, 0xf),
};

/*
 * Lion Cove: most events can use all ten counters. Arrow Lake-H has Lion Cove, Skymont and
 * Crestmont cores, which perf_events drives as one kind: an event is counted only if all three can
 * count it. The first SMALL_CORE_RULES rules are for the small cores.
 */
#define SMALL_CORE_RULES	5
static const struct x86_rule arrowlake_h_rules[] = {
	RULE_NEEDS_REGISTER(0x0127),
	RULE_NEEDS_REGISTER(0x0227),
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x02b7),
	RULE_NEEDS_REGISTER(0x05d0),
	/* rules of Lion Cove */
	RULE_NEEDS_REGISTER(0x012a),	/* OCR */
	RULE_NEEDS_REGISTER(0x012b),
	RULE_NEEDS_REGISTER(0x02c6),	/* FRONTEND_RETIRED */
	RULE_NEEDS_REGISTER(0x03c6),
	RULE_NEEDS_REGISTER(0x40ad),
	RULE_NEEDS_REGISTER(0x04c2),
	RULE_NEEDS_REGISTER(0x01cd),
	RULE_PREC_DIST(0x0100),
	RULE_REF_TSC,
	RULE_EVENT(0x20, 0xf),		/* OFFCORE_REQUESTS_OUTSTANDING */
	RULE_UMASK(0x0148, 0x4),	/* L1D_PENDING.LOAD */
	RULE_UMASK(0x0175, 0x4),	/* INST_DECODED.DECODERS */
	RULE_UMASK(0x08a3, 0x4),	/* CYCLE_ACTIVITY.*_L1D_MISS */
	RULE_UMASK(0x0ca3, 0x4),
	RULE_UMASK(0x04a4, 0x1),	/* TOPDOWN.BAD_SPEC_SLOTS */
	RULE_UMASK(0x08a4, 0x1),	/* TOPDOWN.BR_MISPREDICT_SLOTS */
	RULE_UMASK(0x10a4, 0x8),	/* TOPDOWN.MEMORY_BOUND_SLOTS */
	RULE_UMASK(0x01b1, 0x8),	/* UOPS_EXECUTED.THREAD */
	RULE_UMASK(0x02cd, 0x3),	/* MEM_TRANS_RETIRED.STORE_SAMPLE */
	RULE_UMASK(0x87d0, EVERYWHERE),	/* MEM_INST_RETIRED.ANY */
	RULE_EVENTS(0xd0, 0xdf, 0xf),
	RULE_UMASK(0x00e0, 0xf),	/* MISC2_RETIRED */
};

/* On small cores, all counters count all events, except those that need an extra MSR. */
static const struct x86_rule atom_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x02b7),
};

static const struct x86_rule gracemont_rules[] = {
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x02b7),
	RULE_NEEDS_REGISTER(0x05d0),	/* MEM_UOPS_RETIRED.LOAD_LATENCY_GT_... */
	RULE_REF_TSC,
};

static const struct x86_rule crestmont_rules[] = {
	RULE_NEEDS_REGISTER(0x0127),	/* responses to snoops, by MSR_SNOOP_RSP_0 and _1 */
	RULE_NEEDS_REGISTER(0x0227),
	RULE_NEEDS_REGISTER(0x01b7),
	RULE_NEEDS_REGISTER(0x02b7),
	RULE_NEEDS_REGISTER(0x05d0),
	RULE_REF_TSC,
};

#define CACHE(cache, op, result)						\
	[PERF_COUNT_HW_CACHE_##cache][PERF_COUNT_HW_CACHE_OP_##op]		\
	[PERF_COUNT_HW_CACHE_RESULT_##result]

static const perf_counter_cache_events nehalem_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x010b,	/* MEM_INST_RETIRED.LOADS */
	CACHE(L1D, READ, MISS)		= 0x0151,	/* L1D.REPL */
	CACHE(L1D, WRITE, ACCESS)	= 0x020b,	/* MEM_INST_RETIRED.STORES */
	CACHE(L1D, WRITE, MISS)		= 0x0251,	/* L1D.M_REPL */
	CACHE(L1D, PREFETCH, ACCESS)	= 0x014e,	/* L1D_PREFETCH.REQUESTS */
	CACHE(L1D, PREFETCH, MISS)	= 0x024e,	/* L1D_PREFETCH.MISS */
	CACHE(L1I, READ, ACCESS)	= 0x0380,	/* L1I.READS */
	CACHE(L1I, READ, MISS)		= 0x0280,	/* L1I.MISSES */
	CACHE(DTLB, READ, ACCESS)	= 0x0f40,	/* L1D_CACHE_LD.MESI */
	CACHE(DTLB, READ, MISS)		= 0x0108,	/* DTLB_LOAD_MISSES.ANY */
	CACHE(DTLB, WRITE, ACCESS)	= 0x0f41,	/* L1D_CACHE_ST.MESI */
	CACHE(DTLB, WRITE, MISS)	= 0x010c,	/* MEM_STORE_RETIRED.DTLB_MISS */
	CACHE(ITLB, READ, ACCESS)	= 0x01c0,	/* INST_RETIRED.ANY_P */
	CACHE(ITLB, READ, MISS)		= 0x20c8,	/* ITLB_MISS_RETIRED */
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x03e8,	/* BPU_CLEARS.ANY */
};

static const perf_counter_cache_events westmere_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x010b,
	CACHE(L1D, READ, MISS)		= 0x0151,
	CACHE(L1D, WRITE, ACCESS)	= 0x020b,
	CACHE(L1D, WRITE, MISS)		= 0x0251,
	CACHE(L1D, PREFETCH, ACCESS)	= 0x014e,
	CACHE(L1D, PREFETCH, MISS)	= 0x024e,
	CACHE(L1I, READ, ACCESS)	= 0x0380,
	CACHE(L1I, READ, MISS)		= 0x0280,
	CACHE(DTLB, READ, ACCESS)	= 0x010b,
	CACHE(DTLB, READ, MISS)		= 0x0108,
	CACHE(DTLB, WRITE, ACCESS)	= 0x020b,
	CACHE(DTLB, WRITE, MISS)	= 0x010c,
	CACHE(ITLB, READ, ACCESS)	= 0x01c0,
	CACHE(ITLB, READ, MISS)		= 0x0185,	/* ITLB_MISSES.ANY */
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x03e8,
};

static const perf_counter_cache_events sandybridge_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0xf1d0,	/* MEM_UOPS_RETIRED.LOADS */
	CACHE(L1D, READ, MISS)		= 0x0151,	/* L1D.REPLACEMENT */
	CACHE(L1D, WRITE, ACCESS)	= 0xf2d0,	/* MEM_UOPS_RETIRED.STORES */
	CACHE(L1D, WRITE, MISS)		= 0x0851,	/* L1D.ALL_M_REPLACEMENT */
	CACHE(L1D, PREFETCH, MISS)	= 0x024e,	/* HW_PRE_REQ.DL1_MISS */
	CACHE(L1I, READ, MISS)		= 0x0280,	/* ICACHE.MISSES */
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,	/* MEM_UOPS_RETIRED.ALL_LOADS */
	CACHE(DTLB, READ, MISS)		= 0x0108,	/* DTLB_LOAD_MISSES.CAUSES_A_WALK */
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,	/* MEM_UOPS_RETIRED.ALL_STORES */
	CACHE(DTLB, WRITE, MISS)	= 0x0149,	/* DTLB_STORE_MISSES.MISS_CAUSES_A_WALK */
	CACHE(ITLB, READ, ACCESS)	= 0x1085,	/* ITLB_MISSES.STLB_HIT */
	CACHE(ITLB, READ, MISS)		= 0x0185,	/* ITLB_MISSES.CAUSES_A_WALK */
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x00c5,
};

static const perf_counter_cache_events ivybridge_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0xf1d0,
	CACHE(L1D, READ, MISS)		= 0x0151,
	CACHE(L1D, WRITE, ACCESS)	= 0xf2d0,
	CACHE(L1D, WRITE, MISS)		= 0x0851,
	CACHE(L1D, PREFETCH, MISS)	= 0x024e,
	CACHE(L1I, READ, MISS)		= 0x0280,
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,
	CACHE(DTLB, READ, MISS)		= 0x8108,	/* ..._LOAD_MISSES.MISS_CAUSES_A_WALK */
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,
	CACHE(DTLB, WRITE, MISS)	= 0x0149,
	CACHE(ITLB, READ, ACCESS)	= 0x1085,
	CACHE(ITLB, READ, MISS)		= 0x0185,
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x00c5,
};

static const perf_counter_cache_events haswell_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x81d0,
	CACHE(L1D, READ, MISS)		= 0x0151,
	CACHE(L1D, WRITE, ACCESS)	= 0x82d0,
	CACHE(L1I, READ, MISS)		= 0x0280,
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,
	CACHE(DTLB, READ, MISS)		= 0x0108,
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,
	CACHE(DTLB, WRITE, MISS)	= 0x0149,
	CACHE(ITLB, READ, ACCESS)	= 0x6085,	/* ITLB_MISSES.STLB_HIT */
	CACHE(ITLB, READ, MISS)		= 0x0185,
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x00c5,
};

static const perf_counter_cache_events skylake_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x81d0,	/* MEM_INST_RETIRED.ALL_LOADS */
	CACHE(L1D, READ, MISS)		= 0x0151,
	CACHE(L1D, WRITE, ACCESS)	= 0x82d0,
	CACHE(L1I, READ, MISS)		= 0x0283,	/* ICACHE_64B.IFTAG_MISS */
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,
	CACHE(DTLB, READ, MISS)		= 0x0e08,	/* DTLB_LOAD_MISSES.WALK_COMPLETED */
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,
	CACHE(DTLB, WRITE, MISS)	= 0x0e49,	/* DTLB_STORE_MISSES.WALK_COMPLETED */
	CACHE(ITLB, READ, ACCESS)	= 0x2085,	/* ITLB_MISSES.STLB_HIT */
	CACHE(ITLB, READ, MISS)		= 0x0e85,	/* ITLB_MISSES.WALK_COMPLETED */
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x00c5,
};

/* Skylake's events, except that hits of the second-level TLB are not counted as accesses. */
static const perf_counter_cache_events icelake_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x81d0,
	CACHE(L1D, READ, MISS)		= 0x0151,
	CACHE(L1D, WRITE, ACCESS)	= 0x82d0,
	CACHE(L1I, READ, MISS)		= 0x0283,
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,
	CACHE(DTLB, READ, MISS)		= 0x0e08,
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,
	CACHE(DTLB, WRITE, MISS)	= 0x0e49,
	CACHE(ITLB, READ, MISS)		= 0x0e85,
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x00c5,
};

static const perf_counter_cache_events golden_cove_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x81d0,
	CACHE(L1D, READ, MISS)		= 0xe124,	/* L2_RQSTS.ALL_DEMAND_DATA_RD */
	CACHE(L1D, WRITE, ACCESS)	= 0x82d0,
	CACHE(L1I, READ, MISS)		= 0xe424,	/* L2_RQSTS.ALL_CODE_RD */
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,
	CACHE(DTLB, READ, MISS)		= 0x0e12,
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,
	CACHE(DTLB, WRITE, MISS)	= 0x0e13,
	CACHE(ITLB, READ, MISS)		= 0x0e11,
	CACHE(BPU, READ, ACCESS)	= 0x04c4,	/* BR_INST_RETIRED.ALL_BRANCHES */
	CACHE(BPU, READ, MISS)		= 0x04c5,
};

static const perf_counter_cache_events gracemont_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x81d0,	/* MEM_UOPS_RETIRED.ALL_LOADS */
	CACHE(L1D, WRITE, ACCESS)	= 0x82d0,	/* MEM_UOPS_RETIRED.ALL_STORES */
	CACHE(L1I, READ, ACCESS)	= 0x0380,	/* ICACHE.ACCESSES */
	CACHE(L1I, READ, MISS)		= 0x0280,	/* ICACHE.MISSES */
	CACHE(DTLB, READ, ACCESS)	= 0x81d0,
	CACHE(DTLB, READ, MISS)		= 0x0e08,	/* DTLB_LOAD_MISSES.WALK_COMPLETED */
	CACHE(DTLB, WRITE, ACCESS)	= 0x82d0,
	CACHE(DTLB, WRITE, MISS)	= 0x0e49,	/* DTLB_STORE_MISSES.WALK_COMPLETED */
	CACHE(ITLB, READ, MISS)		= 0x0481,	/* ITLB.FILLS */
	CACHE(BPU, READ, ACCESS)	= 0x00c4,
	CACHE(BPU, READ, MISS)		= 0x00c5,
};

/**
 * struct intel_model - properties of a model that CPUID does not report
 * @rules: rules that say which counters can count an event
 * @nr_rules: number of @rules
 * @cache_events: generic cache events, except those of the last level cache
 * @min_left: see struct x86_counters
 * @hsw11: see struct x86_counters
 * @nhm_workaround: see struct x86_counters
 */
struct intel_model {
	const struct x86_rule		*rules;
	unsigned int			nr_rules;
	const perf_counter_cache_events	*cache_events;
	u16				min_left;
	bool				hsw11;
	bool				nhm_workaround;
};

#define MODEL_RULES(name)	.rules = name##_rules, .nr_rules = ARRAY_SIZE(name##_rules)

static const struct intel_model core2 = { MODEL_RULES(core2) };
/* Errata of Xeon 5500: AAK100 for the workaround, AAK64 for the minimal period. */
static const struct intel_model nehalem = {
	MODEL_RULES(nehalem), &nehalem_cache_events, .min_left = X86_LEFT_NEHALEM,
	.nhm_workaround = true,
};

static const struct intel_model westmere = {
	MODEL_RULES(westmere), &westmere_cache_events, .nhm_workaround = true,
};

static const struct intel_model sandybridge = {
	MODEL_RULES(sandybridge), &sandybridge_cache_events,
};

static const struct intel_model ivybridge = {
	MODEL_RULES(ivybridge), &ivybridge_cache_events,
};

/* Errata HSD11, HSE11 and BDM11, BDM55. */
static const struct intel_model haswell = {
	MODEL_RULES(haswell), &haswell_cache_events, .min_left = X86_LEFT_NEHALEM, .hsw11 = true,
};

static const struct intel_model broadwell = {
	MODEL_RULES(broadwell), &haswell_cache_events, .hsw11 = true,
};

static const struct intel_model skylake = { MODEL_RULES(skylake), &skylake_cache_events };
static const struct intel_model icelake = { MODEL_RULES(icelake), &icelake_cache_events };
static const struct intel_model golden_cove = {
	MODEL_RULES(golden_cove), &golden_cove_cache_events,
};

static const struct intel_model lion_cove = {
	.rules = arrowlake_h_rules + SMALL_CORE_RULES,
	.nr_rules = ARRAY_SIZE(arrowlake_h_rules) - SMALL_CORE_RULES,
	.cache_events = &golden_cove_cache_events,
};

static const struct intel_model arrowlake_h = { MODEL_RULES(arrowlake_h) };

static const struct intel_model atom = { MODEL_RULES(atom) };
static const struct intel_model gracemont = {
	MODEL_RULES(gracemont), &gracemont_cache_events,
};

static const struct intel_model crestmont = {
	MODEL_RULES(crestmont), &gracemont_cache_events,
};

static const struct {
	u32				vfm;
	const struct intel_model	*model;
	const struct intel_model	*small;
} models[] = {
	{ INTEL_CORE2_MEROM, &core2 }, { INTEL_CORE2_MEROM_L, &core2 },
	{ INTEL_CORE2_PENRYN, &core2 }, { INTEL_CORE2_DUNNINGTON, &core2 },
	{ INTEL_NEHALEM, &nehalem }, { INTEL_NEHALEM_EP, &nehalem },
	{ INTEL_NEHALEM_EX, &nehalem }, { INTEL_NEHALEM_G, &nehalem },
	{ INTEL_WESTMERE, &westmere }, { INTEL_WESTMERE_EP, &westmere },
	{ INTEL_WESTMERE_EX, &westmere },
	{ INTEL_SANDYBRIDGE, &sandybridge }, { INTEL_SANDYBRIDGE_X, &sandybridge },
	{ INTEL_IVYBRIDGE, &ivybridge }, { INTEL_IVYBRIDGE_X, &ivybridge },
	{ INTEL_HASWELL, &haswell }, { INTEL_HASWELL_X, &haswell },
	{ INTEL_HASWELL_L, &haswell }, { INTEL_HASWELL_G, &haswell },
	{ INTEL_BROADWELL, &broadwell }, { INTEL_BROADWELL_D, &broadwell },
	{ INTEL_BROADWELL_G, &broadwell }, { INTEL_BROADWELL_X, &broadwell },
	{ INTEL_SKYLAKE, &skylake }, { INTEL_SKYLAKE_L, &skylake },
	{ INTEL_SKYLAKE_X, &skylake }, { INTEL_KABYLAKE, &skylake },
	{ INTEL_KABYLAKE_L, &skylake }, { INTEL_COMETLAKE, &skylake },
	{ INTEL_COMETLAKE_L, &skylake },
	{ INTEL_ICELAKE, &icelake }, { INTEL_ICELAKE_L, &icelake },
	{ INTEL_ICELAKE_X, &icelake }, { INTEL_ICELAKE_D, &icelake },
	{ INTEL_TIGERLAKE, &icelake }, { INTEL_TIGERLAKE_L, &icelake },
	{ INTEL_ROCKETLAKE, &icelake },
	{ INTEL_SAPPHIRERAPIDS_X, &golden_cove }, { INTEL_EMERALDRAPIDS_X, &golden_cove },
	{ INTEL_GRANITERAPIDS_X, &golden_cove }, { INTEL_GRANITERAPIDS_D, &golden_cove },
	{ INTEL_ALDERLAKE, &golden_cove, &gracemont },
	{ INTEL_ALDERLAKE_L, &golden_cove, &gracemont },
	{ INTEL_RAPTORLAKE, &golden_cove, &gracemont },
	{ INTEL_RAPTORLAKE_P, &golden_cove, &gracemont },
	{ INTEL_RAPTORLAKE_S, &golden_cove, &gracemont },
	{ INTEL_METEORLAKE, &golden_cove, &crestmont },
	{ INTEL_METEORLAKE_L, &golden_cove, &crestmont },
	{ INTEL_ARROWLAKE_U, &golden_cove, &crestmont },
	/* Skymont uses Crestmont's rules. Its additional fixed counters are not used. */
	{ INTEL_ARROWLAKE, &lion_cove, &crestmont },
	{ INTEL_LUNARLAKE_M, &lion_cove, &crestmont },
	{ INTEL_ARROWLAKE_H, &arrowlake_h },
	{ INTEL_ATOM_SILVERMONT, &atom }, { INTEL_ATOM_SILVERMONT_D, &atom },
	{ INTEL_ATOM_SILVERMONT_MID, &atom }, { INTEL_ATOM_AIRMONT, &atom },
	{ INTEL_ATOM_AIRMONT_MID, &atom },
	{ INTEL_ATOM_GOLDMONT, &atom }, { INTEL_ATOM_GOLDMONT_D, &atom },
	{ INTEL_ATOM_GOLDMONT_PLUS, &atom }, { INTEL_ATOM_TREMONT, &atom },
	{ INTEL_ATOM_TREMONT_D, &atom }, { INTEL_ATOM_TREMONT_L, &atom },
	{ INTEL_ATOM_GRACEMONT, &gracemont },
	{ INTEL_ATOM_CRESTMONT, &crestmont }, { INTEL_ATOM_CRESTMONT_X, &crestmont },
	{ INTEL_XEON_PHI_KNL, &atom }, { INTEL_XEON_PHI_KNM, &atom },
};

/* Return the model of this CPU, or of this core of a hybrid CPU; NULL for an unknown hybrid CPU. */
static const struct intel_model *intel_find_model(bool hybrid, bool small)
{
	static const struct intel_model unknown;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (models[i].vfm == boot_cpu_data.x86_vfm)
			return small ? models[i].small : models[i].model;
	}
	return hybrid ? NULL : &unknown;
}

static void intel_set_model(struct x86_counters *pmu, const struct intel_model *model,
			    perf_counter_cache_events *cache_events)
{
	pmu->rules = model->rules;
	pmu->nr_rules = model->nr_rules;
	pmu->min_left = model->min_left;
	pmu->hsw11 = model->hsw11;
	pmu->nhm_workaround = model->nhm_workaround;
	if (model->cache_events)
		memcpy(cache_events, *model->cache_events, sizeof(*cache_events));
	else
		memset(cache_events, 0, sizeof(*cache_events));
	/*
	 * Microcode uses counter 3 for transactions as long as they do not always abort (Intel,
	 * "Performance Monitoring Impact of TSX Memory Ordering Issue", document 604224).
	 */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
	    !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT))
		pmu->slots &= ~BIT_ULL(3);
}

static u64 intel_fixed_slots(u64 code)
{
	switch (code) {
	case 0x00c0:
		return FIXED_INSTRUCTIONS;
	case 0x003c:
		return FIXED_CYCLES;
	case CODE_REF_CYCLES:
		return FIXED_REF_CYCLES;
	default:
		return 0;
	}
}

static bool intel_rule_matches(const struct x86_rule *rule, u64 code)
{
	u8 event = code & ARCH_PERFMON_EVENTSEL_EVENT;
	u8 umask = (code & ARCH_PERFMON_EVENTSEL_UMASK) >> 8;
	u8 first = rule->code, its_umask = rule->code >> 8;

	if (event < first || event > (rule->last ?: first))
		return false;
	switch (rule->umask) {
	case X86_UMASK_IS:
		return umask == its_umask;
	case X86_UMASK_CONDITION:
		return umask == its_umask && code & ~INTEL_ARCH_EVENT_MASK;
	case X86_UMASK_HAS:
		return (umask & its_umask) == its_umask;
	default:
		return true;
	}
}

static u64 intel_event_slots(const struct x86_counters *pmu, u64 code)
{
	u64 fixed = intel_fixed_slots(code);
	const struct x86_rule *rule;

	for (rule = pmu->rules; rule < pmu->rules + pmu->nr_rules; rule++) {
		if (!intel_rule_matches(rule, code))
			continue;
		/* Fixed counters cannot count with a condition. */
		if (code & ~INTEL_ARCH_EVENT_MASK)
			return rule->slots & EVERYWHERE;
		return fixed | rule->slots;
	}
	/*
	 * An event with number 0 is counted by its fixed counter only. Events with number 0 that
	 * have no fixed counter, such as metrics, are not counted.
	 */
	return code & ARCH_PERFMON_EVENTSEL_EVENT ? fixed | EVERYWHERE : fixed;
}

/*
 * Set the width of the counters. A write through the old counter MSRs takes 32 bits, which the
 * counter sign-extends; this limits the distance to an overflow.
 */
static void intel_set_width(struct x86_counters *pmu, unsigned int width)
{
	u64 capabilities = 0;

	pmu->mask = GENMASK_ULL(width - 1, 0);
	pmu->counter = MSR_ARCH_PERFMON_PERFCTR0;
	pmu->max_left = BIT_ULL(31) - 1;
	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrl(MSR_IA32_PERF_CAPABILITIES, capabilities);
	if (capabilities & CAPABILITY_FULL_WIDTH) {
		pmu->counter = MSR_IA32_PMC0;
		pmu->max_left = BIT_ULL(width - 1) - 1;
	}
}

/**
 * x86_hybrid_intel() - Tell whether the machine has two kinds of cores that are driven separately
 *
 * Return: true for such a machine; false also for CPUs with three kinds of cores, which
 * perf_events drives as one kind.
 */
bool x86_hybrid_intel(void)
{
	return boot_cpu_has(X86_FEATURE_HYBRID_CPU) &&
	       boot_cpu_data.x86_vfm != INTEL_ARROWLAKE_H;
}

/*
 * Return the number of general counters of this core of a hybrid CPU. Leaf 0x23 gives it. Without
 * leaf 0x23, a large core has two more than a small one (perfmon lists of Alder Lake, "Counter").
 * @general, from leaf 0xA, is the number that all cores have, or the number of the large cores if
 * the small cores are switched off.
 */
static unsigned int intel_core_general(unsigned int general, bool small)
{
	u32 eax, ebx, ecx, edx;
	u64 value;

	if (boot_cpu_has(X86_FEATURE_ARCH_PERFMON_EXT)) {
		cpuid_count(ARCH_PERFMON_EXT_LEAF, 0, &eax, &ebx, &ecx, &edx);
		if (eax & BIT(ARCH_PERFMON_NUM_COUNTER_LEAF)) {
			cpuid_count(ARCH_PERFMON_EXT_LEAF, ARCH_PERFMON_NUM_COUNTER_LEAF, &eax,
				    &ebx, &ecx, &edx);
			if (eax & 1)
				return min_t(unsigned int, ffz(eax), X86_FIXED_SLOT - 1);
		}
	}
	if (!small && general == 6 && !rdmsrl_safe(MSR_ARCH_PERFMON_PERFCTR0 + 7, &value))
		return 8;
	return general;
}

/**
 * x86_counters_intel() - Find the PMU of an Intel CPU
 * @pmu: description of the PMU, filled in; on a hybrid CPU, for the core type of the calling CPU
 *
 * Return: false if there is no PMU.
 */
bool x86_counters_intel(struct x86_counters *pmu)
{
	bool hybrid = x86_hybrid_intel();
	bool small = hybrid && get_this_hybrid_cpu_type() == X86_CORE_SMALL;
	const struct intel_model *model = intel_find_model(hybrid, small);
	perf_counter_cache_events *cache_events = small ? &small_cache_events : &large_cache_events;
	unsigned int version, general, fixed, missing, known;
	u32 eax, ebx, ecx, edx;
	unsigned int i;

	if (boot_cpu_data.cpuid_level < 0xa || !model)
		return false;
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	version = eax & 0xff;
	general = min(eax >> 8 & 0xff, (u32)X86_FIXED_SLOT);
	if (!version || !general)
		return false;
	if (hybrid)
		general = intel_core_general(general, small);

	pmu->name = "Intel architectural counters";
	pmu->slots = GENMASK_ULL(general - 1, 0);
	pmu->select = MSR_ARCH_PERFMON_EVENTSEL0;
	pmu->stride = 1;
	/* Intel SDM volume 3, "Local Vector Table". */
	pmu->delivery_masks = true;
	pmu->nmi_window = 100;
	pmu->event_slots = intel_event_slots;
	pmu->raw_mask = ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK |
			ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV |
			ARCH_PERFMON_EVENTSEL_CMASK;
	intel_set_width(pmu, eax >> 16 & 0xff);

	/* EAX has the number of valid bits in EBX. Events beyond them are taken as missing. */
	known = eax >> 24;
	missing = ebx | ~(known < 32 ? BIT(known) - 1 : ~0U);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!(missing & BIT(i)))
			pmu->events[events[i].generic] = events[i].code;
	}
	intel_set_model(pmu, model, cache_events);
	intel_set_cache_events(pmu, cache_events);
	pmu->cache_events = (const perf_counter_cache_events *)cache_events;

	if (version < 2)
		return true;
	pmu->status_explains = true;
	/* A hypervisor may delay an NMI for this long. */
	pmu->nmi_window = 100 * USEC_PER_MSEC;
	pmu->ctrl = MSR_CORE_PERF_GLOBAL_CTRL;
	pmu->status = MSR_CORE_PERF_GLOBAL_STATUS;
	/* From version 4 on the same MSR is called GLOBAL_STATUS_RESET. */
	pmu->ack = MSR_CORE_PERF_GLOBAL_OVF_CTRL;

	/*
	 * EDX has the number of fixed counters; from version 5 on, ECX has a bit for each
	 * additional one.
	 */
	fixed = GENMASK(2, 0) & (BIT(min(edx & 0x1f, 3U)) - 1);
	if (version >= 5)
		fixed |= ecx & GENMASK(2, 0);
	pmu->slots |= (u64)fixed << X86_FIXED_SLOT;
	if (fixed & BIT(2))
		pmu->events[PERF_COUNT_HW_REF_CPU_CYCLES] = CODE_REF_CYCLES;
	/*
	 * Some models can count reference cycles on general counters, too, by another event. Use
	 * that event, unless leaf 0xA reports it as missing.
	 */
	if (pmu->events[PERF_COUNT_HW_BUS_CYCLES] == CODE_REF_TSC &&
	    intel_event_slots(pmu, CODE_REF_TSC) & FIXED_REF_CYCLES)
		pmu->events[PERF_COUNT_HW_REF_CPU_CYCLES] = CODE_REF_TSC;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's counters: the four of the K7, the six of the core extensions, and the
 * global registers of PerfMonV2. Sources: AMD APM volume 2, "Performance
 * Monitoring Counters", and the processor programming references for the codes
 * of events.
 */

#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/processor.h>
#include <linux/time64.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "internal.h"

/* Codes of the generic events; later families replace some of them. */
static const u64 k7_events[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES]		= 0x0076,
	[PERF_COUNT_HW_INSTRUCTIONS]		= 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES]	= 0x077d,
	[PERF_COUNT_HW_CACHE_MISSES]		= 0x077e,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x00c2,
	[PERF_COUNT_HW_BRANCH_MISSES]		= 0x00c3,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x00d0,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= 0x00d1,
};

#define CACHE(cache, op, result)						\
	[PERF_COUNT_HW_CACHE_##cache][PERF_COUNT_HW_CACHE_OP_##op]		\
	[PERF_COUNT_HW_CACHE_RESULT_##result]

/* Family 17h and later. */
static const perf_counter_cache_events zen_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x0040,	/* data cache accesses */
	CACHE(L1D, READ, MISS)		= 0xc860,	/* L2 requests from the data cache */
	CACHE(L1D, PREFETCH, ACCESS)	= 0xff5a,	/* hardware prefetches */
	CACHE(L1I, READ, ACCESS)	= 0x0080,	/* instruction cache fetches */
	CACHE(L1I, READ, MISS)		= 0x0081,
	CACHE(DTLB, READ, ACCESS)	= 0xff45,	/* all L1 misses */
	CACHE(DTLB, READ, MISS)		= 0xf045,	/* L1 and L2 misses */
	CACHE(ITLB, READ, ACCESS)	= 0x0084,
	CACHE(ITLB, READ, MISS)		= 0xff85,
	CACHE(BPU, READ, ACCESS)	= 0x00c2,
	CACHE(BPU, READ, MISS)		= 0x00c3,
};

static const perf_counter_cache_events k7_cache_events = {
	CACHE(BPU, READ, ACCESS)	= 0x00c2,
	CACHE(BPU, READ, MISS)		= 0x00c3,
};

static void amd_set_zen_events(struct x86_counters *pmu, unsigned int family)
{
	pmu->events[PERF_COUNT_HW_CACHE_REFERENCES] = 0xff60;
	pmu->events[PERF_COUNT_HW_CACHE_MISSES] = 0x0964;
	/* The codes for Zen 1 and Hygon's family 18h differ from those for Zen 2 and later. */
	if (family == 0x18 || (family == 0x17 && !boot_cpu_has(X86_FEATURE_ZEN2))) {
		pmu->events[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x0287;
		pmu->events[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x0187;
	} else {
		pmu->events[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x00a9;
		pmu->events[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0;
	}
	if (boot_cpu_has(X86_FEATURE_ZEN4) || family >= 0x1a)
		pmu->events[PERF_COUNT_HW_REF_CPU_CYCLES] = 0x100000120;
	pmu->cache_events = &zen_cache_events;
}

/* An event number has 12 bits; the upper four are bits 35 to 32 of the event select. */
static unsigned int amd_event_number(u64 code)
{
	return (code & 0xff) | (code >> 24 & 0xf00);
}

/* Return true if several unit mask bits are set. Some events have other slots then. */
static bool amd_several_umasks(u64 code)
{
	return hweight64(code & ARCH_PERFMON_EVENTSEL_UMASK) > 1;
}

/*
 * Family 15h: BIOS and Kernel Developer's Guide for models 00h to 0Fh, "Core Performance Counter
 * Events". With exceptions, the unit that an event belongs to determines which counters can count
 * it. Events of the north bridge have counters of their own and are refused here.
 */
static u64 amd_event_slots_15h(const struct x86_counters *pmu, u64 code)
{
	unsigned int event = amd_event_number(code);

	switch (event & 0xf0) {
	case 0x00 ... 0x10:	/* the FPU */
		switch (event) {
		case 0x000:
			return (code & 0xf000) && (code & 0x0f00) ? BIT(3) : GENMASK(5, 3);
		case 0x004:
			return amd_several_umasks(code) ? BIT(3) : GENMASK(5, 3);
		case 0x003:
		case 0x00b:
		case 0x00d:
			return BIT(3);
		}
		return GENMASK(5, 3);
	case 0x20 ... 0x50:	/* loads and stores, the data cache */
	case 0xc0:		/* execution */
		switch (event) {
		case 0x023:
		case 0x043:
		case 0x045:
		case 0x046:
		case 0x054:
		case 0x055:
			return GENMASK(2, 0);
		case 0x02d:
			return BIT(3);
		case 0x02e:
			return BIT(3) | BIT(0);
		case 0x031:
			return amd_several_umasks(code) ? 0 : GENMASK(2, 0);
		case 0x1c0:
			return GENMASK(5, 3);
		}
		return GENMASK(5, 0);
	case 0x60 ... 0x90:	/* the unit that two cores share, instruction fetch */
	case 0xd0:		/* instruction decode */
		switch (event) {
		case 0x08f:
		case 0x187:
		case 0x188:
			return BIT(0);
		case 0x0db ... 0x0df:
		case 0x1d6:
		case 0x1d8:
			return GENMASK(5, 0);
		}
		return GENMASK(2, 0);
	default:
		return 0;
	}
}

/*
 * Before family 15h, the counters of all cores of a node share the events of the north bridge (BKDG
 * for family 10h, "Performance Counter Events"). perf_counter does not arbitrate between cores, so
 * these events are refused.
 */
static u64 amd_event_slots_k8(const struct x86_counters *pmu, u64 code)
{
	return (code & 0xe0) == 0xe0 ? 0 : GENMASK(3, 0);
}

/*
 * From family 17h on, more floating point operations may retire in a cycle than one counter can
 * add. An even counter and the next one are merged to count them (PPR for family 17h, "Large
 * Increment per Cycle Events").
 */
#define RETIRED_FLOPS	0x003

static u64 amd_event_slots_zen(const struct x86_counters *pmu, u64 code)
{
	const u64 even = 0x55555555;

	if (amd_event_number(code) == RETIRED_FLOPS)
		return even & pmu->slots & (pmu->slots >> 1);
	return GENMASK_ULL(X86_FIXED_SLOT - 1, 0);
}

/**
 * x86_counters_amd() - Find the PMU of an AMD CPU
 * @pmu: description of the PMU, filled in
 *
 * Return: false if there is no PMU.
 */
bool x86_counters_amd(struct x86_counters *pmu)
{
	unsigned int family = boot_cpu_data.x86;
	unsigned int general = 4;

	if (family < 6)
		return false;

	pmu->name = "AMD K7 counters";
	pmu->select = MSR_K7_EVNTSEL0;
	pmu->counter = MSR_K7_PERFCTR0;
	pmu->stride = 1;
	pmu->mask = GENMASK_ULL(47, 0);
	pmu->max_left = BIT_ULL(47) - 1;
	/* AMD64_EVENTSEL_EVENT has the 12 bits of an event number. */
	pmu->raw_mask = AMD64_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK |
			ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV |
			ARCH_PERFMON_EVENTSEL_CMASK;
	memcpy(pmu->events, k7_events, sizeof(k7_events));
	pmu->cache_events = &k7_cache_events;
	/* perf_events observed NMIs up to this long after their counter was stopped. */
	pmu->nmi_window = 100 * USEC_PER_MSEC;
	pmu->event_slots = family == 0x15 ? amd_event_slots_15h : amd_event_slots_k8;
	if (family >= 0x17) {
		pmu->event_slots = amd_event_slots_zen;
		pmu->pair_event = RETIRED_FLOPS;
		amd_set_zen_events(pmu, family);
	}
	if (boot_cpu_has(X86_FEATURE_SVM)) {
		pmu->only_guest = AMD64_EVENTSEL_GUESTONLY;
		pmu->only_host = AMD64_EVENTSEL_HOSTONLY;
	}

	if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE)) {
		pmu->name = "AMD core counters";
		pmu->select = MSR_F15H_PERF_CTL;
		pmu->counter = MSR_F15H_PERF_CTR;
		pmu->stride = 2;
		general = 6;
	}
	if (boot_cpu_has(X86_FEATURE_PERFMON_V2)) {
		pmu->name = "AMD PerfMonV2 counters";
		/* CPUID 0x80000022, EBX: the number of core counters. */
		general = cpuid_ebx(0x80000022) & 0xf;
		pmu->ctrl = MSR_AMD64_PERF_CNTR_GLOBAL_CTL;
		pmu->status = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS;
		pmu->ack = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR;
	}
	if (!general)
		return false;
	pmu->slots = GENMASK_ULL(general - 1, 0);
	return true;
}

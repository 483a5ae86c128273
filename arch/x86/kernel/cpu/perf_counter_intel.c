// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural performance monitoring, versions 1 to 5: what CPUID leaf
 * 0xA says of it. Intel SDM volume 3, chapter "Performance Monitoring", section
 * "Architectural Performance Monitoring".
 */

#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/processor.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "perf_counter.h"

/* IA32_PERF_CAPABILITIES: counters may be written in their full width. */
#define CAPABILITY_FULL_WIDTH	BIT_ULL(13)

/* Events that fixed counters count: a code that no general counter has. */
#define CODE_REF_CYCLES		0x0300

/*
 * The architectural events, in the order of their bits in EBX of the leaf,
 * where a set bit says that there is no such event: event and unit mask.
 */
static const struct {
	unsigned int	generic;
	u64		code;
} events[] = {
	{ PERF_COUNT_HW_CPU_CYCLES,		0x003c },
	{ PERF_COUNT_HW_INSTRUCTIONS,		0x00c0 },
	{ PERF_COUNT_HW_BUS_CYCLES,		0x013c },
	{ PERF_COUNT_HW_CACHE_REFERENCES,	0x4f2e },
	{ PERF_COUNT_HW_CACHE_MISSES,		0x412e },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS,	0x00c4 },
	{ PERF_COUNT_HW_BRANCH_MISSES,		0x00c5 },
};

/* What the architecture says of caches: the last level, and branch prediction. */
static x86_cache_events cache_events;

static void set_cache_events(const struct x86_counters *pmu)
{
	cache_events[PERF_COUNT_HW_CACHE_LL][PERF_COUNT_HW_CACHE_OP_READ]
		    [PERF_COUNT_HW_CACHE_RESULT_ACCESS] =
		pmu->events[PERF_COUNT_HW_CACHE_REFERENCES];
	cache_events[PERF_COUNT_HW_CACHE_LL][PERF_COUNT_HW_CACHE_OP_READ]
		    [PERF_COUNT_HW_CACHE_RESULT_MISS] =
		pmu->events[PERF_COUNT_HW_CACHE_MISSES];
	cache_events[PERF_COUNT_HW_CACHE_BPU][PERF_COUNT_HW_CACHE_OP_READ]
		    [PERF_COUNT_HW_CACHE_RESULT_ACCESS] =
		pmu->events[PERF_COUNT_HW_BRANCH_INSTRUCTIONS];
	cache_events[PERF_COUNT_HW_CACHE_BPU][PERF_COUNT_HW_CACHE_OP_READ]
		    [PERF_COUNT_HW_CACHE_RESULT_MISS] =
		pmu->events[PERF_COUNT_HW_BRANCH_MISSES];
}

/* Fixed counters 0, 1 and 2: instructions, core cycles, reference cycles. */
static u64 fixed_slots(u64 code)
{
	switch (code) {
	case 0x00c0:
		return BIT_ULL(X86_FIXED_SLOT);
	case 0x003c:
		return BIT_ULL(X86_FIXED_SLOT + 1);
	case CODE_REF_CYCLES:
		return BIT_ULL(X86_FIXED_SLOT + 2);
	default:
		return 0;
	}
}

/* Counters that are written through their old MSRs take 32 bits, sign-extended. */
static void set_width(struct x86_counters *pmu, unsigned int width)
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
 * x86_counters_intel() - find out what PMU there is
 * @pmu: filled in
 *
 * Return: false when there is none.
 */
bool x86_counters_intel(struct x86_counters *pmu)
{
	unsigned int version, general, fixed, missing, known;
	u32 eax, ebx, ecx, edx;
	unsigned int i;

	/* What is found here would not be true of the other kind of core. */
	if (boot_cpu_data.cpuid_level < 0xa || boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return false;
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	version = eax & 0xff;
	general = min(eax >> 8 & 0xff, (u32)X86_FIXED_SLOT);
	if (!version || !general)
		return false;

	pmu->name = "Intel architectural counters";
	pmu->slots = GENMASK_ULL(general - 1, 0);
	pmu->select = MSR_ARCH_PERFMON_EVENTSEL0;
	pmu->stride = 1;
	/* Volume 3, "Local Vector Table". */
	pmu->delivery_masks = true;
	pmu->raw_mask = ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK |
			ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV |
			ARCH_PERFMON_EVENTSEL_CMASK;
	set_width(pmu, eax >> 16 & 0xff);

	/* EBX has as many bits as EAX says; of the others nothing is known. */
	known = eax >> 24;
	missing = ebx | ~(known < 32 ? BIT(known) - 1 : ~0U);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!(missing & BIT(i)))
			pmu->events[events[i].generic] = events[i].code;
	}
	set_cache_events(pmu);
	pmu->cache_events = (const x86_cache_events *)&cache_events;

	if (version < 2)
		return true;
	pmu->ctrl = MSR_CORE_PERF_GLOBAL_CTRL;
	pmu->status = MSR_CORE_PERF_GLOBAL_STATUS;
	/* From version 4 on the same MSR is called GLOBAL_STATUS_RESET. */
	pmu->ack = MSR_CORE_PERF_GLOBAL_OVF_CTRL;

	/* EDX has their number; from version 5 on ECX may have more of them, one by one. */
	fixed = GENMASK(2, 0) & (BIT(min(edx & 0x1f, 3U)) - 1);
	if (version >= 5)
		fixed |= ecx & GENMASK(2, 0);
	pmu->slots |= (u64)fixed << X86_FIXED_SLOT;
	pmu->fixed_slots = fixed_slots;
	if (fixed & BIT(2))
		pmu->events[PERF_COUNT_HW_REF_CPU_CYCLES] = CODE_REF_CYCLES;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the x86 backend of perf_counter share.
 */
#ifndef _X86_CPU_PERF_COUNTER_H
#define _X86_CPU_PERF_COUNTER_H

#include <linux/bits.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <uapi/linux/perf_counter.h>

/* General counters are slots 0 to 31, fixed ones from 32 on, as in GLOBAL_CTRL. */
#define X86_FIXED_SLOT		32
#define X86_SLOTS		48

/* Generic cache events that a machine has: cache, operation, result. */
typedef u64 x86_cache_events[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
			    [PERF_COUNT_HW_CACHE_RESULT_MAX];

/**
 * struct x86_counters - the PMU of this machine
 * @name: for the log
 * @slots: the counters that it has
 * @general: how many of them are general
 * @mask: the bits of a counter
 * @max_left: events that a counter can be set to count before it overflows
 * @select: MSR of the first event select
 * @counter: MSR of the first general counter, for writes
 * @stride: MSRs from one of them to the next
 * @ctrl: MSR that starts and stops all; 0 when each event select does for itself
 * @status: MSR that tells what has overflowed; with @ctrl
 * @delivery_masks: the LVTPC is masked when its NMI is delivered
 * @ack: MSR that clears what is written to it from @status; with @ctrl
 * @raw_mask: bits of the event select that a raw event may set
 * @events: codes of the generic events, 0 for those that it has not
 * @cache_events: codes of the generic cache events, likewise
 * @fixed_slots: which fixed slots can count an event with this code; or NULL
 * @only_guest: event select bit: count in guests alone; 0 when there is none
 */
struct x86_counters {
	const char		*name;
	u64			slots;
	unsigned int		general;
	u64			mask;
	u64			max_left;
	u32			select;
	u32			counter;
	u32			stride;
	u32			ctrl;
	u32			status;
	u32			ack;
	bool			delivery_masks;
	u64			raw_mask;
	u64			events[PERF_COUNT_HW_MAX];
	const x86_cache_events	*cache_events;
	u64			(*fixed_slots)(u64 code);
	u64			only_guest;
};

bool x86_counters_intel(struct x86_counters *pmu);
bool x86_counters_amd(struct x86_counters *pmu);

#endif /* _X86_CPU_PERF_COUNTER_H */

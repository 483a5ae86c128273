/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the x86 backend of perf_counter share.
 */
#ifndef _X86_PERF_COUNTER_INTERNAL_H
#define _X86_PERF_COUNTER_INTERNAL_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <uapi/linux/perf_counter.h>

/* General counters are slots 0 to 31, fixed ones from 32 on, as in GLOBAL_CTRL. */
#define X86_FIXED_SLOT		32
#define X86_SLOTS		48

/* The fewest events that a slot is set to wait for; some models need more. */
#define X86_LEFT_MIN		2
#define X86_LEFT_NEHALEM	32
#define X86_LEFT_HSW11		128

/*
 * What unit masks a rule is about: any; that of its code; that, but only in events with a
 * condition (a counter mask, an inversion, edges); those with all bits of that.
 */
enum { X86_UMASK_ANY, X86_UMASK_IS, X86_UMASK_CONDITION, X86_UMASK_HAS };

/**
 * struct x86_rule - the counters that count some events
 * @code: the event, and above it a unit mask; the first event, if there is a last
 * @last: the last event; 0: there is one alone
 * @umask: X86_UMASK_*
 * @slots: mask of those counters; 0: none does, so it is refused
 */
struct x86_rule {
	u16	code;
	u8	last;
	u8	umask;
	u64	slots;
};

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
 * @late: for how long after an overflow an NMI without a reason is ours, cycles; microseconds
 *	until the backend is registered
 * @status_explains: @status has a bit for each overflow whose NMI has not come yet, so that an
 *	NMI without one is not ours
 * @delivery_masks: the LVTPC is masked when its NMI is delivered
 * @ack: MSR that clears what is written to it from @status; with @ctrl
 * @raw_mask: bits of the event select that a raw event may set
 * @events: codes of the generic events, 0 for those that it has not
 * @cache_events: codes of the generic cache events, likewise
 * @pair_event: number of the event that two slots count together, as in an event select: one
 *	with an even number, and the next; 0: there is none
 * @event_slots: the slots that count an event with this code, and perhaps others that this
 *	PMU has not; 0 when none does
 * @rules: what general counters count, for @event_slots
 * @nr_rules: of those
 * @min_left: the fewest events that a slot may be set to wait for, X86_LEFT_*
 * @hsw11: X86_LEFT_HSW11 of event 0x01c0, an erratum
 * @nhm_workaround: counters have to count something else first whenever they are set, an erratum
 * @only_guest: event select bit: count in guests alone; 0 when there is none
 * @only_host: likewise: count outside of them alone, while there can be any
 */
struct x86_counters {
	const char			*name;
	u64				slots;
	unsigned int			general;
	u64				mask;
	u64				max_left;
	u32				select;
	u32				counter;
	u32				stride;
	u32				ctrl;
	u32				status;
	u32				ack;
	u64				late;
	bool				status_explains;
	bool				delivery_masks;
	u64				raw_mask;
	u64				events[PERF_COUNT_HW_MAX];
	const perf_counter_cache_events	*cache_events;
	u64				pair_event;
	u64				(*event_slots)(const struct x86_counters *pmu, u64 code);
	const struct x86_rule		*rules;
	unsigned int			nr_rules;
	u16				min_left;
	bool				hsw11;
	bool				nhm_workaround;
	u64				only_guest;
	u64				only_host;
};

/* Types of core of a hybrid CPU: CPUID leaf 0x1A, EAX, bits 31 to 24. */
#define X86_CORE_SMALL		0x20

bool x86_counters_intel(struct x86_counters *pmu);
bool x86_hybrid_intel(void);
bool x86_counters_amd(struct x86_counters *pmu);

/* Status: branches are not recorded until it is cleared. */
#define X86_STATUS_LBR_FROZEN	BIT_ULL(58)

/* What branches this CPU records; 0: none. */
DECLARE_PER_CPU(u32, x86_lbr_what);

const struct perf_counter_recorder *x86_lbr_init(void);
void x86_lbr_go_on(void);
void x86_lbr_reset(void);
void x86_counters_get_ready(void);

#endif /* _X86_PERF_COUNTER_INTERNAL_H */

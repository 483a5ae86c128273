/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions shared by the files of perf_counter's x86 backend. */
#ifndef _X86_PERF_COUNTER_INTERNAL_H
#define _X86_PERF_COUNTER_INTERNAL_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <uapi/linux/perf_counter.h>

/* General counters are slots 0 to 31, fixed counters are slots 32 and up, as in GLOBAL_CTRL. */
#define X86_FIXED_SLOT		32
#define X86_SLOTS		48

/*
 * The fewest events after which a slot may be set to overflow: the usual limit, and the limits of
 * models with errata.
 */
#define X86_LEFT_MIN		2
#define X86_LEFT_NEHALEM	32
#define X86_LEFT_HSW11		128

/*
 * Unit masks that a rule matches. ANY: every unit mask. IS: the unit mask of the rule's code.
 * CONDITION: the unit mask of the rule's code, but only in events with a condition (a counter mask,
 * an inversion or edges). HAS: every unit mask that includes the bits of the rule's code.
 */
enum { X86_UMASK_ANY, X86_UMASK_IS, X86_UMASK_CONDITION, X86_UMASK_HAS };

/**
 * struct x86_rule - counters that can count a range of events
 * @code: event number (bits 7 to 0) and unit mask (bits 15 to 8); the first event of a range
 * @last: last event number of the range; 0: the rule is about one event
 * @umask: unit masks that the rule matches, X86_UMASK_*
 * @slots: mask of the slots that count these events; 0: the events are refused
 */
struct x86_rule {
	u16	code;
	u8	last;
	u8	umask;
	u64	slots;
};

/**
 * struct x86_counters - the PMU of this machine
 * @name: name of the PMU, for the log
 * @slots: mask of the slots that exist
 * @general: number of general counters
 * @mask: mask of the bits of a counter
 * @max_left: largest number of events that a counter can be set to count before it overflows
 * @select: MSR of the first event select
 * @counter: MSR of the first general counter, for writes
 * @stride: number of MSRs from one event select, or general counter, to the next
 * @ctrl: MSR that starts and stops all counters; 0: each event select has its own enable bit
 * @status: MSR with a bit for each counter that has overflowed; valid if @ctrl is not 0
 * @nmi_window: time after an overflow during which an NMI without a visible reason is taken for the
 *	PMU's; in cycles, but in microseconds until x86_counters_init() has converted it
 * @status_explains: @status has a bit for each overflow whose NMI is still to come, so that an
 *	NMI without a bit is not the PMU's
 * @delivery_masks: the delivery of the PMU's NMI masks the LVTPC
 * @ack: MSR that clears the bits of @status that are written to it; valid if @ctrl is not 0
 * @raw_mask: bits of the event select that a raw event may set
 * @events: codes of the generic events; 0: this PMU does not count the event
 * @cache_events: codes of the generic cache events; 0: this PMU does not count the event
 * @pair_event: number, as in an event select, of the event that needs two slots: an even one and
 *	the next one; 0: there is no such event
 * @event_slots: function that returns the mask of slots that count an event with this code; the
 *	mask may include slots that this PMU lacks; 0: no slot counts the event
 * @rules: rules that say which counters can count an event, used by @event_slots
 * @nr_rules: number of @rules
 * @min_left: fewest events after which a slot may be set to overflow, X86_LEFT_*
 * @hsw11: erratum: event 0x01c0 needs at least X86_LEFT_HSW11 events before an overflow
 * @nhm_workaround: erratum: each time counters are programmed, they have to be programmed with
 *	other events first
 * @only_guest: event select bit for counting in guests only; 0: there is no such bit
 * @only_host: event select bit for counting outside guests only; 0: there is no such bit
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
	u64				nmi_window;
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

/* Core type of a small core of a hybrid CPU: CPUID leaf 0x1A, EAX, bits 31 to 24. */
#define X86_CORE_SMALL		0x20

bool x86_counters_intel(struct x86_counters *pmu);
bool x86_hybrid_intel(void);
bool x86_counters_amd(struct x86_counters *pmu);

/* Status bit: the recording of branches is frozen until this bit is cleared. */
#define X86_STATUS_LBR_FROZEN	BIT_ULL(58)

/* PERF_COUNTER_BRANCH_* that this CPU records now; 0: its branch recorder is off. */
DECLARE_PER_CPU(u32, x86_lbr_branches);

const struct perf_counter_recorder *x86_lbr_init(void);
bool x86_lbr_start(u32 what);
void x86_lbr_resume(void);
void x86_lbr_reset(void);

#endif /* _X86_PERF_COUNTER_INTERNAL_H */

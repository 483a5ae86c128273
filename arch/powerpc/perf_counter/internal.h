/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the powerpc backend of perf_counter share.
 */
#ifndef _POWERPC_PERF_COUNTER_INTERNAL_H
#define _POWERPC_PERF_COUNTER_INTERNAL_H

#include <linux/bits.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <uapi/linux/perf_counter.h>

/* PMC1 to PMC6; the last two count instructions and cycles, and nothing else. */
#define POWER_SLOTS		6
#define POWER_GENERAL		4
#define POWER_ANY_SLOT		POWER_SLOTS

/* Bits of a code that Linux has added: event-based branches, their branch records, a filter. */
#define POWER_CODE_EBB		BIT_ULL(63)
#define POWER_CODE_BHRB		BIT_ULL(62)
#define POWER_CODE_LINUX	GENMASK_ULL(63, 60)
/* The instructions that are sampled are what it is about. */
#define POWER_CODE_MARKED	BIT_ULL(8)

/* hw->more: how long is long, as MMCRA has it; where it does not count; its samples are exact. */
#define POWER_MORE_THRESHOLD	GENMASK_ULL(10, 0)
#define POWER_MORE_NO_USER	BIT_ULL(16)
#define POWER_MORE_NO_KERNEL	BIT_ULL(17)
#define POWER_MORE_NO_HV	BIT_ULL(18)
#define POWER_MORE_NO_IDLE	BIT_ULL(19)
#define POWER_MORE_PRECISE	BIT_ULL(20)

/* Registers with fields of events. */
enum power_register {
	POWER_MMCR1,
	POWER_MMCR2,
	POWER_MMCR3,
	POWER_MMCRA,
	POWER_REGISTERS,
	/* A field that has to be the same in all events, and is in no register. */
	POWER_NOWHERE = POWER_REGISTERS,
};

/**
 * struct power_field - a field of events' codes
 * @from: its lowest bit in the code; from 64 on, in hw->more
 * @bits: how many
 * @to: its register
 * @at: its lowest bit there, or that of PMC1
 * @step: how much lower that of the next PMC is; 0: all PMCs have it in common
 * @of: POWER_IS_* of the events that have it
 */
struct power_field {
	u8	from;
	u8	bits;
	u8	to;
	u8	at;
	u8	step;
	u8	of;
};

/* What an event of PMC1 to PMC4 is. */
#define POWER_IS_ANY		BIT(0)
#define POWER_IS_MARKED		BIT(1)
#define POWER_IS_CACHE		BIT(2)	/* it says which of the first-level caches it is about */
#define POWER_IS_BUS		BIT(3)	/* of the caches behind, by the bus that they share */
#define POWER_IS_L2L3		BIT(4)	/* of a bus with a selector of its own */
#define POWER_IS_THRESHOLD	BIT(5)
#define POWER_IS_FABRIC		BIT(6)	/* it is a response of the fabric, and says of which type */
#define POWER_IS_SDAR		BIT(7)	/* it says which addresses are sampled */

/* The code of a generic cache event that no machine has; 0 is that of one that it has not. */
#define POWER_NONSENSE		~0ULL

/* Two codes of one event. */
struct power_pair {
	u32	code;
	u32	other;
};

/**
 * struct power_model - the PMU of a processor
 * @name: for the log
 * @fields: of its codes
 * @nr_fields: of those
 * @valid: the bits that a code may have
 * @config1: those of attr.config1
 * @generic: codes of the generic events, 0 for those that it has not
 * @cache: codes of the generic cache events
 * @pairs: events with two codes
 * @nr_pairs: of those
 * @refused: codes that count something else on this revision
 * @nr_refused: of those
 * @bad_sampling: of the modes of sampling, a bit for each that is reserved
 * @sdar_mode: MMCRA: which addresses are sampled, where no event says it
 * @sdar_bits: MMCRA: where that is, if events can say it; cleared for marked ones; or 0
 * @traits: what an event is, POWER_IS_*; or negative: there is no such event
 * @bus_pmc4: of the events of a bus, one has to be on PMC4
 * @isa31: it is of version 3.1 of the architecture
 */
struct power_model {
	const char			*name;
	const struct power_field	*fields;
	unsigned int			nr_fields;
	u64				valid;
	u64				config1;
	u32				generic[PERF_COUNT_HW_MAX];
	const perf_counter_cache_events	*cache;
	const struct power_pair		*pairs;
	unsigned int			nr_pairs;
	const u32			*refused;
	unsigned int			nr_refused;
	u32				bad_sampling;
	u64				sdar_mode;
	u64				sdar_bits;
	int				(*traits)(u64 code, u64 more);
	bool				bus_pmc4;
	bool				isa31;
};

/* What events have in common with others that have it, one field beside the other. */
struct power_common {
	u64	mask;
	u64	value;
};

/**
 * struct power_taken - what a set, or a part of one, takes
 * @fixed: slots that its codes name
 * @any: events that take any of the general ones
 * @bus: it has events of a bus that need one of them on PMC4
 * @bus_pmc4: and that is there
 * @common: what its events have in common with others
 */
struct power_taken {
	u8			fixed;
	u8			any;
	bool			bus;
	bool			bus_pmc4;
	struct power_common	common;
};

/**
 * struct power_set - events that are to count at the same time
 * @nr: how many
 * @hw: their counters
 * @code: which of the event's codes, once there is a solution; 0 before, or the one it has
 * @slot: and where; POWER_ANY_SLOT before, or where it is
 * @taken: what they take, once there is a solution
 */
struct power_set {
	unsigned int			nr;
	const struct perf_counter_hw	*hw[POWER_SLOTS];
	u64				code[POWER_SLOTS];
	u8				slot[POWER_SLOTS];
	struct power_taken		taken;
};

/* events.c */
extern const struct power_model power8_model, power9_model, power10_model;
extern const struct power_model power9_dd21_model, power9_dd22_model;
int power_event_init(const struct power_model *model, const struct perf_counter_attr *attr,
		     struct perf_counter_hw *hw);
bool power_set_add(struct power_set *set, const struct perf_counter_hw *hw);
bool power_set_solve(const struct power_model *model, struct power_set *set);
int power_set_extend(const struct power_model *model, struct power_taken *taken, u8 used,
		     const struct perf_counter_hw *hw, u64 *code);
void power_set_encode(const struct power_model *model, const struct power_set *set,
		      u64 registers[POWER_REGISTERS]);

/* siar.c */
bool power_describe(const struct power_model *model, const struct perf_counter_hw *hw,
		    u64 mmcra, u64 types, struct pt_regs *regs,
		    struct perf_counter_hw_known *known);
u64 power_data_src(const struct power_model *model, u64 sier, u64 mmcra);
u64 power_latency(const struct power_model *model, u64 sier, u64 mmcra);

/* bhrb.c */
const struct perf_counter_recorder *power_bhrb_init(const struct power_model *model);
u64 power_bhrb_filter(u32 what);
u64 power_branch_target(u32 insn, u64 from);
unsigned int power_branch_type(u32 insn);

/* core.c */
u32 power_recording(void);
void power_record(u32 what);
u64 power_freeze(void);
void power_thaw(u64 mmcr0);

#endif /* _POWERPC_PERF_COUNTER_INTERNAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions shared by the files of perf_counter's powerpc backend. */
#ifndef _POWERPC_PERF_COUNTER_INTERNAL_H
#define _POWERPC_PERF_COUNTER_INTERNAL_H

#include <linux/bits.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <uapi/linux/perf_counter.h>

/* Slots 0 to 5 are PMC1 to PMC6. PMC5 and PMC6 only count instructions and cycles. */
#define POWER_SLOTS		6
#define POWER_GENERAL		4
#define POWER_ANY_SLOT		POWER_SLOTS

/*
 * Bits of a code that Linux defines: EBB requests event-based branches, BHRB their branch records.
 * LINUX is the mask of all bits that Linux may define.
 */
#define POWER_CODE_EBB		BIT_ULL(63)
#define POWER_CODE_BHRB		BIT_ULL(62)
#define POWER_CODE_LINUX	GENMASK_ULL(63, 60)
/* Marked event: counts what happens to sampled instructions. */
#define POWER_CODE_MARKED	BIT_ULL(8)

/*
 * Bits of hw->extra_config: a threshold in the layout of MMCRA; NO_*: the event is not counted in
 * this state; PRECISE: samples need the exact instruction.
 */
#define POWER_EXTRA_THRESHOLD	GENMASK_ULL(10, 0)
#define POWER_EXTRA_NO_USER	BIT_ULL(16)
#define POWER_EXTRA_NO_KERNEL	BIT_ULL(17)
#define POWER_EXTRA_NO_HV	BIT_ULL(18)
#define POWER_EXTRA_NO_IDLE	BIT_ULL(19)
#define POWER_EXTRA_PRECISE	BIT_ULL(20)

/* Registers that have fields of events. */
enum power_register {
	POWER_MMCR1,
	POWER_MMCR2,
	POWER_MMCR3,
	POWER_MMCRA,
	POWER_REGISTERS,
	/*
	 * No register: the field has to be equal in all events of a set, but is not written
	 * anywhere.
	 */
	POWER_NOWHERE = POWER_REGISTERS,
};

/**
 * struct power_field - a field of an event code
 * @from: lowest bit of the field in the code; 64 and up: in hw->extra_config
 * @bits: width of the field
 * @to: register that the field is written to, enum power_register
 * @at: lowest bit of the field in that register; if each PMC has its own bits, that of PMC1
 * @step: distance from the bits of one PMC down to those of the next; 0: all PMCs share the field
 * @of: POWER_IS_* of the events that have the field
 */
struct power_field {
	u8	from;
	u8	bits;
	u8	to;
	u8	at;
	u8	step;
	u8	of;
};

/* Traits of events of PMC1 to PMC4. */
#define POWER_IS_ANY		BIT(0)
#define POWER_IS_MARKED		BIT(1)
#define POWER_IS_CACHE		BIT(2)	/* selects one of the first-level caches */
#define POWER_IS_BUS		BIT(3)	/* event of the lower caches, which share a bus */
#define POWER_IS_L2L3		BIT(4)	/* event of a bus that has its own selector */
#define POWER_IS_THRESHOLD	BIT(5)
#define POWER_IS_FABRIC		BIT(6)	/* response of the fabric, of a selected type */
#define POWER_IS_SDAR		BIT(7)	/* selects the addresses that are sampled */

/*
 * Code of a generic cache event that makes no sense on any machine; code 0 means that this machine
 * lacks the event.
 */
#define POWER_NONSENSE		~0ULL

/* Two codes that count the same event. */
struct power_pair {
	u32	code;
	u32	other;
};

/**
 * struct power_model - the PMU of a processor
 * @name: name of the processor, for the log
 * @fields: fields of the codes
 * @nr_fields: number of @fields
 * @valid: mask of the bits that a code may have
 * @config1: mask of the bits that attr.config1 may have
 * @generic: codes of the generic events; 0: this PMU lacks the event
 * @cache: codes of the generic cache events
 * @pairs: events with two codes
 * @nr_pairs: number of @pairs
 * @refused: codes that count something else on this revision
 * @nr_refused: number of @refused
 * @bad_sampling: bit mask of the reserved sampling modes
 * @sdar_mode: bits of MMCRA that select the sampled addresses, if no event selects them
 * @sdar_bits: mask of the bits of MMCRA by which events select the sampled addresses; these bits
 *	are cleared for marked events; 0: events cannot select the addresses
 * @traits: function that returns POWER_IS_* of a code, or a negative number for an invalid one
 * @bus_pmc4: the events of a bus require that a set has one of them on PMC4
 * @isa31: the processor implements version 3.1 of the architecture
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
	int				(*traits)(u64 code, u64 extra);
	bool				bus_pmc4;
	bool				isa31;
};

/*
 * Shared fields of an event or of a set: the bits that have a required value, and the value of
 * these bits.
 */
struct power_common {
	u64	mask;
	u64	value;
};

/**
 * struct power_taken - resources that the events of a set use
 * @fixed: mask of slots that the codes name
 * @any: number of events that can use any general slot
 * @bus: the set has a bus event, so that one of its bus events has to be on PMC4
 * @bus_pmc4: a bus event is on PMC4
 * @common: values of the shared fields
 */
struct power_taken {
	u8			fixed;
	u8			any;
	bool			bus;
	bool			bus_pmc4;
	struct power_common	common;
};

/**
 * struct power_set - events that have to count at the same time
 * @nr: number of events
 * @hw: counter of each event
 * @code: code chosen for each event; before the set is solved: its present code, or 0
 * @slot: slot chosen for each event; before the set is solved: its present slot, or
 *	POWER_ANY_SLOT
 * @taken: resources that the events use, once the set is solved
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
		    struct perf_counter_hw_sample *known);

/* bhrb.c */
void power_bhrb_read(struct perf_counter_branches *branches, u32 what);
void power_bhrb_type(struct perf_branch_entry *entry);
u64 power_bhrb_filter(u32 what);
void power_bhrb_wipe(void);

#endif /* _POWERPC_PERF_COUNTER_INTERNAL_H */

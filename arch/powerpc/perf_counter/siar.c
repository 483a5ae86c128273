// SPDX-License-Identifier: GPL-2.0
/*
 * What POWER's PMU knows of a sample: the instruction (SIAR), the address of its data (SDAR),
 * and where these came from and how long that took (SIER, MMCRA).
 *
 * Of marked events instructions are sampled one at a time, and the registers are about one of
 * those, as far as SIER says that they are. Of others SIAR is an instruction that was there at
 * the time of the alert, which is earlier than the interrupt: better than the registers of that
 * where it could not come at once, which is in the kernel.
 */

#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include <asm/firmware.h>
#include <asm/reg.h>

#include "internal.h"

/* SIER: the kind of instruction; the source of a load's data, and more of that. */
#define SIER_TYPE		GENMASK_ULL(17, 15)
#define SIER_SOURCE		GENMASK_ULL(3, 1)
#define SIER_SOURCE_MORE	GENMASK_ULL(55, 53)
#define TYPE_LOAD		1
#define TYPE_STORE		2
#define TYPE_RESERVATION	7	/* larx or stcx., from version 3.1 on */

/* MMCRA: what kind of instructions is sampled; how long the last one took, in cycles. */
#define MMCRA_ELIGIBLE		GENMASK_ULL(6, 4)
#define ELIGIBLE_LOADS		5
#define ELIGIBLE_STORES		7
#define MMCRA_EXPONENT		GENMASK_ULL(29, 27)
#define MMCRA_MANTISSA		GENMASK_ULL(25, 19)
#define MMCRA_MANTISSA_31	GENMASK_ULL(26, 19)

/* SIER2: cycles to the end of the execution, and to dispatch. */
#define SIER2_FINISH		GENMASK_ULL(36, 26)
#define SIER2_DISPATCH		GENMASK_ULL(60, 50)

#define HIT(level)	(PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, level))
#define NUM(level)	PERF_MEM_S(LVLNUM, level)
#define SNOOP_HIT	PERF_MEM_S(SNOOP, HIT)
#define SNOOP_HITM	PERF_MEM_S(SNOOP, HITM)
#define REMOTE		PERF_MEM_S(REMOTE, REMOTE)
#define HOPS(nr)	PERF_MEM_S(HOPS, nr)

#define L1		(HIT(L1) | NUM(L1) | SNOOP_HIT)
#define L2		(HIT(L2) | NUM(L2))
#define L3		(HIT(L3) | NUM(L3))
/* Of another core of the chip. */
#define OTHER		(REMOTE | HOPS(0))
#define L1_MISSED	(PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, L1))
#define MEMORY(level)	(HIT(level) | SNOOP_HIT)
#define PMEM		(PERF_MEM_S(LVL, HIT) | NUM(PMEM) | SNOOP_HIT)

/* By source, and what more is said of it; 0 for unknown. */
static const u64 sources[8][8] = {
	[1] = { [0 ... 7] = L1 },
	[2] = { [0 ... 7] = L2 | SNOOP_HIT },
	[3] = { [0 ... 7] = L3 | SNOOP_HIT },
	[4] = {
		MEMORY(LOC_RAM), MEMORY(LOC_RAM), MEMORY(REM_RAM1), MEMORY(REM_RAM2),
		MEMORY(REM_RAM2), MEMORY(REM_RAM2), MEMORY(REM_RAM2), MEMORY(REM_RAM2),
	},
	[5] = {
		L2 | OTHER | SNOOP_HIT, L2 | OTHER | SNOOP_HITM,
		L3 | OTHER | SNOOP_HIT, L3 | OTHER | SNOOP_HITM,
		L3 | OTHER | SNOOP_HIT, L3 | OTHER | SNOOP_HITM,
	},
	[6] = {
		HIT(REM_CCE2) | SNOOP_HIT, HIT(REM_CCE2) | SNOOP_HITM,
		HIT(REM_CCE2) | SNOOP_HIT, HIT(REM_CCE2) | SNOOP_HITM,
		HIT(REM_CCE2), HIT(REM_CCE2), HIT(REM_CCE2), HIT(REM_CCE2),
	},
	[7] = { [0 ... 7] = L1_MISSED },
};

/* Those from version 3.1 of the architecture on. */
static const u64 sources_31[8][8] = {
	[1] = { [0 ... 7] = L1 },
	[2] = { [0 ... 7] = L2 | SNOOP_HIT },
	[3] = { [0 ... 7] = L3 | SNOOP_HIT },
	[4] = {
		SNOOP_HIT, MEMORY(LOC_RAM) | NUM(RAM), PMEM, PMEM,
		MEMORY(REM_RAM1) | REMOTE | NUM(RAM) | HOPS(2), PMEM | REMOTE,
		MEMORY(REM_RAM2) | REMOTE | NUM(RAM) | HOPS(3), PMEM | REMOTE,
	},
	[5] = {
		L2 | OTHER | SNOOP_HIT, L2 | OTHER | SNOOP_HITM,
		L3 | OTHER | SNOOP_HIT, L3 | OTHER | SNOOP_HITM,
		L2 | OTHER | SNOOP_HIT, L2 | OTHER | SNOOP_HITM,
		L3 | OTHER | SNOOP_HIT, L3 | OTHER | SNOOP_HITM,
	},
	[6] = {
		HIT(REM_CCE1) | NUM(ANY_CACHE) | REMOTE | SNOOP_HIT | HOPS(2),
		HIT(REM_CCE1) | NUM(ANY_CACHE) | REMOTE | SNOOP_HITM | HOPS(2),
		HIT(REM_CCE2) | NUM(ANY_CACHE) | REMOTE | SNOOP_HIT | HOPS(3),
		HIT(REM_CCE2) | NUM(ANY_CACHE) | REMOTE | SNOOP_HITM | HOPS(3),
	},
	[7] = { [0 ... 7] = L1_MISSED },
};

/* What a sampled instruction does with memory, PERF_MEM_OP_*; 0: nothing that is known. */
static u64 operation(const struct power_model *model, u64 sier, u64 mmcra)
{
	switch (FIELD_GET(SIER_TYPE, sier)) {
	case TYPE_LOAD:
		return PERF_MEM_S(OP, LOAD);
	case TYPE_STORE:
		return PERF_MEM_S(OP, STORE);
	case TYPE_RESERVATION:
		if (!model->isa31)
			return 0;
		/* One of two, which those that are sampled tell. */
		switch (FIELD_GET(MMCRA_ELIGIBLE, mmcra)) {
		case ELIGIBLE_LOADS:
			return PERF_MEM_S(OP, LOAD);
		case ELIGIBLE_STORES:
			return PERF_MEM_S(OP, STORE);
		}
		return PERF_MEM_S(OP, NA);
	}
	return 0;
}

/**
 * power_data_src() - where the data of a sampled instruction came from
 * @model: the PMU
 * @sier: SIER
 * @mmcra: MMCRA
 *
 * Return: PERF_MEM_*; 0 for unknown.
 */
u64 power_data_src(const struct power_model *model, u64 sier, u64 mmcra)
{
	u64 op = operation(model, sier, mmcra), source;
	unsigned int i = FIELD_GET(SIER_SOURCE, sier), more = FIELD_GET(SIER_SOURCE_MORE, sier);

	if (!op)
		return 0;
	source = model->isa31 ? sources_31[i][more] : sources[i][more];
	return op | (source ?: PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
			       PERF_MEM_S(LVLNUM, NA)) |
	       PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA);
}

/**
 * power_latency() - how long a sampled instruction took
 * @model: the PMU
 * @sier: SIER
 * @mmcra: MMCRA
 *
 * Return: events of the kind that the sampled event measures with, cycles mostly; 0 for unknown.
 */
u64 power_latency(const struct power_model *model, u64 sier, u64 mmcra)
{
	unsigned int type = FIELD_GET(SIER_TYPE, sier);
	u64 mantissa;

	if (!type || (type == TYPE_RESERVATION && !model->isa31))
		return 0;
	mantissa = model->isa31 ? FIELD_GET(MMCRA_MANTISSA_31, mmcra) :
				  FIELD_GET(MMCRA_MANTISSA, mmcra);
	return mantissa << 2 * FIELD_GET(MMCRA_EXPONENT, mmcra);
}

/* Where @types want them, the weight or its three parts. */
static u64 weight(const struct power_model *model, u64 sier, u64 types)
{
	union perf_sample_weight weight = {
		.full = power_latency(model, sier, mfspr(SPRN_MMCRA)),
	};
	u64 sier2;

	if ((types & PERF_SAMPLE_WEIGHT_STRUCT) && model->isa31) {
		sier2 = mfspr(SPRN_SIER2);
		weight.var2_w = FIELD_GET(SIER2_FINISH, sier2);
		weight.var3_w = FIELD_GET(SIER2_DISPATCH, sier2);
	}
	return weight.full;
}

/*
 * The instruction of an event that is not marked, while no instructions are sampled; 0: it
 * is where the registers are. An alert in user mode comes at once, and SIER may say so. POWER10
 * does not set SIER each time: there the event is taken for one of user mode, unless @hw does not
 * count that, and the alert came late, on the way out of the kernel.
 */
static u64 near_instruction(const struct power_model *model, const struct perf_counter_hw *hw,
			    struct pt_regs *regs, u64 sier)
{
	bool user = (sier & SIER_SIPR) || (model->isa31 && !(hw->more & POWER_MORE_NO_USER));

	if (user_mode(regs) && user)
		return 0;
	return mfspr(SPRN_SIAR);
}

/*
 * The state that the instruction at @siar ran in, by SIER; @model and @hw as in power_describe().
 * The mode bit of SIER may be ahead of SIAR where an interrupt is entered, and POWER10 does not
 * set it each time: an address of the kernel's is the kernel's, whatever SIER says, and there a
 * low one is taken for a program's. Elsewhere it may be one of firmware, or of the kernel in
 * real mode. On bare metal hypervisor state is the kernel's.
 */
static u16 mode_of(const struct power_model *model, const struct perf_counter_hw *hw, u64 siar,
		   u64 sier)
{
	bool problem = sier & SIER_SIPR;

	if (!problem && (sier & SIER_SIHV) && firmware_has_feature(FW_FEATURE_LPAR))
		return PERF_RECORD_MISC_HYPERVISOR;
	if (perf_counter_in_kernel(siar))
		return PERF_RECORD_MISC_KERNEL;
	if (problem || (model->isa31 && !(hw->more & POWER_MORE_NO_USER)))
		return PERF_RECORD_MISC_USER;
	return PERF_RECORD_MISC_KERNEL;
}

/**
 * power_describe() - what is known of a sample
 * @model: the PMU
 * @hw: whose counter has overflowed
 * @mmcra: what MMCRA was set to
 * @types: PERF_SAMPLE_* that it has
 * @regs: of the interrupt
 * @known: all zero; filled in
 *
 * Context: the interrupt; the PMU is frozen.
 * Return: false when the instruction was to be exact, and is not known.
 */
bool power_describe(const struct power_model *model, const struct perf_counter_hw *hw,
		    u64 mmcra, u64 types, struct pt_regs *regs,
		    struct perf_counter_hw_known *known)
{
	bool marked = hw->config & POWER_CODE_MARKED;
	u64 sier = mfspr(SPRN_SIER);

	if (!marked && (mmcra & MMCRA_SAMPLE_ENABLE))
		return true;
	if (!marked)
		known->ip = near_instruction(model, hw, regs, sier);
	else if (sier & SIER_SIAR_VALID)
		known->ip = mfspr(SPRN_SIAR);
	else if (hw->more & POWER_MORE_PRECISE)
		return false;
	known->mode = mode_of(model, hw, known->ip, sier);
	if (types & (PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE) &&
	    (sier & SIER_SDAR_VALID))
		known->addr = mfspr(SPRN_SDAR);
	if (!marked)
		return true;
	if (types & PERF_SAMPLE_DATA_SRC)
		known->data_src = power_data_src(model, sier, mmcra);
	if (types & PERF_SAMPLE_WEIGHT_TYPE)
		known->weight = weight(model, sier, types);
	return true;
}

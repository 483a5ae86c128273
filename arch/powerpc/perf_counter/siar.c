// SPDX-License-Identifier: GPL-2.0
/*
 * Facts of a sample that POWER's PMU records: the instruction (SIAR), the address of its data
 * (SDAR), and the source of the data and the latency (SIER, MMCRA).
 *
 * For marked events, the PMU samples one instruction at a time, and the registers describe such an
 * instruction only if SIER marks them as valid. For other events, SIAR is the address of an
 * instruction in execution at the time of the alert. The alert is earlier than the interrupt. In
 * the kernel, where interrupts may be masked, SIAR is thus better than the registers of the
 * interrupt.
 */

#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include <asm/firmware.h>
#include <asm/reg.h>

#include "internal.h"

/* SIER: type of the instruction; source of a load's data, in two parts. */
#define SIER_TYPE		GENMASK_ULL(17, 15)
#define SIER_SOURCE		GENMASK_ULL(3, 1)
#define SIER_SOURCE_MORE	GENMASK_ULL(55, 53)
#define TYPE_LOAD		1
#define TYPE_STORE		2
#define TYPE_RESERVATION	7	/* larx or stcx., from version 3.1 on */

/* MMCRA: type of instructions that are sampled; duration of the last one, in cycles. */
#define MMCRA_ELIGIBLE		GENMASK_ULL(6, 4)
#define ELIGIBLE_LOADS		5
#define ELIGIBLE_STORES		7
#define MMCRA_EXPONENT		GENMASK_ULL(29, 27)
#define MMCRA_MANTISSA		GENMASK_ULL(25, 19)
#define MMCRA_MANTISSA_31	GENMASK_ULL(26, 19)

/* SIER2: cycles until the end of the execution, and until dispatch. */
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
/* Cache of another core of the same chip. */
#define OTHER		(REMOTE | HOPS(0))
#define L1_MISSED	(PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, L1))
#define MEMORY(level)	(HIT(level) | SNOOP_HIT)
#define PMEM		(PERF_MEM_S(LVL, HIT) | NUM(PMEM) | SNOOP_HIT)

/* Data sources by the two parts of SIER's source, before version 3.1; 0: unknown. */
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

/* Data sources by the two parts of SIER's source, from version 3.1 on; 0: unknown. */
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

/* Return the memory operation of a sampled instruction, PERF_MEM_OP_*; 0: unknown. */
static u64 power_mem_op(const struct power_model *model, u64 sier, u64 mmcra)
{
	switch (FIELD_GET(SIER_TYPE, sier)) {
	case TYPE_LOAD:
		return PERF_MEM_S(OP, LOAD);
	case TYPE_STORE:
		return PERF_MEM_S(OP, STORE);
	case TYPE_RESERVATION:
		if (!model->isa31)
			return 0;
		/* A larx or stcx.; the type of sampled instructions tells which one. */
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

/* Return the source of a sampled instruction's data, PERF_MEM_*; 0 for unknown. */
static u64 power_data_src(const struct power_model *model, u64 sier, u64 mmcra)
{
	u64 op = power_mem_op(model, sier, mmcra), source;
	unsigned int i = FIELD_GET(SIER_SOURCE, sier), more = FIELD_GET(SIER_SOURCE_MORE, sier);

	if (!op)
		return 0;
	source = model->isa31 ? sources_31[i][more] : sources[i][more];
	return op | (source ?: PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
			       PERF_MEM_S(LVLNUM, NA)) |
	       PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA);
}

/*
 * Return the duration of a sampled instruction, in the unit that the sampled event measures, mostly
 * cycles; 0 for unknown.
 */
static u64 power_latency(const struct power_model *model, u64 sier, u64 mmcra)
{
	unsigned int type = FIELD_GET(SIER_TYPE, sier);
	u64 mantissa;

	if (!type || (type == TYPE_RESERVATION && !model->isa31))
		return 0;
	mantissa = model->isa31 ? FIELD_GET(MMCRA_MANTISSA_31, mmcra) :
				  FIELD_GET(MMCRA_MANTISSA, mmcra);
	return mantissa << 2 * FIELD_GET(MMCRA_EXPONENT, mmcra);
}

/* Return the weight of a sample; with PERF_SAMPLE_WEIGHT_STRUCT in @types, its three parts. */
static u64 power_weight(const struct power_model *model, u64 sier, u64 types)
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
 * Return the instruction address for an unmarked event, while no instructions are sampled; 0: use
 * the interrupt's registers. In user mode an alert interrupts at once, and SIER shows user mode.
 * POWER10 does not set SIER each time. So on POWER10 an interrupt in user mode counts as user mode,
 * unless @hw does not count there: then the alert came late, on the way out of the kernel.
 */
static u64 power_unmarked_ip(const struct power_model *model, const struct perf_counter_hw *hw,
			     struct pt_regs *regs, u64 sier)
{
	bool user = (sier & SIER_SIPR) ||
		    (model->isa31 && !(hw->extra_config & POWER_EXTRA_NO_USER));

	if (user_mode(regs) && user)
		return 0;
	return mfspr(SPRN_SIAR);
}

/*
 * Return the state that the instruction at @siar ran in, PERF_RECORD_MISC_*, from SIER. When an
 * interrupt is entered, the mode bit of SIER may be ahead of SIAR; and POWER10 does not set the bit
 * each time. So a kernel address means the kernel, whatever SIER says, and on POWER10 a low address
 * means user mode. On other processors a low address may be firmware, or the kernel in real mode.
 * On bare metal, hypervisor state is the kernel.
 */
static u16 power_sample_mode(const struct power_model *model, const struct perf_counter_hw *hw,
			     u64 siar, u64 sier)
{
	bool problem = sier & SIER_SIPR;

	if (!problem && (sier & SIER_SIHV) && firmware_has_feature(FW_FEATURE_LPAR))
		return PERF_RECORD_MISC_HYPERVISOR;
	if (perf_counter_in_kernel(siar))
		return PERF_RECORD_MISC_KERNEL;
	if (problem || (model->isa31 && !(hw->extra_config & POWER_EXTRA_NO_USER)))
		return PERF_RECORD_MISC_USER;
	return PERF_RECORD_MISC_KERNEL;
}

/**
 * power_describe() - Get the facts of a sample that the PMU recorded
 * @model: PMU of the processor
 * @hw: counter that has overflowed
 * @mmcra: value that MMCRA was set to
 * @types: PERF_SAMPLE_* of the sample
 * @regs: registers of the interrupt
 * @known: facts, zeroed by the caller; filled in
 *
 * Context: The PMU's interrupt; the PMU is frozen.
 * Return: false if the sample needs the exact instruction and it is not known.
 */
bool power_describe(const struct power_model *model, const struct perf_counter_hw *hw,
		    u64 mmcra, u64 types, struct pt_regs *regs,
		    struct perf_counter_hw_sample *known)
{
	bool marked = hw->config & POWER_CODE_MARKED;
	u64 sier = mfspr(SPRN_SIER);

	if (!marked && (mmcra & MMCRA_SAMPLE_ENABLE))
		return true;
	if (!marked)
		known->ip = power_unmarked_ip(model, hw, regs, sier);
	else if (sier & SIER_SIAR_VALID)
		known->ip = mfspr(SPRN_SIAR);
	else if (hw->extra_config & POWER_EXTRA_PRECISE)
		return false;
	known->mode = power_sample_mode(model, hw, known->ip, sier);
	if (types & (PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE) &&
	    (sier & SIER_SDAR_VALID))
		known->addr = mfspr(SPRN_SDAR);
	if (!marked)
		return true;
	if (types & PERF_SAMPLE_DATA_SRC)
		known->data_src = power_data_src(model, sier, mmcra);
	if (types & PERF_SAMPLE_WEIGHT_TYPE)
		known->weight = power_weight(model, sier, types);
	return true;
}

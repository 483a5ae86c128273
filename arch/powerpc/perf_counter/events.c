// SPDX-License-Identifier: GPL-2.0
/*
 * Events of POWER8, POWER9 and POWER10: the meaning of their codes, and which events can count at
 * the same time.
 *
 * A code names a counter or leaves it open, selects an event of a unit, and has fields for
 * registers that all counters share: which instructions are sampled, which events start and end a
 * measured time, which bus of the caches is watched. Events that share a field have to agree on its
 * value, or they cannot count together. Some events have a second code, on another counter. So
 * whether there is room for an event depends on the whole set. The search tries a code for each
 * event, beginning with its present one, and then assigns slots to events that can use any.
 *
 * Sources for the fields: the user's guide of each processor's performance monitoring unit.
 * perf_events' raw events have the same layout.
 */

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include <asm/reg.h>

#include "internal.h"

/* === Traits of events === */

#define CODE_PMC(code)		((code) >> 16 & 0xf)
#define CODE_UNIT(code)		((code) >> 12 & 0xf)
#define CODE_CACHE(code)	((code) >> 20 & 0xf)
#define CODE_SAMPLING(code)	((code) >> 24 & 0x1f)
#define CODE_THRESHOLD(code)	((code) >> 29 & 0x7)
#define CODE_START_STOP(code)	((code) >> 32 & 0xff)

/* PM_RUN_INST_CMPL and PM_RUN_CYC: the only events of PMC5 and PMC6. */
#define CODE_RUN_INST		0x500fa
#define CODE_RUN_CYCLES		0x600f4
/* Codes of instructions and cycles on general counters, which count also while the CPU is idle. */
#define CODE_INST		0x00002
#define CODE_CYCLES		0x0001e

/*
 * Check a threshold of a mantissa and an exponent: if the exponent is not 0, one of the upper two
 * bits of the mantissa has to be 1.
 */
static bool power_is_threshold(u64 code)
{
	unsigned int length = code >> 40 & 0x3ff;

	return length < 0x80 || (length & 0x60);
}

static int power_common_traits(u64 code)
{
	unsigned int unit = CODE_UNIT(code);
	int traits = POWER_IS_ANY;

	if (code & POWER_CODE_MARKED)
		traits |= POWER_IS_MARKED;
	if (unit >= 6 && unit <= 9)
		traits |= POWER_IS_BUS;
	return traits;
}

/* On POWER8, the selector of the lower caches belongs to the hypervisor and has to be 0. */
static int power8_traits(u64 code, u64 extra)
{
	int traits = power_common_traits(code);
	u64 select = code & 0xff0fe;

	if ((traits & POWER_IS_BUS) && (CODE_CACHE(code) & 0x7))
		return -1;
	if (CODE_CACHE(code) & 0x4)
		traits |= POWER_IS_CACHE;
	/* PM_MRK_FAB_RSP_MATCH and PM_MRK_FAB_RSP_MATCH_CYC. */
	if (select == 0x30056 || select == 0x4f052)
		return traits | POWER_IS_FABRIC;
	return power_is_threshold(code) ? traits | POWER_IS_THRESHOLD : -1;
}

static int power9_traits(u64 code, u64 extra)
{
	int traits = power_common_traits(code);

	if (!(traits & POWER_IS_BUS) || (CODE_CACHE(code) & 0x3))
		traits |= POWER_IS_CACHE;
	if (CODE_THRESHOLD(code) && !power_is_threshold(code))
		return -1;
	if (code & GENMASK_ULL(49, 29))
		traits |= POWER_IS_THRESHOLD;
	if (!(traits & POWER_IS_MARKED) && (code >> 50 & 0x3))
		traits |= POWER_IS_SDAR;
	return traits;
}

static int power10_traits(u64 code, u64 extra)
{
	int traits = power_common_traits(code);

	if (!(traits & POWER_IS_BUS) || (CODE_CACHE(code) & 0x3))
		traits |= POWER_IS_CACHE;
	if (CODE_UNIT(code) == 6 || (code & GENMASK_ULL(44, 40)))
		traits |= POWER_IS_L2L3;
	if ((code & GENMASK_ULL(39, 29)) || (extra & POWER_EXTRA_THRESHOLD))
		traits |= POWER_IS_THRESHOLD;
	if (!(traits & POWER_IS_MARKED) && (code >> 22 & 0x3))
		traits |= POWER_IS_SDAR;
	return traits;
}

/*
 * Return POWER_IS_* of a code; 0 for events of PMC5 and PMC6, which have no fields; negative for an
 * invalid code.
 */
static int power_event_traits(const struct power_model *model, u64 code, u64 extra)
{
	unsigned int pmc = CODE_PMC(code);

	if (code & ~model->valid || pmc > POWER_SLOTS)
		return -1;
	code &= ~POWER_CODE_LINUX;
	if (pmc > POWER_GENERAL)
		return code == CODE_RUN_INST || code == CODE_RUN_CYCLES ? 0 : -1;
	return model->traits(code, extra);
}

/* === Fields === */

static u64 power_field_value(const struct power_field *field, u64 code, u64 extra)
{
	u64 value = field->from < 64 ? code >> field->from : extra >> (field->from - 64);

	return value & GENMASK_ULL(field->bits - 1, 0);
}

static struct power_common power_event_common(const struct power_model *model, int traits, u64 code,
					      u64 extra)
{
	const struct power_field *field;
	struct power_common common = {};
	unsigned int at = 0;

	for (field = model->fields; traits && field < model->fields + model->nr_fields; field++) {
		if (field->step)
			continue;
		if (traits & field->of) {
			common.mask |= GENMASK_ULL(field->bits - 1, 0) << at;
			common.value |= power_field_value(field, code, extra) << at;
		}
		at += field->bits;
	}
	return common;
}

/**
 * power_set_encode() - Compute the registers that a set needs
 * @model: PMU of the processor
 * @set: a solved set
 * @registers: values of the registers, filled in
 */
void power_set_encode(const struct power_model *model, const struct power_set *set,
		      u64 registers[POWER_REGISTERS])
{
	const struct power_field *field;
	unsigned int i, at;
	int traits;
	u64 extra;

	memset(registers, 0, POWER_REGISTERS * sizeof(*registers));
	for (i = 0; i < set->nr; i++) {
		extra = set->hw[i]->extra_config;
		traits = power_event_traits(model, set->code[i], extra);
		for (field = model->fields; field < model->fields + model->nr_fields; field++) {
			if (!(traits & field->of) || field->to == POWER_NOWHERE)
				continue;
			at = field->at - field->step * set->slot[i];
			registers[field->to] |= power_field_value(field, set->code[i], extra) << at;
		}
		if (traits & POWER_IS_MARKED)
			registers[POWER_MMCRA] |= MMCRA_SAMPLE_ENABLE;
	}
	if (model->sdar_bits && (registers[POWER_MMCRA] & MMCRA_SAMPLE_ENABLE))
		registers[POWER_MMCRA] &= ~model->sdar_bits;
	else if (!(registers[POWER_MMCRA] & model->sdar_bits))
		registers[POWER_MMCRA] |= model->sdar_mode;
}

/* === Sets === */

/*
 * Maximum number of codes of one event: its code and its second code, and for each of the two, the
 * code that counts the same in a task.
 */
#define CODES_MAX	4

static u64 power_other_code(const struct power_model *model, u64 code)
{
	unsigned int i;

	for (i = 0; i < model->nr_pairs; i++) {
		if (model->pairs[i].code == code)
			return model->pairs[i].other;
		if (model->pairs[i].other == code)
			return model->pairs[i].code;
	}
	return 0;
}

/* Return a code that counts the same as @code in a task, which is never idle; 0: no such code. */
static u64 power_task_code(u64 code)
{
	switch (code) {
	case CODE_INST:
		return CODE_RUN_INST;
	case CODE_RUN_INST:
		return CODE_INST;
	case CODE_CYCLES:
		return CODE_RUN_CYCLES;
	case CODE_RUN_CYCLES:
		return CODE_CYCLES;
	}
	return 0;
}

static unsigned int power_add_code(u64 codes[CODES_MAX], unsigned int nr, u64 code)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (codes[i] == code)
			return nr;
	}
	codes[nr] = code;
	return nr + 1;
}

/*
 * Store the codes of @hw's event, in the order of preference, and return their number. If @first is
 * not 0, it is one of them and comes first.
 */
static unsigned int power_event_codes(const struct power_model *model,
				      const struct perf_counter_hw *hw, u64 first,
				      u64 codes[CODES_MAX])
{
	const u64 code = hw->config, other = power_other_code(model, code);
	const u64 task = hw->of_task ? power_task_code(code) : 0;
	const u64 other_task = hw->of_task ? power_task_code(other) : 0;
	unsigned int nr = 0;

	/* Code 0 counts nothing, so 0 can stand for no code. */
	if (first)
		nr = power_add_code(codes, nr, first);
	/* Prefer PMC5 and PMC6, to leave the general counters to other events. */
	if (CODE_PMC(task) > POWER_GENERAL)
		nr = power_add_code(codes, nr, task);
	if (CODE_PMC(other) > POWER_GENERAL)
		nr = power_add_code(codes, nr, other);
	nr = power_add_code(codes, nr, code);
	if (other)
		nr = power_add_code(codes, nr, other);
	if (task)
		nr = power_add_code(codes, nr, task);
	if (other_task)
		nr = power_add_code(codes, nr, other_task);
	return nr;
}

/* Add the resources of an event with @code to @taken. Return false if there is no room. */
static bool power_take_code(const struct power_model *model, struct power_taken *taken, u64 code,
			    u64 extra)
{
	unsigned int pmc = CODE_PMC(code);
	struct power_common common;
	int traits;

	if (pmc && (taken->fixed & BIT(pmc - 1)))
		return false;
	traits = power_event_traits(model, code, extra);
	if (traits < 0)
		return false;
	common = power_event_common(model, traits, code, extra);
	if ((common.value ^ taken->common.value) & common.mask & taken->common.mask)
		return false;
	taken->common.mask |= common.mask;
	taken->common.value |= common.value;
	if (pmc)
		taken->fixed |= BIT(pmc - 1);
	else
		taken->any++;
	if (model->bus_pmc4 && (traits & POWER_IS_BUS)) {
		taken->bus = true;
		taken->bus_pmc4 |= pmc == 4;
	}
	return hweight8(taken->fixed & GENMASK(POWER_GENERAL - 1, 0)) + taken->any <=
	       POWER_GENERAL;
}

/* Check that one of the set's bus events is on PMC4, if the set has any that need it. */
static bool power_set_complete(const struct power_taken *taken)
{
	return !taken->bus || taken->bus_pmc4;
}

/*
 * Find a code for each event from the @nr-th on. The depth of the recursion is the size of the set.
 */
static bool power_search_codes(const struct power_model *model, struct power_set *set,
			       unsigned int nr, struct power_taken before)
{
	u64 codes[CODES_MAX], had = set->code[nr];
	unsigned int i, nr_codes;
	struct power_taken taken;

	nr_codes = power_event_codes(model, set->hw[nr], had, codes);
	for (i = 0; i < nr_codes; i++) {
		taken = before;
		if (!power_take_code(model, &taken, codes[i], set->hw[nr]->extra_config))
			continue;
		set->code[nr] = codes[i];
		set->taken = taken;
		if (nr + 1 < set->nr ? power_search_codes(model, set, nr + 1, taken) :
				       power_set_complete(&taken))
			return true;
	}
	set->code[nr] = had;
	return false;
}

/* Assign slots. Events that can use any slot keep their present one if no other event needs it. */
static void power_assign_slots(struct power_set *set)
{
	unsigned int i, pmc;
	u8 taken = 0;

	for (i = 0; i < set->nr; i++) {
		pmc = CODE_PMC(set->code[i]);
		if (pmc)
			set->slot[i] = pmc - 1;
		taken |= pmc ? BIT(pmc - 1) : 0;
	}
	for (i = 0; i < set->nr; i++) {
		if (CODE_PMC(set->code[i]))
			continue;
		if (set->slot[i] >= POWER_GENERAL || (taken & BIT(set->slot[i])))
			set->slot[i] = POWER_ANY_SLOT;
		else
			taken |= BIT(set->slot[i]);
	}
	for (i = 0; i < set->nr; i++) {
		if (set->slot[i] != POWER_ANY_SLOT)
			continue;
		set->slot[i] = ffz(taken);
		taken |= BIT(set->slot[i]);
	}
}

/**
 * power_set_add() - Add an event to a set
 * @set: set to add to
 * @hw: counter of the event
 *
 * Return: true; false if the set already has POWER_SLOTS events.
 */
bool power_set_add(struct power_set *set, const struct perf_counter_hw *hw)
{
	if (set->nr == POWER_SLOTS)
		return false;
	set->hw[set->nr] = hw;
	set->code[set->nr] = 0;
	set->slot[set->nr++] = POWER_ANY_SLOT;
	return true;
}

/**
 * power_set_solve() - Find codes and slots with which a set can count
 * @model: PMU of the processor
 * @set: set, not empty; present codes and slots of its events are kept where possible
 *
 * Return: false if there is no solution; the slots are unchanged then.
 */
bool power_set_solve(const struct power_model *model, struct power_set *set)
{
	if (!power_search_codes(model, set, 0, (struct power_taken) {}))
		return false;
	power_assign_slots(set);
	return true;
}

/**
 * power_set_extend() - Find room for one more event without changing the others
 * @model: PMU of the processor
 * @taken: resources of the other events; those of @hw are added if there is room
 * @used: mask of slots of the other events
 * @hw: counter of the new event
 * @code: set to the code for the new event
 *
 * If there is room, the result is that of power_set_solve() for all events.
 *
 * Return: slot of the new event; negative if there is no room unless other events change.
 */
int power_set_extend(const struct power_model *model, struct power_taken *taken, u8 used,
		     const struct perf_counter_hw *hw, u64 *code)
{
	struct power_taken with;
	u64 codes[CODES_MAX];
	unsigned int i, nr;
	int slot;

	nr = power_event_codes(model, hw, 0, codes);
	for (i = 0; i < nr; i++) {
		with = *taken;
		if (power_take_code(model, &with, codes[i], hw->extra_config) &&
		    power_set_complete(&with))
			break;
	}
	if (i == nr)
		return -1;
	if (CODE_PMC(codes[i]))
		slot = CODE_PMC(codes[i]) - 1;
	else if (hw->slot >= 0 && hw->slot < POWER_GENERAL && !(used & BIT(hw->slot)))
		slot = hw->slot;
	else
		slot = ffz(used);
	/* An event that can use any slot would have to move. */
	if (used & BIT(slot))
		return -1;
	*taken = with;
	*code = codes[i];
	return slot;
}

/* === Opening === */

static int power_cache_code(const struct power_model *model, u64 config, u64 *code)
{
	const u64 *event = perf_counter_cache_event(model->cache, config);

	if (!event || *event == POWER_NONSENSE)
		return -EINVAL;
	*code = *event;
	return *code ? 0 : -EOPNOTSUPP;
}

static bool power_is_refused(const struct power_model *model, u64 code)
{
	unsigned int i;

	for (i = 0; i < model->nr_refused; i++) {
		if (model->refused[i] == code)
			return true;
	}
	return false;
}

/* Tell whether a raw @code has a reserved value. */
static bool power_is_reserved(const struct power_model *model, u64 code)
{
	unsigned int start_stop = CODE_START_STOP(code);

	if (model->bad_sampling & BIT(CODE_SAMPLING(code)))
		return true;
	return model->bad_sampling && ((start_stop & 0xf) == 0xf || start_stop >> 4 == 0xf);
}

static int power_event_code(const struct power_model *model, const struct perf_counter_attr *attr,
			    u64 *code)
{
	u64 config = attr->config;

	/* A generic event may name the type of its PMU in the upper half of config. */
	if (attr->type != PERF_TYPE_RAW && config >> PERF_PMU_TYPE_SHIFT) {
		if (config >> PERF_PMU_TYPE_SHIFT != PERF_TYPE_RAW)
			return -ENOENT;
		config &= PERF_HW_EVENT_MASK;
	}
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		if (config >= PERF_COUNT_HW_MAX)
			return -EOPNOTSUPP;
		*code = model->generic[array_index_nospec(config, PERF_COUNT_HW_MAX)];
		return *code ? 0 : -EOPNOTSUPP;
	case PERF_TYPE_HW_CACHE:
		return power_cache_code(model, config, code);
	default:
		*code = config;
		return power_is_refused(model, config) || power_is_reserved(model, config) ?
		       -EINVAL : 0;
	}
}

/*
 * Return a threshold in the layout of MMCRA: the mantissa is shifted left by two bits times the
 * exponent.
 */
static u64 power_threshold(u64 events)
{
	unsigned int exponent = 0;

	events = min(events, 0xffULL << 2 * 5);
	for (; events > 0xff; events >>= 2)
		exponent++;
	return exponent << 8 | events;
}

/**
 * power_event_init() - Encode an event
 * @model: PMU of the processor
 * @attr: attributes of the counter
 * @hw: counter; its config is set to the code, and extra_config to POWER_EXTRA_*
 *
 * Return: 0 or an error, see @event_init of struct perf_counter_backend.
 */
int power_event_init(const struct power_model *model, const struct perf_counter_attr *attr,
		     struct perf_counter_hw *hw)
{
	u64 code;
	int err;

	err = power_event_code(model, attr, &code);
	if (err)
		return err;
	hw->extra_config =
		(model->config1 ? power_threshold(attr->config1 & model->config1) : 0) |
		(attr->exclude_user ? POWER_EXTRA_NO_USER : 0) |
		(attr->exclude_kernel ? POWER_EXTRA_NO_KERNEL : 0) |
		(attr->exclude_hv ? POWER_EXTRA_NO_HV : 0) |
		(attr->exclude_idle ? POWER_EXTRA_NO_IDLE : 0) |
		(attr->precise_ip ? POWER_EXTRA_PRECISE : 0);
	if (power_event_traits(model, code, hw->extra_config) < 0)
		return -EINVAL;
	/* Event-based branches, and their branch records, are not supported. */
	if (code & (POWER_CODE_BHRB | POWER_CODE_EBB))
		return code & POWER_CODE_EBB && CODE_PMC(code) ? -EOPNOTSUPP : -EINVAL;
	/* Only marked events report the exact instruction. */
	if (attr->exclude_host || (attr->precise_ip && !(code & POWER_CODE_MARKED)))
		return -EOPNOTSUPP;
	hw->config = code & ~POWER_CODE_LINUX;
	hw->slots = CODE_PMC(hw->config) ? BIT(CODE_PMC(hw->config) - 1) :
					   GENMASK(POWER_GENERAL - 1, 0);
	hw->min_left = 1;
	return 0;
}

/* === POWER8 === */

static const struct power_field power8_fields[] = {
	{  0,  8, POWER_MMCR1, 24, 8, POWER_IS_ANY },		/* event */
	{ 12,  4, POWER_MMCR1, 60, 4, POWER_IS_ANY },		/* unit */
	{ 20,  2, POWER_MMCR1, 46, 0, POWER_IS_CACHE },		/* cache */
	{ 24,  2, POWER_MMCRA,  1, 0, POWER_IS_MARKED },	/* sampling */
	{ 26,  3, POWER_MMCRA,  4, 0, POWER_IS_MARKED },	/* sampled instructions */
	{ 29,  3, POWER_MMCRA, 16, 0, POWER_IS_THRESHOLD },	/* kind of threshold */
	{ 32,  8, POWER_MMCRA,  8, 0, POWER_IS_THRESHOLD },	/* start and end of a time */
	{ 11,  1, POWER_MMCR1, 35, 1, POWER_IS_ANY },		/* combine */
	{ 40, 10, POWER_MMCRA, 32, 0, POWER_IS_THRESHOLD },	/* threshold */
	{ 32,  8, POWER_MMCR1, 36, 0, POWER_IS_FABRIC },	/* type of response */
};

/* Pairs of codes that count the same event. */
static const struct power_pair power8_pairs[] = {
	{ 0x10134, 0x301e2 },	/* PM_MRK_ST_CMPL */
	{ 0x10138, 0x40138 },	/* PM_BR_MRK_2PATH */
	{ 0x18082, 0x3e05e },	/* PM_L3_CO_MEPF */
	{ 0x1d14e, 0x401e8 },	/* PM_MRK_DATA_FROM_L2MISS */
	{ 0x1e054, 0x4000a },	/* PM_CMPLU_STALL */
	{ 0x20036, 0x40036 },	/* PM_BR_2PATH */
	{ 0x200f2, 0x300f2 },	/* PM_INST_DISP */
	{ 0x200f4, CODE_RUN_CYCLES },
	{ 0x2013c, 0x3012e },	/* PM_MRK_FILT_MATCH */
	{ 0x3e054, 0x400f0 },	/* PM_LD_MISS_L1 */
	{ 0x400fa, CODE_RUN_INST },
};

#define CACHE(cache, op, result)						\
	[PERF_COUNT_HW_CACHE_##cache][PERF_COUNT_HW_CACHE_OP_##op]		\
	[PERF_COUNT_HW_CACHE_RESULT_##result]

#define NONSENSE(cache, from)							\
	[PERF_COUNT_HW_CACHE_##cache]						\
	[PERF_COUNT_HW_CACHE_OP_##from ... PERF_COUNT_HW_CACHE_OP_PREFETCH]	\
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS ... PERF_COUNT_HW_CACHE_RESULT_MISS] = POWER_NONSENSE

/* Events that make no sense: writes to read-only structures, and caches of other nodes. */
#define NO_SUCH_EVENTS								\
	[PERF_COUNT_HW_CACHE_L1I][PERF_COUNT_HW_CACHE_OP_WRITE]			\
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = POWER_NONSENSE,			\
	NONSENSE(DTLB, WRITE),							\
	NONSENSE(ITLB, WRITE),							\
	NONSENSE(BPU, WRITE),							\
	NONSENSE(NODE, READ)

static const perf_counter_cache_events power8_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x100ee,	/* PM_LD_REF_L1 */
	CACHE(L1D, READ, MISS)		= 0x3e054,	/* PM_LD_MISS_L1 */
	CACHE(L1D, WRITE, MISS)		= 0x300f0,	/* PM_ST_MISS_L1 */
	CACHE(L1D, PREFETCH, ACCESS)	= 0x0d8b8,	/* PM_L1_PREF */
	CACHE(L1I, READ, ACCESS)	= 0x04080,	/* PM_INST_FROM_L1 */
	CACHE(L1I, READ, MISS)		= 0x200fd,	/* PM_L1_ICACHE_MISS */
	CACHE(L1I, WRITE, ACCESS)	= 0x0408c,	/* PM_L1_DEMAND_WRITE */
	CACHE(L1I, PREFETCH, ACCESS)	= 0x0408e,	/* PM_IC_PREF_WRITE */
	CACHE(LL, READ, ACCESS)		= 0x4c042,	/* PM_DATA_FROM_L3 */
	CACHE(LL, READ, MISS)		= 0x300fe,	/* PM_DATA_FROM_L3MISS */
	CACHE(LL, WRITE, ACCESS)	= 0x17080,	/* PM_L2_ST */
	CACHE(LL, WRITE, MISS)		= 0x17082,	/* PM_L2_ST_MISS */
	CACHE(LL, PREFETCH, ACCESS)	= 0x4e052,	/* PM_L3_PREF_ALL */
	CACHE(DTLB, READ, MISS)		= 0x300fc,	/* PM_DTLB_MISS */
	CACHE(ITLB, READ, MISS)		= 0x400fc,	/* PM_ITLB_MISS */
	CACHE(BPU, READ, ACCESS)	= 0x10068,	/* PM_BRU_FIN */
	CACHE(BPU, READ, MISS)		= 0x400f6,	/* PM_BR_MPRED_CMPL */
	NO_SUCH_EVENTS,
};

const struct power_model power8_model = {
	.name		= "POWER8",
	.fields		= power8_fields,
	.nr_fields	= ARRAY_SIZE(power8_fields),
	.valid		= POWER_CODE_LINUX | GENMASK_ULL(49, 11) | GENMASK_ULL(8, 0),
	.generic	= {
		[PERF_COUNT_HW_CPU_CYCLES]		= CODE_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS]		= CODE_INST,
		[PERF_COUNT_HW_CACHE_REFERENCES]	= 0x100ee,
		[PERF_COUNT_HW_CACHE_MISSES]		= 0x3e054,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x10068,
		[PERF_COUNT_HW_BRANCH_MISSES]		= 0x400f6,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x100f8,	/* PM_GCT_NOSLOT_CYC */
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= 0x4000a,
	},
	.cache		= &power8_cache_events,
	.pairs		= power8_pairs,
	.nr_pairs	= ARRAY_SIZE(power8_pairs),
	.sdar_mode	= BIT_ULL(42),		/* addresses that miss the TLB */
	.traits		= power8_traits,
};

/* === POWER9 === */

static const struct power_field power9_fields[] = {
	{  0,  8, POWER_MMCR1, 24, 8, POWER_IS_ANY },		/* event */
	{ 12,  4, POWER_MMCR1, 60, 4, POWER_IS_ANY },		/* unit */
	{ 20,  2, POWER_MMCR1, 46, 0, POWER_IS_CACHE },		/* cache */
	{ 24,  2, POWER_MMCRA,  1, 0, POWER_IS_MARKED },	/* sampling */
	{ 26,  3, POWER_MMCRA,  4, 0, POWER_IS_MARKED },	/* sampled instructions */
	{ 29,  3, POWER_MMCRA, 16, 0, POWER_IS_THRESHOLD },	/* kind of threshold */
	{ 32,  8, POWER_MMCRA,  8, 0, POWER_IS_THRESHOLD },	/* start and end of a time */
	{ 10,  2, POWER_MMCR1, 38, 2, POWER_IS_ANY },		/* combine */
	{ 40, 10, POWER_MMCRA, 45, 0, POWER_IS_THRESHOLD },	/* threshold */
	{ 50,  2, POWER_MMCRA, 42, 0, POWER_IS_SDAR },		/* sampled addresses */
	{  0,  8, POWER_NOWHERE, 0, 0, POWER_IS_BUS },		/* event of the bus */
};

static const struct power_pair power9_pairs[] = {
	{ 0x20036, 0x40036 },	/* PM_BR_2PATH */
	{ 0x200f2, 0x300f2 },	/* PM_INST_DISP */
	{ 0x200f4, CODE_RUN_CYCLES },
	{ 0x3e054, 0x400f0 },	/* PM_LD_MISS_L1 */
	{ 0x400fa, CODE_RUN_INST },
};

static const perf_counter_cache_events power9_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x100fc,	/* PM_LD_REF_L1 */
	CACHE(L1D, READ, MISS)		= 0x2c04e,	/* PM_LD_MISS_L1_FIN */
	CACHE(L1D, WRITE, MISS)		= 0x300f0,	/* PM_ST_MISS_L1 */
	CACHE(L1D, PREFETCH, ACCESS)	= 0x20054,	/* PM_L1_PREF */
	CACHE(L1I, READ, ACCESS)	= 0x04080,	/* PM_INST_FROM_L1 */
	CACHE(L1I, READ, MISS)		= 0x200fd,	/* PM_L1_ICACHE_MISS */
	CACHE(L1I, WRITE, ACCESS)	= 0x0408c,	/* PM_L1_DEMAND_WRITE */
	CACHE(L1I, PREFETCH, ACCESS)	= 0x0488c,	/* PM_IC_PREF_WRITE */
	CACHE(LL, READ, ACCESS)		= 0x4c042,	/* PM_DATA_FROM_L3 */
	CACHE(LL, READ, MISS)		= 0x300fe,	/* PM_DATA_FROM_L3MISS */
	CACHE(LL, PREFETCH, ACCESS)	= 0x4e052,	/* PM_L3_PREF_ALL */
	CACHE(DTLB, READ, MISS)		= 0x300fc,	/* PM_DTLB_MISS */
	CACHE(ITLB, READ, MISS)		= 0x400fc,	/* PM_ITLB_MISS */
	CACHE(BPU, READ, ACCESS)	= 0x4d05e,	/* PM_BR_CMPL */
	CACHE(BPU, READ, MISS)		= 0x400f6,	/* PM_BR_MPRED_CMPL */
	NO_SUCH_EVENTS,
};

/* Codes that count other events, or none, on revision 2.1. */
static const u32 power9_dd21_refused[] = {
	0x10134, 0x1f056, 0x100f4, 0x20112, 0x2d024, 0x3405e, 0x3e15c, 0x3f056, 0x3006c, 0x4e014,
	0x4003c,
};

/* Codes that count other events, or none, on revision 2.2: mostly misses by page size. */
static const u32 power9_dd22_refused[] = {
	0x1c058, 0x1c05a, 0x1c05c, 0x1d15c, 0x2c056, 0x2c05a, 0x2d152, 0x2d156, 0x2d15e, 0x3c056,
	0x3d152, 0x3d156, 0x4003c, 0x4c056, 0x4c05a, 0x4c15e,
};

/* Reserved sampling modes: all modes that end in binary 11, and others. */
#define BAD_SAMPLING	(0x88888888 | BIT(0x5) | BIT(0x9) | BIT(0xd) | BIT(0x19) | BIT(0x1d) |	\
			 BIT(0x1a) | BIT(0x1e))

#define POWER9_MODEL								\
	.name		= "POWER9",						\
	.fields		= power9_fields,					\
	.nr_fields	= ARRAY_SIZE(power9_fields),				\
	.valid		= POWER_CODE_LINUX | GENMASK_ULL(51, 10) | GENMASK_ULL(8, 0), \
	.generic	= {							\
		[PERF_COUNT_HW_CPU_CYCLES]		= CODE_CYCLES,		\
		[PERF_COUNT_HW_INSTRUCTIONS]		= CODE_INST,		\
		[PERF_COUNT_HW_CACHE_REFERENCES]	= 0x100fc,		\
		[PERF_COUNT_HW_CACHE_MISSES]		= 0x2c04e,		\
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x4d05e,		\
		[PERF_COUNT_HW_BRANCH_MISSES]		= 0x400f6,		\
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND]	= 0x100f8,		\
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND]	= 0x1e054,		\
	},									\
	.cache		= &power9_cache_events,					\
	.pairs		= power9_pairs,						\
	.nr_pairs	= ARRAY_SIZE(power9_pairs),				\
	.bad_sampling	= BAD_SAMPLING | BIT(0xc),				\
	.sdar_mode	= BIT_ULL(43),		/* addresses that miss the cache */	\
	.sdar_bits	= GENMASK_ULL(43, 42),					\
	.traits		= power9_traits,					\
	.bus_pmc4	= true

const struct power_model power9_model = { POWER9_MODEL };

const struct power_model power9_dd21_model = {
	POWER9_MODEL,
	.refused	= power9_dd21_refused,
	.nr_refused	= ARRAY_SIZE(power9_dd21_refused),
};

const struct power_model power9_dd22_model = {
	POWER9_MODEL,
	.refused	= power9_dd22_refused,
	.nr_refused	= ARRAY_SIZE(power9_dd22_refused),
};

/* === POWER10 === */

static const struct power_field power10_fields[] = {
	{  0,  8, POWER_MMCR1, 24, 8, POWER_IS_ANY },		/* event */
	{ 12,  4, POWER_MMCR1, 60, 4, POWER_IS_ANY },		/* unit */
	{ 20,  2, POWER_MMCR1, 46, 0, POWER_IS_CACHE },		/* cache */
	{ 24,  2, POWER_MMCRA,  1, 0, POWER_IS_MARKED },	/* sampling */
	{ 26,  3, POWER_MMCRA,  4, 0, POWER_IS_MARKED },	/* sampled instructions */
	{ 29,  3, POWER_MMCRA, 16, 0, POWER_IS_THRESHOLD },	/* kind of threshold */
	{ 32,  8, POWER_MMCRA,  8, 0, POWER_IS_THRESHOLD },	/* start and end of a time */
	{  9,  1, POWER_MMCR1, 45, 0, POWER_IS_ANY },		/* translation mode */
	{ 10,  2, POWER_MMCR1, 38, 2, POWER_IS_ANY },		/* combine */
	{ 22,  2, POWER_MMCRA, 42, 0, POWER_IS_SDAR },		/* sampled addresses */
	{ 40,  5, POWER_MMCR2,  3, 0, POWER_IS_L2L3 },		/* event of the bus */
	{ 45, 15, POWER_MMCR3, 49, 15, POWER_IS_ANY },		/* data source */
	{ 64, 11, POWER_MMCRA, 45, 0, POWER_IS_THRESHOLD },	/* threshold */
};

/*
 * With MMCR0[C56RUN], PMC5 and PMC6 count while the CPU is idle, too, so they count the same as
 * these general codes.
 */
static const struct power_pair power10_pairs[] = {
	{ CODE_INST, CODE_RUN_INST },
	{ CODE_CYCLES, CODE_RUN_CYCLES },
};

static const perf_counter_cache_events power10_cache_events = {
	CACHE(L1D, READ, ACCESS)	= 0x100fc,		/* PM_LD_REF_L1 */
	CACHE(L1D, READ, MISS)		= 0x3e054,		/* PM_LD_MISS_L1 */
	CACHE(L1D, WRITE, MISS)		= 0x300f0,		/* PM_ST_MISS_L1 */
	CACHE(L1D, PREFETCH, ACCESS)	= 0x1002c,	/* PM_LD_PREFETCH_CACHE_LINE_MISS */
	CACHE(L1I, READ, ACCESS)	= 0x04080,		/* PM_INST_FROM_L1 */
	CACHE(L1I, READ, MISS)		= 0x200fc,		/* PM_L1_ICACHE_MISS */
	CACHE(L1I, WRITE, ACCESS)	= 0x03f00000001c040,	/* PM_INST_FROM_L1MISS */
	CACHE(L1I, PREFETCH, ACCESS)	= 0x040a0,		/* PM_IC_PREF_REQ */
	CACHE(LL, READ, ACCESS)		= 0x01340000001c040,	/* PM_DATA_FROM_L3 */
	CACHE(LL, READ, MISS)		= 0x300fe,		/* PM_DATA_FROM_L3MISS */
	CACHE(LL, WRITE, ACCESS)	= 0x010000046080,	/* PM_L2_ST */
	CACHE(LL, WRITE, MISS)		= 0x26880,		/* PM_L2_ST_MISS */
	CACHE(LL, PREFETCH, ACCESS)	= 0x100000016080,	/* PM_L3_PF_MISS_L3 */
	CACHE(DTLB, READ, MISS)		= 0x300fc,		/* PM_DTLB_MISS */
	CACHE(ITLB, READ, MISS)		= 0x400fc,		/* PM_ITLB_MISS */
	CACHE(BPU, READ, ACCESS)	= 0x4d05e,		/* PM_BR_CMPL */
	CACHE(BPU, READ, MISS)		= 0x400f6,		/* PM_BR_MPRED_CMPL */
	NO_SUCH_EVENTS,
};

const struct power_model power10_model = {
	.name		= "POWER10",
	.fields		= power10_fields,
	.nr_fields	= ARRAY_SIZE(power10_fields),
	.valid		= POWER_CODE_LINUX | GENMASK_ULL(59, 0),
	.config1	= GENMASK_ULL(17, 0),
	.generic	= {
		[PERF_COUNT_HW_CPU_CYCLES]		= CODE_RUN_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS]		= CODE_RUN_INST,
		[PERF_COUNT_HW_CACHE_REFERENCES]	= 0x100fc,
		[PERF_COUNT_HW_CACHE_MISSES]		= 0x400f0,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS]	= 0x2f04a,	/* PM_BR_FIN */
		[PERF_COUNT_HW_BRANCH_MISSES]		= 0x3e098,	/* PM_MPRED_BR_FIN */
	},
	.cache		= &power10_cache_events,
	.pairs		= power10_pairs,
	.nr_pairs	= ARRAY_SIZE(power10_pairs),
	.bad_sampling	= BAD_SAMPLING | BIT(0x10),
	.sdar_mode	= BIT_ULL(43),		/* addresses that miss the cache */
	.sdar_bits	= GENMASK_ULL(43, 42),
	.traits		= power10_traits,
	.isa31		= true,
};

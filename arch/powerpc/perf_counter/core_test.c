// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the powerpc backend of perf_counter: the events of each processor, which of them
 * can count together, the values written to registers, and the handling of alerts.
 *
 * The backend's source is included below, with registers replaced by a simulated machine. So the
 * source has no code for tests. The expected contents of registers were worked out by hand from the
 * layouts in the user's guides.
 */

#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/cputable.h>
#include <asm/firmware.h>
#include <asm/pmc.h>
#include <asm/reg.h>
#include <asm/synch.h>
#include <asm/tlb.h>

/* Rename the global symbols of the included files. */
#define power_counters_in_use			test_counters_in_use
#define power_counters_sleep			test_counters_sleep
#define power_counters_wake			test_counters_wake
#define power_describe				test_describe
#define power_bhrb_read				test_bhrb_read
#define power_bhrb_type				test_bhrb_type
#define power_bhrb_filter			test_bhrb_filter
#define power_bhrb_wipe				test_bhrb_wipe

#include <asm/perf_counter.h>

#include "internal.h"

/* === The machine === */

/**
 * struct machine - a simulated PMU
 * @pmc: PMC1 to PMC6
 * @mmcr: MMCR0, MMCR1, MMCR2, MMCR3, MMCRA
 * @siar: SIAR
 * @sdar: SDAR
 * @sier: SIER
 * @writes: number of register writes
 * @inuse: the hypervisor saves and restores the registers
 * @reserved: the PMU is claimed
 * @moved: number of reported changes of start values
 */
static struct machine {
	u32		pmc[POWER_SLOTS];
	u64		mmcr[5];
	u64		siar;
	u64		sdar;
	u64		sier;
	unsigned int	writes;
	bool		inuse;
	bool		reserved;
	unsigned int	moved;
} machine;

static u64 *register_of(unsigned int spr)
{
	switch (spr) {
	case SPRN_MMCR0:
		return &machine.mmcr[0];
	case SPRN_MMCR1:
		return &machine.mmcr[1];
	case SPRN_MMCR2:
		return &machine.mmcr[2];
	case SPRN_MMCR3:
		return &machine.mmcr[3];
	case SPRN_MMCRA:
		return &machine.mmcr[4];
	case SPRN_SIAR:
		return &machine.siar;
	case SPRN_SDAR:
		return &machine.sdar;
	case SPRN_SIER:
		return &machine.sier;
	}
	return NULL;
}

static u64 machine_read(unsigned int spr)
{
	if (spr >= SPRN_PMC1 && spr <= SPRN_PMC6)
		return machine.pmc[spr - SPRN_PMC1];
	return register_of(spr) ? *register_of(spr) : 0;
}

static void machine_write(unsigned int spr, u64 value)
{
	machine.writes++;
	if (spr >= SPRN_PMC1 && spr <= SPRN_PMC6)
		machine.pmc[spr - SPRN_PMC1] = value;
	else if (register_of(spr))
		*register_of(spr) = value;
}

static void machine_inuse(bool inuse)
{
	machine.inuse = inuse;
}

static int machine_reserve(void)
{
	if (machine.reserved)
		return -EBUSY;
	machine.reserved = true;
	return 0;
}

static void machine_release(void)
{
	machine.reserved = false;
}

static bool machine_overflow(struct perf_counter_hw *hw, struct pt_regs *regs);

static void machine_moved(struct perf_counter_hw *hw)
{
	machine.moved++;
}

#undef mfspr
#undef mtspr
#define mfspr(spr)				machine_read(spr)
#define mtspr(spr, value)			machine_write(spr, value)
#define ppc_enable_pmcs()			((void)0)
#define ppc_set_pmu_inuse(inuse)		machine_inuse(inuse)
#define reserve_pmc_hardware(handler)		((void)(handler), machine_reserve())
#define release_pmc_hardware()			machine_release()
#define on_each_cpu_mask(...)			power_reset_this_cpu(NULL)
#define perf_counter_hw_overflow(hw, regs)	machine_overflow(hw, regs)
#define perf_counter_hw_start_changed(hw)		machine_moved(hw)
#define perf_counter_hw_has_branches(...)	false
#define perf_counter_capture_branches()		((void)0)
#define perf_counter_register_backend(backend)	((void)(backend), 0)

#undef arch_initcall
#define arch_initcall(fn)	static int __used (*fn##_unused)(void) = fn
#undef __init
#define __init
#undef __ro_after_init
#define __ro_after_init

#include "bhrb.c"
#include "core.c"
#include "siar.c"

/*
 * A counter of a test, with its number of overflows, and the PMU's registers at the last overflow.
 */
struct test_counter {
	struct perf_counter_hw	hw;
	u64			period;
	unsigned int		overflows;
	u64			regs[PERF_COUNTER_NR_PMU_REGS];
	bool			throttle;
};

static bool machine_overflow(struct perf_counter_hw *hw, struct pt_regs *regs)
{
	struct test_counter *counter = container_of(hw, struct test_counter, hw);

	if ((s64)(hw->count - hw->next) < 0)
		return false;
	counter->overflows++;
	power_read_regs(PERF_COUNTER_PMU_REGS, counter->regs);
	hw->next += counter->period;
	return counter->throttle;
}

/*
 * Bits of MMCR2 that freeze PMC1 in the four states of MSR[HV] and MSR[PR], from the architecture
 * (FC1S, FC1P0, FC1P1, FC1H). Those of PMCn are 9 * (n - 1) lower.
 */
#define STATE_PRIVILEGED	BIT_ULL(63)	/* HV=0, PR=0 */
#define STATE_PROBLEM		BIT_ULL(62)	/* HV=0, PR=1 */
#define STATE_HV_PROBLEM	BIT_ULL(61)	/* HV=1, PR=1: programs on bare metal */
#define STATE_HYPERVISOR	BIT_ULL(57)	/* HV=1, PR=0 */

/*
 * Tell whether the counter of @slot is frozen in all of @states, alone or together with all
 * counters.
 */
static bool is_frozen_in(unsigned int slot, u64 states)
{
	return machine.mmcr[0] & MMCR0_FC ||
	       (machine.mmcr[2] << slot * 9 & states) == states;
}

/* Tell whether the counter of @slot is frozen in every state. */
static bool is_frozen(unsigned int slot)
{
	return is_frozen_in(slot, STATE_PRIVILEGED | STATE_PROBLEM | STATE_HV_PROBLEM |
				  STATE_HYPERVISOR);
}

/*
 * Count @events on @slot. An alert is raised when the counter becomes negative. Return whether
 * there was an alert.
 */
static bool happens(unsigned int slot, u32 events)
{
	u64 before = machine.pmc[slot];
	bool alert;

	if (is_frozen(slot))
		return false;
	machine.pmc[slot] += events;
	alert = before < NEGATIVE && before + events >= NEGATIVE &&
		(machine.mmcr[0] & MMCR0_PMXE) &&
		(machine.mmcr[0] & (slot ? MMCR0_PMCjCE : MMCR0_PMC1CE));
	if (alert) {
		machine.mmcr[0] |= MMCR0_PMAO | MMCR0_FC;
		machine.mmcr[0] &= ~(u64)MMCR0_PMXE;
	}
	return alert;
}

static void interrupt(void)
{
	static struct pt_regs regs;

	power_interrupt(&regs);
}

static void use_machine(const struct power_model *model)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	*cpu = (struct power_cpu) {};
	machine = (struct machine) { .mmcr[0] = MMCR0_FC };
	power_model = model;
	freeze_kernel = FREEZE_SUPERVISOR;
}

/* Initialize a counter of a task. */
static int init_counter(const struct power_model *model, struct test_counter *counter, u32 type,
			u64 config, u64 period)
{
	struct perf_counter_attr attr = { .type = type, .config = config };

	*counter = (struct test_counter) { .hw = { .slot = -1, .of_task = true } };
	counter->period = period;
	counter->hw.next = period;
	return power_event_init(model, &attr, &counter->hw);
}

static int init_raw(const struct power_model *model, struct test_counter *counter, u64 code)
{
	return init_counter(model, counter, PERF_TYPE_RAW, code, 0);
}

static int init_sampling(const struct power_model *model, struct test_counter *counter, u64 code,
			 u64 period)
{
	return init_counter(model, counter, PERF_TYPE_RAW, code, period);
}

static int load(struct test_counter *counter)
{
	int err;

	power_disable();
	counter->hw.stopped = false;
	err = power_add(&counter->hw);
	power_enable();
	return err;
}

static void unload(struct test_counter *counter)
{
	power_disable();
	power_del(&counter->hw);
	power_enable();
}

/* === Events === */

static const struct power_model *const models[] = {
	&power8_model, &power9_model, &power9_dd21_model, &power9_dd22_model, &power10_model,
};

static void generic_events_have_their_codes(struct kunit *test)
{
	static const struct {
		const struct power_model *model;
		u64 codes[10];
	} have[] = {
		{ &power8_model, { 0x1e, 0x2, 0x100ee, 0x3e054, 0x10068, 0x400f6, 0, 0x100f8,
				   0x4000a, 0 } },
		{ &power9_model, { 0x1e, 0x2, 0x100fc, 0x2c04e, 0x4d05e, 0x400f6, 0, 0x100f8,
				   0x1e054, 0 } },
		{ &power10_model, { 0x600f4, 0x500fa, 0x100fc, 0x400f0, 0x2f04a, 0x3e098, 0, 0,
				    0, 0 } },
	};
	struct test_counter counter;
	unsigned int i, event;
	int err;

	for (i = 0; i < ARRAY_SIZE(have); i++) {
		for (event = 0; event < 10; event++) {
			err = init_counter(have[i].model, &counter, PERF_TYPE_HARDWARE, event, 0);
			KUNIT_EXPECT_EQ_MSG(test, err, have[i].codes[event] ? 0 : -EOPNOTSUPP,
					    "%s, event %u", have[i].model->name, event);
			KUNIT_EXPECT_EQ(test, counter.hw.config, have[i].codes[event]);
		}
	}
}

/*
 * Expect the number of generic cache events that each model has, out of 42: seven caches, three
 * operations (read, write, prefetch), and two results (access, miss).
 */
static void cache_events_of_each_model_are_counted(struct kunit *test)
{
	static const unsigned int have[] = { 17, 15, 15, 15, 17 };
	unsigned int i, cache, op, result, nr, nonsense;
	struct test_counter counter;
	int err;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		nr = 0;
		nonsense = 0;
		for (cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
			for (op = 0; op < 3; op++)
				for (result = 0; result < 2; result++) {
					err = init_counter(models[i], &counter, PERF_TYPE_HW_CACHE,
							   cache | op << 8 | result << 16, 0);
					nr += !err;
					nonsense += err == -EINVAL;
				}
		KUNIT_EXPECT_EQ_MSG(test, nr, have[i], "model %u", i);
		/*
		 * Combinations that make no sense on any machine: one of the instruction cache,
		 * four each of the two TLBs and the branch unit, and six of other nodes.
		 */
		KUNIT_EXPECT_EQ(test, nonsense, 1 + 3 * 4 + 6);
		KUNIT_EXPECT_EQ(test, init_counter(models[i], &counter, PERF_TYPE_HW_CACHE, 7, 0),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, init_counter(models[i], &counter, PERF_TYPE_HW_CACHE,
						   BIT(24), 0), -EINVAL);
	}
}

static void invalid_codes_are_refused(struct kunit *test)
{
	static const struct {
		u64	code;
		int	err[5];		/* in the order of models */
	} events[] = {
		/* These codes are valid, including code 0 and codes that name no counter. */
		{ 0, {} },
		{ 0x1e, {} },
		{ 0x500fa, {} },
		{ 0x600f4, {} },
		/* PMC5 and PMC6 count no other event. */
		{ 0x500fb, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
		{ 0x6001e, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
		/* There is no PMC7. */
		{ 0x70002, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
		/* Some models lack these bits. */
		{ BIT_ULL(9) | 0x10002, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, 0 } },
		{ BIT_ULL(10) | 0x10002, { -EINVAL } },
		{ BIT_ULL(50) | 0x10002, { -EINVAL } },
		{ BIT_ULL(52) | 0x10002, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, 0 } },
		/*
		 * Events of a bus are valid, except that POWER8 refuses a selector, which belongs
		 * to the hypervisor.
		 */
		{ 0x16080, {} },
		{ 0x46080, {} },
		{ 0x116080, { -EINVAL } },
		/* Two revisions of POWER9 lack some of these events. */
		{ 0x1f056, { 0, 0, -EINVAL, 0, 0 } },
		{ 0x1c058, { 0, 0, 0, -EINVAL, 0 } },
		{ 0x4003c, { 0, 0, -EINVAL, -EINVAL, 0 } },
		/*
		 * Reserved sampling modes, and a measured time without an end, are refused where
		 * they are invalid.
		 */
		{ 0x30401e0, { 0, -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
		{ 0xc0401e0, { 0, -EINVAL, -EINVAL, -EINVAL, 0 } },
		{ 0x100401e0, { 0, 0, 0, 0, -EINVAL } },
		{ 0x401e0 | 0xfULL << 32, { 0, -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
		/*
		 * A threshold with exponent 1 and too small a mantissa is refused, except on
		 * POWER10.
		 */
		{ BIT_ULL(29) | BIT_ULL(47) | 0x10002, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, 0 } },
		{ BIT_ULL(29) | BIT_ULL(47) | BIT_ULL(45) | 0x10002, {} },
		/*
		 * Event-based branches are not supported. Without them, their branch records are
		 * invalid.
		 */
		{ BIT_ULL(63) | 0x10002, { -EOPNOTSUPP, -EOPNOTSUPP, -EOPNOTSUPP, -EOPNOTSUPP,
					   -EOPNOTSUPP } },
		{ BIT_ULL(62) | 0x10002, { -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	};
	struct test_counter counter;
	unsigned int i, model;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		for (model = 0; model < ARRAY_SIZE(models); model++)
			KUNIT_EXPECT_EQ_MSG(test, init_raw(models[model], &counter, events[i].code),
					    events[i].err[model], "event %#llx, model %u",
					    events[i].code, model);
}

static void precise_events_have_to_be_marked(struct kunit *test)
{
	struct perf_counter_attr attr = { .type = PERF_TYPE_RAW, .precise_ip = 2 };
	struct perf_counter_hw hw = {};

	attr.config = 0x401e0;
	KUNIT_EXPECT_EQ(test, power_event_init(&power9_model, &attr, &hw), 0);
	attr.config = 0x1e;
	KUNIT_EXPECT_EQ(test, power_event_init(&power9_model, &attr, &hw), -EOPNOTSUPP);
	attr.precise_ip = 0;
	KUNIT_EXPECT_EQ(test, power_event_init(&power9_model, &attr, &hw), 0);
	attr.exclude_host = 1;
	KUNIT_EXPECT_EQ(test, power_event_init(&power9_model, &attr, &hw), -EOPNOTSUPP);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(generic_events_have_their_codes),
	KUNIT_CASE(cache_events_of_each_model_are_counted),
	KUNIT_CASE(invalid_codes_are_refused),
	KUNIT_CASE(precise_events_have_to_be_marked),
	{}
};

static struct kunit_suite event_suite = {
	.name = "perf_counter_power_event",
	.test_cases = event_cases,
};

/* === Sets === */

/* Tell whether all of @codes, terminated by 0, can count together for a task or for a CPU. */
static bool fit(const struct power_model *model, bool of_task, const u64 *codes)
{
	struct perf_counter_hw hw[POWER_SLOTS + 1] = {};
	struct power_set set = {};
	unsigned int i;

	for (i = 0; codes[i]; i++) {
		hw[i].config = codes[i];
		hw[i].of_task = of_task;
		if (!power_set_add(&set, &hw[i]))
			return false;
	}
	return power_set_solve(model, &set);
}

#define FIT(model, of_task, ...)						\
	fit(&power##model##_model, of_task, (const u64[]) { __VA_ARGS__, 0 })

static void events_do_not_share_a_slot(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, FIT(9, true, 0x100fc, 0x2c04e, 0x300f0, 0x4d05e));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x4d05e, 0x400f6));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x500fa, 0x500fa, 0x500fa, 0x10002, 0x20002,
				     0x30002, 0x40002));
	/* Four events that can use any slot fit; a fifth does not. */
	KUNIT_EXPECT_TRUE(test, FIT(9, false, 0x1e, 0x1e, 0x2, 0x2));
	KUNIT_EXPECT_FALSE(test, FIT(9, false, 0x1e, 0x1e, 0x2, 0x2, 0x2));
	KUNIT_EXPECT_FALSE(test, FIT(9, false, 0x1e, 0x1e, 0x2, 0x2, 0x10002));
}

/* For a task, PMC6 can count cycles. A CPU's cycles include idle time. */
static void tasks_can_count_cycles_on_pmc6(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x1e, 0x2, 0x10002, 0x20002, 0x30002, 0x40002));
	KUNIT_EXPECT_FALSE(test, FIT(8, false, 0x1e, 0x10002, 0x20002, 0x30002, 0x40002));
	KUNIT_EXPECT_FALSE(test, FIT(9, false, 0x2, 0x10002, 0x20002, 0x30002, 0x40002));
	/* With MMCR0[C56RUN], PMC5 and PMC6 count idle time, too. */
	KUNIT_EXPECT_TRUE(test, FIT(10, false, 0x1e, 0x2, 0x10002, 0x20002, 0x30002, 0x40002));
	KUNIT_EXPECT_FALSE(test, FIT(10, false, 0x1e, 0x1e, 0x10002, 0x20002, 0x30002, 0x40002));
}

static void second_code_is_tried(struct kunit *test)
{
	/* PM_LD_MISS_L1 can use PMC3 and PMC4. */
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x3e054, 0x300f0));
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x400f0, 0x400f6));
	KUNIT_EXPECT_FALSE(test, FIT(8, true, 0x3e054, 0x300f0, 0x400f6));
	KUNIT_EXPECT_FALSE(test, FIT(10, true, 0x3e054, 0x300f0));
	/*
	 * PM_RUN_CYC fits three times for a task: on PMC6, on PMC2, and as cycles on any counter.
	 */
	KUNIT_EXPECT_TRUE(test, FIT(9, true, 0x600f4, 0x600f4, 0x600f4));
	KUNIT_EXPECT_FALSE(test, FIT(9, false, 0x600f4, 0x600f4, 0x600f4));
}

static void shared_fields_agree(struct kunit *test)
{
	const u64 sel = BIT_ULL(29), other = BIT_ULL(30);

	/* Events have to agree on the sampling mode. */
	KUNIT_EXPECT_TRUE(test, FIT(9, true, 0x10101, 0x20102));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x10101, 0x1020102));
	/*
	 * Events have to agree on the measured time. On POWER8, events without one have the field,
	 * too.
	 */
	KUNIT_EXPECT_TRUE(test, FIT(8, true, sel | 0x10001, sel | 0x20001));
	KUNIT_EXPECT_FALSE(test, FIT(8, true, sel | 0x10001, other | 0x20001));
	KUNIT_EXPECT_FALSE(test, FIT(8, true, sel | 0x10001, 0x20001));
	KUNIT_EXPECT_TRUE(test, FIT(9, true, sel | 0x10001, 0x20001));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, sel | 0x10001, other | 0x20001));
	KUNIT_EXPECT_FALSE(test, FIT(10, true, sel | 0x10001, other | 0x20001));
	/* Events of PMC5 and PMC6 have no fields. */
	KUNIT_EXPECT_TRUE(test, FIT(8, true, sel | 0x10001, 0x500fa, 0x600f4));
	/* On POWER8, the type of a fabric response uses the bits of a measured time. */
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x1100030056, sel | 0x10001));
	KUNIT_EXPECT_FALSE(test, FIT(8, true, 0x1100030056, 0x120004f052));
	/* Events that select a first-level cache have to agree on it: data or instructions. */
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x110001, 0x220001));
	KUNIT_EXPECT_FALSE(test, FIT(8, true, 0x510001, 0x620001));
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x110001, 0x220001));
	/*
	 * Events that select the sampled addresses have to agree; other events fit with any
	 * selection.
	 */
	KUNIT_EXPECT_FALSE(test, FIT(10, true, 0x410001, 0x820001));
	KUNIT_EXPECT_TRUE(test, FIT(10, true, 0x410001, 0x20001));
	/* Events have to agree on the translation mode. */
	KUNIT_EXPECT_FALSE(test, FIT(10, true, 0x10201, 0x20001));
}

static void bus_events_need_pmc4(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, FIT(9, true, 0x46880, 0x16880));
	KUNIT_EXPECT_TRUE(test, FIT(9, true, 0x16880, 0x46880));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x16880, 0x400f6));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x16880));
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x16880));
	KUNIT_EXPECT_FALSE(test, FIT(9, true, 0x46880, 0x16882));
	KUNIT_EXPECT_TRUE(test, FIT(8, true, 0x17080, 0x27082));
	/* POWER10 selects the event of the bus by another field. */
	KUNIT_EXPECT_TRUE(test, FIT(10, true, 0x10000046080, 0x10000016080));
	KUNIT_EXPECT_FALSE(test, FIT(10, true, 0x10000046080, 0x20000016080));
}

/* Counters keep their slots if possible. */
static void counters_keep_their_slots(struct kunit *test)
{
	struct perf_counter_hw any = { .config = 0x1e }, first = { .config = 0x100fc };
	struct power_set set = {};

	power_set_add(&set, &any);
	KUNIT_EXPECT_TRUE(test, power_set_solve(&power9_model, &set));
	KUNIT_EXPECT_EQ(test, set.slot[0], 0);
	set.slot[0] = 2;
	power_set_add(&set, &any);
	KUNIT_EXPECT_TRUE(test, power_set_solve(&power9_model, &set));
	KUNIT_EXPECT_EQ(test, set.slot[0], 2);
	KUNIT_EXPECT_EQ(test, set.slot[1], 0);
	power_set_add(&set, &first);
	KUNIT_EXPECT_TRUE(test, power_set_solve(&power9_model, &set));
	KUNIT_EXPECT_EQ(test, set.slot[0], 2);
	KUNIT_EXPECT_EQ(test, set.slot[1], 1);
	KUNIT_EXPECT_EQ(test, set.slot[2], 0);
	/* An event that does not fit changes nothing. */
	power_set_add(&set, &first);
	KUNIT_EXPECT_FALSE(test, power_set_solve(&power9_model, &set));
	KUNIT_EXPECT_EQ(test, set.slot[1], 1);
	KUNIT_EXPECT_EQ(test, set.code[1], 0x1e);
}

static bool same_codes_and_slots(const struct power_set *a, const struct power_set *b,
				 unsigned int nr)
{
	return !memcmp(a->code, b->code, nr * sizeof(*a->code)) &&
	       !memcmp(a->slot, b->slot, nr * sizeof(*a->slot));
}

static u8 slots_of(const struct power_set *set)
{
	unsigned int i;
	u8 slots = 0;

	for (i = 0; i < set->nr; i++)
		slots |= BIT(set->slot[i]);
	return slots;
}

/*
 * Check that power_set_extend() finds room for @hw exactly if power_set_solve() finds a solution
 * without changing other events. Return false if there is no solution.
 */
static bool extend(struct kunit *test, const struct power_model *model, struct power_set *set,
		   const struct perf_counter_hw *hw)
{
	struct power_taken taken = set->taken;
	unsigned int nr = set->nr;
	struct power_set whole = *set;
	u64 code = 0;
	int slot;

	power_set_add(&whole, hw);
	if (hw->slot >= 0)
		whole.slot[nr] = hw->slot;
	slot = power_set_extend(model, &taken, slots_of(set), hw, &code);
	if (!power_set_solve(model, &whole)) {
		KUNIT_EXPECT_LT(test, slot, 0);
		return false;
	}
	KUNIT_EXPECT_EQ(test, slot >= 0, same_codes_and_slots(set, &whole, nr));
	if (slot >= 0) {
		KUNIT_EXPECT_EQ(test, slot, whole.slot[nr]);
		KUNIT_EXPECT_EQ(test, code, whole.code[nr]);
		KUNIT_EXPECT_EQ(test, taken.fixed, whole.taken.fixed);
		KUNIT_EXPECT_EQ(test, taken.any, whole.taken.any);
		KUNIT_EXPECT_EQ(test, taken.common.mask, whole.taken.common.mask);
		KUNIT_EXPECT_EQ(test, taken.common.value, whole.taken.common.value);
	}
	*set = whole;
	return true;
}

static void extending_a_set_finds_what_solving_finds(struct kunit *test)
{
	static const u64 codes[] = {
		0x1e, 0x2, 0x600f4, 0x500fa, 0x200f4, 0x400fa, 0x100fc, 0x2c04e, 0x3e054, 0x300f0,
		0x400f6, 0x4d05e, 0x46880, 0x16880, 0x110001, 0x220001, 0x10101, 0x1020102,
	};
	struct perf_counter_hw hw[POWER_SLOTS];
	unsigned int i, j, extended = 0;
	struct rnd_state random;

	prandom_seed_state(&random, 1);
	for (i = 0; i < 1000; i++) {
		const struct power_model *model = models[i % ARRAY_SIZE(models)];
		struct power_set set = {};

		for (j = 0; j < POWER_SLOTS; j++) {
			hw[j] = (struct perf_counter_hw) {
				.config = codes[prandom_u32_state(&random) % ARRAY_SIZE(codes)],
				.slot = (int)(prandom_u32_state(&random) % 7) - 1,
				.of_task = prandom_u32_state(&random) & 1,
			};
			if (!extend(test, model, &set, &hw[j]))
				break;
			extended++;
		}
	}
	KUNIT_EXPECT_GT(test, extended, 1000);
}

static void set_is_encoded_into_registers(struct kunit *test)
{
	static const struct {
		const struct power_model *model;
		u64	code[3];
		u64	extra;
		u64	registers[POWER_REGISTERS];	/* MMCR1, 2, 3, A */
	} sets[] = {
		{ &power8_model, { 0x3e054, 0x1e }, 0,
		  { 0x00e000001e005400, 0, 0, 0x40000000000 } },
		{ &power8_model, { 0x10401e0 }, 0, { 0xe0, 0, 0, 0x40000000003 } },
		{ &power8_model, { 0x1100030056 }, 0, { 0x011000005600, 0, 0, 0x40000000000 } },
		{ &power8_model, { 0x10902 }, 0, { 0x0000000802000000, 0, 0, 0x40000000001 } },
		{ &power9_model, { 0x34340401e0 }, 0, { 0xe0, 0, 0, 0x13451 } },
		{ &power9_model, { 0x34340401e0, 0x100fc }, 0, { 0xfc0000e0, 0, 0, 0x13451 } },
		{ &power9_model, { 0x4c042 }, 0, { 0x000c000000000042, 0, 0, 0x80000000000 } },
		{ &power9_model, { 0x20c02 }, 0, { 0x0000003000020000, 0, 0, 0x80000000000 } },
		{ &power9_model, { BIT_ULL(50) | 0x10002 }, 0, { 0x2000000, 0, 0, 0x40000000000 } },
		{ &power9_model, { 0x500fa, 0x600f4 }, 0, { 0, 0, 0, 0x80000000000 } },
		{ &power10_model, { 0x10000046080 }, 0,
		  { 0x0006000000000080, 8, 0, 0x80000000000 } },
		{ &power10_model, { 0x01340000001c040 }, 0,
		  { 0xc000000040000000, 0, 0x0134000000000000, 0x80000000000 } },
		{ &power10_model, { BIT_ULL(29) | 0x10202 }, 0x140,
		  { 0x0000200002000000, 0, 0, 0x0028080000010000 } },
	};
	struct perf_counter_hw hw[3];
	u64 registers[POWER_REGISTERS];
	struct power_set set;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		set = (struct power_set) {};
		for (j = 0; j < 3 && sets[i].code[j]; j++) {
			hw[j] = (struct perf_counter_hw) {
				.config = sets[i].code[j], .extra_config = sets[i].extra,
			};
			power_set_add(&set, &hw[j]);
		}
		KUNIT_EXPECT_TRUE(test, power_set_solve(sets[i].model, &set));
		power_set_encode(sets[i].model, &set, registers);
		for (j = 0; j < POWER_REGISTERS; j++)
			KUNIT_EXPECT_EQ_MSG(test, registers[j], sets[i].registers[j],
					    "set %u, register %u", i, j);
	}
}

/* Thresholds on POWER10: 1000 is 250 times 4; a number that does not fit becomes the largest. */
static void threshold_is_encoded(struct kunit *test)
{
	static const u64 lengths[][2] = {
		{ 0, 0 }, { 255, 0xff }, { 256, 0x140 }, { 1000, 0x1fa }, { 261120, 0x5ff },
		{ 262143, 0x5ff },
	};
	struct perf_counter_attr attr = { .type = PERF_TYPE_RAW, .config = BIT_ULL(29) | 0x10002 };
	struct perf_counter_hw hw;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		attr.config1 = lengths[i][0];
		hw = (struct perf_counter_hw) {};
		KUNIT_EXPECT_EQ(test, power_event_init(&power10_model, &attr, &hw), 0);
		KUNIT_EXPECT_EQ(test, hw.extra_config, lengths[i][1]);
	}
}

static struct kunit_case set_cases[] = {
	KUNIT_CASE(events_do_not_share_a_slot),
	KUNIT_CASE(tasks_can_count_cycles_on_pmc6),
	KUNIT_CASE(second_code_is_tried),
	KUNIT_CASE(shared_fields_agree),
	KUNIT_CASE(bus_events_need_pmc4),
	KUNIT_CASE(counters_keep_their_slots),
	KUNIT_CASE(extending_a_set_finds_what_solving_finds),
	KUNIT_CASE(set_is_encoded_into_registers),
	KUNIT_CASE(threshold_is_encoded),
	{}
};

static struct kunit_suite set_suite = {
	.name = "perf_counter_power_set",
	.test_cases = set_cases,
};

/* === Counting === */

static int machine_init(struct kunit *test)
{
	int err = set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));

	use_machine(&power9_model);
	return err;
}

static void count_continues_across_an_overflow(struct kunit *test)
{
	struct test_counter counter;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counter, 0x100fc), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_TRUE(test, machine.inuse);
	KUNIT_EXPECT_EQ(test, counter.hw.slot, 0);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0xfc000000);
	/*
	 * In MMCR0, alerts are enabled, including those of PMC1; PMC5 and PMC6 are frozen; programs
	 * have no access.
	 */
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x06048010);
	KUNIT_EXPECT_FALSE(test, happens(0, 0x7fffffff));
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 0x7fffffff);
	KUNIT_EXPECT_TRUE(test, happens(0, 3));
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 0x80000002);
	interrupt();
	KUNIT_EXPECT_EQ(test, machine.moved, 1);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x06048010);
	KUNIT_EXPECT_FALSE(test, happens(0, 5));
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 0x80000007);
	unload(&counter);
	KUNIT_EXPECT_EQ(test, counter.hw.count, 0x80000007);
	/* All counters are frozen. */
	KUNIT_EXPECT_FALSE(test, happens(0, 5));
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 5);
}

static void sample_is_taken_at_each_period(struct kunit *test)
{
	struct test_counter counter;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, init_sampling(&power9_model, &counter, 0x100fc, 100), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0x80000000 - 100);
	for (i = 1; i <= 1050; i++) {
		if (happens(0, 1))
			interrupt();
		KUNIT_ASSERT_EQ(test, counter.overflows, i / 100);
	}
	/* The rest of the period is kept while the counter is unloaded. */
	unload(&counter);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0x80000000 - 50);
	/* The period exceeds the range of a counter. */
	unload(&counter);
	counter.period = 0x100000000;
	counter.hw.next = counter.hw.count + counter.period;
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0);
	KUNIT_EXPECT_TRUE(test, happens(0, 0x80000000));
	interrupt();
	KUNIT_EXPECT_EQ(test, counter.overflows, 10);
	KUNIT_EXPECT_TRUE(test, happens(0, 0x80000000));
	interrupt();
	KUNIT_EXPECT_EQ(test, counter.overflows, 11);
}

static u64 reg_of(const struct test_counter *counter, unsigned int nr)
{
	return counter->regs[nr - PERF_COUNTER_FIRST_PMU_REG];
}

/* A sample has the registers as the interrupt found them. */
static void sample_has_the_registers_of_the_alert(struct kunit *test)
{
	struct test_counter first, second;

	use_machine(&power10_model);
	KUNIT_ASSERT_EQ(test, init_sampling(&power10_model, &first, 0x10002, 100), 0);
	KUNIT_ASSERT_EQ(test, init_sampling(&power10_model, &second, 0x20002, 100), 0);
	KUNIT_ASSERT_EQ(test, load(&first), 0);
	KUNIT_ASSERT_EQ(test, load(&second), 0);
	machine.siar = 0x51;
	machine.sdar = 0x5d;
	machine.sier = 0x5e;
	machine.pmc[5] = 77;
	KUNIT_EXPECT_TRUE(test, happens(0, 100));
	machine.pmc[1] = 0x80000003;
	interrupt();
	KUNIT_ASSERT_EQ(test, first.overflows, 1);
	KUNIT_ASSERT_EQ(test, second.overflows, 1);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0x80000000 - 100);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_PMC1), 0x80000000);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_PMC2), 0x80000003);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_PMC6), 77);
	KUNIT_EXPECT_FALSE(test, machine.mmcr[0] & MMCR0_PMAO);
	KUNIT_EXPECT_TRUE(test, reg_of(&second, PERF_REG_POWERPC_MMCR0) & MMCR0_PMAO);
	KUNIT_EXPECT_NE(test, machine.mmcr[1], 0);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_MMCR1), machine.mmcr[1]);
	KUNIT_EXPECT_NE(test, machine.mmcr[2], 0);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_MMCR2), machine.mmcr[2]);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_MMCR3), machine.mmcr[3]);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_MMCRA), machine.mmcr[4]);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_SIAR), 0x51);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_SDAR), 0x5d);
	KUNIT_EXPECT_EQ(test, reg_of(&second, PERF_REG_POWERPC_SIER), 0x5e);
}

static void throttled_counter_stops(struct kunit *test)
{
	struct test_counter counter, other;

	KUNIT_ASSERT_EQ(test, init_sampling(&power9_model, &counter, 0x100fc, 10), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &other, 0x2c04e), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_ASSERT_EQ(test, load(&other), 0);
	counter.throttle = true;
	KUNIT_EXPECT_TRUE(test, happens(0, 10));
	interrupt();
	KUNIT_EXPECT_TRUE(test, is_frozen(0));
	KUNIT_EXPECT_FALSE(test, is_frozen(1));
	KUNIT_EXPECT_FALSE(test, happens(0, 7));
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 10);
	/* The counter stays frozen while others are loaded and unloaded. */
	unload(&other);
	KUNIT_ASSERT_EQ(test, load(&other), 0);
	KUNIT_EXPECT_TRUE(test, is_frozen(0));
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 10);
	unload(&counter);
	counter.throttle = false;
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_FALSE(test, is_frozen(0));
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0x80000000 - 10);
}

/* The PMU is disabled before the interrupt of an alert is taken. */
static void lost_alert_is_handled_at_enable(struct kunit *test)
{
	struct test_counter counter;

	KUNIT_ASSERT_EQ(test, init_sampling(&power9_model, &counter, 0x100fc, 10), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_TRUE(test, happens(0, 12));
	power_disable();
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x80040000);
	/* The interrupt comes late. */
	interrupt();
	KUNIT_EXPECT_EQ(test, counter.overflows, 0);
	power_enable();
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0x7fffffff);
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 12);
	KUNIT_EXPECT_TRUE(test, happens(0, 1));
	interrupt();
	KUNIT_EXPECT_EQ(test, counter.overflows, 1);
	/* Further interrupts do nothing, even after the last counter was unloaded. */
	interrupt();
	KUNIT_EXPECT_EQ(test, counter.overflows, 1);
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 13);
	unload(&counter);
	interrupt();
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x80040000);
}

/* An alert that is cleared while branches are read is raised again at the next event. */
static void alert_cleared_by_a_reader_is_raised_again(struct kunit *test)
{
	struct test_counter sampling, counting;
	u64 mmcr0;

	KUNIT_ASSERT_EQ(test, init_sampling(&power9_model, &sampling, 0x100fc, 10), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counting, 0x200f2), 0);
	KUNIT_ASSERT_EQ(test, load(&sampling), 0);
	KUNIT_ASSERT_EQ(test, load(&counting), 0);
	mmcr0 = power_freeze();
	KUNIT_EXPECT_TRUE(test, is_frozen(0));
	/* Counters overflow between the two instructions of power_freeze(). */
	machine.pmc[0] += 12;
	machine.pmc[1] = 0x80000005;
	power_thaw(mmcr0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], mmcr0);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0x7fffffff);
	KUNIT_EXPECT_EQ(test, machine.pmc[1], 0);
	KUNIT_EXPECT_EQ(test, machine.moved, 1);
	KUNIT_EXPECT_EQ(test, power_read(&sampling.hw), 12);
	KUNIT_EXPECT_EQ(test, power_read(&counting.hw), 0x80000005);
	KUNIT_EXPECT_TRUE(test, happens(0, 1));
	interrupt();
	KUNIT_EXPECT_EQ(test, sampling.overflows, 1);
	unload(&counting);
	unload(&sampling);
}

static void unused_negative_counters_are_cleared(struct kunit *test)
{
	struct test_counter counter;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counter, 0x100fc), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	happens(0, 5);
	/* An emulator may not freeze an unused counter. */
	machine.pmc[3] = 0x80000001;
	machine.mmcr[0] |= MMCR0_FC | MMCR0_PMAO;
	interrupt();
	KUNIT_EXPECT_EQ(test, machine.pmc[3], 0);
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 5);
	KUNIT_EXPECT_FALSE(test, is_frozen(0));
}

static void counters_move_to_make_room(struct kunit *test)
{
	struct test_counter any, first, miss, store, fifth;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &any, 0x1e), 0);
	any.hw.of_task = false;
	KUNIT_ASSERT_EQ(test, load(&any), 0);
	KUNIT_EXPECT_EQ(test, any.hw.slot, 0);
	happens(0, 33);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &first, 0x100fc), 0);
	KUNIT_ASSERT_EQ(test, load(&first), 0);
	KUNIT_EXPECT_EQ(test, first.hw.slot, 0);
	KUNIT_EXPECT_EQ(test, any.hw.slot, 1);
	KUNIT_EXPECT_EQ(test, power_read(&any.hw), 33);
	KUNIT_EXPECT_EQ(test, power_read(&first.hw), 0);
	happens(1, 4);
	KUNIT_EXPECT_EQ(test, power_read(&any.hw), 37);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0xfc1e0000);
	/* The counter moves from PMC3 to PMC4, which its second code names. */
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &miss, 0x3e054), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &store, 0x300f0), 0);
	KUNIT_ASSERT_EQ(test, load(&miss), 0);
	KUNIT_EXPECT_EQ(test, miss.hw.slot, 2);
	happens(2, 9);
	KUNIT_ASSERT_EQ(test, load(&store), 0);
	KUNIT_EXPECT_EQ(test, miss.hw.slot, 3);
	KUNIT_EXPECT_EQ(test, store.hw.slot, 2);
	KUNIT_EXPECT_EQ(test, power_read(&miss.hw), 9);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0xfc1ef0f0);
	/* There is no room for a fifth counter. */
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &fifth, 0x400f6), 0);
	KUNIT_EXPECT_EQ(test, load(&fifth), -ENOSPC);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0xfc1ef0f0);
}

static void excluded_modes_freeze_the_counter(struct kunit *test)
{
	struct perf_counter_attr attr = { .type = PERF_TYPE_RAW, .config = 0x20002 };
	struct test_counter counter = { .hw.slot = -1 };

	/* Bits of PMC2 are nine lower than those of PMC1. */
	attr.exclude_kernel = 1;
	KUNIT_ASSERT_EQ(test, power_event_init(&power9_model, &attr, &counter.hw), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[2] << 9 & GENMASK_ULL(63, 55), BIT_ULL(63));
	unload(&counter);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	attr.exclude_idle = 1;
	KUNIT_ASSERT_EQ(test, power_event_init(&power9_model, &attr, &counter.hw), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	/*
	 * The counter is frozen in programs of a partition, in programs on bare metal, and in the
	 * idle task.
	 */
	KUNIT_EXPECT_EQ(test, machine.mmcr[2] << 9 & GENMASK_ULL(63, 55),
			STATE_PROBLEM | STATE_HV_PROBLEM | BIT_ULL(58));
	KUNIT_EXPECT_TRUE(test, is_frozen(0));
	unload(&counter);
}

/* On bare metal the kernel runs in hypervisor state, and programs run with MSR[HV] set. */
static void excluded_modes_freeze_on_bare_metal(struct kunit *test)
{
	struct perf_counter_attr attr = { .type = PERF_TYPE_RAW, .config = 0x20002 };
	struct test_counter counter = { .hw.slot = -1 };

	freeze_kernel = FREEZE_HYPERVISOR;
	attr.exclude_user = 1;
	KUNIT_ASSERT_EQ(test, power_event_init(&power9_model, &attr, &counter.hw), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_TRUE(test, is_frozen_in(1, STATE_HV_PROBLEM));
	KUNIT_EXPECT_FALSE(test, is_frozen_in(1, STATE_HYPERVISOR));
	unload(&counter);
	attr.exclude_user = 0;
	attr.exclude_kernel = 1;
	KUNIT_ASSERT_EQ(test, power_event_init(&power9_model, &attr, &counter.hw), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_TRUE(test, is_frozen_in(1, STATE_HYPERVISOR));
	KUNIT_EXPECT_FALSE(test, is_frozen_in(1, STATE_HV_PROBLEM));
	unload(&counter);
}

static void programs_read_their_counters_alone(struct kunit *test)
{
	struct perf_event_mmap_page page = { .offset = 1000 };
	struct test_counter counter, other;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counter, 0x20002), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &other, 0x10002), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_ASSERT_EQ(test, load(&other), 0);
	happens(0, 77);
	happens(1, 66);
	unload(&other);
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 77);
	machine.siar = 1;
	machine.sdar = 1;
	power_disable();
	power_set_user_access(true);
	KUNIT_EXPECT_TRUE(test, power_enable());
	/* Counts of other users are cleared, and PMCC is 0. */
	KUNIT_EXPECT_EQ(test, machine.pmc[0], 0);
	KUNIT_EXPECT_EQ(test, machine.pmc[1], 0);
	KUNIT_EXPECT_EQ(test, power_read(&counter.hw), 66);
	KUNIT_EXPECT_EQ(test, machine.siar | machine.sdar, 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x06004010);
	power_fill_user_page(&counter.hw, 0, &page);
	KUNIT_EXPECT_EQ(test, page.index, 2);
	KUNIT_EXPECT_EQ(test, page.pmc_width, 32);
	KUNIT_EXPECT_EQ(test, page.offset, 1000);
	/* Programs keep the access while no counter is loaded. */
	unload(&counter);
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x80000000);
	power_disable();
	power_set_user_access(false);
	power_enable();
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x80040000);
}

/* Tell whether a negative counter raises an alert, according to MMCR0. */
static bool alert_pends(void)
{
	unsigned int slot;

	for (slot = 0; slot < POWER_SLOTS; slot++) {
		if (machine.pmc[slot] & NEGATIVE &&
		    machine.mmcr[0] & (slot ? MMCR0_PMCjCE : MMCR0_PMC1CE))
			return true;
	}
	return false;
}

/* The previous user has left all counters negative. */
static void negative_counters_of_others_raise_no_alert(struct kunit *test)
{
	struct test_counter first, second;
	unsigned int slot;

	for (slot = 0; slot < POWER_SLOTS; slot++)
		machine.pmc[slot] = NEGATIVE + slot;
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &first, 0x100fc), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &second, 0x20002), 0);
	KUNIT_ASSERT_EQ(test, load(&first), 0);
	KUNIT_EXPECT_FALSE(test, alert_pends());
	KUNIT_ASSERT_EQ(test, load(&second), 0);
	KUNIT_EXPECT_FALSE(test, alert_pends());
	/*
	 * A counter that is unloaded after an overflow without an interrupt is cleared, so that it
	 * raises no alert for the next counter.
	 */
	KUNIT_EXPECT_TRUE(test, happens(1, NEGATIVE));
	KUNIT_EXPECT_TRUE(test, machine.pmc[1] & NEGATIVE);
	unload(&second);
	KUNIT_EXPECT_FALSE(test, machine.pmc[1] & NEGATIVE);
	unload(&first);
}

static void release_leaves_the_pmu_stopped(struct kunit *test)
{
	struct test_counter counter, other;
	unsigned int slot;

	KUNIT_EXPECT_EQ(test, power_claim(), 0);
	KUNIT_EXPECT_EQ(test, power_claim(), -EBUSY);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counter, 0x401e0), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &other, 0x20002), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_ASSERT_EQ(test, load(&other), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[4], 1);
	happens(1, 9);
	unload(&counter);
	unload(&other);
	power_release();
	KUNIT_EXPECT_FALSE(test, machine.reserved);
	KUNIT_EXPECT_FALSE(test, machine.inuse);
	for (slot = 0; slot < POWER_SLOTS; slot++)
		KUNIT_EXPECT_FALSE(test, machine.pmc[slot] & NEGATIVE);
	/* All counters are frozen, programs have no access, and nothing is sampled. */
	KUNIT_EXPECT_EQ(test, machine.mmcr[0], 0x80040000);
	KUNIT_EXPECT_EQ(test, machine.mmcr[4] & MMCRA_SAMPLE_ENABLE, 0);
}

/* Registers are not written again for the same counters. */
static void registers_are_not_rewritten(struct kunit *test)
{
	struct test_counter counter;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counter, 0x20002), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	unload(&counter);
	machine.writes = 0;
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	/*
	 * The backend writes the counter, and MMCR0 to start it; MMCR0 has the value for frozen
	 * counters already.
	 */
	KUNIT_EXPECT_EQ(test, machine.writes, 2);
	unload(&counter);
}

/* A slot is used for the event of another counter, and then for that of the first counter again. */
static void registers_follow_the_loaded_counters(struct kunit *test)
{
	struct test_counter first, second, other;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &first, 0x100fc), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &second, 0x2c04e), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &other, 0x20002), 0);
	KUNIT_ASSERT_EQ(test, load(&first), 0);
	KUNIT_ASSERT_EQ(test, load(&second), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0x0c000000fc4e0000);
	unload(&second);
	KUNIT_ASSERT_EQ(test, load(&other), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0xfc020000);
	unload(&other);
	KUNIT_ASSERT_EQ(test, load(&second), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0x0c000000fc4e0000);
	unload(&first);
	unload(&second);
	KUNIT_ASSERT_EQ(test, load(&second), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0x0c000000004e0000);
	unload(&second);
}

/* Lose all registers of the PMU, as in a deep idle state. */
static void lose_registers(void)
{
	power_counters_sleep();
	machine = (struct machine) {
		.mmcr[0] = MMCR0_FC, .inuse = machine.inuse, .reserved = machine.reserved,
	};
	power_counters_wake();
}

/* A task's event is written to the registers again after its CPU was idle. */
static void lost_registers_are_written_again(struct kunit *test)
{
	struct test_counter counter;
	u64 mmcr2;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counter, 0x2c04e), 0);
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	happens(1, 5);
	mmcr2 = machine.mmcr[2];
	unload(&counter);
	lose_registers();
	KUNIT_ASSERT_EQ(test, load(&counter), 0);
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0x0c000000004e0000);
	KUNIT_EXPECT_EQ(test, machine.mmcr[2], mmcr2);
	happens(1, 4);
	unload(&counter);
	KUNIT_EXPECT_EQ(test, counter.hw.count, 9);
}

/* A counter of the CPU stays loaded and loses no event before or after the idle state. */
static void loaded_counters_survive_lost_registers(struct kunit *test)
{
	struct test_counter counting, sampling;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &counting, 0x2c04e), 0);
	KUNIT_ASSERT_EQ(test, init_sampling(&power9_model, &sampling, 0x100fc, 10), 0);
	KUNIT_ASSERT_EQ(test, load(&counting), 0);
	KUNIT_ASSERT_EQ(test, load(&sampling), 0);
	happens(1, 5);
	happens(0, 7);
	lose_registers();
	KUNIT_EXPECT_EQ(test, machine.mmcr[1], 0x0c000000fc4e0000);
	KUNIT_EXPECT_FALSE(test, is_frozen(0));
	KUNIT_EXPECT_EQ(test, power_read(&counting.hw), 5);
	KUNIT_EXPECT_EQ(test, power_read(&sampling.hw), 7);
	happens(1, 4);
	KUNIT_EXPECT_EQ(test, power_read(&counting.hw), 9);
	KUNIT_EXPECT_FALSE(test, happens(0, 2));
	KUNIT_EXPECT_TRUE(test, happens(0, 1));
	interrupt();
	KUNIT_EXPECT_EQ(test, sampling.overflows, 1);
	unload(&sampling);
	unload(&counting);
}

/* On a CPU that does not own its registers, nothing is written. */
static void idle_leaves_registers_of_others_alone(struct kunit *test)
{
	machine.writes = 0;
	power_counters_sleep();
	power_counters_wake();
	KUNIT_EXPECT_EQ(test, machine.writes, 0);
}

/* The slot of an unloaded counter is free. */
static void slot_of_an_unloaded_counter_is_free(struct kunit *test)
{
	struct test_counter insns, cycles, next;

	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &insns, 0x2), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &cycles, 0x1e), 0);
	KUNIT_ASSERT_EQ(test, init_raw(&power9_model, &next, 0x2), 0);
	KUNIT_ASSERT_EQ(test, load(&insns), 0);
	KUNIT_ASSERT_EQ(test, load(&cycles), 0);
	KUNIT_EXPECT_EQ(test, insns.hw.slot, 4);
	unload(&insns);
	KUNIT_ASSERT_EQ(test, load(&next), 0);
	KUNIT_EXPECT_EQ(test, next.hw.slot, 4);
	unload(&next);
	unload(&cycles);
}

static struct kunit_case count_cases[] = {
	KUNIT_CASE(count_continues_across_an_overflow),
	KUNIT_CASE(sample_is_taken_at_each_period),
	KUNIT_CASE(sample_has_the_registers_of_the_alert),
	KUNIT_CASE(throttled_counter_stops),
	KUNIT_CASE(lost_alert_is_handled_at_enable),
	KUNIT_CASE(alert_cleared_by_a_reader_is_raised_again),
	KUNIT_CASE(unused_negative_counters_are_cleared),
	KUNIT_CASE(counters_move_to_make_room),
	KUNIT_CASE(excluded_modes_freeze_the_counter),
	KUNIT_CASE(excluded_modes_freeze_on_bare_metal),
	KUNIT_CASE(programs_read_their_counters_alone),
	KUNIT_CASE(negative_counters_of_others_raise_no_alert),
	KUNIT_CASE(release_leaves_the_pmu_stopped),
	KUNIT_CASE(registers_are_not_rewritten),
	KUNIT_CASE(registers_follow_the_loaded_counters),
	KUNIT_CASE(slot_of_an_unloaded_counter_is_free),
	KUNIT_CASE(lost_registers_are_written_again),
	KUNIT_CASE(loaded_counters_survive_lost_registers),
	KUNIT_CASE(idle_leaves_registers_of_others_alone),
	{}
};

static struct kunit_suite count_suite = {
	.name = "perf_counter_power_count",
	.init = machine_init,
	.test_cases = count_cases,
};

/* === Samples and branches === */

static void sample_has_the_instruction_of_siar(struct kunit *test)
{
	static struct pt_regs user = { .msr = MSR_PR }, kernel;
	const struct perf_counter_hw plain = { .config = 0x1e };
	const struct perf_counter_hw marked = { .config = 0x401e0 };
	const struct perf_counter_hw precise = {
		.config = 0x401e0, .extra_config = POWER_EXTRA_PRECISE,
	};
	struct perf_counter_hw_sample known = {};

	machine = (struct machine) { .siar = 0x1000, .sdar = 0x2000 };
	/* In the kernel, SIAR is used; in user mode, the registers are. */
	KUNIT_EXPECT_TRUE(test, test_describe(&power9_model, &plain, 0, PERF_SAMPLE_ADDR, &kernel,
					      &known));
	KUNIT_EXPECT_EQ(test, known.ip, 0x1000);
	KUNIT_EXPECT_EQ(test, known.addr, 0);
	known.ip = 0;
	machine.sier = SIER_SIPR | SIER_SDAR_VALID;
	KUNIT_EXPECT_TRUE(test, test_describe(&power9_model, &plain, 0, PERF_SAMPLE_ADDR, &user,
					      &known));
	KUNIT_EXPECT_EQ(test, known.ip, 0);
	KUNIT_EXPECT_EQ(test, known.addr, 0x2000);
	/* While marked events are sampled, SIAR belongs to them. */
	known = (struct perf_counter_hw_sample) {};
	KUNIT_EXPECT_TRUE(test, test_describe(&power9_model, &plain, 1, PERF_SAMPLE_ADDR, &kernel,
					      &known));
	KUNIT_EXPECT_EQ(test, known.ip | known.addr, 0);
	/* If SIAR is not valid, it is not used, and a precise sample is dropped. */
	KUNIT_EXPECT_TRUE(test, test_describe(&power9_model, &marked, 1, 0, &user, &known));
	KUNIT_EXPECT_EQ(test, known.ip, 0);
	KUNIT_EXPECT_FALSE(test, test_describe(&power9_model, &precise, 1, 0, &user, &known));
	machine.sier = SIER_SIAR_VALID;
	KUNIT_EXPECT_TRUE(test, test_describe(&power9_model, &precise, 1, 0, &user, &known));
	KUNIT_EXPECT_EQ(test, known.ip, 0x1000);
}

/* Return the mode of a sample with @siar and @sier, of a counter with @extra. */
static u16 mode_at(const struct power_model *model, u64 siar, u64 sier, u64 extra)
{
	const struct perf_counter_hw marked = { .config = 0x401e0, .extra_config = extra };
	struct perf_counter_hw_sample known = {};
	static struct pt_regs kernel;

	machine = (struct machine) { .siar = siar, .sier = sier | SIER_SIAR_VALID };
	return test_describe(model, &marked, 1, 0, &kernel, &known) ? known.mode : 0;
}

static void sample_has_the_mode_of_sier(struct kunit *test)
{
	const u64 program = 0x10000000, kernel = 0xc000000000001234, real = 0x1234;
	/* On bare metal, this kernel runs in hypervisor state. */
	const u16 hv = firmware_has_feature(FW_FEATURE_LPAR) ? PERF_RECORD_MISC_HYPERVISOR :
							       PERF_RECORD_MISC_KERNEL;

	KUNIT_EXPECT_EQ(test, mode_at(&power9_model, program, SIER_SIPR, 0),
			PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, mode_at(&power9_model, kernel, 0, 0), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, mode_at(&power9_model, kernel, SIER_SIPR, 0),
			PERF_RECORD_MISC_KERNEL);
	/*
	 * A low address is in firmware or in the kernel without translation; with SIER[SIHV], it is
	 * in a hypervisor.
	 */
	KUNIT_EXPECT_EQ(test, mode_at(&power9_model, real, 0, 0), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, mode_at(&power9_model, real, SIER_SIHV, 0), hv);
	KUNIT_EXPECT_EQ(test, mode_at(&power8_model, real, SIER_SIHV, 0), hv);
	/* On bare metal, programs run with MSR[HV] set. */
	KUNIT_EXPECT_EQ(test, mode_at(&power9_model, program, SIER_SIPR | SIER_SIHV, 0),
			PERF_RECORD_MISC_USER);
	/*
	 * POWER10 may not report user mode, but a counter that excludes user mode has no user
	 * samples.
	 */
	KUNIT_EXPECT_EQ(test, mode_at(&power10_model, program, 0, 0), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, mode_at(&power10_model, real, 0, POWER_EXTRA_NO_USER),
			PERF_RECORD_MISC_KERNEL);
}

static void sample_has_source_and_latency_of_data(struct kunit *test)
{
	union perf_mem_data_src source;

	/* Decode a load from L2. */
	source.val = power_data_src(&power9_model, BIT(15) | 2 << 1, 0);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_op, PERF_MEM_OP_LOAD);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_lvl, PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_lvl_num, PERF_MEM_LVLNUM_L2);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_snoop, PERF_MEM_SNOOP_HIT);
	/* Decode a store to a line that was modified in another chip's cache. */
	source.val = power_data_src(&power9_model, BIT(16) | 6 << 1 | BIT_ULL(53), 0);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_op, PERF_MEM_OP_STORE);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_lvl, PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE2);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_snoop, PERF_MEM_SNOOP_HITM);
	source.val = power_data_src(&power10_model, BIT(16) | 6 << 1 | BIT_ULL(53), 0);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_lvl, PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_hops, PERF_MEM_HOPS_2);
	/*
	 * An instruction that is neither a load nor a store has no source. Only POWER10 can tell
	 * whether a larx or stcx. is a load or a store.
	 */
	KUNIT_EXPECT_EQ(test, power_data_src(&power9_model, 3 << 15, 0), 0);
	KUNIT_EXPECT_EQ(test, power_data_src(&power9_model, 7 << 15, 7 << 4), 0);
	source.val = power_data_src(&power10_model, 7 << 15, 7 << 4);
	KUNIT_EXPECT_EQ(test, (u64)source.mem_op, PERF_MEM_OP_STORE);
	/* The latency with mantissa 5 and exponent 3 is 5 * 4^3. */
	KUNIT_EXPECT_EQ(test, power_latency(&power9_model, BIT(15), 3 << 27 | 5 << 19), 320);
	KUNIT_EXPECT_EQ(test, power_latency(&power9_model, BIT(15), BIT(26)), 0);
	KUNIT_EXPECT_EQ(test, power_latency(&power10_model, BIT(15), BIT(26)), 128);
	KUNIT_EXPECT_EQ(test, power_latency(&power9_model, 0, 3 << 27 | 5 << 19), 0);
}

static void branches_are_decoded_from_instructions(struct kunit *test)
{
	static const struct {
		u32		insn;
		unsigned int	type;
		u64		target;		/* from 0x10000 */
	} branches[] = {
		{ 0x48000010, PERF_BR_UNCOND,	0x10010 },	/* b .+16 */
		{ 0x4bfffff1, PERF_BR_CALL,	0xfff0 },	/* bl .-16 */
		{ 0x48000102, PERF_BR_UNCOND,	0x100 },	/* ba 0x100 */
		{ 0x4182fffc, PERF_BR_COND,	0xfffc },	/* beq .-4 */
		{ 0x4200fff8, PERF_BR_COND,	0xfff8 },	/* bdnz .-8 */
		{ 0x42800008, PERF_BR_UNCOND,	0x10008 },	/* bc 20,0,.+8 */
		{ 0x429f0005, PERF_BR_CALL,	0x10004 },	/* bcl 20,31,.+4 */
		{ 0x4e800020, PERF_BR_RET,	0 },		/* blr */
		{ 0x4d820020, PERF_BR_RET,	0 },		/* beqlr */
		{ 0x4e800021, PERF_BR_IND_CALL,	0 },		/* blrl */
		{ 0x4e800420, PERF_BR_IND,	0 },		/* bctr */
		{ 0x4e800421, PERF_BR_IND_CALL,	0 },		/* bctrl */
		{ 0x4e800460, PERF_BR_IND,	0 },		/* bctar */
		{ 0x60000000, PERF_BR_UNKNOWN,	0 },		/* nop */
		{ 0x4c00012c, PERF_BR_UNKNOWN,	0 },		/* isync */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		KUNIT_EXPECT_EQ_MSG(test, power_branch_type(branches[i].insn), branches[i].type,
				    "%#x", branches[i].insn);
		KUNIT_EXPECT_EQ_MSG(test, power_branch_target(branches[i].insn, 0x10000),
				    branches[i].target, "%#x", branches[i].insn);
	}
	KUNIT_EXPECT_EQ(test, power_bhrb_filter(0), 0);
	KUNIT_EXPECT_EQ(test, power_bhrb_filter(PERF_COUNTER_BRANCH_CALL |
						PERF_COUNTER_BRANCH_USER), BIT(30));
	KUNIT_EXPECT_EQ(test, power_bhrb_filter(PERF_COUNTER_BRANCH_CALL |
						PERF_COUNTER_BRANCH_RET), 0);
}

/* KUnit's thread has no address space; the mapped one belongs to another task. */
static void memory_of_other_tasks_is_not_read(struct kunit *test)
{
	KUNIT_ASSERT_NULL(test, current->mm);
	KUNIT_EXPECT_FALSE(test, nmi_uaccess_okay());
}

static struct kunit_case sample_cases[] = {
	KUNIT_CASE(memory_of_other_tasks_is_not_read),
	KUNIT_CASE(sample_has_the_instruction_of_siar),
	KUNIT_CASE(sample_has_the_mode_of_sier),
	KUNIT_CASE(sample_has_source_and_latency_of_data),
	KUNIT_CASE(branches_are_decoded_from_instructions),
	{}
};

static struct kunit_suite sample_suite = {
	.name = "perf_counter_power_sample",
	.test_cases = sample_cases,
};

kunit_test_suites(&event_suite, &set_suite, &count_suite, &sample_suite);

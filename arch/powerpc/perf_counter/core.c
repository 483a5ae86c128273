// SPDX-License-Identifier: GPL-2.0
/*
 * The powerpc backend of perf_counter: drives the counters of POWER8, POWER9 and POWER10.
 *
 * A counter has 32 bits and overflows when its highest bit becomes 1. The overflow raises an alert,
 * which freezes all counters and the branch records, and raises an interrupt. While interrupts are
 * soft-masked, the interrupt arrives as an NMI; while they are hard-masked, it arrives when they
 * are unmasked. Events have to agree with each other on the registers that they share: see
 * events.c.
 *
 * While the PMU is disabled, only the fields of this CPU's struct power_cpu change. power_enable()
 * writes the registers that differ from the fields. When a counter is removed, the fields of its
 * event stay in the registers, and its slot stays frozen, until another counter gets the slot:
 * other events may depend on these register fields.
 *
 * An alert that is cleared before its interrupt was taken is lost. So power_enable() checks the
 * counters that go on, and reprograms each counter that has overflowed.
 *
 * Programs read PMC1 to PMC6 directly if MMCR0[PMCC] allows it. A counter must not run on past its
 * overflow, so its user page is updated whenever it gets a new start value.
 */

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/cputable.h>
#include <asm/firmware.h>
#include <asm/perf_counter.h>
#include <asm/pmc.h>
#include <asm/reg.h>
#include <asm/synch.h>

#include "internal.h"

static const struct power_model *power_model __ro_after_init;
/*
 * The MMCR2 bit that freezes PMC1 in the kernel: that of hypervisor state if the kernel is the
 * hypervisor, else that of supervisor state.
 */
static u64 freeze_kernel __ro_after_init;

/* Counters overflow when this bit becomes 1. */
#define NEGATIVE		BIT(31)
#define COUNTER_MASK		GENMASK(31, 0)

/* MMCR0[PMCC]: programs cannot access the counters. With 0, programs can read them. */
#define PMCC_NONE		0x00040000UL

/*
 * MMCR2: states in which PMC1 is frozen. The bits of each further counter are nine lower. Problem
 * state has two bits, for MSR[HV] 0 and 1: on bare metal programs run with MSR[HV] set.
 */
#define FREEZE_SUPERVISOR	BIT_ULL(63)
#define FREEZE_PROBLEM		(BIT_ULL(62) | BIT_ULL(61))
#define FREEZE_WAIT		BIT_ULL(58)
#define FREEZE_HYPERVISOR	BIT_ULL(57)
#define FREEZE_ALWAYS		(FREEZE_SUPERVISOR | FREEZE_PROBLEM | FREEZE_HYPERVISOR)
#define FREEZE_STEP		9

/* A value that no register holds, as it sets reserved bits. */
#define UNKNOWN			~0ULL

/**
 * struct power_cpu - the counters of a CPU
 * @ready: the PMU's registers belong to perf_counter, and the fields below are valid
 * @disabled: power_disable() was called, and power_enable() not yet
 * @running: the counters are enabled
 * @changed: a counter was added, so that @next_regs has to be computed again
 * @user_access: the current task may read counters directly
 * @used: mask of slots with a counter
 * @dirty: mask of slots of @used that power_enable() has to program
 * @stopped: mask of slots of @used that are not to count
 * @encoded: mask of slots in use when @next_regs was computed
 * @taken_slots: mask of slots whose events use the resources in @taken
 * @nmi_slots: mask of slots with a valid @nmi_value
 * @stale_slots: mask of slots that may hold a count of another user or counter
 * @maybe_negative: mask of slots not written since @ready, which may have their highest bit set
 * @record: branches that are recorded, PERF_COUNTER_BRANCH_*; 0: none
 * @mmcr0: value of MMCR0 while the counters run
 * @frozen_mmcr0: value last written to MMCR0 to freeze the counters
 * @alert_mmcr0: MMCR0 as the latest interrupt found it
 * @freeze: states in which each counter is frozen, in the layout of MMCR2
 * @next_regs: values that the events in @used need
 * @hw_regs: contents of the registers, or UNKNOWN
 * @nmi_value: contents of the counters at the latest interrupt
 * @hw: counter of each slot in @used
 * @code: code of each slot's event; for a free slot, code of its last event
 * @extra_config: hw->extra_config of each slot's event; for a free slot, that of its last event
 * @taken: resources that the events in @taken_slots use
 */
struct power_cpu {
	bool			ready;
	bool			disabled;
	bool			running;
	bool			changed;
	bool			user_access;
	u8			used;
	u8			dirty;
	u8			stopped;
	u8			encoded;
	u8			taken_slots;
	u8			nmi_slots;
	u8			stale_slots;
	u8			maybe_negative;
	u32			record;
	u64			mmcr0;
	u64			frozen_mmcr0;
	u64			alert_mmcr0;
	u64			freeze;
	u64			next_regs[POWER_REGISTERS];
	u64			hw_regs[POWER_REGISTERS];
	u32			nmi_value[POWER_SLOTS];
	struct perf_counter_hw	*hw[POWER_SLOTS];
	u64			code[POWER_SLOTS];
	u64			extra_config[POWER_SLOTS];
	struct power_taken	taken;
};

static DEFINE_PER_CPU(struct power_cpu, power_cpu);

/* CPUs with @ready set: their registers may hold values of perf_counter. */
static struct cpumask power_ready_cpus;

/* === Registers === */

static u32 power_read_slot(unsigned int slot)
{
	switch (slot) {
	case 0:
		return mfspr(SPRN_PMC1);
	case 1:
		return mfspr(SPRN_PMC2);
	case 2:
		return mfspr(SPRN_PMC3);
	case 3:
		return mfspr(SPRN_PMC4);
	case 4:
		return mfspr(SPRN_PMC5);
	default:
		return mfspr(SPRN_PMC6);
	}
}

static void power_write_slot(unsigned int slot, u32 value)
{
	switch (slot) {
	case 0:
		mtspr(SPRN_PMC1, value);
		break;
	case 1:
		mtspr(SPRN_PMC2, value);
		break;
	case 2:
		mtspr(SPRN_PMC3, value);
		break;
	case 3:
		mtspr(SPRN_PMC4, value);
		break;
	case 4:
		mtspr(SPRN_PMC5, value);
		break;
	default:
		mtspr(SPRN_PMC6, value);
		break;
	}
}

static void power_write_register(struct power_cpu *cpu, enum power_register which, u64 value)
{
	if (cpu->hw_regs[which] == value)
		return;
	cpu->hw_regs[which] = value;
	switch (which) {
	case POWER_MMCR1:
		mtspr(SPRN_MMCR1, value);
		break;
	case POWER_MMCR2:
		mtspr(SPRN_MMCR2, value);
		break;
	case POWER_MMCR3:
		mtspr(SPRN_MMCR3, value);
		break;
	default:
		mtspr(SPRN_MMCRA, value);
		break;
	}
}

/* Return the bits of MMCR0 that do not depend on whether counters run. */
static u64 power_mmcr0_access(const struct power_cpu *cpu)
{
	return (cpu->user_access ? 0 : PMCC_NONE) | (power_model->isa31 ? MMCR0_PMCCEXT : 0);
}

/* Freeze the counters and the branch records, and disable and clear alerts. */
static void power_freeze_all(struct power_cpu *cpu)
{
	cpu->frozen_mmcr0 = MMCR0_FC | power_mmcr0_access(cpu);
	mtspr(SPRN_MMCR0, cpu->frozen_mmcr0);
	/* Code from here on is not counted. */
	isync();
}

/*
 * Write MMCR0 while the counters are frozen and stay frozen. The write can be left out if MMCR0 has
 * this value already and no alert can have changed it.
 */
static void power_write_frozen(struct power_cpu *cpu, u64 mmcr0)
{
	if (cpu->frozen_mmcr0 == mmcr0 && !(mmcr0 & MMCR0_PMXE))
		return;
	cpu->frozen_mmcr0 = mmcr0;
	mtspr(SPRN_MMCR0, mmcr0);
}

/* Return MMCRA for running counters, including the enable bit for sampling instructions. */
static u64 power_mmcra_running(const struct power_cpu *cpu)
{
	u64 mmcra = cpu->next_regs[POWER_MMCRA] | power_bhrb_filter(cpu->record);

	if (power_model->isa31 && !cpu->record)
		mmcra |= MMCRA_BHRB_DISABLE;
	return mmcra;
}

/* Return the number of events between @hw->start and the slot's contents @value. */
static u32 power_slot_delta(const struct perf_counter_hw *hw, u32 value)
{
	return value - (u32)hw->start;
}

/* === Programming the counters === */

/* Set the register of @slot so that it overflows when the next sample of @hw is due. */
static void power_set_start(struct power_cpu *cpu, unsigned int slot, struct perf_counter_hw *hw)
{
	s64 left = NEGATIVE;

	if (hw->next)
		left = clamp_t(s64, hw->next - hw->count, 1, NEGATIVE);
	hw->start = hw->stopped ? 0 : NEGATIVE - left;
	cpu->stale_slots |= BIT(slot);
	cpu->maybe_negative &= ~BIT(slot);
	power_write_slot(slot, hw->start);
}

/* Return the states in which the counter of @hw is frozen, in the layout of MMCR2 for PMC1. */
static u64 power_freeze_bits(const struct perf_counter_hw *hw)
{
	u64 freeze = 0;

	if (hw->stopped)
		return FREEZE_ALWAYS;
	if (hw->extra_config & POWER_EXTRA_NO_USER)
		freeze |= FREEZE_PROBLEM;
	if (hw->extra_config & POWER_EXTRA_NO_KERNEL)
		freeze |= freeze_kernel;
	/* On bare metal this kernel is the hypervisor. */
	if ((hw->extra_config & POWER_EXTRA_NO_HV) && firmware_has_feature(FW_FEATURE_LPAR))
		freeze |= FREEZE_HYPERVISOR;
	if (hw->extra_config & POWER_EXTRA_NO_IDLE)
		freeze |= FREEZE_WAIT;
	return freeze;
}

static void power_set_freeze(struct power_cpu *cpu)
{
	unsigned int slot;

	cpu->freeze = 0;
	for (slot = 0; slot < POWER_SLOTS; slot++)
		cpu->freeze |= (cpu->used & BIT(slot) ? power_freeze_bits(cpu->hw[slot]) :
							FREEZE_ALWAYS) >> slot * FREEZE_STEP;
}

/* Compute the registers that the events in @used need. */
static void power_encode(struct power_cpu *cpu)
{
	unsigned long used = cpu->used;
	struct power_set set = {};
	unsigned int slot;

	for_each_set_bit(slot, &used, POWER_SLOTS) {
		set.hw[set.nr] = cpu->hw[slot];
		set.code[set.nr] = cpu->code[slot];
		set.slot[set.nr++] = slot;
	}
	power_set_encode(power_model, &set, cpu->next_regs);
	cpu->encoded = used;
}

/* Write the registers that all counters share, for the slots in @used. */
static void power_write_shared(struct power_cpu *cpu)
{
	/* A task that is scheduled in again usually has the events that it had before. */
	if (cpu->changed && cpu->encoded != cpu->used)
		power_encode(cpu);
	cpu->changed = false;
	power_set_freeze(cpu);
	power_write_register(cpu, POWER_MMCRA,
			     power_mmcra_running(cpu) & ~(u64)MMCRA_SAMPLE_ENABLE);
	power_write_register(cpu, POWER_MMCR1, cpu->next_regs[POWER_MMCR1]);
	power_write_register(cpu, POWER_MMCR2, cpu->next_regs[POWER_MMCR2] | cpu->freeze);
	if (power_model->isa31)
		power_write_register(cpu, POWER_MMCR3, cpu->next_regs[POWER_MMCR3]);
}

/* Clear counts of other users from @slots. */
static void power_clear_slots(struct power_cpu *cpu, unsigned long slots)
{
	unsigned int slot;

	cpu->stale_slots &= ~slots;
	cpu->maybe_negative &= ~slots;
	for_each_set_bit(slot, &slots, POWER_SLOTS)
		power_write_slot(slot, 0);
}

/*
 * Clear unused counters that may be negative. A negative counter raises an alert even if it is
 * frozen: PMC1 does so while PMC1 is in use, and each of PMC2 to PMC6 does so while any of these is
 * in use.
 */
static void power_clear_negative(struct power_cpu *cpu)
{
	if (cpu->used & ~BIT(0))
		power_clear_slots(cpu, cpu->maybe_negative & ~BIT(0) & ~cpu->dirty);
}

/* Return MMCR0 for running counters. */
static u64 power_mmcr0_running(const struct power_cpu *cpu)
{
	u64 mmcr0 = power_mmcr0_access(cpu) | MMCR0_PMXE | MMCR0_FCECE;

	if (cpu->used & BIT(0))
		mmcr0 |= MMCR0_PMC1CE;
	if (cpu->used & ~BIT(0))
		mmcr0 |= MMCR0_PMCjCE;
	if (!(cpu->used >> POWER_GENERAL))
		mmcr0 |= MMCR0_FC56;
	if (power_model->isa31)
		mmcr0 |= MMCR0_C56RUN;
	return mmcr0;
}

/* Mark the contents of all registers, including MMCR0, as unknown. */
static void power_forget_registers(struct power_cpu *cpu)
{
	memset64(cpu->hw_regs, UNKNOWN, POWER_REGISTERS);
	cpu->frozen_mmcr0 = UNKNOWN;
	cpu->stale_slots = GENMASK(POWER_SLOTS - 1, 0);
	cpu->maybe_negative = cpu->stale_slots;
}

/* Take over this CPU's registers. The previous user may have left counters enabled. */
static void power_take_over(struct power_cpu *cpu)
{
	ppc_enable_pmcs();
	/* Have the hypervisor save and restore the registers. */
	ppc_set_pmu_inuse(1);
	power_forget_registers(cpu);
	power_freeze_all(cpu);
	cpumask_set_cpu(smp_processor_id(), &power_ready_cpus);
	cpu->ready = true;
}

/* Add the events in @hw's slot to @hw->count. All counters are frozen. */
static void power_sync_count(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	u32 value;

	if (cpu->dirty & BIT(hw->slot))
		return;
	value = power_read_slot(hw->slot);
	hw->count += power_slot_delta(hw, value);
	hw->start = value;
}

/*
 * Add the events in @hw's slot to @hw->count. Clear the slot if it is negative, as it would raise
 * an alert while other counters run.
 */
static void power_sync_and_clear(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	power_sync_count(cpu, hw);
	if (!(cpu->dirty & BIT(hw->slot)) && hw->start & NEGATIVE)
		power_write_slot(hw->slot, 0);
}

/*
 * Mark the counters that have overflowed without an interrupt, so that they are programmed again.
 */
static void power_sync_overflows(struct power_cpu *cpu)
{
	unsigned long slots = cpu->used & ~cpu->dirty;
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (!(power_read_slot(slot) & NEGATIVE))
			continue;
		power_sync_count(cpu, cpu->hw[slot]);
		cpu->dirty |= BIT(slot);
	}
}

static void power_disable(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	bool ran = cpu->running;

	cpu->disabled = true;
	if (!cpu->ready)
		return;
	/* From here on, the interrupt handler leaves overflows to power_enable(). */
	WRITE_ONCE(cpu->running, false);
	barrier();
	if (ran)
		power_freeze_all(cpu);
	else
		power_write_frozen(cpu, MMCR0_FC | power_mmcr0_access(cpu));
}

/*
 * Write the registers while no counter is in use: programs may still read counters, and branches
 * may be recorded.
 */
static void power_enable_unused(struct power_cpu *cpu)
{
	if (!cpu->ready)
		return;
	power_write_register(cpu, POWER_MMCRA,
			     power_mmcra_running(cpu) & ~(u64)MMCRA_SAMPLE_ENABLE);
	power_write_frozen(cpu, MMCR0_FC | power_mmcr0_access(cpu) |
			   (cpu->record ? MMCR0_PMXE : 0));
}

static bool power_enable(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	unsigned long dirty;
	unsigned int slot;

	cpu->disabled = false;
	if (!cpu->used) {
		power_enable_unused(cpu);
		return false;
	}
	if (!cpu->ready)
		power_take_over(cpu);
	power_sync_overflows(cpu);
	power_clear_negative(cpu);
	dirty = cpu->dirty;
	power_write_shared(cpu);
	for_each_set_bit(slot, &dirty, POWER_SLOTS)
		power_set_start(cpu, slot, cpu->hw[slot]);
	cpu->dirty = 0;
	cpu->mmcr0 = power_mmcr0_running(cpu);
	/* From here on, the interrupt handler handles overflows itself. */
	WRITE_ONCE(cpu->running, true);
	barrier();
	mtspr(SPRN_MMCR0, cpu->mmcr0);
	/* Enable the sampling of instructions after all other registers are written. */
	power_write_register(cpu, POWER_MMCRA, power_mmcra_running(cpu));
	return dirty;
}

/* === Slots === */

/* Store the event of @slot. */
static void power_set_code(struct power_cpu *cpu, unsigned int slot, u64 code, u64 extra)
{
	if (cpu->code[slot] == code && cpu->extra_config[slot] == extra)
		return;
	cpu->code[slot] = code;
	cpu->extra_config[slot] = extra;
	cpu->encoded &= ~BIT(slot);
}

static void power_assign_slot(struct power_cpu *cpu, struct perf_counter_hw *hw, u64 code,
			      unsigned int slot)
{
	hw->slot = slot;
	cpu->hw[slot] = hw;
	power_set_code(cpu, slot, code, hw->extra_config);
	cpu->used |= BIT(slot);
	cpu->dirty |= BIT(slot);
	if (hw->stopped)
		cpu->stopped |= BIT(slot);
	cpu->changed = true;
}

static void power_free_slot(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	u8 bit = BIT(hw->slot);

	power_sync_and_clear(cpu, hw);
	cpu->used &= ~bit;
	cpu->dirty &= ~bit;
	cpu->stopped &= ~bit;
	cpu->hw[hw->slot] = NULL;
}

/*
 * Add @hw without changing the code or slot of another counter. Return false if that is impossible.
 */
static bool power_add_in_place(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	u64 code;
	int slot;

	if (!cpu->used) {
		cpu->taken = (struct power_taken) {};
		cpu->taken_slots = 0;
	}
	/* After a counter was removed, @taken is computed again from all counters. */
	if (cpu->taken_slots != cpu->used)
		return false;
	slot = power_set_extend(power_model, &cpu->taken, cpu->used, hw, &code);
	if (slot < 0)
		return false;
	power_assign_slot(cpu, hw, code, slot);
	return true;
}

/* Add @hw; other counters may get other codes or slots. Return false if there is no room. */
static bool power_add_by_moving(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	struct perf_counter_hw *moved[POWER_SLOTS];
	unsigned long used = cpu->used;
	struct power_set set = {};
	unsigned int i, slot;

	for_each_set_bit(slot, &used, POWER_SLOTS) {
		moved[set.nr] = cpu->hw[slot];
		power_set_add(&set, cpu->hw[slot]);
		set.code[set.nr - 1] = cpu->code[slot];
		set.slot[set.nr - 1] = slot;
	}
	if (!power_set_add(&set, hw))
		return false;
	/* Prefer the slot that @hw had last. */
	if (hw->slot >= 0)
		set.slot[set.nr - 1] = hw->slot;
	if (!power_set_solve(power_model, &set))
		return false;
	/* Free the slots of all moving counters first, as they may exchange slots. */
	for (i = 0; i < set.nr - 1; i++) {
		if (moved[i]->slot != set.slot[i])
			power_free_slot(cpu, moved[i]);
		else
			moved[i] = NULL;
	}
	for (i = 0; i < set.nr - 1; i++) {
		if (moved[i])
			power_assign_slot(cpu, moved[i], set.code[i], set.slot[i]);
		else
			power_set_code(cpu, set.slot[i], set.code[i], set.hw[i]->extra_config);
	}
	power_assign_slot(cpu, hw, set.code[i], set.slot[i]);
	cpu->taken = set.taken;
	return true;
}

static int power_add(struct perf_counter_hw *hw)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!power_add_in_place(cpu, hw) && !power_add_by_moving(cpu, hw))
		return -ENOSPC;
	cpu->taken_slots = cpu->used;
	return 0;
}

static void power_del(struct perf_counter_hw *hw)
{
	power_free_slot(this_cpu_ptr(&power_cpu), hw);
}

static u64 power_since_start(const struct perf_counter_hw *hw)
{
	return power_slot_delta(hw, power_read_slot(hw->slot));
}

static u64 power_read(const struct perf_counter_hw *hw)
{
	if (this_cpu_ptr(&power_cpu)->dirty & BIT(hw->slot))
		return hw->count;
	return perf_counter_hw_count(hw, power_since_start);
}

/* === Overflows === */

/* Handle the overflow of the counter of @slot, which holds @value. All counters are frozen. */
static void power_slot_overflow(struct power_cpu *cpu, unsigned int slot, u32 value,
				struct pt_regs *regs)
{
	struct perf_counter_hw *hw = cpu->hw[slot];
	u64 count = hw->count + power_slot_delta(hw, value);

	hw->start = value;
	WRITE_ONCE(hw->count, count);
	if (hw->next)
		hw->stopped = perf_counter_hw_overflow(hw, regs);
	power_set_start(cpu, slot, hw);
	if (!hw->next)
		perf_counter_hw_start_changed(hw);
	if (hw->stopped)
		cpu->stopped |= BIT(slot);
}

/*
 * Handle overflows after their alert was cleared: program the counters so that the alerts come one
 * event late. All counters are frozen.
 */
static void power_postpone_overflows(struct power_cpu *cpu)
{
	unsigned long slots = cpu->used & ~cpu->stopped;
	struct perf_counter_hw *hw;
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (!(power_read_slot(slot) & NEGATIVE))
			continue;
		hw = cpu->hw[slot];
		power_sync_count(cpu, hw);
		power_set_start(cpu, slot, hw);
		if (!hw->next)
			perf_counter_hw_start_changed(hw);
	}
}

/* Tell whether a counter of @slots has samples with branches. */
static bool power_wants_branches(const struct power_cpu *cpu, unsigned long slots)
{
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (perf_counter_hw_has_branches(cpu->hw[slot]))
			return true;
	}
	return false;
}

/*
 * Clear unused and stopped counters that are negative. They should be frozen; on an emulator that
 * lets them count, they would raise alerts.
 */
static void power_clear_unused(const struct power_cpu *cpu)
{
	unsigned long slots = ~(cpu->used & ~cpu->stopped) & GENMASK(POWER_SLOTS - 1, 0);
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (power_read_slot(slot) & NEGATIVE)
			power_write_slot(slot, 0);
	}
}

/* Handle an alert: find the counters that have overflowed. All counters are frozen. */
static void power_handle_overflows(struct power_cpu *cpu, struct pt_regs *regs)
{
	unsigned long used = cpu->used & ~cpu->stopped, over = 0;
	u8 stopped = cpu->stopped;
	unsigned int slot;

	cpu->nmi_slots = used;
	for_each_set_bit(slot, &used, POWER_SLOTS) {
		cpu->nmi_value[slot] = power_read_slot(slot);
		if (cpu->nmi_value[slot] & NEGATIVE)
			over |= BIT(slot);
	}
	if (!over)
		power_clear_unused(cpu);
	if (cpu->record && power_wants_branches(cpu, over))
		perf_counter_capture_branches();
	for_each_set_bit(slot, &over, POWER_SLOTS)
		power_slot_overflow(cpu, slot, cpu->nmi_value[slot], regs);
	if (cpu->stopped == stopped)
		return;
	power_set_freeze(cpu);
	power_write_register(cpu, POWER_MMCR2, cpu->next_regs[POWER_MMCR2] | cpu->freeze);
}

/* Clear the sampled addresses, before programs can read them. */
static void power_clear_addresses(void)
{
	mtspr(SPRN_SIAR, 0);
	mtspr(SPRN_SDAR, 0);
}

/*
 * Handle the PMU's interrupt, which may be an NMI. It may be late: its counters may have been
 * handled or removed already.
 */
static void power_interrupt(struct pt_regs *regs)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	u32 began = perf_counter_sampling_begins();

	cpu->alert_mmcr0 = mfspr(SPRN_MMCR0);
	power_freeze_all(cpu);
	/*
	 * If the PMU is disabled, power_enable() will handle negative counters. If it is enabled
	 * but not running, no counter is in use.
	 */
	if (!READ_ONCE(cpu->running)) {
		if (!cpu->disabled)
			power_enable_unused(cpu);
		return;
	}
	power_handle_overflows(cpu, regs);
	if (cpu->user_access)
		power_clear_addresses();
	perf_counter_sampling_ends(began);
	mtspr(SPRN_MMCR0, cpu->mmcr0);
}

static bool power_hw_describe(const struct perf_counter_hw *hw, u64 types, struct pt_regs *regs,
			      struct perf_counter_hw_sample *known)
{
	const struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	return power_describe(power_model, hw, cpu->hw_regs[POWER_MMCRA], types, regs, known);
}

/*
 * Return a register as the latest alert has left it. MMCR0 and counters in use have been written
 * since, so their values come from struct power_cpu.
 */
static u64 power_read_reg(unsigned int nr)
{
	const struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	unsigned int slot;

	switch (nr) {
	case PERF_REG_POWERPC_SIER:
		return mfspr(SPRN_SIER);
	case PERF_REG_POWERPC_SIER2:
		return mfspr(SPRN_SIER2);
	case PERF_REG_POWERPC_SIER3:
		return mfspr(SPRN_SIER3);
	case PERF_REG_POWERPC_SDAR:
		return mfspr(SPRN_SDAR);
	case PERF_REG_POWERPC_SIAR:
		return mfspr(SPRN_SIAR);
	case PERF_REG_POWERPC_MMCR0:
		return cpu->alert_mmcr0;
	case PERF_REG_POWERPC_MMCR1:
		return cpu->hw_regs[POWER_MMCR1];
	case PERF_REG_POWERPC_MMCR2:
		return cpu->hw_regs[POWER_MMCR2];
	case PERF_REG_POWERPC_MMCR3:
		return cpu->hw_regs[POWER_MMCR3];
	case PERF_REG_POWERPC_MMCRA:
		/* The processor writes the duration of the sampled instruction to MMCRA. */
		return mfspr(SPRN_MMCRA);
	default:
		slot = nr - PERF_REG_POWERPC_PMC1;
		return cpu->nmi_slots & BIT(slot) ? cpu->nmi_value[slot] : power_read_slot(slot);
	}
}

static void power_read_regs(u64 mask, u64 *values)
{
	unsigned int nr;

	for (; mask; mask &= mask - 1) {
		nr = __ffs64(mask);
		values[nr - PERF_COUNTER_FIRST_PMU_REG] = power_read_reg(nr);
	}
}

/**
 * power_counters_in_use() - Tell whether this CPU has counters
 *
 * Interrupt handlers unmask the PMU's interrupt early if a counter is in use.
 *
 * Context: IRQs off.
 * Return: true if a counter is in use.
 */
bool power_counters_in_use(void)
{
	return __this_cpu_read(power_cpu.used);
}

/* === Idle states that lose the registers === */

/*
 * Add the events in @slots to the counts, and have the slots programmed again. All counters are
 * frozen.
 */
static void power_sync_slots(struct power_cpu *cpu, unsigned long slots)
{
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		power_sync_count(cpu, cpu->hw[slot]);
		cpu->dirty |= BIT(slot);
	}
}

/**
 * power_counters_sleep() - Prepare for an idle state that may lose the PMU's registers
 *
 * Stops the counters, and adds what the registers hold to their counts. power_counters_wake()
 * starts the counters again.
 *
 * Context: The idle task, interrupts hard-disabled.
 */
void power_counters_sleep(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!cpu->ready)
		return;
	power_disable();
	power_sync_slots(cpu, cpu->used);
}

/**
 * power_counters_wake() - Restart the counters after an idle state that may have lost the PMU's
 *	registers
 *
 * Pairs with power_counters_sleep().
 *
 * Context: The idle task, interrupts hard-disabled.
 */
void power_counters_wake(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!cpu->ready)
		return;
	power_forget_registers(cpu);
	power_freeze_all(cpu);
	power_enable();
}

/* === Recording branches === */

/* Return the branches that this CPU records, PERF_COUNTER_BRANCH_*. */
static u32 power_recording(void)
{
	return __this_cpu_read(power_cpu.record);
}

/* Start or stop recording branches: @what is PERF_COUNTER_BRANCH_*, or 0. IRQs off. */
static void power_record(u32 what)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!cpu->ready && !what)
		return;
	if (!cpu->ready)
		power_take_over(cpu);
	WRITE_ONCE(cpu->record, what);
	barrier();
	if (cpu->running)
		power_write_register(cpu, POWER_MMCRA, power_mmcra_running(cpu));
	else if (!cpu->disabled)
		power_enable_unused(cpu);
}

/*
 * Freeze counters and branch records for a moment. Return the previous value of MMCR0, for
 * power_thaw(). IRQs off, or NMI.
 */
static u64 power_freeze(void)
{
	u64 mmcr0 = mfspr(SPRN_MMCR0);

	/*
	 * After an alert everything is frozen already. This write clears an alert that comes now,
	 * see power_thaw().
	 */
	if (mmcr0 & MMCR0_PMXE) {
		mtspr(SPRN_MMCR0, (mmcr0 | MMCR0_FC) & ~(u64)MMCR0_PMXE);
		isync();
	}
	return mmcr0;
}

/* Undo power_freeze(), which has returned @mmcr0. */
static void power_thaw(u64 mmcr0)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!(mmcr0 & MMCR0_PMXE))
		return;
	/* If the counters are not running, power_enable() will handle negative ones. */
	if (READ_ONCE(cpu->running))
		power_postpone_overflows(cpu);
	mtspr(SPRN_MMCR0, mmcr0);
}

static bool power_start_recording(u32 what)
{
	power_record(what);
	return false;
}

static void power_stop_recording(void)
{
	power_record(0);
	power_bhrb_wipe();
}

static void power_read_branches(struct perf_counter_branches *branches, u32 what)
{
	u64 mmcr0 = power_freeze();

	power_bhrb_read(branches, what);
	power_thaw(mmcr0);
}

static struct perf_counter_recorder power_recorder __ro_after_init = {
	/* Filters by transaction change nothing, as with perf_events. */
	.can		= PERF_COUNTER_BRANCH_KINDS | PERF_COUNTER_BRANCH_USER |
			  PERF_COUNTER_BRANCH_INFO | PERF_COUNTER_BRANCH_TX,
	.recording	= power_recording,
	.start		= power_start_recording,
	.stop		= power_stop_recording,
	.read		= power_read_branches,
	.type		= power_bhrb_type,
	.wipe		= power_bhrb_wipe,
};

/* === Claiming the PMU === */

static int power_claim(void)
{
	return reserve_pmc_hardware(power_interrupt);
}

/*
 * Stop the PMU of this CPU, which may just have come online, and leave no counter that could raise
 * an alert. Other contents of the registers have no effect then, and power_take_over() does not
 * rely on them. IRQs off.
 */
static void power_reset(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	unsigned long used = cpu->used;
	unsigned int slot;

	if (!cpu->ready)
		return;
	if (cpu->running)
		power_disable();
	for_each_set_bit(slot, &used, POWER_SLOTS)
		power_sync_and_clear(cpu, cpu->hw[slot]);
	cpu->disabled = false;
	cpu->user_access = false;
	cpu->record = 0;
	/* Stop sampling and recording, and keep programs from reading what is left. */
	power_enable_unused(cpu);
	memset(cpu->next_regs, 0, sizeof(cpu->next_regs));
	cpu->encoded = 0;
	ppc_set_pmu_inuse(0);
	cpu->ready = false;
	/* Counters that still have a slot are programmed again by power_enable(). */
	cpu->dirty = cpu->used;
	cpu->changed = true;
	cpumask_clear_cpu(smp_processor_id(), &power_ready_cpus);
}

static void power_reset_this_cpu(void *unused)
{
	power_reset();
}

static void power_release(void)
{
	on_each_cpu_mask(&power_ready_cpus, power_reset_this_cpu, NULL, 1);
	release_pmc_hardware();
}

static int power_backend_event_init(const struct perf_counter_attr *attr,
				    struct perf_counter_hw *hw)
{
	return power_event_init(power_model, attr, hw);
}

static bool power_validate_set(const struct perf_counter_hw *const *hw, unsigned int nr)
{
	struct power_set set = {};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!power_set_add(&set, hw[i]))
			return false;
	}
	return power_set_solve(power_model, &set);
}

/* === Counters read by programs === */

/*
 * Before version 3.1, a program that can read the counters can also read SIAR and SDAR. These may
 * hold addresses of the kernel at any time, because they are written without an alert, too.
 */
static bool power_user_read_allowed(void)
{
	return power_model->isa31;
}

static void power_fill_user_page(const struct perf_counter_hw *hw, u64 clock,
				 struct perf_event_mmap_page *page)
{
	page->pmc_width = 32;
	if (!hw)
		return;
	/* Index 1 is PMC1; 0 means no register. */
	page->index = hw->slot + 1;
	page->offset -= hw->start;
}

/*
 * Programs can read all counters. Clear unused counters, so that they do not reveal the counts of
 * another user, and have the counters in use programmed again. The CPU is disabled.
 */
static void power_set_user_access(bool on)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	cpu->user_access = on;
	if (!on)
		return;
	if (!cpu->ready)
		power_take_over(cpu);
	power_clear_slots(cpu, cpu->stale_slots & ~cpu->used);
	power_sync_slots(cpu, cpu->used);
	power_clear_addresses();
}

static struct perf_counter_backend power_backend __ro_after_init = {
	.event_init		= power_backend_event_init,
	.claim			= power_claim,
	.release		= power_release,
	.perf_events		= power_hardware_users,
	.disable		= power_disable,
	.enable			= power_enable,
	.add			= power_add,
	.del			= power_del,
	.read			= power_read,
	.reset			= power_reset,
	.user_read_allowed	= power_user_read_allowed,
	.fill_user_page		= power_fill_user_page,
	.set_user_access	= power_set_user_access,
	.read_regs		= power_read_regs,
	.validate_set		= power_validate_set,
	.fill_sample		= power_hw_describe,
};

/* === Detection === */

/* PVR bit of POWER9's Cumulus chip: its revisions differ from those of Nimbus. */
#define PVR_POWER9_CUMULUS	0x00002000

static const struct power_model * __init power_find_power9(u32 pvr)
{
	if (pvr & PVR_POWER9_CUMULUS || PVR_CFG(pvr) != 2)
		return &power9_model;
	switch (PVR_MIN(pvr)) {
	case 1:
		return &power9_dd21_model;
	case 2:
		return &power9_dd22_model;
	}
	return &power9_model;
}

static const struct power_model * __init power_find_model(void)
{
	u32 pvr = mfspr(SPRN_PVR);

	switch (PVR_VER(pvr)) {
	case PVR_POWER8E:
	case PVR_POWER8NVL:
	case PVR_POWER8:
		return &power8_model;
	case PVR_POWER9:
		return power_find_power9(pvr);
	case PVR_POWER10:
		/*
		 * Refuse the first revision, which was not sold: its event codes have other
		 * meanings.
		 */
		return PVR_CFG(pvr) == 1 ? NULL : &power10_model;
	case PVR_POWER11:
		return &power10_model;
	}
	return NULL;
}

static int __init power_counters_init(void)
{
	power_model = power_find_model();
	if (!power_model)
		return 0;
	freeze_kernel = cpu_has_feature(CPU_FTR_HVMODE) ? FREEZE_HYPERVISOR : FREEZE_SUPERVISOR;
	power_backend.config1 = power_model->config1;
	/* From version 3.1 on, the buffer has branches of user mode only. */
	if (!power_model->isa31)
		power_recorder.can |= PERF_COUNTER_BRANCH_KERNEL;
	power_backend.recorder = &power_recorder;
	pr_info("perf_counter: %s: %u general counters, 2 fixed, of 32 bits\n",
		power_model->name, POWER_GENERAL);
	return perf_counter_register_backend(&power_backend);
}
arch_initcall(power_counters_init);

// SPDX-License-Identifier: GPL-2.0
/*
 * The powerpc backend of perf_counter: drives the counters of POWER8, POWER9 and POWER10.
 *
 * A counter has 32 bits, and overflows when the highest becomes 1. The alert freezes all of
 * them and the branch records, and is an interrupt that comes where others are soft-masked,
 * too, as an NMI; where that is masked as well, it comes when it is not any more. What counts
 * on one counter has to agree with what counts on the others: see events.c.
 *
 * While the PMU is disabled only this CPU's notes change; enabling it writes what they say,
 * as far as the registers do not hold it. What an event has in the registers stays there when
 * its counter goes, frozen, until another comes: events may depend on one another.
 *
 * An alert that is cleared before its interrupt was taken never comes. So when the PMU is
 * enabled the counters that go on are looked at: one that has overflowed is set anew.
 *
 * Programs read counters by themselves, PMC1 to PMC6, where MMCR0[PMCC] lets them. A counter
 * cannot go on past its overflow: who reads it is told of its new beginning at once.
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
/* Of the kernel's events, MMCR2 of PMC1: it runs in the state of hypervisors, or of others. */
static u64 freeze_kernel __ro_after_init;

/* A counter overflows here. */
#define NEGATIVE		BIT(31)
#define COUNTER_MASK		GENMASK(31, 0)

/* MMCR0[PMCC]: programs may not touch the counters; with 0 they may read them. */
#define PMCC_NONE		0x00040000UL

/*
 * MMCR2: when PMC1 is frozen; the bits of each other counter are nine lower. Problem state has
 * two, without and with MSR[HV]: on bare metal programs run with MSR[HV] set.
 */
#define FREEZE_SUPERVISOR	BIT_ULL(63)
#define FREEZE_PROBLEM		(BIT_ULL(62) | BIT_ULL(61))
#define FREEZE_WAIT		BIT_ULL(58)
#define FREEZE_HYPERVISOR	BIT_ULL(57)
#define FREEZE_ALWAYS		(FREEZE_SUPERVISOR | FREEZE_PROBLEM | FREEZE_HYPERVISOR)
#define FREEZE_STEP		9

/* What no register holds: their lowest or highest bits are reserved. */
#define UNKNOWN			~0ULL

/**
 * struct power_cpu - the counters of a CPU
 * @ready: its registers are ours, and what we know of them is true
 * @disabled: between disable and enable
 * @running: they count
 * @changed: the set has a counter more: what it needs has to be put together
 * @user: the current task may read them
 * @used: slots that are taken
 * @dirty: of them, those to be programmed when enabled next
 * @stopped: of them, those that are not to count
 * @encoded: slots whose events @wanted was put together of
 * @taken_by: slots whose events @taken is about
 * @found: slots whose counters are in @value
 * @holding: slots that may hold something that others have counted
 * @unknown: slots that may be negative: nobody has written to them since @ready
 * @record: the branches that are recorded, PERF_COUNTER_BRANCH_*; 0: none
 * @mmcr0: what it is to be while it runs
 * @still: what was written there last so that nothing counts
 * @alert: what the latest interrupt has found there
 * @freeze: when each slot's counter is frozen, as MMCR2 has it
 * @wanted: what the set needs
 * @held: what the registers hold, or UNKNOWN
 * @value: what counters held at the latest interrupt
 * @hw: who has a slot
 * @code: by which code of its event; the last one, of a slot that is free
 * @more: and what else it is, likewise
 * @taken: what those with a slot take
 */
struct power_cpu {
	bool			ready;
	bool			disabled;
	bool			running;
	bool			changed;
	bool			user;
	u8			used;
	u8			dirty;
	u8			stopped;
	u8			encoded;
	u8			taken_by;
	u8			found;
	u8			holding;
	u8			unknown;
	u32			record;
	u64			mmcr0;
	u64			still;
	u64			alert;
	u64			freeze;
	u64			wanted[POWER_REGISTERS];
	u64			held[POWER_REGISTERS];
	u32			value[POWER_SLOTS];
	struct perf_counter_hw	*hw[POWER_SLOTS];
	u64			code[POWER_SLOTS];
	u64			more[POWER_SLOTS];
	struct power_taken	taken;
};

static DEFINE_PER_CPU(struct power_cpu, power_cpu);

/* CPUs whose registers may hold something of ours. */
static struct cpumask power_ready_cpus;

/* === Registers === */

static u32 read_slot(unsigned int slot)
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

static void write_slot(unsigned int slot, u32 value)
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

static void write_register(struct power_cpu *cpu, enum power_register which, u64 value)
{
	if (cpu->held[which] == value)
		return;
	cpu->held[which] = value;
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

/* What MMCR0 has whether or not something counts. */
static u64 mmcr0_access(const struct power_cpu *cpu)
{
	return (cpu->user ? 0 : PMCC_NONE) | (power_model->isa31 ? MMCR0_PMCCEXT : 0);
}

/* Nothing counts, is recorded or interrupts; an alert there was is forgotten. */
static void freeze_all(struct power_cpu *cpu)
{
	cpu->still = MMCR0_FC | mmcr0_access(cpu);
	mtspr(SPRN_MMCR0, cpu->still);
	/* What follows is not to be counted. */
	isync();
}

/* All are frozen, and stay so: MMCR0 is this. An alert would have changed it. */
static void stay_frozen(struct power_cpu *cpu, u64 mmcr0)
{
	if (cpu->still == mmcr0 && !(mmcr0 & MMCR0_PMXE))
		return;
	cpu->still = mmcr0;
	mtspr(SPRN_MMCR0, mmcr0);
}

/* MMCRA while it runs; with the sampling of instructions if they are sampled. */
static u64 mmcra_running(const struct power_cpu *cpu)
{
	u64 mmcra = cpu->wanted[POWER_MMCRA] | power_bhrb_filter(cpu->record);

	if (power_model->isa31 && !cpu->record)
		mmcra |= MMCRA_BHRB_DISABLE;
	return mmcra;
}

/* Events since @hw->start, when its slot holds @value. */
static u32 slot_delta(const struct perf_counter_hw *hw, u32 value)
{
	return value - (u32)hw->start;
}

/* === From notes to registers === */

/* Have @slot overflow when its counter is due. */
static void set_start(struct power_cpu *cpu, unsigned int slot, struct perf_counter_hw *hw)
{
	s64 left = NEGATIVE;

	if (hw->next)
		left = clamp_t(s64, hw->next - hw->count, 1, NEGATIVE);
	hw->start = hw->stopped ? 0 : NEGATIVE - left;
	cpu->holding |= BIT(slot);
	cpu->unknown &= ~BIT(slot);
	write_slot(slot, hw->start);
}

/* Where the counter of @hw is frozen, as MMCR2 has it for PMC1. */
static u64 freeze_of(const struct perf_counter_hw *hw)
{
	u64 freeze = 0;

	if (hw->stopped)
		return FREEZE_ALWAYS;
	if (hw->more & POWER_MORE_NO_USER)
		freeze |= FREEZE_PROBLEM;
	if (hw->more & POWER_MORE_NO_KERNEL)
		freeze |= freeze_kernel;
	/* Where there is no hypervisor above, it is this kernel. */
	if ((hw->more & POWER_MORE_NO_HV) && firmware_has_feature(FW_FEATURE_LPAR))
		freeze |= FREEZE_HYPERVISOR;
	if (hw->more & POWER_MORE_NO_IDLE)
		freeze |= FREEZE_WAIT;
	return freeze;
}

static void set_freeze(struct power_cpu *cpu)
{
	unsigned int slot;

	cpu->freeze = 0;
	for (slot = 0; slot < POWER_SLOTS; slot++)
		cpu->freeze |= (cpu->used & BIT(slot) ? freeze_of(cpu->hw[slot]) : FREEZE_ALWAYS)
			       >> slot * FREEZE_STEP;
}

/* Put together what the events of the set need. */
static void encode(struct power_cpu *cpu)
{
	unsigned long used = cpu->used;
	struct power_set set = {};
	unsigned int slot;

	for_each_set_bit(slot, &used, POWER_SLOTS) {
		set.hw[set.nr] = cpu->hw[slot];
		set.code[set.nr] = cpu->code[slot];
		set.slot[set.nr++] = slot;
	}
	power_set_encode(power_model, &set, cpu->wanted);
	cpu->encoded = used;
}

/* The registers that all counters have in common, for what is used now. */
static void set_registers(struct power_cpu *cpu)
{
	/* A task that comes back has the events that it had. */
	if (cpu->changed && cpu->encoded != cpu->used)
		encode(cpu);
	cpu->changed = false;
	set_freeze(cpu);
	write_register(cpu, POWER_MMCRA, mmcra_running(cpu) & ~(u64)MMCRA_SAMPLE_ENABLE);
	write_register(cpu, POWER_MMCR1, cpu->wanted[POWER_MMCR1]);
	write_register(cpu, POWER_MMCR2, cpu->wanted[POWER_MMCR2] | cpu->freeze);
	if (power_model->isa31)
		write_register(cpu, POWER_MMCR3, cpu->wanted[POWER_MMCR3]);
}

/* What others have left in @slots is gone. */
static void clear_slots(struct power_cpu *cpu, unsigned long slots)
{
	unsigned int slot;

	cpu->holding &= ~slots;
	cpu->unknown &= ~slots;
	for_each_set_bit(slot, &slots, POWER_SLOTS)
		write_slot(slot, 0);
}

/*
 * One that is negative raises an alert, frozen or not: PMC1 if it is used, the others if any
 * of them is.
 */
static void clear_unknown(struct power_cpu *cpu)
{
	if (cpu->used & ~BIT(0))
		clear_slots(cpu, cpu->unknown & ~BIT(0) & ~cpu->dirty);
}

/* MMCR0 that lets what is used count. */
static u64 mmcr0_running(const struct power_cpu *cpu)
{
	u64 mmcr0 = mmcr0_access(cpu) | MMCR0_PMXE | MMCR0_FCECE;

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

/* Whatever the registers held, and MMCR0 was, is unknown from here on. */
static void forget_registers(struct power_cpu *cpu)
{
	memset64(cpu->held, UNKNOWN, POWER_REGISTERS);
	cpu->still = UNKNOWN;
	cpu->holding = GENMASK(POWER_SLOTS - 1, 0);
	cpu->unknown = cpu->holding;
}

/*
 * The first use of this CPU's registers since they were not ours. Who had them before may have
 * left all enabled.
 */
static void get_ready(struct power_cpu *cpu)
{
	ppc_enable_pmcs();
	/* A hypervisor keeps the registers for us from here on. */
	ppc_set_pmu_inuse(1);
	forget_registers(cpu);
	freeze_all(cpu);
	cpumask_set_cpu(smp_processor_id(), &power_ready_cpus);
	cpu->ready = true;
}

/* What @hw's slot has counted is in @hw->count from here on. All are frozen. */
static void settle(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	u32 value;

	if (cpu->dirty & BIT(hw->slot))
		return;
	value = read_slot(hw->slot);
	hw->count += slot_delta(hw, value);
	hw->start = value;
}

/* As settle(), and nothing is left of @hw that would be an alert to others. */
static void settle_and_clear(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	settle(cpu, hw);
	if (!(cpu->dirty & BIT(hw->slot)) && hw->start & NEGATIVE)
		write_slot(hw->slot, 0);
}

/* Those that go on, and have overflowed without an interrupt, are set anew. */
static void note_overflows(struct power_cpu *cpu)
{
	unsigned long slots = cpu->used & ~cpu->dirty;
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (!(read_slot(slot) & NEGATIVE))
			continue;
		settle(cpu, cpu->hw[slot]);
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
	/* An interrupt from here on leaves its work to whoever enables the CPU. */
	WRITE_ONCE(cpu->running, false);
	barrier();
	if (ran)
		freeze_all(cpu);
	else
		stay_frozen(cpu, MMCR0_FC | mmcr0_access(cpu));
}

/* Without a counter, programs may read them, and branches be recorded. */
static void enable_without(struct power_cpu *cpu)
{
	if (!cpu->ready)
		return;
	write_register(cpu, POWER_MMCRA, mmcra_running(cpu) & ~(u64)MMCRA_SAMPLE_ENABLE);
	stay_frozen(cpu, MMCR0_FC | mmcr0_access(cpu) | (cpu->record ? MMCR0_PMXE : 0));
}

static bool power_enable(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	unsigned long dirty;
	unsigned int slot;

	cpu->disabled = false;
	if (!cpu->used) {
		enable_without(cpu);
		return false;
	}
	if (!cpu->ready)
		get_ready(cpu);
	note_overflows(cpu);
	clear_unknown(cpu);
	dirty = cpu->dirty;
	set_registers(cpu);
	for_each_set_bit(slot, &dirty, POWER_SLOTS)
		set_start(cpu, slot, cpu->hw[slot]);
	cpu->dirty = 0;
	cpu->mmcr0 = mmcr0_running(cpu);
	/* An interrupt from here on does its work itself. */
	WRITE_ONCE(cpu->running, true);
	barrier();
	mtspr(SPRN_MMCR0, cpu->mmcr0);
	/* Instructions are sampled when all else is there. */
	write_register(cpu, POWER_MMCRA, mmcra_running(cpu));
	return dirty;
}

/* === Slots === */

/* The event of @slot is this one. */
static void set_code(struct power_cpu *cpu, unsigned int slot, u64 code, u64 more)
{
	if (cpu->code[slot] == code && cpu->more[slot] == more)
		return;
	cpu->code[slot] = code;
	cpu->more[slot] = more;
	cpu->encoded &= ~BIT(slot);
}

static void take(struct power_cpu *cpu, struct perf_counter_hw *hw, u64 code, unsigned int slot)
{
	hw->slot = slot;
	cpu->hw[slot] = hw;
	set_code(cpu, slot, code, hw->more);
	cpu->used |= BIT(slot);
	cpu->dirty |= BIT(slot);
	if (hw->stopped)
		cpu->stopped |= BIT(slot);
	cpu->changed = true;
}

static void leave(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	u8 bit = BIT(hw->slot);

	settle_and_clear(cpu, hw);
	cpu->used &= ~bit;
	cpu->dirty &= ~bit;
	cpu->stopped &= ~bit;
	cpu->hw[hw->slot] = NULL;
}

/* Where the others stay as they are. False: there is no room, or not without moving them. */
static bool add_beside(struct power_cpu *cpu, struct perf_counter_hw *hw)
{
	u64 code;
	int slot;

	if (!cpu->used) {
		cpu->taken = (struct power_taken) {};
		cpu->taken_by = 0;
	}
	/* One has gone: what the others take is found out with all of them. */
	if (cpu->taken_by != cpu->used)
		return false;
	slot = power_set_extend(power_model, &cpu->taken, cpu->used, hw, &code);
	if (slot < 0)
		return false;
	take(cpu, hw, code, slot);
	return true;
}

/* Where others have to move for it. */
static bool add_among(struct power_cpu *cpu, struct perf_counter_hw *hw)
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
	/* The one it had last may do as well as another. */
	if (hw->slot >= 0)
		set.slot[set.nr - 1] = hw->slot;
	if (!power_set_solve(power_model, &set))
		return false;
	/* All leave before one comes: they may take one another's. */
	for (i = 0; i < set.nr - 1; i++) {
		if (moved[i]->slot != set.slot[i])
			leave(cpu, moved[i]);
		else
			moved[i] = NULL;
	}
	for (i = 0; i < set.nr - 1; i++) {
		if (moved[i])
			take(cpu, moved[i], set.code[i], set.slot[i]);
		else
			set_code(cpu, set.slot[i], set.code[i], set.hw[i]->more);
	}
	take(cpu, hw, set.code[i], set.slot[i]);
	cpu->taken = set.taken;
	return true;
}

static int power_add(struct perf_counter_hw *hw)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!add_beside(cpu, hw) && !add_among(cpu, hw))
		return -ENOSPC;
	cpu->taken_by = cpu->used;
	return 0;
}

static void power_del(struct perf_counter_hw *hw)
{
	leave(this_cpu_ptr(&power_cpu), hw);
}

static u64 slot_since_start(const struct perf_counter_hw *hw)
{
	return slot_delta(hw, read_slot(hw->slot));
}

static u64 power_read(const struct perf_counter_hw *hw)
{
	if (this_cpu_ptr(&power_cpu)->dirty & BIT(hw->slot))
		return hw->count;
	return perf_counter_hw_count(hw, slot_since_start);
}

/* === Overflows === */

/* The counter of @slot, which holds @value, has overflowed. All are frozen. */
static void slot_overflow(struct power_cpu *cpu, unsigned int slot, u32 value,
			  struct pt_regs *regs)
{
	struct perf_counter_hw *hw = cpu->hw[slot];
	u64 count = hw->count + slot_delta(hw, value);

	hw->start = value;
	WRITE_ONCE(hw->count, count);
	if (hw->next)
		hw->stopped = perf_counter_hw_overflow(hw, regs);
	set_start(cpu, slot, hw);
	if (!hw->next)
		perf_counter_hw_moved(hw);
	if (hw->stopped)
		cpu->stopped |= BIT(slot);
}

/* Some have overflowed, and the alert was cleared: it comes one event late. All are frozen. */
static void postpone_overflows(struct power_cpu *cpu)
{
	unsigned long slots = cpu->used & ~cpu->stopped;
	struct perf_counter_hw *hw;
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (!(read_slot(slot) & NEGATIVE))
			continue;
		hw = cpu->hw[slot];
		settle(cpu, hw);
		set_start(cpu, slot, hw);
		if (!hw->next)
			perf_counter_hw_moved(hw);
	}
}

/* Has one of @slots a counter whose samples have branches? */
static bool wants_branches(const struct power_cpu *cpu, unsigned long slots)
{
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (perf_counter_hw_has_branches(cpu->hw[slot]))
			return true;
	}
	return false;
}

/* Counters that nobody has, or that are stopped, are frozen; if they are not, they raise alerts. */
static void clear_others(const struct power_cpu *cpu)
{
	unsigned long slots = ~(cpu->used & ~cpu->stopped) & GENMASK(POWER_SLOTS - 1, 0);
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		if (read_slot(slot) & NEGATIVE)
			write_slot(slot, 0);
	}
}

/* Counters have overflowed, and all are frozen. */
static void handle_overflows(struct power_cpu *cpu, struct pt_regs *regs)
{
	unsigned long used = cpu->used & ~cpu->stopped, over = 0;
	u8 stopped = cpu->stopped;
	unsigned int slot;

	cpu->found = used;
	for_each_set_bit(slot, &used, POWER_SLOTS) {
		cpu->value[slot] = read_slot(slot);
		if (cpu->value[slot] & NEGATIVE)
			over |= BIT(slot);
	}
	if (!over)
		clear_others(cpu);
	if (cpu->record && wants_branches(cpu, over))
		perf_counter_capture_branches();
	for_each_set_bit(slot, &over, POWER_SLOTS)
		slot_overflow(cpu, slot, cpu->value[slot], regs);
	if (cpu->stopped == stopped)
		return;
	set_freeze(cpu);
	write_register(cpu, POWER_MMCR2, cpu->wanted[POWER_MMCR2] | cpu->freeze);
}

/* What was sampled is nobody's business any more. */
static void forget_addresses(void)
{
	mtspr(SPRN_SIAR, 0);
	mtspr(SPRN_SDAR, 0);
}

/*
 * The interrupt, as an NMI or not. It may be late: its counters may have been dealt with, or
 * be gone.
 */
static void power_interrupt(struct pt_regs *regs)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);
	u32 began = perf_counter_sampling_begins();

	cpu->alert = mfspr(SPRN_MMCR0);
	freeze_all(cpu);
	/* Whoever enables the CPU sees what is negative; or it is somebody else's. */
	if (!READ_ONCE(cpu->running)) {
		if (!cpu->disabled)
			enable_without(cpu);
		return;
	}
	handle_overflows(cpu, regs);
	if (cpu->user)
		forget_addresses();
	perf_counter_sampling_ends(began);
	mtspr(SPRN_MMCR0, cpu->mmcr0);
}

static bool power_hw_describe(const struct perf_counter_hw *hw, u64 types, struct pt_regs *regs,
			      struct perf_counter_hw_known *known)
{
	const struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	return power_describe(power_model, hw, cpu->held[POWER_MMCRA], types, regs, known);
}

/* As the latest alert has left them. Counters in use and MMCR0 have been written to since. */
static u64 power_reg(unsigned int nr)
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
		return cpu->alert;
	case PERF_REG_POWERPC_MMCR1:
		return cpu->held[POWER_MMCR1];
	case PERF_REG_POWERPC_MMCR2:
		return cpu->held[POWER_MMCR2];
	case PERF_REG_POWERPC_MMCR3:
		return cpu->held[POWER_MMCR3];
	case PERF_REG_POWERPC_MMCRA:
		/* The processor writes there how long the sampled instruction took. */
		return mfspr(SPRN_MMCRA);
	default:
		slot = nr - PERF_REG_POWERPC_PMC1;
		return cpu->found & BIT(slot) ? cpu->value[slot] : read_slot(slot);
	}
}

/**
 * power_counters_in_use() - does this CPU count?
 *
 * For interrupt handlers, which let the PMU's interrupt through then.
 *
 * Context: IRQs off.
 * Return: true if so.
 */
bool power_counters_in_use(void)
{
	return __this_cpu_read(power_cpu.used);
}

/* === Idle states that lose the registers === */

/* What @slots hold is in the counts, and they are to be programmed anew. All are frozen. */
static void settle_slots(struct power_cpu *cpu, unsigned long slots)
{
	unsigned int slot;

	for_each_set_bit(slot, &slots, POWER_SLOTS) {
		settle(cpu, cpu->hw[slot]);
		cpu->dirty |= BIT(slot);
	}
}

/**
 * power_counters_sleep() - Prepare for an idle state that may lose the PMU's registers
 *
 * The counters stop, with what the registers hold in their counts. power_counters_wake()
 * has them go on.
 *
 * Context: the idle task, interrupts hard-disabled.
 */
void power_counters_sleep(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!cpu->ready)
		return;
	power_disable();
	settle_slots(cpu, cpu->used);
}

/**
 * power_counters_wake() - Go on after an idle state that may have lost the PMU's registers
 *
 * Context: as power_counters_sleep(), which has come before.
 */
void power_counters_wake(void)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!cpu->ready)
		return;
	forget_registers(cpu);
	freeze_all(cpu);
	power_enable();
}

/* === Branches that are recorded === */

/**
 * power_recording() - what branches does this CPU record?
 *
 * Context: on the CPU, IRQs off or NMI.
 * Return: PERF_COUNTER_BRANCH_*; 0 for none.
 */
u32 power_recording(void)
{
	return __this_cpu_read(power_cpu.record);
}

/**
 * power_record() - record branches from here on
 * @what: PERF_COUNTER_BRANCH_*; 0: none
 *
 * Context: IRQs off; the PMU is claimed.
 */
void power_record(u32 what)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!cpu->ready && !what)
		return;
	if (!cpu->ready)
		get_ready(cpu);
	WRITE_ONCE(cpu->record, what);
	barrier();
	if (cpu->running)
		write_register(cpu, POWER_MMCRA, mmcra_running(cpu));
	else if (!cpu->disabled)
		enable_without(cpu);
}

/**
 * power_freeze() - nothing is recorded from here on, and nothing counted
 *
 * Context: on the CPU, IRQs off or NMI.
 * Return: for power_thaw().
 */
u64 power_freeze(void)
{
	u64 mmcr0 = mfspr(SPRN_MMCR0);

	/* After an alert all is frozen. One from here on is cleared: see power_thaw(). */
	if (mmcr0 & MMCR0_PMXE) {
		mtspr(SPRN_MMCR0, (mmcr0 | MMCR0_FC) & ~(u64)MMCR0_PMXE);
		isync();
	}
	return mmcr0;
}

/**
 * power_thaw() - go on as before
 * @mmcr0: from power_freeze()
 *
 * Context: as power_freeze().
 */
void power_thaw(u64 mmcr0)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	if (!(mmcr0 & MMCR0_PMXE))
		return;
	/* If it does not run, whoever enables it sees what is negative. */
	if (READ_ONCE(cpu->running))
		postpone_overflows(cpu);
	mtspr(SPRN_MMCR0, mmcr0);
}

/* === Whose PMU it is === */

static int power_claim(void)
{
	return reserve_pmc_hardware(power_interrupt);
}

/*
 * Leave the PMU of this CPU, which may have just come, stopped, without anything of ours that
 * would be an alert. What else the registers hold does nothing then, and is not relied on by
 * get_ready(). IRQs off.
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
		settle_and_clear(cpu, cpu->hw[slot]);
	cpu->disabled = false;
	cpu->user = false;
	cpu->record = 0;
	/* Nothing is sampled or recorded, and programs read none of what is left. */
	enable_without(cpu);
	memset(cpu->wanted, 0, sizeof(cpu->wanted));
	cpu->encoded = 0;
	ppc_set_pmu_inuse(0);
	cpu->ready = false;
	/* Who still has a slot has it programmed anew. */
	cpu->dirty = cpu->used;
	cpu->changed = true;
	cpumask_clear_cpu(smp_processor_id(), &power_ready_cpus);
}

static void power_reset_here(void *unused)
{
	power_reset();
}

static void power_release(void)
{
	on_each_cpu_mask(&power_ready_cpus, power_reset_here, NULL, 1);
	release_pmc_hardware();
}

static int power_backend_event_init(const struct perf_counter_attr *attr,
				    struct perf_counter_hw *hw)
{
	return power_event_init(power_model, attr, hw);
}

static bool power_set_fits(const struct perf_counter_hw *const *hw, unsigned int nr)
{
	struct power_set set = {};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!power_set_add(&set, hw[i]))
			return false;
	}
	return power_set_solve(power_model, &set);
}

/* === Programs that read counters by themselves === */

/*
 * Before version 3.1 who may read the counters may read SIAR and SDAR as well, which have
 * addresses of the kernel at any time: they are written not only with alerts.
 */
static bool power_user_may(void)
{
	return power_model->isa31;
}

static void power_user_page(const struct perf_counter_hw *hw, u64 clock,
			    struct perf_event_mmap_page *page)
{
	page->pmc_width = 32;
	if (!hw)
		return;
	/* PMC1 is 1; 0 is for none. */
	page->index = hw->slot + 1;
	page->offset -= hw->start;
}

/*
 * All counters can be read. Those that nobody has keep nothing that others counted, and those
 * that go on begin anew. The CPU is disabled.
 */
static void power_user_access(bool on)
{
	struct power_cpu *cpu = this_cpu_ptr(&power_cpu);

	cpu->user = on;
	if (!on)
		return;
	if (!cpu->ready)
		get_ready(cpu);
	clear_slots(cpu, cpu->holding & ~cpu->used);
	settle_slots(cpu, cpu->used);
	forget_addresses();
}

static struct perf_counter_backend power_backend __ro_after_init = {
	.event_init	= power_backend_event_init,
	.claim		= power_claim,
	.release	= power_release,
	.perf_events	= power_hardware_users,
	.disable	= power_disable,
	.enable		= power_enable,
	.add		= power_add,
	.del		= power_del,
	.read		= power_read,
	.reset		= power_reset,
	.user_may	= power_user_may,
	.user_page	= power_user_page,
	.user_access	= power_user_access,
	.reg		= power_reg,
	.set_fits	= power_set_fits,
	.describe	= power_hw_describe,
};

/* === What there is === */

/* PVR of POWER9: not the chip with 24 cores, whose revisions are others. */
#define PVR_POWER9_CUMULUS	0x00002000

static const struct power_model * __init find_power9(u32 pvr)
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

static const struct power_model * __init find_model(void)
{
	u32 pvr = mfspr(SPRN_PVR);

	switch (PVR_VER(pvr)) {
	case PVR_POWER8E:
	case PVR_POWER8NVL:
	case PVR_POWER8:
		return &power8_model;
	case PVR_POWER9:
		return find_power9(pvr);
	case PVR_POWER10:
		/* The first revision, which nobody has bought, counts other events. */
		return PVR_CFG(pvr) == 1 ? NULL : &power10_model;
	case PVR_POWER11:
		return &power10_model;
	}
	return NULL;
}

static int __init power_counters_init(void)
{
	power_model = find_model();
	if (!power_model)
		return 0;
	freeze_kernel = cpu_has_feature(CPU_FTR_HVMODE) ? FREEZE_HYPERVISOR : FREEZE_SUPERVISOR;
	power_backend.config1 = power_model->config1;
	power_backend.recorder = power_bhrb_init(power_model);
	pr_info("perf_counter: %s: %u general counters, 2 fixed, of 32 bits\n",
		power_model->name, POWER_GENERAL);
	return perf_counter_register_backend(&power_backend);
}
arch_initcall(power_counters_init);

// SPDX-License-Identifier: GPL-2.0
/*
 * The x86 backend of perf_counter: drives the counters of Intel and AMD.
 *
 * What a register holds is known here without reading it: writes of a value
 * that is there already are left out, and so is, between two counters that
 * only count, the value itself. While a PMU is disabled only this CPU's notes
 * change; enabling it writes what they say.
 *
 * An overflow comes as an NMI. Its handler reads what has overflowed, or where
 * there is no register for that looks at the sign of each counter in use: one
 * is set to a negative number and overflows at 0. It may come while the CPU is
 * disabled: then it leaves its work, in x86_cpu.pending, to x86_enable().
 *
 * An NMI may come late, when its counter has been stopped or unloaded, or when
 * the NMI before has dealt with it. Intel's status still has the bit then, until
 * the handler clears it or x86_reset() does: x86_counters.status_explains. On
 * other machines an NMI may also come twice, or without a bit in the status. So
 * for a while after an overflow, x86_cpu.late, an NMI that nothing else explains
 * is ours. And a status bit may be set without an NMI, or for a counter that has
 * been set anew since: a counter that has overflowed is not below zero.
 *
 * An NMI that is claimed here and is not ours is lost: an error of the memory or
 * a watchdog of the board is not heard of.
 */

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/mmu_context.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/processor.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include <asm/apic.h>
#include <asm/cpu.h>
#include <asm/mach_traps.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_counter.h>
#include <asm/perf_event.h>
#include <asm/timer.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>
#include <asm/x86_init.h>

#include "internal.h"

/* The PMU of this machine; of a hybrid one, of its large cores, with all registers there are. */
static struct x86_counters x86_counters __ro_after_init;
/* The PMU of its small cores, and what perf_events calls that; without slots if it has none. */
static struct x86_counters x86_small __ro_after_init;
static u32 x86_small_type __ro_after_init;
/* Those CPUs that have been there. */
static struct cpumask x86_large_cpus, x86_small_cpus;

/* What a fixed counter's four bits in FIXED_CTR_CTRL say. */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USER		BIT_ULL(1)
#define FIXED_PMI		BIT_ULL(3)
#define FIXED_BITS		4

/* Not what FIXED_CTR_CTRL holds, ever: these bits are reserved. */
#define UNKNOWN			~0ULL

/*
 * The event select of the second register of a pair: it counts what the first one has carried. Its
 * lower 16 bits are bits 48 to 63 of the count.
 */
#define SELECT_MERGE		(0xf000000ffULL | ARCH_PERFMON_EVENTSEL_ENABLE)
#define MERGED_NEGATIVE		0xffff

/* How often an NMI reads a status that will not become 0. */
#define STATUS_ROUNDS		8

/* Handlers of NMIs return numbers of events. After two, an NMI right behind is no surprise. */
#define NMI_HANDLED_TWICE	2

/**
 * struct x86_cpu - the counters of a CPU
 * @ready: its registers are ours, and what we know of them is true
 * @running: they are enabled
 * @small: it is a small core
 * @used: slots that are taken
 * @merged: slots that are the second one of a counter in @used, and not in @used themselves
 * @dirty: of @used, those to be programmed when enabled next
 * @stopped: of them, those that are not to count
 * @pending: of them, those whose overflow came while not @running
 * @known: slots whose value is in @value while they do not count
 * @late: when an overflow was seen last whose NMI may be on its way, get_cycles(); 0: an NMI
 *	without a reason is not ours
 * @selected: slots whose @select is not 0
 * @written: slots that a value was written to
 * @foreign: slots that may hold what somebody else left there
 * @unused_bits: of an event select, those that mean nothing on this CPU now
 * @fixed_ctrl: what FIXED_CTR_CTRL holds, or UNKNOWN
 * @hw: who has a slot
 * @select: what a slot's event select holds
 * @value: what a slot holds, if @known
 */
struct x86_cpu {
	bool			ready;
	bool			running;
	bool			small;
	u64			used;
	u64			merged;
	u64			dirty;
	u64			stopped;
	u64			pending;
	u64			known;
	u64			late;
	u64			selected;
	u64			written;
	u64			foreign;
	u64			unused_bits;
	u64			fixed_ctrl;
	struct perf_counter_hw	*hw[X86_SLOTS];
	u64			select[X86_FIXED_SLOT];
	u64			value[X86_SLOTS];
};

static DEFINE_PER_CPU(struct x86_cpu, x86_cpu);

/* What others know of all this. */
static struct perf_counter_backend x86_backend __ro_after_init;

/* The current task may read them. */
DEFINE_PER_CPU(bool, x86_user_reads_here);

/* CPUs whose registers may hold something of ours. */
static struct cpumask x86_ready_cpus;

/* What @hw counts on this kind of CPU. */
static __always_inline u64 hw_config(const struct x86_cpu *cpu, const struct perf_counter_hw *hw)
{
	return unlikely(cpu->small) ? hw->other_config : hw->config;
}

/* And where. */
static __always_inline u64 hw_slots(const struct x86_cpu *cpu, const struct perf_counter_hw *hw)
{
	return unlikely(cpu->small) ? hw->other_slots : hw->slots;
}

/* === Registers === */

/* RDPMC's operand: bit 30 is for the fixed ones. */
static u32 rdpmc_operand(unsigned int slot)
{
	return slot < X86_FIXED_SLOT ? slot : BIT(30) | (slot - X86_FIXED_SLOT);
}

static __always_inline u64 read_slot(unsigned int slot)
{
	u64 value;

	rdpmcl(rdpmc_operand(slot), value);
	return value;
}

static void write_slot(unsigned int slot, u64 value)
{
	if (slot < X86_FIXED_SLOT)
		wrmsrl(x86_counters.counter + slot * x86_counters.stride, value);
	else
		wrmsrl(MSR_CORE_PERF_FIXED_CTR0 + slot - X86_FIXED_SLOT, value);
}

static void write_select(unsigned int slot, u64 value)
{
	wrmsrl(x86_counters.select + slot * x86_counters.stride, value);
}

/* Does @value of a slot say that it counts up to an overflow still? */
static bool below_zero(u64 value)
{
	return value > x86_counters.mask >> 1;
}

/* Events since @hw->start, when its slot holds @value. */
static u64 slot_delta(const struct perf_counter_hw *hw, u64 value)
{
	return (value - hw->start) & x86_counters.mask;
}

/* === From notes to registers === */

static u64 fixed_bits(u64 config)
{
	return (config & ARCH_PERFMON_EVENTSEL_OS ? FIXED_OS : 0) |
	       (config & ARCH_PERFMON_EVENTSEL_USR ? FIXED_USER : 0) | FIXED_PMI;
}

/*
 * Return the events that a counter without samples, of which @count are counted, waits for. The
 * value of its register depends on @count alone, as with perf_events: a program that subtracts
 * two values gets the events between them, whatever has happened to the counter meanwhile.
 */
static u64 user_left(u64 count)
{
	u64 period = x86_counters.max_left;

	if (unlikely(count >= period))
		count %= period;
	return max(period - count, X86_LEFT_MIN);
}

/* Set the register of @slot so that it overflows when the counter @hw is due. */
static void set_start(struct x86_cpu *cpu, unsigned int slot, struct perf_counter_hw *hw)
{
	u64 left = x86_counters.max_left;

	hw->past = false;
	if (hw->next) {
		left = clamp_t(s64, hw->next - hw->count, hw->min_left, left);
		/* An erratum that wants so many wants the lowest bits to be 0, too. */
		if (unlikely(hw->min_left >= X86_LEFT_HSW11))
			left &= ~(X86_LEFT_HSW11 / 2 - 1);
	} else if (hw->user) {
		left = user_left(hw->count);
	} else if ((cpu->known & BIT_ULL(slot)) && below_zero(cpu->value[slot]) &&
		   !x86_user_reads() && !hw->also) {
		/* It only counts: any value is good that leaves it time. */
		hw->start = cpu->value[slot];
		return;
	}
	hw->start = -left & x86_counters.mask;
	cpu->written |= BIT_ULL(slot);
	write_slot(slot, hw->start);
	if (unlikely(hw->also))
		write_slot(slot + 1, MERGED_NEGATIVE);
}

/* Merge @slot, which counts nothing, with the slot before it; or have it alone again. */
static noinline void select_merge(struct x86_cpu *cpu, unsigned int slot, u64 select)
{
	if (cpu->select[slot] == select)
		return;
	cpu->select[slot] = select;
	cpu->selected |= BIT_ULL(slot);
	cpu->written |= BIT_ULL(slot);
	cpu->known &= ~BIT_ULL(slot);
	write_select(slot, select);
}

/* The slots that are to be on while this CPU is enabled. */
static u64 slots_on(const struct x86_cpu *cpu)
{
	return (cpu->used & ~READ_ONCE(cpu->stopped)) | cpu->merged;
}

static void program(struct x86_cpu *cpu)
{
	u64 fixed = cpu->fixed_ctrl == UNKNOWN ? 0 : cpu->fixed_ctrl, select;
	struct perf_counter_hw *hw;
	unsigned int slot, shift;
	u64 config;

	while (cpu->dirty) {
		slot = __ffs64(cpu->dirty);
		cpu->dirty &= cpu->dirty - 1;
		hw = cpu->hw[slot];
		config = hw_config(cpu, hw);
		if (unlikely(hw->also))
			select_merge(cpu, slot + 1, SELECT_MERGE);
		set_start(cpu, slot, hw);
		if (slot >= X86_FIXED_SLOT) {
			shift = (slot - X86_FIXED_SLOT) * FIXED_BITS;
			fixed &= ~(GENMASK_ULL(FIXED_BITS - 1, 0) << shift);
			fixed |= fixed_bits(config) << shift;
			continue;
		}
		/* Without a common one, this is what enables it; see x86_enable(). */
		select = (config & ~cpu->unused_bits) |
			 (x86_counters.ctrl ? ARCH_PERFMON_EVENTSEL_ENABLE : 0);
		if (cpu->select[slot] != select) {
			cpu->select[slot] = select;
			cpu->selected |= BIT_ULL(slot);
			if (x86_counters.ctrl)
				write_select(slot, select);
		}
	}
	if (fixed != cpu->fixed_ctrl && x86_counters.slots >> X86_FIXED_SLOT) {
		cpu->fixed_ctrl = fixed;
		wrmsrl(MSR_CORE_PERF_FIXED_CTR_CTRL, fixed);
	}
}

/* Let every slot of @slots count, or stop, by its own event select. */
static void switch_each(struct x86_cpu *cpu, u64 slots, u64 enable)
{
	unsigned int slot;

	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		write_select(slot, cpu->select[slot] | enable);
	}
}

/* Clear the status. Returns the slots that have overflowed since it was cleared last. */
static u64 clear_status(void)
{
	u64 status;

	rdmsrl(x86_counters.status, status);
	if (status)
		wrmsrl(x86_counters.ack, status);
	return status & x86_counters.slots;
}

/*
 * The first use of this CPU's registers since they were not ours. Who had them
 * before may have left all enabled, and our counters are to start together.
 */
static void get_ready(struct x86_cpu *cpu)
{
	unsigned int slot;

	cpu->known = 0;
	cpu->foreign = cpu->small ? x86_small.slots : x86_counters.slots;
	cpu->fixed_ctrl = UNKNOWN;
	if (x86_counters.ctrl) {
		wrmsrl(x86_counters.ctrl, 0);
		clear_status();
	} else {
		for (slot = 0; slot < x86_counters.general; slot++)
			write_select(slot, 0);
	}
	apic_write(APIC_LVTPC, APIC_DM_NMI);
	cpumask_set_cpu(smp_processor_id(), &x86_ready_cpus);
	cpu->ready = true;
}

/**
 * x86_counters_get_ready() - the registers of this CPU's PMU are used from here on
 *
 * Context: IRQs off, the PMU is claimed.
 */
void x86_counters_get_ready(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->ready)
		get_ready(cpu);
}

/* A slot has overflowed, and was stopped before its NMI came. */
static void expect_nmi(struct x86_cpu *cpu)
{
	if (!x86_counters.status_explains)
		cpu->late = get_cycles();
}

/* What @hw's slot has counted is in @hw->count from here on. The CPU is disabled. */
static __always_inline void settle(struct x86_cpu *cpu, struct perf_counter_hw *hw)
{
	unsigned int slot = hw->slot;

	if (cpu->dirty & BIT_ULL(slot))
		return;
	cpu->value[slot] = read_slot(slot);
	cpu->known |= BIT_ULL(slot);
	hw->count += slot_delta(hw, cpu->value[slot]);
	hw->start = cpu->value[slot];
	if (unlikely(!below_zero(cpu->value[slot])) && !hw->stopped && !hw->past)
		expect_nmi(cpu);
}

/* Have every counter of this CPU programmed when it is enabled next. The CPU is disabled. */
static void program_all_anew(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	for (u64 slots = cpu->used & ~cpu->dirty; slots; slots &= slots - 1) {
		settle(cpu, cpu->hw[__ffs64(slots)]);
		cpu->dirty |= BIT_ULL(__ffs64(slots));
	}
}

/* NMIs that came while the CPU was disabled: their counters are due at once. */
static noinline void note_pending(struct x86_cpu *cpu)
{
	u64 slots = xchg(&cpu->pending, 0) & cpu->used & ~cpu->dirty;

	for (; slots; slots &= slots - 1) {
		settle(cpu, cpu->hw[__ffs64(slots)]);
		cpu->dirty |= BIT_ULL(__ffs64(slots));
	}
}

static void x86_disable(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->running)
		return;
	/* An NMI from here on finds them stopped, or about to be. */
	WRITE_ONCE(cpu->running, false);
	barrier();
	if (x86_counters.ctrl)
		wrmsrl(x86_counters.ctrl, 0);
	else
		switch_each(cpu, cpu->used & ~cpu->stopped, 0);
}

/*
 * Errata AAK100, AAP53 and BD53: what a counter counts after it was set may be wrong, unless
 * four events have been set first. The CPU is disabled; its registers are as noted after it.
 */
static noinline void count_something_else(const struct x86_cpu *cpu)
{
	static const u32 events[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	u64 value[ARRAY_SIZE(events)];
	unsigned int slot;

	for (slot = 0; slot < ARRAY_SIZE(events); slot++) {
		value[slot] = read_slot(slot);
		write_select(slot, events[slot]);
		write_slot(slot, 0);
	}
	wrmsrl(x86_counters.ctrl, GENMASK(ARRAY_SIZE(events) - 1, 0));
	wrmsrl(x86_counters.ctrl, 0);
	for (slot = 0; slot < ARRAY_SIZE(events); slot++) {
		write_select(slot, cpu->select[slot]);
		write_slot(slot, value[slot]);
	}
}

static bool x86_enable(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	bool programmed = cpu->dirty;
	u64 slots;

	if (!cpu->used)
		return false;
	if (!cpu->ready)
		get_ready(cpu);
	for (;;) {
		program(cpu);
		if (programmed && unlikely(x86_counters.nhm_workaround))
			count_something_else(cpu);
		/* An NMI from here on does its work itself. */
		WRITE_ONCE(cpu->running, true);
		barrier();
		if (likely(!READ_ONCE(cpu->pending)))
			break;
		WRITE_ONCE(cpu->running, false);
		barrier();
		note_pending(cpu);
		programmed = true;
	}
	slots = cpu->used & ~READ_ONCE(cpu->stopped);
	if (x86_counters.ctrl)
		wrmsrl(x86_counters.ctrl, slots | cpu->merged);
	else
		switch_each(cpu, slots, ARCH_PERFMON_EVENTSEL_ENABLE);
	/* What an NMI has stopped just before that is to stay stopped. */
	slots &= READ_ONCE(cpu->stopped);
	if (unlikely(slots)) {
		if (x86_counters.ctrl)
			wrmsrl(x86_counters.ctrl, slots_on(cpu));
		else
			switch_each(cpu, slots, 0);
	}
	return programmed;
}

/* === Slots === */

/*
 * An NMI may come between any two instructions of take() and leave(), and asks @used which slots
 * have a counter. So the bit in @used is set last, and cleared first.
 */
static void take(struct x86_cpu *cpu, struct perf_counter_hw *hw, unsigned int slot)
{
	u64 bit = BIT_ULL(slot);

	hw->slot = slot;
	cpu->hw[slot] = hw;
	cpu->dirty |= bit;
	if (hw->stopped)
		cpu->stopped |= bit;
	if (unlikely(hw->also))
		cpu->merged |= bit << 1;
	barrier();
	cpu->used |= bit;
}

static void leave(struct x86_cpu *cpu, struct perf_counter_hw *hw)
{
	u64 bit = BIT_ULL(hw->slot);

	settle(cpu, hw);
	cpu->used &= ~bit;
	barrier();
	cpu->dirty &= ~bit;
	cpu->stopped &= ~bit;
	cpu->hw[hw->slot] = NULL;
	if (unlikely(hw->also)) {
		cpu->merged &= ~(bit << 1);
		select_merge(cpu, hw->slot + 1, 0);
	}
}

/*
 * Find a slot for @hw among its own; if they are taken, have a counter that has one of them
 * find another. Each slot is tried once. A slot of @tried that is free is set aside for the
 * counter that the search began with, or for one that has moved for it. Pairs stay where they are.
 */
static noinline bool make_room(struct x86_cpu *cpu, struct perf_counter_hw *hw, u64 *tried)
{
	u64 slots = hw_slots(cpu, hw) & ~(*tried | cpu->merged | cpu->merged >> 1);
	u64 left = slots & ~cpu->used;
	struct perf_counter_hw *other;
	unsigned int slot;

	if (left) {
		take(cpu, hw, __ffs64(left));
		return true;
	}
	for (; slots; slots &= ~*tried) {
		slot = __ffs64(slots);
		*tried |= BIT_ULL(slot);
		other = cpu->hw[slot];
		leave(cpu, other);
		if (make_room(cpu, other, tried)) {
			take(cpu, hw, slot);
			return true;
		}
		take(cpu, other, slot);
	}
	return false;
}

/*
 * Find two slots for @hw, of which the first is one of its own. If no such pair is free, a
 * counter in half a pair moves: where there are pairs, all slots count all other events.
 */
static noinline int add_pair(struct x86_cpu *cpu, struct perf_counter_hw *hw)
{
	u64 free = x86_counters.slots & ~(cpu->used | cpu->merged);
	u64 pairs = hw->slots & free & (free >> 1), halves, pair;
	struct perf_counter_hw *other;

	halves = hw->slots & (free ^ (free >> 1));
	for (; !pairs && halves; halves &= halves - 1) {
		pair = 3ULL << __ffs64(halves);
		if (!(free & ~pair))
			return -ENOSPC;
		other = cpu->hw[__ffs64(pair & ~free)];
		if (!(other->slots & free & ~pair))
			continue;
		leave(cpu, other);
		take(cpu, other, __ffs64(other->slots & free & ~pair));
		pairs = pair & hw->slots;
	}
	if (!pairs)
		return -ENOSPC;
	if (hw->slot < 0 || !(pairs & BIT_ULL(hw->slot)))
		hw->slot = __ffs64(pairs);
	take(cpu, hw, hw->slot);
	return 0;
}

static int x86_add(struct perf_counter_hw *hw)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 free = hw_slots(cpu, hw) & ~(cpu->used | cpu->merged);
	u64 tried = 0;

	if (unlikely(hw->also))
		return add_pair(cpu, hw);
	/* The one it had may hold all it needs; fixed ones leave others to others. */
	if (hw->slot >= 0 && (free & BIT_ULL(hw->slot)))
		take(cpu, hw, hw->slot);
	else if (free)
		take(cpu, hw, free >> X86_FIXED_SLOT ? fls64(free) - 1 : __ffs64(free));
	else if ((cpu->used | cpu->merged) == x86_counters.slots || !make_room(cpu, hw, &tried))
		return -ENOSPC;
	return 0;
}

static void x86_del(struct perf_counter_hw *hw)
{
	leave(this_cpu_ptr(&x86_cpu), hw);
}

static u64 slot_since_start(const struct perf_counter_hw *hw)
{
	return slot_delta(hw, read_slot(hw->slot));
}

static u64 x86_read(const struct perf_counter_hw *hw)
{
	if (this_cpu_ptr(&x86_cpu)->dirty & BIT_ULL(hw->slot))
		return hw->count;
	return perf_counter_hw_count(hw, slot_since_start);
}

/* === Overflows === */

/* The counter of @slot, which holds @value and is not below zero, has overflowed. */
static __always_inline void slot_overflow(struct x86_cpu *cpu, unsigned int slot, u64 value,
					  struct pt_regs *regs)
{
	struct perf_counter_hw *hw = cpu->hw[slot];
	u64 count = hw->count + slot_delta(hw, value);

	hw->start = value;
	WRITE_ONCE(hw->count, count);
	cpu->known &= ~BIT_ULL(slot);
	hw->stopped = perf_counter_hw_overflow(hw, regs);
	if (!hw->stopped) {
		hw->past = !hw->next;
		if (hw->next)
			set_start(cpu, slot, hw);
		return;
	}
	cpu->stopped |= BIT_ULL(slot);
	if (!x86_counters.ctrl)
		write_select(slot, cpu->select[slot]);
}

/* Of @slots the status says that they have overflowed. One that was set anew has not. */
static __always_inline void slots_overflow(struct x86_cpu *cpu, u64 slots,
					   struct pt_regs *regs)
{
	unsigned int slot;
	u64 value;

	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		value = read_slot(slot);
		if (likely(!below_zero(value)))
			slot_overflow(cpu, slot, value, regs);
	}
}

/* Has one of @slots a counter whose samples have branches? */
static bool wants_branches(const struct x86_cpu *cpu, u64 slots)
{
	for (; slots; slots &= slots - 1) {
		if (perf_counter_hw_has_branches(cpu->hw[__ffs64(slots)]))
			return true;
	}
	return false;
}

/*
 * GLOBAL_STATUS says what has overflowed, until it is 0. The counters are stopped first: one
 * that overflows while the LVTPC is masked is heard of in no other way. That is unmasked
 * always, whatever the status says, or this CPU would hear of no overflow any more; and last,
 * when they have been set: from Haswell on it is another NMI else. @branches, a constant: they
 * are recorded. Returns which have overflowed.
 */
static __always_inline u64 handle_status(struct x86_cpu *cpu, struct pt_regs *regs,
					 const bool branches)
{
	/* What is done here is not to be recorded: that bit goes last. */
	u64 frozen = branches ? X86_STATUS_LBR_FROZEN : 0;
	unsigned int rounds = STATUS_ROUNDS;
	u64 status, handled = 0;

	wrmsrl(x86_counters.ctrl, 0);
	rdmsrl(x86_counters.status, status);
	frozen &= status;
	while ((status &= ~frozen) && rounds--) {
		if (branches && wants_branches(cpu, status & cpu->used))
			perf_counter_capture_branches();
		wrmsrl(x86_counters.ack, status);
		/* It has bits that are not about counters. */
		status &= x86_counters.slots;
		handled |= status;
		/* One that is not used any more overflowed as it was being stopped. */
		if (cpu->running)
			slots_overflow(cpu, status & cpu->used, regs);
		else
			cpu->pending |= status & cpu->used;
		rdmsrl(x86_counters.status, status);
	}
	apic_write(APIC_LVTPC, APIC_DM_NMI);
	if (branches) {
		if (frozen)
			wrmsrl(x86_counters.ack, frozen);
		x86_lbr_go_on();
	}
	if (cpu->running)
		wrmsrl(x86_counters.ctrl, slots_on(cpu));
	return handled;
}

static noinline u64 handle_status_and_branches(struct x86_cpu *cpu, struct pt_regs *regs)
{
	return handle_status(cpu, regs, true);
}

/*
 * Each counter has to be looked at, while it goes on: so the LVTPC is unmasked first, and
 * one that overflows behind our back is heard of. Returns which have overflowed.
 */
static u64 handle_each(struct x86_cpu *cpu, struct pt_regs *regs)
{
	u64 slots = cpu->used & ~cpu->dirty & ~cpu->stopped;
	u64 value, handled = 0;
	unsigned int slot;

	apic_write(APIC_LVTPC, APIC_DM_NMI);
	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		value = read_slot(slot);
		if (below_zero(value) || cpu->hw[slot]->past)
			continue;
		handled |= BIT_ULL(slot);
		if (cpu->running)
			slot_overflow(cpu, slot, value, regs);
		else
			cpu->pending |= BIT_ULL(slot);
	}
	return handled;
}

/*
 * An NMI has come at @now that no register of the PMU explains. It is ours if an NMI is
 * expected, unless the machine has another reason for it. Where the status explains NMIs, one
 * is expected, and no more.
 */
static int late_nmi(struct x86_cpu *cpu, u64 now)
{
	if (!cpu->late || (x86_platform.get_nmi_reason() & NMI_REASON_MASK))
		return NMI_DONE;
	/* Where time began anew meanwhile, it was long ago. */
	if (now - cpu->late < x86_counters.late) {
		if (x86_counters.status_explains)
			cpu->late = 0;
		return NMI_HANDLED;
	}
	cpu->late = 0;
	return NMI_DONE;
}

/* The PMU has been given back, and its registers may be another user's. */
static noinline int nmi_after_release(struct x86_cpu *cpu, u64 now)
{
	int handled = late_nmi(cpu, now);

	/* The delivery has masked the entry. Intel PT does not unmask it. */
	if (handled && x86_counters.delivery_masks)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	return handled;
}

/* No counter is loaded. Returns the slots whose last counters have overflowed. */
static noinline u64 handle_unused(void)
{
	u64 slots = x86_counters.ctrl ? clear_status() : 0;

	/* The delivery has masked the entry, which the next counter needs. */
	if (x86_counters.delivery_masks)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	return slots;
}

static int x86_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 now = get_cycles(), slots;

	if (!cpu->ready)
		return nmi_after_release(cpu, now);
	if (!cpu->used)
		slots = handle_unused();
	else if (unlikely(this_cpu_read(x86_lbr_what)))
		slots = handle_status_and_branches(cpu, regs);
	else if (x86_counters.ctrl)
		slots = handle_status(cpu, regs, false);
	else
		slots = handle_each(cpu, regs);
	perf_counter_sampling_ends(now);
	if (!slots)
		return late_nmi(cpu, now);
	/* The same interrupt may have been latched once more meanwhile. */
	if (x86_counters.status_explains)
		return NMI_HANDLED_TWICE;
	cpu->late = now;
	return NMI_HANDLED;
}

/* === Claiming the PMU === */

/*
 * Of a hybrid machine, find out which kind of core this CPU is. A small one that comes where
 * there was none at boot has no PMU: what it could count is not known. IRQs off.
 */
static void find_kind(void *unused)
{
	bool small = get_this_hybrid_cpu_type() == X86_CORE_SMALL;

	this_cpu_write(x86_cpu.small, small);
	cpumask_set_cpu(smp_processor_id(), small ? &x86_small_cpus : &x86_large_cpus);
}

/* Leave nothing behind in the registers of this CPU, which may have just come. IRQs off. */
static void x86_reset(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	unsigned int slot;

	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		find_kind(NULL);
	if (!cpu->ready)
		return;
	x86_disable();
	if (x86_backend.recorder)
		x86_lbr_reset();
	/* An overflow whose NMI has not come yet: that will find nothing to explain it. */
	if (x86_counters.ctrl && clear_status())
		cpu->late = get_cycles();
	for (; cpu->selected; cpu->selected &= cpu->selected - 1) {
		slot = __ffs64(cpu->selected);
		cpu->select[slot] = 0;
		write_select(slot, 0);
	}
	if (cpu->fixed_ctrl && cpu->fixed_ctrl != UNKNOWN)
		wrmsrl(MSR_CORE_PERF_FIXED_CTR_CTRL, 0);
	for (; cpu->written; cpu->written &= cpu->written - 1)
		write_slot(__ffs64(cpu->written), 0);
	cpu->pending = 0;
	cpu->ready = false;
	/* Who still has a slot has it programmed anew. */
	cpu->dirty = cpu->used;
	cpumask_clear_cpu(smp_processor_id(), &x86_ready_cpus);
}

static void x86_reset_here(void *unused)
{
	x86_reset();
}

static void x86_release(void)
{
	/* Often it is this CPU alone that has used it. */
	if (cpumask_equal(&x86_ready_cpus, cpumask_of(get_cpu()))) {
		guard(irq)();
		x86_reset();
	} else {
		on_each_cpu_mask(&x86_ready_cpus, x86_reset_here, NULL, 1);
	}
	put_cpu();
	x86_return_hardware();
}

/* === Events === */

static int cache_event(const struct x86_counters *pmu, u64 config, u64 *code)
{
	const u64 *event = perf_counter_cache_event(pmu->cache_events, config);

	if (!event)
		return -EINVAL;
	*code = *event;
	return *code ? 0 : -ENOENT;
}

static int event_code(const struct x86_counters *pmu, u32 type, u64 config, u64 *code)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		if (config >= PERF_COUNT_HW_MAX)
			return -EINVAL;
		*code = pmu->events[array_index_nospec(config, PERF_COUNT_HW_MAX)];
		return *code ? 0 : -ENOENT;
	case PERF_TYPE_HW_CACHE:
		return cache_event(pmu, config, code);
	default:
		/* Programs write whole registers; what is counted where, the attr says. */
		*code = config & ~(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS |
				   ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE);
		return *code & ~pmu->raw_mask ? -EINVAL : 0;
	}
}

/*
 * The event of @type and @config on @pmu: what selects it goes to @code, what counts it to
 * @slots. They are some, or it cannot be counted. -EINVAL is what perf_events has for a raw
 * event that no counter counts.
 */
static __always_inline int find_event(const struct x86_counters *pmu, u32 type, u64 config,
				      struct perf_counter_hw *hw, u64 *code, u64 *slots)
{
	int err = event_code(pmu, type, config, code);

	if (err)
		return err;
	*slots = pmu->event_slots(pmu, *code) & pmu->slots;
	hw->min_left = pmu->min_left;
	if (pmu->pair_event && (*code & AMD64_EVENTSEL_EVENT) == pmu->pair_event)
		hw->also = *slots << 1;
	if (pmu->hsw11 && (*code & INTEL_ARCH_EVENT_MASK) == 0x01c0)
		hw->min_left = X86_LEFT_HSW11;
	return *slots ? 0 : -EINVAL;
}

/* Where an event of a hybrid machine is to count. */
enum { ON_LARGE = BIT(0), ON_SMALL = BIT(1) };

/*
 * On a hybrid machine, which kinds of cores an event names: by the type of a raw one, by the
 * upper half of the config of a generic one. Those are taken off. A generic event that names
 * none is for both. Returns which, or none.
 */
static unsigned int named_cores(u32 *type, u64 *config)
{
	u32 named = *type;

	if (*type == PERF_TYPE_HARDWARE || *type == PERF_TYPE_HW_CACHE) {
		named = *config >> PERF_PMU_TYPE_SHIFT;
		*config &= PERF_HW_EVENT_MASK;
		if (!named)
			return ON_LARGE | ON_SMALL;
	}
	if (named == PERF_TYPE_RAW)
		return ON_LARGE;
	if (named != x86_small_type)
		return 0;
	if (*type == x86_small_type)
		*type = PERF_TYPE_RAW;
	return ON_SMALL;
}

/* The event to @hw, for each kind of core that is to count it; all of them can, or it fails. */
static noinline int find_events(const struct perf_counter_attr *attr, struct perf_counter_hw *hw)
{
	u32 type = attr->type;
	u64 config = attr->config;
	unsigned int cores = named_cores(&type, &config);
	int err = 0;

	if (!cores)
		return -ENOENT;
	if (cores & ON_LARGE)
		err = find_event(&x86_counters, type, config, hw, &hw->config, &hw->slots);
	if (!err && (cores & ON_SMALL))
		err = find_event(&x86_small, type, config, hw, &hw->other_config,
				 &hw->other_slots);
	return err;
}

/**
 * x86_event_init() - encode an event
 * @attr: what is to be counted
 * @hw: its config, as for an event select, and its slots are set; zero before
 *
 * Without guests, exclude_guest changes nothing. Intel's KVM asks which counters go on in a
 * guest; AMD's events have a bit for it.
 *
 * Return: as event_init of struct perf_counter_backend.
 */
static int x86_event_init(const struct perf_counter_attr *attr, struct perf_counter_hw *hw)
{
	u64 modes = ARCH_PERFMON_EVENTSEL_INT;
	int err;

	if (unlikely(x86_small.slots))
		err = find_events(attr, hw);
	else
		err = find_event(&x86_counters, attr->type, attr->config, hw, &hw->config,
				 &hw->slots);
	if (err)
		return err;
	if (!attr->exclude_user)
		modes |= ARCH_PERFMON_EVENTSEL_USR;
	if (!attr->exclude_kernel)
		modes |= ARCH_PERFMON_EVENTSEL_OS;
	if (attr->exclude_guest)
		modes |= x86_counters.only_host;
	if (unlikely(attr->exclude_host)) {
		if (attr->exclude_guest)
			return -EINVAL;
		if (!x86_counters.only_guest)
			return -EOPNOTSUPP;
		modes |= x86_counters.only_guest;
	}
	hw->config |= modes;
	hw->other_config |= modes;
	hw->exclude_guest = attr->exclude_guest;
	return 0;
}

/* === Programs that read counters by themselves === */

/* The administrator decides, for perf_events and for us: the attribute rdpmc of its PMU. */
static bool x86_user_may(void)
{
	return !static_branch_unlikely(&rdpmc_never_available_key);
}

static void x86_user_page(const struct perf_counter_hw *hw, u64 clock,
			  struct perf_event_mmap_page *page)
{
	unsigned int width = fls64(x86_counters.mask);
	struct cyc2ns_data data;

	page->pmc_width = width;
	if (hw) {
		/* Plus one: 0 is for none. The program sign-extends what it reads. */
		page->index = rdpmc_operand(hw->slot) + 1;
		page->offset -= sign_extend64(hw->start, width - 1);
	}
	if (!using_native_sched_clock() || !sched_clock_stable())
		return;
	cyc2ns_read_begin(&data);
	page->cap_user_time = 1;
	page->cap_user_time_zero = 1;
	page->time_mult = data.cyc2ns_mul;
	page->time_shift = data.cyc2ns_shift;
	page->time_zero = data.cyc2ns_offset + __sched_clock_offset;
	page->time_offset = page->time_zero - clock;
	cyc2ns_read_end();
}

/*
 * RDPMC reads any counter. Those that nobody has keep nothing that others counted, perf_events
 * included; and those that go on begin anew. The CPU is disabled.
 */
static void hide_counts(struct x86_cpu *cpu)
{
	u64 slots = (cpu->foreign | cpu->written) & ~(cpu->used | cpu->merged);
	unsigned int slot;

	cpu->foreign = 0;
	cpu->written &= ~slots;
	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		write_slot(slot, 0);
		cpu->value[slot] = 0;
		cpu->known |= BIT_ULL(slot);
	}
	program_all_anew();
}

/* CR4.PCE; the administrator may have another opinion since the counter was mapped. */
static void x86_user_access(bool on)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	on = on && x86_user_may();
	this_cpu_write(x86_user_reads_here, on);
	if (on) {
		if (!cpu->ready)
			get_ready(cpu);
		hide_counts(cpu);
		cr4_set_bits_irqsoff(X86_CR4_PCE);
	} else if (!static_branch_unlikely(&rdpmc_always_available_key)) {
		cr4_clear_bits_irqsoff(X86_CR4_PCE);
	}
}

/* === Guests === */

/**
 * x86_counters_virt() - this CPU can run guests from now on, or cannot any more
 * @on: it can
 *
 * For AMD's KVM. An event select with the bit for the host alone counts nothing while SVM is
 * off, so the bit is left out then.
 *
 * Context: on that CPU, preemption disabled.
 */
void x86_counters_virt(bool on)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	guard(irqsave)();
	cpu->unused_bits = on ? 0 : x86_counters.only_host;
	if (cpu->running)
		perf_counter_hw_change(cpu->hw[__ffs64(cpu->used)], program_all_anew);
}

/* KVM switches no more than 8. */
#define GUEST_MSRS	8
static DEFINE_PER_CPU(struct perf_guest_switch_msr[GUEST_MSRS], x86_guest_msrs);

/*
 * Version 1 has no common register: a counter is switched by its event select. Slots of @host
 * count on the host, of @guest in a guest. Returns the number of registers, which are those that
 * perf_events has had switched.
 */
static int guest_selects(const struct x86_cpu *cpu, struct perf_guest_switch_msr *msrs,
			 u64 host, u64 guest)
{
	unsigned int nr = min(x86_counters.general, GUEST_MSRS), slot;
	u64 select, enable = ARCH_PERFMON_EVENTSEL_ENABLE;

	for (slot = 0; slot < nr; slot++) {
		select = cpu->select[slot];
		msrs[slot] = (struct perf_guest_switch_msr) {
			.msr	= x86_counters.select + slot * x86_counters.stride,
			.host	= select | (host & BIT_ULL(slot) ? enable : 0),
			.guest	= select | (guest & BIT_ULL(slot) ? enable : 0),
		};
	}
	return nr;
}

/**
 * x86_counters_guest_msrs() - what registers hold while a guest runs
 * @nr: set to their number
 *
 * For Intel's KVM, which switches them at each entry and exit: what it had from perf_events
 * before is switched no more.
 *
 * Context: IRQs off, on the CPU that enters the guest next.
 * Return: the registers, for this CPU.
 */
struct perf_guest_switch_msr *x86_counters_guest_msrs(int *nr)
{
	struct perf_guest_switch_msr *msrs = *this_cpu_ptr(&x86_guest_msrs);
	const struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 host = cpu->running ? cpu->used & ~READ_ONCE(cpu->stopped) : 0, guest = host;
	unsigned int slot;

	for (u64 slots = host; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		if (cpu->hw[slot]->exclude_guest)
			guest &= ~BIT_ULL(slot);
	}
	if (!x86_counters.ctrl) {
		*nr = guest_selects(cpu, msrs, host, guest);
		return msrs;
	}
	msrs[0] = (struct perf_guest_switch_msr) { MSR_CORE_PERF_GLOBAL_CTRL, host, guest };
	msrs[1] = (struct perf_guest_switch_msr) { .msr = MSR_IA32_PEBS_ENABLE };
	msrs[2] = (struct perf_guest_switch_msr) { .msr = MSR_IA32_DS_AREA };
	msrs[3] = (struct perf_guest_switch_msr) { .msr = MSR_PEBS_DATA_CFG };
	*nr = 4;
	return msrs;
}

static struct perf_counter_backend x86_backend __ro_after_init = {
	.event_init	= x86_event_init,
	.claim		= x86_lend_hardware,
	.release	= x86_release,
	.perf_events	= x86_hardware_users,
	.disable	= x86_disable,
	.enable		= x86_enable,
	.add		= x86_add,
	.del		= x86_del,
	.read		= x86_read,
	.reset		= x86_reset,
	.user_may	= x86_user_may,
	.user_page	= x86_user_page,
	.user_access	= x86_user_access,
};

/*
 * Are the registers there that the CPU is said to have? Emulators that have
 * none read zeroes. If perf_events uses them, it has looked.
 */
static bool __init registers_exist(void)
{
	u64 old, probe = 0x5a5a, value = 0;
	u32 counter = x86_counters.counter;
	bool exist;

	if (x86_lend_hardware())
		return true;
	exist = !rdmsrl_safe(counter, &old) && !wrmsrl_safe(counter, probe) &&
		!rdmsrl_safe(counter, &value) && value == probe && !wrmsrl_safe(counter, old);
	x86_return_hardware();
	return exist;
}

static void __init find_intel(void *pmu)
{
	x86_counters_intel(pmu);
}

/*
 * What Intel has; of a hybrid machine by its cores of each kind. Their registers are the same,
 * as far as a kind has them. What perf_events calls the small ones, programs do, too.
 */
static bool __init find_hybrid(void)
{
	int small = x86_small_pmu_type();

	on_each_cpu(find_kind, NULL, 1);
	/* Where the small ones are switched off, events are for the large ones alone. */
	if (cpumask_empty(&x86_small_cpus))
		return x86_counters_intel(&x86_counters);
	if (cpumask_empty(&x86_large_cpus) || small < 0 || small >= BITS_PER_TYPE(u32))
		return false;
	smp_call_function_single(cpumask_first(&x86_large_cpus), find_intel, &x86_counters, 1);
	smp_call_function_single(cpumask_first(&x86_small_cpus), find_intel, &x86_small, 1);
	if (!x86_counters.slots || !x86_small.slots || !x86_counters.ctrl ||
	    x86_small.slots & ~x86_counters.slots || x86_small.mask != x86_counters.mask ||
	    x86_small.counter != x86_counters.counter || x86_small.ctrl != x86_counters.ctrl) {
		x86_small.slots = 0;
		return false;
	}
	x86_small_type = small;
	x86_backend.first_cpus = &x86_large_cpus;
	x86_backend.other_cpus = &x86_small_cpus;
	x86_backend.types = BIT(small);
	pr_info("perf_counter: small cores: %u general, %u fixed\n",
		hweight32((u32)x86_small.slots), hweight32(x86_small.slots >> X86_FIXED_SLOT));
	return true;
}

static int __init x86_counters_init(void)
{
	unsigned int cpu;
	bool found = false;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		found = x86_hybrid_intel() ? find_hybrid() : x86_counters_intel(&x86_counters);
	else if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
		 boot_cpu_data.x86_vendor == X86_VENDOR_HYGON)
		found = x86_counters_amd(&x86_counters);
	x86_counters.general = hweight32((u32)x86_counters.slots);
	x86_counters.min_left = max(x86_counters.min_left, X86_LEFT_MIN);
	x86_small.min_left = X86_LEFT_MIN;
	/* In microseconds. */
	x86_counters.late *= tsc_khz / 1000;
	for_each_possible_cpu(cpu)
		per_cpu(x86_cpu.unused_bits, cpu) = x86_counters.only_host;
	/* In a PV guest of Xen the PMU's interrupt is an event that only perf_events hears of. */
	if (!found || !boot_cpu_has(X86_FEATURE_APIC) || boot_cpu_has(X86_FEATURE_XENPV) ||
	    !registers_exist())
		return 0;

	pr_info("perf_counter: %s: %u general, %u fixed, of %u bits\n", x86_counters.name,
		x86_counters.general, hweight32(x86_counters.slots >> X86_FIXED_SLOT),
		fls64(x86_counters.mask));
	if (x86_counters.status)
		x86_backend.recorder = x86_lbr_init();
	register_nmi_handler(NMI_LOCAL, x86_nmi, 0, "perf_counter");
	return perf_counter_register_backend(&x86_backend);
}
arch_initcall(x86_counters_init);

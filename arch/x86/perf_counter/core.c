// SPDX-License-Identifier: GPL-2.0
/*
 * The x86 backend of perf_counter: drives the counters of Intel and AMD.
 *
 * The backend remembers the contents of each register in struct x86_cpu, and does not write a value
 * that a register has already. A counter without samples may start from the value that an earlier
 * counter has left in the register. While a PMU is disabled, only this CPU's struct x86_cpu
 * changes; x86_enable() writes the registers accordingly.
 *
 * An overflow raises an NMI. The NMI handler reads which counters have overflowed from a status
 * register. Without a status register, the handler looks at the sign of each counter in use: a
 * counter starts at a negative number and overflows at 0. If an NMI arrives while the CPU's
 * counters are disabled, the handler only marks the overflow in x86_cpu.pending, and x86_enable()
 * handles it.
 *
 * An NMI may arrive late: after its counter was stopped or unloaded, or after the previous NMI has
 * handled its overflow, too. On Intel, the status bit stays set until the handler or x86_reset()
 * clears it (see @status_explains of struct x86_counters). On other machines an NMI may also be
 * raised twice, or without a status bit. So for a while after an overflow (see @nmi_since of struct
 * x86_cpu), an NMI without any other reason is taken for the PMU's. Conversely, a status bit may be
 * set without an NMI, or for a counter that was reprogrammed since. So a counter is treated as
 * overflowed only if its value is not negative.
 *
 * If an NMI of another source is claimed here by mistake, it is lost: a memory error or an NMI of
 * the board's watchdog goes unreported.
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

/*
 * The PMU of this machine. On a hybrid machine, the PMU of the large cores, which have all
 * registers that small cores have.
 */
static struct x86_counters x86_counters __ro_after_init;
/*
 * The PMU of the small cores of a hybrid machine; it has no slots on other machines. perf_events
 * registered this PMU as type x86_small_type.
 */
static struct x86_counters x86_small __ro_after_init;
static u32 x86_small_type __ro_after_init;
/* CPUs of each core type that have been online. */
static struct cpumask x86_large_cpus, x86_small_cpus;

/* Bits of FIXED_CTR_CTRL for one fixed counter. */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USER		BIT_ULL(1)
#define FIXED_PMI		BIT_ULL(3)
#define FIXED_BITS		4

/* A value that FIXED_CTR_CTRL never holds, as it sets reserved bits. */
#define UNKNOWN			~0ULL

/*
 * Event select of the second counter of a pair: it counts the carries of the first one. Its lower
 * 16 bits are bits 48 to 63 of the count.
 */
#define SELECT_MERGE		(0xf000000ffULL | ARCH_PERFMON_EVENTSEL_ENABLE)
#define MERGED_NEGATIVE		0xffff

/* Maximum number of times that the handler of one NMI reads a status that does not become 0. */
#define STATUS_ROUNDS		8

/*
 * NMI handlers return a number of events. If it is 2 or more, the NMI core does not report a
 * directly following NMI as unknown.
 */
#define NMI_HANDLED_TWICE	2

/**
 * struct x86_cpu - the counters of a CPU
 * @ready: the PMU's registers belong to perf_counter, and the fields below are valid
 * @running: the counters are enabled
 * @small: the CPU is a small core of a hybrid machine
 * @used: mask of slots with a counter
 * @merged: mask of slots that are the second slot of a pair; these are not in @used
 * @dirty: mask of slots of @used that x86_enable() has to program
 * @stopped: mask of slots of @used that are not to count
 * @pending: mask of slots of @used that overflowed while @running was false
 * @known: mask of slots that do not count now and hold @value
 * @nmi_since: time (get_cycles()) of the last overflow whose NMI may still come; 0: no NMI is
 *	expected, so an NMI without a visible reason is not the PMU's
 * @selected: mask of slots with an @select other than 0
 * @written: mask of slots that the backend has written a value to
 * @foreign: mask of slots that may hold a value of another user of the PMU
 * @unused_bits: event select bits that must be left out on this CPU now
 * @fixed_ctrl: contents of FIXED_CTR_CTRL, or UNKNOWN
 * @hw: counter of each slot in @used
 * @select: contents of each slot's event select
 * @value: contents of each slot in @known
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
	u64			nmi_since;
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

static struct perf_counter_backend x86_backend __ro_after_init;
static struct perf_counter_recorder x86_recorder __ro_after_init;

/* The current task may read counters by RDPMC. */
DEFINE_PER_CPU(bool, x86_user_reads_here);

/* CPUs with @ready set: their registers may hold values of perf_counter. */
static struct cpumask x86_ready_cpus;

/* Return the event select of @hw for the core type of @cpu. */
static __always_inline u64 x86_hw_config(const struct x86_cpu *cpu,
					 const struct perf_counter_hw *hw)
{
	return unlikely(cpu->small) ? hw->other_config : hw->config;
}

/* Return the slots that can count @hw on the core type of @cpu. */
static __always_inline u64 x86_hw_slots(const struct x86_cpu *cpu, const struct perf_counter_hw *hw)
{
	return unlikely(cpu->small) ? hw->other_slots : hw->slots;
}

/* === Registers === */

/* RDPMC's operand: bit 30 selects fixed counters. */
static u32 rdpmc_operand(unsigned int slot)
{
	return slot < X86_FIXED_SLOT ? slot : BIT(30) | (slot - X86_FIXED_SLOT);
}

static __always_inline u64 x86_read_slot(unsigned int slot)
{
	u64 value;

	rdpmcl(rdpmc_operand(slot), value);
	return value;
}

static void x86_write_slot(unsigned int slot, u64 value)
{
	if (slot < X86_FIXED_SLOT)
		wrmsrl(x86_counters.counter + slot * x86_counters.stride, value);
	else
		wrmsrl(MSR_CORE_PERF_FIXED_CTR0 + slot - X86_FIXED_SLOT, value);
}

static void x86_write_select(unsigned int slot, u64 value)
{
	wrmsrl(x86_counters.select + slot * x86_counters.stride, value);
}

/* Return true if @value is negative: counters start below 0, so this one has not overflowed. */
static bool x86_is_negative(u64 value)
{
	return value > x86_counters.mask >> 1;
}

/* Return the number of events between @hw->start and the slot's contents @value. */
static u64 x86_slot_delta(const struct perf_counter_hw *hw, u64 value)
{
	return (value - hw->start) & x86_counters.mask;
}

/* === Programming the counters === */

static u64 x86_fixed_bits(u64 config)
{
	return (config & ARCH_PERFMON_EVENTSEL_OS ? FIXED_OS : 0) |
	       (config & ARCH_PERFMON_EVENTSEL_USR ? FIXED_USER : 0) | FIXED_PMI;
}

/*
 * Return the number of events before the overflow of a counter that writes no samples and has
 * counted @count events. The value of its register depends on @count alone, as with perf_events:
 * the difference of two values that a program reads is the number of events between the reads, even
 * if the counter was reprogrammed meanwhile.
 */
static u64 x86_user_left(u64 count)
{
	u64 period = x86_counters.max_left;

	if (unlikely(count >= period))
		count %= period;
	return max(period - count, X86_LEFT_MIN);
}

/* Set the register of @slot so that it overflows when the next sample of @hw is due. */
static void x86_set_start(struct x86_cpu *cpu, unsigned int slot, struct perf_counter_hw *hw)
{
	u64 left = x86_counters.max_left;

	hw->past = false;
	if (hw->next) {
		left = clamp_t(s64, hw->next - hw->count, hw->min_left, left);
		/* The erratum behind X86_LEFT_HSW11 requires the lowest bits to be 0, too. */
		if (unlikely(hw->min_left >= X86_LEFT_HSW11))
			left &= ~(X86_LEFT_HSW11 / 2 - 1);
	} else if (hw->user_read) {
		left = x86_user_left(hw->count);
	} else if ((cpu->known & BIT_ULL(slot)) && x86_is_negative(cpu->value[slot]) &&
		   !x86_user_reads() && !hw->also) {
		/*
		 * A counter without samples can start at any value that is far enough from
		 * overflow.
		 */
		hw->start = cpu->value[slot];
		return;
	}
	hw->start = -left & x86_counters.mask;
	cpu->written |= BIT_ULL(slot);
	x86_write_slot(slot, hw->start);
	if (unlikely(hw->also))
		x86_write_slot(slot + 1, MERGED_NEGATIVE);
}

/* Make @slot the second slot of a pair (@select is SELECT_MERGE), or an independent slot (0). */
static noinline void x86_select_merge(struct x86_cpu *cpu, unsigned int slot, u64 select)
{
	if (cpu->select[slot] == select)
		return;
	cpu->select[slot] = select;
	cpu->selected |= BIT_ULL(slot);
	cpu->written |= BIT_ULL(slot);
	cpu->known &= ~BIT_ULL(slot);
	x86_write_select(slot, select);
}

/* Return the slots that count while this CPU is enabled. */
static u64 x86_slots_on(const struct x86_cpu *cpu)
{
	return (cpu->used & ~READ_ONCE(cpu->stopped)) | cpu->merged;
}

static void x86_write_events(struct x86_cpu *cpu)
{
	u64 fixed = cpu->fixed_ctrl == UNKNOWN ? 0 : cpu->fixed_ctrl, select;
	struct perf_counter_hw *hw;
	unsigned int slot, shift;
	u64 config;

	while (cpu->dirty) {
		slot = __ffs64(cpu->dirty);
		cpu->dirty &= cpu->dirty - 1;
		hw = cpu->hw[slot];
		config = x86_hw_config(cpu, hw);
		if (unlikely(hw->also))
			x86_select_merge(cpu, slot + 1, SELECT_MERGE);
		x86_set_start(cpu, slot, hw);
		if (slot >= X86_FIXED_SLOT) {
			shift = (slot - X86_FIXED_SLOT) * FIXED_BITS;
			fixed &= ~(GENMASK_ULL(FIXED_BITS - 1, 0) << shift);
			fixed |= x86_fixed_bits(config) << shift;
			continue;
		}
		/*
		 * Without a global control register, the enable bit starts the counter, so
		 * x86_enable() sets it later.
		 */
		select = (config & ~cpu->unused_bits) |
			 (x86_counters.ctrl ? ARCH_PERFMON_EVENTSEL_ENABLE : 0);
		if (cpu->select[slot] != select) {
			cpu->select[slot] = select;
			cpu->selected |= BIT_ULL(slot);
			if (x86_counters.ctrl)
				x86_write_select(slot, select);
		}
	}
	if (fixed != cpu->fixed_ctrl && x86_counters.slots >> X86_FIXED_SLOT) {
		cpu->fixed_ctrl = fixed;
		wrmsrl(MSR_CORE_PERF_FIXED_CTR_CTRL, fixed);
	}
}

/* Start or stop each slot of @slots by the enable bit of its event select. */
static void x86_switch_slots(struct x86_cpu *cpu, u64 slots, u64 enable)
{
	unsigned int slot;

	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		x86_write_select(slot, cpu->select[slot] | enable);
	}
}

/* Clear the status. Return the slots that have overflowed since it was last cleared. */
static u64 x86_clear_status(void)
{
	u64 status;

	rdmsrl(x86_counters.status, status);
	if (status)
		wrmsrl(x86_counters.ack, status);
	return status & x86_counters.slots;
}

/*
 * Take over this CPU's registers. The previous user may have left counters enabled; stop them, as
 * perf_counter's counters have to start together.
 */
static void x86_take_over(struct x86_cpu *cpu)
{
	unsigned int slot;

	cpu->known = 0;
	cpu->foreign = cpu->small ? x86_small.slots : x86_counters.slots;
	cpu->fixed_ctrl = UNKNOWN;
	if (x86_counters.ctrl) {
		wrmsrl(x86_counters.ctrl, 0);
		x86_clear_status();
	} else {
		for (slot = 0; slot < x86_counters.general; slot++)
			x86_write_select(slot, 0);
	}
	apic_write(APIC_LVTPC, APIC_DM_NMI);
	cpumask_set_cpu(smp_processor_id(), &x86_ready_cpus);
	cpu->ready = true;
}

/* Remember the time of an overflow whose slot was stopped before its NMI came. */
static void x86_expect_nmi(struct x86_cpu *cpu)
{
	if (!x86_counters.status_explains)
		cpu->nmi_since = get_cycles();
}

/* Add the events in @hw's slot to @hw->count. The CPU is disabled. */
static __always_inline void x86_sync_count(struct x86_cpu *cpu, struct perf_counter_hw *hw)
{
	unsigned int slot = hw->slot;

	if (cpu->dirty & BIT_ULL(slot))
		return;
	cpu->value[slot] = x86_read_slot(slot);
	cpu->known |= BIT_ULL(slot);
	hw->count += x86_slot_delta(hw, cpu->value[slot]);
	hw->start = cpu->value[slot];
	if (unlikely(!x86_is_negative(cpu->value[slot])) && !hw->stopped && !hw->past)
		x86_expect_nmi(cpu);
}

/* Have x86_enable() program each counter of this CPU again. The CPU is disabled. */
static void x86_reprogram_all(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	for (u64 slots = cpu->used & ~cpu->dirty; slots; slots &= slots - 1) {
		x86_sync_count(cpu, cpu->hw[__ffs64(slots)]);
		cpu->dirty |= BIT_ULL(__ffs64(slots));
	}
}

/* Handle overflows that came while the CPU was disabled: their samples are due at once. */
static noinline void x86_sync_pending(struct x86_cpu *cpu)
{
	u64 slots = xchg(&cpu->pending, 0) & cpu->used & ~cpu->dirty;

	for (; slots; slots &= slots - 1) {
		x86_sync_count(cpu, cpu->hw[__ffs64(slots)]);
		cpu->dirty |= BIT_ULL(__ffs64(slots));
	}
}

static void x86_disable(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->running)
		return;
	/* From here on, the NMI handler only marks overflows in @pending. */
	WRITE_ONCE(cpu->running, false);
	barrier();
	if (x86_counters.ctrl)
		wrmsrl(x86_counters.ctrl, 0);
	else
		x86_switch_slots(cpu, cpu->used & ~cpu->stopped, 0);
}

/*
 * Errata AAK100, AAP53 and BD53: a counter may count wrongly after it was programmed, unless four
 * events were programmed first. The CPU is disabled. On return the registers hold the values in
 * @cpu again.
 */
static noinline void x86_nhm_workaround(const struct x86_cpu *cpu)
{
	static const u32 events[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	u64 value[ARRAY_SIZE(events)];
	unsigned int slot;

	for (slot = 0; slot < ARRAY_SIZE(events); slot++) {
		value[slot] = x86_read_slot(slot);
		x86_write_select(slot, events[slot]);
		x86_write_slot(slot, 0);
	}
	wrmsrl(x86_counters.ctrl, GENMASK(ARRAY_SIZE(events) - 1, 0));
	wrmsrl(x86_counters.ctrl, 0);
	for (slot = 0; slot < ARRAY_SIZE(events); slot++) {
		x86_write_select(slot, cpu->select[slot]);
		x86_write_slot(slot, value[slot]);
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
		x86_take_over(cpu);
	for (;;) {
		x86_write_events(cpu);
		if (programmed && unlikely(x86_counters.nhm_workaround))
			x86_nhm_workaround(cpu);
		/* From here on, the NMI handler handles overflows itself. */
		WRITE_ONCE(cpu->running, true);
		barrier();
		if (likely(!READ_ONCE(cpu->pending)))
			break;
		WRITE_ONCE(cpu->running, false);
		barrier();
		x86_sync_pending(cpu);
		programmed = true;
	}
	slots = cpu->used & ~READ_ONCE(cpu->stopped);
	if (x86_counters.ctrl)
		wrmsrl(x86_counters.ctrl, slots | cpu->merged);
	else
		x86_switch_slots(cpu, slots, ARCH_PERFMON_EVENTSEL_ENABLE);
	/* A counter that an NMI stopped just before the write has to stay stopped. */
	slots &= READ_ONCE(cpu->stopped);
	if (unlikely(slots)) {
		if (x86_counters.ctrl)
			wrmsrl(x86_counters.ctrl, x86_slots_on(cpu));
		else
			x86_switch_slots(cpu, slots, 0);
	}
	return programmed;
}

/* === Slots === */

/*
 * An NMI may come between any two instructions of x86_assign_slot() and x86_free_slot(). Its
 * handler looks in @used for slots that have a counter. So the bit in @used is set last and cleared
 * first.
 */
static void x86_assign_slot(struct x86_cpu *cpu, struct perf_counter_hw *hw, unsigned int slot)
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

static void x86_free_slot(struct x86_cpu *cpu, struct perf_counter_hw *hw)
{
	u64 bit = BIT_ULL(hw->slot);

	x86_sync_count(cpu, hw);
	cpu->used &= ~bit;
	barrier();
	cpu->dirty &= ~bit;
	cpu->stopped &= ~bit;
	cpu->hw[hw->slot] = NULL;
	if (unlikely(hw->also)) {
		cpu->merged &= ~(bit << 1);
		x86_select_merge(cpu, hw->slot + 1, 0);
	}
}

/*
 * Find a slot for @hw. If all slots that can count @hw are in use, move one of their counters to
 * another slot. Each slot is tried once; @tried is the mask of the slots tried so far. A free slot
 * in @tried is reserved for the counter that the search began with, or for a counter that has moved
 * to make room for it. Pairs do not move.
 */
static noinline bool x86_move_for(struct x86_cpu *cpu, struct perf_counter_hw *hw, u64 *tried)
{
	u64 slots = x86_hw_slots(cpu, hw) & ~(*tried | cpu->merged | cpu->merged >> 1);
	u64 left = slots & ~cpu->used;
	struct perf_counter_hw *other;
	unsigned int slot;

	if (left) {
		x86_assign_slot(cpu, hw, __ffs64(left));
		return true;
	}
	for (; slots; slots &= ~*tried) {
		slot = __ffs64(slots);
		*tried |= BIT_ULL(slot);
		other = cpu->hw[slot];
		x86_free_slot(cpu, other);
		if (x86_move_for(cpu, other, tried)) {
			x86_assign_slot(cpu, hw, slot);
			return true;
		}
		x86_assign_slot(cpu, other, slot);
	}
	return false;
}

/*
 * Find a pair of slots for @hw, the first of them in @hw->slots. If no pair is free, move a counter
 * out of a half-free pair: on machines with pairs, every slot can count all other events.
 */
static noinline int x86_add_pair(struct x86_cpu *cpu, struct perf_counter_hw *hw)
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
		x86_free_slot(cpu, other);
		x86_assign_slot(cpu, other, __ffs64(other->slots & free & ~pair));
		pairs = pair & hw->slots;
	}
	if (!pairs)
		return -ENOSPC;
	if (hw->slot < 0 || !(pairs & BIT_ULL(hw->slot)))
		hw->slot = __ffs64(pairs);
	x86_assign_slot(cpu, hw, hw->slot);
	return 0;
}

static int x86_add(struct perf_counter_hw *hw)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 free = x86_hw_slots(cpu, hw) & ~(cpu->used | cpu->merged);
	u64 tried = 0;

	if (unlikely(hw->also))
		return x86_add_pair(cpu, hw);
	/*
	 * Prefer the slot that @hw had, as its register may be right already; then fixed slots,
	 * which leave the general ones to other events.
	 */
	if (hw->slot >= 0 && (free & BIT_ULL(hw->slot)))
		x86_assign_slot(cpu, hw, hw->slot);
	else if (free)
		x86_assign_slot(cpu, hw, free >> X86_FIXED_SLOT ? fls64(free) - 1 : __ffs64(free));
	else if ((cpu->used | cpu->merged) == x86_counters.slots || !x86_move_for(cpu, hw, &tried))
		return -ENOSPC;
	return 0;
}

static void x86_del(struct perf_counter_hw *hw)
{
	x86_free_slot(this_cpu_ptr(&x86_cpu), hw);
}

static u64 x86_since_start(const struct perf_counter_hw *hw)
{
	return x86_slot_delta(hw, x86_read_slot(hw->slot));
}

static u64 x86_read(const struct perf_counter_hw *hw)
{
	if (this_cpu_read(x86_cpu.dirty) & BIT_ULL(hw->slot))
		return hw->count;
	return perf_counter_hw_count(hw, x86_since_start);
}

/* === Overflows === */

/* Handle the overflow of the counter of @slot, which holds @value. */
static __always_inline void x86_slot_overflow(struct x86_cpu *cpu, unsigned int slot, u64 value,
					      struct pt_regs *regs)
{
	struct perf_counter_hw *hw = cpu->hw[slot];
	u64 count = hw->count + x86_slot_delta(hw, value);

	hw->start = value;
	WRITE_ONCE(hw->count, count);
	cpu->known &= ~BIT_ULL(slot);
	hw->stopped = perf_counter_hw_overflow(hw, regs);
	if (!hw->stopped) {
		hw->past = !hw->next;
		if (hw->next)
			x86_set_start(cpu, slot, hw);
		return;
	}
	cpu->stopped |= BIT_ULL(slot);
	if (!x86_counters.ctrl)
		x86_write_select(slot, cpu->select[slot]);
}

/*
 * Handle the overflow of @slots, according to the status. A slot with a negative value was
 * reprogrammed since its status bit was set.
 */
static __always_inline void x86_slots_overflow(struct x86_cpu *cpu, u64 slots,
					       struct pt_regs *regs)
{
	unsigned int slot;
	u64 value;

	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		value = x86_read_slot(slot);
		if (likely(!x86_is_negative(value)))
			x86_slot_overflow(cpu, slot, value, regs);
	}
}

/* Tell whether a counter of @slots has samples with branches. */
static bool x86_wants_branches(const struct x86_cpu *cpu, u64 slots)
{
	for (; slots; slots &= slots - 1) {
		if (perf_counter_hw_has_branches(cpu->hw[__ffs64(slots)]))
			return true;
	}
	return false;
}

/*
 * Handle the overflows in GLOBAL_STATUS until it is 0. Counters are stopped first: an overflow
 * while the LVTPC is masked is visible in the status only. The LVTPC is unmasked even if the status
 * is 0; this CPU would get no further NMI otherwise. It is unmasked last, after the counters have
 * been set: from Haswell on, an earlier write raises another NMI. @branches, a compile-time
 * constant, tells whether branches are being recorded. Return the slots that have overflowed.
 */
static __always_inline u64 x86_nmi_status(struct x86_cpu *cpu, struct pt_regs *regs,
					  const bool branches)
{
	/* Clear LBR_FROZEN last, so that branches of this handler are not recorded. */
	u64 frozen = branches ? X86_STATUS_LBR_FROZEN : 0;
	unsigned int rounds = STATUS_ROUNDS;
	u64 status, handled = 0;

	wrmsrl(x86_counters.ctrl, 0);
	rdmsrl(x86_counters.status, status);
	frozen &= status;
	while ((status &= ~frozen) && rounds--) {
		if (branches && x86_wants_branches(cpu, status & cpu->used))
			perf_counter_capture_branches();
		wrmsrl(x86_counters.ack, status);
		/* The status has bits that do not belong to counters. */
		status &= x86_counters.slots;
		handled |= status;
		/* Ignore slots outside @used: they overflowed while they were being stopped. */
		if (cpu->running)
			x86_slots_overflow(cpu, status & cpu->used, regs);
		else
			cpu->pending |= status & cpu->used;
		rdmsrl(x86_counters.status, status);
	}
	apic_write(APIC_LVTPC, APIC_DM_NMI);
	if (branches) {
		if (frozen)
			wrmsrl(x86_counters.ack, frozen);
		x86_lbr_resume();
	}
	if (cpu->running)
		wrmsrl(x86_counters.ctrl, x86_slots_on(cpu));
	return handled;
}

static noinline u64 x86_nmi_status_lbr(struct x86_cpu *cpu, struct pt_regs *regs)
{
	return x86_nmi_status(cpu, regs, true);
}

/*
 * Handle overflows on a PMU without a status register: read each counter. Counters go on meanwhile,
 * so the LVTPC is unmasked first, and a later overflow raises another NMI. Return the slots that
 * have overflowed.
 */
static u64 x86_nmi_poll(struct x86_cpu *cpu, struct pt_regs *regs)
{
	u64 slots = cpu->used & ~cpu->dirty & ~cpu->stopped;
	u64 value, handled = 0;
	unsigned int slot;

	apic_write(APIC_LVTPC, APIC_DM_NMI);
	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		value = x86_read_slot(slot);
		if (x86_is_negative(value) || cpu->hw[slot]->past)
			continue;
		handled |= BIT_ULL(slot);
		if (cpu->running)
			x86_slot_overflow(cpu, slot, value, regs);
		else
			cpu->pending |= BIT_ULL(slot);
	}
	return handled;
}

/*
 * Handle an NMI at time @now that no register of the PMU explains. It is taken for the PMU's if an
 * NMI is expected and the board reports no other reason. With @status_explains, only one NMI is
 * expected.
 */
static int x86_late_nmi(struct x86_cpu *cpu, u64 now)
{
	if (!cpu->nmi_since || (x86_platform.get_nmi_reason() & NMI_REASON_MASK))
		return NMI_DONE;
	/*
	 * If the cycle counter was reset meanwhile, the difference is huge and the window is over.
	 */
	if (now - cpu->nmi_since < x86_counters.nmi_window) {
		if (x86_counters.status_explains)
			cpu->nmi_since = 0;
		return NMI_HANDLED;
	}
	cpu->nmi_since = 0;
	return NMI_DONE;
}

/*
 * Handle an NMI that comes after the PMU was released, when its registers may belong to another
 * user.
 */
static noinline int x86_nmi_released(struct x86_cpu *cpu, u64 now)
{
	int handled = x86_late_nmi(cpu, now);

	/* The delivery has masked the LVTPC. Unmask it, because Intel PT does not. */
	if (handled && x86_counters.delivery_masks)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	return handled;
}

/*
 * Handle an NMI while no counter is loaded. Return the slots that overflowed before they were
 * unloaded.
 */
static noinline u64 x86_nmi_unused(void)
{
	u64 slots = x86_counters.ctrl ? x86_clear_status() : 0;

	/* The delivery has masked the LVTPC, which the next counter needs. */
	if (x86_counters.delivery_masks)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	return slots;
}

static int x86_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 now = get_cycles(), slots;

	if (!cpu->ready)
		return x86_nmi_released(cpu, now);
	if (!cpu->used)
		slots = x86_nmi_unused();
	else if (unlikely(this_cpu_read(x86_lbr_branches)))
		slots = x86_nmi_status_lbr(cpu, regs);
	else if (x86_counters.ctrl)
		slots = x86_nmi_status(cpu, regs, false);
	else
		slots = x86_nmi_poll(cpu, regs);
	perf_counter_sampling_ends(now);
	if (!slots)
		return x86_late_nmi(cpu, now);
	/* Another NMI for the overflows just handled may be latched already. */
	if (x86_counters.status_explains)
		return NMI_HANDLED_TWICE;
	cpu->nmi_since = now;
	return NMI_HANDLED;
}

/* === Claiming the PMU === */

/*
 * Find the core type of this CPU of a hybrid machine. If no small core was online at boot, small
 * cores have no PMU, as their events are unknown. IRQs off.
 */
static void x86_find_core_type(void *unused)
{
	bool small = get_this_hybrid_cpu_type() == X86_CORE_SMALL;

	this_cpu_write(x86_cpu.small, small);
	cpumask_set_cpu(smp_processor_id(), small ? &x86_small_cpus : &x86_large_cpus);
}

/* Clear the registers of this CPU, which may just have come online. IRQs off. */
static void x86_reset(void)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	unsigned int slot;

	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		x86_find_core_type(NULL);
	if (!cpu->ready)
		return;
	x86_disable();
	if (x86_backend.recorder)
		x86_lbr_reset();
	/*
	 * The NMI of an overflow may be pending now. It will find no status bit, so remember the
	 * time.
	 */
	if (x86_counters.ctrl && x86_clear_status())
		cpu->nmi_since = get_cycles();
	for (; cpu->selected; cpu->selected &= cpu->selected - 1) {
		slot = __ffs64(cpu->selected);
		cpu->select[slot] = 0;
		x86_write_select(slot, 0);
	}
	if (cpu->fixed_ctrl && cpu->fixed_ctrl != UNKNOWN)
		wrmsrl(MSR_CORE_PERF_FIXED_CTR_CTRL, 0);
	for (; cpu->written; cpu->written &= cpu->written - 1)
		x86_write_slot(__ffs64(cpu->written), 0);
	cpu->pending = 0;
	cpu->ready = false;
	/* Counters that still have a slot are programmed again by x86_enable(). */
	cpu->dirty = cpu->used;
	cpumask_clear_cpu(smp_processor_id(), &x86_ready_cpus);
}

static void x86_reset_this_cpu(void *unused)
{
	x86_reset();
}

static void x86_release(void)
{
	/* Avoid the IPI if only this CPU has used the PMU. */
	if (cpumask_equal(&x86_ready_cpus, cpumask_of(get_cpu()))) {
		guard(irq)();
		x86_reset();
	} else {
		on_each_cpu_mask(&x86_ready_cpus, x86_reset_this_cpu, NULL, 1);
	}
	put_cpu();
	x86_return_hardware();
}

/* === Events === */

static int x86_cache_event(const struct x86_counters *pmu, u64 config, u64 *code)
{
	const u64 *event = perf_counter_cache_event(pmu->cache_events, config);

	if (!event)
		return -EINVAL;
	*code = *event;
	return *code ? 0 : -ENOENT;
}

static int x86_event_code(const struct x86_counters *pmu, u32 type, u64 config, u64 *code)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		if (config >= PERF_COUNT_HW_MAX)
			return -EINVAL;
		*code = pmu->events[array_index_nospec(config, PERF_COUNT_HW_MAX)];
		return *code ? 0 : -ENOENT;
	case PERF_TYPE_HW_CACHE:
		return x86_cache_event(pmu, config, code);
	default:
		/*
		 * Programs may pass whole event selects. Ignore the enable bits, and the bits for
		 * modes, which other fields of attr set.
		 */
		*code = config & ~(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS |
				   ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE);
		return *code & ~pmu->raw_mask ? -EINVAL : 0;
	}
}

/*
 * Find the event of @type and @config on @pmu: store its code in @code, and the slots that count it
 * in @slots. If the event cannot be counted, return an error; as in perf_events, this is -EINVAL
 * for a raw event that no counter counts.
 */
static __always_inline int x86_find_event(const struct x86_counters *pmu, u32 type, u64 config,
					  struct perf_counter_hw *hw, u64 *code, u64 *slots)
{
	int err = x86_event_code(pmu, type, config, code);

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

/* Core types of a hybrid machine that an event is to count on. */
enum { ON_LARGE = BIT(0), ON_SMALL = BIT(1) };

/*
 * Find the core types that an event names, on a hybrid machine: a raw event by its type, a generic
 * event by the upper half of its config. Remove the core type from @type or @config. A generic
 * event that names no core type is counted on both. Return ON_*, or 0 for an unknown type.
 */
static unsigned int x86_named_cores(u32 *type, u64 *config)
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

/*
 * Find the event of @attr for each core type that has to count it, and store it in @hw. Return an
 * error if one of these core types cannot count the event.
 */
static noinline int x86_find_hybrid_event(const struct perf_counter_attr *attr,
					  struct perf_counter_hw *hw)
{
	u32 type = attr->type;
	u64 config = attr->config;
	unsigned int cores = x86_named_cores(&type, &config);
	int err = 0;

	if (!cores)
		return -ENOENT;
	if (cores & ON_LARGE)
		err = x86_find_event(&x86_counters, type, config, hw, &hw->config, &hw->slots);
	if (!err && (cores & ON_SMALL))
		err = x86_find_event(&x86_small, type, config, hw, &hw->other_config,
				     &hw->other_slots);
	return err;
}

/**
 * x86_event_init() - Encode an event
 * @attr: attributes of the counter
 * @hw: counter, zeroed by the caller; its config (in the layout of an event select) and its slots
 *	are filled in
 *
 * exclude_guest has no effect while no guest runs. On Intel, KVM gets the counters that go on in a
 * guest from x86_counters_guest_msrs(); on AMD, event selects have a bit for counting only outside
 * guests.
 *
 * Return: 0 or an error, see @event_init of struct perf_counter_backend.
 */
static int x86_event_init(const struct perf_counter_attr *attr, struct perf_counter_hw *hw)
{
	u64 modes = ARCH_PERFMON_EVENTSEL_INT;
	int err;

	if (unlikely(x86_small.slots))
		err = x86_find_hybrid_event(attr, hw);
	else
		err = x86_find_event(&x86_counters, attr->type, attr->config, hw, &hw->config,
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

/* === RDPMC in programs === */

/* The sysfs attribute rdpmc of perf_events' PMU decides for both subsystems. */
static bool x86_user_read_allowed(void)
{
	return !static_branch_unlikely(&rdpmc_never_available_key);
}

static void x86_fill_user_page(const struct perf_counter_hw *hw, u64 clock,
			       struct perf_event_mmap_page *page)
{
	unsigned int width = fls64(x86_counters.mask);
	struct cyc2ns_data data;

	page->pmc_width = width;
	if (hw) {
		/*
		 * The index is one more than the operand; 0 means no register. The program
		 * sign-extends the value that it reads.
		 */
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
 * RDPMC can read any counter. Clear the counters that are not in use, so that they do not reveal
 * the counts of another user (including perf_events), and have the counters in use programmed
 * again. The CPU is disabled.
 */
static void x86_hide_counts(struct x86_cpu *cpu)
{
	u64 slots = (cpu->foreign | cpu->written) & ~(cpu->used | cpu->merged);
	unsigned int slot;

	cpu->foreign = 0;
	cpu->written &= ~slots;
	for (; slots; slots &= slots - 1) {
		slot = __ffs64(slots);
		x86_write_slot(slot, 0);
		cpu->value[slot] = 0;
		cpu->known |= BIT_ULL(slot);
	}
	x86_reprogram_all();
}

/*
 * Set or clear CR4.PCE. Check the permission again: the administrator may have withdrawn it since
 * the counter was mapped.
 */
static void x86_set_user_access(bool on)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	on = on && x86_user_read_allowed();
	this_cpu_write(x86_user_reads_here, on);
	if (on) {
		if (!cpu->ready)
			x86_take_over(cpu);
		x86_hide_counts(cpu);
		cr4_set_bits_irqsoff(X86_CR4_PCE);
	} else if (!static_branch_unlikely(&rdpmc_always_available_key)) {
		cr4_clear_bits_irqsoff(X86_CR4_PCE);
	}
}

/* === Guests === */

/**
 * x86_counters_virt() - Tell the backend whether this CPU can run guests
 * @on: the CPU can run guests from now on
 *
 * Called by AMD's KVM. With SVM off, an event select with the host-only bit counts nothing, so
 * the bit is left out then.
 *
 * Context: On the CPU in question, preemption disabled.
 */
void x86_counters_virt(bool on)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	guard(irqsave)();
	cpu->unused_bits = on ? 0 : x86_counters.only_host;
	if (cpu->running)
		perf_counter_hw_change(cpu->hw[__ffs64(cpu->used)], x86_reprogram_all);
}

/* Maximum number of MSRs that KVM switches. */
#define GUEST_MSRS	8
static DEFINE_PER_CPU(struct perf_guest_switch_msr[GUEST_MSRS], x86_guest_msrs);

/*
 * Fill @msrs with the event selects for KVM on a PMU of version 1, which has no global control: a
 * counter is started by the enable bit in its event select. Slots of @host count on the host, slots
 * of @guest in a guest. Return the number of MSRs, which is the number that perf_events passes to
 * KVM.
 */
static int x86_guest_selects(const struct x86_cpu *cpu, struct perf_guest_switch_msr *msrs,
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
 * x86_counters_guest_msrs() - Get the registers to switch when a guest is entered
 * @nr: set to the number of registers
 *
 * Intel's KVM switches these registers at each entry and exit. They replace those that KVM got
 * from perf_events before.
 *
 * Context: IRQs off, on the CPU that enters the guest next.
 * Return: The registers for this CPU.
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
		*nr = x86_guest_selects(cpu, msrs, host, guest);
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
	.event_init		= x86_event_init,
	.claim			= x86_lend_hardware,
	.release		= x86_release,
	.perf_events		= x86_hardware_users,
	.disable		= x86_disable,
	.enable			= x86_enable,
	.add			= x86_add,
	.del			= x86_del,
	.read			= x86_read,
	.reset			= x86_reset,
	.user_read_allowed	= x86_user_read_allowed,
	.fill_user_page		= x86_fill_user_page,
	.set_user_access	= x86_set_user_access,
};

/*
 * Check that the registers that CPUID reports exist: emulators that lack them return zeroes. If
 * perf_events uses the registers, it has checked them already.
 */
static bool __init x86_registers_exist(void)
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

/*
 * Start recording branches. Take over the registers first: x86_reset() clears the recorder of a CPU
 * only if the CPU is @ready.
 */
static bool x86_start_recording(u32 what)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	if (!cpu->ready)
		x86_take_over(cpu);
	return x86_lbr_start(what);
}

static void __init x86_find_recorder(void)
{
	const struct perf_counter_recorder *recorder = x86_lbr_init();

	if (!recorder)
		return;
	x86_recorder = *recorder;
	x86_recorder.start = x86_start_recording;
	x86_backend.recorder = &x86_recorder;
}

static void __init x86_find_intel(void *pmu)
{
	x86_counters_intel(pmu);
}

/*
 * Find the PMU of each core type of an Intel hybrid machine. Both core types use the same MSR
 * numbers, but small cores may lack some of the registers. Programs select the small cores by the
 * type that perf_events gave their PMU.
 */
static bool __init x86_find_hybrid(void)
{
	int small = x86_small_pmu_type();

	on_each_cpu(x86_find_core_type, NULL, 1);
	/* With the small cores switched off, all events are for the large cores. */
	if (cpumask_empty(&x86_small_cpus))
		return x86_counters_intel(&x86_counters);
	if (cpumask_empty(&x86_large_cpus) || small < 0 || small >= BITS_PER_TYPE(u32))
		return false;
	smp_call_function_single(cpumask_first(&x86_large_cpus), x86_find_intel, &x86_counters, 1);
	smp_call_function_single(cpumask_first(&x86_small_cpus), x86_find_intel, &x86_small, 1);
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
		found = x86_hybrid_intel() ? x86_find_hybrid() : x86_counters_intel(&x86_counters);
	else if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
		 boot_cpu_data.x86_vendor == X86_VENDOR_HYGON)
		found = x86_counters_amd(&x86_counters);
	x86_counters.general = hweight32((u32)x86_counters.slots);
	x86_counters.min_left = max(x86_counters.min_left, X86_LEFT_MIN);
	x86_small.min_left = X86_LEFT_MIN;
	/* Convert microseconds to cycles. */
	x86_counters.nmi_window *= tsc_khz / 1000;
	for_each_possible_cpu(cpu)
		per_cpu(x86_cpu.unused_bits, cpu) = x86_counters.only_host;
	/*
	 * In a Xen PV guest, the PMU's interrupt is an event channel that only perf_events handles.
	 */
	if (!found || !boot_cpu_has(X86_FEATURE_APIC) || boot_cpu_has(X86_FEATURE_XENPV) ||
	    !x86_registers_exist())
		return 0;

	pr_info("perf_counter: %s: %u general, %u fixed, of %u bits\n", x86_counters.name,
		x86_counters.general, hweight32(x86_counters.slots >> X86_FIXED_SLOT),
		fls64(x86_counters.mask));
	if (x86_counters.status)
		x86_find_recorder();
	register_nmi_handler(NMI_LOCAL, x86_nmi, 0, "perf_counter");
	return perf_counter_register_backend(&x86_backend);
}
arch_initcall(x86_counters_init);

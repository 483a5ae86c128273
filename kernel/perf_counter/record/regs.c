// SPDX-License-Identifier: GPL-2.0
/*
 * Registers in samples of perf_counter, and the user's stack.
 *
 * Which registers there are, and what a bit of a mask means, the architecture knows
 * (arch/.../kernel/perf_regs.c). A stack is the program's own, and may be anything: it
 * is copied with faults disabled, and what is not there is not waited for.
 */

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/tlb.h>

#include "internal.h"

/* The architecture's knowledge is built for perf_events. */
#define HAVE_REGS	(IS_ENABLED(CONFIG_HAVE_PERF_REGS) && IS_ENABLED(CONFIG_PERF_EVENTS))
#define HAVE_STACKS	(HAVE_REGS && IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP))

/**
 * perf_counter_check_regs() - refuse registers that there are not
 * @mask: one bit for each that is wanted
 *
 * Return: 0; -EINVAL for one that is not there, and for none; -EOPNOTSUPP when nobody knows
 * any.
 */
int perf_counter_check_regs(u64 mask)
{
	if (!HAVE_REGS)
		return -EOPNOTSUPP;
	return perf_reg_validate(mask);
}

/**
 * perf_counter_check_stack() - refuse an impossible dump of a stack
 * @size: bytes of it
 *
 * Return: 0; -EINVAL for what is no multiple of 8, or more than a record has; -EOPNOTSUPP
 * when nobody knows where a stack is.
 */
int perf_counter_check_stack(u32 size)
{
	if (!HAVE_STACKS)
		return -EOPNOTSUPP;
	return size < U16_MAX && IS_ALIGNED(size, sizeof(u64)) ? 0 : -EINVAL;
}

/**
 * perf_counter_user_regs() - the registers that user mode has, or had
 * @user: filled in; the ABI is none when there are none
 * @regs: those of an event
 *
 * Context: any, NMI included.
 */
void perf_counter_user_regs(struct perf_regs *user, struct pt_regs *regs)
{
	*user = (struct perf_regs) { .abi = PERF_SAMPLE_REGS_ABI_NONE };
	if (!HAVE_REGS)
		return;
	if (user_mode(regs))
		*user = (struct perf_regs) { .abi = perf_reg_abi(current), .regs = regs };
	else if (current->mm && perf_counter_has_user_mode(current))
		perf_get_regs_user(user, regs);
}

/**
 * perf_counter_regs_size() - bytes that registers take in a record
 * @from: the registers
 * @mask: which
 *
 * Return: the size, the word with the ABI included.
 */
u32 perf_counter_regs_size(const struct perf_regs *from, u64 mask)
{
	return sizeof(u64) * (1 + (from->abi ? hweight64(mask) : 0));
}

/**
 * perf_counter_put_regs() - write registers to a record
 * @at: where to
 * @from: the registers
 * @mask: which
 *
 * Context: any, NMI included.
 * Return: what is behind them.
 */
u64 __ring *perf_counter_put_regs(u64 __ring *at, const struct perf_regs *from, u64 mask)
{
	at = ring_put(at, from->abi);
	if (!from->abi || !HAVE_REGS)
		return at;
	for (; mask; mask &= mask - 1)
		at = ring_put(at, perf_reg_value(from->regs, __ffs64(mask)));
	return at;
}

#if HAVE_STACKS
/* Copy what is there of [@from, @from + @size); returns how much is not. */
static u32 copy_user(void __ring *to, const void __user *from, u32 size)
{
	u32 left;

	/* An NMI may have struck while the address space was being switched. */
	if (!access_ok(from, size) || !nmi_uaccess_okay())
		return size;
	pagefault_disable();
	left = ring_copy_user(to, from, size);
	pagefault_enable();
	return left;
}

/**
 * perf_counter_stack_size() - bytes of the user's stack to be put in a record
 * @user: the registers of user mode
 * @wanted: how many are wanted
 * @room: how many there is room for, with what goes with them
 *
 * Context: any, NMI included.
 * Return: a multiple of 8; 0 when there is no stack.
 */
u32 perf_counter_stack_size(const struct perf_regs *user, u32 wanted, u32 room)
{
	unsigned long sp, size;

	if (!user->abi || !current->mm || room < 2 * sizeof(u64))
		return 0;
	sp = user_stack_pointer(user->regs);
	if (!sp || sp >= TASK_SIZE)
		return 0;
	size = min3((unsigned long)wanted, (unsigned long)room - sizeof(u64), TASK_SIZE - sp);
	return ALIGN_DOWN(size, sizeof(u64));
}

/**
 * perf_counter_put_stack() - write the user's stack to a record
 * @at: where to
 * @user: the registers of user mode
 * @size: from perf_counter_stack_size()
 *
 * The size, the bytes from the stack pointer upward, and how many of them could be
 * read; what is behind those is left as it was in the ring. Of no stack, its size alone.
 *
 * Context: any, NMI included.
 * Return: what is behind it.
 */
u64 __ring *perf_counter_put_stack(u64 __ring *at, const struct perf_regs *user, u32 size)
{
	void __user *sp;
	u32 left;

	at = ring_put(at, size);
	if (!size)
		return at;
	sp = (void __user *)user_stack_pointer(user->regs);
	left = copy_user(at, sp, size);
	at += size / sizeof(u64);
	at = ring_put(at, size - left);
	return at;
}
#else
u32 perf_counter_stack_size(const struct perf_regs *user, u32 wanted, u32 room)
{
	return 0;
}

u64 __ring *perf_counter_put_stack(u64 __ring *at, const struct perf_regs *user, u32 size)
{
	at = ring_put(at, 0);
	return at;
}
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Registers and the user's stack in samples of perf_counter.
 *
 * The architecture defines the registers and the bits that select them
 * (arch/.../kernel/perf_regs.c). A stack pointer may have any value: the stack is
 * copied with page faults disabled, and the copy ends at the first byte that is not
 * present.
 */

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/tlb.h>

#include "internal.h"

/* Architectures build these functions for perf_events. */
#define HAVE_REGS	(IS_ENABLED(CONFIG_HAVE_PERF_REGS) && IS_ENABLED(CONFIG_PERF_EVENTS))
#define HAVE_STACKS	(HAVE_REGS && IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP))

/**
 * perf_counter_check_regs() - Check a mask of registers
 * @mask: one bit for each register to sample
 *
 * Return: 0; -EINVAL for an unknown register or an empty mask; -EOPNOTSUPP if the
 * architecture has no registers for samples.
 */
int perf_counter_check_regs(u64 mask)
{
	if (!HAVE_REGS)
		return -EOPNOTSUPP;
	return perf_reg_validate(mask);
}

/**
 * perf_counter_check_stack() - Check the size of a stack dump
 * @size: number of bytes to sample
 *
 * Return: 0; -EINVAL if @size is not a multiple of 8 or is too large for a record;
 * -EOPNOTSUPP if the architecture does not support stack dumps.
 */
int perf_counter_check_stack(u32 size)
{
	if (!HAVE_STACKS)
		return -EOPNOTSUPP;
	return size < U16_MAX && IS_ALIGNED(size, sizeof(u64)) ? 0 : -EINVAL;
}

/**
 * perf_counter_user_regs() - Get the registers of user mode
 * @user: result; its ABI is PERF_SAMPLE_REGS_ABI_NONE if there are no such registers
 * @regs: registers of the event, in user mode or in the kernel
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
 * perf_counter_regs_size() - Compute the size of registers in a record
 * @from: registers
 * @mask: one bit for each register to write
 *
 * Return: size in bytes with the word for the ABI.
 */
u32 perf_counter_regs_size(const struct perf_regs *from, u64 mask)
{
	return sizeof(u64) * (1 + (from->abi ? hweight64(mask) : 0));
}

/**
 * perf_counter_put_regs() - Write registers to a record
 * @at: address in the ring to write to
 * @from: registers
 * @mask: one bit for each register to write
 *
 * Context: any, NMI included.
 * Return: address after the registers.
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
/*
 * Copy the bytes of [@from, @from + @size) that are present. Returns the number of bytes that were
 * not copied.
 */
static u32 stack_copy_user(void __ring *to, const void __user *from, u32 size)
{
	u32 left;

	/* The NMI may have interrupted a switch of address spaces. */
	if (!access_ok(from, size) || !nmi_uaccess_okay())
		return size;
	pagefault_disable();
	left = ring_copy_user(to, from, size);
	pagefault_enable();
	return left;
}

/**
 * perf_counter_stack_size() - Compute the size of a stack dump
 * @user: registers of user mode
 * @wanted: number of bytes that the attr asks for
 * @room: number of bytes left in the record, for the dump and the word after it
 *
 * Context: any, NMI included.
 * Return: number of bytes, a multiple of 8; 0 without a stack.
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
 * perf_counter_put_stack() - Write a stack dump to a record
 * @at: address in the ring to write to
 * @user: registers of user mode
 * @size: result of perf_counter_stack_size()
 *
 * Writes the size, the bytes from the stack pointer upward, and the number of bytes that could be
 * read; the bytes that could not be read keep the old contents of the ring. Without a stack, only
 * writes a size of 0.
 *
 * Context: any, NMI included.
 * Return: address after the dump.
 */
u64 __ring *perf_counter_put_stack(u64 __ring *at, const struct perf_regs *user, u32 size)
{
	void __user *sp;
	u32 left;

	at = ring_put(at, size);
	if (!size)
		return at;
	sp = (void __user *)user_stack_pointer(user->regs);
	left = stack_copy_user(at, sp, size);
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

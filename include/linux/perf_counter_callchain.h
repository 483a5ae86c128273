/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains of the kernel by a function of the architecture, where arch_stack_walk() does not
 * suffice: on powerpc, arch_stack_walk() uses neither the link register nor the registers of
 * interrupted code.
 */
#ifndef _LINUX_PERF_COUNTER_CALLCHAIN_H
#define _LINUX_PERF_COUNTER_CALLCHAIN_H

#include <linux/ptrace.h>

struct perf_counter_callchain;

void perf_counter_callchain_kernel(struct perf_counter_callchain *chain, struct pt_regs *regs);

/**
 * perf_counter_caller_regs() - Get the registers with which a function's caller goes on
 * @regs: set to the registers that the unwinder needs, and zeros
 * @frame: __builtin_frame_address(0) of the function, which must not have returned
 *
 * Context: any.
 * Return: false if this is not implemented for the unwinder.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
static inline bool perf_counter_caller_regs(struct pt_regs *regs, const void *frame)
{
	/* A function that asks for the address of its frame has a frame pointer. */
	const unsigned long *saved = frame;

	*regs = (struct pt_regs) {
		.bp	= saved[0],
		.ip	= saved[1],
		.sp	= (unsigned long)(saved + 2),
		.cs	= __KERNEL_CS,
	};
	return true;
}
#else
static inline bool perf_counter_caller_regs(struct pt_regs *regs, const void *frame)
{
	return false;
}
#endif

#endif /* _LINUX_PERF_COUNTER_CALLCHAIN_H */

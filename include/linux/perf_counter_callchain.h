/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel call chains by the architecture, where arch_stack_walk() does not suffice: on powerpc it
 * uses neither the link register nor the registers of interrupted code.
 */
#ifndef _LINUX_PERF_COUNTER_CALLCHAIN_H
#define _LINUX_PERF_COUNTER_CALLCHAIN_H

struct perf_counter_callchain;
struct pt_regs;

void perf_counter_callchain_kernel(struct perf_counter_callchain *chain, struct pt_regs *regs);

#endif /* _LINUX_PERF_COUNTER_CALLCHAIN_H */

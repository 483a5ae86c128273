/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains of the kernel by a function of the architecture, where arch_stack_walk() does not
 * suffice: on powerpc, arch_stack_walk() uses neither the link register nor the registers of
 * interrupted code.
 */
#ifndef _LINUX_PERF_COUNTER_CALLCHAIN_H
#define _LINUX_PERF_COUNTER_CALLCHAIN_H

struct perf_counter_callchain;
struct pt_regs;

void perf_counter_callchain_kernel(struct perf_counter_callchain *chain, struct pt_regs *regs);

#endif /* _LINUX_PERF_COUNTER_CALLCHAIN_H */

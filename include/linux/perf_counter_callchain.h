/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf_counter's call chains ask of an architecture whose arch_stack_walk() does not
 * do: powerpc's knows neither the link register nor what an interrupt has interrupted.
 */
#ifndef _LINUX_PERF_COUNTER_CALLCHAIN_H
#define _LINUX_PERF_COUNTER_CALLCHAIN_H

struct perf_counter_callchain;
struct pt_regs;

void perf_counter_callchain_kernel(struct perf_counter_callchain *chain, struct pt_regs *regs);

#endif /* _LINUX_PERF_COUNTER_CALLCHAIN_H */

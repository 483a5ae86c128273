/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters for use by the kernel: they have no file, and an overflow calls a function instead of
 * writing a record.
 */
#ifndef _LINUX_PERF_COUNTER_KERNEL_H
#define _LINUX_PERF_COUNTER_KERNEL_H

#include <linux/types.h>

struct perf_counter_attr;
struct perf_counter_desc;
struct perf_counter_sample;
struct pt_regs;
struct task_struct;

/**
 * typedef perf_counter_overflow_fn - function called when a counter of the kernel overflows
 * @desc: counter, as perf_counter_kernel_open() has returned it or is about to return it
 * @sample: facts about the event
 * @regs: registers at the event
 *
 * The rate of calls is not limited.
 *
 * Context: The event's context, NMI included; preemption disabled.
 */
typedef void (*perf_counter_overflow_fn)(struct perf_counter_desc *desc,
					 const struct perf_counter_sample *sample,
					 struct pt_regs *regs);

struct perf_counter_desc *perf_counter_kernel_open(const struct perf_counter_attr *attr,
						   struct task_struct *task, int cpu,
						   perf_counter_overflow_fn overflow);
void perf_counter_kernel_close(struct perf_counter_desc *desc);
void perf_counter_kernel_enable(struct perf_counter_desc *desc);

#endif /* _LINUX_PERF_COUNTER_KERNEL_H */

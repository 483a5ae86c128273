/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branch recorder of a CPU: the state of the hardware that records branches.
 */
#ifndef _PERF_COUNTER_COUNTER_RECORDER_H
#define _PERF_COUNTER_COUNTER_RECORDER_H

#include <linux/perf_counter_hw.h>
#include <linux/types.h>

struct task_struct;

/* The machine's recorder of branches; NULL: there is none. */
extern const struct perf_counter_recorder *perf_counter_branch_recorder;

const struct perf_counter_recorder *
perf_counter_set_recorder(const struct perf_counter_recorder *recorder);
void perf_counter_halt_recorder(bool halt);
bool perf_counter_recorder_add(u32 what);
void perf_counter_recorder_del(u32 what);
void perf_counter_recorder_sched_out(struct task_struct *task);
void perf_counter_recorder_sched_in(struct task_struct *task);
void perf_counter_recorder_read(struct perf_counter_branches *branches);

/* Go on recording after the hardware has stopped by itself. Context: IRQs off. */
static inline void perf_counter_recorder_resume(void)
{
	if (perf_counter_branch_recorder->resume)
		perf_counter_branch_recorder->resume();
}

#endif /* _PERF_COUNTER_COUNTER_RECORDER_H */

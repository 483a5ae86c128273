/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of PMUs: their operations, and the CPUs that have them.
 */
#ifndef _PERF_COUNTER_COUNTER_PMU_H
#define _PERF_COUNTER_COUNTER_PMU_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/perf_counter_handover.h>
#include <linux/perf_counter_hw.h>
#include <linux/types.h>

struct perf_counter;
struct perf_counter_desc;
struct perf_counter_pmu_cpu;

/**
 * struct perf_counter_pmu - a source of events, in hardware or in the kernel
 * @node: entry in the list of all PMUs
 * @cpu: state on each CPU, of a PMU that has a limited number of registers; NULL: the PMU
 *	has room for every counter
 * @cpus: CPUs that have the PMU; NULL: all
 * @halted: no counter of the PMU is loaded now; see perf_counter_pmu_halt()
 * @types: mask of the PERF_TYPE_* for which @event_init is called; 0: all types
 * @event_init: check whether the PMU can count what the descriptor's attr says. 0: it can, and
 *	@desc->event, @desc->event_id and @desc->needs_load are set as needed; -ENOENT: the event
 *	is not of this PMU; another error: the answer to the open. May sleep.
 * @attached: called when the first counter of a descriptor has joined its context. May sleep.
 * @counter_init: set up one counter. The filter of the counter is set already, except in a child
 * counter. May sleep.
 * @counter_exit: tear down the first counter of a descriptor that samples, when events use
 *	it no longer. May sleep.
 * @event_exit: undo a successful @event_init; the descriptor has no counter any more. May sleep.
 * @free: free the PMU's data of a descriptor that no event uses any more. Any context.
 * @set_filter: count only the events that match the filter in @text. 0 or the answer to
 *	SET_FILTER. May sleep.
 * @query_bpf: write the BPF programs of the event to @info, in the layout of
 *	PERF_EVENT_IOC_QUERY_BPF. May sleep.
 * @hand_over: have perf_events open the event, for PMUs that need more than
 *	perf_event_hand_over(). May sleep.
 * @hand_back: undo a successful @hand_over: the descriptor stays, and the event is closed. May
 *	sleep.
 * @add: start a counter on this CPU at context time counter->times.run_stamp; 0 or an error.
 *	ctx->lock held.
 * @del: stop a counter at context time @now. ctx->lock held.
 * @read: bring counter->count up to date. ctx->lock held, or in an event.
 * @enabled_changed: a counter with @wants_enable_cb has been enabled (@on), or is about to be
 *	disabled. ctx->lock held.
 * @recorder_get: claim the PMU's branch recorder for a descriptor of another PMU; 0 or the answer
 *	to the open. May sleep.
 * @recorder_put: release a claim of @recorder_get. May sleep.
 *
 * Every operation but @event_init may be NULL. The following operations exist only for a PMU with
 * limited room. They are called with IRQs off, on the CPU whose registers they use:
 *
 * @disable: stop everything on this CPU
 * @enable: let the loaded counters count. Returns true if a register that a program reads by itself
 *         was written or replaced by another. @add and @del are called between @disable and
 *         @enable.
 * @reset: forget the registers of this CPU, which has come online, or is about to go offline
 * @read_here: return the count of a counter that is loaded on this CPU, since the counter was
 *	created, not since its reset; also called from NMIs
 * @tick: called once a tick for a loaded counter, between @disable and @enable. Returns true if the
 *	counter needs the next tick as well.
 * @validate_group: true when @leader's group together with @desc would find room on an otherwise
 *	unused PMU. leader->mutex held
 * @user_read_allowed: true when programs may read counters by themselves. NULL: they never may.
 * @fill_user_page: write to a user page how a program reads the counter (if @readable) and the
 *	clock
 * @set_user_access: allow or forbid the current task to read this CPU's counters
 * @has_regs: samples can have registers of the PMU. Only for PMUs that decide on whole sets of
 *	counters
 */
struct perf_counter_pmu {
	struct list_head			node;
	struct perf_counter_pmu_cpu __percpu	*cpu;
	const struct cpumask			*cpus;
	bool					halted;
	u32					types;

	int	(*event_init)(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc);
	void	(*attached)(struct perf_counter_desc *desc);
	void	(*counter_init)(struct perf_counter *counter);
	void	(*counter_exit)(struct perf_counter *counter);
	void	(*event_exit)(struct perf_counter_desc *desc);
	void	(*free)(struct perf_counter_desc *desc);
	int	(*set_filter)(struct perf_counter_desc *desc, char *text);
	int	(*query_bpf)(struct perf_counter_desc *desc, void __user *info);
	int	(*hand_over)(struct perf_counter_desc *desc,
			     struct perf_counter_handover *handover);
	void	(*hand_back)(struct perf_counter_desc *desc);
	int	(*add)(struct perf_counter *counter);
	void	(*del)(struct perf_counter *counter, u64 now);
	void	(*read)(struct perf_counter *counter);
	void	(*enabled_changed)(struct perf_counter *counter, bool on);
	int	(*recorder_get)(const struct perf_counter_pmu *pmu);
	void	(*recorder_put)(const struct perf_counter_pmu *pmu);

	void	(*disable)(void);
	bool	(*enable)(void);
	void	(*reset)(void);
	u64	(*read_here)(const struct perf_counter_hw *hw);
	bool	(*tick)(struct perf_counter *counter, u64 now);
	bool	(*validate_group)(const struct perf_counter_desc *leader,
				  const struct perf_counter_desc *desc);
	bool	(*user_read_allowed)(void);
	void	(*fill_user_page)(const struct perf_counter *counter, bool readable, u64 clock,
				  struct perf_event_mmap_page *page);
	void	(*set_user_access)(bool on);
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	bool	has_regs;
#endif
};

/* Return @pmu if its counters compete for registers; NULL if it has room for every counter. */
static inline const struct perf_counter_pmu *
perf_counter_scheduled_pmu(const struct perf_counter_pmu *pmu)
{
	return pmu->cpu ? pmu : NULL;
}

#endif /* _PERF_COUNTER_COUNTER_PMU_H */

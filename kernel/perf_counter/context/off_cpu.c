// SPDX-License-Identifier: GPL-2.0
/*
 * Time off the CPU: how long a task did not run, counted when it runs again.
 *
 * When a task stops running, the switch stores the time in the task. When the task runs again,
 * its counters, and those of the CPU, add the time that has passed since then, or since they were
 * enabled. A read of a task's counter while the task does not run adds the time so far, and
 * stores the time of the read in the counter, so that no time is counted twice. No time is lost
 * either: a context becomes live and its counters add the time in one section of ctx->lock. After
 * that section, samples are taken and the CPU's counters add the time, without a lock.
 *
 * Samples are taken under rq->lock, and a CPU that wakes a task on this CPU waits for that lock.
 * There are three limits: on the work of one switch, on the samples of a counter in a jiffy and,
 * for counters of tasks, on the share of the CPU's time. A sample that the first or the third limit
 * refuses is counted as lost. The second limit throttles the counter and writes a THROTTLE record.
 *
 * The time stored in a task is stale if no such counter was open when the task last stopped. It is
 * then earlier than the time when any open counter was enabled, and the later time is used.
 */

#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "internal.h"

static u32 reason_to_stop(const struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);

	if (task_is_runnable((struct task_struct *)task))
		return PERF_COUNTER_OFF_CPU_RUNNABLE;
	if (state & (TASK_FROZEN | TASK_PARKED | __TASK_STOPPED | __TASK_TRACED))
		return PERF_COUNTER_OFF_CPU_STOPPED;
	if (task->in_iowait)
		return PERF_COUNTER_OFF_CPU_IO;
	/* A task that was woken up before it stopped waits only for a CPU. */
	if (state == TASK_WAKING)
		return PERF_COUNTER_OFF_CPU_RUNNABLE;
	if (state & (TASK_INTERRUPTIBLE | TASK_NOLOAD))
		return PERF_COUNTER_OFF_CPU_SLEEPING;
	return PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE;
}

/**
 * perf_counter_off_cpu_stop() - Store when and why the current task stops running
 * @clock: perf_counter_clock() now, ns
 *
 * Context: IRQs off, rq->lock held; the task's context, if it has one, is still live.
 */
void perf_counter_off_cpu_stop(u64 clock)
{
	struct perf_counter_task *state = perf_counter_task_state(current);

	lockdep_assert_irqs_disabled();
	if (!state)
		return;
	state->off_cpu.since = clock;
	state->off_cpu.reason = reason_to_stop(current);
}

/**
 * perf_counter_off_cpu_new() - Store that a new task starts to wait for a CPU
 * @child: the task, which has not been woken up yet
 *
 * Context: any.
 */
void perf_counter_off_cpu_new(struct task_struct *child)
{
	struct perf_counter_task *state = perf_counter_task_state(child);

	if (!state)
		return;
	state->off_cpu.since = perf_counter_clock();
	state->off_cpu.reason = PERF_COUNTER_OFF_CPU_RUNNABLE;
}

/*
 * Limit on the work for the samples of one switch; the unit is about one instruction. It applies
 * once to the task's counters, and once to the counters of the CPU and of control groups together.
 * The last sample may exceed it.
 */
#define SWITCH_WORK_MAX		400000

/*
 * Estimated work of a sample, of each frame of its call chain, and of each group member in it, in
 * units of SWITCH_WORK_MAX.
 */
#define SAMPLE_WORK		1000
#define FRAME_WORK		50
#define GROUP_MEMBER_WORK	60

/**
 * struct restart - a switch to a task that runs again
 * @state: state of the task
 * @clock: perf_counter_clock() of the switch, ns
 * @ip: address of the kernel code where the task had stopped
 * @frame: frame of a function that the code at @ip has called, see struct perf_counter_sample
 * @work: work of the samples so far, in units of SWITCH_WORK_MAX
 * @of_task: flag: the samples are for counters of the task, which unprivileged users can open;
 *	otherwise for counters of the CPU
 */
struct restart {
	const struct perf_counter_task	*state;
	u64				clock;
	unsigned long			ip;
	const void			*frame;
	unsigned int			work;
	bool				of_task;
};

/* Return the time for which the task was off the CPU since @counter was enabled, ns. */
static u64 waited(const struct perf_counter *counter, const struct restart *restart)
{
	return perf_counter_since(restart->clock,
				  max(restart->state->off_cpu.since, counter->off_from));
}

/* Estimate the work of a sample of @counter; copying a byte counts as 1. */
static unsigned int sample_work(const struct perf_counter *counter)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	const struct perf_counter *leader = READ_ONCE(counter->group.leader);
	unsigned int work = SAMPLE_WORK;

	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		work += attr->sample_stack_user;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		work += FRAME_WORK * attr->sample_max_stack;
	if ((attr->sample_type & PERF_SAMPLE_READ) && (attr->read_format & PERF_FORMAT_GROUP))
		work += GROUP_MEMBER_WORK * READ_ONCE(leader->group.nr_members);
	return work;
}

/*
 * Apply the limits to a sample of @counter that is due. Returns true if the sample is refused. The
 * limit on the CPU's time does not apply to counters of a CPU: a task could otherwise use up that
 * time to hide from them.
 */
static bool is_refused(struct perf_counter *counter, struct restart *restart)
{
	unsigned long window = READ_ONCE(jiffies);

	if (restart->work < SWITCH_WORK_MAX && restart->of_task && perf_counter_budget_is_spent())
		restart->work = SWITCH_WORK_MAX;
	if (restart->work >= SWITCH_WORK_MAX) {
		perf_counter_output_drop(counter);
		return true;
	}
	return perf_counter_throttle(counter, counter->throttle.window_end != window, window);
}

static noinline void restart_sample(struct perf_counter *counter, struct restart *restart)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	struct perf_counter_off_cpu raw = {};
	struct perf_counter_sample_extra extra = {
		.data_src	= PERF_COUNTER_DATA_SRC_NA,
		.raw		= &raw,
		.raw_size	= sizeof(raw),
	};
	struct perf_counter_sample sample = { .regs = &perf_counter_no_regs, .extra = &extra };
	u32 began = perf_counter_sampling_begins();

	sample.period = perf_counter_period_over(counter, waited(counter, restart));
	if (!sample.period || is_refused(counter, restart))
		return;
	restart->work += sample_work(counter);
	/*
	 * Use the reason only if the task stopped after the counter was enabled; otherwise it is
	 * stale.
	 */
	if (restart->state->off_cpu.since >= counter->off_from)
		raw.reason = restart->state->off_cpu.reason;
	if (attr->exclude_kernel) {
		sample.regs = task_pt_regs(current);
	} else {
		sample.ip = restart->ip;
		sample.frame = restart->frame;
	}
	perf_counter_overflow(counter, &sample);
	perf_counter_sampling_ends(began);
}

static bool is_counted(struct perf_counter *counter, const struct restart *restart)
{
	/* Pairs with the release in perf_counter_state_on(), after the times. */
	if (!smp_load_acquire(&counter->group_enabled))
		return false;
	if (counter->desc->attr.exclude_kernel && !perf_counter_has_user_mode(current))
		return false;
	if (counter->filter && perf_counter_filtered(counter, &perf_counter_no_regs))
		return false;
	/* attr.config1 is the shortest time that counts, ns. */
	return !counter->desc->attr.config1 ||
	       waited(counter, restart) >= counter->desc->attr.config1;
}

static void restart_count(struct perf_counter *counter, const struct restart *restart)
{
	u64 since = max(restart->state->off_cpu.since, counter->off_counted);

	local64_add(perf_counter_since(restart->clock, since), &counter->count);
}

/**
 * perf_counter_off_cpu_count() - Add the time off the CPU of a task that runs again
 * @ctx: context of the current task, which has just become live
 *
 * Context: IRQs off, rq->lock and ctx->lock held.
 * Return: perf_counter_clock() up to which the time was counted, ns.
 */
u64 perf_counter_off_cpu_count(struct perf_counter_ctx *ctx)
{
	/*
	 * Read the clock with the lock held: it must not be earlier than the time up to which a
	 * reader, which held the lock before, has counted.
	 */
	const struct restart restart = {
		.state	= perf_counter_task_state(current),
		.clock	= perf_counter_clock(),
	};
	struct perf_counter *counter;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(counter, &ctx->sw[PERF_COUNTER_SW_OFF_CPU], event_node) {
		if (is_counted(counter, &restart))
			restart_count(counter, &restart);
	}
	return restart.clock;
}

/*
 * Count the time off the CPU for the counters of @ctx, the context of a CPU or of a control group,
 * and sample it.
 */
static void restart_cpu(struct perf_counter_ctx *ctx, struct restart *restart)
{
	struct perf_counter *counter;

	hlist_for_each_entry_rcu(counter, &ctx->sw[PERF_COUNTER_SW_OFF_CPU], event_node) {
		if (!is_counted(counter, restart))
			continue;
		restart_count(counter, restart);
		if (counter->sampling.period)
			restart_sample(counter, restart);
	}
}

/**
 * perf_counter_off_cpu_start() - Sample the time off the CPU of a task that runs again
 * @clock: result of perf_counter_off_cpu_count(); perf_counter_clock() for a task without context
 * @ip: kernel code where the task had stopped
 * @frame: __builtin_frame_address(0) of a function that the code at @ip has called; or NULL
 *
 * The counters of the CPU and of control groups also count the time here; those of the task have
 * counted it already.
 *
 * Context: IRQs off, rq->lock held; the task's context, if it has one, is live again.
 */
void perf_counter_off_cpu_start(u64 clock, unsigned long ip, const void *frame)
{
	struct restart restart = {
		.state		= perf_counter_task_state(current),
		.clock		= clock,
		.ip		= ip,
		.frame		= frame,
		.of_task	= true,
	};
	struct perf_counter_ctx *ctx = perf_counter_task_ctx(current);
	struct perf_counter *counter;
	unsigned long levels = perf_counter_cgroup_levels();

	/* A task without a state is an idle task, or will never run again after its exit. */
	if (perf_counter_is_idle() || !restart.state)
		return;
	if (ctx) {
		hlist_for_each_entry_rcu(counter, &ctx->sw[PERF_COUNTER_SW_OFF_CPU], event_node) {
			if (counter->sampling.period && is_counted(counter, &restart))
				restart_sample(counter, &restart);
		}
	}
	restart.work = 0;
	restart.of_task = false;
	ctx = this_cpu_ptr(&perf_counter_cpu_ctx);
	do {
		restart_cpu(ctx, &restart);
		ctx = perf_counter_next_cgroup(&levels);
	} while (ctx);
}

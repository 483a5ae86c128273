// SPDX-License-Identifier: GPL-2.0
/*
 * Time off the CPU: how long a task did not run, counted when it runs again.
 *
 * When a task stops, the time is noted in the task, whoever counts. When it starts, its
 * own counters and those of the CPU that it got count what has passed since, or since they
 * were enabled. A read of a task's counter counts what has passed so far, if the task does
 * not run, and notes in the counter up to when: of an interval, nothing is counted twice.
 * Nor is any of it lost: in the section of ctx->lock in which a context becomes live, its
 * counters count. Samples are taken, and a CPU's counters count, after that, without a lock.
 *
 * Samples are taken under rq->lock, where another CPU that wakes a task here waits for it. So
 * there is a limit to the work of one switch, to the samples of a counter in a jiffy, and, for
 * the counters of tasks, to the share of the CPU's time. A sample that the first or the last of
 * these refuses is counted as lost; for the second, there is a THROTTLE record.
 *
 * The time in a task is only valid if it stopped while somebody counted. One from before is
 * earlier than the moment when any counter that there is now was enabled, and the later of
 * the two is what counts.
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
	/* It was woken up before it had stopped: all that it waits for is a CPU. */
	if (state == TASK_WAKING)
		return PERF_COUNTER_OFF_CPU_RUNNABLE;
	if (state & (TASK_INTERRUPTIBLE | TASK_NOLOAD))
		return PERF_COUNTER_OFF_CPU_SLEEPING;
	return PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE;
}

/**
 * perf_counter_off_cpu_stop() - the current task stops running
 * @clock: what perf_counter_clock() says
 *
 * Context: IRQs off, rq->lock held; the task's context, if it has one, is still live.
 */
void perf_counter_off_cpu_stop(u64 clock)
{
	current->perf_counter_off_since = clock;
	current->perf_counter_off_reason = reason_to_stop(current);
}

/**
 * perf_counter_off_cpu_new() - a task is new, and will run when it gets a CPU
 * @child: the task, which has not been woken yet
 *
 * Context: any.
 */
void perf_counter_off_cpu_new(struct task_struct *child)
{
	child->perf_counter_off_since = perf_counter_clock();
	child->perf_counter_off_reason = PERF_COUNTER_OFF_CPU_RUNNABLE;
}

/*
 * What the samples of one switch may take, of a task's counters and once more of the CPU's, in
 * units of about an instruction. The last sample may go beyond it.
 */
#define SWITCH_WORK_MAX		400000

/* Estimates of the parts of a sample, in the same unit. */
#define SAMPLE_WORK		1000
#define FRAME_WORK		50
#define GROUP_MEMBER_WORK	60

/**
 * struct restart - The current task runs again
 * @clock: when
 * @ip: where it had stopped
 * @work: what samples have taken in this switch, as SWITCH_WORK_MAX has it
 * @of_task: the counters are those of the task, which anybody may have opened
 */
struct restart {
	u64		clock;
	unsigned long	ip;
	unsigned int	work;
	bool		of_task;
};

/* How long the task has waited, since @counter was enabled at most. */
static u64 waited(const struct perf_counter *counter, const struct restart *restart)
{
	return perf_counter_since(restart->clock,
				  max(current->perf_counter_off_since, counter->off_from));
}

/* About what a sample of @counter takes. A byte that is copied counts as one. */
static unsigned int sample_work(const struct perf_counter *counter)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	unsigned int work = SAMPLE_WORK;

	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		work += attr->sample_stack_user;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		work += FRAME_WORK * attr->sample_max_stack;
	if ((attr->sample_type & PERF_SAMPLE_READ) && (attr->read_format & PERF_FORMAT_GROUP))
		work += GROUP_MEMBER_WORK * READ_ONCE(READ_ONCE(counter->leader)->nr_members);
	return work;
}

/*
 * Is there to be no sample of @counter, though one is due? The counters of a CPU do not heed
 * what is left of the CPU's time: a task that uses it up would hide itself from them.
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
	return perf_counter_throttle(counter, counter->window_end != window, window);
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
	struct perf_counter_sample sample = { .extra = &extra };
	struct pt_regs *regs = &perf_counter_no_regs;
	u32 began = perf_counter_sampling_begins();

	sample.period = perf_counter_period_over(counter, waited(counter, restart));
	if (!sample.period || is_refused(counter, restart))
		return;
	restart->work += sample_work(counter);
	/* Else nobody may have looked when it stopped, and it is unknown. */
	if (current->perf_counter_off_since >= counter->off_from)
		raw.reason = current->perf_counter_off_reason;
	if (attr->exclude_kernel)
		regs = task_pt_regs(current);
	else
		sample.ip = restart->ip;
	perf_counter_overflow(counter, &sample, regs);
	perf_counter_sampling_ends(began);
}

static bool is_counted(struct perf_counter *counter, const struct restart *restart)
{
	/* Partner: the release in perf_counter_state_on(), after the times. */
	if (!smp_load_acquire(&counter->group_enabled))
		return false;
	if (counter->desc->attr.exclude_kernel && !perf_counter_has_user_mode(current))
		return false;
	if (counter->filter && perf_counter_filtered(counter, &perf_counter_no_regs))
		return false;
	/* It may count long times alone. */
	return !counter->desc->attr.config1 ||
	       waited(counter, restart) >= counter->desc->attr.config1;
}

static void restart_count(struct perf_counter *counter, const struct restart *restart)
{
	u64 since = max(current->perf_counter_off_since, counter->off_counted);

	local64_add(perf_counter_since(restart->clock, since), &counter->count);
}

/**
 * perf_counter_off_cpu_count() - count, as the current task runs again
 * @ctx: the task's context, which has just become live
 *
 * Context: IRQs off, rq->lock and ctx->lock held.
 * Return: the moment up to which it has counted.
 */
u64 perf_counter_off_cpu_count(struct perf_counter_ctx *ctx)
{
	/* Not before what a reader has seen who had the lock before. */
	const struct restart restart = { .clock = perf_counter_clock() };
	struct perf_counter *counter;

	lockdep_assert_held(&ctx->lock);
	hlist_for_each_entry(counter, &ctx->sw[PERF_COUNTER_SW_OFF_CPU], event_node) {
		if (is_counted(counter, &restart))
			restart_count(counter, &restart);
	}
	return restart.clock;
}

/**
 * perf_counter_off_cpu_start() - sample, as the current task runs again; and a CPU counts
 * @clock: what perf_counter_off_cpu_count() has returned; perf_counter_clock() without that
 * @ip: the kernel code where it had stopped
 *
 * Context: IRQs off, rq->lock held; the task's context, if it has one, is live again.
 */
void perf_counter_off_cpu_start(u64 clock, unsigned long ip)
{
	struct restart restart = { .clock = clock, .ip = ip, .of_task = true };
	struct perf_counter_ctx *ctx = current->perf_counter_ctx;
	struct perf_counter *counter;

	if (is_idle_task(current))
		return;
	if (ctx) {
		hlist_for_each_entry_rcu(counter, &ctx->sw[PERF_COUNTER_SW_OFF_CPU], event_node) {
			if (counter->period && is_counted(counter, &restart))
				restart_sample(counter, &restart);
		}
	}
	restart.work = 0;
	restart.of_task = false;
	ctx = this_cpu_ptr(&perf_counter_cpu_ctx);
	hlist_for_each_entry_rcu(counter, &ctx->sw[PERF_COUNTER_SW_OFF_CPU], event_node) {
		if (!is_counted(counter, &restart))
			continue;
		restart_count(counter, &restart);
		if (counter->period)
			restart_sample(counter, &restart);
	}
}

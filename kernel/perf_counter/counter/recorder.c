// SPDX-License-Identifier: GPL-2.0
/*
 * The branch recorder of a CPU: which kinds of branches it records, and for which task.
 *
 * A CPU has one recorder. It records the kinds that any loaded counter wants; each sample then
 * drops the branches that its own counter does not want. Recording call stacks excludes
 * recording branches: a counter that wants one waits for the counters that want the other.
 *
 * A task never sees another task's branches: the recorder forgets them when another task runs.
 * A task's call stack is saved with the task, and restored when the task runs again. Tasks
 * without a user mode leave the call stack of user mode in place. A sample shows the
 * recorder's contents only while these are known to be the current task's: from
 * perf_counter_recorder_sched_in(), or the load of the first counter, until the task or the last
 * counter is scheduled out.
 *
 * The kinds of branches to record are changed only on the recorder's CPU with IRQs off; NMI
 * handlers only read them.
 *
 * The recorder is in counter/, which record/ and context/ use: record/ reads it to write samples,
 * and context/ tells it which counters are loaded and which task runs.
 */

#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_counter.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "counter.h"
#include "recorder.h"
#include "task.h"

/**
 * struct branch_cpu - state of the recorder of a CPU
 * @users: for each bit of PERF_COUNTER_BRANCH_*, number of loaded counters that want it
 * @nr_users: number of loaded counters that want branches
 * @valid: flag: all branches in the recorder are the current task's; false without counters,
 *	because the hooks of context switches may be off
 * @restoring: the recorder's contents are being replaced
 * @stack_owner: call stack that the recorder holds; NULL: none
 */
struct branch_cpu {
	u32					users[PERF_COUNTER_BRANCH_BITS];
	u32					nr_users;
	bool					valid;
	bool					restoring;
	struct perf_counter_call_stack	*stack_owner;
};

const struct perf_counter_recorder *perf_counter_branch_recorder;
static bool recorder_halted;
static DEFINE_PER_CPU(struct branch_cpu, branch_cpu);

/**
 * perf_counter_set_recorder() - Set the machine's recorder of branches
 * @recorder: the recorder; NULL: there is none
 *
 * Context: an initcall, or a test; no descriptor has branches.
 * Return: the previous recorder.
 */
const struct perf_counter_recorder *
perf_counter_set_recorder(const struct perf_counter_recorder *recorder)
{
	const struct perf_counter_recorder *before = perf_counter_branch_recorder;

	perf_counter_branch_recorder = recorder;
	return before;
}

/**
 * perf_counter_halt_recorder() - Leave the recorder to other users of the PMU, or take it back
 * @halt: true: do not start the recorder any more; false: it may be started again
 *
 * The caller stops the recorder on each CPU after halting it.
 */
void perf_counter_halt_recorder(bool halt)
{
	WRITE_ONCE(recorder_halted, halt);
}

static u32 recorder_wanted(const struct branch_cpu *cpu)
{
	u32 what = 0;
	unsigned int i;

	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		what |= cpu->users[i] ? BIT(i) : 0;
	return what;
}

/* Replace the recorder's call stack by @stack, that of the current task; NULL: it has none. */
static void recorder_restore(struct branch_cpu *cpu, struct perf_counter_call_stack *stack)
{
	const struct perf_counter_recorder *recorder = perf_counter_branch_recorder;
	bool in_place = stack && stack == cpu->stack_owner && stack->cpu == smp_processor_id();

	/* The stack is still in the recorder, unless a deep sleep of the CPU has cleared it. */
	if (in_place && !(stack->nr && recorder->is_empty()))
		return;
	/* While the contents are replaced, an NMI handler shows no branches. */
	WRITE_ONCE(cpu->restoring, true);
	barrier();
	recorder->restore(stack);
	barrier();
	WRITE_ONCE(cpu->restoring, false);
	cpu->stack_owner = stack;
	if (stack)
		stack->cpu = smp_processor_id();
}

/* Start to record the wanted kinds of branches for @task. */
static void recorder_enter(struct branch_cpu *cpu, struct task_struct *task)
{
	const struct perf_counter_recorder *recorder = perf_counter_branch_recorder;
	u32 what = recorder_wanted(cpu);

	WRITE_ONCE(cpu->valid, false);
	if (READ_ONCE(recorder_halted))
		return;
	/*
	 * Start a recorder that was stopped, or that records other kinds of branches, from the
	 * beginning.
	 */
	if (recorder->recording() == what)
		perf_counter_recorder_resume();
	else if (!recorder->start(what))
		cpu->stack_owner = NULL;
	if (what & PERF_COUNTER_BRANCH_CALL_STACK) {
		guard(rcu)();
		recorder_restore(cpu, perf_counter_task_stack(task));
	} else {
		cpu->stack_owner = NULL;
		recorder->wipe();
	}
	/* Set @valid last: an NMI handler must not show the contents that were dropped above. */
	barrier();
	WRITE_ONCE(cpu->valid, true);
}

/**
 * perf_counter_recorder_add() - Add a counter that is being loaded to the recorder's users
 * @what: desc->branches of the counter
 *
 * Context: IRQs off, on the CPU.
 * Return: false when the recorder cannot serve the counter: its users want call stacks and the
 * counter does not, or the other way round.
 */
bool perf_counter_recorder_add(u32 what)
{
	struct branch_cpu *cpu = this_cpu_ptr(&branch_cpu);
	u32 before = recorder_wanted(cpu);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (cpu->nr_users && (before ^ what) & PERF_COUNTER_BRANCH_CALL_STACK)
		return false;
	cpu->nr_users++;
	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		cpu->users[i] += !!(what & BIT(i));
	/* Clear the branches if more kinds are wanted: those recorded so far have gaps. */
	if (!cpu->valid || perf_counter_branch_recorder->recording() != (before | what))
		recorder_enter(cpu, current);
	return true;
}

/**
 * perf_counter_recorder_del() - Remove a counter from the recorder's users
 * @what: argument with which the counter was added
 *
 * The recorder keeps recording until a task that is not monitored is scheduled in, and also for
 * that task if the hooks of context switches are off. The recorder's contents are therefore not
 * valid for the next counter, until the recorder is told of the current task again.
 *
 * Context: IRQs off, on the CPU.
 */
void perf_counter_recorder_del(u32 what)
{
	struct branch_cpu *cpu = this_cpu_ptr(&branch_cpu);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!--cpu->nr_users)
		WRITE_ONCE(cpu->valid, false);
	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		cpu->users[i] -= !!(what & BIT(i));
}

/**
 * perf_counter_recorder_sched_out() - Save the call stack of the task that stops running
 * @task: the current task
 *
 * Context: IRQs off; the task's counters are still loaded.
 */
void perf_counter_recorder_sched_out(struct task_struct *task)
{
	struct branch_cpu *cpu = this_cpu_ptr(&branch_cpu);
	struct perf_counter_call_stack *stack;

	lockdep_assert_irqs_disabled();
	WRITE_ONCE(cpu->valid, false);
	/* A recorder that does not record has no new calls, or has the data of another user. */
	if (!cpu->stack_owner ||
	    !(perf_counter_branch_recorder->recording() & PERF_COUNTER_BRANCH_CALL_STACK) ||
	    !perf_counter_has_user_mode(task))
		return;
	guard(rcu)();
	stack = perf_counter_task_stack(task);
	if (stack && stack == cpu->stack_owner)
		perf_counter_branch_recorder->save(stack);
	else
		cpu->stack_owner = NULL;
}

/**
 * perf_counter_recorder_sched_in() - Record for the task that starts running
 * @task: the current task
 *
 * Context: IRQs off; the task's counters are already loaded.
 */
void perf_counter_recorder_sched_in(struct task_struct *task)
{
	struct branch_cpu *cpu = this_cpu_ptr(&branch_cpu);
	u32 what;

	lockdep_assert_irqs_disabled();
	if (cpu->valid || !perf_counter_branch_recorder)
		return;
	what = perf_counter_branch_recorder->recording();
	/* A kernel thread has no user branches to record. */
	if (!(what & PERF_COUNTER_BRANCH_KERNEL) && !perf_counter_has_user_mode(task))
		return;
	if (cpu->nr_users)
		recorder_enter(cpu, task);
	else if (what)
		perf_counter_branch_recorder->stop();
}

/**
 * perf_counter_branches_exec() - Forget the branches of the program that an exec replaces
 *
 * The new program may have other privileges, and its monitors must not see the old branches.
 *
 * Context: preemptible.
 */
void perf_counter_branches_exec(void)
{
	struct perf_counter_call_stack *stack;
	struct branch_cpu *cpu;

	guard(irqsave)();
	cpu = this_cpu_ptr(&branch_cpu);
	stack = perf_counter_task_stack(current);
	if (stack)
		stack->nr = 0;
	cpu->stack_owner = NULL;
	WRITE_ONCE(cpu->valid, false);
	if (cpu->nr_users)
		recorder_enter(cpu, current);
}

/**
 * perf_counter_recorder_read() - Read the recorded branches of the current task
 * @branches: filled in; none when the recorder's contents are not known to be the task's
 *
 * Context: IRQs off on the CPU, or NMI.
 */
void perf_counter_recorder_read(struct perf_counter_branches *branches)
{
	struct branch_cpu *cpu = this_cpu_ptr(&branch_cpu);
	u32 what = perf_counter_branch_recorder->recording();

	branches->nr = 0;
	branches->index = -1ULL;
	if (what && READ_ONCE(cpu->valid) && !READ_ONCE(cpu->restoring))
		perf_counter_branch_recorder->read(branches, what);
}

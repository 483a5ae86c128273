// SPDX-License-Identifier: GPL-2.0
/*
 * Branch records in samples: the branch recorder of each CPU, and the branches that a
 * sample contains.
 *
 * A CPU has one recorder. It records all branches that any counter loaded on the CPU
 * wants; branches that a counter does not want are dropped from its samples. Recording
 * call stacks, that is calls that have not returned yet, is another mode of the
 * recorder: a counter that wants the other mode cannot be loaded at the same time.
 *
 * Branches of a task are not shown to another task: when another task runs, the
 * recorder is cleared. The call stack of a task is saved when the task stops running
 * and restored when it runs again. A task without user mode leaves the recorded call
 * stack unchanged. The recorder's contents are used only while they are known to belong
 * to the current task: from when the recorder is switched to the task until the task or
 * the last counter is scheduled out.
 *
 * The recorder's state changes on its CPU alone, with IRQs off; NMIs read it.
 */

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "internal.h"

#define BR(type)	BIT(PERF_BR_##type)
#define BR_INT		BIT(PERF_COUNTER_BR_INT)
/* Aborted transactions are marked in the record and have no branch type. */
#define BR_ABORT	BIT(PERF_BR_NO_TX)
#define BR_ALL		U16_MAX

/**
 * struct branch_cpu - state of the recorder of a CPU
 * @users: number of loaded counters that want each bit of PERF_COUNTER_BRANCH_*
 * @nr_users: number of loaded counters that want branches
 * @active: flag: the recorder was switched to the current task, and holds only this
 *	task's branches; false without counters, because the hooks of context
 *	switches may be off
 * @restoring: flag: the recorder's contents are being replaced
 * @stack_owner: call stack that the recorder holds; NULL for none
 */
struct branch_cpu {
	u32					users[PERF_COUNTER_BRANCH_BITS];
	u32					nr_users;
	bool					active;
	bool					restoring;
	struct perf_counter_branch_stack	*stack_owner;
};

/**
 * struct branches_set - buffers of a CPU for branch records
 * @level: buffers for samples in task, softirq, irq and NMI context
 * @captured: branches read by the NMI handler of the PMU
 */
struct branches_set {
	struct perf_counter_branches	level[4];
	struct perf_counter_branches	captured;
};

static const struct perf_counter_recorder *branch_recorder;
static bool recorder_halted;
static DEFINE_PER_CPU(struct branch_cpu, branch_cpu);
static struct branches_set __percpu *branch_sets;
static DEFINE_MUTEX(branch_sets_mutex);

/**
 * perf_counter_set_recorder() - Set the machine's branch recorder
 * @of_machine: recorder; NULL for none
 *
 * Context: an initcall or a test; no descriptor has branch records.
 * Return: previous recorder, or NULL.
 */
const struct perf_counter_recorder *
perf_counter_set_recorder(const struct perf_counter_recorder *of_machine)
{
	const struct perf_counter_recorder *before = branch_recorder;

	branch_recorder = of_machine;
	return before;
}

/**
 * perf_counter_halt_recorder() - Prevent the recorder from being started, or allow it
 * again
 * @halt: true to prevent, false to allow
 *
 * After a halt, the caller has to stop the recorder of each CPU.
 */
void perf_counter_halt_recorder(bool halt)
{
	WRITE_ONCE(recorder_halted, halt);
}

/* === The attr === */

/* Branch types of each filter by type. */
static const struct {
	u64	asked;
	u16	types;
} branch_filters[] = {
	{ PERF_SAMPLE_BRANCH_ANY, BR_ALL },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,
	  BR(CALL) | BR(IND_CALL) | BR(SYSCALL) | BR(IRQ) | BR_INT },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, BR(RET) | BR(ERET) | BR(SYSRET) },
	{ PERF_SAMPLE_BRANCH_IND_CALL, BR(IND_CALL) },
	{ PERF_SAMPLE_BRANCH_ABORT_TX, BR_ABORT },
	{ PERF_SAMPLE_BRANCH_COND, BR(COND) },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, BR(IND) },
	{ PERF_SAMPLE_BRANCH_CALL, BR(CALL) },
};

/* Filters that need a recorder that marks branches in transactions. */
#define TX_FILTERS	(PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX |	\
			 PERF_SAMPLE_BRANCH_ABORT_TX)

/* Kind of branch, as recorders know it, for each branch type. */
static const u8 branch_kinds[] = {
	[PERF_BR_UNKNOWN]	= PERF_COUNTER_BRANCH_FAR,
	[PERF_BR_COND]		= PERF_COUNTER_BRANCH_COND,
	[PERF_BR_UNCOND]	= PERF_COUNTER_BRANCH_JMP,
	[PERF_BR_IND]		= PERF_COUNTER_BRANCH_IND_JMP,
	[PERF_BR_CALL]		= PERF_COUNTER_BRANCH_CALL,
	[PERF_BR_IND_CALL]	= PERF_COUNTER_BRANCH_IND_CALL,
	[PERF_BR_RET]		= PERF_COUNTER_BRANCH_RET,
	[PERF_BR_SYSCALL]	= PERF_COUNTER_BRANCH_FAR,
	[PERF_BR_SYSRET]	= PERF_COUNTER_BRANCH_FAR,
	[PERF_BR_ERET]		= PERF_COUNTER_BRANCH_FAR,
	[PERF_BR_IRQ]		= PERF_COUNTER_BRANCH_FAR,
	[PERF_BR_NO_TX]		= PERF_COUNTER_BRANCH_FAR,
	[PERF_COUNTER_BR_INT]	= PERF_COUNTER_BRANCH_FAR,
};

/**
 * perf_counter_check_branches() - Check the branch_sample_type of an attr
 * @attr: attr of a program with PERF_SAMPLE_BRANCH_STACK; a branch_sample_type without
 *	privilege levels gets the levels of the event
 *
 * Return: 0 or -EINVAL.
 */
int perf_counter_check_branches(struct perf_counter_attr *attr)
{
	u64 asked = attr->branch_sample_type;

	if (asked & ~((u64)PERF_SAMPLE_BRANCH_MAX - 1) || !(asked & ~PERF_SAMPLE_BRANCH_PLM_ALL))
		return -EINVAL;
	if (!(asked & PERF_SAMPLE_BRANCH_PLM_ALL))
		attr->branch_sample_type |= (attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
					    (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) |
					    (attr->exclude_hv ? 0 : PERF_SAMPLE_BRANCH_HV);
	return 0;
}

static int branch_sets_prepare(void)
{
	struct branches_set __percpu *new;

	guard(mutex)(&branch_sets_mutex);
	if (branch_sets)
		return 0;
	new = alloc_percpu(struct branches_set);
	if (!new)
		return -ENOMEM;
	/* Partner: the dependency in perf_counter_branches_get(). */
	smp_store_release(&branch_sets, new);
	return 0;
}

/**
 * perf_counter_branches_init() - Prepare for branch records in a descriptor's samples
 * @desc: descriptor with its PMU; branch_types and branches are set if it samples
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for branches that this machine cannot record; -EINVAL for a
 * contradiction; -ENOMEM.
 */
int perf_counter_branches_init(struct perf_counter_desc *desc)
{
	u64 asked = desc->attr.branch_sample_type;
	u32 what = 0, types = 0;
	unsigned int i;

	if (!branch_recorder)
		return -EOPNOTSUPP;
	if (asked & TX_FILTERS && !(branch_recorder->can & PERF_COUNTER_BRANCH_TX))
		return -EOPNOTSUPP;
	/* No recorder counts events between two branches. */
	if (asked & PERF_SAMPLE_BRANCH_COUNTERS)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(branch_filters); i++) {
		if (asked & branch_filters[i].asked)
			types |= branch_filters[i].types;
	}
	if (asked & PERF_SAMPLE_BRANCH_CALL_STACK) {
		if (types || (asked & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX)))
			return -EINVAL;
		types = BR_ALL;
		what = PERF_COUNTER_BRANCH_STACK | PERF_COUNTER_BRANCH_CALL |
		       PERF_COUNTER_BRANCH_IND_CALL | PERF_COUNTER_BRANCH_RET;
		/*
		 * The kernel's call stack would be the path to the code that writes the
		 * sample.
		 */
		if (asked & PERF_SAMPLE_BRANCH_KERNEL)
			return -EOPNOTSUPP;
	}
	for (i = 0; !(what & PERF_COUNTER_BRANCH_STACK) && i < ARRAY_SIZE(branch_kinds); i++)
		what |= types & BIT(i) ? branch_kinds[i] : 0;
	if (asked & PERF_SAMPLE_BRANCH_USER)
		what |= PERF_COUNTER_BRANCH_USER;
	if (asked & PERF_SAMPLE_BRANCH_KERNEL) {
		/*
		 * Without a PMU interrupt, the kernel branches in the buffer are those
		 * that led to this code.
		 */
		if (!perf_counter_limited(desc->pmu))
			return -EOPNOTSUPP;
		what |= PERF_COUNTER_BRANCH_KERNEL;
	}
	/* User-only samples drop branches that cross into the kernel, so do not record them. */
	if (!(what & PERF_COUNTER_BRANCH_KERNEL))
		what &= ~PERF_COUNTER_BRANCH_FAR;
	if (what & ~branch_recorder->can)
		return -EOPNOTSUPP;
	if (!(asked & PERF_SAMPLE_BRANCH_NO_FLAGS) || !(asked & PERF_SAMPLE_BRANCH_NO_CYCLES) ||
	    (asked & PERF_SAMPLE_BRANCH_TYPE_SAVE) || types != BR_ALL)
		what |= PERF_COUNTER_BRANCH_INFO;
	/* A counter without a period writes no samples. */
	if (!desc->attr.sample_period)
		return 0;
	desc->branch_types = types;
	desc->branches = what;
	return branch_sets_prepare();
}

/* === The recorder of a CPU === */

static u32 recorder_wanted(const struct branch_cpu *bcpu)
{
	u32 what = 0;
	unsigned int i;

	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		what |= bcpu->users[i] ? BIT(i) : 0;
	return what;
}

/* Load the call stack @stack into the recorder; clear the recorder if @stack is NULL. */
static void recorder_load_stack(struct branch_cpu *bcpu, struct perf_counter_branch_stack *stack)
{
	bool loaded = stack && stack == bcpu->stack_owner && stack->cpu == smp_processor_id();

	/* After a deep idle state, the CPU may have lost its branch records. */
	if (loaded && !(stack->nr && branch_recorder->is_empty()))
		return;
	/* NMIs do not read the recorder while it holds parts of two call stacks. */
	WRITE_ONCE(bcpu->restoring, true);
	barrier();
	branch_recorder->restore(stack);
	barrier();
	WRITE_ONCE(bcpu->restoring, false);
	bcpu->stack_owner = stack;
	if (stack)
		stack->cpu = smp_processor_id();
}

/* Resume recording if the hardware has stopped. */
static void recorder_resume(void)
{
	if (branch_recorder->resume)
		branch_recorder->resume();
}

/* Switch the recorder to @task and to what the loaded counters want. */
static void recorder_enter(struct branch_cpu *bcpu, struct task_struct *task)
{
	u32 what = recorder_wanted(bcpu);

	WRITE_ONCE(bcpu->active, false);
	if (READ_ONCE(recorder_halted))
		return;
	/* perf_events may have used the recorder since it was stopped. */
	if (branch_recorder->recording() == what)
		recorder_resume();
	else if (!branch_recorder->start(what))
		bcpu->stack_owner = NULL;
	if (what & PERF_COUNTER_BRANCH_STACK) {
		guard(rcu)();
		recorder_load_stack(bcpu, rcu_dereference(task->perf_counter_stack));
	} else {
		bcpu->stack_owner = NULL;
		branch_recorder->wipe();
	}
	/* NMIs must not see contents that are cleared above. */
	barrier();
	WRITE_ONCE(bcpu->active, true);
}

/**
 * perf_counter_branches_add() - Add a counter to the branch recorder
 * @what: desc->branches of the counter, which is being loaded
 *
 * Context: on the CPU of the recorder, IRQs off.
 * Return: false if loaded counters need the other mode of the recorder: call stacks, or
 * branches.
 */
bool perf_counter_branches_add(u32 what)
{
	struct branch_cpu *bcpu = this_cpu_ptr(&branch_cpu);
	u32 before = recorder_wanted(bcpu);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (bcpu->nr_users && (before ^ what) & PERF_COUNTER_BRANCH_STACK)
		return false;
	bcpu->nr_users++;
	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		bcpu->users[i] += !!(what & BIT(i));
	/* The recorder must not hold branches that were recorded with different filters. */
	if (!bcpu->active || branch_recorder->recording() != (before | what))
		recorder_enter(bcpu, current);
	return true;
}

/**
 * perf_counter_branches_del() - Remove a counter from the branch recorder
 * @what: desc->branches of the counter
 *
 * The recorder keeps recording until a task without such counters runs on this CPU.
 * With the hooks of context switches off, it records that task, too; therefore its
 * contents are not used before the recorder was switched to the current task again.
 *
 * Context: on the CPU of the recorder, IRQs off.
 */
void perf_counter_branches_del(u32 what)
{
	struct branch_cpu *bcpu = this_cpu_ptr(&branch_cpu);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!--bcpu->nr_users)
		WRITE_ONCE(bcpu->active, false);
	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		bcpu->users[i] -= !!(what & BIT(i));
}

/**
 * perf_counter_branches_out() - Save the call stack of a task that stops running
 * @task: current task
 *
 * Context: IRQs off; the task's counters are still loaded.
 */
void perf_counter_branches_out(struct task_struct *task)
{
	struct branch_cpu *bcpu = this_cpu_ptr(&branch_cpu);
	struct perf_counter_branch_stack *stack;

	lockdep_assert_irqs_disabled();
	WRITE_ONCE(bcpu->active, false);
	/* A recorder that is off holds no new calls of the task, or another task's. */
	if (!bcpu->stack_owner || !(branch_recorder->recording() & PERF_COUNTER_BRANCH_STACK) ||
	    !perf_counter_has_user_mode(task))
		return;
	guard(rcu)();
	stack = rcu_dereference(task->perf_counter_stack);
	if (stack && stack == bcpu->stack_owner)
		branch_recorder->save(stack);
	else
		bcpu->stack_owner = NULL;
}

/**
 * perf_counter_branches_in() - Switch the recorder to a task that starts running
 * @task: current task
 *
 * Context: IRQs off; the task's counters are already loaded.
 */
void perf_counter_branches_in(struct task_struct *task)
{
	struct branch_cpu *bcpu = this_cpu_ptr(&branch_cpu);
	u32 what;

	lockdep_assert_irqs_disabled();
	if (bcpu->active || !branch_recorder)
		return;
	what = branch_recorder->recording();
	/* A kernel thread has no user branches to record. */
	if (!(what & PERF_COUNTER_BRANCH_KERNEL) && !perf_counter_has_user_mode(task))
		return;
	if (bcpu->nr_users)
		recorder_enter(bcpu, task);
	else if (what)
		branch_recorder->stop();
}

/**
 * perf_counter_branches_exec() - Clear the branches and calls of the program before an
 * exec
 *
 * Context: preemptible.
 */
void perf_counter_branches_exec(void)
{
	struct perf_counter_branch_stack *stack;
	struct branch_cpu *bcpu;

	guard(irqsave)();
	bcpu = this_cpu_ptr(&branch_cpu);
	stack = rcu_dereference_check(current->perf_counter_stack, true);
	if (stack)
		stack->nr = 0;
	bcpu->stack_owner = NULL;
	WRITE_ONCE(bcpu->active, false);
	if (bcpu->nr_users)
		recorder_enter(bcpu, current);
}

/* === Branches of a sample === */

static void recorder_read(struct perf_counter_branches *branches)
{
	struct branch_cpu *bcpu = this_cpu_ptr(&branch_cpu);
	u32 what = branch_recorder->recording();

	branches->nr = 0;
	branches->index = -1ULL;
	if (what && READ_ONCE(bcpu->active) && !READ_ONCE(bcpu->restoring))
		branch_recorder->read(branches, what);
}

/**
 * perf_counter_capture_branches() - Read the branches at an overflow
 *
 * For overflows of counters with branch records; called while the recorder is stopped.
 *
 * Context: NMI of the CPU.
 */
void perf_counter_capture_branches(void)
{
	recorder_read(this_cpu_ptr(&branch_sets->captured));
}

/* Test whether @desc wants branches of the entry's type. */
static bool branch_is_wanted(const struct perf_counter_desc *desc,
			     const struct perf_branch_entry *entry)
{
	u64 asked = desc->attr.branch_sample_type;
	u32 type = entry->abort ? BR_ABORT : BIT(entry->type);

	if (!(desc->branch_types & type))
		return false;
	if (!(asked & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX)))
		return true;
	return asked & (entry->in_tx ? PERF_SAMPLE_BRANCH_IN_TX : PERF_SAMPLE_BRANCH_NO_TX);
}

/* Test whether @desc may see both ends of a branch. */
static bool branch_is_visible(const struct perf_counter_desc *desc,
			      const struct perf_branch_entry *entry)
{
	if (!(desc->branches & PERF_COUNTER_BRANCH_KERNEL))
		return !perf_counter_in_kernel(entry->from) && !perf_counter_in_kernel(entry->to);
	return (desc->branches & PERF_COUNTER_BRANCH_USER) || perf_counter_in_kernel(entry->to);
}

/* Copy the branches that @desc wants from @from to @to, which may be equal. */
static void branches_filter(const struct perf_counter_desc *desc, struct perf_counter_branches *to,
			    const struct perf_counter_branches *from)
{
	u64 asked = desc->attr.branch_sample_type;
	bool typed = asked & PERF_SAMPLE_BRANCH_TYPE_SAVE, all = desc->branch_types == BR_ALL;
	u64 i, nr = 0;

	for (i = 0; i < from->nr; i++) {
		struct perf_branch_entry entry = from->entries[i];

		if (!branch_is_visible(desc, &entry))
			continue;
		if (typed || !all)
			branch_recorder->type(&entry);
		if (!branch_is_wanted(desc, &entry))
			continue;
		if (!typed || entry.type == PERF_COUNTER_BR_INT)
			entry.type = PERF_BR_UNKNOWN;
		if (asked & PERF_SAMPLE_BRANCH_PRIV_SAVE)
			entry.priv = perf_counter_in_kernel(entry.to) ? PERF_BR_PRIV_KERNEL :
									PERF_BR_PRIV_USER;
		to->entries[nr++] = entry;
	}
	to->nr = nr;
	to->index = from->index;
}

/**
 * perf_counter_branches_get() - Get the branches of a sample
 * @desc: descriptor of the sample
 *
 * Context: any, NMI included; preemption disabled until perf_counter_branches_put().
 * Return: branches that @desc wants; NULL if reading branches in this context has
 * raised the event.
 */
struct perf_counter_branches *perf_counter_branches_get(const struct perf_counter_desc *desc)
{
	struct branches_set *set = this_cpu_ptr(READ_ONCE(branch_sets));
	struct perf_counter_branches *branches = &set->level[interrupt_context_level()];

	if (unlikely(branches->busy))
		return NULL;
	branches->busy = true;
	/* Set @busy before anything that may raise an event. */
	barrier();
	if (!perf_counter_limited(desc->pmu)) {
		scoped_guard(irqsave) {
			recorder_read(branches);
			recorder_resume();
		}
		branches_filter(desc, branches, branches);
	} else if (branch_recorder->recording()) {
		/*
		 * The NMI handler has already copied the branches, see
		 * perf_counter_capture_branches().
		 */
		branches_filter(desc, branches, &set->captured);
	} else {
		/* The recorder is off: @captured is from an older sample. */
		branches->nr = 0;
		branches->index = -1ULL;
	}
	return branches;
}

/**
 * perf_counter_branches_put() - Release the branches of a sample
 * @branches: result of perf_counter_branches_get()
 */
void perf_counter_branches_put(struct perf_counter_branches *branches)
{
	/* Clear @busy after the last access to the branches. */
	barrier();
	branches->busy = false;
}

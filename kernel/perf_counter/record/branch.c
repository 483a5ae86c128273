// SPDX-License-Identifier: GPL-2.0
/*
 * Branches in samples: what a CPU's recorder records, for whom, and what of it a sample has.
 *
 * There is one recorder on a CPU, and it records what all counters want that are loaded
 * there; what one of them does not want is left out of its samples. Calls that have not
 * returned yet are another matter than branches: those who want the one have to wait for
 * those who want the other.
 *
 * Nobody's branches are shown to another: when another task runs, the recorder forgets
 * them. The calls of a task are kept with it, and the recorder has them again when the task
 * runs. A task without a user mode of its own leaves the calls of user mode as they are.
 * What the recorder holds is shown only while it is known to be the current task's: from when
 * the recorder was told of the task, until the task or the last counter goes.
 *
 * What a recorder records changes on its CPU alone, with IRQs off; NMIs read.
 */

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "internal.h"

#define BR(type)	BIT(PERF_BR_##type)
#define BR_INT		BIT(PERF_COUNTER_BR_INT)
/* Aborted transactions are marked, and have no type of their own. */
#define BR_ABORT	BIT(PERF_BR_NO_TX)
#define BR_ALL		U16_MAX

/**
 * struct recording - what the recorder of a CPU does
 * @users: how many loaded counters want each of PERF_COUNTER_BRANCH_*
 * @nr_users: how many counters those are
 * @entered: the recorder was told of the current task, and all it holds is that task's; false
 *	without counters, as the hooks that tell of switches may be off
 * @moving: its contents are being replaced
 * @owner: whose calls it has; NULL: nobody's
 */
struct recording {
	u32					users[PERF_COUNTER_BRANCH_BITS];
	u32					nr_users;
	bool					entered;
	bool					moving;
	struct perf_counter_branch_stack	*owner;
};

/**
 * struct branches_set - room for branches on a CPU
 * @level: of a sample that is written in task, softirq, irq or NMI context
 * @captured: as an overflow found them
 */
struct branches_set {
	struct perf_counter_branches	level[4];
	struct perf_counter_branches	captured;
};

static const struct perf_counter_recorder *recorder;
static bool halted;
static DEFINE_PER_CPU(struct recording, recording);
static struct branches_set __percpu *sets;
static DEFINE_MUTEX(sets_mutex);

/**
 * perf_counter_set_recorder() - there is a recorder of branches
 * @of_machine: it; NULL: there is none
 *
 * Context: an initcall, or a test; no descriptor has branches.
 * Return: the one that there was.
 */
const struct perf_counter_recorder *
perf_counter_set_recorder(const struct perf_counter_recorder *of_machine)
{
	const struct perf_counter_recorder *before = recorder;

	recorder = of_machine;
	return before;
}

/**
 * perf_counter_halt_recorder() - somebody else may have the recorder now, or no longer
 * @halt: which
 *
 * Who halts it sees to it that it is stopped, on each CPU, afterwards.
 */
void perf_counter_halt_recorder(bool halt)
{
	WRITE_ONCE(halted, halt);
}

/* === What a program asks for === */

/* Filters by type. */
static const struct {
	u64	asked;
	u16	types;
} filters[] = {
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

/* Filters that need a recorder which tells branches in transactions from others. */
#define TX_FILTERS	(PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX |	\
			 PERF_SAMPLE_BRANCH_ABORT_TX)

/* The kind of branch that a recorder has for each type. */
static const u8 kinds[] = {
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
 * perf_counter_check_branches() - refuse branches that nobody could mean
 * @attr: an attr as it came from a program, whose samples have branches; without a privilege
 *	in its branch_sample_type it gets those of the event
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

static int sets_prepare(void)
{
	struct branches_set __percpu *new;

	guard(mutex)(&sets_mutex);
	if (sets)
		return 0;
	new = alloc_percpu(struct branches_set);
	if (!new)
		return -ENOMEM;
	/* Partner: the dependency in perf_counter_branches_get(). */
	smp_store_release(&sets, new);
	return 0;
}

/**
 * perf_counter_branches_init() - prepare for the branches in a descriptor's samples
 * @desc: the descriptor, with its PMU; its branch_types and branches are set, if it samples
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for what this machine cannot record; -EINVAL for what contradicts
 * itself; -ENOMEM.
 */
int perf_counter_branches_init(struct perf_counter_desc *desc)
{
	u64 asked = desc->attr.branch_sample_type;
	u32 what = 0, types = 0;
	unsigned int i;

	if (!recorder)
		return -EOPNOTSUPP;
	if (asked & TX_FILTERS && !(recorder->can & PERF_COUNTER_BRANCH_TX))
		return -EOPNOTSUPP;
	/* Nothing here counts events between two branches. */
	if (asked & PERF_SAMPLE_BRANCH_COUNTERS)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		if (asked & filters[i].asked)
			types |= filters[i].types;
	}
	if (asked & PERF_SAMPLE_BRANCH_CALL_STACK) {
		if (types || (asked & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX)))
			return -EINVAL;
		types = BR_ALL;
		what = PERF_COUNTER_BRANCH_STACK | PERF_COUNTER_BRANCH_CALL |
		       PERF_COUNTER_BRANCH_IND_CALL | PERF_COUNTER_BRANCH_RET;
		/* Those of the kernel would be the way to the sample. */
		if (asked & PERF_SAMPLE_BRANCH_KERNEL)
			return -EOPNOTSUPP;
	}
	for (i = 0; !(what & PERF_COUNTER_BRANCH_STACK) && i < ARRAY_SIZE(kinds); i++)
		what |= types & BIT(i) ? kinds[i] : 0;
	if (asked & PERF_SAMPLE_BRANCH_USER)
		what |= PERF_COUNTER_BRANCH_USER;
	if (asked & PERF_SAMPLE_BRANCH_KERNEL) {
		/* And so they would be here, unless the PMU interrupts it. */
		if (!perf_counter_limited(desc->pmu))
			return -EOPNOTSUPP;
		what |= PERF_COUNTER_BRANCH_KERNEL;
	}
	/* Of user mode, those that leave it or come back would be left out of each sample. */
	if (!(what & PERF_COUNTER_BRANCH_KERNEL))
		what &= ~PERF_COUNTER_BRANCH_FAR;
	if (what & ~recorder->can)
		return -EOPNOTSUPP;
	if (!(asked & PERF_SAMPLE_BRANCH_NO_FLAGS) || !(asked & PERF_SAMPLE_BRANCH_NO_CYCLES) ||
	    (asked & PERF_SAMPLE_BRANCH_TYPE_SAVE) || types != BR_ALL)
		what |= PERF_COUNTER_BRANCH_INFO;
	/* Who only counts has no samples. */
	if (!desc->attr.sample_period)
		return 0;
	desc->branch_types = types;
	desc->branches = what;
	return sets_prepare();
}

/* === On a CPU === */

static u32 wanted(const struct recording *rec)
{
	u32 what = 0;
	unsigned int i;

	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		what |= rec->users[i] ? BIT(i) : 0;
	return what;
}

/* Record for @task, with @stack if it has one, the calls that it has not returned from. */
static void enter_stack(struct recording *rec, struct perf_counter_branch_stack *stack)
{
	bool here = stack && stack == rec->owner && stack->cpu == smp_processor_id();

	/* A CPU that has slept deeply meanwhile may have lost its records. */
	if (here && !(stack->nr && recorder->is_empty()))
		return;
	/* An NMI sees neither the one's nor the other's. */
	WRITE_ONCE(rec->moving, true);
	barrier();
	recorder->restore(stack);
	barrier();
	WRITE_ONCE(rec->moving, false);
	rec->owner = stack;
	if (stack)
		stack->cpu = smp_processor_id();
}

/* Go on recording where the hardware has stopped by itself. */
static void resume(void)
{
	if (recorder->resume)
		recorder->resume();
}

/* Record from here on what is wanted, for the task. */
static void enter(struct recording *rec, struct task_struct *task)
{
	u32 what = wanted(rec);

	WRITE_ONCE(rec->entered, false);
	if (READ_ONCE(halted))
		return;
	/* Others may have used it since it was stopped. */
	if (recorder->recording() == what)
		resume();
	else if (!recorder->start(what))
		rec->owner = NULL;
	if (what & PERF_COUNTER_BRANCH_STACK) {
		guard(rcu)();
		enter_stack(rec, rcu_dereference(task->perf_counter_stack));
	} else {
		rec->owner = NULL;
		recorder->wipe();
	}
	/* An NMI sees nothing of what is forgotten above. */
	barrier();
	WRITE_ONCE(rec->entered, true);
}

/**
 * perf_counter_branches_add() - a counter whose samples have branches is being loaded
 * @what: its desc->branches
 *
 * Context: IRQs off, on the CPU.
 * Return: false when it cannot, because others want stacks of calls and it does not, or
 * the other way round.
 */
bool perf_counter_branches_add(u32 what)
{
	struct recording *rec = this_cpu_ptr(&recording);
	u32 before = wanted(rec);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (rec->nr_users && (before ^ what) & PERF_COUNTER_BRANCH_STACK)
		return false;
	rec->nr_users++;
	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		rec->users[i] += !!(what & BIT(i));
	/* What was recorded by another filter is no sequence of these. */
	if (!rec->entered || recorder->recording() != (before | what))
		enter(rec, current);
	return true;
}

/**
 * perf_counter_branches_del() - Remove a counter from the branch recorder
 * @what: the @what that the counter was added with
 *
 * The recorder goes on until a task that is not monitored runs here. Once the hooks of context
 * switches are off it goes on for that task as well, so what it holds is shown to the next
 * counter only after it was told of the current task again.
 *
 * Context: IRQs off, on the CPU.
 */
void perf_counter_branches_del(u32 what)
{
	struct recording *rec = this_cpu_ptr(&recording);
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!--rec->nr_users)
		WRITE_ONCE(rec->entered, false);
	for (i = 0; i < PERF_COUNTER_BRANCH_BITS; i++)
		rec->users[i] -= !!(what & BIT(i));
}

/**
 * perf_counter_branches_out() - the current task stops running
 * @task: the task
 *
 * Context: IRQs off; its counters are loaded still.
 */
void perf_counter_branches_out(struct task_struct *task)
{
	struct recording *rec = this_cpu_ptr(&recording);
	struct perf_counter_branch_stack *stack;

	lockdep_assert_irqs_disabled();
	WRITE_ONCE(rec->entered, false);
	/* Without a recording the registers hold nothing new, or somebody else's. */
	if (!rec->owner || !(recorder->recording() & PERF_COUNTER_BRANCH_STACK) ||
	    !perf_counter_has_user_mode(task))
		return;
	guard(rcu)();
	stack = rcu_dereference(task->perf_counter_stack);
	if (stack && stack == rec->owner)
		recorder->save(stack);
	else
		rec->owner = NULL;
}

/**
 * perf_counter_branches_in() - the current task starts running
 * @task: the task
 *
 * Context: IRQs off; its counters are loaded already.
 */
void perf_counter_branches_in(struct task_struct *task)
{
	struct recording *rec = this_cpu_ptr(&recording);
	u32 what;

	lockdep_assert_irqs_disabled();
	if (rec->entered || !recorder)
		return;
	what = recorder->recording();
	/* Of it nothing is recorded. */
	if (!(what & PERF_COUNTER_BRANCH_KERNEL) && !perf_counter_has_user_mode(task))
		return;
	if (rec->nr_users)
		enter(rec, task);
	else if (what)
		recorder->stop();
}

/**
 * perf_counter_branches_exec() - the current task has a new program
 *
 * What the old one did is no business of the new one's.
 *
 * Context: preemptible.
 */
void perf_counter_branches_exec(void)
{
	struct perf_counter_branch_stack *stack;
	struct recording *rec;

	guard(irqsave)();
	rec = this_cpu_ptr(&recording);
	stack = rcu_dereference_check(current->perf_counter_stack, true);
	if (stack)
		stack->nr = 0;
	rec->owner = NULL;
	WRITE_ONCE(rec->entered, false);
	if (rec->nr_users)
		enter(rec, current);
}

/* === In a sample === */

static void read_branches(struct perf_counter_branches *branches)
{
	struct recording *rec = this_cpu_ptr(&recording);
	u32 what = recorder->recording();

	branches->nr = 0;
	branches->index = -1ULL;
	if (what && READ_ONCE(rec->entered) && !READ_ONCE(rec->moving))
		recorder->read(branches, what);
}

/**
 * perf_counter_capture_branches() - the recorder stands still: have its branches
 *
 * For overflows of counters with branches, to be called before the recorder goes on.
 *
 * Context: NMI of the CPU.
 */
void perf_counter_capture_branches(void)
{
	read_branches(this_cpu_ptr(&sets->captured));
}

/* Does @desc want a branch of that type? */
static bool is_wanted(const struct perf_counter_desc *desc, const struct perf_branch_entry *entry)
{
	u64 asked = desc->attr.branch_sample_type;
	u32 type = entry->abort ? BR_ABORT : BIT(entry->type);

	if (!(desc->branch_types & type))
		return false;
	if (!(asked & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX)))
		return true;
	return asked & (entry->in_tx ? PERF_SAMPLE_BRANCH_IN_TX : PERF_SAMPLE_BRANCH_NO_TX);
}

/* Does it see code where that branch comes from and goes to? */
static bool may_see(const struct perf_counter_desc *desc, const struct perf_branch_entry *entry)
{
	if (!(desc->branches & PERF_COUNTER_BRANCH_KERNEL))
		return !perf_counter_in_kernel(entry->from) && !perf_counter_in_kernel(entry->to);
	return (desc->branches & PERF_COUNTER_BRANCH_USER) || perf_counter_in_kernel(entry->to);
}

/* Of @from, what @desc wants, to @to, which may be the same. */
static void filter(const struct perf_counter_desc *desc, struct perf_counter_branches *to,
		   const struct perf_counter_branches *from)
{
	u64 asked = desc->attr.branch_sample_type;
	bool typed = asked & PERF_SAMPLE_BRANCH_TYPE_SAVE, all = desc->branch_types == BR_ALL;
	u64 i, nr = 0;

	for (i = 0; i < from->nr; i++) {
		struct perf_branch_entry entry = from->entries[i];

		if (!may_see(desc, &entry))
			continue;
		if (typed || !all)
			recorder->type(&entry);
		if (!is_wanted(desc, &entry))
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
 * perf_counter_branches_get() - the branches of a sample
 * @desc: whose it is
 *
 * Context: any, NMI included; preemption disabled until they are put.
 * Return: those that @desc wants; NULL when it is the reading of them that has raised this
 * event.
 */
struct perf_counter_branches *perf_counter_branches_get(const struct perf_counter_desc *desc)
{
	struct branches_set *set = this_cpu_ptr(READ_ONCE(sets));
	struct perf_counter_branches *branches = &set->level[interrupt_context_level()];

	if (unlikely(branches->busy))
		return NULL;
	branches->busy = true;
	/* Before whatever may raise an event. */
	barrier();
	if (!perf_counter_limited(desc->pmu)) {
		scoped_guard(irqsave) {
			read_branches(branches);
			resume();
		}
		filter(desc, branches, branches);
	} else if (recorder->recording()) {
		/* The handler of the PMU's interrupt has captured them. */
		filter(desc, branches, &set->captured);
	} else {
		/* It has not while the recorder is being started: those are of an older sample. */
		branches->nr = 0;
		branches->index = -1ULL;
	}
	return branches;
}

/**
 * perf_counter_branches_put() - they are not needed any more
 * @branches: from perf_counter_branches_get()
 */
void perf_counter_branches_put(struct perf_counter_branches *branches)
{
	/* After the last look at them. */
	barrier();
	branches->busy = false;
}

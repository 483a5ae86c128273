// SPDX-License-Identifier: GPL-2.0
/*
 * Branch records in samples: what a program asks for, and which of the recorded branches a
 * sample contains.
 *
 * The recorder of a CPU, counter/recorder.c, records what all loaded counters want. A sample
 * drops the branches that its own counter does not want, and those of code that the counter may
 * not see.
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
 * struct branches_set - buffers of a CPU for branch records
 * @level: buffers for samples in task, softirq, irq and NMI context
 * @captured: branches read by the NMI handler of the PMU
 */
struct branches_set {
	struct perf_counter_branches	level[4];
	struct perf_counter_branches	captured;
};

static struct branches_set __percpu *branch_sets;
static DEFINE_MUTEX(branch_sets_mutex);

/* === The attr === */

/* Filters by branch type, and the branch types that each of them accepts. */
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
	/* Pairs with the address dependency in perf_counter_branches_get(). */
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

	if (!perf_counter_branch_recorder)
		return -EOPNOTSUPP;
	if (asked & TX_FILTERS && !(perf_counter_branch_recorder->can & PERF_COUNTER_BRANCH_TX))
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
		what = PERF_COUNTER_BRANCH_CALL_STACK | PERF_COUNTER_BRANCH_CALL |
		       PERF_COUNTER_BRANCH_IND_CALL | PERF_COUNTER_BRANCH_RET;
		/*
		 * Refuse: the call stack would lead to the code that writes the sample, and not to
		 * the code that was interrupted for the sample.
		 */
		if (asked & PERF_SAMPLE_BRANCH_KERNEL)
			return -EOPNOTSUPP;
	}
	for (i = 0; !(what & PERF_COUNTER_BRANCH_CALL_STACK) && i < ARRAY_SIZE(branch_kinds); i++)
		what |= types & BIT(i) ? branch_kinds[i] : 0;
	if (asked & PERF_SAMPLE_BRANCH_USER)
		what |= PERF_COUNTER_BRANCH_USER;
	if (asked & PERF_SAMPLE_BRANCH_KERNEL) {
		/*
		 * Refuse events without a PMU interrupt: the recorder would contain the kernel
		 * branches that led to this code.
		 */
		if (!perf_counter_scheduled_pmu(desc->pmu))
			return -EOPNOTSUPP;
		what |= PERF_COUNTER_BRANCH_KERNEL;
	}
	/* User-only samples drop branches that cross into the kernel, so do not record them. */
	if (!(what & PERF_COUNTER_BRANCH_KERNEL))
		what &= ~PERF_COUNTER_BRANCH_FAR;
	if (what & ~perf_counter_branch_recorder->can)
		return -EOPNOTSUPP;
	if (!(asked & PERF_SAMPLE_BRANCH_NO_FLAGS) || !(asked & PERF_SAMPLE_BRANCH_NO_CYCLES) ||
	    (asked & PERF_SAMPLE_BRANCH_TYPE_SAVE) || types != BR_ALL)
		what |= PERF_COUNTER_BRANCH_INFO;
	/* A counter without a period writes no samples. */
	if (!desc->attr.sample_period)
		return 0;
	desc->records.branch_types = types;
	desc->records.branches = what;
	return branch_sets_prepare();
}

/* === Branches of a sample === */

/**
 * perf_counter_capture_branches() - Read the branches at an overflow
 *
 * For overflows of counters with branch records; called while the recorder is stopped.
 *
 * Context: NMI of the CPU.
 */
void perf_counter_capture_branches(void)
{
	perf_counter_recorder_read(this_cpu_ptr(&branch_sets->captured));
}

/* Test whether @desc wants branches of the entry's type. */
static bool branch_is_wanted(const struct perf_counter_desc *desc,
			     const struct perf_branch_entry *entry)
{
	u64 asked = desc->attr.branch_sample_type;
	u32 type = entry->abort ? BR_ABORT : BIT(entry->type);

	if (!(desc->records.branch_types & type))
		return false;
	if (!(asked & (PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX)))
		return true;
	return asked & (entry->in_tx ? PERF_SAMPLE_BRANCH_IN_TX : PERF_SAMPLE_BRANCH_NO_TX);
}

/* Test whether @desc may see both ends of a branch. */
static bool branch_is_visible(const struct perf_counter_desc *desc,
			      const struct perf_branch_entry *entry)
{
	if (!(desc->records.branches & PERF_COUNTER_BRANCH_KERNEL))
		return !perf_counter_in_kernel(entry->from) && !perf_counter_in_kernel(entry->to);
	return (desc->records.branches & PERF_COUNTER_BRANCH_USER) ||
	       perf_counter_in_kernel(entry->to);
}

/* Copy the branches that @desc wants from @from to @to, which may be equal. */
static void branches_filter(const struct perf_counter_desc *desc, struct perf_counter_branches *to,
			    const struct perf_counter_branches *from)
{
	u64 asked = desc->attr.branch_sample_type;
	bool typed = asked & PERF_SAMPLE_BRANCH_TYPE_SAVE;
	bool all = desc->records.branch_types == BR_ALL;
	u64 i, nr = 0;

	for (i = 0; i < from->nr; i++) {
		struct perf_branch_entry entry = from->entries[i];

		if (!branch_is_visible(desc, &entry))
			continue;
		if (typed || !all)
			perf_counter_branch_recorder->type(&entry);
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
	if (!perf_counter_scheduled_pmu(desc->pmu)) {
		scoped_guard(irqsave) {
			perf_counter_recorder_read(branches);
			perf_counter_recorder_resume();
		}
		branches_filter(desc, branches, branches);
	} else if (perf_counter_branch_recorder->recording()) {
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

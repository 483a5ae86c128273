/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between perf_counter and the backend that drives the PMU of a machine.
 *
 * A PMU has *slots*: registers that count one event each. The core decides
 * which counters are to run on a CPU, all of a group or none of it; the backend
 * finds a slot for each that can count its event, and tells when one has
 * overflowed.
 */
#ifndef _LINUX_PERF_COUNTER_HW_H
#define _LINUX_PERF_COUNTER_HW_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/timex.h>
#include <linux/types.h>
#include <uapi/linux/perf_event.h>

struct cpumask;
struct perf_counter_attr;
struct perf_counter_backend;
struct pt_regs;

/* What a recorder of branches records: kinds of branches, and where. */
#define PERF_COUNTER_BRANCH_COND	BIT(0)	/* conditional jumps that are taken */
#define PERF_COUNTER_BRANCH_JMP		BIT(1)	/* direct jumps */
#define PERF_COUNTER_BRANCH_IND_JMP	BIT(2)
#define PERF_COUNTER_BRANCH_CALL	BIT(3)	/* direct calls */
#define PERF_COUNTER_BRANCH_IND_CALL	BIT(4)
#define PERF_COUNTER_BRANCH_RET		BIT(5)
#define PERF_COUNTER_BRANCH_FAR		BIT(6)	/* system calls, interrupts, returns from them */
#define PERF_COUNTER_BRANCH_KINDS	GENMASK(6, 0)
#define PERF_COUNTER_BRANCH_USER	BIT(7)	/* those that end in user mode */
#define PERF_COUNTER_BRANCH_KERNEL	BIT(8)	/* those that end in the kernel */
#define PERF_COUNTER_BRANCH_STACK	BIT(9)	/* of calls, those that have not returned yet */
#define PERF_COUNTER_BRANCH_INFO	BIT(10)	/* predictions, cycles and types are read */
#define PERF_COUNTER_BRANCH_BITS	11
/* In @can of a recorder alone: filters by transaction are taken. */
#define PERF_COUNTER_BRANCH_TX		BIT(11)

/* Branches that a recorder holds at most. */
#define PERF_COUNTER_BRANCHES_MAX	32

/* Beside PERF_BR_*, a type of branch that the ABI has no number for. */
#define PERF_COUNTER_BR_INT		15	/* an interrupt by an instruction */

/* Is code at @addr the kernel's? */
static inline bool perf_counter_in_kernel(u64 addr)
{
	return addr >= TASK_SIZE_MAX;
}

/**
 * struct perf_counter_branches - branches that were recorded
 * @nr: how many
 * @index: of the youngest, where the hardware has it; -1 for unknown
 * @busy: in use
 * @entries: the branches, the youngest first
 */
struct perf_counter_branches {
	u64				nr;
	u64				index;
	bool				busy;
	struct perf_branch_entry	entries[PERF_COUNTER_BRANCHES_MAX];
};

/**
 * struct perf_counter_branch_stack - the calls that a task has not returned from
 * @rcu: frees it
 * @cpu: whose recorder held them last
 * @nr: how many
 * @calls: where each of them comes from and goes to, as the hardware has it, the youngest
 *	first
 *
 * It belongs to its task, is written when that stops running, and read when it starts.
 */
struct perf_counter_branch_stack {
	struct rcu_head	rcu;
	int		cpu;
	u32		nr;
	struct {
		u64	from;
		u64	to;
	} calls[PERF_COUNTER_BRANCHES_MAX];
};

/**
 * struct perf_counter_recorder - records branches, on each CPU
 * @can: what of PERF_COUNTER_BRANCH_* it can record
 * @recording: what it records now; 0 when it is off
 * @start: record this from here on. True when the registers hold what they held when it was
 *	last stopped, or not stopped
 * @resume: go on recording if the hardware has stopped by itself, as for a debug exception; NULL
 *	where it never does
 * @stop: record nothing
 * @read: the branches, the youngest first; of PERF_COUNTER_BRANCH_*, @what is wanted. It records
 *	nothing meanwhile
 * @type: tell what kind of branch it was, PERF_BR_* or PERF_COUNTER_BR_INT, and where exactly
 * @wipe: forget all
 * @save: the stack of calls that it has, to @stack
 * @restore: have those of @stack, of an empty one with NULL, in the place of what it has
 * @is_empty: tell whether it has no calls at all
 *
 * All are called on the CPU they are about: @recording, @read and @type from NMIs, too, the
 * others with IRQs off. @save, @restore and @is_empty are of one that can record stacks.
 */
struct perf_counter_recorder {
	u32	can;
	u32	(*recording)(void);
	bool	(*start)(u32 what);
	void	(*resume)(void);
	void	(*stop)(void);
	void	(*read)(struct perf_counter_branches *branches, u32 what);
	void	(*type)(struct perf_branch_entry *entry);
	void	(*wipe)(void);
	void	(*save)(struct perf_counter_branch_stack *stack);
	void	(*restore)(const struct perf_counter_branch_stack *stack);
	bool	(*is_empty)(void);
};

/**
 * struct perf_counter_hw_known - what the hardware knows of an event that was sampled
 * @ip: the instruction; 0: that of the registers
 * @mode: the state that the instruction at @ip ran in: PERF_RECORD_MISC_USER, _KERNEL or
 *	_HYPERVISOR
 * @addr: the address of its data; 0 for none
 * @weight: as PERF_SAMPLE_WEIGHT or _STRUCT has it, whichever is wanted
 * @data_src: where its data came from, PERF_MEM_*; 0 for unknown
 */
struct perf_counter_hw_known {
	u64	ip;
	u16	mode;
	u64	addr;
	u64	weight;
	u64	data_src;
};

/**
 * struct perf_counter_hw - what a backend knows of a counter
 * @config: the event, as the backend's event_init() encoded it
 * @slots: mask of the slots that can count it
 * @also: mask of slots of which it takes one besides, the one after its own; 0: one is enough
 * @other_config: @config on the CPUs of @backend->other_cpus
 * @other_slots: @slots there
 * @count: events until the slot held @start
 * @start: what the slot held then; what it has counted since is not in @count
 * @next: @count at which the next sample is due; 0 for no samples
 * @slot: its slot while it has one; otherwise the one it had last, or -1
 * @stopped: it has a slot, but does not count after an overflow; set before the backend adds it
 * @past: it only counts, and its slot has come past 0
 * @exclude_guest: it is not to count in guests
 * @user: its program reads its register, whose value goes on wherever it is set anew, where
 *	that of perf_events does
 * @min_left: the fewest events that its slot may be set to wait for
 * @of_task: of a PMU that decides on whole sets, as what follows: it counts a task, not a CPU
 * @moved: what a program reads by itself went elsewhere while its page was being written
 * @more: what else event_init() has to say
 * @backend: who that is
 *
 * Of a counter that has a slot @count, @start and @next change on its CPU
 * alone, with IRQs off, or in the NMI of an overflow.
 */
struct perf_counter_hw {
	u64	config;
	u64	slots;
	u64	also;
	u64	other_config;
	u64	other_slots;
	u64	count;
	u64	start;
	u64	next;
	int	slot;
	bool	stopped;
	bool	past;
	bool	exclude_guest;
	bool	user;
	u16	min_left;
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	bool	of_task;
	bool	moved;
	u64	more;
#endif
	const struct perf_counter_backend *backend;
};

/**
 * struct perf_counter_backend - drives a PMU
 * @cpus: the CPUs that have it; NULL: all
 * @first_cpus: of a machine with two kinds of CPUs, those of the first; else NULL
 * @other_cpus: and those of the other kind, whose slots and events are others
 * @types: the types of attr that it knows, beside those that the ABI has numbers for, as bits
 * @recorder: records branches; NULL: there is none
 * @event_init: set @hw->config, @slots, @also, the first two for @other_cpus, @exclude_guest and
 *	@min_left
 *	for what @attr asks for, in a @hw of zeroes; no slots where it is not to count. 0;
 *	-ENOENT for an event that the machine has not, -EOPNOTSUPP for a
 *	property that it has not, -EINVAL for bits of a raw event
 *	that may not be set. May sleep.
 * @claim: take the PMU of all CPUs; -EBUSY when somebody else has it. May sleep.
 * @release: give it back, stopped. May sleep.
 * @perf_events: how many counters perf_events has where @claim fails because of it;
 *	NULL: it never does
 * @disable: nothing counts on this CPU from here on
 * @enable: what has a slot counts. True when some slot was set anew, and so the
 *	@start, @count or @slot of its counter
 * @add: give @hw a slot, from @hw->slots; others may have to move for that.
 *	-ENOSPC when there is none. Between @disable and @enable.
 * @del: @hw->count is up to date, and the slot free. Between those, too.
 * @read: the count of @hw, which has a slot of this CPU
 * @reset: this CPU has just come, or is about to go: its registers hold nothing
 * @user_may: may programs read counters by themselves? NULL: they cannot.
 * @user_page: write to a control page how a program reads @hw, which is
 *	running, unless NULL; and how it reads @clock, which is local_clock(), as
 *	it goes on. The page's offset holds what @hw had counted when its slot
 *	held @start. The caller marks the page as changing.
 * @user_access: the current task may read counters of this CPU, or not any more; none
 *	is to say what others have counted so far then. Between those, too.
 * @config1: the bits of attr.config1 that say something of an event
 * @set_fits: would the PMU have room for all of @set at the same time? Where it is, the PMU
 *	decides on whole sets, whatever their slots, and knows what is precise, and idle
 * @describe: a sample of @hw with PERF_SAMPLE_* @types is due at @regs: what is known of it.
 *	False when it is not to be taken, for its instruction is not known
 * @reg: a register of the PMU itself, PERF_REG_*, as it was when a sample was due. NULL: samples
 *	have none
 *
 * From @disable to @user_access they are called with IRQs off, on the CPU they are about;
 * @read from NMIs, too; @describe and @reg in the NMI of the overflow.
 */
struct perf_counter_backend {
	const struct cpumask	*cpus;
	const struct cpumask	*first_cpus;
	const struct cpumask	*other_cpus;
	u32			types;
	const struct perf_counter_recorder *recorder;
	int		(*event_init)(const struct perf_counter_attr *attr,
				      struct perf_counter_hw *hw);
	int		(*claim)(void);
	void		(*release)(void);
	unsigned int	(*perf_events)(void);
	void		(*disable)(void);
	bool		(*enable)(void);
	int		(*add)(struct perf_counter_hw *hw);
	void		(*del)(struct perf_counter_hw *hw);
	u64		(*read)(const struct perf_counter_hw *hw);
	void		(*reset)(void);
	bool		(*user_may)(void);
	void		(*user_page)(const struct perf_counter_hw *hw, u64 clock,
				     struct perf_event_mmap_page *page);
	void		(*user_access)(bool on);
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	u64		config1;
	bool		(*set_fits)(const struct perf_counter_hw *const *set, unsigned int nr);
	bool		(*describe)(const struct perf_counter_hw *hw, u64 types,
				    struct pt_regs *regs, struct perf_counter_hw_known *known);
	u64		(*reg)(unsigned int nr);
#endif
};

/* Counters of a set at most. */
#define PERF_COUNTER_SET_MAX	8

int perf_counter_register_backend(const struct perf_counter_backend *backend);
bool perf_counter_hw_overflow(struct perf_counter_hw *hw, struct pt_regs *regs);
void perf_counter_hw_change(const struct perf_counter_hw *hw, void (*change)(void));
void perf_counter_hw_moved(struct perf_counter_hw *hw);
bool perf_counter_hw_has_branches(const struct perf_counter_hw *hw);
void perf_counter_capture_branches(void);

/* Codes of the generic cache events: cache, operation, result. */
typedef u64 perf_counter_cache_events[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
				     [PERF_COUNT_HW_CACHE_RESULT_MAX];

/**
 * perf_counter_cache_event() - find the code of a generic cache event
 * @events: those that a machine has
 * @config: the event, as attr.config names it
 *
 * Return: where the code is; NULL when no machine has such an event.
 */
static inline const u64 *perf_counter_cache_event(const perf_counter_cache_events *events,
						  u64 config)
{
	unsigned int cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (config >> 24 || cache >= PERF_COUNT_HW_CACHE_MAX ||
	    op >= PERF_COUNT_HW_CACHE_OP_MAX || result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return NULL;
	cache = array_index_nospec(cache, PERF_COUNT_HW_CACHE_MAX);
	op = array_index_nospec(op, PERF_COUNT_HW_CACHE_OP_MAX);
	result = array_index_nospec(result, PERF_COUNT_HW_CACHE_RESULT_MAX);
	return &(*events)[cache][op][result];
}

/**
 * perf_counter_hw_count() - what a counter has counted whose slot counts now
 * @hw: of the counter
 * @since_start: how many events its slot has counted since @hw->start
 *
 * Context: any, NMI included; on the CPU that has the slot, which overflows may interrupt.
 * Return: the count.
 */
static __always_inline u64
perf_counter_hw_count(const struct perf_counter_hw *hw,
		      u64 (*since_start)(const struct perf_counter_hw *hw))
{
	u64 count, value;

	/* An overflow in between changes @count, by at least one event. */
	do {
		count = READ_ONCE(hw->count);
		barrier();
		value = count + since_start(hw);
		barrier();
	} while (READ_ONCE(hw->count) != count);
	return value;
}

/**
 * struct perf_counter_budget - what samples take of a CPU
 * @spent: cycles since @since
 * @since: when that was looked at, in cycles
 * @percent_cycles: cycles of one percent of a tenth of a second, as the last one was; 0: not known
 * @until: when it will be looked at again, in jiffies
 * @rate: the limit on samples per second since then
 * @percent: what they took when it was too much
 * @lowered: the limit that was set for that reason
 * @tell: tells the log of @percent and @lowered
 *
 * Only its CPU uses it, in any context.
 */
struct perf_counter_budget {
	u64		spent;
	u64		since;
	u64		percent_cycles;
	unsigned long	until;
	int		rate;
	int		percent;
	int		lowered;
	struct irq_work	tell;
};

DECLARE_PER_CPU(struct perf_counter_budget, perf_counter_budget);

/* Samples may have to be taken: for perf_counter_sampling_ends(). */
static __always_inline u32 perf_counter_sampling_begins(void)
{
	return get_cycles();
}

/**
 * perf_counter_sampling_ends() - what it took counts
 * @began: from perf_counter_sampling_begins(), less than 2^32 cycles ago
 *
 * Context: any, NMI included; preemption disabled, on the CPU that took them.
 */
static __always_inline void perf_counter_sampling_ends(u32 began)
{
	this_cpu_add(perf_counter_budget.spent, (u32)get_cycles() - began);
}

#ifdef CONFIG_PERF_COUNTERS
void perf_counter_hw_busy(void);
bool perf_counter_hw_is_claimed(void);
void perf_counter_hw_suspend(void);
void perf_counter_hw_resume(void);
#else
static inline void perf_counter_hw_suspend(void) { }
static inline void perf_counter_hw_resume(void) { }
static inline void perf_counter_hw_busy(void) { }

static inline bool perf_counter_hw_is_claimed(void)
{
	return false;
}
#endif

#if defined(CONFIG_PERF_COUNTERS) && defined(CONFIG_HARDLOCKUP_DETECTOR_PERF)
bool perf_counter_watchdog_enable(unsigned int cpu, u32 type, u64 config);
void perf_counter_watchdog_disable(unsigned int cpu);
#else
static inline bool perf_counter_watchdog_enable(unsigned int cpu, u32 type, u64 config)
{
	return false;
}

static inline void perf_counter_watchdog_disable(unsigned int cpu) { }
#endif

#endif /* _LINUX_PERF_COUNTER_HW_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between perf_counter and the backend that drives the PMU of a
 * machine.
 *
 * A PMU has *slots*: registers that count one event each. The core decides
 * which counters run on a CPU, always whole groups. The backend finds a slot
 * for each counter that can count its event, and reports overflows.
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

/* Branches that a recorder of branches records: kinds of branches, and modes. */
#define PERF_COUNTER_BRANCH_COND	BIT(0)	/* taken conditional jumps */
#define PERF_COUNTER_BRANCH_JMP		BIT(1)	/* direct jumps */
#define PERF_COUNTER_BRANCH_IND_JMP	BIT(2)
#define PERF_COUNTER_BRANCH_CALL	BIT(3)	/* direct calls */
#define PERF_COUNTER_BRANCH_IND_CALL	BIT(4)
#define PERF_COUNTER_BRANCH_RET		BIT(5)
#define PERF_COUNTER_BRANCH_FAR		BIT(6)	/* system calls, interrupts, returns from them */
#define PERF_COUNTER_BRANCH_KINDS	GENMASK(6, 0)
#define PERF_COUNTER_BRANCH_USER	BIT(7)	/* branches that end in user mode */
#define PERF_COUNTER_BRANCH_KERNEL	BIT(8)	/* branches that end in the kernel */
#define PERF_COUNTER_BRANCH_CALL_STACK	BIT(9)	/* call stack: only calls that have not returned */
#define PERF_COUNTER_BRANCH_INFO	BIT(10)	/* predictions, cycles and types are needed */
#define PERF_COUNTER_BRANCH_BITS	11
/* Used only in @can of a recorder: the recorder accepts filters by transaction. */
#define PERF_COUNTER_BRANCH_TX		BIT(11)

/* Maximum number of branches that a recorder holds. */
#define PERF_COUNTER_BRANCHES_MAX	32

/* Branch type that PERF_BR_* lacks. */
#define PERF_COUNTER_BR_INT		15	/* software interrupt */

/* Tell whether @addr is an address of the kernel. */
static inline bool perf_counter_in_kernel(u64 addr)
{
	return addr >= TASK_SIZE_MAX;
}

/**
 * struct perf_counter_branches - recorded branches
 * @nr: number of entries
 * @index: number of the youngest record in the hardware; -1 for unknown
 * @busy: the structure is in use
 * @entries: branches, the youngest first
 */
struct perf_counter_branches {
	u64				nr;
	u64				index;
	bool				busy;
	struct perf_branch_entry	entries[PERF_COUNTER_BRANCHES_MAX];
};

/**
 * struct perf_counter_call_stack - call stack of a task, as the hardware recorded it
 * @rcu: for freeing the structure
 * @cpu: CPU whose recorder had the calls last
 * @nr: number of calls
 * @calls: source and target of each call that has not returned, in the hardware's format, the
 *	youngest first
 *
 * The structure belongs to its task. It is written when the task is scheduled out and read when
 * the task is scheduled in.
 */
struct perf_counter_call_stack {
	struct rcu_head	rcu;
	int		cpu;
	u32		nr;
	struct {
		u64	from;
		u64	to;
	} calls[PERF_COUNTER_BRANCHES_MAX];
};

/**
 * struct perf_counter_recorder - recorder of branches
 * @can: PERF_COUNTER_BRANCH_* that the recorder supports
 * @recording: return the branches being recorded, PERF_COUNTER_BRANCH_*; 0 if the recorder is off
 * @start: record the branches @what from here on; returns true if the registers hold what they
 *	held when the recorder was last stopped, or if it was not stopped
 * @resume: resume recording if the hardware has stopped it, as a debug exception does; NULL if the
 *	hardware never stops it
 * @stop: stop recording
 * @read: read the branches, the youngest first; @what: which branches and properties the caller
 *	needs, PERF_COUNTER_BRANCH_*. The recorder is off meanwhile
 * @type: set the type of a branch, PERF_BR_* or PERF_COUNTER_BR_INT, and correct its source
 * @wipe: forget all records
 * @save: copy the recorded call stack to @stack
 * @restore: replace the recorded call stack by @stack; NULL stands for an empty one
 * @is_empty: return true if the recorded call stack is empty
 *
 * All functions act on the CPU that calls them. @recording, @read and @type are called from NMIs,
 * too, the others with IRQs off. @save, @restore and @is_empty are only for recorders that can
 * record call stacks.
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
	void	(*save)(struct perf_counter_call_stack *stack);
	void	(*restore)(const struct perf_counter_call_stack *stack);
	bool	(*is_empty)(void);
};

/**
 * struct perf_counter_hw_sample - facts about a sampled event that the hardware recorded
 * @ip: address of the instruction; 0: use the registers
 * @mode: state in which the instruction at @ip ran: PERF_RECORD_MISC_USER, _KERNEL or _HYPERVISOR
 * @addr: address of the instruction's data; 0 for none
 * @weight: value for PERF_SAMPLE_WEIGHT or PERF_SAMPLE_WEIGHT_STRUCT, whichever was requested
 * @data_src: source of the data, PERF_MEM_*; 0 for unknown
 */
struct perf_counter_hw_sample {
	u64	ip;
	u16	mode;
	u64	addr;
	u64	weight;
	u64	data_src;
};

/**
 * struct perf_counter_hw - a counter, for its backend
 * @config: event, as encoded by the backend's event_init()
 * @slots: mask of the slots that can count the event
 * @also: mask of slots that can be the second slot of the counter, which follows its first slot; 0:
 *	the event needs one slot
 * @other_config: @config for the CPUs of @backend->other_cpus
 * @other_slots: @slots for the CPUs of @backend->other_cpus
 * @count: count of the counter when its slot held @start
 * @start: contents of the slot when the count was @count
 * @next: @count at which the next sample is due; 0 for no samples
 * @slot: slot of the counter; without a slot, its last slot, or -1 if it never had one
 * @stopped: the counter has a slot but does not count since an overflow; set before the backend
 *	adds it
 * @past: the counter has no samples, and its slot has counted past 0
 * @exclude_guest: do not count in guests
 * @user_read: a program reads the register directly; reprogramming must keep the relation between
 *	count and register value, as perf_events does
 * @min_left: fewest events after which the slot may be set to overflow
 * @of_task: the counter counts a task, not a CPU; only for PMUs that decide on whole sets
 * @moved: the start value has changed while the user page was being written; only for PMUs that
 *	decide on whole sets
 * @extra_config: further properties of the event, set by event_init(); only for PMUs that decide on
 *	whole sets
 * @backend: backend of the counter
 *
 * While a counter has a slot, @count, @start and @next change only on its CPU, with IRQs off or
 * in the NMI of an overflow.
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
	bool	user_read;
	u16	min_left;
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	bool	of_task;
	bool	moved;
	u64	extra_config;
#endif
	const struct perf_counter_backend *backend;
};

/**
 * struct perf_counter_backend - driver of a PMU
 * @cpus: CPUs that have the PMU; NULL: all
 * @first_cpus: CPUs of the first kind, on a machine with two kinds of CPUs; else NULL
 * @other_cpus: CPUs of the second kind, which have other slots and events; else NULL
 * @types: bit mask of the attr types that the PMU knows, in addition to those of the ABI
 * @recorder: recorder of branches; NULL: there is none
 * @event_init: encode the event of @attr: set @config, @slots, @also, @other_config,
 *	@other_slots, @exclude_guest and @min_left of @hw, which is zeroed; slots remain 0 where
 *	the event is not to count. Returns 0; -ENOENT for an event that the machine lacks;
 *	-EOPNOTSUPP for a property that it lacks; -EINVAL for reserved bits of a raw event. May
 *	sleep.
 * @claim: take the PMU of all CPUs; -EBUSY if another subsystem has it. May sleep.
 * @release: give the PMU back, stopped. May sleep.
 * @perf_events: return the number of perf_events' counters, if these make @claim fail; NULL: such
 *	counters never make @claim fail
 * @disable: stop all counters of this CPU
 * @enable: start the counters that have a slot; returns true if a slot was programmed, which
 *	changes @start, @count or @slot of its counter
 * @add: give @hw a slot out of @hw->slots; this may move other counters. Returns -ENOSPC if there
 *	is no room. Called between @disable and @enable.
 * @del: update @hw->count, and free the slot. Called between @disable and @enable.
 * @read: return the count of @hw, which has a slot on this CPU
 * @reset: clear the registers of this CPU, which was just brought up or is about to go offline
 * @user_read_allowed: return true if programs may read counters directly; NULL: they cannot
 * @fill_user_page: write to a user page how a program reads @hw, which is running (or skip this if
 *	@hw is NULL), and how the program computes the present time from @clock, a time of
 *	local_clock(). The page's offset is the count of @hw when its slot held @start. The caller
 *	marks the page as changing.
 * @set_user_access: allow or forbid the current task to read counters of this CPU; if allowed,
 *	clear the counts of others. Called between @disable and @enable.
 * @config1: mask of the bits of attr.config1 that belong to the event
 * @validate_set: return true if the PMU has room for all of @set at the same time. A PMU with this
 *	operation decides on whole sets, and supports precise_ip and exclude_idle
 * @fill_sample: fill in the facts about a sample of @hw with PERF_SAMPLE_* @types at @regs. Returns
 *	false to drop the sample because its exact instruction is unknown
 * @read_regs: read those registers of the PMU, as they were when a sample was due, that have a bit
 *	PERF_REG_* in @mask. Register n goes to @values[n - PERF_COUNTER_FIRST_PMU_REG]. NULL:
 *	samples have no such registers
 *
 * @disable to @set_user_access act on the calling CPU, with IRQs off; @read is also called from
 *	NMIs; @fill_sample and @read_regs are called in the NMI of the overflow.
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
	bool		(*user_read_allowed)(void);
	void		(*fill_user_page)(const struct perf_counter_hw *hw, u64 clock,
					  struct perf_event_mmap_page *page);
	void		(*set_user_access)(bool on);
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	u64		config1;
	bool		(*validate_set)(const struct perf_counter_hw *const *set, unsigned int nr);
	bool		(*fill_sample)(const struct perf_counter_hw *hw, u64 types,
				       struct pt_regs *regs, struct perf_counter_hw_sample *known);
	void		(*read_regs)(u64 mask, u64 *values);
#endif
};

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/* Registers of the PMU, numbered after all other registers of a sample. */
#define PERF_COUNTER_FIRST_PMU_REG	PERF_REG_POWERPC_SIER
#define PERF_COUNTER_NR_PMU_REGS	(PERF_REG_EXTENDED_MAX - PERF_COUNTER_FIRST_PMU_REG)
#define PERF_COUNTER_PMU_REGS		GENMASK_ULL(PERF_REG_EXTENDED_MAX - 1, \
						    PERF_COUNTER_FIRST_PMU_REG)
#endif

/* Maximum number of counters in a set. */
#define PERF_COUNTER_SET_MAX	8

int perf_counter_register_backend(const struct perf_counter_backend *backend);
bool perf_counter_hw_overflow(struct perf_counter_hw *hw, struct pt_regs *regs);
void perf_counter_hw_change(const struct perf_counter_hw *hw, void (*change)(void));
void perf_counter_hw_start_changed(struct perf_counter_hw *hw);
bool perf_counter_hw_has_branches(const struct perf_counter_hw *hw);
void perf_counter_capture_branches(void);

/* Codes of the generic cache events: cache, operation, result. */
typedef u64 perf_counter_cache_events[PERF_COUNT_HW_CACHE_MAX][PERF_COUNT_HW_CACHE_OP_MAX]
				     [PERF_COUNT_HW_CACHE_RESULT_MAX];

/**
 * perf_counter_cache_event() - Find the code of a generic cache event
 * @events: codes of a machine
 * @config: event, in the format of attr.config
 *
 * Return: pointer to the code; NULL if no machine has such an event.
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
 * perf_counter_hw_count() - Compute the count of a running counter
 * @hw: counter
 * @since_start: function that returns the events in the slot since @hw->start
 *
 * Context: Any context, NMI included; on the CPU that has the slot, where overflows may
 * interrupt.
 * Return: number of events.
 */
static __always_inline u64
perf_counter_hw_count(const struct perf_counter_hw *hw,
		      u64 (*since_start)(const struct perf_counter_hw *hw))
{
	u64 count, value;

	/* An overflow between the two reads changes @count by at least one event. */
	do {
		count = READ_ONCE(hw->count);
		barrier();
		value = count + since_start(hw);
		barrier();
	} while (READ_ONCE(hw->count) != count);
	return value;
}

/**
 * struct perf_counter_budget - CPU time that samples take
 * @spent: cycles spent since @since
 * @since: start of the present interval, in cycles
 * @percent_cycles: number of cycles that are one percent of a tenth of a second, measured in the
 *	last interval; 0: unknown
 * @until: end of the present interval, in jiffies
 * @rate: limit on samples per second at the start of the present interval
 * @percent: percentage of CPU time that samples took when the limit was last lowered
 * @lowered: limit that was set then
 * @tell: irq_work that logs @percent and @lowered
 *
 * Used on its own CPU only, in any context.
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

/* Start measuring the time of samples. Pass the return value to perf_counter_sampling_ends(). */
static __always_inline u32 perf_counter_sampling_begins(void)
{
	return get_cycles();
}

/**
 * perf_counter_sampling_ends() - Add the time since perf_counter_sampling_begins() to the budget
 * @began: return value of perf_counter_sampling_begins(), less than 2^32 cycles ago
 *
 * Context: Any context, NMI included; preemption disabled, on the CPU that took the samples.
 */
static __always_inline void perf_counter_sampling_ends(u32 began)
{
	this_cpu_add(perf_counter_budget.spent, (u32)get_cycles() - began);
}

#ifdef CONFIG_PERF_COUNTERS
void perf_counter_hw_log_busy(void);
bool perf_counter_hw_is_claimed(void);
bool perf_counter_hw_moves(void);
void perf_counter_hw_suspend(void);
void perf_counter_hw_resume(void);
#else
static inline void perf_counter_hw_suspend(void) { }
static inline void perf_counter_hw_resume(void) { }
static inline void perf_counter_hw_log_busy(void) { }

static inline bool perf_counter_hw_is_claimed(void)
{
	return false;
}

static inline bool perf_counter_hw_moves(void)
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters: the layer between contexts and the backend that drives a PMU.
 *
 * The slot of a sampling counter overflows at the event for which a sample is due. When
 * a counter is scheduled out, the rest of its period is kept for the next time it is
 * scheduled in; a sample that became due meanwhile is taken at once.
 */

#include <linux/jiffies.h>
#include <linux/perf_counter_handover.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "source.h"

/* === Opening and closing === */

static void hw_event_exit(struct perf_counter_desc *desc)
{
	/* The watchdog's counter holds no claim on the PMU; all other users do. */
	if (!perf_counter_is_watchdog(desc))
		perf_counter_hw_put(perf_counter_hw_pmu_of(desc->pmu));
}

#ifdef CONFIG_PERF_EVENTS
/* Release the PMU to the event of perf_events that replaces @desc, and open this event. */
static int hw_hand_over(struct perf_counter_desc *desc, struct perf_counter_handover *handover)
{
	struct perf_counter_hw_pmu *hw_pmu = perf_counter_hw_pmu_of(desc->pmu);
	int err = perf_counter_hw_begin_move(hw_pmu);

	if (err)
		return err;
	err = perf_event_hand_over(handover);
	if (err)
		perf_counter_hw_cancel_move(hw_pmu);
	return err;
}
#else
#define hw_hand_over	NULL
#endif

static void hw_hand_back(struct perf_counter_desc *desc)
{
	perf_counter_hw_cancel_move(perf_counter_hw_pmu_of(desc->pmu));
}

/* Claim the PMU for a software event that samples branch records. */
static int hw_recorder_get(const struct perf_counter_pmu *pmu)
{
	return perf_counter_hw_get(perf_counter_hw_pmu_of(pmu));
}

static void hw_recorder_put(const struct perf_counter_pmu *pmu)
{
	perf_counter_hw_put(perf_counter_hw_pmu_of(pmu));
}

/* On a machine with two kinds of CPUs, set the CPUs on which @desc counts. */
static int hw_set_cpus(struct perf_counter_desc *desc, const struct perf_counter_backend *backend)
{
	struct perf_counter_hw *hw = &desc->first.hw;

	if (desc->cpu < 0) {
		desc->unsupported_cpus = !hw->slots ? backend->first_cpus :
				  !hw->other_slots ? backend->other_cpus : NULL;
		return 0;
	}
	/* A counter of one CPU needs the slots of that CPU's kind only. */
	if (cpumask_test_cpu(desc->cpu, backend->other_cpus))
		hw->slots = 0;
	else
		hw->other_slots = 0;
	return hw->slots || hw->other_slots ? 0 : -ENOENT;
}

/* Properties of a PMU that decides on whole sets of counters; stubs if there is no such PMU. */
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
static u64 hw_config1(const struct perf_counter_backend *backend)
{
	return backend->config1;
}

static bool hw_knows_idle(const struct perf_counter_backend *backend)
{
	return backend->validate_set;
}

static void hw_set_needs(struct perf_counter_desc *desc, const struct perf_counter_hw *hw)
{
	desc->needs_group = hw->backend->validate_set && !hw->backend->validate_set(&hw, 1);
}

static void hw_set_kind(struct perf_counter_hw *hw, const struct perf_counter_desc *desc)
{
	hw->of_task = desc->task;
}

static void hw_copy_extra(struct perf_counter_hw *hw, const struct perf_counter_hw *first)
{
	hw->extra_config = first->extra_config;
	hw->of_task = first->of_task;
}
#else
static u64 hw_config1(const struct perf_counter_backend *backend)
{
	return 0;
}

static bool hw_knows_idle(const struct perf_counter_backend *backend)
{
	return false;
}

static void hw_set_needs(struct perf_counter_desc *desc, const struct perf_counter_hw *hw) { }

static void hw_set_kind(struct perf_counter_hw *hw, const struct perf_counter_desc *desc) { }

static void hw_copy_extra(struct perf_counter_hw *hw, const struct perf_counter_hw *first) { }
#endif

static int hw_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	struct perf_counter_hw_pmu *hw_pmu = perf_counter_hw_pmu_of(pmu);
	const struct perf_counter_attr *attr = &desc->attr;
	struct perf_counter_hw *hw = &desc->first.hw;
	int err;

	if (attr->bp_type | (attr->config1 & ~hw_config1(hw_pmu->backend)) | attr->config2 |
	    attr->config3)
		return -EINVAL;
	/*
	 * Without support by the PMU, exclude_idle only works for a task, which never
	 * counts in the idle task. A CPU's counter would count there.
	 */
	if (!hw_knows_idle(hw_pmu->backend) &&
	    (attr->precise_ip || (attr->exclude_idle && !desc->task)))
		return -EOPNOTSUPP;

	hw->slot = -1;
	hw->backend = hw_pmu->backend;
	hw_set_kind(hw, desc);
	err = hw_pmu->backend->event_init(attr, hw);
	if (!err && unlikely(hw_pmu->backend->other_cpus))
		err = hw_set_cpus(desc, hw_pmu->backend);
	if (!err && !perf_counter_is_watchdog(desc))
		err = perf_counter_hw_get(hw_pmu);
	if (err)
		return err;
	desc->event = -1;
	desc->needs_load = true;
	hw_set_needs(desc, hw);
	return 0;
}

/* Copy the event from the descriptor's first counter. */
static void hw_counter_init(struct perf_counter *counter)
{
	const struct perf_counter_hw *first = &counter->desc->first.hw;
	struct perf_counter_hw *hw = &counter->hw;

	if (hw != first)
		*hw = (struct perf_counter_hw) {
			.config = first->config, .slots = first->slots, .slot = -1,
			.also = first->also,
			.other_config = first->other_config, .other_slots = first->other_slots,
			.exclude_guest = first->exclude_guest, .min_left = first->min_left,
			.backend = first->backend,
		};
	hw_copy_extra(hw, first);
}

/* === Counting === */

static int hw_add(struct perf_counter *counter)
{
	struct perf_counter_hw *hw = &counter->hw;
	int err;

	hw->count = local64_read(&counter->count);
	hw->next = 0;
	hw->stopped = false;
	if (counter->sampling.period) {
		/*
		 * @next is in the past if the counter is overdue. Replace 0, which means that no
		 * sample is ever due, by 1.
		 */
		hw->next = hw->count + local64_read(&counter->sampling.period_left) ?: 1;
		/*
		 * Do not count if the limit is used up: the work that disables the counter may run
		 * later.
		 */
		hw->stopped = !atomic_read(&counter->desc->refresh.limit);
	}
	err = hw->backend->add(hw);
	if (!err && counter->desc->attr.freq)
		perf_counter_tick_start(counter->desc->pmu);
	return err;
}

static void hw_del(struct perf_counter *counter, u64 now)
{
	struct perf_counter_hw *hw = &counter->hw;

	hw->backend->del(hw);
	local64_set(&counter->count, hw->count);
	if (hw->next)
		local64_set(&counter->sampling.period_left, hw->next - hw->count);
}

static void hw_read(struct perf_counter *counter)
{
	if (counter->loaded)
		local64_set(&counter->count, counter->hw.backend->read(&counter->hw));
}

/* === Overflow === */

/* KVM's state of the guest that the NMI has interrupted: PERF_GUEST_*, or 0 for the host. */
#ifdef CONFIG_GUEST_PERF_EVENTS
#define hw_guest_state()	perf_guest_state()
#define hw_guest_ip()		perf_guest_get_ip()
#else
#define hw_guest_state()	0
#define hw_guest_ip()		0
#endif

/**
 * perf_counter_hw_has_branches() - Test whether a counter samples branch records
 * @hw: hardware part of the counter
 *
 * For such a counter, the backend must call perf_counter_capture_branches() before
 * perf_counter_hw_overflow().
 *
 * Context: NMI of the CPU.
 * Return: true if the samples have branch records.
 */
bool perf_counter_hw_has_branches(const struct perf_counter_hw *hw)
{
	return container_of_const(hw, struct perf_counter, hw)->desc->records.branches;
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/* Test whether the hardware describes @counter's events beyond the interrupted registers. */
static bool hw_describes(const struct perf_counter *counter)
{
	return counter->hw.backend->fill_sample;
}

/*
 * Test whether the event cannot have happened at the instruction that the hardware names: @attr
 * excludes the mode of the instruction, or the current task has no user memory. The event has then
 * happened close by, and only the registers of the interrupt say where.
 */
static bool hw_is_skewed(const struct perf_counter_attr *attr,
			 const struct perf_counter_hw_sample *known)
{
	switch (known->mode) {
	case PERF_RECORD_MISC_USER:
		return !current->mm;
	case PERF_RECORD_MISC_HYPERVISOR:
		return attr->exclude_hv ||
		       (attr->exclude_kernel && perf_counter_in_kernel(known->ip));
	default:
		return attr->exclude_kernel;
	}
}

/*
 * Return registers for an event in @mode whose interrupt has @regs. They do not expose another
 * mode, and are registers of user mode if and only if @mode is. Returns NULL if such an event
 * cannot have happened.
 */
static struct pt_regs *hw_regs_in_mode(const struct perf_counter_attr *attr, u16 mode,
				       struct pt_regs *regs)
{
	/* The interrupt for an event in user mode may have been delayed into the kernel. */
	if (mode == PERF_RECORD_MISC_USER && !user_mode(regs))
		return current->mm ? task_pt_regs(current) : NULL;
	if (mode != PERF_RECORD_MISC_USER && (user_mode(regs) || attr->exclude_kernel))
		return &perf_counter_no_regs;
	return regs;
}

/*
 * Output a sample with the facts that the hardware has about the event. Returns true to stop the
 * counter.
 */
static bool hw_overflow_described(struct perf_counter *counter, struct perf_counter_sample *sample)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	struct perf_counter_hw_sample known = {};
	u64 pmu_regs = (attr->sample_regs_user | attr->sample_regs_intr) & PERF_COUNTER_PMU_REGS;
	u64 values[PERF_COUNTER_NR_PMU_REGS];
	struct perf_counter_sample_extra extra = {
		.data_src = PERF_COUNTER_DATA_SRC_NA, .pmu_regs = values,
	};
	u16 mode;

	if (!counter->hw.backend->fill_sample(&counter->hw, attr->sample_type, sample->regs,
					      &known))
		return false;
	if (unlikely(pmu_regs))
		counter->hw.backend->read_regs(pmu_regs, values);
	if (!known.ip || hw_is_skewed(attr, &known)) {
		mode = user_mode(sample->regs) || attr->exclude_kernel ? PERF_RECORD_MISC_USER :
									 PERF_RECORD_MISC_KERNEL;
	} else {
		mode = known.mode;
		sample->exact = known.ip;
		sample->hypervisor = mode == PERF_RECORD_MISC_HYPERVISOR;
	}
	sample->regs = hw_regs_in_mode(attr, mode, sample->regs);
	if (!sample->regs)
		return false;
	if (!attr->exclude_kernel || !perf_counter_in_kernel(known.addr))
		sample->addr = known.addr;
	extra.weight.full = known.weight;
	if (known.data_src)
		extra.data_src.val = known.data_src;
	sample->extra = &extra;
	return perf_counter_overflow(counter, sample);
}
#else
static bool hw_describes(const struct perf_counter *counter)
{
	return false;
}

static bool hw_overflow_described(struct perf_counter *counter, struct perf_counter_sample *sample)
{
	return false;
}
#endif

/**
 * perf_counter_hw_overflow() - Handle the overflow of a slot
 * @hw: hardware part of the counter; @hw->count must be up to date; @hw->next is
 *	updated
 * @regs: registers of the interrupted code
 *
 * Context: NMI of the CPU.
 * Return: true if the counter has to stop: it is throttled, or has used up the limit
 * that REFRESH has set.
 */
bool perf_counter_hw_overflow(struct perf_counter_hw *hw, struct pt_regs *regs)
{
	struct perf_counter *counter = container_of(hw, struct perf_counter, hw);
	u64 period = READ_ONCE(counter->sampling.period);
	struct perf_counter_sample sample = { .regs = regs, .period = period };
	unsigned long window = READ_ONCE(jiffies);

	/*
	 * The counter does not sample: let the slot count past 0, and have the next tick set it
	 * back before it wraps.
	 */
	if (!hw->next) {
		counter->rewind = true;
		perf_counter_tick_start(counter->desc->pmu);
		return false;
	}
	/*
	 * The sample is not due yet: a slot may have fewer bits than the period, and overflow
	 * earlier.
	 */
	if ((s64)(hw->count - hw->next) < 0)
		return false;
	if (unlikely(perf_counter_throttle(counter, counter->throttle.window_end != window,
					   window))) {
		perf_counter_tick_start(counter->desc->pmu);
		return true;
	}
	if (unlikely(counter->desc->attr.freq)) {
		perf_counter_freq_adapt(counter, hw->count);
		period = counter->sampling.period;
	}
	hw->next += period;
	/* If the next period has also ended before the NMI came, skip it. */
	if (unlikely((s64)(hw->next - hw->count) <= 0))
		hw->next = hw->count + period;

	sample.guest = hw_guest_state();
	if (unlikely(sample.guest)) {
		sample.ip = hw_guest_ip();
	} else if (hw_describes(counter)) {
		return hw_overflow_described(counter, &sample);
	} else if (unlikely(counter->desc->attr.exclude_kernel && !user_mode(regs))) {
		/*
		 * The NMI of an event in user mode may be late: give the sample the
		 * user registers.
		 */
		if (!current->mm)
			return false;
		sample.regs = task_pt_regs(current);
	}
	return perf_counter_overflow(counter, &sample);
}

/**
 * perf_counter_hw_change() - Change how the PMU of a loaded counter counts on this CPU
 * @hw: hardware part of any counter that has a slot of this CPU
 * @change: function that makes the change, called between the backend's disable and
 *	enable
 *
 * For backends that have to write registers of the PMU although no counter is loaded or
 * unloaded. Updates the user pages if the start of a slot changes.
 *
 * Context: IRQs off, on the CPU that has the slot.
 */
void perf_counter_hw_change(const struct perf_counter_hw *hw, void (*change)(void))
{
	perf_counter_pmu_change(container_of(hw, struct perf_counter, hw)->desc->pmu, change);
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/**
 * perf_counter_hw_start_changed() - Update the user page of a counter whose slot was set again
 * @hw: hardware part of the counter; @hw->count and @hw->start must be up to date
 *
 * For slots that have to be set again after an overflow.
 *
 * Context: NMI of the CPU.
 */
void perf_counter_hw_start_changed(struct perf_counter_hw *hw)
{
	perf_counter_user_page_moved(container_of(hw, struct perf_counter, hw));
}
#endif

/*
 * Handle a tick: let a throttled counter continue, shorten the period in frequency mode
 * if events became rare, and set back the slot of a counting counter that has passed 0.
 * Returns true if the counter needs another tick.
 */
static bool hw_tick(struct perf_counter *counter, u64 now)
{
	u64 period = counter->sampling.period;
	s64 left;

	if (counter->throttle.throttled || counter->rewind) {
		counter->rewind = false;
		perf_counter_unload(counter, now);
		if (counter->throttle.throttled)
			perf_counter_throttle(counter, true, jiffies);
		perf_counter_reload(counter, now);
	}
	if (!counter->desc->attr.freq)
		return false;
	if (perf_counter_time_running(counter, now) - counter->sampling.freq_stamp <= TICK_NSEC)
		return true;

	hw_read(counter);
	perf_counter_freq_adapt(counter, local64_read(&counter->count));
	left = counter->hw.next - local64_read(&counter->count);
	if (left <= (s64)counter->sampling.period || counter->sampling.period >= period)
		return true;
	perf_counter_unload(counter, now);
	local64_set(&counter->sampling.period_left, counter->sampling.period);
	perf_counter_reload(counter, now);
	return true;
}

/* === PMUs and their backends === */

static void hw_fill_user_page(const struct perf_counter *counter, bool readable, u64 clock,
			      struct perf_event_mmap_page *page)
{
	/* Write the count at the start of the slot; the backend subtracts the start. */
	if (readable)
		page->offset = counter->hw.count - counter->base;
	counter->hw.backend->fill_user_page(readable ? &counter->hw : NULL, clock, page);
}

/**
 * perf_counter_hw_pmu_register() - Register a PMU that a backend drives
 * @hw_pmu: PMU to fill in
 * @backend: driver of the PMU
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int perf_counter_hw_pmu_register(struct perf_counter_hw_pmu *hw_pmu,
				 const struct perf_counter_backend *backend)
{
	int err;

	*hw_pmu = (struct perf_counter_hw_pmu) {
		.pmu = {
			.cpus			= backend->cpus,
			.types			= BIT(PERF_TYPE_HARDWARE) | BIT(PERF_TYPE_RAW) |
						  BIT(PERF_TYPE_HW_CACHE) | backend->types,
			.event_init		= hw_event_init,
			.event_exit		= hw_event_exit,
			.hand_over		= hw_hand_over,
			.hand_back		= hw_hand_back,
			.counter_init		= hw_counter_init,
			.add			= hw_add,
			.del			= hw_del,
			.read			= hw_read,
			.disable		= backend->disable,
			.enable			= backend->enable,
			.reset			= backend->reset,
			.read_here		= backend->read,
			.tick			= hw_tick,
			.validate_group		= perf_counter_hw_validate_group,
			.user_read_allowed	= backend->user_read_allowed,
			.fill_user_page		= hw_fill_user_page,
			.set_user_access	= backend->set_user_access,
			.recorder_get		= hw_recorder_get,
			.recorder_put		= hw_recorder_put,
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
			.has_regs		= backend->read_regs,
#endif
		},
		.backend = backend,
	};
	err = perf_counter_register_pmu(&hw_pmu->pmu);
	if (err)
		return err;
	if (backend->recorder)
		perf_counter_set_recorder_pmu(&hw_pmu->pmu, backend->recorder);
	perf_counter_hw_owner_add(hw_pmu);
	return 0;
}

#if IS_ENABLED(CONFIG_PERF_COUNTERS_KUNIT_TEST)
/**
 * perf_counter_hw_pmu_unregister() - Unregister a PMU of a test
 * @hw_pmu: registered PMU, which has no counters and no branch recorder
 *
 * Context: may sleep.
 */
void perf_counter_hw_pmu_unregister(struct perf_counter_hw_pmu *hw_pmu)
{
	perf_counter_hw_owner_remove(hw_pmu);
	perf_counter_unregister_pmu(&hw_pmu->pmu);
}
#endif

/**
 * perf_counter_register_backend() - Register a backend, and the PMU that it drives
 * @backend: backend to register; must never be freed
 *
 * A machine may have several PMUs, on the same CPUs or on different ones.
 *
 * Context: an initcall; may sleep.
 * Return: 0 or -ENOMEM.
 */
int perf_counter_register_backend(const struct perf_counter_backend *backend)
{
	struct perf_counter_hw_pmu *hw_pmu = kmalloc(sizeof(*hw_pmu), GFP_KERNEL);
	int err;

	if (!hw_pmu)
		return -ENOMEM;
	err = perf_counter_hw_pmu_register(hw_pmu, backend);
	if (err)
		kfree(hw_pmu);
	return err;
}

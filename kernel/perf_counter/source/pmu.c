// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the PMU: between the contexts of perf_counter and the backend
 * that drives the hardware.
 *
 * A counter that samples has its slot overflow at the event that is due for a
 * sample. What is left of a period when the counter is unloaded is there again
 * when it is loaded; an event that was due meanwhile is due at once.
 */

#include <linux/capability.h>
#include <linux/jiffies.h>
#include <linux/ptrace.h>
#include <linux/reboot.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "source.h"

/*
 * Guards the list, the numbers of users, and what claim and release do. As a claim may
 * move the NMI watchdog, the locks that it is switched on and off under come inside, and
 * those that perf_events opens and closes a counter of its own under.
 */
static DEFINE_MUTEX(hw_mutex);
static LIST_HEAD(hw_pmus);
/* How many of them are claimed that perf_events would have; read without the mutex, too. */
static unsigned int hw_claimed;

/*
 * The PMU that stays claimed without a descriptor, since the NMI watchdog has moved too often
 * to move back; or NULL. Changes with hw_mutex held; perf_counter_hw_busy() reads it without.
 */
static struct perf_counter_hw_pmu *hw_staying;

/*
 * Who may use them: nobody, so that perf_events has them; who has CAP_PERFMON; everybody.
 * Changed with hw_mutex held; the sysctl reads it without.
 */
enum { HW_NOBODY, HW_PERFMON, HW_EVERYBODY };
static int hw_users = HW_EVERYBODY;

static struct perf_counter_hw_pmu *hw_pmu_of(const struct perf_counter_pmu *pmu)
{
	return container_of(pmu, struct perf_counter_hw_pmu, pmu);
}

/* === Opening and closing === */

/*
 * The PMU for those who use it. With the first that perf_events would have the NMI watchdog
 * comes, with the last it goes.
 */
static __always_inline int hw_claim(struct perf_counter_hw_pmu *hw_pmu)
{
	const struct perf_counter_backend *backend = hw_pmu->backend;
	bool contested = backend->perf_events;
	int err;

	lockdep_assert_held(&hw_mutex);
	err = contested && !hw_claimed ? perf_counter_watchdog_claim(backend) : backend->claim();
	if (err == -EBUSY)
		pr_info_ratelimited("perf_counter: perf_events holds the PMU; close its counters\n");
	if (!err)
		WRITE_ONCE(hw_claimed, hw_claimed + contested);
	return err;
}

static __always_inline void hw_release(struct perf_counter_hw_pmu *hw_pmu)
{
	const struct perf_counter_backend *backend = hw_pmu->backend;
	bool contested = backend->perf_events;

	lockdep_assert_held(&hw_mutex);
	if (contested && hw_claimed == 1)
		perf_counter_watchdog_release(backend);
	else
		backend->release();
	WRITE_ONCE(hw_claimed, hw_claimed - contested);
}

/* One more descriptor uses it. */
static __always_inline int hw_use(struct perf_counter_hw_pmu *hw_pmu)
{
	int err = 0;

	guard(mutex)(&hw_mutex);
	if (hw_users != HW_EVERYBODY) {
		if (hw_users == HW_NOBODY)
			return -EBUSY;
		if (!perfmon_capable())
			return -EACCES;
	}
	if (unlikely(hw_pmu == hw_staying)) {
		/* The descriptor takes over the place among the users. */
		WRITE_ONCE(hw_staying, NULL);
		return 0;
	}
	if (!hw_pmu->users)
		err = hw_claim(hw_pmu);
	if (!err)
		hw_pmu->users++;
	return err;
}

static void hw_unuse_locked(struct perf_counter_hw_pmu *hw_pmu)
{
	lockdep_assert_held(&hw_mutex);
	if (!--hw_pmu->users && hw_users != HW_NOBODY)
		hw_release(hw_pmu);
}

/* The PMU that stays is released. */
static void hw_end_stay(void)
{
	struct perf_counter_hw_pmu *hw_pmu = hw_staying;

	lockdep_assert_held(&hw_mutex);
	if (!hw_pmu)
		return;
	WRITE_ONCE(hw_staying, NULL);
	hw_unuse_locked(hw_pmu);
}

static void hw_stay_over(struct work_struct *work);
static DECLARE_DELAYED_WORK(hw_stay_work, hw_stay_over);

/*
 * Have the PMU stay if the watchdog, its only other user, is to stay; false if not. The end of
 * the stay needs no kworker of this CPU, which a real-time task may keep from running.
 */
static bool hw_begin_stay(struct perf_counter_hw_pmu *hw_pmu)
{
	unsigned long stay;

	lockdep_assert_held(&hw_mutex);
	if (hw_pmu->users > 1 || hw_claimed != 1 || !hw_pmu->backend->perf_events ||
	    hw_users == HW_NOBODY)
		return false;
	stay = perf_counter_watchdog_stay();
	if (!stay)
		return false;
	WRITE_ONCE(hw_staying, hw_pmu);
	mod_delayed_work(system_unbound_wq, &hw_stay_work, stay);
	return true;
}

/* A stay that has begun since this work was queued is not over: another work follows. */
static void hw_stay_over(struct work_struct *work)
{
	struct perf_counter_hw_pmu *hw_pmu;

	guard(mutex)(&hw_mutex);
	hw_pmu = hw_staying;
	if (!hw_pmu)
		return;
	WRITE_ONCE(hw_staying, NULL);
	if (!hw_begin_stay(hw_pmu))
		hw_unuse_locked(hw_pmu);
}

static __always_inline void hw_unuse(struct perf_counter_hw_pmu *hw_pmu)
{
	guard(mutex)(&hw_mutex);
	if (likely(!hw_begin_stay(hw_pmu)))
		hw_unuse_locked(hw_pmu);
}

static void hw_event_exit(struct perf_counter_desc *desc)
{
	/* It is here because others are. */
	if (!perf_counter_is_watchdog(desc))
		hw_unuse(hw_pmu_of(desc->pmu));
}

/* Software events whose samples have branches use it as others use its counters. */
static int hw_hold(const struct perf_counter_pmu *pmu)
{
	return hw_use(hw_pmu_of(pmu));
}

static void hw_let_go(const struct perf_counter_pmu *pmu)
{
	hw_unuse(hw_pmu_of(pmu));
}

/**
 * perf_counter_hw_is_claimed() - has perf_counter a PMU?
 *
 * Context: any. The answer may be of the past.
 * Return: true if so.
 */
bool perf_counter_hw_is_claimed(void)
{
	return READ_ONCE(hw_claimed);
}

/**
 * perf_counter_hw_busy() - Say in the log why perf_events does not get the PMU
 *
 * Says nothing unless perf_counter has the PMU.
 *
 * Context: any but NMI.
 */
void perf_counter_hw_busy(void)
{
	/* No hw_mutex: it is outside of the locks that this is called under. */
	if (unlikely(READ_ONCE(hw_staying)))
		pr_info_ratelimited("perf_counter: the PMU changes hands too often for the NMI watchdog, and stays with perf_counter; try again in two seconds\n");
	else if (perf_counter_hw_is_claimed())
		pr_info_ratelimited("perf_counter: perf_counter holds the PMU; close its counters\n");
}

/* On a machine with two kinds of CPUs, where @desc counts. */
static int hw_set_cpus(struct perf_counter_desc *desc, const struct perf_counter_backend *backend)
{
	struct perf_counter_hw *hw = &desc->first.hw;

	if (desc->cpu < 0) {
		desc->elsewhere = !hw->slots ? backend->first_cpus :
				  !hw->other_slots ? backend->other_cpus : NULL;
		return 0;
	}
	/* What it might have counted on others is of no interest. */
	if (cpumask_test_cpu(desc->cpu, backend->other_cpus))
		hw->slots = 0;
	else
		hw->other_slots = 0;
	return hw->slots || hw->other_slots ? 0 : -ENOENT;
}

/* What a PMU that decides on whole sets knows beside; nothing where there can be none. */
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
static u64 hw_config1(const struct perf_counter_backend *backend)
{
	return backend->config1;
}

static bool hw_knows_idle(const struct perf_counter_backend *backend)
{
	return backend->set_fits;
}

static void hw_set_needs(struct perf_counter_desc *desc, const struct perf_counter_hw *hw)
{
	desc->needs_group = hw->backend->set_fits && !hw->backend->set_fits(&hw, 1);
}

static void hw_set_kind(struct perf_counter_hw *hw, const struct perf_counter_desc *desc)
{
	hw->of_task = desc->task;
}

static void hw_copy_more(struct perf_counter_hw *hw, const struct perf_counter_hw *first)
{
	hw->more = first->more;
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

static void hw_copy_more(struct perf_counter_hw *hw, const struct perf_counter_hw *first) { }
#endif

static int hw_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	struct perf_counter_hw_pmu *hw_pmu = hw_pmu_of(pmu);
	const struct perf_counter_attr *attr = &desc->attr;
	struct perf_counter_hw *hw = &desc->first.hw;
	int err;

	if (attr->bp_type | (attr->config1 & ~hw_config1(hw_pmu->backend)) | attr->config2 |
	    attr->config3)
		return -EINVAL;
	/* A CPU's counter goes on in the idle task; a task's is not there. */
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
		err = hw_use(hw_pmu);
	if (err)
		return err;
	desc->event = -1;
	desc->needs_load = true;
	hw_set_needs(desc, hw);
	return 0;
}

/* The others count what the first one does. */
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
	hw_copy_more(hw, first);
}

/* === Groups === */

/**
 * struct fit - which counters of a group have which slots, on one kind of CPU
 * @other: it is that of @other_cpus
 * @absent: there are counters that do not count on such CPUs
 * @nr: the others
 * @slots: that each of them may have
 * @owner: of each slot, a counter, or -1
 */
struct fit {
	bool		other;
	bool		absent;
	unsigned int	nr;
	u64		slots[BITS_PER_TYPE(u64)];
	s8		owner[BITS_PER_TYPE(u64)];
};

/*
 * Find a slot for @counter outside of @tried; if its own are taken, by having one that has
 * them find another, as backends do when they load. Each slot is tried once.
 */
static bool fit_one(struct fit *fit, unsigned int counter, u64 *tried)
{
	unsigned int slot;
	u64 left;

	while ((left = fit->slots[counter] & ~*tried)) {
		slot = __ffs64(left);
		*tried |= BIT_ULL(slot);
		if (fit->owner[slot] < 0 || fit_one(fit, fit->owner[slot], tried)) {
			fit->owner[slot] = counter;
			return true;
		}
	}
	return false;
}

/* Find room for a counter, which needs one of @slots. */
static bool fit_slots(struct fit *fit, u64 slots)
{
	u64 tried = 0;

	if (fit->nr == ARRAY_SIZE(fit->slots))
		return false;
	fit->slots[fit->nr] = slots;
	return fit_one(fit, fit->nr++, &tried);
}

/*
 * Find room for @desc. Where a counter takes two slots, the second is looked for as if it were a
 * counter: which slots make a pair does not matter, as counters that take one have all slots.
 */
static bool fit_desc(struct fit *fit, const struct perf_counter_desc *desc,
		     const struct perf_counter_pmu *pmu)
{
	const struct perf_counter_hw *hw = &desc->first.hw;
	u64 slots = fit->other ? hw->other_slots : hw->slots;

	if (desc->pmu != pmu)
		return true;
	if (!slots) {
		fit->absent = true;
		return true;
	}
	return fit_slots(fit, slots) && (!hw->also || fit_slots(fit, hw->also));
}

/* They all count there, and have room at the same time, or none of them does. */
static bool fits_there(const struct perf_counter_desc *leader,
		       const struct perf_counter_desc *desc, bool other)
{
	const struct perf_counter_desc *member;
	struct fit fit = { .other = other };
	bool fits;

	memset(fit.owner, -1, sizeof(fit.owner));
	fits = fit_desc(&fit, leader, desc->pmu);
	list_for_each_entry(member, &leader->members, member_node)
		fits = fits && fit_desc(&fit, member, desc->pmu);
	return fits && fit_desc(&fit, desc, desc->pmu) && !(fit.nr && fit.absent);
}

/* The same where the PMU decides on a whole set. */
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
struct fit_set {
	const struct perf_counter_hw	*hw[PERF_COUNTER_SET_MAX];
	unsigned int			nr;
};

static bool fit_set_add(struct fit_set *set, const struct perf_counter_desc *desc,
			const struct perf_counter_pmu *pmu)
{
	if (desc->pmu != pmu)
		return true;
	if (set->nr == ARRAY_SIZE(set->hw))
		return false;
	set->hw[set->nr++] = &desc->first.hw;
	return true;
}

static bool hw_decides_on_sets(const struct perf_counter_desc *desc)
{
	return hw_pmu_of(desc->pmu)->backend->set_fits;
}

static bool set_fits(const struct perf_counter_desc *leader, const struct perf_counter_desc *desc)
{
	const struct perf_counter_backend *backend = hw_pmu_of(desc->pmu)->backend;
	const struct perf_counter_desc *member;
	struct fit_set set = {};
	bool fits = fit_set_add(&set, leader, desc->pmu);

	list_for_each_entry(member, &leader->members, member_node)
		fits = fits && fit_set_add(&set, member, desc->pmu);
	return fits && fit_set_add(&set, desc, desc->pmu) && backend->set_fits(set.hw, set.nr);
}
#else
static bool hw_decides_on_sets(const struct perf_counter_desc *desc)
{
	return false;
}

static bool set_fits(const struct perf_counter_desc *leader, const struct perf_counter_desc *desc)
{
	return false;
}
#endif

static bool hw_fits(const struct perf_counter_desc *leader, const struct perf_counter_desc *desc)
{
	if (hw_decides_on_sets(desc))
		return set_fits(leader, desc);
	return fits_there(leader, desc, false) &&
	       (!hw_pmu_of(desc->pmu)->backend->other_cpus || fits_there(leader, desc, true));
}

/* === An administrator decides === */

static void hw_halt(struct perf_counter_hw_pmu *hw_pmu)
{
	/* Software events may use it, which do not halt. */
	if (hw_pmu->backend->recorder)
		perf_counter_halt_recorder(true);
	perf_counter_pmu_halt(&hw_pmu->pmu);
}

static void hw_go_on(struct perf_counter_hw_pmu *hw_pmu)
{
	if (hw_pmu->backend->recorder)
		perf_counter_halt_recorder(false);
	perf_counter_pmu_go_on(&hw_pmu->pmu);
}

/* Counters that there are stay, and do not run. */
static void hw_take_back(void)
{
	struct perf_counter_hw_pmu *hw_pmu;

	hw_end_stay();
	list_for_each_entry(hw_pmu, &hw_pmus, node) {
		hw_halt(hw_pmu);
		if (hw_pmu->users)
			hw_release(hw_pmu);
	}
	perf_counter_watchdog_forget_moves();
}

/* They run again; all of them, or, when perf_events has a PMU, none. */
static int hw_hand_out(void)
{
	struct perf_counter_hw_pmu *hw_pmu;
	int err;

	list_for_each_entry(hw_pmu, &hw_pmus, node) {
		err = hw_pmu->users ? hw_claim(hw_pmu) : 0;
		if (err)
			goto release;
	}
	list_for_each_entry(hw_pmu, &hw_pmus, node)
		hw_go_on(hw_pmu);
	return 0;

release:
	list_for_each_entry_continue_reverse(hw_pmu, &hw_pmus, node) {
		if (hw_pmu->users)
			hw_release(hw_pmu);
	}
	return err;
}

/**
 * perf_counter_hw_set_users() - Take the PMU back from everybody, or hand it out
 * @users: as kernel.perf_counter_pmu
 *
 * Context: may sleep.
 * Return: 0; -EBUSY when it is handed out, and perf_events has a PMU that is in use here.
 */
int perf_counter_hw_set_users(int users)
{
	int err = 0;

	guard(mutex)(&hw_mutex);
	if (users == HW_NOBODY && hw_users != HW_NOBODY)
		hw_take_back();
	else if (users != HW_NOBODY && hw_users == HW_NOBODY)
		err = hw_hand_out();
	if (!err)
		WRITE_ONCE(hw_users, users);
	return err;
}

static int hw_users_handler(const struct ctl_table *table, int write, void *buffer, size_t *lenp,
			    loff_t *ppos)
{
	int users = READ_ONCE(hw_users), err;
	struct ctl_table copy = *table;

	copy.data = &users;
	err = proc_dointvec_minmax(&copy, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	return perf_counter_hw_set_users(users);
}

static struct ctl_table hw_sysctls[] = {
	{
		.procname	= "perf_counter_pmu",
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= hw_users_handler,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_TWO,
	},
};

/* === While the machine sleeps, or starts another kernel, the PMU is stopped === */

/**
 * perf_counter_hw_suspend() - stop the PMU of each CPU, and leave nothing in its registers
 *
 * Counters stay, and do not run, until perf_counter_hw_resume(). For architectures whose
 * machine can be moved without the notifiers of sleep being called.
 *
 * Context: may sleep.
 */
void perf_counter_hw_suspend(void)
{
	struct perf_counter_hw_pmu *hw_pmu;

	guard(mutex)(&hw_mutex);
	list_for_each_entry(hw_pmu, &hw_pmus, node)
		hw_halt(hw_pmu);
}

/**
 * perf_counter_hw_resume() - counters run again
 *
 * Context: may sleep.
 */
void perf_counter_hw_resume(void)
{
	struct perf_counter_hw_pmu *hw_pmu;

	guard(mutex)(&hw_mutex);
	list_for_each_entry(hw_pmu, &hw_pmus, node) {
		if (hw_users != HW_NOBODY)
			hw_go_on(hw_pmu);
	}
}

static int hw_reboot(struct notifier_block *block, unsigned long action, void *data)
{
	perf_counter_hw_suspend();
	return NOTIFY_DONE;
}

static int hw_sleep(struct notifier_block *block, unsigned long action, void *data)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		perf_counter_hw_suspend();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		perf_counter_hw_resume();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block hw_reboot_notifier = { .notifier_call = hw_reboot };

static int __init hw_init(void)
{
	pm_notifier(hw_sleep, 0);
	return register_reboot_notifier(&hw_reboot_notifier);
}
core_initcall(hw_init);

static int __init hw_sysctl_init(void)
{
	register_sysctl_init("kernel", hw_sysctls);
	return 0;
}
fs_initcall(hw_sysctl_init);

/* === Counting === */

static int hw_add(struct perf_counter *counter)
{
	struct perf_counter_hw *hw = &counter->hw;
	int err;

	hw->count = local64_read(&counter->count);
	hw->next = 0;
	hw->stopped = false;
	if (counter->period) {
		/* Of one that is overdue, when it was due. */
		hw->next = hw->count + local64_read(&counter->period_left) ?: 1;
		/* The work that disables it at its limit may be still to come. */
		hw->stopped = !atomic_read(&counter->desc->limit);
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
		local64_set(&counter->period_left, hw->next - hw->count);
}

static void hw_read(struct perf_counter *counter)
{
	if (counter->loaded)
		local64_set(&counter->count, counter->hw.backend->read(&counter->hw));
}

/* === Overflow === */

/* What KVM says of the guest that the NMI has interrupted: PERF_GUEST_*, or 0. */
#ifdef CONFIG_GUEST_PERF_EVENTS
#define hw_guest_state()	perf_guest_state()
#define hw_guest_ip()		perf_guest_get_ip()
#else
#define hw_guest_state()	0
#define hw_guest_ip()		0
#endif

/**
 * perf_counter_hw_has_branches() - do the samples of a slot's counter have branches?
 * @hw: of the counter
 *
 * If so, perf_counter_capture_branches() is called before its overflow.
 *
 * Context: NMI of the CPU.
 * Return: true if so.
 */
bool perf_counter_hw_has_branches(const struct perf_counter_hw *hw)
{
	return container_of_const(hw, struct perf_counter, hw)->desc->branches;
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/* Does the hardware know more of @counter's events than their registers? */
static bool hw_describes(const struct perf_counter *counter)
{
	return counter->hw.backend->describe;
}

/*
 * Does @counter not count the mode that the hardware names, or can no program of the current
 * task have been there? Then the event happened close by, before or after, and only the
 * registers of its interrupt say something of it.
 */
static bool is_beside(const struct perf_counter_attr *attr,
		      const struct perf_counter_hw_known *known)
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
 * The registers of an event in @mode, whose interrupt has @regs: those of another mode are not
 * handed out. The result tells user mode from others; NULL: there is no such event.
 */
static struct pt_regs *regs_in_mode(const struct perf_counter_attr *attr, u16 mode,
				    struct pt_regs *regs)
{
	/* An event of user mode may be interrupted for late. */
	if (mode == PERF_RECORD_MISC_USER && !user_mode(regs))
		return current->mm ? task_pt_regs(current) : NULL;
	if (mode != PERF_RECORD_MISC_USER && (user_mode(regs) || attr->exclude_kernel))
		return &perf_counter_no_regs;
	return regs;
}

/* As perf_counter_hw_overflow(), where it does, with @sample as far as it is known. */
static bool overflow_described(struct perf_counter *counter, struct perf_counter_sample *sample,
			       struct pt_regs *regs)
{
	const struct perf_counter_attr *attr = &counter->desc->attr;
	struct perf_counter_hw_known known = {};
	struct perf_counter_sample_extra extra = { .data_src = PERF_COUNTER_DATA_SRC_NA };
	u16 mode;

	if (!counter->hw.backend->describe(&counter->hw, attr->sample_type, regs, &known))
		return false;
	if (!known.ip || is_beside(attr, &known)) {
		mode = user_mode(regs) || attr->exclude_kernel ? PERF_RECORD_MISC_USER :
								 PERF_RECORD_MISC_KERNEL;
	} else {
		mode = known.mode;
		sample->exact = known.ip;
		sample->hypervisor = mode == PERF_RECORD_MISC_HYPERVISOR;
	}
	regs = regs_in_mode(attr, mode, regs);
	if (!regs)
		return false;
	if (!attr->exclude_kernel || !perf_counter_in_kernel(known.addr))
		sample->addr = known.addr;
	extra.weight.full = known.weight;
	if (known.data_src)
		extra.data_src.val = known.data_src;
	sample->extra = &extra;
	return perf_counter_overflow(counter, sample, regs);
}
#else
static bool hw_describes(const struct perf_counter *counter)
{
	return false;
}

static bool overflow_described(struct perf_counter *counter, struct perf_counter_sample *sample,
			       struct pt_regs *regs)
{
	return false;
}
#endif

/**
 * perf_counter_hw_overflow() - a slot has overflowed
 * @hw: of the counter that has it; @hw->count is up to date, and @hw->next will be
 * @regs: where
 *
 * Context: NMI of the CPU.
 * Return: true when the counter is not to go on: it is throttled, or the limit
 * that REFRESH set is used up.
 */
bool perf_counter_hw_overflow(struct perf_counter_hw *hw, struct pt_regs *regs)
{
	struct perf_counter *counter = container_of(hw, struct perf_counter, hw);
	u64 period = READ_ONCE(counter->period);
	struct perf_counter_sample sample = { .period = period };
	unsigned long window = READ_ONCE(jiffies);

	/* The slot goes on, and so does what programs make of it; but not for ever. */
	if (!hw->next) {
		counter->rewind = true;
		perf_counter_tick_start(counter->desc->pmu);
		return false;
	}
	/* A slot may be too narrow for what is left of the period. */
	if ((s64)(hw->count - hw->next) < 0)
		return false;
	if (unlikely(perf_counter_throttle(counter, counter->window_end != window, window))) {
		perf_counter_tick_start(counter->desc->pmu);
		return true;
	}
	if (unlikely(counter->desc->attr.freq)) {
		perf_counter_freq_adapt(counter, hw->count);
		period = counter->period;
	}
	hw->next += period;
	/* It was over before the NMI came. */
	if (unlikely((s64)(hw->next - hw->count) <= 0))
		hw->next = hw->count + period;

	sample.guest = hw_guest_state();
	if (unlikely(sample.guest)) {
		sample.ip = hw_guest_ip();
	} else if (hw_describes(counter)) {
		return overflow_described(counter, &sample, regs);
	} else if (unlikely(counter->desc->attr.exclude_kernel && !user_mode(regs))) {
		/* What happened in user mode is said of it, however late the NMI came. */
		if (!current->mm)
			return false;
		regs = task_pt_regs(current);
	}
	return perf_counter_overflow(counter, &sample, regs);
}

/**
 * perf_counter_hw_change() - Change how the PMU of a loaded counter counts on this CPU
 * @hw: of any counter that has a slot of this CPU
 * @change: makes the change; called between the backend's disable and enable
 *
 * For backends whose registers have to be written because of something that is no counter. A
 * program that reads a counter by itself is told if the counter begins anew.
 *
 * Context: IRQs off, on the CPU that has the slot.
 */
void perf_counter_hw_change(const struct perf_counter_hw *hw, void (*change)(void))
{
	perf_counter_pmu_change(container_of(hw, struct perf_counter, hw)->desc->pmu, change);
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/**
 * perf_counter_hw_moved() - a slot that counts begins anew
 * @hw: of the counter that has it; @hw->count and @hw->start are up to date
 *
 * For slots that cannot go on past their overflow: whoever reads it by itself is told at once.
 *
 * Context: NMI of the CPU.
 */
void perf_counter_hw_moved(struct perf_counter_hw *hw)
{
	perf_counter_control_moved(container_of(hw, struct perf_counter, hw));
}
#endif

/*
 * A tick has passed. A counter that was throttled goes on. One whose events became rare
 * does not sit out the rest of a long period. One that only counts, and has come past 0,
 * begins at its lowest value again.
 */
static bool hw_tick(struct perf_counter *counter, u64 now)
{
	u64 period = counter->period;
	s64 left;

	if (counter->throttled || counter->rewind) {
		counter->rewind = false;
		perf_counter_unload(counter, now);
		if (counter->throttled)
			perf_counter_throttle(counter, true, jiffies);
		perf_counter_reload(counter, now);
	}
	if (!counter->desc->attr.freq)
		return false;
	if (perf_counter_time_running(counter, now) - counter->freq_stamp <= TICK_NSEC)
		return true;

	hw_read(counter);
	perf_counter_freq_adapt(counter, local64_read(&counter->count));
	left = counter->hw.next - local64_read(&counter->count);
	if (left <= (s64)counter->period || counter->period >= period)
		return true;
	perf_counter_unload(counter, now);
	local64_set(&counter->period_left, counter->period);
	perf_counter_reload(counter, now);
	return true;
}

/* === PMUs and their backends === */

static void hw_user_page(const struct perf_counter *counter, bool readable, u64 clock,
			 struct perf_event_mmap_page *page)
{
	/* What the register had counted before; the backend makes up for its start. */
	if (readable)
		page->offset = counter->hw.count - counter->base;
	counter->hw.backend->user_page(readable ? &counter->hw : NULL, clock, page);
}

/**
 * perf_counter_hw_pmu_register() - there is a PMU that a backend drives
 * @hw_pmu: filled in
 * @backend: the backend
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_hw_pmu_register(struct perf_counter_hw_pmu *hw_pmu,
				 const struct perf_counter_backend *backend)
{
	int err;

	*hw_pmu = (struct perf_counter_hw_pmu) {
		.pmu = {
			.cpus		= backend->cpus,
			.types		= BIT(PERF_TYPE_HARDWARE) | BIT(PERF_TYPE_HW_CACHE) |
					  BIT(PERF_TYPE_RAW) | backend->types,
			.event_init	= hw_event_init,
			.event_exit	= hw_event_exit,
			.counter_init	= hw_counter_init,
			.add		= hw_add,
			.del		= hw_del,
			.read		= hw_read,
			.disable	= backend->disable,
			.enable		= backend->enable,
			.reset		= backend->reset,
			.read_here	= backend->read,
			.tick		= hw_tick,
			.fits		= hw_fits,
			.user_may	= backend->user_may,
			.user_page	= hw_user_page,
			.user_access	= backend->user_access,
			.hold		= hw_hold,
			.let_go		= hw_let_go,
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
			.reg		= backend->reg,
#endif
		},
		.backend = backend,
	};
	err = perf_counter_register_pmu(&hw_pmu->pmu);
	if (err)
		return err;
	if (backend->recorder)
		perf_counter_set_recorder_pmu(&hw_pmu->pmu, backend->recorder);
	guard(mutex)(&hw_mutex);
	list_add_tail(&hw_pmu->node, &hw_pmus);
	return 0;
}

/**
 * perf_counter_hw_pmu_unregister() - Take a PMU of a test away
 * @hw_pmu: the PMU as it was registered; nothing counts on it, and its backend has no recorder
 *
 * Context: may sleep.
 */
void perf_counter_hw_pmu_unregister(struct perf_counter_hw_pmu *hw_pmu)
{
	scoped_guard(mutex, &hw_mutex) {
		if (hw_staying == hw_pmu)
			hw_end_stay();
		list_del(&hw_pmu->node);
	}
	perf_counter_unregister_pmu(&hw_pmu->pmu);
}

/**
 * perf_counter_register_backend() - there is a PMU
 * @backend: drives it; stays for good
 *
 * A machine may have several, on the same CPUs or on different ones.
 *
 * Context: an initcall; may sleep.
 * Return: 0, or -ENOMEM.
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

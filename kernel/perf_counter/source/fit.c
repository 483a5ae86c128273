// SPDX-License-Identifier: GPL-2.0
/*
 * Group validation: whether all counters of a group have slots of a PMU at the same time.
 */

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/string.h>

#include "source.h"

/**
 * struct slot_fit - slots given to the counters of a group, on one kind of CPU
 * @other: flag: the kind of CPU is that of backend->other_cpus
 * @absent: flag: some counters cannot count on this kind of CPU
 * @nr: number of counters that can count on this kind of CPU
 * @slots: mask of the slots that each counter can use
 * @owner: index of the counter that has each slot, or -1
 */
struct slot_fit {
	bool		other;
	bool		absent;
	unsigned int	nr;
	u64		slots[BITS_PER_TYPE(u64)];
	s8		owner[BITS_PER_TYPE(u64)];
};

/*
 * Find a slot outside of @tried for @counter. If all its slots are taken, try to move
 * an owner to another slot, as backends do when they load counters. Each slot is tried
 * once.
 */
static bool fit_one(struct slot_fit *fit, unsigned int counter, u64 *tried)
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

/* Find a slot for one more counter, out of @slots. */
static bool fit_slots(struct slot_fit *fit, u64 slots)
{
	u64 tried = 0;

	if (fit->nr == ARRAY_SIZE(fit->slots))
		return false;
	fit->slots[fit->nr] = slots;
	return fit_one(fit, fit->nr++, &tried);
}

/*
 * Find slots for @desc. If its counter takes two slots, find the second one as if it were for
 * another counter: which two slots form a pair need not be checked, because counters that take a
 * single slot can use all slots.
 */
static bool fit_desc(struct slot_fit *fit, const struct perf_counter_desc *desc,
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

/*
 * Check that all counters of the group have slots at the same time, or that none of
 * them counts on this kind of CPU.
 */
static bool slots_fit(const struct perf_counter_desc *leader,
		      const struct perf_counter_desc *desc, bool other)
{
	const struct perf_counter_desc *member;
	struct slot_fit fit = { .other = other };
	bool fits;

	memset(fit.owner, -1, sizeof(fit.owner));
	fits = fit_desc(&fit, leader, desc->pmu);
	list_for_each_entry(member, &leader->group.members, group.node)
		fits = fits && fit_desc(&fit, member, desc->pmu);
	return fits && fit_desc(&fit, desc, desc->pmu) && !(fit.nr && fit.absent);
}

/* Group validation for a PMU that decides on whole sets of counters. */
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
struct hw_set {
	const struct perf_counter_hw	*hw[PERF_COUNTER_SET_MAX];
	unsigned int			nr;
};

static bool hw_set_add(struct hw_set *set, const struct perf_counter_desc *desc,
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
	return perf_counter_hw_pmu_of(desc->pmu)->backend->validate_set;
}

static bool validate_set(const struct perf_counter_desc *leader,
			 const struct perf_counter_desc *desc)
{
	const struct perf_counter_backend *backend = perf_counter_hw_pmu_of(desc->pmu)->backend;
	const struct perf_counter_desc *member;
	struct hw_set set = {};
	bool fits = hw_set_add(&set, leader, desc->pmu);

	list_for_each_entry(member, &leader->group.members, group.node)
		fits = fits && hw_set_add(&set, member, desc->pmu);
	return fits && hw_set_add(&set, desc, desc->pmu) && backend->validate_set(set.hw, set.nr);
}
#else
static bool hw_decides_on_sets(const struct perf_counter_desc *desc)
{
	return false;
}

static bool validate_set(const struct perf_counter_desc *leader,
			 const struct perf_counter_desc *desc)
{
	return false;
}
#endif

/**
 * perf_counter_hw_validate_group() - Check that a PMU can count a group with one more member
 * @leader: leader of the group
 * @desc: new member, or @leader itself
 *
 * Only the counters of @desc's PMU are checked.
 *
 * Context: leader->mutex held.
 * Return: true if the PMU has slots for all of the group's counters at the same time.
 */
bool perf_counter_hw_validate_group(const struct perf_counter_desc *leader,
				    const struct perf_counter_desc *desc)
{
	if (hw_decides_on_sets(desc))
		return validate_set(leader, desc);
	return slots_fit(leader, desc, false) &&
	       (!perf_counter_hw_pmu_of(desc->pmu)->backend->other_cpus ||
		slots_fit(leader, desc, true));
}

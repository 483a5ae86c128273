// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves the branch records of a sample.
 */
#include "branch.h"

/*
 * The mode at one end of a branch. A branch may cross into another mode, which may not be sampled,
 * so the mode follows from the address. 64-bit kernels are in the upper half of the addresses; a
 * 32-bit kernel is found by its mappings.
 */
static enum cpu_mode mode_at(const struct machine *machine, const struct record *record,
			     uint64_t addr)
{
	bool upper = addr >> 63;

	switch (cpu_mode_of(record->misc)) {
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		return upper ? MODE_GUEST_KERNEL : MODE_GUEST_USER;
	default:
		return upper || map_set_find(machine->kernel_maps, addr) ? MODE_KERNEL : MODE_USER;
	}
}

void branch_resolve(struct branch *branch, struct machine *machine, const struct thread *thread,
		    const struct record *record, uint64_t i)
{
	struct perf_branch_entry *entry = &branch->entry;

	*entry = branch_get(&record->sample.branches, i);
	machine_resolve(machine, thread, mode_at(machine, record, entry->from), entry->from,
			&branch->from);
	machine_resolve(machine, thread, mode_at(machine, record, entry->to), entry->to,
			&branch->to);
}

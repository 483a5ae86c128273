/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branch records of a sample, resolved.
 */
#ifndef PERF_MACHINE_BRANCH_H
#define PERF_MACHINE_BRANCH_H

#include "state.h"

/**
 * struct branch - a branch that was taken
 * @entry: as it was recorded
 * @from: the instruction that branched
 * @to: where to
 */
struct branch {
	struct perf_branch_entry entry;
	struct location from;
	struct location to;
};

/**
 * branch_resolve() - resolve one of a sample's branch records
 * @branch: where to
 * @machine: the machine at the time of the sample
 * @thread: who was running
 * @record: the sample
 * @i: which of its branches; 0 is the youngest
 */
void branch_resolve(struct branch *branch, struct machine *machine, const struct thread *thread,
		    const struct record *record, uint64_t i);

#endif

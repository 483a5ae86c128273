/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resolves the branch records of a sample.
 */
#ifndef PERF_MACHINE_BRANCH_H
#define PERF_MACHINE_BRANCH_H

#include "state.h"

/**
 * struct branch - a branch that was taken
 * @entry: branch record
 * @from: location of the branch instruction
 * @to: location that the branch led to
 */
struct branch {
	struct perf_branch_entry entry;
	struct location from;
	struct location to;
};

/**
 * branch_resolve() - Resolve one branch record of a sample
 * @branch: set to the branch
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 * @i: index of the branch record; 0 is the youngest
 */
void branch_resolve(struct branch *branch, struct machine *machine, const struct thread *thread,
		    const struct record *record, uint64_t i);

#endif

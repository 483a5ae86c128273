/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds older calls than branch records have room for (--stitch-lbr).
 */
#ifndef PERF_MACHINE_CALL_STACK_H
#define PERF_MACHINE_CALL_STACK_H

#include "state.h"

struct call {
	uint64_t from;
	uint64_t to;
};

/**
 * struct past_calls - the calls of a thread's last sample, the youngest first
 * @hw_idx: register that had the youngest call
 * @nr: number of calls that were in registers
 * @nr_all: number of calls, with the older ones
 * @calls: calls
 */
struct past_calls {
	uint64_t hw_idx;
	size_t nr;
	size_t nr_all;
	struct call calls[];
};

/**
 * call_stack_older() - Guess the calls that are older than a sample's call stack
 * @machine: machine; with stitch_calls false there are no older calls
 * @thread: thread of the sample; keeps the calls for its next sample
 * @stack: call stack from the branch recorder
 * @older: set to the calls, the youngest first; valid until the next sample of @thread
 *
 * Return: The number of older calls, or 0.
 */
size_t call_stack_older(const struct machine *machine, struct thread *thread,
			const struct branch_stack *stack, const struct call **older);

#endif

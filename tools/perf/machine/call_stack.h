/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls below those that branch records have room for (--stitch-lbr).
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
 * @hw_idx: the register that had the youngest
 * @nr: how many were in registers
 * @nr_all: with those that were older
 * @calls: they
 */
struct past_calls {
	uint64_t hw_idx;
	size_t nr;
	size_t nr_all;
	struct call calls[];
};

/**
 * call_stack_older() - the calls that are older than a sample's records of calls
 * @machine: the machine; its stitch_calls says whether they are wanted
 * @thread: who was running; remembers this sample for the next one
 * @stack: the records
 * @older: gets them, the youngest first; valid until the next sample of @thread
 *
 * They are an estimate, see call_stack.c.
 *
 * Return: how many they are; 0 where it is not known.
 */
size_t call_stack_older(const struct machine *machine, struct thread *thread,
		   const struct branch_stack *stack, const struct call **older);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves the call chain of a sample.
 */
#include <stdlib.h>
#include <string.h>

#include "branch.h"
#include "callchain.h"
#include "call_stack.h"
#include "link_register.h"

/* Maximum number of frames up to which inlined functions are added. */
#define FRAMES_MAX 65536

/* The bit after attr.sigtrap, since Linux 6.19: callers in user mode are recorded later. */
#define DEFER_CALLERS 1

bool callchain_mode(uint64_t mark, enum cpu_mode *mode)
{
	switch (mark) {
	case PERF_CONTEXT_HV:
		*mode = MODE_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*mode = MODE_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*mode = MODE_USER;
		return true;
	case PERF_CONTEXT_GUEST_KERNEL:
		*mode = MODE_GUEST_KERNEL;
		return true;
	case PERF_CONTEXT_GUEST_USER:
		*mode = MODE_GUEST_USER;
		return true;
	default:
		return false;
	}
}

static void reserve(struct callchain *chain, size_t nr)
{
	if (chain->room >= nr)
		return;
	chain->room = nr;
	chain->frames = xreallocarray(chain->frames, nr, sizeof(*chain->frames));
}

/* Put the mark of missing callers before the latest entry. */
static void insert_gap(struct callchain *chain)
{
	struct location *frame = &chain->frames[chain->nr];

	frame[1] = frame[0];
	frame[0] = (struct location){ .mode = MODE_NOWHERE, .symbol = &pointer_gap_symbol };
	chain->nr++;
}

/*
 * Add the first @nr entries of the chain that the kernel recorded. The first address of each mode
 * is an instruction pointer; the others are return addresses. There must be room for 2 * @nr
 * frames.
 */
static void add_recorded(struct callchain *chain, struct machine *machine,
			 const struct thread *thread, const struct record *record, uint64_t nr,
			 struct pointer_walk *walk)
{
	const struct sample *sample = &record->sample;
	enum cpu_mode mode = cpu_mode_of(record->misc);
	uint64_t i, ip, first = 0;
	struct link_register lr = { 0 };
	enum pointer_entry entry;
	struct location *frame;

	for (i = 0; i < nr; i++) {
		ip = sample->chain[i];
		if (ip >= PERF_CONTEXT_MAX) {
			if (!callchain_mode(ip, &mode))
				return;
			first = i + 1;
			lr = (struct link_register){ 0 };
			continue;
		}
			/* Chains of frame pointers end with 0. */
		if (!ip && chain->nr)
			continue;
		frame = &chain->frames[chain->nr];
		if (i == first) {
			machine_resolve(machine, thread, mode, ip, frame);
			if (!sample->stack_dropped)
				link_register_begin(&lr, machine, frame);
		} else {
			machine_resolve_return(machine, thread, mode, ip, frame);
			if (link_register_spoils(&lr, i - first, frame,
						 i + 1 < nr ? sample->chain[i + 1] : 0))
				continue;
		}
		entry = pointer_walk_add(walk, frame);
		if (entry == POINTER_WRONG)
			continue;
		if (entry == POINTER_GAP)
			insert_gap(chain);
		chain->nr++;
	}
}

/* Return the number of entries before the first entry of user mode. */
static uint64_t nr_before_user(const struct sample *sample)
{
	uint64_t i;

	for (i = 0; i < sample->chain_nr && sample->chain[i] != PERF_CONTEXT_USER; i++)
		;
	return i;
}

/*
 * Find the instruction pointer in user mode. Return false if it is unknown. It is unknown for a
 * kernel thread: the branch recorder's call stack would belong to another thread.
 */
static bool find_user_ip(const struct record *record, uint64_t before, uint64_t *ip)
{
	const struct sample *sample = &record->sample;

	if (cpu_mode_of(record->misc) == MODE_USER) {
		*ip = sample->ip;
		return true;
	}
	if (before + 1 >= sample->chain_nr || sample->chain[before + 1] >= PERF_CONTEXT_MAX)
		return false;
	*ip = sample->chain[before + 1];
	return true;
}

static void add_user(struct callchain *chain, struct machine *machine, const struct thread *thread,
		     uint64_t ip)
{
	if (ip)
		machine_resolve(machine, thread, MODE_USER, ip, &chain->frames[chain->nr++]);
}

/*
 * Build the chain: take the user-mode calls from the branch recorder's call stack, and all others
 * from the recorded chain.
 */
static void add_calls(struct callchain *chain, struct machine *machine, struct thread *thread,
		      const struct record *record)
{
	const struct branch_stack *calls = &record->sample.branches;
	uint64_t i, ip, before = nr_before_user(&record->sample);
	struct pointer_walk walk = { 0 };
	const struct call *older;
	size_t nr_older;

	nr_older = call_stack_older(machine, thread, calls, &older);
	reserve(chain, 2 * before + 1 + calls->nr + nr_older);
	add_recorded(chain, machine, thread, record, before, &walk);
	if (!find_user_ip(record, before, &ip))
		return;
	add_user(chain, machine, thread, ip);
	for (i = 0; i < calls->nr; i++)
		add_user(chain, machine, thread, branch_get(calls, i).from);
	for (i = 0; i < nr_older; i++)
		add_user(chain, machine, thread, older[i].from);
}

/* Count the reason why a chain ended; session_complain() reports the reasons. */
static void count_end(struct machine *machine, const struct unwind *unwind,
		      const struct location *last)
{
	struct unwind_counts *counts = &machine->unwound;

	counts->ends[unwind->end]++;
	counts->by_pointer += unwind->by_pointer;
	if (unwind->end == UNWIND_NO_RULES && last->dso && !counts->no_rules)
		counts->no_rules = last->dso;
	if (unwind->end == UNWIND_DAMAGED && !counts->damaged)
		counts->damaged = last->dso;
	if (unwind->end == UNWIND_NO_STACK)
		counts->stack_size = unwind->stack_size;
}

/*
 * Resolve the current frame. @inexact is true for the innermost frame of a sample in the kernel,
 * whose instruction pointer may be after the end of its function.
 */
static void resolve_frame(struct machine *machine, const struct thread *thread,
			  const struct unwind *unwind, bool inexact, struct location *frame)
{
	if (!unwind->is_return)
		machine_resolve(machine, thread, MODE_USER, unwind->ip, frame);
	if (unwind->is_return || (inexact && !frame->symbol))
		machine_resolve_return(machine, thread, MODE_USER, unwind->ip, frame);
}

/* Add the frames of user mode, found by the recorded registers and stack. Return the last frame. */
static const struct location *add_frames(struct callchain *chain, struct machine *machine,
					 const struct thread *thread, struct unwind *unwind)
{
	struct location *frame;

	frame = &chain->frames[chain->nr++];
	resolve_frame(machine, thread, unwind, unwind->in_kernel, frame);
	while (unwind_next(unwind, frame)) {
		frame = &chain->frames[chain->nr];
		resolve_frame(machine, thread, unwind, false, frame);
		if (unwind->guessed && !location_is_behind_call(frame)) {
			unwind->end = UNWIND_NO_RULES;
			frame--;
			break;
		}
		chain->nr++;
	}
	return frame;
}

/*
 * Build the chain: unwind user mode by the recorded registers and stack, and take all other calls
 * from the recorded chain.
 */
static void add_unwound(struct callchain *chain, struct machine *machine,
			const struct thread *thread, const struct record *record,
			struct unwind *unwind)
{
	uint64_t before = nr_before_user(&record->sample);
	struct pointer_walk walk = { 0 };

	reserve(chain, 2 * before + UNWIND_FRAMES);
	add_recorded(chain, machine, thread, record, before, &walk);
	count_end(machine, unwind, add_frames(chain, machine, thread, unwind));
}

/* Move frame @i after the functions that are inlined there. */
static void insert_inlined(struct callchain *chain, size_t i, const struct location *inner,
			   size_t nr)
{
	if (chain->room < chain->nr + nr)
		reserve(chain, 2 * (chain->nr + nr));
	memmove(&chain->frames[i + nr], &chain->frames[i],
		(chain->nr - i) * sizeof(*chain->frames));
	memcpy(&chain->frames[i], inner, nr * sizeof(*inner));
	chain->nr += nr;
}

/* Add the inlined functions of a chain as frames of their own. */
static void add_inlined(struct callchain *chain, const struct machine *machine)
{
	struct location inner[INLINED_MAX];
	size_t i, nr;

	if (!machine->with_inlined)
		return;
	for (i = 0; i < chain->nr && chain->nr < FRAMES_MAX; i++) {
		nr = location_inlined(&chain->frames[i], inner);
		if (nr)
			insert_inlined(chain, i, inner, nr);
		i += nr;
	}
}

/*
 * Return true if the kernel looks for the caller where a function begins: at a probe, and in a
 * chain that is completed when the thread returns to user mode.
 */
static bool finds_callers_at_probe(const struct machine *machine, const struct record *record)
{
	const struct perf_event_attr *attr;

	if (!machine->events || record->event >= machine->events->nr)
		return false;
	attr = &machine->events->events[record->event].attr;
	return attr->type == PERF_TYPE_TRACEPOINT || attr->__reserved_1 & DEFER_CALLERS ||
	       (attr->type > PERF_TYPE_BREAKPOINT && !attr->freq && attr->sample_period <= 1);
}

/* Make the chain of a sample without inlined functions. */
static void resolve(struct callchain *chain, struct machine *machine, struct thread *thread,
		    const struct record *record)
{
	enum arch arch = data_features_arch(machine->dsos.features);
	const struct sample *sample = &record->sample;
	struct pointer_walk walk = {
		.active = arch == ARCH_X86 && !sample->stack_dropped,
		.at_probe = finds_callers_at_probe(machine, record),
	};
	struct unwind unwind;

	chain->nr = 0;
	if (branches_are_calls(sample->branches.type)) {
		add_calls(chain, machine, thread, record);
		return;
	}
	if (unwind_begin(&unwind, sample, cpu_mode_of(record->misc) != MODE_USER, arch)) {
		add_unwound(chain, machine, thread, record, &unwind);
		return;
	}
	reserve(chain, 2 * sample->chain_nr);
	add_recorded(chain, machine, thread, record, sample->chain_nr, &walk);
	/* On powerpc, every function has the pointer to its caller's frame. */
	if (walk.active)
		pointer_chain_count(&machine->pointed, chain->frames, chain->nr, &walk);
}

/**
 * callchain_resolve() - Resolve the call chain of a sample
 * @chain: replaced by the chain of the sample
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 */
void callchain_resolve(struct callchain *chain, struct machine *machine, struct thread *thread,
		       const struct record *record)
{
	resolve(chain, machine, thread, record);
	add_inlined(chain, machine);
}

/**
 * callchain_unwind() - Find the callers in user mode by the registers and the stack of a sample
 * @chain: replaced by the frames of user mode
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 *
 * Return: True if the chain reaches the start of the thread and no frame was found by a frame
 * pointer.
 */
bool callchain_unwind(struct callchain *chain, struct machine *machine,
		      const struct thread *thread, const struct record *record)
{
	enum arch arch = data_features_arch(machine->dsos.features);
	struct unwind unwind;

	chain->nr = 0;
	if (branches_are_calls(record->sample.branches.type) ||
	    !unwind_begin(&unwind, &record->sample, cpu_mode_of(record->misc) != MODE_USER, arch))
		return false;
	reserve(chain, UNWIND_FRAMES);
	add_frames(chain, machine, thread, &unwind);
	return unwind.end == UNWIND_OUTERMOST && !unwind.by_pointer;
}

/**
 * callchain_of_branches() - Make a chain of the branch records of a sample
 * @chain: replaced by the sample's address, then target and source of each branch, the
 *	youngest branch first
 * @machine: machine at the time of the sample
 * @thread: thread of the sample
 * @record: sample
 */
void callchain_of_branches(struct callchain *chain, struct machine *machine,
			   const struct thread *thread, const struct record *record)
{
	uint64_t i, nr = record->sample.branches.nr;
	struct branch branch;

	reserve(chain, 1 + 2 * nr);
	machine_resolve(machine, thread, cpu_mode_of(record->misc), record->sample.ip,
			&chain->frames[0]);
	chain->nr = 1;
	for (i = 0; i < nr; i++) {
		branch_resolve(&branch, machine, thread, record, i);
		chain->frames[chain->nr++] = branch.to;
		chain->frames[chain->nr++] = branch.from;
	}
	add_inlined(chain, machine);
}

void callchain_free(struct callchain *chain)
{
	free(chain->frames);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Finds older calls than branch records have room for (--stitch-lbr).
 *
 * The PMU keeps calls in a ring of registers: a call takes the next register, and a return frees
 * it. When all are in use, a call overwrites the oldest one. The overwritten call, and the calls
 * below it, may be in the previous sample:
 *
 *	register    0  1  2  3
 *	previous    a  b  c  d      b called c, a called b
 *	this        e  f  c  d      the oldest is c; b and a are below it, if both c are one call
 *
 * Whether both are one call is a guess: c may have returned and been called from another place.
 * So both must be in the same register, and neither sample may have another call like them,
 * because a recursion consists of equal calls.
 */
#include <stdlib.h>
#include <string.h>

#include "call_stack.h"

/* Maximum number of registers of a PMU. */
#define REGISTERS_MAX 256
/* Maximum number of calls that are kept. */
#define CALLS_MAX 1024

static bool is_same(const struct call *a, const struct call *b)
{
	return a->from == b->from && a->to == b->to;
}

static size_t count(const struct call *calls, size_t nr, const struct call *like)
{
	size_t i, found = 0;

	for (i = 0; i < nr; i++)
		found += is_same(&calls[i], like);
	return found;
}

/*
 * Find the oldest call of @now, which fills all registers, in @before. Return: the number of calls
 * of @before down to that call, or 0 if it is not found.
 */
static size_t find_oldest(const struct past_calls *before, const struct past_calls *now,
			  uint64_t registers)
{
	const struct call *oldest = &now->calls[now->nr - 1];
	uint64_t at = (before->hw_idx + registers - (now->hw_idx + 1) % registers) % registers;

	if (at >= before->nr || !is_same(&before->calls[at], oldest) ||
	    count(before->calls, before->nr, oldest) != 1 ||
	    count(now->calls, now->nr, oldest) != 1)
		return 0;
	return at + 1;
}

/* Copy the calls of @stack, with room for the older ones of @before. */
static struct past_calls *remember(const struct branch_stack *stack,
				   const struct past_calls *before)
{
	size_t room = stack->nr + (before ? before->nr_all : 0);
	struct perf_branch_entry entry;
	struct past_calls *calls;
	uint64_t i;

	calls = xmalloc(sizeof(*calls) + room * sizeof(calls->calls[0]));
	calls->hw_idx = stack->hw_idx;
	calls->nr = stack->nr;
	calls->nr_all = stack->nr;
	for (i = 0; i < stack->nr; i++) {
		entry = branch_get(stack, i);
		calls->calls[i] = (struct call){ .from = entry.from, .to = entry.to };
	}
	return calls;
}

/* Add the calls of @before that are older than its first @nr, up to CALLS_MAX. */
static void add_older(struct past_calls *now, const struct past_calls *before, size_t nr)
{
	size_t older = before->nr_all - nr, most = CALLS_MAX - now->nr;

	if (older > most)
		older = most;
	memcpy(now->calls + now->nr, before->calls + nr, older * sizeof(now->calls[0]));
	now->nr_all += older;
}

static bool is_usable(const struct branch_stack *stack, uint64_t registers)
{
	return registers <= REGISTERS_MAX && stack->hw_idx < registers && stack->nr <= registers;
}

size_t call_stack_older(const struct machine *machine, struct thread *thread,
			const struct branch_stack *stack, const struct call **older)
{
	uint64_t registers = machine->dsos.features->branch_registers;
	struct past_calls *now = NULL, *before = thread->calls;
	size_t nr;

	if (machine->stitch_calls && is_usable(stack, registers))
		now = remember(stack, before);
	if (now && before && now->nr == registers) {
		nr = find_oldest(before, now, registers);
		if (nr)
			add_older(now, before, nr);
	}
	free(before);
	thread->calls = now;
	if (!now)
		return 0;
	*older = now->calls + now->nr;
	return now->nr_all - now->nr;
}

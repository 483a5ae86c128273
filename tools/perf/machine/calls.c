// SPDX-License-Identifier: GPL-2.0
/*
 * The calls below those that branch records have room for (--stitch-lbr).
 *
 * The PMU keeps calls in a ring of registers: a call takes the next one, a return gives it
 * back. When all are in use, a call overwrites the oldest. That one was in the sample before,
 * perhaps, and so were those below it:
 *
 *	register    0  1  2  3
 *	before      a  b  c  d      c was called from b, b from a
 *	now         e  f  c  d      the oldest is c; b and a are below it, if this is the same c
 *
 * That it is the same nobody can know: it may have returned, and its like been called again
 * from elsewhere. So it has to be in the same register, and no other call on either side may be
 * like it, as in a recursion all are.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/* More registers than any PMU has, and deeper than chains are recorded. */
#define REGISTERS_MAX 256
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

/* Where the oldest of @now, which fills all registers, was before; 0: nowhere that is known. */
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

static struct past_calls *remember(const struct branch_stack *stack)
{
	struct past_calls *calls = xmalloc(sizeof(*calls) + CALLS_MAX * sizeof(calls->calls[0]));
	struct perf_branch_entry entry;
	uint64_t i;

	calls->hw_idx = stack->hw_idx;
	calls->nr = stack->nr;
	calls->nr_all = stack->nr;
	for (i = 0; i < stack->nr; i++) {
		entry = branch_get(stack, i);
		calls->calls[i] = (struct call){ .from = entry.from, .to = entry.to };
	}
	return calls;
}

size_t calls_older(const struct machine *machine, struct thread *thread,
		   const struct branch_stack *stack, const struct call **older)
{
	uint64_t registers = machine->dsos.features->branch_registers;
	struct past_calls *now, *before = thread->calls;
	size_t below = 0, nr = 0;

	thread->calls = NULL;
	if (machine->stitch_calls && registers <= REGISTERS_MAX && stack->hw_idx < registers &&
	    stack->nr <= registers) {
		now = remember(stack);
		thread->calls = now;
		*older = now->calls + now->nr;
		if (before && now->nr == registers)
			below = find_oldest(before, now, registers);
		if (below) {
			nr = before->nr_all - below;
			if (nr > CALLS_MAX - now->nr)
				nr = CALLS_MAX - now->nr;
			memcpy(now->calls + now->nr, before->calls + below,
			       nr * sizeof(now->calls[0]));
			now->nr_all += nr;
		}
	}
	free(before);
	return nr;
}

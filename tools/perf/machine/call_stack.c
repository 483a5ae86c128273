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

#include "call_stack.h"

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

/*
 * The oldest of @now, which fills all registers, is the last of so many of @before; 0: it is not
 * known to be among them.
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

/* The calls of @stack, with room for those below them that @before may show. */
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

/* Add what was below the first @nr of @before, as far as there may be so many. */
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

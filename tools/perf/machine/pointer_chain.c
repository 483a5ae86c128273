// SPDX-License-Identifier: GPL-2.0
/*
 * Judges chains that the kernel found by frame pointers.
 */
#include <string.h>

#include "util/util.h"
#include "pointer_chain.h"

/* A chain of this many functions is no proof of frame pointers: the second one may be a guess. */
#define SHORT_CHAIN 2

/* Size of endbr64, which functions may begin with. */
#define LANDING_SIZE 4

/* Fewest chains by which the share of broken ones is judged. */
#define ENOUGH_CHAINS 20

struct symbol pointer_gap_symbol = { .name = "[missing callers]" };

/* Return true for functions that threads begin with; the C library's have no frame pointers. */
static bool begins_thread(const struct location *frame)
{
	static const char *const names[] = {
		"main", "_start", "start_thread", "clone", "clone3", "libc_start", "dl_start",
	};
	const char *name = frame->symbol ? frame->symbol->name : "";
	size_t i;

	name += strcmp(name, "_start") ? strspn(name, "_") : 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		size_t size = strlen(names[i]);

		if (!strncmp(name, names[i], size) &&
		    (size > 7 || !name[size] || name[size] == '@'))
			return true;
	}
	return false;
}

static bool is_code(const struct location *frame)
{
	return frame->dso && frame->dso->kind != DSO_PLAIN;
}

/* Return the value of the frame pointer in the function of an entry. */
static enum pointer_frame value_at(const struct pointer_walk *walk, const struct location *frame)
{
	enum pointer_frame value;

	if (!is_code(frame))
		return POINTER_UNKNOWN;
	if (walk->at_probe && !frame->back && frame->symbol &&
	    frame->symbol_offset <= LANDING_SIZE)
		return POINTER_UNKNOWN;
	value = dso_pointer_frame(frame->dso, frame->addr, frame->back);
	/* A system call may be the last instruction of a function. */
	if (value == POINTER_UNKNOWN && walk->in_kernel && !frame->back)
		return dso_pointer_frame(frame->dso, frame->addr, true);
	return value;
}

/* Return true if @frame can be a caller of some function. */
static bool can_be_caller(const struct location *frame)
{
	if (!is_code(frame))
		return false;
	return location_is_behind_call(frame) ||
	       dso_pointer_frame(frame->dso, frame->addr, true) == POINTER_SIGNAL;
}

enum pointer_entry pointer_walk_add(struct pointer_walk *walk, const struct location *frame)
{
	enum pointer_entry entry = POINTER_CALLER;

	if (frame->mode != MODE_USER)
		walk->in_kernel = true;
	if (!walk->active || frame->mode != MODE_USER)
		return POINTER_CALLER;
	switch (walk->value) {
	case POINTER_CALLERS:
	case POINTER_SIGNAL:
		entry = can_be_caller(frame) ? POINTER_GAP : POINTER_WRONG;
		break;
	case POINTER_OTHER:
	case POINTER_OUTERMOST:
		entry = POINTER_WRONG;
		break;
	default:
		break;
	}
	if (entry == POINTER_WRONG) {
		/* A chain is whole with the functions that threads begin with. */
		walk->cut |= walk->value != POINTER_OUTERMOST && !walk->begins_thread;
		return entry;
	}
	walk->gaps += entry == POINTER_GAP;
	walk->value = value_at(walk, frame);
	walk->begins_thread = begins_thread(frame);
	return entry;
}

void pointer_chain_count(struct pointer_counts *counts, const struct location *frames, size_t nr,
			 const struct pointer_walk *walk)
{
	size_t first = nr;

	while (first && (frames[first - 1].mode == MODE_USER ||
			 frames[first - 1].mode == MODE_NOWHERE))
		first--;
	if (first == nr)
		return;
	counts->all++;
	counts->lacking += walk->gaps || walk->cut;
	counts->broken += !is_code(&frames[nr - 1]) ||
			  (nr - first <= SHORT_CHAIN && !begins_thread(&frames[nr - 1]));
}

bool pointer_chains_lack_callers(const struct pointer_counts *counts)
{
	return counts->lacking * 10 > counts->all;
}

bool pointer_chains_are_broken(const struct pointer_counts *counts)
{
	return counts->all >= ENOUGH_CHAINS && counts->broken > counts->all / 4;
}

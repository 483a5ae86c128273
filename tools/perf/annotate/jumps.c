// SPDX-License-Identifier: GPL-2.0
/*
 * The jumps within a function, drawn as lines to the left of the instructions, and its loops.
 *
 * All jumps to one target share a line. The shortest line gets the first free lane, so that the
 * lines of nested loops do not cross.
 */
#include <stdlib.h>
#include <string.h>

#include "jumps.h"

/* Make a bundle for each target with the jumps that are short enough. */
static void make_bundles(struct jumps *jumps, const struct code_line *code, uint32_t nr)
{
	uint32_t *by_target = xreallocarray(NULL, nr, sizeof(*by_target)), i, target;
	struct jump_bundle *bundle;

	memset(by_target, 0xff, nr * sizeof(*by_target));
	jumps->bundles = xcalloc(nr, sizeof(*jumps->bundles));
	for (i = 0; i < nr; i++) {
		target = code[i].target;
		if (target == NO_INDEX)
			continue;
		if ((i > target ? i - target : target - i) > JUMP_SPAN_MAX) {
			jumps->nr_undrawn++;
			continue;
		}
		if (by_target[target] == NO_INDEX) {
			by_target[target] = jumps->nr;
			jumps->bundles[jumps->nr++] =
				(struct jump_bundle){ target, target, target };
		}
		bundle = &jumps->bundles[by_target[target]];
		if (i < bundle->first)
			bundle->first = i;
		if (i > bundle->last)
			bundle->last = i;
	}
	free(by_target);
}

static int compare_bundles(const void *x, const void *y)
{
	const struct jump_bundle *a = x, *b = y;
	uint32_t length_a = a->last - a->first, length_b = b->last - b->first;

	if (length_a != length_b)
		return length_a < length_b ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static bool is_free(const uint32_t *lane, const struct jump_bundle *bundle)
{
	uint32_t i;

	/*
	 * Test the ends first: this bundle is the longest so far, so a test of the whole bundle
	 * takes the most time.
	 */
	if (lane[bundle->first] != NO_INDEX || lane[bundle->last] != NO_INDEX)
		return false;
	for (i = bundle->first; i <= bundle->last; i++) {
		if (lane[i] != NO_INDEX)
			return false;
	}
	return true;
}

/* Give a bundle the first free lane. Return false if there is none. */
static bool place(struct jumps *jumps, uint32_t number, uint32_t nr)
{
	const struct jump_bundle *bundle = &jumps->bundles[number];
	size_t lane;
	uint32_t i;

	for (lane = 0; lane < JUMP_LANES_MAX; lane++) {
		if (lane == jumps->nr_lanes) {
			jumps->lanes[lane] = xreallocarray(NULL, nr, sizeof(uint32_t));
			memset(jumps->lanes[lane], 0xff, nr * sizeof(uint32_t));
			jumps->nr_lanes++;
		}
		if (!is_free(jumps->lanes[lane], bundle))
			continue;
		for (i = bundle->first; i <= bundle->last; i++)
			jumps->lanes[lane][i] = number;
		return true;
	}
	return false;
}

void jumps_arrange(struct jumps *jumps, const struct code_line *code, uint32_t nr)
{
	uint32_t i;

	memset(jumps, 0, sizeof(*jumps));
	make_bundles(jumps, code, nr);
	qsort(jumps->bundles, jumps->nr, sizeof(*jumps->bundles), compare_bundles);
	for (i = 0; i < jumps->nr; i++)
		jumps->nr_undrawn += !place(jumps, i, nr);
}

/* The characters of a line. */
enum stroke { BLANK, VERTICAL, HORIZONTAL, TOP, BOTTOM, BRANCH, CROSS, HEAD, NR_STROKES };

static const char *const strokes[2][NR_STROKES] = {
	{ " ", "│", "─", "╭", "╰", "├", "┼", "→" },
	{ " ", "|", "-", ".", "'", "|", "+", ">" },
};

/* Return true if a line of the bundle begins, ends or branches at the instruction. */
static bool touches(const struct jump_bundle *bundle, const struct code_line *code, uint32_t index)
{
	return bundle->target == index || code[index].target == bundle->target;
}

static enum stroke stroke_of(const struct jumps *jumps, const struct code_line *code, size_t lane,
			     uint32_t index, bool above, bool joined)
{
	uint32_t number = jumps->lanes[lane][index];
	const struct jump_bundle *bundle;

	if (number == NO_INDEX)
		return joined ? HORIZONTAL : BLANK;
	bundle = &jumps->bundles[number];
	if (above)
		return bundle->first < index ? VERTICAL : BLANK;
	if (!touches(bundle, code, index))
		return joined ? CROSS : VERTICAL;
	/* An instruction that jumps to itself has a line of length 0. */
	if (bundle->first == index)
		return TOP;
	return bundle->last == index ? BOTTOM : BRANCH;
}

char *jumps_draw(const struct jumps *jumps, const struct code_line *code, uint32_t index,
		 bool above, bool ascii)
{
	/* The longest of these characters has three bytes. */
	char *text = xcalloc(jumps->nr_lanes + 2, 3 + 1), *end = text;
	bool joined = false, head = false;
	size_t lane;

	for (lane = jumps->nr_lanes; lane--;) {
		uint32_t number = jumps->lanes[lane][index];

		end = stpcpy(end, strokes[ascii][stroke_of(jumps, code, lane, index, above,
							   joined)]);
		if (!above && number != NO_INDEX &&
		    touches(&jumps->bundles[number], code, index)) {
			joined = true;
			head |= jumps->bundles[number].target == index;
		}
	}
	end = stpcpy(end, strokes[ascii][joined ? HORIZONTAL : BLANK]);
	stpcpy(end, strokes[ascii][head ? HEAD : joined ? HORIZONTAL : BLANK]);
	return text;
}

void jumps_free(struct jumps *jumps)
{
	size_t i;

	for (i = 0; i < jumps->nr_lanes; i++)
		free(jumps->lanes[i]);
	free(jumps->bundles);
}

/*
 * Set the depths of loops, which are in the order of their starts. A loop that overlaps another
 * loop, but reaches beyond the end of that loop, is not inside it.
 */
static void set_depths(struct loop *loops, uint32_t nr)
{
	uint32_t *open = xreallocarray(NULL, nr + 1, sizeof(*open)), nr_open = 0, i;

	for (i = 0; i < nr; i++) {
		while (nr_open && open[nr_open - 1] < loops[i].last)
			nr_open--;
		open[nr_open++] = loops[i].last;
		loops[i].depth = nr_open;
	}
	free(open);
}

uint32_t loops_find(struct loop **loops, const struct code_line *code, uint32_t nr)
{
	uint32_t *last = xcalloc(nr, sizeof(*last)), i, nr_loops = 0;

	/*
	 * last[i] is one more than the index of the last jump backward to instruction i; 0: there
	 * is none.
	 */
	for (i = 0; i < nr; i++) {
		if (code[i].target <= i)
			last[code[i].target] = i + 1;
	}
	*loops = NULL;
	for (i = 0; i < nr; i++)
		nr_loops += !!last[i];
	*loops = xcalloc(nr_loops, sizeof(**loops));
	for (i = 0, nr_loops = 0; i < nr; i++) {
		if (last[i])
			(*loops)[nr_loops++] = (struct loop){ .first = i, .last = last[i] - 1 };
	}
	free(last);
	set_depths(*loops, nr_loops);
	return nr_loops;
}

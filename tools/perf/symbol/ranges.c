// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the innermost of nested address ranges by binary search.
 *
 * Ranges of damaged files may overlap without being nested: then the range that starts later
 * counts up to its end.
 */
#include <stdlib.h>

#include "util/util.h"
#include "ranges.h"

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint32_t value)
{
	if (start >= end)
		return;
	if (ranges->nr == ranges->room) {
		ranges->room = ranges->room ? ranges->room * 2 : 16;
		ranges->list = xreallocarray(ranges->list, ranges->room, sizeof(*ranges->list));
	}
	ranges->list[ranges->nr++] = (struct range){ start, end, value };
}

static int compare(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static void add_piece(struct ranges *ranges, uint64_t start, uint32_t value)
{
	struct piece *last = ranges->nr_pieces ? &ranges->pieces[ranges->nr_pieces - 1] : NULL;

	if (last && last->start == start)
		last->value = value;
	else if (!last || last->value != value)
		ranges->pieces[ranges->nr_pieces++] = (struct piece){ start, value };
}

/*
 * Close those of the @nr open ranges that end at or before @addr. Return: the number of ranges that
 * stay open.
 */
static size_t close_ranges(struct ranges *ranges, const struct range **open, size_t nr,
			   uint64_t addr)
{
	while (nr && open[nr - 1]->end <= addr) {
		uint64_t end = open[nr - 1]->end;

		while (nr && open[nr - 1]->end <= end)
			nr--;
		add_piece(ranges, end, nr ? open[nr - 1]->value : RANGE_NONE);
	}
	return nr;
}

void ranges_finish(struct ranges *ranges)
{
	const struct range **open = xcalloc(ranges->nr, sizeof(*open));
	size_t i, nr_open = 0;

	if (ranges->nr)
		qsort(ranges->list, ranges->nr, sizeof(*ranges->list), compare);
	/* A range adds at most one piece where it starts and one where it ends. */
	ranges->pieces = xcalloc(ranges->nr, 2 * sizeof(*ranges->pieces));
	for (i = 0; i < ranges->nr; i++) {
		const struct range *range = &ranges->list[i];

		nr_open = close_ranges(ranges, open, nr_open, range->start);
		open[nr_open++] = range;
		add_piece(ranges, range->start, range->value);
	}
	close_ranges(ranges, open, nr_open, UINT64_MAX);
	free(open);
	free(ranges->list);
	ranges->list = NULL;
	ranges->nr = 0;
	ranges->room = 0;
}

uint32_t ranges_find(const struct ranges *ranges, uint64_t addr)
{
	size_t low = 0, high = ranges->nr_pieces;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges->pieces[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? ranges->pieces[low - 1].value : RANGE_NONE;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->list);
	free(ranges->pieces);
}

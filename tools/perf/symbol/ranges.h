/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the innermost of nested address ranges by binary search.
 */
#ifndef PERF_SYMBOL_RANGES_H
#define PERF_SYMBOL_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* The value at addresses that no range contains. */
#define RANGE_NONE UINT32_MAX

/* The addresses [@start, @end) have @value. */
struct range {
	uint64_t start;
	uint64_t end;
	uint32_t value;
};

/* The addresses from @start to the next piece have @value. */
struct piece {
	uint64_t start;
	uint32_t value;
};

/**
 * struct ranges - ranges, and the pieces that they are cut into
 * @list: ranges that were added; NULL after ranges_finish()
 * @nr: number of elements of @list
 * @room: allocated number of elements of @list
 * @pieces: disjoint pieces by address
 * @nr_pieces: number of @pieces
 */
struct ranges {
	struct range *list;
	size_t nr;
	size_t room;
	struct piece *pieces;
	size_t nr_pieces;
};

/* Add a range. An inner range has a larger value than those around it. An empty one is ignored. */
void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint32_t value);

/* Cut the ranges into pieces. Nothing is added afterwards. */
void ranges_finish(struct ranges *ranges);

/* Return the value of the innermost range that contains @addr, or RANGE_NONE. */
uint32_t ranges_find(const struct ranges *ranges, uint64_t addr);

void ranges_free(struct ranges *ranges);

#endif

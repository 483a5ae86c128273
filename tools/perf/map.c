// SPDX-License-Identifier: GPL-2.0
/*
 * What is mapped where in one address space, at one time.
 */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "util.h"

static struct map *map_new(uint64_t start, uint64_t end, uint64_t pgoff, struct dso *dso)
{
	struct map *map = xmalloc(sizeof(*map));

	map->start = start;
	map->end = end;
	map->pgoff = pgoff;
	map->dso = dso;
	map->refs = 1;
	return map;
}

static void map_put(struct map *map)
{
	if (!--map->refs)
		free(map);
}

struct map_set *map_set_new(void)
{
	struct map_set *set = xcalloc(1, sizeof(*set));

	set->refs = 1;
	return set;
}

/* A fork: two processes have the same mappings until one of them changes its own. */
struct map_set *map_set_share(struct map_set *set)
{
	set->refs++;
	return set;
}

/**
 * map_set_own - get a set that may be changed
 * @set: the caller's set, perhaps shared; the caller's reference is given up
 *
 * Return: @set, or a copy if others have it too.
 */
struct map_set *map_set_own(struct map_set *set)
{
	struct map_set *copy;
	size_t i;

	if (set->refs == 1)
		return set;
	copy = map_set_new();
	copy->nr = set->nr;
	copy->room = set->nr;
	copy->maps = xreallocarray(NULL, set->nr, sizeof(*copy->maps));
	for (i = 0; i < set->nr; i++) {
		copy->maps[i] = set->maps[i];
		copy->maps[i]->refs++;
	}
	map_set_put(set);
	return copy;
}

void map_set_put(struct map_set *set)
{
	size_t i;

	if (--set->refs)
		return;
	for (i = 0; i < set->nr; i++)
		map_put(set->maps[i]);
	free(set->maps);
	free(set);
}

/* The number of the first mapping that ends behind @addr. */
static size_t first_behind(const struct map_set *set, uint64_t addr)
{
	size_t low = 0, high = set->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (set->maps[middle]->end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Replace @nr_old mappings from number @at on by @nr_new ones. */
static void replace(struct map_set *set, size_t at, size_t nr_old, struct map **new, size_t nr_new)
{
	size_t i;

	for (i = 0; i < nr_old; i++)
		map_put(set->maps[at + i]);
	if (set->nr + nr_new - nr_old > set->room) {
		set->room = (set->nr + nr_new) * 2;
		set->maps = xreallocarray(set->maps, set->room, sizeof(*set->maps));
	}
	memmove(set->maps + at + nr_new, set->maps + at + nr_old,
		(set->nr - at - nr_old) * sizeof(*set->maps));
	for (i = 0; i < nr_new; i++)
		set->maps[at + i] = new[i];
	set->nr = set->nr + nr_new - nr_old;
}

/**
 * map_set_insert - something was mapped, in the place of whatever was there
 * @set: the address space; not shared
 * @start: first address
 * @end: behind the last address; larger than @start
 * @pgoff: offset in the file, in bytes
 * @dso: the file
 */
void map_set_insert(struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
		    struct dso *dso)
{
	size_t at, behind, nr_new = 0;
	const struct map *m;
	struct map *new[3];

	at = first_behind(set, start);
	for (behind = at; behind < set->nr && set->maps[behind]->start < end; behind++)
		;
	if (behind > at && set->maps[at]->start < start) {
		m = set->maps[at];
		new[nr_new++] = map_new(m->start, start, m->pgoff, m->dso);
	}
	new[nr_new++] = map_new(start, end, pgoff, dso);
	if (behind > at && set->maps[behind - 1]->end > end) {
		m = set->maps[behind - 1];
		new[nr_new++] = map_new(end, m->end, m->pgoff + (end - m->start), m->dso);
	}
	replace(set, at, behind - at, new, nr_new);
}

/* The mapping at @addr, or NULL. */
const struct map *map_set_find(const struct map_set *set, uint64_t addr)
{
	size_t at = first_behind(set, addr);

	if (at == set->nr || set->maps[at]->start > addr)
		return NULL;
	return set->maps[at];
}

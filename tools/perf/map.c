// SPDX-License-Identifier: GPL-2.0
/*
 * What is mapped where in one address space, at one time.
 *
 * A set is a balanced tree: generated code may be in hundreds of thousands of
 * pieces, which come in any order.
 */
#include <search.h>
#include <stdlib.h>

#include "map.h"
#include "util.h"

static struct map *map_new(uint64_t start, uint64_t end, uint64_t pgoff, struct dso *dso)
{
	struct map *map = xcalloc(1, sizeof(*map));

	map->start = start;
	map->end = end;
	map->pgoff = pgoff;
	map->dso = dso;
	map->refs = 1;
	return map;
}

/* [@start, @end) of @map. */
static struct map *map_part(const struct map *map, uint64_t start, uint64_t end)
{
	uint64_t skipped = start - map->start;
	struct map *part = map_new(start, end, map->pgoff + skipped, map->dso);

	part->text = map->text;
	part->text_pgoff = map->text_pgoff + skipped;
	return part;
}

static void map_put(void *opaque)
{
	struct map *map = opaque;

	if (!--map->refs)
		free(map);
}

/* Ranges are the same if they overlap: no two in a tree do. */
static int compare(const void *a, const void *b)
{
	const struct map *x = a, *y = b;

	if (x->end <= y->start)
		return -1;
	return x->start >= y->end;
}

/* The caller's reference is the set's now. */
static void add(struct map_set *set, struct map *map)
{
	if (!tsearch(map, &set->root, compare))
		die("out of memory");
	set->nr++;
}

static struct map *first_found(const struct map_set *set, uint64_t start, uint64_t end)
{
	const struct map range = { .start = start, .end = end };
	struct map **node = tfind(&range, &set->root, compare);

	return node ? *node : NULL;
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

static void copy_node(const void *node, VISIT visit, void *copy)
{
	struct map *map = *(struct map *const *)node;

	if (visit != postorder && visit != leaf)
		return;
	map->refs++;
	add(copy, map);
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

	if (set->refs == 1)
		return set;
	copy = map_set_new();
	twalk_r(set->root, copy_node, copy);
	map_set_put(set);
	return copy;
}

void map_set_put(struct map_set *set)
{
	if (--set->refs)
		return;
	tdestroy(set->root, map_put);
	free(set);
}

/* Take [@start, @end) out of @map, which overlaps it. */
static void cut(struct map_set *set, struct map *map, uint64_t start, uint64_t end)
{
	tdelete(map, &set->root, compare);
	set->nr--;
	if (map->start < start)
		add(set, map_part(map, map->start, start));
	if (map->end > end)
		add(set, map_part(map, end, map->end));
	map_put(map);
}

/**
 * map_set_insert - something was mapped, in the place of whatever was there
 * @set: the address space; not shared
 * @start: first address
 * @end: behind the last address; larger than @start
 * @pgoff: offset in the file, in bytes
 * @dso: the file
 *
 * Return: the mapping, for its maker to complete.
 */
struct map *map_set_insert(struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
			   struct dso *dso)
{
	struct map *map = map_new(start, end, pgoff, dso);

	map_set_remove(set, start, end, NULL);
	add(set, map);
	return map;
}

/**
 * map_set_remove - something is mapped no more
 * @set: the address space; not shared
 * @start: first address
 * @end: behind the last address; larger than @start
 * @removed: what was there goes here, as far as it was; not shared; may be NULL
 */
void map_set_remove(struct map_set *set, uint64_t start, uint64_t end, struct map_set *removed)
{
	struct map *map;

	while ((map = first_found(set, start, end))) {
		if (removed) {
			uint64_t from = map->start > start ? map->start : start;
			uint64_t to = map->end < end ? map->end : end;

			map_set_remove(removed, from, to, NULL);
			add(removed, map_part(map, from, to));
		}
		cut(set, map, start, end);
	}
}

/* Is anything mapped at [@start, @end)? */
bool map_set_has(const struct map_set *set, uint64_t start, uint64_t end)
{
	return first_found(set, start, end);
}

/* The mapping at @addr, or NULL. */
const struct map *map_set_find(const struct map_set *set, uint64_t addr)
{
	return addr < UINT64_MAX ? first_found(set, addr, addr + 1) : NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of mappings that share parts: each is compared with an array of the mapping at each
 * address, after random changes; and the memory that copies of a set take is measured.
 */
#include <stdlib.h>

#include "machine/thread.h"
#include "symbol/map.h"
#include "unit.h"

#define NR_ADDRESSES 200
#define NR_SETS 5

/* A set of mappings, and for each address the offset in the file plus 1; 0: no mapping. */
struct model {
	uint64_t at[NR_ADDRESSES];
	struct map_set *set;
};

static unsigned int draw(unsigned int below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static void insert(struct model *m, uint64_t start, uint64_t end)
{
	uint64_t pgoff = draw(1000000), addr;

	map_set_insert(m->set, start, end, pgoff, NULL);
	for (addr = start; addr < end; addr++)
		m->at[addr] = pgoff + (addr - start) + 1;
}

static void take(struct model *m, struct model *removed, uint64_t start, uint64_t end)
{
	uint64_t addr;

	map_set_remove(m->set, start, end, removed ? removed->set : NULL);
	for (addr = start; addr < end; addr++) {
		if (removed && m->at[addr])
			removed->at[addr] = m->at[addr];
		m->at[addr] = 0;
	}
}

static void copy(struct model *to, const struct model *from)
{
	if (to == from)
		return;
	map_set_free(to->set);
	*to = *from;
	to->set = map_set_copy(from->set);
}

static void change(struct model *models)
{
	struct model *m = &models[draw(NR_SETS)], *other = &models[draw(NR_SETS)];
	uint64_t start = draw(NR_ADDRESSES), end = start + 1 + draw(NR_ADDRESSES - start);

	switch (draw(8)) {
	case 0:
		copy(m, other);
		break;
	case 1:
		take(m, m == other ? NULL : other, start, end);
		break;
	case 2:
		take(m, NULL, start, end);
		break;
	default:
		insert(m, start, start + 1 + (end - start) / 16);
		break;
	}
}

static bool is_right(const struct model *m)
{
	uint64_t addr;

	for (addr = 0; addr < NR_ADDRESSES; addr++) {
		const struct map *map = map_set_find(m->set, addr);
		uint64_t at = map ? map->pgoff + (addr - map->start) + 1 : 0;

		if (at != m->at[addr] || map_set_has(m->set, addr, addr + 1) != !!at)
			return false;
	}
	return true;
}

/* Return the depth of a tree; SIZE_MAX / 2 or more: its counts of mappings are wrong. */
static size_t depth(const struct map *map)
{
	size_t left, right;

	if (!map)
		return 0;
	left = depth(map->left);
	right = depth(map->right);
	if (map->nr != 1 + (map->left ? map->left->nr : 0) + (map->right ? map->right->nr : 0))
		return SIZE_MAX / 2;
	return 1 + (left > right ? left : right);
}

/* Return true if the tree is as flat as when no half has more than 3/4 of the mappings. */
static bool is_balanced(const struct map_set *set)
{
	return !set->root || depth(set->root) <= 1 + log2(set->root->nr + 1) / log2(4.0 / 3);
}

static void test_random(void)
{
	struct model models[NR_SETS] = { 0 };
	bool right = true, balanced = true;
	size_t i, set;

	for (set = 0; set < NR_SETS; set++)
		models[set].set = map_set_new();
	for (i = 0; i < 20000; i++) {
		change(models);
		for (set = 0; set < NR_SETS; set++) {
			right &= is_right(&models[set]);
			balanced &= is_balanced(models[set].set);
		}
	}
	check(right, "every set has its own mappings after random changes");
	check(balanced, "every set is balanced after random changes");
	for (set = 0; set < NR_SETS; set++)
		map_set_free(models[set].set);
}

/* Sorted insertion, the worst case of an unbalanced tree. */
static void test_ordered(void)
{
	struct map_set *up = map_set_new(), *down = map_set_new();
	uint64_t i;

	for (i = 0; i < 100000; i++) {
		map_set_insert(up, i * 2, i * 2 + 1, 0, NULL);
		map_set_insert(down, (100000 - i) * 2, (100000 - i) * 2 + 1, 0, NULL);
	}
	check(up->root->nr == 100000 && is_balanced(up), "a set filled upwards is balanced");
	check(down->root->nr == 100000 && is_balanced(down), "a set filled downwards is balanced");
	map_set_free(up);
	map_set_free(down);
}

enum who {
	CHILD_MAPS,
	PARENT_MAPS,
	CHILD_EXECS,
};

/* Return the memory that @nr forks of a process with @nr mappings take. */
static size_t bytes_of_forks(uint32_t nr, enum who who)
{
	struct thread_table table = { 0 };
	size_t before = heap_bytes();
	struct process *parent, *child;
	uint32_t i;

	parent = thread_get(&table, 1, 1)->process;
	for (i = 0; i < nr; i++)
		process_map(parent, i * 0x2000, i * 0x2000 + 0x1000, 0, NULL);
	for (i = 0; i < nr; i++) {
		thread_fork(&table, i + 2, i + 2, 1, 1, true);
		child = thread_get(&table, i + 2, i + 2)->process;
		if (who == CHILD_EXECS)
			process_exec(child);
		else
			process_map(who == CHILD_MAPS ? child : parent, i * 0x2000 + 0x1000,
				    i * 0x2000 + 0x2000, 0, NULL);
	}
	before = heap_bytes() - before;
	thread_table_free(&table);
	return before;
}

static void check_forks(enum who who, const char *what)
{
	check_doubled(bytes_of_forks(1000, who), bytes_of_forks(2000, who), what);
}

int main(void)
{
	test_random();
	test_ordered();
	check_forks(CHILD_MAPS, "children that map need memory in proportion");
	check_forks(PARENT_MAPS, "a parent that maps between forks needs memory in proportion");
	check_forks(CHILD_EXECS, "children that exec need memory in proportion");
	return unit_finish();
}

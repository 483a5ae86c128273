// SPDX-License-Identifier: GPL-2.0
/*
 * The mappings of one address space at one time.
 *
 * A set is a balanced tree: generated code may be in hundreds of thousands of
 * pieces, which come in any order. Sets share nodes: a mapping that is in several
 * sets or trees is copied before it is changed, with the mappings on the path to
 * it. So a copy of a set costs nothing, and a change costs the logarithm of its
 * size.
 *
 * A tree is the pointer to its topmost mapping, NULL for none. join(), split() and
 * the other functions that take a tree consume the caller's reference to it.
 */
#include <stdlib.h>

#include "util/util.h"
#include "map.h"

/* Maximum ratio of the weight of a subtree to that of its sibling. */
#define HEAVIER_MAX 3

/* Make a mapping of [@start, @end) of @map, outside of any tree. */
static struct map *map_part(const struct map *map, uint64_t start, uint64_t end)
{
	uint64_t skipped = start - map->start;
	struct map *part = xcalloc(1, sizeof(*part));

	part->start = start;
	part->end = end;
	part->pgoff = map->pgoff + skipped;
	part->dso = map->dso;
	part->text = map->text;
	part->text_pgoff = map->text_pgoff + skipped;
	part->nr = 1;
	part->refs = 1;
	return part;
}

static struct map *tree_get(struct map *map)
{
	if (map)
		map->refs++;
	return map;
}

static void tree_put(struct map *map)
{
	if (!map || --map->refs)
		return;
	tree_put(map->left);
	tree_put(map->right);
	free(map);
}

/* Return a mapping that may be changed: @map, or a copy if it is shared. */
static struct map *tree_own(struct map *map)
{
	struct map *copy;

	if (map->refs == 1)
		return map;
	copy = xmalloc(sizeof(*copy));
	*copy = *map;
	copy->refs = 1;
	tree_get(copy->left);
	tree_get(copy->right);
	tree_put(map);
	return copy;
}

static size_t weight(const struct map *map)
{
	return map ? map->nr + 1 : 1;
}

static bool is_too_heavy(const struct map *map, const struct map *sibling)
{
	return weight(map) > HEAVIER_MAX * weight(sibling);
}

static struct map *link_trees(struct map *left, struct map *map, struct map *right)
{
	map->left = left;
	map->right = right;
	map->nr = weight(left) + weight(right) - 1;
	return map;
}

static struct map *rotate_left(struct map *map)
{
	struct map *top = tree_own(map->right);
	struct map *left = link_trees(map->left, map, top->left);

	return link_trees(left, top, top->right);
}

static struct map *rotate_right(struct map *map)
{
	struct map *top = tree_own(map->left);
	struct map *right = link_trees(top->right, map, map->right);

	return link_trees(top->left, top, right);
}

/* Link @left, @map and @right, where one of the two trees may be slightly too heavy. */
static struct map *balance(struct map *left, struct map *map, struct map *right)
{
	if (is_too_heavy(right, left)) {
		right = tree_own(right);
		if (weight(right->left) >= 2 * weight(right->right))
			right = rotate_right(right);
		return rotate_left(link_trees(left, map, right));
	}
	if (is_too_heavy(left, right)) {
		left = tree_own(left);
		if (weight(left->right) >= 2 * weight(left->left))
			left = rotate_left(left);
		return rotate_right(link_trees(left, map, right));
	}
	return link_trees(left, map, right);
}

/* Make a tree of all mappings of @left, then @map, then all of @right. */
static struct map *join(struct map *left, struct map *map, struct map *right)
{
	if (is_too_heavy(left, right)) {
		left = tree_own(left);
		return balance(left->left, left, join(left->right, map, right));
	}
	if (is_too_heavy(right, left)) {
		right = tree_own(right);
		return balance(join(left, map, right->left), right, right->right);
	}
	return link_trees(left, map, right);
}

/* Remove the first mapping from @tree, which is not empty. */
static struct map *take_first(struct map *tree, struct map **rest)
{
	struct map *first, *left;

	tree = tree_own(tree);
	if (!tree->left) {
		*rest = tree->right;
		return tree;
	}
	first = take_first(tree->left, &left);
	*rest = join(left, tree, tree->right);
	return first;
}

/* Make a tree of all mappings of @left, then all of @right. */
static struct map *concatenate(struct map *left, struct map *right)
{
	struct map *first, *rest;

	if (!right)
		return left;
	first = take_first(right, &rest);
	return join(left, first, rest);
}

/* Split a tree at @addr; a mapping that contains @addr is cut in two. */
static void split(struct map *tree, uint64_t addr, struct map **before, struct map **behind)
{
	struct map *left, *right, *rest;

	if (!tree) {
		*before = NULL;
		*behind = NULL;
		return;
	}
	tree = tree_own(tree);
	left = tree->left;
	right = tree->right;
	if (addr <= tree->start) {
		split(left, addr, before, &rest);
		*behind = join(rest, tree, right);
	} else if (addr >= tree->end) {
		split(right, addr, &rest, behind);
		*before = join(left, tree, rest);
	} else {
		rest = map_part(tree, addr, tree->end);
		tree->end = addr;
		*before = join(left, tree, NULL);
		*behind = join(NULL, rest, right);
	}
}

/* Split a tree in three. Return: the mappings in [@start, @end). */
static struct map *split_range(struct map *tree, uint64_t start, uint64_t end,
			       struct map **before, struct map **behind)
{
	struct map *middle;

	split(tree, start, before, &middle);
	split(middle, end, &middle, behind);
	return middle;
}

/* Make a tree of @above, and of the parts of @below that do not overlap it. */
static struct map *overlay(struct map *below, struct map *above)
{
	struct map *before, *behind;

	if (!below)
		return above;
	if (!above)
		return below;
	above = tree_own(above);
	tree_put(split_range(below, above->start, above->end, &before, &behind));
	before = overlay(before, above->left);
	behind = overlay(behind, above->right);
	return join(before, above, behind);
}

struct map_set *map_set_new(void)
{
	return xcalloc(1, sizeof(struct map_set));
}

/* Copy a set. A fork copies the mappings of a process in this way. */
struct map_set *map_set_copy(const struct map_set *set)
{
	struct map_set *copy = map_set_new();

	copy->root = tree_get(set->root);
	return copy;
}

void map_set_free(struct map_set *set)
{
	if (!set)
		return;
	tree_put(set->root);
	free(set);
}

/**
 * map_set_insert() - Add a mapping, which replaces those that it overlaps
 * @set: address space
 * @start: first address
 * @end: first address after the range; larger than @start
 * @pgoff: offset in the file in bytes
 * @dso: file
 *
 * Return: The mapping; the caller may set its @text.
 */
struct map *map_set_insert(struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
			   struct dso *dso)
{
	const struct map made = { .start = start, .pgoff = pgoff, .dso = dso };
	struct map *map = map_part(&made, start, end), *before, *behind;

	tree_put(split_range(set->root, start, end, &before, &behind));
	set->root = join(before, map, behind);
	return map;
}

/**
 * map_set_remove() - Remove mappings
 * @set: address space
 * @start: first address
 * @end: first address after the range; larger than @start
 * @removed: gets the removed mappings; may be NULL
 */
void map_set_remove(struct map_set *set, uint64_t start, uint64_t end, struct map_set *removed)
{
	struct map *before, *middle, *behind;

	middle = split_range(set->root, start, end, &before, &behind);
	set->root = concatenate(before, behind);
	if (removed)
		removed->root = overlay(removed->root, middle);
	else
		tree_put(middle);
}

static const struct map *first_found(const struct map_set *set, uint64_t start, uint64_t end)
{
	const struct map *map = set->root;

	while (map && (end <= map->start || start >= map->end))
		map = end <= map->start ? map->left : map->right;
	return map;
}

/* Return true if there is a mapping in [@start, @end). */
bool map_set_has(const struct map_set *set, uint64_t start, uint64_t end)
{
	return first_found(set, start, end);
}

/* Return the mapping at @addr, or NULL. */
const struct map *map_set_find(const struct map_set *set, uint64_t addr)
{
	return addr < UINT64_MAX ? first_found(set, addr, addr + 1) : NULL;
}

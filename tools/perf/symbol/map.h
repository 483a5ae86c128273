/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped where in one address space, at one time.
 */
#ifndef PERF_SYMBOL_MAP_H
#define PERF_SYMBOL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

/**
 * struct map - a piece of a file in memory; never changes once others can see it
 * @start: first address
 * @end: behind the last address
 * @pgoff: what is at @start: the offset in the file, in bytes
 * @dso: the file
 * @text: the file whose text this anonymous memory is a copy of, or NULL
 * @text_pgoff: as @pgoff, of @text
 * @left: of the tree, the mappings in front of it, or NULL
 * @right: the mappings behind it, or NULL
 * @nr: how many they are with this one
 * @refs: how many sets and mappings point to it
 */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	struct dso *dso;
	struct dso *text;
	uint64_t text_pgoff;
	struct map *left;
	struct map *right;
	size_t nr;
	size_t refs;
};

/**
 * struct map_set - the mappings of an address space, not overlapping
 * @root: a tree of them, by address; parts of it may be in other sets as well
 */
struct map_set {
	struct map *root;
};

struct map_set *map_set_new(void);
struct map_set *map_set_copy(const struct map_set *set);
void map_set_free(struct map_set *set);
struct map *map_set_insert(struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
			   struct dso *dso);
void map_set_remove(struct map_set *set, uint64_t start, uint64_t end, struct map_set *removed);
bool map_set_has(const struct map_set *set, uint64_t start, uint64_t end);
const struct map *map_set_find(const struct map_set *set, uint64_t addr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings of one address space at one time.
 */
#ifndef PERF_SYMBOL_MAP_H
#define PERF_SYMBOL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

/**
 * struct map - a piece of a file in memory; does not change while several sets have it
 * @start: first address
 * @end: first address after the range
 * @pgoff: offset in the file of @start, in bytes
 * @dso: file
 * @text: file whose text was copied to this anonymous memory, or NULL
 * @text_pgoff: offset in @text of @start, in bytes
 * @left: subtree of the mappings before this one, or NULL
 * @right: subtree of the mappings after this one, or NULL
 * @nr: number of mappings in the tree below, with this one
 * @refs: number of sets and mappings that point to this one
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
 * struct map_set - the mappings of an address space, which do not overlap
 * @root: tree of the mappings by address; other sets may share parts of it
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

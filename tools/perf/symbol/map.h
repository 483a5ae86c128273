/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped where in one address space, at one time.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

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
 * @refs: how many sets have it
 */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	struct dso *dso;
	struct dso *text;
	uint64_t text_pgoff;
	int refs;
};

/**
 * struct map_set - the mappings of an address space, not overlapping
 * @root: of a tree of struct map, by address, as <search.h> makes it
 * @nr: how many there are
 * @refs: how many processes have this set; it may be changed by one only
 */
struct map_set {
	void *root;
	size_t nr;
	int refs;
};

struct map_set *map_set_new(void);
struct map_set *map_set_share(struct map_set *set);
struct map_set *map_set_own(struct map_set *set);
void map_set_put(struct map_set *set);
struct map *map_set_insert(struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
			   struct dso *dso);
void map_set_remove(struct map_set *set, uint64_t start, uint64_t end, struct map_set *removed);
bool map_set_has(const struct map_set *set, uint64_t start, uint64_t end);
const struct map *map_set_find(const struct map_set *set, uint64_t addr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is mapped where in one address space, at one time.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

struct dso;

/* A piece of a file in memory: [@start, @end) is the file from @pgoff on. Never changes. */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	struct dso *dso;
	int refs;
};

/**
 * struct map_set - the mappings of an address space, in order, not overlapping
 * @maps: the mappings
 * @nr: number of @maps
 * @room: allocated number of @maps
 * @refs: how many processes have this set; it may be changed by one only
 */
struct map_set {
	struct map **maps;
	size_t nr;
	size_t room;
	int refs;
};

struct map_set *map_set_new(void);
struct map_set *map_set_share(struct map_set *set);
struct map_set *map_set_own(struct map_set *set);
void map_set_put(struct map_set *set);
void map_set_insert(struct map_set *set, uint64_t start, uint64_t end, uint64_t pgoff,
		    struct dso *dso);
const struct map *map_set_find(const struct map_set *set, uint64_t addr);

#endif

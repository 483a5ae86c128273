/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for many small objects that are freed all at once.
 */
#ifndef PERF_UTIL_POOL_H
#define PERF_UTIL_POOL_H

#include <stddef.h>

struct pool_chunk;

/* Alignment of objects, which is enough for each C type. */
#define POOL_UNIT _Alignof(max_align_t)

/**
 * struct pool - memory of small objects; all zeros: none
 * @chunks: allocated memory, the latest first
 * @at: free memory of the latest chunk
 * @left: size of @at in bytes
 * @size: size of @chunks in bytes
 */
struct pool {
	struct pool_chunk *chunks;
	char *at;
	size_t left;
	size_t size;
};

/* Add a chunk that has at least @size bytes. */
void pool_grow(struct pool *pool, size_t size);

/**
 * pool_take() - Take memory
 * @pool: pool
 * @size: size in bytes
 *
 * Return: Zeroed memory that lives until pool_free(), aligned for any structure of the tool.
 */
static inline void *pool_take(struct pool *pool, size_t size)
{
	void *taken;

	size = (size + POOL_UNIT - 1) & ~(POOL_UNIT - 1);
	if (size > pool->left)
		pool_grow(pool, size);
	taken = pool->at;
	pool->at += size;
	pool->left -= size;
	return taken;
}

/* Free all memory of a pool, which is empty afterwards. */
void pool_free(struct pool *pool);

#endif

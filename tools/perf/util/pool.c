// SPDX-License-Identifier: GPL-2.0
/* Memory for many small objects that are freed all at once. */
#include <stdlib.h>

#include "memory.h"
#include "pool.h"

/* Sizes of the first chunk and of the largest chunks of small objects, in bytes. */
#define CHUNK_MIN 1024
#define CHUNK_MAX (256 * 1024)

struct pool_chunk {
	struct pool_chunk *next;
	size_t size;
	char bytes[] __attribute__((aligned(POOL_UNIT)));
};

void pool_grow(struct pool *pool, size_t size)
{
	size_t room = pool->chunks ? pool->chunks->size * 2 : CHUNK_MIN;
	struct pool_chunk *chunk;

	if (room > CHUNK_MAX)
		room = CHUNK_MAX;
	if (room < size)
		room = size;
	chunk = xcalloc(1, sizeof(*chunk) + room);
	chunk->size = room;
	pool->size += room;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	pool->at = chunk->bytes;
	pool->left = room;
}

void pool_free(struct pool *pool)
{
	struct pool_chunk *chunk = pool->chunks, *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*pool = (struct pool){ 0 };
}

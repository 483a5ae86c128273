/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of nodes that are embedded in the caller's structures. The table grows as
 * needed.
 */
#ifndef PERF_UTIL_HASH_TABLE_H
#define PERF_UTIL_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_node {
	struct hash_node *next;
	uint64_t hash;
};

struct hash_table {
	struct hash_node **buckets;
	size_t nr_buckets;		/* a power of two, or 0 */
	size_t nr;
};

#define hash_entry(node, type, member) ((type *)((char *)(node) - offsetof(type, member)))

/**
 * hash_table_first - find the first node with a hash
 * @table: the table
 * @hash: the hash; nodes with equal hashes need not be equal
 *
 * Return: the node, or NULL. hash_table_next() finds the other nodes with this hash.
 */
static inline struct hash_node *hash_table_first(const struct hash_table *table,
						 uint64_t hash)
{
	struct hash_node *node;

	if (!table->nr_buckets)
		return NULL;
	node = table->buckets[hash & (table->nr_buckets - 1)];
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

static inline struct hash_node *hash_table_next(const struct hash_node *node)
{
	uint64_t hash = node->hash;

	do {
		node = node->next;
	} while (node && node->hash != hash);
	return (struct hash_node *)node;
}

/* The finalizer of SplitMix64: every bit of the number affects every bit of the hash. */
static inline uint64_t hash_number(uint64_t number)
{
	number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9ULL;
	number = (number ^ (number >> 27)) * 0x94d049bb133111ebULL;
	return number ^ (number >> 31);
}

static inline uint64_t hash_mix(uint64_t hash, uint64_t more)
{
	return hash_number(hash * 31 + more);
}

/* Return the memory of a table, in bytes, without that of its nodes. */
static inline size_t hash_table_size(const struct hash_table *table)
{
	return table->nr_buckets * sizeof(*table->buckets);
}

void hash_table_add(struct hash_table *table, struct hash_node *node, uint64_t hash);
void hash_table_remove(struct hash_table *table, struct hash_node *node);
struct hash_node **hash_table_nodes(const struct hash_table *table);
void hash_table_free(struct hash_table *table);
void hash_table_free_all(struct hash_table *table, void (*free_node)(struct hash_node *node));
void hash_node_free(struct hash_node *node);

uint64_t hash_string(const char *string);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table of nodes that are embedded in the caller's structures. The table grows as
 * needed.
 */
#include <stdlib.h>

#include "hash_table.h"
#include "memory.h"

static void link_node(struct hash_table *table, struct hash_node *node)
{
	struct hash_node **bucket = &table->buckets[node->hash & (table->nr_buckets - 1)];

	node->next = *bucket;
	*bucket = node;
}

static void grow(struct hash_table *table)
{
	struct hash_table old = *table;
	struct hash_node *node, *next;
	size_t i;

	table->nr_buckets = old.nr_buckets ? old.nr_buckets * 2 : 64;
	table->buckets = xcalloc(table->nr_buckets, sizeof(*table->buckets));
	for (i = 0; i < old.nr_buckets; i++) {
		for (node = old.buckets[i]; node; node = next) {
			next = node->next;
			link_node(table, node);
		}
	}
	free(old.buckets);
}

void hash_table_add(struct hash_table *table, struct hash_node *node, uint64_t hash)
{
	if (table->nr >= table->nr_buckets)
		grow(table);
	node->hash = hash;
	link_node(table, node);
	table->nr++;
}

/* Take a node out of the table that contains it. */
void hash_table_remove(struct hash_table *table, struct hash_node *node)
{
	struct hash_node **at = &table->buckets[node->hash & (table->nr_buckets - 1)];

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	table->nr--;
}

/**
 * hash_table_nodes - list all nodes
 * @table: the table
 *
 * Return: an array of @table->nr nodes, in no particular order; the caller frees it.
 */
struct hash_node **hash_table_nodes(const struct hash_table *table)
{
	struct hash_node **nodes = xcalloc(table->nr, sizeof(*nodes)), *node;
	size_t i, nr = 0;

	for (i = 0; i < table->nr_buckets; i++) {
		for (node = table->buckets[i]; node; node = node->next)
			nodes[nr++] = node;
	}
	return nodes;
}

void hash_table_free(struct hash_table *table)
{
	free(table->buckets);
	table->buckets = NULL;
	table->nr_buckets = 0;
	table->nr = 0;
}

/**
 * hash_table_free_all - free a table and all its entries
 * @table: the table; empty afterwards
 * @free_node: frees the structure that contains a node
 */
void hash_table_free_all(struct hash_table *table, void (*free_node)(struct hash_node *node))
{
	struct hash_node *node, *next;
	size_t i;

	for (i = 0; i < table->nr_buckets; i++) {
		for (node = table->buckets[i]; node; node = next) {
			next = node->next;
			free_node(node);
		}
	}
	hash_table_free(table);
}

/* A callback for hash_table_free_all(): the node is the first member of its structure. */
void hash_node_free(struct hash_node *node)
{
	free(node);
}

/* FNV-1a, finished by hash_number(). */
uint64_t hash_string(const char *string)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	while (*string)
		hash = (hash ^ (unsigned char)*string++) * 0x100000001b3ULL;
	return hash_number(hash);
}

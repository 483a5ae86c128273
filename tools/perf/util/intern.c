// SPDX-License-Identifier: GPL-2.0
/* Interned strings: one copy of each, so that equal strings have the same address. */
#include <stdlib.h>
#include <string.h>

#include "intern.h"
#include "memory.h"

struct interned {
	struct hash_node node;
	char string[];
};

const char *intern(struct intern_table *table, const char *string)
{
	uint64_t hash = hash_string(string);
	struct hash_node *node = hash_table_first(&table->strings, hash);
	struct interned *interned;

	for (; node; node = hash_table_next(node)) {
		interned = hash_entry(node, struct interned, node);
		if (!strcmp(interned->string, string))
			return interned->string;
	}
	interned = xmalloc(sizeof(*interned) + strlen(string) + 1);
	memcpy(interned->string, string, strlen(string) + 1);
	hash_table_add(&table->strings, &interned->node, hash);
	return interned->string;
}

static void free_interned(struct hash_node *node)
{
	free(hash_entry(node, struct interned, node));
}

void intern_free(struct intern_table *table)
{
	hash_table_free_all(&table->strings, free_interned);
}

// SPDX-License-Identifier: GPL-2.0
/* Texts by number. */
#include <stdlib.h>
#include <string.h>

#include "text_list.h"

struct text_number {
	struct hash_node node;
	uint32_t number;
};

uint32_t text_list_add(struct text_list *list, const char *text)
{
	uint64_t hash = hash_string(text);
	struct hash_node *node = hash_table_first(&list->numbers, hash);
	struct text_number *entry;

	for (; node; node = hash_table_next(node)) {
		entry = hash_entry(node, struct text_number, node);
		if (!strcmp(list->texts[entry->number], text))
			return entry->number;
	}
	if (list->nr == list->room) {
		list->room = list->room ? list->room * 2 : 64;
		list->texts = xreallocarray(list->texts, list->room, sizeof(*list->texts));
	}
	entry = xcalloc(1, sizeof(*entry));
	entry->number = list->nr;
	list->texts[list->nr++] = xstrdup(text);
	hash_table_add(&list->numbers, &entry->node, hash);
	return entry->number;
}

void text_list_free(struct text_list *list)
{
	uint32_t i;

	for (i = 0; i < list->nr; i++)
		free(list->texts[i]);
	free(list->texts);
	hash_table_free_all(&list->numbers, hash_node_free);
}

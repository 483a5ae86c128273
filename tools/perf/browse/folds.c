// SPDX-License-Identifier: GPL-2.0
/* Numbers of rows, and a memory of the unfolded rows. */
#include <stdlib.h>

#include "folds.h"

static struct hash_node *find(const struct fold_memory *memory, uint64_t number)
{
	return hash_table_first(&memory->open, number);
}

static void note(struct fold_memory *memory, uint64_t number, bool open)
{
	struct hash_node *node = find(memory, number);

	if (open && !node) {
		hash_table_add(&memory->open, xcalloc(1, sizeof(*node)), number);
	} else if (!open && node) {
		hash_table_remove(&memory->open, node);
		free(node);
	}
}

static uint64_t entry_number(const struct row_list *list, size_t entry,
			     const struct sort_keys *keys)
{
	const struct sample_point *point = &list->table->rows[entry].entry->point;
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		number = hash_mix(number, hash_string(keys->keys[i]->name));
		number = hash_mix(number, sort_key_value(keys->keys[i], point));
	}
	return number;
}

/* Return the number of a function that is below the row or function with the number @above. */
static uint64_t node_number(uint64_t above, const struct chain_node *node)
{
	return hash_mix(above, node && node->step ? node->step->key : 0);
}

/* Return the number of a branch, @root being that of its row of the table. */
static uint64_t fold_number(const struct fold *fold, uint64_t root)
{
	return fold->parent ? node_number(fold_number(fold->parent, root), fold->first) : root;
}

uint64_t row_number(const struct row_list *list, const struct browse_row *row,
		    const struct sort_keys *keys)
{
	uint64_t number = entry_number(list, row->entry, keys);
	const struct chain_node *node;

	if (!row->fold)
		return number;
	number = fold_number(row->fold, number);
	for (node = row->fold->first; node && node != row->node; node = node->children)
		number = node_number(number, node->children);
	return number;
}

static void note_below(struct fold_memory *memory, const struct fold *fold, uint64_t number)
{
	size_t i;

	note(memory, number, fold->open);
	for (i = 0; i < fold->nr_below; i++) {
		if (fold->below[i].made)
			note_below(memory, &fold->below[i],
				   node_number(number, fold->below[i].first));
	}
}

void folds_note(struct fold_memory *memory, const struct row_list *list,
		const struct sort_keys *keys)
{
	size_t i;

	if (memory->open.nr > FOLDS_MAX)
		folds_free(memory);
	for (i = 0; i < list->table->nr_rows; i++) {
		if (list->entries[i].root.made)
			note_below(memory, &list->entries[i].root, entry_number(list, i, keys));
	}
}

static void apply_below(const struct fold_memory *memory, struct row_list *list, struct fold *fold,
			uint64_t number)
{
	size_t i;

	fold->open = true;
	fold_make_below(list, fold);
	for (i = 0; i < fold->nr_below; i++) {
		uint64_t below = node_number(number, fold->below[i].first);

		if (fold->below[i].first && find(memory, below))
			apply_below(memory, list, &fold->below[i], below);
	}
}

void folds_apply(const struct fold_memory *memory, struct row_list *list,
		 const struct sort_keys *keys)
{
	size_t i;

	for (i = 0; memory->open.nr && i < list->table->nr_rows; i++) {
		uint64_t number = entry_number(list, i, keys);

		if (list->entries[i].chains && find(memory, number))
			apply_below(memory, list, entry_root(list, i), number);
	}
}

void folds_free(struct fold_memory *memory)
{
	hash_table_free_all(&memory->open, hash_node_free);
	*memory = (struct fold_memory){ 0 };
}

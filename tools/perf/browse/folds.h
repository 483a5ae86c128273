/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of rows that are the same in other tables of the same samples, and a memory of the
 * unfolded rows. A new table, for example after an update, gets the folds of the old one with it.
 */
#ifndef PERF_BROWSE_FOLDS_H
#define PERF_BROWSE_FOLDS_H

#include "rows.h"

/* Maximum number of rows that the memory has at the start of folds_note(). */
#define FOLDS_MAX 65536

/**
 * struct fold_memory - the unfolded rows; all zeros: none
 * @open: nodes whose hashes are the numbers of rows
 */
struct fold_memory {
	struct hash_table open;
};

/**
 * row_number() - Return the number of a row
 * @list: list with the row
 * @row: row
 * @keys: sort keys that tell rows of the table apart
 *
 * Return: A number that is equal for rows with the same values of @keys, and the same functions
 * from the row of the table to this row.
 */
uint64_t row_number(const struct row_list *list, const struct browse_row *row,
		    const struct sort_keys *keys);

/* Note which rows of a list are unfolded; numbers of rows are by @keys. */
void folds_note(struct fold_memory *memory, const struct row_list *list,
		const struct sort_keys *keys);

/* Unfold the rows of a list that were noted as unfolded. rows_update() makes them visible. */
void folds_apply(const struct fold_memory *memory, struct row_list *list,
		 const struct sort_keys *keys);

void folds_free(struct fold_memory *memory);

#endif

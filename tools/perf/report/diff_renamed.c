// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of a comparison whose file has another name on either side, so that they have two rows.
 */
#include <stdlib.h>
#include <string.h>

#include "diff.h"

/* Smallest share of the samples of both sides, in percent, of a function that is worth a hint. */
#define MIN_PERCENT 5

/**
 * struct side_row - a row with samples on one side alone
 * @function: text of the function
 * @file: text of the file
 * @nr: number of samples on each side, one of them 0
 */
struct side_row {
	const char *function;
	const char *file;
	uint64_t nr[2];
};

static size_t find_column(const struct diff_table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->keys->nr && strcmp(table->keys->keys[i]->name, name); i++)
		;
	return i;
}

/* Sum up the samples of each side: of a row, or of the table. */
static void add_sides(const struct diff_table *table, const struct diff_row *row, size_t nr_base,
		      uint64_t nr[2])
{
	size_t i;

	for (i = 0; i < table->nr_recordings; i++)
		nr[i >= nr_base] += row ? row->cells[i].nr : table->nr_samples[i];
}

/* Order rows by function, those of the baseline first, then the rows with most samples. */
static int compare(const void *x, const void *y)
{
	const struct side_row *a = x, *b = y;
	int order = strcmp(a->function, b->function);

	if (order)
		return order;
	if (a->nr[0] != b->nr[0])
		return a->nr[0] > b->nr[0] ? -1 : 1;
	if (a->nr[1] != b->nr[1])
		return a->nr[1] > b->nr[1] ? -1 : 1;
	return strcmp(a->file, b->file);
}

/* Return the rows with a large share of the samples on one side, and none on the other one. */
static struct side_row *one_sided(const struct diff_table *table, size_t nr_base, size_t function,
				  size_t file, size_t *nr)
{
	struct hash_node **nodes = hash_table_nodes(&table->rows);
	struct side_row *rows = xcalloc(table->rows.nr + 1, sizeof(*rows));
	uint64_t all[2] = { 0 };
	size_t i;

	add_sides(table, NULL, nr_base, all);
	*nr = 0;
	for (i = 0; i < table->rows.nr; i++) {
		const struct diff_row *row = hash_entry(nodes[i], struct diff_row, node);
		struct side_row side = { row->texts[function], row->texts[file], { 0 } };
		bool is_new;

		add_sides(table, row, nr_base, side.nr);
		is_new = side.nr[1];
		if (!side.nr[!is_new] && side.nr[is_new] &&
		    side.nr[is_new] >= all[is_new] / (100.0 / MIN_PERCENT))
			rows[(*nr)++] = side;
	}
	free(nodes);
	qsort(rows, *nr, sizeof(*rows), compare);
	return rows;
}

bool diff_find_renamed(const struct diff_table *table, size_t nr_base, struct diff_renamed *found)
{
	const size_t function = find_column(table, "sym"), file = find_column(table, "dso");
	struct side_row *rows;
	bool any = false;
	size_t i, nr;

	if (function == table->keys->nr || file == table->keys->nr)
		return false;
	rows = one_sided(table, nr_base, function, file, &nr);
	for (i = 1; i < nr && !any; i++) {
		any = !strcmp(rows[i - 1].function, rows[i].function) &&
		      strcmp(rows[i - 1].file, rows[i].file) && rows[i - 1].nr[0] && rows[i].nr[1];
		if (any)
			*found = (struct diff_renamed){
				rows[i].function, rows[i - 1].file, rows[i].file,
			};
	}
	free(rows);
	return any;
}

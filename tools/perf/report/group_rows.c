// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of a group of events: each sort key that one of the events has.
 */
#include <stdlib.h>

#include "group_rows.h"

/*
 * A row before sorting: the entry of the first event that has its sort keys, the periods of all
 * events, and the place of the row among those with the same periods.
 */
struct unsorted_row {
	const struct hist_entry *entry;
	uint64_t *periods;
	size_t place;
};

struct unsorted_rows {
	struct unsorted_row *rows;
	size_t nr;
	size_t room;
};

/* Number of events of the group that qsort() is sorting. */
static size_t nr_periods;

/* Order rows by the period of the first event, then by that of the second, and so on. */
static int compare_rows(const void *x, const void *y)
{
	const struct unsorted_row *a = x, *b = y;
	size_t i;

	for (i = 0; i < nr_periods; i++) {
		if (a->periods[i] != b->periods[i])
			return a->periods[i] > b->periods[i] ? -1 : 1;
	}
	return a->place < b->place ? -1 : a->place > b->place;
}

static bool is_in_one_of(const struct hist *hists, size_t nr, const struct sample_point *point)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (hist_find(&hists[i], point))
			return true;
	}
	return false;
}

static void add_row(struct unsorted_rows *all, const struct hist_entry *entry,
		    const struct hist *hists, size_t nr)
{
	struct unsorted_row *row;
	size_t i;

	if (all->nr == all->room) {
		all->room = all->room ? all->room * 2 : 64;
		all->rows = xreallocarray(all->rows, all->room, sizeof(*all->rows));
	}
	row = &all->rows[all->nr];
	row->entry = entry;
	row->periods = xcalloc(nr, sizeof(*row->periods));
	row->place = all->nr++;
	for (i = 0; i < nr; i++) {
		const struct hist_entry *own = hist_find(&hists[i], &entry->point);

		if (own)
			row->periods[i] = hists[i].children ? own->total : own->self;
	}
}

/**
 * group_rows() - Find the rows of a group of events
 * @hists: histogram of each event, with equal sort keys
 * @nr: number of @hists, at least 1
 * @nr_rows: set to the number of rows
 *
 * Return: For each row, the entry of the first event that has the row. The row with the largest
 *	period of the first event comes first. The caller frees the array.
 */
const struct hist_entry **group_rows(const struct hist *hists, size_t nr, size_t *nr_rows)
{
	struct unsorted_rows all = { 0 };
	const struct hist_entry **rows;
	struct hist_entry **sorted;
	size_t i, entry;

	if (nr == 1) {
		*nr_rows = hists->entries.nr;
		return (const struct hist_entry **)hist_sorted(hists);
	}
	for (i = 0; i < nr; i++) {
		if (!hists[i].entries.nr)
			continue;
		sorted = hist_sorted(&hists[i]);
		for (entry = 0; entry < hists[i].entries.nr; entry++) {
			if (!is_in_one_of(hists, i, &sorted[entry]->point))
				add_row(&all, sorted[entry], hists, nr);
		}
		free(sorted);
	}
	nr_periods = nr;
	if (all.nr)
		qsort(all.rows, all.nr, sizeof(*all.rows), compare_rows);
	rows = xcalloc(all.nr, sizeof(*rows));
	for (i = 0; i < all.nr; i++) {
		rows[i] = all.rows[i].entry;
		free(all.rows[i].periods);
	}
	free(all.rows);
	*nr_rows = all.nr;
	return rows;
}

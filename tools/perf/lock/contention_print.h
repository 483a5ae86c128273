/* SPDX-License-Identifier: GPL-2.0 */
/* Prints sums of waits for locks. */
#ifndef PERF_LOCK_CONTENTION_PRINT_H
#define PERF_LOCK_CONTENTION_PRINT_H

#include <stdio.h>

#include "contention.h"

/* Columns of numbers. */
enum contention_column {
	CONTENTION_NR,
	CONTENTION_TOTAL,
	CONTENTION_MAX,
	CONTENTION_MIN,
	CONTENTION_AVERAGE,
	CONTENTION_COLUMNS,
};

/**
 * struct contention_style - the form of the table
 * @columns: columns of numbers, in their order; none: all except the shortest wait
 * @nr_columns: number of @columns
 * @key: column by which the rows are sorted, the largest first
 * @entries: maximum number of rows; 0: all
 * @separator: text between columns, which are then not padded; NULL: pad
 * @with_wakers: the table by caller has a column for what ended the waits
 * @lock_name: function that returns the name of the lock at an address, or NULL
 * @context: first argument of @lock_name
 */
struct contention_style {
	enum contention_column columns[CONTENTION_COLUMNS];
	size_t nr_columns;
	enum contention_column key;
	size_t entries;
	const char *separator;
	bool with_wakers;
	const char *(*lock_name)(void *context, uint64_t addr);
	void *context;
};

/* Find a column by its name, as "wait_total". Return: 0, or -1 if there is none. */
int contention_column_find(const char *name, size_t size, enum contention_column *column);

/* Print the table. */
void contention_print(FILE *out, const struct contention *c, const struct contention_style *style);

#endif

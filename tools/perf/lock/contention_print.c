// SPDX-License-Identifier: GPL-2.0
/* Prints sums of waits for locks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contention_print.h"
#include "lock_type.h"

#define NUMBER_WIDTH	10
#define TIME_WIDTH	12
#define TYPE_WIDTH	12
#define ADDRESS_WIDTH	18

static const struct {
	const char *name;
	const char *title;
	int width;
} columns[] = {
	[CONTENTION_NR] = { "contended", "contended", NUMBER_WIDTH },
	[CONTENTION_TOTAL] = { "wait_total", "total wait", TIME_WIDTH },
	[CONTENTION_MAX] = { "wait_max", "max wait", TIME_WIDTH },
	[CONTENTION_MIN] = { "wait_min", "min wait", TIME_WIDTH },
	[CONTENTION_AVERAGE] = { "avg_wait", "avg wait", TIME_WIDTH },
};

int contention_column_find(const char *name, size_t size, enum contention_column *column)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		if (strlen(columns[i].name) == size && !strncmp(columns[i].name, name, size)) {
			*column = i;
			return 0;
		}
	}
	return -1;
}

static uint64_t value_of(const struct contention_row *row, enum contention_column column)
{
	switch (column) {
	case CONTENTION_NR:
		return row->nr;
	case CONTENTION_TOTAL:
		return row->total;
	case CONTENTION_MAX:
		return row->max;
	case CONTENTION_MIN:
		return row->min;
	default:
		return row->total / row->nr;
	}
}

static enum contention_column sorting_key;

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

/*
 * Order rows by the chosen column, the largest first. Rows with equal values are ordered by their
 * caller, waker, thread and lock.
 */
static int compare(const void *x, const void *y)
{
	const struct contention_row *a = *(const struct contention_row *const *)x;
	const struct contention_row *b = *(const struct contention_row *const *)y;
	uint64_t value_a = value_of(a, sorting_key), value_b = value_of(b, sorting_key);
	int order;

	if (value_a != value_b)
		return value_a > value_b ? -1 : 1;
	order = compare_texts(a->place.caller, b->place.caller);
	if (!order)
		order = compare_texts(a->waker, b->waker);
	if (!order)
		order = (a->place.tid > b->place.tid) - (a->place.tid < b->place.tid);
	return order ? order : (a->place.lock > b->place.lock) - (a->place.lock < b->place.lock);
}

static void print_time(FILE *out, int width, uint64_t ns)
{
	if (ns < 1000)
		fprintf(out, " %*" PRIu64 " ns", width - 3, ns);
	else if (ns < 1000000)
		fprintf(out, " %*.2f us", width - 3, ns / 1e3);
	else if (ns < 1000000000)
		fprintf(out, " %*.2f ms", width - 3, ns / 1e6);
	else
		fprintf(out, " %*.2f s ", width - 3, ns / 1e9);
}

static void print_numbers(FILE *out, const struct contention_style *style,
			  const struct contention_row *row)
{
	size_t i;

	for (i = 0; i < style->nr_columns; i++) {
		enum contention_column column = style->columns[i];
		uint64_t value = value_of(row, column);

		if (style->separator)
			fprintf(out, "%" PRIu64 "%s ", value, style->separator);
		else if (column == CONTENTION_NR)
			fprintf(out, "%*" PRIu64, NUMBER_WIDTH, value);
		else
			print_time(out, TIME_WIDTH, value);
	}
}

/* Return the part of a type's name before ":R" or ":W": a lock has readers and writers. */
static int whole_type(const char *type)
{
	return strcspn(type, ":");
}

static void print_separated(FILE *out, const struct contention *c,
			    const struct contention_style *style, const struct contention_row *row,
			    const char *name)
{
	const char *type = lock_type_name(row->place.flags), *separator = style->separator;

	switch (c->view) {
	case CONTENTION_BY_THREAD:
		fprintf(out, "%" PRId64 "%s %s\n", row->place.tid < 0 ? 0 : row->place.tid,
			separator, row->place.comm);
		break;
	case CONTENTION_BY_LOCK:
		fprintf(out, "%" PRIx64 "%s %s%s %.*s\n", row->place.lock, separator, name,
			separator, whole_type(type), type);
		break;
	default:
		fprintf(out, "%s%s %s", type, separator, row->place.caller);
		if (style->with_wakers)
			fprintf(out, "%s %s", separator, row->waker ?: "");
		fputc('\n', out);
	}
}

static void print_padded(FILE *out, const struct contention *c,
			 const struct contention_style *style, const struct contention_row *row,
			 const char *name)
{
	const char *type = lock_type_name(row->place.flags);

	switch (c->view) {
	case CONTENTION_BY_THREAD:
		fprintf(out, " %*" PRId64 "   %s\n", TYPE_WIDTH,
			row->place.tid < 0 ? 0 : row->place.tid, row->place.comm);
		break;
	case CONTENTION_BY_LOCK:
		fprintf(out, " %*" PRIx64 "   %s (%.*s)\n", ADDRESS_WIDTH, row->place.lock, name,
			whole_type(type), type);
		break;
	default:
		fprintf(out, " %*s   %s", TYPE_WIDTH, type, row->place.caller);
		if (style->with_wakers)
			fprintf(out, " <- %s", row->waker ?: "not known");
		fputc('\n', out);
	}
}

static void print_titles(FILE *out, const struct contention *c,
			 const struct contention_style *style)
{
	static const char *const names[][3] = {
		[CONTENTION_BY_CALLER] = { "type", "caller", "waker" },
		[CONTENTION_BY_THREAD] = { "pid", "comm", NULL },
		[CONTENTION_BY_LOCK] = { "address", "symbol", "type" },
	};
	const char *const *own = names[c->view];
	int width = c->view == CONTENTION_BY_LOCK ? ADDRESS_WIDTH : TYPE_WIDTH;
	bool third = c->view == CONTENTION_BY_LOCK ||
		     (c->view == CONTENTION_BY_CALLER && style->with_wakers);
	size_t i;

	if (style->separator) {
		fputs("# output: ", out);
		for (i = 0; i < style->nr_columns; i++)
			fprintf(out, "%s%s ", columns[style->columns[i]].title, style->separator);
		fprintf(out, "%s%s %s", own[0], style->separator, own[1]);
		if (third)
			fprintf(out, "%s %s", style->separator, own[2]);
		fputc('\n', out);
		return;
	}
	for (i = 0; i < style->nr_columns; i++)
		fprintf(out, "%s%*s", style->columns[i] == CONTENTION_NR ? "" : " ",
			columns[style->columns[i]].width, columns[style->columns[i]].title);
	fprintf(out, " %*s   %s", width, own[0], own[1]);
	if (third && c->view == CONTENTION_BY_CALLER)
		fprintf(out, " <- %s", own[2]);
	fputs("\n\n", out);
}

void contention_print(FILE *out, const struct contention *c, const struct contention_style *style)
{
	struct hash_node **nodes = hash_table_nodes(&c->rows);
	size_t nr = c->rows.nr, i;
	const struct contention_row **rows = xcalloc(nr, sizeof(*rows));

	for (i = 0; i < nr; i++)
		rows[i] = hash_entry(nodes[i], struct contention_row, node);
	free(nodes);
	sorting_key = style->key;
	qsort(rows, nr, sizeof(*rows), compare);
	if (style->entries && nr > style->entries)
		nr = style->entries;
	print_titles(out, c, style);
	for (i = 0; i < nr; i++) {
		const char *name = style->lock_name(style->context, rows[i]->place.lock) ?: "";

		print_numbers(out, style, rows[i]);
		if (style->separator)
			print_separated(out, c, style, rows[i], name);
		else
			print_padded(out, c, style, rows[i], name);
	}
	free(rows);
}

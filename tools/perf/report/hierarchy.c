// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a histogram as a hierarchy: rows of the first sort key, below each of them the rows of the
 * next key, and so on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

/* Blanks by which a level is indented. */
#define INDENT 3

/* The columns of numbers are as wide as their titles. */
#define PERCENT_WIDTH 8
#define NUMBER_WIDTH 12

/* A row of some level: the entries that have equal values of the keys down to this level. */
struct group {
	const struct hist_entry **entries;
	size_t nr;
	uint64_t period;
	struct latency latency;
	uint64_t nr_samples;
};

struct hierarchy {
	FILE *out;
	const struct report_table *t;
	void (*print_chains)(FILE *out, const struct report_table *t,
			     const struct hist_entry *entry);
};

static const struct sort_key *sorting_key;

static int compare_values(const void *x, const void *y)
{
	const struct hist_entry *a = *(const struct hist_entry *const *)x;
	const struct hist_entry *b = *(const struct hist_entry *const *)y;
	uint64_t value_a = sort_key_value(sorting_key, &a->point);
	uint64_t value_b = sort_key_value(sorting_key, &b->point);

	return value_a < value_b ? -1 : value_a > value_b;
}

static char *text_of(const struct hierarchy *h, const struct group *group, size_t level)
{
	return sort_key_text(h->t->hist->keys->keys[level], &group->entries[0]->point,
			     h->t->style->verbose);
}

static bool sorting_by_latency;

/*
 * Order groups by latency if asked for, then by period, the largest first, then by text, then by
 * the place of the code.
 */
static int compare_groups(const void *x, const void *y)
{
	const struct group *a = x, *b = y;
	char *text_a, *text_b;
	int order = sorting_by_latency ? latency_compare(a->latency, b->latency) : 0;

	if (order)
		return order;
	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	text_a = sort_key_text(sorting_key, &a->entries[0]->point, false);
	text_b = sort_key_text(sorting_key, &b->entries[0]->point, false);
	order = strcmp(text_a, text_b);
	free(text_a);
	free(text_b);
	return order ?: sample_point_compare(&a->entries[0]->point, &b->entries[0]->point);
}

/* Divide entries by the value of a key. Return: the groups, which the caller frees. */
static struct group *divide(const struct hist_entry **entries, size_t nr,
			    const struct sort_key *key, size_t *nr_groups)
{
	struct group *groups = xcalloc(nr, sizeof(*groups)), *group = groups;
	size_t i;

	sorting_key = key;
	qsort(entries, nr, sizeof(*entries), compare_values);
	for (i = 0; i < nr; i++) {
		if (i && compare_values(&entries[i - 1], &entries[i]))
			group++;
		if (!group->nr)
			group->entries = &entries[i];
		group->nr++;
		group->period += entries[i]->self;
		latency_add_sum(&group->latency, entries[i]->self_latency);
		group->nr_samples += entries[i]->nr_self;
	}
	*nr_groups = nr ? group - groups + 1 : 0;
	qsort(groups, *nr_groups, sizeof(*groups), compare_groups);
	return groups;
}

static void print_latency(const struct hierarchy *h, const struct group *group)
{
	fprintf(h->out, "  %*.2f%%", PERCENT_WIDTH - 1,
		latency_percent(group->latency, h->t->hist->latency));
}

static void print_group(const struct hierarchy *h, const struct group *group, size_t level)
{
	const struct report_style *style = h->t->style;
	size_t nr_keys = h->t->hist->keys->nr;
	bool latency = report_has_latency(style, h->t->hist);
	char *text = text_of(h, group, level);

	fprintf(h->out, "%*s", (int)level * INDENT, "");
	if (latency && style->latency_first)
		print_latency(h, group);
	if (report_has_overhead(style))
		fprintf(h->out, "  %*.2f%%", PERCENT_WIDTH - 1,
			report_percent(h->t->hist, group->period));
	if (latency && !style->latency_first)
		print_latency(h, group);
	if (style->with_counts)
		fprintf(h->out, "  %*" PRIu64, NUMBER_WIDTH, group->nr_samples);
	if (style->with_periods)
		fprintf(h->out, "  %*" PRIu64, NUMBER_WIDTH, group->period);
	fprintf(h->out, "%*s%s\n", (int)(2 + (nr_keys - 1) * INDENT), "", text + strspn(text, " "));
	free(text);
}

static void print_level(const struct hierarchy *h, const struct hist_entry **entries, size_t nr,
			size_t level)
{
	const struct sort_keys *keys = h->t->hist->keys;
	size_t i, nr_groups;
	struct group *groups = divide(entries, nr, keys->keys[level], &nr_groups);

	for (i = 0; i < nr_groups; i++) {
		const struct group *group = &groups[i];

		if (report_percent(h->t->hist, group->period) < h->t->style->min_percent)
			continue;
		print_group(h, group, level);
		if (level + 1 < keys->nr)
			print_level(h, group->entries, group->nr, level + 1);
		else
			h->print_chains(h->out, h->t, group->entries[0]);
	}
	free(groups);
}

static void fput_dots(FILE *out, size_t nr)
{
	while (nr--)
		fputc('.', out);
}

/* Print the titles: those of numbers, and those of all keys with slashes between. */
static void print_titles(FILE *out, const struct report_table *t)
{
	size_t i, numbers = 0, names = 0, indent = (t->hist->keys->nr - 1) * INDENT;
	bool before = false;

	fprintf(out, "# %*s", (int)indent, "");
	for (i = 0; i < t->nr_columns && !t->columns[i].key; i++) {
		fprintf(out, "%s%s", i ? "  " : "", t->columns[i].header);
		numbers += strlen(t->columns[i].header) + (i ? 2 : 0);
	}
	fputs("  ", out);
	for (; i < t->nr_columns; i++) {
		fprintf(out, "%s%s", before ? " / " : "", t->columns[i].header);
		names += strlen(t->columns[i].header) + (before ? 3 : 0);
		before = true;
	}
	fputs("\n# ", out);
	fput_dots(out, indent + numbers);
	fputs("  ", out);
	fput_dots(out, names);
	fputs("\n#\n", out);
}

void report_hierarchy(FILE *out, const struct report_table *t,
		      void (*print_chains)(FILE *out, const struct report_table *t,
					   const struct hist_entry *entry))
{
	const struct hist_entry **entries = xcalloc(t->nr_rows, sizeof(*entries));
	struct hierarchy h = { out, t, print_chains };
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		entries[i] = t->rows[i].entry;
	sorting_by_latency = t->hist->by_latency;
	if (!t->style->no_titles)
		print_titles(out, t);
	if (t->hist->keys->nr)
		print_level(&h, entries, t->nr_rows, 0);
	free(entries);
}

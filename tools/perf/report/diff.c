// SPDX-License-Identifier: GPL-2.0
/*
 * Comparison of recordings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

void diff_init(struct diff_table *table, const char *event, const struct sort_keys *keys,
	       size_t nr_recordings)
{
	memset(table, 0, sizeof(*table));
	table->event = xstrdup(event);
	table->keys = keys;
	table->nr_recordings = nr_recordings;
	table->totals = xcalloc(nr_recordings, sizeof(*table->totals));
	table->nr_samples = xcalloc(nr_recordings, sizeof(*table->nr_samples));
}

static bool has_texts(const struct diff_row *row, char *const *texts, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (strcmp(row->texts[i], texts[i]))
			return false;
	}
	return true;
}

static void free_texts(char **texts, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(texts[i]);
	free(texts);
}

/* Find or make the row with these texts, which the table frees. */
static struct diff_row *get_row(struct diff_table *table, char **texts)
{
	struct hash_node *node;
	struct diff_row *row;
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < table->keys->nr; i++)
		hash = hash_mix(hash, hash_string(texts[i]));
	for (node = hash_table_first(&table->rows, hash); node; node = hash_table_next(node)) {
		row = hash_entry(node, struct diff_row, node);
		if (has_texts(row, texts, table->keys->nr)) {
			free_texts(texts, table->keys->nr);
			return row;
		}
	}
	row = xcalloc(1, sizeof(*row));
	row->texts = texts;
	row->cells = xcalloc(table->nr_recordings, sizeof(*row->cells));
	hash_table_add(&table->rows, &row->node, hash);
	return row;
}

void diff_add(struct diff_table *table, size_t recording, const struct hist *hist)
{
	struct hash_node **nodes = hash_table_nodes(&hist->entries);
	size_t i, key;

	table->totals[recording] += hist->period;
	table->nr_samples[recording] += hist->nr_samples;
	for (i = 0; i < hist->entries.nr; i++) {
		const struct hist_entry *entry = hash_entry(nodes[i], struct hist_entry, node);
		char **texts = xcalloc(table->keys->nr, sizeof(*texts));
		struct diff_cell *cell;

		for (key = 0; key < table->keys->nr; key++)
			texts[key] = sort_key_text(table->keys->keys[key], &entry->point, false);
		cell = &get_row(table, texts)->cells[recording];
		cell->period += entry->self;
		cell->nr += entry->nr_self;
	}
	free(nodes);
}

double diff_percent(const struct diff_table *table, const struct diff_row *row, size_t recording)
{
	uint64_t total = table->totals[recording];

	return total ? 100.0 * row->cells[recording].period / total : 0;
}

static double weighted(const struct diff_options *options, double base, double other)
{
	return other * options->new_weight - base * options->base_weight;
}

struct diff_value diff_compare(const struct diff_table *table, const struct diff_options *options,
			       const struct diff_row *row, size_t recording)
{
	const struct diff_cell *base = &row->cells[0], *other = &row->cells[recording];
	struct diff_value value = { .known = other->nr, .present = other->nr };

	if (!value.present)
		return value;
	switch (options->method) {
	case DIFF_DELTA:
	case DIFF_DELTA_ABS:
		value.value = diff_percent(table, row, recording) - diff_percent(table, row, 0);
		break;
	case DIFF_RATIO:
		value.known = base->period;
		value.value = value.known ? (double)other->period / base->period : 0;
		break;
	case DIFF_WEIGHTED:
		value.known = base->nr;
		value.value = weighted(options, base->period, other->period);
		break;
	}
	return value;
}

/* Return the value of a row in a recording that the method compares. */
static double measure_of(const struct diff_table *table, const struct diff_options *options,
			 const struct diff_row *row, size_t recording, size_t nr_base)
{
	double period = row->cells[recording].period;

	switch (options->method) {
	case DIFF_RATIO:
		return log(period);
	case DIFF_WEIGHTED:
		return period * (recording < nr_base ? options->base_weight : options->new_weight);
	default:
		return diff_percent(table, row, recording);
	}
}

struct diff_noise diff_noise(const struct diff_table *table, const struct diff_options *options,
			     const struct diff_row *row, size_t nr_base, double confidence)
{
	struct spread sides[2] = { 0 }, shown[2] = { 0 };
	const bool shares = options->method == DIFF_DELTA || options->method == DIFF_DELTA_ABS;
	struct diff_noise noise = { .known = true };
	struct difference difference;
	size_t i;

	for (i = 0; i < table->nr_recordings; i++) {
		if (options->method == DIFF_RATIO && !row->cells[i].period)
			noise.known = false;
		spread_add(&shown[i >= nr_base], shares ? diff_percent(table, row, i) :
						 row->cells[i].period);
	}
	noise.base = shown[0].mean;
	noise.other = shown[1].mean;
	if (!noise.known)
		return noise;
	for (i = 0; i < table->nr_recordings; i++)
		spread_add(&sides[i >= nr_base], measure_of(table, options, row, i, nr_base));
	difference = welch_difference(&sides[0], &sides[1], confidence);
	noise.significant = difference_is_significant(difference);
	noise.value = difference.mean;
	noise.margin = difference.margin;
	if (options->method == DIFF_RATIO) {
		noise.value = exp(noise.value);
		noise.margin = exp(noise.margin);
	}
	return noise;
}

static void free_row(struct hash_node *node)
{
	struct diff_row *row = hash_entry(node, struct diff_row, node);

	free(row->cells);
	free(row);
}

void diff_free(struct diff_table *table)
{
	struct hash_node **nodes = hash_table_nodes(&table->rows);
	size_t i;

	for (i = 0; i < table->rows.nr; i++)
		free_texts(hash_entry(nodes[i], struct diff_row, node)->texts, table->keys->nr);
	free(nodes);
	hash_table_free_all(&table->rows, free_row);
	free(table->totals);
	free(table->nr_samples);
	free(table->event);
}

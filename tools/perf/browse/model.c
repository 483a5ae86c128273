// SPDX-License-Identifier: GPL-2.0
/* The state of the browser that does not depend on a terminal. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

const struct browse_event *model_event(const struct browse_model *m)
{
	return &m->input->events[m->now.view.event];
}

const struct browse_row *model_row(const struct browse_model *m)
{
	return m->list.nr ? &m->list.rows[m->now.cursor] : NULL;
}

const struct hist_entry *model_entry(const struct browse_model *m)
{
	const struct browse_row *row = model_row(m);

	return row ? m->table.rows[row->entry].entry : NULL;
}

static void clamp_cursor(struct browse_model *m)
{
	size_t last = m->list.nr ? m->list.nr - 1 : 0;

	if (m->now.cursor > last)
		m->now.cursor = last;
	if (m->now.top > m->now.cursor)
		m->now.top = m->now.cursor;
	if (m->page && m->now.cursor - m->now.top >= m->page)
		m->now.top = m->now.cursor - m->page + 1;
}

void model_set_page(struct browse_model *m, size_t page)
{
	m->page = page;
	clamp_cursor(m);
	/* Rows that fit on the screen are not scrolled off it. */
	if (m->list.nr < m->now.top + page)
		m->now.top = m->list.nr > page ? m->list.nr - page : 0;
}

void model_go_to(struct browse_model *m, size_t row)
{
	m->now.cursor = row;
	m->follow = true;
	clamp_cursor(m);
}

void model_go_first(struct browse_model *m)
{
	model_go_to(m, 0);
	m->follow = false;
}

void model_move(struct browse_model *m, long rows)
{
	size_t cursor = m->now.cursor;

	if (rows < 0 && (size_t)-rows > cursor)
		model_go_to(m, 0);
	else
		model_go_to(m, cursor + rows);
}

static const struct sort_keys *keys_of(const struct browse_model *m)
{
	return view_keys(&m->now.view, model_event(m));
}

/* Return the number of the chosen row, by its sort keys. */
static uint64_t chosen_number(const struct browse_model *m)
{
	const struct browse_row *row = model_row(m);

	return row ? row_number(&m->list, row, keys_of(m)) : 0;
}

/* Move the cursor to the row with a number, if there is one; otherwise it stays at its place. */
static void go_to_number(struct browse_model *m, uint64_t number)
{
	size_t i;

	for (i = 0; i < m->list.nr; i++) {
		if (row_number(&m->list, &m->list.rows[i], keys_of(m)) == number) {
			m->now.cursor = i;
			break;
		}
	}
	clamp_cursor(m);
}

static bool is_hidden(const struct browse_model *m, const struct hist_entry *entry)
{
	size_t i;

	for (i = 0; i < m->nr_hidden; i++) {
		if (m->hidden[i] == entry->node.hash)
			return true;
	}
	return false;
}

/* Make the table and the rows of the histogram. */
static void make_rows(struct browse_model *m)
{
	size_t i;

	report_table_make(&m->table, m->input->style, &m->hist);
	rows_make(&m->list, &m->table);
	for (i = 0; m->nr_hidden && i < m->table.nr_rows; i++)
		m->list.entries[i].hidden = is_hidden(m, m->table.rows[i].entry);
	folds_apply(&m->folds, &m->list, keys_of(m));
	rows_update(&m->list, m->now.filter);
	clamp_cursor(m);
}

static void free_rows(struct browse_model *m)
{
	rows_free(&m->list);
	report_table_free(&m->table);
}

static void make_view(struct browse_model *m)
{
	const struct browse_event *event = model_event(m);

	view_make_hist(&m->hist, &m->now.view, event, &m->input->style->chains);
	m->hist.by_latency = m->input->style->latency_first;
	if (!m->relative) {
		m->hist.period = event->samples->period >> event->samples->shift;
		m->hist.latency = event->samples->latency;
	}
	make_rows(m);
}

/* Free the rows, and keep a note of which are unfolded. */
static void free_view(struct browse_model *m)
{
	folds_note(&m->folds, &m->list, keys_of(m));
	free_rows(m);
	hist_free(&m->hist);
}

void model_init(struct browse_model *m, const struct browse_input *input)
{
	*m = (struct browse_model){
		.input = input, .relative = input->relative, .nr_places = 1,
		.now = { .filter = xstrdup(""), .view.children = input->events[0].children },
	};
	m->places[0].filter = xstrdup("");
	make_view(m);
}

/* Show the visible rows after a change, with the cursor on the same row. */
static void update(struct browse_model *m)
{
	struct browse_row row = { 0 };

	if (m->list.nr)
		row = *model_row(m);
	rows_update(&m->list, m->now.filter);
	model_go_to(m, rows_find(&m->list, &row));
}

void model_set_open(struct browse_model *m, bool open)
{
	if (!m->list.nr)
		return;
	row_set_open(&m->list, model_row(m), open);
	update(m);
}

void model_set_all(struct browse_model *m, bool open)
{
	rows_set_all(&m->list, open);
	update(m);
}

bool model_go_up(struct browse_model *m)
{
	size_t parent;

	if (!m->list.nr)
		return false;
	parent = row_parent(&m->list, m->now.cursor);
	if (parent == m->now.cursor)
		return false;
	model_go_to(m, parent);
	return true;
}

void model_hide(struct browse_model *m)
{
	const struct browse_row *row = model_row(m);

	if (!row)
		return;
	m->hidden = xreallocarray(m->hidden, m->nr_hidden + 1, sizeof(*m->hidden));
	m->hidden[m->nr_hidden++] = model_entry(m)->node.hash;
	m->list.entries[row->entry].hidden = true;
	/* The cursor goes to the row that takes the place of the hidden one. */
	model_go_to(m, rows_find(&m->list, &(struct browse_row){ .entry = row->entry }));
	rows_update(&m->list, m->now.filter);
	clamp_cursor(m);
}

void model_show_hidden(struct browse_model *m)
{
	size_t i;

	m->nr_hidden = 0;
	for (i = 0; i < m->table.nr_rows; i++)
		m->list.entries[i].hidden = false;
	update(m);
}

void model_filter(struct browse_model *m, const char *text)
{
	free(m->now.filter);
	m->now.filter = xstrdup(text);
	update(m);
}

static bool row_contains(const struct browse_model *m, size_t i, const char *text)
{
	const struct browse_row *row = &m->list.rows[i];
	bool found;
	char *label;

	if (!row->fold)
		return entry_contains(&m->list, row->entry, text);
	label = row_label(&m->list, row);
	found = strcasestr(label, text);
	free(label);
	return found;
}

bool model_search(struct browse_model *m, const char *text, size_t start, int step)
{
	size_t i, row = start, nr = m->list.nr;

	for (i = 0; i < nr; i++) {
		if (row_contains(m, row % nr, text)) {
			model_go_to(m, row % nr);
			return true;
		}
		row = step > 0 ? row + 1 : (row % nr) + nr - 1;
	}
	return false;
}

static void free_place(struct place *place)
{
	view_free(&place->view);
	free(place->filter);
}

/* Store the current place in the history, at its index. */
static void store_place(struct browse_model *m)
{
	struct place *place = &m->places[m->at];

	free_place(place);
	*place = m->now;
	place->view = view_copy(&m->now.view);
	place->filter = xstrdup(m->now.filter);
	place->row = chosen_number(m);
}

/*
 * Make room for a new place after the current one; the places after the current one are forgotten.
 */
static void add_place(struct browse_model *m)
{
	while (m->nr_places > m->at + 1)
		free_place(&m->places[--m->nr_places]);
	if (m->nr_places == PLACES_MAX) {
		free_place(&m->places[0]);
		memmove(&m->places[0], &m->places[1], (PLACES_MAX - 1) * sizeof(m->places[0]));
		m->nr_places--;
		m->at--;
	}
	m->at = m->nr_places++;
	m->places[m->at] = (struct place){ 0 };
}

/* Set @keys to the keys of @one that @other has, too. */
static void common_keys(struct sort_keys *keys, const struct sort_keys *one,
			const struct sort_keys *other)
{
	size_t i;

	keys->nr = 0;
	for (i = 0; i < one->nr; i++) {
		if (sort_keys_have(other, one->keys[i]->name))
			keys->keys[keys->nr++] = one->keys[i];
	}
}

/* Leave the current view for a new one, which is taken over. */
static void go(struct browse_model *m, const struct view *view)
{
	struct fold_memory shared = { 0 };
	struct sort_keys keys;

	common_keys(&keys, keys_of(m), view_keys(view, &m->input->events[view->event]));
	folds_note(&shared, &m->list, &keys);
	store_place(m);
	add_place(m);
	free_view(m);
	view_free(&m->now.view);
	m->now.view = *view;
	m->now.cursor = 0;
	m->now.top = 0;
	m->follow = false;
	make_view(m);
	/* A row of other sort keys has the folds of a row with equal values of the common keys. */
	if (keys.nr) {
		folds_apply(&shared, &m->list, &keys);
		rows_update(&m->list, m->now.filter);
	}
	folds_free(&shared);
	store_place(m);
}

bool model_zoom(struct browse_model *m, const struct zoom *zoom)
{
	struct view view = view_copy(&m->now.view);

	if (!view_zoom(&view, zoom)) {
		view_free(&view);
		return false;
	}
	go(m, &view);
	return true;
}

static bool has_name(const struct sort_key *key, const char *name, size_t size)
{
	return (strlen(key->name) == size && !strncmp(key->name, name, size)) ||
	       (key->alias && strlen(key->alias) == size && !strncmp(key->alias, name, size));
}

static const struct sort_key *find_key(const struct browse_event *event, const char *name,
				       size_t size)
{
	const struct sort_key *key;
	size_t i;

	for (i = 0; i < event->keys->nr; i++) {
		if (has_name(event->keys->keys[i], name, size))
			return event->keys->keys[i];
	}
	for (i = 0; (key = sort_key_number(i)); i++) {
		if (has_name(key, name, size) && event_offers_key(event, key))
			return key;
	}
	return NULL;
}

static bool parse_keys(struct sort_keys *keys, const struct browse_event *event, const char *list,
		       struct error *err)
{
	const struct sort_key *key;
	size_t size;

	keys->nr = 0;
	for (; *list; list += size, list += *list == ',') {
		size = strcspn(list, ",");
		key = find_key(event, list, size);
		if (!key) {
			error_set(err, "samples of this event have no key '%.*s'", (int)size, list);
			return false;
		}
		if (!sort_keys_have(keys, key->name))
			keys->keys[keys->nr++] = key;
	}
	return true;
}

bool model_sort(struct browse_model *m, const char *keys, struct error *err)
{
	struct view view = view_copy(&m->now.view);

	if (!parse_keys(&view.keys, model_event(m), keys, err)) {
		view_free(&view);
		return false;
	}
	go(m, &view);
	return true;
}

/* Return true if a restriction has a meaning for samples of an event. */
static bool applies(const struct zoom *zoom, const struct browse_event *event)
{
	if (!zoom->key)
		return event->chains;
	return event_offers_key(event, zoom->key);
}

void model_next_event(struct browse_model *m, int step)
{
	size_t nr = m->input->nr_events, i;
	struct view view = { .event = (m->now.view.event + nr + step) % nr };
	const struct browse_event *event = &m->input->events[view.event];

	if (nr == 1)
		return;
	view.children = event->children && m->now.view.children;
	for (i = 0; i < m->now.view.nr_zooms; i++) {
		if (applies(&m->now.view.zooms[i], event))
			view_zoom(&view, &m->now.view.zooms[i]);
	}
	view.keys = m->now.view.keys;
	for (i = 0; i < view.keys.nr; i++) {
		if (!event_offers_key(event, view.keys.keys[i]))
			view.keys.nr = 0;
	}
	go(m, &view);
}

void model_toggle_children(struct browse_model *m)
{
	struct view view = view_copy(&m->now.view);

	view.children = !view.children;
	go(m, &view);
}

void model_toggle_relative(struct browse_model *m)
{
	m->relative = !m->relative;
	model_update(m);
}

bool model_travel(struct browse_model *m, int step)
{
	struct place *place;

	if (step < 0 ? !m->at : m->at + 1 == m->nr_places)
		return false;
	store_place(m);
	m->at += step;
	place = &m->places[m->at];
	free_view(m);
	free_place(&m->now);
	m->now = *place;
	m->now.view = view_copy(&place->view);
	m->now.filter = xstrdup(place->filter);
	make_view(m);
	go_to_number(m, place->row);
	m->follow = m->now.cursor > 0;
	return true;
}

void model_update(struct browse_model *m)
{
	uint64_t number = chosen_number(m);

	free_view(m);
	make_view(m);
	if (m->follow)
		go_to_number(m, number);
}

char *model_keys_text(const struct sort_keys *keys)
{
	char *text = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		longer = xasprintf("%s%s%s", text, i ? "," : "", keys->keys[i]->name);
		free(text);
		text = longer;
	}
	return text;
}

void model_free(struct browse_model *m)
{
	size_t i;

	free_view(m);
	folds_free(&m->folds);
	free_place(&m->now);
	for (i = 0; i < m->nr_places; i++)
		free_place(&m->places[i]);
	free(m->hidden);
}

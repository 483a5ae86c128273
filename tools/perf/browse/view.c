// SPDX-License-Identifier: GPL-2.0
/* Views: the event, the samples and the sort keys that the browser shows. */
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "view.h"

struct view view_copy(const struct view *view)
{
	struct view copy = *view;
	size_t i;

	for (i = 0; i < copy.nr_zooms; i++)
		copy.zooms[i].text = xstrdup(copy.zooms[i].text);
	return copy;
}

const struct sort_keys *view_keys(const struct view *view, const struct browse_event *event)
{
	return view->keys.nr ? &view->keys : event->keys;
}

/* Return true if a frame is one of the function of a restriction. */
static bool is_frame_of(const struct zoom *zoom, const struct location *at)
{
	if (!zoom->symbol)
		return !at->symbol && at->ip == zoom->ip;
	if (at->symbol == zoom->symbol)
		return true;
	/* Copies of an inlined function share their name. */
	return at->symbol && at->symbol->inlined && zoom->symbol->inlined &&
	       at->symbol->name == zoom->symbol->name;
}

static bool matches(const struct zoom *zoom, const struct sample_point *point,
		    const struct callchain *chain)
{
	size_t i;

	if (zoom->key)
		return sort_key_value(zoom->key, point) == zoom->value;
	for (i = 0; i < chain->nr; i++) {
		if (is_frame_of(zoom, &chain->frames[i]))
			return true;
	}
	return is_frame_of(zoom, &point->at);
}

bool view_has(const struct view *view, const struct sample_point *point,
	      const struct callchain *chain)
{
	size_t i;

	for (i = 0; i < view->nr_zooms; i++) {
		if (!matches(&view->zooms[i], point, chain))
			return false;
	}
	return true;
}

void view_make_hist(struct hist *hist, const struct view *view, const struct browse_event *event,
		    const struct chain_style *chains)
{
	const struct sample_store *store = event->samples;
	struct callchain chain = { 0 };
	struct sample_point point;
	size_t i;

	*hist = (struct hist){
		.keys = view_keys(view, event),
		.children = view->children && event->chains,
		.with_chains = event->chains && chains->mode != CHAIN_NONE,
		.branches = event->branches,
		.chains.by_address = chains->by_address,
		.memory_max = chains->memory,
	};
	hist->caller_first = chains->order == ORDER_DEFAULT ? hist->children :
			     chains->order == ORDER_CALLER;
	for (i = 0; i < store->samples.nr; i++) {
		const struct kept_sample *sample = store->order[i];

		kept_sample_get(sample, &point, &chain);
		if (view_has(view, &point, &chain))
			hist_add_many(hist, &point, &chain, sample->period, sample->nr);
	}
	if (store->shift)
		hist_divide(hist, store->shift);
	callchain_free(&chain);
}

bool event_offers_key(const struct browse_event *event, const struct sort_key *key)
{
	/* These keys have values only if the user asked for them. */
	if (key->field || key->needs & PERF_SAMPLE_RAW || !strcmp(key->name, "parent") ||
	    !strcmp(key->name, "parallelism"))
		return sort_keys_have(event->keys, key->name);
	if (sort_key_is_of_branches(key))
		return event->branches;
	return !(key->needs & ~event->sample_type);
}

bool view_zoom(struct view *view, const struct zoom *zoom)
{
	if (view->nr_zooms == ZOOMS_MAX)
		return false;
	view->zooms[view->nr_zooms] = *zoom;
	view->zooms[view->nr_zooms++].text = xstrdup(zoom->text);
	return true;
}

void view_free(struct view *view)
{
	size_t i;

	for (i = 0; i < view->nr_zooms; i++)
		free(view->zooms[i].text);
	view->nr_zooms = 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Views: the event, the samples and the sort keys that the browser shows. */
#ifndef PERF_BROWSE_VIEW_H
#define PERF_BROWSE_VIEW_H

#include "samples.h"

/**
 * struct browse_event - an event with samples
 * @name: name, without control characters
 * @samples: samples
 * @keys: sort keys that the user asked for
 * @sample_type: PERF_SAMPLE_* bits of the samples
 * @branches: each sample is a branch
 * @chains: the samples have call chains to show
 * @children: the share of callees is added to callers at first
 */
struct browse_event {
	char *name;
	struct sample_store *samples;
	const struct sort_keys *keys;
	uint64_t sample_type;
	bool branches;
	bool chains;
	bool children;
};

/**
 * struct zoom - a restriction to a part of the samples
 * @key: key with the same value in all samples; NULL: samples that ran in a function, or in
 *	functions that it called
 * @value: value of @key, see sort_key_value()
 * @symbol: function, or NULL
 * @ip: address of a frame without a function
 * @text: text for the user
 */
struct zoom {
	const struct sort_key *key;
	uint64_t value;
	const struct symbol *symbol;
	uint64_t ip;
	char *text;
};

/* Maximum number of restrictions at the same time. */
#define ZOOMS_MAX 16

/**
 * struct view - event, keys and part of the samples that are shown
 * @event: index of the event
 * @keys: sort keys; an empty list stands for those of the event
 * @children: the share of callees is added to callers
 * @zooms: restrictions, which all apply
 * @nr_zooms: number of @zooms
 */
struct view {
	size_t event;
	struct sort_keys keys;
	bool children;
	struct zoom zooms[ZOOMS_MAX];
	size_t nr_zooms;
};

/* Make a copy of a view, with texts of its own. */
struct view view_copy(const struct view *view);

/* Return the sort keys of a view of an event. */
const struct sort_keys *view_keys(const struct view *view, const struct browse_event *event);

/* Return true if a sample with these sort keys and frames is in a view. */
bool view_has(const struct view *view, const struct sample_point *point,
	      const struct callchain *chain);

/**
 * view_make_hist() - Make the histogram of a view
 * @hist: set; hist_free() frees it
 * @view: view; must not move while the histogram is in use
 * @event: event of the view
 * @chains: style of the call chains
 *
 * The period of the histogram is that of the samples of the view.
 */
void view_make_hist(struct hist *hist, const struct view *view, const struct browse_event *event,
		    const struct chain_style *chains);

/* Return true if samples of an event have a sort key, and the key tells them apart. */
bool event_offers_key(const struct browse_event *event, const struct sort_key *key);

/* Add a restriction, whose text the view frees. Return false if there are ZOOMS_MAX. */
bool view_zoom(struct view *view, const struct zoom *zoom);

void view_free(struct view *view);

#endif

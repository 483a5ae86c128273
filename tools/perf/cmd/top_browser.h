/* SPDX-License-Identifier: GPL-2.0 */
/* The browser of perf top: the samples so far, and the keys that change the measurement. */
#ifndef PERF_CMD_TOP_BROWSER_H
#define PERF_CMD_TOP_BROWSER_H

#include "browse/browse.h"
#include "measure/measure.h"
#include "top/top.h"

/**
 * struct top_browser - the browser of perf top; all zeros: not open
 * @stores: samples of each event
 * @events: events
 * @nr: number of @stores and @events
 * @style: style of the rows
 * @code: form of annotated functions
 * @live: functions for the browser
 * @input: samples to browse
 * @browser: browser
 * @page: page of @browser
 * @facts: function that returns the facts for the first line, except the event
 * @act: function that does what a key asks for
 * @context: first argument of @facts and @act
 * @paused: new samples are left out
 */
struct top_browser {
	struct sample_store *stores;
	struct browse_event *events;
	size_t nr;
	struct report_style style;
	struct code_style code;
	struct browse_live live;
	struct browse_input input;
	struct browser browser;
	struct screen_page page;
	void (*facts)(void *context, size_t event, struct top_facts *facts);
	void (*act)(void *context, enum top_action action);
	void *context;
	bool paused;
};

/**
 * top_browser_open() - Take over the terminal, and show no samples yet
 * @t: @style, @facts, @act and @context are set
 * @events: events, which sampling_prepare() has prepared
 * @nr: number of events to show, the first of @events
 * @keys: sort keys
 * @sampling: contents of the samples
 * @machine: machine with the mappings of the samples
 *
 * Return: false if the terminal cannot be used.
 */
bool top_browser_open(struct top_browser *t, const struct event_list *events, size_t nr,
		      const struct sort_keys *keys, const struct sampling *sampling,
		      const struct machine *machine);

/* Show the samples as they are now. */
void top_browser_show(struct top_browser *t);

/* Reduce the weight of the samples so far, unless they are paused. */
void top_browser_age(struct top_browser *t);

/* Remove all samples. */
void top_browser_clear(struct top_browser *t);

/* Handle the keys that have come. Return true if the user quits. */
bool top_browser_keys(struct top_browser *t);

/* Free the samples; further ones are left out. */
void top_browser_free(struct top_browser *t);

#endif

// SPDX-License-Identifier: GPL-2.0
/* The browser of perf top: the samples so far, and the keys that change the measurement. */
#include <stdlib.h>

#include "annotate/annotate.h"
#include "top_browser.h"

/* Samples are weighed in units of 2^-10, so that those of one event fade out slowly. */
#define WEIGHT_SHIFT 10

static enum top_action action_of(uint32_t key)
{
	switch (key) {
	case 'F':
		return TOP_FASTER;
	case 'S':
		return TOP_SLOWER;
	case ' ':
		return TOP_NOW;
	case 'z':
		return TOP_ZERO;
	case 'K':
		return TOP_HIDE_KERNEL;
	case 'U':
		return TOP_HIDE_USER;
	default:
		return TOP_NOTHING;
	}
}

static bool handle_key(void *context, uint32_t key, char **message)
{
	struct top_browser *t = context;
	enum top_action action = action_of(key);

	if (key == 'p') {
		t->paused = !t->paused;
		*message = xstrdup(t->paused ? "paused: new samples are left out; p goes on" :
				   "new samples are shown again");
		return true;
	}
	if (action == TOP_NOTHING)
		return false;
	t->act(t->context, action);
	browser_update(&t->browser);
	return true;
}

static char *state_of(void *context)
{
	struct top_browser *t = context;
	struct top_facts facts;
	char *text, *state;

	t->facts(t->context, t->browser.model.now.view.event, &facts);
	text = top_facts_text(&facts);
	state = xasprintf("%s%s", text, t->paused ? ", paused" : "");
	free(text);
	return state;
}

static void make_events(struct top_browser *t, const struct event_list *events,
			const struct sort_keys *keys, const struct sampling *sampling)
{
	size_t i;

	t->stores = xcalloc(t->nr, sizeof(*t->stores));
	t->events = xcalloc(t->nr, sizeof(*t->events));
	for (i = 0; i < t->nr; i++) {
		t->stores[i].shift = WEIGHT_SHIFT;
		t->events[i] = (struct browse_event){
			.name = escape_name(events->events[i].name),
			.samples = &t->stores[i],
			.keys = keys,
			.sample_type = events->events[i].attr.sample_type,
			.branches = sampling->branches,
			.chains = sampling->callchain,
			.children = sampling->callchain,
		};
	}
}

bool top_browser_open(struct top_browser *t, const struct event_list *events, size_t nr,
		      const struct sort_keys *keys, const struct sampling *sampling,
		      const struct machine *machine)
{
	const struct chain_style chains = CHAIN_STYLE_DEFAULT;
	struct error err;

	if (!browse_can_open(&err) || !screen_open())
		return false;
	t->nr = nr;
	t->style.chains = chains;
	make_events(t, events, keys, sampling);
	t->live = (struct browse_live){
		.context = t, .key = handle_key, .state = state_of, .help = top_browser_help,
	};
	t->input = (struct browse_input){
		.path = "", .events = t->events, .nr_events = nr, .style = &t->style,
		.machine = machine, .code = &t->code, .live = &t->live,
	};
	browser_init(&t->browser, &t->input);
	t->browser.working = screen_say_working;
	t->page = browser_page(&t->browser);
	return true;
}

void top_browser_show(struct top_browser *t)
{
	browser_update(&t->browser);
	screen_draw(&t->page);
}

void top_browser_age(struct top_browser *t)
{
	size_t i;

	for (i = 0; !t->paused && i < t->nr; i++)
		samples_decay(&t->stores[i]);
}

void top_browser_clear(struct top_browser *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		samples_clear(&t->stores[i]);
}

bool top_browser_keys(struct top_browser *t)
{
	if (!screen_keys(&t->page))
		return true;
	if (!t->browser.quit)
		screen_draw(&t->page);
	return t->browser.quit;
}

void top_browser_free(struct top_browser *t)
{
	size_t i;

	if (!t->stores)
		return;
	browser_free(&t->browser);
	for (i = 0; i < t->nr; i++) {
		samples_free(&t->stores[i]);
		free(t->events[i].name);
	}
	source_texts_free(&t->code.listing.texts);
	free(t->stores);
	free(t->events);
	/* live_close() still delivers samples. */
	t->paused = true;
}

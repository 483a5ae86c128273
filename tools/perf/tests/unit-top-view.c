// SPDX-License-Identifier: GPL-2.0
/*
 * The view that perf top makes of made samples, the decay of the samples, and the
 * keys.
 */
#include <stdlib.h>

#include "top/keys.h"
#include "top/view.h"
#include "unit.h"

static struct symbol symbols[] = {
	{ .name = (char *)"hash" },
	{ .name = (char *)"read" },
};

static struct dso dso = { .name = (char *)"prog", .long_name = (char *)"/bin/prog" };

static const struct callchain no_chain;

static void add(struct hist *hist, int symbol, uint64_t period)
{
	struct sample_point point = {
		.pid = 1, .tid = 1, .comm = "prog",
		.at = { .ip = symbol, .addr = symbol, .mode = MODE_USER, .dso = &dso,
			.symbol = &symbols[symbol] },
	};

	hist_add(hist, &point, &no_chain, period);
}

static void check_view(const struct hist *hist, const struct top_facts *facts,
		       const char *expected_facts, const char *first, const char *second)
{
	static const struct report_style style = { .sort_order = "dso,sym", .with_counts = true };
	struct top_view view;

	top_view_make(&view, facts, &style, hist);
	check_string(view.facts, expected_facts, "the first line has the facts");
	check_string(view.titles, "  Overhead       Samples  Shared Object  Symbol",
		     "the second line has the titles");
	check_number(view.nr_rows, !!first + !!second, "the view has the right number of rows");
	if (view.nr_rows > 0)
		check_string(view.rows[0], first, "the first row is right");
	if (view.nr_rows > 1)
		check_string(view.rows[1], second, "the second row is right");
	top_view_free(&view);
}

/* A caller without samples of its own stays as long as its callees have samples. */
static void check_callers(struct sort_keys *keys)
{
	struct hist hist = { .keys = keys, .children = true };
	struct location frames[2] = { { 0 }, { .symbol = &symbols[1], .dso = &dso } };
	struct callchain chain = { .frames = frames, .nr = 2 };
	struct sample_point point = { .comm = "prog" };
	int i;

	frames[0].symbol = &symbols[0];
	frames[0].dso = &dso;
	point.at = frames[0];
	hist_add(&hist, &point, &chain, 8);
	hist_decay(&hist);
	check_number(hist.entries.nr, 2, "a function and its caller have rows");
	for (i = 0; i < 8; i++)
		hist_decay(&hist);
	check_number(hist.entries.nr, 0, "function and caller vanish together");
	hist_free(&hist);
}

int main(void)
{
	struct top_facts facts = { .event = "cycles\033", .freq = 4000, .delay = 2 };
	struct sort_keys keys;
	struct hist hist = { .keys = &keys };
	struct error err;
	int i;

	sort_keys_parse(&keys, "dso,sym", &err);
	check_view(&hist, &facts,
		   "Samples: 0  of event 'cycles\\x1b', 4000 Hz, lost: 0, delay: 2 s, Event count (approx.): 0",
		   NULL, NULL);
	add(&hist, 0, 1);
	for (i = 0; i < 8; i++)
		add(&hist, 1, 3);
	/* 24 of 25 are 96 %. */
	facts.lost = 7;
	check_view(&hist, &facts,
		   "Samples: 9  of event 'cycles\\x1b', 4000 Hz, lost: 7, delay: 2 s, Event count (approx.): 25",
		   "    96.00%             8  prog           [.] read",
		   "     4.00%             1  prog           [.] hash");
	/* Seven eighths of 24 are 21, of 8 samples 7, of 1 none. */
	hist_decay(&hist);
	facts = (struct top_facts){ .event = "e", .period = 3, .delay = 0.5, .no_kernel = true };
	check_view(&hist, &facts,
		   "Samples: 9  of event 'e', every 3, lost: 0, delay: 0.5 s, no kernel, Event count (approx.): 21",
		   "   100.00%             7  prog           [.] read", NULL);
	/* 21, 18, 15, 13, 11, 9, 7, 6, 5, 4, 3, 2, 1, 0. */
	for (i = 0; i < 12; i++)
		hist_decay(&hist);
	check_number(hist.period, 1, "periods decay");
	hist_decay(&hist);
	check(!hist.period && !hist.entries.nr, "periods decay to nothing");
	add(&hist, 0, 5);
	check(hist.period == 5 && hist.entries.nr == 1, "a new sample has its period");
	hist_clear(&hist);
	check(!hist.period && !hist.entries.nr && !hist.nr_samples, "the view can be cleared");
	add(&hist, 1, 5);
	check(hist.period == 5 && hist.nr_samples == 1, "samples after clearing are counted");
	hist_free(&hist);

	check(top_action_of('q') == TOP_QUIT && top_action_of(4) == TOP_QUIT, "q and Ctrl-D quit");
	check(top_action_of('f') == TOP_FASTER && top_action_of('d') == TOP_SLOWER,
	      "f and d change the delay");
	check(top_action_of('x') == TOP_NOTHING && top_action_of(-1) == TOP_NOTHING,
	      "other keys do nothing");
	check_callers(&keys);
	return unit_finish();
}

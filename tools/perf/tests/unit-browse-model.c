// SPDX-License-Identifier: GPL-2.0
/*
 * The model of the browser without a terminal: rows, folds, restrictions, filter, search, history,
 * hidden rows, updates, and the file that it writes. The samples are made by hand.
 */
#include <stdlib.h>
#include <unistd.h>

#include "browse/browser.h"
#include "browse/save.h"
#include "four_functions.h"
#include "unit.h"

static struct sort_keys keys;
static struct sample_store stores[2];
static const char bash[] = "bash", make[] = "make";

/* Add a sample; @functions are the innermost first and end with -1. */
static void add(struct sample_store *store, const char *comm, uint64_t period,
		const int *functions)
{
	struct sample_point point = { .pid = 1, .tid = 1, .comm = comm };
	struct location frames[8];
	struct callchain chain = chain_of(functions, frames);

	point.at = frames[0];
	samples_add(store, &point, &chain, period);
}

static const int hashing[] = { HASH, WORK, MAIN, -1 };
static const int reading[] = { READ, WORK, MAIN, -1 };
static const int direct[] = { READ, MAIN, -1 };

/* The first event: bash has 50 in hash, make 30 and 20 in read. The second: 1 in hash. */
static void fill(void)
{
	memset(stores, 0, sizeof(stores));
	add(&stores[0], bash, 50, hashing);
	add(&stores[0], make, 30, reading);
	add(&stores[0], make, 20, direct);
	add(&stores[1], make, 1, hashing);
}

static struct browse_event events[2];
static struct report_style style = { .chains = { .mode = CHAIN_GRAPH, .min_percent = 0.5 } };
static const struct browse_input input = {
	.path = "perf.data", .events = events, .nr_events = 2, .style = &style,
};

static void start(struct browse_model *m)
{
	size_t i;

	fill();
	for (i = 0; i < 2; i++) {
		events[i] = (struct browse_event){
			.name = (char *)(i ? "second" : "first"), .samples = &stores[i],
			.keys = &keys, .chains = true,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
				       PERF_SAMPLE_RAW,
		};
	}
	model_init(m, &input);
	model_set_page(m, 10);
}

static void end(struct browse_model *m)
{
	model_free(m);
	samples_free(&stores[0]);
	samples_free(&stores[1]);
}

/* Return the visible rows as text: the last name of a row, or the label of a branch. */
static const char *rows_of(const struct browse_model *m)
{
	static char text[1024];
	char *label;
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < m->list.nr; i++) {
		const struct browse_row *row = &m->list.rows[i];
		const struct report_row *entry = &m->table.rows[row->entry];

		label = row->fold ? row_label(&m->list, row) :
				    xstrdup(entry->texts[m->table.nr_columns - 1]);
		used += snprintf(text + used, sizeof(text) - used, "%s%s%s%s",
				 i ? "|" : "", i == m->now.cursor ? ">" : "",
				 row->fold ? "  " : "", label);
		free(label);
	}
	return text;
}

static void sort(struct browse_model *m, const char *list)
{
	struct error err = { "" };

	check(model_sort(m, list, &err), "rows can be sorted by %s", list);
}

static void test_rows(void)
{
	struct browse_model m;

	start(&m);
	check_string(rows_of(&m), ">[.] hash|[.] read", "the heavier row is the first");
	model_move(&m, 1);
	check_string(rows_of(&m), "[.] hash|>[.] read", "the cursor moves down");
	model_move(&m, 5);
	check_number(m.now.cursor, 1, "the cursor stops at the last row");
	model_move(&m, -7);
	check_number(m.now.cursor, 0, "the cursor stops at the first row");
	model_set_page(&m, 1);
	model_go_to(&m, 1);
	check_number(m.now.top, 1, "the rows scroll to the cursor");
	model_set_page(&m, 2);
	check_number(m.now.top, 0, "rows that fit are on the screen");
	end(&m);
}

static void test_folds(void)
{
	struct browse_model m;

	start(&m);
	model_go_to(&m, 1);
	model_set_open(&m, true);
	/* Percentages of CHAIN_GRAPH refer to all samples. */
	check_string(rows_of(&m), "[.] hash|>[.] read|  30.00% work|  20.00% main",
		     "an unfolded row has its callers below, the heavier first");
	model_move(&m, 1);
	model_set_open(&m, true);
	check_string(rows_of(&m), "[.] hash|[.] read|>  30.00% work|  main|  20.00% main",
		     "an unfolded branch has its functions below");
	model_move(&m, 1);
	check(model_go_up(&m) && m.now.cursor == 2,
	      "above a function is the first of its branch");
	check(model_go_up(&m) && m.now.cursor == 1, "above a branch is the row of the table");
	check(!model_go_up(&m), "above a row of the table is none");
	model_set_open(&m, false);
	check_string(rows_of(&m), "[.] hash|>[.] read", "a folded row has nothing below");
	model_set_open(&m, true);
	check_string(rows_of(&m), "[.] hash|>[.] read|  30.00% work|  main|  20.00% main",
		     "a row that is unfolded again has the folds of before");
	model_set_all(&m, false);
	check_string(rows_of(&m), "[.] hash|>[.] read", "all rows can be folded");
	model_set_all(&m, true);
	check_string(rows_of(&m),
		     "[.] hash|  50.00% work|  main|>[.] read|  30.00% work|  main|  20.00% main",
		     "all rows can be unfolded, and the cursor stays on its row");
	end(&m);
}

static void test_folds_stay(void)
{
	const struct zoom zoom = {
		.symbol = &symbols[WORK], .text = (char *)"in or below work",
	};
	struct browse_model m;

	start(&m);
	model_go_to(&m, 1);
	model_set_open(&m, true);
	sort(&m, "comm,sym");
	check_string(rows_of(&m), ">[.] hash|[.] read|  30.00% work|  20.00% main",
		     "a row with one key more is unfolded as the row without it was");
	sort(&m, "comm");
	check_string(rows_of(&m), ">bash|make|  30.00% work|  20.00% main",
		     "a row with one key less is unfolded as a row with it was");
	sort(&m, "tid");
	check_number(m.list.nr, 1, "rows without a common key are folded");
	check(model_travel(&m, -1) && model_travel(&m, -1), "there are older views");
	check_string(rows_of(&m), ">[.] hash|[.] read|  30.00% work|  20.00% main",
		     "an older view has its folds");
	check(model_travel(&m, -1), "there is the first view");
	check_string(rows_of(&m), "[.] hash|>[.] read|  30.00% work|  20.00% main",
		     "it has its folds and its cursor");
	check(model_zoom(&m, &zoom), "samples in or below a function can be chosen");
	check_string(rows_of(&m), ">[.] hash|[.] read|  30.00% work",
		     "a restriction leaves folds as they are");
	end(&m);

	start(&m);
	model_set_open(&m, true);
	model_next_event(&m, 1);
	check_string(rows_of(&m), ">[.] hash|  100.00% work|  main",
		     "a row of another event is unfolded, too");
	model_set_open(&m, false);
	model_toggle_relative(&m);
	check_string(rows_of(&m), ">[.] hash", "a row that was folded stays folded");
	end(&m);
}

static void test_update(void)
{
	struct browse_model m;

	start(&m);
	model_go_to(&m, 1);
	model_set_open(&m, true);
	add(&stores[0], bash, 100, direct);
	model_update(&m);
	/* read has 150 of 200, 120 of them are called by main. */
	check_string(rows_of(&m), ">[.] read|  60.00% main|  15.00% work|[.] hash",
		     "the chosen row stays chosen and unfolded when it becomes the heaviest");
	model_move(&m, 2);
	add(&stores[0], bash, 200, reading);
	model_update(&m);
	check_string(rows_of(&m), "[.] read|>  57.50% work|  30.00% main|[.] hash",
		     "the chosen branch stays chosen when it becomes heavier");
	model_go_first(&m);
	add(&stores[0], bash, 9600, hashing);
	model_update(&m);
	check_string(rows_of(&m), ">[.] hash|[.] read|  2.30% work|  1.20% main",
		     "at the first row the cursor stays at the top");
	end(&m);

	start(&m);
	model_move(&m, 1);
	sort(&m, "comm");
	add(&stores[0], bash, 100, direct);
	check(model_travel(&m, -1), "the first view is there");
	check_string(rows_of(&m), ">[.] read|[.] hash",
		     "its chosen row is chosen again, though it became the heaviest");
	end(&m);

	start(&m);
	model_hide(&m);
	model_filter(&m, "rea");
	add(&stores[0], bash, 100, hashing);
	model_update(&m);
	check_string(rows_of(&m), ">[.] read", "hidden rows and the filter outlast an update");
	end(&m);
}

static void test_zoom(void)
{
	struct zoom zoom = { .text = (char *)"comm make" };
	struct browse_model m;
	size_t i, nr = 0;

	start(&m);
	zoom.key = sort_key_number(0);
	for (i = 0; strcmp(zoom.key->name, "comm"); i++)
		zoom.key = sort_key_number(i);
	zoom.value = sort_key_value(zoom.key, &(struct sample_point){ .comm = make });
	check(model_zoom(&m, &zoom), "samples of a command can be chosen");
	check_string(rows_of(&m), ">[.] read", "only its rows are left");
	check_number(m.hist.nr_samples, 2, "only its samples are left");
	check_string(m.table.rows[0].texts[0], "50.00%", "percentages refer to all samples");
	model_toggle_relative(&m);
	check_string(m.table.rows[0].texts[0], "100.00%", "or to those that are left");
	zoom = (struct zoom){ .symbol = &symbols[WORK], .text = (char *)"in or below work" };
	check(model_zoom(&m, &zoom), "a second restriction applies");
	check_number(m.hist.nr_samples, 1, "samples must have both");
	while (model_zoom(&m, &zoom) && nr <= ZOOMS_MAX)
		nr++;
	check_number(nr, ZOOMS_MAX - 2, "the number of restrictions is limited");
	model_next_event(&m, 1);
	check_string(model_event(&m)->name, "second", "the next event is shown");
	check_string(rows_of(&m), ">[.] hash", "its only sample has what the restrictions want");
	check_number(m.now.view.nr_zooms, ZOOMS_MAX, "which all apply");
	end(&m);
}

static void test_filter(void)
{
	struct browse_model m;

	start(&m);
	model_set_all(&m, true);
	model_filter(&m, "READ");
	check_string(rows_of(&m), ">[.] read|  30.00% work|  main|  20.00% main",
		     "a filter leaves the rows of the table with the text, in any case");
	check_number(m.list.nr_unmatched, 1, "the others are counted");
	model_filter(&m, "nothing");
	check(!m.list.nr && !model_row(&m) && !model_entry(&m), "no row has another text");
	model_move(&m, 1);
	model_hide(&m);
	model_set_open(&m, true);
	check(!model_go_up(&m) && !m.now.cursor, "without rows there is nothing to change");
	model_filter(&m, "");
	check_number(m.list.nr, 7, "without a filter all rows are there");
	end(&m);
}

static void test_search(void)
{
	struct browse_model m;

	start(&m);
	model_set_all(&m, true);
	check(model_search(&m, "WORK", 0, 1) && m.now.cursor == 1, "the search finds a branch");
	check(model_search(&m, "work", 2, 1) && m.now.cursor == 4, "and the next one");
	check(model_search(&m, "work", 5, 1) && m.now.cursor == 1,
	      "behind the last one it begins again");
	check(model_search(&m, "work", 0, -1) && m.now.cursor == 4, "backward, too");
	check(!model_search(&m, "nothing", 0, 1) && m.now.cursor == 4,
	      "a text without a row moves nothing");
	end(&m);
}

static void test_history(void)
{
	struct error err = { "" };
	struct browse_model m;
	size_t i;

	start(&m);
	check(!model_travel(&m, -1) && !model_travel(&m, 1), "the first view is the only one");
	model_move(&m, 1);
	sort(&m, "comm");
	check_string(rows_of(&m), ">bash|make", "rows of other keys are shown");
	model_filter(&m, "make");
	check(model_travel(&m, -1), "there is a view before");
	check_string(rows_of(&m), "[.] hash|>[.] read", "it has its keys and its cursor");
	check(model_travel(&m, 1), "and one behind");
	check_string(rows_of(&m), ">make", "it has its filter");
	check(!model_travel(&m, 1), "there is no view behind the last one");
	model_travel(&m, -1);
	sort(&m, "tid");
	check(!model_travel(&m, 1), "a new view takes the place of those behind");
	model_travel(&m, -1);
	check_string(rows_of(&m), "[.] hash|>[.] read", "and is behind the view that it came from");
	check(!model_sort(&m, "cpu", &err) && strstr(err.text, "no key 'cpu'"),
	      "a key that samples do not have is refused");
	check(!model_sort(&m, "trace", &err), "the text of records is refused");
	for (i = 0; i < 2 * PLACES_MAX; i++)
		model_toggle_children(&m);
	for (i = 0; model_travel(&m, -1); i++)
		;
	check_number(i, PLACES_MAX - 1, "the oldest views are forgotten");
	end(&m);
}

static void test_children(void)
{
	struct browse_model m;

	start(&m);
	model_toggle_children(&m);
	/* main 100, work 80, hash 50, read 50. */
	check_string(rows_of(&m), ">[.] main|[.] work|[.] hash|[.] read",
		     "callers have rows with the share of their callees");
	check_string(m.table.rows[1].texts[0], "80.00%", "work has the samples of both callees");
	check_string(m.table.rows[1].texts[1], "0.00%", "and none of its own");
	end(&m);
}

static void test_hidden(void)
{
	struct browse_model m;

	start(&m);
	model_set_all(&m, true);
	model_hide(&m);
	check_string(rows_of(&m), ">[.] read|  30.00% work|  main|  20.00% main",
		     "a row is hidden with what is below it");
	check_number(m.list.nr_hidden, 1, "hidden rows are counted");
	model_move(&m, 1);
	model_hide(&m);
	check_string(rows_of(&m), "", "a row is hidden where a branch of it is chosen");
	model_show_hidden(&m);
	check_number(m.list.nr, 7, "all rows are shown again");
	end(&m);
}

/* Samples of a running machine fade. Their weights are exact: 7/8 of 8 samples is 7. */
static void test_decay(void)
{
	struct browse_model m;
	int i;

	start(&m);
	for (i = 0; i < 2; i++) {
		samples_clear(&stores[i]);
		stores[i].shift = 10;
	}
	for (i = 0; i < 8; i++)
		add(&stores[0], bash, 3, hashing);
	add(&stores[0], make, 1, direct);
	model_update(&m);
	check(m.hist.nr_samples == 9 && m.hist.period == 25, "new samples have their whole weight");
	check_string(m.table.rows[0].texts[0], "96.00%", "24 of 25 are 96 %");
	samples_decay(&stores[0]);
	model_update(&m);
	check_number(m.table.rows[0].entry->self, 21, "seven eighths of 24 are 21");
	check_number(m.table.rows[0].entry->nr_self, 7, "of 8 samples are 7");
	model_set_all(&m, true);
	/* The period of read is less than 1 now. */
	check_string(rows_of(&m), ">[.] hash|  100.00% work|  main|[.] read|  0.00% [1 smaller]",
		     "chains fade with their samples");
	/* After n times a sample has 0.875^n of its weight: less than an eighth from 16 on. */
	for (i = 1; i < 15; i++)
		samples_decay(&stores[0]);
	check_number(stores[0].samples.nr, 2, "a sample with more than an eighth stays");
	for (; i < 17; i++)
		samples_decay(&stores[0]);
	check_number(stores[0].samples.nr, 1, "with less it is removed");
	check_number(stores[0].frames.nr, 3, "and the frames that it had alone");
	for (; i < 40; i++)
		samples_decay(&stores[0]);
	check(!stores[0].samples.nr && !stores[0].frames.nr && !stores[0].period,
	      "in the end nothing is left");
	model_update(&m);
	check_string(rows_of(&m), "", "and no row");
	add(&stores[0], make, 1, direct);
	model_update(&m);
	check_string(rows_of(&m), ">[.] read|  100.00% main",
		     "a new sample has its row and its folds");
	end(&m);
}

/* Return the content of a file. */
static const char *content_of(const char *path)
{
	static char text[4096];
	FILE *in = fopen(path, "r");
	size_t size = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	text[size] = '\0';
	if (in)
		fclose(in);
	return text;
}

static void test_save(void)
{
	char path[] = "/tmp/unit-browse-model-XXXXXX";
	int fd = mkstemp(path);
	struct error err = { "" };
	struct browse_model m;

	dprintf(fd, "old");
	close(fd);
	start(&m);
	model_filter(&m, "read");
	model_set_open(&m, true);
	check_number(save_rows(&m, path, false, &err), 1, "a file is not replaced without leave");
	check_string(content_of(path), "old", "it stays as it is");
	check_number(save_rows(&m, path, true, &err), 0, "it is replaced with leave");
	check_string(content_of(path),
		     "# Samples: 3 of event 'first'\n# Rows with: read\n#\n"
		     "# Overhead  Symbol\x20\x20\n#\n"
		     "    50.00%  [.] read\n              30.00% work\n              20.00% main\n",
		     "the file has the visible rows");
	check_number(save_rows(&m, "/nonexistent/file", false, &err), -1,
		     "a file that cannot be made is refused");
	check_string(err.text, "/nonexistent/file: No such file or directory", "with the reason");
	unlink(path);
	end(&m);
}

/* Keys of the browser, which the model does not know. */
static void test_keys(void)
{
	struct browser b;

	fill();
	browser_init(&b, &input);
	model_set_page(&b.model, 10);
	browser_key(&b, '/');
	browser_key(&b, 'r');
	check_string(rows_of(&b.model), ">[.] read", "a filter applies while it is typed");
	browser_key(&b, KEY_OF_ESCAPE);
	check_string(rows_of(&b.model), "[.] hash|>[.] read", "Escape removes it");
	browser_key(&b, KEY_OF_FIRST);
	browser_key(&b, 'f');
	check_string(rows_of(&b.model), ">[.] hash", "f shows one function");
	browser_key(&b, KEY_OF_BACKSPACE);
	check_string(rows_of(&b.model), ">[.] hash|[.] read", "Backspace goes back");
	browser_key(&b, 'd');
	check(b.message && strstr(b.message, "not sorted by dso"),
	      "a key without a meaning here says why");
	browser_key(&b, 'q');
	check(b.quit, "q quits");
	browser_free(&b);
	samples_free(&stores[0]);
	samples_free(&stores[1]);
}

int main(void)
{
	struct error err;

	sort_keys_parse(&keys, "sym", &err);
	test_rows();
	test_folds();
	test_folds_stay();
	test_update();
	test_zoom();
	test_filter();
	test_search();
	test_history();
	test_children();
	test_hidden();
	test_decay();
	test_save();
	test_keys();
	return unit_finish();
}

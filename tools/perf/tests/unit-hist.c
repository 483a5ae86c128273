// SPDX-License-Identifier: GPL-2.0
/*
 * Adding samples, and the text of a report, compared with tables and graphs made by hand.
 */
#include <stdlib.h>

#include "report/chain_store.h"
#include "report/chain_tree.h"
#include "report/hist.h"
#include "report/hist_print.h"
#include "four_functions.h"
#include "unit.h"

static struct sort_keys keys;

/* Add a sample; @functions are the innermost first and end with -1. */
static void add(struct hist *hist, uint64_t period, const int *functions)
{
	struct sample_point point = { .pid = 1, .tid = 1, .comm = "prog" };
	struct location frames[8];
	struct callchain chain = chain_of(functions, frames);

	point.at = frames[0];
	hist_add(hist, &point, &chain, period);
}

/*
 * 60 in hash <- work <- main, 30 in read <- work <- main, 10 in main itself; hash calls
 * itself once.
 */
static void fill(struct hist *hist)
{
	static const int hash[] = { HASH, WORK, MAIN, -1 };
	static const int hash_twice[] = { HASH, HASH, WORK, MAIN, -1 };
	static const int reading[] = { READ, WORK, MAIN, -1 };
	static const int main_only[] = { MAIN, -1 };

	add(hist, 40, hash);
	add(hist, 20, hash_twice);
	add(hist, 30, reading);
	add(hist, 10, main_only);
}

static void start(struct hist *hist, bool children)
{
	memset(hist, 0, sizeof(*hist));
	hist->keys = &keys;
	hist->children = children;
	hist->caller_first = children;
	hist->with_chains = true;
}

static struct hist_entry *find(struct hist *hist, int symbol)
{
	struct hist_entry **sorted = hist_sorted(hist), *found = NULL;
	size_t i;

	for (i = 0; i < hist->entries.nr; i++) {
		if (sorted[i]->point.at.symbol == &symbols[symbol])
			found = sorted[i];
	}
	free(sorted);
	return found;
}

/* Remove blanks at the ends of lines, which are not compared. */
static void trim(char *text)
{
	char *to = text, *at;

	for (at = text; *at; at++) {
		if (*at != ' ' || at[strspn(at, " ")] != '\n')
			*to++ = *at;
	}
	*to = '\0';
}

static void is_text(struct hist *hist, const struct report_style *style, const char *expected,
		    const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_hist(out, style, hist, 1);
	fclose(out);
	trim(text);
	check_string(text, expected, what);
	free(text);
}

static void test_sums(void)
{
	struct hist hist;

	start(&hist, true);
	fill(&hist);
	check(hist.nr_samples == 4 && hist.period == 100,
	      "four samples with a period of 100 are added");
	check_number(hist.entries.nr, 4, "four functions have rows");
	check(find(&hist, MAIN)->self == 10 && find(&hist, MAIN)->total == 100, "main: 10 of 100");
	check(find(&hist, WORK)->self == 0 && find(&hist, WORK)->total == 90, "work: 0 of 90");
	check(find(&hist, HASH)->self == 60 && find(&hist, HASH)->total == 60,
	      "hash, twice in a chain, counts once: 60");
	check(find(&hist, READ)->nr_self == 1 && find(&hist, WORK)->nr_total == 3,
	      "self and total counts are right");
	hist_free(&hist);
}

/* A list of chains has one entry per chain. */
static void test_listed_chains(void)
{
	const struct location main_frame = at(MAIN), work_frame = at(WORK);
	const struct chain_step *step, *other;
	struct chain_store store = { 0 };
	struct chain_list list = { 0 };

	step = chain_step_get(&store, &main_frame, NULL);
	other = chain_step_get(&store, &work_frame, NULL);
	chain_list_add(&store, &list, step, 10, 1, false);
	chain_list_add(&store, &list, other, 3, 1, false);
	chain_list_add(&store, &list, step, 20, 1, false);
	check(list.first->nr == 2 && list.first->period == 30,
	      "samples with the same chain are one entry");
	check(list.first->next == list.last && list.last->nr == 1 && list.last->period == 3,
	      "a sample with another chain is another entry");
	chain_store_free(&store);
}

/* Nodes below one that is too small for the report are not made: their number has no limit. */
static void test_small_nodes(void)
{
	static const int hash[] = { HASH, WORK, MAIN, -1 };
	static const int reading[] = { READ, HASH, MAIN, -1 };
	const struct chain_limit all = { 0 }, half = { .min_percent = 50, .total = 100 };
	const struct chain_limit most = { .min_percent = 90, .total = 200 };
	const struct chain_limit fork = { .min_percent = 50, .fractal = true };
	struct chain_tree tree;
	struct hist hist;

	start(&hist, true);
	add(&hist, 70, hash);
	add(&hist, 30, reading);
	chain_tree_make(&tree, &find(&hist, MAIN)->chains, &all);
	check_number(tree.nodes.nr, 5, "without a limit, a tree has all nodes");
	chain_tree_free(&tree);
	chain_tree_make(&tree, &find(&hist, MAIN)->chains, &half);
	check_number(tree.nodes.nr, 4, "nodes below a small one are not made");
	check(tree.root.total == 100 && tree.root.children->total == 100,
	      "the sums of the other nodes have all samples");
	chain_tree_free(&tree);
	chain_tree_make(&tree, &find(&hist, MAIN)->chains, &fork);
	check_number(tree.nodes.nr, 4, "nor those of a small branch of its fork");
	chain_tree_free(&tree);
	chain_tree_make(&tree, &find(&hist, MAIN)->chains, &most);
	check_number(tree.nodes.nr, 0, "a row that is small itself has no nodes");
	chain_tree_free(&tree);
	hist_free(&hist);
}

/* A process that changes its name is one process. */
static void test_renamed(void)
{
	struct report_style style = { .sort_order = "pid" };
	struct sample_point point = { .pid = 7, .tid = 7, .comm = "before" };
	struct sort_keys by_pid, all = keys;
	struct callchain chain = { 0 };
	struct hist hist;
	struct error err;

	sort_keys_parse(&by_pid, "pid", &err);
	keys = by_pid;
	start(&hist, false);
	hist_add(&hist, &point, &chain, 1);
	point.comm = "after";
	hist_add(&hist, &point, &chain, 1);
	is_text(&hist, &style,
		"# Overhead      Pid:Command\n"
		"# ........  ...............\n"
		"#\n"
		"   100.00%        7:after\n",
		"a process has one row, with its last name");
	point.comm = "a;b";
	hist_add(&hist, &point, &chain, 1);
	style.separator = ';';
	is_text(&hist, &style, "# Overhead;Pid:Command\n100.00%;7:a.b\n",
		"a name has no separator in it");
	hist_free(&hist);
	keys = all;
}

/*
 * Add one sample as perf report does. Return false if the histogram only summed it up, because
 * equal samples had been added.
 */
static bool add_with_key(struct hist *hist, const struct sample_key *key, uint64_t period,
			 const int *functions, struct pointer_counts *pointed)
{
	struct callchain chain = { 0 };

	if (hist_add_again(hist, key, period, pointed))
		return false;
	pointed->all++;
	add(hist, period, functions);
	hist_note(hist, key, &chain, (struct pointer_mark){ .all = 1 });
	return true;
}

/* Equal samples are summed up from the third one on, and get the same rows and chains. */
static void test_equal_samples(void)
{
	static const int hash_twice[] = { HASH, HASH, WORK, MAIN, -1 };
	static const int reading[] = { READ, WORK, MAIN, -1 };
	const struct sample_key key = { 1, 2, 1 }, other = { 1, 3, 1 };
	struct report_style style = { .with_counts = true, .sort_order = "sym" };
	struct pointer_counts pointed = { 0 };
	struct sort_keys all = keys;
	struct hist hist;
	struct error err;
	int i, added = 0;

	sort_keys_parse(&keys, "sym", &err);
	start(&hist, true);
	for (i = 0; i < 4; i++)
		added += add_with_key(&hist, &key, 15, hash_twice, &pointed);
	check_number(added, 2, "the third and the fourth sample are only summed up");
	check(add_with_key(&hist, &other, 40, reading, &pointed),
	      "half of a key does not make samples equal");
	check_number(pointed.all, 5, "the chain of each sample is counted");
	hist_settle(&hist);
	hist_settle(&hist);
	is_text(&hist, &style,
		"# Children      Self       Samples  Symbol\n"
		"# ........  ........  ............  ........\n"
		"#\n"
		"   100.00%     0.00%             0  [.] main\n"
		"   100.00%     0.00%             0  [.] work\n"
		"    60.00%    60.00%             4  [.] hash\n"
		"    40.00%    40.00%             1  [.] read\n",
		"each row has the samples that were summed up, once");
	hist_free(&hist);
	keys = all;
}

static void test_table(void)
{
	struct report_style style = { .sort_order = "comm,dso,sym", .with_counts = true };
	struct hist hist;

	start(&hist, false);
	fill(&hist);
	is_text(&hist, &style,
		"# Overhead       Samples  Command  Shared Object  Symbol\n"
		"# ........  ............  .......  .............  ........\n"
		"#\n"
		"    60.00%             2  prog     prog           [.] hash\n"
		"    30.00%             1  prog     prog           [.] read\n"
		"    10.00%             1  prog     prog           [.] main\n",
		"a table has counts");
	style.separator = ';';
	style.min_percent = 20;
	is_text(&hist, &style,
		"# Overhead;Samples;Command;Shared Object;Symbol\n"
		"60.00%;2;prog;prog;[.] hash\n"
		"30.00%;1;prog;prog;[.] read\n",
		"a table has separators and a minimum");
	style.separator = 0;
	style.dsos = "other";
	is_text(&hist, &style,
		"# Overhead       Samples  Command  Shared Object  Symbol\n"
		"# ........  ............  .......  .............  ......\n"
		"#\n",
		"a table of another dso is empty");
	hist_free(&hist);
}

static void test_graph(void)
{
	struct report_style style = {
		.sort_order = "comm,dso,sym",
		.chains = CHAIN_STYLE_DEFAULT,
	};
	struct hist hist;

	start(&hist, true);
	fill(&hist);
	is_text(&hist, &style,
		"# Children      Self  Command  Shared Object  Symbol\n"
		"# ........  ........  .......  .............  ........\n"
		"#\n"
		"   100.00%    10.00%  prog     prog           [.] main\n"
		"            |\n"
		"            ---main\n"
		"               |\n"
		"                --90.00%--work\n"
		"                          |\n"
		"                          |--60.00%--hash\n"
		"                          |          |\n"
		"                          |           --20.00%--hash\n"
		"                          |\n"
		"                           --30.00%--read\n"
		"\n"
		"    90.00%     0.00%  prog     prog           [.] work\n"
		"            |\n"
		"            ---work\n"
		"               |\n"
		"               |--60.00%--hash\n"
		"               |          |\n"
		"               |           --20.00%--hash\n"
		"               |\n"
		"                --30.00%--read\n"
		"\n"
		"    60.00%    60.00%  prog     prog           [.] hash\n"
		"            |\n"
		"            ---main\n"
		"               work\n"
		"               hash\n"
		"               |\n"
		"                --20.00%--hash\n"
		"\n"
		"    30.00%    30.00%  prog     prog           [.] read\n"
		"            |\n"
		"            ---main\n"
		"               work\n"
		"               read\n"
		"\n",
		"callers come first, shares are of all samples");
	style.chains.min_percent = 50;
	style.chains.value = VALUE_COUNT;
	is_text(&hist, &style,
		"# Children      Self  Command  Shared Object  Symbol\n"
		"# ........  ........  .......  .............  ........\n"
		"#\n"
		"   100.00%    10.00%  prog     prog           [.] main\n"
		"            |\n"
		"            ---main\n"
		"               |\n"
		"                --3--work\n"
		"                          |\n"
		"                           --2--hash\n"
		"\n"
		"    90.00%     0.00%  prog     prog           [.] work\n"
		"            |\n"
		"            ---work\n"
		"               |\n"
		"                --2--hash\n"
		"\n"
		"    60.00%    60.00%  prog     prog           [.] hash\n"
		"            |\n"
		"            ---main\n"
		"               work\n"
		"               hash\n"
		"\n"
		"    30.00%    30.00%  prog     prog           [.] read\n",
		"a minimum and counts are applied");
	hist_free(&hist);
}

static void test_other_forms(void)
{
	struct report_style style = {
		.sort_order = "sym",
		.chains = { .mode = CHAIN_FRACTAL },
	};
	struct sort_keys by_symbol, all = keys;
	struct hist hist;
	struct error err;

	sort_keys_parse(&by_symbol, "symbol", &err);
	keys = by_symbol;
	start(&hist, true);
	hist.children = false;
	hist.caller_first = false;
	fill(&hist);
	is_text(&hist, &style,
		"# Overhead  Symbol\n"
		"# ........  ........\n"
		"#\n"
		"    60.00%  [.] hash\n"
		"            |\n"
		"            |--66.67%--work\n"
		"            |          main\n"
		"            |\n"
		"             --33.33%--hash\n"
		"                       work\n"
		"                       main\n"
		"\n"
		"    30.00%  [.] read\n"
		"            |\n"
		"            ---work\n"
		"               main\n"
		"\n"
		"    10.00%  [.] main\n",
		"callees come first, shares are of the row");
	hist_free(&hist);

	/* One chain ends in work, where two others continue: the shares are of these two. */
	start(&hist, true);
	add(&hist, 10, (const int[]){ WORK, MAIN, -1 });
	add(&hist, 10, (const int[]){ HASH, WORK, MAIN, -1 });
	add(&hist, 10, (const int[]){ READ, WORK, MAIN, -1 });
	add(&hist, 70, (const int[]){ MAIN, -1 });
	style.min_percent = 60;
	is_text(&hist, &style,
		"# Children      Self  Symbol\n"
		"# ........  ........  ........\n"
		"#\n"
		"   100.00%    70.00%  [.] main\n"
		"            |\n"
		"            |--30.00%--work\n"
		"            |          |\n"
		"            |          |--50.00%--hash\n"
		"            |          |\n"
		"            |           --50.00%--read\n"
		"             --70.00%--[...]\n"
		"\n",
		"callers come first, shares are of the parent");
	hist_free(&hist);

	start(&hist, true);
	hist.children = false;
	hist.caller_first = false;
	fill(&hist);
	style.chains.mode = CHAIN_FLAT;
	style.min_percent = 50;
	is_text(&hist, &style,
		"# Overhead  Symbol\n"
		"# ........  ........\n"
		"#\n"
		"    60.00%  [.] hash\n"
		"           40.00%\n"
		"                hash\n"
		"                work\n"
		"                main\n"
		"\n"
		"           20.00%\n"
		"                hash\n"
		"                hash\n"
		"                work\n"
		"                main\n"
		"\n",
		"flat chains are printed");
	style.chains.mode = CHAIN_FOLDED;
	is_text(&hist, &style,
		"# Overhead  Symbol\n"
		"# ........  ........\n"
		"#\n"
		"    60.00%  [.] hash\n"
		"40.00% hash;work;main\n"
		"20.00% hash;hash;work;main\n",
		"folded chains are printed");
	hist_free(&hist);
	keys = all;
}

/* Add a sample whose frames are all in functions without names. */
static void add_deep(struct hist *hist, size_t nr)
{
	struct sample_point point = { .pid = 1, .tid = 1, .comm = "prog" };
	struct callchain chain = { .nr = nr };
	size_t i;

	chain.frames = xcalloc(nr, sizeof(*chain.frames));
	for (i = 0; i < nr; i++) {
		chain.frames[i].ip = 0x10000 + i;
		chain.frames[i].addr = chain.frames[i].ip;
	}
	point.at = chain.frames[0];
	hist_add(hist, &point, &chain, 100);
	callchain_free(&chain);
}

/* Measure the memory of a sample with @nr frames and the length of its report. */
static void measure_deep(size_t nr, size_t *memory, size_t *text_size)
{
	struct report_style style = { .sort_order = "sym", .chains = CHAIN_STYLE_DEFAULT };
	size_t before = heap_bytes();
	struct hist hist;
	char *text = NULL;
	FILE *out;

	start(&hist, true);
	add_deep(&hist, nr);
	*memory = heap_bytes() - before;
	out = open_memstream(&text, text_size);
	report_hist(out, &style, &hist, 1);
	fclose(out);
	free(text);
	hist_free(&hist);
}

/* Each frame of the sample has a row, and each row a chain. */
static void test_deep_chain(void)
{
	size_t memory, memory_twice, text, text_twice;

	measure_deep(2000, &memory, &text);
	measure_deep(4000, &memory_twice, &text_twice);
	check_doubled(memory, memory_twice, "a chain twice as deep takes twice the memory");
	check_doubled(text, text_twice, "the report of a chain twice as deep is twice as long");
}

/* Return how many chains end with "[...]" in the report of a sample with @nr frames. */
static int count_cut(size_t nr, bool children)
{
	struct report_style style = {
		.sort_order = "sym",
		.chains = { .mode = CHAIN_FOLDED },
	};
	char *text = NULL, *at;
	struct hist hist;
	size_t size;
	int cut = 0;
	FILE *out;

	start(&hist, true);
	hist.children = children;
	add_deep(&hist, nr);
	out = open_memstream(&text, &size);
	report_hist(out, &style, &hist, 1);
	fclose(out);
	for (at = text; (at = strstr(at, ";[...]\n")); at++)
		cut++;
	check(strstr(text, "0x10000\n"), "the sampled frame is shown");
	free(text);
	hist_free(&hist);
	return cut;
}

static void test_cut(void)
{
	check_number(count_cut(CALLER_STEPS_MAX, true), 0,
		     "a chain of the largest depth is not cut off");
	check_number(count_cut(CALLER_STEPS_MAX + 3, true), 3,
		     "rows of callers beyond the limit are marked as cut off");
	check_number(count_cut(CALLER_STEPS_MAX + 3, false), 0,
		     "the sample's own row is not cut off");
}

static int texts_made;

static uint64_t counted_value(const struct sample_point *point)
{
	return point->cpu;
}

static char *counted_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	texts_made++;
	return xasprintf("%06u", 999999 - point->cpu);
}

/* Rows that differ only in their names are ordered by name. */
static void test_ties(void)
{
	static const struct sort_key counted = {
		.name = "counted", .value = counted_value, .text = counted_text,
	};
	struct sample_point point = { .comm = "prog" };
	struct hist_entry **sorted;
	struct callchain chain = { 0 };
	struct sort_keys all = keys;
	bool in_order = true;
	struct hist hist;
	size_t i;

	keys = (struct sort_keys){ .keys = { &counted }, .nr = 1 };
	start(&hist, false);
	for (point.cpu = 0; point.cpu < 1000; point.cpu++)
		hist_add(&hist, &point, &chain, 1);
	sorted = hist_sorted(&hist);
	for (i = 0; i < 1000; i++)
		in_order &= sorted[i]->point.cpu == 999 - i;
	check(in_order, "equal rows are ordered by name");
	check_number(texts_made, 1000, "each name is made once");
	free(sorted);
	hist_free(&hist);
	keys = all;
}

static void test_parsing(void)
{
	struct chain_style style = CHAIN_STYLE_DEFAULT;
	struct sort_keys parsed;
	struct error err;

	check(!chain_style_parse(&style, "fractal,2.5,7,callee,count", &err) &&
	      style.mode == CHAIN_FRACTAL && style.min_percent == 2.5 && style.max_lines == 7 &&
	      style.order == ORDER_CALLEE && style.value == VALUE_COUNT,
	      "-g with all words is parsed");
	check(chain_style_parse(&style, "graph,101", &err) < 0, "a threshold above 100 is refused");
	check(chain_style_parse(&style, "graph,1,2,3", &err) < 0, "three numbers are refused");
	check(chain_style_parse(&style, "graph,", &err) < 0, "an empty word is refused");
	check(!sort_keys_parse(&parsed, "pid,sym,pid", &err) && parsed.nr == 2,
	      "a repeated sort key counts once");
	check(sort_keys_parse(&parsed, "pid,", &err) < 0, "an empty sort key is refused");
	check(sort_keys_parse(&parsed, "commm", &err) < 0 && strstr(err.text, "'commm'"),
	      "the error names an unknown sort key");
}

int main(void)
{
	struct error err;
	size_t i;

	sort_keys_parse(&keys, "comm,dso,sym", &err);
	test_sums();
	test_listed_chains();
	test_small_nodes();
	test_renamed();
	test_equal_samples();
	test_table();
	test_graph();
	test_other_forms();
	test_deep_chain();
	test_cut();
	test_ties();
	test_parsing();
	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		free(symbols[i].shown);
	return unit_finish();
}

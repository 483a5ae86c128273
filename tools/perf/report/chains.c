// SPDX-License-Identifier: GPL-2.0
/*
 * Prints call chains below the rows of a report.
 *
 *	|
 *	---main				all chains of the entry begin with main
 *	   |
 *	   |--60.00%--parse		and fork here
 *	   |          read_word
 *	   |
 *	    --40.00%--print
 *
 * A run of nodes without a fork, in which no chain ends, is printed as one branch.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chain_tree.h"
#include "chains.h"

#define MARGIN "            "

/* The children of a node that are shown, those with the largest period first. */
struct branches {
	const struct chain_node **nodes;
	size_t nr;
};

/**
 * struct graph - a tree that is being printed
 * @out: stream to print to
 * @print: style
 * @margin: number of blanks at the start of each line, after MARGIN
 * @printed: true if a line has been printed
 * @pipes: for each level, true if a vertical line continues
 * @room: allocated size of @pipes
 */
struct graph {
	FILE *out;
	const struct chain_print *print;
	int margin;
	bool printed;
	bool *pipes;
	size_t room;
};

static void find_branches(struct branches *b, const struct chain_node *node, uint64_t min)
{
	const struct chain_node *child;
	size_t nr = 0;

	for (child = node->children; child; child = child->next)
		nr++;
	b->nodes = xcalloc(nr, sizeof(*b->nodes));
	b->nr = 0;
	for (child = node->children; child; child = child->next) {
		if (child->total >= min && child->total)
			b->nodes[b->nr++] = child;
	}
	qsort(b->nodes, b->nr, sizeof(*b->nodes), chain_node_compare);
}

static void print_value(FILE *out, const struct chain_style *style, uint64_t period,
			uint64_t count, uint64_t total)
{
	switch (style->value) {
	case VALUE_PERIOD:
		fprintf(out, "%" PRIu64, period);
		break;
	case VALUE_COUNT:
		fprintf(out, "%" PRIu64, count);
		break;
	case VALUE_PERCENT:
		fprintf(out, "%.2f%%", total ? 100.0 * period / total : 0.0);
		break;
	}
}

static void fput_label(FILE *out, const struct chain_node *node)
{
	char *label = chain_text(node);

	fputs(label, out);
	free(label);
}

static void print_label(FILE *out, const struct chain_node *node)
{
	fput_label(out, node);
	fputc('\n', out);
}

static void print_margin(struct graph *g)
{
	g->printed = true;
	fprintf(g->out, "%s%*s", MARGIN, g->margin, "");
}

static void print_pipes(const struct graph *g, size_t depth)
{
	size_t i;

	for (i = 0; i < depth; i++)
		fputs(g->pipes[i] ? "|          " : "           ", g->out);
}

static void set_pipe(struct graph *g, size_t level, bool pipe)
{
	if (level >= g->room) {
		g->room = (level + 1) * 2;
		g->pipes = xreallocarray(g->pipes, g->room, sizeof(*g->pipes));
	}
	g->pipes[level] = pipe;
}

static void print_below(struct graph *g, const struct chain_node *node, uint64_t total,
			size_t depth);

/* Print a branch: its percentage, its functions, and the branches that it forks into. */
static void print_branch(struct graph *g, const struct chain_node *first, uint64_t total,
			 size_t depth, bool last)
{
	const struct chain_node *node, *end = chain_branch_end(first);
	bool fractal = g->print->style.mode == CHAIN_FRACTAL;

	print_margin(g);
	print_pipes(g, depth);
	fputc('\n', g->out);
	print_margin(g);
	print_pipes(g, depth - 1);
	if (last)
		g->pipes[depth - 1] = false;
	fputs(g->pipes[depth - 1] ? "|--" : " --", g->out);
	print_value(g->out, &g->print->style, first->total, first->nr_total, total);
	fputs("--", g->out);
	print_label(g->out, first);
	for (node = first; node != end; ) {
		node = node->children;
		print_margin(g);
		print_pipes(g, depth);
		print_label(g->out, node);
	}
	print_below(g, end, fractal ? end->total - end->self : total, depth + 1);
}

/* Print the part of a fork that is not in the printed branches. */
static void print_rest(struct graph *g, uint64_t rest, uint64_t count, uint64_t total,
		       size_t depth)
{
	print_margin(g);
	print_pipes(g, depth - 1);
	fputs(" --", g->out);
	print_value(g->out, &g->print->style, rest, count, total);
	fputs("--[...]\n", g->out);
}

/* Print the branches below @node, where @total is 100 %. */
static void print_below(struct graph *g, const struct chain_node *node, uint64_t total,
			size_t depth)
{
	const struct chain_style *style = &g->print->style;
	bool fractal = style->mode == CHAIN_FRACTAL;
	uint64_t rest = total, count = node->nr_total - node->nr_self;
	struct branches b;
	const uint64_t whole = fractal ? total : g->print->total;
	bool with_rest;
	size_t i;

	find_branches(&b, node, chain_threshold(style->min_percent, whole));
	if (style->max_lines && b.nr > style->max_lines)
		b.nr = style->max_lines;
	for (i = 0; i < b.nr; i++) {
		rest -= b.nodes[i]->total;
		count -= b.nodes[i]->nr_total;
	}
	with_rest = fractal && rest && rest != total;
	for (i = 0; i < b.nr; i++) {
		bool last = i + 1 == b.nr && !with_rest;

		set_pipe(g, depth - 1, true);
		print_branch(g, b.nodes[i], total, depth, last);
	}
	if (with_rest)
		print_rest(g, rest, count, total, depth);
	free(b.nodes);
}

/* Print the steps that all chains begin with, without a percentage: the row has it. */
static const struct chain_node *print_trunk(struct graph *g, const struct chain_node *first)
{
	const struct chain_node *node = first, *end = chain_branch_end(first);
	bool skip = g->print->skip_first;

	for (;; node = node->children) {
		if (!skip) {
			bool first_line = !g->printed;

			print_margin(g);
			if (first_line) {
				fputs("|\n", g->out);
				print_margin(g);
				fputs("---", g->out);
				g->margin += 3;
			}
			print_label(g->out, node);
		}
		skip = false;
		if (node == end)
			return end;
	}
}

static void print_graph(FILE *out, const struct chain_print *print,
			const struct chain_node *root, uint64_t period)
{
	struct graph g = { .out = out, .print = print };
	const struct chain_node *node = root;
	bool fractal = print->style.mode == CHAIN_FRACTAL;
	uint64_t total = fractal ? period : print->total;
	struct branches b;

	find_branches(&b, node, chain_threshold(print->style.min_percent, total));
	if (b.nr == 1 && b.nodes[0]->total == period)
		node = print_trunk(&g, b.nodes[0]);
	if (b.nr)
		print_below(&g, node, total, 1);
	if (g.printed)
		fputc('\n', out);
	free(b.nodes);
	free(g.pipes);
}

/* Collect the nodes at which chains end. */
static void find_ends(struct branches *b, size_t *room, const struct chain_node *node,
		      uint64_t min)
{
	const struct chain_node *child;

	if (node->parent && node->nr_self && node->self >= min) {
		if (b->nr == *room) {
			*room = *room ? *room * 2 : 16;
			b->nodes = xreallocarray(b->nodes, *room, sizeof(*b->nodes));
		}
		b->nodes[b->nr++] = node;
	}
	for (child = node->children; child; child = child->next)
		find_ends(b, room, child, min);
}

static int compare_self(const void *x, const void *y)
{
	const struct chain_node *a = *(struct chain_node **)x, *b = *(struct chain_node **)y;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return chain_node_compare(x, y);
}

static void print_flat(FILE *out, const struct chain_node *node)
{
	if (!node->parent)
		return;
	print_flat(out, node->parent);
	fprintf(out, "%s    ", MARGIN);
	print_label(out, node);
}

static void print_folded(FILE *out, const struct chain_node *node, char separator)
{
	if (node->parent->parent) {
		print_folded(out, node->parent, separator);
		fputc(separator, out);
	}
	fput_label(out, node);
}

static void print_ends(FILE *out, const struct chain_print *print,
		       const struct chain_node *root)
{
	const struct chain_style *style = &print->style;
	struct branches b = { 0 };
	size_t i, room = 0;

	find_ends(&b, &room, root, chain_threshold(style->min_percent, print->total));
	if (b.nr)
		qsort(b.nodes, b.nr, sizeof(*b.nodes), compare_self);
	if (style->max_lines && b.nr > style->max_lines)
		b.nr = style->max_lines;
	for (i = 0; i < b.nr; i++) {
		const struct chain_node *node = b.nodes[i];

		if (style->mode == CHAIN_FLAT)
			fprintf(out, "           ");
		print_value(out, style, node->self, node->nr_self, print->total);
		if (style->mode == CHAIN_FLAT) {
			fputc('\n', out);
			print_flat(out, node);
		} else {
			fputc(' ', out);
			print_folded(out, node, print->separator);
		}
		fputc('\n', out);
	}
	free(b.nodes);
}

/**
 * report_chains() - Print the call chains of an entry
 * @out: stream to print to
 * @print: style
 * @entry: entry of a histogram
 * @children: true if the row shows the total of the entry, not its own period
 */
void report_chains(FILE *out, const struct chain_print *print, const struct hist_entry *entry,
		   bool children)
{
	const struct chain_limit limit = {
		.min_percent = print->style.min_percent,
		.fractal = print->style.mode == CHAIN_FRACTAL,
		.total = print->total,
	};
	struct chain_tree tree;

	if (!entry->chains.first || print->style.mode == CHAIN_NONE)
		return;
	chain_tree_make(&tree, &entry->chains, &limit);
	switch (print->style.mode) {
	case CHAIN_NONE:
		break;
	case CHAIN_GRAPH:
	case CHAIN_FRACTAL:
		print_graph(out, print, &tree.root, children ? entry->total : entry->self);
		break;
	case CHAIN_FLAT:
	case CHAIN_FOLDED:
		print_ends(out, print, &tree.root);
		break;
	}
	chain_tree_free(&tree);
}

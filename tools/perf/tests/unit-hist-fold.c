// SPDX-License-Identifier: GPL-2.0
/* The memory of a histogram's call chains: frequent chains stay, rare ones become sums. */
#include <stdlib.h>

#include "report/chain_tree.h"
#include "report/hist.h"
#include "four_functions.h"
#include "unit.h"

#define RARE_BITS 12
#define RARE_NR (1 << RARE_BITS)
#define FREQUENT 100000
#define MEMORY (256 * 1024)

static struct sort_keys keys;

static void add(struct hist *hist, uint64_t period, const int *functions)
{
	struct sample_point point = { .pid = 1, .tid = 1, .comm = "prog" };
	struct location frames[RARE_BITS + 3];
	struct callchain chain = chain_of(functions, frames);

	point.at = frames[0];
	hist_add(hist, &point, &chain, period);
}

/* Add RARE_NR chains in main, all different, of which each calls hash or read at each step. */
static void add_rare(struct hist *hist)
{
	int functions[RARE_BITS + 3], chain, bit;

	for (chain = 0; chain < RARE_NR; chain++) {
		for (bit = 0; bit < RARE_BITS; bit++)
			functions[bit] = chain >> bit & 1 ? HASH : READ;
		functions[bit++] = MAIN;
		functions[bit] = -1;
		add(hist, 3, functions);
	}
}

static void start(struct hist *hist, bool children, size_t memory)
{
	static const int frequent[] = { HASH, WORK, MAIN, -1 };

	*hist = (struct hist){
		.keys = &keys,
		.children = children,
		.caller_first = children,
		.with_chains = true,
		.memory_max = memory,
	};
	add(hist, FREQUENT, frequent);
	add_rare(hist);
}

/* What is found in the chains of all rows. */
struct found {
	bool sums_wrong;
	uint64_t nr_not_kept;
	uint64_t not_kept;
	uint64_t frequent;
};

static void look_at(struct found *found, const struct chain_node *node)
{
	uint64_t total = node->self, nr = node->nr_self;
	const struct chain_node *child;

	for (child = node->children; child; child = child->next) {
		total += child->total;
		nr += child->nr_total;
		look_at(found, child);
	}
	found->sums_wrong |= total != node->total || nr != node->nr_total;
	if (node->step == &chain_not_kept) {
		found->not_kept += node->total;
		found->nr_not_kept += node->nr_total;
	} else if (node->step && node->step->symbol == &symbols[WORK]) {
		found->frequent += node->total;
	}
}

static struct found look(const struct hist *hist)
{
	struct hist_entry **sorted = hist_sorted(hist);
	const struct chain_limit all = { 0 };
	struct found found = { 0 };
	struct chain_tree tree;
	size_t i;

	for (i = 0; i < hist->entries.nr; i++) {
		chain_tree_make(&tree, &sorted[i]->chains, &all);
		look_at(&found, &tree.root);
		if (hist->children)
			found.sums_wrong |= tree.root.total != sorted[i]->total ||
					    tree.root.nr_total != sorted[i]->nr_total;
		else
			found.sums_wrong |= tree.root.total != sorted[i]->self ||
					    tree.root.nr_total != sorted[i]->nr_self;
		chain_tree_free(&tree);
	}
	free(sorted);
	return found;
}

static void test_sums(bool children)
{
	struct found all, kept;
	struct hist hist;

	start(&hist, children, 0);
	all = look(&hist);
	check(!hist.folded && chain_store_size(&hist.chains) > 2 * MEMORY,
	      "without a limit, the chains have all memory that they need");
	check(!all.sums_wrong && !all.nr_not_kept, "without a limit, each chain is kept");
	hist_free(&hist);

	start(&hist, children, MEMORY);
	kept = look(&hist);
	check(hist.folded && chain_store_size(&hist.chains) <= MEMORY + 64 * 1024,
	      "with a limit, the chains do not need more");
	check(!kept.sums_wrong, "the sum of each step is right");
	check(kept.nr_not_kept && kept.not_kept == 3 * kept.nr_not_kept,
	      "chains that are not kept are the rare ones");
	check(kept.frequent == all.frequent && kept.frequent >= FREQUENT,
	      "the frequent chain is kept in each row");
	check(hist.period == FREQUENT + 3 * RARE_NR && hist.nr_samples == 1 + RARE_NR,
	      "all samples are counted");
	hist_free(&hist);
}

/* Equal samples that are only summed up get their rows and chains, also if these are folded. */
static void test_equal_samples(void)
{
	static const int functions[] = { HASH, WORK, MAIN, -1 };
	const struct sample_key key = { 1, 2, 1 };
	struct pointer_counts pointed = { 0 };
	struct callchain chain = { 0 };
	struct hist_entry **sorted;
	struct found found;
	struct hist hist;
	int i;

	start(&hist, true, MEMORY);
	for (i = 0; i < 4; i++) {
		if (hist_add_again(&hist, &key, 7, &pointed))
			continue;
		add(&hist, 7, functions);
		hist_note(&hist, &key, &chain, (struct pointer_mark){ 0 });
	}
	hist.memory_max = 1;
	hist.memory_more = 0;
	hist_fold(&hist);
	found = look(&hist);
	sorted = hist_sorted(&hist);
	check(sorted[0]->total == FREQUENT + 3 * RARE_NR + 4 * 7 && !found.sums_wrong,
	      "samples that were summed up are in the sums of chains");
	free(sorted);
	check(!hist_add_again(&hist, &key, 7, &pointed),
	      "a sample is not added to chains that were there before");
	hist_free(&hist);
}

/* The rows alone need more memory than chains may have: samples do not fold them each time. */
static void test_many_rows(void)
{
	static const int functions[] = { MAIN, -1 };
	const struct listed_chain *first;
	struct hist_entry **sorted;
	struct hist hist;

	start(&hist, true, MEMORY);
	hist.memory_max = 1;
	hist_fold(&hist);
	sorted = hist_sorted(&hist);
	first = sorted[0]->chains.first;
	add(&hist, 1, functions);
	check(sorted[0]->chains.first == first, "chains are left alone until there are more");
	free(sorted);
	hist_free(&hist);
}

int main(void)
{
	struct error err;

	sort_keys_parse(&keys, "sym", &err);
	test_sums(true);
	test_sums(false);
	test_equal_samples();
	test_many_rows();
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of samples and branch records for each address of each function.
 */
#include <stdlib.h>
#include <string.h>

#include "code_hits.h"

static void add_share(struct share *sum, struct share share)
{
	sum->nr += share.nr;
	sum->period += share.period;
}

/* Add samples to the sums of events, which grow as events appear. */
static void add_total(struct share **totals, size_t *nr, size_t event, struct share share)
{
	if (event >= *nr) {
		*totals = xreallocarray(*totals, event + 1, sizeof(**totals));
		memset(*totals + *nr, 0, (event + 1 - *nr) * sizeof(**totals));
		*nr = event + 1;
	}
	add_share(&(*totals)[event], share);
}

/*
 * Return the start of a BPF program, because several programs of one name share a symbol; 0 for
 * other functions.
 */
static uint64_t start_of(const struct location *at)
{
	return at->dso->kind == DSO_KSYMBOL ? at->ip - at->symbol_offset : 0;
}

struct function_hits *code_hits_function(struct code_hits *hits, const struct location *at)
{
	uint64_t hash = hash_mix(hash_mix((uintptr_t)at->dso, (uintptr_t)at->symbol),
				 start_of(at));
	struct hash_node *node = hash_table_first(&hits->functions, hash);
	struct function_hits *function;

	for (; node; node = hash_table_next(node)) {
		function = hash_entry(node, struct function_hits, node);
		if (function->at.dso == at->dso && function->at.symbol == at->symbol &&
		    start_of(&function->at) == start_of(at))
			return function;
	}
	function = xcalloc(1, sizeof(*function));
	function->at = *at;
	hash_table_add(&hits->functions, &function->node, hash);
	return function;
}

static struct code_hit *get_hit(struct function_hits *function, size_t event, uint64_t offset)
{
	uint64_t hash = hash_mix(hash_number(offset), event);
	struct hash_node *node = hash_table_first(&function->hits, hash);
	struct code_hit *hit;

	for (; node; node = hash_table_next(node)) {
		hit = hash_entry(node, struct code_hit, node);
		if (hit->event == event && hit->offset == offset)
			return hit;
	}
	hit = xcalloc(1, sizeof(*hit));
	hit->event = event;
	hit->offset = offset;
	hash_table_add(&function->hits, &hit->node, hash);
	return hit;
}

static struct branch_hit *get_branch(struct function_hits *function, uint64_t offset)
{
	uint64_t hash = hash_number(offset);
	struct hash_node *node = hash_table_first(&function->branches, hash);
	struct branch_hit *hit;

	for (; node; node = hash_table_next(node)) {
		hit = hash_entry(node, struct branch_hit, node);
		if (hit->offset == offset)
			return hit;
	}
	hit = xcalloc(1, sizeof(*hit));
	hit->offset = offset;
	hash_table_add(&function->branches, &hit->node, hash);
	return hit;
}

void code_hits_add_share(struct code_hits *hits, const struct machine *machine,
			 const struct location *at, size_t event, struct share share)
{
	struct function_hits *function;
	const struct map *map;

	add_total(&hits->totals, &hits->nr_totals, event, share);
	if (!at->symbol) {
		hits->nr_unknown += share.nr;
		return;
	}
	function = code_hits_function(hits, at);
	if (at->dso->kind == DSO_KSYMBOL && !function->size) {
		map = map_set_find(machine->kernel_maps, at->ip);
		function->size = map ? map->end - map->start : 0;
	}
	add_total(&function->totals, &function->nr_totals, event, share);
	add_share(&get_hit(function, event, at->symbol_offset)->share, share);
}

void code_hits_add(struct code_hits *hits, const struct machine *machine,
		   const struct location *at, const struct record *record)
{
	code_hits_add_share(hits, machine, at, record->event,
			    (struct share){ 1, record->sample.period });
}

/* Return true if a straight run of code can be from one location to the other. */
static bool is_run(const struct location *first, const struct location *last)
{
	return first->symbol && first->dso == last->dso && first->symbol == last->symbol &&
	       first->symbol_offset <= last->symbol_offset;
}

/* Add the straight run of code from the target of the older branch to the younger branch. */
static void add_run(struct code_hits *hits, const struct branch *older,
		    const struct branch *younger)
{
	struct function_hits *function;
	struct branch_hit *end;

	if (!is_run(&older->to, &younger->from))
		return;
	function = code_hits_function(hits, &younger->from);
	get_branch(function, older->to.symbol_offset)->begun++;
	end = get_branch(function, younger->from.symbol_offset);
	end->ended++;
	hits->has_runs = true;
	if (!younger->entry.cycles)
		return;
	end->cycles += younger->entry.cycles;
	end->timed++;
	hits->has_cycles = true;
}

void code_hits_add_branches(struct code_hits *hits, struct machine *machine,
			    const struct thread *thread, const struct record *record, bool all)
{
	struct branch branch, younger;
	struct branch_hit *from;
	uint64_t i;

	for (i = 0; i < record->sample.branches.nr; i++) {
		branch_resolve(&branch, machine, thread, record, i);
		hits->has_branches = true;
		if (branch.from.symbol) {
			from = get_branch(code_hits_function(hits, &branch.from),
					  branch.from.symbol_offset);
			from->taken++;
			from->missed += branch.entry.mispred;
		}
		if (i && all)
			add_run(hits, &branch, &younger);
		younger = branch;
	}
}

struct share function_share(const struct function_hits *function, size_t event)
{
	return event < function->nr_totals ? function->totals[event] : (struct share){ 0 };
}

struct share code_hits_share(const struct code_hits *hits, size_t event)
{
	return event < hits->nr_totals ? hits->totals[event] : (struct share){ 0 };
}

/* A function that is being sorted. */
struct sorted {
	struct function_hits *function;
	struct share share;
};

static int compare(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	const struct location *at = &a->function->at, *other = &b->function->at;
	int order;

	if (a->share.period != b->share.period)
		return a->share.period > b->share.period ? -1 : 1;
	order = strcmp(symbol_name(at->symbol), symbol_name(other->symbol));
	if (!order)
		order = strcmp(at->dso->long_name, other->dso->long_name);
	if (order)
		return order;
	return at->symbol->start < other->symbol->start ? -1 :
	       at->symbol->start > other->symbol->start;
}

struct function_hits **code_hits_sorted(const struct code_hits *hits, size_t event, size_t *nr)
{
	struct hash_node **nodes = hash_table_nodes(&hits->functions);
	struct sorted *sorted = xcalloc(hits->functions.nr, sizeof(*sorted));
	struct function_hits **functions = xcalloc(hits->functions.nr, sizeof(*functions));
	size_t i;

	*nr = 0;
	for (i = 0; i < hits->functions.nr; i++) {
		struct function_hits *function = hash_entry(nodes[i], struct function_hits, node);
		struct share share = function_share(function, event);

		if (share.nr)
			sorted[(*nr)++] = (struct sorted){ function, share };
	}
	qsort(sorted, *nr, sizeof(*sorted), compare);
	for (i = 0; i < *nr; i++)
		functions[i] = sorted[i].function;
	free(sorted);
	free(nodes);
	return functions;
}

static void free_function(struct hash_node *node)
{
	struct function_hits *function = hash_entry(node, struct function_hits, node);

	hash_table_free_all(&function->hits, hash_node_free);
	hash_table_free_all(&function->branches, hash_node_free);
	free(function->totals);
	free(function);
}

void code_hits_free(struct code_hits *hits)
{
	hash_table_free_all(&hits->functions, free_function);
	free(hits->totals);
}

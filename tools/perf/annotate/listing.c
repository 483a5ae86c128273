// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of an annotated function.
 *
 *	struct code		bytes of the function		symbol/code.c
 *	struct instruction	decoded				symbol/instructions.c
 *	struct code_line	with jumps, runs and marks	this file, jumps.c, hot_path.c
 *	struct listing_line	with source lines between	this file, source_text.c
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "hot_path.h"
#include "listing.h"

/* Make room for another element of an array. Return: the array. */
static void *grown(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	return xreallocarray(array, *room, size);
}

static void append_line(struct listing *listing, size_t *room, struct listing_line line)
{
	listing->lines = grown(listing->lines, listing->nr_lines, room, sizeof(line));
	listing->lines[listing->nr_lines++] = line;
}

/* Return the name of the place at an address, as " <name+0x10>", or an empty text. */
static char *name_of(const struct function_hits *function, const struct code *code, uint64_t addr)
{
	const struct dso *dso = function->at.dso;
	struct symbol *symbol = function->at.symbol;
	uint64_t offset = addr - code->addr;

	if (offset >= code->size) {
		if (dso->kind == DSO_KSYMBOL || dso->kind == DSO_JITDUMP)
			return xstrdup("");
		/* The addresses of the symbols may differ from those of the code by a constant. */
		addr += symbol->start - code->addr;
		symbol = symbol_table_find(&dso->elf.symbols, addr);
		offset = symbol ? addr - symbol->start : 0;
	}
	if (!symbol)
		return xstrdup("");
	return offset ? xasprintf(" <%s+0x%" PRIx64 ">", symbol_name(symbol), offset) :
			xasprintf(" <%s>", symbol_name(symbol));
}

/*
 * Return true if a call has no address yet: in the file of a module, calls to other sections have
 * none.
 */
static bool is_unset_call(const struct function_hits *function, const struct instruction *insn)
{
	return function->at.dso->kind == DSO_MODULE && insn->flow == FLOW_CALL &&
	       (insn->target == insn->addr + insn->size || insn->target == insn->addr);
}

static char *text_of(const struct function_hits *function, const struct code *code,
		     const struct instruction *insn)
{
	char *name, *text;

	if (insn->has_target && is_unset_call(function, insn))
		return xasprintf("%-6s (set when the module is loaded)", insn->name);
	if (insn->has_target) {
		name = name_of(function, code, insn->target);
		text = xasprintf("%-6s %s%s%" PRIx64 "%s", insn->name, insn->operands,
				 *insn->operands ? "," : "", insn->target, name);
		free(name);
		return text;
	}
	if (insn->refers)
		return xasprintf("%-6s %s        # %" PRIx64, insn->name, insn->operands,
				 insn->refers);
	if (*insn->operands)
		return xasprintf("%-6s %s", insn->name, insn->operands);
	return xstrdup(insn->name);
}

/* Decode the code. Return: the targets of the instructions, or UINT64_MAX; NULL with @err set. */
static uint64_t *decode(struct listing *listing, const struct code *code, bool intel,
			struct error *err)
{
	struct decoder *decoder = decoder_new(code, intel, err);
	uint64_t *targets = NULL;
	struct instruction insn;
	struct code_line line;
	size_t room = 0, target_room = 0;

	if (!decoder)
		return NULL;
	while (decoder_next(decoder, &insn)) {
		line = (struct code_line){
			.addr = insn.addr, .offset = insn.addr - code->addr, .size = insn.size,
			.flow = insn.flow, .target = NO_INDEX,
			.text = text_of(listing->function, code, &insn),
		};
		memcpy(line.bytes, insn.bytes, sizeof(line.bytes));
		listing->code = grown(listing->code, listing->nr, &room, sizeof(line));
		targets = grown(targets, listing->nr, &target_room, sizeof(*targets));
		listing->code[listing->nr] = line;
		/* A call returns, so it is no jump within the function. */
		targets[listing->nr++] =
			insn.has_target && insn.flow != FLOW_CALL ? insn.target : UINT64_MAX;
	}
	decoder_free(decoder);
	return targets;
}

/* Find the instruction at or before @offset. Return: its index, or NO_INDEX. */
static uint32_t find_code(const struct listing *listing, uint64_t offset)
{
	uint32_t low = 0, high = listing->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (listing->code[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || offset - listing->code[low - 1].offset >= listing->code[low - 1].size)
		return NO_INDEX;
	return low - 1;
}

static void set_targets(struct listing *listing, const uint64_t *targets, uint64_t start)
{
	uint32_t i, target;

	for (i = 0; i < listing->nr; i++) {
		if (targets[i] == UINT64_MAX || targets[i] < start)
			continue;
		target = find_code(listing, targets[i] - start);
		/* A jump into the middle of an instruction is not drawn. */
		if (target == NO_INDEX || listing->code[target].addr != targets[i])
			continue;
		listing->code[i].target = target;
		listing->code[target].is_target = true;
	}
}

static void add_samples(struct listing *listing, const size_t *events)
{
	const struct hash_table *table = &listing->function->hits;
	struct hash_node **nodes = hash_table_nodes(table);
	size_t i, event;

	for (i = 0; i < table->nr; i++) {
		const struct code_hit *hit = hash_entry(nodes[i], struct code_hit, node);
		uint32_t index = find_code(listing, hit->offset);
		struct share *share;

		for (event = 0; event < listing->nr_events; event++) {
			if (events[event] != hit->event)
				continue;
			if (index == NO_INDEX) {
				listing->nr_outside += hit->share.nr;
				continue;
			}
			share = &listing->shares[index * listing->nr_events + event];
			share->nr += hit->share.nr;
			share->period += hit->share.period;
		}
	}
	free(nodes);
}

/*
 * Add the branch records. A run is the code from the target of a taken branch to the next taken
 * branch; it counts once for each instruction in it.
 */
static void add_branches(struct listing *listing)
{
	const struct hash_table *table = &listing->function->branches;
	uint64_t *begun = xcalloc(listing->nr + 1, sizeof(*begun));
	uint64_t *ended = xcalloc(listing->nr + 1, sizeof(*ended));
	struct hash_node **nodes = hash_table_nodes(table);
	uint64_t runs = 0;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		const struct branch_hit *hit = hash_entry(nodes[i], struct branch_hit, node);
		uint32_t index = find_code(listing, hit->offset);

		if (index == NO_INDEX)
			continue;
		begun[index] += hit->begun;
		ended[index] += hit->ended;
		listing->code[index].taken += hit->taken;
		listing->code[index].missed += hit->missed;
		listing->code[index].cycles += hit->cycles;
		listing->code[index].timed += hit->timed;
	}
	for (i = 0; i < listing->nr; i++) {
		runs += begun[i];
		listing->code[i].runs = runs;
		/* The other end of a run may be outside of the code that was read. */
		runs -= ended[i] < runs ? ended[i] : runs;
	}
	free(nodes);
	free(ended);
	free(begun);
}

static void mark_hot(struct listing *listing)
{
	uint64_t *weights = xcalloc(listing->nr, sizeof(*weights));
	uint32_t i;

	for (i = 0; i < listing->nr; i++) {
		weights[i] = listing->shares[i * listing->nr_events].period;
		listing->code[i].hot = false;
	}
	hot_path_mark(listing->code, listing->nr, weights);
	free(weights);
}

/*
 * Sum up the samples of each loop: the sum up to its last instruction minus the sum before its
 * first one.
 */
static void sum_loops(struct listing *listing)
{
	size_t nr_events = listing->nr_events, event;
	struct share *sums = xcalloc(listing->nr + 1, sizeof(*sums));
	uint32_t i;

	for (event = 0; event < nr_events; event++) {
		for (i = 0; i < listing->nr; i++) {
			const struct share *share = &listing->shares[i * nr_events + event];

			sums[i + 1].nr = sums[i].nr + share->nr;
			sums[i + 1].period = sums[i].period + share->period;
		}
		for (i = 0; i < listing->nr_loops; i++) {
			const struct share *first = &sums[listing->loops[i].first];
			const struct share *end = &sums[listing->loops[i].last + 1];

			listing->loop_shares[i * nr_events + event] = (struct share){
				end->nr - first->nr, end->period - first->period,
			};
		}
	}
	free(sums);
}

static void add_loops(struct listing *listing)
{
	listing->nr_loops = loops_find(&listing->loops, listing->code, listing->nr);
	listing->loop_shares = xcalloc(listing->nr_loops * listing->nr_events,
				       sizeof(struct share));
	sum_loops(listing);
}

/* Set the samples of the function and of all functions. */
static void set_totals(struct listing *listing, const struct code_hits *hits, const size_t *events)
{
	size_t i;

	for (i = 0; i < listing->nr_events; i++) {
		listing->locals[i] = function_share(listing->function, events[i]);
		listing->globals[i] = code_hits_share(hits, events[i]);
	}
}

/* Write the inlined functions at an instruction, the innermost first, and where each is called. */
static char *text_of_inlined(const struct location *inner, size_t nr, const struct location *at)
{
	const struct source_file *file;
	uint32_t line;
	char *text;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	for (i = 0; i < nr; i++) {
		fprintf(out, "%s%s() inlined", i ? ", in " : "", symbol_name(inner[i].symbol));
		/* The place of the call belongs to the location around it. */
		line = location_line(i + 1 < nr ? &inner[i + 1] : at, &file);
		if (line)
			fprintf(out, " at %s:%" PRIu32, source_file_text(file), line);
	}
	fprintf(out, "%s%s()", nr ? ", in " : "", symbol_name(at->symbol));
	fclose(out);
	return text;
}

/* Return a number for the inlined functions of an instruction; equal ones have equal numbers. */
static uint64_t key_of_inlined(const struct location *inner, size_t nr)
{
	const struct source_file *file;
	uint64_t key = nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		key = hash_mix(key, (uintptr_t)inner[i].symbol);
		if (i)
			key = hash_mix(key, location_line(&inner[i], &file));
	}
	return key;
}

/*
 * Source line and inlined functions of the previous instruction, and room for the inlined functions
 * of the next one.
 */
struct source_state {
	const struct source_file *file;
	uint32_t line;
	uint64_t inlined;
	struct location inner[INLINED_MAX];
};

static void add_source(struct listing *listing, size_t *room, struct listing_style *style,
		       uint32_t index, struct source_state *last, int64_t built)
{
	struct code_line *code = &listing->code[index];
	struct location at = code_location(&listing->function->at, code->offset);
	size_t nr = location_inlined(&at, last->inner);
	uint64_t key = key_of_inlined(last->inner, nr);
	char *text;

	if (key != last->inlined) {
		text = text_of_inlined(last->inner, nr, &at);
		append_line(listing, room, (struct listing_line){ LINE_FUNCTION, index, 0, text });
		last->file = NULL;
	}
	last->inlined = key;
	if (!code->line || (code->file == last->file && code->line == last->line))
		return;
	text = source_text_line(&style->texts, code->file, code->line, built);
	append_line(listing, room, (struct listing_line){ LINE_SOURCE, index, 0, text });
	last->file = code->file;
	last->line = code->line;
}

static void add_lines(struct listing *listing, struct listing_style *style, int64_t built)
{
	struct source_state *last = xcalloc(1, sizeof(*last));
	uint32_t i, loop = 0;
	size_t room = 0;

	last->inlined = key_of_inlined(NULL, 0);
	for (i = 0; i < listing->nr; i++) {
		struct code_line *code = &listing->code[i];
		struct location at = code_location(&listing->function->at, code->offset);

		code->line = location_line(&at, &code->file);
		for (; loop < listing->nr_loops && listing->loops[loop].first == i; loop++)
			append_line(listing, &room,
				    (struct listing_line){ LINE_LOOP, i, loop, NULL });
		if (style->with_source)
			add_source(listing, &room, style, i, last, built);
		append_line(listing, &room, (struct listing_line){ LINE_CODE, i, 0, NULL });
	}
	free(last);
}

int listing_make(struct listing *listing, const struct code_hits *hits,
		 const struct function_hits *function, const size_t *events, size_t nr_events,
		 struct listing_style *style, struct error *err)
{
	struct code code;
	uint64_t *targets;

	memset(listing, 0, sizeof(*listing));
	listing->function = function;
	if (code_read(&code, &function->at, function->size, err)) {
		code_free(&code);
		return -1;
	}
	targets = decode(listing, &code, style->intel, err);
	if (!targets) {
		code_free(&code);
		return -1;
	}
	listing->cut = code.cut;
	listing->nr_events = nr_events;
	listing->locals = xcalloc(nr_events, sizeof(*listing->locals));
	listing->globals = xcalloc(nr_events, sizeof(*listing->globals));
	set_totals(listing, hits, events);
	listing->shares = xcalloc(listing->nr * nr_events, sizeof(*listing->shares));
	set_targets(listing, targets, code.addr);
	add_samples(listing, events);
	add_branches(listing);
	mark_hot(listing);
	jumps_arrange(&listing->jumps, listing->code, listing->nr);
	add_loops(listing);
	add_lines(listing, style, code.time);
	free(targets);
	code_free(&code);
	return 0;
}

void listing_refresh(struct listing *listing, const struct code_hits *hits,
		     const struct function_hits *function, const size_t *events)
{
	listing->function = function;
	listing->nr_outside = 0;
	memset(listing->shares, 0, listing->nr * listing->nr_events * sizeof(*listing->shares));
	set_totals(listing, hits, events);
	add_samples(listing, events);
	mark_hot(listing);
	sum_loops(listing);
}

double listing_percent(const struct listing *listing, const struct share *share, size_t event,
		       enum percent_type type)
{
	bool local = type == PERCENT_LOCAL_PERIOD || type == PERCENT_LOCAL_HITS;
	bool hits = type == PERCENT_LOCAL_HITS || type == PERCENT_GLOBAL_HITS;
	const struct share *all = local ? &listing->locals[event] : &listing->globals[event];
	uint64_t part = hits ? share->nr : share->period, whole = hits ? all->nr : all->period;

	return whole ? 100.0 * part / whole : 0;
}

void listing_free(struct listing *listing)
{
	size_t i;

	for (i = 0; i < listing->nr; i++)
		free(listing->code[i].text);
	for (i = 0; i < listing->nr_lines; i++)
		free(listing->lines[i].text);
	jumps_free(&listing->jumps);
	free(listing->loops);
	free(listing->loop_shares);
	free(listing->code);
	free(listing->shares);
	free(listing->lines);
	free(listing->locals);
	free(listing->globals);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of instructions that were executed from one branch to the next.
 *
 *	record		    from  to	cycles
 *	younger		    D --> ..	c	block B..D took c cycles
 *	older		    A --> B
 *
 * A record has the cycles since the previous record. Every branch that was taken has a record, so
 * only instructions between B and D were executed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "blocks.h"

enum { CYCLES_SHARE, CYCLES, AVERAGE_SHARE, AVERAGE, IPC, RANGE, DSO, NR_COLUMNS };

static const char *const titles[NR_COLUMNS] = {
	"Sampled Cycles%", "Sampled Cycles", "Avg Cycles%", "Avg Cycles", "IPC",
	"[Program Block Range]", "Shared Object",
};

/* A row of the report. */
struct row {
	const struct block *block;
	char *texts[NR_COLUMNS];
};

struct rows {
	struct row *rows;
	size_t nr;
	size_t widths[NR_COLUMNS];
};

static struct block *get_block(struct block_table *table, const struct location *first,
			       const struct location *last)
{
	uint64_t hash = hash_mix(hash_mix((uintptr_t)first->dso, first->addr), last->addr);
	struct hash_node *node = hash_table_first(&table->blocks, hash);
	struct block *block;

	for (; node; node = hash_table_next(node)) {
		block = hash_entry(node, struct block, node);
		if (block->first.dso == first->dso && block->first.addr == first->addr &&
		    block->last.addr == last->addr)
			return block;
	}
	block = xcalloc(1, sizeof(*block));
	block->first = *first;
	block->last = *last;
	hash_table_add(&table->blocks, &block->node, hash);
	return block;
}

/* Return true if the two locations can be the ends of a block. */
static bool is_block(const struct location *first, const struct location *last)
{
	return first->dso && first->dso == last->dso && first->symbol == last->symbol &&
	       first->addr <= last->addr;
}

void blocks_add(struct block_table *table, struct machine *machine, const struct thread *thread,
		const struct record *record)
{
	struct branch younger, older;
	struct block *block;
	uint64_t i;

	if (record->sample.branches.nr)
		branch_resolve(&younger, machine, thread, record, 0);
	for (i = 1; i < record->sample.branches.nr; i++) {
		branch_resolve(&older, machine, thread, record, i);
		if (younger.entry.cycles && is_block(&older.to, &younger.from)) {
			block = get_block(table, &older.to, &younger.from);
			block->cycles += younger.entry.cycles;
			block->nr++;
			table->cycles += younger.entry.cycles;
		}
		younger = older;
	}
}

static double average(const struct block *block)
{
	return (double)block->cycles / block->nr;
}

/* Return the cycles of a block in percent of all cycles. */
static double share(const struct block_table *table, const struct block *block)
{
	return 100.0 * block->cycles / table->cycles;
}

static int compare(const void *x, const void *y)
{
	const struct block *a = ((const struct row *)x)->block, *b = ((const struct row *)y)->block;
	int order;

	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	order = strcmp(a->first.dso->long_name, b->first.dso->long_name);
	if (order)
		return order;
	if (a->first.addr != b->first.addr)
		return a->first.addr < b->first.addr ? -1 : 1;
	return a->last.addr < b->last.addr ? -1 : a->last.addr > b->last.addr;
}

/* Format a number of cycles as "136" or "4.9K", like the kernel's perf. */
static char *text_of_cycles(double cycles)
{
	static const char units[] = "KMG";
	size_t unit;

	if (cycles < 1000)
		return xasprintf("%.0f", cycles);
	for (unit = 0, cycles /= 1000; cycles >= 1000 && units[unit + 1]; unit++)
		cycles /= 1000;
	return xasprintf("%.1f%c", cycles, units[unit]);
}

static char *text_of_ipc(const struct block *block)
{
	unsigned int nr = dso_count_instructions(block->first.dso, block->first.addr,
						 block->last.addr);

	return nr ? xasprintf("%.2f", nr / average(block)) : xstrdup("-");
}

static char *text_of_place(const struct location *at)
{
	if (!at->symbol)
		return xasprintf("0x%" PRIx64, at->addr);
	return xasprintf("%s+0x%" PRIx64, symbol_name(at->symbol), at->symbol_offset);
}

static char *text_of_range(const struct block *block)
{
	char *first = text_of_place(&block->first), *last = text_of_place(&block->last);
	char *text = xasprintf("[%s -> %s]", first, last);

	free(first);
	free(last);
	return text;
}

static void fill_row(struct rows *rows, struct row *row, const struct report_style *style,
		     const struct block_table *table, double averages)
{
	const struct block *block = row->block;
	const struct dso *dso = block->first.dso;
	size_t i;

	row->texts[CYCLES_SHARE] = xasprintf("%.2f%%", share(table, block));
	row->texts[CYCLES] = text_of_cycles(block->cycles);
	row->texts[AVERAGE_SHARE] = xasprintf("%.2f%%", 100.0 * average(block) / averages);
	row->texts[AVERAGE] = text_of_cycles(average(block));
	row->texts[IPC] = text_of_ipc(block);
	row->texts[RANGE] = text_of_range(block);
	row->texts[DSO] = xstrdup(style->verbose ? dso->long_name : dso->name);
	for (i = 0; i < NR_COLUMNS; i++) {
		if (strlen(row->texts[i]) > rows->widths[i])
			rows->widths[i] = strlen(row->texts[i]);
	}
}

static void make_rows(struct rows *rows, const struct report_style *style,
		      const struct block_table *table)
{
	struct hash_node **nodes = hash_table_nodes(&table->blocks);
	const struct block *block;
	double averages = 0;
	size_t i;

	rows->rows = xcalloc(table->blocks.nr, sizeof(*rows->rows));
	for (i = 0; i < table->blocks.nr; i++) {
		block = hash_entry(nodes[i], struct block, node);
		averages += average(block);
		if (share(table, block) >= style->min_percent &&
		    report_shows_dso(style, block->first.dso))
			rows->rows[rows->nr++].block = block;
	}
	free(nodes);
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare);
	for (i = 0; i < NR_COLUMNS; i++)
		rows->widths[i] = strlen(titles[i]);
	for (i = 0; i < rows->nr; i++)
		fill_row(rows, &rows->rows[i], style, table, averages);
}

/*
 * Print a line of the table. Numbers are right-aligned and names left-aligned; the last column is
 * not padded.
 */
static void print_texts(FILE *out, const struct rows *rows, char separator,
			const char *const *texts)
{
	size_t i;
	int width;

	for (i = 0; i < NR_COLUMNS; i++) {
		width = i + 1 < NR_COLUMNS && !separator ? rows->widths[i] : 0;
		if (i && separator)
			fputc(separator, out);
		else if (i)
			fputs("  ", out);
		fprintf(out, "%*s", i < RANGE ? width : -width, texts[i]);
	}
	fputc('\n', out);
}

static void print_titles(FILE *out, const struct rows *rows, char separator)
{
	size_t i, dots;

	fputs("# ", out);
	print_texts(out, rows, separator, titles);
	if (separator)
		return;
	fputs("# ", out);
	for (i = 0; i < NR_COLUMNS; i++) {
		fputs(i ? "  " : "", out);
		for (dots = 0; dots < rows->widths[i]; dots++)
			fputc('.', out);
	}
	fputs("\n#\n", out);
}

void report_blocks(FILE *out, const struct report_style *style, const struct block_table *table)
{
	struct rows rows = { 0 };
	size_t i, column;

	make_rows(&rows, style, table);
	print_titles(out, &rows, style->separator);
	for (i = 0; i < rows.nr; i++) {
		fputs(style->separator ? "" : "  ", out);
		print_texts(out, &rows, style->separator, (const char *const *)rows.rows[i].texts);
		for (column = 0; column < NR_COLUMNS; column++)
			free(rows.rows[i].texts[column]);
	}
	free(rows.rows);
}

void blocks_free(struct block_table *table)
{
	hash_table_free_all(&table->blocks, hash_node_free);
}

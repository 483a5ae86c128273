// SPDX-License-Identifier: GPL-2.0
/*
 * The source line and the inlined functions at an address.
 *
 * A file's .debug_info says which unit has the code at an address. A unit's lines are read from
 * .debug_line (line_table.c), and its inlined functions from .debug_info (inline_tree.c). If the
 * unit is split, split_unit.c finds its .debug_info in the .dwo or .dwp file.
 *
 * The units of a file are found when its first address is looked up. The lines and the functions of
 * a unit are read when the first address in the unit is looked up. An address then costs a binary
 * search in each of the tables; nothing is kept for an address.
 */
#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_file.h"
#include "elf_file.h"
#include "inline_tree.h"
#include "kernel.h"
#include "source.h"
#include "split_unit.h"

/* Maximum number of compilation units of a file. */
#define UNITS_MAX 4000000

/**
 * struct unit - a compilation unit
 * @die: offset of its entry in the debug information
 * @is_skeleton: a .dwo or .dwp file has the functions
 * @split: functions of a skeleton, or NULL
 * @has_lines: true if @lines has been read
 * @has_functions: true if @functions has been read
 * @lines: lines by address
 * @functions: functions by address
 */
struct unit {
	Dwarf_Off die;
	bool is_skeleton;
	bool has_lines;
	bool has_functions;
	struct split_unit *split;
	struct line_table lines;
	struct inline_tree functions;
};

/**
 * struct inlined_symbol - an inlined function in one function of the symbol table
 * @node: node in the table, by the name and the base
 * @base: function of the symbol table
 * @symbol: symbol with the name of the inlined function and the addresses of @base
 */
struct inlined_symbol {
	struct hash_node node;
	const struct symbol *base;
	struct symbol symbol;
};

/**
 * struct source - the debug information of a dso
 * @path: path of the file, or NULL
 * @file: file and its debug information
 * @split: .dwo and .dwp files
 * @relocation: distance between addresses of the dso and those of the file
 * @units: compilation units
 * @nr: number of elements of @units
 * @room: allocated number of elements of @units
 * @by_addr: numbers of the units by address
 * @symbols: symbols of inlined functions
 * @lines_asked: a source line was looked up
 */
struct source {
	char *path;
	struct dwarf_file file;
	struct split_files split;
	uint64_t relocation;
	struct unit *units;
	uint32_t nr;
	uint32_t room;
	struct ranges by_addr;
	struct hash_table symbols;
	bool lines_asked;
};

static bool show_paths;

void source_show_paths(void)
{
	show_paths = true;
}

const char *source_file_text(const struct source_file *file)
{
	return show_paths ? file->path : file->name;
}

static void add_unit(struct source *source, Dwarf_Die *die, uint8_t type)
{
	if (source->nr == source->room) {
		source->room = source->room ? source->room * 2 : 64;
		source->units = xreallocarray(source->units, source->room, sizeof(*source->units));
	}
	source->units[source->nr] = (struct unit){
		.die = dwarf_dieoffset(die), .is_skeleton = type == DW_UT_skeleton,
	};
	die_add_ranges(&source->by_addr, die, source->nr++);
}

static void find_units(struct source *source)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	/* Without a place for the entry in the .dwo file, libdw does not open any such file. */
	while (source->nr < UNITS_MAX &&
	       !dwarf_get_units(source->file.dwarf, unit, &unit, NULL, &type, &die, NULL)) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(source, &die, type);
	}
	ranges_finish(&source->by_addr);
}

/* Return the address that libdwfl has given to the section .text of a kernel module. */
static uint64_t text_addr(Elf *elf)
{
	GElf_Shdr header;

	return elf_text_section(elf, &header) ? header.sh_addr : 0;
}

/* Return the path of the file with the code of a dso, or NULL; the caller frees it. */
static char *find_path(struct source *source, struct dso *dso)
{
	char *path;

	switch (dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
		return dso->code_path ? xstrdup(dso->code_path) : NULL;
	case DSO_KERNEL:
		return kernel_debug_path(dso->set, dso, &source->relocation);
	case DSO_MODULE:
		path = module_debug_path(dso->set, dso);
		if (!path || !module_file_is_other(dso, path))
			return path;
		free(path);
		return NULL;
	default:
		return NULL;
	}
}

static void free_symbol(struct hash_node *node)
{
	struct inlined_symbol *inlined = hash_entry(node, struct inlined_symbol, node);

	free(inlined->symbol.shown);
	free(inlined);
}

static void free_source(struct source *source)
{
	uint32_t i;

	for (i = 0; i < source->nr; i++) {
		line_table_free(&source->units[i].lines);
		inline_tree_free(&source->units[i].functions);
		split_unit_close(source->units[i].split);
	}
	split_files_close(&source->split);
	free(source->units);
	ranges_free(&source->by_addr);
	hash_table_free_all(&source->symbols, free_symbol);
	dwarf_file_close(&source->file);
	free(source->path);
	free(source);
}

static struct source *read_source(struct dso *dso)
{
	struct source *source = xcalloc(1, sizeof(*source));
	struct error err;

	dso->free_source = free_source;
	source->file.alt_fd = -1;
	source->path = find_path(source, dso);
	/* The user was told of an unreadable file when its functions were looked up. */
	if (source->path && !dwarf_file_open(&source->file, source->path, &err) &&
	    source->file.dwarf) {
		if (dso->kind == DSO_MODULE)
			source->relocation = dso->start - text_addr(source->file.elf);
		find_units(source);
	}
	return source;
}

/*
 * Find the unit with the code at a location. @addr is set to the address in the debug information.
 * Return NULL if there is no such unit.
 */
static struct unit *find_unit(const struct location *at, Dwarf_Addr *addr)
{
	struct dso *dso = at->dso;
	struct source *source;
	uint32_t number;

	if (!dso || !dso->loaded)
		return NULL;
	if (!dso->source)
		dso->source = read_source(dso);
	source = dso->source;
	*addr = at->addr - at->back - source->relocation;
	if (!source->file.dwarf || (dso->kind != DSO_KERNEL && dso->elf.nr_segments &&
				    elf_offset_to_addr(&dso->elf, *addr, addr)))
		return NULL;
	*addr += source->file.to_dwarf;
	number = ranges_find(&source->by_addr, *addr);
	return number == RANGE_NONE ? NULL : &source->units[number];
}

static struct source_line find_row(const struct location *at, struct unit *unit, Dwarf_Addr addr)
{
	Dwarf_Die die;

	if (!unit->has_lines) {
		unit->has_lines = true;
		if (dwarf_offdie(at->dso->source->file.dwarf, unit->die, &die))
			line_table_load(&unit->lines, &die, &at->dso->set->source_files);
	}
	return line_table_find(&unit->lines, addr);
}

/*
 * Read the functions of a unit. If its .dwo file is missing, read the functions that some compilers
 * also put into the skeleton.
 */
static void load_functions(struct source *source, struct unit *unit)
{
	Dwarf_Die die;

	unit->has_functions = true;
	if (!dwarf_offdie(source->file.dwarf, unit->die, &die))
		return;
	if (unit->is_skeleton)
		unit->split = split_unit_open(&source->split, &source->file, source->path, &die);
	if (unit->split)
		inline_tree_load(&unit->functions, &unit->split->die, &unit->split->addresses,
				 &die);
	else
		inline_tree_load(&unit->functions, &die, NULL, NULL);
}

/*
 * Find the inlined functions at an address. Return the number in @function of the innermost one, or
 * RANGE_NONE.
 */
static uint32_t find_inlined(const struct location *at, struct unit *unit, Dwarf_Addr addr,
			     struct function **function)
{
	if (!unit->has_functions)
		load_functions(at->dso->source, unit);
	return inline_tree_find(&unit->functions, addr, &at->dso->set->source_files, function);
}

/* Find the place of the call to the inlined function of depth @at->depth - 1. */
static struct source_line find_call(const struct location *at, struct unit *unit, Dwarf_Addr addr)
{
	struct function *function;
	uint32_t number = find_inlined(at, unit, addr, &function), depth;

	for (depth = at->depth; number != RANGE_NONE && depth > 1; depth--)
		number = function->inlined[number].parent;
	return number == RANGE_NONE ? (struct source_line){ 0 } : function->inlined[number].call;
}

static struct source_line find_line(const struct location *at)
{
	Dwarf_Addr addr;
	struct unit *unit = find_unit(at, &addr);

	if (!unit)
		return (struct source_line){ 0 };
	return at->depth ? find_call(at, unit, addr) : find_row(at, unit, addr);
}

uint32_t location_line_quietly(const struct location *at, const struct source_file **file)
{
	struct source_line line = find_line(at);

	if (line.line)
		*file = at->dso->set->source_files.list[line.file];
	return line.line;
}

uint32_t location_line(const struct location *at, const struct source_file **file)
{
	uint32_t line = location_line_quietly(at, file);

	if (at->dso && at->dso->source)
		at->dso->source->lines_asked = true;
	return line;
}

uint64_t location_line_key(const struct location *at)
{
	const struct source_file *file;
	uint32_t line = location_line(at, &file);

	if (line)
		return hash_mix((uintptr_t)source_file_text(file), line);
	if (at->symbol)
		return hash_mix((uintptr_t)at->symbol, at->symbol_offset);
	return hash_mix((uintptr_t)at->dso, at->addr);
}

char *location_line_text(const struct location *at)
{
	const struct source_file *file;
	uint32_t line = location_line(at, &file);

	if (at->mode == MODE_NOWHERE)
		return xstrdup(LOCATION_NOT_RECORDED);
	if (line)
		return xasprintf("%s:%" PRIu32, source_file_text(file), line);
	if (at->symbol)
		return xasprintf("%s+%" PRIu64, symbol_name(at->symbol), at->symbol_offset);
	return xasprintf("%s[%" PRIx64 "]", at->dso ? at->dso->name : "[unknown]", at->addr);
}

/* Find or make the symbol of an inlined function that has code in @base. */
static struct symbol *get_symbol(struct source *source, struct source_files *files,
				 const char *name, const struct symbol *base)
{
	const char *interned = intern(&files->strings, name);
	uint64_t hash = hash_mix((uintptr_t)interned, (uintptr_t)base);
	struct hash_node *node = hash_table_first(&source->symbols, hash);
	struct inlined_symbol *inlined;

	for (; node; node = hash_table_next(node)) {
		inlined = hash_entry(node, struct inlined_symbol, node);
		if (inlined->base == base && inlined->symbol.name == interned)
			return &inlined->symbol;
	}
	inlined = xcalloc(1, sizeof(*inlined));
	inlined->base = base;
	inlined->symbol.start = base->start;
	inlined->symbol.end = base->end;
	inlined->symbol.name = (char *)interned;
	inlined->symbol.inlined = true;
	hash_table_add(&source->symbols, &inlined->node, hash);
	return &inlined->symbol;
}

static struct symbol *symbol_of(const struct location *at, const struct unit *unit,
				struct inlined *inlined)
{
	const char *name;

	if (inlined->symbol && inlined->base == at->symbol)
		return inlined->symbol;
	name = inlined_name(&unit->functions, inlined);
	inlined->symbol = get_symbol(at->dso->source, &at->dso->set->source_files,
				     name && *name ? name : "[unknown]", at->symbol);
	inlined->base = at->symbol;
	return inlined->symbol;
}

size_t location_inlined(struct location *at, struct location inner[INLINED_MAX])
{
	Dwarf_Addr addr;
	struct unit *unit = at->symbol ? find_unit(at, &addr) : NULL;
	struct function *function;
	uint32_t number;
	size_t nr;

	if (!unit)
		return 0;
	number = find_inlined(at, unit, addr, &function);
	for (nr = 0; number != RANGE_NONE && nr < INLINED_MAX; nr++) {
		inner[nr] = *at;
		inner[nr].symbol = symbol_of(at, unit, &function->inlined[number]);
		inner[nr].depth = nr;
		number = function->inlined[number].parent;
	}
	at->depth = nr;
	return nr;
}

/* Return the dsos whose lines were looked up and not found; the caller frees the array. */
static const struct dso **dsos_without_lines(const struct dso_set *set, size_t *nr)
{
	struct hash_node **nodes = hash_table_nodes(&set->table);
	const struct dso **found = xcalloc(set->table.nr, sizeof(*found));
	size_t i;

	*nr = 0;
	for (i = 0; i < set->table.nr; i++) {
		const struct dso *dso = hash_entry(nodes[i], struct dso, node);

		if (dso->source && dso->source->lines_asked && !dso->source->by_addr.nr_pieces)
			found[(*nr)++] = dso;
	}
	free(nodes);
	return found;
}

static int compare_names(const void *x, const void *y)
{
	const struct dso *a = *(const struct dso **)x, *b = *(const struct dso **)y;

	return strcmp(a->name, b->name);
}

/* Warn of the split debug information that is missing. */
static void complain_of_split(const struct dso_set *set)
{
	static const char remedy[] =
		"keep .dwo files where the compiler put them, or make a package with dwp -e";
	const struct split_files *first = NULL;
	struct hash_node **nodes = hash_table_nodes(&set->table);
	const char *name = NULL;
	size_t i, nr = 0;

	for (i = 0; i < set->table.nr; i++) {
		const struct dso *dso = hash_entry(nodes[i], struct dso, node);

		if (!dso->source || !dso->source->split.missing)
			continue;
		nr += dso->source->split.missing;
		if (!name || strcmp(dso->name, name) < 0) {
			name = dso->name;
			first = &dso->source->split;
		}
	}
	free(nodes);
	if (nr == 1)
		warn("no inlined functions of a compilation unit of %s: %s; %s %s", name,
		     first->reason.text, remedy, name);
	else if (nr)
		warn("no inlined functions of %zu compilation units, %s: %s; %s %s", nr, name,
		     first->reason.text, remedy, name);
}

void source_complain(const struct dso_set *set)
{
	size_t i, nr, named = 3;
	const struct dso **dsos = dsos_without_lines(set, &nr);
	struct error text;

	if (nr) {
		qsort(dsos, nr, sizeof(*dsos), compare_names);
		error_set(&text, "no source lines of %s", dsos[0]->name);
		for (i = 1; i < nr && i < named; i++)
			error_add(&text, ", %s", dsos[i]->name);
		if (nr > named)
			error_add(&text, " and %zu others", nr - named);
		warn("%s: no debug information; install %s, use --debuginfod, or compile with -g",
		     text.text, nr > 1 ? "their debug packages" : "its debug package");
	}
	free(dsos);
	complain_of_split(set);
}

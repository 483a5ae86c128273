// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the code of lines.
 */
#include <limits.h>
#include <string.h>

#include "entries.h"
#include "lines.h"

bool lines_is_end_of_path(const char *source, const char *file)
{
	size_t length = strlen(file), whole = strlen(source);

	if (length > whole || strcmp(source + whole - length, file))
		return false;
	return length == whole || *file == '/' || source[whole - length - 1] == '/';
}

void line_place_add(struct line_place *place, const struct statement *at, Dwarf_Die *own)
{
	struct scopes scopes;
	Dwarf_Off function, first = own ? dwarf_dieoffset(own) : 0;

	if (scopes_find_in(&scopes, at->unit, at->pc))
		return;
	function = dwarf_dieoffset(&scopes.dies[scopes_function(&scopes)]);
	if (own && place->found && place->function == first && function != first)
		return;
	if (own && function == first && place->function != first)
		*place = (struct line_place){ 0 };
	if (place->found && (function != place->function || strcmp(at->source, place->source)))
		place->several = true;
	if (!place->found || at->pc < place->pc)
		place->pc = at->pc;
	place->function = function;
	place->source = at->source;
	place->found = true;
}

/* Read a row of the table. Return: false if it is no statement of @file. */
static bool read_row(struct statement *at, Dwarf_Line *entry, const char *file)
{
	bool is_statement, is_end;
	int line;

	if (dwarf_lineno(entry, &line) || dwarf_lineaddr(entry, &at->pc) ||
	    dwarf_linebeginstatement(entry, &is_statement) ||
	    dwarf_lineendsequence(entry, &is_end) || !is_statement || is_end || line <= 0)
		return false;
	at->line = line;
	at->source = dwarf_linesrc(entry, NULL, NULL);
	return at->source && lines_is_end_of_path(at->source, file);
}

/* A walk through the statements of a source file. */
struct walk {
	const char *file;
	Dwarf_Die *within;
	void (*visit)(void *context, const struct statement *at);
	void *context;
	bool has_file;
};

/* Visit a statement, and the declaration of the function that is entered there. */
static void visit(struct walk *w, struct statement *at, const struct entries *entries)
{
	const struct entry *entry;

	if (w->within && dwarf_haspc(w->within, at->pc) <= 0)
		return;
	entry = entries_at(entries, at->pc);
	at->at_entry = entry && !strcmp(entry->file, at->source) && entry->line != at->line;
	w->visit(w->context, at);
	if (at->at_entry) {
		at->at_entry = false;
		at->line = entry->line;
		w->visit(w->context, at);
	}
}

static void walk_unit(struct walk *w, Dwarf_Die *unit)
{
	struct statement at = { .unit = unit };
	struct entries entries = { 0 };
	bool has_entries = false;
	Dwarf_Lines *lines;
	size_t i, nr;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return;
	for (i = 0; i < nr; i++) {
		if (!read_row(&at, dwarf_onesrcline(lines, i), w->file))
			continue;
		w->has_file = true;
		if (!has_entries)
			entries_find(&entries, unit);
		has_entries = true;
		visit(w, &at, &entries);
	}
	entries_free(&entries);
}

bool lines_walk(const struct binary *binary, const char *file, Dwarf_Die *within,
		void (*visit)(void *context, const struct statement *at), void *context)
{
	struct walk w = { file, within, visit, context, false };
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while ((unit = dwfl_module_nextcu(binary->file.module, unit, &bias)))
		walk_unit(&w, unit);
	return w.has_file;
}

/* A line to find, its place, and the number of the next line with code or UINT_MAX. */
struct search {
	unsigned int line;
	Dwarf_Die *within;
	struct line_place place;
	unsigned int next;
};

static void take_row(void *context, const struct statement *at)
{
	struct search *s = context;

	if (at->line == s->line)
		line_place_add(&s->place, at, s->within);
	else if (at->line > s->line && at->line < s->next)
		s->next = at->line;
}

void lines_refuse_file(const struct binary *binary, const char *file, struct error *err)
{
	error_set(err, "%s has no code of a file '%s', or no lines in its debug information",
		  binary->path, file);
}

int lines_find(const struct binary *binary, const char *file, unsigned int line, Dwarf_Die *within,
	       uint64_t *pc, struct error *err)
{
	struct search s = { .line = line, .within = within, .next = UINT_MAX };

	if (!lines_walk(binary, file, within, take_row, &s)) {
		lines_refuse_file(binary, file, err);
		return -1;
	}
	if (s.place.several) {
		error_set(err, "line %u of '%s' is in several functions, or inlined; use %s",
			  line, file, "FUNCTION:LINE, or more of the file's path");
		return -1;
	}
	if (!s.place.found) {
		error_set(err, "line %u of '%s' has no code", line, file);
		if (s.next != UINT_MAX)
			error_add(err, "; the next line with code is %u", s.next);
		return -1;
	}
	*pc = s.place.pc;
	return 0;
}

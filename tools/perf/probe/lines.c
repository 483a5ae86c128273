// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the code of a line.
 */
#include <limits.h>
#include <string.h>

#include "lines.h"

/* A line to find, and the results so far. */
struct search {
	const struct binary *binary;
	const char *file;
	unsigned int line;
	Dwarf_Die *within;
	Dwarf_Addr pc;
	Dwarf_Off function;		/* function of the code, which may be inlined */
	const char *source;		/* path of the file */
	bool found;
	bool several;
	bool has_file;
	unsigned int next;		/* number of the next line with code; UINT_MAX: none */
};

/* Return true if @file is equal to @source, or to the end of @source after a slash. */
static bool is_end_of_path(const char *source, const char *file)
{
	size_t length = strlen(file), whole = strlen(source);

	if (length > whole || strcmp(source + whole - length, file))
		return false;
	return length == whole || *file == '/' || source[whole - length - 1] == '/';
}

static void take_place(struct search *s, const char *source, Dwarf_Addr pc)
{
	struct scopes scopes;
	Dwarf_Off function;

	if (scopes_find(&scopes, s->binary, pc))
		return;
	function = dwarf_dieoffset(&scopes.dies[scopes_function(&scopes)]);
	if (s->found && (function != s->function || strcmp(source, s->source)))
		s->several = true;
	if (!s->found || pc < s->pc)
		s->pc = pc;
	s->function = function;
	s->source = source;
	s->found = true;
}

static void take_row(struct search *s, Dwarf_Line *row)
{
	bool is_statement, is_end;
	const char *source;
	Dwarf_Addr pc;
	int line;

	if (dwarf_lineno(row, &line) || dwarf_lineaddr(row, &pc) ||
	    dwarf_linebeginstatement(row, &is_statement) || dwarf_lineendsequence(row, &is_end) ||
	    !is_statement || is_end || line <= 0)
		return;
	source = dwarf_linesrc(row, NULL, NULL);
	if (!source || !is_end_of_path(source, s->file))
		return;
	s->has_file = true;
	if ((unsigned int)line < s->line || (s->within && dwarf_haspc(s->within, pc) <= 0))
		return;
	if ((unsigned int)line == s->line)
		take_place(s, source, pc);
	else if ((unsigned int)line < s->next)
		s->next = line;
}

static int refuse(const struct search *s, struct error *err)
{
	if (!s->has_file) {
		error_set(err, "%s has no code of a file '%s', or no debug information",
			  s->binary->path, s->file);
		return -1;
	}
	if (s->found) {
		error_set(err, "line %u of '%s' is in several functions, or inlined; use %s",
			  s->line, s->file, "FUNCTION:LINE, or more of the file's path");
		return -1;
	}
	error_set(err, "line %u of '%s' has no code", s->line, s->file);
	if (s->next != UINT_MAX)
		error_add(err, "; the next line with code is %u", s->next);
	return -1;
}

int lines_find(const struct binary *binary, const char *file, unsigned int line, Dwarf_Die *within,
	       uint64_t *pc, struct error *err)
{
	struct search s = {
		.binary = binary, .file = file, .line = line, .within = within, .next = UINT_MAX,
	};
	Dwarf_Die *cu = NULL;
	Dwarf_Lines *lines;
	Dwarf_Addr bias;
	size_t i, nr;

	while ((cu = dwfl_module_nextcu(binary->file.module, cu, &bias))) {
		if (dwarf_getsrclines(cu, &lines, &nr))
			continue;
		for (i = 0; i < nr; i++)
			take_row(&s, dwarf_onesrcline(lines, i));
	}
	if (!s.found || s.several)
		return refuse(&s, err);
	*pc = s.pc;
	return 0;
}

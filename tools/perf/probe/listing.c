// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the lines of a source, with the number of each line that has a place.
 *
 * The path comes from the debug information, which another user may have written. So only a regular
 * file is read, within a budget.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "listing.h"
#include "place.h"

/* Budget of a source file in bytes, and in lines. */
#define SOURCE_SIZE_MAX (16 << 20)
#define SOURCE_LINES_MAX 1000000
/* Number of lines that are shown behind the last line of a function. */
#define LINES_BEHIND 3

static int refuse_lines(const char *text, struct error *err)
{
	error_set(err, "'%s' are no lines; use FIRST, FIRST+NUMBER or FIRST-LAST", text);
	return -1;
}

/* Parse FIRST, FIRST+NUMBER or FIRST-LAST. */
static int parse_lines(struct line_range *range, const char *text, struct error *err)
{
	const char *at = text;
	int first, last;
	char sign;

	if (int_take(&at, &first))
		return refuse_lines(text, err);
	range->first = first;
	range->is_whole = false;
	sign = *at;
	if (!sign)
		return 0;
	at++;
	if ((sign != '+' && sign != '-') || int_take(&at, &last) || *at)
		return refuse_lines(text, err);
	range->last = last;
	if (sign == '+' && !range->last)
		return refuse_lines(text, err);
	if (sign == '+')
		range->last += range->first - 1;
	if (range->last < range->first)
		return refuse_lines(text, err);
	return 0;
}

/* Split FUNCTION[@FILE] or FILE; a file has a dot or a slash. */
static int parse_name(struct line_range *range, char *name, struct error *err)
{
	char *at = strchr(name, '@');

	if (at) {
		*at = '\0';
		range->file = xstrdup(at + 1);
	}
	if (!*name || (at && !at[1])) {
		error_set(err, "the lines have no name; use FUNCTION[@FILE][:LINES] or %s",
			  "FILE[:LINES]");
		return -1;
	}
	if (at || !strpbrk(name, "./"))
		range->function = xstrdup(name);
	else
		range->file = xstrdup(name);
	return 0;
}

int line_range_parse(struct line_range *range, const char *text, struct error *err)
{
	char *copy = xstrdup(text), *colon = strrchr(copy, ':');
	int ret = 0;

	*range = (struct line_range){ .last = UINT_MAX, .is_whole = true };
	/* Names of C++ and Rust have scopes. */
	if (colon && colon > copy && colon[-1] == ':')
		colon = NULL;
	if (colon) {
		*colon = '\0';
		ret = parse_lines(range, colon + 1, err);
	}
	if (!ret)
		ret = parse_name(range, copy, err);
	if (!ret && !range->function && !range->first) {
		if (!range->is_whole)
			ret = refuse_lines(colon + 1, err);
		range->first = 1;
	}
	free(copy);
	return ret;
}

void line_range_free(struct line_range *range)
{
	free(range->function);
	free(range->file);
	*range = (struct line_range){ 0 };
}

/**
 * struct listing - the lines of a source and their places
 * @binary: program
 * @file: path of the source, or its end
 * @source: path of the source in the debug information
 * @function: function to list, or NULL
 * @base: number of the line from which the lines of the function are counted; 0 for a file
 * @first: number of the first line in the source
 * @last: number of the last line to look at
 * @end: number of the last line of the function itself that has code
 * @places: place of each line from @base to @last
 * @other: a second source with the same end of its path, or NULL
 */
struct listing {
	const struct binary *binary;
	const char *file;
	const char *source;
	Dwarf_Die *function;
	unsigned int base;
	unsigned int first;
	unsigned int last;
	unsigned int end;
	struct line_place *places;
	const char *other;
};

static void take_statement(void *context, const struct statement *at)
{
	struct listing *l = context;
	struct line_place *place;

	if (!l->source)
		l->source = at->source;
	else if (strcmp(l->source, at->source))
		l->other = at->source;
	/* The place of a function's first instruction is the declaration, as in other perfs. */
	if (!l->places || at->at_entry || at->line < l->base || at->line > l->last)
		return;
	place = &l->places[at->line - l->base];
	line_place_add(place, at, l->function);
	if (l->function && place->function == dwarf_dieoffset(l->function) && at->line > l->end)
		l->end = at->line;
}

/* Find the source of a range without a function. */
static int find_file(struct listing *l, const struct line_range *range, struct error *err)
{
	l->file = range->file;
	if (!l->binary->file.dwarf)
		return binary_refuse_without_debug(l->binary, err);
	if (!lines_walk(l->binary, l->file, NULL, take_statement, l)) {
		lines_refuse_file(l->binary, l->file, err);
		return -1;
	}
	if (!l->other)
		return 0;
	error_set(err, "'%s' is the end of %s and of %s; give more of the path", l->file,
		  l->source, l->other);
	return -1;
}

/* Find the source of a function. @place is of the function, and lives as long as the listing. */
static int find_function(struct listing *l, const struct line_range *range, struct place *place,
			 struct error *err)
{
	struct definition definition = { .function = range->function };
	int line;

	if (place_find(place, l->binary, &definition, err))
		return -1;
	if (!place->has_debug || function_declaration(&place->scopes, &l->file, &line))
		return binary_refuse_without_debug(l->binary, err);
	if (range->file && !lines_is_end_of_path(l->file, range->file)) {
		error_set(err, "'%s' is in %s, not in '%s'", range->function, l->file, range->file);
		return -1;
	}
	l->source = l->file;
	l->function = &place->scopes.dies[0];
	l->base = line;
	return 0;
}

static unsigned int count_lines(const char *text)
{
	unsigned int nr = 0;

	while (*text) {
		text += strcspn(text, "\n");
		nr++;
		if (*text)
			text++;
	}
	return nr;
}

/* Set the lines to list, which the source has. */
static int set_lines(struct listing *l, const struct line_range *range, const char *text,
		     struct error *err)
{
	unsigned int nr = count_lines(text);

	if (nr > SOURCE_LINES_MAX) {
		error_set(err, "%s has more than %u lines", l->source, SOURCE_LINES_MAX);
		return -1;
	}
	if (range->first > nr || l->base + range->first > nr) {
		error_set(err, "%s has only %u lines", l->source, nr);
		return -1;
	}
	l->first = l->base + range->first;
	l->last = range->last < nr - l->base ? l->base + range->last : nr;
	l->end = l->base;
	l->places = xcalloc(l->last - l->base + 1, sizeof(*l->places));
	return 0;
}

/* Print a line with its tabs. Other bytes that are no text are escaped. */
static void print_text(FILE *out, const char *text, size_t size)
{
	size_t part;
	char *copy;

	if (size && text[size - 1] == '\r')
		size--;
	while (size) {
		part = *text == '\t' ? 1 : 0;
		if (part) {
			fputc('\t', out);
		} else {
			const char *tab = memchr(text, '\t', size);

			part = tab ? (size_t)(tab - text) : size;
			copy = xstrndup(text, part);
			fput_name(copy, out);
			free(copy);
		}
		text += part;
		size -= part;
	}
	fputc('\n', out);
}

static void print_lines(FILE *out, const struct listing *l, const char *text)
{
	const struct line_place *place;
	unsigned int line;
	size_t size;

	for (line = 1; line <= l->last && *text; line++) {
		size = strcspn(text, "\n");
		if (line >= l->first) {
			place = &l->places[line - l->base];
			if (place->found && !place->several)
				fprintf(out, "%7u  ", line - l->base);
			else
				fprintf(out, "%9s", "");
			print_text(out, text, size);
		}
		text += size + !!text[size];
	}
}

static void print_head(FILE *out, const struct listing *l, const struct line_range *range)
{
	fputc('<', out);
	if (range->function) {
		fput_name(range->function, out);
		fputc('@', out);
	}
	fput_name(l->source, out);
	fprintf(out, ":%u>\n", range->is_whole ? 0 : range->first);
}

static int list(FILE *out, struct listing *l, const struct line_range *range, const char *text,
		struct error *err)
{
	if (set_lines(l, range, text, err))
		return -1;
	lines_walk(l->binary, l->file, l->function, take_statement, l);
	if (l->function && l->first > l->end) {
		error_set(err, "'%s' has only %u lines", range->function, l->end - l->base);
		return -1;
	}
	if (l->function && range->last == UINT_MAX && l->last - l->end > LINES_BEHIND)
		l->last = l->end + LINES_BEHIND;
	print_head(out, l, range);
	print_lines(out, l, text);
	return 0;
}

int listing_print(FILE *out, const struct binary *binary, const struct line_range *range,
		  const char *prefix, struct error *err)
{
	struct listing l = { .binary = binary };
	struct place place = { 0 };
	char *path = NULL, *text = NULL;
	int ret;

	ret = range->function ? find_function(&l, range, &place, err) :
				find_file(&l, range, err);
	if (!ret) {
		path = xasprintf("%s%s%s", prefix ?: "", prefix && *l.source != '/' ? "/" : "",
				 l.source);
		text = foreign_text(path, SOURCE_SIZE_MAX, NULL);
		if (!text) {
			error_set(err, "source %s: %s; use --source DIRECTORY for another place",
				  path, open_failure(-errno));
			ret = -1;
		}
	}
	if (!ret)
		ret = list(out, &l, range, text, err);
	free(l.places);
	free(text);
	free(path);
	place_free(&place);
	return ret;
}

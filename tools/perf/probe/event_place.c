// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the place of a defined event: function, file and line.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event_place.h"
#include "scopes.h"

/* Number of hexadecimal digits of an offset in uprobe_events. */
#define OFFSET_DIGITS 16

/**
 * struct user_place - the place of an event in a program or library
 * @path: path of the file
 * @offset: offset of the instruction in the file
 * @arguments: values that the event fetches, or an empty string
 */
struct user_place {
	char *path;
	uint64_t offset;
	const char *arguments;
};

/* Return the end of "0xOFFSET" at the beginning of a text, or NULL if the text begins otherwise. */
static const char *offset_end(const char *text)
{
	size_t i;

	if (strncmp(text, "0x", 2))
		return NULL;
	for (i = 2; isxdigit((unsigned char)text[i]); i++)
		;
	if (i != 2 + OFFSET_DIGITS || (text[i] && text[i] != ' ' && text[i] != '('))
		return NULL;
	return text + i;
}

/* Divide "PATH:0xOFFSET[(REFERENCES)] [ARGUMENTS]"; the path may have colons and spaces. */
static bool divide(const char *what, struct user_place *place)
{
	const char *colon, *end = NULL;

	for (colon = strchr(what, ':'); colon; colon = strchr(colon + 1, ':')) {
		end = offset_end(colon + 1);
		if (end)
			break;
	}
	if (!end)
		return false;
	place->path = xstrndup(what, colon - what);
	place->offset = strtoull(colon + 1, NULL, 16);
	end += strcspn(end, " ");
	place->arguments = *end ? end + 1 : end;
	return true;
}

/* Return the file of an event, or NULL if it cannot be opened; the first try says why. */
static const struct binary *open_file(struct event_places *places, const char *path)
{
	struct error err = { 0 };

	if (!places->path || strcmp(places->path, path)) {
		event_places_free(places);
		places->path = xstrdup(path);
		places->is_open = !binary_open(&places->binary, path, &err);
		if (!places->is_open)
			warn("no names of functions: %s", err.text);
	}
	return places->is_open ? &places->binary : NULL;
}

/*
 * Return the line of the code at @addr, counted from the line of its function, and set @file to
 * the file of the function. Return -1 if either is unknown, or if the code was inlined from
 * another file.
 */
static int relative_line(const struct binary *binary, uint64_t addr, const char **file)
{
	Dwarf_Addr module_addr = addr + binary->file.bias;
	const char *line_file;
	struct scopes scopes;
	int declared, line;
	Dwfl_Line *found;

	if (!binary->file.dwarf ||
	    scopes_find(&scopes, binary, addr + binary->file.to_dwarf) ||
	    function_declaration(&scopes, file, &declared)) {
		*file = NULL;
		return -1;
	}
	found = dwfl_module_getsrc(binary->file.module, module_addr);
	line_file = found ? dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL) : NULL;
	if (!line_file || strcmp(line_file, *file) || line < declared)
		return -1;
	return line - declared;
}

/* Print the function of the code at @addr. Return false if it is unknown. */
static bool print_function(const struct binary *binary, uint64_t addr, bool is_return, FILE *to)
{
	struct binary_function function;
	const char *name = binary_function_at(binary, addr, &function), *file;
	int line;

	if (!name)
		return false;
	line = relative_line(binary, addr, &file);
	fput_name(name, to);
	if (is_return)
		fputs("%return", to);
	else if (addr != function.addr && line >= 0)
		fprintf(to, ":%d", line);
	else if (addr != function.addr)
		fprintf(to, "+%" PRIu64, addr - function.addr);
	if (file) {
		putc('@', to);
		fput_name(file, to);
	}
	return true;
}

static void print_user(struct event_places *places, const struct user_place *place, bool is_return,
		       FILE *to)
{
	const struct binary *binary = open_file(places, place->path);
	uint64_t addr;

	if (!binary || binary_addr(binary, place->offset, &addr) ||
	    !print_function(binary, addr, is_return, to))
		fprintf(to, "0x%" PRIx64 "%s", place->offset, is_return ? "%return" : "");
	fputs(" in ", to);
	fput_name(place->path, to);
	if (*place->arguments) {
		fputs(" with ", to);
		fput_name(place->arguments, to);
	}
}

void event_place_print(struct event_places *places, const struct probe_event *event, FILE *to)
{
	struct user_place place;

	if (event->in_kernel || !divide(event->what, &place)) {
		fput_name(event->what, to);
		return;
	}
	print_user(places, &place, event->is_return, to);
	free(place.path);
}

void event_places_free(struct event_places *places)
{
	if (places->path)
		binary_close(&places->binary);
	free(places->path);
	*places = (struct event_places){ 0 };
}

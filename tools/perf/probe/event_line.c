// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the line of text that defines an event in tracefs.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event_line.h"
#include "fetch.h"
#include "probe_events.h"

/* Maximum number of bytes that are taken from a name, to leave room for a prefix and a suffix. */
#define NAME_PART 40

/* Make a valid name of a group or event from a text that may contain any byte. */
static char *plain_name(const char *before, const char *text, const char *behind)
{
	char *name = xasprintf("%s%.*s%s", before, NAME_PART, text, behind), *at;

	for (at = name; *at; at++) {
		if (!isascii(*at) || !isalnum(*at))
			*at = '_';
	}
	if (isdigit(*name))
		*name = '_';
	return name;
}

static void make_group(struct event_line *line, const struct definition *d,
		       const struct place *place)
{
	if (d->group)
		line->group = xstrdup(d->group);
	else if (line->in_kernel)
		line->group = xstrdup("probe");
	else
		line->group = plain_name("probe_", strrchr(place->binary->path, '/') + 1, "");
}

/* Name the event after the function. If that name is in use, append a number. */
static void make_event(struct event_line *line, const char *function, bool is_return)
{
	const char *suffix = is_return ? "__return" : "";
	char *plain = plain_name("", function, suffix);
	unsigned int i;

	line->event = xstrdup(plain);
	for (i = 1; probe_events_has(line->group, line->event) && i < 1000; i++) {
		free(line->event);
		line->event = xasprintf("%s_%u", plain, i);
	}
	free(plain);
}

static int make_name(struct event_line *line, const struct definition *d,
		     const struct place *place, struct error *err)
{
	make_group(line, d, place);
	if (d->event)
		line->event = xstrdup(d->event);
	else
		make_event(line, place ? place->function : d->function, d->is_return);
	/* Refuse an existing event: the kernel would add the place to it. */
	if (!probe_events_has(line->group, line->event))
		return 0;
	error_set(err, "event %s:%s exists; give another name, or use perf probe %s",
		  line->group, line->event, "--del");
	return -1;
}

/*
 * Return true if the kernel can parse the path. The kernel ends the path at a blank, and its
 * isspace() takes byte 0xa0 for a blank, too.
 */
static bool is_path_for_kernel(const char *path)
{
	for (; *path; path++) {
		if (isspace(*path) || iscntrl(*path) || *path == '#' || *path == '\xa0')
			return false;
	}
	return true;
}

static char *user_place(const struct place *place, struct error *err)
{
	const char *path = place->binary->path;
	uint64_t offset;

	if (!is_path_for_kernel(path)) {
		error_set(err, "%s: tracefs cannot have a path with a blank or '#'; use a link",
			  path);
		return NULL;
	}
	if (binary_offset(place->binary, place->addr, &offset)) {
		error_set(err, "%s: no code of the file is loaded at 0x%" PRIx64, path,
			  place->addr);
		return NULL;
	}
	return xasprintf("%s:0x%" PRIx64, path, offset);
}

static char *add_args(char *text, const struct definition *d, const struct place *place,
		      struct error *err)
{
	char *arg, *longer;
	size_t i;

	for (i = 0; i < d->nr_args; i++) {
		if (fetch_argument(&arg, place, &d->args[i], d->is_return, err)) {
			free(text);
			return NULL;
		}
		longer = xasprintf("%s %s", text, arg);
		free(arg);
		free(text);
		text = longer;
	}
	return text;
}

int event_line_make(struct event_line *line, const struct definition *definition,
		    const struct place *place, bool in_kernel, struct error *err)
{
	const char *function = place ? place->function : definition->function;
	uint64_t offset = place ? place->addr - place->start : definition->offset;
	char *at, *text;

	*line = (struct event_line){ .in_kernel = in_kernel };
	if (make_name(line, definition, place, err))
		return -1;
	if (definition->is_return)
		line->where = xasprintf("%s%%return", function);
	else if (offset)
		line->where = xasprintf("%s+%" PRIu64, function, offset);
	else
		line->where = xstrdup(function);
	at = in_kernel ? xasprintf("%s+%" PRIu64, function, offset) : user_place(place, err);
	if (!at)
		return -1;
	text = xasprintf("%c:%s/%s %s", definition->is_return ? 'r' : 'p', line->group,
			 line->event, at);
	free(at);
	line->text = add_args(text, definition, place, err);
	return line->text ? 0 : -1;
}

void event_line_free(struct event_line *line)
{
	free(line->group);
	free(line->event);
	free(line->where);
	free(line->text);
	*line = (struct event_line){ 0 };
}

// SPDX-License-Identifier: GPL-2.0
/* Tracepoints in tracefs. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracepoints.h"
#include "util/util.h"

const char *tracefs_path(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	size_t i;
	char *events;
	int found;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		events = xasprintf("%s/events", paths[i]);
		found = !access(events, R_OK | X_OK);
		free(events);
		if (found)
			return paths[i];
	}
	return NULL;
}

bool tracepoint_is_in_user(const char *name)
{
	static const char system[] = "syscalls:";

	return !strncmp(name, system, strlen(system));
}

static bool is_file_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

long tracepoint_id(const char *system, const char *name)
{
	const char *tracefs = tracefs_path();
	char *path, *text, *end;
	long id = -1;

	errno = ENOENT;
	if (!tracefs || !is_file_name(system) || !is_file_name(name))
		return -1;
	path = xasprintf("%s/events/%s/%s/id", tracefs, system, name);
	text = read_text_file(path, NULL);
	if (text) {
		id = strtol(text, &end, 10);
		if (end == text)
			id = -1;
	}
	free(text);
	free(path);
	return id;
}

static int is_directory(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

/* Visit the tracepoints of one system with matching names. */
static int walk_system(const char *tracefs, const char *system, const char *pattern,
		       tracepoint_visitor visit, void *context)
{
	char *path = xasprintf("%s/events/%s", tracefs, system);
	int i, nr, ret = 0;
	struct dirent **entries;

	nr = scandir(path, &entries, is_directory, alphasort);
	free(path);
	for (i = 0; i < nr; i++) {
		const char *name = entries[i]->d_name;

		if (!ret && !fnmatch(pattern, name, 0))
			ret = visit(context, system, name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return ret;
}

int tracepoint_walk(const char *system, const char *name, tracepoint_visitor visit, void *context)
{
	const char *tracefs = tracefs_path();
	struct dirent **entries;
	int i, nr, ret = 0;
	char *path;

	if (!tracefs)
		return 0;
	path = xasprintf("%s/events", tracefs);
	nr = scandir(path, &entries, is_directory, alphasort);
	free(path);
	for (i = 0; i < nr; i++) {
		if (!ret && !fnmatch(system, entries[i]->d_name, 0))
			ret = walk_system(tracefs, entries[i]->d_name, name, visit, context);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return ret;
}

/*
 * Parse the line "TYPE NAME[N]; offset:O; size:S;...". Return: true if the line describes a field.
 */
static bool parse_field(const char *line, struct tracepoint_field *field)
{
	size_t length = strcspn(line, ";\n"), end, at;
	const char *where = strstr(line, "offset:");

	if (!where || sscanf(where, "offset:%u;\tsize:%u;", &field->offset, &field->size) != 2)
		return false;
	end = length;
	while (end && line[end - 1] == ']')
		for (end--; end && line[end] != '['; end--)
			;
	for (at = end; at && line[at - 1] != ' ' && line[at - 1] != '*'; at--)
		;
	if (!at || at == end)
		return false;
	field->name = xstrndup(line + at, end - at);
	while (at && line[at - 1] == ' ')
		at--;
	field->type = xstrndup(line, at);
	return true;
}

int tracepoint_walk_fields(const char *system, const char *name, tracepoint_field_visitor visit,
			   void *context)
{
	static const char mark[] = "field:";
	const char *tracefs = tracefs_path(), *line;
	struct tracepoint_field field;
	char *path, *text;

	errno = ENOENT;
	if (!tracefs || !is_file_name(system) || !is_file_name(name))
		return -1;
	path = xasprintf("%s/events/%s/%s/format", tracefs, system, name);
	text = read_text_file(path, NULL);
	free(path);
	if (!text)
		return -1;
	for (line = text; (line = strstr(line, mark)); ) {
		line += strlen(mark);
		if (!parse_field(line, &field))
			continue;
		visit(context, &field);
		free(field.type);
		free(field.name);
	}
	free(text);
	return 0;
}

static void add_name(void *context, const struct tracepoint_field *field)
{
	char **names = context, *longer;

	longer = xasprintf("%s%s%s", *names ? *names : "", *names ? ", " : "", field->name);
	free(*names);
	*names = longer;
}

char *tracepoint_fields(const char *system, const char *name)
{
	char *names = NULL;

	tracepoint_walk_fields(system, name, add_name, &names);
	return names;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints, as tracefs has them.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
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

/* Those of a system whose names match. */
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

/* The name in "field:TYPE NAME[N];...", or NULL. */
static char *field_name(const char *line)
{
	size_t length = strcspn(line, ";"), at;

	while (length && line[length - 1] == ']')
		for (length--; length && line[length] != '['; length--)
			;
	for (at = length; at && line[at - 1] != ' ' && line[at - 1] != '*'; at--)
		;
	return at && at < length ? xstrndup(line + at, length - at) : NULL;
}

char *tracepoint_fields(const char *system, const char *name)
{
	const char *tracefs = tracefs_path(), *line;
	char *path, *text, *fields = NULL;

	if (!tracefs)
		return NULL;
	path = xasprintf("%s/events/%s/%s/format", tracefs, system, name);
	text = read_text_file(path, NULL);
	free(path);
	for (line = text; line && (line = strstr(line, "field:")); line++) {
		char *field = field_name(line), *longer;

		if (!field)
			continue;
		longer = xasprintf("%s%s%s", fields ? fields : "", fields ? ", " : "", field);
		free(fields);
		free(field);
		fields = longer;
	}
	free(text);
	return fields;
}

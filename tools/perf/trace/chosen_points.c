// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints that the user chose beside system calls, or in their place.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "chosen_points.h"

bool is_point_name(const char *word)
{
	return strchr(word, ':');
}

void chosen_points_add(struct chosen_points *points, const char *name)
{
	points->points = xreallocarray(points->points, points->nr + 1, sizeof(*points->points));
	points->points[points->nr++] = (struct chosen_point){ .name = xstrdup(name) };
}

int chosen_points_filter(struct chosen_points *points, const char *filter, struct error *err)
{
	struct chosen_point *last = points->nr ? &points->points[points->nr - 1] : NULL;

	if (!last) {
		error_set(err,
			  "--filter: no tracepoint precedes it; use -e SYSTEM:NAME --filter '...', or -e and --filter-pids for system calls");
		return -1;
	}
	if (last->filter) {
		error_set(err, "--filter: '%s' already has a filter; join the two with &&",
			  last->name);
		return -1;
	}
	last->filter = xstrdup(filter);
	return 0;
}

/* Join two filters, each of which may be NULL. Return NULL for none. */
static char *join(const char *own, const char *others)
{
	if (own && others)
		return xasprintf("(%s) && (%s)", own, others);
	if (!own && !others)
		return NULL;
	return xstrdup(own ?: others);
}

static int parse_point(const struct chosen_point *point, struct event_list *events,
		       const char *others, struct error *err)
{
	size_t i, before = events->nr;
	int status = event_list_parse(events, point->name, err);
	char *filter;

	if (status)
		return status;
	for (i = before; i < events->nr; i++) {
		if (events->events[i].attr.type == PERF_TYPE_TRACEPOINT)
			continue;
		error_set(err,
			  "-e: '%s' is not a tracepoint; use 'perf record -e %s' and 'perf script'",
			  events->events[i].name, point->name);
		return EXIT_USAGE;
	}
	filter = join(point->filter, others);
	if (filter && event_list_set_filter(events, filter, err))
		status = EXIT_USAGE;
	free(filter);
	return status;
}

int chosen_points_parse(const struct chosen_points *points, struct event_list *events,
			const char *others, struct error *err)
{
	int status = 0;
	size_t i;

	for (i = 0; i < points->nr && !status; i++)
		status = parse_point(&points->points[i], events, others, err);
	return status;
}

/* Return "SYSTEM:NAME" of an event, without modifiers and terms. The caller frees it. */
static char *without_modifiers(const char *event)
{
	const char *colon = strchr(event, ':');
	size_t before = colon ? colon + 1 - event : 0;

	return xstrndup(event, before + strcspn(event + before, ":/"));
}

static bool matches(const struct chosen_point *point, const char *event)
{
	char *pattern = without_modifiers(point->name), *name = without_modifiers(event);
	bool found = !fnmatch(pattern, name, 0);

	free(pattern);
	free(name);
	return found;
}

bool chosen_points_have(const struct chosen_points *points, const char *name)
{
	size_t i;

	for (i = 0; i < points->nr; i++) {
		if (matches(&points->points[i], name))
			return true;
	}
	return false;
}

const char *chosen_points_lack(const struct chosen_points *points, const struct event_table *events)
{
	size_t i, j;

	for (i = 0; i < points->nr; i++) {
		for (j = 0; j < events->nr; j++) {
			if (matches(&points->points[i], events->events[j].name))
				break;
		}
		if (j == events->nr)
			return points->points[i].name;
	}
	return NULL;
}

void chosen_points_free(struct chosen_points *points)
{
	size_t i;

	for (i = 0; i < points->nr; i++) {
		free(points->points[i].name);
		free(points->points[i].filter);
	}
	free(points->points);
}

// SPDX-License-Identifier: GPL-2.0
/* The formats of tracepoints' records for a recording, from tracefs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measure.h"
#include "trace_formats.h"

/* Tracepoints with wanted formats, sorted by system. */
struct wanted {
	const struct data_event *events;
	size_t nr_events;
	struct {
		char *system;
		char *name;
	} *list;
	size_t nr;
};

static void put_u32(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put_string(FILE *out, const char *s)
{
	fwrite(s, strlen(s) + 1, 1, out);
}

/* Append the size and contents of a file; only a size of 0 if it cannot be read. */
static void put_file(FILE *out, const char *path, size_t bytes_of_size)
{
	uint64_t size;
	size_t read = 0;
	char *text = read_text_file(path, &read);

	size = text ? read : 0;
	if (bytes_of_size == sizeof(uint32_t))
		put_u32(out, size);
	else
		fwrite(&size, sizeof(size), 1, out);
	if (text)
		fwrite(text, size, 1, out);
	free(text);
}

static void put_tracefs_file(FILE *out, const char *name, size_t bytes_of_size)
{
	char *path = xasprintf("%s/%s", tracefs_path(), name);

	put_file(out, path, bytes_of_size);
	free(path);
}

static int add_wanted(void *context, const char *system, const char *name)
{
	uint64_t id = tracepoint_id(system, name);
	struct wanted *w = context;
	size_t i;

	for (i = 0; i < w->nr_events; i++) {
		const struct perf_event_attr *attr = &w->events[i].attr;

		if (attr->type == PERF_TYPE_TRACEPOINT && attr->config == id)
			break;
	}
	if (i == w->nr_events)
		return 0;
	w->list = xreallocarray(w->list, w->nr + 1, sizeof(*w->list));
	w->list[w->nr].system = xstrdup(system);
	w->list[w->nr++].name = xstrdup(name);
	return 0;
}

/* Count the tracepoints from index @i on that belong to the same system. */
static size_t length_of_system(const struct wanted *w, size_t i)
{
	size_t end = i;

	while (end < w->nr && !strcmp(w->list[end].system, w->list[i].system))
		end++;
	return end - i;
}

static void put_formats(FILE *out, const struct wanted *w, size_t from, size_t nr)
{
	size_t i;

	put_u32(out, nr);
	for (i = from; i < from + nr; i++) {
		char *name = xasprintf("events/%s/%s/format", w->list[i].system, w->list[i].name);

		put_tracefs_file(out, name, sizeof(uint64_t));
		free(name);
	}
}

/* Append the formats; the system ftrace comes first, without its name. */
static void put_systems(FILE *out, const struct wanted *w)
{
	size_t i, ftrace = w->nr, nr = 0, length;

	for (i = 0; i < w->nr; i += length) {
		length = length_of_system(w, i);
		if (strcmp(w->list[i].system, "ftrace"))
			nr++;
		else
			ftrace = i;
	}
	put_formats(out, w, ftrace, length_of_system(w, ftrace));
	put_u32(out, nr);
	for (i = 0; i < w->nr; i += length) {
		length = length_of_system(w, i);
		if (i == ftrace)
			continue;
		put_string(out, w->list[i].system);
		put_formats(out, w, i, length);
	}
}

char *trace_formats(const struct data_event *events, size_t nr, size_t *size)
{
	static const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct wanted wanted = { .events = events, .nr_events = nr };
	char *bytes = NULL;
	size_t i;
	FILE *out;

	for (i = 0; i < nr && events[i].attr.type != PERF_TYPE_TRACEPOINT; i++)
		;
	if (i == nr || !tracefs_path())
		return NULL;
	tracepoint_walk("*", "*", add_wanted, &wanted);
	out = open_memstream(&bytes, size);
	if (!out)
		die("out of memory");
	fputs("\x17\x08\x44tracing", out);
	put_string(out, "0.6");
	putc(big, out);
	putc(sizeof(long), out);
	put_u32(out, sysconf(_SC_PAGESIZE));
	put_string(out, "header_page");
	put_tracefs_file(out, "events/header_page", sizeof(uint64_t));
	put_string(out, "header_event");
	put_tracefs_file(out, "events/header_event", sizeof(uint64_t));
	put_systems(out, &wanted);
	/* No kallsyms: readers find functions as for samples. */
	put_u32(out, 0);
	put_tracefs_file(out, "printk_formats", sizeof(uint32_t));
	/* No names of tasks: COMM records have them. */
	fwrite(&(uint64_t){ 0 }, sizeof(uint64_t), 1, out);
	fclose(out);
	for (i = 0; i < wanted.nr; i++) {
		free(wanted.list[i].system);
		free(wanted.list[i].name);
	}
	free(wanted.list);
	return bytes;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * profile.proto of pprof.
 *
 * The fields are those of github.com/google/pprof, proto/profile.proto. A sample has a value for
 * each event that has samples, after the number of samples. Its labels are comm, pid and tid.
 *
 * A mapping stands for a file, and addresses are those of its ELF headers. A mapping that begins at
 * 0 and has no end tells pprof that addresses need no adjustment.
 */
#include <string.h>

#include "compress.h"
#include "pprof.h"
#include "proto.h"

/* Number of characters that the kernel keeps of the name of a thread. */
#define COMM_SIZE 15

/* Fields of Profile. */
enum {
	PROFILE_SAMPLE_TYPE	= 1,
	PROFILE_SAMPLE		= 2,
	PROFILE_MAPPING		= 3,
	PROFILE_LOCATION	= 4,
	PROFILE_FUNCTION	= 5,
	PROFILE_STRING_TABLE	= 6,
	PROFILE_TIME_NANOS	= 9,
	PROFILE_DURATION_NANOS	= 10,
	PROFILE_PERIOD_TYPE	= 11,
	PROFILE_DEFAULT_TYPE	= 14,
};

/* Numbers of the strings that labels have. */
struct labels {
	uint32_t comm;
	uint32_t pid;
	uint32_t tid;
};

static uint32_t string_id(struct profile *p, const char *text)
{
	return profile_add_string(p, text)->id;
}

static void put_type(struct proto *m, struct profile *p, unsigned int field, const char *type,
		     const char *unit)
{
	size_t place = proto_begin(m, field);

	proto_uint(m, 1, string_id(p, type));
	proto_uint(m, 2, string_id(p, unit));
	proto_end(m, place);
}

static void put_types(struct proto *m, struct profile *p)
{
	int event = profile_main_event(p);
	size_t i;

	put_type(m, p, PROFILE_SAMPLE_TYPE, "samples", "count");
	for (i = 0; i < p->nr_events; i++) {
		if (p->events[i].nr)
			put_type(m, p, PROFILE_SAMPLE_TYPE, p->events[i].name->text,
				 p->events[i].unit);
	}
	if (event < 0)
		return;
	put_type(m, p, PROFILE_PERIOD_TYPE, p->events[event].name->text, p->events[event].unit);
	proto_uint(m, PROFILE_DEFAULT_TYPE, p->events[event].name->id);
}

static void put_label(struct proto *m, uint32_t key, unsigned int field, uint64_t value)
{
	size_t place = proto_begin(m, 3);

	proto_uint(m, 1, key);
	proto_uint(m, field, value);
	proto_end(m, place);
}

/* Values of pprof are signed. */
static uint64_t value_of(uint64_t weight)
{
	return weight > INT64_MAX ? INT64_MAX : weight;
}

static void put_sample(struct proto *m, const struct profile *p,
		       const struct profile_sample *sample, const struct labels *labels)
{
	size_t message = proto_begin(m, PROFILE_SAMPLE), place, i;
	const struct profile_stack *stack;

	place = proto_begin(m, 1);
	for (stack = sample->stack; stack; stack = stack->parent)
		proto_number(m, stack->location->id + 1);
	proto_end(m, place);
	place = proto_begin(m, 2);
	proto_number(m, value_of(sample->nr));
	for (i = 0; i < p->nr_events; i++) {
		if (p->events[i].nr)
			proto_number(m, i == sample->event ? value_of(sample->weight) : 0);
	}
	proto_end(m, place);
	put_label(m, labels->comm, 2, sample->thread->comm->id);
	put_label(m, labels->pid, 3, sample->thread->pid);
	put_label(m, labels->tid, 3, sample->thread->tid);
	proto_end(m, message);
}

static void put_mapping(struct proto *m, const struct profile *p, const struct profile_file *file)
{
	size_t message = proto_begin(m, PROFILE_MAPPING);

	proto_uint(m, 1, file->id + 1);
	proto_uint(m, 3, UINT64_MAX);
	proto_uint(m, 5, file->path->id);
	proto_uint(m, 6, file->build_id->id);
	proto_uint(m, 7, true);
	proto_uint(m, 8, p->with_lines);
	proto_uint(m, 9, p->with_lines);
	proto_uint(m, 10, true);
	proto_end(m, message);
}

static void put_location(struct proto *m, const struct profile_location *location)
{
	size_t message = proto_begin(m, PROFILE_LOCATION), place;
	uint32_t i;

	proto_uint(m, 1, location->id + 1);
	proto_uint(m, 2, location->file->dso ? location->file->id + 1 : 0);
	proto_uint(m, 3, location->address);
	for (i = 0; i < location->nr; i++) {
		const struct profile_frame *frame = &location->frames[i];

		/* pprof shows the address of a location without functions. */
		if (!frame->function->known)
			continue;
		place = proto_begin(m, 4);
		proto_uint(m, 1, frame->function->id + 1);
		proto_uint(m, 2, frame->line);
		proto_end(m, place);
	}
	proto_end(m, message);
}

static void put_function(struct proto *m, const struct profile_function *function)
{
	size_t message = proto_begin(m, PROFILE_FUNCTION);

	proto_uint(m, 1, function->id + 1);
	proto_uint(m, 2, function->name->id);
	proto_uint(m, 3, function->system_name->id);
	proto_uint(m, 4, function->source->id);
	proto_end(m, message);
}

/* Return the program of a thread with samples, which pprof shows as the main file, or NULL. */
static const struct profile_file *main_file(const struct profile *p)
{
	uint32_t i, j;

	for (i = 0; i < p->files.nr; i++) {
		const char *name = profile_file(p, i)->name->text;

		for (j = 0; j < p->threads.nr; j++) {
			/* The kernel keeps COMM_SIZE characters of a name. */
			if (!strncmp(name, profile_thread(p, j)->comm->text, COMM_SIZE))
				return profile_file(p, i);
		}
	}
	return NULL;
}

static void write_mappings(struct proto *m, const struct profile *p, FILE *out)
{
	const struct profile_file *main = main_file(p);
	uint32_t i;

	if (main && main->dso)
		put_mapping(m, p, main);
	for (i = 0; i < p->files.nr; i++) {
		if (profile_file(p, i)->dso && profile_file(p, i) != main)
			put_mapping(m, p, profile_file(p, i));
		proto_write(m, out);
	}
}

/*
 * Write the elements of one table after another. The strings come last, because the other elements
 * add strings.
 */
static void write_all(FILE *out, struct profile *p)
{
	const struct labels labels = {
		.comm = string_id(p, "comm"),
		.pid = string_id(p, "pid"),
		.tid = string_id(p, "tid"),
	};
	struct proto m = { 0 };
	uint32_t i;

	put_types(&m, p);
	proto_uint(&m, PROFILE_TIME_NANOS, profile_begin_time(p));
	proto_uint(&m, PROFILE_DURATION_NANOS, p->last_time - p->first_time);
	proto_write(&m, out);
	for (i = 0; i < p->samples.nr; i++) {
		put_sample(&m, p, profile_sample(p, i), &labels);
		proto_write(&m, out);
	}
	write_mappings(&m, p, out);
	for (i = 0; i < p->locations.nr; i++) {
		put_location(&m, profile_location(p, i));
		proto_write(&m, out);
	}
	for (i = 0; i < p->functions.nr; i++) {
		put_function(&m, profile_function(p, i));
		proto_write(&m, out);
	}
	for (i = 0; i < p->strings.nr; i++) {
		proto_string(&m, PROFILE_STRING_TABLE, profile_string(p, i)->text);
		proto_write(&m, out);
	}
	proto_free(&m);
}

int export_pprof(FILE *out, struct profile *p)
{
	FILE *gzip = compress_gzip(out);
	bool failed;

	write_all(gzip, p);
	failed = ferror(gzip);
	return fclose(gzip) || failed ? -1 : 0;
}

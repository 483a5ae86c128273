// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of OpenTelemetry, package opentelemetry.proto.profiles.v1development.
 *
 * The fields are those of profiles.proto with ProfilesDictionary.stack_table, in which the values
 * of a sample are field 4. The protocol is in development: older collectors may use other numbers.
 *
 * Each event is a profile. A sample is the sum of the samples of a thread with one call chain, and
 * has no time. Element 0 of each table of the dictionary is empty, as the protocol asks for.
 */
#include <stdlib.h>

#include "otlp.h"
#include "proto.h"

/* Fields of ProfilesDictionary. */
enum {
	DICTIONARY_MAPPINGS	= 1,
	DICTIONARY_LOCATIONS	= 2,
	DICTIONARY_FUNCTIONS	= 3,
	DICTIONARY_LINKS	= 4,
	DICTIONARY_STRINGS	= 5,
	DICTIONARY_ATTRIBUTES	= 6,
	DICTIONARY_STACKS	= 7,
};

/* Attributes of each thread; those of the first one begin at 1. */
enum {
	THREAD_PID,
	THREAD_TID,
	THREAD_NAME,
	THREAD_ATTRIBUTES,
};

static uint32_t string_id(struct profile *p, const char *text)
{
	return profile_add_string(p, text)->id;
}

static void put_empty(struct proto *m, unsigned int field)
{
	proto_bytes(m, field, "", 0);
}

/* Add an attribute that is a text, or a number if @text is NULL. */
static void put_attribute(struct proto *m, struct profile *p, const char *key, const char *text,
			  uint64_t number)
{
	size_t place = proto_begin(m, DICTIONARY_ATTRIBUTES), value;

	proto_uint(m, 1, string_id(p, key));
	value = proto_begin(m, 2);
	if (text)
		proto_string(m, 1, text);
	else
		proto_uint(m, 3, number);
	proto_end(m, value);
	proto_end(m, place);
}

/* Return the number of the attribute with the build-id of a file. */
static uint64_t build_id_attribute(const struct profile *p, uint32_t file)
{
	return 1 + (uint64_t)p->threads.nr * THREAD_ATTRIBUTES + file;
}

static void put_attributes(struct proto *m, struct profile *p)
{
	uint32_t i;

	put_empty(m, DICTIONARY_ATTRIBUTES);
	for (i = 0; i < p->threads.nr; i++) {
		const struct profile_thread *thread = profile_thread(p, i);

		put_attribute(m, p, "process.pid", NULL, thread->pid);
		put_attribute(m, p, "thread.id", NULL, thread->tid);
		put_attribute(m, p, "thread.name", thread->comm->text, 0);
	}
	for (i = 0; i < p->files.nr; i++)
		put_attribute(m, p, "process.executable.build_id.gnu",
			      profile_file(p, i)->build_id->text, 0);
}

static void put_mappings(struct proto *m, const struct profile *p)
{
	size_t place, attributes;
	uint32_t i;

	put_empty(m, DICTIONARY_MAPPINGS);
	for (i = 0; i < p->files.nr; i++) {
		const struct profile_file *file = profile_file(p, i);

		place = proto_begin(m, DICTIONARY_MAPPINGS);
		proto_uint(m, 4, file->path->id);
		if (file->build_id->id) {
			attributes = proto_begin(m, 5);
			proto_number(m, build_id_attribute(p, i));
			proto_end(m, attributes);
		}
		proto_end(m, place);
	}
}

static void put_location(struct proto *m, const struct profile_location *at)
{
	size_t place = proto_begin(m, DICTIONARY_LOCATIONS), line;
	uint32_t i;

	proto_uint(m, 1, at->file->dso ? (uint64_t)at->file->id + 1 : 0);
	proto_uint(m, 2, at->address);
	for (i = 0; i < at->nr; i++) {
		if (!at->frames[i].function->known)
			continue;
		line = proto_begin(m, 3);
		proto_uint(m, 1, (uint64_t)at->frames[i].function->id + 1);
		proto_uint(m, 2, at->frames[i].line);
		proto_end(m, line);
	}
	proto_end(m, place);
}

static void put_functions(struct proto *m, const struct profile *p)
{
	size_t place;
	uint32_t i;

	put_empty(m, DICTIONARY_FUNCTIONS);
	for (i = 0; i < p->functions.nr; i++) {
		const struct profile_function *function = profile_function(p, i);

		place = proto_begin(m, DICTIONARY_FUNCTIONS);
		proto_uint(m, 1, function->name->id);
		proto_uint(m, 2, function->system_name->id);
		proto_uint(m, 3, function->source->id);
		proto_end(m, place);
	}
}

/* Write the call chains that samples have, the innermost location first, and number them. */
static void put_stacks(struct proto *m, const struct profile *p, uint32_t *numbers)
{
	const struct profile_stack *stack;
	size_t place, locations;
	uint32_t i, next = 1;

	put_empty(m, DICTIONARY_STACKS);
	for (i = 0; i < p->samples.nr; i++) {
		stack = profile_sample(p, i)->stack;
		if (numbers[stack->id])
			continue;
		numbers[stack->id] = next++;
		place = proto_begin(m, DICTIONARY_STACKS);
		locations = proto_begin(m, 1);
		for (; stack; stack = stack->parent)
			proto_number(m, (uint64_t)stack->location->id + 1);
		proto_end(m, locations);
		proto_end(m, place);
	}
}

static void put_dictionary(struct proto *m, struct profile *p, uint32_t *stacks)
{
	size_t place = proto_begin(m, 2);
	uint32_t i;

	put_mappings(m, p);
	put_empty(m, DICTIONARY_LOCATIONS);
	for (i = 0; i < p->locations.nr; i++)
		put_location(m, profile_location(p, i));
	put_functions(m, p);
	put_empty(m, DICTIONARY_LINKS);
	put_attributes(m, p);
	put_stacks(m, p, stacks);
	/* The functions above have added strings. */
	for (i = 0; i < p->strings.nr; i++)
		proto_string(m, DICTIONARY_STRINGS, profile_string(p, i)->text);
	proto_end(m, place);
}

static void put_sample(struct proto *m, const struct profile_sample *sample, uint32_t stack)
{
	uint64_t attribute = 1 + (uint64_t)sample->thread->id * THREAD_ATTRIBUTES;
	size_t message = proto_begin(m, 2), place;

	proto_uint(m, 1, stack);
	place = proto_begin(m, 2);
	proto_number(m, attribute + THREAD_PID);
	proto_number(m, attribute + THREAD_TID);
	proto_number(m, attribute + THREAD_NAME);
	proto_end(m, place);
	place = proto_begin(m, 4);
	/* Values are signed. */
	proto_number(m, sample->weight > INT64_MAX ? INT64_MAX : sample->weight);
	proto_end(m, place);
	proto_end(m, message);
}

static void put_type(struct proto *m, unsigned int field, struct profile *p,
		     const struct profile_event *event)
{
	size_t place = proto_begin(m, field);

	proto_uint(m, 1, event->name->id);
	proto_uint(m, 2, string_id(p, event->unit));
	proto_end(m, place);
}

static void put_profile(struct proto *m, struct profile *p, uint32_t event, const uint32_t *stacks)
{
	size_t place = proto_begin(m, 2);
	uint32_t i;

	put_type(m, 1, p, &p->events[event]);
	for (i = 0; i < p->samples.nr; i++) {
		const struct profile_sample *sample = profile_sample(p, i);

		if (sample->event == event)
			put_sample(m, sample, stacks[sample->stack->id]);
	}
	proto_fixed64(m, 3, profile_begin_time(p));
	proto_uint(m, 4, p->last_time - p->first_time);
	put_type(m, 5, p, &p->events[event]);
	proto_end(m, place);
}

static void put_resource_text(struct proto *m, const char *key, const char *text)
{
	size_t place, value;
	char *safe;

	if (!text)
		return;
	safe = escape_name(text);
	place = proto_begin(m, 1);
	proto_string(m, 1, key);
	value = proto_begin(m, 2);
	proto_string(m, 1, safe);
	proto_end(m, value);
	proto_end(m, place);
	free(safe);
}

static void put_resource(struct proto *m, const struct data_features *features)
{
	size_t place = proto_begin(m, 1);

	put_resource_text(m, "host.name", features->hostname);
	put_resource_text(m, "host.arch", features->arch);
	put_resource_text(m, "os.type", "linux");
	put_resource_text(m, "os.version", features->osrelease);
	proto_end(m, place);
}

void export_otlp(FILE *out, struct profile *p, const struct data_features *features)
{
	uint32_t *stacks = xcalloc((size_t)p->stacks.nr + 1, sizeof(*stacks));
	size_t resource, scope, place, i;
	struct proto m = { 0 };

	/* Units are strings of the dictionary, which comes first. */
	string_id(p, "count");
	string_id(p, "nanoseconds");
	put_dictionary(&m, p, stacks);
	proto_write(&m, out);
	resource = proto_begin(&m, 1);
	put_resource(&m, features);
	scope = proto_begin(&m, 2);
	place = proto_begin(&m, 1);
	proto_string(&m, 1, PERF_TOOL_VERSION);
	proto_end(&m, place);
	for (i = 0; i < p->nr_events; i++) {
		if (p->events[i].nr)
			put_profile(&m, p, i, stacks);
	}
	proto_end(&m, scope);
	proto_end(&m, resource);
	proto_write(&m, out);
	proto_free(&m);
	free(stacks);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a recording says about itself: the feature sections of perf.data.
 *
 * Nothing in a section is trusted: each read checks what is left of it.
 */
#include <stdlib.h>
#include <string.h>

#include "data_features.h"

/* What is left of a section. A read beyond the end sets @bad and yields zeros. */
struct section {
	const uint8_t *at;
	size_t left;
	bool bad;
};

static const void *take(struct section *s, size_t size)
{
	const void *at = s->at;

	if (size > s->left) {
		s->bad = true;
		s->left = 0;
		return NULL;
	}
	s->at += size;
	s->left -= size;
	return at;
}

static uint32_t take_u32(struct section *s)
{
	const void *at = take(s, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t take_u64(struct section *s)
{
	const void *at = take(s, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

/* A string with its length in front; a copy, or NULL when the section is bad. */
static char *take_string(struct section *s)
{
	uint32_t size = take_u32(s);
	const char *at = take(s, size);

	return at ? xstrndup(at, size) : NULL;
}

static void take_string_into(struct section *s, char **string)
{
	free(*string);
	*string = take_string(s);
}

static void take_cmdline(struct section *s, char **cmdline)
{
	uint32_t i, nr = take_u32(s);
	char *joined = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&joined, &size);
	if (!out)
		die("out of memory");
	for (i = 0; i < nr && !s->bad; i++) {
		char *word = take_string(s);

		if (word)
			fprintf(out, "%s%s", i ? " " : "", word);
		free(word);
	}
	fclose(out);
	free(*cmdline);
	*cmdline = joined;
}

/* Names for the events of the attr section, which come in the same order. */
static void take_event_desc(struct section *s, struct event_table *events)
{
	uint32_t i, nr = take_u32(s), attr_size = take_u32(s);

	for (i = 0; i < nr && !s->bad; i++) {
		uint32_t nr_ids, name_size;
		const char *name;

		take(s, attr_size);
		nr_ids = take_u32(s);
		name_size = take_u32(s);
		name = take(s, name_size);
		take(s, nr_ids * sizeof(uint64_t));
		if (name && i < events->nr)
			event_table_set_name(events, i, name, name_size);
	}
}

/**
 * data_features_add_build_id - note one entry of the BUILD_ID feature
 * @features: where to
 * @entry: the entry, or a HEADER_BUILD_ID record, which is the same
 * @size: its size
 *
 * Return: 0, or -1 if the entry makes no sense.
 */
int data_features_add_build_id(struct data_features *features, const void *entry, size_t size)
{
	struct recorded_build_id *build_id;
	struct build_id_entry head;
	uint16_t mode;

	if (size <= sizeof(head))
		return -1;
	memcpy(&head, entry, sizeof(head));
	/* Without the size bit the writer is older than other sizes are. */
	if (!(head.header.misc & MISC_BUILD_ID_SIZE))
		head.id_size = BUILD_ID_MAX;
	if (!head.id_size || head.id_size > BUILD_ID_MAX)
		return -1;
	features->build_ids = xreallocarray(features->build_ids, features->nr_build_ids + 1,
					    sizeof(*build_id));
	build_id = &features->build_ids[features->nr_build_ids++];
	mode = head.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	build_id->kernel = mode == PERF_RECORD_MISC_KERNEL;
	build_id->size = head.id_size;
	memcpy(build_id->id, head.id, head.id_size);
	build_id->path = xstrndup((const char *)entry + sizeof(head), size - sizeof(head));
	return 0;
}

static void take_build_ids(struct section *s, struct data_features *features)
{
	while (s->left) {
		struct perf_event_header header;
		const uint8_t *at;

		if (s->left < sizeof(header)) {
			s->bad = true;
			return;
		}
		memcpy(&header, s->at, sizeof(header));
		at = take(s, header.size);
		if (!at || data_features_add_build_id(features, at, header.size)) {
			s->bad = true;
			return;
		}
	}
}

/**
 * data_features_parse - read one feature section
 * @features: what was read goes here
 * @events: EVENT_DESC gives these their names
 * @feature: number of the feature; one that is not known is ignored
 * @bytes: the section
 * @size: its size
 *
 * Return: 0, or -1 if the section is damaged; what came before the damage is kept.
 */
int data_features_parse(struct data_features *features, struct event_table *events,
			unsigned int feature, const void *bytes, size_t size)
{
	struct section s = { .at = bytes, .left = size };

	switch (feature) {
	case FEATURE_BUILD_ID:
		take_build_ids(&s, features);
		break;
	case FEATURE_HOSTNAME:
		take_string_into(&s, &features->hostname);
		break;
	case FEATURE_OSRELEASE:
		take_string_into(&s, &features->osrelease);
		break;
	case FEATURE_VERSION:
		take_string_into(&s, &features->version);
		break;
	case FEATURE_ARCH:
		take_string_into(&s, &features->arch);
		break;
	case FEATURE_NRCPUS:
		features->cpus_configured = take_u32(&s);
		features->cpus_online = take_u32(&s);
		break;
	case FEATURE_CPUDESC:
		take_string_into(&s, &features->cpudesc);
		break;
	case FEATURE_TOTAL_MEM:
		features->total_mem = take_u64(&s);
		break;
	case FEATURE_CMDLINE:
		take_cmdline(&s, &features->cmdline);
		break;
	case FEATURE_EVENT_DESC:
		take_event_desc(&s, events);
		break;
	case FEATURE_SAMPLE_TIME:
		features->first_time = take_u64(&s);
		features->last_time = take_u64(&s);
		break;
	}
	return s.bad ? -1 : 0;
}

void data_features_free(struct data_features *features)
{
	size_t i;

	for (i = 0; i < features->nr_build_ids; i++)
		free(features->build_ids[i].path);
	free(features->build_ids);
	free(features->hostname);
	free(features->osrelease);
	free(features->version);
	free(features->arch);
	free(features->cpudesc);
	free(features->cmdline);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The feature sections of perf.data, which describe the recording.
 *
 * Nothing in a section is trusted: each read checks how many bytes are left.
 */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "features.h"

/* The architecture of this program. */
#ifdef __powerpc64__
#define NATIVE_ARCH ARCH_POWERPC
#else
#define NATIVE_ARCH ARCH_X86
#endif

/*
 * Copy a string with its length in front. Return: the copy, or NULL if the section is damaged.
 */
static char *take_string(struct cursor *c)
{
	uint32_t size = get_u32(c);
	const char *at = skip(c, size);

	return at ? xstrndup(at, size) : NULL;
}

static void take_string_into(struct cursor *c, char **string)
{
	free(*string);
	*string = take_string(c);
}

static void take_cmdline(struct cursor *c, char **cmdline)
{
	uint32_t i, nr = get_u32(c);
	char *joined = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&joined, &size);
	if (!out)
		die("out of memory");
	for (i = 0; i < nr && !c->bad; i++) {
		char *word;

		/*
		 * A word has at least the 4 bytes of its size, so a larger number of words is
		 * wrong.
		 */
		if (nr - i > c->left / sizeof(uint32_t)) {
			c->bad = true;
			break;
		}
		word = take_string(c);

		if (word)
			fprintf(out, "%s%s", i ? " " : "", word);
		free(word);
	}
	fclose(out);
	free(*cmdline);
	*cmdline = joined;
}

/* Set the names of events, which come in the order of the attr section. */
static void take_event_desc(struct cursor *c, struct event_table *events)
{
	uint32_t i, nr = get_u32(c), attr_size = get_u32(c);

	for (i = 0; i < nr && !c->bad; i++) {
		uint32_t nr_ids, name_size;
		const char *name;

		skip(c, attr_size);
		nr_ids = get_u32(c);
		name_size = get_u32(c);
		name = skip(c, name_size);
		skip(c, nr_ids * sizeof(uint64_t));
		if (name && i < events->nr)
			event_table_set_name(events, i, name, name_size);
	}
}

/* A group has a name, the index of its leader, and the number of its members. */
static void take_group_desc(struct cursor *c, struct event_table *events)
{
	uint32_t i, member, nr = get_u32(c);

	for (i = 0; i < nr && !c->bad; i++) {
		uint32_t leader, nr_members;

		skip(c, get_u32(c));
		leader = get_u32(c);
		nr_members = get_u32(c);
		for (member = 0; !c->bad && member < nr_members; member++) {
			if (leader >= events->nr || member >= events->nr - leader)
				break;
			events->events[leader + member].group = i + 1;
		}
	}
}

/* Copy a list of strings, each with a newline. */
static void take_list_into(struct cursor *c, char **list)
{
	uint32_t i, nr = get_u32(c);
	char *text = NULL, *item;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	for (i = 0; i < nr && !c->bad; i++) {
		item = take_string(c);
		if (item)
			fprintf(out, "%s\n", item);
		free(item);
	}
	fclose(out);
	free(*list);
	*list = text;
}

static void take_pmu_caps(struct cursor *c, struct data_features *features)
{
	uint32_t i, nr = get_u32(c);

	for (i = 0; i < nr && !c->bad; i++) {
		char *name = take_string(c), *value = take_string(c);

		if (value && !strcmp(name, CAP_BRANCHES))
			features->branch_registers = strtoul(value, NULL, 10);
		free(name);
		free(value);
	}
}

/*
 * Copy a path. The kernel is called "[kernel.kallsyms]", perhaps with a symbol appended: drop
 * the symbol.
 */
static char *take_path(const char *path, size_t size, bool kernel)
{
	static const char name[] = KERNEL_NAME;

	if (kernel && size >= strlen(name) && !strncmp(path, name, strlen(name)))
		return xstrdup(KERNEL_NAME);
	return xstrndup(path, size);
}

/**
 * data_features_find_build_id - find the build-id of a file
 * @features: features of the recording
 * @path: path of the file in mappings; KERNEL_NAME for the kernel
 *
 * Return: the build-id, or NULL.
 */
const struct recorded_build_id *data_features_find_build_id(const struct data_features *features,
							    const char *path)
{
	const struct recorded_build_id *build_id;
	struct hash_node *node = hash_table_first(&features->build_ids, hash_string(path));

	for (; node; node = hash_table_next(node)) {
		build_id = hash_entry(node, struct recorded_build_id, node);
		if (!strcmp(build_id->path, path))
			return build_id;
	}
	return NULL;
}

/* Return true if the machine name @name is x86, x86_64 or like i686. */
static bool is_x86(const char *name)
{
	return !strncmp(name, "x86", 3) ||
	       (name[0] == 'i' && name[1] && !strncmp(name + 2, "86", 2));
}

/**
 * data_features_arch - get the architecture of the recording
 * @features: features of the recording
 *
 * Return: the architecture; that of this program if the recording does not name one.
 */
enum arch data_features_arch(const struct data_features *features)
{
	if (!features->arch)
		return NATIVE_ARCH;
	if (is_x86(features->arch))
		return ARCH_X86;
	return strncmp(features->arch, "ppc", 3) ? ARCH_OTHER : ARCH_POWERPC;
}

static void free_build_id(struct hash_node *node)
{
	struct recorded_build_id *build_id = hash_entry(node, struct recorded_build_id, node);

	free(build_id->path);
	free(build_id);
}

/**
 * data_features_add_build_id - add an entry of the BUILD_ID feature
 * @features: receives the build-id
 * @entry: entry, or a HEADER_BUILD_ID record, which has the same layout
 * @size: size of @entry
 *
 * Return: 0, or -1 if the entry is damaged.
 */
int data_features_add_build_id(struct data_features *features, const void *entry, size_t size)
{
	struct recorded_build_id *build_id;
	struct build_id_entry head;
	uint16_t mode;

	if (size <= sizeof(head))
		return -1;
	memcpy(&head, entry, sizeof(head));
	/* A writer that does not set the size bit knows only one size of build-ids. */
	if (!(head.header.misc & MISC_BUILD_ID_SIZE))
		head.id_size = BUILD_ID_MAX;
	if (!head.id_size || head.id_size > BUILD_ID_MAX)
		return -1;
	mode = head.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	build_id = xmalloc(sizeof(*build_id));
	build_id->kernel = mode == PERF_RECORD_MISC_KERNEL;
	build_id->size = head.id_size;
	memcpy(build_id->id, head.id, head.id_size);
	build_id->path = take_path((const char *)entry + sizeof(head), size - sizeof(head),
				   build_id->kernel);
	if (data_features_find_build_id(features, build_id->path))
		free_build_id(&build_id->node);
	else
		hash_table_add(&features->build_ids, &build_id->node, hash_string(build_id->path));
	return 0;
}

static void take_build_ids(struct cursor *c, struct data_features *features)
{
	while (c->left) {
		struct perf_event_header header;
		const uint8_t *at;

		if (c->left < sizeof(header)) {
			c->bad = true;
			return;
		}
		memcpy(&header, c->at, sizeof(header));
		at = skip(c, header.size);
		if (!at || data_features_add_build_id(features, at, header.size)) {
			c->bad = true;
			return;
		}
	}
}

static void take_stored(struct data_features *features, const void *bytes, size_t size)
{
	free(features->stored.bytes);
	features->stored.bytes = xmalloc(size + 1);
	memcpy(features->stored.bytes, bytes, size);
	features->stored.size = size;
}

static int take_tracing_data(struct data_features *features, const void *bytes, size_t size)
{
	tracing_data_free(features->tracing);
	features->tracing = tracing_data_parse(bytes, size);
	return features->tracing && !tracing_data_is_damaged(features->tracing) ? 0 : -1;
}

/**
 * data_features_parse - parse one feature section
 * @features: receives the feature
 * @events: events that EVENT_DESC gives names
 * @feature: number of the feature; unknown ones are ignored
 * @bytes: section
 * @size: size of the section
 *
 * Return: 0, or -1 if the section is damaged; the part before the damage is kept.
 */
int data_features_parse(struct data_features *features, struct event_table *events,
			unsigned int feature, const void *bytes, size_t size)
{
	struct cursor c = { .at = bytes, .left = size };

	switch (feature) {
	case FEATURE_TRACING_DATA:
		return take_tracing_data(features, bytes, size);
	case FEATURE_BUILD_ID:
		take_build_ids(&c, features);
		break;
	case FEATURE_HOSTNAME:
		take_string_into(&c, &features->hostname);
		break;
	case FEATURE_OSRELEASE:
		take_string_into(&c, &features->osrelease);
		break;
	case FEATURE_VERSION:
		take_string_into(&c, &features->version);
		break;
	case FEATURE_ARCH:
		take_string_into(&c, &features->arch);
		break;
	case FEATURE_NRCPUS:
		features->cpus_configured = get_u32(&c);
		features->cpus_online = get_u32(&c);
		break;
	case FEATURE_CPUDESC:
		take_string_into(&c, &features->cpudesc);
		break;
	case FEATURE_TOTAL_MEM:
		features->total_mem = get_u64(&c);
		break;
	case FEATURE_CMDLINE:
		take_cmdline(&c, &features->cmdline);
		break;
	case FEATURE_EVENT_DESC:
		take_event_desc(&c, events);
		break;
	case FEATURE_CPU_TOPOLOGY:
		take_list_into(&c, &features->sockets);
		take_list_into(&c, &features->cores);
		break;
	case FEATURE_BRANCH_STACK:
		features->has_branches = true;
		break;
	case FEATURE_GROUP_DESC:
		take_group_desc(&c, events);
		break;
	case FEATURE_SAMPLE_TIME:
		features->first_time = get_u64(&c);
		features->last_time = get_u64(&c);
		break;
	case FEATURE_STORED_FILES:
		take_stored(features, bytes, size);
		break;
	case FEATURE_CPU_PMU_CAPS:
		take_pmu_caps(&c, features);
		break;
	}
	return c.bad ? -1 : 0;
}

void data_features_free(struct data_features *features)
{
	hash_table_free_all(&features->build_ids, free_build_id);
	tracing_data_free(features->tracing);
	free(features->stored.bytes);
	free(features->hostname);
	free(features->osrelease);
	free(features->version);
	free(features->arch);
	free(features->cpudesc);
	free(features->cmdline);
	free(features->sockets);
	free(features->cores);
}

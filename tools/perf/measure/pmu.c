// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs of this machine, and the bits of an attr that the terms of their events set.
 *
 * The kernel describes a PMU in sysfs: "type", a file per term in "format" ("config:0-7,32-35":
 * the lowest bits of the value go to bits 0 to 7 of config, the next ones to 32 to 35), and a
 * file per event in "events". A kernel without perf_events describes no PMU; the layout of the
 * event select registers is then that of the manuals: Intel SDM volume 3, "Performance
 * Monitoring", IA32_PERFEVTSELx; AMD APM volume 2, "Performance Monitoring Counters",
 * PerfEvtSeln.
 */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "pmu.h"

struct field_format {
	const char *name;
	const char *format;
};

static const struct field_format intel_formats[] = {
	{ "event", "config:0-7" }, { "umask", "config:8-15" }, { "edge", "config:18" },
	{ "pc", "config:19" }, { "any", "config:21" }, { "inv", "config:23" },
	{ "cmask", "config:24-31" }, { 0 },
};

static const struct field_format amd_formats[] = {
	{ "event", "config:0-7,32-35" }, { "umask", "config:8-15" }, { "edge", "config:18" },
	{ "inv", "config:23" }, { "cmask", "config:24-31" }, { 0 },
};

/*
 * The words of an attr that terms can set: every PMU has them as terms, and a format begins
 * with one.
 */
static const char *const words[] = { "config", "config1", "config2", "config3" };

static __u64 *attr_word(struct perf_event_attr *attr, int word)
{
	switch (word) {
	case 0:
		return &attr->config;
	case 1:
		return &attr->config1;
	case 2:
		return &attr->config2;
	default:
		/* config3 is the last word of struct perf_event_attr since Linux 6.3. */
		return word == 3 && sizeof(*attr) >= 136 ? (__u64 *)attr + 16 : NULL;
	}
}

static void add_field(struct pmu *pmu, const char *name, int word, uint64_t bits)
{
	pmu->fields = xreallocarray(pmu->fields, pmu->nr_fields + 1, sizeof(*pmu->fields));
	pmu->fields[pmu->nr_fields++] = (struct pmu_field){ xstrdup(name), word, bits };
}

/* Return bits @first to @last, or 0 if the range is invalid. */
static uint64_t bit_range(unsigned long first, unsigned long last)
{
	if (first > last || last > 63)
		return 0;
	return (~0ULL >> (63 - (last - first))) << first;
}

/* Parse "config:0-7,32-35" and add the term; an invalid format is left out. */
static void add_format(struct pmu *pmu, const char *name, const char *format)
{
	size_t length = strcspn(format, ":"), word;
	unsigned long first, last;
	uint64_t bits = 0;
	char *end;

	for (word = 0; word < ARRAY_SIZE(words); word++) {
		if (strlen(words[word]) == length && !strncmp(words[word], format, length))
			break;
	}
	if (word == ARRAY_SIZE(words) || !format[length])
		return;
	format += length;
	do {
		first = strtoul(format + 1, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		bits |= bit_range(first, last);
		format = end;
	} while (*format == ',');
	if (bits)
		add_field(pmu, name, word, bits);
}

/* Add the terms that every PMU has, the whole words of the attr from number @first on. */
static void add_words(struct pmu *pmu, size_t first)
{
	struct perf_event_attr attr;
	size_t i;

	for (i = first; i < ARRAY_SIZE(words); i++) {
		if (!pmu_field(pmu, words[i]) && attr_word(&attr, i))
			add_field(pmu, words[i], i, ~0ULL);
	}
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Return true for the PMU of one kind of CPU, cpu_core or cpu_atom. */
static bool is_kind(const char *pmu)
{
	return !strncmp(pmu, "cpu_", 4);
}

static void load_formats(struct pmu *pmu, const char *directory)
{
	char *formats = xasprintf("%s/format", directory);
	struct dirent **entries;
	char *path, *text;
	int i, nr;

	nr = scandir(formats, &entries, is_visible, alphasort);
	for (i = 0; i < nr; i++) {
		path = xasprintf("%s/%s", formats, entries[i]->d_name);
		text = read_text_file(path, NULL);
		if (text)
			add_format(pmu, entries[i]->d_name, text);
		free(text);
		free(path);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(formats);
}

/* Read a file in a directory. Return: the text, or NULL. */
static char *read_in(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	char *text = read_text_file(path, NULL);

	free(path);
	return text;
}

bool pmu_load(struct pmu *pmu, const char *devices, const char *name)
{
	char *directory = xasprintf("%s/%s", devices, name);
	char *path = xasprintf("%s/type", directory);
	char *text, *end;
	bool found = false;

	*pmu = (struct pmu){ .name = xstrdup(name) };
	/* Refuse names that lead out of the directory. */
	text = *name && *name != '.' && !strchr(name, '/') ? read_text_file(path, NULL) : NULL;
	if (text) {
		pmu->type = strtoul(text, &end, 10);
		found = end != text;
	}
	free(text);
	if (found) {
		load_formats(pmu, directory);
		add_words(pmu, 0);
		pmu->events = xasprintf("%s/events", directory);
	}
	if (found && is_kind(name))
		pmu->cpus = read_in(directory, "cpus");
	else if (found)
		pmu->cpumask = read_in(directory, "cpumask");
	free(path);
	free(directory);
	return found;
}

bool pmu_exists(const char *devices, const char *name)
{
	char *path = xasprintf("%s/%s/type", devices, name);
	bool found = *name && *name != '.' && !strchr(name, '/') && !access(path, F_OK);

	free(path);
	return found;
}

enum cpu_vendor cpu_vendor(const char *cpuinfo)
{
	static const char key[] = "vendor_id\t: ";
	const char *vendor = strstr(cpuinfo, key);

	if (!vendor)
		return CPU_OTHER;
	vendor += strlen(key);
	if (!strncmp(vendor, "AuthenticAMD\n", 13) || !strncmp(vendor, "HygonGenuine\n", 13))
		return CPU_AMD;
	return CPU_INTEL;
}

void pmu_make_cpu(struct pmu *pmu, enum cpu_vendor vendor)
{
	const struct field_format *f = NULL;

	*pmu = (struct pmu){ .name = xstrdup("cpu"), .type = PERF_TYPE_RAW };
	if (vendor == CPU_INTEL)
		f = intel_formats;
	else if (vendor == CPU_AMD)
		f = amd_formats;
	for (; f && f->name; f++)
		add_format(pmu, f->name, f->format);
	add_words(pmu, 0);
}

void pmu_make_named(struct pmu *pmu, const char *name, uint32_t type)
{
	*pmu = (struct pmu){ .name = xstrdup(name), .type = type };
	add_words(pmu, 1);
}

const struct pmu_field *pmu_field(const struct pmu *pmu, const char *name)
{
	size_t i;

	for (i = 0; i < pmu->nr_fields; i++) {
		if (!strcmp(pmu->fields[i].name, name))
			return &pmu->fields[i];
	}
	return NULL;
}

uint64_t pmu_field_max(const struct pmu_field *field)
{
	return bit_range(0, __builtin_popcountll(field->bits) - 1);
}

void pmu_field_set(const struct pmu_field *field, struct perf_event_attr *attr, uint64_t value)
{
	__u64 *word = attr_word(attr, field->word);
	int bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(field->bits >> bit & 1))
			continue;
		*word = (*word & ~(1ULL << bit)) | (value & 1) << bit;
		value >>= 1;
	}
}

char *pmu_event_terms(const struct pmu *pmu, const char *event)
{
	char *path, *terms;

	if (!pmu->events || !*event || *event == '.' || strchr(event, '/'))
		return NULL;
	path = xasprintf("%s/%s", pmu->events, event);
	terms = read_text_file(path, NULL);
	free(path);
	if (terms)
		terms[strcspn(terms, "\n")] = '\0';
	return terms;
}

double pmu_event_scale(const struct pmu *pmu, const char *event)
{
	char *name = xasprintf("%s.scale", event), *end;
	char *text = pmu_event_terms(pmu, name);
	double scale = text ? strtod(text, &end) : 1;

	if (text && (end == text || !isfinite(scale) || scale <= 0))
		scale = 1;
	free(text);
	free(name);
	return scale;
}

char *pmu_event_unit(const struct pmu *pmu, const char *event)
{
	char *name = xasprintf("%s.unit", event);
	char *text = pmu_event_terms(pmu, name);

	free(name);
	return text;
}

static bool describes(const char *devices, const char *pmu, const char *event)
{
	char *path = xasprintf("%s/%s/events/%s", devices, pmu, event);
	bool found = !access(path, R_OK);

	free(path);
	return found;
}

char *pmu_of_event(const char *devices, const char *event, bool *several)
{
	struct dirent **pmus;
	char *found = NULL;
	int i, nr;

	/* A file with a dot in its name has the unit or the scale of an event. */
	if (!*event || strpbrk(event, "./"))
		return NULL;
	nr = scandir(devices, &pmus, is_visible, alphasort);
	for (i = 0; i < nr; i++) {
		if (describes(devices, pmus[i]->d_name, event)) {
			if (!found)
				found = xstrdup(pmus[i]->d_name);
			else if (several && is_kind(found) && is_kind(pmus[i]->d_name))
				*several = true;
		}
		free(pmus[i]);
	}
	if (nr >= 0)
		free(pmus);
	return found;
}

bool pmu_is_of_cpus(const struct pmu *pmu)
{
	return pmu->type == PERF_TYPE_RAW || is_kind(pmu->name);
}

static int names_kind(const struct dirent *entry)
{
	return is_kind(entry->d_name);
}

char *pmu_each_kind(const char *devices, const char *terms, const char *separator)
{
	char *all = NULL, *longer;
	struct dirent **pmus;
	int i, nr;

	nr = scandir(devices, &pmus, names_kind, alphasort);
	for (i = 0; i < nr; i++) {
		longer = xasprintf("%s%s%s/%s/", all ? all : "", all ? separator : "",
				   pmus[i]->d_name, terms);
		free(all);
		all = longer;
		free(pmus[i]);
	}
	if (nr >= 0)
		free(pmus);
	return all;
}

unsigned int pmu_branch_registers(const char *devices)
{
	char *path = xasprintf("%s/cpu/caps/branches", devices);
	char *text = read_text_file(path, NULL);
	unsigned int nr = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	free(path);
	return nr;
}

static int is_event(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

void pmu_walk_events(const char *devices, pmu_event_fn fn, void *context)
{
	struct dirent **pmus, **events;
	int i, j, nr, nr_events;
	char *path;

	nr = scandir(devices, &pmus, is_visible, alphasort);
	for (i = 0; i < nr; i++) {
		path = xasprintf("%s/%s/events", devices, pmus[i]->d_name);
		nr_events = scandir(path, &events, is_event, alphasort);
		for (j = 0; j < nr_events; j++) {
			fn(context, pmus[i]->d_name, events[j]->d_name);
			free(events[j]);
		}
		if (nr_events >= 0)
			free(events);
		free(path);
		free(pmus[i]);
	}
	if (nr >= 0)
		free(pmus);
}

void pmu_free(struct pmu *pmu)
{
	size_t i;

	for (i = 0; i < pmu->nr_fields; i++)
		free(pmu->fields[i].name);
	free(pmu->fields);
	free(pmu->events);
	free(pmu->cpus);
	free(pmu->cpumask);
	free(pmu->name);
}

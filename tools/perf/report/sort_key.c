// SPDX-License-Identifier: GPL-2.0
/*
 * By what samples are put together: the columns of a report.
 */
#include <inttypes.h>
#include <string.h>

#include "symbol/symbol.h"
#include "chain_store.h"
#include "sort_key.h"

static uint64_t comm_value(const struct sample_point *point)
{
	return (uintptr_t)point->comm;
}

static char *comm_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->comm);
}

static uint64_t dso_value(const struct sample_point *point)
{
	return (uintptr_t)point->at.dso;
}

static char *dso_text(const struct sample_point *point, bool verbose)
{
	if (!point->at.dso)
		return xstrdup("[unknown]");
	return xstrdup(verbose ? point->at.dso->long_name : point->at.dso->name);
}

static uint64_t symbol_value(const struct sample_point *point)
{
	return location_key(&point->at);
}

static char *symbol_text(const struct sample_point *point, bool verbose)
{
	const struct location *at = &point->at;

	if (!at->symbol)
		return xasprintf("[%c] 0x%016" PRIx64, at->mode, at->addr);
	if (verbose)
		return xasprintf("0x%016" PRIx64 " [%c] %s", at->ip, at->mode,
				 symbol_name(at->symbol));
	return xasprintf("[%c] %s", at->mode, symbol_name(at->symbol));
}

static uint64_t pid_value(const struct sample_point *point)
{
	return point->pid;
}

static char *pid_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%7" PRId32 ":%s", (int32_t)point->pid, point->comm);
}

static uint64_t tid_value(const struct sample_point *point)
{
	return point->tid;
}

static char *tid_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%7" PRId32 ":%s", (int32_t)point->tid, point->comm);
}

static uint64_t cpu_value(const struct sample_point *point)
{
	return point->cpu;
}

static char *cpu_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xasprintf("%03" PRIu32, point->cpu);
}

static uint64_t trace_value(const struct sample_point *point)
{
	return (uintptr_t)point->trace;
}

static char *trace_text(const struct sample_point *point, bool verbose)
{
	(void)verbose;
	return xstrdup(point->trace ? point->trace : "[unknown]");
}

static const struct sort_key key_table[] = {
	{ "comm", NULL, "Command", 0, comm_value, comm_text },
	{ "dso", NULL, "Shared Object", PERF_SAMPLE_IP, dso_value, dso_text },
	{ "sym", "symbol", "Symbol", PERF_SAMPLE_IP, symbol_value, symbol_text },
	{ "pid", NULL, "    Pid:Command", PERF_SAMPLE_TID, pid_value, pid_text },
	{ "tid", NULL, "    Tid:Command", PERF_SAMPLE_TID, tid_value, tid_text },
	{ "cpu", NULL, "CPU", PERF_SAMPLE_CPU, cpu_value, cpu_text },
	{ "trace", NULL, "Trace output", PERF_SAMPLE_RAW, trace_value, trace_text },
};

static const struct sort_key *find_key(const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(key_table); i++) {
		const struct sort_key *key = &key_table[i];

		if (strlen(key->name) == size && !strncmp(key->name, name, size))
			return key;
		if (key->alias && strlen(key->alias) == size && !strncmp(key->alias, name, size))
			return key;
	}
	return NULL;
}

/**
 * sort_keys_parse - read what --sort says
 * @keys: where to
 * @list: names of keys, separated by commas
 * @err: why it failed
 *
 * Return: 0, or -1 with @err set.
 */
int sort_keys_parse(struct sort_keys *keys, const char *list, struct error *err)
{
	const struct sort_key *key;
	size_t size;

	keys->nr = 0;
	do {
		size = strcspn(list, ",");
		key = find_key(list, size);
		if (!key) {
			error_set(err,
				  "unknown sort key '%.*s'; use comm, dso, sym, pid, tid, cpu, trace",
				  (int)size, list);
			return -1;
		}
		if (!sort_keys_have(keys, key->name))
			keys->keys[keys->nr++] = key;
		list += size;
	} while (*list++);
	return 0;
}

struct sort_keys sort_keys_without(const struct sort_keys *keys, const char *name)
{
	struct sort_keys rest = { .nr = 0 };
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		if (strcmp(keys->keys[i]->name, name))
			rest.keys[rest.nr++] = keys->keys[i];
	}
	return rest;
}

bool sort_keys_have(const struct sort_keys *keys, const char *name)
{
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		if (!strcmp(keys->keys[i]->name, name))
			return true;
	}
	return false;
}

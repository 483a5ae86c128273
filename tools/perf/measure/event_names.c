// SPDX-License-Identifier: GPL-2.0
/* Software, hardware and cache events, found by name. */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "event_names.h"

static bool find_in_table(const char *name, struct perf_event_attr *attr)
{
	const struct event_name *n;

	for (n = event_names; n->name; n++) {
		if (!strcasecmp(name, n->name) || (n->alias && !strcasecmp(name, n->alias))) {
			attr->type = n->type;
			attr->config = n->config;
			return true;
		}
	}
	return false;
}

/* An alias for a part of a cache event's name, and the number of the part. */
struct cache_word {
	const char *word;
	int number;
};

static const struct cache_word cache_words[] = {
	{ "l1-d", PERF_COUNT_HW_CACHE_L1D }, { "l1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-data", PERF_COUNT_HW_CACHE_L1D }, { "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I }, { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "L2", PERF_COUNT_HW_CACHE_LL }, { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "i-tlb", PERF_COUNT_HW_CACHE_ITLB },
	{ "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB }, { "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU }, { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },
	{ 0 },
};

static const struct cache_word op_words[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ }, { "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE }, { "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ 0 },
};

/* The results, in the order of their numbers. */
static const char *const results[] = { "access", "misses", NULL };

static const struct cache_word result_words[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ 0 },
};

/* Remove a word from the start of @name; a dash or the end of the name must follow it. */
static bool take_word(const char **name, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(*name, word, length))
		return false;
	if ((*name)[length] == '-' && (*name)[length + 1])
		length++;
	else if ((*name)[length])
		return false;
	*name += length;
	return true;
}

/* Remove one of @names or @words from the start of @name. Return: its number or -1. */
static int take_part(const char **name, const char *const *names, const struct cache_word *words)
{
	int i;

	for (i = 0; names[i]; i++) {
		if (take_word(name, names[i]))
			return i;
	}
	for (; words->word; words++) {
		if (take_word(name, words->word))
			return words->number;
	}
	return -1;
}

/*
 * Find CACHE-OPERATION, CACHE-RESULT or CACHE-OPERATION-RESULT. The operation defaults to
 * loads, the result to accesses.
 */
static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	int cache = take_part(&name, event_caches, cache_words), op, result;

	if (cache < 0 || !*name)
		return false;
	op = take_part(&name, event_cache_operations, op_words);
	result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	if (*name)
		result = take_part(&name, results, result_words);
	if (*name || result < 0)
		return false;
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = cache | op << 8 | result << 16;
	return true;
}

bool event_find_named(const char *name, struct perf_event_attr *attr)
{
	return find_in_table(name, attr) || find_cache(name, attr);
}

/* Consider the nearer one of the two names of an event. */
static void consider_event(struct suggestions *near, const struct event_name *n)
{
	size_t rank = name_is_near(near->typed, n->name);
	size_t alias = n->alias ? name_is_near(near->typed, n->alias) : 0;

	suggestions_add(near, alias && (!rank || alias < rank) ? n->alias : n->name);
}

void event_consider_names(struct suggestions *near)
{
	char cache_name[EVENT_CACHE_NAME_SIZE];
	const struct event_name *n;
	__u64 config;
	size_t i;

	for (n = event_names; n->name; n++)
		consider_event(near, n);
	for (i = 0; event_cache_name(i, cache_name, &config); i++)
		suggestions_add(near, cache_name);
}

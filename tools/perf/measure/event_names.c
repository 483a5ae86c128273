// SPDX-License-Identifier: GPL-2.0
/*
 * The events that have names of their own: software, hardware and cache events.
 */
#include <stdlib.h>
#include <string.h>

#include "event_names.h"
#include "suggest.h"

const struct event_name event_names[] = {
	{ "cpu-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", "branches", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ 0 },
};

/* Parts of a cache event's name, by their numbers in config. */
static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const cache_ops[] = { "load", "store", "prefetch" };

#define CACHE_OPS ARRAY_SIZE(cache_ops)
#define CACHE_RESULTS 2		/* accesses and misses */

char *cache_event_name(size_t index, __u64 *config)
{
	size_t cache = index / (CACHE_OPS * CACHE_RESULTS);
	size_t op = index / CACHE_RESULTS % CACHE_OPS;
	size_t result = index % CACHE_RESULTS;

	if (cache >= ARRAY_SIZE(cache_names))
		return NULL;
	*config = cache | op << 8 | result << 16;
	if (result)
		return xasprintf("%s-%s-misses", cache_names[cache], cache_ops[op]);
	/* What is fetched is prefetched, stored and loaded in the plural. */
	return xasprintf("%s-%s%s", cache_names[cache], cache_ops[op],
			 op == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s");
}

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

/* A word that perf has for a part of a cache event's name, and the part's number. */
struct cache_word {
	const char *word;
	int number;
};

static const struct cache_word cache_words[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D }, { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I }, { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL }, { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB }, { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB }, { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU }, { "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU }, { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU }, { "node", PERF_COUNT_HW_CACHE_NODE },
	{ 0 },
};

static const struct cache_word op_words[] = {
	{ "load", PERF_COUNT_HW_CACHE_OP_READ }, { "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ }, { "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE }, { "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ 0 },
};

static const struct cache_word result_words[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ 0 },
};

/* Take a word, which a dash or the end of the name follows, off @name. Return: its number or -1. */
static int take_word(const char **name, const struct cache_word *words)
{
	for (; words->word; words++) {
		size_t length = strlen(words->word);

		if (strncasecmp(*name, words->word, length))
			continue;
		if (!(*name)[length]) {
			*name += length;
			return words->number;
		}
		if ((*name)[length] == '-' && (*name)[length + 1]) {
			*name += length + 1;
			return words->number;
		}
	}
	return -1;
}

/* CACHE-OPERATION, CACHE-RESULT or CACHE-OPERATION-RESULT: by default loads, and all of them. */
static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	int cache = take_word(&name, cache_words), op, result;

	if (cache < 0 || !*name)
		return false;
	op = take_word(&name, op_words);
	result = *name ? take_word(&name, result_words) : PERF_COUNT_HW_CACHE_RESULT_ACCESS;
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

/* The names nearest to what was typed, the nearest first. */
struct near_names {
	const char *typed;
	char *names[3];
	size_t ranks[3];
};

static void consider(struct near_names *near, const char *name)
{
	const size_t last = ARRAY_SIZE(near->names) - 1;
	size_t rank = name_is_near(near->typed, name), i, j;

	if (!rank)
		return;
	for (i = 0; i <= last && near->ranks[i] && near->ranks[i] <= rank; i++)
		;
	if (i > last)
		return;
	free(near->names[last]);
	for (j = last; j > i; j--) {
		near->names[j] = near->names[j - 1];
		near->ranks[j] = near->ranks[j - 1];
	}
	near->names[i] = xstrdup(name);
	near->ranks[i] = rank;
}

/* Of an event's two names the nearer one. */
static void consider_event(struct near_names *near, const struct event_name *n)
{
	size_t rank = name_is_near(near->typed, n->name);
	size_t alias = n->alias ? name_is_near(near->typed, n->alias) : 0;

	consider(near, alias && (!rank || alias < rank) ? n->alias : n->name);
}

static void append(struct error *err, const char *before, const char *text, const char *behind)
{
	size_t length = strlen(err->text);

	snprintf(err->text + length, sizeof(err->text) - length, "%s%s%s", before, text, behind);
}

void event_suggest_names(struct error *err, const char *typed)
{
	struct near_names near = { .typed = typed };
	const struct event_name *n;
	__u64 config;
	char *name;
	size_t i;

	for (n = event_names; n->name; n++)
		consider_event(&near, n);
	for (i = 0; (name = cache_event_name(i, &config)); i++) {
		consider(&near, name);
		free(name);
	}
	for (i = 0; i < ARRAY_SIZE(near.names) && near.ranks[i]; i++)
		append(err, i ? ", '" : "; did you mean '", near.names[i], "'");
	append(err, near.ranks[0] ? "?" : ";", " 'perf list' shows the events", "");
	for (i = 0; i < ARRAY_SIZE(near.names); i++)
		free(near.names[i]);
}

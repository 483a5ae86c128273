// SPDX-License-Identifier: GPL-2.0
/*
 * Events by name: those that have names in 'perf list', and raw ones.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* An event, and whether it happens in the kernel alone. */
static const struct {
	const char	*name;
	const char	*alias;
	__u32		type;
	__u32		config;
	bool		in_kernel;
} events[] = {
	{ "cpu-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	{ "instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false },
	{ "branch-instructions", "branches", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false },
	{ "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false },
	{ "stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false },
	{ "ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, false },
	{ "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false },
	{ "task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false },
	{ "page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false },
	{ "context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true },
	{ "cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true },
	{ "alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, false },
	{ "emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, false },
	{ "dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, false },
};

/* CACHE-OPERATION or CACHE-OPERATION-misses, by their numbers in a config. */
static const char *const caches[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const operations[] = { "load", "store", "prefetch" };

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static bool find_named(const char *name, struct perf_event_attr *attr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(name, events[i].name) &&
		    (!events[i].alias || strcmp(name, events[i].alias)))
			continue;
		attr->type = events[i].type;
		attr->config = events[i].config;
		attr->exclude_kernel = !events[i].in_kernel;
		return true;
	}
	return false;
}

/* Is @end how the name of operation @op, whose first word it follows, ends? */
static bool operation_ends(const char *end, unsigned int op, unsigned int *result)
{
	*result = PERF_COUNT_HW_CACHE_RESULT_MISS;
	if (!strcmp(end, "-misses"))
		return true;
	*result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	return !strcmp(end, op == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s");
}

static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	unsigned int cache, op, result;
	const char *end;
	size_t length;

	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		length = strlen(caches[cache]);
		if (strncmp(name, caches[cache], length) || name[length] != '-')
			continue;
		for (op = 0; op < ARRAY_SIZE(operations); op++) {
			end = name + length + 1;
			if (strncmp(end, operations[op], strlen(operations[op])) ||
			    !operation_ends(end + strlen(operations[op]), op, &result))
				continue;
			attr->type = PERF_TYPE_HW_CACHE;
			attr->config = cache | op << 8 | result << 16;
			return true;
		}
	}
	return false;
}

/* rNNN, hexadecimal. */
static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]) || strlen(name) > 17)
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, &end, 16);
	return !*end;
}

static int parse_modifiers(const char *name, const char *modifiers, struct perf_event_attr *attr)
{
	const char *m;

	attr->exclude_user = 1;
	attr->exclude_kernel = 1;
	for (m = modifiers; *m; m++) {
		if (*m == 'u')
			attr->exclude_user = 0;
		else if (*m == 'k')
			attr->exclude_kernel = 0;
		else
			break;
	}
	if (*m || m == modifiers)
		return fail(EINVAL, "event '%s': its modifiers are '%s': they can be u, k or uk",
			    name, modifiers);
	return 0;
}

int event_parse(const char *name, struct perf_event_attr *attr)
{
	const char *colon = strchr(name, ':');
	char base[PC_NAME_SIZE];
	size_t length = colon ? (size_t)(colon - name) : strlen(name);

	memcpy(base, name, length);
	base[length] = 0;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	if (!find_named(base, attr) && !find_cache(base, attr) && !find_raw(base, attr))
		return explain(EINVAL, name, "no such name", "see 'perf list', or open it by attr");
	return colon ? parse_modifiers(name, colon + 1, attr) : 0;
}

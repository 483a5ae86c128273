// SPDX-License-Identifier: GPL-2.0
/* The names of hardware, software and cache events. */
#include <stdio.h>

#include "names.h"

#define HARDWARE(event) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event
#define SOFTWARE(event) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event

const struct event_name event_names[] = {
	{ "cpu-cycles", "cycles", HARDWARE(CPU_CYCLES), .by_alias = true },
	{ "instructions", NULL, HARDWARE(INSTRUCTIONS) },
	{ "cache-references", NULL, HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses", NULL, HARDWARE(CACHE_MISSES) },
	{ "branch-instructions", "branches", HARDWARE(BRANCH_INSTRUCTIONS), .by_alias = true },
	{ "branch-misses", NULL, HARDWARE(BRANCH_MISSES) },
	{ "bus-cycles", NULL, HARDWARE(BUS_CYCLES) },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES) },
	{ "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS) },
	{ "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), .in_kernel = true },
	{ "cpu-clock", NULL, SOFTWARE(CPU_CLOCK) },
	{ "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), .in_kernel = true },
	{ "dummy", NULL, SOFTWARE(DUMMY) },
	{ "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS) },
	{ "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN) },
	{ "off-cpu", NULL, .type = PERF_TYPE_SOFTWARE, .config = EVENT_SW_OFF_CPU },
	{ "page-faults", "faults", SOFTWARE(PAGE_FAULTS) },
	{ "task-clock", NULL, SOFTWARE(TASK_CLOCK) },
	{ NULL },
};

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

const char *const event_caches[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node", NULL
};

const char *const event_cache_operations[] = { "load", "store", "prefetch", NULL };

bool event_cache_name(size_t index, char name[EVENT_CACHE_NAME_SIZE], __u64 *config)
{
	const size_t operations = ARRAY_SIZE(event_cache_operations) - 1, results = 2;
	size_t cache = index / (operations * results);
	size_t op = index / results % operations;
	const char *end = "s";

	if (cache >= ARRAY_SIZE(event_caches) - 1)
		return false;
	*config = cache | op << 8 | (index % results) << 16;
	if (index % results == PERF_COUNT_HW_CACHE_RESULT_MISS)
		end = "-misses";
	else if (op == PERF_COUNT_HW_CACHE_OP_PREFETCH)
		end = "es";
	snprintf(name, EVENT_CACHE_NAME_SIZE, "%s-%s%s", event_caches[cache],
		 event_cache_operations[op], end);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/* Filters of branch records (-j). */
#include <string.h>

#include "branch_filter.h"

/* The bit came with Linux 6.8, and <linux/perf_event.h> may lack it. */
#define BRANCH_COUNTERS (1ULL << 19)

#define FILTER(filter, bit) { filter, PERF_SAMPLE_BRANCH_##bit }

static const struct {
	const char *name;
	__u64 bit;
} filters[] = {
	FILTER("any", ANY),
	FILTER("any_call", ANY_CALL),
	FILTER("any_ret", ANY_RETURN),
	FILTER("ind_call", IND_CALL),
	FILTER("ind_jmp", IND_JUMP),
	FILTER("call", CALL),
	FILTER("cond", COND),
	FILTER("in_tx", IN_TX),
	FILTER("no_tx", NO_TX),
	FILTER("abort_tx", ABORT_TX),
	FILTER("u", USER),
	FILTER("k", KERNEL),
	FILTER("hv", HV),
	FILTER("stack", CALL_STACK),
	FILTER("save_type", TYPE_SAVE),
	FILTER("hw_index", HW_INDEX),
	FILTER("no_flags", NO_FLAGS),
	FILTER("no_cycles", NO_CYCLES),
	FILTER("priv", PRIV_SAVE),
	{ "counter", BRANCH_COUNTERS },
};

/* Bits that select no branches: modes, and details of each branch. */
#define NO_KIND (PERF_SAMPLE_BRANCH_PLM_ALL | PERF_SAMPLE_BRANCH_TYPE_SAVE | \
		 PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_NO_FLAGS | \
		 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_PRIV_SAVE | BRANCH_COUNTERS)

static __u64 find_filter(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		if (strlen(filters[i].name) == length && !strncmp(filters[i].name, name, length))
			return filters[i].bit;
	}
	return 0;
}

static void refuse_filter(const char *name, size_t length, struct error *err)
{
	size_t i;

	error_set(err, "unknown branch filter '%.*s'; use", (int)length, name);
	for (i = 0; i < ARRAY_SIZE(filters); i++)
		error_add(err, "%s %s", i ? "," : "", filters[i].name);
}

int branch_filter_parse(__u64 *type, const char *list, struct error *err)
{
	size_t length;
	__u64 bit;

	do {
		length = strcspn(list, ",");
		bit = find_filter(list, length);
		if (!bit) {
			refuse_filter(list, length, err);
			return -1;
		}
		*type |= bit;
		list += length;
	} while (*list++);
	return 0;
}

__u64 branch_filter_complete(__u64 type)
{
	return type & ~NO_KIND ? type : type | PERF_SAMPLE_BRANCH_ANY;
}

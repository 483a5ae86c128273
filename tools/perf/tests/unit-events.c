// SPDX-License-Identifier: GPL-2.0
/*
 * Names, modifiers and groups, and what they mean in numbers.
 */
#include <stdlib.h>

#include "events.h"
#include "unit.h"

enum {
	NO_USER = 1, NO_KERNEL = 2, NO_HV = 4, NO_IDLE = 8, NO_HOST = 16, NO_GUEST = 32,
	PINNED = 64, EXCLUSIVE = 128,
};

struct one {
	const char *spec;
	unsigned int type;
	unsigned long long config;
	unsigned int bits;
	unsigned int precise;
};

/* Numbers from <linux/perf_event.h>: enum perf_type_id, perf_hw_id, perf_sw_ids. */
static const struct one ones[] = {
	{ "cycles", 0, 0, 0, 0 },
	{ "cpu-cycles", 0, 0, 0, 0 },
	{ "instructions:u", 0, 1, NO_KERNEL | NO_HV, 0 },
	{ "branches:k", 0, 4, NO_USER | NO_HV, 0 },
	{ "branch-instructions:uk", 0, 4, NO_HV, 0 },
	{ "ref-cycles:h", 0, 9, NO_USER | NO_KERNEL, 0 },
	{ "cpu-clock", 1, 0, 0, 0 },
	{ "task-clock", 1, 1, 0, 0 },
	{ "page-faults", 1, 2, 0, 0 },
	{ "faults:ukh", 1, 2, 0, 0 },
	{ "cs", 1, 3, 0, 0 },
	{ "context-switches", 1, 3, 0, 0 },
	{ "migrations", 1, 4, 0, 0 },
	{ "minor-faults", 1, 5, 0, 0 },
	{ "major-faults", 1, 6, 0, 0 },
	{ "alignment-faults", 1, 7, 0, 0 },
	{ "emulation-faults", 1, 8, 0, 0 },
	{ "dummy", 1, 9, 0, 0 },
	{ "DUMMY", 1, 9, 0, 0 },
	{ "L1-dcache-loads", 3, 0, 0, 0 },
	{ "L1-dcache-load-misses", 3, 0x10000, 0, 0 },
	{ "LLC-stores", 3, 0x00102, 0, 0 },
	{ "dTLB-prefetches", 3, 0x00203, 0, 0 },
	{ "node-prefetch-misses", 3, 0x10206, 0, 0 },
	{ "r1a8", 4, 0x1a8, 0, 0 },
	{ "r1A8:u", 4, 0x1a8, NO_KERNEL | NO_HV, 0 },
	{ "rffffffffffffffff", 4, ~0ULL, 0, 0 },
	{ "cycles:p", 0, 0, 0, 1 },
	{ "cycles:upp", 0, 0, NO_KERNEL | NO_HV, 2 },
	{ "cycles:ppp", 0, 0, 0, 3 },
	{ "cycles:I", 0, 0, NO_IDLE, 0 },
	{ "cycles:G", 0, 0, NO_HOST, 0 },
	{ "cycles:H", 0, 0, NO_GUEST, 0 },
	{ "cycles:D", 0, 0, PINNED, 0 },
	{ "cycles:e", 0, 0, EXCLUSIVE, 0 },
};

static const char *const bad[] = {
	"", ",", "cs,", ",cs", "cs,,cs", "bogus", "cs:", "cs:x", "cs:u:k", "cycles:pppp", "r",
	"r12345678123456789", "rxyz", "{", "}", "{}", "{cs", "cs}", "{cs}cs", "{cs}:", "{cs}:x",
	"{cs,}", "{{cs}}", "no-such:tracepoint", "../..:id", "L1-dcache-misses",
};

static unsigned int bits_of(const struct perf_event_attr *attr)
{
	return attr->exclude_user * NO_USER | attr->exclude_kernel * NO_KERNEL |
	       attr->exclude_hv * NO_HV | attr->exclude_idle * NO_IDLE |
	       attr->exclude_host * NO_HOST | attr->exclude_guest * NO_GUEST |
	       attr->pinned * PINNED | attr->exclusive * EXCLUSIVE;
}

static void check_one(const struct one *one)
{
	struct event_list list = { 0 };
	const struct event *event;
	struct error err;

	if (check(!event_list_parse(&list, one->spec, &err) && list.nr == 1, "%s", one->spec)) {
		event = &list.events[0];
		check(event->attr.type == one->type && event->attr.config == one->config,
		      "%s: type %u, config %#llx", one->spec, one->type, one->config);
		check(bits_of(&event->attr) == one->bits && event->attr.precise_ip == one->precise,
		      "%s: modifiers", one->spec);
		check_string(event->name, one->spec, "its name is as it was written");
	}
	event_list_free(&list);
}

static void check_groups(void)
{
	struct event_list list = { 0 };
	struct error err;

	check(!event_list_parse(&list, "cs,{faults,cpu-clock:k}:u,dummy,{cs,cs}", &err) &&
	      list.nr == 6, "six events, four of them in groups");
	check_number(list.events[0].leader, 0, "an event alone is its own leader");
	check_number(list.events[1].leader, 1, "the first of a group leads it");
	check_number(list.events[2].leader, 1, "the second follows");
	check_number(list.events[3].leader, 3, "the group has ended");
	check_number(list.events[5].leader, 4, "another group, another leader");
	check_string(list.events[1].name, "faults:u", "modifiers of a group are in the name");
	check_string(list.events[2].name, "cpu-clock:ku", "behind those of the event");
	check(bits_of(&list.events[1].attr) == (NO_KERNEL | NO_HV), "and they are applied");
	check(!list.events[3].attr.exclude_kernel, "to the group alone");
	check(!event_list_parse(&list, "dummy", &err) && list.nr == 7 && list.events[6].leader == 6,
	      "a second list is added to the first");
	event_list_free(&list);
}

int main(void)
{
	struct event_list list = { 0 };
	struct error err;
	__u64 config;
	size_t i;
	char *name;

	for (i = 0; i < ARRAY_SIZE(ones); i++)
		check_one(&ones[i]);
	check_groups();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		check(event_list_parse(&list, bad[i], &err) == -1 && err.text[0],
		      "'%s' is refused", bad[i]);
		event_list_free(&list);
	}

	event_list_parse(&list, "page-fualts", &err);
	check_string(err.text,
		     "unknown event 'page-fualts'; did you mean 'page-faults'? 'perf list' shows the events",
		     "the message names the event and the nearest");
	event_list_free(&list);

	event_list_parse(&list, "cs", &err);
	event_exclude_kernel(&list.events[0]);
	check_string(list.events[0].name, "cs:u", "restricted to user mode: the name says so");
	check(bits_of(&list.events[0].attr) == (NO_KERNEL | NO_HV), "and the kernel is excluded");
	event_list_free(&list);

	/* Seven caches, three operations, accesses and misses. */
	for (i = 0; (name = cache_event_name(i, &config)); i++)
		free(name);
	check_number(i, 42, "the number of cache events");
	return unit_finish();
}

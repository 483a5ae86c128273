// SPDX-License-Identifier: GPL-2.0
/*
 * Names, modifiers and groups of events, and the numbers that they select.
 */
#include <stdlib.h>

#include "measure/event_names.h"
#include "measure/events.h"
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
	{ "L1-icache-load-misses", 3, 0x10001, 0, 0 },
	{ "LLC-loads", 3, 0x00002, 0, 0 },
	{ "LLC-load-misses:u", 3, 0x10002, NO_KERNEL | NO_HV, 0 },
	{ "dTLB-store-misses", 3, 0x10103, 0, 0 },
	{ "iTLB-loads", 3, 0x00004, 0, 0 },
	{ "iTLB-load-misses", 3, 0x10004, 0, 0 },
	{ "branch-loads", 3, 0x00005, 0, 0 },
	{ "branch-load-misses", 3, 0x10005, 0, 0 },
	{ "L1-dcache-misses", 3, 0x10000, 0, 0 },
	{ "l1d-read-refs", 3, 0x00000, 0, 0 },
	{ "l1-i-prefetch-miss", 3, 0x10201, 0, 0 },
	{ "Data-TLB-write-access", 3, 0x00103, 0, 0 },
	{ "branch-misses", 0, 5, 0, 0 },
	{ "cache-references", 0, 2, 0, 0 },
	{ "cache-misses", 0, 3, 0, 0 },
	{ "bus-cycles", 0, 6, 0, 0 },
	{ "stalled-cycles-frontend", 0, 7, 0, 0 },
	{ "idle-cycles-backend", 0, 8, 0, 0 },
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
	{ "cpu/event=0xc0/", 4, 0xc0, 0, 0 },
	{ "cpu/event=0xc0,umask=0x01/", 4, 0x1c0, 0, 0 },
	{ "cpu/event=192,inv,cmask=0xff,edge/", 4, 0xff8400c0, 0, 0 },
	{ "cpu/umask=0xff,event=0x3c/u", 4, 0xff3c, NO_KERNEL | NO_HV, 0 },
	{ "cpu/event=0x3c/:kp", 4, 0x3c, NO_USER | NO_HV, 1 },
	{ "cpu/config=0x1a8/", 4, 0x1a8, 0, 0 },
	{ "cpu/config=0xff00,umask=2/", 4, 0x200, 0, 0 },
	{ "cpu/event=1,period=1000,umask=1/", 4, 0x101, 0, 0 },
	{ "cpu-clock//", 1, 0, 0, 0 },
	{ "cs/period=0x10,call-graph=fp/", 1, 3, 0, 0 },
	{ "cs/max-stack=5/u", 1, 3, NO_KERNEL | NO_HV, 0 },
	{ "r1a8/period=7/:kp", 4, 0x1a8, NO_USER | NO_HV, 1 },
	{ "LLC-loads/freq=99/", 3, 2, 0, 0 },
	{ "software/config=3,freq=7/u", 1, 3, NO_KERNEL | NO_HV, 0 },
	{ "cycles:P", 0, 0, 0, 3 },
	{ "cycles:ubX", 0, 0, NO_KERNEL | NO_HV, 0 },
	{ "cycles:S", 0, 0, 0, 0 },
};

/* Invalid syntax. */
static const char *const bad[] = {
	"", ",", "cs,", ",cs", "cs,,cs", "cs:", "cs:x", "cycles:pppp", "r12345678123456789",
	"{", "}", "{}", "{cs", "cs}", "{cs}cs", "{cs}:", "{cs}:x", "{cs,}", "{{cs}}",
	"{cs,cycles:D}", "{cs,cycles:ue}", "cpu/", "cpu/event=1", "cpu//", "cpu/,/",
	"cpu/event=1,/", "cpu/,event=1/", "cpu/event=1/x", "cpu/event=1/:", "cpu/event=1/,",
	"cpu/event/cs", "cpu/event=/", "cpu/event=-1/", "cpu/event=1x/", "cpu/umask=0x100/",
	"cpu/inv=2/", "cpu/cmask=256/", "cpu/event=0x10000000000000000/", "cpu/evnt=1/",
	"cpu/name=/", "cpu/bogus/", "{cpu/event=1}", "cs:W", "{cs,cs:W}", "cs:R", "cs/",
	"cs/config=1/", "cs/period/x", "cs/period=/", "cs/period=0/", "cs/period=1k/",
	"cs/period=-1/", "cs/period=0x8000000000000000/", "cs/freq=0/", "cs/freq=0x100000000/",
	"cs/call-graph/", "cs/call-graph=/", "cs/call-graph=fp,/", "cs/call-graph=frame/",
	"cs/stack-size=7/", "cs/stack-size=65529/", "cs/max-stack=0/", "cs/max-stack=128/",
	"cs/inherit=2/", "cs/time=2/", "cs/overwrite/", "cs/percore/", "cs/cpu=0/",
	"cs/aux-output/", "cs/aux-sample-size=8/", "cs/aux-action=pause/", "cs/nr=3/",
	"cs/driver-config=1/", "cs/metric-id=x/", "cs/bogus/",
};

/* Valid syntax of events that do not exist. */
static const char *const unknown[] = {
	"bogus", "cs:u:k", "r", "rxyz", "no-such:tracepoint", "L1-dcache", "L1-dcache-",
	"L1-dcache-loads-", "L1-dcache-loads-loads", "LLC-misses-loads", "no-such-pmu/event=1/",
	"/event=1/", "./event=1/", "nodeloads",
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
		check_string(event->name, one->spec, "the event's name is the text given");
	}
	event_list_free(&list);
}

static void check_groups(void)
{
	struct event_list list = { 0 };
	struct error err;

	check(!event_list_parse(&list, "cs,{faults,cpu-clock:k}:u,dummy,{cs,cs}", &err) &&
	      list.nr == 6, "six events are parsed, four of them in groups");
	check_number(list.events[0].leader, 0, "an event alone is its own leader");
	check_number(list.events[1].leader, 1, "the first event of a group leads it");
	check_number(list.events[2].leader, 1, "the second event follows its leader");
	check_number(list.events[3].leader, 3, "the event after a group is its own leader");
	check_number(list.events[5].leader, 4, "another group has another leader");
	check_string(list.events[1].name, "faults:u",
		     "a group's modifiers are in the names of its events");
	check_string(list.events[2].name, "cpu-clock:ku",
		     "a group's modifiers follow those of the event");
	check(bits_of(&list.events[1].attr) == (NO_KERNEL | NO_HV),
	      "a group's modifiers apply to its events");
	check(!list.events[3].attr.exclude_kernel,
	      "a group's modifiers do not apply to the next event");
	check(!event_list_parse(&list, "dummy", &err) && list.nr == 7 && list.events[6].leader == 6,
	      "a second list is added to the first");
	event_list_free(&list);

	check(!event_list_parse(&list, "{cs:u,r1:k,cpu/event=1/pp}:upp", &err) && list.nr == 3,
	      "members and their group have modifiers");
	check_string(list.events[0].name, "cs:upp", "a modifier of event and group is in the name once");
	check_string(list.events[1].name, "r1:kupp", "the modes of event and group are in the name");
	check(!(bits_of(&list.events[1].attr) & (NO_USER | NO_KERNEL)) &&
	      list.events[1].attr.exclude_hv, "the modes of event and group are counted");
	check_string(list.events[2].name, "cpu/event=1/ppupp", "each p is in the name");
	event_list_free(&list);

	check(!event_list_parse(&list, "{cycles,cpu/event=0xc0,umask=1/u,r1}:D,cs", &err) &&
	      list.nr == 4 && list.events[2].leader == 0 && list.events[3].leader == 3,
	      "commas between slashes separate terms");
	check(bits_of(&list.events[0].attr) == PINNED && !list.events[2].attr.pinned &&
	      bits_of(&list.events[1].attr) == (NO_KERNEL | NO_HV),
	      "only a group's leader is pinned");
	check_string(list.events[1].name, "cpu/event=0xc0,umask=1/uD",
		     "modifiers of terms and of the group are in the name");
	event_list_free(&list);
}

static void check_names(void)
{
	struct event_list list = { 0 };
	struct error err;

	check(!event_list_parse(&list,
				"cpu/event=0xc0,name=mine/,cpu/name=a,event=1,name=b:c/uk,{cpu/event=1,name=x/}:u,cpu/event=1,name=\033\377/",
				&err) && list.nr == 4, "events with names are parsed");
	check_string(list.events[3].name, "\\x1b\\xff", "control characters in a name are escaped");
	check_string(list.events[0].name, "mine", "name= sets the name");
	check_string(list.events[1].name, "b:c:uk", "the last name= counts, modifiers follow it");
	check_string(list.events[2].name, "x:u", "a group's modifiers follow name=");
	event_exclude_kernel(&list.events[0]);
	event_exclude_kernel(&list.events[1]);
	check_string(list.events[0].name, "mine:u", "restriction to user mode adds the modifier u");
	check_string(list.events[1].name, "b:c:uku", "the modifier u follows the given modifiers");
	event_list_free(&list);
}

#define SAMPLING_TERMS "cs/period=5,freq=9,call-graph=dwarf,stack-size=4095,max-stack=010,inherit=0,no-overwrite/,faults/freq=9,period=0x1F,no-inherit=0,time=0/"

static void check_sampling(void)
{
	struct event_list list = { 0 };
	const struct sampling_terms *first, *second;
	struct error err;

	if (!check(!event_list_parse(&list, SAMPLING_TERMS, &err) && list.nr == 2,
		   "terms about sampling are parsed"))
		return;
	first = &list.events[0].sampling;
	second = &list.events[1].sampling;
	check(first->freq == 9 && !first->period && second->period == 31 && !second->freq,
	      "the last of period= and freq= counts");
	check(first->chains == CHAINS_FRAME_INFORMATION && first->user_stack == 4096,
	      "the stack has whole words");
	check_number(first->max_stack, 10, "a number with a leading zero is decimal");
	check(first->inherit == INHERIT_NO && second->inherit == INHERIT_YES,
	      "inherit=0 and no-inherit=0 are opposites");
	check(first->keep && !second->keep, "no-overwrite is parsed");
	event_list_free(&list);
}

static void check_group_reads(void)
{
	struct event_list list = { 0 };
	struct error err;

	check(!event_list_parse(&list, "{cs,faults}:ukS,{cs:S,faults},{cs,faults}:W", &err) &&
	      list.nr == 6, "groups with S and W are parsed");
	check(list.events[0].reads_group && list.events[1].reads_group &&
	      list.events[2].reads_group && !list.events[3].reads_group,
	      "S applies to the group, or to one event");
	check(!list.events[3].weak && list.events[4].weak && list.events[5].weak,
	      "W applies to the group");
	check_string(list.events[0].name, "cs:uk", "a group's S is not in the names of its events");
	check_string(list.events[2].name, "cs:S", "an event's S is in its name");
	event_list_free(&list);
}

static bool count_kernel(const char *events)
{
	struct event_list list = { 0 };
	struct error err;
	bool kernel;

	event_list_parse(&list, events, &err);
	kernel = events_count_kernel(&list);
	event_list_free(&list);
	return kernel;
}

static void check_kernel(void)
{
	check(count_kernel("cs") && count_kernel("dummy,cs:u,faults"),
	      "an event counts the kernel by default");
	check(!count_kernel("cs:u,faults:u"), "an event with u counts only user mode");
	check(!count_kernel("dummy,cs:u"), "an event for records only counts nothing");
}

static void check_message(const char *spec, const char *expected)
{
	struct event_list list = { 0 };
	struct error err;

	event_list_parse(&list, spec, &err);
	check_string(err.text, expected, spec);
	event_list_free(&list);
}

static void check_messages(void)
{
	check_message("page-fualts",
		      "unknown event 'page-fualts'; did you mean 'page-faults'? 'perf list' shows the events");
	check_message("LLC-laods",
		      "unknown event 'LLC-laods'; did you mean 'LLC-loads'? 'perf list' shows the events");
	check_message("r12345678123456789",
		      "event 'r12345678123456789': a raw event is a number of 64 bits, 16 digits at most");
	check_message("cpu/umask=0x100/",
		      "event 'cpu/umask=0x100/': 0x100 is too large for 'umask', which takes 0 to 0xff");
	check_message("cpu/event=0xfg/",
		      "event 'cpu/event=0xfg/': '0xfg' of 'event' is not a number such as 192 or 0xc0");
	check_message("cpu/event=1,,/",
		      "event 'cpu/event=1,,/': a term is missing beside a comma");
	check_message("cpu//", "event 'cpu//': a term is missing; write event=NUMBER");
	check_message("cpu/event=1",
		      "event 'cpu/event=1': the slash after its terms is missing");
	check_message("bogus/event=1/",
		      "there is no PMU 'bogus'; see /sys/bus/event_source/devices for the PMUs of this machine");
	check_message("{cs,cycles:D}",
		      "event 'cycles:D': D and e are for the first event of a group");
	check_message("{cs,cs:zu}",
		      "event 'cs:zu': 'zu' are not modifiers; use u, k, h, G, H, I, D, e, P or up to three p, S, and W for a group");
	check_message("cs/period=0/",
		      "event 'cs/period=0/': '0' of 'period' is not a number from 1 to 9223372036854775807");
	check_message("cs/call-graph=frame/",
		      "event 'cs/call-graph=frame/': call-graph= is one of no, fp, lbr and dwarf");
	check_message("cs/overwrite/",
		      "event 'cs/overwrite/': overwrite: use --overwrite, and no-overwrite for the events to keep");
	check_message("cs:W", "event 'cs:W': W is for groups: {EVENT,EVENT}:W");
}

int main(void)
{
	struct event_list list = { 0 };
	char name[EVENT_CACHE_NAME_SIZE];
	struct error err;
	__u64 config;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ones); i++)
		check_one(&ones[i]);
	check_groups();
	check_names();
	check_kernel();
	check_sampling();
	check_group_reads();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		check(event_list_parse(&list, bad[i], &err) == EXIT_USAGE && err.text[0],
		      "'%s' is refused", bad[i]);
		event_list_free(&list);
	}
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		check(event_list_parse(&list, unknown[i], &err) == EXIT_FAILED && err.text[0],
		      "'%s' is not known", unknown[i]);
		event_list_free(&list);
	}
	check_messages();

	event_list_parse(&list, "cs", &err);
	event_exclude_kernel(&list.events[0]);
	check_string(list.events[0].name, "cs:u", "restriction to user mode adds u to the name");
	check(bits_of(&list.events[0].attr) == (NO_KERNEL | NO_HV),
	      "restriction to user mode excludes the kernel");
	event_list_free(&list);

	/* Seven caches have three operations each, with accesses and misses. */
	for (i = 0; event_cache_name(i, name, &config); i++)
		;
	check_number(i, 42, "perf knows all cache events");
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that need not be. What the kernel takes in no group is a pinned member, on any machine.
 */
#include "measure/measure.h"
#include "unit.h"

static struct event_list events;

static size_t leader_of_second(bool weak, bool fits)
{
	struct error err;
	size_t i, leader;

	if (event_list_parse(&events, "cs,{dummy,faults,faults},cs", &err))
		return 0;
	for (i = 1; i < 4; i++)
		events.events[i].weak = weak;
	events.events[2].attr.pinned = !fits;
	weak_groups_settle(&events);
	leader = events.events[2].leader;
	check(events.events[0].leader == 0 && events.events[1].leader == 1 &&
	      events.events[3].leader == (leader == 1 ? 1 : 3) && events.events[4].leader == 4,
	      "all of a group, and nothing beside it");
	event_list_free(&events);
	return leader;
}

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};

	if (!abi_accepts(&attr, 0, -1)) {
		printf("ok 1 - weak groups # SKIP this kernel has no counters for us\n1..1\n");
		return 0;
	}
	check_number(leader_of_second(true, true), 1, "a weak group that fits stays one");
	check_number(leader_of_second(true, false), 2, "one that does not fit is none");
	check_number(leader_of_second(false, false), 1, "one that is not weak stays");
	return unit_finish();
}

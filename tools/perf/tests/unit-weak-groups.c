// SPDX-License-Identifier: GPL-2.0
/*
 * Weak groups: what the kernel refuses as a group becomes single events. Software events always
 * fit; an event that does not exist is refused with EINVAL, as is one without a free counter.
 */
#include <stdlib.h>

#include "measure/events.h"
#include "measure/weak_groups.h"
#include "unit.h"

static struct event_list list_of(const char *text, bool weak)
{
	struct event_list list = { 0 };
	struct error err;
	size_t i;

	if (event_list_parse(&list, text, &err))
		printf("# %s\n", err.text);
	for (i = 0; i < list.nr; i++)
		list.events[i].weak = weak;
	return list;
}

static void settle(struct event_list *list, size_t refused)
{
	if (refused < list->nr)
		list->events[refused].attr.sample_type = ~0ULL;
	weak_groups_split(list);
}

static void check_leaders(const char *text, bool weak, size_t refused, const char *expected,
			  const char *what)
{
	struct event_list list = list_of(text, weak);
	char *got = xstrdup(""), *longer;
	size_t i;

	settle(&list, refused);
	for (i = 0; i < list.nr; i++) {
		longer = xasprintf("%s%zu ", got, list.events[i].leader);
		free(got);
		got = longer;
	}
	check_string(got, expected, what);
	free(got);
	event_list_free(&list);
}

int main(void)
{
	check_leaders("{dummy,faults},cs", true, 9, "0 0 2 ", "a group that fits is kept");
	check_leaders("{dummy,faults,cs}", true, 2, "0 1 2 ",
		      "a weak group that does not fit is split");
	check_leaders("{dummy,faults},{cs,dummy}", true, 1, "0 1 2 2 ",
		      "the next group is kept");
	check_leaders("cs,{dummy,faults}", true, 2, "0 1 2 ", "the event before the group is kept");
	check_leaders("{dummy,faults}", false, 1, "0 0 ", "a group that is not weak is kept");
	check_leaders("{dummy,faults}", true, 0, "0 0 ",
		      "a weak group whose leader is refused is kept");
	return unit_finish();
}

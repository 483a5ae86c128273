// SPDX-License-Identifier: GPL-2.0
/* Events that the tool measures itself, without a counter. */
#include <string.h>

#include "util/util.h"
#include "tool_events.h"

static const struct {
	const char *name;
	enum tool_event event;
} events[] = {
	{ "duration_time", TOOL_DURATION },
	{ "system_time", TOOL_SYSTEM_TIME },
	{ "user_time", TOOL_USER_TIME },
};

enum tool_event tool_event_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!strcmp(name, events[i].name))
			return events[i].event;
	}
	return TOOL_NONE;
}

const char *tool_event_name(size_t i)
{
	return i < ARRAY_SIZE(events) ? events[i].name : NULL;
}

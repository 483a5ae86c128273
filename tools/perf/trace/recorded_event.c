// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a recording as perf trace uses them.
 */
#include <string.h>

#include "recorded_event.h"

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool has_all_calls(const struct session *session)
{
	const struct event_table *events = data_reader_events(session->reader);
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (begins_with(events->events[i].name, "raw_syscalls:sys_"))
			return true;
	}
	return false;
}

/* Find the layout of all calls. Return false if the recording does not describe it. */
static bool find_raw_layout(const struct tracing_data *tracing, uint64_t id, const char *values,
			    unsigned int size, struct call_layout *layout)
{
	unsigned int values_size;

	return tracing_data_place(tracing, id, "id", &layout->nr, &layout->nr_size) &&
	       tracing_data_place(tracing, id, values, &layout->values, &values_size) &&
	       layout->nr_size == sizeof(uint64_t) && values_size == size;
}

/* Find the layout of a single call. The arguments are the fields after the number. */
static bool find_own_layout(const struct tracing_data *tracing, uint64_t id, const char *values,
			    struct call_layout *layout)
{
	unsigned int size;

	layout->only_own = true;
	if (!tracing_data_place(tracing, id, "__syscall_nr", &layout->nr, &layout->nr_size) ||
	    layout->nr_size != sizeof(uint32_t))
		return false;
	layout->values = (layout->nr + layout->nr_size + 7) & ~7U;
	return !values || (tracing_data_place(tracing, id, values, &layout->values, &size) &&
			   size == sizeof(uint64_t));
}

static enum event_use use_of_tracepoint(const struct session *session, const char *name,
					uint64_t id, struct call_layout *layout)
{
	const struct tracing_data *tracing = data_reader_features(session->reader)->tracing;
	bool found;

	*layout = (struct call_layout){ 0 };
	if (!strcmp(name, "raw_syscalls:sys_enter")) {
		found = find_raw_layout(tracing, id, "args", SYSCALL_ARGS * sizeof(uint64_t),
					layout);
		return found ? EVENT_ENTER : EVENT_UNUSED;
	}
	if (!strcmp(name, "raw_syscalls:sys_exit")) {
		found = find_raw_layout(tracing, id, "ret", sizeof(uint64_t), layout);
		return found ? EVENT_LEAVE : EVENT_UNUSED;
	}
	if (!begins_with(name, "syscalls:sys_e"))
		return EVENT_TEXT;
	if (has_all_calls(session))
		return EVENT_UNUSED;
	if (begins_with(name, "syscalls:sys_enter_"))
		return find_own_layout(tracing, id, NULL, layout) ? EVENT_ENTER : EVENT_UNUSED;
	return find_own_layout(tracing, id, "ret", layout) ? EVENT_LEAVE : EVENT_UNUSED;
}

enum event_use recorded_event_use(const struct session *session, size_t event,
				  struct call_layout *layout)
{
	const struct data_event *e = &data_reader_events(session->reader)->events[event];

	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return use_of_tracepoint(session, e->name, e->attr.config, layout);
	if (e->attr.type != PERF_TYPE_SOFTWARE)
		return EVENT_UNUSED;
	switch (e->attr.config) {
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return EVENT_MAJOR_FAULT;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS:
		return EVENT_MINOR_FAULT;
	}
	return EVENT_UNUSED;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: what kernel/trace/ and kernel/perf_counter/ have to do with one another.
 *
 * A tracepoint that somebody counts has a trace_event_file of perf_counter's own, which is
 * registered with the probe that ftrace has for the event already: no event gets code for
 * this. Whatever the probe asks of ftrace in turn (does nobody want it, room for a record,
 * the record is complete) is answered by perf_counter for files of its own: they say
 * EVENT_FILE_FL_PERF_COUNTER.
 */
#ifndef _LINUX_PERF_COUNTER_TRACE_H
#define _LINUX_PERF_COUNTER_TRACE_H

#include <linux/trace_events.h>

struct perf_event_attr;

/**
 * struct perf_counter_tracepoint - a tracepoint that descriptors count
 * @file: what the probe is registered with
 * @id: of the event, as tracefs has it
 * @weight: where a record has the number of events that it stands for, 64 bits; 0: it is one
 * @for_all: everybody may have the records of what his own tasks do
 * @users: descriptors
 * @node: among those in use; later among those that wait to be freed
 */
struct perf_counter_tracepoint {
	struct trace_event_file	file;
	u32			id;
	u32			weight;
	bool			for_all;
	unsigned int		users;
	struct list_head	node;
};

/* Is a file one of perf_counter's? Any context. */
static __always_inline bool perf_counter_trace_file(const struct trace_event_file *file)
{
	return IS_ENABLED(CONFIG_PERF_COUNTERS) &&
	       unlikely(file->flags & EVENT_FILE_FL_PERF_COUNTER);
}

/* kernel/trace/trace_perf_counter.c */
struct perf_counter_tracepoint *trace_perf_counter_get(const struct perf_event_attr *attr,
						       bool task);
void trace_perf_counter_put(struct perf_counter_tracepoint *tracepoint);
int trace_perf_counter_filter(struct perf_counter_tracepoint *tracepoint, char *text,
			      struct event_filter **filter);
void trace_perf_counter_free_filter(struct event_filter *filter);

/* kernel/perf_counter/source/tracepoint.c */
bool perf_counter_tracepoint_done(struct trace_event_file *file);
void *perf_counter_tracepoint_reserve(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len);
void perf_counter_tracepoint_commit(struct trace_event_buffer *fbuffer);

#endif /* _LINUX_PERF_COUNTER_TRACE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a recording as perf trace uses them.
 */
#ifndef PERF_TRACE_RECORDED_EVENT_H
#define PERF_TRACE_RECORDED_EVENT_H

#include "machine/machine.h"
#include "call.h"

/* Uses of an event. */
enum event_use {
	EVENT_UNUSED,
	EVENT_ENTER,		/* system calls begin */
	EVENT_LEAVE,		/* system calls return */
	EVENT_MAJOR_FAULT,
	EVENT_MINOR_FAULT,
	EVENT_TEXT,		/* another tracepoint */
};

/**
 * recorded_event_use() - Find the use of an event of a recording
 * @session: recording
 * @event: index of the event
 * @layout: set for EVENT_ENTER and EVENT_LEAVE
 *
 * Events of single system calls are not used if the recording has raw_syscalls, too, because each
 * call has two records then.
 *
 * Return: the use; EVENT_UNUSED for system calls of a kernel whose registers do not have 64 bits.
 */
enum event_use recorded_event_use(const struct session *session, size_t event,
				  struct call_layout *layout);

#endif

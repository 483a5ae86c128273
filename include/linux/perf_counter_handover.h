/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between perf_counter and perf_events for handing a descriptor over to perf_events. BPF
 * programs need this: they are attached to events of perf_events, and BPF maps and links hold files
 * of perf_events.
 */
#ifndef _LINUX_PERF_COUNTER_HANDOVER_H
#define _LINUX_PERF_COUNTER_HANDOVER_H

#include <linux/types.h>
#include <uapi/linux/perf_event.h>

struct file;
struct task_struct;

/**
 * struct perf_counter_handover - an event that perf_events opens in place of a descriptor
 * @attr: attr of the event, which is opened disabled
 * @task: task that is counted, with a reference; NULL for all tasks of @cpu
 * @cpu: the only CPU to count on, -1 for all
 * @file: file of the event, once it is open; with a reference
 */
struct perf_counter_handover {
	struct perf_event_attr	attr;
	struct task_struct	*task;
	int			cpu;
	struct file		*file;
};

/* kernel/events/core.c */
int perf_event_hand_over(struct perf_counter_handover *handover);

#if defined(CONFIG_PERF_COUNTERS) && defined(CONFIG_PERF_EVENTS)
struct file *perf_counter_event_file_get(struct file *file);
struct file *perf_counter_event_file(struct file *file);
#else
static inline struct file *perf_counter_event_file_get(struct file *file)
{
	return file;
}

static inline struct file *perf_counter_event_file(struct file *file)
{
	return file;
}
#endif

#endif /* _LINUX_PERF_COUNTER_HANDOVER_H */

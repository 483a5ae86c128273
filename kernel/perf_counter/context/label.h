/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Labels that security modules give to descriptors.
 */
#ifndef _PERF_COUNTER_CONTEXT_LABEL_H
#define _PERF_COUNTER_CONTEXT_LABEL_H

#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/security.h>

#include "../counter/desc.h"

#if defined(CONFIG_SECURITY) && defined(CONFIG_PERF_EVENTS)
#define PERF_COUNTER_LABELS

/**
 * struct perf_counter_label - the label of a security module
 * @event: event of perf_events that carries the label and counts nothing; security modules can
 *	label no other object
 * @cred: credentials of the task that opened the descriptors; descriptors opened with the
 *	same credentials share a label
 * @refs: number of descriptors with the label
 */
struct perf_counter_label {
	struct perf_event	event;
	const struct cred	*cred;
	refcount_t		refs;
};

int perf_counter_label_alloc(struct perf_counter_desc *desc);
void perf_counter_label_free(struct perf_counter_desc *desc);

static inline int perf_counter_label_read(struct perf_counter_desc *desc)
{
	return security_perf_event_read(&desc->label->event);
}

static inline int perf_counter_label_write(struct perf_counter_desc *desc)
{
	return security_perf_event_write(&desc->label->event);
}
#else
static inline int perf_counter_label_alloc(struct perf_counter_desc *desc) { return 0; }
static inline void perf_counter_label_free(struct perf_counter_desc *desc) { }
static inline int perf_counter_label_read(struct perf_counter_desc *desc) { return 0; }
static inline int perf_counter_label_write(struct perf_counter_desc *desc) { return 0; }
#endif

#endif /* _PERF_COUNTER_CONTEXT_LABEL_H */

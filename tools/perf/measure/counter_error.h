/* SPDX-License-Identifier: GPL-2.0 */
/* Messages for counters that cannot be opened. */
#ifndef PERF_MEASURE_COUNTER_ERROR_H
#define PERF_MEASURE_COUNTER_ERROR_H

#include "events.h"

/**
 * counter_explain() - compose the message for a counter that cannot be opened
 * @event: event
 * @error: errno of the system call
 * @cpu: CPU, or -1 for any
 * @tid: task, or -1 for all
 * @err: receives the event, the reason and, if there is one, the remedy
 */
void counter_explain(const struct event *event, int error, int cpu, int tid, struct error *err);

/*
 * Return true if a seccomp filter is the reason for @error; @seccomp_mode is that of this
 * process.
 */
bool error_is_of_filter(int error, int seccomp_mode);

/* Compose the message for a filter of @event that the kernel refused with errno @error. */
void counter_explain_filter(const struct event *event, int error, struct error *err);

#endif

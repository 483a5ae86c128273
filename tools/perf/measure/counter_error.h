/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a counter cannot be opened, and what helps.
 */
#ifndef PERF_MEASURE_COUNTER_ERROR_H
#define PERF_MEASURE_COUNTER_ERROR_H

#include "events.h"

/**
 * counter_explain() - say why an event cannot be counted
 * @event: the event
 * @error: what the kernel says, an errno
 * @cpu: where; -1: on any CPU
 * @tid: whom; -1: everybody
 * @err: gets what it is about, the reason, and the remedy where there is one
 */
void counter_explain(const struct event *event, int error, int cpu, int tid, struct error *err);

/* Say why the kernel does not take the filter of @event; @error as above. */
void counter_explain_filter(const struct event *event, int error, struct error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Software, hardware and cache events, found by name. */
#ifndef PERF_MEASURE_EVENT_NAMES_H
#define PERF_MEASURE_EVENT_NAMES_H

#include "util/util.h"
#include "../../lib/perf_counter/names.h"

/**
 * event_find_named() - find a software, hardware or cache event
 * @name: name; case is ignored
 * @attr: receives type and config
 *
 * Return: true if the event exists.
 */
bool event_find_named(const char *name, struct perf_event_attr *attr);

/* Add the names of software, hardware and cache events to @near. */
void event_consider_names(struct suggestions *near);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that have names of their own: found by what users write, or nearly so.
 */
#ifndef PERF_MEASURE_EVENT_NAMES_H
#define PERF_MEASURE_EVENT_NAMES_H

#include "util/util.h"
#include "../../lib/perf_counter/names.h"

/**
 * event_find_named() - find a software, hardware or cache event
 * @name: a name; case does not count
 * @attr: gets type and config
 *
 * Return: whether there is one.
 */
bool event_find_named(const char *name, struct perf_event_attr *attr);

/* Add to @near which of them somebody may have meant. */
void event_consider_names(struct suggestions *near);

#endif

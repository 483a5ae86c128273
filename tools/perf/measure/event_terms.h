/* SPDX-License-Identifier: GPL-2.0 */
/* Events of a PMU by their terms: "cpu/event=0xc0,umask=0x01,name=retired/". */
#ifndef PERF_MEASURE_EVENT_TERMS_H
#define PERF_MEASURE_EVENT_TERMS_H

#include "util/util.h"
#include "pmu.h"

/**
 * event_terms_parse() - set an attr by the terms of an event
 * @pmu: PMU of the event
 * @terms: text between the slashes
 * @attr: receives type and config
 * @name: receives the value of name=, which the caller frees; unchanged without name=
 * @err: receives the invalid term and the valid ones
 *
 * Return: 0, or EXIT_USAGE with @err set.
 */
int event_terms_parse(const struct pmu *pmu, const char *terms, struct perf_event_attr *attr,
		      char **name, struct error *err);

#endif

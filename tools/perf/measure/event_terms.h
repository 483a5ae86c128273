/* SPDX-License-Identifier: GPL-2.0 */
/* Events by their terms: "cpu/event=0xc0,umask=0x01,name=retired/", "faults/period=100/". */
#ifndef PERF_MEASURE_EVENT_TERMS_H
#define PERF_MEASURE_EVENT_TERMS_H

#include "util/util.h"
#include "pmu.h"
#include "sampling_terms.h"

/**
 * event_terms_parse() - set an attr by the terms of an event
 * @pmu: PMU of the event; for an event that has a name, pmu_make_named()
 * @terms: text between the slashes
 * @attr: receives type and config
 * @name: receives the value of name=, which the caller frees; unchanged without name=
 * @sampling: receives the terms about sampling
 * @err: receives the invalid term and the valid ones
 *
 * Return: 0, or EXIT_USAGE with @err set.
 */
int event_terms_parse(const struct pmu *pmu, const char *terms, struct perf_event_attr *attr,
		      char **name, struct sampling_terms *sampling, struct error *err);

#endif

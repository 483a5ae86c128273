/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of a PMU by their terms: "cpu/event=0xc0,umask=0x01,name=retired/".
 */
#ifndef PERF_MEASURE_EVENT_TERMS_H
#define PERF_MEASURE_EVENT_TERMS_H

#include "util/util.h"
#include "pmu.h"

/**
 * event_terms_parse() - make an attr of the terms of an event
 * @pmu: whose event it is
 * @terms: what is between the slashes
 * @attr: gets type and config
 * @name: gets what name= says, to be freed; unchanged without it
 * @err: says what is wrong and what would be right; begins with what is not in @terms
 *
 * Return: 0, or EXIT_USAGE with @err set.
 */
int event_terms_parse(const struct pmu *pmu, const char *terms, struct perf_event_attr *attr,
		      char **name, struct error *err);

#endif

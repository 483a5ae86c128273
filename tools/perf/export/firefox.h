/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles of the Firefox Profiler. */
#ifndef PERF_EXPORT_FIREFOX_H
#define PERF_EXPORT_FIREFOX_H

#include <stdio.h>

#include "profile.h"

/* Write the samples of one event in the processed format of the Firefox Profiler. */
void export_firefox(FILE *out, const struct profile *p, uint32_t event);

#endif

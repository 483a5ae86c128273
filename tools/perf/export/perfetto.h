/* SPDX-License-Identifier: GPL-2.0 */
/* Traces of Perfetto. */
#ifndef PERF_EXPORT_PERFETTO_H
#define PERF_EXPORT_PERFETTO_H

#include <stdio.h>

#include "profile.h"

/* Write the samples of one event as a trace of Perfetto. */
void export_perfetto(FILE *out, struct profile *p, uint32_t event);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles of OpenTelemetry. */
#ifndef PERF_EXPORT_OTLP_H
#define PERF_EXPORT_OTLP_H

#include <stdio.h>

#include "profile.h"

/**
 * export_otlp() - Write a message ProfilesData of OpenTelemetry
 * @out: stream
 * @p: tables; strings are added
 * @features: description of the recording
 *
 * The message is made in memory; it is smaller than the tables.
 */
void export_otlp(FILE *out, struct profile *p, const struct data_features *features);

#endif

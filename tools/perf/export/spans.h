/* SPDX-License-Identifier: GPL-2.0 */
/* The time between two context switches of a thread. */
#ifndef PERF_EXPORT_SPANS_H
#define PERF_EXPORT_SPANS_H

#include "profile.h"

/**
 * struct export_span - the time between two context switches of a thread
 * @from: switch that begins the time
 * @to: switch that ends it
 */
struct export_span {
	const struct profile_switch *from;
	const struct profile_switch *to;
};

/**
 * export_spans() - Find the times that threads had a CPU, or had none
 * @p: tables
 * @on_cpu: true: the times with a CPU; false: those without
 * @nr: set to the number of times
 *
 * Return: the times by thread; the caller frees the array.
 */
struct export_span *export_spans(const struct profile *p, bool on_cpu, size_t *nr);

#endif

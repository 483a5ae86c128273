/* SPDX-License-Identifier: GPL-2.0 */
/* profile.proto of pprof. */
#ifndef PERF_EXPORT_PPROF_H
#define PERF_EXPORT_PPROF_H

#include <stdio.h>

#include "profile.h"

/**
 * export_pprof() - Write profile.proto of pprof, compressed by gzip
 * @out: stream
 * @p: tables; strings are added
 *
 * Return: 0, or -1 if it could not be written.
 */
int export_pprof(FILE *out, struct profile *p);

#endif

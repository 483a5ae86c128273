/* SPDX-License-Identifier: GPL-2.0 */
/* The file format of speedscope. */
#ifndef PERF_EXPORT_SPEEDSCOPE_H
#define PERF_EXPORT_SPEEDSCOPE_H

#include <stdio.h>

#include "profile.h"

/* Write the samples one by one; each event of each thread is a profile. */
void export_speedscope(FILE *out, struct profile *p);

#endif

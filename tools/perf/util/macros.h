/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the compiler is told.
 */
#ifndef PERF_UTIL_MACROS_H
#define PERF_UTIL_MACROS_H

/* Arguments are checked as those of printf(). */
#define __printf(string, first) __attribute((format(printf, string, first)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif

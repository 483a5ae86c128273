/* SPDX-License-Identifier: GPL-2.0 */
/* Compiler attributes and small macros. */
#ifndef PERF_UTIL_MACROS_H
#define PERF_UTIL_MACROS_H

/* Have the compiler check the arguments like those of printf(). */
#define __printf(string, first) __attribute((format(printf, string, first)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif

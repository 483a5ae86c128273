/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that never return NULL. Without memory the tool can only print a message and
 * exit.
 */
#ifndef PERF_UTIL_MEMORY_H
#define PERF_UTIL_MEMORY_H

#include <stddef.h>

#include "macros.h"

void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *old, size_t nr, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __printf(1, 2);

#endif

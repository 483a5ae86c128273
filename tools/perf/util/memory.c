// SPDX-License-Identifier: GPL-2.0
/* Allocations that never return NULL: without memory the program exits. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memory.h"

static void *check_alloc(void *p)
{
	if (!p) {
		fputs("Error: out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return check_alloc(malloc(size ? size : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	return check_alloc(calloc(nr ? nr : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	return check_alloc(reallocarray(old, nr ? nr : 1, size ? size : 1));
}

/*
 * libiberty's demanglers call xmalloc() and xrealloc(). Its own two are in one object, which
 * conflicts with our xmalloc(); with both defined here the linker leaves that object out.
 */
void *xrealloc(void *old, size_t size)
{
	return check_alloc(realloc(old, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check_alloc(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return check_alloc(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return check_alloc(n < 0 ? NULL : s);
}

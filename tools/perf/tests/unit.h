/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for tests in C. A test program includes this in its only file, calls check() and the
 * functions below it, and returns unit_finish() from main().
 */
#ifndef PERF_TESTS_UNIT_H
#define PERF_TESTS_UNIT_H

#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/util.h"

static int unit_nr;
static int unit_failed;

static bool check(bool good, const char *fmt, ...) __printf(2, 3);

static bool check(bool good, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++unit_nr);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	unit_failed += !good;
	return good;
}

static inline void check_string(const char *got, const char *expected, const char *what)
{
	if (!check(!strcmp(got, expected), "%s", what))
		printf("#   got:      %s\n#   expected: %s\n", got, expected);
}

static inline void check_number(long long got, long long expected, const char *what)
{
	if (!check(got == expected, "%s", what))
		printf("#   got %lld, expected %lld\n", got, expected);
}

/* Check that two numbers are equal, with a tolerance for rounding. */
static inline void check_double(double got, double expected, const char *what)
{
	if (!check(fabs(got - expected) <= fabs(expected) / 1000000000, "%s", what))
		printf("#   got %.17g, expected %.17g\n", got, expected);
}

/* Return the number of allocated bytes; 0 with SANITIZE=1, whose malloc() does not count. */
static inline size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* Check that twice the work takes at most twice the amount, plus a logarithmic factor. */
static inline void check_doubled(size_t once, size_t twice, const char *what)
{
	if (!check(twice <= once * 5 / 2, "%s", what))
		printf("#   got %zu, for twice as much %zu\n", once, twice);
}

static inline int unit_finish(void)
{
	printf("1..%d\n", unit_nr);
	return unit_failed != 0;
}

#endif

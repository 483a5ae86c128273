/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What somebody who mistyped a name may have meant.
 */
#ifndef PERF_UTIL_SUGGEST_H
#define PERF_UTIL_SUGGEST_H

#include <stddef.h>

/**
 * name_distance() - how far one name is from another
 * @a: a name
 * @b: another
 *
 * Return: the letters to insert, delete or replace, or neighbours to swap,
 * to turn one name into the other; case does not count.
 */
size_t name_distance(const char *a, const char *b);

/**
 * name_is_near() - is one name a likely misspelling of another?
 * @typed: what the user wrote
 * @name: a name that exists
 *
 * Return: 0 when it is not, else a rank of which 1 is the nearest.
 */
size_t name_is_near(const char *typed, const char *name);

#endif

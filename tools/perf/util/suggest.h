/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What somebody who mistyped a name may have meant.
 */
#ifndef PERF_UTIL_SUGGEST_H
#define PERF_UTIL_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

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

#define SUGGESTIONS_MAX 3

/**
 * struct suggestions - the names nearest to what was typed, the nearest first
 * @typed: what the user wrote
 * @names: what may have been meant
 * @ranks: how near each is, as name_is_near() has it; 0: there are no more
 */
struct suggestions {
	const char *typed;
	char *names[SUGGESTIONS_MAX];
	size_t ranks[SUGGESTIONS_MAX];
};

/* A name that exists: it is kept if it is one of the nearest. */
void suggestions_add(struct suggestions *s, const char *name);

/*
 * Add "; did you mean 'a', 'b'?" to @err, or nothing where no name is near, and free them.
 * Return: whether there was one.
 */
bool suggestions_say(struct suggestions *s, struct error *err);

#endif

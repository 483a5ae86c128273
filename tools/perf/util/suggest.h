/* SPDX-License-Identifier: GPL-2.0 */
/* Suggestions for a mistyped name. */
#ifndef PERF_UTIL_SUGGEST_H
#define PERF_UTIL_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/**
 * name_distance() - compute the edit distance of two names
 * @a: the first name
 * @b: the second name
 *
 * Return: the number of insertions, deletions, replacements and swaps of neighbours that turn
 *   one name into the other; case is ignored.
 */
size_t name_distance(const char *a, const char *b);

/**
 * name_is_near() - test whether a name is likely a misspelling of another
 * @typed: name that the user wrote
 * @name: existing name
 *
 * Return: 0 if it is not, else a rank; 1 is the nearest.
 */
size_t name_is_near(const char *typed, const char *name);

#define SUGGESTIONS_MAX 3

/**
 * struct suggestions - the existing names nearest to a typed name, the nearest first
 * @typed: name that the user wrote
 * @names: nearest existing names
 * @ranks: rank of each name, see name_is_near(); 0 after the last one
 */
struct suggestions {
	const char *typed;
	char *names[SUGGESTIONS_MAX];
	size_t ranks[SUGGESTIONS_MAX];
};

/* Consider an existing name: keep it if it is one of the nearest. */
void suggestions_add(struct suggestions *s, const char *name);

/*
 * Append "; did you mean 'a', 'b'?" to @err and free the names; append nothing if there are
 * none.
 * Return: true if something was appended.
 */
bool suggestions_say(struct suggestions *s, struct error *err);

#endif

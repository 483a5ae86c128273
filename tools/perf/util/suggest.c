// SPDX-License-Identifier: GPL-2.0
/*
 * Suggestions for a mistyped name: edit distance with transpositions (optimal string
 * alignment).
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "suggest.h"

/* The longest name that is compared: the table takes memory in proportion to the length. */
#define NAME_MAX_COMPARED 128

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t name_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), i, j, distance;
	size_t *rows, *row, *above, *above2, *spare;

	if (la > NAME_MAX_COMPARED || lb > NAME_MAX_COMPARED)
		return la + lb;

	rows = xcalloc(3 * (lb + 1), sizeof(*rows));
	above2 = rows;
	above = rows + lb + 1;
	row = rows + 2 * (lb + 1);
	for (j = 0; j <= lb; j++)
		above[j] = j;
	for (i = 1; i <= la; i++) {
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				      above[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]) && above2[j - 2] + 1 < row[j])
				row[j] = above2[j - 2] + 1;
		}
		spare = above2;
		above2 = above;
		above = row;
		row = spare;
	}
	distance = above[lb];
	free(rows);
	return distance;
}

size_t name_is_near(const char *typed, const char *name)
{
	size_t distance = name_distance(typed, name);
	size_t length = strlen(typed);

	if (distance <= 1 + length / 4)
		return 1 + distance;
	/* Accept a part of a name, as "fault" for "page-faults", however long the name is. */
	if (length >= 3 && strcasestr(name, typed))
		return NAME_MAX_COMPARED + distance;
	return 0;
}

void suggestions_add(struct suggestions *s, const char *name)
{
	const size_t last = SUGGESTIONS_MAX - 1;
	size_t rank = name_is_near(s->typed, name), i, j;

	if (!rank)
		return;
	for (i = 0; i <= last && s->ranks[i] && s->ranks[i] <= rank; i++) {
		if (!strcasecmp(s->names[i], name))
			return;
	}
	if (i > last)
		return;
	free(s->names[last]);
	for (j = last; j > i; j--) {
		s->names[j] = s->names[j - 1];
		s->ranks[j] = s->ranks[j - 1];
	}
	s->names[i] = xstrdup(name);
	s->ranks[i] = rank;
}

bool suggestions_say(struct suggestions *s, struct error *err)
{
	bool any = s->ranks[0];
	size_t i;

	for (i = 0; i < SUGGESTIONS_MAX && s->ranks[i]; i++) {
		error_add(err, "%s'%s'", i ? ", " : "; did you mean ", s->names[i]);
		free(s->names[i]);
	}
	if (any)
		error_add(err, "?");
	*s = (struct suggestions){ .typed = s->typed };
	return any;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What somebody who mistyped a name may have meant: edit distance with
 * transpositions (optimal string alignment).
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "suggest.h"

/* Longer names are not worth the memory that comparing them takes. */
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
	/* "fault" for "page-faults": a part of the name, however long the rest is. */
	if (length >= 3 && strcasestr(name, typed))
		return NAME_MAX_COMPARED + distance;
	return 0;
}

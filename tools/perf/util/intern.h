/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings of which there is one copy, so that equal ones have the same address.
 */
#ifndef PERF_UTIL_INTERN_H
#define PERF_UTIL_INTERN_H

#include "hash_table.h"

struct intern_table {
	struct hash_table strings;
};

/* The copy of @string; it lives as long as the table. */
const char *intern(struct intern_table *table, const char *string);
void intern_free(struct intern_table *table);

#endif

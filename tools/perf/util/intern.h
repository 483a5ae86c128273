/* SPDX-License-Identifier: GPL-2.0 */
/* Interned strings: one copy of each, so that equal strings have the same address. */
#ifndef PERF_UTIL_INTERN_H
#define PERF_UTIL_INTERN_H

#include "hash_table.h"

struct intern_table {
	struct hash_table strings;
};

/* Find or make the copy of @string. The copy lives as long as the table. */
const char *intern(struct intern_table *table, const char *string);
void intern_free(struct intern_table *table);

#endif

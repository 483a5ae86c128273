/* SPDX-License-Identifier: GPL-2.0 */
/* Texts by number. */
#ifndef PERF_HTML_TEXT_LIST_H
#define PERF_HTML_TEXT_LIST_H

#include <stdint.h>

#include "util/util.h"

/**
 * struct text_list - different texts in the order in which they were added; all zeros: none
 * @texts: texts by number
 * @nr: number of @texts
 * @room: allocated number of @texts
 * @numbers: numbers by text
 */
struct text_list {
	char **texts;
	uint32_t nr;
	uint32_t room;
	struct hash_table numbers;
};

/* Return the number of a text, which is added if the list lacks it. */
uint32_t text_list_add(struct text_list *list, const char *text);

void text_list_free(struct text_list *list);

#endif

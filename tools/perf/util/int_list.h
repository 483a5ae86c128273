/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of numbers: "1,3-5" as users and sysfs write them, and the numeric names in /proc. */
#ifndef PERF_UTIL_INT_LIST_H
#define PERF_UTIL_INT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/**
 * struct int_list - numbers in the order they were added
 * @values: numbers; int_list_add_new() and int_list_parse() add no number that is there already
 * @nr: number of @values
 */
struct int_list {
	int *values;
	size_t nr;
};

void int_list_add(struct int_list *list, int value);

/* Add each of @values that @list does not contain. */
void int_list_add_new(struct int_list *list, const struct int_list *values);

/* Add the names in @directory that are numbers, as in /proc. Add nothing if it cannot be read. */
void int_list_add_entries(struct int_list *list, const char *directory);

bool int_list_has(const struct int_list *list, int value);
bool int_list_has_all(const struct int_list *list, const struct int_list *values);
void int_list_free(struct int_list *list);

/**
 * int_take() - take a decimal number from the front of a text
 * @text: text; set to the character after the number
 * @value: receives the number, from 0 to INT_MAX
 *
 * Return: 0, or -1 if there is no such number; @text and @value are unchanged then.
 */
int int_take(const char **text, int *value);

/**
 * int_list_parse() - parse a list such as "1,3-5"
 * @list: receives the numbers, after those that it contains
 * @text: numbers and ranges from 0 to INT_MAX
 * @what: kind of the numbers, for the message: "CPU", "process id"
 * @err: receives the reason if @text is not such a list
 *
 * Return: 0, or -1 with @err set; @list may have grown then.
 */
int int_list_parse(struct int_list *list, const char *text, const char *what, struct error *err);

#endif

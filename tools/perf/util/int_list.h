/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of numbers: as users and sysfs write them, "1,3-5", and as /proc has directories.
 */
#ifndef PERF_UTIL_INT_LIST_H
#define PERF_UTIL_INT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/**
 * struct int_list - numbers in the order they were given, none twice
 * @values: the numbers
 * @nr: how many there are
 */
struct int_list {
	int *values;
	size_t nr;
};

void int_list_add(struct int_list *list, int value);

/* Add those of @values that @list has not. */
void int_list_add_new(struct int_list *list, const struct int_list *values);

/* Add the names in @directory that are numbers, as in /proc; none if there is no such. */
void int_list_add_entries(struct int_list *list, const char *directory);

bool int_list_has(const struct int_list *list, int value);
bool int_list_has_all(const struct int_list *list, const struct int_list *values);
void int_list_free(struct int_list *list);

/**
 * int_list_parse() - read "1,3-5"
 * @list: gets the numbers, after those that it has
 * @text: the list; numbers from 0 to INT_MAX
 * @what: what the numbers are, for the message: "CPU", "process id"
 * @err: says what is wrong with @text
 *
 * Return: 0, or -1 with @err set; the list may have grown then.
 */
int int_list_parse(struct int_list *list, const char *text, const char *what, struct error *err);

#endif

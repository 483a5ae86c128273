// SPDX-License-Identifier: GPL-2.0
/* Lists of numbers: "1,3-5" as users and sysfs write them, and the numeric names in /proc. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "int_list.h"
#include "memory.h"

/*
 * The largest accepted range. No machine has so many CPUs, so a wider range is a typing error.
 */
#define RANGE_MAX (1 << 14)

void int_list_add(struct int_list *list, int value)
{
	/* The allocated size is a power of two, so that adding values one by one stays cheap. */
	if (!(list->nr & (list->nr - 1)))
		list->values = xreallocarray(list->values, list->nr ? 2 * list->nr : 1,
					     sizeof(*list->values));
	list->values[list->nr++] = value;
}

void int_list_add_entries(struct int_list *list, const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			int_list_add(list, atoi(entry->d_name));
	}
	closedir(dir);
}

bool int_list_has(const struct int_list *list, int value)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (list->values[i] == value)
			return true;
	}
	return false;
}

void int_list_add_new(struct int_list *list, const struct int_list *values)
{
	size_t i;

	for (i = 0; i < values->nr; i++) {
		if (!int_list_has(list, values->values[i]))
			int_list_add(list, values->values[i]);
	}
}

bool int_list_has_all(const struct int_list *list, const struct int_list *values)
{
	size_t i;

	for (i = 0; i < values->nr; i++) {
		if (!int_list_has(list, values->values[i]))
			return false;
	}
	return true;
}

void int_list_free(struct int_list *list)
{
	free(list->values);
	*list = (struct int_list){ 0 };
}

int int_take(const char **text, int *value)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	n = strtol(*text, &end, 10);
	if (errno || n > INT_MAX)
		return -1;
	*value = n;
	*text = end;
	return 0;
}

/* Parse one "3" or "3-5", and set *text to the character after it. */
static int parse_range(struct int_list *list, const char **text)
{
	int first, last;

	if (int_take(text, &first))
		return -1;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (int_take(text, &last))
			return -1;
	}
	if (last < first || last - first >= RANGE_MAX)
		return -1;
	for (;; first++) {
		if (!int_list_has(list, first))
			int_list_add(list, first);
		if (first == last)
			return 0;
	}
}

int int_list_parse(struct int_list *list, const char *text, const char *what, struct error *err)
{
	const char *s = text;

	for (;;) {
		if (parse_range(list, &s) || (*s && *s != ',' && *s != '\n'))
			break;
		if (!*s || (*s == '\n' && !s[1]))
			return 0;
		if (*s++ == '\n')
			break;
	}
	error_set(err, "'%s' is not a list of %s numbers such as 1,3-5", text, what);
	return -1;
}

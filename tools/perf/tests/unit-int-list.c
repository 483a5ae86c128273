// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of numbers.
 */
#include <stdlib.h>
#include <unistd.h>

#include "util/int_list.h"
#include "unit.h"

struct good {
	const char *text;
	const char *numbers;
};

static const struct good good[] = {
	{ "0", "0" },
	{ "1,3-5", "1 3 4 5" },
	{ "5,3,5,4-6", "5 3 4 6" },
	{ "7-7", "7" },
	{ "2147483647", "2147483647" },
	{ "2147483646-2147483647", "2147483646 2147483647" },
	{ "0-3,8-9\n", "0 1 2 3 8 9" },
};

static const char *const bad[] = {
	"", ",", "1,", ",1", "1,,2", "-", "1-", "-1", "5-3", "a", "1a", "1-2-3", " 1", "1 ", "+1",
	"2147483648", "99999999999999999999", "0-99999999", "1\n2", "0x10",
};

static char *join(const struct int_list *list)
{
	char *text = xstrdup(""), *longer;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		longer = xasprintf("%s%s%d", text, i ? " " : "", list->values[i]);
		free(text);
		text = longer;
	}
	return text;
}

int main(void)
{
	struct int_list a = { 0 }, b = { 0 };
	struct error err;
	size_t i;
	char *text;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct int_list list = { 0 };

		check(!int_list_parse(&list, good[i].text, "CPU", &err), "list %zu is good", i);
		text = join(&list);
		check_string(text, good[i].numbers, "a list has its numbers");
		free(text);
		int_list_free(&list);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct int_list list = { 0 };
		char *safe = escape_name(bad[i]);

		check(int_list_parse(&list, bad[i], "CPU", &err) == -1, "'%s' is refused", safe);
		free(safe);
		int_list_free(&list);
	}
	int_list_parse(&a, "x", "thread id", &err);
	check_string(err.text, "'x' is not a list of thread id numbers such as 1,3-5",
		     "the message names the invalid list");

	a = (struct int_list){ 0 };
	int_list_parse(&a, "1-3", "CPU", &err);
	int_list_parse(&b, "3,1,2", "CPU", &err);
	check(int_list_has_all(&a, &b), "the order of a list does not matter");
	int_list_add(&b, 4);
	check(!int_list_has_all(&a, &b), "a list with a missing number does not have all");
	check(int_list_has_all(&b, &a), "a longer list has all numbers of a shorter one");
	int_list_add(&a, 5);
	check(!int_list_has_all(&a, &b), "lists of equal length may differ");
	check(int_list_has(&a, 5) && !int_list_has(&a, 4),
	      "numbers in a list are found, others not");
	int_list_free(&a);
	int_list_free(&b);

	a = (struct int_list){ 0 };
	int_list_add_entries(&a, "/proc/self/task");
	check(a.nr == 1 && a.values[0] == getpid(), "only names that are numbers are added");
	int_list_add_entries(&a, "/proc/self/task/no such");
	check(a.nr == 1, "a missing directory adds nothing");
	int_list_free(&a);
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Parses lines of kallsyms.
 */
#include <string.h>

#include "kallsyms.h"

/* Return the value of a lower-case hexadecimal digit, or -1. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the first @c in [@at, @end), or @end. */
static const char *find(const char *at, const char *end, char c)
{
	return memchr(at, c, end - at) ?: end;
}

/* Split a line. kallsyms has some hundred thousand lines, so the C library looks for the ends. */
const char *kallsym_parse(const char *line, struct kallsym *k)
{
	const char *end = strchrnul(line, '\n'), *at = line;

	memset(k, 0, sizeof(*k));
	for (; digit_of(*at) >= 0; at++)
		k->addr = k->addr << 4 | digit_of(*at);
	if (at > line && end - at > 2 && at[0] == ' ' && at[2] == ' ') {
		k->type = at[1];
		k->name = at + 3;
		at = find(k->name, find(k->name, end, '\t'), ' ');
		k->name_size = at - k->name;
		at = find(at, end, '[');
		if (at < end) {
			k->module = at;
			k->module_size = end - at;
		}
	}
	return *end ? end + 1 : NULL;
}

bool kallsym_is_code(const struct kallsym *k)
{
	return k->type && strchr("tTwW", k->type);
}

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

/* Split a line. kallsyms has some hundred thousand lines, so each byte is read only once. */
const char *kallsym_parse(const char *line, struct kallsym *k)
{
	const char *at = line;

	memset(k, 0, sizeof(*k));
	for (; digit_of(*at) >= 0; at++)
		k->addr = k->addr << 4 | digit_of(*at);
	if (at > line && at[0] == ' ' && at[1] && at[1] != '\n' && at[2] == ' ') {
		k->type = at[1];
		k->name = at + 3;
		for (at = k->name; *at && *at != '\n' && *at != '\t' && *at != ' '; at++)
			;
		k->name_size = at - k->name;
	}
	for (; *at && *at != '\n'; at++) {
		if (*at == '[' && k->name && !k->module)
			k->module = at;
	}
	if (k->module)
		k->module_size = at - k->module;
	return *at ? at + 1 : NULL;
}

bool kallsym_is_code(const struct kallsym *k)
{
	return k->type && strchr("tTwW", k->type);
}

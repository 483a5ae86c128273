// SPDX-License-Identifier: GPL-2.0
/*
 * The printed form of names from other programs: without control characters, newlines or invalid
 * UTF-8.
 */
#include <stdlib.h>

#include "unit.h"
#include "util/util.h"

static const struct {
	const char *name;
	const char *shown;
	const char *what;
} all[] = {
	{ "plain", "plain", "a plain one" },
	{ "a b\"c'd\\e", "a b\"c'd\\e", "blanks, quotes and backslashes" },
	{ "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd", "newlines and tabs" },
	{ "\033[31m\007\177", "\\x1b[31m\\x07\\x7f", "escape sequences" },
	{ "Gr\303\274\303\237e \342\202\254 \360\237\230\200",
	  "Gr\303\274\303\237e \342\202\254 \360\237\230\200",
	  "UTF-8 of two, three and four bytes" },
	{ "\302\233[m", "\\xc2\\x9b[m", "C1 controls" },
	{ "\302\240\302\241", "\302\240\302\241", "what comes right behind them" },
	{ "\233\377\376", "\\x9b\\xff\\xfe", "bytes that are no UTF-8" },
	{ "\303", "\\xc3", "a character that is cut off" },
	{ "\342\202(", "\\xe2\\x82(", "one that is cut off by another" },
	{ "\301\237\300\200", "\\xc1\\x9f\\xc0\\x80", "more than two bytes for less" },
	{ "\340\200\233\340\237\277", "\\xe0\\x80\\x9b\\xe0\\x9f\\xbf", "three bytes for less" },
	{ "\340\240\200", "\340\240\200", "the first that needs three" },
	{ "\360\200\200\233\360\217\277\277", "\\xf0\\x80\\x80\\x9b\\xf0\\x8f\\xbf\\xbf",
	  "four bytes for less" },
	{ "\360\220\200\200", "\360\220\200\200", "the first that needs four" },
	{ "\355\240\200\355\277\277", "\\xed\\xa0\\x80\\xed\\xbf\\xbf", "halves of UTF-16" },
	{ "\355\237\277\356\200\200", "\355\237\277\356\200\200", "their neighbours" },
	{ "\364\217\277\277\364\220\200\200", "\364\217\277\277\\xf4\\x90\\x80\\x80",
	  "the last character, and what would follow" },
	{ "\365\200\200\200", "\\xf5\\x80\\x80\\x80", "a byte that begins nothing" },
	{ "a\342\200\250b\342\200\251c", "a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9c", "ends of lines" },
	{ "\342\200\256evil\342\201\246", "\\xe2\\x80\\xaeevil\\xe2\\x81\\xa6", "turned round" },
	{ "\342\200\215\342\200\216\342\200\217\342\200\220",
	  "\342\200\215\\xe2\\x80\\x8e\\xe2\\x80\\x8f\342\200\220", "marks of direction" },
	{ "\342\200\257\342\200\247", "\342\200\257\342\200\247", "what is beside those" },
};

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		char *shown = escape_name(all[i].name);

		check_string(shown, all[i].shown, all[i].what);
		free(shown);
	}
	return unit_finish();
}

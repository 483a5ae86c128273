// SPDX-License-Identifier: GPL-2.0
/*
 * The style of call chains (-g).
 */
#include <stdlib.h>
#include <string.h>

#include "chain_style.h"

static bool parse_word(struct chain_style *style, const char *word)
{
	if (!strcmp(word, "none"))
		style->mode = CHAIN_NONE;
	else if (!strcmp(word, "graph"))
		style->mode = CHAIN_GRAPH;
	else if (!strcmp(word, "fractal"))
		style->mode = CHAIN_FRACTAL;
	else if (!strcmp(word, "flat"))
		style->mode = CHAIN_FLAT;
	else if (!strcmp(word, "folded"))
		style->mode = CHAIN_FOLDED;
	else if (!strcmp(word, "caller"))
		style->order = ORDER_CALLER;
	else if (!strcmp(word, "callee"))
		style->order = ORDER_CALLEE;
	else if (!strcmp(word, "function"))
		style->by_address = false;
	else if (!strcmp(word, "address"))
		style->by_address = true;
	else if (!strcmp(word, "percent"))
		style->value = VALUE_PERCENT;
	else if (!strcmp(word, "period"))
		style->value = VALUE_PERIOD;
	else if (!strcmp(word, "count"))
		style->value = VALUE_COUNT;
	else
		return false;
	return true;
}

/* The first number is the minimum percentage, the second one the maximum number of lines. */
static bool parse_limit(struct chain_style *style, const char *word, int *nr_numbers)
{
	char *end;

	switch ((*nr_numbers)++) {
	case 0:
		style->min_percent = strtod(word, &end);
		return end != word && !*end && style->min_percent >= 0 &&
		       style->min_percent <= 100;
	case 1:
		style->max_lines = strtoul(word, &end, 10);
		return end != word && !*end && *word != '-';
	default:
		return false;
	}
}

/**
 * chain_style_parse() - Parse the argument of -g
 * @style: style; parts that the argument does not mention are unchanged
 * @text: words separated by commas, such as "graph,0.5,caller"
 * @err: set to the reason if parsing fails
 *
 * Return: 0, or -1 with @err set.
 */
int chain_style_parse(struct chain_style *style, const char *text, struct error *err)
{
	char *copy = xstrdup(text), *rest = copy, *word;
	int nr_numbers = 0, ret = 0;

	while (!ret && (word = strsep(&rest, ","))) {
		if (parse_word(style, word) || parse_limit(style, word, &nr_numbers))
			continue;
		error_set(err, "-g: unknown word '%s'; give something like graph,0.5,caller",
			  word);
		ret = -1;
	}
	free(copy);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Parses formulas of events by recursive descent: a sum of products of values.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "formula.h"

/*
 * @values is NULL while the names of events are collected; each event then counts as 1. @undefined
 * is true if a part of the formula was divided by 0, as in max(0, 1 - 5 / 0), which is not 0.
 */
struct parser {
	const char *at;
	struct formula_events events;
	const double *values;
	bool wrong;
	bool undefined;
};

static double parse_sum(struct parser *p);

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
}

static bool take(struct parser *p, const char *token)
{
	size_t length = strlen(token);

	skip_blanks(p);
	if (strncmp(p->at, token, length))
		return false;
	p->at += length;
	return true;
}

static double need(struct parser *p, const char *token, double value)
{
	p->wrong |= !take(p, token);
	return value;
}

/* Return true for a letter of a name. A dash is a letter; a minus sign has blanks on both sides. */
static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.-:=", c));
}

static double parse_name(struct parser *p)
{
	struct formula_events *events = &p->events;
	size_t length = 0, i;

	while (is_letter(p->at[length]))
		length++;
	for (i = 0; i < events->nr; i++) {
		if (strlen(events->names[i]) == length && !strncmp(events->names[i], p->at, length))
			break;
	}
	if (!length || i == FORMULA_EVENTS_MAX) {
		p->wrong = true;
		return 0;
	}
	if (i == events->nr)
		events->names[events->nr++] = xstrndup(p->at, length);
	p->at += length;
	return p->values ? p->values[i] : 1;
}

static double parse_value(struct parser *p)
{
	double value;
	char *end;

	if (take(p, "max(")) {
		value = need(p, ",", parse_sum(p));
		return need(p, ")", fmax(value, parse_sum(p)));
	}
	if (take(p, "("))
		return need(p, ")", parse_sum(p));
	if (!isdigit((unsigned char)*p->at))
		return parse_name(p);
	value = strtod(p->at, &end);
	p->at = end;
	return value;
}

static double parse_product(struct parser *p)
{
	double value = parse_value(p), divisor;

	while (!p->wrong) {
		if (take(p, "* ")) {
			value *= parse_value(p);
		} else if (take(p, "/ ")) {
			divisor = parse_value(p);
			p->undefined |= !divisor;
			value /= divisor;
		} else {
			break;
		}
	}
	return value;
}

static double parse_sum(struct parser *p)
{
	double value = parse_product(p);

	while (!p->wrong) {
		if (take(p, "+ "))
			value += parse_product(p);
		else if (take(p, "- "))
			value -= parse_product(p);
		else
			break;
	}
	return value;
}

bool formula_events(const char *formula, struct formula_events *events)
{
	struct parser p = { .at = formula };

	parse_sum(&p);
	skip_blanks(&p);
	*events = p.events;
	return !p.wrong && !*p.at;
}

void formula_events_free(struct formula_events *events)
{
	while (events->nr)
		free(events->names[--events->nr]);
}

double formula_value(const char *formula, const double *values)
{
	struct parser p = { .at = formula, .values = values };
	double value = parse_sum(&p);

	formula_events_free(&p.events);
	return p.undefined ? NAN : value;
}

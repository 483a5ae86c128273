// SPDX-License-Identifier: GPL-2.0
/*
 * Formulas, whose values were worked out by hand.
 */
#include "stat/formula.h"
#include "unit.h"

struct one {
	const char *formula;
	double values[3];
	double value;
};

static const struct one ones[] = {
	{ "a / b", { 3, 2 }, 1.5 },
	{ "100 * a / b", { 1, 8 }, 12.5 },
	{ "a - b - c", { 10, 3, 2 }, 5 },
	{ "a / b / c", { 60, 3, 2 }, 10 },
	{ "a + b * c", { 1, 2, 3 }, 7 },
	{ "(a + b) * c", { 1, 2, 3 }, 9 },
	{ "a / (4 * b)", { 2, 1 }, 0.5 },
	{ "max(0, a - b)", { 1, 3 }, 0 },
	{ "max(0, a - b)", { 3, 1 }, 2 },
	{ "100 * max(0, 1 - (a + 4 * b) / c)", { 2, 1, 8 }, 25 },
	{ "a-b - a-b / c.d=1:u", { 6, 2 }, 3 },
	{ "1.5 * a", { 2 }, 3 },
};

static const char *const wrong[] = {
	"", "a /", "a b", "(a", "max(a)", "max(a, b", "a / / b", "a )", "+ a",
	"a + b + c + d + e + f + g + h + i",
};

int main(void)
{
	static const double nothing[2];
	struct formula_events events;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ones); i++)
		check_double(formula_value(ones[i].formula, ones[i].values), ones[i].value,
			     ones[i].formula);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		check(!formula_events(wrong[i], &events), "'%s' is no formula", wrong[i]);
		formula_events_free(&events);
	}
	check(formula_events("l1d.miss / (b-c + l1d.miss)", &events), "a formula");
	check_number(events.nr, 2, "an event is there once");
	check_string(events.names[0], "l1d.miss", "in the order of the formula");
	check_string(events.names[1], "b-c", "and a dash is a letter");
	formula_events_free(&events);
	check(!isfinite(formula_value("a / b", nothing)), "0 / 0 is no number");
	return unit_finish();
}

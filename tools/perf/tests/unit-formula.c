// SPDX-License-Identifier: GPL-2.0
/*
 * Formulas: values computed by hand, and invalid formulas.
 */
#include "stat/formula.h"
#include "unit.h"

static void check_value(const char *formula, double expected)
{
	/* The values of the events, in order of appearance. */
	static const double values[FORMULA_EVENTS_MAX] = { 2, 3, 5, 7 };

	check_double(formula_value(formula, values), expected, formula);
}

static void check_undefined(const char *formula)
{
	static const double values[FORMULA_EVENTS_MAX] = { 0, 4 };

	check(isnan(formula_value(formula, values)), "%s, where a is 0", formula);
}

static void check_no_formula(const char *text)
{
	struct formula_events events;

	check(!formula_events(text, &events), "'%s' is no formula", text);
	formula_events_free(&events);
}

int main(void)
{
	struct formula_events events;

	check_value("12", 12);
	check_value("0.5", 0.5);
	check_value("a", 2);
	check_value("a / b", 2.0 / 3);
	check_value("100 * a / b", 200.0 / 3);
	check_value("a - b - c", -6);
	check_value("a - (b - c)", 4);
	check_value("a + b * c", 17);
	check_value("(a + b) * c", 25);
	check_value("a / b / c", 2.0 / 15);
	check_value("a * a + b", 7);
	check_value("max(0, a - b)", 0);
	check_value("max(a, b + c)", 8);
	check_value("100 * max(0, 1 - (a + b + 4 * c) / (4 * d))", 100 * (3.0 / 28));
	check_value("max(max(a, c), b)", 5);
	check_value("branch-misses / cpu-cycles:u", 2.0 / 3);
	check_value("a.b_c:c=1:i - d", -1);

	check_undefined("0 * a + b / a");
	check_undefined("1 / (a - a)");
	check_undefined("max(0, 1 - 5 / a)");
	check_undefined("max(0, a / a)");

	check(formula_events("100 * b.x / (a + b.x - L1-dcache-loads)", &events),
	      "a formula's events are listed");
	check_number(events.nr, 3, "an event used twice is listed once");
	check_string(events.names[0], "b.x", "events are listed in order of appearance");
	check_string(events.names[1], "a", "the second event is listed second");
	check_string(events.names[2], "L1-dcache-loads", "the third event is listed third");
	formula_events_free(&events);
	check(formula_events("a + b + c + d + e + f + g + h", &events),
	      "a formula may use the largest number of events");
	formula_events_free(&events);

	check_no_formula("");
	check_no_formula("a +");
	check_no_formula("a b");
	check_no_formula("(a");
	check_no_formula("a)");
	check_no_formula("max(a)");
	check_no_formula("max(a, b");
	check_no_formula("a / / b");
	check_no_formula("a % b");
	check_no_formula("a + b + c + d + e + f + g + h + i");
	return unit_finish();
}

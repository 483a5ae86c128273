// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics by name: formulas whose events the processors have that they are for, values that were
 * worked out by hand, and what is said where there is none.
 */
#include <stdlib.h>

#include "stat/stat.h"
#include "stat/formula.h"
#include "unit.h"

/* Vendors' events have a dot or an underscore, the generic ones neither. */
static size_t check_event(const char *pmu, const char *event)
{
	char *spec = xasprintf("%s::%s", pmu, event);
	struct vendor_encoding e;
	struct error err;
	bool found = !strpbrk(event, "._") || !vendor_event_find(spec, &e, &err);

	if (!found)
		printf("#   %s\n", err.text);
	else if (strpbrk(event, "._"))
		free(e.modifiers);
	free(spec);
	return !found;
}

/* Formulas are written "FORMULA (PMU,PMU)", or "FORMULA" where they are everybody's. */
static size_t check_formula(char *text, size_t *pairs)
{
	struct formula_events events;
	size_t i, bad = 0;
	char *open = strrchr(text, '('), *pmu;

	if (text[strlen(text) - 1] != ')' || strpbrk(open, " *")) {
		bad = !formula_events(text, &events);
		formula_events_free(&events);
		return bad;
	}
	open[-1] = '\0';
	open[strlen(open) - 1] = '\0';
	bad = !formula_events(text, &events);
	for (pmu = strtok(open + 1, ","); pmu; pmu = strtok(NULL, ",")) {
		for (i = 0; i < events.nr; i++) {
			bad += check_event(pmu, events.names[i]);
			++*pairs;
		}
	}
	formula_events_free(&events);
	return bad;
}

static void check_formulas(void)
{
	size_t i, j, bad = 0, pairs = 0;
	struct named_metric m;
	char *text;

	for (i = 0; named_metric_get(i, &m); i++) {
		for (j = 0; (text = named_metric_formula(i, j)); j++) {
			bad += check_formula(text, &pairs);
			free(text);
		}
		check(j && *m.description, "%s has a formula and a meaning", m.name);
		named_metric_free(&m);
	}
	check_number(bad, 0, "every event of every formula is one of each of its processors");
	check(pairs > 100, "of more than a hundred");
}

static struct event_list events;
static struct named_metric metric = {
	.name = "frontend-bound", .formula = "100 * a / (4 * b)", .percent = true, .nr_events = 2,
};

static void check_value(double a, double b, uint64_t running, double value, const char *what)
{
	const struct metric_input inputs[] = {
		{ a, { a, 1000, running }, NULL }, { b, { b, 1000, 1000 }, NULL },
	};
	struct metric got = named_metric_value(&metric, &events, inputs);

	if (check(!got.instead, "%s: there is one", what))
		check_double(got.value, value, what);
}

static void check_instead(double b, uint64_t running, const char *why, const char *instead,
			  const char *what)
{
	const struct metric_input inputs[] = {
		{ 1, { 1, 1000, running }, NULL }, { b, { b, 1000, 1000 }, why },
	};
	struct metric got = named_metric_value(&metric, &events, inputs);

	check_string(got.instead ?: "a number", instead, what);
}

static void check_values(void)
{
	struct error err;

	event_list_parse(&events, "{cs,faults}", &err);
	check_value(5, 10, 1000, 12.5, "a value");
	check_value(0, 10, 1000, 0, "0 that was counted is 0");
	check_value(5, 10, 500, 12.5, "a group takes turns as a whole");
	check_instead(0, 1000, NULL, "<not counted>", "nothing of what it is a part of");
	check_instead(4, 1000, "<not supported>", "<not supported>", "an event that is not there");
	event_list_free(&events);
	event_list_parse(&events, "cs,faults", &err);
	check_value(5, 10, 1000, 12.5, "no group, but all the time");
	check_instead(4, 500, NULL, "<multiplexed>", "no group, at different times");
	event_list_free(&events);
}

static void check_refused(const char *names, const char *part)
{
	struct named_metrics metrics = { 0 };
	struct error err = { "" };

	check(named_metrics_add(&metrics, &events, names, &err) == EXIT_FAILED &&
	      strstr(err.text, part), "'%s' is refused", names);
	if (!strstr(err.text, part))
		printf("#   %s\n", err.text);
	named_metrics_free(&metrics);
	event_list_free(&events);
}

int main(void)
{
#ifdef __x86_64__
	setenv("LIBPFM_FORCE_PMU", "amd64_k8_revg", true);
	check_refused("frontend-bound", "metric 'frontend-bound': there is no formula for this");
	check_formulas();
#endif
	check_values();
	check_refused("frobnicate",
		      "no metric 'frobnicate'; the metrics are ipc, branch-miss-rate, cache-miss-rate, ");
	check_refused("branch-mis-rate", "did you mean 'branch-miss-rate'? the metrics are ipc, ");
	check_refused("", "no metric ''; the metrics are");
	return unit_finish();
}

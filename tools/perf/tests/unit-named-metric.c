// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics by name: every event of every formula exists, values computed by hand, and the messages
 * for metrics without a value.
 */
#include <stdlib.h>

#include "stat/formula.h"
#include "stat/named_metric.h"
#include "unit.h"

/* Possible counts of a processor's events; the slots add up to all. */
struct number {
	const char *pmu;
	const char *event;
	double value;
};

static const struct number numbers[] = {
	{ NULL, "instructions", 1500 },
	{ NULL, "branches", 400 },
	{ NULL, "branch-misses", 10 },
	{ NULL, "cache-references", 80 },
	{ NULL, "cache-misses", 60 },
	{ NULL, "L1-dcache-loads", 500 },
	{ NULL, "L1-dcache-load-misses", 20 },
	{ NULL, "LLC-loads", 16 },
	{ NULL, "LLC-load-misses", 4 },
	{ NULL, "dTLB-loads", 500 },
	{ NULL, "dTLB-load-misses", 5 },
	{ NULL, "iTLB-loads", 200 },
	{ NULL, "iTLB-load-misses", 1 },
	{ NULL, "cycles", 1000 },
	{ "skl", "idq_uops_not_delivered.core", 400 },
	{ "skl", "uops_issued.any", 2000 },
	{ "skl", "int_misc.recovery_cycles", 50 },
	{ "skl", "uops_retired.retire_slots", 1800 },
	{ "icl", "topdown.slots_p", 5000 },
	{ "icl", "idq_uops_not_delivered.core", 550 },
	{ "icl", "int_misc.uop_dropping", 50 },
	{ "icl", "topdown.backend_bound_slots", 1500 },
	{ "icl", "uops_retired.slots", 2500 },
	{ "amd64_fam19h_zen4", "de_no_dispatch_per_slot.no_ops_from_frontend", 600 },
	{ "amd64_fam19h_zen4", "de_no_dispatch_per_slot.backend_stalls", 1800 },
	{ "amd64_fam19h_zen4", "de_src_op_disp.all", 3600 },
	{ "amd64_fam19h_zen4", "ex_ret_ops", 3000 },
	{ "arm_v2", "stall_slot_frontend", 1760 },
	{ "arm_v2", "stall_slot_backend", 2480 },
	{ "arm_v2", "stall_slot", 4240 },
	{ "arm_v2", "br_mis_pred", 20 },
	{ "arm_v2", "op_retired", 900 },
	{ "arm_v2", "op_spec", 1000 },
};

struct result {
	const char *metric;
	const char *pmu;
	double value;
};

static const struct result results[] = {
	{ "ipc", NULL, 1.5 },
	{ "branch-miss-rate", NULL, 2.5 },
	{ "cache-miss-rate", NULL, 75 },
	{ "l1d-miss-rate", NULL, 4 },
	{ "llc-miss-rate", NULL, 25 },
	{ "dtlb-miss-rate", NULL, 1 },
	{ "itlb-miss-rate", NULL, 0.5 },
	{ "frontend-bound", "skl", 10 },
	{ "backend-bound", "skl", 35 },
	{ "bad-speculation", "skl", 10 },
	{ "retiring", "skl", 45 },
	{ "frontend-bound", "icl", 10 },
	{ "backend-bound", "icl", 30 },
	{ "bad-speculation", "icl", 10 },
	{ "retiring", "icl", 50 },
	{ "frontend-bound", "amd64_fam19h_zen4", 10 },
	{ "backend-bound", "amd64_fam19h_zen4", 30 },
	{ "bad-speculation", "amd64_fam19h_zen4", 10 },
	{ "retiring", "amd64_fam19h_zen4", 50 },
	{ "frontend-bound", "arm_v2", 20 },
	{ "backend-bound", "arm_v2", 25 },
	{ "bad-speculation", "arm_v2", 12.7 },
	{ "retiring", "arm_v2", 42.3 },
};

static double number_of(const char *pmu, const char *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!strcmp(numbers[i].event, event) &&
		    (!numbers[i].pmu || (pmu && !strcmp(numbers[i].pmu, pmu))))
			return numbers[i].value;
	}
	printf("#   no number for %s\n", event);
	return NAN;
}

static const struct metric_formula *formula_of(const char *metric, const char *pmu)
{
	const struct metric_formula *f;
	struct named_metric m;
	size_t i, j;

	for (i = 0; named_metric_get(i, &m); i++) {
		named_metric_free(&m);
		for (j = 0; !strcmp(m.name, metric) && (f = named_metric_formula(i, j)); j++) {
			if (!f->pmus || (pmu && in_list(f->pmus, pmu)))
				return f;
		}
	}
	return NULL;
}

static void check_result(const struct result *r)
{
	const struct metric_formula *f = formula_of(r->metric, r->pmu);
	double values[FORMULA_EVENTS_MAX];
	struct formula_events events;
	char *what;
	size_t i;

	if (!check(f, "%s has a formula for %s", r->metric, r->pmu ? r->pmu : "all"))
		return;
	formula_events(f->text, &events);
	for (i = 0; i < events.nr; i++)
		values[i] = number_of(r->pmu, events.names[i]);
	formula_events_free(&events);
	what = xasprintf("%s: %s", r->metric, f->text);
	check_double(formula_value(f->text, values), r->value, what);
	free(what);
}

/* Return true if the kernel or the PMU has an event of this name. */
static bool is_event(const char *pmu, const char *event)
{
	char *spec = xasprintf("%s::%s", pmu ? pmu : "", event);
	struct perf_event_attr attr;
	const char *absent;
	struct error err;
	bool found;

	found = event_find_named(event, &attr) ||
		(pmu && !event_find(spec, &attr, &absent, &err));
	free(spec);
	return found;
}

/* Return true if libpfm's tables for this architecture have the PMU. */
static bool check_events(const char *pmu, const char *formula, size_t *missing)
{
	struct vendor_events list = { 0 };
	struct formula_events events;
	size_t i;

	if (pmu && !vendor_events_load(&list, pmu))
		return false;
	vendor_events_free(&list);
	formula_events(formula, &events);
	for (i = 0; i < events.nr; i++) {
		if (!is_event(pmu, events.names[i])) {
			printf("#   %s has no %s\n", pmu ? pmu : "the kernel", events.names[i]);
			++*missing;
		}
	}
	formula_events_free(&events);
	return true;
}

static void check_formula(const struct metric_formula *f, size_t *seen, size_t *missing)
{
	char *pmus = f->pmus ? xstrdup(f->pmus) : NULL, *at = NULL, *pmu;
	struct formula_events events;

	check(formula_events(f->text, &events) && events.nr, "%s", f->text);
	formula_events_free(&events);
	check(f->source && *f->source, "the formula has a source");
	if (!pmus)
		*seen += check_events(NULL, f->text, missing);
	for (pmu = pmus ? strtok_r(pmus, ",", &at) : NULL; pmu; pmu = strtok_r(NULL, ",", &at))
		*seen += check_events(pmu, f->text, missing);
	free(pmus);
}

static void check_formulas(void)
{
	const struct metric_formula *f;
	size_t i, j, seen = 0, missing = 0;
	struct named_metric m;

	for (i = 0; named_metric_get(i, &m); i++) {
		check(*m.description, "%s is described", m.name);
		for (j = 0; (f = named_metric_formula(i, j)); j++)
			check_formula(f, &seen, &missing);
		named_metric_free(&m);
	}
	check_number(missing, 0, "every event of every formula exists");
	check(seen >= 7, "every generic formula was checked");
#ifdef __x86_64__
	check_number(seen, 7 + 4 * (11 + 3 + 1), "every formula of this architecture was checked");
#endif
}

/* Return the metric of two events, the second of which was enabled for these times. */
static struct metric value_of(const char *events, double a, double b, struct count times,
			      const char *instead)
{
	struct named_metric m = {
		.name = "ipc", .formula = formula_of("ipc", NULL), .nr_events = 2,
	};
	const struct metric_input inputs[] = {
		{ a, { 1000, 2000, 2000 }, NULL }, { b, times, instead },
	};
	struct event_list list = { 0 };
	struct metric metric;
	struct error err;

	event_list_parse(&list, events, &err);
	metric = named_metric_value(&m, &list, inputs);
	event_list_free(&list);
	return metric;
}

static void check_values(void)
{
	const struct count all = { 500, 2000, 2000 }, half = { 500, 2000, 1000 };
	struct metric m;

	m = value_of("{instructions,cycles}", 3000, 2000, all, NULL);
	check_double(m.value, 1.5, "events counted all the time have a value");
	check(!m.instead && !strcmp(m.unit, "ipc"), "the value is printed with its unit");
	m = value_of("{instructions,cycles}", 3000, 2000, half, NULL);
	check(!m.instead && m.value == 1.5, "a multiplexed group has a value");
	m = value_of("instructions,cycles", 3000, 2000, all, NULL);
	check(!m.instead && m.value == 1.5, "single events counted all the time have a value");
	m = value_of("instructions,cycles", 3000, 2000, half, NULL);
	check_string(m.instead ? m.instead : "", "<multiplexed>",
		     "multiplexed single events have no value");
	m = value_of("{instructions,cycles}", 3000, 0, all, "<not supported>");
	check_string(m.instead ? m.instead : "", "<not supported>",
		     "an unsupported event gives no value");
	m = value_of("{instructions,cycles}", 0, 0, all, NULL);
	check_string(m.instead ? m.instead : "", "<divided by 0>",
		     "a division by 0 gives no value");
	check_string(m.unit, "ipc", "a missing value has its unit");
}

#ifdef __x86_64__
static void check_message(const char *names, const char *expected)
{
	struct named_metrics metrics = { 0 };
	struct event_list events = { 0 };
	struct error err = { "" };

	check_number(named_metrics_add(&metrics, &events, names, &err), EXIT_FAILED, names);
	check_string(err.text, expected, "the message gives the reason");
	named_metrics_free(&metrics);
	event_list_free(&events);
}

#define KNOWN "the metrics are ipc, branch-miss-rate, cache-miss-rate, l1d-miss-rate, llc-miss-rate, dtlb-miss-rate, itlb-miss-rate, frontend-bound, backend-bound, bad-speculation, retiring"

/* A processor without any formula. */
static void check_messages(void)
{
	check_message("bogus", "there is no metric 'bogus'; " KNOWN);
	check_message("ipcc", "there is no metric 'ipcc'; did you mean 'ipc'? " KNOWN);
	check_message("frontend-bond,ipc",
		      "there is no metric 'frontend-bond'; did you mean 'frontend-bound'? "
		      KNOWN);
	check_message("", "there is no metric ''; " KNOWN);
	check_message("Frontend_Bound",
		      "metric 'frontend-bound': there is no formula for this processor; 'perf list --all --details frontend-bound' shows the existing formulas");
}
#else
static void check_messages(void)
{
}
#endif

int main(void)
{
	size_t i;

	setenv("LIBPFM_FORCE_PMU", "amd64_fam17h_zen1", true);
	for (i = 0; i < ARRAY_SIZE(results); i++)
		check_result(&results[i]);
	check_formulas();
	check_values();
	check_messages();
	return unit_finish();
}

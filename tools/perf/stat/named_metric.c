// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics with names, and their formulas.
 *
 * A slot is the capacity to issue one operation in a cycle. The first level of the top-down
 * method says what all slots were used for. Its formulas are those of the makers of the
 * processors, for a thread that does not share its core.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "formula.h"
#include "named_metric.h"

#define FORMULAS_MAX 4

struct definition {
	const char *name;
	const char *description;
	bool percent;
	struct metric_formula formulas[FORMULAS_MAX];
};

#define FOUR_WIDE "snb,snb_ep,ivb,ivb_ep,hsw,hsw_ep,bdw,bdw_ep,skl,skx,clx"
#define WITH_SLOTS "icl,icx,spr"
#define ZEN4 "amd64_fam19h_zen4"
#define V2 "arm_v2"

/* The sources of the formulas. */
#define KERNEL "perf_event_open(2), what the kernel's hardware and cache events count"
#define INTEL "Intel 64 and IA-32 Optimization Reference Manual, Top-Down Analysis Method, level 1"
#define INTEL_SLOTS "Intel TMA metrics for Ice Lake and Sapphire Rapids (github.com/intel/perfmon), level 1, without the register of metrics"
#define AMD "AMD PPR for family 19h model 11h, Pipeline Utilization, level 1"
#define ARM "Arm Neoverse V2 Telemetry Specification, top-down methodology, stage 1"

static const struct definition definitions[] = {
	{ "ipc", "instructions per cycle", false,
	  { { NULL, "instructions / cycles", KERNEL } } },
	{ "branch-miss-rate", "branches that were predicted wrongly", true,
	  { { NULL, "100 * branch-misses / branches", KERNEL } } },
	{ "cache-miss-rate", "references to the last cache that missed it", true,
	  { { NULL, "100 * cache-misses / cache-references", KERNEL } } },
	{ "l1d-miss-rate", "loads that missed the first data cache", true,
	  { { NULL, "100 * L1-dcache-load-misses / L1-dcache-loads", KERNEL } } },
	{ "llc-miss-rate", "loads from the last cache that missed it", true,
	  { { NULL, "100 * LLC-load-misses / LLC-loads", KERNEL } } },
	{ "dtlb-miss-rate", "loads whose translation missed the TLB", true,
	  { { NULL, "100 * dTLB-load-misses / dTLB-loads", KERNEL } } },
	{ "itlb-miss-rate", "fetches whose translation missed the TLB", true,
	  { { NULL, "100 * iTLB-load-misses / iTLB-loads", KERNEL } } },
	{ "frontend-bound", "slots that stayed empty for lack of instructions", true, {
		{ FOUR_WIDE, "100 * idq_uops_not_delivered.core / (4 * cycles)", INTEL },
		{ WITH_SLOTS,
		  "100 * max(0, idq_uops_not_delivered.core - int_misc.uop_dropping) / topdown.slots_p",
		  INTEL_SLOTS },
		{ ZEN4, "100 * de_no_dispatch_per_slot.no_ops_from_frontend / (6 * cycles)", AMD },
		{ V2,
		  "100 * max(0, stall_slot_frontend / (8 * cycles) - br_mis_pred / cycles)",
		  ARM },
	} },
	{ "backend-bound", "slots that stayed empty for lack of room or data", true, {
		{ FOUR_WIDE,
		  "100 * max(0, 1 - (idq_uops_not_delivered.core + uops_issued.any + 4 * int_misc.recovery_cycles) / (4 * cycles))",
		  INTEL },
		{ WITH_SLOTS, "100 * topdown.backend_bound_slots / topdown.slots_p", INTEL_SLOTS },
		{ ZEN4, "100 * de_no_dispatch_per_slot.backend_stalls / (6 * cycles)", AMD },
		{ V2,
		  "100 * max(0, stall_slot_backend / (8 * cycles) - 3 * br_mis_pred / cycles)",
		  ARM },
	} },
	{ "bad-speculation", "slots lost to instructions that were not to be executed", true, {
		{ FOUR_WIDE,
		  "100 * max(0, (uops_issued.any - uops_retired.retire_slots + 4 * int_misc.recovery_cycles) / (4 * cycles))",
		  INTEL },
		{ WITH_SLOTS,
		  "100 * max(0, 1 - (max(0, idq_uops_not_delivered.core - int_misc.uop_dropping) + topdown.backend_bound_slots + uops_retired.slots) / topdown.slots_p)",
		  INTEL_SLOTS },
		{ ZEN4, "100 * max(0, (de_src_op_disp.all - ex_ret_ops) / (6 * cycles))", AMD },
		{ V2,
		  "100 * ((1 - op_retired / op_spec) * (1 - stall_slot / (8 * cycles)) + 4 * br_mis_pred / cycles)",
		  ARM },
	} },
	{ "retiring", "slots that did work", true, {
		{ FOUR_WIDE, "100 * uops_retired.retire_slots / (4 * cycles)", INTEL },
		{ WITH_SLOTS, "100 * uops_retired.slots / topdown.slots_p", INTEL_SLOTS },
		{ ZEN4, "100 * ex_ret_ops / (6 * cycles)", AMD },
		{ V2, "100 * op_retired / op_spec * (1 - stall_slot / (8 * cycles))", ARM },
	} },
};

static bool is_for_this(const struct metric_formula *f)
{
	struct vendor_pmu *pmus;
	bool found = !f->pmus;
	size_t i, nr;

	nr = found ? 0 : vendor_pmus(&pmus);
	for (i = 0; i < nr && !found; i++)
		found = pmus[i].here && in_list(f->pmus, pmus[i].name);
	if (f->pmus)
		free(pmus);
	return found;
}

/* Return the first event of a formula that this machine lacks, or NULL. The caller frees it. */
static char *missing_of(const char *formula)
{
	struct formula_events events;
	struct perf_event_attr attr;
	const char *absent;
	char *missing = NULL;
	struct error err;
	size_t i;

	formula_events(formula, &events);
	for (i = 0; i < events.nr && !missing; i++) {
		if (event_find(events.names[i], &attr, &absent, &err) || absent ||
		    !syscall_can_count(&attr))
			missing = xstrdup(events.names[i]);
	}
	formula_events_free(&events);
	return missing;
}

bool named_metric_get(size_t index, struct named_metric *m)
{
	const struct definition *d = &definitions[index];
	size_t i;

	if (index >= ARRAY_SIZE(definitions))
		return false;
	*m = (struct named_metric){
		.name = d->name, .description = d->description, .percent = d->percent,
	};
	for (i = 0; i < FORMULAS_MAX && d->formulas[i].text && !m->formula; i++) {
		if (!is_for_this(&d->formulas[i]))
			continue;
		free(m->missing);
		m->missing = missing_of(d->formulas[i].text);
		if (!m->missing)
			m->formula = &d->formulas[i];
	}
	return true;
}

void named_metric_free(struct named_metric *m)
{
	free(m->missing);
	m->missing = NULL;
}

const struct metric_formula *named_metric_formula(size_t index, size_t formula)
{
	const struct metric_formula *f = definitions[index].formulas;

	return formula < FORMULAS_MAX && f[formula].text ? &f[formula] : NULL;
}

/* Return true if @typed is a spelling of @name: "Branch_Miss_Rate" is one of "branch-miss-rate". */
static bool same_name(const char *name, const char *typed, size_t length)
{
	size_t i;

	if (strlen(name) != length)
		return false;
	for (i = 0; i < length; i++) {
		char c = typed[i] == '_' ? '-' : typed[i];

		if (strncasecmp(&c, &name[i], 1))
			return false;
	}
	return true;
}

static int refuse_name(const char *name, struct error *err)
{
	struct suggestions near = { .typed = name };
	size_t i;

	error_set(err, "there is no metric '%s'", name);
	for (i = 0; i < ARRAY_SIZE(definitions); i++)
		suggestions_add(&near, definitions[i].name);
	error_add(err, "%s the metrics are", suggestions_say(&near, err) ? "" : ";");
	for (i = 0; i < ARRAY_SIZE(definitions); i++)
		error_add(err, "%s %s", i ? "," : "", definitions[i].name);
	return EXIT_FAILED;
}

static int refuse_metric(const struct named_metric *m, struct error *err)
{
	if (m->missing)
		error_set(err,
			  "metric '%s': this machine cannot count '%s'; 'perf list metric' shows the metrics that it has",
			  m->name, m->missing);
	else
		error_set(err,
			  "metric '%s': there is no formula for this processor; 'perf list --all --details %s' shows the existing formulas",
			  m->name, m->name);
	return EXIT_FAILED;
}

static int add_events(struct named_metric *m, struct event_list *events, struct error *err)
{
	char *group = xstrdup("{"), *longer;
	struct formula_events names;
	size_t i;
	int status;

	formula_events(m->formula->text, &names);
	for (i = 0; i < names.nr; i++) {
		longer = xasprintf("%s%s%s", group, i ? "," : "", names.names[i]);
		free(group);
		group = longer;
	}
	longer = xasprintf("%s}", group);
	m->first = events->nr;
	m->nr_events = names.nr;
	status = event_list_parse(events, longer, err);
	for (i = m->first; !status && i < events->nr; i++)
		events->events[i].weak = true;
	free(longer);
	free(group);
	formula_events_free(&names);
	return status;
}

static int add_metric(struct named_metrics *metrics, struct event_list *events, const char *name,
		      size_t length, struct error *err)
{
	struct named_metric m;
	size_t i;
	char *typed;
	int status;

	for (i = 0; i < ARRAY_SIZE(definitions); i++) {
		if (same_name(definitions[i].name, name, length))
			break;
	}
	if (i == ARRAY_SIZE(definitions)) {
		typed = xstrndup(name, length);
		status = refuse_name(typed, err);
		free(typed);
		return status;
	}
	named_metric_get(i, &m);
	status = m.formula ? add_events(&m, events, err) : refuse_metric(&m, err);
	named_metric_free(&m);
	if (status)
		return status;
	metrics->metrics = xreallocarray(metrics->metrics, metrics->nr + 1,
					 sizeof(*metrics->metrics));
	metrics->metrics[metrics->nr++] = m;
	return 0;
}

int named_metrics_add(struct named_metrics *metrics, struct event_list *events,
		      const char *names, struct error *err)
{
	size_t length;
	int status;

	do {
		length = strcspn(names, ",");
		status = add_metric(metrics, events, names, length, err);
		names += length;
	} while (!status && *names++);
	return status;
}

void named_metrics_free(struct named_metrics *metrics)
{
	free(metrics->metrics);
	*metrics = (struct named_metrics){ 0 };
}

const struct named_metric *named_metrics_at(const struct named_metrics *metrics, size_t event)
{
	size_t i;

	for (i = 0; i < metrics->nr; i++) {
		if (metrics->metrics[i].first == event)
			return &metrics->metrics[i];
	}
	return NULL;
}

/*
 * Return the reason why a metric has no value, or NULL. Only the counters of a group are always on
 * the hardware together, so that their counts are of the same time.
 */
static const char *why_not(const struct named_metric *m, const struct event_list *events,
			   const struct metric_input *inputs)
{
	bool group = events->events[m->first + m->nr_events - 1].leader == m->first;
	size_t i;

	for (i = 0; i < m->nr_events; i++) {
		if (inputs[i].instead)
			return inputs[i].instead;
	}
	for (i = 0; !group && i < m->nr_events; i++) {
		if (inputs[i].times.running < inputs[i].times.enabled)
			return "<multiplexed>";
	}
	return NULL;
}

struct metric named_metric_value(const struct named_metric *m, const struct event_list *events,
				 const struct metric_input *inputs)
{
	struct metric metric = { .unit = m->name, .digits = 2, .percent = m->percent };
	double values[FORMULA_EVENTS_MAX];
	size_t i;

	metric.instead = why_not(m, events, inputs);
	if (metric.instead)
		return metric;
	for (i = 0; i < m->nr_events; i++)
		values[i] = inputs[i].value;
	metric.value = formula_value(m->formula->text, values);
	/* The divisor is 0 if none of its events has happened. */
	if (!isfinite(metric.value))
		metric = (struct metric){ .instead = "<divided by 0>", .unit = m->name };
	return metric;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf list: the events that the running kernel can count, found by opening them, and the
 * metrics that can be computed from them.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measure.h"
#include "stat/stat.h"
#include "arguments.h"
#include "cmd.h"
#include "drop_in.h"
#include "list_filter.h"
#include "list_vendor.h"
#include "pager.h"

enum { OPTION_DETAILS = 0x100, OPTION_PMU, OPTION_PMUS };

/* Two ways to write a raw event; the second uses terms of the CPU's PMU. */
static const char *const raw_syntax[] = { "rNNN", "cpu/event=NUMBER,umask=NUMBER,.../MODIFIERS" };

static bool is_wanted(const struct list_options *o, const struct list_kind *kind, const char *name,
		      const char *alias)
{
	return list_kind_is_wanted(o, kind) || list_matches(o, name) ||
	       (alias && list_matches(o, alias));
}

static bool can_count(__u32 type, __u64 config)
{
	const struct perf_event_attr attr = { .type = type, .config = config };

	return list_can_count(&attr);
}

static bool list_event(const struct list_options *o, const struct list_kind *kind, const char *name,
		       bool countable)
{
	return list_line(o, name, kind->label, countable);
}

static size_t list_of_tool(const struct list_options *o, const struct list_kind *kind)
{
	const char *name;
	size_t i, nr = 0;

	for (i = 0; (name = tool_event_name(i)); i++) {
		if (is_wanted(o, kind, name, NULL))
			nr += list_event(o, kind, name, true);
	}
	return nr;
}

static size_t list_named(const struct list_options *o, const struct list_kind *kind)
{
	const struct event_name *n;
	size_t nr = 0;
	char *both;

	for (n = event_names; n->name; n++) {
		if (n->type != kind->type || !is_wanted(o, kind, n->name, n->alias))
			continue;
		both = n->alias ? xasprintf("%s OR %s", n->name, n->alias) : xstrdup(n->name);
		nr += list_event(o, kind, both, can_count(n->type, n->config));
		free(both);
	}
	return nr;
}

static size_t list_cache(const struct list_options *o, const struct list_kind *kind)
{
	char name[EVENT_CACHE_NAME_SIZE];
	size_t i, nr = 0;
	__u64 config;

	for (i = 0; event_cache_name(i, name, &config); i++) {
		if (is_wanted(o, kind, name, NULL))
			nr += list_event(o, kind, name, can_count(kind->type, config));
	}
	return nr;
}

/*
 * List the syntax of raw events instead of all raw events. The machine has a PMU if it can count
 * cycles.
 */
static size_t list_raw(const struct list_options *o, const struct list_kind *kind)
{
	bool countable = can_count(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(raw_syntax); i++) {
		if (is_wanted(o, kind, raw_syntax[i], NULL))
			nr += list_event(o, kind, raw_syntax[i], countable);
	}
	return nr;
}

struct tracepoint_listing {
	const struct list_options *o;
	const struct list_kind *kind;
	bool probed;
	bool countable;
	size_t nr;
};

/*
 * List a tracepoint. The kernel can count all tracepoints or none, so only the first is tried.
 */
static int list_tracepoint(void *context, const char *system, const char *event)
{
	struct tracepoint_listing *listing = context;
	long id = tracepoint_id(system, event);
	char *name;

	if (id < 0)
		return 0;
	if (!listing->probed) {
		listing->countable = can_count(listing->kind->type, id);
		listing->probed = true;
	}
	if (!listing->countable && !listing->o->all)
		return 1;
	name = xasprintf("%s:%s", system, event);
	if (is_wanted(listing->o, listing->kind, name, NULL))
		listing->nr += list_event(listing->o, listing->kind, name, listing->countable);
	free(name);
	return 0;
}

static size_t list_tracepoints(const struct list_options *o, const struct list_kind *kind)
{
	struct tracepoint_listing listing = { .o = o, .kind = kind };

	tracepoint_walk("*", "*", list_tracepoint, &listing);
	return listing.nr;
}

struct pmu_listing {
	const struct list_options *o;
	const struct list_kind *kind;
	size_t nr;
};

/*
 * Return true if an event that a PMU describes can be counted. EINVAL may mean that the event can
 * be counted only on CPUs, not in a task.
 */
static bool can_count_pmu_event(const char *name)
{
	struct perf_event_attr attr;
	const char *absent;
	struct error err;

	return !event_find(name, &attr, &absent, &err) &&
	       (list_can_count(&attr) || errno == EINVAL);
}

static void list_pmu_event(void *context, const char *pmu_name, const char *event)
{
	struct pmu_listing *listing = context;
	char *name = xasprintf("%s/%s/", pmu_name, event), *terms;
	struct pmu pmu;

	if (is_wanted(listing->o, listing->kind, name, NULL) &&
	    list_event(listing->o, listing->kind, name, can_count_pmu_event(name))) {
		listing->nr++;
		pmu_load(&pmu, PMU_DEVICES, pmu_name);
		terms = pmu_event_terms(&pmu, event);
		if (listing->o->details && terms)
			printf("      Encoding: %s/%s/\n", pmu_name, terms);
		free(terms);
		pmu_free(&pmu);
	}
	free(name);
}

static size_t list_pmu_events(const struct list_options *o, const struct list_kind *kind)
{
	struct pmu_listing listing = { o, kind, 0 };

	pmu_walk_events(PMU_DEVICES, list_pmu_event, &listing);
	return listing.nr;
}

static void print_formula(const struct metric_formula *formula, bool percent, bool here)
{
	printf("      Formula%s: %s\n", percent ? ", percent" : "", formula->text);
	if (!here && formula->pmus)
		printf("        PMUs:   %s\n", formula->pmus);
	printf("        Source: %s\n", formula->source);
}

/* Print the formula in use. If there is none, print the reason and all known formulas. */
static void print_metric(const struct named_metric *m, size_t index)
{
	const struct metric_formula *formula;
	size_t i;

	printf("      Meaning: %s\n", m->description);
	if (m->formula) {
		print_formula(m->formula, m->percent, true);
		return;
	}
	if (m->missing)
		printf("      Missing: this machine cannot count '%s'\n", m->missing);
	else
		puts("      Missing: there is no formula for this processor");
	for (i = 0; (formula = named_metric_formula(index, i)); i++)
		print_formula(formula, m->percent, false);
}

static size_t list_metrics(const struct list_options *o, const struct list_kind *kind)
{
	struct named_metric m;
	size_t i, nr = 0;

	for (i = 0; named_metric_get(i, &m); i++) {
		if (is_wanted(o, kind, m.name, NULL) && list_event(o, kind, m.name, m.formula)) {
			nr++;
			if (o->details)
				print_metric(&m, i);
		}
		named_metric_free(&m);
	}
	return nr;
}

static size_t list_kind(const struct list_options *o, const struct list_kind *kind)
{
	if (kind->type == KIND_TOOL)
		return list_of_tool(o, kind);
	if (kind->type == KIND_PMU)
		return list_pmu_events(o, kind);
	if (kind->type == KIND_VENDOR)
		return list_vendor_events(o, list_kind_is_wanted(o, kind));
	if (kind->type == KIND_METRIC)
		return list_metrics(o, kind);
	if (kind->type == PERF_TYPE_HW_CACHE)
		return list_cache(o, kind);
	if (kind->type == PERF_TYPE_RAW)
		return list_raw(o, kind);
	if (kind->type == PERF_TYPE_TRACEPOINT)
		return list_tracepoints(o, kind);
	return list_named(o, kind);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct list_options *o = state->input;

	switch (key) {
	case 'a':
		o->all = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_DETAILS:
		o->details = true;
		return 0;
	case OPTION_PMU:
		o->pmu = arg;
		return 0;
	case OPTION_PMUS:
		o->pmus = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->filters = &state->argv[state->next];
		o->nr_filters = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_table[] = {
	{ "all", 'a', NULL, 0, "Also list events that cannot be counted here, and mark them", 0 },
	{ "details", OPTION_DETAILS, NULL, 0,
	  "Print the description, masks and numbers of each event", 0 },
	{ "pmu", OPTION_PMU, "PMU", 0,
	  "List the vendor's events of PMU, which may be of another machine", 0 },
	{ "unit", OPTION_PMU, NULL, OPTION_ALIAS, NULL, 0 },
	{ "json", 'j', NULL, 0, "Print a JSON array of the events", 0 },
	{ "output", 'o', "FILE", 0, "Print to FILE", 0 },
	{ "pmus", OPTION_PMUS, NULL, 0, "List the PMUs whose vendors' events are known", 0 },
	{ 0 }
};

static const struct argp list_argp = {
	.options = option_table,
	.parser = parse_option,
	.children = (const struct argp_child[]){ { &list_drop_in, 0, NULL, 0 }, { 0 } },
	.args_doc = "[hw|sw|cache|raw|tracepoint|pmu|vendor|metric|PATTERN...]",
	.doc =
	"List the events that this kernel can count: all, those of a kind, or those whose name contains or matches PATTERN.",
};

/*
 * Append suggestions for a pattern to @err. A name that matches the pattern exists, but was left
 * out, so it is not suggested. Return: true if something was appended.
 */
static bool suggest(const struct list_options *o, const char *pattern, struct error *err)
{
	char *typed = xasprintf("%s%s%s", o->pmu ? o->pmu : "", o->pmu ? "::" : "", pattern);
	struct suggestions near = { .typed = typed };
	struct named_metric metric;
	struct error unsaid = { "" };
	bool said = false;
	size_t i;

	if (o->pmu)
		vendor_consider_names(&near);
	else
		events_consider_all(&near);
	for (i = 0; !o->pmu && named_metric_get(i, &metric); i++) {
		suggestions_add(&near, metric.name);
		named_metric_free(&metric);
	}
	if (near.ranks[0] && list_matches(o, near.names[0]))
		suggestions_say(&near, &unsaid);
	else
		said = suggestions_say(&near, err);
	free(typed);
	return said;
}

static int refuse_filters(const struct list_options *o)
{
	bool only_kinds = true, said = false;
	struct error err;
	int i;

	for (i = 0; i < o->nr_filters; i++)
		only_kinds &= list_is_kind_word(o->filters[i]);
	if (only_kinds)
		error_set(&err, "this machine has no events of kind");
	else
		error_set(&err, "no event %s is called",
			  o->pmu ? "of that PMU" : "that this kernel can count");
	for (i = 0; i < o->nr_filters; i++)
		error_add(&err, " '%s'", o->filters[i]);
	if (o->nr_filters == 1 && !only_kinds)
		said = suggest(o, o->filters[0], &err);
	if (!tracefs_path() && !o->pmu)
		error_add(&err,
			  "%s tracepoints are unknown, as tracefs cannot be read: mount it on /sys/kernel/tracing and be root",
			  said ? "" : ";");
	else if (!o->all)
		error_add(&err, "%s 'perf list --all' also shows events that cannot be counted",
			  said ? "" : ";");
	complain("%s", err.text);
	return EXIT_FAILED;
}

/* Refuse words for kinds of events that only the kernel's perf has. */
static int refuse_words(const struct list_options *o)
{
	int i;

	for (i = 0; i < o->nr_filters; i++) {
		if (!strcmp(o->filters[i], "sdt"))
			complain("markers are not listed; use 'perf probe -x FILE PLACE'");
		else if (!strcmp(o->filters[i], "metricgroup"))
			complain("metrics have no groups; use 'perf list metric'");
		else
			continue;
		return -1;
	}
	return 0;
}

/* Make a file the standard output. */
static int redirect(const char *path)
{
	struct error err;
	FILE *file = open_output_file(path, false, &err);

	if (!file) {
		complain("-o: %s", err.text);
		return -1;
	}
	if (dup2(fileno(file), STDOUT_FILENO) < 0)
		die("-o: %s: %s", path, strerror(errno));
	fclose(file);
	return 0;
}

int cmd_list(int argc, char **argv)
{
	size_t nr_printed = 0;
	struct list_options options = { .nr_printed = &nr_printed };
	const struct list_kind *kind;
	struct pager pager;
	size_t nr = 0;

	parse_arguments(&list_argp, argc, argv, 0, &options);
	if (options.json && (options.pmus || options.details)) {
		complain("--json has the events alone; leave out --details and --pmus");
		return EXIT_USAGE;
	}
	if (options.output && redirect(options.output))
		return EXIT_FAILED;
	if (options.pmus)
		return list_vendor_pmus();
	if (refuse_words(&options))
		return EXIT_USAGE;
	if (options.pmu && list_check_pmu(options.pmu))
		return EXIT_FAILED;
	/* With --pmu, list all events of the PMU, countable or not. */
	options.all |= !!options.pmu;
	pager_start(&pager);
	fputs(options.json ? "[\n" : "", stdout);
	for (kind = list_kinds; kind->word; kind++) {
		if (!options.pmu || kind->type == KIND_VENDOR)
			nr += list_kind(&options, kind);
	}
	fputs(options.json ? "\n]\n" : "", stdout);
	pager_end(&pager);
	if (!nr)
		return refuse_filters(&options);
	list_warn(&options);
	return 0;
}

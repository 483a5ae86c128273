// SPDX-License-Identifier: GPL-2.0
/*
 * Events by their terms.
 *
 * A term is FIELD=VALUE; a FIELD alone, which means 1; the name of an event that the PMU
 * describes by terms; name=, a name for the event; branch_type=, the branches in its samples; or
 * another term about sampling, see sampling_terms.h. The CPU's PMU also has the generic hardware
 * and cache events, which take no further fields.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "branch_filter.h"
#include "event_names.h"
#include "event_terms.h"

/* The state of the parser. */
struct terms {
	const struct pmu *pmu;
	const char *all;		/* text that the user wrote */
	struct perf_event_attr *attr;
	char **name;
	struct sampling_terms *sampling;
	struct error *err;
};

static int parse_terms(const struct terms *t, const char *text, bool described);

static int parse_value(const struct terms *t, const struct pmu_field *field, const char *text)
{
	uint64_t value, max = pmu_field_max(field);
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end) {
		error_set(t->err,
			  "event '%s/%s/': '%s' of '%s' is not a number such as 192 or 0xc0",
			  t->pmu->name, t->all, text, field->name);
		return EXIT_USAGE;
	}
	if (errno || value > max) {
		error_set(t->err,
			  "event '%s/%s/': %s is too large for '%s', which takes 0 to 0x%" PRIx64,
			  t->pmu->name, t->all, text, field->name, max);
		return EXIT_USAGE;
	}
	pmu_field_set(field, t->attr, value);
	return 0;
}

static int refuse_term(const struct terms *t, const char *term)
{
	const char *nearest = NULL, *name;
	size_t best = 0, rank, i, length;

	for (i = 0; i < t->pmu->nr_fields; i++) {
		name = t->pmu->fields[i].name;
		rank = name_is_near(term, name);
		if (rank && (!best || rank < best)) {
			best = rank;
			nearest = name;
		}
	}
	error_set(t->err, "event '%s/%s/': unknown term '%s'", t->pmu->name, t->all, term);
	length = strlen(t->err->text);
	if (nearest)
		snprintf(t->err->text + length, sizeof(t->err->text) - length,
			 "; did you mean '%s'?", nearest);
	length = strlen(t->err->text);
	length += snprintf(t->err->text + length, sizeof(t->err->text) - length,
			   "%s terms are name, branch_type, " SAMPLING_TERM_NAMES,
			   nearest ? "" : ";");
	for (i = 0; i < t->pmu->nr_fields && length < sizeof(t->err->text); i++)
		length += snprintf(t->err->text + length, sizeof(t->err->text) - length, ", %s",
				   t->pmu->fields[i].name);
	return EXIT_USAGE;
}

static int set_name(const struct terms *t, const char *name)
{
	if (!*name) {
		error_set(t->err, "event '%s/%s/': name= needs a name", t->pmu->name, t->all);
		return EXIT_USAGE;
	}
	free(*t->name);
	*t->name = escape_name(name);
	return 0;
}

static int add_branch_type(const struct terms *t, const char *filter)
{
	struct error why;

	if (!branch_filter_parse(&t->attr->branch_sample_type, filter, &why))
		return 0;
	error_set(t->err, "event '%s/%s/': branch_type: %s", t->pmu->name, t->all, why.text);
	return EXIT_USAGE;
}

static int set_sampling(const struct terms *t, const char *term, const char *value)
{
	struct error why;

	if (!sampling_term_set(t->sampling, term, value, &why))
		return 0;
	error_set(t->err, "event '%s/%s/': %s", t->pmu->name, t->all, why.text);
	return EXIT_USAGE;
}

/*
 * Only the kernel knows the terms of a generic event, so further terms cannot be combined with it.
 */
static int refuse_mixture(const struct terms *t)
{
	error_set(t->err,
		  "event '%s/%s/': a generic event has no other terms here; write event= and umask= in its place",
		  t->pmu->name, t->all);
	return EXIT_USAGE;
}

/* Parse a term without a value. */
static int parse_word(const struct terms *t, const char *word, bool described)
{
	const struct pmu_field *field = pmu_field(t->pmu, word);
	char *terms = described ? NULL : pmu_event_terms(t->pmu, word);
	struct perf_event_attr generic = { 0 };
	int status;

	if (terms) {
		status = parse_terms(t, terms, true);
		free(terms);
		return status;
	}
	if (field) {
		pmu_field_set(field, t->attr, 1);
		return 0;
	}
	if (described || !pmu_is_of_cpus(t->pmu) || !event_find_named(word, &generic) ||
	    generic.type == PERF_TYPE_SOFTWARE)
		return refuse_term(t, word);
	if (t->attr->config)
		return refuse_mixture(t);
	t->attr->type = generic.type;
	t->attr->config = generic.config;
	/*
	 * With perf_event_open(2), the type of the PMU in the upper half restricts the event to
	 * one kind of CPU.
	 */
	if (strcmp(t->pmu->name, "cpu"))
		t->attr->config |= (__u64)t->pmu->type << PERF_PMU_TYPE_SHIFT;
	return 0;
}

/* Parse terms. @described is true if they come from sysfs, as the description of an event. */
static int parse_terms(const struct terms *t, const char *text, bool described)
{
	const struct pmu_field *field;
	size_t length;
	char *term, *value;
	int status;

	do {
		length = strcspn(text, ",");
		if (!length) {
			error_set(t->err, "event '%s/%s/': a term is missing%s", t->pmu->name,
				  t->all, *t->all ? " beside a comma" : "; write event=NUMBER");
			return EXIT_USAGE;
		}
		term = xstrndup(text, length);
		value = strchr(term, '=');
		if (value)
			*value++ = '\0';
		field = pmu_field(t->pmu, term);
		if (value && !strcmp(term, "name"))
			status = set_name(t, value);
		else if (value && !strcmp(term, "branch_type"))
			status = add_branch_type(t, value);
		else if (!field && sampling_term_is_known(term))
			status = set_sampling(t, term, value);
		else if (t->attr->type != t->pmu->type)
			status = refuse_mixture(t);
		else if (!value)
			status = parse_word(t, term, described);
		else if (!field)
			status = refuse_term(t, term);
		else
			status = parse_value(t, field, value);
		free(term);
		text += length;
	} while (!status && *text++);
	return status;
}

int event_terms_parse(const struct pmu *pmu, const char *terms, struct perf_event_attr *attr,
		      char **name, struct sampling_terms *sampling, struct error *err)
{
	const struct terms t = { pmu, terms, attr, name, sampling, err };

	attr->type = pmu->type;
	return parse_terms(&t, terms, false);
}

// SPDX-License-Identifier: GPL-2.0
/* Events by name: parse what a user writes into type, config and exclude bits. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "syscall.h"
#include "event_names.h"
#include "event_terms.h"
#include "events.h"
#include "pmu.h"
#include "tracepoints.h"
#include "vendor_events.h"

/* Digits of a raw event: 64 bits in hexadecimal. */
#define RAW_DIGITS_MAX 16

/* The highest precise_ip: no skid. */
#define PRECISE_MAX 3

bool event_is_clock(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_TASK_CLOCK ||
		event->attr.config == PERF_COUNT_SW_CPU_CLOCK);
}

bool event_is_in_ns(const struct event *event)
{
	return event_is_clock(event) || event_is_off_cpu(&event->attr);
}

/* Return the modifiers at the end of an event's name. */
static const char *modifiers_of_name(const struct event *event)
{
	const char *end = event->name + strlen(event->name);

	if (!event->name_has_modifiers)
		return end;
	while (end > event->name && isalpha((unsigned char)end[-1]))
		end--;
	return end;
}

/* Append modifiers to the name of an event, after one colon. */
static void add_to_name(struct event *event, const char *mods, size_t length)
{
	char *name = xasprintf("%s%s%.*s", event->name, event->name_has_modifiers ? "" : ":",
			       (int)length, mods);

	free(event->name);
	event->name = name;
	event->name_has_modifiers = true;
}

/* Append the modifiers of a group to the name of a member, except those that it already has. */
static void add_group_to_name(struct event *event, const char *mods, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		/* These modifiers apply to the group, and not to its events. */
		if (strchr("SWbX", mods[i]))
			continue;
		if (mods[i] == 'p' || !strchr(modifiers_of_name(event), mods[i]))
			add_to_name(event, mods + i, 1);
	}
}

bool event_is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

const char *events_of_tool(const struct event_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (list->events[i].tool)
			return list->events[i].name;
	}
	return NULL;
}

bool events_count_kernel(const struct event_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct perf_event_attr *attr = &list->events[i].attr;

		if (!attr->exclude_kernel && !event_is_dummy(attr))
			return true;
	}
	return false;
}

/* Return true for a generic event whose config names no PMU in its upper half. */
static bool names_no_kind(const struct perf_event_attr *attr)
{
	return (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE) &&
	       !(attr->config >> PERF_PMU_TYPE_SHIFT);
}

void events_warn_of_kinds(const struct event_list *list)
{
	char *each;
	size_t i;

	for (i = 0; i < list->nr && !names_no_kind(&list->events[i].attr); i++)
		;
	if (i == list->nr || syscall_is_perf_counter())
		return;
	each = pmu_each_kind(PMU_DEVICES, "EVENT", ", ");
	if (each)
		warn("with perf_event_open, '%s' counts on cpu_core alone; for each kind, write %s",
		     list->events[i].name, each);
	free(each);
}

void event_exclude_kernel(struct event *event)
{
	add_to_name(event, "u", 1);
	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	event->has_modifiers = true;
}

/* Count the hexadecimal digits of a raw event, "r1a8". Return 0 for any other name. */
static size_t raw_digits(const char *name)
{
	size_t digits;

	if (tolower((unsigned char)*name) != 'r')
		return 0;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	return name[1 + digits] ? 0 : digits;
}

/*
 * Modifiers of a mode name the modes to count, so all other modes are excluded: "u" excludes
 * the kernel and the hypervisor. Modes of a group are added to those of its member. Each p raises
 * precise_ip by one; P means the highest that the machine has.
 */
static int apply_modifiers(struct event *event, const char *mods, size_t length)
{
	bool user = false, kernel = false, hv = false, host = false, guest = false;
	struct perf_event_attr *attr = &event->attr;
	unsigned int precise = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		switch (mods[i]) {
		case 'u':
			user = true;
			break;
		case 'k':
			kernel = true;
			break;
		case 'h':
			hv = true;
			break;
		case 'H':
			host = true;
			break;
		case 'G':
			guest = true;
			break;
		case 'I':
			attr->exclude_idle = 1;
			break;
		case 'D':
			attr->pinned = 1;
			break;
		case 'e':
			attr->exclusive = 1;
			break;
		case 'p':
			precise++;
			break;
		case 'P':
			event->precise_max = true;
			break;
		case 'S':
			event->reads_group = true;
			break;
		case 'b':
		case 'X':
			/*
			 * Ignore b and X: the tool counts with no BPF program, and rearranges no
			 * groups.
			 */
			break;
		case 'W':
			event->weak = true;
			break;
		default:
			return -1;
		}
	}
	if (!length || precise > PRECISE_MAX)
		return -1;
	if (user || kernel || hv) {
		if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv) {
			user |= !attr->exclude_user;
			kernel |= !attr->exclude_kernel;
			hv |= !attr->exclude_hv;
		}
		attr->exclude_user = !user;
		attr->exclude_kernel = !kernel;
		attr->exclude_hv = !hv;
		event->has_modifiers = true;
	}
	if (host || guest) {
		attr->exclude_host = !host;
		attr->exclude_guest = !guest;
	}
	if (event->precise_max)
		attr->precise_ip = PRECISE_MAX;
	else if (precise)
		attr->precise_ip = precise;
	return 0;
}

static int consider_tracepoint(void *near, const char *system, const char *name)
{
	char *whole = xasprintf("%s:%s", system, name);

	suggestions_add(near, whole);
	free(whole);
	return 0;
}

static void consider_pmu_event(void *near, const char *pmu, const char *event)
{
	(void)pmu;
	suggestions_add(near, event);
}

void events_consider_all(struct suggestions *near)
{
	size_t i;

	for (i = 0; tool_event_name(i); i++)
		suggestions_add(near, tool_event_name(i));
	event_consider_names(near);
	pmu_walk_events(PMU_DEVICES, consider_pmu_event, near);
	vendor_consider_names(near);
	if (strchr(near->typed, ':'))
		tracepoint_walk("*", "*", consider_tracepoint, near);
}

/*
 * Append suggestions for @typed to @err, and a hint where to look. Return: true if there was a name
 * similar to @typed.
 */
static bool suggest(struct error *err, const char *typed)
{
	struct suggestions near = { .typed = typed };
	bool any;

	events_consider_all(&near);
	any = suggestions_say(&near, err);
	error_add(err, "%s 'perf list' shows the events", any ? "" : ";");
	return any;
}

/*
 * Find a raw event. If CPUs are of several kinds, refuse it, because its meaning depends on the
 * PMU.
 */
static int find_raw(struct event *event, const char *name, struct error *err)
{
	char *terms = xasprintf("config=0x%s", name + 1);
	char *each = pmu_each_kind(PMU_DEVICES, terms, " or ");

	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = strtoull(name + 1, NULL, 16);
	if (each)
		error_set(err,
			  "event '%s': this machine has several kinds of CPUs with different event numbers; write %s",
			  name, each);
	free(terms);
	free(each);
	return each ? EXIT_USAGE : 0;
}

/*
 * Find an event that the tool measures. Its dummy counter counts nothing, so it needs no permission
 * for the kernel.
 */
static bool find_of_tool(struct event *event, const char *name)
{
	event->tool = tool_event_find(name);
	if (!event->tool)
		return false;
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_DUMMY;
	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	event->has_modifiers = true;
	return true;
}

/* Find an event that is neither a tracepoint nor of a named PMU. @name has no modifiers. */
static int find_event(struct event *event, const char *name, struct error *err)
{
	size_t digits;

	if (find_of_tool(event, name) || event_find_named(name, &event->attr))
		return 0;
	digits = raw_digits(name);
	if (digits > RAW_DIGITS_MAX) {
		error_set(err, "event '%s': a raw event is a number of 64 bits, %d digits at most",
			  name, RAW_DIGITS_MAX);
		return EXIT_USAGE;
	}
	if (digits)
		return find_raw(event, name, err);
	error_set(err, "unknown event '%s'", name);
	suggest(err, name);
	return EXIT_FAILED;
}

static bool is_event(const char *name)
{
	struct perf_event_attr attr;

	return tool_event_find(name) || event_find_named(name, &attr) || raw_digits(name);
}

static int find_tracepoint(struct event *event, const char *system, const char *name,
			   struct error *err)
{
	long id = tracepoint_id(system, name);
	char *typed;

	if (id >= 0) {
		event->attr.type = PERF_TYPE_TRACEPOINT;
		event->attr.config = id;
		return 0;
	}
	if (errno == EACCES) {
		error_set(err, "event '%s:%s': no permission to read its number in tracefs; be root",
			  system, name);
		return EXIT_FAILED;
	}
	/* The text may also be a mistyped name of a vendor's event, with a mask after the colon. */
	typed = xasprintf("%s:%s", system, name);
	error_set(err, "unknown event '%s'%s", typed,
		  tracefs_path() ? ": there is no such tracepoint" : "");
	if (!suggest(err, typed) && !tracefs_path())
		error_set(err,
			  "event '%s': tracefs cannot be read; mount it on /sys/kernel/tracing and be root",
			  typed);
	free(typed);
	return EXIT_FAILED;
}

static int add_modifiers(struct event *event, const char *mods, size_t length, struct error *err)
{
	if (!apply_modifiers(event, mods, length))
		return 0;
	error_set(err,
		  "event '%s': '%.*s' are not modifiers; use u, k, h, G, H, I, D, e, P or up to three p, S, and W for a group",
		  event->name, (int)length, mods);
	return EXIT_USAGE;
}

/* Load a PMU. A CPU PMU without a description in sysfs gets the layout of the manuals. */
static int find_pmu(struct pmu *pmu, const char *name, struct error *err)
{
	char *cpuinfo;

	if (pmu_load(pmu, PMU_DEVICES, name))
		return 0;
	if (!strcmp(name, "cpu")) {
		pmu_free(pmu);
		cpuinfo = read_text_file("/proc/cpuinfo", NULL);
		pmu_make_cpu(pmu, cpu_vendor(cpuinfo ? cpuinfo : ""));
		free(cpuinfo);
		return 0;
	}
	error_set(err, "there is no PMU '%s'; see " PMU_DEVICES " for the PMUs of this machine",
		  name);
	return EXIT_FAILED;
}

static int refuse_several(const char *name, struct error *err)
{
	char *each = pmu_each_kind(PMU_DEVICES, name, " or ");

	error_set(err, "event '%s': each kind of CPU has its own; write %s", name, each);
	free(each);
	return EXIT_USAGE;
}

/* Find an event that a PMU describes: its name stands for terms. */
static int find_pmu_event(struct event *event, const char *pmu_name, const char *name,
			  struct error *err)
{
	char *renamed = NULL;
	struct pmu pmu;
	int status;

	status = find_pmu(&pmu, pmu_name, err);
	if (!status)
		status = event_terms_parse(&pmu, name, &event->attr, &renamed,
					   &event->sampling, err);
	pmu_free(&pmu);
	free(renamed);
	return status;
}

static void apply_encoding(struct event *event, const struct vendor_encoding *e)
{
	struct perf_event_attr *attr = &event->attr;

	attr->type = e->type;
	attr->config = e->config;
	attr->config1 = e->config1;
	attr->config2 = e->config2;
	event->absent_pmu = e->absent ? e->pmu : NULL;
	event->name_has_modifiers = e->ends_in_modifiers;
	if (e->has_modes) {
		attr->exclude_user = e->exclude_user;
		attr->exclude_kernel = e->exclude_kernel;
		attr->exclude_hv = e->exclude_hv;
		event->has_modifiers = true;
	}
	if (e->has_guests) {
		attr->exclude_host = e->exclude_host;
		attr->exclude_guest = e->exclude_guest;
	}
}

/* Find an event by a vendor's name. Return: the value of vendor_event_find(). */
static int parse_vendor(struct event *event, const char *spec, struct error *err)
{
	struct vendor_encoding encoding;
	int status = vendor_event_find(spec, &encoding, err);

	if (status)
		return status;
	apply_encoding(event, &encoding);
	if (*encoding.modifiers)
		status = add_modifiers(event, encoding.modifiers, strlen(encoding.modifiers), err);
	free(encoding.modifiers);
	return status;
}

/*
 * Return true if the name, up to its first colon, is an event or tracepoint of the kernel.
 * Otherwise it may be an event of a vendor.
 */
static bool is_ours(const char *name, const char *rest)
{
	char *tracepoint;
	bool ours;

	if (is_event(name))
		return true;
	tracepoint = xstrndup(rest, strcspn(rest, ":"));
	ours = tracepoint_id(name, tracepoint) >= 0;
	free(tracepoint);
	return ours;
}

static bool may_be_modifiers(const char *text)
{
	return !text[strspn(text, "ukhGHIDepPSWbX")];
}

/* Parse NAME, NAME:MODIFIERS, SYSTEM:NAME or SYSTEM:NAME:MODIFIERS. */
static int parse_ours(struct event *event, char *spec, struct error *err)
{
	char *first = strchr(spec, ':');
	char *second = first ? strchr(first + 1, ':') : NULL;
	char *mods = NULL, *pmu = NULL;
	bool several = false;
	int status;

	if (first)
		*first++ = '\0';
	if (second)
		*second++ = '\0';
	if (!second && !is_event(spec))
		pmu = pmu_of_event(PMU_DEVICES, spec, &several);

	/*
	 * After one colon: modifiers of an event, or the name of a tracepoint. Text that reads
	 * like modifiers is a name only if that tracepoint exists.
	 */
	if (pmu) {
		mods = first;
		status = several ? refuse_several(spec, err) :
				   find_pmu_event(event, pmu, spec, err);
	} else if (second || (first && !is_event(spec) &&
			      (!may_be_modifiers(first) || tracepoint_id(spec, first) >= 0))) {
		mods = second;
		status = find_tracepoint(event, spec, first, err);
	} else {
		mods = first;
		status = find_event(event, spec, err);
	}
	free(pmu);
	if (status || !mods)
		return status;
	event->name_has_modifiers = true;
	return add_modifiers(event, mods, strlen(mods), err);
}

/* Parse a name. Names of the tool and the kernel take precedence over vendors' names. */
static int parse_named(struct event *event, char *spec, struct error *err)
{
	size_t length = strcspn(spec, ":");
	char *name = xstrndup(spec, length);
	bool named = !strncmp(spec + length, "::", 2);
	char *pmu = named ? NULL : pmu_of_event(PMU_DEVICES, name, NULL);
	int status = VENDOR_UNKNOWN;

	if (named || (!pmu && !is_ours(name, spec + length + !!spec[length])))
		status = parse_vendor(event, spec, err);
	free(pmu);
	free(name);
	if (status != VENDOR_UNKNOWN)
		return status;
	if (named) {
		error_set(err, "unknown event '%s'", spec);
		suggest(err, spec);
		return EXIT_FAILED;
	}
	return parse_ours(event, spec, err);
}

/* Set the CPUs on which a PMU counts, and unit and scale if @terms are one of its events. */
static int set_place(struct event *event, const struct pmu *pmu, const char *terms,
		     struct error *err)
{
	const char *cpus = pmu->cpus ? pmu->cpus : pmu->cpumask;

	if (cpus && int_list_parse(&event->cpus, cpus, "CPU", err))
		return EXIT_FAILED;
	event->of_machine = pmu->cpumask;
	event->unit = pmu_event_unit(pmu, terms);
	event->scale = pmu_event_scale(pmu, terms);
	return 0;
}

/* Return true if the text before terms is the name of an event, and not that of a PMU. */
static bool is_name_of_event(const char *owner)
{
	struct vendor_encoding encoding;
	struct error ignored;
	char *pmu;

	if (pmu_exists(PMU_DEVICES, owner))
		return false;
	if (strchr(owner, ':') || is_event(owner))
		return true;
	pmu = pmu_of_event(PMU_DEVICES, owner, NULL);
	if (pmu) {
		free(pmu);
		return true;
	}
	if (vendor_event_find(owner, &encoding, &ignored))
		return false;
	free(encoding.modifiers);
	return true;
}

/* Parse the terms of an event that has a name. */
static int parse_terms_of_named(struct event *event, const char *owner, const char *terms,
				char **name, struct error *err)
{
	char *spec = xstrdup(owner);
	int status = parse_named(event, spec, err);
	struct pmu pmu;

	free(spec);
	/* Readers of recordings know a tracepoint by its name, so the name has no terms. */
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		*name = xstrdup(owner);
	if (status || !*terms)
		return status;
	pmu_make_named(&pmu, owner, event->attr.type);
	status = event_terms_parse(&pmu, terms, &event->attr, name, &event->sampling, err);
	pmu_free(&pmu);
	return status;
}

static int parse_terms_of_pmu(struct event *event, const char *owner, const char *terms,
			      char **name, struct error *err)
{
	struct pmu pmu;
	int status = find_pmu(&pmu, owner, err);

	if (!status)
		status = set_place(event, &pmu, terms, err);
	if (!status)
		status = event_terms_parse(&pmu, terms, &event->attr, name, &event->sampling, err);
	pmu_free(&pmu);
	return status;
}

/* Parse OWNER/TERMS/, OWNER/TERMS/MODIFIERS or OWNER/TERMS/:MODIFIERS; @first: the first slash. */
static int parse_with_terms(struct event *event, char *spec, char *first, struct error *err)
{
	char *second = strchr(first + 1, '/'), *name = NULL;
	int status;

	if (!second) {
		error_set(err, "event '%s': the slash after its terms is missing", spec);
		return EXIT_USAGE;
	}
	*first++ = '\0';
	*second++ = '\0';
	if (!strcmp(spec, "tool") && find_of_tool(event, first))
		status = 0;
	else if (is_name_of_event(spec))
		status = parse_terms_of_named(event, spec, first, &name, err);
	else
		status = parse_terms_of_pmu(event, spec, first, &name, err);
	if (name) {
		free(event->name);
		event->name = name;
	}
	if (status || !*second)
		return status;
	second += *second == ':';
	if (name)
		add_to_name(event, second, strlen(second));
	event->name_has_modifiers = true;
	return add_modifiers(event, second, strlen(second), err);
}

static int parse_event(struct event *event, char *spec, struct error *err)
{
	char *slash = strchr(spec, '/');

	return slash ? parse_with_terms(event, spec, slash, err) : parse_named(event, spec, err);
}

static void free_event(struct event *event)
{
	free(event->name);
	free(event->filter);
	int_list_free(&event->cpus);
	free(event->unit);
}

int event_find(const char *name, struct perf_event_attr *attr, const char **absent_pmu,
	       struct error *err)
{
	struct event event = { .name = xstrdup(name) };
	char *spec = xstrdup(name);
	int status = parse_event(&event, spec, err);

	*attr = event.attr;
	*absent_pmu = event.absent_pmu;
	free_event(&event);
	free(spec);
	return status;
}

static struct event *add_event(struct event_list *list, const char *name, size_t length)
{
	struct event *event;

	list->events = xreallocarray(list->events, list->nr + 1, sizeof(*list->events));
	event = &list->events[list->nr];
	*event = (struct event){ .name = xstrndup(name, length), .leader = list->nr };
	list->nr++;
	return event;
}

/* Return the length of the first event. Commas between slashes separate terms. */
static size_t event_length(const char *text)
{
	size_t length = strcspn(text, ",{}/");

	if (text[length] != '/')
		return length;
	length += 1 + strcspn(text + length + 1, "/");
	return length + strcspn(text + length, ",{}");
}

/* Arguments of add_tracepoint(). */
struct pattern {
	struct event_list *list;
	const char *rest;	/* terms and modifiers, with the slash or colon before them */
	struct error *err;
};

static int add_tracepoint(void *context, const char *system, const char *name)
{
	struct pattern *pattern = context;
	char *spec;
	int status;

	if (tracepoint_id(system, name) < 0)
		return 0;
	spec = xasprintf("%s:%s%s", system, name, pattern->rest);
	status = parse_event(add_event(pattern->list, spec, strlen(spec)), spec, pattern->err);
	free(spec);
	return status;
}

/* Return true if @spec is SYSTEM:NAME[:MODIFIERS] with a pattern in SYSTEM or NAME. */
static bool is_pattern(const char *spec)
{
	const char *colon = strchr(spec, ':');
	size_t special = strcspn(spec, "*?[");

	return colon && spec[special] &&
	       special < (size_t)(colon - spec) + 1 + strcspn(colon + 1, ":/");
}

static int parse_pattern(struct event_list *list, char *spec, struct error *err)
{
	char *name = strchr(spec, ':') + 1;
	char *rest = xstrdup(name + strcspn(name, ":/"));
	struct pattern pattern = { .list = list, .rest = rest, .err = err };
	size_t before = list->nr;
	int status;

	name[strcspn(name, ":/")] = '\0';
	name[-1] = '\0';
	status = tracepoint_walk(spec, name, add_tracepoint, &pattern);
	free(rest);
	if (status || list->nr > before)
		return status;
	if (tracefs_path())
		error_set(err, "no tracepoint matches '%s:%s'; 'perf list tracepoint' shows all",
			  spec, name);
	else
		error_set(err,
			  "'%s:%s': tracefs cannot be read; mount it on /sys/kernel/tracing and be root",
			  spec, name);
	return EXIT_FAILED;
}

/* Refuse W after a single event: only groups can be split. */
static int check_weak(const struct event_list *list, struct error *err)
{
	size_t i;

	for (i = list->last; i < list->nr; i++) {
		if (!list->events[i].weak)
			continue;
		error_set(err, "event '%s': W is for groups: {EVENT,EVENT}:W",
			  list->events[i].name);
		return EXIT_USAGE;
	}
	return 0;
}

static int parse_one(struct event_list *list, const char **text, struct error *err)
{
	size_t length = event_length(*text);
	char *spec;
	int status;

	if (!length) {
		error_set(err, "an event is missing before '%s'", *text);
		return EXIT_USAGE;
	}
	spec = xstrndup(*text, length);
	list->last = list->nr;
	if (is_pattern(spec))
		status = parse_pattern(list, spec, err);
	else
		status = parse_event(add_event(list, *text, length), spec, err);
	free(spec);
	*text += length;
	return status ? status : check_weak(list, err);
}

/* Check that only the leader of a group is pinned or exclusive: members follow the leader. */
static int check_members(const struct event_list *list, size_t leader, struct error *err)
{
	size_t i;

	for (i = leader + 1; i < list->nr; i++) {
		const struct event *event = &list->events[i];

		if (!event->attr.pinned && !event->attr.exclusive)
			continue;
		error_set(err, "event '%s': D and e are for the first event of a group",
			  event->name);
		return EXIT_USAGE;
	}
	return 0;
}

/* Parse modifiers after the closing brace and apply them to each event of the group. */
static int parse_group_modifiers(struct event_list *list, size_t leader, const char **text,
				 struct error *err)
{
	size_t length, i;
	int status;

	if (**text != ':')
		return 0;
	length = strcspn(++*text, ",{}");
	for (i = leader; i < list->nr; i++) {
		struct event *event = &list->events[i];

		status = add_modifiers(event, *text, length, err);
		if (status)
			return status;
		add_group_to_name(event, *text, length);
		if (i > leader) {
			event->attr.pinned = 0;
			event->attr.exclusive = 0;
		}
	}
	*text += length;
	return 0;
}

static int parse_group(struct event_list *list, const char **text, struct error *err)
{
	const char *start = *text;
	size_t i, leader = list->nr;
	int status;

	do {
		(*text)++;		/* skip the brace or the comma */
		status = parse_one(list, text, err);
		if (status)
			return status;
		for (i = list->last; i < list->nr; i++)
			list->events[i].leader = leader;
	} while (**text == ',');
	if (**text != '}') {
		error_set(err, "the group '%s' has no closing brace", start);
		return EXIT_USAGE;
	}
	(*text)++;
	status = check_members(list, leader, err);
	return status ? status : parse_group_modifiers(list, leader, text, err);
}

int event_list_parse(struct event_list *list, const char *text, struct error *err)
{
	int status;

	for (;;) {
		status = *text == '{' ? parse_group(list, &text, err) : parse_one(list, &text, err);
		if (status || !*text)
			return status;
		if (*text != ',') {
			error_set(err, "events: a comma is missing before '%s'", text);
			return EXIT_USAGE;
		}
		text++;
	}
}

int event_list_set_filter(struct event_list *list, const char *filter, struct error *err)
{
	size_t i;

	if (!list->nr) {
		error_set(err,
			  "--filter applies to the preceding tracepoint: -e SYSTEM:NAME --filter '...'");
		return -1;
	}
	for (i = list->last; i < list->nr; i++) {
		struct event *event = &list->events[i];

		if (event->attr.type != PERF_TYPE_TRACEPOINT) {
			error_set(err,
				  "--filter: the preceding event '%s' is not a tracepoint and has no fields",
				  event->name);
			return -1;
		}
		if (event->filter) {
			error_set(err, "--filter: event '%s' already has a filter; join the two with &&",
				  event->name);
			return -1;
		}
		event->filter = xstrdup(filter);
	}
	return 0;
}

static struct event copy_event(const struct event *event, size_t leader)
{
	struct event copy = *event;

	copy.name = xstrdup(event->name);
	copy.filter = event->filter ? xstrdup(event->filter) : NULL;
	copy.unit = event->unit ? xstrdup(event->unit) : NULL;
	copy.cpus = (struct int_list){ 0 };
	int_list_add_new(&copy.cpus, &event->cpus);
	copy.leader = leader;
	return copy;
}

void event_list_repeat(struct event_list *list, size_t nr)
{
	size_t i, first = list->nr;

	list->events = xreallocarray(list->events, first + nr, sizeof(*list->events));
	for (i = 0; i < nr; i++)
		list->events[first + i] = copy_event(&list->events[i],
						     first + list->events[i].leader);
	list->nr += nr;
	list->last = first;
}

void event_list_free(struct event_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		free_event(&list->events[i]);
	free(list->events);
	*list = (struct event_list){ 0 };
}

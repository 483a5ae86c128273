// SPDX-License-Identifier: GPL-2.0
/*
 * Events by name: what a user writes becomes type, config and exclude bits.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "suggest.h"

const struct event_name event_names[] = {
	{ "cpu-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branch-instructions", "branches", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ 0 },
};

/* Parts of a cache event's name, by their numbers in config. */
static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const char *const cache_ops[] = { "load", "store", "prefetch" };

#define CACHE_OPS ARRAY_SIZE(cache_ops)
#define CACHE_RESULTS 2		/* accesses and misses */

char *cache_event_name(size_t index, __u64 *config)
{
	size_t cache = index / (CACHE_OPS * CACHE_RESULTS);
	size_t op = index / CACHE_RESULTS % CACHE_OPS;
	size_t result = index % CACHE_RESULTS;

	if (cache >= ARRAY_SIZE(cache_names))
		return NULL;
	*config = cache | op << 8 | result << 16;
	if (result)
		return xasprintf("%s-%s-misses", cache_names[cache], cache_ops[op]);
	/* What is fetched is prefetched, stored and loaded in the plural. */
	return xasprintf("%s-%s%s", cache_names[cache], cache_ops[op],
			 op == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s");
}

const char *tracefs_path(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	size_t i;
	char *events;
	int found;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		events = xasprintf("%s/events", paths[i]);
		found = !access(events, R_OK | X_OK);
		free(events);
		if (found)
			return paths[i];
	}
	return NULL;
}

static bool is_file_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

long tracepoint_id(const char *system, const char *name)
{
	const char *tracefs = tracefs_path();
	char *path, *text, *end;
	long id = -1;

	if (!tracefs || !is_file_name(system) || !is_file_name(name))
		return -1;
	path = xasprintf("%s/events/%s/%s/id", tracefs, system, name);
	text = read_text_file(path, NULL);
	if (text) {
		id = strtol(text, &end, 10);
		if (end == text)
			id = -1;
	}
	free(text);
	free(path);
	return id;
}

bool event_is_clock(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_TASK_CLOCK ||
		event->attr.config == PERF_COUNT_SW_CPU_CLOCK);
}

void event_exclude_kernel(struct event *event)
{
	char *name = xasprintf("%s:u", event->name);

	free(event->name);
	event->name = name;
	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	event->has_modifiers = true;
}

static bool find_named(const char *name, struct perf_event_attr *attr)
{
	const struct event_name *n;

	for (n = event_names; n->name; n++) {
		if (!strcasecmp(name, n->name) || (n->alias && !strcasecmp(name, n->alias))) {
			attr->type = n->type;
			attr->config = n->config;
			return true;
		}
	}
	return false;
}

static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	bool found = false;
	__u64 config;
	size_t i;
	char *s;

	for (i = 0; !found && (s = cache_event_name(i, &config)); i++) {
		found = !strcasecmp(name, s);
		free(s);
	}
	if (found) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
	}
	return found;
}

/* "r1a8": the processor's own number of an event, in hexadecimal. */
static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	size_t digits;

	if (tolower((unsigned char)*name) != 'r')
		return false;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || name[1 + digits])
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, NULL, 16);
	return true;
}

/*
 * Modifiers of a mode name what is counted, so all others are excluded: "u" is
 * not kernel and not hypervisor. p asks for precision, as often as it is given.
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
		default:
			return -1;
		}
	}
	if (!length || precise > 3)
		return -1;
	if (user || kernel || hv) {
		attr->exclude_user = !user;
		attr->exclude_kernel = !kernel;
		attr->exclude_hv = !hv;
		event->has_modifiers = true;
	}
	if (host || guest) {
		attr->exclude_host = !host;
		attr->exclude_guest = !guest;
	}
	if (precise)
		attr->precise_ip = precise;
	return 0;
}

/* Up to three names near to what was typed: " 'a', 'b'?". */
static void add_suggestions(struct error *err, const char *typed)
{
	const char *near[3] = { NULL }, *name;
	const struct event_name *n;
	size_t ranks[3] = { 0 };
	size_t length, rank, i, j;

	for (n = event_names; n->name; n++) {
		name = n->name;
		rank = name_is_near(typed, name);
		if (n->alias) {
			size_t alias = name_is_near(typed, n->alias);

			if (alias && (!rank || alias < rank)) {
				rank = alias;
				name = n->alias;
			}
		}
		if (!rank)
			continue;
		for (i = 0; i < ARRAY_SIZE(near) && ranks[i] && ranks[i] <= rank; i++)
			;
		if (i == ARRAY_SIZE(near))
			continue;
		for (j = ARRAY_SIZE(near) - 1; j > i; j--) {
			near[j] = near[j - 1];
			ranks[j] = ranks[j - 1];
		}
		near[i] = name;
		ranks[i] = rank;
	}
	for (i = 0; i < ARRAY_SIZE(near) && ranks[i]; i++) {
		length = strlen(err->text);
		snprintf(err->text + length, sizeof(err->text) - length, "%s'%s'",
			 i ? ", " : "; did you mean ", near[i]);
	}
	length = strlen(err->text);
	snprintf(err->text + length, sizeof(err->text) - length, "%s 'perf list' shows the events",
		 ranks[0] ? "?" : ";");
}

/* @spec without modifiers, or with those of a tracepoint: SYSTEM:NAME[:MODIFIERS]. */
static int find_event(struct event *event, const char *name, struct error *err)
{
	if (find_named(name, &event->attr) || find_cache(name, &event->attr) ||
	    find_raw(name, &event->attr))
		return 0;
	error_set(err, "unknown event '%s'", name);
	add_suggestions(err, name);
	return -1;
}

static int find_tracepoint(struct event *event, const char *system, const char *name,
			   struct error *err)
{
	long id = tracepoint_id(system, name);

	if (id >= 0) {
		event->attr.type = PERF_TYPE_TRACEPOINT;
		event->attr.config = id;
		return 0;
	}
	if (tracefs_path())
		error_set(err,
			  "unknown event '%s:%s': there is no such tracepoint; 'perf list tracepoint' shows them",
			  system, name);
	else
		error_set(err,
			  "event '%s:%s': tracefs cannot be read; mount it on /sys/kernel/tracing and be root",
			  system, name);
	return -1;
}

/* NAME, NAME:MODIFIERS, SYSTEM:NAME or SYSTEM:NAME:MODIFIERS. */
static int parse_event(struct event *event, char *spec, struct error *err)
{
	char *first = strchr(spec, ':');
	char *second = first ? strchr(first + 1, ':') : NULL;
	char *mods = NULL;
	int status;

	if (first)
		*first++ = '\0';
	if (second)
		*second++ = '\0';

	/* One colon: what follows are modifiers if the part before is an event. */
	if (second || (first && !find_named(spec, &event->attr) &&
		       !find_cache(spec, &event->attr) && !find_raw(spec, &event->attr) &&
		       tracepoint_id(spec, first) >= 0)) {
		mods = second;
		status = find_tracepoint(event, spec, first, err);
	} else {
		mods = first;
		status = find_event(event, spec, err);
	}
	if (status)
		return -1;
	if (mods && apply_modifiers(event, mods, strlen(mods))) {
		error_set(err,
			  "event '%s': '%s' are no modifiers; they are u, k, h, G, H, I, D, e and up to three p",
			  event->name, mods);
		return -1;
	}
	return 0;
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

static int parse_one(struct event_list *list, const char **text, struct error *err)
{
	size_t length = strcspn(*text, ",{}");
	char *spec;
	int status;

	if (!length) {
		error_set(err, "an event is missing before '%s'", *text);
		return -1;
	}
	spec = xstrndup(*text, length);
	status = parse_event(add_event(list, *text, length), spec, err);
	free(spec);
	*text += length;
	return status;
}

/* Modifiers behind a group's brace are those of each of its events. */
static int parse_group_modifiers(struct event_list *list, size_t leader, const char **text,
				 struct error *err)
{
	size_t length, i;
	char *name;

	if (**text != ':')
		return 0;
	length = strcspn(++*text, ",{}");
	for (i = leader; i < list->nr; i++) {
		struct event *event = &list->events[i];

		if (apply_modifiers(event, *text, length)) {
			error_set(err,
				  "group of '%s': '%.*s' are no modifiers; they are u, k, h, G, H, I, D, e and up to three p",
				  list->events[leader].name, (int)length, *text);
			return -1;
		}
		name = xasprintf("%s%s%.*s", event->name, strchr(event->name, ':') ? "" : ":",
				 (int)length, *text);
		free(event->name);
		event->name = name;
	}
	*text += length;
	return 0;
}

static int parse_group(struct event_list *list, const char **text, struct error *err)
{
	const char *start = *text;
	size_t leader = list->nr;

	do {
		(*text)++;		/* the brace or a comma */
		if (parse_one(list, text, err))
			return -1;
		list->events[list->nr - 1].leader = leader;
	} while (**text == ',');
	if (**text != '}') {
		error_set(err, "the group '%s' has no closing brace", start);
		return -1;
	}
	(*text)++;
	return parse_group_modifiers(list, leader, text, err);
}

int event_list_parse(struct event_list *list, const char *text, struct error *err)
{
	for (;;) {
		if (*text == '{' ? parse_group(list, &text, err) : parse_one(list, &text, err))
			return -1;
		if (!*text)
			return 0;
		if (*text != ',') {
			error_set(err, "events: a comma is missing before '%s'", text);
			return -1;
		}
		text++;
	}
}

void event_list_free(struct event_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		free(list->events[i].name);
	free(list->events);
	*list = (struct event_list){ 0 };
}

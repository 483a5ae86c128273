// SPDX-License-Identifier: GPL-2.0
/* Parsing of events: a name, or the number of a raw event, and modifiers. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"
#include "names.h"

static bool find_named(const char *name, struct perf_event_attr *attr)
{
	const struct event_name *n;

	for (n = event_names; n->name; n++) {
		if (strcmp(name, n->name) && (!n->alias || strcmp(name, n->alias)))
			continue;
		attr->type = n->type;
		attr->config = n->config;
		attr->exclude_kernel = !n->in_kernel;
		return true;
	}
	return false;
}

static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	char cache_name[EVENT_CACHE_NAME_SIZE];
	__u64 config;
	size_t i;

	for (i = 0; event_cache_name(i, cache_name, &config); i++) {
		if (strcmp(name, cache_name))
			continue;
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
		return true;
	}
	return false;
}

/* Parse rNNN, a raw event, where NNN is hexadecimal. */
static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]) || strlen(name) > 17)
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, &end, 16);
	return !*end;
}

static int parse_modifiers(const char *name, const char *modifiers, struct perf_event_attr *attr)
{
	const char *m;

	attr->exclude_user = 1;
	attr->exclude_kernel = 1;
	for (m = modifiers; *m; m++) {
		if (*m == 'u')
			attr->exclude_user = 0;
		else if (*m == 'k')
			attr->exclude_kernel = 0;
		else
			break;
	}
	if (*m || m == modifiers)
		return fail(EINVAL, "event '%s': its modifiers are '%s': use u, k or uk",
			    name, modifiers);
	return 0;
}

int event_parse(const char *name, struct perf_event_attr *attr)
{
	const char *colon = strchr(name, ':');
	char base[PC_NAME_SIZE];
	size_t length = colon ? (size_t)(colon - name) : strlen(name);

	memcpy(base, name, length);
	base[length] = 0;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	if (!find_named(base, attr) && !find_cache(base, attr) && !find_raw(base, attr))
		return explain(EINVAL, name, "unknown name", "see 'perf list', or open it by attr");
	return colon ? parse_modifiers(name, colon + 1, attr) : 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The control groups of --cgroup and --for-each-cgroup. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"

/* The largest number of groups; each event of each group needs descriptors. */
#define GROUPS_MAX 1024

/* The deepest directory in which expressions look for groups. */
#define DEPTH_MAX 32

/*
 * Return the directory of the hierarchy that has the controller perf_event, which the caller frees;
 * NULL if none is mounted. A hierarchy of version 1 has the controller if it is mounted with the
 * option perf_event. If there is none, the hierarchy of version 2 has it.
 */
static char *find_hierarchy(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	char *found = NULL;
	struct mntent *m;

	while (mounts && (m = getmntent(mounts))) {
		bool first = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");

		if (!first && (found || strcmp(m->mnt_type, "cgroup2")))
			continue;
		free(found);
		found = xstrdup(m->mnt_dir);
		if (first)
			break;
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static int refuse_unmounted(struct error *err)
{
	error_set(err, "--cgroup: no hierarchy of control groups is mounted; mount -t cgroup2 none /sys/fs/cgroup");
	return -1;
}

/* Add a group. Return: 0, or -1 with @err set. */
static int add_group(struct cgroup_list *list, const char *hierarchy, const char *name,
		     size_t nr_events, struct error *err)
{
	char *path;
	int fd = -1;

	if (list->nr == GROUPS_MAX) {
		error_set(err, "--cgroup: there are more than %d groups; choose fewer",
			  GROUPS_MAX);
		return -1;
	}
	if (*name) {
		path = xasprintf("%s/%s", hierarchy, name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			error_set(err, "--cgroup: %s: %s", path, errno == ENOENT ?
				  "there is no such control group" : strerror(errno));
		free(path);
		if (fd < 0)
			return -1;
	}
	list->groups = xreallocarray(list->groups, list->nr + 1, sizeof(*list->groups));
	list->groups[list->nr++] = (struct cgroup){ escape_name(name), fd, nr_events };
	return 0;
}

int cgroup_list_open(struct cgroup_list *list, const struct cgroup_option *option,
		     struct error *err)
{
	char *hierarchy = find_hierarchy(), *name;
	const char *text = option->text;
	size_t before = list->nr, length;
	int status = 0;

	if (!hierarchy)
		return refuse_unmounted(err);
	for (;;) {
		length = strcspn(text, ",");
		name = xstrndup(text, length);
		status = add_group(list, hierarchy, name, option->nr_events, err);
		free(name);
		if (status || !text[length])
			break;
		text += length + 1;
	}
	free(hierarchy);
	if (!before)
		list->for_all = list->nr == 1;
	return status;
}

/* Every directory of a hierarchy is a group. */
static int is_group(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

/* The search for groups whose names match an expression. */
struct search {
	struct cgroup_list *list;
	const char *hierarchy;
	const regex_t *expressions;
	size_t nr_expressions;
	struct error *err;
};

static bool matches(const struct search *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nr_expressions; i++) {
		if (!regexec(&s->expressions[i], name, 0, NULL, 0))
			return true;
	}
	return false;
}

/* Add the group @name and the groups below it whose names match, in the order of their names. */
static int search_below(const struct search *s, const char *name, int depth)
{
	char *path = xasprintf("%s/%s", s->hierarchy, name), *below;
	struct dirent **entries;
	int i, nr, status = 0;

	if (matches(s, *name ? name : "/"))
		status = add_group(s->list, s->hierarchy, *name ? name : "/", 0, s->err);
	/* A group that disappears meanwhile has nothing below it. */
	nr = status || depth == DEPTH_MAX ? -1 : scandir(path, &entries, is_group, alphasort);
	for (i = 0; i < nr; i++) {
		below = xasprintf("%s%s%s", name, *name ? "/" : "", entries[i]->d_name);
		if (!status)
			status = search_below(s, below, depth + 1);
		free(below);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(path);
	return status;
}

static bool is_expression(const char *text)
{
	return strpbrk(text, "{}[]()|*+?^$");
}

/* Compile the expressions of a list. Return: 0, or -1 with @err set. */
static int compile(struct search *s, regex_t *expressions, const char *text)
{
	char reason[128], *one;
	size_t length;
	int error;

	for (; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		one = xstrndup(text, length);
		error = regcomp(&expressions[s->nr_expressions], one, REG_NOSUB);
		if (error) {
			regerror(error, &expressions[s->nr_expressions], reason, sizeof(reason));
			error_set(s->err, "--for-each-cgroup: '%s': %s", one, reason);
			free(one);
			return -1;
		}
		s->nr_expressions++;
		free(one);
	}
	return 0;
}

static int search(struct search *s, const char *text)
{
	regex_t *expressions = xcalloc(strlen(text) + 1, sizeof(*expressions));
	size_t i;
	int status;

	s->expressions = expressions;
	status = compile(s, expressions, text);
	if (!status)
		status = search_below(s, "", 0);
	for (i = 0; i < s->nr_expressions; i++)
		regfree(&expressions[i]);
	free(expressions);
	return status;
}

int cgroup_list_match(struct cgroup_list *list, const char *text, struct error *err)
{
	const struct cgroup_option option = { .text = text };
	struct search s;
	char *hierarchy;
	int status;

	if (!is_expression(text)) {
		status = cgroup_list_open(list, &option, err);
	} else {
		hierarchy = find_hierarchy();
		if (!hierarchy)
			return refuse_unmounted(err);
		s = (struct search){ .list = list, .hierarchy = hierarchy, .err = err };
		status = search(&s, text);
		free(hierarchy);
	}
	if (status || list->nr)
		return status;
	error_set(err, "--for-each-cgroup: no control group matches '%s'", text);
	return -1;
}

void cgroup_list_free(struct cgroup_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (list->groups[i].fd >= 0)
			close(list->groups[i].fd);
		free(list->groups[i].name);
	}
	free(list->groups);
	*list = (struct cgroup_list){ 0 };
}

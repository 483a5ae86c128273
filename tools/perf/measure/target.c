// SPDX-License-Identifier: GPL-2.0
/* The target of a measurement: a command, existing tasks or CPUs. */
#include <ctype.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/util.h"
#include "cgroup.h"
#include "syscall.h"
#include "target.h"

/*
 * Return the number of threads of the processes, including those that @tids contained already.
 */
static size_t list_tasks(const struct target *t, struct int_list *tids)
{
	struct int_list threads = { 0 };
	size_t i, nr = 0;

	for (i = 0; i < t->pids.nr; i++) {
		proc_list_threads(t->pids.values[i], &threads);
		int_list_add_new(tids, &threads);
		nr += threads.nr;
		int_list_free(&threads);
	}
	int_list_add_new(tids, &t->tids);
	return nr;
}

void target_list_tasks(const struct target *t, struct int_list *tids)
{
	list_tasks(t, tids);
}

static size_t count_threads(int pid)
{
	int nr = proc_status(pid, "Threads");

	return nr < 0 ? 0 : nr;
}

/*
 * A list of threads may lack some, so read the kernel's number of threads as well. Threads that are
 * in the list both before and after the count existed at the count. If there are as many of them as
 * the kernel counted, no other thread existed.
 */
bool target_has_only(const struct target *t, const struct int_list *tids)
{
	struct int_list now = { 0 };
	size_t i, counted = 0;
	bool only;

	for (i = 0; i < t->pids.nr; i++)
		counted += count_threads(t->pids.values[i]);
	only = list_tasks(t, &now) == counted && int_list_has_all(tids, &now);
	int_list_free(&now);
	return only;
}

static int check_tasks(const struct int_list *ids, const char *what, struct error *err)
{
	char *path;
	size_t i;
	int found;

	for (i = 0; i < ids->nr; i++) {
		path = xasprintf("/proc/%d/task", ids->values[i]);
		found = !access(path, F_OK);
		free(path);
		if (!found) {
			error_set(err, "there is no %s %d", what, ids->values[i]);
			return EXIT_FAILED;
		}
	}
	return 0;
}

static int resolve_tasks(struct target *t, const struct target_options *o, struct error *err)
{
	if (o->all_cpus || o->cpus)
		warn("-p and -t choose tasks, on every CPU; %s is ignored", o->cpus ? "-C" : "-a");
	if ((o->pids && int_list_parse(&t->pids, o->pids, "process id", err)) ||
	    (o->tids && int_list_parse(&t->tids, o->tids, "thread id", err)))
		return EXIT_USAGE;
	t->kind = TARGET_TASKS;
	if (o->pids)
		t->name = xasprintf("process id '%s'", o->pids);
	else
		t->name = xasprintf("thread id '%s'", o->tids);
	if (check_tasks(&t->pids, "process", err) || check_tasks(&t->tids, "thread", err))
		return EXIT_FAILED;
	return 0;
}

/* Return the number of a user by name or number, or -1. */
static long find_user(const char *user)
{
	struct passwd *entry = getpwnam(user);
	unsigned long uid;
	char *end;

	if (entry)
		return entry->pw_uid;
	if (!isdigit((unsigned char)*user))
		return -1;
	uid = strtoul(user, &end, 10);
	return *end || uid >= UINT32_MAX ? -1 : (long)uid;
}

/* Measure the processes of a user that exist now, and their future children. */
static int resolve_user(struct target *t, const char *user, struct error *err)
{
	struct int_list pids = { 0 };
	long uid = find_user(user);
	struct stat st;
	char *path;
	size_t i;

	if (uid < 0) {
		error_set(err, "there is no user '%s'", user);
		return EXIT_FAILED;
	}
	int_list_add_entries(&pids, "/proc");
	for (i = 0; i < pids.nr; i++) {
		path = xasprintf("/proc/%d", pids.values[i]);
		if (pids.values[i] != getpid() && !stat(path, &st) && st.st_uid == (uid_t)uid)
			int_list_add(&t->pids, pids.values[i]);
		free(path);
	}
	int_list_free(&pids);
	if (!t->pids.nr) {
		error_set(err, "user '%s' has no processes", user);
		return EXIT_FAILED;
	}
	t->kind = TARGET_TASKS;
	t->name = xasprintf("user '%s'", user);
	return 0;
}

static int list_online(struct target *t, struct error *err)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	char *text = read_text_file(path, NULL);
	long i, nr = sysconf(_SC_NPROCESSORS_ONLN);
	int status = 0;

	/* Without sysfs, assume that the CPUs are numbered from 0. */
	if (text)
		status = int_list_parse(&t->online, text, "CPU", err);
	else
		for (i = 0; i < nr; i++)
			int_list_add(&t->online, i);
	free(text);
	return status ? EXIT_FAILED : 0;
}

static int resolve_cpus(struct target *t, const struct target_options *o, struct error *err)
{
	size_t i;

	t->kind = TARGET_CPUS;
	if (!o->cpus) {
		t->whole_machine = true;
		for (i = 0; i < t->online.nr; i++)
			int_list_add(&t->cpus, t->online.values[i]);
		t->name = xstrdup("'system wide'");
		return 0;
	}
	if (int_list_parse(&t->cpus, o->cpus, "CPU", err))
		return EXIT_USAGE;
	t->name = xasprintf("'CPU(s) %s'", o->cpus);
	for (i = 0; i < t->cpus.nr; i++) {
		if (!int_list_has(&t->online, t->cpus.values[i])) {
			error_set(err,
				  "CPU %d is not online; /sys/devices/system/cpu/online says which are",
				  t->cpus.values[i]);
			return EXIT_FAILED;
		}
	}
	return 0;
}

/* Open the control groups, and find the system call that counts them. */
static int open_cgroups(struct target *t, const struct target_options *o, struct error *err)
{
	size_t i;

	if (o->each_cgroup && cgroup_list_match(&t->cgroups, o->each_cgroup, err))
		return -1;
	for (i = 0; i < o->nr_cgroups; i++) {
		if (cgroup_list_open(&t->cgroups, &o->cgroups[i], err))
			return -1;
	}
	for (i = 0; i < t->cgroups.nr; i++) {
		if (t->cgroups.groups[i].fd >= 0 &&
		    syscall_use_cgroup(t->cgroups.groups[i].fd, err))
			return -1;
	}
	return 0;
}

/* Measure the tasks of control groups, on all CPUs or those of -C. */
static int resolve_cgroups(struct target *t, const struct target_options *o, struct error *err)
{
	int status;

	if (o->pids || o->tids || o->user) {
		error_set(err, "--cgroup chooses tasks, and contradicts -p, -t and -u");
		return EXIT_USAGE;
	}
	if (o->nr_cgroups && o->each_cgroup) {
		error_set(err, "--cgroup and --for-each-cgroup contradict one another");
		return EXIT_USAGE;
	}
	if (open_cgroups(t, o, err))
		return EXIT_FAILED;
	status = resolve_cpus(t, o, err);
	if (!status && t->cgroups.nr == 1) {
		free(t->name);
		t->name = xasprintf("control group '%s'", t->cgroups.groups[0].name);
	}
	return status;
}

bool target_options_choose_cpus(const struct target_options *o)
{
	return o->nr_cgroups || o->each_cgroup || o->all_cpus || o->cpus;
}

static int check_leaders(const struct event_list *events, struct error *err)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct event *event = &events->events[i];

		if (events->events[event->leader].cgroup == event->cgroup)
			continue;
		error_set(err, "event '%s': the events in braces need the same control group",
			  event->name);
		return EXIT_USAGE;
	}
	return 0;
}

int target_assign_cgroups(const struct target *t, struct event_list *events, struct error *err)
{
	const struct cgroup_list *list = &t->cgroups;
	size_t i = 0, e, nr;

	if (!list->nr)
		return 0;
	if (list->for_all) {
		nr = list->groups[0].nr_events ?: events->nr;
		for (e = 0; e < nr && e < events->nr; e++)
			events->events[e].cgroup = &list->groups[0];
		i = 1;
	}
	for (; i < list->nr; i++) {
		if (i >= list->groups[i].nr_events) {
			error_set(err,
				  "--cgroup: there are more groups than events before them: -e EVENT,EVENT -G GROUP,GROUP");
			return EXIT_USAGE;
		}
		events->events[i].cgroup = &list->groups[i];
	}
	return check_leaders(events, err);
}

void target_repeat_events(const struct target *t, struct event_list *events)
{
	size_t i, e, nr = events->nr;

	for (i = 0; i < t->cgroups.nr; i++) {
		if (i)
			event_list_repeat(events, nr);
		for (e = 0; e < nr; e++)
			events->events[i * nr + e].cgroup = &t->cgroups.groups[i];
	}
}

static char *join_command(char **command)
{
	char *line = xstrdup(*command), *longer;

	while (*++command) {
		longer = xasprintf("%s %s", line, *command);
		free(line);
		line = longer;
	}
	return line;
}

int target_resolve(struct target *t, const struct target_options *o, struct error *err)
{
	char *line;

	*t = (struct target){ .kind = TARGET_COMMAND };
	if (list_online(t, err))
		return EXIT_FAILED;
	if (o->nr_cgroups || o->each_cgroup)
		return resolve_cgroups(t, o, err);
	if (o->pids || o->tids)
		return resolve_tasks(t, o, err);
	if (o->user)
		return resolve_user(t, o->user, err);
	if (o->all_cpus || o->cpus)
		return resolve_cpus(t, o, err);
	if (!o->command) {
		error_set(err, "nothing to measure: give a command, -p, -t, -a or -C");
		return EXIT_USAGE;
	}
	line = join_command(o->command);
	t->name = xasprintf("'%s'", line);
	free(line);
	return 0;
}

void target_free(struct target *t)
{
	int_list_free(&t->pids);
	int_list_free(&t->tids);
	int_list_free(&t->cpus);
	int_list_free(&t->online);
	cgroup_list_free(&t->cgroups);
	free(t->name);
}

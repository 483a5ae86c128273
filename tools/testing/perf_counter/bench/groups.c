// SPDX-License-Identifier: GPL-2.0
/*
 * Control groups: the cost of a context switch between two groups while many groups are counted.
 *
 * Two tasks pass a byte to each other. Each is in a group of its own, and all other groups are
 * empty. Each counted group has one counter of page faults on the CPU; the groups of the two tasks
 * are counted first. perf_events counts groups only with CONFIG_CGROUP_PERF; without it, the table
 * has a dash for perf_events.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "bench.h"

#define GROUPS_MAX	1000
#define HIERARCHY	"/sys/fs/cgroup"
#define TOP		HIERARCHY "/bench"

static int fds[GROUPS_MAX];

static const char *group_dir(unsigned int group)
{
	static char path[64];

	snprintf(path, sizeof(path), TOP "/%u", group);
	return path;
}

/* Move the calling task to a group. */
void group_join(const char *dir)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	write_to(path, "0");
}

/* Open a counter of the group on CPU 0. Returns -1 if the kernel's perf_events has no groups. */
static int group_open(unsigned int group, const struct side *side)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int dir = open(group_dir(group), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = syscall(side->syscall_nr, &attr, dir, 0, -1, PERF_FLAG_PID_CGROUP);

	if (fd < 0 && (side->has_own || errno != EINVAL))
		die("a counter of a control group");
	close(dir);
	return fd;
}

/* Check that the counter of a group has been running exactly if the group has a task. */
static void check_running(unsigned int group, const struct side *side)
{
	uint64_t values[2];
	bool has_task, has_run;

	if (read(fds[group], values, sizeof(values)) != sizeof(values))
		die("read");
	has_task = group < 2;
	has_run = values[1];
	if (has_task != has_run) {
		fprintf(stderr, "bench: group %u of %s ran for %lu ns\n", group, side->name,
			values[1]);
		exit(1);
	}
}

/* Return the instructions that @nr counted groups add to a switch, or -1 without support. */
static double cost_of_groups(unsigned int nr, const struct side *side)
{
	struct row row = { .child_dir = TOP "/1" };
	unsigned int opened;
	double base, cost;

	group_join(HIERARCHY);
	counters_settle();
	group_join(TOP "/0");
	base = cost_switch(&row, side);
	for (opened = 0; opened < nr; opened++) {
		fds[opened] = group_open(opened, side);
		if (fds[opened] < 0)
			return -1;
	}
	cost = cost_switch(&row, side) - base;
	while (opened) {
		check_running(--opened, side);
		close(fds[opened]);
	}
	return cost;
}

/* Measure switches with 1, 10, 100 and 1000 counted groups; write a line for each. */
void groups_measure(void)
{
	const struct rlimit limit = { 2 * GROUPS_MAX, 2 * GROUPS_MAX };
	double cost;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit");
	mount("cgroup2", HIERARCHY, "cgroup2", 0, NULL);
	if (mkdir(TOP, 0755))
		die(TOP);
	for (unsigned int group = 0; group < GROUPS_MAX; group++) {
		if (mkdir(group_dir(group), 0755))
			die("mkdir of a control group");
	}
	for (unsigned int nr = 1; nr <= GROUPS_MAX; nr *= 10) {
		printf("context switch between two control groups, added by counting %u", nr);
		for (unsigned int side = 0; side < 2; side++) {
			cost = cost_of_groups(nr, &sides[side]);
			if (cost < 0)
				printf("\t-");
			else
				printf("\t%.0f", cost);
		}
		putchar('\n');
	}
}

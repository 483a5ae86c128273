// SPDX-License-Identifier: GPL-2.0
/* The control group of --cgroup. */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"

/*
 * Return the directory of the hierarchy that has the controller perf_event, which the caller frees;
 * NULL if none is mounted. In version 2, every hierarchy has it that version 1 does not use for it.
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

int cgroup_open(const char *name, struct error *err)
{
	char *hierarchy, *path;
	int fd;

	if (strchr(name, ',')) {
		error_set(err, "--cgroup '%s': one group at a time; measure each one by itself",
			  name);
		return -1;
	}
	hierarchy = find_hierarchy();
	if (!hierarchy) {
		error_set(err, "--cgroup: no hierarchy of control groups is mounted; mount -t cgroup2 none /sys/fs/cgroup");
		return -1;
	}
	path = xasprintf("%s/%s", hierarchy, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		error_set(err, "--cgroup: %s: %s", path,
			  errno == ENOENT ? "there is no such control group" : strerror(errno));
	free(path);
	free(hierarchy);
	return fd;
}

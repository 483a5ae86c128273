// SPDX-License-Identifier: GPL-2.0
/* The existing kernel, tasks and mappings of a target, read from /proc. */
#include <dirent.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/util.h"
#include "proc_scan.h"

/*
 * Return the size of the kernel's text in bytes, which is equal for physical and virtual
 * addresses: " 01000000-01a02fff : Kernel code". 0: not known, as it is hidden or not an x86
 * kernel.
 */
static uint64_t kernel_text_size(void)
{
	unsigned long long start = 0, end = 0;
#ifdef __x86_64__
	FILE *iomem = fopen("/proc/iomem", "re");
	char line[256];

	while (iomem && fgets(line, sizeof(line), iomem)) {
		if (strstr(line, " : Kernel code\n") &&
		    sscanf(line, "%llx-%llx", &start, &end) == 2)
			break;
	}
	if (iomem)
		fclose(iomem);
#endif
	return start && end > start ? end - start + 1 : 0;
}

bool proc_scan_kernel(struct synth *s)
{
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	char *modules = read_text_file("/proc/modules", NULL);
	bool known = kallsyms && synth_kernel(s, kallsyms, kernel_text_size());
	struct utsname name;
	char *directory;

	if (modules && !uname(&name)) {
		directory = xasprintf("/lib/modules/%s", name.release);
		synth_modules(s, modules, directory);
		free(directory);
	}
	free(modules);
	if (kallsyms)
		fclose(kallsyms);
	return known;
}

/*
 * Return the mount point of the cgroup hierarchy with the controller perf_event, or of cgroup2.
 */
static char *cgroup_mount(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char *place = NULL;
	struct mntent *mount;
	bool own = false;

	while (mounts && !own && (mount = getmntent(mounts))) {
		own = !strcmp(mount->mnt_type, "cgroup") && hasmntopt(mount, "perf_event");
		if (!own && (place || strcmp(mount->mnt_type, "cgroup2")))
			continue;
		free(place);
		place = xstrdup(mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return place;
}

/* Return the kernel's number of a control group: the file handle of its directory. */
static uint64_t cgroup_id(const char *directory)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} h = { .handle.handle_bytes = sizeof(h.id) };
	int mount;

	return name_to_handle_at(AT_FDCWD, directory, &h.handle, &mount, 0) ? 0 : h.id;
}

/* Synthesize @directory and all directories below; @root is the length of the mount point. */
static void synth_cgroups(struct synth *s, const char *directory, size_t root)
{
	uint64_t id = cgroup_id(directory);
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char *path;

	if (id)
		synth_cgroup(s, id, directory[root] ? directory + root : "/");
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		path = xasprintf("%s/%s", directory, entry->d_name);
		synth_cgroups(s, path, root);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static void synth_all_cgroups(struct synth *s)
{
	char *mount = cgroup_mount();

	if (mount)
		synth_cgroups(s, mount, strlen(mount));
	free(mount);
}

/* Synthesize each process once, however many of its threads are measured. */
static void synth_processes_of(struct synth *s, const struct counters *counters)
{
	const struct int_list *tids = &counters->tids;
	struct int_list pids = { 0 };
	size_t i;
	pid_t pid;

	for (i = 0; i < tids->nr; i++) {
		pid = proc_status(tids->values[i], "Tgid");
		if (pid > 0 && !int_list_has(&pids, pid))
			int_list_add(&pids, pid);
	}
	for (i = 0; i < pids.nr; i++)
		synth_process(s, pids.values[i]);
	int_list_free(&pids);
}

int proc_scan_tasks(struct synth *s, const struct target *target, const struct counters *counters,
		    pid_t command)
{
	if (s->cgroups)
		synth_all_cgroups(s);
	switch (target->kind) {
	case TARGET_COMMAND:
		synth_command(s, command);
		break;
	case TARGET_TASKS:
		synth_processes_of(s, counters);
		break;
	case TARGET_CPUS:
		synth_all_processes(s);
		break;
	}
	return s->status;
}

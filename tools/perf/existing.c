// SPDX-License-Identifier: GPL-2.0
/*
 * What is there when a measurement begins, as far as it has to do with its target.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "existing.h"

bool existing_kernel(struct synth *s)
{
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	char *modules = read_text_file("/proc/modules", NULL);
	bool known = kallsyms && synth_kernel(s, kallsyms);
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

/* The process of a thread, or 0. */
static pid_t process_of(pid_t tid)
{
	char *path = xasprintf("/proc/%d/status", tid);
	char *status = read_text_file(path, NULL);
	char *tgid = status ? strstr(status, "\nTgid:") : NULL;
	pid_t pid = tgid ? atoi(tgid + strlen("\nTgid:")) : 0;

	free(status);
	free(path);
	return pid;
}

/* Each process once, however many of its threads are measured. */
static void synth_processes_of(struct synth *s, const struct int_list *tids)
{
	struct int_list pids = { 0 };
	size_t i;
	pid_t pid;

	for (i = 0; i < tids->nr; i++) {
		pid = process_of(tids->values[i]);
		if (pid && !int_list_has(&pids, pid))
			int_list_add(&pids, pid);
	}
	for (i = 0; i < pids.nr; i++)
		synth_process(s, pids.values[i]);
	int_list_free(&pids);
}

int existing_tasks(struct synth *s, const struct target *target, const struct int_list *tids,
		   pid_t command)
{
	switch (target->kind) {
	case TARGET_COMMAND:
		synth_command(s, command);
		break;
	case TARGET_TASKS:
		synth_processes_of(s, tids);
		break;
	case TARGET_CPUS:
		synth_all_processes(s);
		break;
	}
	return s->status;
}

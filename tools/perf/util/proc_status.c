// SPDX-License-Identifier: GPL-2.0
/* Facts about a task from /proc. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "proc_status.h"
#include "text_file.h"

pid_t proc_status(pid_t tid, const char *key)
{
	char *path = xasprintf("/proc/%d/status", tid);
	char *line = xasprintf("\n%s:", key);
	char *status = read_text_file(path, NULL);
	const char *at = status ? strstr(status, line) : NULL;
	pid_t number = at ? atoi(at + strlen(line)) : -1;

	free(status);
	free(line);
	free(path);
	return number;
}

pid_t proc_own_number(pid_t pid)
{
	char *path = xasprintf("/proc/%d/status", pid);
	char *status = read_text_file(path, NULL);
	const char *at = status ? strstr(status, "\nNSpid:") : NULL;
	pid_t number = -1;

	/*
	 * The line has a number for each namespace, from that of perf to that
	 * of the process.
	 */
	if (at)
		at += strlen("\nNSpid:");
	for (; at && *at == '\t'; at += 1 + strcspn(at + 1, "\t\n"))
		number = atoi(at + 1);
	free(status);
	free(path);
	return number;
}

void proc_list_threads(pid_t pid, struct int_list *tids)
{
	char *path = xasprintf("/proc/%d/task", pid);

	int_list_add_entries(tids, path);
	free(path);
}

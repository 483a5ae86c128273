/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that fail: the n-th one that a thread makes, where the kernel has
 * CONFIG_FAULT_INJECTION. Documentation/fault-injection/fault-injection.rst describes the files.
 */
#ifndef PC_FAIL_H
#define PC_FAIL_H

#include <dirent.h>
#include <sys/mount.h>

#include "pc.h"

#define PC_DEBUGFS "/sys/kernel/debug"

/* Writes @text to a file of the fault injection's; returns 0 or an errno. */
static inline int pc_fail_set(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), PC_DEBUGFS "/%s", file);
	return pc_write_text(path, text);
}

/* Makes allocations from a slab cache candidates; returns 0 or an errno. */
static inline int pc_fail_cache(const char *name, bool on)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", name);
	return pc_write_text(path, on ? "1" : "0");
}

/*
 * Makes allocations from the slab caches candidates whose names begin with @prefix: "" for all of
 * them, NULL for none. Those of the kernel's checkers never are: a checker without memory says so
 * in the log, and ends. Returns 0, or -1.
 */
static inline int pc_fail_caches(const char *prefix)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (*name == '.')
			continue;
		/* Some caches have several names, and are refused. */
		pc_fail_cache(name, prefix && !strncmp(name, prefix, strlen(prefix)) &&
			      strncmp(name, "kmemleak", 8) && strncmp(name, "debug_objects", 13));
	}
	closedir(dir);
	return 0;
}

/* Makes allocations of pages candidates, of single pages as well, or none of them. */
static inline int pc_fail_pages(bool on)
{
	return pc_fail_set("fail_page_alloc/min-order", on ? "0" : "32") ? -1 : 0;
}

/*
 * Makes allocations from slab caches candidates, also those that may sleep. PC_FAIL_VERBOSE=2 in
 * the environment has the kernel's log say where each of them is. Returns 0, or -1 if the kernel
 * cannot do that.
 */
static inline int pc_fail_prepare(void)
{
	const char *verbose = getenv("PC_FAIL_VERBOSE") ?: "0";

	if (access(PC_DEBUGFS "/failslab", R_OK))
		mount("debugfs", PC_DEBUGFS, "debugfs", 0, NULL);
	if (pc_fail_set("failslab/verbose", verbose) ||
	    pc_fail_set("failslab/ignore-gfp-wait", "N") ||
	    pc_fail_set("failslab/cache-filter", "Y") ||
	    pc_fail_set("fail_page_alloc/verbose", verbose) ||
	    pc_fail_set("fail_page_alloc/ignore-gfp-wait", "N") || pc_fail_pages(false))
		return -1;
	return access("/proc/thread-self/fail-nth", W_OK);
}

/* The file in which the calling thread asks for a failure; -1 with errno. */
static inline int pc_fail_open(void)
{
	return open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

/* Makes the @nth allocation from now on fail, counted from 1; 0: none. */
static inline void pc_fail_nth(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fd, text, len, 0) != len)
		abort();
}

/* Has the allocation failed that pc_fail_nth() has named? */
static inline bool pc_fail_happened(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 1)
		abort();
	return !atoi(text);
}

#endif /* PC_FAIL_H */

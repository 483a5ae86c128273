// SPDX-License-Identifier: GPL-2.0
/*
 * Have allocations fail.
 */
#include <dirent.h>
#include <sys/mount.h>

#include "pc_fail.h"

/* Write @text to a file in debugfs. Returns 0 or an errno. */
static int pc_fail_set(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), PC_DEBUGFS "/%s", file);
	return pc_write_text(path, text);
}

int pc_fail_cache(const char *name, bool on)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", name);
	return pc_write_text(path, on ? "1" : "0");
}

int pc_fail_caches(const char *prefix)
{
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (*name == '.')
			continue;
		/* The kernel refuses to configure caches that have several names. */
		pc_fail_cache(name, prefix && !strncmp(name, prefix, strlen(prefix)) &&
			      strncmp(name, "kmemleak", 8) && strncmp(name, "debug_objects", 13));
	}
	closedir(dir);
	return 0;
}

int pc_fail_pages(bool on)
{
	return pc_fail_set("fail_page_alloc/min-order", on ? "0" : "32") ? -1 : 0;
}

int pc_fail_prepare(void)
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

int pc_fail_open(void)
{
	return open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

void pc_fail_nth(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fd, text, len, 0) != len)
		abort();
}

bool pc_fail_happened(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 1)
		abort();
	return !atoi(text);
}

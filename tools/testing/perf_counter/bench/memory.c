// SPDX-License-Identifier: GPL-2.0
/*
 * The memory that a counter takes: everything the kernel allocates when one is
 * opened, or inherited, that it frees again when it goes; the open file and its
 * like included.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

/*
 * How many counters are opened, and how many children are forked. The first
 * hundreds fill up what is free in slabs that the kernel has already; what it
 * needs from there on is all for the rest of them.
 */
#define COUNTERS_BEFORE		500
#define COUNTERS		2000
#define CHILDREN_BEFORE		100
#define CHILDREN		(CHILDREN_BEFORE + CHILDREN_MEASURED)

static int64_t kernel_memory(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128], key[64];
	int64_t kib;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^:]: %ld", key, &kib) == 2 && !strcmp(key, name)) {
			fclose(file);
			return kib * 1024;
		}
	}
	die(name);
}

/* Bytes that the kernel uses for itself: objects of any size, on or off a CPU. */
static int64_t memory_in_use(void)
{
	FILE *file;
	char line[64];

	flush_rcu();
	/* Reading it adds up what each CPU has not yet told the others. */
	file = fopen("/proc/sys/vm/stat_refresh", "re");
	if (!file)
		die("/proc/sys/vm/stat_refresh");
	while (fgets(line, sizeof(line), file))
		;
	fclose(file);
	return kernel_memory("Slab") + kernel_memory("Percpu") + kernel_memory("VmallocUsed");
}

/* The table of descriptors grows once; that is nobody's counter. */
static void make_room_for_descriptors(void)
{
	const struct rlimit limit = { COUNTERS + 100, COUNTERS + 100 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("RLIMIT_NOFILE");
	if (dup2(1, COUNTERS + 99) < 0)
		die("dup2");
	close(COUNTERS + 99);
}

double bytes_of_counter(const struct row *row, const struct side *side)
{
	static int fds[COUNTERS];
	int64_t bytes = 0;

	make_room_for_descriptors();
	for (int i = 0; i < COUNTERS; i++) {
		if (i == COUNTERS_BEFORE)
			bytes = memory_in_use();
		fds[i] = counter_open(row, side, -1);
	}
	bytes = memory_in_use() - bytes;
	for (int i = 0; i < COUNTERS; i++)
		close(fds[i]);
	return bytes / (double)(COUNTERS - COUNTERS_BEFORE);
}

static pid_t fork_waiting_child(void)
{
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (!child) {
		for (;;)
			pause();
	}
	return child;
}

/* Bytes that the waiting children take that come after the first few. */
static int64_t bytes_of_children(void)
{
	pid_t children[CHILDREN];
	int64_t bytes = 0;

	for (int i = 0; i < CHILDREN; i++) {
		if (i == CHILDREN_BEFORE)
			bytes = memory_in_use();
		children[i] = fork_waiting_child();
	}
	bytes = memory_in_use() - bytes;
	for (int i = 0; i < CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return bytes;
}

/* What a waiting child takes, for each of the counters that the row gives it. */
double bytes_of_child(const struct row *row, const struct side *side)
{
	static bool warm;

	/* So many tasks at once need things that stay when they are gone. */
	if (!warm)
		bytes_of_children();
	warm = true;
	return bytes_of_children() / (double)(CHILDREN - CHILDREN_BEFORE) / row->nr;
}

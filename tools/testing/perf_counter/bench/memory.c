// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a counter: everything that the kernel allocates when a counter is opened or
 * inherited, and frees when it is closed, including the open file and its dentry.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

/*
 * Number of counters that are opened, and of children that are forked. The first ones, whose
 * numbers are COUNTERS_BEFORE and CHILDREN_BEFORE, use up the free objects of the kernel's slabs,
 * so that all other ones need new memory.
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

/*
 * Return the bytes that the kernel uses for itself: slabs, per-CPU memory and vmalloc().
 */
static int64_t memory_in_use(void)
{
	FILE *file;
	char line[64];

	flush_rcu();
	/* Reading stat_refresh adds up the counts that each CPU keeps. */
	file = fopen("/proc/sys/vm/stat_refresh", "re");
	if (!file)
		die("/proc/sys/vm/stat_refresh");
	while (fgets(line, sizeof(line), file))
		;
	fclose(file);
	return kernel_memory("Slab") + kernel_memory("Percpu") + kernel_memory("VmallocUsed");
}

/*
 * Let the table of descriptors grow before the measurement, because its memory belongs to no
 * counter.
 */
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

/* Return the bytes of the waiting children after the first few. */
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

/* Return the bytes of a waiting child for each counter that it inherits. */
double bytes_of_child(const struct row *row, const struct side *side)
{
	static bool warm;

	/* The first children allocate memory that stays after they exit. */
	if (!warm)
		bytes_of_children();
	warm = true;
	return bytes_of_children() / (double)(CHILDREN - CHILDREN_BEFORE) / row->nr;
}

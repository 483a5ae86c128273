// SPDX-License-Identifier: GPL-2.0
/*
 * Values of the events that the tool measures itself: duration_time, user_time, system_time.
 *
 * The CPU times of CPUs come from /proc/stat, those of tasks from /proc/PID/stat, in ticks of the
 * kernel's accounting; those of a command that has ended from wait4(), in us. See proc(5).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "tool_times.h"

#define NS_PER_SEC 1000000000ULL

bool tool_times_are_wanted(const struct event_list *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->events[i].tool)
			return true;
	}
	return false;
}

static uint64_t ns_of_ticks(uint64_t ticks)
{
	return ticks * (NS_PER_SEC / sysconf(_SC_CLK_TCK));
}

/* Find the line of a CPU in the text of /proc/stat: user, nice, system. */
static struct cpu_times times_of_cpu(const char *stat, int cpu)
{
	char *key = xasprintf("\ncpu%d ", cpu);
	const char *line = stat ? strstr(stat, key) : NULL;
	uint64_t user, nice, system;
	struct cpu_times times = { 0 };

	if (line && sscanf(line + strlen(key), "%" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice,
			   &system) == 3)
		times = (struct cpu_times){ ns_of_ticks(user + nice), ns_of_ticks(system), true };
	free(key);
	return times;
}

/*
 * Read fields 14 to 17 of a stat file of a process or a thread: utime, stime, cutime, cstime. The
 * second field, the name in parentheses, may contain anything.
 */
static struct cpu_times times_of_file(const char *path, bool children)
{
	char *text = read_text_file(path, NULL);
	const char *at = text ? strrchr(text, ')') : NULL;
	uint64_t utime, stime, cutime, cstime;
	struct cpu_times times = { 0 };

	if (at && sscanf(at + 1, " %*c%*d%*d%*d%*d%*d%*u%*u%*u%*u%*u%" SCNu64 "%" SCNu64 "%" SCNu64
			 "%" SCNu64, &utime, &stime, &cutime, &cstime) == 4) {
		times = (struct cpu_times){ ns_of_ticks(utime), ns_of_ticks(stime), true };
		if (children) {
			times.user += ns_of_ticks(cutime);
			times.system += ns_of_ticks(cstime);
		}
	}
	free(text);
	return times;
}

static struct cpu_times times_of_process(int pid, bool children)
{
	char *path = xasprintf("/proc/%d/stat", pid);
	struct cpu_times times = times_of_file(path, children);

	free(path);
	return times;
}

/* Read the times of one thread. The children of a process belong to none of its threads. */
static struct cpu_times times_of_thread(int tid)
{
	char *path = xasprintf("/proc/%d/task/%d/stat", tid, tid);
	struct cpu_times times = times_of_file(path, false);

	free(path);
	return times;
}

static struct cpu_times times_of_usage(const struct rusage *usage)
{
	return (struct cpu_times){
		usage->ru_utime.tv_sec * NS_PER_SEC + usage->ru_utime.tv_usec * 1000,
		usage->ru_stime.tv_sec * NS_PER_SEC + usage->ru_stime.tv_usec * 1000,
		true,
	};
}

/* Return how many CPUs, tasks or processes are measured one by one. */
static size_t nr_measured(const struct tool_times *t)
{
	switch (t->target->kind) {
	case TARGET_CPUS:
		return counters_read_cpus(t->counters)->nr;
	case TARGET_TASKS:
		if (t->split)
			return t->counters->tids.nr;
		return t->target->pids.nr + t->target->tids.nr;
	case TARGET_COMMAND:
		break;
	}
	return 1;
}

/* Read the times of a CPU, task or process. @stat is the text of /proc/stat. */
static struct cpu_times times_of(const struct tool_times *t, size_t i, const char *stat,
				 const struct rusage *usage)
{
	size_t nr_pids = t->target->pids.nr;

	switch (t->target->kind) {
	case TARGET_CPUS:
		return times_of_cpu(stat, counters_read_cpus(t->counters)->values[i]);
	case TARGET_TASKS:
		if (t->split)
			return times_of_thread(t->counters->tids.values[i]);
		if (i < nr_pids)
			return times_of_process(t->target->pids.values[i], t->children);
		return times_of_thread(t->target->tids.values[i - nr_pids]);
	case TARGET_COMMAND:
		break;
	}
	return usage ? times_of_usage(usage) : times_of_process(t->command, t->children);
}

static char *read_stat(const struct tool_times *t)
{
	return t->target->kind == TARGET_CPUS ? read_text_file("/proc/stat", NULL) : NULL;
}

void tool_times_start(struct tool_times *t, const struct timespec *start)
{
	char *stat = read_stat(t);
	size_t i;

	tool_times_free(t);
	t->start = *start;
	t->nr_reads = 0;
	t->nr = nr_measured(t);
	t->before = xcalloc(t->nr, sizeof(*t->before));
	for (i = 0; i < t->nr; i++)
		t->before[i] = times_of(t, i, stat, NULL);
	free(stat);
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Set the rows of an event from the times of every CPU, task or process. */
static void set_rows(const struct tool_times *t, struct tallies *rows, size_t event,
		     const struct cpu_times *now)
{
	bool user = rows->events->events[event].tool == TOOL_USER_TIME;
	bool of_cpus = t->target->kind == TARGET_CPUS;
	struct count count;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct cpu_times *before = &t->before[i];

		/* The times of a task that has ended are not known. */
		if (!now[i].known || !before->known)
			continue;
		count = (struct count){
			.value = user ? since(now[i].user, before->user) :
					since(now[i].system, before->system),
			.enabled = t->nr_reads, .running = t->nr_reads,
		};
		tallies_add(rows, event, of_cpus ? i : 0, t->split ? i : 0, &count);
	}
}

void tool_times_read(struct tool_times *t, struct tallies *rows, const struct timespec *now,
		     const struct rusage *usage)
{
	struct cpu_times *times = xcalloc(t->nr, sizeof(*times));
	struct count duration;
	char *stat = read_stat(t);
	size_t i;

	for (i = 0; i < t->nr; i++)
		times[i] = times_of(t, i, stat, usage);
	t->nr_reads++;
	duration = (struct count){
		.value = (now->tv_sec - t->start.tv_sec) * NS_PER_SEC + now->tv_nsec -
			 t->start.tv_nsec,
		.enabled = t->nr_reads, .running = t->nr_reads,
	};
	for (i = 0; i < rows->events->nr; i++) {
		if (rows->events->events[i].tool == TOOL_DURATION)
			tallies_add(rows, i, 0, 0, &duration);
		else if (rows->events->events[i].tool)
			set_rows(t, rows, i, times);
	}
	free(stat);
	free(times);
}

void tool_times_free(struct tool_times *t)
{
	free(t->before);
	t->before = NULL;
	t->nr = 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The runs of each task, and the idle time of each CPU.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run_summary.h"

/* Width of the column of names. */
#define NAME_WIDTH 30

/**
 * struct task_runs - the runs of a task
 * @node: node in the table, by the number of @task and @cpu
 * @task: number and last name of the task
 * @cpu: CPU of an idle task; 0 for other tasks
 * @pid: process of the task; -1: not known
 * @ppid: process that created the task; -1: not known
 * @ended: another task has the same number since
 * @runs: lengths of the runs in ns
 * @total: sum of @runs
 * @min: shortest run in ns
 * @max: longest run in ns
 */
struct task_runs {
	struct hash_node node;
	struct sched_task_id task;
	uint32_t cpu;
	int32_t pid;
	int32_t ppid;
	bool ended;
	struct spread runs;
	uint64_t total;
	uint64_t min;
	uint64_t max;
};

/* Find or add a task. */
static struct task_runs *runs_of(struct run_summary *summary, int32_t tid, uint32_t cpu)
{
	struct task_runs *task;
	struct hash_node *node;
	uint64_t hash = sched_task_hash(tid, &cpu);

	for (node = hash_table_first(&summary->tasks, hash); node; node = hash_table_next(node)) {
		task = hash_entry(node, struct task_runs, node);
		if (task->task.tid == tid && task->cpu == cpu && !task->ended)
			return task;
	}
	task = xcalloc(1, sizeof(*task));
	task->task.tid = tid;
	task->cpu = cpu;
	task->pid = -1;
	task->ppid = -1;
	task->min = UINT64_MAX;
	hash_table_add(&summary->tasks, &task->node, hash);
	return task;
}

void run_summary_add(struct run_summary *summary, const struct sched_event *event, uint64_t run)
{
	struct task_runs *task = runs_of(summary, event->task.tid, event->cpu);

	if (!summary->first)
		summary->first = event->time;
	summary->last = event->time;
	task->task = event->task;
	if (event->pid >= 0)
		task->pid = event->pid;
	spread_add(&task->runs, run);
	task->total += run;
	if (run < task->min)
		task->min = run;
	if (run > task->max)
		task->max = run;
}

void run_summary_fork(struct run_summary *summary, int32_t tid, int32_t ppid)
{
	struct task_runs *task = runs_of(summary, tid, 0);

	if (task->runs.nr) {
		task->ended = true;
		task = runs_of(summary, tid, 0);
	}
	task->ppid = ppid;
}

/* Print a time in ms, rounded down to microseconds like other times of events. */
static void print_ms(FILE *out, int width, uint64_t ns)
{
	fprintf(out, "%*" PRIu64 ".%03" PRIu64, width, ns / 1000000, ns / 1000 % 1000);
}

/* Sort by the time that tasks ran, the longest first. */
static int compare(const void *x, const void *y)
{
	const struct task_runs *a = *(struct task_runs *const *)x;
	const struct task_runs *b = *(struct task_runs *const *)y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->task.tid != b->task.tid)
		return a->task.tid < b->task.tid ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static void print_task(FILE *out, const struct task_runs *task)
{
	char *comm = escape_name(task->task.comm), *name;

	if (task->pid >= 0 && task->pid != task->task.tid)
		name = xasprintf("%s[%" PRId32 "/%" PRId32 "]", comm, task->task.tid, task->pid);
	else
		name = xasprintf("%s[%" PRId32 "]", comm, task->task.tid);
	fprintf(out, "%*s   %5" PRId32 "  %9zu ", NAME_WIDTH, name, task->ppid, task->runs.nr);
	print_ms(out, 8, task->total);
	print_ms(out, 7, task->min);
	print_ms(out, 8, task->runs.mean);
	print_ms(out, 8, task->max);
	fprintf(out, "  %6.2f\n", spread_percent(&task->runs));
	free(name);
	free(comm);
}

/* Return the tasks that ran, sorted. The caller frees the array. */
static struct task_runs **sorted_tasks(const struct run_summary *summary, size_t *nr)
{
	struct hash_node **nodes = hash_table_nodes(&summary->tasks);
	struct task_runs **tasks = xcalloc(summary->tasks.nr + 1, sizeof(*tasks));
	size_t i;

	*nr = 0;
	for (i = 0; i < summary->tasks.nr; i++) {
		struct task_runs *task = hash_entry(nodes[i], struct task_runs, node);

		if (task->runs.nr)
			tasks[(*nr)++] = task;
	}
	free(nodes);
	qsort(tasks, *nr, sizeof(*tasks), compare);
	return tasks;
}

static void print_head(FILE *out)
{
	int i;

	fputs("\nRuntime summary\n", out);
	fprintf(out, "%*s  parent   sched-in     run-time    min-run", NAME_WIDTH, "comm");
	fprintf(out, "     avg-run     max-run  stddev\n%*s", NAME_WIDTH + 8, "");
	fputs("    (count)       (msec)     (msec)      (msec)      (msec)       %\n", out);
	for (i = 0; i < 105; i++)
		putc('-', out);
	putc('\n', out);
}

static void print_idle(FILE *out, const struct task_runs *idle, uint64_t all)
{
	fprintf(out, "    CPU %2" PRIu32 " idle for ", idle->cpu);
	print_ms(out, 6, idle->total);
	fprintf(out, "  msec  (%6.2f%%)\n", all ? 100.0 * idle->total / all : 0.0);
}

void run_summary_print(const struct run_summary *summary, FILE *out, uint32_t nr_cpus)
{
	uint64_t all = summary->last - summary->first, switches = 0, total = 0, nr_tasks = 0;
	struct task_runs **tasks;
	size_t i, nr;

	tasks = sorted_tasks(summary, &nr);
	print_head(out);
	for (i = 0; i < nr; i++) {
		switches += tasks[i]->runs.nr;
		if (!tasks[i]->task.tid)
			continue;
		print_task(out, tasks[i]);
		total += tasks[i]->total;
		nr_tasks++;
	}
	fputs("\nIdle stats:\n", out);
	for (i = 0; i < nr; i++) {
		if (!tasks[i]->task.tid)
			print_idle(out, tasks[i], all);
	}
	fprintf(out, "\n    Total number of unique tasks: %" PRIu64 "\n", nr_tasks);
	fprintf(out, "Total number of context switches: %" PRIu64 "\n", switches);
	fputs("           Total run time (msec): ", out);
	print_ms(out, 2, total);
	fputs("\n    Total scheduling time (msec): ", out);
	print_ms(out, 2, all);
	fprintf(out, " (x %" PRIu32 ")\n", nr_cpus);
	free(tasks);
}

static void free_task(struct hash_node *node)
{
	free(hash_entry(node, struct task_runs, node));
}

void run_summary_free(struct run_summary *summary)
{
	hash_table_free_all(&summary->tasks, free_task);
}

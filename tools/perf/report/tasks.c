// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the tree of tasks (perf report --tasks).
 */
#include <inttypes.h>

#include "util/util.h"
#include "tasks.h"

/* Maximum depth of a task that is shown by indentation. */
#define DEPTH_MAX 40

static int depth_of(const struct task *task)
{
	int depth = 0;

	while (task->parent && depth < DEPTH_MAX) {
		task = task->parent;
		depth++;
	}
	return depth;
}

/* Print a time of @ns as seconds. */
static void print_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, " %5" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

static void print_times(FILE *out, const struct task_tree *tree, const struct task *task)
{
	if (task->existed)
		fprintf(out, " %12s", "before");
	else
		print_seconds(out, task->start - tree->first_time);
	if (task->how_ended == TASK_EXITED)
		print_seconds(out, task->end - tree->first_time);
	else
		fprintf(out, " %12s", task->how_ended == TASK_RUNS ? "runs" : "unknown");
	if (!task->existed && task->how_ended == TASK_EXITED)
		print_seconds(out, task->end - task->start);
	else
		fprintf(out, " %12s", "-");
}

/* Print the name of a task; threads are in braces, like in pstree. */
static void print_name(FILE *out, const struct task *task)
{
	bool thread = task->tid != task->pid;

	if (thread)
		fputc('{', out);
	if (task->comm)
		fput_name(task->comm, out);
	else if (!task->tid)
		fputs("swapper", out);
	else
		fprintf(out, ":%" PRId32, (int32_t)task->tid);
	if (thread)
		fputc('}', out);
}

void report_tasks(FILE *out, const struct task_tree *tree)
{
	const struct task *task;

	fprintf(out, "#%8s %8s %8s %12s %12s %12s  comm\n", "pid", "tid", "ppid", "start", "end",
		"lifetime");
	for (task = task_tree_next(tree, NULL); task; task = task_tree_next(tree, task)) {
		fprintf(out, " %8" PRId32 " %8" PRId32 " %8" PRId32, (int32_t)task->pid,
			(int32_t)task->tid, task->ppid);
		print_times(out, tree, task);
		fprintf(out, "  %*s", 2 * depth_of(task), "");
		print_name(out, task);
		fputc('\n', out);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of tasks by their creators and its text.
 */
#include <stdlib.h>

#include "report/tasks.h"
#include "unit.h"

#define MS 1000000ULL

static struct task_tree tree;

static void task(uint32_t type, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid,
		 uint64_t ms)
{
	struct record r = { .type = type, .id = { .time = ms * MS } };

	r.task = (struct task_record){ pid, ppid, tid, ptid, ms * MS };
	task_tree_apply(&tree, &r);
}

static void fork_of(uint32_t ppid, uint32_t pid, uint64_t ms)
{
	task(PERF_RECORD_FORK, pid, ppid, pid, ppid, ms);
}

static void exit_of(uint32_t pid, uint32_t tid, uint64_t ms)
{
	task(PERF_RECORD_EXIT, pid, 1, tid, 1, ms);
}

static void comm(uint32_t pid, uint32_t tid, const char *name, uint64_t ms)
{
	struct record r = { .type = PERF_RECORD_COMM, .id = { .time = ms * MS } };

	r.comm = (struct comm_record){ .pid = pid, .tid = tid, .comm = name };
	task_tree_apply(&tree, &r);
}

static void sample(uint32_t pid, uint32_t tid, uint64_t ms)
{
	struct record r = {
		.type = PERF_RECORD_SAMPLE, .id = { .time = ms * MS, .pid = pid, .tid = tid },
	};

	task_tree_apply(&tree, &r);
}

/* Check the tree as text, without its heading, and start a new one. */
static void check_tree(const char *expected, const char *what)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	task_tree_link(&tree);
	report_tasks(out, &tree);
	fclose(out);
	check_string(strchr(text, '\n') + 1, expected, what);
	free(text);
	task_tree_free(&tree);
	tree = (struct task_tree){ 0 };
}

static void check_existing(void)
{
	/* A child may be listed before its parent. */
	fork_of(20, 10, 0);
	comm(10, 10, "child", 0);
	fork_of(1, 20, 0);
	comm(20, 20, "shell", 0);
	task(PERF_RECORD_FORK, 20, 20, 21, 20, 0);
	comm(20, 21, "helper", 0);
	sample(20, 20, 5000);
	exit_of(10, 10, 5500);
	check_tree("       20       20        1       before         runs            -  shell\n"
		   "       10       10       20       before     0.500000            -    child\n"
		   "       20       21       20       before         runs            -    {helper}\n",
		   "existing tasks are shown, threads in braces");
}

static void check_lives(void)
{
	comm(10, 10, "shell", 0);
	fork_of(10, 11, 1000);
	comm(11, 11, "make\033", 1001);
	fork_of(11, 12, 1500);
	task(PERF_RECORD_FORK, 11, 11, 13, 11, 1600);
	exit_of(12, 12, 2750);
	exit_of(11, 11, 3000);
	check_tree("       10       10       -1       before         runs            -  shell\n"
		   "       11       11       10     0.000000     2.000000     2.000000    make\\x1b\n"
		   "       12       12       11     0.500000     1.750000     1.250000      make\\x1b\n"
		   "       11       13       11     0.600000         runs            -      {make\\x1b}\n",
		   "times are relative; a child has its parent's name");
}

static void check_reuse(void)
{
	comm(10, 10, "a", 0);
	fork_of(10, 11, 1000);
	comm(11, 11, "first", 1000);
	exit_of(11, 11, 1100);
	sample(11, 11, 1101);
	fork_of(10, 11, 1200);
	comm(11, 11, "second", 1200);
	fork_of(11, 12, 1300);
	fork_of(10, 11, 1400);
	sample(12, 13, 1500);
	sample(14, 13, 1600);
	check_tree("       10       10       -1       before         runs            -  a\n"
		   "       11       11       10     0.000000     0.100000     0.100000    first\n"
		   "       11       11       10     0.200000      unknown            -    second\n"
		   "       12       12       11     0.300000         runs            -      second\n"
		   "       11       11       10     0.400000         runs            -    a\n"
		   "       12       13       -1       before      unknown            -  {:13}\n"
		   "       14       13       -1       before         runs            -  {:13}\n",
		   "reused numbers are separate tasks");
}

static void check_strange(void)
{
	fork_of(11, 10, 0);
	fork_of(10, 11, 0);
	fork_of(12, 12, 0);
	sample(0, 0, 1000);
	sample(UINT32_MAX, UINT32_MAX, 1001);
	exit_of(13, 13, 1002);
	check_tree("       11       11       10       before         runs            -  :11\n"
		   "       10       10       11       before         runs            -    :10\n"
		   "       12       12       12       before         runs            -  :12\n"
		   "        0        0       -1       before         runs            -  swapper\n"
		   "       13       13       -1       before     0.002000            -  :13\n",
		   "cyclic, own and unknown parents do no harm");
}

static size_t count_tasks(void)
{
	const struct task *t = NULL;
	size_t nr = 0;

	while ((t = task_tree_next(&tree, t)))
		nr++;
	return nr;
}

/* Each task creates the next one: the largest depth. */
static void check_many(void)
{
	static const uint32_t nr = 100000;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint32_t i;

	for (i = 1; i <= nr; i++)
		fork_of(i, i + 1, i);
	exit_of(nr, nr, nr);
	task_tree_link(&tree);
	check_number(count_tasks(), nr, "100000 generations");
	report_tasks(out, &tree);
	fclose(out);
	check(size < nr * 200L, "the indentation is limited");
	free(text);
	task_tree_free(&tree);
	tree = (struct task_tree){ 0 };
}

int main(void)
{
	check_existing();
	check_lives();
	check_reuse();
	check_strange();
	check_many();
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks of a recording: their parents, and their times of creation and exit.
 */
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "task_tree.h"

/* Find the latest task with a tid. */
static struct task *find(const struct task_tree *tree, uint32_t tid)
{
	struct hash_node *node = hash_table_first(&tree->tasks, hash_number(tid));

	return node ? hash_entry(node, struct task, node) : NULL;
}

static struct task *add(struct task_tree *tree, uint32_t pid, uint32_t tid)
{
	struct task *before = find(tree, tid), *task = xcalloc(1, sizeof(*task));

	if (before) {
		if (before->how_ended == TASK_RUNS)
			before->how_ended = TASK_REPLACED;
		hash_table_remove(&tree->tasks, &before->node);
	}
	task->pid = pid;
	task->tid = tid;
	task->ppid = -1;
	hash_table_add(&tree->tasks, &task->node, hash_number(tid));
	if (!(tree->nr & (tree->nr - 1)))
		tree->all = xreallocarray(tree->all, tree->nr ? 2 * tree->nr : 1,
					  sizeof(*tree->all));
	tree->all[tree->nr++] = task;
	return task;
}

/* Find the task that a record mentions. A task without a FORK record existed at the start. */
static struct task *get_mentioned(struct task_tree *tree, uint32_t pid, uint32_t tid)
{
	struct task *task = find(tree, tid);

	if (task && task->pid == pid)
		return task;
	task = add(tree, pid, tid);
	task->existed = true;
	return task;
}

/* Find the task that a record is about. */
static struct task *get(struct task_tree *tree, uint32_t pid, uint32_t tid)
{
	struct task *task = get_mentioned(tree, pid, tid);

	task->known = true;
	return task;
}

/* Return true if @task is @other or an ancestor of @other. */
static bool is_above(const struct task *task, const struct task *other)
{
	for (; other; other = other->parent) {
		if (other == task)
			return true;
	}
	return false;
}

/*
 * Set the parent of a task. A damaged recording may have two tasks that created each other: then
 * the second one gets no parent.
 */
static void set_parent(struct task_tree *tree, struct task *task, uint32_t ppid)
{
	struct task *parent = ppid ? get_mentioned(tree, ppid, ppid) : NULL;

	task->ppid = ppid;
	task->parent = task->existed && is_above(task, parent) ? NULL : parent;
}

static void set_comm(struct task *task, const char *comm)
{
	free(task->comm);
	task->comm = xstrdup(comm);
}

/* A FORK record without a time is synthesized: the task existed at the start. */
static void apply_fork(struct task_tree *tree, const struct task_record *t, uint64_t time)
{
	const struct task *creator;
	struct task *task;

	if (!time) {
		set_parent(tree, get(tree, t->pid, t->tid), t->ppid);
		return;
	}
	task = add(tree, t->pid, t->tid);
	task->known = true;
	task->start = time;
	set_parent(tree, task, t->ppid);
	creator = find(tree, t->ptid);
	if (creator && creator != task && creator->comm)
		set_comm(task, creator->comm);
}

static void apply_exit(struct task_tree *tree, const struct task_record *t, uint64_t time)
{
	struct task *task = get(tree, t->pid, t->tid);

	task->how_ended = TASK_EXITED;
	task->end = time;
}

void task_tree_apply(struct task_tree *tree, const struct record *record)
{
	if (!tree->first_time)
		tree->first_time = record->id.time;
	switch (record->type) {
	case PERF_RECORD_FORK:
		apply_fork(tree, &record->task, record->id.time ? : record->task.time);
		break;
	case PERF_RECORD_EXIT:
		apply_exit(tree, &record->task, record->id.time ? : record->task.time);
		break;
	case PERF_RECORD_COMM:
		set_comm(get(tree, record->comm.pid, record->comm.tid), record->comm.comm);
		break;
	case PERF_RECORD_SAMPLE:
			/* The kernel writes tid -1 for a task that has exited. */
		if (record->id.tid != UINT32_MAX)
			get(tree, record->id.pid, record->id.tid);
		break;
	}
}

void task_tree_link(struct task_tree *tree)
{
	struct task *task, *parent;
	size_t i;

	for (i = 0; i < tree->nr; i++) {
		task = tree->all[i];
		if (!task->known)
			continue;
		if (task->parent && !task->parent->known)
			task->parent = NULL;
		parent = task->parent ? task->parent : &tree->root;
		if (parent->last_child)
			parent->last_child->sibling = task;
		else
			parent->children = task;
		parent->last_child = task;
	}
}

/* This walk is not recursive, because the tree can be as deep as there are tasks. */
const struct task *task_tree_next(const struct task_tree *tree, const struct task *task)
{
	if (!task)
		return tree->root.children;
	if (task->children)
		return task->children;
	while (task && !task->sibling)
		task = task->parent;
	return task ? task->sibling : NULL;
}

void task_tree_free(struct task_tree *tree)
{
	size_t i;

	for (i = 0; i < tree->nr; i++) {
		free(tree->all[i]->comm);
		free(tree->all[i]);
	}
	free(tree->all);
	hash_table_free(&tree->tasks);
}

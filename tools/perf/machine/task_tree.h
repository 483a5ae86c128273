/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording: their parents, and their times of creation and exit.
 */
#ifndef PERF_MACHINE_TASK_TREE_H
#define PERF_MACHINE_TASK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"
#include "util/util.h"

enum task_end {
	TASK_RUNS,		/* running at the end of the recording */
	TASK_EXITED,
	TASK_REPLACED,		/* a later task has its tid; its EXIT record was lost */
};

/**
 * struct task - a thread from creation to exit; a later task may have its tid
 * @node: node in the table, by @tid
 * @pid: process
 * @tid: thread
 * @ppid: for a first thread, process that created this process; for others, this process; -1:
 *	unknown
 * @parent: first thread of process @ppid, or NULL
 * @children: first child
 * @last_child: last child
 * @sibling: next child of @parent
 * @comm: last name, or NULL
 * @known: true if a record describes the task itself, false if records only name it as a parent
 * @existed: true if the task existed at the start of the recording
 * @start: time of creation in ns
 * @how_ended: state at the end of the recording
 * @end: time of exit in ns, for TASK_EXITED
 */
struct task {
	struct hash_node node;
	uint32_t pid;
	uint32_t tid;
	int32_t ppid;
	struct task *parent;
	struct task *children;
	struct task *last_child;
	struct task *sibling;
	char *comm;
	bool known;
	bool existed;
	uint64_t start;
	enum task_end how_ended;
	uint64_t end;
};

/**
 * struct task_tree - all tasks of a recording
 * @tasks: latest task of each tid
 * @all: all tasks, in the order of their first records
 * @nr: number of @all
 * @root: parent of the tasks without a parent
 * @first_time: time of the first record in ns
 */
struct task_tree {
	struct hash_table tasks;
	struct task **all;
	size_t nr;
	struct task root;
	uint64_t first_time;
};

/* Apply a record to the tree; records come in the order of time. */
void task_tree_apply(struct task_tree *tree, const struct record *record);

/* Link children to their parents; called once, after the last record. */
void task_tree_link(struct task_tree *tree);

/*
 * Return the task after @task, or the first task if @task is NULL. Parents come before their
 * children. Returns NULL after the last task.
 */
const struct task *task_tree_next(const struct task_tree *tree, const struct task *task);

void task_tree_free(struct task_tree *tree);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tasks of a recording, who created whom, and from when to when they lived.
 */
#ifndef PERF_MACHINE_TASK_TREE_H
#define PERF_MACHINE_TASK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/file.h"
#include "util/util.h"

enum task_end {
	TASK_RUNS,		/* as far as the recording goes */
	TASK_ENDED,
	TASK_REPLACED,		/* somebody else had its tid later; its EXIT was lost */
};

/**
 * struct task - one life of a thread; its tid may be used again
 * @node: by tid
 * @pid: its process
 * @tid: the thread
 * @ppid: the process that created it or, of a thread, its own; -1: not known
 * @parent: the first thread of that process; NULL: it is not known
 * @children: whom @parent says so of, the first one
 * @last_child: the last one
 * @sibling: the next child of @parent
 * @comm: its last name, or NULL
 * @known: a record is about it; others only say that it created somebody
 * @existed: it was there before the recording began
 * @start: when it was created; ns
 * @how_ended: whether and how it ended
 * @end: when, for TASK_ENDED; ns
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
 * struct task_tree - all lives
 * @tasks: those who have their tids now
 * @all: in the order in which they came
 * @nr: number of @all
 * @root: its children are those without a parent
 * @first_time: of the first record; ns
 */
struct task_tree {
	struct hash_table tasks;
	struct task **all;
	size_t nr;
	struct task root;
	uint64_t first_time;
};

/* Take from a record what it says about tasks; records come in the order of time. */
void task_tree_apply(struct task_tree *tree, const struct record *record);

/* Let parents know their children; to be called once, after the last record. */
void task_tree_link(struct task_tree *tree);

/* The task after @task, children after their parents; after NULL the first, then NULL. */
const struct task *task_tree_next(const struct task_tree *tree, const struct task *task);

void task_tree_free(struct task_tree *tree);

#endif

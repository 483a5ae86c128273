/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the tree of tasks (perf report --tasks).
 */
#ifndef PERF_REPORT_TASKS_H
#define PERF_REPORT_TASKS_H

#include <stdio.h>

#include "machine/machine.h"

/* Print a tree that task_tree_link() has linked. */
void report_tasks(FILE *out, const struct task_tree *tree);

#endif

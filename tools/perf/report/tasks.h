/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of tasks as text (perf report --tasks).
 */
#ifndef PERF_REPORT_TASKS_H
#define PERF_REPORT_TASKS_H

#include <stdio.h>

#include "machine/machine.h"

/* Print a tree whose parents know their children. */
void report_tasks(FILE *out, const struct task_tree *tree);

#endif

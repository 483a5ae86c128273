/* SPDX-License-Identifier: GPL-2.0 */
/* The existing kernel, tasks and mappings of a target, read from /proc. */
#ifndef PERF_RECORD_PROC_SCAN_H
#define PERF_RECORD_PROC_SCAN_H

#include "measure/measure.h"
#include "synth.h"

/*
 * Synthesize records of the kernel and its modules. Return: true if the kernel's addresses are
 * known.
 */
bool proc_scan_kernel(struct synth *s);

/**
 * proc_scan_tasks() - synthesize records of the tasks of a target
 * @s: receives the records: tasks, names and mappings
 * @target: target of the measurement
 * @counters: counters of the tasks, for TARGET_TASKS
 * @command: process of the command, for TARGET_COMMAND
 *
 * Return: 0 or the negative errno of the sink.
 */
int proc_scan_tasks(struct synth *s, const struct target *target, const struct counters *counters,
		    pid_t command);

#endif

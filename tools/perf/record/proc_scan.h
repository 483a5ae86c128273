/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is there when a measurement begins, as far as it has to do with its target.
 */
#ifndef PERF_RECORD_PROC_SCAN_H
#define PERF_RECORD_PROC_SCAN_H

#include "measure/measure.h"
#include "synth.h"

/* The kernel and its modules. Return: whether the kernel's addresses are known. */
bool proc_scan_kernel(struct synth *s);

/**
 * proc_scan_tasks() - the tasks of a target, with their names and mappings
 * @s: gets the records
 * @target: the target
 * @counters: those that follow the target, for TARGET_TASKS
 * @command: the command's process, for TARGET_COMMAND
 *
 * Return: 0 or the negative errno of the sink.
 */
int proc_scan_tasks(struct synth *s, const struct target *target, const struct counters *counters,
		   pid_t command);

#endif

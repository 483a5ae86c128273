/* SPDX-License-Identifier: GPL-2.0 */
/* Attach to existing tasks: record what exists and every later change, each exactly once. */
#ifndef PERF_RECORD_ATTACH_H
#define PERF_RECORD_ATTACH_H

#include "measure/measure.h"
#include "synth.h"

/**
 * attach() - record the tasks, names and mappings that exist
 * @b: buffers with counters that record what tasks do, and do not take samples yet
 * @s: format of the synthesized records, and the sink of all records, including those that the
 *	kernel writes meanwhile; the sink is replaced during the call
 * @target: target of the measurement
 * @kernel_known: receives whether the kernel's addresses are known
 *
 * Return: 0 or a negative errno.
 */
int attach(const struct buffers *b, struct synth *s, const struct target *target,
	   bool *kernel_known);

#endif

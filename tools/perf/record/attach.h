/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Begin to watch what exists already: nothing that becomes of it is missed, and
 * nothing is written twice.
 */
#ifndef PERF_RECORD_ATTACH_H
#define PERF_RECORD_ATTACH_H

#include "measure/measure.h"
#include "synth.h"

/**
 * attach() - say what exists
 * @b: buffers, whose counters record what tasks do, and take no samples yet
 * @s: how the records of what exists look, and where all records go: those as well that
 *	the kernel writes meanwhile; its sink is another one afterwards
 * @target: whom
 * @kernel_known: gets whether the kernel's addresses are
 *
 * Return: 0 or a negative errno.
 */
int attach(const struct buffers *b, struct synth *s, const struct target *target,
	   bool *kernel_known);

#endif

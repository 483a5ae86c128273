/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Begin to record what exists already: nothing that becomes of it is missed, and
 * nothing is written twice.
 */
#ifndef PERF_ATTACH_H
#define PERF_ATTACH_H

#include "recording.h"
#include "synth.h"
#include "target.h"

/**
 * attach() - write to a recording what exists
 * @r: a recording, whose counters record what tasks do, and take no samples yet
 * @s: how the records of what exists look; attach() sets its sink
 * @target: whom
 * @kernel_known: gets whether the kernel's addresses are
 *
 * Return: 0 or a negative errno.
 */
int attach(struct recording *r, struct synth *s, const struct target *target,
	   bool *kernel_known);

#endif

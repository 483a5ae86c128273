/* SPDX-License-Identifier: GPL-2.0 */
/* The control group of --cgroup. */
#ifndef PERF_MEASURE_CGROUP_H
#define PERF_MEASURE_CGROUP_H

#include "util/util.h"

/**
 * cgroup_open() - open the directory of a control group
 * @name: path below the hierarchy that perf_events uses; "/" is the root
 * @err: receives the reason of a failure
 *
 * Return: a close-on-exec descriptor, or -1 with @err set.
 */
int cgroup_open(const char *name, struct error *err);

#endif

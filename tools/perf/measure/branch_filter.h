/* SPDX-License-Identifier: GPL-2.0 */
/* Filters of branch records (-j). */
#ifndef PERF_MEASURE_BRANCH_FILTER_H
#define PERF_MEASURE_BRANCH_FILTER_H

#include <linux/perf_event.h>

#include "util/util.h"

/**
 * branch_filter_parse() - add filters to a branch_sample_type
 * @type: branch_sample_type, initially 0
 * @list: names of filters, separated by commas
 * @err: receives the unknown name and the valid names
 *
 * Return: 0, or -1 with @err set.
 */
int branch_filter_parse(__u64 *type, const char *list, struct error *err);

/*
 * Select branches of any kind if a branch_sample_type selects no kind. Without modes, the kernel
 * uses the modes of the event. Return: the complete branch_sample_type.
 */
__u64 branch_filter_complete(__u64 type);

#endif

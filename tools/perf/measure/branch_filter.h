/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which branches are recorded (-j).
 */
#ifndef PERF_MEASURE_BRANCH_FILTER_H
#define PERF_MEASURE_BRANCH_FILTER_H

#include <linux/perf_event.h>

#include "util/util.h"

/**
 * branch_filter_parse() - add what filters say to an attr's branch_sample_type
 * @type: the branch_sample_type, 0 to begin with
 * @list: names of filters, separated by commas
 * @err: names the one that there is not, and those that there are
 *
 * Return: 0, or -1 with @err set.
 */
int branch_filter_parse(__u64 *type, const char *list, struct error *err);

/*
 * The branch_sample_type that is meant by one that may name no kind of branch: any. Where none
 * of the modes is named, the kernel takes those that the event counts.
 */
__u64 branch_filter_complete(__u64 type);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints counts, and numbers that follow from them.
 *
 * Uses: measure, util
 */
#ifndef PERF_STAT_H
#define PERF_STAT_H

#include "named_metric.h"	/* metrics by name */
#include "stat_print.h"		/* a table, CSV, JSON */
#include "tally.h"		/* sums over counters, intervals and runs */
#include "tool_times.h"		/* duration_time, user_time, system_time */

#endif

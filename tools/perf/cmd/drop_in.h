/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of the kernel's perf that make no difference in this tool, or that it refuses with the
 * name of the option or program to use instead. perf(1) lists them, the help does not.
 */
#ifndef PERF_CMD_DROP_IN_H
#define PERF_CMD_DROP_IN_H

#include <argp.h>

/* Parsers for struct argp.children; they need no input. Each also has -h, the short help. */
extern const struct argp annotate_drop_in;
extern const struct argp diff_drop_in;
extern const struct argp record_drop_in;
extern const struct argp report_drop_in;
extern const struct argp script_drop_in;
extern const struct argp stat_drop_in;
extern const struct argp latency_drop_in;
extern const struct argp map_drop_in;
extern const struct argp lock_drop_in;
extern const struct argp timehist_drop_in;
extern const struct argp trace_drop_in;
extern const struct argp top_drop_in;
extern const struct argp probe_drop_in;
extern const struct argp list_drop_in;
extern const struct argp evlist_drop_in;
extern const struct argp buildid_cache_drop_in;
extern const struct argp buildid_list_drop_in;
/* Parser for a command that has only -h of these options. */
extern const struct argp plain_drop_in;

#endif

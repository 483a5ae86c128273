/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of names: patterns that are joined by !, &, | and parentheses.
 */
#ifndef PERF_PROBE_NAME_FILTER_H
#define PERF_PROBE_NAME_FILTER_H

#include <stdbool.h>

/* Return true if @filter can be parsed: "vfs_*", "!_* & !*@plt", "(a* | b*) & !*_locked". */
bool name_filter_is_valid(const char *filter);

/* Return true if @name matches @filter, which is valid. Patterns are those of a shell. */
bool name_filter_matches(const char *filter, const char *name);

#endif

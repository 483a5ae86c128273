/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf list: events that have names of vendors, by PMU.
 */
#ifndef PERF_CMD_LIST_VENDOR_H
#define PERF_CMD_LIST_VENDOR_H

#include <stdbool.h>
#include <stddef.h>

#include "list_filter.h"

/*
 * List vendor events of this machine's PMUs, or of the PMU that the user named: all if @all,
 * else those that match a pattern. Return: the number of printed lines.
 */
size_t list_vendor_events(const struct list_options *o, bool all);

/* List the PMUs. Return: the exit status. */
int list_vendor_pmus(void);

/* Check that libpfm has the PMU, and print an error if not. Return: 0 or -1. */
int list_check_pmu(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of a group of events: each sort key that one of the events has.
 */
#ifndef PERF_REPORT_GROUP_ROWS_H
#define PERF_REPORT_GROUP_ROWS_H

#include "hist.h"

const struct hist_entry **group_rows(const struct hist *hists, size_t nr, size_t *nr_rows);

#endif

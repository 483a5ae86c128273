/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of perf report as CSV and JSON.
 */
#ifndef PERF_EXPORT_ROWS_H
#define PERF_EXPORT_ROWS_H

#include <stdio.h>

#include "report/report.h"

/**
 * struct export_rows - the rows of each event
 * @keys: sort keys
 * @hists: histogram for each event of the recording
 * @nr: number of @hists
 * @chain: call chain of the current sample
 */
struct export_rows {
	struct sort_keys keys;
	struct hist *hists;
	size_t nr;
	struct callchain chain;
};

int export_rows_start(struct export_rows *rows, const char *sort, struct error *err);
void export_rows_add(struct export_rows *rows, struct session *session,
		     const struct record *record);
void export_rows_csv(FILE *out, const struct export_rows *rows, const struct event_table *events);
void export_rows_json(FILE *out, const struct export_rows *rows, const struct event_table *events);
void export_rows_free(struct export_rows *rows);

#endif

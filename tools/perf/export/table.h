/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of rows for SQL engines. */
#ifndef PERF_EXPORT_TABLE_H
#define PERF_EXPORT_TABLE_H

#include "profile.h"

/**
 * struct export_table - options of the tables
 * @prefix: path of the files without the end, ".samples.csv"
 * @host: name of the recorded machine
 * @json: write a JSON object for each row, in the place of CSV
 * @zstd: compress the files
 */
struct export_table {
	const char *prefix;
	const char *host;
	bool json;
	bool zstd;
};

int export_table(struct profile *p, const struct export_table *table, struct error *err);

#endif

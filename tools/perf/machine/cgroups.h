/* SPDX-License-Identifier: GPL-2.0 */
/* Names of control groups, by the numbers in samples. */
#ifndef PERF_MACHINE_CGROUPS_H
#define PERF_MACHINE_CGROUPS_H

#include "util/util.h"

/**
 * struct cgroups - the control groups of a recording
 * @table: control groups by number
 * @paths: interned paths
 */
struct cgroups {
	struct hash_table table;
	struct intern_table paths;
};

/* Add a control group. A later path replaces an earlier one of the same number. */
void cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path);

/* Return the path, interned and safe to print; "unknown" if the recording does not have it. */
const char *cgroups_path(struct cgroups *cgroups, uint64_t id);

void cgroups_free(struct cgroups *cgroups);

#endif

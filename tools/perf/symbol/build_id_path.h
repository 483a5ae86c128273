/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of files that are stored by build-id.
 */
#ifndef PERF_SYMBOL_BUILD_ID_PATH_H
#define PERF_SYMBOL_BUILD_ID_PATH_H

#include "dso_set.h"

char *build_id_text(const struct dso *dso);
char *build_id_cached(const struct dso *dso, const char *name);
char *build_id_installed(const struct dso *dso, const char *suffix);
bool build_id_matches(const struct dso *dso, const char *path);

#endif

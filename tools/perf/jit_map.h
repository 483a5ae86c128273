/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /tmp/perf-PID.map: where the functions are that a program generated.
 */
#ifndef PERF_JIT_MAP_H
#define PERF_JIT_MAP_H

#include "dso.h"

void jit_map_load(struct dso *dso);
bool jit_map_offset(const struct dso *dso, uint64_t *addr);

#endif

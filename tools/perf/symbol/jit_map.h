/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /tmp/perf-PID.map: the functions that a program has generated.
 */
#ifndef PERF_SYMBOL_JIT_MAP_H
#define PERF_SYMBOL_JIT_MAP_H

#include "dso_set.h"

void jit_map_read(struct dso *dso);
int jit_map_open(const struct dso *dso);
struct symbol *jit_map_symbol(const struct dso *dso, uint64_t addr, uint64_t *offset);
void jit_map_free(struct jit_map *jit);

#endif

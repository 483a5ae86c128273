/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function at an address in a dso, whose symbols are read when the first one is looked up.
 */
#ifndef PERF_SYMBOL_SYMBOLS_H
#define PERF_SYMBOL_SYMBOLS_H

#include "dso_set.h"

struct symbol *dso_symbol(struct dso_set *set, struct dso *dso, uint64_t addr, uint64_t *offset);
void dso_set_refresh(struct dso_set *set);

#endif

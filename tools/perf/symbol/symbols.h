/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up functions in a dso. The first look-up reads the symbols.
 */
#ifndef PERF_SYMBOL_SYMBOLS_H
#define PERF_SYMBOL_SYMBOLS_H

#include "dso_set.h"

struct symbol *dso_symbol(struct dso_set *set, struct dso *dso, uint64_t addr, uint64_t *offset);
void dso_set_refresh(struct dso_set *set);

#endif

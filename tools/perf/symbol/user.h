/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of programs and libraries.
 */
#ifndef PERF_SYMBOL_USER_H
#define PERF_SYMBOL_USER_H

#include "dso_set.h"

int vdso_open(void);
int user_file_open(struct dso *dso);
void user_symbols_load(const struct dso_set *set, struct dso *dso);
void vdso_symbols_load(struct dso_set *set, struct dso *dso);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of programs and libraries.
 */
#ifndef PERF_USER_SYMBOLS_H
#define PERF_USER_SYMBOLS_H

#include "dso.h"

void user_symbols_load(struct dso *dso);
void vdso_symbols_load(struct dso_set *set, struct dso *dso);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of a file.
 */
#ifndef PERF_SYMBOL_INSTRUCTIONS_H
#define PERF_SYMBOL_INSTRUCTIONS_H

#include "dso_set.h"

/**
 * dso_count_instructions() - how many instructions are executed from one to another
 * @dso: a file whose functions have been looked for
 * @first: where the first one is, as offset in the file
 * @last: where the last one is, a branch
 *
 * Return: how many; 0 where it is not known: the code is not there to be read, or is no x86
 * code, or leads elsewhere before @last.
 */
unsigned int dso_count_instructions(const struct dso *dso, uint64_t first, uint64_t last);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts instructions in the code of a file.
 */
#ifndef PERF_SYMBOL_INSTRUCTIONS_H
#define PERF_SYMBOL_INSTRUCTIONS_H

#include "dso_set.h"

/**
 * dso_count_instructions() - Count the instructions between two addresses
 * @dso: file whose functions have been looked up
 * @first: offset of the first instruction in the file
 * @last: offset of the last instruction in the file; a branch
 *
 * Return: The number, with both; 0 if the code is unreadable, is not x86 code, or jumps away
 * before @last.
 */
unsigned int dso_count_instructions(const struct dso *dso, uint64_t first, uint64_t last);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the instruction of a sample: its bytes and its length.
 */
#ifndef PERF_REPORT_INSN_PRINT_H
#define PERF_REPORT_INSN_PRINT_H

#include <stdio.h>

#include "symbol/symbol.h"

/* The instructions that have been read, by their file and address. */
struct insn_cache {
	struct hash_table insns;
};

/**
 * insn_print() - Print an instruction as " ilen: 3 insn: 48 89 e5"
 * @out: stream to print to
 * @cache: instructions that have been read
 * @at: location of the instruction
 * @with_size: true to print its length; 0 if it cannot be read
 * @with_bytes: true to print its bytes, if it can be read
 *
 * Code is read only of functions that have a symbol.
 */
void insn_print(FILE *out, struct insn_cache *cache, const struct location *at, bool with_size,
		bool with_bytes);

void insn_cache_free(struct insn_cache *cache);

#endif

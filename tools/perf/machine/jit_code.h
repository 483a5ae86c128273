/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generated code of a process at one time, by its jitdump files.
 */
#ifndef PERF_MACHINE_JIT_CODE_H
#define PERF_MACHINE_JIT_CODE_H

#include "symbol/symbol.h"

struct jitdump;

/* The next event of a jitdump file to apply. */
struct jit_position {
	const struct jitdump *dump;
	size_t next;
};

/**
 * struct jit_code - generated code of a process; all zeros: none
 * @maps: mappings to the code in jitdump files, or NULL
 * @positions: jitdump files of the process
 * @nr: number of @positions
 */
struct jit_code {
	struct map_set *maps;
	struct jit_position *positions;
	size_t nr;
};

void jit_code_add(struct jit_code *code, const struct jitdump *dump);
void jit_code_advance(struct jit_code *code, uint64_t time);
void jit_code_unmap(struct jit_code *code, uint64_t start, uint64_t end);
const struct map *jit_code_find(const struct jit_code *code, uint64_t addr);
void jit_code_fork(struct jit_code *child, const struct jit_code *parent);
void jit_code_free(struct jit_code *code);

#endif

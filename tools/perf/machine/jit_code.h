/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that a process has generated, as its jitdump files tell, at one time.
 */
#ifndef PERF_MACHINE_JIT_CODE_H
#define PERF_MACHINE_JIT_CODE_H

#include "symbol/symbol.h"

struct jitdump;

/* How far a dump has been followed. */
struct jit_position {
	const struct jitdump *dump;
	size_t next;
};

/**
 * struct jit_code - generated code; all zeros: there is none
 * @maps: where it is, each a piece of a dump; or NULL
 * @positions: in the dumps of the process
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

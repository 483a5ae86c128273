/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information of generated code, from jitdump files.
 */
#ifndef PERF_UNWIND_JIT_FRAME_H
#define PERF_UNWIND_JIT_FRAME_H

#include "call_frame.h"

/**
 * jit_frame_row() - Find the rules at an instruction of generated code
 * @dso: jitdump file that has been read
 * @code: offset of the instruction in the file
 * @nr_registers: number of registers that rules are made for
 *
 * Return: The rules, which the caller frees with frame_row_free(). If the function has unwinding
 * tables, but these have no valid rules for the instruction, @damaged is set in the result. NULL
 * if the function has no tables.
 */
struct frame_row *jit_frame_row(const struct dso *dso, uint64_t code, unsigned int nr_registers);

#endif

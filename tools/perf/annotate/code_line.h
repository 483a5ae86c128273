/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instruction of an annotated function.
 */
#ifndef PERF_ANNOTATE_CODE_LINE_H
#define PERF_ANNOTATE_CODE_LINE_H

#include "symbol/symbol.h"

/* Index that stands for no instruction. */
#define NO_INDEX UINT32_MAX

/**
 * struct code_line - an instruction
 * @addr: address
 * @offset: offset in the function
 * @size: size in bytes
 * @bytes: machine code of the instruction
 * @flow: where the execution goes after it
 * @target: index of the instruction in the function that it jumps to, or NO_INDEX
 * @is_target: some instruction of the function jumps to this one
 * @text: mnemonic and operands; safe to print
 * @file: source file, or NULL
 * @line: number of the source line; 0: unknown
 * @runs: number of straight runs of branch records that executed the instruction
 * @taken: number of branch records of the instruction
 * @missed: number of @taken that were mispredicted
 * @cycles: sum of the cycles of the straight runs that end here and have a number of cycles
 * @timed: number of those runs
 * @hot: the instruction is on the hot path
 */
struct code_line {
	uint64_t addr;
	uint64_t offset;
	uint8_t size;
	uint8_t bytes[INSTRUCTION_MAX];
	enum instruction_flow flow;
	uint32_t target;
	bool is_target;
	char *text;
	const struct source_file *file;
	uint32_t line;
	uint64_t runs;
	uint64_t taken;
	uint64_t missed;
	uint64_t cycles;
	uint64_t timed;
	bool hot;
};

#endif

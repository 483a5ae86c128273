/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decodes instructions: their texts and jumps, and the number of them between two addresses.
 */
#ifndef PERF_SYMBOL_INSTRUCTIONS_H
#define PERF_SYMBOL_INSTRUCTIONS_H

#include "code.h"
#include "dso_set.h"

/* Maximum size of an instruction in bytes. */
#define INSTRUCTION_MAX 15

/* Where the execution goes after an instruction. */
enum instruction_flow {
	FLOW_NEXT,
	FLOW_BRANCH,		/* to the target, or to the next instruction */
	FLOW_JUMP,		/* to the target; without one, to an unknown address */
	FLOW_CALL,
	FLOW_RETURN,
};

/**
 * struct instruction - a decoded instruction
 * @addr: address
 * @size: size in bytes
 * @bytes: machine code of the instruction
 * @flow: where the execution goes after it
 * @has_target: @target is known
 * @target: address that it jumps to, or calls
 * @name: mnemonic; "(bad)" for bytes that are no instruction
 * @operands: operands, without @target
 * @refers: address of data that the operands give relative to the instruction, or 0
 */
struct instruction {
	uint64_t addr;
	uint8_t size;
	uint8_t bytes[INSTRUCTION_MAX];
	enum instruction_flow flow;
	bool has_target;
	uint64_t target;
	char name[32];
	char operands[160];
	uint64_t refers;
};

struct decoder;

/**
 * decoder_new() - Prepare decoding of a function
 * @code: code of the function; must stay valid
 * @intel: write operands of x86 in the order of Intel's manuals, not that of AT&T
 * @err: set to the reason if the architecture is not known
 *
 * Return: A decoder, which decoder_free() frees; NULL with @err set.
 */
struct decoder *decoder_new(const struct code *code, bool intel, struct error *err);

/**
 * decoder_next() - Decode the next instruction
 * @decoder: decoder
 * @insn: set to the instruction
 *
 * Return: True; false at the end of the code.
 */
bool decoder_next(struct decoder *decoder, struct instruction *insn);
void decoder_free(struct decoder *decoder);

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

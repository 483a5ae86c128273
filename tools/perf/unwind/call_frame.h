/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information: rules that find the registers of the caller at each instruction of
 * a function.
 *
 * The rules are those of the DWARF standard, version 5, section 6.4. The canonical frame
 * address (CFA) is the value that the stack pointer had before the call.
 */
#ifndef PERF_UNWIND_CALL_FRAME_H
#define PERF_UNWIND_CALL_FRAME_H

#include <elfutils/libdw.h>

#include "symbol/symbol.h"

/* DWARF's register numbers are below this: powerpc's LR has 65, the largest. */
#define FRAME_REGISTERS 66

/* Ways to find a value. */
enum frame_rule_kind {
	FRAME_LOST,			/* the value cannot be found */
	FRAME_IN_REGISTER,		/* register @base plus @offset */
	FRAME_AT_CFA,			/* in memory, at the CFA plus @offset */
	FRAME_CFA,			/* the CFA plus @offset */
	FRAME_AT_EXPRESSION,		/* in memory, at the result of @ops */
	FRAME_EXPRESSION,		/* the result of @ops */
};

/**
 * struct frame_rule - the way to find one value
 * @kind: enum frame_rule_kind
 * @target: number of the caller's register that has the value; unused for the CFA
 * @base: number of the register that @offset is added to
 * @nr_ops: number of @ops
 * @offset: distance in bytes
 * @ops: expression; DW_OP_call_frame_cfa pushes the CFA
 */
struct frame_rule {
	uint8_t kind;
	uint8_t target;
	uint8_t base;
	uint32_t nr_ops;
	int64_t offset;
	Dwarf_Op *ops;
};

/* Answers to questions about the code at an instruction. */
enum frame_answer {
	FRAME_ASK,			/* the code has not been looked at */
	FRAME_NO,
	FRAME_YES,
};

/**
 * struct frame_row - the rules at one instruction
 * @node: node in the table of the file, by @addr
 * @addr: address of the instruction as the file has it
 * @known: true if the file has rules for the instruction
 * @damaged: true if generated code has unwinding tables that cannot be used for the instruction
 * @signal: true in a signal trampoline, whose caller may have been interrupted at any instruction
 * @outermost: true if the function has no caller
 * @epilogue: answer of dso_is_epilogue()
 * @after_call: answer of dso_is_after_call()
 * @pointer_known: true if @pointer is known
 * @pointer: enum pointer_frame, answer of dso_pointer_frame()
 * @return_register: number of the register whose value in the caller is the return address
 * @cfa: rule for the CFA
 * @nr_rules: number of @rules
 * @rules: rules for the registers that differ in the caller; other registers are unchanged
 */
struct frame_row {
	struct hash_node node;
	uint64_t addr;
	bool known;
	bool damaged;
	bool signal;
	bool outermost;
	uint8_t epilogue;
	uint8_t after_call;
	bool pointer_known;
	uint8_t pointer;
	uint8_t return_register;
	struct frame_rule cfa;
	size_t nr_rules;
	struct frame_rule rules[];
};

/**
 * dso_frame_row() - Look up the rules at an instruction
 * @dso: file whose functions have been looked up
 * @addr: offset of the instruction in the file
 *
 * Return: The rules, which are valid until the next call for @dso; NULL if the file cannot be read
 * or has no rules for the instruction.
 */
struct frame_row *dso_frame_row(struct dso *dso, uint64_t addr);

/*
 * Look up the rules like dso_frame_row(). If there are none for the instruction, return a row whose
 * @known is false.
 */
struct frame_row *dso_frame_any_row(struct dso *dso, uint64_t addr);

/*
 * Look up the rules like dso_frame_any_row(), but in the file alone: to open its debug file takes
 * longer than all other lookups. Return NULL if the file has none.
 */
struct frame_row *dso_frame_own_row(struct dso *dso, uint64_t addr);

/*
 * Return true if @addr, an offset in the file, is the entry point. Call dso_frame_row() for @dso
 * first.
 */
bool dso_is_entry(struct dso *dso, uint64_t addr);

void frame_row_free(struct frame_row *row);

#endif

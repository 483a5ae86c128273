/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information: at each instruction of a function, where the registers of its
 * caller are.
 *
 * The rules are those of the DWARF standard, version 5, section 6.4. The canonical frame
 * address (CFA) is the value that the stack pointer had before the call.
 */
#ifndef PERF_SYMBOL_CALL_FRAME_H
#define PERF_SYMBOL_CALL_FRAME_H

#include <elfutils/libdw.h>

#include "dso.h"

/* DWARF's numbers of registers that are looked at are below this: powerpc's LR has 65. */
#define FRAME_REGISTERS 66

/* How a value is found. */
enum frame_rule_kind {
	FRAME_LOST,			/* not at all */
	FRAME_IN_REGISTER,		/* register @base plus @offset */
	FRAME_AT_CFA,			/* in memory, at the CFA plus @offset */
	FRAME_CFA,			/* the CFA plus @offset */
	FRAME_AT_EXPRESSION,		/* in memory, at the result of @ops */
	FRAME_EXPRESSION,		/* the result of @ops */
};

/**
 * struct frame_rule - how one value is found
 * @kind: in which way
 * @target: register of the caller whose value it is; unused for the CFA
 * @base: register that @offset is added to
 * @nr_ops: number of @ops
 * @offset: bytes
 * @ops: expression; an operation that works on the CFA has DW_OP_call_frame_cfa
 */
struct frame_rule {
	uint8_t kind;
	uint8_t target;
	uint8_t base;
	uint32_t nr_ops;
	int64_t offset;
	Dwarf_Op *ops;
};

/**
 * struct frame_row - the rules at one instruction
 * @node: in the table of the file, by @addr
 * @addr: address of the instruction, as the file has it
 * @known: the file says something about the instruction
 * @signal: a signal interrupted the caller, which need not have executed a call
 * @outermost: there is no caller
 * @return_register: register whose value in the caller is the return address
 * @cfa: how the CFA is found
 * @nr_rules: number of @rules
 * @rules: registers that differ in the caller; any other has the value that it has here
 */
struct frame_row {
	struct hash_node node;
	uint64_t addr;
	bool known;
	bool signal;
	bool outermost;
	uint8_t return_register;
	struct frame_rule cfa;
	size_t nr_rules;
	struct frame_rule rules[];
};

/**
 * dso_frame_row() - look up how the caller of an instruction's function is found
 * @dso: file whose functions have been looked for
 * @addr: the instruction's offset in the file
 *
 * Return: the rules, which live as long as @dso; NULL: the file cannot be read, or has nothing
 * at @addr.
 */
const struct frame_row *dso_frame_row(struct dso *dso, uint64_t addr);

/* Is a file executed from its offset @addr on? dso_frame_row() has been called. */
bool dso_is_entry(struct dso *dso, uint64_t addr);

/**
 * dso_frame() - the same as libdw has it
 * @dso: file whose functions have been looked for
 * @addr: the instruction's offset in the file
 *
 * Return: the rules, which the caller frees with free(); NULL: there are none.
 */
Dwarf_Frame *dso_frame(struct dso *dso, uint64_t addr);

/**
 * dso_open_frames() - open the call frame information of a file that soon has no path
 * @dso: what the file is, without call frame information so far
 * @path: the file's path now
 */
void dso_open_frames(struct dso *dso, const char *path);

/* Does nothing for NULL. */
void frame_rules_free(struct frame_rules *rules);

#endif

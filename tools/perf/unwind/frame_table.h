/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that a section of call frame information describes.
 *
 * An entry of the section is a CIE, which several functions share, or an FDE, which belongs to one
 * function. Both have programs whose execution gives the rules at an instruction (DWARF 5,
 * section 6.4.1; Linux Standard Base, Core, section 10.6).
 */
#ifndef PERF_UNWIND_FRAME_TABLE_H
#define PERF_UNWIND_FRAME_TABLE_H

#include "frame_bytes.h"
#include "frame_file.h"

/**
 * struct frame_fde - the part of the code that an FDE describes
 * @start: address of the first instruction
 * @size: size in bytes
 * @offset: offset of the FDE in its section
 */
struct frame_fde {
	uint64_t start;
	uint64_t size;
	uint32_t offset;
};

/**
 * struct frame_table - the FDEs of a section
 * @section: section; must stay valid
 * @is_eh: true for .eh_frame, false for .debug_frame, whose format differs
 * @word: size of an address in bytes
 * @fdes: FDEs by address
 * @nr: number of @fdes
 */
struct frame_table {
	const struct frame_section *section;
	bool is_eh;
	unsigned int word;
	struct frame_fde *fdes;
	size_t nr;
};

/**
 * struct frame_function - an FDE with its CIE, decoded
 * @start: address of the first instruction
 * @code_align: factor of distances between instructions
 * @data_align: factor of offsets from the CFA
 * @return_register: number of the register whose value in the caller is the return address
 * @encoding: DW_EH_PE_* of addresses in the programs
 * @word: size of an address in bytes
 * @signal: true in a signal trampoline
 * @common: program of the CIE
 * @own: program of the FDE
 */
struct frame_function {
	uint64_t start;
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t encoding;
	unsigned int word;
	bool signal;
	struct frame_bytes common;
	struct frame_bytes own;
};

/* Read the FDEs of @section, which may have none. Damaged entries are left out. */
void frame_table_make(struct frame_table *table, const struct frame_section *section, bool is_eh,
		      unsigned int word);

/* Find the function that contains the instruction at @addr. Return false if there is none. */
bool frame_table_find(const struct frame_table *table, uint64_t addr,
		      struct frame_function *function);

void frame_table_free(struct frame_table *table);

#endif

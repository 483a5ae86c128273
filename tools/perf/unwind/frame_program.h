/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executes the programs of call frame information (DWARF 5, section 6.4.2).
 */
#ifndef PERF_UNWIND_FRAME_PROGRAM_H
#define PERF_UNWIND_FRAME_PROGRAM_H

#include "call_frame.h"
#include "frame_table.h"

/**
 * frame_program_row() - Find the rules at an instruction
 * @function: function that contains the instruction
 * @addr: address of the instruction
 * @nr_registers: number of registers that rules are made for, at most FRAME_REGISTERS
 *
 * Return: The rules, which the caller frees with frame_row_free(); NULL if the programs are
 * damaged, or take more than 16,384 operations.
 */
struct frame_row *frame_program_row(const struct frame_function *function, uint64_t addr,
				    unsigned int nr_registers);

#endif

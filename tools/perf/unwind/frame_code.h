/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts about frames from the instructions of functions, for code whose call frame information
 * lacks them.
 */
#ifndef PERF_UNWIND_FRAME_CODE_H
#define PERF_UNWIND_FRAME_CODE_H

#include "call_frame.h"
#include "stack_walk.h"

/**
 * dso_is_epilogue() - Find whether a function has taken its frame down
 * @dso: file of the function; x86 code
 * @row: rules at the instruction
 * @addr: offset of the instruction in the file
 *
 * In an epilogue, compilers do not say which registers have been restored already. The rules then
 * lead to memory below the stack pointer, and the registers have the values of the caller.
 *
 * Return: True if only instructions that take down a frame follow until the function is left.
 */
bool dso_is_epilogue(const struct dso *dso, struct frame_row *row, uint64_t addr);

/**
 * dso_is_after_call() - Find whether an address is a return address
 * @dso: file that contains the address; x86 code
 * @addr: offset of the address in the file
 *
 * Return: True if an instruction before the address can be a call.
 */
bool dso_is_after_call(struct dso *dso, uint64_t addr);

/**
 * frame_known_row() - Look up the rules of code that is the same in all programs
 * @unwind: frame of an x86 function without call frame information
 * @at: location of the frame's instruction pointer
 *
 * Linkers make stubs of procedure linkage tables (PLT), with or without call frame information. The
 * C library's functions that make a thread have none after the system call, from which two threads
 * return.
 *
 * Return: The rules, which are valid forever; NULL if the function is none of these.
 */
struct frame_row *frame_known_row(const struct unwind *unwind, const struct location *at);

#endif

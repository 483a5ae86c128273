/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callers by call frame information: from the registers and the part of the stack that a sample
 * has, frame by frame.
 */
#ifndef PERF_MACHINE_UNWIND_H
#define PERF_MACHINE_UNWIND_H

#include "state.h"

/* Frames of a chain, at most. */
#define UNWIND_FRAMES 1024

/**
 * struct unwind - a stack, from the innermost function on
 * @ip: where the function is that comes next
 * @is_return: @ip is where a call returns to
 * @in_kernel: the thread was in the kernel: a system call may be the last instruction of a
 *	function, and the innermost @ip behind its end
 * @end: why there is none after it, once unwind_next() has returned false
 * @registers: values, by DWARF's numbers
 * @known: which of @registers are known
 * @word: bytes of an address
 * @stack_pointer: DWARF's number of it
 * @stack: what was recorded of the stack, from the sample's stack pointer on
 * @stack_size: bytes of @stack
 * @stack_start: address of @stack
 * @depth: frames so far
 */
struct unwind {
	uint64_t ip;
	bool is_return;
	bool in_kernel;
	enum unwind_end end;
	uint64_t registers[FRAME_REGISTERS];
	bool known[FRAME_REGISTERS];
	unsigned int word;
	unsigned int stack_pointer;
	const unsigned char *stack;
	uint64_t stack_size;
	uint64_t stack_start;
	unsigned int depth;
};

/**
 * unwind_begin() - begin at the function that a sample found in user mode, or that called the
 * kernel
 * @unwind: filled in
 * @sample: the sample
 * @in_kernel: it was taken in the kernel
 * @arch: machine that was recorded
 *
 * Return: false when the sample does not have the registers and the stack for it.
 */
bool unwind_begin(struct unwind *unwind, const struct sample *sample, bool in_kernel,
		  enum arch arch);

/**
 * unwind_next() - go from a function to its caller
 * @unwind: at the function; at the caller then
 * @at: the function: what @unwind->ip resolves to
 *
 * Return: false at the end, with @unwind->end set.
 */
bool unwind_next(struct unwind *unwind, const struct location *at);

#endif

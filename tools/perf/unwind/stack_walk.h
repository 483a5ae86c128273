/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callers of a sampled stack, found by call frame information, frame by frame, from the
 * registers and the part of the stack that a sample has.
 */
#ifndef PERF_UNWIND_STACK_WALK_H
#define PERF_UNWIND_STACK_WALK_H

#include "file/file.h"
#include "symbol/symbol.h"
#include "call_frame.h"

/* Maximum number of frames in a chain. */
#define UNWIND_FRAMES 1024

/* Reasons for the end of a chain. */
enum unwind_end {
	UNWIND_OUTERMOST,		/* the outermost function of the thread was reached */
	UNWIND_NO_STACK,		/* the frame is beyond the recorded part of the stack */
	UNWIND_UNREAD,			/* the kernel could not read any of the stack */
	UNWIND_NO_RULES,		/* no file has call frame information for the function */
	UNWIND_DAMAGED,			/* generated code has unwinding tables that are damaged */
	UNWIND_NO_SENSE,		/* a register is unknown, or the stack is damaged */
	UNWIND_TOO_DEEP,		/* the chain has UNWIND_FRAMES frames */
	UNWIND_ENDS,
};

/**
 * struct unwind_counts - the reasons for which chains ended
 * @ends: number of chains for each reason
 * @by_pointer: number of chains that continue at a frame pointer
 * @no_rules: a file without call frame information where some was needed, or NULL
 * @damaged: a file with damaged unwinding tables that were needed, or NULL
 * @stack_size: bytes of stack in the latest sample that ended with UNWIND_NO_STACK
 */
struct unwind_counts {
	uint64_t ends[UNWIND_ENDS];
	uint64_t by_pointer;
	const struct dso *no_rules;
	const struct dso *damaged;
	uint64_t stack_size;
};

/**
 * struct unwind - the current frame of a stack, beginning with the innermost
 * @ip: instruction pointer in the frame
 * @is_return: true if @ip is a return address
 * @in_kernel: true if the sample was taken in the kernel: a system call may be the last instruction
 *	of a function, so that the innermost @ip is after the function's end
 * @guessed: true if the frame is valid only if location_is_behind_call() returns true
 * @by_pointer: true if a frame pointer led to this frame, or to an inner one
 * @end: reason for the end; set when unwind_next() returns false
 * @registers: values of registers, by DWARF's numbers
 * @known: true for each of @registers that has a value
 * @word: size of an address in bytes
 * @stack_pointer: DWARF's number of the stack pointer
 * @frame_pointer: DWARF's number of the frame pointer; 0 on a machine without one
 * @changed: registers that a called function need not preserve, by DWARF's numbers
 * @nr_changed: number of @changed
 * @stack: recorded bytes of the stack, from the sample's stack pointer on
 * @stack_size: number of bytes in @stack
 * @stack_start: address of the first byte of @stack
 * @depth: number of frames so far
 */
struct unwind {
	uint64_t ip;
	bool is_return;
	bool in_kernel;
	bool guessed;
	bool by_pointer;
	enum unwind_end end;
	uint64_t registers[FRAME_REGISTERS];
	bool known[FRAME_REGISTERS];
	unsigned int word;
	unsigned int stack_pointer;
	unsigned int frame_pointer;
	const uint8_t *changed;
	unsigned int nr_changed;
	const unsigned char *stack;
	uint64_t stack_size;
	uint64_t stack_start;
	unsigned int depth;
};

/**
 * unwind_begin() - Begin at the innermost user function of a sample
 * @unwind: frame that is filled in
 * @sample: sample with registers and a stack
 * @in_kernel: true if the sample was taken in the kernel
 * @arch: architecture of the recorded machine
 *
 * Return: False if the sample lacks registers or the stack.
 */
bool unwind_begin(struct unwind *unwind, const struct sample *sample, bool in_kernel,
		  enum arch arch);

/**
 * unwind_next() - Go from a function to its caller
 * @unwind: frame of the function; becomes the frame of the caller
 * @at: location that @unwind->ip resolves to
 *
 * Return: False at the end of the chain; @unwind->end has the reason.
 */
bool unwind_next(struct unwind *unwind, const struct location *at);

/**
 * location_is_behind_call() - Find whether a guessed frame can be one
 * @at: location that the frame's instruction pointer resolves to
 *
 * Return: False if there is no code at @at, or if the code is known and has no call before @at.
 */
bool location_is_behind_call(const struct location *at);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of the frame pointer in an x86 function, by the call frame information of its file.
 */
#ifndef PERF_UNWIND_POINTER_FRAME_H
#define PERF_UNWIND_POINTER_FRAME_H

#include "symbol/symbol.h"

/* Values of the register that the kernel takes for the frame pointer. */
enum pointer_frame {
	POINTER_UNKNOWN,	/* the file does not say */
	POINTER_OWN,		/* the function's frame: the return address is in the next word */
	POINTER_CALLERS,	/* the value that the caller has, too */
	POINTER_OTHER,		/* a value that is not the address of a frame */
	POINTER_OUTERMOST,	/* the function has no caller */
	POINTER_SIGNAL,		/* a signal trampoline: the value that the interrupted code has */
};

/**
 * dso_pointer_frame() - Look up the value of the frame pointer at an instruction
 * @dso: file whose functions have been looked up; x86 code
 * @addr: offset of the instruction in the file
 * @is_return: true if @addr is a return address
 *
 * A frame pointer leads to the return address of the function that has set it. Until a function
 * has set it, or if the function never does, the kernel finds the caller of the caller instead of
 * the caller.
 *
 * Return: The value; the answer is kept for the instruction.
 */
enum pointer_frame dso_pointer_frame(struct dso *dso, uint64_t addr, bool is_return);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a powerpc function's frame and return address.
 */
#ifndef PERF_UNWIND_POWERPC_FRAME_H
#define PERF_UNWIND_POWERPC_FRAME_H

#include "symbol/symbol.h"

enum return_address {
	RETURN_IN_LR,		/* only in the link register, where the call has put it */
	RETURN_IN_REGISTER,	/* in another register, on its way from LR to memory */
	RETURN_IN_MEMORY,	/* in the caller's frame */
};

/**
 * struct powerpc_frame - a function's frame at one of its instructions
 * @made: true if the stack pointer points to the function's frame, not to the caller's
 * @return_address: place of the return address
 */
struct powerpc_frame {
	bool made;
	enum return_address return_address;
};

/**
 * dso_powerpc_frame() - Look up the state of a function's frame at an instruction
 * @dso: file whose functions have been looked up
 * @addr: offset of the instruction in the file
 * @frame: set to the state
 *
 * Return: False if the file has no call frame information for the instruction.
 */
bool dso_powerpc_frame(struct dso *dso, uint64_t addr, struct powerpc_frame *frame);

#endif

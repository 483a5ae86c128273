/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a function of powerpc has done with its return address.
 */
#ifndef PERF_UNWIND_POWERPC_FRAME_H
#define PERF_UNWIND_POWERPC_FRAME_H

#include "symbol/symbol.h"

enum return_address {
	RETURN_IN_LR,		/* in the link register alone, where its call has put it */
	RETURN_IN_REGISTER,	/* on the way from there into memory, or back */
	RETURN_IN_MEMORY,	/* in its caller's frame */
};

/**
 * struct powerpc_frame - a function's frame, at one of its instructions
 * @made: the stack pointer points to it, and no longer to that of the caller
 * @return_address: where that is
 */
struct powerpc_frame {
	bool made;
	enum return_address return_address;
};

/**
 * dso_powerpc_frame() - look up what a function has done by the time it is at an instruction
 * @dso: a file whose functions have been looked for
 * @addr: the instruction's offset in the file
 * @frame: gets it
 *
 * Return: whether the file's call frame information says so.
 */
bool dso_powerpc_frame(struct dso *dso, uint64_t addr, struct powerpc_frame *frame);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From registers and a stack to callers, by the call frame information of files.
 *
 * unwind/ knows neither threads nor mappings: machine/ resolves each address, and then asks for the
 * caller of the function at that address.
 *
 * Uses: symbol, file, util
 */
#ifndef PERF_UNWIND_H
#define PERF_UNWIND_H

#include "pointer_frame.h"	/* whether a function has set its frame pointer */
#include "powerpc_frame.h"	/* whether a function has saved its return address */
#include "stack_walk.h"		/* the callers of a sampled stack, one after the other */

#endif

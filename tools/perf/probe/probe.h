/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that a user defines: places in a program or in the kernel, and what is there in
 * variables. A definition as text becomes a line that tracefs takes.
 *
 * Uses: measure, symbol, util
 */
#ifndef PERF_PROBE_H
#define PERF_PROBE_H

#include "binary.h"		/* the file that code and debug information are in */
#include "definition.h"		/* what the user has written */
#include "event_line.h"		/* the same as tracefs has it */
#include "fetch.h"		/* variables, and how they are fetched */
#include "kernel_function.h"	/* functions that the running kernel has */
#include "place.h"		/* from a function or a line to an address */
#include "probe_events.h"	/* what tracefs has: added, listed, deleted */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that users define: at places in a program or the kernel, with values of variables. A
 * definition is translated to a line for tracefs.
 *
 * Uses: measure, symbol, util
 */
#ifndef PERF_PROBE_H
#define PERF_PROBE_H

#include "binary.h"		/* programs, libraries and vmlinux */
#include "definition.h"		/* definitions that users write */
#include "event_place.h"	/* the places of defined events */
#include "event_line.h"		/* lines for tracefs */
#include "fetch.h"		/* variables in the form of tracefs */
#include "functions.h"		/* the names of functions */
#include "kernel_function.h"	/* functions of the running kernel */
#include "name_filter.h"	/* patterns of names */
#include "listing.h"		/* source lines that have a place */
#include "place.h"		/* the address of a function or line */
#include "probe_events.h"	/* the events in tracefs: add, list, delete */

#endif

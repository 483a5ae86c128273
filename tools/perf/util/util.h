/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every room uses, and what knows nothing of counters.
 *
 * Uses: nothing
 */
#ifndef PERF_UTIL_H
#define PERF_UTIL_H

#include "error.h"		/* why something failed, in one line */
#include "hash_table.h"
#include "int_list.h"		/* "1,3-5" */
#include "intern.h"		/* strings of which there is one copy */
#include "json.h"		/* strings as JSON has them */
#include "macros.h"
#include "memory.h"		/* allocations that cannot fail */
#include "name.h"		/* names that are safe to print */
#include "proc_status.h"	/* /proc/PID/status */
#include "quantity.h"		/* "10ms", "100M" */
#include "regular_file.h"	/* files whose names somebody else has chosen */
#include "spread.h"		/* mean and spread of a value */
#include "suggest.h"		/* what a mistyped name may have meant */
#include "text_file.h"		/* a file as a whole */

/* What a recording says it was written by (the VERSION feature of perf.data). */
#define PERF_TOOL_VERSION "perf_counter 0.1"

#endif

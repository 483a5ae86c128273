/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Services for all directories of perf: memory, errors, names, numbers, tables. Nothing here
 * depends on counters.
 *
 * Uses: nothing
 */
#ifndef PERF_UTIL_H
#define PERF_UTIL_H

#include "error.h"		/* error messages of one line */
#include "foreign_file.h"	/* files that another user may change */
#include "hash_table.h"
#include "int_list.h"		/* "1,3-5" */
#include "intern.h"		/* one copy of each string */
#include "json.h"		/* strings in JSON syntax */
#include "macros.h"
#include "memory.h"		/* allocations that never fail */
#include "name.h"		/* names that are safe to print */
#include "notes.h"		/* missing parts of a report, and the remedies */
#include "output_file.h"	/* files of -o */
#include "pool.h"		/* many small objects that are freed at once */
#include "proc_status.h"	/* /proc/PID/status */
#include "progress.h"		/* a line that shows how far a long step is */
#include "quantity.h"		/* "10ms", "100M" */
#include "quiet_thread.h"	/* threads that receive no signals */
#include "regular_file.h"	/* files with untrusted names */
#include "spread.h"		/* mean and spread of values */
#include "student.h"		/* differences between means of values */
#include "suggest.h"		/* suggestions for a mistyped name */
#include "task_state.h"		/* states of tasks as letters */
#include "text_buffer.h"	/* lines that are printed often */
#include "text_file.h"		/* a file as a whole */
#include "text_width.h"		/* the columns of a text on a terminal */
#include "utf8.h"		/* decoding of UTF-8 */

/* The version that perf.data files name as their writer (VERSION feature). */
#define PERF_TOOL_VERSION "perf_counter 0.1"

#endif

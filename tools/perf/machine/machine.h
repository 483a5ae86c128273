/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads, their names and mappings as they change from record to record; and the walk
 * through a recording that changes them.
 *
 * Uses: unwind, symbol, file, util
 */
#ifndef PERF_MACHINE_H
#define PERF_MACHINE_H

#include "branch.h"		/* the branch records of a sample, resolved */
#include "callchain.h"		/* the call chain of a sample, resolved */
#include "exited.h"		/* threads of a running machine that have exited */
#include "hits.h"		/* the dsos that samples hit */
#include "session.h"		/* the walk through a recording */
#include "state.h"		/* the machine at one moment */
#include "task_tree.h"		/* tasks by the task that created them */
#include "thread.h"		/* threads and processes at one moment */
#include "trace_text.h"		/* the raw data of samples as text */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who ran what, where, when: threads, their names and mappings as they change from
 * record to record, and the walk through a recording that changes them.
 *
 * Uses: symbol, file, util
 */
#ifndef PERF_MACHINE_H
#define PERF_MACHINE_H

#include "branch.h"		/* the branches that a sample came by */
#include "callchain.h"		/* who called whom in a sample */
#include "session.h"		/* the walk through a recording */
#include "state.h"		/* the machine at one moment */
#include "task_tree.h"		/* who created whom */
#include "thread.h"		/* threads and processes at one moment */
#include "trace_text.h"		/* what raw data of samples say */

#endif

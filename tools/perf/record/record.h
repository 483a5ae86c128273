/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording: synthesizes records of what exists at the start, and writes these and the kernel's
 * records to the output file.
 *
 * Uses: measure, machine, symbol, file, util
 */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "attach.h"		/* attaching to existing tasks */
#include "output.h"		/* the output file, or the standard output */
#include "proc_scan.h"		/* scanning /proc, for a target that cannot change */
#include "process_file.h"	/* build-ids of mapped files */
#include "recording.h"		/* writing records to the file */
#include "snapshots.h"		/* snapshots of overwritten buffers */
#include "trace_formats.h"	/* formats of tracepoints, from tracefs */
#include "trigger.h"		/* events that trigger a snapshot */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in the making: what is there already when it begins, as records that the
 * kernel would have written, and the file that grows.
 *
 * Uses: measure, symbol, file, util
 */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "attach.h"		/* begin to watch what exists */
#include "proc_scan.h"		/* what exists, when nothing can become of it meanwhile */
#include "process_file.h"	/* build-ids of what processes have mapped */
#include "recording.h"		/* records on their way into the file */
#include "snapshots.h"		/* when the buffers are written out, and what is kept */
#include "trigger.h"		/* what asks for a snapshot */

#endif

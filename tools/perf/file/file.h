/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data as bytes: its layout, its reader, its features, and its records, decoded and in
 * order of time. machine/ interprets the records.
 *
 * Uses: util
 */
#ifndef PERF_FILE_H
#define PERF_FILE_H

#include "cursor.h"		/* bytes that are read within their bounds */
#include "decode.h"		/* decoding of a record */
#include "event_table.h"	/* the event of a record */
#include "features.h"		/* the description of the recording */
#include "fields.h"		/* the layout of records */
#include "format.h"		/* the layout of the file */
#include "munmap_form.h"	/* MUNMAP records in a file */
#include "queue.h"		/* sorting of records by time */
#include "reader.h"		/* reading a file or a pipe */
#include "stored.h"		/* files that a recording contains */
#include "tracing_data.h"	/* formats of tracepoints */

#endif

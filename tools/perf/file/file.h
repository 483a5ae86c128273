/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data as bytes: its layout, its reader, what it says about itself, and its records,
 * decoded and in the order of time. What they mean is not known here.
 *
 * Uses: util
 */
#ifndef PERF_FILE_H
#define PERF_FILE_H

#include "decode.h"		/* a record, decoded */
#include "event_table.h"	/* which event a record belongs to */
#include "features.h"		/* what a recording says about itself */
#include "fields.h"		/* where the fields of records are */
#include "format.h"		/* the layout of the file */
#include "munmap_form.h"	/* how a MUNMAP record is kept */
#include "queue.h"		/* records in the order of time */
#include "reader.h"		/* from a file, or from a pipe */
#include "tracing_data.h"	/* what the records of tracepoints look like */

#endif

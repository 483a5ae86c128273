/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples put together and shown: histograms, call chains, tables; and what else a
 * recording says, as text.
 *
 * Uses: machine, symbol, file, util
 */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "blocks.h"		/* from one branch to the next */
#include "branch_print.h"	/* branch records in words */
#include "chain_style.h"	/* what -g says */
#include "dump.h"		/* records as they are in the file */
#include "header.h"		/* what the recording says about itself */
#include "hist.h"		/* samples put together */
#include "hist_print.h"		/* a histogram as text */
#include "record_print.h"	/* a record in words */
#include "sample_print.h"	/* fields of a sample in words */
#include "sort_key.h"		/* by what samples are put together */
#include "table.h"		/* a histogram in columns */
#include "tasks.h"		/* the tree of tasks as text */

#endif

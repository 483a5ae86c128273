/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of samples: histograms, call chains and tables; and the other contents of a
 * recording as text.
 *
 * Uses: machine, symbol, file, util
 */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "attr_print.h"		/* the attr of an event as text */
#include "blocks.h"		/* instructions between two branches */
#include "branch_print.h"	/* branch records as text */
#include "chain_style.h"	/* the style of call chains */
#include "chain_tree.h"		/* the call chains of a row as a tree */
#include "diff.h"		/* recordings that are compared */
#include "diff_print.h"		/* a comparison as text */
#include "dump.h"		/* all records of the file as text */
#include "header.h"		/* the header of the recording as text */
#include "hist.h"		/* histograms of samples */
#include "hist_print.h"		/* a histogram as text */
#include "insn_print.h"		/* the instruction of a sample as text */
#include "latency.h"		/* the elapsed time of samples */
#include "record_print.h"	/* a record as text */
#include "sample_print.h"	/* fields of a sample as text */
#include "sort_key.h"		/* the keys that tell samples apart */
#include "table.h"		/* a histogram in columns */
#include "tasks.h"		/* the tree of tasks as text */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Annotated code: the instructions of functions with their shares of the samples, source lines,
 * jumps and loops. Nothing here prints: a listing is an array of lines, for any display.
 *
 * Uses: machine, symbol, util
 */
#ifndef PERF_ANNOTATE_H
#define PERF_ANNOTATE_H

#include "code_hits.h"		/* sums of samples and branches for each address of a function */
#include "hot_path.h"		/* the blocks that execution likely went through */
#include "jumps.h"		/* jumps, drawn as lines in lanes, and loops */
#include "listing.h"		/* the lines of an annotated function */
#include "source_text.h"	/* lines of source files */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The browser of perf report, perf top and perf annotate: tables of samples, and annotated
 * functions, on a terminal, in which the user chooses what is shown.
 *
 * Uses: annotate, report, symbol, util
 */
#ifndef PERF_BROWSE_H
#define PERF_BROWSE_H

#include "run.h"		/* the browsers on a terminal */
#include "samples.h"		/* the resolved samples of an event */
#include "terminal.h"		/* whether the terminal can be used */
#include "view.h"		/* events and views */

#endif

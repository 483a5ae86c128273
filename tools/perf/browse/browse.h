/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The browser of perf report: tables of samples on a terminal, in which the user chooses what is
 * shown.
 *
 * Uses: report, symbol, util
 */
#ifndef PERF_BROWSE_H
#define PERF_BROWSE_H

#include "samples.h"		/* the resolved samples of an event */
#include "screen.h"		/* the browser on a terminal */
#include "terminal.h"		/* whether the terminal can be used */
#include "view.h"		/* events and views */

#endif

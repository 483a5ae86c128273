/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine as it is now: records as they come, and a display that is made anew.
 *
 * Uses: record, report, measure, machine, file, util
 */
#ifndef PERF_TOP_H
#define PERF_TOP_H

#include "display.h"		/* a screen, or plain lines */
#include "live.h"		/* records as they come */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine as it is now: a display that is made anew, again and again.
 *
 * Uses: report
 */
#ifndef PERF_TOP_H
#define PERF_TOP_H

#include "display.h"		/* a screen, or plain lines */

#endif

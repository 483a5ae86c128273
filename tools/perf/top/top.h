/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows samples of the running machine, with repeated updates.
 *
 * Uses: report
 */
#ifndef PERF_TOP_H
#define PERF_TOP_H

#include "display.h"		/* the screen and the plain output */

#endif

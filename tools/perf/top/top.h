/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints samples of the running machine repeatedly, without the browser.
 *
 * Uses: report
 */
#ifndef PERF_TOP_H
#define PERF_TOP_H

#include "plain.h"		/* the plain output and its keys */

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A report as one HTML file, which a browser shows without a network.
 *
 * Uses: machine, symbol, util
 */
#ifndef PERF_HTML_H
#define PERF_HTML_H

#include "page.h"		/* the file */
#include "page_profile.h"		/* samples and call stacks of recordings as tables */

#endif

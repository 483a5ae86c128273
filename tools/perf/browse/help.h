/* SPDX-License-Identifier: GPL-2.0 */
/* The help text of the browser. */
#ifndef PERF_BROWSE_HELP_H
#define PERF_BROWSE_HELP_H

extern const char browse_help[];

#endif

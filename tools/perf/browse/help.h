/* SPDX-License-Identifier: GPL-2.0 */
/* The help texts of the browser. */
#ifndef PERF_BROWSE_HELP_H
#define PERF_BROWSE_HELP_H

extern const char browse_help[];
extern const char code_help[];

#endif

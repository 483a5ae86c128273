/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions whose addresses samples may have. */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

extern char loop_branch[], access_load[];

#endif

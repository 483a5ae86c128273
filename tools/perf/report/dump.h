/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints every record of a recording (-D).
 */
#ifndef PERF_REPORT_DUMP_H
#define PERF_REPORT_DUMP_H

#include "machine/machine.h"

void dump_session(struct session *session);
void count_session(struct session *session);

#endif

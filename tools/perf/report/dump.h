/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every record of a recording, as it is in the file (-D).
 */
#ifndef PERF_REPORT_DUMP_H
#define PERF_REPORT_DUMP_H

#include "machine/machine.h"

void dump_session(struct session *session, bool with_bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every record of a recording, as it is in the file (-D).
 */
#ifndef PERF_DUMP_H
#define PERF_DUMP_H

#include "session.h"

void dump_session(struct session *session, bool with_bytes);

#endif

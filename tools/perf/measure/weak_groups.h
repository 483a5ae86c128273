/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups that are better measured apart than not at all.
 */
#ifndef PERF_MEASURE_WEAK_GROUPS_H
#define PERF_MEASURE_WEAK_GROUPS_H

#include "events.h"

/* Groups of events that are weak, and do not fit on the hardware, become single events. */
void weak_groups_settle(struct event_list *list);

#endif

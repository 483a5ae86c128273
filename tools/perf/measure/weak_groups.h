/* SPDX-License-Identifier: GPL-2.0 */
/* Groups that are split if they do not fit on the hardware. */
#ifndef PERF_MEASURE_WEAK_GROUPS_H
#define PERF_MEASURE_WEAK_GROUPS_H

#include "events.h"

/* Split each weak group that does not fit on the hardware into single events. */
void weak_groups_split(struct event_list *list);

#endif

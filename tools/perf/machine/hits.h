/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The dsos that samples hit, without looking at functions.
 */
#ifndef PERF_MACHINE_HITS_H
#define PERF_MACHINE_HITS_H

#include "state.h"

/**
 * machine_mark_hits() - Mark the dsos that a record hits
 * @machine: machine at the time of the record
 * @record: record; only samples hit something
 *
 * The dsos of the sample's address, of its callers and of its branches are marked. In a copy of the
 * user's stack each word may be the address of a caller, so it is looked up as one: a dso without a
 * caller may be marked.
 */
void machine_mark_hits(struct machine *machine, const struct record *record);

#endif

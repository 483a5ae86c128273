/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the files of perf_events share. */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include <stdint.h>

#define BUFFER_PAGES	128

/* Print a line of TAP. */
void check(const char *name, uint64_t got, uint64_t expected);

/*
 * Map a buffer of BUFFER_PAGES for an event's records; NULL if that fails, and the test
 * fails, too.
 */
struct perf_event_mmap_page *map_buffer(int fd);

/* Check samples with branch records on this model. */
void check_branches(const char *model);

#endif

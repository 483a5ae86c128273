/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of perf_events share. */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include <stdint.h>

#define BUFFER_PAGES	128

/* One line of TAP. */
void check(const char *name, uint64_t got, uint64_t expected);

/* A buffer of BUFFER_PAGES for an event's records, or NULL, which fails the test. */
struct perf_event_mmap_page *map_buffer(int fd);

/* Samples with branch records, of this model. */
void check_branches(const char *model);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* A line on the terminal that shows how far a long step is. */
#ifndef PERF_UTIL_PROGRESS_H
#define PERF_UTIL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - a step that may take long
 * @what: the step, as the start of a line: "reading perf.data"
 * @shown: a line is on the terminal
 * @wanted: stderr is a terminal, and nothing else is printed during the step
 * @next: time of the monotonic clock in ns when the line is printed or changed next
 */
struct progress {
	const char *what;
	bool shown;
	bool wanted;
	uint64_t next;
};

/* Begin a step. The first line comes after two seconds. @what must stay valid until the end. */
void progress_start(struct progress *progress, const char *what);

/**
 * progress_at() - show how far the step is, if it is time to do so
 * @progress: the step
 * @done: bytes that are done
 * @total: bytes in total; 0 or UINT64_MAX: unknown
 */
void progress_at(struct progress *progress, uint64_t done, uint64_t total);

/* Remove the line. */
void progress_end(struct progress *progress);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The times of threads as a table: how long each was on the CPU, waited for one, or was blocked. */
#ifndef PERF_WALL_THREAD_TIMES_H
#define PERF_WALL_THREAD_TIMES_H

#include <stdio.h>

#include "timeline.h"

/**
 * wall_print_times() - Print a row for each thread, the longest life first
 * @out: stream to print to
 * @timeline: threads, after wall_end()
 * @wants: function that returns true if a thread is shown
 * @context: first argument of @wants
 * @separator: character between columns, which are then not padded and have nanoseconds; 0: pad
 *
 * A column is left out if it is 0 for all threads that are shown.
 */
void wall_print_times(FILE *out, const struct wall_timeline *timeline,
		      bool (*wants)(void *context, const struct wall_thread *thread),
		      void *context, char separator);

#endif

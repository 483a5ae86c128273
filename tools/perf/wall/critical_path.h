/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The critical path of a thread: the work and the waits of this thread, and of the threads that it
 * waited for, until it ended.
 *
 * The path goes backwards in time. While the thread runs or waits for a CPU, the path is with it.
 * Where it is blocked, the path goes on with the thread that woke it up, at the time of the
 * wake-up. It stays with the blocked thread if an interrupt or a thread that was not recorded woke
 * it up, or if the wake-up was not recorded. The parts of the path follow one another without a
 * gap.
 */
#ifndef PERF_WALL_CRITICAL_PATH_H
#define PERF_WALL_CRITICAL_PATH_H

#include <stdio.h>

#include "timeline.h"

/**
 * struct wall_part - a span, or a part of it, as a critical path needs it
 * @state: state
 * @start: time in ns at which it begins
 * @end: time in ns at which it ends
 * @place: function in which the thread was, interned; NULL: not known
 * @waker: cause of the wake-up that ended a blocked span
 * @by: number of the thread in @waker if that is known; SIZE_MAX: it is not
 */
struct wall_part {
	enum wall_state state;
	uint64_t start;
	uint64_t end;
	const char *place;
	struct wall_waker waker;
	size_t by;
};

/**
 * struct wall_history - the spans of a thread and its samples, in the order of time
 * @parts: spans
 * @nr: number of @parts
 * @room: allocated number of @parts
 * @times: times of samples in ns
 * @places: functions of the samples; interned
 * @nr_samples: number of @times and @places
 * @samples_room: allocated number of these
 */
struct wall_history {
	struct wall_part *parts;
	size_t nr;
	size_t room;
	uint64_t *times;
	const char **places;
	size_t nr_samples;
	size_t samples_room;
};

/* Add a span at the end of a thread's history. */
void wall_history_add(struct wall_history *history, const struct wall_part *part);

/* Add a sample at the end of a thread's history. */
void wall_history_sample(struct wall_history *history, uint64_t time, const char *place);

void wall_history_free(struct wall_history *history);

/**
 * struct wall_step - a part of a critical path
 * @thread: number of the thread
 * @part: state, time and place
 * @woke: number of the thread that @thread woke up at the end of the part; SIZE_MAX: none
 */
struct wall_step {
	size_t thread;
	struct wall_part part;
	size_t woke;
};

/**
 * struct wall_path - a critical path
 * @steps: parts, the last one first
 * @nr: number of @steps
 * @room: allocated number of @steps
 */
struct wall_path {
	struct wall_step *steps;
	size_t nr;
	size_t room;
};

/**
 * wall_path_find() - Find the critical path of a thread
 * @path: all zeros; receives the path
 * @histories: history of each thread, by its number
 * @nr: number of @histories
 * @thread: number of the thread
 *
 * The path begins with the first span of the thread, and ends with its last.
 */
void wall_path_find(struct wall_path *path, const struct wall_history *histories, size_t nr,
		    size_t thread);

/**
 * wall_path_print() - Print a critical path: sums by thread, state and place, and then each part
 * @out: stream to print to
 * @path: path
 * @timeline: threads
 * @separator: character between columns, which are then not padded and have nanoseconds; 0: pad
 */
void wall_path_print(FILE *out, const struct wall_path *path,
		     const struct wall_timeline *timeline, char separator);

void wall_path_free(struct wall_path *path);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spans of each thread's life, from events of the scheduler.
 *
 * The events of one thread come in the order of time. A span is reported when it has ended; the
 * spans of a thread follow one another without a gap, from its first to its last event, or to the
 * end of the recording if it has not exited. Where events contradict one another or were lost, the
 * span is WALL_UNKNOWN.
 */
#ifndef PERF_WALL_TIMELINE_H
#define PERF_WALL_TIMELINE_H

#include "util/util.h"
#include "state.h"

/**
 * struct wall_waker - the cause of a wake-up
 * @known: the wake-up was recorded
 * @interrupt: an interrupt woke the thread up, and no thread caused the interrupt
 * @created: the thread was created, by its parent
 * @tid: thread that woke it up
 * @comm: name of that thread; interned
 * @place: function that woke it up; interned
 * @chain: call chain of @place, the outermost function first, or NULL; interned
 */
struct wall_waker {
	bool known;
	bool interrupt;
	bool created;
	int32_t tid;
	const char *comm;
	const char *place;
	const char *chain;
};

/**
 * struct wall_thread - a thread
 * @node: node in the table of threads, by @tid
 * @tid: number; another thread may have had it before
 * @number: number that no other thread of the recording has, from 0
 * @pid: process
 * @comm: latest name, or NULL; interned
 * @first: time in ns of the first event
 * @since: time in ns at which the state began
 * @state: current state
 * @exited: the thread has exited
 * @lost: number of losses when the state began
 * @woken: a wake-up has ended the blocked state, at @woken_at
 * @woken_at: time in ns of the wake-up
 * @early: @waker began before the thread had left its CPU, and may have had no effect
 * @waker: cause of the last wake-up
 * @times: sum of the spans of each state in ns
 * @nr_unseen: number of blocked spans that ended without a recorded wake-up
 */
struct wall_thread {
	struct hash_node node;
	int32_t tid;
	size_t number;
	uint32_t pid;
	const char *comm;
	uint64_t first;
	uint64_t since;
	enum wall_state state;
	bool exited;
	uint64_t lost;
	bool woken;
	uint64_t woken_at;
	bool early;
	struct wall_waker waker;
	uint64_t times[WALL_STATES];
	uint64_t nr_unseen;
};

/**
 * struct wall_span - a part of a thread's life in one state
 * @thread: thread
 * @state: state
 * @start: time in ns at which it began
 * @end: time in ns at which it ended
 * @waker: cause of the wake-up that ended a blocked span, or began a runnable one
 */
struct wall_span {
	struct wall_thread *thread;
	enum wall_state state;
	uint64_t start;
	uint64_t end;
	const struct wall_waker *waker;
};

/**
 * struct wall_timeline - the threads of a recording; all zeros except @span: none
 * @by_tid: the latest thread of each number
 * @threads: all threads, by their numbers
 * @nr: number of @threads
 * @room: allocated number of @threads
 * @nr_lost: number of losses
 * @last: time in ns of the last event
 * @span: called for each span; its thread has the sums with the span
 * @context: first argument of @span
 */
struct wall_timeline {
	struct hash_table by_tid;
	struct wall_thread **threads;
	size_t nr;
	size_t room;
	uint64_t nr_lost;
	uint64_t last;
	void (*span)(void *context, const struct wall_span *span);
	void *context;
};

/* Return the latest thread with a number; NULL if there is none. */
struct wall_thread *wall_find(const struct wall_timeline *timeline, int32_t tid);

/* Note that a thread gets a CPU. */
void wall_runs(struct wall_timeline *timeline, int32_t tid, uint64_t time);

/* Note that a thread has a CPU, and begin its life if it was not known. */
void wall_seen(struct wall_timeline *timeline, int32_t tid, uint64_t time);

/**
 * wall_stops() - Note that a thread leaves its CPU
 * @timeline: threads
 * @tid: thread
 * @time: time in ns
 * @state: state that begins
 *
 * Return: the thread if the state is a new one, NULL if it was known already.
 */
struct wall_thread *wall_stops(struct wall_timeline *timeline, int32_t tid, uint64_t time,
			       enum wall_state state);

/*
 * Note that a thread leaves its CPU. The reason is unknown, unless the thread was preempted or
 * wall_stops() has noted the reason before.
 */
void wall_leaves(struct wall_timeline *timeline, int32_t tid, uint64_t time, bool preempted);

/**
 * wall_was_off() - Note that a thread gets a CPU, and for how long it had none
 * @timeline: threads
 * @tid: thread
 * @time: time in ns
 * @duration: time in ns without a CPU
 * @state: reason
 *
 * Return: the thread. Its state with the reason has not been reported as a span yet; wall_runs()
 *	does so.
 */
struct wall_thread *wall_was_off(struct wall_timeline *timeline, int32_t tid, uint64_t time,
				 uint64_t duration, enum wall_state state);

/* Return the thread if a wake-up may count for it, otherwise NULL. */
struct wall_thread *wall_awaits(const struct wall_timeline *timeline, int32_t tid);

/* Note that something wakes up a thread for which wall_awaits() is true. */
void wall_waking(struct wall_timeline *timeline, struct wall_thread *thread, uint64_t time,
		 const struct wall_waker *waker);

/* Note that a thread has been woken up. */
void wall_wakeup(struct wall_timeline *timeline, int32_t tid, uint64_t time);

/* Note that a thread was created by another thread. */
void wall_created(struct wall_timeline *timeline, int32_t tid, uint64_t time,
		  const struct wall_waker *parent);

/* Note that a thread exits. Its later events are ignored. */
void wall_exits(struct wall_timeline *timeline, int32_t tid, uint64_t time);

/* Note that a thread executes a program; it may have the number of a thread that exited. */
void wall_executes(struct wall_timeline *timeline, int32_t tid, uint64_t time);

/* Note that records of events before now were lost. */
void wall_lost(struct wall_timeline *timeline);

/* Note that the recording ends. */
void wall_end(struct wall_timeline *timeline, uint64_t time);

void wall_timeline_free(struct wall_timeline *timeline);

#endif

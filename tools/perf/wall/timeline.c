// SPDX-License-Identifier: GPL-2.0
/*
 * The spans of each thread's life, from events of the scheduler.
 *
 * A thread blocks by sched_switch, is woken up by sched_waking and sched_wakeup, and gets a CPU by
 * a SWITCH record. sched_waking comes from the waker, and may come before sched_switch: the thread
 * had not left its CPU. Such a wake-up has no effect if sched_wakeup comes before sched_switch,
 * too; otherwise it ends the state that begins with sched_switch.
 */
#include <stdlib.h>

#include "timeline.h"

struct wall_thread *wall_find(const struct wall_timeline *timeline, int32_t tid)
{
	struct hash_node *node;

	for (node = hash_table_first(&timeline->by_tid, hash_number((uint32_t)tid)); node;
	     node = hash_table_next(node)) {
		struct wall_thread *thread = hash_entry(node, struct wall_thread, node);

		if (thread->tid == tid)
			return thread;
	}
	return NULL;
}

static struct wall_thread *add_thread(struct wall_timeline *timeline, int32_t tid, uint64_t time,
				      enum wall_state state)
{
	struct wall_thread *before = wall_find(timeline, tid);
	struct wall_thread *thread = xcalloc(1, sizeof(*thread));

	if (before)
		hash_table_remove(&timeline->by_tid, &before->node);
	if (timeline->nr == timeline->room) {
		timeline->room = timeline->room * 2 + 64;
		timeline->threads = xreallocarray(timeline->threads, timeline->room,
						  sizeof(*timeline->threads));
	}
	thread->tid = tid;
	thread->number = timeline->nr;
	thread->first = time;
	thread->since = time;
	thread->state = state;
	thread->lost = timeline->nr_lost;
	timeline->threads[timeline->nr++] = thread;
	hash_table_add(&timeline->by_tid, &thread->node, hash_number((uint32_t)tid));
	return thread;
}

static void add_span(struct wall_timeline *timeline, struct wall_thread *thread,
		     enum wall_state state, uint64_t start, uint64_t end)
{
	const struct wall_span span = {
		.thread = thread, .state = state, .start = start, .end = end,
		.waker = &thread->waker,
	};

	if (end <= start)
		return;
	thread->times[state] += end - start;
	timeline->span(timeline->context, &span);
}

/* Begin a state. The times of a thread never go back. */
static void begin_state(struct wall_timeline *timeline, struct wall_thread *thread, uint64_t time,
			enum wall_state state)
{
	if (time > thread->since)
		thread->since = time;
	thread->state = state;
	thread->lost = timeline->nr_lost;
	thread->woken = false;
}

/* Note that the event that began the present state is missing. */
static void note_missing(struct wall_thread *thread)
{
	thread->state = WALL_UNKNOWN;
	thread->woken = false;
	thread->early = false;
}

/* Report the current state, which ends at @time. */
static void end_state(struct wall_timeline *timeline, struct wall_thread *thread, uint64_t time,
		      bool ends_by_running)
{
	const uint64_t start = thread->since;
	uint64_t woken_at = thread->woken_at;

	if (thread->lost != timeline->nr_lost) {
		add_span(timeline, thread, WALL_UNKNOWN, start, time);
		return;
	}
	if (!wall_state_is_blocked(thread->state)) {
		add_span(timeline, thread, thread->state, start, time);
		return;
	}
	if (ends_by_running && !thread->woken && thread->early) {
		thread->woken = true;
		woken_at = start;
		thread->woken_at = start;
	}
	if (!thread->woken) {
		thread->waker = (struct wall_waker){ 0 };
		thread->nr_unseen += ends_by_running && thread->state != WALL_UNKNOWN;
		add_span(timeline, thread, thread->state, start, time);
		return;
	}
	if (woken_at < start)
		woken_at = start;
	if (woken_at > time)
		woken_at = time;
	add_span(timeline, thread, thread->state, start, woken_at);
	add_span(timeline, thread, WALL_RUNNABLE, woken_at, time);
}

static void note_time(struct wall_timeline *timeline, uint64_t time)
{
	if (time > timeline->last)
		timeline->last = time;
}

void wall_runs(struct wall_timeline *timeline, int32_t tid, uint64_t time)
{
	struct wall_thread *thread = wall_find(timeline, tid);

	note_time(timeline, time);
	if (!thread) {
		add_thread(timeline, tid, time, WALL_ON_CPU);
		return;
	}
	if (thread->exited)
		return;
	/* The event at which the thread left its CPU is missing. */
	if (thread->state == WALL_ON_CPU)
		note_missing(thread);
	end_state(timeline, thread, time, true);
	begin_state(timeline, thread, time, WALL_ON_CPU);
	thread->early = false;
}

void wall_seen(struct wall_timeline *timeline, int32_t tid, uint64_t time)
{
	note_time(timeline, time);
	if (!wall_find(timeline, tid))
		add_thread(timeline, tid, time, WALL_ON_CPU);
}

struct wall_thread *wall_stops(struct wall_timeline *timeline, int32_t tid, uint64_t time,
			       enum wall_state state)
{
	struct wall_thread *thread = wall_find(timeline, tid);

	note_time(timeline, time);
	if (!thread)
		return add_thread(timeline, tid, time, state);
	if (thread->exited)
		return NULL;
	/* The event at which the thread got its CPU is missing. */
	if (thread->state != WALL_ON_CPU)
		note_missing(thread);
	end_state(timeline, thread, time, false);
	begin_state(timeline, thread, time, state);
	return thread;
}

void wall_leaves(struct wall_timeline *timeline, int32_t tid, uint64_t time, bool preempted)
{
	const struct wall_thread *thread = wall_find(timeline, tid);

	note_time(timeline, time);
	if (!thread || thread->state == WALL_ON_CPU)
		wall_stops(timeline, tid, time, preempted ? WALL_PREEMPTED : WALL_UNKNOWN);
}

struct wall_thread *wall_was_off(struct wall_timeline *timeline, int32_t tid, uint64_t time,
				 uint64_t duration, enum wall_state state)
{
	struct wall_thread *thread = wall_find(timeline, tid);
	uint64_t start = duration < time ? time - duration : 0;

	if (thread && thread->state != WALL_ON_CPU && !thread->exited) {
		/* A SWITCH record has told when the thread left its CPU. */
		thread->state = state;
		return thread;
	}
	if (thread && start < thread->since)
		start = thread->since;
	if (!thread)
		return add_thread(timeline, tid, start, state);
	return wall_stops(timeline, tid, start, state);
}

struct wall_thread *wall_awaits(const struct wall_timeline *timeline, int32_t tid)
{
	struct wall_thread *thread = wall_find(timeline, tid);

	if (!thread || thread->exited)
		return NULL;
	if (thread->state == WALL_ON_CPU)
		return thread;
	return wall_state_is_blocked(thread->state) && !thread->woken ? thread : NULL;
}

void wall_waking(struct wall_timeline *timeline, struct wall_thread *thread, uint64_t time,
		 const struct wall_waker *waker)
{
	note_time(timeline, time);
	thread->waker = *waker;
	thread->woken_at = time;
	if (thread->state == WALL_ON_CPU)
		thread->early = true;
	else
		thread->woken = true;
}

void wall_wakeup(struct wall_timeline *timeline, int32_t tid, uint64_t time)
{
	struct wall_thread *thread = wall_awaits(timeline, tid);

	note_time(timeline, time);
	if (!thread)
		return;
	if (thread->state == WALL_ON_CPU) {
		thread->early = false;
		return;
	}
	if (thread->early)
		time = thread->since;
	else
		thread->waker = (struct wall_waker){ 0 };
	thread->woken = true;
	thread->woken_at = time;
}

void wall_created(struct wall_timeline *timeline, int32_t tid, uint64_t time,
		  const struct wall_waker *parent)
{
	struct wall_thread *thread = wall_find(timeline, tid);

	/* The exit of a thread with this number is missing. */
	if (thread && !thread->exited) {
		note_missing(thread);
		wall_exits(timeline, tid, time);
	}
	note_time(timeline, time);
	thread = add_thread(timeline, tid, time, WALL_RUNNABLE);
	thread->waker = *parent;
}

void wall_exits(struct wall_timeline *timeline, int32_t tid, uint64_t time)
{
	struct wall_thread *thread = wall_find(timeline, tid);

	note_time(timeline, time);
	if (!thread || thread->exited)
		return;
	end_state(timeline, thread, time, false);
	begin_state(timeline, thread, time, thread->state);
	thread->exited = true;
}

void wall_executes(struct wall_timeline *timeline, int32_t tid, uint64_t time)
{
	const struct wall_thread *thread = wall_find(timeline, tid);

	note_time(timeline, time);
	if (!thread || thread->exited)
		add_thread(timeline, tid, time, WALL_ON_CPU);
}

void wall_lost(struct wall_timeline *timeline)
{
	timeline->nr_lost++;
}

void wall_end(struct wall_timeline *timeline, uint64_t time)
{
	size_t i;

	note_time(timeline, time);
	for (i = 0; i < timeline->nr; i++) {
		struct wall_thread *thread = timeline->threads[i];

		if (thread->exited)
			continue;
		end_state(timeline, thread, timeline->last, false);
		begin_state(timeline, thread, timeline->last, thread->state);
	}
}

void wall_timeline_free(struct wall_timeline *timeline)
{
	size_t i;

	for (i = 0; i < timeline->nr; i++)
		free(timeline->threads[i]);
	free(timeline->threads);
	hash_table_free(&timeline->by_tid);
}

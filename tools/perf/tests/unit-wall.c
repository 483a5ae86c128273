// SPDX-License-Identifier: GPL-2.0
/* The spans of threads from events of the scheduler; the numbers are worked out by hand. */
#include "unit.h"
#include "wall/wall.h"

static char spans[1024];

static void take(void *context, const struct wall_span *span)
{
	size_t used = strlen(spans);

	(void)context;
	snprintf(spans + used, sizeof(spans) - used, "%d %s %llu-%llu %d|", span->thread->tid,
		 wall_state_name(span->state), (unsigned long long)span->start,
		 (unsigned long long)span->end, span->waker->known ? span->waker->tid : -1);
}

static struct wall_timeline start(void)
{
	spans[0] = '\0';
	return (struct wall_timeline){ .span = take };
}

/* End the recording, and compare the spans. */
static void ends(struct wall_timeline *timeline, uint64_t time, const char *expected,
		 const char *what)
{
	uint64_t sum = 0, life = 0;
	size_t i, state;

	wall_end(timeline, time);
	check_string(spans, expected, what);
	for (i = 0; i < timeline->nr; i++) {
		life += timeline->threads[i]->since - timeline->threads[i]->first;
		for (state = 0; state < WALL_STATES; state++)
			sum += timeline->threads[i]->times[state];
	}
	check(sum == life, "the states of a thread add up to its life");
	wall_timeline_free(timeline);
}

static void wake(struct wall_timeline *timeline, int32_t tid, uint64_t time, int32_t by)
{
	const struct wall_waker waker = { .known = true, .tid = by };
	struct wall_thread *thread = wall_awaits(timeline, tid);

	if (thread)
		wall_waking(timeline, thread, time, &waker);
}

static void test_wake_up(void)
{
	struct wall_timeline t = start();

	wall_runs(&t, 1, 100);
	wall_stops(&t, 1, 110, WALL_SLEEPING);
	wall_leaves(&t, 1, 111, false);
	wake(&t, 1, 150, 7);
	wake(&t, 1, 155, 8);
	wall_wakeup(&t, 1, 156);
	wall_runs(&t, 1, 160);
	ends(&t, 200, "1 on CPU 100-110 -1|1 sleeping 110-150 7|1 runnable 150-160 7|1 on CPU 160-200 7|",
	     "a blocked thread is runnable from its first wake-up on");
}

static void test_unseen(void)
{
	struct wall_timeline t = start();

	wall_seen(&t, 1, 100);
	wall_stops(&t, 1, 110, WALL_SLEEPING);
	wall_runs(&t, 1, 160);
	wall_stops(&t, 1, 170, WALL_PREEMPTED);
	wake(&t, 1, 175, 7);
	wall_runs(&t, 1, 180);
	check(wall_find(&t, 1)->nr_unseen == 1, "a wake-up that is missing is counted");
	wall_stops(&t, 1, 190, WALL_SLEEPING);
	ends(&t, 200,
	     "1 on CPU 100-110 -1|1 sleeping 110-160 -1|1 on CPU 160-170 -1|1 preempted 170-180 -1|1 on CPU 180-190 -1|1 sleeping 190-200 -1|",
	     "a thread is blocked until it runs or the recording ends, and a wake-up of a preempted one has no effect");
}

static void test_early(void)
{
	struct wall_timeline t = start();

	wall_runs(&t, 1, 100);
	wake(&t, 1, 105, 7);
	wall_wakeup(&t, 1, 106);
	wall_stops(&t, 1, 110, WALL_SLEEPING);
	wake(&t, 1, 120, 8);
	wall_runs(&t, 1, 130);
	wake(&t, 1, 135, 9);
	wall_stops(&t, 1, 140, WALL_SLEEPING);
	wall_wakeup(&t, 1, 145);
	wall_runs(&t, 1, 150);
	wake(&t, 1, 155, 6);
	wall_stops(&t, 1, 160, WALL_SLEEPING);
	wall_runs(&t, 1, 170);
	wake(&t, 1, 172, 5);
	wall_wakeup(&t, 1, 173);
	wall_stops(&t, 1, 180, WALL_SLEEPING);
	wall_runs(&t, 1, 190);
	ends(&t, 190,
	     "1 on CPU 100-110 7|1 sleeping 110-120 8|1 runnable 120-130 8|1 on CPU 130-140 9|1 runnable 140-150 9|1 on CPU 150-160 6|1 runnable 160-170 6|1 on CPU 170-180 5|1 sleeping 180-190 -1|",
	     "a wake-up before the switch is in vain if it ended before the switch");
}

static void test_missing(void)
{
	struct wall_timeline t = start();

	wall_runs(&t, 1, 100);
	wall_runs(&t, 1, 110);
	wall_stops(&t, 1, 120, WALL_IO);
	wake(&t, 1, 125, 7);
	wall_stops(&t, 1, 130, WALL_IO);
	wall_runs(&t, 1, 140);
	wall_lost(&t);
	wall_stops(&t, 1, 150, WALL_IO);
	wall_runs(&t, 1, 160);
	wall_leaves(&t, 1, 170, false);
	ends(&t, 180,
	     "1 unknown 100-110 -1|1 on CPU 110-120 -1|1 unknown 120-130 -1|1 I/O 130-140 -1|1 unknown 140-150 -1|1 I/O 150-160 -1|1 on CPU 160-170 -1|1 unknown 170-180 -1|",
	     "times are unknown where events are missing or were lost");
}

static void test_life(void)
{
	const struct wall_waker parent = { .known = true, .created = true, .tid = 1 };
	struct wall_timeline t = start();

	wall_created(&t, 2, 100, &parent);
	wall_runs(&t, 2, 110);
	wall_exits(&t, 2, 120);
	wall_stops(&t, 2, 125, WALL_SLEEPING);
	wall_seen(&t, 2, 126);
	wall_runs(&t, 2, 127);
	wall_created(&t, 2, 130, &parent);
	wall_created(&t, 2, 140, &parent);
	wall_exits(&t, 2, 150);
	wall_executes(&t, 2, 160);
	check(t.nr == 4, "threads with one number are told apart by fork, exit and exec");
	ends(&t, 170,
	     "2 runnable 100-110 1|2 on CPU 110-120 1|2 unknown 130-140 -1|2 runnable 140-150 1|2 on CPU 160-170 -1|",
	     "a thread lives from its creation to its exit");
}

static void test_backwards(void)
{
	struct wall_timeline t = start();

	wall_runs(&t, 1, 100);
	wall_stops(&t, 1, 90, WALL_SLEEPING);
	wake(&t, 1, 80, 7);
	wall_runs(&t, 1, 120);
	ends(&t, 50, "1 runnable 100-120 7|", "times do not go back");
}

static void test_was_off(void)
{
	struct wall_timeline t = start();

	wall_runs(&t, 1, 100);
	wall_was_off(&t, 1, 150, 30, WALL_IO);
	wall_runs(&t, 1, 150);
	wall_leaves(&t, 1, 160, false);
	wake(&t, 1, 170, 7);
	wall_was_off(&t, 1, 180, 19, WALL_SLEEPING);
	wall_runs(&t, 1, 180);
	wall_was_off(&t, 2, 190, 40, WALL_STOPPED);
	wall_runs(&t, 2, 190);
	wall_was_off(&t, 1, 195, UINT64_MAX, WALL_IO);
	wall_runs(&t, 1, 195);
	ends(&t, 200,
	     "1 on CPU 100-120 -1|1 I/O 120-150 -1|1 on CPU 150-160 -1|1 sleeping 160-170 7|1 runnable 170-180 7|2 stopped 150-190 -1|1 I/O 180-195 -1|1 on CPU 195-200 -1|2 on CPU 190-200 -1|",
	     "the time off the CPU may be told at its end");
}

static void test_states(void)
{
	enum wall_state state = WALL_SLEEPING;

	check(wall_state_of_letter('S', true) == WALL_PREEMPTED, "a thread that waits is preempted");
	check(wall_state_of_letter('D', false) == WALL_UNINTERRUPTIBLE, "D is uninterruptible");
	check(!wall_state_refine(&state, "schedule") && state == WALL_SLEEPING,
	      "schedule() is no reason");
	check(wall_state_refine(&state, "futex_do_wait") && state == WALL_FUTEX,
	      "futex_do_wait() waits for a futex");
	state = WALL_UNINTERRUPTIBLE;
	check(wall_state_refine(&state, "rwsem_down_read_slowpath") && state == WALL_KERNEL_LOCK,
	      "rwsem_down_read_slowpath() waits for a lock");
	state = WALL_UNINTERRUPTIBLE;
	check(wall_state_refine(&state, "io_schedule") && state == WALL_IO, "io_schedule() is I/O");
	state = WALL_PREEMPTED;
	check(wall_state_refine(&state, "io_schedule") && state == WALL_PREEMPTED,
	      "a preempted thread waits for nothing");
}

/* Add a span to a history; @by is the thread that ended it, or -1 for an interrupt, -2 for none. */
static void add(struct wall_history *history, enum wall_state state, uint64_t start, uint64_t end,
		int by, bool created)
{
	const struct wall_part part = {
		.state = state, .start = start, .end = end, .place = "function",
		.waker = { .known = by != -2, .interrupt = by == -1, .created = created },
		.by = by < 0 ? SIZE_MAX : (size_t)by,
	};

	wall_history_add(history, &part);
}

/* Compare a critical path, in the order of time, and check that it has no gap. */
static void check_path(struct wall_history *histories, size_t nr, const char *expected,
		       const char *what)
{
	struct wall_path path = { 0 };
	char text[1024] = "";
	bool whole = true;
	size_t i, used;

	wall_path_find(&path, histories, nr, 0);
	for (i = path.nr; i; i--) {
		const struct wall_step *step = &path.steps[i - 1];

		used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "%zu %s %llu-%llu %s %d|", step->thread,
			 wall_state_name(step->part.state), (unsigned long long)step->part.start,
			 (unsigned long long)step->part.end, step->part.place ?: "?",
			 step->woke == SIZE_MAX ? -1 : (int)step->woke);
		whole &= i == path.nr || step[1].part.end == step->part.start;
	}
	check_string(text, expected, what);
	check(whole && path.steps[0].part.end == histories[0].parts[histories[0].nr - 1].end &&
	      path.steps[path.nr - 1].part.start == histories[0].parts[0].start,
	      "the path has no gap");
	wall_path_free(&path);
	for (i = 0; i < nr; i++)
		wall_history_free(&histories[i]);
}

static void test_path(void)
{
	struct wall_history h[3] = { 0 };

	add(&h[0], WALL_ON_CPU, 100, 110, -2, false);
	add(&h[0], WALL_FUTEX, 110, 150, 1, false);
	add(&h[0], WALL_RUNNABLE, 150, 155, 1, false);
	add(&h[0], WALL_ON_CPU, 155, 160, -2, false);
	add(&h[1], WALL_RUNNABLE, 105, 108, 0, true);
	add(&h[1], WALL_ON_CPU, 108, 120, -2, false);
	add(&h[1], WALL_SLEEPING, 120, 140, -1, false);
	add(&h[1], WALL_ON_CPU, 140, 152, -2, false);
	wall_history_sample(&h[1], 109, "other");
	wall_history_sample(&h[1], 142, "give");
	wall_history_sample(&h[1], 145, "holder");
	wall_history_sample(&h[1], 150, "holder");
	wall_history_sample(&h[1], 151, "give");
	wall_history_sample(&h[1], 152, "give");
	check_path(h, 3,
		   "0 on CPU 100-105 ? 1|1 runnable 105-108 function -1|1 on CPU 108-120 other -1|1 sleeping 120-140 function -1|1 on CPU 140-150 holder 0|0 runnable 150-155 function -1|0 on CPU 155-160 ? -1|",
		   "the path goes to the waker, waits with it, and returns to its parent");
}

static void test_path_unknown(void)
{
	struct wall_history h[2] = { 0 };

	/* The waker exits before it wakes its parent up, and was not seen before 115. */
	add(&h[0], WALL_IO, 100, 110, 7, false);
	add(&h[0], WALL_ON_CPU, 110, 120, -2, false);
	add(&h[0], WALL_IO, 120, 130, 1, false);
	add(&h[0], WALL_ON_CPU, 130, 140, -2, false);
	add(&h[0], WALL_SLEEPING, 140, 160, 1, false);
	add(&h[0], WALL_ON_CPU, 160, 170, -2, false);
	add(&h[0], WALL_UNKNOWN, 170, 180, 1, false);
	add(&h[1], WALL_SLEEPING, 115, 141, -2, false);
	add(&h[1], WALL_ON_CPU, 141, 155, -2, false);
	check_path(h, 2,
		   "1 unknown 100-115 ? -1|1 sleeping 115-141 function -1|1 on CPU 141-155 ? -1|1 unknown 155-160 [exits] 0|0 on CPU 160-170 ? -1|0 unknown 170-180 function -1|",
		   "the path is unknown where its thread was not seen");
}

static void test_path_stays(void)
{
	struct wall_history h[2] = { 0 };

	/* A waker that is no thread of the recording, and one that had no CPU. */
	add(&h[0], WALL_IO, 100, 110, 7, false);
	add(&h[0], WALL_ON_CPU, 110, 120, -2, false);
	add(&h[0], WALL_IO, 120, 130, 1, false);
	add(&h[0], WALL_ON_CPU, 130, 140, -2, false);
	add(&h[0], WALL_SLEEPING, 140, 150, -2, false);
	add(&h[1], WALL_SLEEPING, 115, 160, -2, false);
	check_path(h, 2,
		   "0 I/O 100-110 function -1|0 on CPU 110-120 ? -1|0 I/O 120-130 function -1|0 on CPU 130-140 ? -1|0 sleeping 140-150 function -1|",
		   "the path stays with a thread whose waker is not known");
}

int main(void)
{
	test_wake_up();
	test_unseen();
	test_early();
	test_missing();
	test_life();
	test_backwards();
	test_was_off();
	test_states();
	test_path();
	test_path_unknown();
	test_path_stays();
	return unit_finish();
}

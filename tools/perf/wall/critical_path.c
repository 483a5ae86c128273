// SPDX-License-Identifier: GPL-2.0
/*
 * The critical path of a thread.
 *
 * Each step either goes back in time, or from a blocked thread to a thread that was on a CPU just
 * before that time, and whose next step goes back in time. So the path ends.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "critical_path.h"

void wall_history_add(struct wall_history *history, const struct wall_part *part)
{
	if (history->nr == history->room) {
		history->room = history->room * 2 + 16;
		history->parts = xreallocarray(history->parts, history->room,
					       sizeof(*history->parts));
	}
	history->parts[history->nr++] = *part;
}

void wall_history_sample(struct wall_history *history, uint64_t time, const char *place)
{
	if (history->nr_samples == history->samples_room) {
		history->samples_room = history->samples_room * 2 + 16;
		history->times = xreallocarray(history->times, history->samples_room,
					       sizeof(*history->times));
		history->places = xreallocarray(history->places, history->samples_room,
						sizeof(*history->places));
	}
	history->times[history->nr_samples] = time;
	history->places[history->nr_samples++] = place;
}

void wall_history_free(struct wall_history *history)
{
	free(history->parts);
	free(history->times);
	free(history->places);
}

/* Return the span that has the moment before @time; NULL if there is none. */
static const struct wall_part *find_part(const struct wall_history *history, uint64_t time)
{
	size_t low = 0, high = history->nr;

	/* Find the first span that ends at @time or later. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->parts[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < history->nr && history->parts[low].start < time ? &history->parts[low] : NULL;
}

/* Return the index of the first sample at @time or later. */
static size_t find_sample(const struct wall_history *history, uint64_t time)
{
	size_t low = 0, high = history->nr_samples;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->times[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Number of samples of a part that are looked at for its function. */
#define SAMPLES_MAX 64

/* Return the function that the first samples of a part on the CPU have most often, or NULL. */
static const char *find_place(const struct wall_history *history, uint64_t start, uint64_t end)
{
	size_t first = find_sample(history, start), last = find_sample(history, end + 1), i, k;
	size_t most = 0;
	const char *place = NULL;

	if (last - first > SAMPLES_MAX)
		last = first + SAMPLES_MAX;
	for (i = first; i < last; i++) {
		size_t nr = 0;

		for (k = first; k < last; k++)
			nr += history->places[k] == history->places[i];
		if (nr > most) {
			most = nr;
			place = history->places[i];
		}
	}
	return place;
}

static void add_step(struct wall_path *path, size_t thread, const struct wall_part *part,
		     size_t woke)
{
	if (path->nr == path->room) {
		path->room = path->room * 2 + 64;
		path->steps = xreallocarray(path->steps, path->room, sizeof(*path->steps));
	}
	path->steps[path->nr++] = (struct wall_step){
		.thread = thread, .part = *part, .woke = woke,
	};
}

/*
 * Return true if the thread that woke another one up was on a CPU just before @time. A thread that
 * exits does so after its last record, when it wakes up its parent.
 */
static bool ran_before(const struct wall_history *histories, size_t nr, size_t thread,
		       uint64_t time)
{
	const struct wall_part *part;

	if (thread >= nr || !histories[thread].nr)
		return false;
	if (histories[thread].parts[histories[thread].nr - 1].end < time)
		return true;
	part = find_part(&histories[thread], time);
	return part && part->state == WALL_ON_CPU;
}

/* Return the span of a thread that has the moment before @time, perhaps that after its exit. */
static struct wall_part get_part(const struct wall_history *history, uint64_t time)
{
	const struct wall_part *part = find_part(history, time);
	const struct wall_part *last = history->nr ? &history->parts[history->nr - 1] : NULL;

	if (part)
		return *part;
	return (struct wall_part){
		.state = WALL_UNKNOWN, .by = SIZE_MAX, .end = time,
		.start = last && last->end < time ? last->end : 0,
		.place = last && last->end < time ? "[exits]" : NULL,
	};
}

/* Return true if the path goes from a span that ends at @time on to another thread. */
static bool leads_on(const struct wall_part *part, uint64_t time)
{
	const bool waited = (wall_state_is_blocked(part->state) && part->end == time) ||
			    (part->state == WALL_RUNNABLE && part->waker.created);

	return waited && part->state != WALL_UNKNOWN && part->waker.known &&
	       !part->waker.interrupt;
}

void wall_path_find(struct wall_path *path, const struct wall_history *histories, size_t nr,
		    size_t thread)
{
	const struct wall_history *own = &histories[thread];
	size_t current = thread, woke = SIZE_MAX;
	uint64_t time, begin;

	if (!own->nr)
		return;
	time = own->parts[own->nr - 1].end;
	begin = own->parts[0].start;
	while (time > begin) {
		struct wall_part part = get_part(&histories[current], time);
		const bool created = part.state == WALL_RUNNABLE && part.waker.created;
		const bool leads = leads_on(&part, time);

		if (leads && !created && ran_before(histories, nr, part.by, time)) {
			woke = current;
			current = part.by;
			continue;
		}
		part.end = time;
		time = part.start > begin ? part.start : begin;
		part.start = time;
		if (part.state == WALL_ON_CPU)
			part.place = find_place(&histories[current], part.start, part.end);
		add_step(path, current, &part, woke);
		woke = SIZE_MAX;
		/* The thread did not exist before: go on with its parent. */
		if (leads && created && ran_before(histories, nr, part.by, time)) {
			woke = current;
			current = part.by;
		}
	}
}

void wall_path_free(struct wall_path *path)
{
	free(path->steps);
}

static int compare_kinds(const void *a, const void *b)
{
	const struct wall_step *l = a, *r = b;

	if (l->thread != r->thread)
		return l->thread < r->thread ? -1 : 1;
	if (l->part.state != r->part.state)
		return l->part.state < r->part.state ? -1 : 1;
	return l->part.place == r->part.place ? 0 : l->part.place < r->part.place ? -1 : 1;
}

static int compare_lengths(const void *a, const void *b)
{
	const struct wall_step *l = a, *r = b;
	const uint64_t left = l->part.end - l->part.start, right = r->part.end - r->part.start;

	return left == right ? compare_kinds(a, b) : left < right ? 1 : -1;
}

/* Sum up the steps that have thread, state and place in common; the longest sum comes first. */
static size_t sum_up(struct wall_step *sums, size_t nr)
{
	size_t i, left = 0;

	qsort(sums, nr, sizeof(*sums), compare_kinds);
	for (i = 0; i < nr; i++) {
		const uint64_t length = sums[i].part.end - sums[i].part.start;

		if (left && !compare_kinds(&sums[left - 1], &sums[i])) {
			sums[left - 1].part.end += length;
			continue;
		}
		sums[left] = sums[i];
		sums[left].part.start = 0;
		sums[left++].part.end = length;
	}
	qsort(sums, left, sizeof(*sums), compare_lengths);
	return left;
}

/* Return the name and the number of a thread; the caller frees the text. */
static char *thread_text(const struct wall_timeline *timeline, size_t number)
{
	const struct wall_thread *thread = timeline->threads[number];
	char *comm = escape_name(thread->comm ?: "");
	char *text = xasprintf("%s[%" PRId32 "]", comm, thread->tid);

	free(comm);
	return text;
}

/* Return the cause of the end of a part; the caller frees the text. */
static char *end_text(const struct wall_timeline *timeline, const struct wall_step *step)
{
	const struct wall_waker *waker = &step->part.waker;
	char *name, *text;

	if (step->woke != SIZE_MAX) {
		name = thread_text(timeline, step->woke);
		text = xasprintf("woke up or created %s", name);
		free(name);
		return text;
	}
	if (!wall_state_is_blocked(step->part.state) || step->part.state == WALL_UNKNOWN)
		return xstrdup("");
	if (!waker->known)
		return xstrdup("its wake-up was not recorded");
	if (waker->interrupt)
		return xasprintf("an interrupt woke it up: %s", waker->place);
	name = escape_name(waker->comm);
	text = xasprintf("%s[%" PRId32 "] woke it up, and was not recorded", name, waker->tid);
	free(name);
	return text;
}

static void print_column(FILE *out, const char *text, int width, char separator)
{
	if (!separator) {
		fprintf(out, "  %-*s", width, text);
		return;
	}
	putc(separator, out);
	for (; *text; text++)
		putc(*text == separator ? '.' : *text, out);
}

static void print_ns(FILE *out, uint64_t ns, char separator)
{
	if (separator)
		fprintf(out, "%" PRIu64, ns);
	else
		fprintf(out, "%6" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
}

static void print_step(FILE *out, const struct wall_timeline *timeline,
		       const struct wall_step *step, char separator)
{
	char *name = thread_text(timeline, step->thread);

	print_ns(out, step->part.end - step->part.start, separator);
	print_column(out, name, 22, separator);
	print_column(out, wall_state_name(step->part.state), 15, separator);
	print_column(out, step->part.place ?: "[unknown]", 30, separator);
	free(name);
}

void wall_path_print(FILE *out, const struct wall_path *path,
		     const struct wall_timeline *timeline, char separator)
{
	struct wall_step *sums = xcalloc(path->nr + 1, sizeof(*sums));
	uint64_t begin = path->nr ? path->steps[path->nr - 1].part.start : 0;
	size_t i, nr;
	char *text;

	if (path->nr)
		memcpy(sums, path->steps, path->nr * sizeof(*sums));
	nr = sum_up(sums, path->nr);
	fprintf(out, "# Sums of the critical path in %s: time, thread, state, function\n",
		separator ? "ns" : "ms");
	for (i = 0; i < nr; i++) {
		print_step(out, timeline, &sums[i], separator);
		putc('\n', out);
	}
	fputs("\n# Parts of the critical path: start, time, thread, state, function, end\n", out);
	for (i = path->nr; i; i--) {
		const struct wall_step *step = &path->steps[i - 1];

		print_ns(out, step->part.start - begin, separator);
		fprintf(out, "%s", separator ? "" : "  ");
		if (separator)
			putc(separator, out);
		print_step(out, timeline, step, separator);
		text = end_text(timeline, step);
		if (*text || separator)
			print_column(out, text, 0, separator);
		free(text);
		putc('\n', out);
	}
	free(sums);
}

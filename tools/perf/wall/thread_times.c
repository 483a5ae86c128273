// SPDX-License-Identifier: GPL-2.0
/* The times of threads as a table: how long each was on the CPU, waited for one, or was blocked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "thread_times.h"

/* Width of a column of times. */
#define TIME_WIDTH 12

static uint64_t life_of(const struct wall_thread *thread)
{
	return thread->since - thread->first;
}

static int compare(const void *a, const void *b)
{
	const struct wall_thread *left = *(const struct wall_thread *const *)a;
	const struct wall_thread *right = *(const struct wall_thread *const *)b;
	uint64_t l = life_of(left), r = life_of(right);

	if (l != r)
		return l < r ? 1 : -1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Print a time in ms with the digits of nanoseconds, or in ns after a separator. */
static void print_time(FILE *out, uint64_t ns, int width, char separator)
{
	if (separator)
		fprintf(out, "%c%" PRIu64, separator, ns);
	else
		fprintf(out, " %*" PRIu64 ".%06" PRIu64, width - 7, ns / 1000000, ns % 1000000);
}

static int width_of(enum wall_state state)
{
	int width = strlen(wall_state_name(state));

	return width < TIME_WIDTH ? TIME_WIDTH : width;
}

static void print_titles(FILE *out, const uint64_t *sums, char separator)
{
	int state;

	if (separator)
		fprintf(out, "# Tid%cCommand%cLife", separator, separator);
	else
		fprintf(out, "# %10s  %-16s %*s", "Tid", "Command", TIME_WIDTH, "Life (ms)");
	for (state = 0; state < WALL_STATES; state++) {
		if (!sums[state])
			continue;
		if (separator)
			fprintf(out, "%c%s", separator, wall_state_name(state));
		else
			fprintf(out, " %*s", width_of(state), wall_state_name(state));
	}
	putc('\n', out);
}

static void print_thread(FILE *out, const struct wall_thread *thread, const uint64_t *sums,
			 char separator)
{
	char *comm = escape_name(thread->comm ?: ""), *c;
	int state;

	for (c = comm; separator && *c; c++) {
		if (*c == separator)
			*c = '.';
	}
	if (separator)
		fprintf(out, "%" PRId32 "%c%s", thread->tid, separator, comm);
	else
		fprintf(out, "  %10" PRId32 "  %-16s", thread->tid, comm);
	free(comm);
	print_time(out, life_of(thread), TIME_WIDTH, separator);
	for (state = 0; state < WALL_STATES; state++) {
		if (sums[state])
			print_time(out, thread->times[state], width_of(state), separator);
	}
	putc('\n', out);
}

void wall_print_times(FILE *out, const struct wall_timeline *timeline,
		      bool (*wants)(void *context, const struct wall_thread *thread),
		      void *context, char separator)
{
	struct wall_thread **shown = xcalloc(timeline->nr + 1, sizeof(*shown));
	uint64_t sums[WALL_STATES] = { 0 };
	size_t i, nr = 0;
	int state;

	for (i = 0; i < timeline->nr; i++) {
		struct wall_thread *thread = timeline->threads[i];

		if (!life_of(thread) || !wants(context, thread))
			continue;
		shown[nr++] = thread;
		for (state = 0; state < WALL_STATES; state++)
			sums[state] |= thread->times[state];
	}
	qsort(shown, nr, sizeof(*shown), compare);
	print_titles(out, sums, separator);
	for (i = 0; i < nr; i++)
		print_thread(out, shown[i], sums, separator);
	free(shown);
}

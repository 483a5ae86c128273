// SPDX-License-Identifier: GPL-2.0
/* A line on the terminal that shows how far a long step is. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "name.h"
#include "progress.h"

/* The time before the first line, and between two lines, in ns. */
#define FIRST 2000000000ULL
#define BETWEEN 200000000ULL

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void progress_start(struct progress *progress, const char *what)
{
	*progress = (struct progress){
		.what = what, .wanted = isatty(STDERR_FILENO), .next = now() + FIRST,
	};
}

/* Go to the start of the line and clear it, with an escape sequence that all terminals know. */
static void clear_line(void)
{
	fputs("\r\033[K", stderr);
}

void progress_at(struct progress *progress, uint64_t done, uint64_t total)
{
	uint64_t time;

	if (!progress->wanted)
		return;
	time = now();
	if (time < progress->next)
		return;
	progress->next = time + BETWEEN;
	progress->shown = true;
	clear_line();
	fput_name(progress->what, stderr);
	if (total && total != UINT64_MAX)
		fprintf(stderr, ": %.0f %% of %.1f MB", 100.0 * done / total, total / 1048576.0);
	else
		fprintf(stderr, ": %.1f MB", done / 1048576.0);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		clear_line();
	progress->shown = false;
	progress->wanted = false;
}

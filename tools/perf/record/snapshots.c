// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of a recording with overwritten buffers, and the files of one that is divided: when to
 * write them, and how many to keep.
 */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "snapshots.h"

/* The least time between two snapshots by triggers, s. */
#define TRIGGER_GAP 1.0

/* The interval at which the recorded size is checked, ms. */
#define SIZE_INTERVAL 100

/**
 * struct kept_file - a snapshot that was written
 * @path: path of the file
 * @dev: device of the file; @dev and @ino identify it even if the path is reused
 * @ino: inode of the file
 */
struct kept_file {
	char *path;
	dev_t dev;
	ino_t ino;
};

bool snapshots_parse(struct snapshots *s, const char *text)
{
	static const struct quantity_unit times[] = {
		{ "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 }, { NULL, 0 },
	};
	static const struct quantity_unit sizes[] = {
		{ "B", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 },
	};
	double bytes;

	if (!strcmp(text, "signal"))
		return true;
	if (!isdigit((unsigned char)*text))
		return false;
	/* The timer takes milliseconds in an unsigned int. */
	if (quantity_parse(text, times, &s->seconds))
		return s->seconds < UINT_MAX / 1000;
	if (!quantity_parse(text, sizes, &bytes))
		return false;
	s->bytes = bytes;
	return s->bytes;
}

static uint64_t size_of(const struct ring *ring)
{
	return ring->size;
}

/* Add up a value of each overwritten ring. */
static uint64_t sum_of_rings(const struct recording *r, uint64_t (*of)(const struct ring *ring))
{
	uint64_t sum = 0;
	size_t i, ring;

	for (i = 0; i < r->buffers.nr; i++) {
		const struct ring_buffer *buffer = &r->buffers.all[i];

		for (ring = 0; buffer->overwrite && ring < buffer->nr_rings; ring++)
			sum += of(&buffer->rings[ring]);
	}
	return sum;
}

/* Return the number of bytes that has been recorded; with @s->rotate, into this file. */
static uint64_t recorded_bytes(const struct snapshots *s, const struct recording *r)
{
	return s->rotate ? data_writer_size(r->file.writer) : sum_of_rings(r, ring_written);
}

int snapshots_start(struct snapshots *s, const struct recording *r, struct watch *w,
		    struct error *err)
{
	uint64_t room = sum_of_rings(r, size_of);

	if (s->seconds)
		return watch_interval(w, s->seconds * 1000 < 1 ? 1 : s->seconds * 1000, err);
	/* The size of a file is checked after each round. */
	if (!s->bytes || s->rotate)
		return 0;
	s->bytes_before = sum_of_rings(r, ring_written);
	if (s->bytes > room) {
		error_set(err,
			  "--switch-output: the buffers hold %llu KiB, less than the given size; choose larger ones with -m",
			  (unsigned long long)room >> 10);
		return -1;
	}
	return watch_interval(w, SIZE_INTERVAL, err);
}

/* Return true if the file is still the one that was written: it may have been moved or replaced. */
static bool is_still_there(const struct kept_file *file)
{
	struct stat st;

	return !lstat(file->path, &st) && S_ISREG(st.st_mode) && st.st_dev == file->dev &&
	       st.st_ino == file->ino;
}

/* Remove the oldest file to make room for the next. */
static void forget_oldest(struct snapshots *s)
{
	if (is_still_there(&s->kept[0]))
		unlink(s->kept[0].path);
	free(s->kept[0].path);
	memmove(s->kept, s->kept + 1, --s->nr_kept * sizeof(*s->kept));
}

void snapshots_keep(struct snapshots *s, char *path)
{
	struct stat st;

	if (!s->max || lstat(path, &st)) {
		free(path);
		return;
	}
	if (s->nr_kept == s->max)
		forget_oldest(s);
	s->kept = xreallocarray(s->kept, s->nr_kept + 1, sizeof(*s->kept));
	s->kept[s->nr_kept++] = (struct kept_file){ path, st.st_dev, st.st_ino };
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int take_snapshot(struct snapshots *s, struct recording *r, const char *why,
			 struct error *err)
{
	uint64_t nr;
	char *path;

	if (!s->rotate)
		s->bytes_before = recorded_bytes(s, r);
	path = s->rotate ? recording_rotate(r, &nr, err) : recording_snapshot(r, &nr, err);
	if (!path)
		return -1;
	if (s->rotate)
		s->bytes_before = recorded_bytes(s, r);
	if (!s->quiet)
		fprintf(stderr, "[ perf record: Dump %s (%" PRIu64 " samples)%s%s ]\n", path, nr,
			why ? ": " : "", why ? why : "");
	snapshots_keep(s, path);
	s->last = now();
	return 0;
}

/*
 * Return true if as much has been recorded since the last snapshot as one snapshot should contain.
 */
static bool is_full(const struct snapshots *s, const struct recording *r)
{
	return s->bytes && recorded_bytes(s, r) - s->bytes_before >= s->bytes;
}

int snapshots_round(struct snapshots *s, struct recording *r, unsigned int what,
		    const char *trigger, struct error *err)
{
	bool due = what & WATCH_SNAPSHOT;

	if (what & WATCH_TICK)
		due |= s->seconds != 0;
	if (what & WATCH_TICK || s->rotate)
		due |= is_full(s, r);
	if (trigger && s->last && now() - s->last < TRIGGER_GAP) {
		s->nr_merged++;
		trigger = NULL;
	}
	return due || trigger ? take_snapshot(s, r, trigger, err) : 0;
}

void snapshots_free(struct snapshots *s)
{
	while (s->nr_kept)
		free(s->kept[--s->nr_kept].path);
	free(s->kept);
	s->kept = NULL;
}

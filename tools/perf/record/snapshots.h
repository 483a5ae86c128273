/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of a recording with overwritten buffers, and the files of one that is divided: when to
 * write them, and how many to keep.
 */
#ifndef PERF_RECORD_SNAPSHOTS_H
#define PERF_RECORD_SNAPSHOTS_H

#include <sys/types.h>

#include "recording.h"

struct kept_file;

/**
 * struct snapshots - options and state of snapshots
 * @seconds: time between snapshots; 0: no snapshots by time
 * @bytes: recorded bytes between snapshots; 0: no snapshots by size
 * @rotate: no buffers are overwritten; each file has the records since the one before
 * @max: number of files to keep, the last ones; 0: all
 * @quiet: do not print the names of the files
 * @kept: kept files, the oldest first
 * @nr_kept: number of @kept
 * @bytes_before: bytes recorded until the last snapshot; with @rotate, size of the new file
 * @last: time of the last snapshot, s
 * @nr_merged: number of triggers ignored for coming too soon after a snapshot
 */
struct snapshots {
	double seconds;
	uint64_t bytes;
	bool rotate;
	size_t max;
	bool quiet;
	struct kept_file *kept;
	size_t nr_kept;
	uint64_t bytes_before;
	double last;
	uint64_t nr_merged;
};

/**
 * snapshots_parse() - parse the value of --switch-output
 * @s: receives the value
 * @text: "signal", which is always possible; a time, "30s", "5m", "2h", "1d"; or a size,
 *	"512K", "100M", "1G"
 *
 * Return: true if @text is one of these.
 */
bool snapshots_parse(struct snapshots *s, const char *text);

/**
 * snapshots_start() - start the timer for snapshots by time or size
 * @s: options
 * @r: recording with open buffers
 * @w: receives the timer
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int snapshots_start(struct snapshots *s, const struct recording *r, struct watch *w,
		    struct error *err);

/**
 * snapshots_round() - take a snapshot if it is due
 * @s: options and state
 * @r: recording; all its buffers have just been read
 * @what: WATCH_ bits
 * @trigger: text of the trigger that fired, or NULL
 * @err: receives the reason of a failure
 *
 * A trigger within a second of the last snapshot is ignored; its records are still in the
 * buffers for the next snapshot.
 *
 * Return: 0, or -1 with @err set.
 */
int snapshots_round(struct snapshots *s, struct recording *r, unsigned int what,
		    const char *trigger, struct error *err);

/**
 * snapshots_keep() - add a file to those that are kept, and remove the oldest one if it is too much
 * @s: options and state
 * @path: path of the file; freed
 */
void snapshots_keep(struct snapshots *s, char *path);

void snapshots_free(struct snapshots *s);

#endif

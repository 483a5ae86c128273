/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of a recording that overwrites: when they are taken, and how many are kept.
 */
#ifndef PERF_RECORD_SNAPSHOTS_H
#define PERF_RECORD_SNAPSHOTS_H

#include <sys/types.h>

#include "recording.h"

struct kept_file;

/**
 * struct snapshots - when they are taken, and those that there are
 * @seconds: one each time that so many have passed; 0: not by time
 * @bytes: one each time that so much was recorded; 0: not by size
 * @max: files that are kept, the last ones; 0: all
 * @quiet: their names are not printed
 * @kept: the files, oldest first
 * @nr_kept: how many
 * @bytes_before: what had been recorded at the last one
 * @last: when the last one was taken, s
 * @nr_merged: triggers that came too soon after it
 */
struct snapshots {
	double seconds;
	uint64_t bytes;
	size_t max;
	bool quiet;
	struct kept_file *kept;
	size_t nr_kept;
	uint64_t bytes_before;
	double last;
	uint64_t nr_merged;
};

/**
 * snapshots_parse() - read what --switch-output says
 * @s: gets it
 * @text: "signal", which is always so; a time, "30s", "5m", "2h", "1d"; or a size, "512K",
 *	"100M", "1G"
 *
 * Return: false when it is none of these.
 */
bool snapshots_parse(struct snapshots *s, const char *text);

/**
 * snapshots_start() - begin to watch when they are due
 * @s: when that is
 * @r: the recording, with its buffers
 * @w: is woken up then
 * @err: says what is wrong
 *
 * Return: 0, or -1 with @err set.
 */
int snapshots_start(struct snapshots *s, const struct recording *r, struct watch *w,
		    struct error *err);

/**
 * snapshots_round() - take one if one is due
 * @s: when that is
 * @r: the recording, of which all buffers have just been read
 * @what: WATCH_ bits
 * @trigger: what asks for one, or NULL
 * @err: says what failed
 *
 * A trigger is heeded once a second; what comes before that is in the buffers still.
 *
 * Return: 0, or -1 with @err set.
 */
int snapshots_round(struct snapshots *s, struct recording *r, unsigned int what,
		    const char *trigger, struct error *err);

void snapshots_free(struct snapshots *s);

#endif

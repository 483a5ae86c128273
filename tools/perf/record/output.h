/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output file of a recording: a new file next to FILE that replaces FILE when it is
 * complete. FILE itself is never opened, unless it is a device.
 */
#ifndef PERF_RECORD_OUTPUT_H
#define PERF_RECORD_OUTPUT_H

#include <stdbool.h>

#include "util/util.h"

/* The FILE that stands for the standard output. */
#define OUTPUT_PIPE "-"

/**
 * struct output - a file that is being written
 * @path: FILE
 * @part: path of the new file, "FILE.part-" and six letters; NULL if FILE is a character device or
 *	the standard output
 * @fd: descriptor for reading and writing; for a device, only for writing
 */
struct output {
	char *path;
	char *part;
	int fd;
};

/* Return true if @path stands for the standard output. */
bool output_is_pipe(const char *path);

/**
 * output_claim_stdout() - keep the standard output for the recording
 * @err: receives the reason of a failure
 *
 * From now on, other output to it, and that of programs that are started, goes to the standard
 * error, so that it is not mixed with the recording.
 *
 * Return: 0, or -1 with @err set.
 */
int output_claim_stdout(struct error *err);

/**
 * output_open() - create the new file
 * @o: output, all zeros
 * @path: FILE: a regular file, a character device, not existing yet, or OUTPUT_PIPE
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int output_open(struct output *o, const char *path, struct error *err);

/**
 * output_place() - close the new file and rename it to FILE
 * @o: output; ends
 * @err: receives the reason of a failure, and the path of the new file
 *
 * A FILE that is not empty is renamed to FILE.old before.
 *
 * Return: 0, or -1 with @err set.
 */
int output_place(struct output *o, struct error *err);

/**
 * output_place_snapshot() - close the new file and rename it to FILE with the current time appended
 * @o: output; ends
 * @err: receives the reason of a failure, and the path of the new file
 *
 * Return: the path, which the caller frees, or NULL with @err set.
 */
char *output_place_snapshot(struct output *o, struct error *err);

/* Leave the new file where it is, and append its path to @err. */
void output_keep(struct output *o, struct error *err);

/* Remove the new file. */
void output_discard(struct output *o);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a recording goes: to a new file beside FILE, which takes FILE's place when it is
 * complete. FILE is never opened, unless it is a device.
 */
#ifndef PERF_RECORD_OUTPUT_H
#define PERF_RECORD_OUTPUT_H

#include "util/util.h"

/**
 * struct output - a file that is being written
 * @path: FILE
 * @part: the new file, "FILE.part-" and six letters; NULL: FILE is a character device
 * @fd: open to read and write; of a device, to write
 */
struct output {
	char *path;
	char *part;
	int fd;
};

/**
 * output_open() - create the new file
 * @o: all zeros
 * @path: FILE; a regular file, a character device, or nothing yet
 * @err: says why it failed
 *
 * Return: 0, or -1 with @err set.
 */
int output_open(struct output *o, const char *path, struct error *err);

/**
 * output_place() - put the new file where FILE is
 * @o: the output; ends
 * @err: says why it failed, and where the new file is
 *
 * An earlier FILE becomes FILE.old, if there is anything in it.
 *
 * Return: 0, or -1 with @err set.
 */
int output_place(struct output *o, struct error *err);

/**
 * output_place_snapshot() - put the new file beside FILE, under the time now
 * @o: the output; ends
 * @err: says why it failed, and where the new file is
 *
 * Return: the path, which the caller frees, or NULL with @err set.
 */
char *output_place_snapshot(struct output *o, struct error *err);

/* Leave the new file where it is, and say so behind what @err says already. */
void output_keep(struct output *o, struct error *err);

/* Remove the new file. */
void output_discard(struct output *o);

#endif

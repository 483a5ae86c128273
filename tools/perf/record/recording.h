/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: records go from the buffers and from /proc into the file, and are counted on the
 * way.
 */
#ifndef PERF_RECORD_RECORDING_H
#define PERF_RECORD_RECORDING_H

#include "measure/measure.h"
#include "mapped_files.h"
#include "trigger.h"
#include "unwinder.h"
#include "writer.h"

/**
 * struct recording_file - a file and its totals
 * @writer: writer of the file
 * @nr_samples: number of samples written
 * @nr_rotated: number of those in files that recording_rotate() has ended
 * @nr_lost: number of lost records according to LOST records
 * @nr_throttled: number of times that an event was stopped until the next tick for being too
 *	frequent
 * @bytes: size of the recording, after recording_close()
 */
struct recording_file {
	struct data_writer *writer;
	uint64_t nr_samples;
	uint64_t nr_rotated;
	uint64_t nr_lost;
	uint64_t nr_throttled;
	uint64_t bytes;
};

/**
 * struct recording - a recording
 * @buffers: buffers with the records
 * @file: file with all records that were read, at the end also those of overwritten buffers
 * @files: files with executable mappings
 * @triggers: triggers of snapshots
 * @no_build_ids: the file gets no list of build-ids
 * @unwind: samples are unwound while they are recorded
 * @unwinder: unwinder of the samples, with @unwind
 */
struct recording {
	struct buffers buffers;
	struct recording_file file;
	struct mapped_files files;
	struct triggers triggers;
	bool no_build_ids;
	bool unwind;
	struct unwinder *unwinder;
};

/**
 * recording_open() - create the file
 * @r: recording with open buffers
 * @path: final path of the file, see output.h
 * @argc: number of @argv
 * @argv: command line
 * @err: receives the reason of a failure
 *
 * Return: 0, or -1 with @err set.
 */
int recording_open(struct recording *r, const char *path, int argc, char **argv,
		   struct error *err);

/* Compress the records of a file from now on, with a level of zstd. */
void recording_compress(struct recording *r, int level);

/*
 * A ring_sink: write records in the form that files have, and note their contents. @recording
 * is a struct recording.
 */
int recording_take(void *recording, void *records, size_t bytes);

/* Read all buffers once and end the round. Return: 0 or a negative errno. */
int recording_round(struct recording *r);

/**
 * recording_snapshot() - write the current contents of overwritten buffers to a separate file
 * @r: recording with overwritten buffers; it goes on
 * @nr_samples: receives the number of samples in the file
 * @err: receives the reason of a failure
 *
 * The file also has all that is known about tasks and mappings, and is complete by itself.
 *
 * Return: the path of the file, which the caller frees, or NULL with @err set.
 */
char *recording_snapshot(struct recording *r, uint64_t *nr_samples, struct error *err);

/**
 * recording_rotate() - end the file, and go on with another one
 * @r: recording without overwritten buffers; all its buffers have just been read
 * @nr_samples: receives the number of samples in the file
 * @err: receives the reason of a failure
 *
 * The next file begins with all that is known about tasks and mappings, and is complete by itself.
 *
 * Return: the path of the ended file, which has the time appended and which the caller frees, or
 * NULL with @err set.
 */
char *recording_rotate(struct recording *r, uint64_t *nr_samples, struct error *err);

/**
 * recording_finish() - write the last records and the number of lost ones
 * @r: recording; all counters but those of early events are disabled
 *
 * The recording ends with the current contents of the buffers; later records are not read.
 * Losses without a LOST record, for which the buffer had no room, are added to the file.
 *
 * Return: 0 or a negative errno.
 */
int recording_finish(struct recording *r);

/*
 * Write build-ids and the end of the file, and give it its name. Return: 0, or -1 with @err
 * set.
 */
int recording_close(struct recording *r, struct error *err);

/*
 * Write build-ids and the end of the file, and give it its name with the time appended. Return: the
 * path, which the caller frees, or NULL with @err set.
 */
char *recording_close_timed(struct recording *r, struct error *err);

/* End a recording that failed, and append the path of the file to @err. */
void recording_keep(struct recording *r, struct error *err);

/* Free a recording. A file that has not been closed is removed. */
void recording_free(struct recording *r);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in the making: records go from the buffers, and from what is made
 * up of /proc, into the file, and are counted on the way.
 */
#ifndef PERF_RECORD_RECORDING_H
#define PERF_RECORD_RECORDING_H

#include "measure/measure.h"
#include "mapped_files.h"
#include "trigger.h"
#include "writer.h"

/**
 * struct recording_file - a file, and what has gone into it
 * @writer: the file
 * @nr_samples: samples written
 * @nr_lost: records lost, as LOST records tell
 * @nr_throttled: how often an event was stopped until the next tick, as it was too frequent
 */
struct recording_file {
	struct data_writer *writer;
	uint64_t nr_samples;
	uint64_t nr_lost;
	uint64_t nr_throttled;
};

/**
 * struct recording - buffers, the file, and what there is for it
 * @buffers: where records come from
 * @file: all that was read, and in the end what was not overwritten
 * @files: whose code is mapped
 * @triggers: what asks for a snapshot
 */
struct recording {
	struct buffers buffers;
	struct recording_file file;
	struct mapped_files files;
	struct triggers triggers;
};

/**
 * recording_open() - create the file
 * @r: a recording with buffers
 * @path: what the file is to be in the end, see output.h
 * @argc: number of @argv
 * @argv: the command line
 * @err: says why
 *
 * Return: 0, or -1 with @err set.
 */
int recording_open(struct recording *r, const char *path, int argc, char **argv,
		   struct error *err);

/*
 * A ring_sink: write records, in the form that files have, and note what they say.
 * @recording is a struct recording.
 */
int recording_take(void *recording, void *records, size_t bytes);

/* Read all buffers once, and end a round. Return: 0 or a negative errno. */
int recording_round(struct recording *r);

/**
 * recording_snapshot() - write what is not overwritten yet to a file of its own
 * @r: a recording that overwrites; it goes on
 * @nr_samples: gets the number of samples in it
 * @err: says why it failed
 *
 * The file has all that is known of tasks and mappings, too, and stands alone.
 *
 * Return: its path, which the caller frees, or NULL with @err set.
 */
char *recording_snapshot(struct recording *r, uint64_t *nr_samples, struct error *err);

/**
 * recording_finish() - the last records, and how many were lost, all told
 * @r: a recording whose counters are off, but for early events
 *
 * The recording ends with what is in the buffers now. No more is read of them.
 *
 * Losses that no LOST record told, as no room was left for one, are added to the file.
 *
 * Return: 0 or a negative errno.
 */
int recording_finish(struct recording *r);

/* Build-ids, and the end of the file, which gets its name. Return: 0, or -1 with @err set. */
int recording_close(struct recording *r, struct error *err);

/* The end of a recording that failed: @err, which says why, gets where it is. */
void recording_keep(struct recording *r, struct error *err);

/* A file that has not been closed is removed. */
void recording_free(struct recording *r);

#endif

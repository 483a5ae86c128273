/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in the making: records go from the rings, and from what is made
 * up of /proc, into the file, and are counted on the way.
 */
#ifndef PERF_RECORDING_H
#define PERF_RECORDING_H

#include "counters.h"
#include "data_file.h"
#include "mapped_files.h"
#include "ring.h"
#include "watch.h"

/**
 * struct recording - rings, the file, and what has gone into it
 * @counters: what fills the rings
 * @rings: one for tasks with perf_counter_open, else one per CPU
 * @nr_rings: how many
 * @ring_pages: pages of data in each
 * @writer: the file
 * @files: whose code is mapped
 * @nr_samples: samples written
 * @nr_lost: records lost, as LOST records tell
 */
struct recording {
	const struct counters *counters;
	struct ring *rings;
	size_t nr_rings;
	size_t ring_pages;
	struct data_writer *writer;
	struct mapped_files files;
	uint64_t nr_samples;
	uint64_t nr_lost;
};

/**
 * recording_map() - map the rings, as few as the counters allow
 * @r: gets the rings
 * @counters: open counters with PERF_FORMAT_ID
 * @pages: pages of data per ring, a power of two
 * @exact: fail rather than take less when @pages are more than is allowed
 * @err: says why
 *
 * Return: 0, or -1 with @err set.
 */
int recording_map(struct recording *r, const struct counters *counters, size_t pages, bool exact,
		  struct error *err);

/* Be woken up by the rings. */
int recording_watch(const struct recording *r, struct watch *w, struct error *err);

/**
 * recording_open() - create the file
 * @r: a recording with rings
 * @path: the file
 * @argc: number of @argv
 * @argv: the command line
 * @err: says why
 *
 * Return: 0, or -1 with @err set.
 */
int recording_open(struct recording *r, const char *path, int argc, char **argv,
		   struct error *err);

/* A ring_sink: write records and note what they say. @recording is a struct recording. */
int recording_take(void *recording, const void *records, size_t bytes);

/**
 * recording_take_and_drain() - a ring_sink like recording_take() that reads the rings as well
 * @recording: a struct recording
 * @records: whole records
 * @bytes: how long they are together
 *
 * For what comes in large numbers while counters are on. No round ends here:
 * samples stay with their reader until all of what was there before is known.
 *
 * Return: 0 or a negative errno.
 */
int recording_take_and_drain(void *recording, const void *records, size_t bytes);

/* Read all rings once, and end a round. Return: 0 or a negative errno. */
int recording_round(struct recording *r);

/**
 * recording_account_lost() - how many records were lost, all told
 * @r: a recording whose counters are off and whose rings are empty
 *
 * What no LOST record told, as no room was left for one, is added to the file.
 *
 * Return: 0 or a negative errno.
 */
int recording_account_lost(struct recording *r);

/* Build-ids, and the end of the file. Return: 0 or a negative errno. */
int recording_close(struct recording *r);

void recording_free(struct recording *r);

#endif

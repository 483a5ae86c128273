/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Going through a recording: records are read, put in order, decoded, applied
 * to the state of the machine, and given to the command that wants them.
 */
#ifndef PERF_MACHINE_SESSION_H
#define PERF_MACHINE_SESSION_H

#include "file/file.h"
#include "read_counts.h"
#include "state.h"

struct session;

/**
 * struct session_handlers - what a command does with records; any may be NULL
 * @raw: each record as it is in the file, in the order of the file
 * @record: each record of the kernel, in the order of time, once it has been applied
 */
struct session_handlers {
	void (*raw)(void *context, struct session *session,
		    const struct perf_event_header *record, uint64_t offset);
	void (*record)(void *context, struct session *session, const struct record *record);
};

/**
 * struct session - a recording that is being gone through
 * @path: its file
 * @reader: reads it
 * @machine: the state at the time of the current record
 * @queue: puts records in order
 * @counts: values of the counters that samples read
 * @handlers: of the command
 * @context: first argument of @handlers
 * @damage: what ended the reading early; empty: nothing did
 * @nr_samples: samples seen
 * @lost_records: sum of the LOST records
 * @lost_samples: sum of the LOST_SAMPLES records
 * @nr_bad: records whose contents make no sense
 * @first_bad: where the first of them is in the file
 * @nr_unknown: records of types that are not known
 * @nr_stray: samples with ids that no event has
 * @offset: of the current record in the file
 */
struct session {
	char *path;
	struct data_reader *reader;
	struct machine machine;
	struct record_queue queue;
	struct read_counts counts;
	const struct session_handlers *handlers;
	void *context;
	struct error damage;
	uint64_t nr_samples;
	uint64_t lost_records;
	uint64_t lost_samples;
	uint64_t nr_bad;
	uint64_t first_bad;
	uint64_t nr_unknown;
	uint64_t nr_stray;
	uint64_t offset;
};

int session_open(struct session *session, const char *path,
		 const struct symbol_sources *sources, struct error *err);
void session_run(struct session *session, const struct session_handlers *handlers,
		 void *context);
uint64_t session_lost(const struct session *session);
int session_complain(const struct session *session);
void session_close(struct session *session);

#endif

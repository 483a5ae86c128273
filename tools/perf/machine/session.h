/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk through a recording: records are read, sorted by time, decoded, applied to the
 * state of the machine, and given to the command's handlers.
 */
#ifndef PERF_MACHINE_SESSION_H
#define PERF_MACHINE_SESSION_H

#include "file/file.h"
#include "deferred_chains.h"
#include "read_counts.h"
#include "state.h"

struct session;

/**
 * struct session_handlers - functions that a command has for records; each may be NULL
 * @raw: called with each record of the file, in the order of the file
 * @record: called with each record of the kernel, in the order of time, after it was applied
 */
struct session_handlers {
	void (*raw)(void *context, struct session *session,
		    const struct perf_event_header *record, uint64_t offset);
	void (*record)(void *context, struct session *session, const struct record *record);
};

/**
 * struct session - a walk through a recording
 * @path: path of the file
 * @reader: reader of the file
 * @machine: state of the machine at the time of the current record
 * @queue: records that wait for older ones
 * @counts: last readings of the counters that samples read
 * @deferred: samples that wait for the rest of their call chains
 * @handlers: functions of the command
 * @context: first argument of @handlers
 * @damage: reason if reading ended early; otherwise empty
 * @nr_samples: number of samples
 * @lost_records: sum of the LOST records
 * @lost_samples: sum of the LOST_SAMPLES records
 * @nr_bad: number of damaged records
 * @first_bad: offset in the file of the first damaged record
 * @nr_unknown: number of records of unknown types
 * @nr_stray: number of samples with ids that no event has
 * @offset: offset in the file of the current record
 * @ended: the command wants no further records
 * @silent: the command prints nothing while it reads, so that progress can be shown
 */
struct session {
	char *path;
	struct data_reader *reader;
	struct machine machine;
	struct record_queue queue;
	struct read_counts counts;
	struct deferred_chains deferred;
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
	bool ended;
	bool silent;
};

int session_open(struct session *session, const char *path,
		 const struct symbol_sources *sources, struct error *err);
void session_run(struct session *session, const struct session_handlers *handlers,
		 void *context);
uint64_t session_lost(const struct session *session);
int session_complain_of_damage(const struct session *session);
void session_warn(const struct session *session);
int session_complain(const struct session *session);
void session_close(struct session *session);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a snapshot is to be taken: an event that has been recorded asks for it.
 */
#ifndef PERF_RECORD_TRIGGER_H
#define PERF_RECORD_TRIGGER_H

#include "measure/measure.h"

struct trigger;

/* The enter or the exit of a system call, in the round that is being read. */
struct call_event {
	struct trigger *trigger;
	uint64_t time;
	uint32_t tid;
	bool exit;
};

/**
 * struct triggers - what asks for a snapshot
 * @all: in the order they were given
 * @nr: how many
 * @ids: the counters' ids, each with its trigger
 * @tasks: the tasks that have made a call that a trigger times
 * @round: enters and exits in this round
 * @nr_round: how many
 * @room: for how many there is room
 * @pulled: the first that asked for one in this round, or NULL
 */
struct triggers {
	struct trigger *all;
	size_t nr;
	struct hash_table ids;
	struct hash_table tasks;
	struct call_event *round;
	size_t nr_round;
	size_t room;
	const struct trigger *pulled;
};

/**
 * triggers_add() - have an event ask for snapshots
 * @t: gets the trigger
 * @events: gets its events
 * @spec: "EVENT", "TRACEPOINT if FILTER", "off-cpu > TIME", "CALL > TIME"; TIME is a number
 *	with us, ms or s behind it
 * @err: says what is wrong
 *
 * Return: 0 or an exit status.
 */
int triggers_add(struct triggers *t, struct event_list *events, const char *spec,
		 struct error *err);

/* The counters are open: learn their ids. Return: 0, or -1 with @err set. */
int triggers_open(struct triggers *t, const struct counters *counters, struct error *err);

/*
 * A sample, whose first field is the id, has been read. Return: whether it is of a call: those
 * are many, and for the trigger alone.
 */
bool triggers_note(struct triggers *t, const struct perf_event_header *sample);

/* Records were lost: what was to be timed no longer is. */
void triggers_forget(struct triggers *t);

/* All buffers have been read once. Return: what asked for a snapshot, as it was given, or NULL. */
const char *triggers_end_round(struct triggers *t);

void triggers_free(struct triggers *t);

#endif

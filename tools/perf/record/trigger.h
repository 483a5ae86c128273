/* SPDX-License-Identifier: GPL-2.0 */
/* Triggers: events that cause a snapshot. */
#ifndef PERF_RECORD_TRIGGER_H
#define PERF_RECORD_TRIGGER_H

#include "measure/measure.h"

struct trigger;

/* An enter or exit of a system call in the current round. */
struct call_event {
	struct trigger *trigger;
	uint64_t time;
	uint32_t tid;
	bool exit;
};

/**
 * struct triggers - all triggers
 * @all: triggers, in the order of the options
 * @nr: number of @all
 * @ids: ids of counters, with the trigger of each
 * @tasks: tasks within a system call that a trigger times
 * @round: enters and exits in the current round
 * @nr_round: number of @round
 * @room: allocated number of @round
 * @fired: first trigger that fired in the current round, or NULL
 */
struct triggers {
	struct trigger *all;
	size_t nr;
	struct hash_table ids;
	struct hash_table tasks;
	struct call_event *round;
	size_t nr_round;
	size_t room;
	const struct trigger *fired;
};

/**
 * triggers_add() - add a trigger
 * @t: receives the trigger
 * @events: receives the events of the trigger
 * @spec: "EVENT", "TRACEPOINT if FILTER", "off-cpu > TIME" or "CALL > TIME"; TIME is a number
 *	with the unit us, ms or s
 * @err: receives the reason of a failure
 *
 * Return: 0 or an exit status.
 */
int triggers_add(struct triggers *t, struct event_list *events, const char *spec,
		 struct error *err);

/* Read the ids of the open counters. Return: 0, or -1 with @err set. */
int triggers_open(struct triggers *t, const struct counters *counters, struct error *err);

/*
 * Note a sample, whose first field is the id. Return: true if it is an enter or exit of a timed
 * system call, which only the trigger needs.
 */
bool triggers_note(struct triggers *t, const struct perf_event_header *sample);

/* Forget calls that are being timed, as records were lost. */
void triggers_forget(struct triggers *t);

/*
 * End a round, after all buffers have been read. Return: the text of the trigger that fired, or
 * NULL.
 */
const char *triggers_end_round(struct triggers *t);

void triggers_free(struct triggers *t);

#endif

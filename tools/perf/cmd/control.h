/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that another program sends to a measurement (--control). */
#ifndef PERF_CMD_CONTROL_H
#define PERF_CMD_CONTROL_H

#include <argp.h>

#include "measure/measure.h"
#include "control_channel.h"

/**
 * struct control - the commands of a measurement
 * @channel: where they come from
 * @nr_refused: commands that were refused
 */
struct control {
	struct control_channel channel;
	unsigned int nr_refused;
};

/* -D -1 without --control. */
#define DELAY_OFF_TEXT \
	"-D -1 leaves the events disabled; add --control, which enables them, or give a time"

/* No --control was given. */
#define CONTROL_NONE { .channel = { .commands = -1, .acks = -1 } }

/**
 * struct control_snapshot - the command "snapshot" of a measurement
 * @take: writes the snapshot; returns 0, or -1 with @err set
 * @context: argument of @take
 * @refusal: the reason why there are no snapshots, or NULL
 */
struct control_snapshot {
	int (*take)(void *context, struct error *err);
	void *context;
	const char *refusal;
};

/* Parse --control, and open its descriptors. */
void control_parse(struct argp_state *state, struct control *c, const char *where);

static inline bool control_is_wanted(const struct control *c)
{
	return c->channel.commands >= 0;
}

/* Let watch_wait() return WATCH_INPUT when there are commands. */
int control_watch(struct control *c, struct watch *watch, struct error *err);

/**
 * control_round() - carry out the commands that have come
 * @c: control; watch_wait() has returned WATCH_INPUT
 * @counters: counters that are enabled and disabled
 * @watch: forgets a descriptor that has no writer any more
 * @snapshot: command "snapshot"
 * @err: receives the reason of a failure
 *
 * Each command that is known is acknowledged, also if it was refused with a warning.
 *
 * Return: 0; 1 if the measurement shall stop; -1 with @err set.
 */
int control_round(struct control *c, const struct counters *counters, struct watch *watch,
		  const struct control_snapshot *snapshot, struct error *err);

void control_free(struct control *c);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records that wait in memory: a thread empties the buffers while the main thread prints what it
 * has read before. So a burst of records that the main thread cannot follow is not lost.
 */
#ifndef PERF_LIVE_BACKLOG_H
#define PERF_LIVE_BACKLOG_H

#include "measure/measure.h"
#include "util/util.h"

/**
 * struct backlog_taker - receiver of the records
 * @records: function that receives the records of one piece
 * @round: function that is called after the last piece of a round, in which every buffer was
 *	read once
 * @context: argument of both functions
 */
struct backlog_taker {
	ring_sink records;
	void (*round)(void *context);
	void *context;
};

/**
 * backlog_start() - start the thread
 * @buffers: buffers that only the thread reads until backlog_stop()
 * @err: receives the reason of a failure
 *
 * Return: the backlog, or NULL with @err set.
 */
struct backlog *backlog_start(const struct buffers *buffers, struct error *err);

/* Return a descriptor that is readable when there are records to take. */
int backlog_fd(const struct backlog *backlog);

/**
 * backlog_take() - receive all records of finished rounds
 * @backlog: backlog
 * @taker: receiver
 *
 * Return: 0, or the negative errno of the thread or of @taker.
 */
int backlog_take(struct backlog *backlog, const struct backlog_taker *taker);

/* Have the thread read all buffers once more, and wait until it has. */
void backlog_read_now(struct backlog *backlog);

/* End the thread, and free the backlog with its records. Does nothing for NULL. */
void backlog_stop(struct backlog *backlog);

#endif

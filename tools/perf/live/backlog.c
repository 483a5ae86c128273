// SPDX-License-Identifier: GPL-2.0
/*
 * Records that wait in memory while the main thread prints.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "backlog.h"

/*
 * Limit of the memory of records that wait, in bytes. At the limit the thread waits for the main
 * thread, the buffers fill up, and the kernel counts what is lost.
 */
#define BACKLOG_BYTES_MAX (256UL << 20)
/* Room of a piece, in bytes, unless one reading of a ring needs more. */
#define PIECE_ROOM (256UL << 10)
/* Bytes of unused pieces that are kept for the next rounds. */
#define SPARE_BYTES_MAX (8UL << 20)

/**
 * struct piece - records of a round
 * @next: next piece of a list
 * @used: bytes of records
 * @room: size of @records
 * @ends_round: true for the last piece of a round
 * @records: records
 */
struct piece {
	struct piece *next;
	size_t used;
	size_t room;
	bool ends_round;
	char records[];
};

/**
 * struct backlog - the thread, and its records
 * @buffers: buffers
 * @thread: thread
 * @epoll: epoll descriptor of the counters and of @wake
 * @wake: event descriptor that wakes the thread
 * @ready: event descriptor that is readable when there are records to take
 * @round: pieces of the current round, the newest first; only the thread uses it
 * @lock: protects the following fields
 * @changed: a field has changed
 * @first: pieces of finished rounds, the oldest first
 * @end: end of @first
 * @bytes: room of the pieces that wait or are being taken
 * @spare: unused pieces
 * @spare_bytes: room of @spare
 * @nr_asked: number of rounds that backlog_read_now() has asked for
 * @nr_done: value of @nr_asked when the last round began
 * @status: negative errno that ended the thread, or 0
 * @stop: true if the thread must end
 */
struct backlog {
	const struct buffers *buffers;
	pthread_t thread;
	int epoll;
	int wake;
	int ready;
	struct piece *round;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct piece *first;
	struct piece **end;
	size_t bytes;
	struct piece *spare;
	size_t spare_bytes;
	unsigned long nr_asked;
	unsigned long nr_done;
	int status;
	bool stop;
};

static void signal_event(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) != sizeof(one))
		die("cannot signal an event: %s", strerror(errno));
}

static struct piece *take_spare(struct backlog *b)
{
	struct piece *piece;

	pthread_mutex_lock(&b->lock);
	piece = b->spare;
	if (piece) {
		b->spare = piece->next;
		b->spare_bytes -= piece->room;
	}
	pthread_mutex_unlock(&b->lock);
	return piece;
}

/* Add a piece with room for @bytes to the current round. */
static void add_piece(struct backlog *b, size_t bytes)
{
	struct piece *piece = bytes <= PIECE_ROOM ? take_spare(b) : NULL;
	size_t room = bytes > PIECE_ROOM ? bytes : PIECE_ROOM;

	if (!piece) {
		piece = xmalloc(sizeof(*piece) + room);
		piece->room = room;
	}
	piece->used = 0;
	piece->ends_round = false;
	piece->next = b->round;
	b->round = piece;
}

/* A ring_sink that copies records to the current round. */
static int copy_records(void *context, void *records, size_t bytes)
{
	struct backlog *b = context;

	if (!b->round || b->round->room - b->round->used < bytes)
		add_piece(b, bytes);
	memcpy(b->round->records + b->round->used, records, bytes);
	b->round->used += bytes;
	return 0;
}

/* Hand the current round over to the main thread. The caller holds the lock. */
static void finish_round(struct backlog *b)
{
	struct piece *piece, *oldest = NULL, **end = b->round ? &b->round->next : NULL;

	if (!b->round)
		return;
	b->round->ends_round = true;
	while ((piece = b->round)) {
		b->round = piece->next;
		piece->next = oldest;
		oldest = piece;
		b->bytes += piece->room;
	}
	*b->end = oldest;
	b->end = end;
}

/* Read all buffers once. An empty round is kept if backlog_read_now() has asked for it. */
static int read_round(struct backlog *b, unsigned long nr_asked)
{
	ssize_t bytes = buffers_drain(b->buffers, copy_records, b);
	bool news;

	if (!bytes && nr_asked != b->nr_done)
		add_piece(b, 0);
	news = b->round || bytes < 0;
	pthread_mutex_lock(&b->lock);
	finish_round(b);
	b->nr_done = nr_asked;
	if (bytes < 0)
		b->status = bytes;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	if (news)
		signal_event(b->ready);
	return bytes < 0 ? -1 : 0;
}

/* Wait until a buffer has to be read, or until backlog_read_now() asks. */
static void wait_for_work(struct backlog *b)
{
	struct epoll_event events[32];
	uint64_t count;
	int i, nr = epoll_wait(b->epoll, events, ARRAY_SIZE(events), -1);

	if (nr < 0 && errno != EINTR)
		die("cannot wait for records: %s", strerror(errno));
	for (i = 0; i < nr; i++) {
		int fd = events[i].data.fd;

		/* The counter of tasks that have exited stays readable. */
		if (fd != b->wake && events[i].events & EPOLLHUP)
			epoll_ctl(b->epoll, EPOLL_CTL_DEL, fd, NULL);
		/* Another round may have taken the count. */
		if (fd == b->wake && read(fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
			die("cannot read an event: %s", strerror(errno));
	}
}

static void *run(void *context)
{
	struct backlog *b = context;
	unsigned long nr_asked;
	bool stop;

	do {
		wait_for_work(b);
		pthread_mutex_lock(&b->lock);
		while (b->bytes >= BACKLOG_BYTES_MAX && b->nr_asked == b->nr_done && !b->stop)
			pthread_cond_wait(&b->changed, &b->lock);
		nr_asked = b->nr_asked;
		stop = b->stop;
		pthread_mutex_unlock(&b->lock);
	} while (!stop && !read_round(b, nr_asked));
	return NULL;
}

static int add_descriptor(void *context, int fd, struct error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	struct backlog *b = context;

	if (!epoll_ctl(b->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	error_set(err, "cannot wait for records: %s", strerror(errno));
	return -1;
}

static void free_pieces(struct piece *piece)
{
	struct piece *next;

	for (; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
}

static void backlog_free(struct backlog *b)
{
	const int descriptors[] = { b->epoll, b->wake, b->ready };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(descriptors); i++) {
		if (descriptors[i] >= 0)
			close(descriptors[i]);
	}
	free_pieces(b->round);
	free_pieces(b->first);
	free_pieces(b->spare);
	free(b);
}

struct backlog *backlog_start(const struct buffers *buffers, struct error *err)
{
	struct backlog *b = xcalloc(1, sizeof(*b));
	int error;

	b->buffers = buffers;
	b->end = &b->first;
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	b->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	b->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->epoll < 0 || b->wake < 0 || b->ready < 0) {
		error_set(err, "cannot wait for records: %s", strerror(errno));
		goto fail;
	}
	if (add_descriptor(b, b->wake, err) ||
	    buffers_each_readable(buffers, add_descriptor, b, err))
		goto fail;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	error = quiet_thread_start(&b->thread, run, b);
	if (error) {
		error_set(err, "cannot start a thread: %s", strerror(error));
		goto fail;
	}
	return b;
fail:
	backlog_free(b);
	return NULL;
}

int backlog_fd(const struct backlog *b)
{
	return b->ready;
}

/* Keep a piece for the next rounds, or free it. */
static void release(struct backlog *b, struct piece *piece)
{
	pthread_mutex_lock(&b->lock);
	b->bytes -= piece->room;
	if (piece->room == PIECE_ROOM && b->spare_bytes < SPARE_BYTES_MAX) {
		piece->next = b->spare;
		b->spare = piece;
		b->spare_bytes += piece->room;
		piece = NULL;
	}
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	free(piece);
}

int backlog_take(struct backlog *b, const struct backlog_taker *taker)
{
	struct piece *piece, *next;
	uint64_t count;
	int status;

	/* Nothing was signalled if the caller comes without an event. */
	if (read(b->ready, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return -errno;
	pthread_mutex_lock(&b->lock);
	piece = b->first;
	b->first = NULL;
	b->end = &b->first;
	status = b->status;
	pthread_mutex_unlock(&b->lock);
	for (; piece; piece = next) {
		next = piece->next;
		if (!status)
			status = taker->records(taker->context, piece->records, piece->used);
		if (!status && piece->ends_round)
			taker->round(taker->context);
		release(b, piece);
	}
	return status;
}

void backlog_read_now(struct backlog *b)
{
	pthread_mutex_lock(&b->lock);
	b->nr_asked++;
	pthread_cond_broadcast(&b->changed);
	signal_event(b->wake);
	while (b->nr_done != b->nr_asked && !b->status)
		pthread_cond_wait(&b->changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

void backlog_stop(struct backlog *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->stop = true;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	signal_event(b->wake);
	pthread_join(b->thread, NULL);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
	backlog_free(b);
}

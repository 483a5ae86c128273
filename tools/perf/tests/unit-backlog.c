// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that reads buffers: this test fills a ring like the kernel, several times its size,
 * before it takes a record.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/backlog.h"
#include "measure/measure.h"
#include "unit.h"
#include "util/util.h"

#define RING_PAGES 4
#define RECORD_SIZE 64
/* Records of all rounds: 16 times the size of the ring. */
#define NR_RECORDS (16 * RING_PAGES * 4096 / RECORD_SIZE)

/**
 * struct machine - a buffer of one counter
 * @event: event of the counter
 * @events: list with @event
 * @counter: counter, whose descriptor is an event descriptor
 * @counters: @counter
 * @buffer: mapping
 * @buffers: @buffer
 * @nr_written: number of records written
 */
struct machine {
	struct event event;
	struct event_list events;
	struct counter counter;
	struct counters counters;
	struct ring_buffer buffer;
	struct buffers buffers;
	uint64_t nr_written;
};

/**
 * struct taken - the records taken
 * @nr: number of records
 * @nr_rounds: number of rounds
 * @is_wrong: a record was not the next one
 */
struct taken {
	uint64_t nr;
	uint64_t nr_rounds;
	bool is_wrong;
};

static void machine_make(struct machine *m)
{
	static int zero;

	*m = (struct machine){ 0 };
	m->buffer.size = (1 + RING_PAGES) * sysconf(_SC_PAGESIZE);
	m->buffer.page = mmap(NULL, m->buffer.size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(!ring_buffer_find_rings(&m->buffer), "the mapping has a ring");
	m->events.events = &m->event;
	m->events.nr = 1;
	m->counter.fd = eventfd(0, EFD_CLOEXEC);
	m->counters.events = &m->events;
	m->counters.cpus = (struct int_list){ .values = &zero, .nr = 1 };
	m->counters.tids = (struct int_list){ .values = &zero, .nr = 1 };
	m->counters.counters = &m->counter;
	m->buffers.counters = &m->counters;
	m->buffers.all = &m->buffer;
	m->buffers.nr = 1;
}

static void machine_free(struct machine *m)
{
	close(m->counter.fd);
	ring_buffer_unmap(&m->buffer);
}

/* Write a record with its number; wait until the ring has room. */
static void write_record(struct machine *m)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = RECORD_SIZE };
	struct ring *ring = m->buffer.rings;
	uint64_t head = *ring->head;
	char *at = ring->data + (head & (ring->size - 1));

	while (head + RECORD_SIZE - __atomic_load_n(ring->tail, __ATOMIC_ACQUIRE) > ring->size)
		sched_yield();
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), &m->nr_written, sizeof(m->nr_written));
	m->nr_written++;
	__atomic_store_n(ring->head, head + RECORD_SIZE, __ATOMIC_RELEASE);
}

static int take_records(void *context, void *records, size_t bytes)
{
	struct taken *taken = context;
	uint64_t number;
	size_t at;

	for (at = 0; at < bytes; at += RECORD_SIZE) {
		memcpy(&number, (char *)records + at + sizeof(struct perf_event_header),
		       sizeof(number));
		taken->is_wrong |= number != taken->nr++;
	}
	return 0;
}

static void take_round(void *context)
{
	struct taken *taken = context;

	taken->nr_rounds++;
}

static int fail_records(void *context, void *records, size_t bytes)
{
	(void)context;
	(void)records;
	(void)bytes;
	return -EIO;
}

static void test_burst(void)
{
	struct taken taken = { 0 };
	const struct backlog_taker taker = {
		.records = take_records, .round = take_round, .context = &taken,
	};
	struct machine m;
	struct error err;
	struct backlog *b;
	uint64_t one = 1;

	machine_make(&m);
	b = backlog_start(&m.buffers, &err);
	check(b, "the thread starts");
	/* The descriptor stays readable, so the thread reads again and again. */
	check(write(m.counter.fd, &one, sizeof(one)) == sizeof(one), "the counter is readable");
	while (m.nr_written < NR_RECORDS)
		write_record(&m);
	backlog_read_now(b);
	check_number(backlog_take(b, &taker), 0, "records are taken");
	check_number(taken.nr, NR_RECORDS, "a burst of 16 times the ring waits");
	check(!taken.is_wrong, "its records are in order");
	check(taken.nr_rounds > 1, "it was read in several rounds");
	backlog_stop(b);
	machine_free(&m);
}

static void test_rounds(void)
{
	struct taken taken = { 0 };
	struct backlog_taker taker = {
		.records = take_records, .round = take_round, .context = &taken,
	};
	struct machine m;
	struct error err;
	struct backlog *b;

	machine_make(&m);
	b = backlog_start(&m.buffers, &err);
	check_number(backlog_take(b, &taker), 0, "nothing is taken at the beginning");
	check_number(taken.nr_rounds, 0, "and there is no round");
	backlog_read_now(b);
	backlog_read_now(b);
	backlog_take(b, &taker);
	check_number(taken.nr_rounds, 2, "rounds without records count if they were asked for");
	write_record(&m);
	backlog_read_now(b);
	backlog_take(b, &taker);
	check_number(taken.nr, 1, "a record is read when somebody asks");
	check_number(taken.nr_rounds, 3, "in a round of its own");
	write_record(&m);
	backlog_read_now(b);
	taker.records = fail_records;
	check_number(backlog_take(b, &taker), -EIO, "the error of the receiver is returned");
	write_record(&m);
	backlog_stop(b);
	machine_free(&m);
}

int main(void)
{
	test_burst();
	test_rounds();
	return unit_finish();
}

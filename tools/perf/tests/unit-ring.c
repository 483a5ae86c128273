// SPDX-License-Identifier: GPL-2.0
/*
 * Reading rings that this test fills as the kernel would.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/ring.h"
#include "unit.h"
#include "util/util.h"

#include "../../../include/uapi/linux/perf_counter.h"

/* What the sink got. */
static char taken[1 << 20];
static size_t taken_bytes;
static int calls, sink_status;

static int take(void *context, void *records, size_t bytes)
{
	(void)context;
	calls++;
	memcpy(taken + taken_bytes, records, bytes);
	taken_bytes += bytes;
	return sink_status;
}

static void reset(void)
{
	taken_bytes = 0;
	calls = 0;
	sink_status = 0;
}

/* Record number @i of those taken, which are of @size bytes: its first byte of contents. */
static char taken_fill(size_t i, size_t size)
{
	return taken[i * size + sizeof(struct perf_event_header)];
}

static void write_record(const struct ring *ring, uint64_t position, uint16_t size, char fill)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	char *data = ring->data, record[4096];
	size_t i;

	memset(record, fill, sizeof(record));
	memcpy(record, &header, sizeof(header));
	for (i = 0; i < size; i++)
		data[(position + i) & (ring->size - 1)] = record[i];
}

/* A record of @size bytes, all of them @fill after the header, goes to the head. */
static void put(struct ring *ring, uint16_t size, char fill)
{
	write_record(ring, *ring->head, size, fill);
	__atomic_store_n(ring->head, *ring->head + size, __ATOMIC_RELEASE);
}

/* The same where records are overwritten. */
static void put_backward(struct ring *ring, uint16_t size, char fill)
{
	*(__u64 *)ring->reserved += size;
	write_record(ring, *ring->head - size, size, fill);
	__atomic_store_n(ring->head, *ring->head - size, __ATOMIC_RELEASE);
}

static struct perf_counter_mmap_more *more_of(const struct ring_buffer *buffer)
{
	return (void *)((char *)buffer->page + PERF_COUNTER_MMAP_MORE_OFFSET);
}

static struct perf_counter_subring *subrings_of(const struct ring_buffer *buffer)
{
	return (void *)((char *)buffer->page + PERF_COUNTER_SUBRING_OFFSET);
}

/* A mapping as of perf_events, whose rings are still to be found. */
static struct ring_buffer make_mapping(size_t pages)
{
	struct ring_buffer buffer = { .size = (1 + pages) * sysconf(_SC_PAGESIZE), .fd = -1 };

	buffer.page = mmap(NULL, buffer.size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return buffer;
}

static struct ring_buffer make_buffer(size_t pages, uint64_t position)
{
	struct ring_buffer buffer = make_mapping(pages);

	buffer.page->data_head = position;
	buffer.page->data_tail = position;
	ring_buffer_find_rings(&buffer);
	return buffer;
}

/* A mapping of perf_counter: @nr rings of @pages pages. */
static struct ring_buffer make_subrings(size_t nr, size_t pages)
{
	struct ring_buffer buffer = make_mapping(nr * pages);
	size_t i, page_size = sysconf(_SC_PAGESIZE);

	more_of(&buffer)->size = sizeof(struct perf_counter_mmap_more);
	more_of(&buffer)->nr_rings = nr;
	for (i = 0; i < nr; i++) {
		subrings_of(&buffer)[i].offset = (1 + i * pages) * page_size;
		subrings_of(&buffer)[i].size = pages * page_size;
	}
	return buffer;
}

static void check_plain(void)
{
	struct ring_buffer buffer = make_buffer(1, 0);
	struct ring *ring = buffer.rings;

	reset();
	check(!ring_buffer_drain(&buffer, take, NULL) && !calls,
	      "an empty ring: the sink is left alone");
	put(ring, 16, 'a');
	put(ring, 24, 'b');
	check_number(ring_buffer_drain(&buffer, take, NULL), 40, "two records are 40 bytes");
	check_number(calls, 1, "given at once");
	check(taken[8] == 'a' && taken[16 + 8] == 'b' && taken[39] == 'b', "with their contents");
	check_number(buffer.page->data_tail, 40, "and their room is free again");
	check_number(ring_buffer_drain(&buffer, take, NULL), 0, "they come once");
	ring_buffer_unmap(&buffer);
}

/* Record after record, so that the end of the ring is at every place in a record. */
static void check_wrap(uint64_t start, const char *what)
{
	struct ring_buffer buffer = make_buffer(1, start);
	bool good = true;
	uint64_t i;

	for (i = 0; i < 3 * 4096 / 8; i++) {
		uint16_t size = 8 + 8 * (1 + i % 11);

		reset();
		put(buffer.rings, size, 'a' + i % 26);
		if (ring_buffer_drain(&buffer, take, NULL) != size || taken_bytes != size ||
		    ((struct perf_event_header *)taken)->size != size ||
		    taken[8] != (char)('a' + i % 26) || taken[size - 1] != (char)('a' + i % 26))
			good = false;
	}
	check(good, "%s", what);
	check_number(buffer.page->data_tail - buffer.page->data_head, 0,
		     "the reader is where the writer is");
	ring_buffer_unmap(&buffer);
}

static void check_full(void)
{
	struct ring_buffer buffer = make_buffer(2, 4096 - 8);
	size_t i;

	reset();
	for (i = 0; i < 8192 / 16; i++)
		put(buffer.rings, 16, 'x');
	check_number(ring_buffer_drain(&buffer, take, NULL), 8192, "a full ring is read whole");
	check_number(buffer.page->data_tail, 4096 - 8 + 8192, "and is empty then");
	ring_buffer_unmap(&buffer);
}

static void check_end(void)
{
	struct ring_buffer buffer = make_buffer(1, 4096 - 24);

	reset();
	put(buffer.rings, 16, 'a');
	put(buffer.rings, 16, 'b');
	ring_buffer_end(&buffer);
	put(buffer.rings, 16, 'c');
	check_number(ring_buffer_drain(&buffer, take, NULL), 32, "a ring is drained to its end");
	check(taken[16 + 8] == 'b', "which is where its last record was");
	check_number(ring_buffer_drain(&buffer, take, NULL), 0, "and no further");
	ring_buffer_unmap(&buffer);
}

static void check_errors(void)
{
	struct ring_buffer buffer = make_buffer(1, 0);

	reset();
	buffer.page->data_head = 4096 + 8;
	check_number(ring_buffer_drain(&buffer, take, NULL), -EIO, "more than fits makes no sense");
	check_number(calls, 0, "and is not given away");
	buffer.page->data_head = 0;
	put(buffer.rings, 16, 'a');
	sink_status = -ENOSPC;
	check_number(ring_buffer_drain(&buffer, take, NULL), -ENOSPC,
		     "what the sink says is passed on");
	ring_buffer_unmap(&buffer);
	check_number(ring_buffer_map(&buffer, -1, 1, false), -EBADF,
		     "what mmap() says is passed on");
}

static void check_subrings(void)
{
	struct ring_buffer buffer = make_subrings(4, 1);
	size_t i;

	check_number(ring_buffer_find_rings(&buffer), 0, "four rings in a mapping");
	check_number(buffer.nr_rings, 4, "are found");
	reset();
	put(&buffer.rings[2], 24, 'c');
	put(&buffer.rings[0], 24, 'a');
	put(&buffer.rings[3], 24, 'd');
	put(&buffer.rings[2], 24, 'C');
	check_number(ring_buffer_drain(&buffer, take, NULL), 4 * 24, "all of them are read");
	check_number(calls, 3, "those with something in them");
	check(taken_fill(0, 24) == 'a' && taken_fill(1, 24) == 'c' && taken_fill(2, 24) == 'C' &&
	      taken_fill(3, 24) == 'd', "in their order");
	check(subrings_of(&buffer)[0].tail == 24 && subrings_of(&buffer)[1].tail == 0 &&
	      subrings_of(&buffer)[2].tail == 48 && subrings_of(&buffer)[3].tail == 24,
	      "each has its own tail");
	check(!buffer.page->data_tail && !buffer.page->data_head, "the mapping's is not used");

	/* A whole lap and a half of one, the others at rest. */
	for (i = 0; i < 4096 * 3 / 2 / 24; i++) {
		reset();
		put(&buffer.rings[1], 24, 'x');
		if (ring_buffer_drain(&buffer, take, NULL) != 24 || taken[23] != 'x')
			break;
	}
	check_number(i, 4096 * 3 / 2 / 24, "records over the end of one of them");
	*buffer.rings[3].head += 4096 + 8;
	check_number(ring_buffer_drain(&buffer, take, NULL), -EIO, "one that makes no sense");
	ring_buffer_unmap(&buffer);
}

static void check_only_subring(void)
{
	struct ring_buffer buffer = make_subrings(1, 2);

	check_number(ring_buffer_find_rings(&buffer), 0, "one ring in a mapping");
	check(buffer.rings[0].head == &buffer.page->data_head &&
	      buffer.rings[0].tail == &buffer.page->data_tail && buffer.rings[0].size == 8192,
	      "has the positions of the mapping");
	ring_buffer_unmap(&buffer);
}

static void check_bad_layout(size_t nr, uint64_t offset, uint64_t size, const char *what)
{
	struct ring_buffer buffer = make_subrings(2, 1);

	more_of(&buffer)->nr_rings = nr;
	subrings_of(&buffer)[1].offset = offset;
	subrings_of(&buffer)[1].size = size;
	check_number(ring_buffer_find_rings(&buffer), -EPROTO, what);
	ring_buffer_unmap(&buffer);
}

static void check_bad_layouts(void)
{
	check_bad_layout(0, 8192, 4096, "no ring at all");
	check_bad_layout(33, 8192, 4096, "more rings than there is room for");
	check_bad_layout(2, 8192, 0, "a ring of no size");
	check_bad_layout(2, 8192, 4095, "a size that is no power of two");
	check_bad_layout(2, 8200, 4096, "a ring beyond the end of the mapping");
	check_bad_layout(2, -4096ULL, 4096, "one whose end is beyond that of 64 bits");
	check_bad_layout(2, 4096, 1ULL << 63, "one that is larger than the mapping");
}

static struct ring_buffer make_overwritten(size_t nr, size_t pages)
{
	struct ring_buffer buffer = make_subrings(nr, pages);

	buffer.overwrite = true;
	ring_buffer_find_rings(&buffer);
	return buffer;
}

/* 102 records of 40 bytes fit into 4096 bytes. */
static void check_snapshot(void)
{
	struct ring_buffer buffer = make_overwritten(1, 1);
	struct ring *ring = buffer.rings;
	bool good = true;
	size_t i;

	reset();
	check(!ring_buffer_snapshot(&buffer, take, NULL) && !calls,
	      "snapshot of an empty ring: the sink is left alone");
	put_backward(ring, 24, 'a');
	put_backward(ring, 16, 'b');
	check_number(ring_buffer_snapshot(&buffer, take, NULL), 0, "snapshot of two records");
	check(taken_bytes == 40 && taken[8] == 'a' && taken[24 + 8] == 'b', "the oldest first");
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check_number(taken_bytes, 40, "they are there the next time, too");

	for (i = 0; i < 500; i++)
		put_backward(ring, 40, i);
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check_number(taken_bytes, 102 * 40, "500 records: as many of the last as fit");
	for (i = 0; i < 102; i++)
		good &= taken_fill(i, 40) == (char)(500 - 102 + i);
	check(good, "from the oldest to the newest");
	sink_status = -ENOSPC;
	check_number(ring_buffer_snapshot(&buffer, take, NULL), -ENOSPC,
		     "what the sink says is passed on");
	ring_buffer_unmap(&buffer);
}

/* A writer has taken room and not published it: what is there is not to be believed. */
static void check_overwritten(size_t bytes, size_t expected, const char *what)
{
	struct ring_buffer buffer = make_overwritten(1, 1);
	struct ring *ring = buffer.rings;
	char *data = (char *)ring->data;
	bool good = true;
	size_t i;

	for (i = 0; i < 300; i++)
		put_backward(ring, 40, 'x');
	*(__u64 *)ring->reserved += bytes;
	for (i = 1; i <= bytes && i <= 4096; i++)
		data[(*ring->head - i) & 4095] = 'g';
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check_number(taken_bytes, expected * 40, what);
	for (i = 0; i < taken_bytes / 40; i++)
		good &= taken_fill(i, 40) == 'x' && taken[i * 40 + 39] == 'x';
	check(good, "%s: the others are whole", what);
	ring_buffer_unmap(&buffer);
}

static void check_snapshot_subrings(void)
{
	struct ring_buffer buffer = make_overwritten(2, 1);

	put_backward(&buffer.rings[1], 24, 'b');
	put_backward(&buffer.rings[0], 24, 'a');
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check(taken_bytes == 48 && taken_fill(0, 24) == 'a' && taken_fill(1, 24) == 'b',
	      "snapshot of two rings");
	ring_buffer_unmap(&buffer);
}

/* perf_events: nothing says what is reserved. */
static void check_snapshot_paused(void)
{
	struct ring_buffer buffer = make_buffer(1, 0);
	size_t i;

	buffer.overwrite = true;
	for (i = 0; i < 300; i++) {
		*buffer.rings[0].head -= 40;
		write_record(&buffer.rings[0], *buffer.rings[0].head, 40, i);
	}
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check(taken_bytes == 102 * 40 && taken_fill(0, 40) == (char)198 &&
	      taken_fill(101, 40) == (char)299, "snapshot where output is paused");
	ring_buffer_unmap(&buffer);
}

/* A record of the writer below: a number, and more of it. */
struct numbered {
	struct perf_event_header header;
	uint64_t number[8];
};

static bool writer_stop;

/* Takes room for one to three records, writes them, publishes them, for ever. */
static void *write_on(void *arg)
{
	struct ring *ring = arg;
	char *data = (char *)ring->data;
	struct numbered record = { { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) }, { 0 } };
	uint64_t head = *ring->head, number = 0;
	size_t i, j, k;

	while (!__atomic_load_n(&writer_stop, __ATOMIC_RELAXED)) {
		size_t nr = 1 + number % 3;

		__atomic_store_n((__u64 *)ring->reserved, -head + nr * sizeof(record),
				 __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		for (i = 0; i < nr; i++) {
			head -= sizeof(record);
			number++;
			for (j = 0; j < ARRAY_SIZE(record.number); j++)
				record.number[j] = number;
			for (k = 0; k < sizeof(record); k++)
				data[(head + k) & (ring->size - 1)] = ((char *)&record)[k];
		}
		__atomic_store_n(ring->head, head, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Is what was taken a sequence of whole records, one after the other? */
static bool in_sequence(uint64_t *last)
{
	const struct numbered *record = (const struct numbered *)taken;
	size_t i, j, nr = taken_bytes / sizeof(*record);

	for (i = 0; i < nr; i++) {
		if (record[i].header.size != sizeof(*record))
			return false;
		for (j = 0; j < ARRAY_SIZE(record->number); j++) {
			if (record[i].number[j] != record[0].number[0] + i)
				return false;
		}
	}
	if (taken_bytes % sizeof(*record) || (nr && record[nr - 1].number[0] < *last))
		return false;
	if (nr)
		*last = record[nr - 1].number[0];
	return true;
}

static void check_live(void)
{
	struct ring_buffer buffer = make_overwritten(1, 4);
	size_t i, filled = 0;
	uint64_t last = 0;
	pthread_t writer;
	bool good = true;

	pthread_create(&writer, NULL, write_on, buffer.rings);
	/* Until many have something in them, however long the writer takes to begin. */
	for (i = 0; filled < 5000 && good; i++) {
		reset();
		good = !ring_buffer_snapshot(&buffer, take, NULL) && in_sequence(&last);
		filled += taken_bytes > 0;
	}
	__atomic_store_n(&writer_stop, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	check(good, "snapshots while a writer goes on: whole records, none left out");
	ring_buffer_unmap(&buffer);
}

int main(void)
{
	check_plain();
	check_wrap(0, "records over the end of the ring");
	check_wrap(UINT64_MAX - 4000 + 1, "positions over the end of 64 bits");
	check_full();
	check_end();
	check_errors();
	check_subrings();
	check_only_subring();
	check_bad_layouts();
	check_snapshot();
	check_overwritten(8, 102, "room for 8 bytes is taken");
	check_overwritten(40, 101, "room for a record is taken");
	check_overwritten(136, 99, "room for 136 bytes is taken");
	check_overwritten(4096, 0, "room for all of the ring is taken");
	check_overwritten(9000, 0, "room for more than the ring is taken");
	check_snapshot_subrings();
	check_snapshot_paused();
	check_live();
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reading rings that this test fills like the kernel.
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

/* The records passed to the sink. */
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

/* Return the first byte of contents of record @i; all records have @size bytes. */
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

/* Write a record of @size bytes, filled with @fill, at the head. */
static void put(struct ring *ring, uint16_t size, char fill)
{
	write_record(ring, *ring->head, size, fill);
	__atomic_store_n(ring->head, *ring->head + size, __ATOMIC_RELEASE);
}

/* Write a record of @size bytes to a ring whose records are overwritten. */
static void put_backward(struct ring *ring, uint16_t size, char fill)
{
	*(__u64 *)ring->reserved += size;
	write_record(ring, *ring->head - size, size, fill);
	__atomic_store_n(ring->head, *ring->head - size, __ATOMIC_RELEASE);
}

static struct perf_counter_mmap_layout *more_of(const struct ring_buffer *buffer)
{
	return (void *)((char *)buffer->page + PERF_COUNTER_MMAP_LAYOUT_OFFSET);
}

static struct perf_counter_subring *subrings_of(const struct ring_buffer *buffer)
{
	return (void *)((char *)buffer->page + PERF_COUNTER_SUBRING_OFFSET);
}

/* Make a mapping like that of perf_events, whose rings are not found yet. */
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

/* Make a mapping like that of perf_counter, with @nr rings of @pages pages. */
static struct ring_buffer make_subrings(size_t nr, size_t pages)
{
	struct ring_buffer buffer = make_mapping(nr * pages);
	size_t i, page_size = sysconf(_SC_PAGESIZE);

	more_of(&buffer)->size = sizeof(struct perf_counter_mmap_layout);
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
	      "an empty ring calls no sink");
	put(ring, 16, 'a');
	put(ring, 24, 'b');
	check_number(ring_buffer_drain(&buffer, take, NULL), 40,
		     "two records of 40 bytes are read");
	check_number(calls, 1, "both records are passed in one call");
	check(taken[8] == 'a' && taken[16 + 8] == 'b' && taken[39] == 'b',
	      "the records have their contents");
	check_number(buffer.page->data_tail, 40, "the space of the records is free again");
	check_number(ring_buffer_drain(&buffer, take, NULL), 0, "records are read once");
	ring_buffer_unmap(&buffer);
}

/* Write record after record, so that the ring ends at every position in a record. */
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
		     "the tail is at the head");
	ring_buffer_unmap(&buffer);
}

static void check_full(void)
{
	struct ring_buffer buffer = make_buffer(2, 4096 - 8);
	size_t i;

	reset();
	for (i = 0; i < 8192 / 16; i++)
		put(buffer.rings, 16, 'x');
	check_number(ring_buffer_drain(&buffer, take, NULL), 8192,
		     "a full ring is read completely");
	check_number(buffer.page->data_tail, 4096 - 8 + 8192, "a full ring is empty after reading");
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
	check(taken[16 + 8] == 'b', "the end was after the last record");
	check_number(ring_buffer_drain(&buffer, take, NULL), 0, "later records are not read");
	ring_buffer_unmap(&buffer);
}

static void check_errors(void)
{
	struct ring_buffer buffer = make_buffer(1, 0);

	reset();
	buffer.page->data_head = 4096 + 8;
	check_number(ring_buffer_drain(&buffer, take, NULL), -EIO,
		     "a head beyond the ring is refused");
	check_number(calls, 0, "no records of it are passed on");
	buffer.page->data_head = 0;
	put(buffer.rings, 16, 'a');
	sink_status = -ENOSPC;
	check_number(ring_buffer_drain(&buffer, take, NULL), -ENOSPC,
		     "an error of the sink is returned");
	ring_buffer_unmap(&buffer);
	check_number(ring_buffer_map(&buffer, -1, 1, false), -EBADF,
		     "an error of mmap() is returned");
}

static void check_subrings(void)
{
	struct ring_buffer buffer = make_subrings(4, 1);
	size_t i;

	check_number(ring_buffer_find_rings(&buffer), 0, "rings in a mapping can be found");
	check_number(buffer.nr_rings, 4, "the mapping has four rings");
	reset();
	put(&buffer.rings[2], 24, 'c');
	put(&buffer.rings[0], 24, 'a');
	put(&buffer.rings[3], 24, 'd');
	put(&buffer.rings[2], 24, 'C');
	check_number(ring_buffer_drain(&buffer, take, NULL), 4 * 24, "all rings are read");
	check_number(calls, 3, "only rings with records call the sink");
	check(taken_fill(0, 24) == 'a' && taken_fill(1, 24) == 'c' && taken_fill(2, 24) == 'C' &&
	      taken_fill(3, 24) == 'd', "records are in the rings' order");
	check(subrings_of(&buffer)[0].tail == 24 && subrings_of(&buffer)[1].tail == 0 &&
	      subrings_of(&buffer)[2].tail == 48 && subrings_of(&buffer)[3].tail == 24,
	      "each ring has its own tail");
	check(!buffer.page->data_tail && !buffer.page->data_head,
	      "the mapping's own tail is not used");

	/* One and a half laps of one ring, the others unused. */
	for (i = 0; i < 4096 * 3 / 2 / 24; i++) {
		reset();
		put(&buffer.rings[1], 24, 'x');
		if (ring_buffer_drain(&buffer, take, NULL) != 24 || taken[23] != 'x')
			break;
	}
	check_number(i, 4096 * 3 / 2 / 24, "records may wrap around in one ring");
	*buffer.rings[3].head += 4096 + 8;
	check_number(ring_buffer_drain(&buffer, take, NULL), -EIO,
		     "a ring with an invalid head is refused");
	ring_buffer_unmap(&buffer);
}

static void check_only_subring(void)
{
	struct ring_buffer buffer = make_subrings(1, 2);

	check_number(ring_buffer_find_rings(&buffer), 0, "one ring in a mapping can be found");
	check(buffer.rings[0].head == &buffer.page->data_head &&
	      buffer.rings[0].tail == &buffer.page->data_tail && buffer.rings[0].size == 8192,
	      "one ring uses the mapping's positions");
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
	check_bad_layout(0, 8192, 4096, "no ring");
	check_bad_layout(33, 8192, 4096, "more rings than fit");
	check_bad_layout(2, 8192, 0, "a ring of size 0");
	check_bad_layout(2, 8192, 4095, "a size that is not a power of two");
	check_bad_layout(2, 8200, 4096, "a ring beyond the end of the mapping");
	check_bad_layout(2, -4096ULL, 4096, "a ring whose end overflows 64 bits");
	check_bad_layout(2, 4096, 1ULL << 63, "a ring larger than the mapping");
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
	      "a snapshot of an empty ring calls no sink");
	put_backward(ring, 24, 'a');
	put_backward(ring, 16, 'b');
	check_number(ring_buffer_snapshot(&buffer, take, NULL), 0,
		     "two records can be read as a snapshot");
	check(taken_bytes == 40 && taken[8] == 'a' && taken[24 + 8] == 'b',
	      "the oldest record comes first");
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check_number(taken_bytes, 40, "a second snapshot has the same records");

	for (i = 0; i < 500; i++)
		put_backward(ring, 40, i);
	reset();
	ring_buffer_snapshot(&buffer, take, NULL);
	check_number(taken_bytes, 102 * 40, "a snapshot has the last records that fit");
	for (i = 0; i < 102; i++)
		good &= taken_fill(i, 40) == (char)(500 - 102 + i);
	check(good, "a snapshot has its records in order");
	sink_status = -ENOSPC;
	check_number(ring_buffer_snapshot(&buffer, take, NULL), -ENOSPC,
		     "an error of the sink is returned");
	ring_buffer_unmap(&buffer);
}

/* A writer has reserved space and not published it: the contents there may be overwritten. */
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
	      "a snapshot has the records of two rings");
	ring_buffer_unmap(&buffer);
}

/* With perf_events, the reserved space is unknown. */
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
	      taken_fill(101, 40) == (char)299,
	      "a snapshot with paused output has the last records");
	ring_buffer_unmap(&buffer);
}

/* A record of the writer below: a number, repeated. */
struct numbered {
	struct perf_event_header header;
	uint64_t number[8];
};

static bool writer_stop;

/* Reserve space for one to three records, write them and publish them, until writer_stop. */
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

/* Return true if the records read are whole and have consecutive numbers. */
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
	/*
	 * Take snapshots until 5000 of them contain records. The first ones may be empty, because
	 * the writer may start late.
	 */
	for (i = 0; filled < 5000 && good; i++) {
		reset();
		good = !ring_buffer_snapshot(&buffer, take, NULL) && in_sequence(&last);
		filled += taken_bytes > 0;
	}
	__atomic_store_n(&writer_stop, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	check(good, "snapshots beside a writer have whole records in sequence");
	ring_buffer_unmap(&buffer);
}

int main(void)
{
	check_plain();
	check_wrap(0, "records wrap around at the end of the ring");
	check_wrap(UINT64_MAX - 4000 + 1, "positions wrap around at 64 bits");
	check_full();
	check_end();
	check_errors();
	check_subrings();
	check_only_subring();
	check_bad_layouts();
	check_snapshot();
	check_overwritten(8, 102, "8 bytes are reserved");
	check_overwritten(40, 101, "a record is reserved");
	check_overwritten(136, 99, "136 bytes are reserved");
	check_overwritten(4096, 0, "the whole ring is reserved");
	check_overwritten(9000, 0, "more than the ring is reserved");
	check_snapshot_subrings();
	check_snapshot_paused();
	check_live();
	return unit_finish();
}

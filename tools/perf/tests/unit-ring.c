// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a ring that this test fills as the kernel would.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring.h"
#include "unit.h"
#include "util.h"

/* What the sink got. */
static char taken[1 << 20];
static size_t taken_bytes;
static int calls, sink_status;

static int take(void *context, const void *records, size_t bytes)
{
	(void)context;
	calls++;
	memcpy(taken + taken_bytes, records, bytes);
	taken_bytes += bytes;
	return sink_status;
}

/* A record of @size bytes, all of them @fill after the header, goes to the head. */
static void put(struct ring *ring, uint16_t size, char fill)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	uint64_t head = ring->page->data_head;
	char record[4096];
	size_t i;

	memset(record, fill, sizeof(record));
	memcpy(record, &header, sizeof(header));
	for (i = 0; i < size; i++)
		ring->data[(head + i) & (ring->size - 1)] = record[i];
	__atomic_store_n(&ring->page->data_head, head + size, __ATOMIC_RELEASE);
}

static void reset(void)
{
	taken_bytes = 0;
	calls = 0;
	sink_status = 0;
}

static struct ring make_ring(size_t pages, uint64_t position)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	struct ring ring = { .size = pages * page_size };

	ring.page = mmap(NULL, ring.size + page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ring.data = (char *)ring.page + page_size;
	ring.straight = xmalloc(ring.size);
	ring.page->data_head = position;
	ring.page->data_tail = position;
	return ring;
}

static void check_plain(void)
{
	struct ring ring = make_ring(1, 0);

	reset();
	check(!ring_drain(&ring, take, NULL) && !calls, "an empty ring: the sink is left alone");
	put(&ring, 16, 'a');
	put(&ring, 24, 'b');
	check_number(ring_drain(&ring, take, NULL), 40, "two records are 40 bytes");
	check_number(calls, 1, "given at once");
	check(taken[8] == 'a' && taken[16 + 8] == 'b' && taken[39] == 'b', "with their contents");
	check_number(ring.page->data_tail, 40, "and their room is free again");
	check_number(ring_drain(&ring, take, NULL), 0, "they come once");
	ring_unmap(&ring);
}

/* Record after record, so that the end of the ring is at every place in a record. */
static void check_wrap(uint64_t start, const char *what)
{
	struct ring ring = make_ring(1, start);
	bool good = true;
	uint64_t i;

	for (i = 0; i < 3 * ring.size / 8; i++) {
		uint16_t size = 8 + 8 * (1 + i % 11);

		reset();
		put(&ring, size, 'a' + i % 26);
		if (ring_drain(&ring, take, NULL) != size || taken_bytes != size ||
		    ((struct perf_event_header *)taken)->size != size ||
		    taken[8] != (char)('a' + i % 26) || taken[size - 1] != (char)('a' + i % 26))
			good = false;
	}
	check(good, "%s", what);
	check_number(ring.page->data_tail - ring.page->data_head, 0,
		     "the reader is where the writer is");
	ring_unmap(&ring);
}

static void check_full(void)
{
	struct ring ring = make_ring(2, 4096 - 8);
	size_t i;

	reset();
	for (i = 0; i < ring.size / 16; i++)
		put(&ring, 16, 'x');
	check_number(ring_drain(&ring, take, NULL), ring.size, "a full ring is read whole");
	check_number(ring.page->data_tail, 4096 - 8 + ring.size, "and is empty then");
	ring_unmap(&ring);
}

static void check_errors(void)
{
	struct ring ring = make_ring(1, 0);

	reset();
	ring.page->data_head = ring.size + 8;
	check_number(ring_drain(&ring, take, NULL), -EIO, "more than fits makes no sense");
	check_number(calls, 0, "and is not given away");
	ring.page->data_head = 0;
	put(&ring, 16, 'a');
	sink_status = -ENOSPC;
	check_number(ring_drain(&ring, take, NULL), -ENOSPC, "what the sink says is passed on");
	check_number(ring_map(&ring, -1, 1), -EBADF, "what mmap() says is passed on");
	ring_unmap(&ring);
}

int main(void)
{
	check_plain();
	check_wrap(0, "records over the end of the ring");
	check_wrap(UINT64_MAX - 4000 + 1, "positions over the end of 64 bits");
	check_full();
	check_errors();
	return unit_finish();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Records whose every word is known, and readers that check every word.
 *
 * A record's first word has its size, its lane and its number in this lane; the length follows
 * from lane and number. All other words follow from the first word, from their place in the
 * record, and from the record's position. So a reader can distinguish a whole record from one
 * that is not written yet, is being overwritten, is from an earlier lap, or is in a wrong place.
 *
 * The reader fills the memory that it gives back with a word that no record contains.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/array_size.h>
#include <linux/atomic.h>

#include "memory.h"
#include "torture.h"

#define POISON		0xdeadbeefdeadbeefULL

/* The first word: slots, lane, number. */
#define SLOTS_SHIFT	51
#define LANE_SHIFT	40
#define LANE_MASK	((1ULL << (SLOTS_SHIFT - LANE_SHIFT)) - 1)
#define NUMBER_MASK	((1ULL << LANE_SHIFT) - 1)

/* The largest record of the ABI, in slots. */
#define SLOTS_MAX	8191

const struct mode modes[] = {
	{ "shared", "one ring, which all write", .each = false },
	{ "local", "a ring for each writer alone", .each = true, .local = true },
	{ "subrings", "a few rings for all", .few = true },
	{ "subrings-each", "a ring for each writer, that others might write too", .each = true },
	{ "backward", "one ring, from the end downward", .backward = true },
	{ "overwrite", "one ring, downward, no feedback: snapshots",
	  .overwrite = true, .backward = true },
	{ "overwrite-local", "the same, a ring for each writer alone",
	  .each = true, .local = true, .overwrite = true, .backward = true },
	{ "sleeping", "one ring, bursts: the reader sleeps and has to be woken", .bursts = true },
	{ "sleeping-local", "the same, a ring for each writer alone",
	  .each = true, .local = true, .bursts = true },
	{ "hostile", "one ring, whose reader writes anything anywhere", .hostile = true },
	{ "hostile-local", "the same, a ring for each writer alone",
	  .each = true, .local = true, .hostile = true },
	{ "hostile-overwrite", "the same, downward, no feedback",
	  .overwrite = true, .backward = true, .hostile = true },
};

const unsigned int nr_modes = ARRAY_SIZE(modes);

const struct mode *mode_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_modes; i++) {
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	}
	return NULL;
}

/* Report that the ring is broken, with the command that repeats the run. */
void torture_bad(const struct torture *torture, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: mode %s, seed %llu: ", program_invocation_short_name,
		torture->mode->name, torture->seed);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	/* Other threads are still writing. */
	_Exit(1);
}

/* The finalizer of MurmurHash3: every bit of the result depends on every bit. */
u64 torture_hash(u64 value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdULL;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53ULL;
	return value ^ value >> 33;
}

static u64 random_of(const struct torture *torture, u64 lane, u64 number)
{
	return torture_hash(torture->seed ^ torture_hash(lane << LANE_SHIFT | number));
}

/* Return the length of a record: most are small, some as large as possible. */
static u32 record_slots(const struct torture *torture, u64 lane, u64 number)
{
	static const u32 up_to[16] = { 1, 2, 4, 4, 8, 8, 8, 8, 16, 16, 16, 32, 32, 64, 130, 0 };
	u64 random = random_of(torture, lane, number);
	u32 most = up_to[random % 16];

	if (!most || most > torture->most)
		most = torture->most;
	/* One of 512 has more than half of the largest size. */
	if (random % 16 == 15 && random >> 4 & 31)
		most = most / 16 + 1;
	return 1 + (random >> 32) % most;
}

/* Return whether the record counts towards wakeup_events. */
static bool is_sample(const struct torture *torture, u64 lane, u64 number)
{
	return !(random_of(torture, lane, number) >> 16 & torture->sample_mask);
}

static u64 record_word(u64 first, u64 pos, u32 i)
{
	u64 word = (first ^ (pos + i * 8ULL) * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;

	return word ^ word >> 32;
}

/* --- Writers --- */

/*
 * Return whether reader and writer access the data at the same time on purpose;
 * ThreadSanitizer must not report this as a data race.
 */
static bool meets_reader(const struct torture *torture)
{
	return torture->mode->overwrite || torture->mode->hostile;
}

static void fill(const struct torture *torture, u64 *at, u64 first, u64 pos, u32 slots)
{
	u32 i;

	shim_plain_stores();
	if (meets_reader(torture)) {
		for (i = slots; i--; ) {
			if (i < 8 || i % 16 == 0)
				shim_step(&at[i], SHIM_STORE);
			__atomic_store_n(&at[i], i ? record_word(first, pos, i) : first,
					 __ATOMIC_RELAXED);
		}
		return;
	}
	for (i = slots; i--; ) {
		if (i < 8 || i % 16 == 0)
			shim_step(&at[i], SHIM_STORE);
		at[i] = i ? record_word(first, pos, i) : first;
	}
}

/*
 * Write one record: as @writer's task, level 0, or an interrupt of it. @outer is the number
 * of records of this writer that are open now. Returns false when the record was lost.
 */
bool torture_write(struct torture *torture, unsigned int writer, unsigned int level,
		   unsigned int outer)
{
	struct torture_ring *to = &torture->rings[writer % torture->nr_rings];
	struct perf_counter_ring *ring = &to->ring;
	u64 lane_id = writer * LEVELS + level;
	struct lane *lane = &torture->lanes[lane_id];
	u64 random = random_of(torture, ~lane_id, lane->written + lane->lost);
	u32 slots = record_slots(torture, lane_id, lane->written);
	u64 first = (u64)slots << SLOTS_SHIFT | lane_id << LANE_SHIFT | lane->written;
	u64 pos;
	u64 *at;

	/* Sometimes reserve a record that is longer than the ring. */
	if (random % 4096 == 0 && ring->size / 8 < SLOTS_MAX) {
		if (perf_counter_ring_reserve(ring, ring->size + 8, &pos))
			torture_bad(torture, "a record larger than the ring found room");
		lane->lost++;
	}

	torture_asks(to, slots * 8);
	at = perf_counter_ring_reserve(ring, slots * 8, &pos);
	torture_got(at);
	if (!at) {
		lane->lost++;
		return false;
	}
	if (random & 1)
		torture_midway(writer, level, random >> 32);
	fill(torture, at, first, pos, slots);
	if (!(random & 1))
		torture_midway(writer, level, random >> 32);
	lane->written++;
	lane->inside += outer > 0;
	if (perf_counter_ring_commit(ring, pos, slots * 8))
		torture_notify();
	if (!is_sample(torture, lane_id, lane->written - 1))
		return true;
	if (perf_counter_ring_sample(ring, pos + slots * 8, torture->wakeup_events))
		torture_notify();
	lane->samples++;
	lane->last_sample = pos + slots * 8;
	return true;
}

/* --- Readers --- */

static u64 load_acquire(u64 *at)
{
	shim_step(at, SHIM_LOAD);
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void store_release(u64 *at, u64 value)
{
	shim_step(at, SHIM_STORE);
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

/*
 * Check every word of the record that starts at @words and has at most @room slots; @pos is
 * its position. Returns its size in slots.
 */
static u32 check_record(const struct torture *torture, const struct torture_ring *ring,
			const u64 *words, u64 pos, u64 room)
{
	u64 first = words[0];
	u64 lane = first >> LANE_SHIFT & LANE_MASK, number = first & NUMBER_MASK;
	u32 slots = first >> SLOTS_SHIFT, i;

	if (first == POISON)
		torture_bad(torture, "nothing was written at %llu", pos);
	if (lane >= torture->nr_writers * LEVELS ||
	    &torture->rings[lane / LEVELS % torture->nr_rings] != ring ||
	    slots != record_slots(torture, lane, number))
		torture_bad(torture, "no record begins at %llu: %#llx", pos, first);
	if (slots > room)
		torture_bad(torture, "the record at %llu, %u slots, goes beyond %llu", pos, slots,
			    pos + room * 8);
	for (i = 1; i < slots; i++) {
		if (words[i] != record_word(first, pos, i))
			torture_bad(torture, "word %u of %u at %llu, lane %llu, is %#llx", i, slots,
				    pos, lane, words[i]);
	}
	return slots;
}

static void poison(u64 *at, u64 slots)
{
	while (slots--)
		*at++ = POISON;
}

/* Read records in the order in which they were written. */
static bool read_forward(struct torture *torture, struct torture_ring *ring)
{
	u64 head = torture->splices ? (u64)atomic64_read_acquire(&ring->ring.published) :
				      load_acquire(&ring->head);
	u64 before = ring->position;

	if (head - ring->position > ring->ring.size)
		torture_bad(torture, "head went from %llu to %llu", ring->position, head);
	while (ring->position != head) {
		u64 *at = ring->ring.data + (ring->position & ring->ring.mask);
		u64 lane = *at >> LANE_SHIFT & LANE_MASK, number = *at & NUMBER_MASK;
		u32 slots = check_record(torture, ring, at, ring->position,
					 (head - ring->position) / 8);

		if (number != ring->next[lane])
			torture_bad(torture, "lane %llu: record %llu after %llu", lane, number,
				    ring->next[lane] - 1);
		ring->next[lane]++;
		ring->seen++;
		ring->samples += is_sample(torture, lane, number);
		poison(at, slots);
		ring->position += slots * 8ULL;
		/* Sometimes give the room back at once, so that a writer uses it immediately. */
		if (number % 8 == 0)
			store_release(&ring->tail, ring->position);
	}
	store_release(&ring->tail, head);
	return head != before;
}

/*
 * Check the number of a record that is read backward. It is the first record of its lane in this
 * call, or its number is one less than that of the lane's record that was read before it. @newest
 * is the number of the lane's first record plus one, @last that of the last record read.
 */
static void step_back(const struct torture *torture, u64 *newest, u64 *last, u64 lane, u64 number)
{
	if (!newest[lane])
		newest[lane] = number + 1;
	else if (number + 1 != last[lane])
		torture_bad(torture, "lane %llu: record %llu right before %llu", lane, number,
			    last[lane]);
	last[lane] = number;
}

/* Read all records that are published and not read, the newest first. */
static bool read_backward(struct torture *torture, struct torture_ring *ring)
{
	u64 head = load_acquire(&ring->head);
	u64 newest[LANES] = {}, last[LANES], lane;
	u64 end = -head, before = ring->position;
	u32 slots;
	u64 *at;

	if (end - ring->position > ring->ring.size)
		torture_bad(torture, "head went from -%llu to -%llu", ring->position, end);
	while (end != ring->position) {
		at = ring->ring.data + (-end & ring->ring.mask);
		slots = *at >> SLOTS_SHIFT;
		lane = *at >> LANE_SHIFT & LANE_MASK;
		check_record(torture, ring, at, end - slots * 8ULL, (end - ring->position) / 8);
		step_back(torture, newest, last, lane, *at & NUMBER_MASK);
		ring->seen++;
		ring->samples += is_sample(torture, lane, *at & NUMBER_MASK);
		poison(at, slots);
		end -= slots * 8ULL;
	}
	for (lane = 0; lane < LANES; lane++) {
		if (!newest[lane])
			continue;
		if (last[lane] != ring->next[lane])
			torture_bad(torture, "lane %llu: record %llu after %llu", lane, last[lane],
				    ring->next[lane] - 1);
		ring->next[lane] = newest[lane];
	}
	ring->position = -head;
	store_release(&ring->tail, head);
	return ring->position != before;
}

/* Follow the procedure for readers of an overwriting ring, see readers.rst. */
static bool read_snapshot(struct torture *torture, struct torture_ring *ring)
{
	u64 head = load_acquire(&ring->head), published = -head, whole, distance = 0;
	u64 newest[LANES] = {}, last[LANES], lane, i;
	u64 size = ring->ring.size;
	u64 *data = ring->ring.data + (head & ring->ring.mask);
	u32 slots;

	if (published < ring->position)
		torture_bad(torture, "head went from -%llu to -%llu", ring->position, published);
	for (i = 0; i < size / 8; i++) {
		if (i % 16 == 0)
			shim_step(&data[i], SHIM_LOAD);
		ring->snapshot[i] = __atomic_load_n(&data[i], __ATOMIC_RELAXED);
	}
	/* Pairs with the write barrier between data_reserved and the stores into a record. */
	smp_rmb();
	whole = READ_ONCE(ring->reserved) - published;
	/* All data may have been overwritten since head was read. */
	if (whole >= size)
		return true;
	whole = size - whole;
	if (whole > published)
		whole = published;

	while (distance + 8 <= whole) {
		slots = ring->snapshot[distance / 8] >> SLOTS_SHIFT;
		if (!slots)
			torture_bad(torture, "nothing was written at %llu", published - distance);
		if (distance + slots * 8ULL > whole)
			break;
		lane = ring->snapshot[distance / 8] >> LANE_SHIFT & LANE_MASK;
		check_record(torture, ring, &ring->snapshot[distance / 8],
			     published - distance - slots * 8ULL, slots);
		step_back(torture, newest, last, lane,
			  ring->snapshot[distance / 8] & NUMBER_MASK);
		ring->seen++;
		distance += slots * 8ULL;
	}
	for (lane = 0; lane < LANES; lane++) {
		if (newest[lane] && newest[lane] < ring->next[lane])
			torture_bad(torture, "lane %llu: record %llu, and later %llu was the last",
				    lane, ring->next[lane] - 1, newest[lane] - 1);
		if (newest[lane])
			ring->next[lane] = newest[lane];
	}
	ring->accepted = distance;
	published = ring->position;
	ring->position = -head;
	return ring->position != published;
}

/* Check invariants that hold whatever the reader does. */
static void check_sane(struct torture *torture, struct torture_ring *ring)
{
	u64 mark = atomic64_read_acquire(&ring->ring.wake_mark);
	u64 shown = load_acquire(&ring->head);
	u64 published = atomic64_read_acquire(&ring->ring.published);
	u64 head = atomic64_read_acquire(&ring->ring.head);

	/* A notified reader must see the records of the notification. */
	if (torture->mode->backward)
		shown = -shown;
	if (shown < mark && !torture->mode->hostile)
		torture_bad(torture, "notified of %llu, the reader sees %llu", mark, shown);
	if (mark < ring->mark || mark > published)
		torture_bad(torture, "the mark went from %llu to %llu, published %llu", ring->mark,
			    mark, published);
	ring->mark = mark;
	/* If published has moved, head is from another moment. */
	if ((u64)atomic64_read(&ring->ring.published) == published &&
	    head - published > ring->ring.size)
		torture_bad(torture, "head %llu, published %llu", head, published);
}

static bool read_hostile(struct torture *torture, struct torture_ring *ring)
{
	static const unsigned int shifts[] = { 0, 1, 3, 8, 20, 32, 40, 52, 60 };
	u64 random = torture_hash(torture->seed + ++ring->position), value;
	u64 *shared[] = { &ring->head, &ring->tail, &ring->reserved };
	u64 published = atomic64_read(&ring->ring.published);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		value = torture_hash(random + i) >> shifts[(random >> 8 * i & 0xff) % 9];
		/* Use values on both sides of the right one, and the right one. */
		if (random >> (32 + i) & 1)
			value = published + (value & 1 ? value : -value);
		if (random >> (36 + i) & 1)
			value = torture->mode->backward ? -published : published;
		shim_step(shared[i], SHIM_STORE);
		__atomic_store_n(shared[i], value, __ATOMIC_RELAXED);
		value = torture_hash(random - i);
		__atomic_store_n((u64 *)(ring->ring.data + (value & ring->ring.mask & ~7ULL)),
				 value, __ATOMIC_RELAXED);
		check_sane(torture, ring);
	}
	return true;
}

/*
 * Equivalent of ring_readable() in kernel/perf_counter/ring/buffer.c, on which poll() and
 * splice() depend.
 */
static bool ring_readable(struct perf_counter_ring *ring)
{
	u64 unread = (u64)atomic64_read(&ring->wake_mark) - perf_counter_ring_tail(ring);

	return unread && unread <= ring->size;
}

/* Equivalent of perf_counter_buffer_readable(): a reader sleeps while this is false. */
bool torture_readable(struct torture *torture)
{
	unsigned int i;

	for (i = 0; i < torture->nr_rings; i++) {
		if (ring_readable(&torture->rings[i].ring))
			return true;
	}
	return false;
}

/* Read a position without letting another CPU continue. */
static u64 still(const atomic64_t *position)
{
	return __atomic_load_n(&position->counter, __ATOMIC_RELAXED);
}

static u64 samples_written(const struct torture *torture, unsigned int ring)
{
	unsigned int lane;
	u64 sum = 0;

	for (lane = 0; lane < torture->nr_writers * LEVELS; lane++) {
		if (lane / LEVELS % torture->nr_rings == ring)
			sum += torture->lanes[lane].samples;
	}
	return sum;
}

/*
 * Check a ring while no writer is active and all notifications have come: fewer bytes than
 * the watermark were published since the last notification. A reader that is @asleep has
 * read everything that it was notified of, and has fewer records left than a notification
 * needs.
 */
static void ring_idle(const struct torture *torture, unsigned int i, bool asleep)
{
	const struct torture_ring *to = &torture->rings[i];
	const struct perf_counter_ring *ring = &to->ring;
	u64 published = still(&ring->published), mark = still(&ring->wake_mark);
	u64 unread_samples = samples_written(torture, i) - to->samples;

	if (published - mark >= ring->watermark)
		torture_bad(torture, "published %llu, notified of %llu, watermark %llu", published,
			    mark, ring->watermark);
	if (!asleep)
		return;
	if (mark != to->position && mark - to->position <= ring->size)
		torture_bad(torture, "the reader sleeps at %llu, notified of %llu", to->position,
			    mark);
	if (published - to->position >= ring->watermark)
		torture_bad(torture, "the reader sleeps at %llu, published %llu, watermark %llu",
			    to->position, published, ring->watermark);
	if (unread_samples >= torture->wakeup_events)
		torture_bad(torture, "the reader sleeps at %llu of %llu with %llu samples unread",
			    to->position, published, unread_samples);
}

/*
 * Check all rings at a moment without active writers; @asleep: the reader is not active
 * either.
 */
void torture_idle(const struct torture *torture, bool asleep)
{
	unsigned int i;

	for (i = 0; i < torture->nr_rings; i++)
		ring_idle(torture, i, asleep);
}

/* Let the reader work once on each ring. Returns false when there was nothing to read. */
bool torture_read(struct torture *torture)
{
	const struct mode *mode = torture->mode;
	struct torture_ring *ring;
	bool busy = false;
	unsigned int i;

	for (i = 0; i < torture->nr_rings; i++) {
		ring = &torture->rings[i];
		check_sane(torture, ring);
		if (mode->hostile)
			busy |= read_hostile(torture, ring);
		else if (mode->overwrite)
			busy |= read_snapshot(torture, ring);
		else if (mode->backward)
			busy |= read_backward(torture, ring);
		else
			busy |= read_forward(torture, ring);
	}
	return busy;
}

/* --- Start and end --- */

static void ring_begin(struct torture *torture, unsigned int i)
{
	struct torture_ring *ring = &torture->rings[i];
	u64 random = torture_hash(torture->seed + i);
	struct perf_counter_ring_config config = {
		/* Every second ring has the smallest size, for many laps. */
		.nr_pages = torture->mode->bursts || random >> 40 & 1 ? 1 : 1U << random % 7,
		.data_head = &ring->head,
		.data_tail = &ring->tail,
		.data_reserved = &ring->reserved,
		.overwrite = torture->mode->overwrite,
		.backward = torture->mode->backward,
		.local = torture->mode->local,
	};
	/*
	 * With a watermark of more than half of the size, a ring may be full without a
	 * notification.
	 */
	u64 size = config.nr_pages * PAGE_SIZE;

	config.watermark = (random >> 8) % (size / 2 + 1);
	/*
	 * The watermark is reached by every record, by a few, or never, so that only
	 * wakeup_events notify.
	 */
	if (torture->mode->bursts && random & 3)
		config.watermark = 1 + config.watermark % 64;
	memset(ring, 0, sizeof(*ring));
	ring->pages = pages_alloc(config.nr_pages);
	ring->snapshot = calloc(1, size);
	config.pages = ring->pages;
	if (!ring->snapshot || perf_counter_ring_init(&ring->ring, &config))
		fail("no memory for a ring");
	poison(ring->ring.data, size / 8);
	if (torture->most > size / 16)
		torture->most = size / 16;
}

/* Make rings for @nr_writers; @seed decides their sizes. */
void torture_begin(struct torture *torture, const struct mode *mode, u64 seed,
		   unsigned int nr_writers)
{
	u64 random = torture_hash(~seed);
	unsigned int i;

	torture->mode = mode;
	torture->seed = seed;
	torture->nr_writers = nr_writers;
	torture->nr_rings = mode->each ? nr_writers : mode->few ? 1 + random % nr_writers : 1;
	torture->most = SLOTS_MAX;
	memset(torture->lanes, 0, sizeof(torture->lanes));
	for (i = 0; i < torture->nr_rings; i++)
		ring_begin(torture, i);
	/*
	 * Some runs have no large records. In bursts, several records are below a
	 * watermark.
	 */
	if (mode->bursts)
		torture->most = 1 + (random >> 32) % 4;
	else if (random >> 60 < 4)
		torture->most = 1 + (random >> 32) % 16;
	torture->wakeup_events = 1 + (random >> 20) % 4;
	torture->sample_mask = (1U << (random >> 24) % (mode->bursts ? 3 : 6)) - 1;
	torture->splices = !mode->backward && random >> 28 & 1;
}

/*
 * Check the commit map: the last lap that covered a slot has set its bit to 1 if the lap's number
 * is even, and to 0 if it is odd.
 */
static void check_senses(const struct torture *torture, struct perf_counter_ring *ring)
{
	u64 head = atomic64_read(&ring->head), lap = head >> ring->shift, slot, word;

	for (slot = 0; slot < ring->size / 8; slot++) {
		u64 last = slot * 8 < (head & ring->mask) ? lap : lap - 1;

		word = atomic64_read(&ring->commits[slot / 64]);
		if ((word >> slot % 64 & 1) == (last & 1))
			torture_bad(torture, "slot %llu has the wrong sense at head %llu", slot,
				    head);
	}
}

/*
 * Check that the ring is right two records after the reader has stopped writing wrong
 * values.
 */
static void check_recovery(struct torture *torture, unsigned int i)
{
	struct torture_ring *ring = &torture->rings[i];
	unsigned int records;

	for (records = 0; records < 2; records++) {
		u64 published = atomic64_read(&ring->ring.published);

		__atomic_store_n(&ring->tail, torture->mode->backward ? -published : published,
				 __ATOMIC_RELAXED);
		if (!torture_write(torture, i, 0, 0))
			torture_bad(torture, "no room in an empty ring");
	}
}

static void ring_end(struct torture *torture, unsigned int i)
{
	struct torture_ring *ring = &torture->rings[i];
	u64 lost = 0, written = 0, head, shown;
	unsigned int lane;

	if (torture->mode->hostile)
		check_recovery(torture, i);
	head = atomic64_read(&ring->ring.head);
	shown = torture->mode->backward ? -ring->head : ring->head;
	if ((u64)atomic64_read(&ring->ring.published) != head)
		torture_bad(torture, "at the end head is %llu, published %llu", head,
			    (u64)atomic64_read(&ring->ring.published));
	if (shown != head)
		torture_bad(torture, "at the end head is %llu, the reader sees %llu", head, shown);
	if (torture->mode->overwrite && ring->reserved != head)
		torture_bad(torture, "at the end head is %llu, the reader sees %llu reserved", head,
			    ring->reserved);
	/*
	 * No writer is active: everything is accepted except the record that is cut at the
	 * end.
	 */
	if (torture->mode->overwrite && !torture->mode->hostile &&
	    ring->accepted + torture->most * 8 < min(head, ring->ring.size))
		torture_bad(torture, "at the end a snapshot gives %llu bytes, head is %llu",
			    ring->accepted, head);
	check_senses(torture, &ring->ring);

	for (lane = 0; lane < torture->nr_writers * LEVELS; lane++) {
		if (lane / LEVELS % torture->nr_rings != i)
			continue;
		if (torture->wakeup_events == 1 &&
		    torture->lanes[lane].last_sample > (u64)atomic64_read(&ring->ring.wake_mark))
			torture_bad(torture, "nobody was notified of %llu, as lane %u had asked",
				    torture->lanes[lane].last_sample, lane);
		lost += torture->lanes[lane].lost;
		written += torture->lanes[lane].written;
		if (!torture->mode->overwrite && !torture->mode->hostile &&
		    ring->next[lane] != torture->lanes[lane].written)
			torture_bad(torture, "of %llu records of lane %u %llu were read",
				    torture->lanes[lane].written, lane, ring->next[lane]);
	}
	if ((u64)atomic64_read(&ring->ring.lost) != lost)
		torture_bad(torture, "%llu records were lost, %llu counted", lost,
			    (u64)atomic64_read(&ring->ring.lost));
	if (written && !torture->mode->hostile && !ring->seen)
		torture_bad(torture, "not one record of %llu was read", written);

	perf_counter_ring_destroy(&ring->ring);
	pages_free(ring->pages);
	free(ring->snapshot);
}

/*
 * End a round without active writers: read the rest, check everything, and free the rings.
 */
void torture_end(struct torture *torture)
{
	unsigned int i;

	torture_idle(torture, false);
	/* A snapshot without active writers must succeed. */
	if (!torture->mode->hostile)
		torture_read(torture);
	for (i = 0; i < torture->nr_rings; i++)
		ring_end(torture, i);
}

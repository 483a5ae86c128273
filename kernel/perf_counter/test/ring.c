// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ring of perf_counter: its arithmetic, step by step, and many laps
 * against a model. torture.c tests writers on several CPUs that interrupt each other.
 *
 * The word written at a position is a function of the position, so that a reader can
 * tell a valid word from one that is not yet written or overwritten.
 */

#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "ring.h"

/* Value that the reader leaves in consumed words. No written word has this value. */
#define POISON			0xdeadbeefdeadbeefULL

/**
 * struct test_ring - a ring with the words that it shares with its reader
 * @ring: the ring; the first member, because tests pass pointers to it
 * @shared: the ring's data_head, data_tail and data_reserved
 * @nr_pages: number of data pages
 * @pages: data pages
 */
struct test_ring {
	struct perf_counter_ring	ring;
	u64				shared[3];
	unsigned int			nr_pages;
	struct page			*pages[];
};

static void ring_destroy_action(void *ring)
{
	perf_counter_ring_destroy(ring);
}

static void page_free_action(void *page)
{
	__free_page(page);
}

/**
 * test_ring() - Make a ring with pages
 * @test: KUnit test; the ring is freed at its end
 * @config: properties of the ring, without pages and shared words
 *
 * Return: ring that is freed at the end of the test.
 */
struct perf_counter_ring *test_ring(struct kunit *test, struct perf_counter_ring_config config)
{
	struct test_ring *made;
	unsigned int i;

	made = kunit_kzalloc(test, struct_size(made, pages, config.nr_pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, made);
	made->nr_pages = config.nr_pages;
	for (i = 0; i < config.nr_pages; i++) {
		made->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, made->pages[i]);
		KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, page_free_action,
								made->pages[i]), 0);
	}
	config.pages = made->pages;
	config.data_head = ring_memory(&made->shared[0]);
	config.data_tail = ring_memory(&made->shared[1]);
	config.data_reserved = ring_memory(&made->shared[2]);
	KUNIT_ASSERT_EQ(test, perf_counter_ring_init(&made->ring, &config), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ring_destroy_action, &made->ring),
			0);
	return &made->ring;
}

static struct perf_counter_ring *ring_new(struct kunit *test, unsigned int nr_pages, u64 watermark,
					  bool overwrite)
{
	return test_ring(test, (struct perf_counter_ring_config) {
		.nr_pages	= nr_pages,
		.watermark	= watermark,
		.overwrite	= overwrite,
	});
}

static void *ring_page(struct perf_counter_ring *ring, unsigned int i)
{
	return page_address(container_of(ring, struct test_ring, ring)->pages[i]);
}

static u64 word_for(u64 pos)
{
	return hash_64(pos + 1, 64);
}

static void fill(u64 *at, u64 pos, u32 len)
{
	u32 i;

	for (i = 0; i < len / sizeof(u64); i++)
		at[i] = word_for(pos + i * sizeof(u64));
}

/*
 * Reserve and commit a record. Returns false if there is no room. @notify is set to the result of
 * the commit.
 */
static bool write_record(struct perf_counter_ring *ring, u32 len, bool *notify)
{
	u64 pos;
	u64 *at = ring_room(ring, len, &pos);

	if (!at)
		return false;
	fill(at, pos, len);
	*notify = perf_counter_ring_commit(ring, pos, len);
	return true;
}

/* Write @len bytes in records that are short enough, also with pages of 64 KiB. */
static bool write_bytes(struct perf_counter_ring *ring, u64 len, bool *notify)
{
	u32 part;

	for (; len; len -= part) {
		part = min_t(u64, len, SZ_32K);
		if (!write_record(ring, part, notify))
			return false;
	}
	return true;
}

/**
 * test_ring_senses() - Expect a commit map in which all records are committed
 * @test: KUnit test
 * @ring: ring of the map
 * @head: position up to which records are committed
 *
 * Bits before @head have the value of its lap, 1 in even laps; the other bits have the
 * opposite value.
 */
void test_ring_senses(struct kunit *test, struct perf_counter_ring *ring, u64 head)
{
	u64 lap = head >> ring->shift, offset = head & (ring->size - 1);
	u64 slot, wrong = 0;

	for (slot = 0; slot < ring->size / 8; slot++) {
		u64 word = atomic64_read(&ring->commits[slot / 64]);
		bool even = !((slot * 8 < offset ? lap : lap - 1) & 1);

		wrong += (word >> (slot % 64) & 1) != even;
	}
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "slots of wrong sense at head %llu", head);
}

/* === Step by step === */

static void ring_has_its_sizes_and_watermark(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 4, 0, false);

	KUNIT_EXPECT_EQ(test, ring->size, 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, 1ULL << ring->shift, ring->size);
	KUNIT_EXPECT_EQ(test, ring->watermark, 2 * PAGE_SIZE);
	ring = ring_new(test, 1, 24, false);
	KUNIT_EXPECT_EQ(test, ring->watermark, 24);
	/* A watermark beyond the ring's size would never be reached. */
	ring = ring_new(test, 1, PAGE_SIZE + 8, false);
	KUNIT_EXPECT_EQ(test, ring->watermark, PAGE_SIZE);
}

/* The first 96 bytes after the end are the first 96 bytes of the data. */
static void ring_does_not_wrap_records(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 2, 0, false);
	u64 first = ring->size - 32, pos;
	bool notify;
	u64 *at;

	KUNIT_ASSERT_TRUE(test, write_bytes(ring, first, &notify));
	ring_give_up(ring, first);
	at = ring_room(ring, 128, &pos);
	KUNIT_ASSERT_NOT_NULL(test, at);
	KUNIT_EXPECT_EQ(test, pos, first);
	KUNIT_EXPECT_PTR_EQ(test, at, ring_at(ring, first));
	fill(at, pos, 128);
	perf_counter_ring_commit(ring, pos, 128);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), ring->size + 96);
	KUNIT_EXPECT_MEMEQ(test, ring_at(ring, 0), (void *)at + 32, 96);
	/* A program finds the same bytes in the pages that it maps. */
	KUNIT_EXPECT_MEMEQ(test, ring_page(ring, 0), (void *)at + 32, 96);
	KUNIT_EXPECT_MEMEQ(test, ring_page(ring, 1) + PAGE_SIZE - 32, at, 32);
}

static void ring_full_is_full_to_the_byte(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	unsigned int i, nr = PAGE_SIZE / 64;
	bool notify;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE(test, write_record(ring, 64, &notify));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 0);
	KUNIT_EXPECT_FALSE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_FALSE(test, write_record(ring, 64, &notify));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 2);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), PAGE_SIZE);

	ring_give_up(ring, 16);
	KUNIT_EXPECT_FALSE(test, write_record(ring, 24, &notify));
	KUNIT_EXPECT_TRUE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_TRUE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_FALSE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 4);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), PAGE_SIZE + 16);
}

static void ring_takes_the_largest_record(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 65536 / PAGE_SIZE, 0, false);
	bool notify;

	KUNIT_EXPECT_TRUE(test, write_record(ring, 65528, &notify));
	KUNIT_EXPECT_FALSE(test, write_record(ring, 16, &notify));
	KUNIT_EXPECT_TRUE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 65536);
	test_ring_senses(test, ring, 65536);

	/* Refuse a record that can never fit. */
	ring = ring_new(test, 1, 0, false);
	KUNIT_EXPECT_FALSE(test, write_record(ring, PAGE_SIZE + 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 1);
}

/* Write records at each offset in a word of the commit map, and over many words. */
static void ring_marks_every_slot(struct kunit *test)
{
	static const u32 slots[] = { 1, 2, 63, 64, 65, 127, 128, 129, 192, 320, 511, 512 };
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	u32 first, i, pad;
	bool notify;
	u64 head = 0;

	for (first = 0; first < 64; first++) {
		for (i = 0; i < ARRAY_SIZE(slots); i++) {
			pad = (first - head / 8) % 64;
			if (pad)
				KUNIT_ASSERT_TRUE(test, write_record(ring, pad * 8, &notify));
			head += pad * 8;
			ring_give_up(ring, head);
			KUNIT_ASSERT_TRUE(test, write_record(ring, slots[i] * 8, &notify));
			head += slots[i] * 8;
			KUNIT_ASSERT_EQ(test, ring_shown(ring), head);
			test_ring_senses(test, ring, head);
			ring_give_up(ring, head);
		}
	}
}

/* An interrupt writes record B while record A is open, so B is published only after A. */
static void ring_holds_back_a_nested_record(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 64, false);
	u64 a, b, c;

	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 24, &a));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 40, &b));
	KUNIT_EXPECT_EQ(test, a, 0);
	KUNIT_EXPECT_EQ(test, b, 24);
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_commit(ring, b, 40));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 0);
	/* Both are published at once and reach the watermark. */
	KUNIT_EXPECT_TRUE(test, perf_counter_ring_commit(ring, a, 24));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 64);

	/* On two CPUs, the first record may be committed first. */
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 8, &a));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 16, &b));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 32, &c));
	perf_counter_ring_commit(ring, a, 8);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 72);
	perf_counter_ring_commit(ring, c, 32);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 72);
	perf_counter_ring_commit(ring, b, 16);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 120);
}

static void ring_refuses_while_paused(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	bool notify;

	WRITE_ONCE(ring->paused, true);
	KUNIT_EXPECT_FALSE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 1);
	WRITE_ONCE(ring->paused, false);
	KUNIT_EXPECT_TRUE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 8);
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 1);
}

/* === Notifications === */

static void ring_notifies_each_watermark(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 1024, false);
	unsigned int i;
	bool notify;

	/*
	 * The watermark is 1024 bytes, and each record has 64 bytes: the 16th, 32nd, ... record
	 * notifies.
	 */
	for (i = 1; i <= 160; i++) {
		KUNIT_ASSERT_TRUE(test, write_record(ring, 64, &notify));
		KUNIT_EXPECT_EQ_MSG(test, notify, i % 16 == 0, "record %u", i);
		ring_give_up(ring, i * 64);
	}

	/*
	 * Let the 8th record after these be a sample, which notifies before the watermark. The next
	 * 1024 bytes begin at its end.
	 */
	for (i = 1; i <= 8; i++)
		write_record(ring, 64, &notify);
	KUNIT_EXPECT_TRUE(test, perf_counter_ring_sample(ring, 168 * 64, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 168 * 64);
	for (i = 1; i <= 16; i++) {
		write_record(ring, 64, &notify);
		KUNIT_EXPECT_EQ_MSG(test, notify, i == 16, "record %u", i);
	}
}

/* A record that is longer than two watermarks notifies once. */
static void ring_notifies_once_for_a_long_record(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 64, false);
	bool notify;

	KUNIT_ASSERT_TRUE(test, write_record(ring, 200, &notify));
	KUNIT_EXPECT_TRUE(test, notify);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 200);
	KUNIT_ASSERT_TRUE(test, write_record(ring, 56, &notify));
	KUNIT_EXPECT_FALSE(test, notify);
	KUNIT_ASSERT_TRUE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_TRUE(test, notify);
}

/*
 * After a publisher has published, another one interrupts it, and publishes and notifies up to a
 * later position: the mark is then ahead of the first publisher's position.
 */
static void ring_mark_never_goes_back(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 64, false);
	bool notify;

	atomic64_set(&ring->wake_mark, 256);
	KUNIT_ASSERT_TRUE(test, write_record(ring, 128, &notify));
	KUNIT_EXPECT_FALSE(test, notify);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 256);
	KUNIT_EXPECT_TRUE(test, perf_counter_ring_sample(ring, 128, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 256);
}

/*
 * A notification is requested for a record that an open record holds back. The context that
 * publishes the record notifies.
 */
static void ring_notifies_of_requested_records(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	u64 a, b, c;

	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 24, &a));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 40, &b));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_commit(ring, b, 40));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_sample(ring, 64, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 0);
	KUNIT_EXPECT_TRUE(test, perf_counter_ring_commit(ring, a, 24));
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 64);

	/* There is no second notification. */
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 8, &a));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 8, &c));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_commit(ring, c, 8));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_commit(ring, a, 8));
	KUNIT_EXPECT_TRUE(test, perf_counter_ring_sample(ring, 80, 1));
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 80);
}

/*
 * Every third sample requests a notification regardless of the watermark, and resets
 * the count.
 */
static void ring_notifies_every_n_samples(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	unsigned int i;
	bool notify;

	for (i = 1; i <= 9; i++) {
		KUNIT_ASSERT_TRUE(test, write_record(ring, 16, &notify));
		KUNIT_EXPECT_FALSE(test, notify);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_ring_sample(ring, i * 16, 3), i % 3 == 0,
				    "sample %u", i);
		KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), i / 3 * 48);
	}

	/* A record other than a sample is not counted. */
	KUNIT_ASSERT_TRUE(test, write_record(ring, 16, &notify));
	KUNIT_EXPECT_FALSE(test, notify);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->samples), 0);
}

/*
 * The last sample of the count requests a notification for all counted samples. An open record
 * holds one of them back: the reader is notified when the open record is committed, and finds two
 * samples.
 */
static void ring_notifies_of_held_back_samples(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	u64 first, open, behind;

	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 16, &first));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 24, &open));
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 32, &behind));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_commit(ring, behind, 32));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_sample(ring, behind + 32, 2));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_commit(ring, first, 16));
	KUNIT_EXPECT_FALSE(test, perf_counter_ring_sample(ring, first + 16, 2));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 16);
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 0);
	KUNIT_EXPECT_TRUE(test, perf_counter_ring_commit(ring, open, 24));
	KUNIT_EXPECT_EQ(test, atomic64_read(&ring->wake_mark), 72);
}

/* === Untrusted readers === */

/* A tail beyond the published records frees the space of the published records only. */
static void ring_clamps_a_tail_ahead(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	const u64 tails[] = { 8, 64, PAGE_SIZE, U32_MAX, S64_MAX };
	unsigned int i;
	bool notify;
	u64 pos;

	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 64, &pos));
	KUNIT_ASSERT_TRUE(test, write_record(ring, PAGE_SIZE - 64, &notify));
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		ring_give_up(ring, tails[i]);
		KUNIT_EXPECT_FALSE_MSG(test, write_record(ring, 8, &notify),
				       "tail %llu", tails[i]);
		KUNIT_EXPECT_EQ(test, ring_lost(ring), i + 1);
	}
	perf_counter_ring_commit(ring, pos, 64);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), PAGE_SIZE);
	/* If all records are published, a tail beyond them frees the space of all of them. */
	KUNIT_EXPECT_TRUE(test, write_bytes(ring, PAGE_SIZE, &notify));
	test_ring_senses(test, ring, 2 * PAGE_SIZE);
}

/* A tail that is more than one ring's size below the head leaves no room. */
static void ring_refuses_at_a_tail_behind(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	u64 head = 10 * PAGE_SIZE, i;
	const u64 tails[] = { 0, 1, head - PAGE_SIZE - 8, head - PAGE_SIZE, head + BIT_ULL(63),
			      head - BIT_ULL(62) };
	bool notify;

	for (i = PAGE_SIZE; i <= head; i += PAGE_SIZE) {
		KUNIT_ASSERT_TRUE(test, write_bytes(ring, PAGE_SIZE, &notify));
		ring_give_up(ring, i);
	}
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		ring_give_up(ring, tails[i]);
		KUNIT_EXPECT_FALSE_MSG(test, write_record(ring, 8, &notify),
				       "tail %llu", tails[i]);
	}
	KUNIT_EXPECT_EQ(test, ring_lost(ring), ARRAY_SIZE(tails));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), head);
	/* An unaligned tail: a part of a slot is not a free slot. */
	ring_give_up(ring, head - PAGE_SIZE + 15);
	KUNIT_EXPECT_FALSE(test, write_record(ring, 16, &notify));
	KUNIT_EXPECT_TRUE(test, write_record(ring, 8, &notify));
}

/* One of the next two records corrects a data_head that the reader has changed. */
static void ring_corrects_data_head(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, false);
	struct rnd_state rnd;
	u64 head = 0, value;
	unsigned int i, j;
	bool notify;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 1000; i++) {
		value = (u64)prandom_u32_state(&rnd) << 32 | prandom_u32_state(&rnd);
		/* Try differences of all magnitudes in both directions. */
		value = head + (s64)value / (1LL << (i % 64 ?: 1));
		if (i % 100 == 0)
			value = head + BIT_ULL(63) + 16;
		WRITE_ONCE(*ring_word_at(ring->data_head), value);
		for (j = 0; j < 3; j++) {
			KUNIT_ASSERT_TRUE(test, write_record(ring, 16, &notify));
			head += 16;
			ring_give_up(ring, head);
		}
		KUNIT_ASSERT_EQ_MSG(test, ring_shown(ring), head, "after %llu", value);
	}
}

/* === Overwriting === */

static void ring_overwrites_the_oldest(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, true);
	u64 head = 0, pos, wrong = 0;
	unsigned int i;
	bool notify;

	/* Write ten laps and a part of a lap. The ring ignores data_tail. */
	for (i = 0; i < 500; i++) {
		ring_give_up(ring, i * 977);
		KUNIT_ASSERT_TRUE(test, write_record(ring, 88, &notify));
		head += 88;
		KUNIT_ASSERT_EQ(test, ring_shown(ring), head);
	}
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 0);
	for (pos = head - ring->size; pos < head; pos += 8)
		wrong += *ring_at(ring, pos) != word_for(pos);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	test_ring_senses(test, ring, head);

	/* A record that is being written is not overwritten. */
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 64, &pos));
	KUNIT_EXPECT_TRUE(test, write_record(ring, PAGE_SIZE - 64, &notify));
	KUNIT_EXPECT_FALSE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 1);
	perf_counter_ring_commit(ring, pos, 64);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), head + PAGE_SIZE);
}

/* data_reserved is raised before a record is written, and never lowered. */
static void ring_shows_reservations_before_overwriting(struct kunit *test)
{
	struct perf_counter_ring *ring = ring_new(test, 1, 0, true);
	u64 a, b;

	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 24, &a));
	KUNIT_EXPECT_EQ(test, *ring_word_at(ring->data_reserved), 24);
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 40, &b));
	KUNIT_EXPECT_EQ(test, *ring_word_at(ring->data_reserved), 64);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 0);
	perf_counter_ring_commit(ring, b, 40);
	perf_counter_ring_commit(ring, a, 24);
	KUNIT_EXPECT_EQ(test, *ring_word_at(ring->data_reserved), 64);
	KUNIT_EXPECT_EQ(test, ring_shown(ring), 64);

	/* The next record corrects a data_reserved that the reader has changed. */
	*ring_word_at(ring->data_reserved) = 1 << 20;
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 8, &a));
	KUNIT_EXPECT_EQ(test, *ring_word_at(ring->data_reserved), 72);
	perf_counter_ring_commit(ring, a, 8);

	/* With reader feedback, data_reserved is not written. */
	ring = ring_new(test, 1, 0, false);
	KUNIT_ASSERT_NOT_NULL(test, ring_room(ring, 8, &a));
	KUNIT_EXPECT_EQ(test, *ring_word_at(ring->data_reserved), 0);
	perf_counter_ring_commit(ring, a, 8);
}

/* === Backward rings === */

/* Record i has 8 * (i % 11 + 1) bytes and begins with its number. */
static u32 numbered_len(u64 i)
{
	return 8 * (i % 11 + 1);
}

static void write_numbered(struct kunit *test, struct perf_counter_ring *ring, u64 i)
{
	u32 len = numbered_len(i);
	u64 pos, *at;

	at = ring_room(ring, len, &pos);
	KUNIT_ASSERT_NOT_NULL(test, at);
	memset64(at, i, len / sizeof(u64));
	perf_counter_ring_commit(ring, pos, len);
}

/* Number of records that fill the ring about twelve times, for any page size. */
#define MANY_RECORDS	(1000 * (PAGE_SIZE / SZ_4K))

/* The newest record is at data_head, followed by older ones up to one ring's size. */
static void ring_backward_has_the_newest_first(struct kunit *test)
{
	struct perf_counter_ring *ring = test_ring(test, (struct perf_counter_ring_config) {
		.nr_pages = 1, .overwrite = true, .backward = true });
	u64 i, written = 0, seen, wrong = 0, number;
	u32 at, word;

	for (i = 0; i < MANY_RECORDS; i++) {
		write_numbered(test, ring, i);
		written += numbered_len(i);
		KUNIT_ASSERT_EQ(test, ring_shown(ring), -written);
		KUNIT_ASSERT_EQ(test, *ring_word_at(ring->data_reserved), written);
	}
	seen = 0;
	for (number = MANY_RECORDS - 1; seen + numbered_len(number) <= ring->size; number--) {
		at = (ring_shown(ring) + seen) & (ring->size - 1);
		for (word = 0; word < numbered_len(number); word += 8)
			wrong += *ring_at(ring, at + word) != number;
		seen += numbered_len(number);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, seen, ring->size - 88);
}

/* The reader's tail counts down like data_head. */
static void ring_backward_respects_its_reader(struct kunit *test)
{
	struct perf_counter_ring *ring = test_ring(test, (struct perf_counter_ring_config) {
		.nr_pages = 1, .backward = true });
	const u64 size = PAGE_SIZE;
	bool notify;

	KUNIT_EXPECT_TRUE(test, write_record(ring, size - 8, &notify));
	KUNIT_EXPECT_FALSE(test, write_record(ring, 16, &notify));
	ring_give_up(ring, 64);
	KUNIT_EXPECT_FALSE(test, write_record(ring, 16, &notify));
	ring_give_up(ring, -8);
	KUNIT_EXPECT_TRUE(test, write_record(ring, 16, &notify));
	KUNIT_EXPECT_FALSE(test, write_record(ring, 8, &notify));
	KUNIT_EXPECT_EQ(test, ring_shown(ring), -(size + 8));
	KUNIT_EXPECT_EQ(test, ring_lost(ring), 3);
}

/* === Many laps against a model === */

#define MODEL_OPEN	6

/**
 * struct ring_model - expected state of the ring
 * @rnd: random state
 * @head: position up to which bytes are reserved
 * @tail: position up to which the reader has given up bytes
 * @lost: number of refused records
 * @nr_open: number of reserved records that are not committed
 * @open: positions of these records
 * @len: sizes of these records in bytes
 */
struct ring_model {
	struct rnd_state	rnd;
	u64			head;
	u64			tail;
	u64			lost;
	unsigned int		nr_open;
	u64			open[MODEL_OPEN];
	u32			len[MODEL_OPEN];
};

static u64 model_published(const struct ring_model *model)
{
	u64 published = model->head;
	unsigned int i;

	for (i = 0; i < model->nr_open; i++)
		published = min(published, model->open[i]);
	return published;
}

static u32 model_below(struct ring_model *model, u32 limit)
{
	return prandom_u32_state(&model->rnd) % limit;
}

static void model_reserve(struct kunit *test, struct ring_model *model,
			  struct perf_counter_ring *ring)
{
	u64 tail = ring->overwrite ? model_published(model) : model->tail;
	u32 limit = model_below(model, 8) ? 40 : ring->size / 8;
	u32 len = 8 + 8 * model_below(model, limit);
	bool fits = len <= PERF_COUNTER_RECORD_MAX && model->head + len - tail <= ring->size;
	u64 pos;
	void *at = ring_room(ring, len, &pos);

	KUNIT_ASSERT_EQ(test, !!at, fits);
	if (!at) {
		KUNIT_ASSERT_EQ(test, ring_lost(ring), ++model->lost);
		return;
	}
	KUNIT_ASSERT_EQ(test, pos, model->head);
	KUNIT_ASSERT_PTR_EQ(test, at, (void *)ring_at(ring, pos));
	model->open[model->nr_open] = pos;
	model->len[model->nr_open++] = len;
	model->head += len;
}

static void model_commit(struct ring_model *model, struct perf_counter_ring *ring)
{
	unsigned int i = model_below(model, model->nr_open);
	u64 pos = model->open[i];

	fill(ring_at(ring, pos), pos, model->len[i]);
	perf_counter_ring_commit(ring, pos, model->len[i]);
	model->nr_open--;
	model->open[i] = model->open[model->nr_open];
	model->len[i] = model->len[model->nr_open];
}

/* Check the published records, and give up all or a part of them. */
static void model_read(struct kunit *test, struct ring_model *model,
		       struct perf_counter_ring *ring)
{
	u64 shown = ring_shown(ring), pos;
	u64 tail = model_below(model, 2) ? shown : model->tail + (shown - model->tail) / 16 * 8;

	for (pos = model->tail; pos < shown; pos += 8)
		KUNIT_ASSERT_EQ(test, *ring_at(ring, pos), word_for(pos));
	for (pos = model->tail; pos < tail; pos += 8)
		*ring_at(ring, pos) = POISON;
	model->tail = tail;
	ring_give_up(ring, tail);
}

static void model_run(struct kunit *test, unsigned int nr_pages, bool overwrite, bool local)
{
	struct perf_counter_ring *ring = test_ring(test, (struct perf_counter_ring_config) {
		.nr_pages = nr_pages, .overwrite = overwrite, .local = local });
	struct ring_model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	u64 laps = 101;

	KUNIT_ASSERT_NOT_NULL(test, model);
	prandom_seed_state(&model->rnd, 42 + nr_pages);
	while (model->head >> ring->shift < laps || model->nr_open) {
		bool over = model->head >> ring->shift >= laps;
		u32 step = model_below(model, 8);

		if (step < 4 && model->nr_open < MODEL_OPEN && !over)
			model_reserve(test, model, ring);
		else if (step < 7 && model->nr_open)
			model_commit(model, ring);
		else if (step == 7 && !overwrite)
			model_read(test, model, ring);
		KUNIT_ASSERT_EQ(test, ring_shown(ring), model_published(model));
	}
	KUNIT_EXPECT_GT(test, model->lost, 0);
	KUNIT_EXPECT_EQ(test, ring_lost(ring), model->lost);
	test_ring_senses(test, ring, model->head);
	cond_resched();
}

static void ring_matches_its_model(struct kunit *test)
{
	model_run(test, 1, false, false);
	model_run(test, 8, false, false);
}

static void ring_matches_its_model_overwriting(struct kunit *test)
{
	model_run(test, 1, true, false);
	model_run(test, 8, true, false);
}

static void ring_matches_its_model_on_one_cpu(struct kunit *test)
{
	model_run(test, 1, false, true);
	model_run(test, 8, true, true);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_has_its_sizes_and_watermark),
	KUNIT_CASE(ring_does_not_wrap_records),
	KUNIT_CASE(ring_full_is_full_to_the_byte),
	KUNIT_CASE(ring_takes_the_largest_record),
	KUNIT_CASE(ring_marks_every_slot),
	KUNIT_CASE(ring_holds_back_a_nested_record),
	KUNIT_CASE(ring_refuses_while_paused),
	KUNIT_CASE(ring_notifies_each_watermark),
	KUNIT_CASE(ring_notifies_once_for_a_long_record),
	KUNIT_CASE(ring_mark_never_goes_back),
	KUNIT_CASE(ring_notifies_of_requested_records),
	KUNIT_CASE(ring_notifies_every_n_samples),
	KUNIT_CASE(ring_notifies_of_held_back_samples),
	KUNIT_CASE(ring_clamps_a_tail_ahead),
	KUNIT_CASE(ring_refuses_at_a_tail_behind),
	KUNIT_CASE(ring_corrects_data_head),
	KUNIT_CASE(ring_overwrites_the_oldest),
	KUNIT_CASE(ring_shows_reservations_before_overwriting),
	KUNIT_CASE(ring_backward_has_the_newest_first),
	KUNIT_CASE(ring_backward_respects_its_reader),
	KUNIT_CASE(ring_matches_its_model),
	KUNIT_CASE(ring_matches_its_model_overwriting),
	KUNIT_CASE(ring_matches_its_model_on_one_cpu),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "perf_counter_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);

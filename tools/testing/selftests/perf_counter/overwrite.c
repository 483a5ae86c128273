// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder: a buffer that is mapped read-only keeps the newest records. A buffer that is
 * written backward can be read while tasks write to it: the newest record is at data_head, and the
 * record before it in time follows it.
 */
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

FIXTURE(backward) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(backward)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.write_backward = 1;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->fd = -1;
}

FIXTURE_TEARDOWN(backward)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

static int start(struct perf_counter_attr *attr, struct pc_ring *ring, int *fd, int pages, int prot)
{
	*fd = pc_open(attr, 0, -1, -1);
	if (*fd < 0 || pc_ring_map_as(ring, *fd, pages, prot))
		return -1;
	pc_faults(2);
	return 0;
}

/* Copy the record at a position of a ring. Returns false unless it ends before @end. */
static bool record_at(struct pc_ring *ring, __u64 pos, __u64 end)
{
	if (end - pos < sizeof(rec.header))
		return false;
	pc_ring_copy(ring, pos, &rec.header, sizeof(rec.header));
	if (rec.header.size < sizeof(rec.header) || rec.header.size > end - pos)
		return false;
	pc_ring_copy(ring, pos, &rec, rec.header.size);
	return true;
}

/* Expect the samples from the newest one back to the first one, or to one that is overwritten. */
static void newest_first(struct __test_metadata *_metadata, struct pc_ring *ring,
			 struct perf_counter_attr *attr, int fd, int record)
{
	int fits = ring->size / record;

	for (int round = 0, total = 0; round < 6; round++) {
		int faults = fits / 2 + round, n = 0;
		char *map = pc_count_faults(fd, faults);
		__u64 head = pc_ring_head(ring), end;

		total += faults;
		ASSERT_EQ(-(__u64)total * record, head)
			TH_LOG("round %d", round);
		end = total * record < ring->size ? 0 : head + ring->size;
		for (__u64 pos = head; record_at(ring, pos, end); pos += record, n++) {
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			ASSERT_EQ(record, rec.header.size);
			ASSERT_TRUE(pc_parse_sample(attr, &rec, &s));
			if (n < faults) {
				ASSERT_EQ((unsigned long)map + (faults - 1 - n) * pc_page(), s.addr)
					TH_LOG("round %d: %d back", round, n);
			}
		}
		EXPECT_EQ(total < fits ? total : fits, n)
			TH_LOG("round %d", round);
	}
}

PC_TEST(backward, the_newest_record_is_at_the_head)
{
	ASSERT_OK(start(&self->attr, &self->ring, &self->fd, 2, PROT_READ));
	newest_first(_metadata, &self->ring, &self->attr, self->fd, 16);
}

/* Records of 40 bytes do not divide a page, so some wrap. */
PC_TEST(backward, records_that_wrap_are_whole)
{
	self->attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_PERIOD;
	ASSERT_OK(start(&self->attr, &self->ring, &self->fd, 1, PROT_READ));
	newest_first(_metadata, &self->ring, &self->attr, self->fd, 40);
}

PC_TEST(backward, records_during_a_pause_are_reported_lost)
{
	__u64 pos;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(start(&self->attr, &self->ring, &self->fd, 1, PROT_READ));
	pc_count_faults(self->fd, 300);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 1));
	pos = pc_ring_head(&self->ring);
	pc_count_faults(self->fd, 7);
	EXPECT_EQ(pos, pc_ring_head(&self->ring));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 0));
	pc_count_faults(self->fd, 2);
	pos = pc_ring_head(&self->ring);
	for (int i = 0; i < 2; i++, pos += rec.header.size) {
		ASSERT_TRUE(record_at(&self->ring, pos, pos + self->ring.size));
		EXPECT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
	}
	ASSERT_TRUE(record_at(&self->ring, pos, pos + self->ring.size));
	EXPECT_EQ(PERF_RECORD_LOST, rec.header.type);
	EXPECT_EQ(7, rec.words[2]);
}

/* With a writable mapping, unread records are not overwritten. */
PC_TEST(backward, a_writable_buffer_keeps_what_is_unread)
{
	int fits = pc_page() / 16, faults = fits + 44, kept = 0, n = 0;
	struct pc_values v;
	__u64 pos, tail;
	char *map;

	ASSERT_OK(start(&self->attr, &self->ring, &self->fd, 1, PROT_READ | PROT_WRITE));
	map = pc_count_faults(self->fd, faults);
	for (pos = pc_ring_head(&self->ring); record_at(&self->ring, pos, 0); pos += 16)
		kept++;
	EXPECT_LE(fits - 1, kept);
	EXPECT_GE(fits, kept);
	ASSERT_EQ(-(__u64)kept * 16, pc_ring_head(&self->ring));
	for (pos = pc_ring_head(&self->ring); record_at(&self->ring, pos, 0); pos += 16, n++) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_EQ((unsigned long)map + (kept - 1 - n) * pc_page(), s.addr)
			TH_LOG("record %d", n);
	}
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(faults - kept, v.v[0].lost);

	/* The test has read all records, so it sets the tail to the head. */
	tail = pc_ring_head(&self->ring);
	pc_ring_set_tail(&self->ring, tail);
	map = pc_count_faults(self->fd, 10);
	pos = pc_ring_head(&self->ring);
	for (n = 0; n < 10; n++, pos += rec.header.size) {
		ASSERT_TRUE(record_at(&self->ring, pos, tail));
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		EXPECT_EQ((unsigned long)map + (9 - n) * pc_page(), s.addr);
	}
	ASSERT_TRUE(record_at(&self->ring, pos, tail));
	EXPECT_EQ(PERF_RECORD_LOST, rec.header.type);
	EXPECT_EQ(faults - kept, rec.words[2]);
	EXPECT_EQ(tail, pos + rec.header.size);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(faults - kept, v.v[0].lost) TH_LOG("losses without the kept records");
	EXPECT_EQ(faults + 10, v.v[0].value);
}

PC_TEST(backward, forward_and_backward_counters_share_no_buffer)
{
	int fd;

	ASSERT_OK(start(&self->attr, &self->ring, &self->fd, 1, PROT_READ));
	self->attr.write_backward = 0;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	pc_ring_unmap(&self->ring);
	ASSERT_OK(pc_ring_map_as(&self->ring, fd, 1, PROT_READ));
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_COUNTER_IOC_SET_OUTPUT, fd));
	close(fd);
}

/*
 * Writers on every CPU run until they are told to stop. Each touches the same pages again and
 * again, so that a sample tells the address of the sample before it.
 */
#define PAGES 40

struct shared {
	int stop;
	int report[MAX_CPUS];	/* rounds after which a writer reports */
};

static struct shared *shared;
static char *map;

static void writer(struct pc_task *t)
{
	pc_touch(map, PAGES);
	madvise(map, PAGES * pc_page(), MADV_DONTNEED);
	pc_done(t);
	pc_await(t);
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		pc_touch(map, PAGES);
		madvise(map, PAGES * pc_page(), MADV_DONTNEED);
		if (__atomic_load_n(&shared->report[t->arg], __ATOMIC_RELAXED) &&
		    !__atomic_sub_fetch(&shared->report[t->arg], 1, __ATOMIC_RELAXED))
			pc_done(t);
	}
	pc_await(t);
}

struct recorder {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_ring parts[PERF_COUNTER_SUBRINGS_MAX];
	char *copy[2];
	int nr;
	struct pc_task t[MAX_CPUS];
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

static void recorder_start(struct __test_metadata *_metadata, struct recorder *self, int pages,
			   int prot)
{
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	self->attr.type = PERF_TYPE_SOFTWARE;
	self->attr.size = sizeof(self->attr);
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.disabled = 1;
	self->attr.inherit = 1;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
	map = pc_fresh(PAGES);
	shared = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map_as(&self->ring, self->fd, pages, prot));
	self->nr = pc_ring_split(&self->ring, self->parts);
	for (int i = 0; i < 2; i++) {
		self->copy[i] = calloc(pages, pc_page());
		ASSERT_NE(NULL, self->copy[i]);
	}
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_spawn(&self->t[i], writer, i));
		ASSERT_OK(pc_pin_task(self->t[i].pid, self->cpus[i]));
		ASSERT_OK(pc_reply(&self->t[i]));
	}
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_order(&self->t[i], 'g'));
}

static void recorder_stop(struct recorder *self)
{
	if (!shared)
		return;
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
	pc_ring_unmap(&self->ring);
	close(self->fd);
	for (int i = 0; i < 2; i++)
		free(self->copy[i]);
	munmap(shared, pc_page());
	munmap(map, PAGES * pc_page());
}

/* True if the CPU of a writer writes to this ring; there may be more rings than CPUs. */
static bool has_writer(const struct recorder *self, int ring)
{
	bool has = false;

	for (int i = 0; i < self->n; i++)
		has |= (self->cpus[i] & (self->nr - 1)) == ring;
	return has;
}

/* Wait until every writer has run a whole round. */
static int until_all_went_on(struct pc_task *t, int n)
{
	int bad = 0;

	for (int i = 0; i < n; i++)
		__atomic_store_n(&shared->report[i], 2, __ATOMIC_RELAXED);
	for (int i = 0; i < n; i++)
		bad |= pc_reply(&t[i]);
	return bad;
}

static __u64 reserved(struct pc_ring *ring, int i)
{
	return __atomic_load_n(&pc_subring(ring, i)->reserved, __ATOMIC_RELAXED);
}

/*
 * Copy a ring while tasks write to it, the newest record first. Returns the number of bytes of the
 * copy that were not overwritten meanwhile. Sets *overtaken to true if some bytes were.
 */
static __u64 snapshot(struct pc_ring *whole, struct pc_ring *part, int i, char *copy,
		      bool *overtaken)
{
	__u64 head = pc_ring_head(part), behind;

	pc_ring_copy(part, head, copy, part->size);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	behind = reserved(whole, i) + head;
	*overtaken = behind > 0;
	if (behind > part->size)
		return 0;
	return -head < part->size - behind ? -head : part->size - behind;
}

FIXTURE(snapshot) {
	struct recorder r;
};

FIXTURE_VARIANT(snapshot) {
	bool subrings;
	int pages;
};

FIXTURE_VARIANT_ADD(snapshot, one_ring) {
	.pages = 16,
};

FIXTURE_VARIANT_ADD(snapshot, subrings) {
	.subrings = true,
	.pages = 32,
};

FIXTURE_SETUP(snapshot)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->r.attr.write_backward = 1;
	self->r.attr.subrings = variant->subrings;
	recorder_start(_metadata, &self->r, variant->pages, PROT_READ);
}

FIXTURE_TEARDOWN(snapshot)
{
	recorder_stop(&self->r);
}

PC_TEST(snapshot, a_snapshot_has_whole_records_without_a_gap)
{
	struct recorder *r = &self->r;
	int taken = 0, complete = 0, tries = 0;
	__u64 depth = 0;

	/* Wait until each ring with a writer is full. */
	for (int k = 0; k < r->nr; k++) {
		while (has_writer(r, k) && -pc_ring_head(&r->parts[k]) < r->parts[k].size)
			ASSERT_OK(until_all_went_on(r->t, r->n));
	}
	for (; taken < 25 || !complete || depth <= r->parts[0].size / 2; tries++) {
		int k = tries % r->nr, at[MAX_CPUS], records = 0;
		struct pc_ring *part = &r->parts[k];
		bool lost = false, overtaken;
		__u64 good, end;

		ASSERT_GT(20000, tries)
			TH_LOG("of %d overtaken snapshots %d had no loss, the largest %llu bytes",
			       taken, complete, depth);
		good = snapshot(&r->ring, part, k, r->copy[0], &overtaken);
		ASSERT_GE(part->size, good);
		for (int i = 0; i < r->n; i++)
			at[i] = -1;
		for (end = 0; good - end >= sizeof(rec.header); records++) {
			int i, page;

			memcpy(&rec.header, r->copy[0] + end, sizeof(rec.header));
			/* The end of this record is overwritten. */
			if (rec.header.size > good - end)
				break;
			ASSERT_LE(sizeof(rec.header), rec.header.size);
			memcpy(&rec, r->copy[0] + end, rec.header.size);
			end += rec.header.size;
			if (rec.header.type == PERF_RECORD_LOST) {
				lost = true;
				continue;
			}
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type)
				TH_LOG("record %d of snapshot %d", records, tries);
			ASSERT_TRUE(pc_parse_sample(&r->attr, &rec, &s));
			ASSERT_EQ(k, s.cpu % r->nr);
			for (i = 0; i < r->n && s.pid != r->t[i].pid; i++)
				;
			page = (s.addr - (unsigned long)map) / pc_page();
			if (i == r->n || s.addr < (unsigned long)map || page >= PAGES)
				continue;
			ASSERT_EQ(r->cpus[i], s.cpu);
			ASSERT_EQ(0, s.addr % pc_page());
			if (at[i] >= 0 && !lost) {
				ASSERT_EQ((at[i] + PAGES - 1) % PAGES, page)
					TH_LOG("record %d of snapshot %d", records, tries);
			}
			at[i] = page;
		}
		/* Only snapshots that have both overwritten parts and records test something. */
		taken += records > 0 && overtaken;
		complete += records > 1 && !lost;
		depth = end > depth ? end : depth;
	}
}

FIXTURE(pause) {
	struct recorder r;
};

FIXTURE_VARIANT(pause) {
	bool backward;
	bool subrings;
	bool writable;
	int pages;
};

FIXTURE_VARIANT_ADD(pause, forward) {
	.pages = 4,
};

FIXTURE_VARIANT_ADD(pause, backward) {
	.backward = true,
	.pages = 4,
};

FIXTURE_VARIANT_ADD(pause, forward_subrings) {
	.subrings = true,
	.pages = 8,
};

FIXTURE_VARIANT_ADD(pause, backward_subrings) {
	.backward = true,
	.subrings = true,
	.pages = 8,
};

FIXTURE_VARIANT_ADD(pause, with_feedback) {
	.writable = true,
	.pages = 64,
};

FIXTURE_SETUP(pause)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->r.attr.write_backward = variant->backward;
	self->r.attr.subrings = variant->subrings;
	recorder_start(_metadata, &self->r, variant->pages,
		       PROT_READ | (variant->writable ? PROT_WRITE : 0));
}

FIXTURE_TEARDOWN(pause)
{
	recorder_stop(&self->r);
}

PC_TEST(pause, a_snapshot_has_no_unfinished_record)
{
	struct recorder *r = &self->r;

	ASSERT_OK(until_all_went_on(r->t, r->n));
	for (int round = 0; round < 3; round++) {
		__u64 heads[PERF_COUNTER_SUBRINGS_MAX];

		ASSERT_OK(ioctl(r->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 1));
		for (int k = 0; k < r->nr; k++) {
			heads[k] = pc_ring_head(&r->parts[k]);
			if (!variant->writable) {
				ASSERT_EQ(variant->backward ? -heads[k] : heads[k],
					  reserved(&r->ring, k))
					TH_LOG("round %d: ring %d is written to", round, k);
			}
		}
		memcpy(r->copy[0], r->ring.data, r->ring.size);
		ASSERT_OK(until_all_went_on(r->t, r->n));
		memcpy(r->copy[1], r->ring.data, r->ring.size);
		for (int k = 0; k < r->nr; k++) {
			ASSERT_EQ(heads[k], pc_ring_head(&r->parts[k]))
				TH_LOG("round %d ring %d", round, k);
		}
		ASSERT_EQ(0, memcmp(r->copy[0], r->copy[1], r->ring.size))
			TH_LOG("round %d", round);
		/* With a writable mapping, make room. */
		for (int k = 0; variant->writable && k < r->nr; k++)
			pc_ring_set_tail(&r->parts[k], heads[k]);
		ASSERT_OK(ioctl(r->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 0));
		ASSERT_OK(until_all_went_on(r->t, r->n));
		for (int k = 0; k < r->nr; k++) {
			EXPECT_EQ(has_writer(r, k), heads[k] != pc_ring_head(&r->parts[k]))
				TH_LOG("round %d: ring %d", round, k);
		}
	}
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

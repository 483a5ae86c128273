// SPDX-License-Identifier: GPL-2.0
/*
 * A buffer of several rings in one mapping, for counters with attr.subrings, and the unchanged
 * layout of other buffers.
 */
#include <poll.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

FIXTURE(rings) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_ring parts[PERF_COUNTER_SUBRINGS_MAX];
	int nr;
	struct pc_task t[MAX_CPUS];
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

#define FAULTS 50

/* The counter is inherited by tasks, one on each CPU. */
FIXTURE_SETUP(rings)
{
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.inherit = 1;
	self->attr.subrings = 1;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_spawn_on(&self->t[i], self->cpus[i], pc_worker, FAULTS));
}

FIXTURE_TEARDOWN(rings)
{
	if (self->fd < 0)
		return;
	pc_ring_unmap(&self->ring);
	close(self->fd);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
}

static int map_split(struct pc_ring *ring, struct pc_ring *parts, int fd, int pages)
{
	return pc_ring_map(ring, fd, pages) ? -1 : pc_ring_split(ring, parts);
}

static bool power_of_two(__u64 n)
{
	return n && !(n & (n - 1));
}

PC_TEST(rings, the_user_page_describes_the_subrings)
{
	int last = 0;

	for (int pages = 1; pages <= 512; pages *= 2) {
		struct perf_counter_mmap_layout *more;
		__u64 end;

		self->nr = map_split(&self->ring, self->parts, self->fd, pages);
		ASSERT_LE(1, self->nr);
		more = pc_ring_more(&self->ring);
		EXPECT_EQ(sizeof(*more), more->size);
		EXPECT_EQ(self->nr, more->nr_rings);
		EXPECT_GE(PERF_COUNTER_SUBRINGS_MAX, self->nr);
		EXPECT_TRUE(power_of_two(self->nr));
		EXPECT_LE(last, self->nr)
			TH_LOG("%d pages: a larger buffer has fewer rings", pages);
		last = self->nr;
		for (int i = 0; i < ARRAY_SIZE(more->__reserved); i++)
			EXPECT_EQ(0, more->__reserved[i]);
		EXPECT_EQ(pc_page(), self->ring.page->data_offset);
		EXPECT_EQ(pages * pc_page(), self->ring.page->data_size);
		end = self->ring.page->data_offset;
		for (int i = 0; i < self->nr; i++) {
			struct perf_counter_subring *sub = pc_subring(&self->ring, i);

			EXPECT_EQ(end, sub->offset)
				TH_LOG("%d pages: ring %d of %d", pages, i, self->nr);
			EXPECT_TRUE(power_of_two(sub->size));
			EXPECT_EQ(0, sub->head);
			EXPECT_EQ(0, sub->tail);
			EXPECT_EQ(0, sub->reserved);
			for (int j = 0; j < ARRAY_SIZE(sub->__reserved); j++)
				EXPECT_EQ(0, sub->__reserved[j]);
			end += sub->size;
		}
		EXPECT_EQ(self->ring.page->data_offset + self->ring.page->data_size, end);
		for (int i = self->nr; i < PERF_COUNTER_SUBRINGS_MAX; i++) {
			EXPECT_EQ(0, pc_subring(&self->ring, i)->size);
			EXPECT_EQ(0, pc_subring(&self->ring, i)->offset);
		}
		pc_ring_unmap(&self->ring);
	}
	/* A few hundred pages have room for a ring of each CPU. */
	EXPECT_LE(self->n < PERF_COUNTER_SUBRINGS_MAX ? self->n : PERF_COUNTER_SUBRINGS_MAX, last);
}

PC_TEST(rings, without_the_flag_the_layout_is_unchanged)
{
	struct perf_counter_subring *sub;
	int n = 0;

	close(self->fd);
	self->attr.subrings = 0;
	self->attr.inherit = 0;
	self->fd = pc_open(&self->attr, self->t[0].pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	EXPECT_EQ(sizeof(struct perf_counter_mmap_layout), pc_ring_more(&self->ring)->size);
	EXPECT_EQ(1, pc_ring_more(&self->ring)->nr_rings);
	sub = pc_subring(&self->ring, 0);
	EXPECT_EQ(pc_page(), sub->offset);
	EXPECT_EQ(64 * pc_page(), sub->size);
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	pc_disable(self->fd);
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		n++;
	}
	EXPECT_EQ(FAULTS, n);
	EXPECT_EQ(FAULTS * 32, self->ring.page->data_head);
	EXPECT_EQ(0, sub->head);
	EXPECT_EQ(0, sub->tail);
	EXPECT_EQ(0, pc_subring(&self->ring, 1)->size);
}

PC_TEST(rings, each_cpu_writes_to_its_own_subring)
{
	int seen[MAX_CPUS] = {};
	struct pc_values v;
	int all = 0;

	self->nr = map_split(&self->ring, self->parts, self->fd, 64);
	ASSERT_LE(self->n > 1 ? 2 : 1, self->nr);
	ASSERT_OK(pc_enable(self->fd));
	for (int round = 0; round < 4; round++)
		ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	for (int r = 0; r < self->nr; r++) {
		while (pc_ring_next(&self->parts[r], &rec)) {
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			ASSERT_EQ(r, s.cpu % self->nr)
				TH_LOG("a sample of CPU %u", s.cpu);
			all++;
			for (int i = 0; i < self->n; i++) {
				if (s.pid != self->t[i].pid)
					continue;
				ASSERT_EQ(self->cpus[i], s.cpu);
				seen[i]++;
			}
		}
		EXPECT_EQ(pc_subring(&self->ring, r)->head, pc_subring(&self->ring, r)->tail);
	}
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(4 * FAULTS, seen[i])
			TH_LOG("CPU %d", self->cpus[i]);
	}
	/* A single ring uses the fields data_head and data_tail. */
	EXPECT_EQ(self->nr > 1, !self->ring.page->data_head);
	EXPECT_EQ(self->nr > 1, !self->ring.page->data_tail);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].value, all);
	EXPECT_EQ(0, v.v[0].lost);
}

/* The ring of one CPU is full; the other rings lose nothing. */
PC_TEST(rings, losses_in_a_subring_are_its_own)
{
	__u64 lost[PERF_COUNTER_SUBRINGS_MAX] = {}, sum = 0;
	int kept[PERF_COUNTER_SUBRINGS_MAX] = {}, all = 0, mine;
	struct pc_values v;

	if (self->n < 2)
		SKIP(return, "needs 2 CPUs");
	self->nr = map_split(&self->ring, self->parts, self->fd, 16);
	ASSERT_LE(2, self->nr);
	mine = self->cpus[0] % self->nr;
	ASSERT_OK(pc_enable(self->fd));
	/* A task takes 50 samples of 32 bytes at each order, until the ring must be full. */
	for (__u64 bytes = 0; bytes < 2 * self->parts[mine].size; bytes += FAULTS * 32)
		ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	ASSERT_OK(pc_work_all(self->t, self->n));
	for (int twice = 0; twice < 2; twice++) {
		for (int r = 0; r < self->nr; r++) {
			while (pc_ring_next(&self->parts[r], &rec)) {
				if (rec.header.type == PERF_RECORD_LOST)
					lost[r] += rec.words[2];
				else
					kept[r]++;
			}
		}
		/* The LOST record comes before the next record. */
		if (!twice)
			ASSERT_OK(pc_work_all(self->t, self->n));
		if (!twice)
			ASSERT_OK(pc_disable(self->fd));
	}
	for (int r = 0; r < self->nr; r++) {
		if (r == mine) {
			EXPECT_LT(0, lost[r]);
		} else {
			EXPECT_EQ(0, lost[r])
				TH_LOG("ring %d", r);
		}
		sum += lost[r];
		all += kept[r];
	}
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(sum, v.v[0].lost);
	EXPECT_EQ(v.v[0].value, all + sum);
}

PC_TEST(rings, poll_waits_for_any_subring)
{
	struct pollfd p = { .events = POLLIN };

	/* Each task is counted in turn, so that the ring has only its faults. */
	self->attr.wakeup_events = 1;
	self->attr.inherit = 0;
	for (int i = 0; i < self->n; i++) {
		p.fd = pc_open(&self->attr, self->t[i].pid, -1, -1);
		ASSERT_FD(p.fd);
		self->nr = map_split(&self->ring, self->parts, p.fd, 64);
		ASSERT_LE(1, self->nr);
		ASSERT_OK(pc_enable(p.fd));
		for (int round = 0; round < 3; round++) {
			EXPECT_EQ(0, poll(&p, 1, 0));
			ASSERT_OK(pc_order(&self->t[i], PC_WORK));
			EXPECT_EQ(1, poll(&p, 1, -1));
			EXPECT_EQ(POLLIN, p.revents);
			ASSERT_OK(pc_reply(&self->t[i]));
			EXPECT_EQ(FAULTS, pc_ring_count(&self->parts[self->cpus[i] % self->nr],
							PERF_RECORD_SAMPLE));
			EXPECT_EQ(0, poll(&p, 1, 0)) TH_LOG("all records are read");
		}
		pc_ring_unmap(&self->ring);
		close(p.fd);
	}
}

/* A watermark applies to each ring: bytes in another ring do not count. */
PC_TEST(rings, each_subring_has_its_own_watermark)
{
	struct pollfd p = { .events = POLLIN };

	if (self->n < 2)
		SKIP(return, "needs 2 CPUs");
	close(self->fd);
	self->attr.inherit = 0;
	self->attr.watermark = 1;
	self->attr.wakeup_watermark = FAULTS * 32 + 32;
	self->fd = pc_open(&self->attr, self->t[0].pid, -1, -1);
	ASSERT_FD(self->fd);
	p.fd = self->fd;
	self->nr = map_split(&self->ring, self->parts, p.fd, 64);
	ASSERT_LE(2, self->nr);
	ASSERT_OK(pc_enable(p.fd));
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	EXPECT_EQ(0, poll(&p, 1, 0)) TH_LOG("one sample is missing to the watermark");
	ASSERT_OK(pc_disable(p.fd));
	ASSERT_OK(pc_pin_task(self->t[0].pid, self->cpus[1]));
	ASSERT_OK(pc_tell(&self->t[0], PC_WARM));
	ASSERT_OK(pc_enable(p.fd));
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	EXPECT_EQ(0, poll(&p, 1, 0)) TH_LOG("bytes in another ring do not count");
	ASSERT_OK(pc_tell(&self->t[0], PC_WORK));
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_EQ(POLLIN, p.revents);
}

PC_TEST(rings, other_counters_write_to_subrings)
{
	struct perf_counter_attr attr = self->attr;
	int fds[MAX_CPUS], seen[MAX_CPUS] = {};

	attr.inherit = 0;
	attr.subrings = 0;
	self->nr = map_split(&self->ring, self->parts, self->fd, 64);
	ASSERT_LE(1, self->nr);
	for (int i = 0; i < self->n; i++) {
		/* Every second counter counts a CPU; the others count tasks. */
		fds[i] = i & 1 ? pc_open(&attr, -1, self->cpus[i], -1) :
				 pc_open(&attr, self->t[i].pid, -1, -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(ioctl(fds[i], PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
		ASSERT_OK(pc_enable(fds[i]));
	}
	ASSERT_OK(pc_work_all(self->t, self->n));
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_disable(fds[i]));
	for (int r = 0; r < self->nr; r++) {
		while (pc_ring_next(&self->parts[r], &rec)) {
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
			ASSERT_EQ(r, s.cpu % self->nr);
			for (int i = 0; i < self->n; i++)
				seen[i] += s.pid == self->t[i].pid;
		}
	}
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(FAULTS, seen[i])
			TH_LOG("CPU %d", self->cpus[i]);
		close(fds[i]);
	}
}

PC_TEST(rings, a_counter_of_one_cpu_may_have_subrings)
{
	struct perf_counter_attr attr = self->attr;
	int seen = 0;

	attr.inherit = 0;
	close(self->fd);
	self->fd = pc_open(&attr, -1, self->cpus[self->n - 1], -1);
	ASSERT_FD(self->fd);
	self->nr = map_split(&self->ring, self->parts, self->fd, 64);
	ASSERT_LE(1, self->nr);
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	for (int r = 0; r < self->nr; r++) {
		while (pc_ring_next(&self->parts[r], &rec)) {
			ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
			ASSERT_EQ(self->cpus[self->n - 1], s.cpu);
			seen += s.pid == self->t[self->n - 1].pid;
		}
	}
	EXPECT_EQ(FAULTS, seen);
}

/* Records wrap in each of the smallest rings. */
PC_TEST(rings, small_subrings_lose_nothing_with_a_fast_reader)
{
	int seen[MAX_CPUS] = {};

	self->nr = map_split(&self->ring, self->parts, self->fd, 4);
	ASSERT_LE(1, self->nr);
	ASSERT_OK(pc_enable(self->fd));
	for (int round = 0; round < 40; round++) {
		/* 4096 bytes are 128 samples, and a task takes 50. */
		for (int i = 0; i < self->n; i++) {
			ASSERT_OK(pc_tell(&self->t[i], PC_WORK));
			for (int r = 0; r < self->nr; r++) {
				while (pc_ring_next(&self->parts[r], &rec)) {
					ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
					ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
					for (int j = 0; j < self->n; j++)
						seen[j] += s.pid == self->t[j].pid;
				}
			}
		}
	}
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(40 * FAULTS, seen[i])
			TH_LOG("CPU %d", self->cpus[i]);
	}
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

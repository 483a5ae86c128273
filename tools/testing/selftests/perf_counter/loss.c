// SPDX-License-Identifier: GPL-2.0
/*
 * Exact loss: under any load, the events that arrived and those that were lost add up to the
 * attempts, for each counter and for all together, and the LOST records have the same sum as
 * PERF_FORMAT_LOST.
 *
 * The events are page faults with a period of 1, so a counter's value is the number of attempts.
 */
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

FIXTURE(loss) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_ring parts[PERF_COUNTER_SUBRINGS_MAX];
	int nr;
	struct pc_task t[MAX_CPUS];
	int cpus[MAX_CPUS];
	int n;
	int fd;			/* owner of the buffer, which counts nothing */
	int clock;
	int fds[2 * MAX_CPUS];
	__u64 ids[2 * MAX_CPUS];
	__u64 got[2 * MAX_CPUS];
	__u64 reported;
};

FIXTURE_VARIANT(loss) {
	int pages;
	bool subrings;
	bool slow;		/* the reader takes one record at a time, with pauses */
	bool pause;		/* the buffer is paused now and then */
	bool clock;		/* an hrtimer interrupts the writers and writes, too */
	bool trailer;
};

FIXTURE_VARIANT_ADD(loss, tiny) {
	.pages = 1,
};

FIXTURE_VARIANT_ADD(loss, tiny_with_a_slow_reader) {
	.pages = 1,
	.slow = true,
	.trailer = true,
};

FIXTURE_VARIANT_ADD(loss, paused_now_and_then) {
	.pages = 4,
	.pause = true,
};

FIXTURE_VARIANT_ADD(loss, interrupted) {
	.pages = 2,
	.clock = true,
};

FIXTURE_VARIANT_ADD(loss, subrings) {
	.pages = 4,
	.subrings = true,
};

FIXTURE_VARIANT_ADD(loss, subrings_with_everything) {
	.pages = 4,
	.subrings = true,
	.slow = true,
	.pause = true,
	.clock = true,
	.trailer = true,
};

#define PAGES 100
/* More records than a buffer has room for, for each size of a page. */
#define ROUNDS (5 * (int)(pc_page() / 4096))

/* A task that takes many page faults at the order 'f', and one page fault at the order 'o'. */
static void flooder(struct pc_task *t)
{
	char *map = pc_fresh(PAGES), order;

	while ((order = pc_await(t))) {
		for (int i = 0; i < (order == 'f' ? ROUNDS : 0); i++) {
			pc_touch(map, PAGES);
			madvise(map, PAGES * pc_page(), MADV_DONTNEED);
		}
		if (order == 'o')
			pc_faults(1);
		pc_done(t);
	}
}

FIXTURE_SETUP(loss)
{
	struct perf_counter_attr attr;

	self->fd = -1;
	self->clock = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_IDENTIFIER;
	self->attr.sample_id_all = variant->trailer;
	self->attr.read_format = PERF_FORMAT_LOST;
	attr = self->attr;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.subrings = variant->subrings;
	self->fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, variant->pages));
	self->nr = pc_ring_split(&self->ring, self->parts);
	/* Each task has two counters. */
	for (int i = 0; i < 2 * self->n; i++) {
		struct pc_task *t = &self->t[i / 2];

		if (!(i & 1)) {
			ASSERT_OK(pc_spawn(t, flooder, 0));
			ASSERT_OK(pc_pin_task(t->pid, self->cpus[i / 2]));
			ASSERT_OK(pc_tell(t, 'f'));
			ASSERT_OK(pc_tell(t, 'o'));
		}
		self->fds[i] = pc_open(&self->attr, t->pid, -1, -1);
		ASSERT_FD(self->fds[i]);
		self->ids[i] = pc_id(self->fds[i]);
		ASSERT_OK(ioctl(self->fds[i], PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	}
	if (variant->clock) {
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = 200000;
		attr.subrings = 0;
		self->clock = pc_open(&attr, -1, -1, -1);
		ASSERT_FD(self->clock);
		ASSERT_OK(ioctl(self->clock, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	}
}

FIXTURE_TEARDOWN(loss)
{
	if (self->fd < 0)
		return;
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->clock);
	for (int i = 0; i < 2 * self->n; i++)
		close(self->fds[i]);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
}

/* Take up to @max records out of each ring. Returns their number. */
static int take_records(FIXTURE_DATA(loss) * self, int max)
{
	int n = 0;

	for (int r = 0; r < self->nr; r++) {
		for (int i = 0; i < max && pc_ring_next(&self->parts[r], &rec); i++, n++) {
			if (rec.header.type == PERF_RECORD_LOST) {
				self->reported += rec.words[2];
				continue;
			}
			if (rec.header.type != PERF_RECORD_SAMPLE ||
			    !pc_parse_sample(&self->attr, &rec, &s))
				return -1;
			for (int j = 0; j < 2 * self->n; j++)
				self->got[j] += s.identifier == self->ids[j];
		}
	}
	return n;
}

PC_TEST(loss, arrived_and_lost_add_up_to_all_attempts)
{
	bool done[MAX_CPUS] = {};
	__u64 lost = 0, sum = 0;
	struct pc_values v;

	for (int i = 0; i < 2 * self->n; i++)
		ASSERT_OK(pc_enable(self->fds[i]));
	if (self->clock >= 0)
		ASSERT_OK(pc_enable(self->clock));
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_order(&self->t[i], 'f'));
	for (int running = self->n, round = 0; running; round++) {
		ASSERT_LE(0, take_records(self, variant->slow ? 1 : INT_MAX));
		if (variant->pause && round % 4 == 0)
			ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, round & 4));
		if (variant->slow)
			sched_yield();
		for (int i = 0; i < self->n; i++) {
			char c;

			if (done[i] || recv(self->t[i].parent_end, &c, 1, MSG_DONTWAIT) != 1)
				continue;
			done[i] = true;
			running--;
		}
	}
	if (variant->pause)
		ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 0));
	/* The reader may have kept up until now: cause losses without a reader. */
	ASSERT_OK(pc_tell(&self->t[0], 'f'));
	for (int i = 0; i < 2 * self->n; i++)
		ASSERT_OK(pc_disable(self->fds[i]));
	if (self->clock >= 0)
		ASSERT_OK(pc_disable(self->clock));
	ASSERT_LE(0, take_records(self, INT_MAX));
	/* Write one more record on each CPU: the record finds room, and the losses are reported. */
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_enable(self->fds[2 * i]));
		ASSERT_OK(pc_tell(&self->t[i], 'o'));
		ASSERT_OK(pc_disable(self->fds[2 * i]));
	}
	ASSERT_LE(self->n, take_records(self, INT_MAX));

	for (int i = 0; i < 2 * self->n; i++) {
		ASSERT_LT(0, pc_read(self->fds[i], PERF_FORMAT_LOST, &v));
		EXPECT_EQ(ROUNDS * PAGES * (i / 2 ? 1 : 2) + !(i & 1), v.v[0].value)
			TH_LOG("counter %d", i);
		EXPECT_EQ(v.v[0].value, self->got[i] + v.v[0].lost)
			TH_LOG("counter %d: %llu arrived, %llu lost of %llu", i, self->got[i],
			       v.v[0].lost, v.v[0].value);
		lost += v.v[0].lost;
		sum += self->got[i];
	}
	if (self->clock >= 0) {
		ASSERT_LT(0, pc_read(self->clock, PERF_FORMAT_LOST, &v));
		lost += v.v[0].lost;
	}
	EXPECT_EQ(lost, self->reported) TH_LOG("the sum of the LOST records");
	EXPECT_LT(0, lost) TH_LOG("no record was lost, so the test shows nothing");
	EXPECT_LT(0, sum);
}

/* The number of new names of a task. COMM records are not samples, and they have many lengths. */
#define NAMES (300 * (int)(pc_page() / 4096))

static void renamer(struct pc_task *t)
{
	char name[16], order;

	while ((order = pc_await(t))) {
		for (int i = 0; i < (order == 'f' ? NAMES : 1); i++) {
			snprintf(name, sizeof(name), "%.*s", i % 16, "a-longish-name-");
			prctl(PR_SET_NAME, name);
		}
		pc_done(t);
	}
}

FIXTURE(names) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_task t[MAX_CPUS];
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

FIXTURE_SETUP(names)
{
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	self->attr.inherit = 1;
	self->attr.comm = 1;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 1));
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_spawn(&self->t[i], renamer, 0));
		ASSERT_OK(pc_pin_task(self->t[i].pid, self->cpus[i]));
		ASSERT_OK(pc_tell(&self->t[i], 'o'));
	}
}

FIXTURE_TEARDOWN(names)
{
	if (self->fd < 0)
		return;
	pc_ring_unmap(&self->ring);
	close(self->fd);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
}

/* Take all records. Returns the number of names, and adds the reported losses to *reported. */
static int names_taken(struct pc_ring *ring, __u64 *reported)
{
	int n = 0;

	while (pc_ring_next(ring, &rec)) {
		if (rec.header.type == PERF_RECORD_LOST)
			*reported += rec.words[2];
		n += rec.header.type == PERF_RECORD_COMM;
	}
	return n;
}

PC_TEST(names, lost_side_band_records_are_counted)
{
	bool done[MAX_CPUS] = {};
	__u64 reported = 0;
	struct pc_values v;
	int got = 0;

	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_order(&self->t[i], 'f'));
	for (int running = self->n; running;) {
		got += names_taken(&self->ring, &reported);
		for (int i = 0; i < self->n; i++) {
			char c;

			if (done[i] || recv(self->t[i].parent_end, &c, 1, MSG_DONTWAIT) != 1)
				continue;
			done[i] = true;
			running--;
		}
	}
	/* The reader may have kept up until now: cause losses without a reader. */
	ASSERT_OK(pc_tell(&self->t[0], 'f'));
	got += names_taken(&self->ring, &reported);
	/* One more record finds room, and the losses are reported. */
	ASSERT_OK(pc_tell(&self->t[0], 'o'));
	ASSERT_OK(pc_disable(self->fd));
	got += names_taken(&self->ring, &reported);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].lost, reported);
	EXPECT_EQ((self->n + 1) * NAMES + 1, got + reported);
	EXPECT_LT(0, reported) TH_LOG("no record was lost, so the test shows nothing");
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of the PMU in relation to time, for a steady load. On an emulated machine the load is
 * steady if an instruction always takes a nanosecond.
 */
#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define ROUNDS 100000

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

FIXTURE(steady) {
	struct perf_counter_attr attr;
};

FIXTURE_SETUP(steady)
{
	self->attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
}

FIXTURE_TEARDOWN(steady)
{
}

/* Run the loop for @ns of CPU time. Returns the time it took. */
static __u64 loop_for(__u64 ns)
{
	__u64 begin = pc_clock(CLOCK_THREAD_CPUTIME_ID), elapsed;

	do {
		pc_loop(ROUNDS);
		elapsed = pc_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
	} while (elapsed < ns);
	return elapsed;
}

PC_TEST(steady, a_frequency_is_reached_within_5_percent)
{
	static const int freqs[] = { 1000, 4000 };
	struct pc_ring ring;
	__u64 elapsed;
	int fd, n, want;

	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	self->attr.freq = 1;
	for (int i = 0; i < ARRAY_SIZE(freqs); i++) {
		self->attr.sample_freq = freqs[i];
		fd = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 256));
		/* A second of CPU time: time of other tasks on the CPU is not sampled. */
		pc_enable(fd);
		elapsed = loop_for(1000000000);
		pc_disable(fd);
		n = pc_ring_count(&ring, PERF_RECORD_SAMPLE);
		want = freqs[i] * elapsed / 1000000000;
		EXPECT_GE(want * 105 / 100, n);
		EXPECT_LE(want * 95 / 100, n);
		pc_ring_unmap(&ring);
		close(fd);
	}
}

/* Open groups of @size counters of the loop, @max counters in all. */
static int open_groups(struct perf_counter_attr *attr, int size, int *fds, int max)
{
	struct perf_counter_attr member = *attr;
	int n = 0;

	member.disabled = 0;
	for (; n < max; n += size) {
		for (int i = 0; i < size; i++) {
			fds[n + i] = pc_open(i ? &member : attr, 0, -1,
					     i ? fds[n] : -1);
			if (fds[n + i] < 0)
				return -1;
		}
	}
	return n;
}

PC_TEST(steady, groups_take_turns_and_scaled_counts_are_right)
{
	struct pc_values r, all;
	int fds[33], always;
	double want, have;
	int alone = 0;

	/*
	 * The rate of a counter that always runs is the rate that all other counters have to show.
	 */
	self->attr.read_format = TIMES;
	self->attr.pinned = 1;
	always = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(always);
	self->attr.pinned = 0;
	ASSERT_EQ(33, open_groups(&self->attr, 3, fds, 33));

	pc_enable(always);
	for (int i = 0; i < 33; i += 3)
		pc_enable(fds[i]);
	loop_for(2000000000);
	for (int i = 30; i >= 0; i -= 3)
		pc_disable(fds[i]);
	pc_disable(always);

	ASSERT_LT(0, pc_read(always, TIMES, &all));
	EXPECT_EQ(all.enabled, all.running);
	for (int i = 0; i < 33; i++) {
		ASSERT_LT(0, pc_read(fds[i], TIMES, &r));
		ASSERT_LT(0, r.running) TH_LOG("counter %d never ran", i);
		alone += r.running == r.enabled;
		want = (double)all.v[0].value / all.running;
		have = (double)r.v[0].value / r.running;
		EXPECT_TRUE(have > want * 0.99 && have < want * 1.01)
			TH_LOG("counter %d: %f of %f instructions per ns", i, have, want);
		close(fds[i]);
	}
	/* No PMU has 34 counters, so the groups took turns. */
	EXPECT_EQ(0, alone);
	close(always);
}

int main(int argc, char **argv)
{
	return pc_hw_main(argc, argv);
}

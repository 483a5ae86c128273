// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl() and prctl() on counters: REFRESH, PERIOD, ID, SET_OUTPUT, PAUSE_OUTPUT, the prctl() calls
 * for all counters of a task, and from which tasks and CPUs these calls work.
 */
#include <poll.h>

#include "pc_arch.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

static union pc_record rec;
static struct pc_sample s;

FIXTURE(ioctl) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(ioctl)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 8));
	pc_faults(2);
	pc_value(self->fd);
}

FIXTURE_TEARDOWN(ioctl)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

PC_TEST(ioctl, an_unknown_ioctl_is_enotty)
{
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IO('$', 63), 0));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IO('$', 200), 0));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, 0x5401, 0));
}

/* Only attributes of breakpoints can be modified. */
PC_TEST(ioctl, attributes_of_software_events_cannot_be_modified)
{
	struct perf_counter_attr attr = self->attr;

	EXPECT_ERRNO(EOPNOTSUPP, ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	attr.type = PERF_TYPE_BREAKPOINT;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	attr.size = 1;
	EXPECT_ERRNO(E2BIG, ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, NULL));
}

/* Programs that omit the argument pass the contents of a register. */
PC_TEST(ioctl, only_the_group_bit_of_an_argument_counts)
{
	static const unsigned long commands[] = {
		PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_RESET,
	};

	for (int i = 0; i < ARRAY_SIZE(commands); i++) {
		EXPECT_OK(ioctl(self->fd, commands[i], PERF_COUNTER_IOC_FLAG_GROUP));
		EXPECT_OK(ioctl(self->fd, commands[i], 2));
		EXPECT_OK(ioctl(self->fd, commands[i], -1L));
	}
}

PC_TEST(ioctl, without_the_group_bit_members_do_not_change)
{
	int member = pc_open(&self->attr, 0, -1, self->fd);

	ASSERT_FD(member);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_ENABLE, 2));
	pc_faults(5);
	EXPECT_EQ(0, pc_value(member));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_FLAG_GROUP | 2));
	pc_faults(5);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_DISABLE, -1L));
	EXPECT_EQ(5, pc_value(member));
	close(member);
}

PC_TEST(ioctl, refresh_by_0_has_no_limit_and_by_too_much_is_refused)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 0));
	pc_faults(50);
	pc_disable(self->fd);
	EXPECT_EQ(50, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 1UL << 31));
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 1UL << 40));
}

PC_TEST(ioctl, id_needs_a_valid_pointer)
{
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_ID, NULL));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_ID, 8L));
}

PC_TEST(ioctl, refresh_by_n_allows_n_samples)
{
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 3));
	pc_faults(10);
	EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	if (!PC_WORK_IS_LATE)
		EXPECT_EQ(3, pc_value(self->fd))
			TH_LOG("the counter has to stop after the third sample");

	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 2));
	pc_faults(10);
	EXPECT_EQ(2, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	if (!PC_WORK_IS_LATE)
		EXPECT_EQ(5, pc_value(self->fd));
}

PC_TEST(ioctl, refreshes_add_up)
{
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 3));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 4));
	pc_faults(10);
	EXPECT_EQ(7, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(ioctl, refresh_counts_samples_not_events)
{
	__u64 period = 5;

	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 2));
	pc_faults(50);
	EXPECT_EQ(2, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	if (!PC_WORK_IS_LATE)
		EXPECT_GE(10, pc_value(self->fd));
}

PC_TEST(ioctl, refresh_that_runs_out_signals_a_hangup)
{
	struct timespec none = {};
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	ASSERT_OK(sigprocmask(SIG_BLOCK, &set, NULL));
	ASSERT_OK(fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_OK(fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR | O_ASYNC));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 1));
	pc_faults(3);
	ASSERT_EQ(SIGRTMIN, sigwaitinfo(&set, &info));
	EXPECT_EQ(self->fd, info.si_fd);
	EXPECT_EQ(POLL_HUP, info.si_code);
	EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, &info, &none));
}

PC_TEST(ioctl, refresh_that_has_run_out_polls_as_a_hangup)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 2));
	pc_faults(1);
	EXPECT_GE(1, poll(&p, 1, 0));
	EXPECT_EQ(0, p.revents & POLLHUP) TH_LOG("the limit has one sample left");
	pc_faults(3);
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_NE(0, p.revents & POLLHUP);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 2));
	poll(&p, 1, 0);
	EXPECT_EQ(0, p.revents & POLLHUP) TH_LOG("the counter was refreshed");
}

PC_TEST(ioctl, refresh_needs_a_counter_that_samples)
{
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);

	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_REFRESH, 1));
	close(fd);
}

PC_TEST(ioctl, refresh_of_an_inherited_counter_is_refused)
{
	int fd;

	self->attr.inherit = 1;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_REFRESH, 1));
	close(fd);
}

PC_TEST(ioctl, period_changes_the_distance_of_samples)
{
	__u64 period = 10, last = 0;
	int n = 0;
	char *map;

	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	pc_enable(self->fd);
	map = pc_fresh(100);
	pc_touch(map, 100);
	pc_disable(self->fd);
	for (; pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (n) {
			ASSERT_EQ(10 * pc_page(), s.addr - last)
				TH_LOG("sample %d", n);
		}
		last = s.addr;
	}
	/* The first sample may come at the end of the old period. */
	EXPECT_LE(9, n);
	EXPECT_GE(11, n);
}

PC_TEST(ioctl, period_can_change_while_the_counter_is_on)
{
	__u64 period = 50;
	int before, after;

	pc_enable(self->fd);
	pc_faults(20);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	before = pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
	pc_faults(200);
	pc_disable(self->fd);
	after = pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(20, before);
	EXPECT_LE(3, after);
	EXPECT_GE(6, after);
}

PC_TEST(ioctl, bad_periods_are_refused)
{
	__u64 period = 0;
	int fd;

	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	period = 1ULL << 63;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, NULL));

	period = 10;
	fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_PERIOD, &period));
	close(fd);
}

PC_TEST(ioctl, a_frequency_is_changed_within_the_sysctls_limit)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 freq = pc_sysctl_read("max_sample_rate");
	int fd;

	attr.freq = 1;
	attr.sample_freq = 100;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	EXPECT_OK(ioctl(fd, PERF_COUNTER_IOC_PERIOD, &freq));
	freq++;
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_PERIOD, &freq));
	close(fd);
}

PC_TEST(ioctl, pause_keeps_samples_out_and_counts_them_as_lost)
{
	struct pc_values v;
	int fd, n;

	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->attr.read_format = PERF_FORMAT_LOST;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	fd = self->fd;
	ASSERT_OK(pc_ring_map(&self->ring, fd, 8));

	pc_enable(fd);
	pc_faults(5);
	pc_disable(fd);
	n = pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(5, n);
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 1));
	pc_enable(fd);
	pc_faults(7);
	pc_disable(fd);
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	pc_read(fd, PERF_FORMAT_LOST, &v);
	EXPECT_EQ(n + 7, v.v[0].value);
	EXPECT_EQ(7, v.v[0].lost);
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 0));
	pc_enable(fd);
	pc_faults(2);
	pc_disable(fd);
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_LOST, rec.header.type);
	EXPECT_EQ(7, rec.words[2]);
	EXPECT_EQ(2, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(ioctl, pause_needs_a_buffer)
{
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 1));
	close(fd);
}

PC_TEST(ioctl, several_counters_write_to_one_buffer)
{
	__u64 id = pc_id(self->fd), other_id;
	int fd = pc_open(&self->attr, 0, -1, -1);
	int n = 0, others = 0;

	ASSERT_FD(fd);
	other_id = pc_id(fd);
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	pc_enable(fd);
	pc_enable(self->fd);
	pc_faults(10);
	pc_disable(self->fd);
	pc_faults(5);
	pc_disable(fd);
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_TRUE(s.id == id || s.id == other_id);
		n += s.id == id;
		others += s.id == other_id;
	}
	EXPECT_EQ(25, n + others);
	/* perf_events gives all counters of one event the id of the first. */
	if (!pc_on_perf_event()) {
		EXPECT_EQ(10, n)
			TH_LOG("and %d samples of the other counter", others);
	}

	/* Without SET_OUTPUT the counter's samples go nowhere. */
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, -1L));
	pc_enable(fd);
	pc_faults(5);
	pc_disable(fd);
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(20, pc_value(fd));
	close(fd);
}

PC_TEST(ioctl, the_output_flag_sets_the_output_at_open)
{
	int fd = pc_open_raw(&self->attr, 0, -1, self->fd,
			     PERF_COUNTER_FLAG_FD_OUTPUT | PERF_COUNTER_FLAG_FD_NO_GROUP);

	ASSERT_FD(fd);
	pc_enable(fd);
	pc_faults(6);
	pc_disable(fd);
	EXPECT_EQ(6, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, pc_value(self->fd));
	close(fd);
}

PC_TEST(ioctl, a_buffer_outlives_the_counter_that_created_it)
{
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	close(self->fd);
	self->fd = fd;
	pc_enable(fd);
	pc_faults(6);
	pc_disable(fd);
	EXPECT_EQ(6, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(ioctl, set_output_refuses_invalid_outputs)
{
	struct perf_counter_attr other_clock = self->attr;
	int fd = pc_open(&self->attr, 0, -1, -1);
	int bare = pc_open(&self->attr, 0, -1, -1);
	int cpu = pc_open(&self->attr, -1, 0, -1);
	int clock, pipes[2];
	struct pc_task t;
	int task;

	other_clock.use_clockid = 1;
	other_clock.clockid = CLOCK_MONOTONIC;
	clock = pc_open(&other_clock, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_FD(bare);
	ASSERT_FD(cpu);
	ASSERT_FD(clock);
	ASSERT_OK(pipe(pipes));
	ASSERT_OK(pc_spawn(&t, pc_worker, 0));
	task = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(task);
	EXPECT_ERRNO(EBADF, ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, 9999));
	EXPECT_ERRNO(EBADF, ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, pipes[0]));
	/* A counter cannot be its own output. */
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, fd));
	/* A counter without a buffer cannot be an output. */
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, bare));
	/* A counter with its own buffer cannot have another output. */
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_COUNTER_IOC_SET_OUTPUT, fd));
	/* Counters with different clocks cannot share a buffer: its times have one clock. */
	EXPECT_ERRNO(EINVAL, ioctl(clock, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	/* Buffers of perf_counter take counters of other CPUs and of other tasks. */
	if (pc_on_perf_event()) {
		EXPECT_ERRNO(EINVAL, ioctl(cpu, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
		EXPECT_ERRNO(EINVAL, ioctl(task, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	} else {
		EXPECT_OK(ioctl(cpu, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
		EXPECT_OK(ioctl(task, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	}
	EXPECT_OK(pc_reap(&t));
	close(task);
	close(clock);
	close(cpu);
	close(bare);
	close(fd);
}

PC_TEST(ioctl, one_buffer_takes_the_records_of_every_cpu_and_task)
{
	int cpus[8], n = pc_cpus(cpus, 8), fds[8], seen[8] = {}, others = 0;
	struct pc_ring ring;
	struct pc_task t;
	int other;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	/* On each CPU count the faults of a process that moves there, and those of this task. */
	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&ring, self->fd, 64));
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 15));
	other = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(other);
	ASSERT_OK(ioctl(other, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	for (int i = 0; i < n; i++) {
		fds[i] = pc_open(&self->attr, -1, cpus[i], -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(ioctl(fds[i], PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
		pc_enable(fds[i]);
	}
	for (int i = 0; i < n; i++) {
		ASSERT_OK(pc_pin(cpus[i]));
		pc_faults(10);
	}
	for (int i = 0; i < n; i++)
		pc_disable(fds[i]);
	pc_enable(other);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(other);
	while (pc_ring_next(&ring, &rec)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		others += s.identifier == pc_id(other);
		for (int i = 0; i < n; i++) {
			if (s.identifier != pc_id(fds[i]))
				continue;
			ASSERT_EQ(cpus[i], s.cpu);
			seen[i] += s.pid == getpid();
		}
	}
	EXPECT_EQ(15, others);
	for (int i = 0; i < n; i++) {
		EXPECT_LE(10, seen[i])
			TH_LOG("CPU %d", cpus[i]);
		close(fds[i]);
	}
	EXPECT_OK(pc_reap(&t));
	pc_ring_unmap(&ring);
	close(other);
}

PC_TEST(ioctl, cpu_counters_share_the_buffer_of_their_cpu)
{
	int cpus[2], first, second, n = pc_cpus(cpus, 2);
	struct pc_ring ring;

	if (n < 2)
		SKIP(return, "needs 2 CPUs");
	first = pc_open(&self->attr, -1, cpus[0], -1);
	ASSERT_FD(first);
	ASSERT_OK(pc_ring_map(&ring, first, 1));
	second = pc_open(&self->attr, -1, cpus[0], -1);
	ASSERT_FD(second);
	EXPECT_OK(ioctl(second, PERF_COUNTER_IOC_SET_OUTPUT, first));
	close(second);
	second = pc_open(&self->attr, -1, cpus[1], -1);
	ASSERT_FD(second);
	EXPECT_ERRNO(EINVAL, ioctl(second, PERF_COUNTER_IOC_SET_OUTPUT, first));
	close(second);
	pc_ring_unmap(&ring);
	close(first);
}

static void enabler(struct pc_task *t)
{
	int cpus[2];

	if (pc_cpus(cpus, 2) == 2)
		pc_pin(cpus[1]);
	for (;;) {
		char order = pc_await(t);

		if (order == 'e' && pc_enable(t->arg))
			_exit(1);
		if (order == 'd' && pc_disable(t->arg))
			_exit(1);
		if (order == 'r' && pc_reset(t->arg))
			_exit(1);
		if (!order)
			break;
		pc_done(t);
	}
}

static void switched_by(struct __test_metadata *_metadata, struct pc_task *t, int fd)
{
	int cpu;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	ASSERT_OK(pc_tell(t, 'd'));
	ASSERT_OK(pc_tell(t, 'r'));
	pc_faults(1);
	for (int i = 1; i <= 20; i++) {
		ASSERT_OK(pc_tell(t, 'e'));
		pc_faults(3);
		ASSERT_OK(pc_tell(t, 'd'));
		pc_faults(2);
		ASSERT_EQ(3 * i, pc_value(fd));
	}
	ASSERT_OK(pc_tell(t, 'r'));
	EXPECT_EQ(0, pc_value(fd));
}

PC_TEST(ioctl, a_process_on_another_cpu_enables_and_disables)
{
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_task t;

	ASSERT_FD(fd);
	ASSERT_OK(pc_spawn(&t, enabler, fd));
	switched_by(_metadata, &t, fd);
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

PC_TEST(ioctl, a_thread_on_another_cpu_enables_and_disables)
{
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_task t;

	ASSERT_FD(fd);
	ASSERT_OK(pc_thread(&t, enabler, fd));
	switched_by(_metadata, &t, fd);
	ASSERT_OK(pc_join(&t));
	close(fd);
}

PC_TEST(ioctl, a_cpu_counter_is_disabled_from_another_cpu)
{
	int cpus[2], fd, n = pc_cpus(cpus, 2);
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_task t;
	__u64 value;

	if (n < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_pin(cpus[1]));
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 40));
	ASSERT_OK(pc_pin(cpus[0]));
	fd = pc_open(&attr, -1, cpus[1], -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_LE(40, pc_value(fd));
	pc_disable(fd);
	value = pc_value(fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_EQ(value, pc_value(fd)) TH_LOG("the counter is disabled");
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

FIXTURE(prctl) {
	struct perf_counter_attr attr;
	int fd;
};

FIXTURE_SETUP(prctl)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_DISABLE));
	pc_faults(2);
	pc_value(self->fd);
}

FIXTURE_TEARDOWN(prctl)
{
	close(self->fd);
}

PC_TEST(prctl, prctl_disables_all_counters_of_the_caller)
{
	struct perf_counter_attr attr = self->attr;
	struct pc_task t;
	int other, minor;

	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	minor = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(minor);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 12));
	other = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(other);
	pc_faults(1);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_ENABLE));
	pc_faults(5);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_DISABLE));
	pc_faults(5);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_EQ(5, pc_value(self->fd));
	EXPECT_EQ(5, pc_value(minor));
	EXPECT_EQ(12, pc_value(other)) TH_LOG("the counter of another task");
	EXPECT_OK(pc_reap(&t));
	close(other);
	close(minor);
}

static void creator(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	t->arg = pc_open(&attr, getpid(), -1, -1);
	pc_done(t);
	pc_await(t);
}

PC_TEST(prctl, prctl_keeps_counters_of_other_tasks)
{
	struct pc_task t;

	ASSERT_OK(pc_thread(&t, creator, -1));
	ASSERT_OK(pc_reply(&t));
	ASSERT_FD(t.arg);
	pc_faults(1);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_ENABLE));
	pc_faults(5);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_DISABLE));
	EXPECT_EQ(5, pc_value(self->fd));
	EXPECT_EQ(0, pc_value(t.arg)) TH_LOG("the other thread's counter of this task");
	close(t.arg);
	ASSERT_OK(pc_join(&t));
}

PC_TEST(prctl, prctl_succeeds_without_counters)
{
	close(self->fd);
	self->fd = -1;
	EXPECT_OK(prctl(PR_TASK_PERF_COUNTERS_ENABLE));
	EXPECT_OK(prctl(PR_TASK_PERF_COUNTERS_DISABLE));
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * One descriptor for the whole machine: pid and cpu are both -1.
 *
 * Such a counter counts all tasks, so its value alone says little. Some facts about it are exact:
 * the samples of the test's own tasks, by their ids; its value is the sum of the events that were
 * sampled and lost; and it lies between the values of counters of each CPU that were enabled for a
 * shorter and for a longer time.
 */
#include <poll.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

FIXTURE(machine) {
	struct perf_counter_attr attr;
	struct pc_task t[MAX_CPUS];
	struct pc_ring ring;
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

/* The task on the i-th CPU takes 20 + i faults at each order. */
#define FAULTS(i) (20 + (i))

FIXTURE_SETUP(machine)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	ASSERT_LE(1, self->n);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	self->attr.read_format = PERF_FORMAT_LOST;
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_spawn_on(&self->t[i], self->cpus[i], pc_worker, FAULTS(i)));
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
}

FIXTURE_TEARDOWN(machine)
{
	if (pc_on_perf_event())
		return;
	pc_ring_unmap(&self->ring);
	close(self->fd);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
}

/* The value of a counter with PERF_FORMAT_LOST. */
static __u64 value_of(int fd)
{
	struct pc_values v;

	return pc_read(fd, PERF_FORMAT_LOST, &v) > 0 ? v.v[0].value : (~0ULL);
}

/* The samples in a buffer by task; @all includes samples of other tasks. */
struct tally {
	int of[MAX_CPUS];
	int all;
	int elsewhere;		/* samples with a CPU where the task never was */
	int odd;		/* samples of another size, or of another descriptor */
	__u64 lost;
};

static void tally(struct pc_ring *ring, const struct perf_counter_attr *attr, __u64 id,
		  struct pc_task *t, const int *cpus, int n, struct tally *sum)
{
	while (pc_ring_next(ring, &rec)) {
		if (rec.header.type == PERF_RECORD_LOST) {
			sum->lost += rec.words[2];
			continue;
		}
		if (rec.header.type != PERF_RECORD_SAMPLE || !pc_parse_sample(attr, &rec, &s) ||
		    s.identifier != id) {
			sum->odd++;
			continue;
		}
		sum->all++;
		for (int i = 0; i < n; i++) {
			if (s.pid != t[i].pid)
				continue;
			sum->of[i]++;
			sum->elsewhere += s.cpu != cpus[i];
		}
	}
}

PC_TEST(machine, one_mapping_receives_the_samples_of_every_cpu)
{
	struct tally sum = {};
	struct pc_values v;

	ASSERT_OK(pc_enable(self->fd));
	for (int round = 0; round < 5; round++) {
		ASSERT_OK(pc_work_all(self->t, self->n));
		tally(&self->ring, &self->attr, pc_id(self->fd), self->t, self->cpus, self->n,
		      &sum);
	}
	ASSERT_OK(pc_disable(self->fd));
	tally(&self->ring, &self->attr, pc_id(self->fd), self->t, self->cpus, self->n, &sum);
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(5 * FAULTS(i), sum.of[i])
			TH_LOG("CPU %d", self->cpus[i]);
	}
	EXPECT_EQ(0, sum.elsewhere) TH_LOG("samples with the wrong CPU");
	EXPECT_EQ(0, sum.odd);
	EXPECT_EQ(0, sum.lost);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].value, sum.all) TH_LOG("the samples are not all events");
	EXPECT_EQ(0, v.v[0].lost);

	ASSERT_OK(pc_work_all(self->t, self->n));
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE))
		TH_LOG("the counter is disabled");
	EXPECT_EQ(v.v[0].value, value_of(self->fd));
}

PC_TEST(machine, the_user_page_has_the_sum_over_the_cpus)
{
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_LE(20 * self->n, self->ring.page->offset);
	EXPECT_EQ(value_of(self->fd), self->ring.page->offset);
	EXPECT_LT(0, self->ring.page->time_enabled);
	EXPECT_EQ(self->ring.page->time_enabled, self->ring.page->time_running);
	ASSERT_OK(pc_reset(self->fd));
	EXPECT_EQ(0, self->ring.page->offset);
}

/*
 * Open a counter on each CPU. These counters bracket another counter: the test enables them before
 * it and disables them after it, or the other way round.
 */
static int bracket_open(const struct perf_counter_attr *attr, const int *cpus, int n, int *fds)
{
	struct perf_counter_attr each = *attr;

	each.sample_period = 0;
	each.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < n; i++) {
		fds[i] = pc_open(&each, -1, cpus[i], -1);
		if (fds[i] < 0)
			return -1;
	}
	return 0;
}

static void bracket_switch(const int *fds, int n, unsigned long what)
{
	for (int i = 0; i < n; i++)
		ioctl(fds[i], what, 0);
}

static void bracket_sum(const int *fds, int n, struct pc_values *sum)
{
	struct pc_values v;

	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < n; i++) {
		pc_read(fds[i], PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
			&v);
		sum->v[0].value += v.v[0].value;
		sum->enabled += v.enabled;
		sum->running += v.running;
		close(fds[i]);
	}
}

PC_TEST(machine, value_and_times_are_the_sums_over_the_cpus)
{
	const __u64 format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	static const __u64 events[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CPU_MIGRATIONS,
	};

	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		struct perf_counter_attr attr = pc_attr(events[i]);
		int outer[MAX_CPUS], inner[MAX_CPUS], fd;
		struct pc_values v, least, most;

		attr.read_format = format;
		fd = pc_open(&attr, -1, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(bracket_open(&attr, self->cpus, self->n, outer));
		ASSERT_OK(bracket_open(&attr, self->cpus, self->n, inner));
		for (int round = 0; round < 3; round++) {
			bracket_switch(outer, self->n, PERF_COUNTER_IOC_ENABLE);
			ASSERT_OK(pc_enable(fd));
			bracket_switch(inner, self->n, PERF_COUNTER_IOC_ENABLE);
			ASSERT_OK(pc_work_all(self->t, self->n));
			bracket_switch(inner, self->n, PERF_COUNTER_IOC_DISABLE);
			ASSERT_OK(pc_disable(fd));
			bracket_switch(outer, self->n, PERF_COUNTER_IOC_DISABLE);
			ASSERT_OK(pc_work_all(self->t, self->n));
		}
		bracket_sum(inner, self->n, &least);
		bracket_sum(outer, self->n, &most);
		ASSERT_LT(0, pc_read(fd, format, &v));
		EXPECT_LE(least.v[0].value, v.v[0].value)
			TH_LOG("event %llu", events[i]);
		EXPECT_GE(most.v[0].value, v.v[0].value)
			TH_LOG("event %llu", events[i]);
		EXPECT_LE(least.enabled, v.enabled);
		EXPECT_GE(most.enabled, v.enabled);
		EXPECT_LT(0, least.enabled);
		EXPECT_EQ(v.enabled, v.running) TH_LOG("a software event has not run all the time");
		close(fd);
	}
}

PC_TEST(machine, a_group_counts_and_is_read_as_one)
{
	const __u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			     PERF_FORMAT_TOTAL_TIME_RUNNING;
	static const __u64 events[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_DUMMY,
		PERF_COUNT_SW_CPU_CLOCK,
	};
	__u64 faults = 0;
	struct pc_values v;
	int fds[4];

	for (int i = 0; i < self->n; i++)
		faults += FAULTS(i);
	for (int i = 0; i < 4; i++) {
		struct perf_counter_attr attr = pc_attr(events[i]);

		attr.read_format = format;
		attr.disabled = !i;
		fds[i] = pc_open(&attr, -1, -1, i ? fds[0] : -1);
		ASSERT_FD(fds[i]);
	}
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_EQ(pc_read_size(format, 4), pc_read(fds[0], format, &v));
	EXPECT_EQ(0, v.v[0].value) TH_LOG("members count while the leader is disabled");
	EXPECT_EQ(0, v.v[1].value);
	EXPECT_EQ(0, v.v[3].value);
	EXPECT_EQ(0, v.enabled);

	ASSERT_OK(pc_enable(fds[0]));
	ASSERT_OK(pc_work_all(self->t, self->n));
	for (int i = 0; i < 4; i++) {
		/*
		 * The descriptor of any member reads the group. The group counts on between the
		 * reads.
		 */
		ASSERT_EQ(pc_read_size(format, 4), pc_read(fds[i], format, &v));
		ASSERT_EQ(4, v.nr);
		for (int j = 0; j < 4; j++)
			EXPECT_EQ(pc_id(fds[j]), v.v[j].id);
		EXPECT_LE(faults, v.v[0].value);
		EXPECT_EQ(v.v[0].value, v.v[1].value)
			TH_LOG("counters of one event differ by more than the calls between");
		EXPECT_EQ(0, v.v[2].value);
		EXPECT_LT(0, v.v[3].value);
		EXPECT_EQ(v.enabled, v.running);
	}

	ASSERT_OK(ioctl(fds[1], PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_FLAG_GROUP));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	faults = v.v[0].value;
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	EXPECT_EQ(faults, v.v[0].value)
		TH_LOG("the flag on a member's descriptor has reset another number of faults");
	EXPECT_EQ(faults, v.v[1].value);

	ASSERT_OK(pc_reset(fds[1]));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	EXPECT_EQ(faults, v.v[0].value) TH_LOG("RESET without the flag has reset another member");
	EXPECT_EQ(0, v.v[1].value);
	ASSERT_OK(ioctl(fds[0], PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, v.v[i].value)
			TH_LOG("member %d", i);
	}
	EXPECT_LT(0, v.enabled) TH_LOG("RESET has changed a time");

	/* Members outlive their leader and count alone. */
	close(fds[0]);
	ASSERT_OK(pc_enable(fds[1]));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(fds[1]));
	ASSERT_LT(0, pc_read(fds[1], format, &v));
	EXPECT_EQ(1, v.nr);
	EXPECT_LT(0, v.v[0].value);
	for (int i = 1; i < 4; i++)
		close(fds[i]);
}

PC_TEST(machine, a_group_is_on_the_whole_machine_or_not_at_all)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int cpu = pc_open(&attr, -1, self->cpus[0], -1);
	int task = pc_open(&attr, 0, -1, -1);
	int here = pc_open(&attr, 0, self->cpus[0], -1);

	ASSERT_FD(cpu);
	ASSERT_FD(task);
	ASSERT_FD(here);
	EXPECT_ERRNO(EINVAL, pc_open(&attr, -1, self->cpus[0], self->fd));
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, self->fd));
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, self->cpus[0], self->fd));
	EXPECT_ERRNO(EINVAL, pc_open(&attr, -1, -1, cpu));
	EXPECT_ERRNO(EINVAL, pc_open(&attr, -1, -1, task));
	EXPECT_ERRNO(EINVAL, pc_open(&attr, -1, -1, here));
	close(cpu);
	close(task);
	close(here);
}

/*
 * Check in a child without privileges that level 0 of the sysctl lets a user count CPUs, and level
 * 1 does not.
 */
static int opens_as_nobody(void)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		attr.exclude_kernel = 1;
		if (setresgid(54321, 54321, 54321) || setresuid(54321, 54321, 54321))
			_exit(255);
		fd = pc_open(&attr, -1, -1, -1);
		_exit(fd < 0 ? errno : 0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

PC_TEST(machine, the_machine_needs_permission_to_count_cpus)
{
	long old = pc_sysctl_read("paranoid");
	int at[3];

	for (int level = 0; level <= 2; level++) {
		ASSERT_OK(pc_sysctl_write("paranoid", level));
		at[level] = opens_as_nobody();
	}
	ASSERT_OK(pc_sysctl_write("paranoid", old));
	EXPECT_EQ(0, at[0]);
	EXPECT_EQ(EACCES, at[1]);
	EXPECT_EQ(EACCES, at[2]);
}

/* Each CPU counts its own period. */
PC_TEST(machine, every_cpu_has_its_own_period)
{
	__u64 period = 7, full = 0;
	struct pc_values v;
	int n = 0;

	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->attr.sample_period = 10;
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	for (int round = 0; round < 5; round++)
		ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_EQ(10, s.period);
		n++;
	}
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_GE(v.v[0].value, 10 * n);
	EXPECT_LE(v.v[0].value, 10 * n + 9 * self->n)
		TH_LOG("%llu events, %d samples", v.v[0].value, n);

	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	ASSERT_OK(pc_reset(self->fd));
	ASSERT_OK(pc_enable(self->fd));
	for (int round = 0; round < 5; round++)
		ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	for (n = 0; pc_ring_next(&self->ring, &rec); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		full += s.period == 7;
	}
	/* A sample on each CPU may still be at the end of the old period. */
	EXPECT_LE(n - self->n, full);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_GE(v.v[0].value + 10 * self->n, 7 * n);
	EXPECT_LE(v.v[0].value, 7 * n + 9 * self->n)
		TH_LOG("%llu events, %d samples", v.v[0].value, n);
}

PC_TEST(machine, refresh_counts_the_samples_of_all_cpus)
{
	static const int limits[] = { 1, 3, 17, 64 };
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	struct timespec none = {};
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	ASSERT_OK(sigprocmask(SIG_BLOCK, &set, NULL));
	ASSERT_OK(fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_OK(fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR | O_ASYNC));
	for (int round = 0; round < 24; round++) {
		int limit = limits[round % 4];
		__u64 value;

		ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, limit));
		/*
		 * The tasks of 4 CPUs take at least 80 faults, and a third of these reaches the
		 * limit. With fewer CPUs the tasks take more faults.
		 */
		ASSERT_OK(pc_work_all(self->t, self->n));
		if (self->n < 4)
			for (int i = 0; i < 4; i++)
				ASSERT_OK(pc_work_all(self->t, self->n));
		ASSERT_EQ(1, poll(&p, 1, -1));
		ASSERT_NE(0, p.revents & POLLHUP);
		EXPECT_EQ(limit, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE))
			TH_LOG("round %d", round);
		/* Each sample sends a signal: the last sample POLL_HUP, all others POLL_IN. */
		do {
			ASSERT_EQ(SIGRTMIN, sigwaitinfo(&set, &info));
			EXPECT_EQ(self->fd, info.si_fd);
		} while (info.si_code == POLL_IN);
		EXPECT_EQ(POLL_HUP, info.si_code)
			TH_LOG("round %d", round);
		value = value_of(self->fd);
		ASSERT_OK(pc_work_all(self->t, self->n));
		EXPECT_EQ(value, value_of(self->fd))
			TH_LOG("round %d: it is off", round);
		EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
		while (sigtimedwait(&set, &info, &none) == SIGRTMIN)
			EXPECT_EQ(POLL_IN, info.si_code) {
				TH_LOG("round %d: a second hangup signal", round);
			}
	}
}

/* Flags of tasks have no effect here and are not refused, as for a counter of a CPU. */
PC_TEST(machine, inherit_and_enable_on_exec_have_no_effect)
{
	struct tally sum = {};
	struct pc_values v;
	struct pc_task t;

	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->attr.inherit = 1;
	self->attr.enable_on_exec = 1;
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_spawn(&t, pc_exec_worker, 11));
	ASSERT_OK(pc_tell(&t, 'x'));
	ASSERT_OK(pc_tell(&t, PC_WORK));
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(0, v.v[0].value) TH_LOG("an exec has enabled the counter");
	EXPECT_OK(pc_reap(&t));

	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_spawn_on(&t, self->cpus[0], pc_worker, 33));
	while (pc_ring_next(&self->ring, &rec))
		sum.all++;
	ASSERT_OK(pc_tell(&t, PC_WORK));
	ASSERT_OK(pc_disable(self->fd));
	tally(&self->ring, &self->attr, pc_id(self->fd), &t, self->cpus, 1, &sum);
	EXPECT_EQ(33, sum.of[0]) TH_LOG("faults of a task that was forked after the open");
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].value, sum.all + v.v[0].lost);
	EXPECT_OK(pc_reap(&t));
}

/* A task that causes one record of each kind on its CPU. */
static void cause_side_band_events(struct pc_task *t)
{
	void *map;

	pc_await(t);
	prctl(PR_SET_NAME, "machine-life");
	map = mmap(NULL, pc_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(map, pc_page());
	pc_done(t);
	pc_await(t);
}

PC_TEST(machine, every_side_band_event_is_recorded_once)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int forks[MAX_CPUS] = {}, comms[MAX_CPUS] = {}, maps[MAX_CPUS] = {}, exits[MAX_CPUS] = {};
	struct pollfd news = { .events = POLLIN };
	struct pc_task t[MAX_CPUS];
	bool disabled = false;
	struct pc_ring ring;
	int fd, ended = 0;

	attr.task = 1;
	attr.comm = 1;
	attr.mmap = 1;
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	fd = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	ASSERT_OK(pc_enable(fd));
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_spawn(&t[i], cause_side_band_events, 0));
		ASSERT_OK(pc_pin_task(t[i].pid, self->cpus[i]));
	}
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_tell(&t[i], 'g'));
	for (int i = 0; i < self->n; i++)
		EXPECT_OK(pc_reap(&t[i]));
	news.fd = fd;
	for (;;) {
		__u32 pid;

		if (!pc_ring_next(&ring, &rec)) {
			if (disabled)
				break;
			/* The EXIT record is written when the task has left its CPU. */
			if (ended < self->n) {
				ASSERT_EQ(1, poll(&news, 1, -1));
			} else {
				ASSERT_OK(pc_disable(fd));
				disabled = true;
			}
			continue;
		}
		pid = rec.words[1];
		ASSERT_LT(0, pc_parse_id(&attr, &rec, &s));
		for (int i = 0; i < self->n; i++) {
			if (pid != t[i].pid)
				continue;
			forks[i] += rec.header.type == PERF_RECORD_FORK;
			exits[i] += rec.header.type == PERF_RECORD_EXIT;
			ended += rec.header.type == PERF_RECORD_EXIT;
			comms[i] += rec.header.type == PERF_RECORD_COMM;
			maps[i] += rec.header.type == PERF_RECORD_MMAP;
			if (rec.header.type == PERF_RECORD_COMM ||
			    rec.header.type == PERF_RECORD_MMAP) {
				EXPECT_EQ(self->cpus[i], s.cpu);
			}
		}
	}
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(1, forks[i])
			TH_LOG("task on CPU %d", self->cpus[i]);
		EXPECT_EQ(1, comms[i])
			TH_LOG("task on CPU %d", self->cpus[i]);
		EXPECT_EQ(1, maps[i])
			TH_LOG("task on CPU %d", self->cpus[i]);
		EXPECT_EQ(1, exits[i])
			TH_LOG("task on CPU %d", self->cpus[i]);
	}
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(machine, a_machine_buffer_takes_records_of_any_counter)
{
	struct tally cpu = {};
	int fds[4], seen[4] = {}, odd = 0;

	/*
	 * Counters of the machine, of a CPU, of a task, and of a task on a CPU write to the buffer.
	 */
	fds[0] = pc_open(&self->attr, -1, -1, -1);
	fds[1] = pc_open(&self->attr, -1, self->cpus[0], -1);
	fds[2] = pc_open(&self->attr, self->t[0].pid, -1, -1);
	fds[3] = pc_open(&self->attr, self->t[0].pid, self->cpus[0], -1);
	for (int i = 0; i < 4; i++) {
		ASSERT_FD(fds[i]);
		ASSERT_OK(ioctl(fds[i], PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
		ASSERT_OK(pc_enable(fds[i]));
	}
	ASSERT_OK(pc_work_all(self->t, self->n));
	for (int i = 0; i < 4; i++)
		ASSERT_OK(pc_disable(fds[i]));
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		odd += s.identifier == pc_id(self->fd);
		for (int i = 0; i < 4; i++)
			seen[i] += s.identifier == pc_id(fds[i]) && s.pid == self->t[0].pid;
	}
	EXPECT_EQ(0, odd) TH_LOG("the owner of the buffer is disabled");
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(FAULTS(0), seen[i])
			TH_LOG("counter %d", i);
	}

	/* The counter of the machine writes to a buffer of a task's counter. */
	pc_ring_unmap(&self->ring);
	ASSERT_OK(pc_ring_map(&self->ring, fds[2], 64));
	ASSERT_OK(ioctl(fds[0], PERF_COUNTER_IOC_SET_OUTPUT, fds[2]));
	ASSERT_OK(pc_enable(fds[0]));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(fds[0]));
	tally(&self->ring, &self->attr, pc_id(fds[0]), self->t, self->cpus, self->n, &cpu);
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(FAULTS(i), cpu.of[i])
			TH_LOG("CPU %d", self->cpus[i]);
	}
	EXPECT_EQ(0, cpu.odd);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

/* Wait for a record of every CPU; an idle CPU has records, too. */
static void until_every_cpu(struct __test_metadata *_metadata, struct pc_ring *ring,
			    const struct perf_counter_attr *attr, const int *cpus, int n,
			    __u64 since)
{
	struct pollfd p = { .fd = ring->fd, .events = POLLIN };
	bool seen[MAX_CPUS] = {};
	int left = n;

	while (left) {
		ASSERT_EQ(1, poll(&p, 1, -1));
		while (pc_ring_next(ring, &rec)) {
			if (rec.header.type != PERF_RECORD_SAMPLE)
				continue;
			ASSERT_TRUE(pc_parse_sample(attr, &rec, &s));
			for (int i = 0; i < n; i++) {
				if (cpus[i] != s.cpu || seen[i] || s.time < since)
					continue;
				seen[i] = true;
				left--;
			}
		}
	}
}

PC_TEST(machine, clocks_sample_on_every_cpu)
{
	for (int freq = 0; freq <= 1; freq++) {
		struct perf_counter_attr attr = self->attr;
		struct pc_ring ring;
		int fd;

		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = 1000000;
		if (freq) {
			attr.freq = 1;
			attr.sample_freq = 1000;
		}
		attr.wakeup_events = 1;
		fd = pc_open(&attr, -1, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 64));
		ASSERT_OK(pc_enable(fd));
		until_every_cpu(_metadata, &ring, &attr, self->cpus, self->n, 0);
		pc_ring_unmap(&ring);
		close(fd);
	}
}

FIXTURE(hotplug) {
	struct perf_counter_attr attr;
	struct pc_task t[MAX_CPUS];
	struct pc_ring ring;
	int cpus[MAX_CPUS];
	int n;
	int fd;
	int cpu;		/* last CPU, which goes offline and online */
};

FIXTURE_SETUP(hotplug)
{
	self->fd = -1;
	self->cpu = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	if (self->n < 2 || pc_cpu_online(self->cpus[self->n - 1], 0))
		SKIP(return, "no CPU can be taken offline here");
	self->cpu = self->cpus[self->n - 1];
	ASSERT_OK(pc_cpu_online(self->cpu, 1));
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->attr.use_clockid = 1;
	self->attr.clockid = CLOCK_MONOTONIC;
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_spawn_on(&self->t[i], self->cpus[i], pc_worker, FAULTS(i)));
}

FIXTURE_TEARDOWN(hotplug)
{
	if (self->cpu < 0)
		return;
	pc_cpu_online(self->cpu, 1);
	pc_ring_unmap(&self->ring);
	close(self->fd);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
}

/* Take the CPU online and move its task back. */
static int plug_in(struct pc_task *t, int cpu)
{
	if (pc_cpu_online(cpu, 1) || pc_pin_task(t->pid, cpu))
		return -1;
	return pc_warm(t);
}

PC_TEST(hotplug, an_offline_cpu_keeps_its_counts)
{
	struct tally sum = {};
	struct pc_values v;

	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 128));
	for (int round = 1; round <= 3; round++) {
		__u64 value;

		ASSERT_OK(pc_enable(self->fd));
		ASSERT_OK(pc_work_all(self->t, self->n));
		ASSERT_OK(pc_disable(self->fd));
		value = value_of(self->fd);
		/* The counter is disabled while the CPU goes offline and online. */
		ASSERT_OK(pc_cpu_online(self->cpu, 0));
		EXPECT_EQ(value, value_of(self->fd))
			TH_LOG("round %d", round);
		ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
		EXPECT_EQ(value, value_of(self->fd))
			TH_LOG("round %d", round);
		/* The counter is enabled while the CPU goes offline and online. */
		ASSERT_OK(pc_enable(self->fd));
		ASSERT_OK(pc_cpu_online(self->cpu, 0));
		ASSERT_OK(pc_work_all(self->t, self->n - 1));
		ASSERT_OK(pc_cpu_online(self->cpu, 1));
		ASSERT_OK(pc_disable(self->fd));
		ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
		tally(&self->ring, &self->attr, pc_id(self->fd), self->t, self->cpus, self->n,
		      &sum);
		for (int i = 0; i < self->n - 1; i++) {
			EXPECT_EQ(2 * round * FAULTS(i), sum.of[i])
				TH_LOG("round %d CPU %d", round, self->cpus[i]);
		}
		EXPECT_EQ(round * FAULTS(self->n - 1), sum.of[self->n - 1])
			TH_LOG("round %d CPU %d", round, self->cpu);
		EXPECT_EQ(0, sum.odd);
		ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
		EXPECT_EQ(v.v[0].value, sum.all + v.v[0].lost)
			TH_LOG("round %d", round);
	}
}

PC_TEST(hotplug, a_cpu_that_comes_online_is_counted)
{
	struct tally sum = {};
	struct pc_values v;

	ASSERT_OK(pc_cpu_online(self->cpu, 0));
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	tally(&self->ring, &self->attr, pc_id(self->fd), self->t, self->cpus, self->n, &sum);
	for (int i = 0; i < self->n; i++) {
		EXPECT_EQ(FAULTS(i), sum.of[i])
			TH_LOG("CPU %d", self->cpus[i]);
	}
	EXPECT_EQ(0, sum.elsewhere);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].value, sum.all + v.v[0].lost);
}

PC_TEST(hotplug, ioctls_apply_to_an_offline_cpu_later)
{
	__u64 period = 5, value;
	int n = 0;

	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_cpu_online(self->cpu, 0));
	ASSERT_OK(pc_disable(self->fd));
	value = value_of(self->fd);
	EXPECT_LE(FAULTS(self->n - 1), value);
	ASSERT_OK(pc_reset(self->fd));
	EXPECT_EQ(0, value_of(self->fd)) TH_LOG("RESET has to clear the count of the offline CPU");
	ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
	ASSERT_OK(pc_work_all(self->t, self->n));
	EXPECT_EQ(0, value_of(self->fd))
		TH_LOG("the counter was disabled while the CPU was offline");
	pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);

	ASSERT_OK(pc_cpu_online(self->cpu, 0));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PERIOD, &period));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
	while (pc_ring_next(&self->ring, &rec))
		;
	for (int round = 0; round < 5; round++)
		ASSERT_OK(pc_tell(&self->t[self->n - 1], PC_WORK));
	ASSERT_OK(pc_disable(self->fd));
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (s.pid != self->t[self->n - 1].pid)
			continue;
		EXPECT_EQ(self->cpu, s.cpu);
		EXPECT_EQ(5, s.period);
		n++;
	}
	/* Other tasks may have taken faults on this CPU and moved the period. */
	EXPECT_LE(5 * FAULTS(self->n - 1) / 5 - 5, n);
	EXPECT_GE(5 * FAULTS(self->n - 1) / 5 + 1, n);
}

PC_TEST(hotplug, a_group_stays_whole_over_hotplug)
{
	const __u64 format = PERF_FORMAT_GROUP;
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_values before, v;
	int member, late;

	attr.read_format = format;
	self->fd = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	attr.disabled = 0;
	member = pc_open(&attr, -1, -1, self->fd);
	ASSERT_FD(member);
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_LT(0, pc_read(self->fd, format, &before));
	ASSERT_OK(pc_cpu_online(self->cpu, 0));
	/* A member that is opened while the CPU is offline counts there afterwards. */
	late = pc_open(&attr, -1, -1, self->fd);
	ASSERT_FD(late);
	ASSERT_LT(0, pc_read(self->fd, format, &v));
	EXPECT_EQ(before.v[0].value, v.v[0].value);
	EXPECT_EQ(before.v[1].value, v.v[1].value);
	EXPECT_EQ(0, v.v[2].value);
	ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_LT(0, pc_read(self->fd, format, &v));
	EXPECT_EQ(v.v[0].value, v.v[1].value);
	EXPECT_EQ(v.v[0].value - before.v[0].value, v.v[2].value);
	EXPECT_LE(FAULTS(self->n - 1), v.v[2].value);
	close(member);
	close(late);
}

PC_TEST(hotplug, a_clock_samples_after_hotplug)
{
	self->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	self->attr.sample_period = 1000000;
	self->attr.wakeup_events = 1;
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	until_every_cpu(_metadata, &self->ring, &self->attr, self->cpus, self->n, 0);
	for (int round = 0; round < 2; round++) {
		__u64 gone, back;

		ASSERT_OK(pc_cpu_online(self->cpu, 0));
		gone = pc_clock(CLOCK_MONOTONIC);
		until_every_cpu(_metadata, &self->ring, &self->attr, self->cpus, self->n - 1,
				gone);
		while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			EXPECT_FALSE(s.cpu == self->cpu && s.time > gone)
				TH_LOG("a sample on an offline CPU");
		}
		ASSERT_OK(pc_cpu_online(self->cpu, 1));
		back = pc_clock(CLOCK_MONOTONIC);
		until_every_cpu(_metadata, &self->ring, &self->attr, self->cpus, self->n, back);
	}
}

PC_TEST(hotplug, all_calls_work_during_hotplug)
{
	int args[2] = { self->cpu, 0 };
	pthread_t thread;
	void *error;

	self->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	self->attr.sample_period = 100000;
	self->attr.use_clockid = 0;
	self->attr.clockid = 0;
	ASSERT_OK(pthread_create(&thread, NULL, pc_plug_for_ever, args));
	for (int i = 0; i < pc_rounds(10); i++) {
		struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
		int fd = pc_open(&self->attr, -1, -1, -1), member;
		__u64 last = 0, period = 50000 + i;
		struct pc_ring ring;

		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 4));
		ASSERT_OK(pc_enable(fd));
		member = pc_open(&attr, -1, -1, fd);
		ASSERT_FD(member);
		ASSERT_OK(pc_enable(member));
		for (int j = 0; j < 5; j++) {
			__u64 value = pc_value(member);

			ASSERT_NE(~0ULL, value);
			ASSERT_LE(last, value) TH_LOG("a count has decreased");
			last = value;
			pc_faults(5);
			if (j == 2)
				ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_PERIOD, &period));
			if (j == 3)
				ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_DISABLE,
						PERF_COUNTER_IOC_FLAG_GROUP));
		}
		ASSERT_LE(3 * 5, last);
		if (i & 1)
			close(fd);
		pc_ring_unmap(&ring);
		close(member);
		if (!(i & 1))
			close(fd);
	}
	__atomic_store_n(&args[1], 1, __ATOMIC_RELAXED);
	ASSERT_OK(pthread_join(thread, &error));
	EXPECT_EQ(NULL, error) TH_LOG("%s", (char *)error);
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}

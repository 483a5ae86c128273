// SPDX-License-Identifier: GPL-2.0
/*
 * One descriptor for the whole machine: pid and cpu are both -1.
 *
 * Such a counter counts everybody, the tasks of the machine's own business
 * included, so its value alone says little. What is exact all the same: the
 * samples of our own tasks, told apart by their ids; that the value is the sum
 * of what was sampled and lost; and that it lies between counters of each CPU
 * that were on a little shorter and a little longer.
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

/* On the i-th CPU works a task that takes 20 + i faults when told to. */
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

/* Of a counter that says what it lost. */
static __u64 value_of(int fd)
{
	struct pc_values v;

	return pc_read(fd, PERF_FORMAT_LOST, &v) > 0 ? v.v[0].value : (~0ULL);
}

/* What came out of a buffer, by task; everybody else's in all only. */
struct tally {
	int of[MAX_CPUS];
	int all;
	int elsewhere;		/* said to be on a CPU where the task never was */
	int odd;		/* of another size, or from another descriptor */
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
	EXPECT_EQ(v.v[0].value, sum.all) TH_LOG("every event is a sample");
	EXPECT_EQ(0, v.v[0].lost);

	ASSERT_OK(pc_work_all(self->t, self->n));
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE)) TH_LOG("it is off");
	EXPECT_EQ(v.v[0].value, value_of(self->fd));
}

PC_TEST(machine, the_control_page_has_the_sum_over_the_cpus)
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

/* On for longer or shorter than the counter in question, one for each CPU. */
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
		EXPECT_EQ(v.enabled, v.running) TH_LOG("software always runs");
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
	EXPECT_EQ(0, v.v[0].value) TH_LOG("nobody counts while the leader is off");
	EXPECT_EQ(0, v.v[1].value);
	EXPECT_EQ(0, v.v[3].value);
	EXPECT_EQ(0, v.enabled);

	ASSERT_OK(pc_enable(fds[0]));
	ASSERT_OK(pc_work_all(self->t, self->n));
	for (int i = 0; i < 4; i++) {
		/* Whichever member is read; the machine goes on between reads. */
		ASSERT_EQ(pc_read_size(format, 4), pc_read(fds[i], format, &v));
		ASSERT_EQ(4, v.nr);
		for (int j = 0; j < 4; j++)
			EXPECT_EQ(pc_id(fds[j]), v.v[j].id);
		EXPECT_LE(faults, v.v[0].value);
		EXPECT_EQ(v.v[0].value, v.v[1].value)
			TH_LOG("two counters of one event differ by what was between them");
		EXPECT_EQ(0, v.v[2].value);
		EXPECT_LT(0, v.v[3].value);
		EXPECT_EQ(v.enabled, v.running);
	}

	ASSERT_OK(ioctl(fds[1], PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_FLAG_GROUP));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	faults = v.v[0].value;
	ASSERT_OK(pc_work_all(self->t, self->n));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	EXPECT_EQ(faults, v.v[0].value) TH_LOG("the group flag works from a member");
	EXPECT_EQ(faults, v.v[1].value);

	ASSERT_OK(pc_reset(fds[1]));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	EXPECT_EQ(faults, v.v[0].value) TH_LOG("reset without the flag is for one");
	EXPECT_EQ(0, v.v[1].value);
	ASSERT_OK(ioctl(fds[0], PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP));
	ASSERT_LT(0, pc_read(fds[0], format, &v));
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, v.v[i].value)
			TH_LOG("member %d", i);
	}
	EXPECT_LT(0, v.enabled) TH_LOG("reset is not for times");

	/* Members outlive their leader, and count by themselves. */
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

/* Level 0 lets a user count CPUs, level 1 does not; in a child, as a user. */
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

PC_TEST(machine, needs_the_right_to_count_whole_cpus)
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

/* A period is a CPU's own: each begins a new one with what happens there. */
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
	/* Up to one sample on each CPU may belong to the old period. */
	EXPECT_LE(n - self->n, full);
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_GE(v.v[0].value + 10 * self->n, 7 * n);
	EXPECT_LE(v.v[0].value, 7 * n + 9 * self->n)
		TH_LOG("%llu events, %d samples", v.v[0].value, n);
}

PC_TEST(machine, refresh_gives_exactly_n_samples_whatever_the_cpu)
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
		/* At least 80 faults on 4 CPUs, a third of which would do. */
		ASSERT_OK(pc_work_all(self->t, self->n));
		if (self->n < 4)
			for (int i = 0; i < 4; i++)
				ASSERT_OK(pc_work_all(self->t, self->n));
		ASSERT_EQ(1, poll(&p, 1, -1));
		ASSERT_NE(0, p.revents & POLLHUP);
		EXPECT_EQ(limit, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE))
			TH_LOG("round %d", round);
		/* Samples send signals too, the last one sends another kind. */
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
				TH_LOG("round %d: two hangups", round);
			}
	}
}

/* What is for tasks changes nothing here, and is not refused, as on a CPU. */
PC_TEST(machine, has_no_heirs_and_no_exec_of_its_own)
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
	EXPECT_EQ(0, v.v[0].value) TH_LOG("an exec does not switch it on");
	EXPECT_OK(pc_reap(&t));

	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_spawn_on(&t, self->cpus[0], pc_worker, 33));
	while (pc_ring_next(&self->ring, &rec))
		sum.all++;
	ASSERT_OK(pc_tell(&t, PC_WORK));
	ASSERT_OK(pc_disable(self->fd));
	tally(&self->ring, &self->attr, pc_id(self->fd), &t, self->cpus, 1, &sum);
	EXPECT_EQ(33, sum.of[0]) TH_LOG("a task that was forked under it");
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_EQ(v.v[0].value, sum.all + v.v[0].lost);
	EXPECT_OK(pc_reap(&t));
}

/* A life that leaves one record of each kind behind, on the CPU it is on. */
static void live(struct pc_task *t)
{
	void *map;

	pc_await(t);
	prctl(PR_SET_NAME, "machine-life");
	map = mmap(NULL, pc_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(map, pc_page());
	pc_done(t);
	pc_await(t);
}

PC_TEST(machine, every_change_is_recorded_once)
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
		ASSERT_OK(pc_spawn(&t[i], live, 0));
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
			/* That of an end is written when the task has left its CPU for good. */
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

PC_TEST(machine, its_buffer_takes_the_records_of_any_counter)
{
	struct tally cpu = {};
	int fds[4], seen[4] = {}, odd = 0;

	/* Another one of the machine, two of a CPU and of a task, and one of both. */
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
	EXPECT_EQ(0, odd) TH_LOG("the owner of the buffer is off");
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(FAULTS(0), seen[i])
			TH_LOG("counter %d", i);
	}

	/* And the machine's own go to a buffer of a task's counter. */
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

/* Waits until every CPU has shown itself; an idle one does so too. */
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
	int cpu;		/* the one that goes and comes: the last */
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

/* The CPU is back: so is its task. */
static int plug_in(struct pc_task *t, int cpu)
{
	if (pc_cpu_online(cpu, 1) || pc_pin_task(t->pid, cpu))
		return -1;
	return pc_warm(t);
}

PC_TEST(hotplug, a_cpu_that_goes_takes_no_counts_along_and_counts_when_it_is_back)
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
		/* Off as it goes, and off as it comes. */
		ASSERT_OK(pc_cpu_online(self->cpu, 0));
		EXPECT_EQ(value, value_of(self->fd))
			TH_LOG("round %d", round);
		ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
		EXPECT_EQ(value, value_of(self->fd))
			TH_LOG("round %d", round);
		/* On as it goes, and on as it comes. */
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

PC_TEST(hotplug, a_cpu_that_comes_is_counted_by_what_was_opened_before)
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

PC_TEST(hotplug, orders_that_are_given_meanwhile_hold_when_it_is_back)
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
	EXPECT_EQ(0, value_of(self->fd)) TH_LOG("reset is for the absent too");
	ASSERT_OK(plug_in(&self->t[self->n - 1], self->cpu));
	ASSERT_OK(pc_work_all(self->t, self->n));
	EXPECT_EQ(0, value_of(self->fd)) TH_LOG("switched off while a CPU was away");
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
	/* Others may have faulted there in between, and put one on or off. */
	EXPECT_LE(5 * FAULTS(self->n - 1) / 5 - 5, n);
	EXPECT_GE(5 * FAULTS(self->n - 1) / 5 + 1, n);
}

PC_TEST(hotplug, a_group_stays_one)
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
	/* One that joins while the CPU is away counts there later on. */
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

PC_TEST(hotplug, a_clock_goes_on_sampling_there)
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
				TH_LOG("a sample on a CPU that is off");
		}
		ASSERT_OK(pc_cpu_online(self->cpu, 1));
		back = pc_clock(CLOCK_MONOTONIC);
		until_every_cpu(_metadata, &self->ring, &self->attr, self->cpus, self->n, back);
	}
}

PC_TEST(hotplug, everything_can_be_done_while_a_cpu_comes_and_goes)
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
			ASSERT_LE(last, value) TH_LOG("a count went back");
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

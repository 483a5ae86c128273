// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: every software event against a number known in advance, for a task, a CPU, and a task
 * on a CPU; what enables and disables counters; all formats of read().
 */
#include <sys/syscall.h>

#include "pc_test.h"
#include "pc_work.h"

static const __u64 all_times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

/* Take the page faults of code that runs for the first time. */
static void warm(int fd)
{
	struct rusage ru;
	struct pc_values v;

	pc_enable(fd);
	pc_faults(4);
	pc_burn(1000);
	getrusage(RUSAGE_THREAD, &ru);
	pc_read(fd, 0, &v);
	pc_value(fd);
	close(-1);
	pc_disable(fd);
	pc_reset(fd);
}

/* Count the event attr->config while the task takes @n page faults. */
static __u64 count_faults(struct perf_counter_attr *attr, int cpu, int n)
{
	int fd = pc_open(attr, 0, cpu, -1);
	__u64 value;

	if (fd < 0)
		return ~0ULL;
	warm(fd);
	pc_enable(fd);
	pc_faults(n);
	pc_disable(fd);
	value = pc_value(fd);
	close(fd);
	return value;
}

FIXTURE(fault) {
	struct perf_counter_attr attr;
};

FIXTURE_SETUP(fault)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

FIXTURE_TEARDOWN(fault) {}

PC_TEST(fault, n_fresh_pages_are_n_faults)
{
	static const int pages[] = { 0, 1, 2, 17, 500 };

	for (int i = 0; i < ARRAY_SIZE(pages); i++) {
		EXPECT_EQ(pages[i], count_faults(&self->attr, -1, pages[i]))
			TH_LOG("%d fresh pages", pages[i]);
	}
}

PC_TEST(fault, n_fresh_pages_are_n_minor_faults)
{
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	EXPECT_EQ(300, count_faults(&self->attr, -1, 300));
}

PC_TEST(fault, fresh_pages_are_no_major_faults)
{
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	EXPECT_EQ(0, count_faults(&self->attr, -1, 300));
}

PC_TEST(fault, dummy_counts_nothing)
{
	self->attr.config = PERF_COUNT_SW_DUMMY;
	EXPECT_EQ(0, count_faults(&self->attr, -1, 300));
}

PC_TEST(fault, aligned_and_native_code_has_no_alignment_or_emulation_faults)
{
	self->attr.config = PERF_COUNT_SW_ALIGNMENT_FAULTS;
	EXPECT_EQ(0, count_faults(&self->attr, -1, 300));
	self->attr.config = PERF_COUNT_SW_EMULATION_FAULTS;
	EXPECT_EQ(0, count_faults(&self->attr, -1, 300));
}

PC_TEST(fault, a_page_faults_once)
{
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	char *map = pc_fresh(10);

	ASSERT_FD(fd);
	ASSERT_NE(NULL, map);
	warm(fd);
	pc_enable(fd);
	pc_touch(map, 10);
	pc_touch(map, 10);
	pc_disable(fd);
	EXPECT_EQ(10, pc_value(fd));
	close(fd);
}

PC_TEST(fault, exclude_user_excludes_the_programs_faults)
{
	self->attr.exclude_user = 1;
	EXPECT_EQ(0, count_faults(&self->attr, -1, 100));
}

PC_TEST(fault, exclude_kernel_keeps_the_programs_faults)
{
	self->attr.exclude_kernel = 1;
	EXPECT_EQ(100, count_faults(&self->attr, -1, 100));
}

PC_TEST(fault, excluding_user_and_kernel_counts_nothing)
{
	self->attr.exclude_user = 1;
	self->attr.exclude_kernel = 1;
	EXPECT_EQ(0, count_faults(&self->attr, -1, 100));
}

PC_TEST(fault, a_fault_in_a_system_call_is_a_kernel_event)
{
	struct perf_counter_attr user = self->attr, kernel = self->attr;
	int zero = open("/dev/zero", O_RDONLY);
	char *map = pc_fresh(20);
	int all_fd, user_fd, kernel_fd;

	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	all_fd = pc_open(&self->attr, 0, -1, -1);
	user_fd = pc_open(&user, 0, -1, -1);
	kernel_fd = pc_open(&kernel, 0, -1, -1);
	ASSERT_FD(zero);
	ASSERT_FD(all_fd);
	ASSERT_FD(user_fd);
	ASSERT_FD(kernel_fd);
	warm(all_fd);
	ASSERT_EQ(1, read(zero, map, 1));
	munmap(map, 20 * pc_page());
	map = pc_fresh(20);

	pc_enable(all_fd);
	pc_enable(user_fd);
	pc_enable(kernel_fd);
	ASSERT_EQ(20 * pc_page(), read(zero, map, 20 * pc_page()));
	pc_disable(all_fd);
	pc_disable(user_fd);
	pc_disable(kernel_fd);
	EXPECT_EQ(20, pc_value(all_fd));
	EXPECT_EQ(0, pc_value(user_fd));
	EXPECT_EQ(20, pc_value(kernel_fd));
	close(all_fd);
	close(user_fd);
	close(kernel_fd);
	close(zero);
}

PC_TEST(fault, a_counter_of_another_cpu_does_not_count_the_task)
{
	int cpus[2];

	if (pc_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_pin(cpus[0]));
	EXPECT_EQ(50, count_faults(&self->attr, cpus[0], 50));
	EXPECT_EQ(0, count_faults(&self->attr, cpus[1], 50));
	ASSERT_OK(pc_pin(cpus[1]));
	EXPECT_EQ(0, count_faults(&self->attr, cpus[0], 50));
	EXPECT_EQ(50, count_faults(&self->attr, cpus[1], 50));
}

PC_TEST(fault, a_task_on_a_cpu_is_counted_only_while_it_is_there)
{
	int cpus[2], fds[2];

	if (pc_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	for (int i = 0; i < 2; i++) {
		fds[i] = pc_open(&self->attr, 0, cpus[i], -1);
		ASSERT_FD(fds[i]);
		warm(fds[i]);
	}
	ASSERT_OK(pc_pin(cpus[0]));
	pc_enable(fds[0]);
	pc_enable(fds[1]);
	pc_faults(10);
	ASSERT_OK(pc_pin(cpus[1]));
	pc_faults(7);
	ASSERT_OK(pc_pin(cpus[0]));
	pc_faults(5);
	pc_disable(fds[0]);
	pc_disable(fds[1]);
	EXPECT_EQ(15, pc_value(fds[0])) TH_LOG("10 and 5 on CPU %d", cpus[0]);
	EXPECT_EQ(7, pc_value(fds[1])) TH_LOG("7 on CPU %d", cpus[1]);
	close(fds[0]);
	close(fds[1]);
}

PC_TEST(fault, a_cpu_counts_every_task_on_it)
{
	struct pc_task t[3];
	int cpus[1], fd;

	ASSERT_EQ(1, pc_cpus(cpus, 1));
	ASSERT_OK(pc_pin(cpus[0]));
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_spawn(&t[i], pc_worker, 100 * (i + 1)));
		ASSERT_OK(pc_tell(&t[i], PC_WARM));
	}
	fd = pc_open(&self->attr, -1, cpus[0], -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 0; i < 3; i++)
		ASSERT_OK(pc_tell(&t[i], PC_WORK));
	pc_disable(fd);
	/* Other tasks may run on this CPU, so this is a lower bound: 100 + 200 + 300. */
	EXPECT_LE(600, pc_value(fd));
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(0, pc_reap(&t[i]))
			TH_LOG("task %d", i);
	}
	close(fd);
}

PC_TEST(fault, the_sum_over_all_cpus_covers_a_task_that_moves)
{
	int cpus[64], fds[64], n = pc_cpus(cpus, 64);
	__u64 sum = 0;

	for (int i = 0; i < n; i++) {
		fds[i] = pc_open(&self->attr, -1, cpus[i], -1);
		ASSERT_FD(fds[i]);
		pc_enable(fds[i]);
	}
	for (int i = 0; i < n; i++) {
		ASSERT_OK(pc_pin(cpus[i]));
		pc_faults(50);
	}
	for (int i = 0; i < n; i++) {
		__u64 value;

		pc_disable(fds[i]);
		value = pc_value(fds[i]);
		EXPECT_LE(50, value) TH_LOG("CPU %d", cpus[i]);
		sum += value;
		close(fds[i]);
	}
	EXPECT_LE(50 * n, sum);
}

PC_TEST(fault, major_faults_are_what_getrusage_says)
{
	const char *exe = "/proc/self/exe";
	int maj = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	int all = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	struct rusage before, after;
	struct stat st;
	int file, pages;
	char *map;

	ASSERT_FD(maj);
	ASSERT_FD(all);
	file = open(exe, O_RDONLY);
	ASSERT_FD(file);
	ASSERT_OK(fstat(file, &st));
	pages = (st.st_size + pc_page() - 1) / pc_page();
	map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, file, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_OK(madvise(map, st.st_size, MADV_RANDOM));
	/* The page cache drops clean pages only. */
	ASSERT_OK(fsync(file));
	ASSERT_OK(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED));
	warm(maj);
	warm(all);

	pc_enable(maj);
	pc_enable(all);
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < pages; i++)
		pc_load(map + i * pc_page());
	getrusage(RUSAGE_THREAD, &after);
	pc_disable(maj);
	pc_disable(all);
	if (after.ru_majflt == before.ru_majflt)
		SKIP(return, "this file system keeps %s in memory", exe);
	EXPECT_EQ(after.ru_majflt - before.ru_majflt, pc_value(maj));
	EXPECT_EQ(after.ru_majflt - before.ru_majflt + after.ru_minflt - before.ru_minflt,
		  pc_value(all));
	close(file);
	close(maj);
	close(all);
}

FIXTURE(sched) {
	int cpus[2];
	int nr_cpus;
};

FIXTURE_SETUP(sched)
{
	self->nr_cpus = pc_cpus(self->cpus, 2);
	ASSERT_LE(1, self->nr_cpus);
	ASSERT_OK(pc_pin(self->cpus[0]));
}

FIXTURE_TEARDOWN(sched) {}

static long switches(struct rusage *ru)
{
	return ru->ru_nvcsw + ru->ru_nivcsw;
}

PC_TEST(sched, a_ping_pong_of_n_rounds_switches_n_times)
{
	const int rounds = 200;
	struct rusage outer[2], inner[2];
	struct pc_task t;
	int fd, run;

	ASSERT_OK(pc_spawn(&t, pc_worker, 0));
	fd = pc_open_self(PERF_COUNT_SW_CONTEXT_SWITCHES);
	ASSERT_FD(fd);
	warm(fd);
	/* Both tasks are on one CPU: each answer needs a switch to the other task. */
	for (run = 0; run < 3; run++) {
		__u64 value;

		pc_reset(fd);
		getrusage(RUSAGE_THREAD, &outer[0]);
		pc_enable(fd);
		getrusage(RUSAGE_THREAD, &inner[0]);
		for (int i = 0; i < rounds; i++)
			ASSERT_OK(pc_tell(&t, PC_WORK));
		getrusage(RUSAGE_THREAD, &inner[1]);
		pc_disable(fd);
		getrusage(RUSAGE_THREAD, &outer[1]);
		value = pc_value(fd);
		EXPECT_LE(rounds, value);
		EXPECT_LE(switches(&inner[1]) - switches(&inner[0]), value);
		EXPECT_GE(switches(&outer[1]) - switches(&outer[0]), value);
	}
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

PC_TEST(sched, context_switches_of_another_task_are_counted_there)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pc_task t;
	int fd;

	ASSERT_OK(pc_spawn(&t, pc_worker, 0));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	fd = pc_open(&attr, t.pid, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 0; i < 100; i++)
		ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(fd);
	EXPECT_LE(100, pc_value(fd));
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

PC_TEST(sched, context_switches_happen_in_the_kernel)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pc_task t;
	int user, kernel;

	attr.exclude_kernel = 1;
	user = pc_open(&attr, 0, -1, -1);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	kernel = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(user);
	ASSERT_FD(kernel);
	ASSERT_OK(pc_spawn(&t, pc_worker, 0));
	pc_enable(user);
	pc_enable(kernel);
	for (int i = 0; i < 20; i++)
		ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(user);
	pc_disable(kernel);
	EXPECT_EQ(0, pc_value(user));
	EXPECT_LE(20, pc_value(kernel));
	EXPECT_OK(pc_reap(&t));
	close(user);
	close(kernel);
}

PC_TEST(sched, n_moves_are_n_migrations)
{
	int fd = pc_open_self(PERF_COUNT_SW_CPU_MIGRATIONS);

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 1; i <= 40; i++)
		ASSERT_OK(pc_pin(self->cpus[i & 1]));
	/* The task is on this CPU already. */
	ASSERT_OK(pc_pin(self->cpus[0]));
	pc_disable(fd);
	EXPECT_EQ(40, pc_value(fd));
	close(fd);
}

PC_TEST(sched, migrations_of_a_sleeping_task_count_when_it_runs)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	struct pc_task t;
	cpu_set_t set;
	int fd;

	if (self->nr_cpus < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_spawn(&t, pc_worker, 1));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	fd = pc_open(&attr, t.pid, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 1; i <= 10; i++) {
		CPU_ZERO(&set);
		CPU_SET(self->cpus[i & 1], &set);
		ASSERT_OK(sched_setaffinity(t.pid, sizeof(set), &set));
		ASSERT_OK(pc_tell(&t, PC_WORK));
	}
	pc_disable(fd);
	EXPECT_EQ(10, pc_value(fd));
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

FIXTURE(clocks) {
	int cpu;
	int fd;
	struct perf_counter_attr attr;
};

FIXTURE_VARIANT(clocks) {
	__u64 config;
};

FIXTURE_VARIANT_ADD(clocks, task_clock) {
	.config = PERF_COUNT_SW_TASK_CLOCK,
};

FIXTURE_VARIANT_ADD(clocks, cpu_clock) {
	.config = PERF_COUNT_SW_CPU_CLOCK,
};

FIXTURE_SETUP(clocks)
{
	ASSERT_EQ(1, pc_cpus(&self->cpu, 1));
	ASSERT_OK(pc_pin(self->cpu));
	self->attr = pc_attr(variant->config);
	self->attr.read_format = all_times;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
}

FIXTURE_TEARDOWN(clocks)
{
	close(self->fd);
}

/*
 * The scheduler's clock and the counter are not read at the same instant, and CPU time may leave
 * out interrupts. A tolerance of a tenth covers both; a wrong unit would be a larger difference.
 */
PC_TEST(clocks, a_running_task_is_counted_as_the_scheduler_counts_it)
{
	__u64 outer[2], cpu[2];
	struct pc_values v;

	outer[0] = pc_clock(CLOCK_MONOTONIC);
	pc_enable(self->fd);
	cpu[0] = pc_clock(CLOCK_THREAD_CPUTIME_ID);
	pc_burn(50 * 1000 * 1000);
	cpu[1] = pc_clock(CLOCK_THREAD_CPUTIME_ID);
	pc_disable(self->fd);
	outer[1] = pc_clock(CLOCK_MONOTONIC);
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_GE(v.v[0].value, (cpu[1] - cpu[0]) / 10 * 9);
	EXPECT_LE(v.v[0].value, (outer[1] - outer[0]) / 100 * 101);
	EXPECT_EQ(v.enabled, v.running);
	/* The clock counts all of the time that it is enabled. */
	EXPECT_GE(v.v[0].value, v.enabled / 100 * 99);
	EXPECT_LE(v.v[0].value, v.enabled / 100 * 101);
}

PC_TEST(clocks, time_in_which_another_task_has_the_cpu_is_not_counted)
{
	struct pc_task t;
	__u64 wall, others;
	struct pc_values v;
	struct timespec ts;
	clockid_t clock;

	/* Both tasks are on one CPU: the time that one uses is not available to the other. */
	ASSERT_OK(pc_spawn(&t, pc_worker, 40 * 1000));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	ASSERT_OK(clock_getcpuclockid(t.pid, &clock));
	wall = pc_clock(CLOCK_MONOTONIC);
	pc_enable(self->fd);
	others = pc_clock(clock);
	pc_burn(10 * 1000 * 1000);
	ASSERT_OK(pc_tell(&t, PC_BURN));
	ASSERT_OK(clock_gettime(clock, &ts));
	others = pc_clock(clock) - others;
	pc_disable(self->fd);
	wall = pc_clock(CLOCK_MONOTONIC) - wall;
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_LE(40 * 1000 * 1000, others);
	EXPECT_LE(v.v[0].value, wall - others / 10 * 9);
	EXPECT_EQ(v.enabled, v.running);
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(clocks, a_cpu_wide_clock_runs_like_a_wall_clock)
{
	__u64 outer[2], inner[2], value;
	struct pc_values v;
	int fd = pc_open(&self->attr, -1, self->cpu, -1);

	ASSERT_FD(fd);
	outer[0] = pc_clock(CLOCK_MONOTONIC);
	pc_enable(fd);
	inner[0] = pc_clock(CLOCK_MONOTONIC);
	pc_burn(20 * 1000 * 1000);
	inner[1] = pc_clock(CLOCK_MONOTONIC);
	pc_disable(fd);
	outer[1] = pc_clock(CLOCK_MONOTONIC);
	ASSERT_EQ(24, pc_read(fd, all_times, &v));
	value = v.v[0].value;
	EXPECT_GE(value, (inner[1] - inner[0]) / 100 * 99);
	EXPECT_LE(value, (outer[1] - outer[0]) / 100 * 101);
	close(fd);
}

PC_TEST(clocks, a_cpu_clock_only_grows)
{
	struct pc_values v;
	__u64 last = 0;

	pc_enable(self->fd);
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
		ASSERT_LE(last, v.v[0].value);
		ASSERT_LE(v.running, v.enabled);
		last = v.v[0].value;
	}
	EXPECT_LT(0, last);
}

FIXTURE(control) {
	struct perf_counter_attr attr;
	int fd;
};

FIXTURE_SETUP(control)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.read_format = all_times;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	warm(self->fd);
}

FIXTURE_TEARDOWN(control)
{
	close(self->fd);
}

PC_TEST(control, a_counter_that_was_not_opened_disabled_counts_at_once)
{
	__u64 value;
	int fd;

	self->attr.disabled = 0;
	self->attr.read_format = 0;
	pc_faults(1);
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	value = pc_value(fd);
	pc_faults(12);
	EXPECT_EQ(value + 12, pc_value(fd));
	close(fd);
}

PC_TEST(control, enable_disable_and_reset)
{
	struct pc_values v;

	pc_faults(5);
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(0, v.v[0].value) TH_LOG("the counter begins disabled");

	ASSERT_OK(pc_enable(self->fd));
	pc_faults(5);
	ASSERT_OK(pc_disable(self->fd));
	pc_faults(3);
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(5, v.v[0].value) TH_LOG("3 more faults after the disable must not count");

	ASSERT_OK(pc_enable(self->fd));
	pc_faults(6);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(11, v.v[0].value) TH_LOG("5 faults and 6 faults");

	ASSERT_OK(pc_reset(self->fd));
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(0, v.v[0].value) TH_LOG("reset");

	ASSERT_OK(pc_enable(self->fd));
	pc_faults(4);
	ASSERT_OK(pc_reset(self->fd));
	pc_faults(2);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(2, v.v[0].value) TH_LOG("2 faults since the reset");
}

PC_TEST(control, enabling_twice_counts_once)
{
	struct pc_values v;

	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(5);
	ASSERT_OK(pc_disable(self->fd));
	pc_faults(5);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(5, v.v[0].value);
}

PC_TEST(control, time_stands_still_while_disabled_and_survives_reset)
{
	struct pc_values a, b;

	ASSERT_OK(pc_enable(self->fd));
	pc_burn(1000 * 1000);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_EQ(24, pc_read(self->fd, all_times, &a));
	EXPECT_LT(0, a.enabled);
	EXPECT_EQ(a.enabled, a.running);
	pc_burn(1000 * 1000);
	ASSERT_OK(pc_reset(self->fd));
	ASSERT_EQ(24, pc_read(self->fd, all_times, &b));
	EXPECT_EQ(a.enabled, b.enabled) TH_LOG("time while the counter is disabled");
	EXPECT_EQ(a.running, b.running);
	ASSERT_OK(pc_enable(self->fd));
	pc_burn(1000 * 1000);
	ASSERT_EQ(24, pc_read(self->fd, all_times, &b));
	EXPECT_LT(a.enabled, b.enabled) TH_LOG("time after enabling again");
}

PC_TEST(control, enabled_time_is_the_time_that_the_task_runs)
{
	__u64 cpu[2], outer[2];
	struct pc_values before, after;

	ASSERT_EQ(24, pc_read(self->fd, all_times, &before));
	outer[0] = pc_clock(CLOCK_MONOTONIC);
	ASSERT_OK(pc_enable(self->fd));
	cpu[0] = pc_clock(CLOCK_THREAD_CPUTIME_ID);
	pc_burn(30 * 1000 * 1000);
	cpu[1] = pc_clock(CLOCK_THREAD_CPUTIME_ID);
	ASSERT_OK(pc_disable(self->fd));
	outer[1] = pc_clock(CLOCK_MONOTONIC);
	ASSERT_EQ(24, pc_read(self->fd, all_times, &after));
	EXPECT_GE(after.enabled - before.enabled, (cpu[1] - cpu[0]) / 10 * 9);
	EXPECT_LE(after.enabled - before.enabled, (outer[1] - outer[0]) / 100 * 101);
}

PC_TEST(control, pinned_and_exclusive_counters_count)
{
	for (int i = 1; i < 4; i++) {
		self->attr.read_format = 0;
		self->attr.pinned = i & 1;
		self->attr.exclusive = i >> 1;
		EXPECT_EQ(25, count_faults(&self->attr, -1, 25)) {
			TH_LOG("pinned %d exclusive %d", i & 1, i >> 1);
		}
	}
}

PC_TEST(control, two_counters_of_one_event_count_the_same)
{
	struct pc_values v;
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	pc_enable(fd);
	pc_faults(3);
	pc_enable(self->fd);
	pc_faults(9);
	pc_disable(self->fd);
	pc_faults(1);
	pc_disable(fd);
	ASSERT_EQ(24, pc_read(self->fd, all_times, &v));
	EXPECT_EQ(9, v.v[0].value);
	ASSERT_EQ(24, pc_read(fd, all_times, &v));
	EXPECT_EQ(13, v.v[0].value);
	close(fd);
}

PC_TEST(control, many_counters_on_one_task)
{
	int fds[200];

	self->attr.read_format = 0;
	for (int i = 0; i < 200; i++) {
		fds[i] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
	}
	for (int i = 0; i < 200; i++)
		pc_enable(fds[i]);
	pc_faults(11);
	for (int i = 0; i < 200; i++)
		pc_disable(fds[i]);
	for (int i = 0; i < 200; i++) {
		EXPECT_EQ(11, pc_value(fds[i]))
			TH_LOG("counter %d of 200", i);
		close(fds[i]);
	}
}

PC_TEST(control, a_counter_lives_as_long_as_its_last_descriptor)
{
	struct pc_values v;
	int copy = dup(self->fd);

	ASSERT_FD(copy);
	pc_enable(self->fd);
	close(self->fd);
	pc_faults(8);
	ASSERT_EQ(24, pc_read(copy, all_times, &v));
	EXPECT_EQ(8, v.v[0].value);
	self->fd = copy;
}

FIXTURE(reading) {
	int unused;
};

FIXTURE_SETUP(reading) {}
FIXTURE_TEARDOWN(reading) {}

PC_TEST(reading, every_format_of_one_counter)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_values v;

	for (int format = 0; format < 32; format++) {
		int fd, nr = 1;

		attr.read_format = format;
		fd = pc_open(&attr, 0, -1, -1);
		ASSERT_FD(fd);
		warm(fd);
		pc_enable(fd);
		pc_faults(6);
		pc_disable(fd);
		EXPECT_EQ(pc_read_size(format, nr), pc_read(fd, format, &v))
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(1, v.nr)
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(6, v.v[0].value)
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED), !!v.enabled)
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING), !!v.running)
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(format & PERF_FORMAT_ID ? pc_id(fd) : 0, v.v[0].id)
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(0, v.v[0].lost)
			TH_LOG("read_format %#x", format);
		close(fd);
	}
}

PC_TEST(reading, every_format_of_a_group)
{
	static const __u64 configs[] = { PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
					 PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_PAGE_FAULTS_MAJ };
	static const __u64 expected[] = { 6, 6, 0, 0 };
	struct pc_values v;

	for (int format = 0; format < 32; format++) {
		int fds[4];

		for (int i = 0; i < 4; i++) {
			struct perf_counter_attr attr = pc_attr(configs[i]);

			attr.read_format = format;
			attr.disabled = i == 0;
			fds[i] = pc_open(&attr, 0, -1, i ? fds[0] : -1);
			ASSERT_FD(fds[i]);
		}
		warm(fds[0]);
		ASSERT_OK(ioctl(fds[0], PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP));
		pc_enable(fds[0]);
		pc_faults(6);
		pc_disable(fds[0]);
		EXPECT_EQ(pc_read_size(format, 4), pc_read(fds[0], format, &v))
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(format & PERF_FORMAT_GROUP ? 4 : 1, v.nr)
			TH_LOG("read_format %#x", format);
		for (int i = 0; i < v.nr; i++) {
			EXPECT_EQ(expected[i], v.v[i].value)
				TH_LOG("read_format %#x member %d", format, i);
			EXPECT_EQ(format & PERF_FORMAT_ID ? pc_id(fds[i]) : 0, v.v[i].id)
				TH_LOG("read_format %#x member %d", format, i);
			EXPECT_EQ(0, v.v[i].lost)
				TH_LOG("read_format %#x member %d", format, i);
		}
		for (int i = 3; i >= 0; i--)
			close(fds[i]);
	}
}

PC_TEST(reading, ids_are_unique_and_not_zero)
{
	__u64 ids[32];
	int fds[32];

	for (int i = 0; i < 32; i++) {
		fds[i] = pc_open_self(PERF_COUNT_SW_DUMMY);
		ASSERT_FD(fds[i]);
		ids[i] = pc_id(fds[i]);
		EXPECT_NE(0, ids[i]);
		for (int j = 0; j < i; j++) {
			EXPECT_NE(ids[j], ids[i])
				TH_LOG("counters %d and %d", j, i);
		}
	}
	for (int i = 0; i < 32; i++)
		close(fds[i]);
}

PC_TEST(reading, a_buffer_that_is_too_small_is_refused)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	char buf[256];

	for (int format = 0; format < 32; format++) {
		size_t need = pc_read_size(format, 2);
		int leader, member;

		attr.read_format = format;
		leader = pc_open(&attr, 0, -1, -1);
		ASSERT_FD(leader);
		member = pc_open(&attr, 0, -1, leader);
		ASSERT_FD(member);
		EXPECT_ERRNO(ENOSPC, read(leader, buf, need - 1));
		EXPECT_ERRNO(ENOSPC, read(leader, buf, 1));
		EXPECT_EQ(need, read(leader, buf, need))
			TH_LOG("read_format %#x", format);
		EXPECT_EQ(need, read(leader, buf, sizeof(buf)))
			TH_LOG("read_format %#x", format);
		EXPECT_ERRNO(EFAULT, syscall(SYS_read, leader, 8L, sizeof(buf)));
		close(member);
		close(leader);
	}
}

PC_TEST(reading, a_counter_is_not_written_to)
{
	int fd = pc_open_self(PERF_COUNT_SW_DUMMY);

	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, write(fd, "", 1));
	close(fd);
}

PC_TEST(reading, a_counter_without_a_buffer_is_not_spliced)
{
	int fd = pc_open_self(PERF_COUNT_SW_DUMMY), pipes[2];

	ASSERT_FD(fd);
	ASSERT_OK(pipe(pipes));
	EXPECT_ERRNO(EINVAL, splice(fd, NULL, pipes[1], NULL, 8, SPLICE_F_NONBLOCK));
	close(fd);
}

FIXTURE(group) {
	int leader;
	int member;
	int other;
	struct perf_counter_attr attr;
};

FIXTURE_SETUP(group)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->leader = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->leader);
	self->attr.disabled = 0;
	self->member = pc_open(&self->attr, 0, -1, self->leader);
	ASSERT_FD(self->member);
	self->attr.disabled = 1;
	self->other = pc_open(&self->attr, 0, -1, self->leader);
	ASSERT_FD(self->other);
	warm(self->leader);
	ASSERT_OK(ioctl(self->leader, PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP));
}

FIXTURE_TEARDOWN(group)
{
	close(self->leader);
	close(self->member);
	close(self->other);
}

PC_TEST(group, members_count_while_the_leader_does)
{
	pc_faults(3);
	EXPECT_EQ(0, pc_value(self->member)) TH_LOG("the leader is disabled");
	pc_enable(self->leader);
	pc_faults(4);
	pc_disable(self->leader);
	pc_faults(3);
	EXPECT_EQ(4, pc_value(self->leader));
	EXPECT_EQ(4, pc_value(self->member));
	EXPECT_EQ(0, pc_value(self->other)) TH_LOG("the member is disabled");
}

PC_TEST(group, a_member_is_enabled_and_disabled_alone)
{
	pc_enable(self->leader);
	pc_faults(2);
	ASSERT_OK(pc_disable(self->member));
	ASSERT_OK(pc_enable(self->other));
	pc_faults(5);
	pc_disable(self->leader);
	EXPECT_EQ(7, pc_value(self->leader));
	EXPECT_EQ(2, pc_value(self->member));
	EXPECT_EQ(5, pc_value(self->other));
}

PC_TEST(group, the_group_flag_enables_and_disables_all_members)
{
	ASSERT_OK(ioctl(self->leader, PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_FLAG_GROUP));
	pc_faults(5);
	ASSERT_OK(ioctl(self->leader, PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_FLAG_GROUP));
	EXPECT_EQ(5, pc_value(self->leader));
	EXPECT_EQ(5, pc_value(self->member));
	EXPECT_EQ(5, pc_value(self->other));
	pc_enable(self->leader);
	pc_faults(2);
	pc_disable(self->leader);
	EXPECT_EQ(7, pc_value(self->leader));
	EXPECT_EQ(5, pc_value(self->member)) TH_LOG("the member is disabled with the group");
	ASSERT_OK(ioctl(self->leader, PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_FLAG_GROUP));
	EXPECT_EQ(0, pc_value(self->leader));
	EXPECT_EQ(0, pc_value(self->member));
	EXPECT_EQ(0, pc_value(self->other));
}

PC_TEST(group, the_group_flag_works_on_a_member_too)
{
	ASSERT_OK(ioctl(self->member, PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_FLAG_GROUP));
	pc_faults(5);
	ASSERT_OK(ioctl(self->member, PERF_COUNTER_IOC_DISABLE, PERF_COUNTER_IOC_FLAG_GROUP));
	EXPECT_EQ(5, pc_value(self->leader));
	EXPECT_EQ(5, pc_value(self->member));
	EXPECT_EQ(5, pc_value(self->other));
}

PC_TEST(group, reset_without_the_flag_is_for_one_counter)
{
	pc_enable(self->leader);
	pc_faults(5);
	pc_disable(self->leader);
	ASSERT_OK(pc_reset(self->leader));
	EXPECT_EQ(0, pc_value(self->leader));
	EXPECT_EQ(5, pc_value(self->member));
}

PC_TEST(group, members_outlive_their_leader)
{
	pc_enable(self->leader);
	pc_faults(5);
	close(self->leader);
	self->leader = -1;
	pc_faults(4);
	EXPECT_EQ(9, pc_value(self->member));
}

PC_TEST(group, a_member_that_is_closed_leaves_the_group)
{
	struct perf_counter_attr attr = self->attr;
	struct pc_values v;
	int leader, fds[3];

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	leader = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(leader);
	for (int i = 0; i < 3; i++) {
		fds[i] = pc_open(&attr, 0, -1, leader);
		ASSERT_FD(fds[i]);
	}
	ASSERT_LT(0, pc_read(leader, attr.read_format, &v));
	EXPECT_EQ(4, v.nr);
	close(fds[1]);
	ASSERT_LT(0, pc_read(leader, attr.read_format, &v));
	EXPECT_EQ(3, v.nr);
	EXPECT_EQ(pc_id(leader), v.v[0].id);
	EXPECT_EQ(pc_id(fds[0]), v.v[1].id);
	EXPECT_EQ(pc_id(fds[2]), v.v[2].id);
	close(fds[0]);
	close(fds[2]);
	close(leader);
}

PC_TEST(group, a_counter_added_to_a_running_group_counts_from_then)
{
	int late;

	pc_enable(self->leader);
	pc_faults(5);
	self->attr.disabled = 0;
	late = pc_open(&self->attr, 0, -1, self->leader);
	ASSERT_FD(late);
	ASSERT_OK(pc_reset(late));
	pc_faults(6);
	pc_disable(self->leader);
	EXPECT_EQ(6, pc_value(late));
	close(late);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

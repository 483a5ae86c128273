// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of process trees, and counters of other tasks. The tasks wait for orders: while a
 * counter is enabled, they take the ordered page faults only, so that every sum is exact.
 */
#include <spawn.h>

#include "pc_test.h"
#include "pc_work.h"

static const __u64 all_times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

FIXTURE(inherit) {
	struct perf_counter_attr attr;
	int fd;
};

FIXTURE_SETUP(inherit)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.inherit = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	pc_faults(1);
	pc_value(self->fd);
}

FIXTURE_TEARDOWN(inherit)
{
	close(self->fd);
}

PC_TEST(inherit, a_child_is_counted_while_it_lives_and_after)
{
	struct pc_task t;

	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 123));
	EXPECT_EQ(0, pc_value(self->fd));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(123, pc_value(self->fd)) TH_LOG("while the child runs");
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(123, pc_value(self->fd)) TH_LOG("after the exit of the child");
}

PC_TEST(inherit, without_inherit_a_child_is_not_counted)
{
	struct pc_task t;
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);

	ASSERT_FD(fd);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 123));
	pc_value(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(fd);
	EXPECT_EQ(0, pc_value(fd));
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(0, pc_value(fd));
	close(fd);
}

PC_TEST(inherit, a_thread_is_counted_while_it_lives_and_after)
{
	struct pc_task t;

	ASSERT_OK(pc_thread_warm(&t, pc_worker, 77));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(77, pc_value(self->fd));
	ASSERT_OK(pc_join(&t));
	EXPECT_EQ(77, pc_value(self->fd));
}

PC_TEST(inherit, the_sum_of_parent_and_eight_children_is_exact)
{
	struct pc_task t[8];

	for (int i = 0; i < 8; i++)
		ASSERT_OK(pc_spawn_warm(&t[i], pc_worker, 1 << i));
	pc_enable(self->fd);
	for (int i = 0; i < 8; i++)
		ASSERT_OK(pc_order(&t[i], PC_WORK));
	for (int i = 0; i < 8; i++)
		ASSERT_OK(pc_reply(&t[i]));
	pc_faults(256);
	pc_disable(self->fd);
	EXPECT_EQ(511, pc_value(self->fd));
	for (int i = 0; i < 8; i += 2)
		EXPECT_OK(pc_reap(&t[i]));
	EXPECT_EQ(511, pc_value(self->fd)) TH_LOG("half of the children have exited");
	for (int i = 1; i < 8; i += 2)
		EXPECT_OK(pc_reap(&t[i]));
	EXPECT_EQ(511, pc_value(self->fd)) TH_LOG("all children have exited");
}

/* A process with a child, which has a child, and so on, down to depth 0. Each passes orders on. */
static void tree(struct pc_task *t)
{
	struct pc_task sub;
	char order;

	if (t->arg && pc_spawn(&sub, tree, t->arg - 1))
		_exit(1);
	while ((order = pc_await(t))) {
		pc_faults(order == PC_WORK ? 10 * (t->arg + 1) : 1);
		if (t->arg && pc_tell(&sub, order))
			_exit(1);
		pc_done(t);
	}
	if (t->arg && pc_reap(&sub))
		_exit(1);
}

PC_TEST(inherit, a_process_tree_of_depth_three_is_counted)
{
	struct pc_task t;

	ASSERT_OK(pc_spawn_warm(&t, tree, 2));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(30 + 20 + 10, pc_value(self->fd));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(2 * (30 + 20 + 10), pc_value(self->fd));
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(2 * (30 + 20 + 10), pc_value(self->fd)) TH_LOG("all children have exited");
}

/* A process that forks a child with its own end of the socket, and exits. */
static void orphan_maker(struct pc_task *t)
{
	if (!fork()) {
		pc_worker(t);
		_exit(0);
	}
}

PC_TEST(inherit, a_grandchild_whose_parent_died_is_counted)
{
	struct pc_task t;
	int status;

	/* The orphan becomes a child of this task, which can wait for its end. */
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	ASSERT_OK(pc_spawn(&t, orphan_maker, 45));
	ASSERT_EQ(t.pid, waitpid(t.pid, &status, 0));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(45, pc_value(self->fd));
	shutdown(t.parent_end, SHUT_RDWR);
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(45, pc_value(self->fd));
}

PC_TEST(inherit, tasks_that_existed_before_are_not_counted)
{
	struct pc_task process, thread;
	int fd;

	ASSERT_OK(pc_spawn_warm(&process, pc_worker, 10));
	ASSERT_OK(pc_thread_warm(&thread, pc_worker, 10));
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&process, PC_WORK));
	ASSERT_OK(pc_tell(&thread, PC_WORK));
	pc_disable(fd);
	EXPECT_EQ(0, pc_value(fd));
	EXPECT_OK(pc_reap(&process));
	ASSERT_OK(pc_join(&thread));
	close(fd);
}

PC_TEST(inherit, enable_disable_and_reset_reach_children_on_other_cpus)
{
	int cpus[2], n = pc_cpus(cpus, 2);
	struct pc_task t;
	cpu_set_t set;

	if (n < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 5));
	CPU_ZERO(&set);
	CPU_SET(cpus[1], &set);
	ASSERT_OK(sched_setaffinity(t.pid, sizeof(set), &set));
	for (int i = 1; i <= 20; i++) {
		ASSERT_OK(pc_enable(self->fd));
		ASSERT_OK(pc_tell(&t, PC_WORK));
		ASSERT_OK(pc_disable(self->fd));
		ASSERT_OK(pc_tell(&t, PC_WORK));
		ASSERT_EQ(5 * i, pc_value(self->fd));
	}
	ASSERT_OK(pc_reset(self->fd));
	EXPECT_EQ(0, pc_value(self->fd));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_EQ(5, pc_value(self->fd));
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(inherit, reset_clears_the_counts_of_exited_tasks)
{
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 8));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(8, pc_value(self->fd));
	ASSERT_OK(pc_reset(self->fd));
	EXPECT_EQ(0, pc_value(self->fd));
}

/*
 * The number of minor faults from fork to exit, with copies of shared pages, is taken from
 * getrusage().
 */
PC_TEST(inherit, faults_from_fork_to_exit_are_those_of_getrusage)
{
	struct rusage self_outer[2], self_inner[2], children[2];
	__u64 value;
	int fd;

	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	getrusage(RUSAGE_SELF, &self_inner[0]);
	pc_value(fd);
	pc_disable(fd);
	pc_reset(fd);

	getrusage(RUSAGE_CHILDREN, &children[0]);
	getrusage(RUSAGE_SELF, &self_outer[0]);
	pc_enable(fd);
	getrusage(RUSAGE_SELF, &self_inner[0]);
	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();

		ASSERT_LE(0, pid);
		if (!pid) {
			pc_faults(i);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	getrusage(RUSAGE_SELF, &self_inner[1]);
	pc_disable(fd);
	getrusage(RUSAGE_SELF, &self_outer[1]);
	getrusage(RUSAGE_CHILDREN, &children[1]);
	value = pc_value(fd);
	EXPECT_LE(40 * 39 / 2, value);
	EXPECT_LE(children[1].ru_minflt - children[0].ru_minflt +
		  self_inner[1].ru_minflt - self_inner[0].ru_minflt, value);
	EXPECT_GE(children[1].ru_minflt - children[0].ru_minflt +
		  self_outer[1].ru_minflt - self_outer[0].ru_minflt, value);
	close(fd);
}

static void burn_and_exit(struct pc_task *t)
{
	pc_burn(t->arg);
}

PC_TEST(inherit, times_are_summed_over_the_tree)
{
	struct rusage before, after;
	struct pc_values v;
	struct pc_task t[3];
	__u64 cpu;
	int fd;

	self->attr.read_format = all_times;
	self->attr.config = PERF_COUNT_SW_TASK_CLOCK;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	getrusage(RUSAGE_CHILDREN, &before);
	pc_enable(fd);
	for (int i = 0; i < 3; i++)
		ASSERT_OK(pc_spawn(&t[i], burn_and_exit, 20 * 1000 * 1000));
	for (int i = 0; i < 3; i++)
		EXPECT_OK(pc_reap(&t[i]));
	pc_disable(fd);
	getrusage(RUSAGE_CHILDREN, &after);
	ASSERT_EQ(24, pc_read(fd, all_times, &v));
	cpu = 3 * 20 * 1000 * 1000;
	EXPECT_GE(v.v[0].value, cpu / 10 * 9);
	EXPECT_EQ(v.enabled, v.running);
	EXPECT_GE(v.v[0].value, v.enabled / 100 * 99);
	EXPECT_LE(v.v[0].value, v.enabled / 100 * 101);
	close(fd);
}

PC_TEST(inherit, a_group_is_inherited_and_read_as_one)
{
	const __u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	struct perf_counter_attr attr = self->attr;
	struct pc_values v;
	struct pc_task t;
	int leader, minor, major;

	attr.read_format = format;
	leader = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(leader);
	attr.disabled = 0;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	minor = pc_open(&attr, 0, -1, leader);
	ASSERT_FD(minor);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	major = pc_open(&attr, 0, -1, leader);
	ASSERT_FD(major);

	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 33));
	pc_read(leader, format, &v);
	pc_enable(leader);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_faults(3);
	pc_disable(leader);
	for (int alive = 1; alive >= 0; alive--) {
		ASSERT_EQ(8 + 3 * 16, pc_read(leader, format, &v));
		EXPECT_EQ(3, v.nr);
		EXPECT_EQ(36, v.v[0].value)
			TH_LOG("the child %s", alive ? "lives" : "has gone");
		EXPECT_EQ(36, v.v[1].value)
			TH_LOG("the child %s", alive ? "lives" : "has gone");
		EXPECT_EQ(0, v.v[2].value);
		EXPECT_EQ(pc_id(leader), v.v[0].id);
		EXPECT_EQ(pc_id(minor), v.v[1].id);
		EXPECT_EQ(pc_id(major), v.v[2].id);
		if (alive)
			EXPECT_OK(pc_reap(&t));
	}
	close(major);
	close(minor);
	close(leader);
}

/* A process that closes its inherited descriptors, so that only the parent holds the counter. */
static void worker_without_files(struct pc_task *t)
{
	for (int fd = 3; fd < 64; fd++)
		if (fd != t->child_end)
			close(fd);
	pc_worker(t);
}

PC_TEST(inherit, the_descriptor_can_be_closed_while_children_run)
{
	struct pc_task t[2];

	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_spawn_warm(&t[i], worker_without_files, 5));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t[0], PC_WORK));
	close(self->fd);
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_tell(&t[i], PC_WORK));
	for (int i = 0; i < 2; i++)
		EXPECT_OK(pc_reap(&t[i]));
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
}

static void read_and_exit(struct pc_task *t)
{
	__u64 value = pc_value(t->arg);

	if (write(t->child_end, &value, sizeof(value)) != sizeof(value))
		_exit(1);
}

PC_TEST(inherit, a_child_can_read_its_parents_descriptor)
{
	struct pc_task t;
	__u64 value = 0;

	pc_enable(self->fd);
	pc_faults(19);
	pc_disable(self->fd);
	ASSERT_OK(pc_spawn(&t, read_and_exit, self->fd));
	ASSERT_EQ(sizeof(value), read(t.parent_end, &value, sizeof(value)));
	EXPECT_EQ(19, value);
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(inherit, children_are_counted_on_the_counters_cpu_only)
{
	int cpus[2], fds[2], n = pc_cpus(cpus, 2);
	struct pc_task t;
	cpu_set_t set;

	if (n < 2)
		SKIP(return, "needs 2 CPUs");
	for (int i = 0; i < 2; i++) {
		fds[i] = pc_open(&self->attr, 0, cpus[i], -1);
		ASSERT_FD(fds[i]);
	}
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 9));
	CPU_ZERO(&set);
	CPU_SET(cpus[1], &set);
	ASSERT_OK(sched_setaffinity(t.pid, sizeof(set), &set));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	pc_enable(fds[0]);
	pc_enable(fds[1]);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(fds[0]);
	pc_disable(fds[1]);
	EXPECT_EQ(0, pc_value(fds[0]));
	EXPECT_EQ(9, pc_value(fds[1]));
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(0, pc_value(fds[0]));
	EXPECT_EQ(9, pc_value(fds[1]));
	close(fds[0]);
	close(fds[1]);
}

/* A process that counts its own child, while the test counts both. */
static void counting_parent(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_task sub;
	char order;
	int fd;

	attr.inherit = 1;
	fd = pc_open(&attr, 0, -1, -1);
	if (fd < 0 || pc_spawn(&sub, pc_worker, 21))
		_exit(1);
	while ((order = pc_await(t))) {
		if (order == PC_WORK)
			pc_enable(fd);
		if (pc_tell(&sub, order))
			_exit(2);
		if (order == PC_WORK) {
			pc_disable(fd);
			if (pc_value(fd) != 21)
				_exit(3);
		} else {
			pc_value(fd);
			pc_reset(fd);
		}
		pc_done(t);
	}
	_exit(pc_reap(&sub) || pc_value(fd) != 21 ? 4 : 0);
}

PC_TEST(inherit, children_that_share_memory_until_they_exec_are_counted)
{
	char name[] = "worker", flag[] = "--worker", faults[] = "29", fd[16];
	char *argv[5] = { name, flag, fd, faults, NULL };
	struct pc_task t;
	__u64 value;

	/* posix_spawn() is CLONE_VM | CLONE_VFORK and exec. */
	ASSERT_OK(pc_task_pipes(&t));
	snprintf(fd, sizeof(fd), "%d", t.child_end);
	ASSERT_EQ(0, posix_spawn(&t.pid, "/proc/self/exe", NULL, NULL, argv, environ));
	ASSERT_OK(pc_reply(&t));
	ASSERT_OK(pc_warm(&t));
	value = pc_value(self->fd);
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(value + 29, pc_value(self->fd));
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(value + 29, pc_value(self->fd));
}

PC_TEST(inherit, two_counters_of_a_tree_are_independent)
{
	struct pc_task t;

	ASSERT_OK(pc_spawn_warm(&t, counting_parent, 0));
	/*
	 * The child takes no faults of its own: it has touched no new page since it was warmed up.
	 */
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	EXPECT_EQ(21, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&t)) TH_LOG("exit status 3 or 4: a wrong count in the child");
	EXPECT_EQ(21, pc_value(self->fd));
}

FIXTURE(other) {
	struct perf_counter_attr attr;
	struct pc_task t;
	int fd;
};

FIXTURE_SETUP(other)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 64));
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	pc_value(self->fd);
}

FIXTURE_TEARDOWN(other)
{
	close(self->fd);
	if (self->t.pid)
		pc_reap(&self->t);
}

PC_TEST(other, a_process_is_counted_by_its_pid)
{
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	pc_faults(5);
	pc_disable(self->fd);
	EXPECT_EQ(64, pc_value(self->fd)) TH_LOG("the observer's own 5 faults must not count");
}

PC_TEST(other, enabling_works_in_each_state_of_the_task)
{
	/* In each round the task is running, going to sleep, or sleeping, on any CPU. */
	for (int i = 0; i < 50; i++) {
		ASSERT_OK(pc_order(&self->t, PC_WORK));
		ASSERT_OK(pc_enable(self->fd));
		ASSERT_OK(pc_disable(self->fd));
		ASSERT_OK(pc_reply(&self->t));
	}
	ASSERT_OK(pc_reset(self->fd));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(64, pc_value(self->fd));
}

PC_TEST(other, the_count_remains_after_the_exit)
{
	__u64 value;

	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_OK(pc_reap(&self->t));
	self->t.pid = 0;
	value = pc_value(self->fd);
	EXPECT_LE(64, value);
	EXPECT_GT(128, value) TH_LOG("an exit takes less than 64 page faults");
	EXPECT_EQ(value, pc_value(self->fd)) TH_LOG("the count has changed after the exit");
	EXPECT_EQ(0, pc_enable(self->fd));
	EXPECT_EQ(0, pc_disable(self->fd));
	EXPECT_EQ(value, pc_value(self->fd));
}

PC_TEST(other, a_count_only_grows_while_the_task_exits)
{
	for (int i = 0; i < pc_rounds(50); i++) {
		__u64 value, last = 0;
		struct pc_task t;
		siginfo_t info;
		int fd;

		ASSERT_OK(pc_spawn_warm(&t, pc_worker, 64));
		fd = pc_open(&self->attr, t.pid, -1, -1);
		ASSERT_FD(fd);
		pc_enable(fd);
		ASSERT_OK(pc_tell(&t, PC_WORK));
		shutdown(t.parent_end, SHUT_RDWR);
		do {
			value = pc_value(fd);
			ASSERT_LE(last, value);
			last = value;
			info.si_pid = 0;
			ASSERT_OK(waitid(P_PID, t.pid, &info, WEXITED | WNOWAIT | WNOHANG));
		} while (!info.si_pid);
		EXPECT_LE(64, value);
		EXPECT_OK(pc_reap(&t));
		close(fd);
	}
}

PC_TEST(other, children_are_counted_when_inherit_is_set)
{
	struct pc_task t;
	int with, without;

	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 0));
	EXPECT_OK(pc_reap(&t));

	/* Open the counters before the process starts its child. */
	ASSERT_OK(pc_spawn(&t, counting_parent, 0));
	self->attr.inherit = 1;
	with = pc_open(&self->attr, t.pid, -1, -1);
	self->attr.inherit = 0;
	without = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(with);
	ASSERT_FD(without);
	EXPECT_EQ(0, pc_value(with));
	EXPECT_EQ(0, pc_value(without));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	pc_enable(without);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(without);
	EXPECT_EQ(0, pc_value(without)) TH_LOG("the 21 faults of the child must not count");
	EXPECT_OK(pc_reap(&t));
	close(with);
	close(without);
}

PC_TEST(other, a_process_is_counted_without_its_threads)
{
	struct pc_task t;
	int fd = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);

	ASSERT_FD(fd);
	ASSERT_OK(pc_thread_warm(&t, pc_worker, 31));
	pc_value(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(fd);
	EXPECT_EQ(0, pc_value(fd));
	ASSERT_OK(pc_join(&t));
	close(fd);
}

PC_TEST(other, a_thread_is_counted_by_its_tid)
{
	struct pc_task t[2];
	int fds[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_thread_warm(&t[i], pc_worker, 31 + i));
		fds[i] = pc_open(&self->attr, t[i].pid, -1, -1);
		ASSERT_FD(fds[i]);
		pc_value(fds[i]);
		pc_enable(fds[i]);
	}
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_tell(&t[i], PC_WORK));
	pc_faults(3);
	for (int i = 0; i < 2; i++) {
		pc_disable(fds[i]);
		EXPECT_EQ(31 + i, pc_value(fds[i]))
			TH_LOG("thread %d", i);
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_join(&t[i]));
		EXPECT_EQ(31 + i, pc_value(fds[i]))
			TH_LOG("thread %d has gone", i);
		close(fds[i]);
	}
}

PC_TEST(other, a_kernel_thread_can_be_counted)
{
	__u64 value;
	int fd;

	/* The task is kthreadd, which takes no page faults and never exits. */
	fd = pc_open(&self->attr, 2, -1, -1);
	if (fd < 0 && errno == ESRCH)
		SKIP(return, "pid 2 is not visible");
	ASSERT_FD(fd);
	pc_enable(fd);
	value = pc_value(fd);
	pc_disable(fd);
	EXPECT_EQ(0, value);
	close(fd);
}

static void opener(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	t->arg = pc_open(&attr, getpid(), -1, -1);
}

PC_TEST(other, a_counter_outlives_the_thread_that_opened_it)
{
	struct pc_task t;
	int fd;

	ASSERT_OK(pc_thread(&t, opener, -1));
	ASSERT_OK(pthread_join(t.thread, NULL));
	fd = t.arg;
	ASSERT_FD(fd);
	pc_faults(1);
	ASSERT_OK(pc_enable(fd));
	pc_faults(14);
	ASSERT_OK(pc_disable(fd));
	EXPECT_EQ(14, pc_value(fd));
	close(fd);
}

FIXTURE(exec) {
	struct perf_counter_attr attr;
	struct pc_task t;
};

FIXTURE_SETUP(exec)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_OK(pc_spawn(&self->t, pc_exec_worker, 27));
}

FIXTURE_TEARDOWN(exec)
{
	if (self->t.pid)
		pc_reap(&self->t);
}

PC_TEST(exec, enable_on_exec_counts_from_the_exec)
{
	__u64 value;
	int fd;

	self->attr.enable_on_exec = 1;
	fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(fd);
	EXPECT_EQ(0, pc_value(fd));
	ASSERT_OK(pc_tell(&self->t, 'x'));
	value = pc_value(fd);
	EXPECT_LT(0, value) TH_LOG("a program cannot start without a page fault");
	/* The counter stays enabled. */
	ASSERT_OK(pc_tell(&self->t, PC_WARM));
	ASSERT_OK(pc_tell(&self->t, PC_WARM));
	value = pc_value(fd);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(value + 27, pc_value(fd));
	close(fd);
}

PC_TEST(exec, without_enable_on_exec_nothing_is_counted)
{
	int fd = pc_open(&self->attr, self->t.pid, -1, -1);

	ASSERT_FD(fd);
	ASSERT_OK(pc_tell(&self->t, 'x'));
	EXPECT_EQ(0, pc_value(fd));
	close(fd);
}

PC_TEST(exec, enable_on_exec_is_inherited)
{
	struct pc_task t;
	int fd;

	self->attr.enable_on_exec = 1;
	self->attr.inherit = 1;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_spawn(&t, pc_exec_worker, 27));
	EXPECT_EQ(0, pc_value(fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	EXPECT_LT(0, pc_value(fd)) TH_LOG("the exec of the child has faults");
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

PC_TEST(exec, enable_on_exec_works_for_a_group)
{
	__u64 a, b;
	int leader, member;

	self->attr.enable_on_exec = 1;
	leader = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(leader);
	self->attr.enable_on_exec = 0;
	self->attr.disabled = 0;
	member = pc_open(&self->attr, self->t.pid, -1, leader);
	ASSERT_FD(member);
	ASSERT_OK(pc_tell(&self->t, 'x'));
	a = pc_value(leader);
	b = pc_value(member);
	EXPECT_LT(0, a);
	EXPECT_EQ(a, b);
	close(member);
	close(leader);
}

PC_TEST(exec, a_counter_goes_on_across_exec)
{
	__u64 value;
	int fd = pc_open(&self->attr, self->t.pid, -1, -1);

	ASSERT_FD(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&self->t, 'x'));
	ASSERT_OK(pc_tell(&self->t, PC_WARM));
	ASSERT_OK(pc_tell(&self->t, PC_WARM));
	value = pc_value(fd);
	EXPECT_LT(0, value);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(value + 27, pc_value(fd));
	close(fd);
}

/* A process whose second thread calls exec, which ends the first thread. */
static void thread_that_execs(struct pc_task *t)
{
	pc_done(t);
	if (pc_await(t))
		pc_exec(t);
}

static void process_with_a_thread(struct pc_task *t)
{
	struct pc_task thread = { .fn = thread_that_execs, .arg = t->arg,
				  .child_end = t->child_end };

	if (pthread_create(&thread.thread, NULL, pc_thread_main, &thread))
		_exit(1);
	pthread_join(thread.thread, NULL);
}

PC_TEST(exec, a_counter_stays_with_a_thread_that_execs)
{
	pid_t tid = 0;
	char path[64];
	struct pc_task t;
	int leader, thread;
	__u64 value, leaders;

	ASSERT_OK(pc_spawn(&t, process_with_a_thread, 35));
	/* After two answers the thread waits for its order. */
	ASSERT_OK(pc_reply(&t));
	ASSERT_OK(pc_reply(&t));
	for (tid = t.pid + 1; ; tid++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d", t.pid, tid);
		if (!access(path, F_OK))
			break;
		ASSERT_LT(tid, t.pid + 100000);
	}
	leader = pc_open(&self->attr, t.pid, -1, -1);
	thread = pc_open(&self->attr, tid, -1, -1);
	ASSERT_FD(leader);
	ASSERT_FD(thread);
	pc_enable(leader);
	pc_enable(thread);
	ASSERT_OK(pc_tell(&t, 'x'));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	leaders = pc_value(leader);
	value = pc_value(thread);
	EXPECT_LT(0, value);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_EQ(value + 35, pc_value(thread))
		TH_LOG("the counter of the thread that called exec");
	EXPECT_EQ(leaders, pc_value(leader))
		TH_LOG("the counter of the thread that the exec ended");
	EXPECT_OK(pc_reap(&t));
	close(leader);
	close(thread);
}

PC_TEST(exec, a_descriptor_with_cloexec_is_closed_by_exec)
{
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	ASSERT_OK(pc_tell(&self->t, 'x'));
	/* The exec removed the counter that the child had inherited; the parent's counter works. */
	pc_faults(1);
	pc_enable(fd);
	pc_faults(3);
	pc_disable(fd);
	EXPECT_EQ(3, pc_value(fd));
	close(fd);
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}

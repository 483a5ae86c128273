// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_COUNTER_FLAG_PID_CGROUP: one descriptor for the tasks of a control group.
 *
 * The groups are "outer", "outer/inner" and "other" below a directory of the test's own. The tasks
 * in them take the ordered page faults only, so the value of each counter is known. The test itself
 * stays outside.
 */
#include <poll.h>

#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_side.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

#define ROOT "/sys/fs/cgroup"
#define TOP ROOT "/pc_cgroup"
/* Number of page faults that task @i takes at an order, different for each task. */
#define FAULTS(i) (100 + 10 * (i))
/* The deepest level that the kernel counts. */
#define DEEPEST 16

enum { OUTER, INNER, OTHER, GROUPS, OUTSIDE = GROUPS, TASKS };

static const char *const dirs[GROUPS] = { TOP "/outer", TOP "/outer/inner", TOP "/other" };

static union pc_record rec;
static struct pc_sample s;

/* Orders that tests give to task_main(), in addition to those of pc_worker(). */
enum {
	MANY	= 'm',		/* take t->arg page faults MANY_TIMES */
	RENAME	= 'r',		/* change the task's name t->arg times */
	SPIN	= 's',		/* answer, then run until the test sets spin->end */
	FORK	= 'k',		/* have a child take t->arg page faults */
};

/*
 * Repetitions for the order MANY. They take a few hundred milliseconds in an emulator, in which the
 * task is preempted.
 */
#define MANY_TIMES 50

/*
 * Memory that the test shares with a task that runs all the time. They communicate by it without a
 * context switch.
 */
struct spin {
	int go;			/* number of times that the test has asked for page faults */
	int done;		/* number of times that the task has taken them */
	int end;
};

static struct spin *spin;

static void spin_for_ever(int pages)
{
	char *map = pc_fresh(PC_HELD_PAGES);

	while (!__atomic_load_n(&spin->end, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&spin->go, __ATOMIC_ACQUIRE) == spin->done)
			continue;
		PC_FAULTS(pc_touch, map, pages);
		madvise(map, PC_HELD_PAGES * pc_page(), MADV_DONTNEED);
		__atomic_store_n(&spin->done, spin->done + 1, __ATOMIC_RELEASE);
	}
	munmap(map, PC_HELD_PAGES * pc_page());
}

/*
 * Have the spinning task take its page faults once more, and wait until it has taken them. Called
 * by the test.
 */
static void spin_once(void)
{
	int go = __atomic_add_fetch(&spin->go, 1, __ATOMIC_RELEASE);

	while (__atomic_load_n(&spin->done, __ATOMIC_ACQUIRE) != go)
		;
}

static void task_main(struct pc_task *t)
{
	char order;
	pid_t pid;

	while ((order = pc_await(t))) {
		switch (order) {
		case PC_BURN:
			pc_burn(20 * 1000 * 1000);
			break;
		case MANY:
			for (int i = 0; i < MANY_TIMES; i++)
				pc_faults(t->arg);
			break;
		case RENAME:
			pc_rename("member", t->arg);
			break;
		case FORK:
			pid = fork();
			if (!pid) {
				pc_faults(t->arg);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
			break;
		case SPIN:
			pc_done(t);
			spin_for_ever(t->arg);
			break;
		default:
			pc_obey(t, order);
			break;
		}
		pc_done(t);
	}
}

/*
 * Have a task spin on a CPU without being preempted: after a task of another group, such as a
 * kernel thread, the kernel would start the counters of the spinning task's group again. Returns 0
 * or -1.
 */
static int spin_alone(struct pc_task *t, int cpu)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (pc_pin_task(t->pid, cpu) || sched_setscheduler(t->pid, SCHED_FIFO, &param))
		return -1;
	return pc_tell(t, SPIN);
}

static int move(pid_t pid, const char *dir)
{
	char path[256], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(text, sizeof(text), "%d", pid);
	return pc_write_text(path, text);
}

FIXTURE(cgroup) {
	struct perf_counter_attr attr;
	struct pc_task t[TASKS];
	int dir[GROUPS];
	int fd[GROUPS];
	int cpus[8];
	int n;
};

/* Open a counter of the group @dir on all CPUs. */
static int open_group(struct perf_counter_attr *attr, int dir)
{
	return pc_open_raw(attr, dir, -1, -1, PERF_COUNTER_FLAG_PID_CGROUP);
}

static bool no_groups(void)
{
	return pc_on_perf_event() || access(ROOT "/cgroup.controllers", R_OK);
}

FIXTURE_SETUP(cgroup)
{
	if (no_groups())
		SKIP(return, "there is no cgroup2 at " ROOT ", or perf_events is tested");
	if (mkdir(TOP, 0755))
		ASSERT_EQ(EEXIST, errno);
	self->n = pc_cpus(self->cpus, 8);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	spin = mmap(NULL, sizeof(*spin), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, spin);
	for (int i = 0; i < GROUPS; i++) {
		if (mkdir(dirs[i], 0755))
			ASSERT_EQ(EEXIST, errno);
		self->dir[i] = open(dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ASSERT_FD(self->dir[i]);
		self->fd[i] = open_group(&self->attr, self->dir[i]);
		ASSERT_FD(self->fd[i]);
	}
	for (int i = 0; i < TASKS; i++) {
		ASSERT_OK(pc_spawn_warm(&self->t[i], task_main, FAULTS(i)));
		if (i < GROUPS)
			ASSERT_EQ(0, move(self->t[i].pid, dirs[i]));
	}
}

FIXTURE_TEARDOWN(cgroup)
{
	if (no_groups())
		return;
	for (int i = 0; i < TASKS; i++)
		pc_reap(&self->t[i]);
	for (int i = GROUPS - 1; i >= 0; i--) {
		close(self->fd[i]);
		close(self->dir[i]);
		rmdir(dirs[i]);
	}
	rmdir(TOP);
	munmap(spin, sizeof(*spin));
}

/* Enable the counters, have each task take its page faults, and disable the counters. */
#define WORK_ALL()							\
	do {								\
		for (int i = 0; i < GROUPS; i++)			\
			pc_enable(self->fd[i]);				\
		for (int i = 0; i < TASKS; i++)				\
			ASSERT_OK(pc_tell(&self->t[i], PC_WORK));	\
		for (int i = 0; i < GROUPS; i++)			\
			pc_disable(self->fd[i]);			\
	} while (0)

PC_TEST(cgroup, a_group_counts_its_tasks_and_those_below)
{
	WORK_ALL();
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), pc_value(self->fd[OUTER]));
	EXPECT_EQ(FAULTS(INNER), pc_value(self->fd[INNER]));
	EXPECT_EQ(FAULTS(OTHER), pc_value(self->fd[OTHER]));
}

/* The tasks share a CPU, which switches from one group to the other and back. */
PC_TEST(cgroup, tasks_that_preempt_each_other_count_for_their_groups)
{
	int cpu = self->cpus[self->n - 1];

	ASSERT_OK(pc_pin_task(self->t[INNER].pid, cpu));
	ASSERT_OK(pc_pin_task(self->t[OTHER].pid, cpu));
	for (int i = 0; i < GROUPS; i++)
		pc_enable(self->fd[i]);
	ASSERT_OK(pc_order(&self->t[INNER], MANY));
	ASSERT_OK(pc_order(&self->t[OTHER], MANY));
	ASSERT_OK(pc_reply(&self->t[INNER]));
	ASSERT_OK(pc_reply(&self->t[OTHER]));
	EXPECT_EQ(MANY_TIMES * FAULTS(INNER), pc_value(self->fd[OUTER]));
	EXPECT_EQ(MANY_TIMES * FAULTS(INNER), pc_value(self->fd[INNER]));
	EXPECT_EQ(MANY_TIMES * FAULTS(OTHER), pc_value(self->fd[OTHER]));
}

PC_TEST(cgroup, two_counters_of_a_group_have_the_same_value)
{
	int fd = open_group(&self->attr, self->dir[INNER]);

	ASSERT_FD(fd);
	pc_enable(fd);
	WORK_ALL();
	EXPECT_EQ(FAULTS(INNER), pc_value(fd));
	EXPECT_EQ(FAULTS(INNER), pc_value(self->fd[INNER]));
	close(fd);
}

PC_TEST(cgroup, a_child_is_in_the_group_of_its_parent)
{
	__u64 alone;

	ASSERT_OK(pc_tell(&self->t[INNER], FORK));
	pc_enable(self->fd[INNER]);
	ASSERT_OK(pc_tell(&self->t[INNER], FORK));
	alone = pc_value(self->fd[INNER]);
	/* The fork itself causes a number of faults of copied pages that the test cannot know. */
	EXPECT_LE(FAULTS(INNER), alone);
	self->t[INNER].arg = 0;
}

PC_TEST(cgroup, one_cpu_of_a_group_is_counted)
{
	int here, there;

	if (self->n < 2)
		SKIP(return, "needs 2 CPUs");
	here = pc_open_raw(&self->attr, self->dir[OUTER], self->cpus[0], -1,
			   PERF_COUNTER_FLAG_PID_CGROUP);
	there = pc_open_raw(&self->attr, self->dir[OUTER], self->cpus[1], -1,
			    PERF_COUNTER_FLAG_PID_CGROUP);
	ASSERT_FD(here);
	ASSERT_FD(there);
	ASSERT_OK(pc_pin_task(self->t[OUTER].pid, self->cpus[0]));
	ASSERT_OK(pc_pin_task(self->t[INNER].pid, self->cpus[1]));
	pc_enable(here);
	pc_enable(there);
	WORK_ALL();
	EXPECT_EQ(FAULTS(OUTER), pc_value(here));
	EXPECT_EQ(FAULTS(INNER), pc_value(there));
	close(here);
	close(there);
}

PC_TEST(cgroup, a_task_that_moves_counts_where_it_is)
{
	WORK_ALL();
	ASSERT_EQ(0, move(self->t[OUTSIDE].pid, dirs[OTHER]));
	ASSERT_EQ(0, move(self->t[INNER].pid, TOP));
	WORK_ALL();
	EXPECT_EQ(2 * FAULTS(OUTER) + FAULTS(INNER), pc_value(self->fd[OUTER]));
	EXPECT_EQ(FAULTS(INNER), pc_value(self->fd[INNER]));
	EXPECT_EQ(2 * FAULTS(OTHER) + FAULTS(OUTSIDE), pc_value(self->fd[OTHER]));
}

/* The task is not switched between its moves: the counters follow by an IPI. */
PC_TEST(cgroup, a_running_task_that_moves_counts_where_it_is)
{
	struct pc_task *t = &self->t[OUTSIDE];

	if (self->n < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_pin(self->cpus[0]));
	ASSERT_OK(spin_alone(t, self->cpus[1]));
	spin_once();
	for (int i = 0; i < GROUPS; i++)
		pc_enable(self->fd[i]);
	spin_once();
	for (int i = 0; i < GROUPS; i++)
		EXPECT_EQ(0, pc_value(self->fd[i]));
	ASSERT_EQ(0, move(t->pid, dirs[INNER]));
	spin_once();
	EXPECT_EQ(FAULTS(OUTSIDE), pc_value(self->fd[OUTER]));
	EXPECT_EQ(FAULTS(OUTSIDE), pc_value(self->fd[INNER]));
	ASSERT_EQ(0, move(t->pid, dirs[OTHER]));
	spin_once();
	ASSERT_EQ(0, move(t->pid, TOP));
	spin_once();
	EXPECT_EQ(FAULTS(OUTSIDE), pc_value(self->fd[OUTER]));
	EXPECT_EQ(FAULTS(OUTSIDE), pc_value(self->fd[INNER]));
	EXPECT_EQ(FAULTS(OUTSIDE), pc_value(self->fd[OTHER]));
	__atomic_store_n(&spin->end, 1, __ATOMIC_RELEASE);
	EXPECT_OK(pc_reply(t));
}

/*
 * TOP gets its first counter while a task in TOP runs and is not switched. No other process has a
 * descriptor that counts TOP, so each close() ends the counting of TOP.
 */
PC_TEST(cgroup, a_running_task_is_counted_from_open_on)
{
	int dir = open(TOP, O_RDONLY | O_DIRECTORY);
	struct pc_task *t = &self->t[OUTSIDE];
	int fd;

	ASSERT_FD(dir);
	if (self->n < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_EQ(0, move(t->pid, TOP));
	ASSERT_OK(pc_pin(self->cpus[0]));
	ASSERT_OK(spin_alone(t, self->cpus[1]));
	for (int i = 0; i < 3; i++) {
		spin_once();
		fd = open_group(&self->attr, dir);
		ASSERT_FD(fd);
		pc_enable(fd);
		spin_once();
		EXPECT_EQ(FAULTS(OUTSIDE), pc_value(fd));
		close(fd);
	}
	__atomic_store_n(&spin->end, 1, __ATOMIC_RELEASE);
	EXPECT_OK(pc_reply(t));
	close(dir);
}

PC_TEST(cgroup, the_root_counts_all_tasks)
{
	int dir = open(ROOT, O_RDONLY | O_DIRECTORY);
	int fd = open_group(&self->attr, dir);
	__u64 sum = 0;

	ASSERT_FD(fd);
	for (int i = 0; i < TASKS; i++)
		sum += FAULTS(i);
	pc_enable(fd);
	WORK_ALL();
	EXPECT_LE(sum, pc_value(fd));
	close(fd);
	close(dir);
}

PC_TEST(cgroup, time_passes_while_tasks_of_the_group_run)
{
	struct pc_values before, after;
	const __u64 burnt = 20 * 1000 * 1000;
	const __u64 format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int clock;

	self->attr.config = PERF_COUNT_SW_TASK_CLOCK;
	self->attr.read_format = format;
	self->attr.disabled = 0;
	clock = open_group(&self->attr, self->dir[OUTER]);
	ASSERT_FD(clock);
	ASSERT_OK(pc_tell(&self->t[INNER], PC_BURN));
	ASSERT_TRUE(pc_wait_for_sleep(self->t[INNER].pid));
	pc_read(clock, format, &before);
	EXPECT_LE(burnt, before.enabled);
	EXPECT_EQ(before.enabled, before.running);
	EXPECT_EQ(before.enabled, before.v[0].value);
	/* Other tasks' time is not the group's. */
	ASSERT_OK(pc_tell(&self->t[OTHER], PC_BURN));
	ASSERT_OK(pc_tell(&self->t[OUTSIDE], PC_BURN));
	pc_read(clock, format, &after);
	EXPECT_EQ(before.enabled, after.enabled);
	EXPECT_EQ(before.v[0].value, after.v[0].value);
	close(clock);
}

PC_TEST(cgroup, samples_are_of_the_groups_tasks)
{
	struct pc_ring ring;
	int inner = 0, outer = 0, fd;

	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CGROUP;
	fd = open_group(&self->attr, self->dir[OUTER]);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_enable(fd);
	WORK_ALL();
	pc_disable(fd);
	while (pc_ring_next(&ring, &rec)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		inner += s.tid == self->t[INNER].pid;
		outer += s.tid == self->t[OUTER].pid;
		ASSERT_TRUE(s.tid == self->t[INNER].pid || s.tid == self->t[OUTER].pid);
	}
	EXPECT_EQ(FAULTS(INNER), inner);
	EXPECT_EQ(FAULTS(OUTER), outer);
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(cgroup, a_clock_samples_the_groups_tasks)
{
	struct pc_ring ring;
	int nr = 0, fd;

	self->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	self->attr.sample_period = 1000 * 1000;
	self->attr.sample_type = PERF_SAMPLE_TID;
	fd = open_group(&self->attr, self->dir[OUTER]);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_enable(fd);
	for (int i = 0; i < TASKS; i++)
		ASSERT_OK(pc_tell(&self->t[i], PC_BURN));
	pc_disable(fd);
	while (pc_ring_next(&ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_TRUE(s.tid == self->t[INNER].pid || s.tid == self->t[OUTER].pid)
			TH_LOG("a sample of task %d", s.tid);
		nr++;
	}
	EXPECT_LE(1, nr);
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(cgroup, tracepoints_count_and_sample_the_groups_tasks)
{
	struct perf_counter_attr attr;
	struct pc_field pid;
	struct pc_ring ring;
	int counts, samples, both, nr = 0;

	ASSERT_OK(pc_tracefs());
	attr = pc_trace_attr("task/task_rename");
	ASSERT_NE(0, attr.config);
	pid = pc_event_field("task/task_rename", "pid");
	counts = open_group(&attr, self->dir[OUTER]);
	both = open_group(&attr, self->dir[INNER]);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_RAW;
	samples = open_group(&attr, self->dir[OUTER]);
	ASSERT_FD(counts);
	ASSERT_FD(both);
	ASSERT_FD(samples);
	ASSERT_OK(pc_ring_map(&ring, samples, 64));
	pc_enable(counts);
	pc_enable(both);
	pc_enable(samples);
	for (int i = 0; i < TASKS; i++)
		ASSERT_OK(pc_tell(&self->t[i], RENAME));
	pc_rename("test", 5);
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), pc_value(counts));
	EXPECT_EQ(FAULTS(INNER), pc_value(both));
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), pc_value(samples));
	while (pc_ring_next(&ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
		ASSERT_TRUE(s.tid == self->t[INNER].pid || s.tid == self->t[OUTER].pid);
		EXPECT_EQ(s.tid, pc_raw_int(s.raw, pid));
		nr++;
	}
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), nr);
	pc_ring_unmap(&ring);
	close(counts);
	close(both);
	close(samples);
}

PC_TEST(cgroup, records_of_tasks_are_the_groups)
{
	struct comm_record *comm = (void *)&rec;
	struct pc_ring ring;
	int nr = 0, fd;

	self->attr.config = PERF_COUNT_SW_DUMMY;
	self->attr.comm = 1;
	fd = open_group(&self->attr, self->dir[OUTER]);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_enable(fd);
	for (int i = 0; i < TASKS; i++)
		ASSERT_OK(pc_tell(&self->t[i], RENAME));
	pc_rename("test", 5);
	while (pc_ring_find(&ring, &rec, PERF_RECORD_COMM)) {
		EXPECT_TRUE(comm->tid == self->t[INNER].pid || comm->tid == self->t[OUTER].pid);
		nr++;
	}
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), nr);
	pc_ring_unmap(&ring);
	close(fd);
}

/* The CPU runs a task of another group when the task that exits has run for the last time. */
PC_TEST(cgroup, exits_are_the_groups)
{
	struct task_record *task = (void *)&rec;
	struct pc_ring inner, other;
	int fd[2], nr = 0;
	pid_t pid = self->t[INNER].pid;

	if (self->n < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_pin(self->cpus[1]));
	self->attr.config = PERF_COUNT_SW_DUMMY;
	self->attr.task = 1;
	fd[0] = open_group(&self->attr, self->dir[INNER]);
	fd[1] = open_group(&self->attr, self->dir[OTHER]);
	ASSERT_FD(fd[0]);
	ASSERT_FD(fd[1]);
	ASSERT_OK(pc_ring_map(&inner, fd[0], 8));
	ASSERT_OK(pc_ring_map(&other, fd[1], 8));
	ASSERT_OK(pc_pin_task(pid, self->cpus[0]));
	ASSERT_OK(pc_pin_task(self->t[OTHER].pid, self->cpus[0]));
	pc_enable(fd[0]);
	pc_enable(fd[1]);
	ASSERT_OK(pc_tell(&self->t[OTHER], SPIN));
	pc_reap(&self->t[INNER]);
	__atomic_store_n(&spin->end, 1, __ATOMIC_RELEASE);
	ASSERT_OK(pc_reply(&self->t[OTHER]));
	while (pc_ring_find(&inner, &rec, PERF_RECORD_EXIT)) {
		EXPECT_EQ(pid, task->tid);
		nr++;
	}
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, pc_ring_count(&other, PERF_RECORD_EXIT));
	pc_ring_unmap(&inner);
	pc_ring_unmap(&other);
	close(fd[0]);
	close(fd[1]);
	ASSERT_OK(pc_spawn_warm(&self->t[INNER], task_main, FAULTS(INNER)));
}

/* The group below TOP is created by a task outside of TOP. */
PC_TEST(cgroup, groups_created_from_outside_are_recorded)
{
	int dir = open(TOP, O_RDONLY | O_DIRECTORY), fd;
	struct pc_ring ring;

	ASSERT_FD(dir);
	self->attr.config = PERF_COUNT_SW_DUMMY;
	self->attr.cgroup = 1;
	fd = open_group(&self->attr, dir);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 8));
	pc_enable(fd);
	ASSERT_OK(mkdir(TOP "/new", 0755));
	EXPECT_EQ(1, pc_ring_count(&ring, PERF_RECORD_CGROUP));
	EXPECT_OK(rmdir(TOP "/new"));
	pc_ring_unmap(&ring);
	close(fd);
	close(dir);
}

PC_TEST(cgroup, a_group_is_not_handed_over)
{
	int fd = pc_open_raw(&self->attr, self->dir[OTHER], self->cpus[0], -1,
			     PERF_COUNTER_FLAG_PID_CGROUP);
	char path[64], text[256] = "";
	int info;

	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->dir[OTHER]));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY);
	ASSERT_FD(info);
	EXPECT_LT(0, read(info, text, sizeof(text) - 1));
	EXPECT_NE(NULL, strstr(text, "counts:\tcgroup\n"));
	close(info);
	close(fd);
}

/* perf_events may refuse the group: the guest's kernel has no controller perf_event. */
PC_TEST(cgroup, perf_event_open_stays_with_perf_events)
{
	struct perf_counter_attr attr = self->attr;
	int fd;

	ASSERT_EQ(0, pc_sysctl_write("compat", 1));
	fd = syscall(__NR_perf_event_open, &attr, self->dir[OTHER], self->cpus[0], -1,
		     PERF_FLAG_PID_CGROUP);
	ASSERT_EQ(0, pc_sysctl_write("compat", 0));
	/* An event of perf_events does not know this ioctl. */
	if (fd >= 0)
		EXPECT_ERRNO(ENOTTY, ioctl(fd, PERF_COUNTER_IOC_READ_EACH, NULL));
	close(fd);
}

/* The number of interrupts by which other CPUs called a function on the CPU @cpu. */
static long calls_on(int cpu)
{
	char line[1024], *at = line;
	long calls = -1;
	FILE *f = fopen("/proc/interrupts", "re");

	while (f && fgets(line, sizeof(line), f)) {
		at = strstr(line, "CAL:");
		if (!at)
			continue;
		at += 4;
		for (int i = 0; i <= cpu; i++)
			calls = strtol(at, &at, 10);
	}
	if (f)
		fclose(f);
	return calls;
}

/*
 * A sleeping task moves back and forth between groups: only the CPU where it went to sleep gets an
 * interrupt.
 */
PC_TEST(cgroup, moves_leave_other_cpus_alone)
{
	struct pc_task *t = &self->t[OUTSIDE];
	long before, after;

	if (self->n < 3 || calls_on(0) < 0)
		SKIP(return, "needs 3 CPUs, and interrupts that /proc/interrupts counts");
	ASSERT_OK(pc_pin(self->cpus[0]));
	ASSERT_OK(pc_pin_task(t->pid, self->cpus[1]));
	ASSERT_OK(pc_tell(t, PC_WORK));
	before = calls_on(self->cpus[2]);
	for (int i = 0; i < 500; i++)
		ASSERT_EQ(0, move(t->pid, i % 2 ? TOP : dirs[OTHER]));
	after = calls_on(self->cpus[2]);
	EXPECT_GE(250, after - before);
}

PC_TEST(cgroup, switches_and_time_off_the_cpu_are_the_groups)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	__u64 before, switches;
	int fd;

	fd = open_group(&attr, self->dir[INNER]);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 0; i < 10; i++)
		ASSERT_OK(pc_tell(&self->t[INNER], PC_WORK));
	ASSERT_TRUE(pc_wait_for_sleep(self->t[INNER].pid));
	switches = pc_value(fd);
	/* The task stops running each time that it waits for the next order. */
	EXPECT_LE(10, switches);
	for (int i = 0; i < 10; i++)
		ASSERT_OK(pc_tell(&self->t[OTHER], PC_WORK));
	EXPECT_EQ(switches, pc_value(fd));
	close(fd);

	attr.config = PERF_COUNT_SW_OFF_CPU;
	fd = open_group(&attr, self->dir[INNER]);
	ASSERT_FD(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&self->t[INNER], PC_WORK));
	ASSERT_TRUE(pc_wait_for_sleep(self->t[INNER].pid));
	before = pc_value(fd);
	/* The time off the CPU is counted when the task runs again. */
	pc_burn(20 * 1000 * 1000);
	EXPECT_EQ(before, pc_value(fd));
	ASSERT_OK(pc_tell(&self->t[INNER], PC_WORK));
	EXPECT_LE(before + 20 * 1000 * 1000, pc_value(fd));
	close(fd);
}

PC_TEST(cgroup, each_cpu_has_a_row)
{
	__u64 memory[256], sum = 0;
	struct perf_counter_rows rows = {
		.rows = (unsigned long)memory, .size = sizeof(memory),
	};

	WORK_ALL();
	ASSERT_OK(ioctl(self->fd[OUTER], PERF_COUNTER_IOC_READ_EACH, &rows));
	for (unsigned int i = 0; i < rows.nr; i++) {
		struct perf_counter_row *row = (void *)memory + i * rows.row_size;

		EXPECT_EQ(-1, row->tid);
		sum += row->values[0];
	}
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), sum);
}

PC_TEST(cgroup, events_of_a_group_are_read_together)
{
	struct pc_values v;
	int leader, member;

	self->attr.read_format = PERF_FORMAT_GROUP;
	leader = open_group(&self->attr, self->dir[OUTER]);
	ASSERT_FD(leader);
	self->attr.disabled = 0;
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	member = pc_open_raw(&self->attr, self->dir[OUTER], -1, leader,
			     PERF_COUNTER_FLAG_PID_CGROUP);
	ASSERT_FD(member);
	/* A member counts the group of its leader. */
	EXPECT_ERRNO(EINVAL, pc_open_raw(&self->attr, self->dir[INNER], -1, leader,
					 PERF_COUNTER_FLAG_PID_CGROUP));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, -1, -1, leader));
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, leader));
	pc_enable(leader);
	WORK_ALL();
	ASSERT_LT(0, pc_read(leader, PERF_FORMAT_GROUP, &v));
	EXPECT_EQ(2, v.nr);
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), v.v[0].value);
	EXPECT_EQ(FAULTS(OUTER) + FAULTS(INNER), v.v[1].value);
	close(member);
	close(leader);
}

PC_TEST(cgroup, a_removed_group_keeps_its_count)
{
	WORK_ALL();
	ASSERT_EQ(0, move(self->t[OTHER].pid, TOP));
	ASSERT_OK(rmdir(dirs[OTHER]));
	EXPECT_EQ(FAULTS(OTHER), pc_value(self->fd[OTHER]));
	/* The directory is open, but the group has gone. */
	EXPECT_ERRNO(ENOENT, open_group(&self->attr, self->dir[OTHER]));
	WORK_ALL();
	EXPECT_EQ(FAULTS(OTHER), pc_value(self->fd[OTHER]));
	/* A new group with the same name is not the group that was counted. */
	ASSERT_OK(mkdir(dirs[OTHER], 0755));
	ASSERT_EQ(0, move(self->t[OTHER].pid, dirs[OTHER]));
	WORK_ALL();
	EXPECT_EQ(FAULTS(OTHER), pc_value(self->fd[OTHER]));
	EXPECT_EQ(3 * (FAULTS(OUTER) + FAULTS(INNER)), pc_value(self->fd[OUTER]));
}

PC_TEST(cgroup, other_descriptors_are_refused)
{
	int dir = open("/", O_RDONLY | O_DIRECTORY);
	int file = open(TOP "/cgroup.procs", O_RDONLY);

	ASSERT_FD(dir);
	ASSERT_FD(file);
	EXPECT_ERRNO(EBADF, open_group(&self->attr, dir));
	EXPECT_ERRNO(EBADF, open_group(&self->attr, file));
	EXPECT_ERRNO(EBADF, open_group(&self->attr, self->fd[OUTER]));
	EXPECT_ERRNO(EBADF, open_group(&self->attr, 1 << 20));
	EXPECT_ERRNO(EINVAL, open_group(&self->attr, -1));
	EXPECT_ERRNO(EBADF, open_group(&self->attr, -2));
	close(dir);
	close(file);
}

/* Open a counter of the group as an ordinary user. Returns 0 if the kernel refuses it. */
static int open_as_nobody(int dir)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	return open_group(&attr, dir) < 0 && errno == EACCES ? 0 : 1;
}

PC_TEST(cgroup, a_group_needs_the_right_to_count_cpus)
{
	long paranoid = pc_sysctl_read("paranoid");

	ASSERT_EQ(0, pc_sysctl_write("paranoid", 1));
	EXPECT_EQ(0, pc_in_nobody(open_as_nobody, self->dir[OUTER], RLIM_INFINITY));
	ASSERT_EQ(0, pc_sysctl_write("paranoid", 0));
	EXPECT_EQ(1, pc_in_nobody(open_as_nobody, self->dir[OUTER], RLIM_INFINITY));
	ASSERT_EQ(0, pc_sysctl_write("paranoid", paranoid));
}

/* Groups down to the deepest level are counted all at once; the next level is refused. */
PC_TEST(cgroup, levels_are_limited)
{
	char path[DEEPEST + 2][256] = { ROOT, TOP };
	int fd[DEEPEST + 2], dir[DEEPEST + 2];
	struct pc_task *t = &self->t[OUTSIDE];

	for (int level = 2; level <= DEEPEST + 1; level++) {
		snprintf(path[level], sizeof(path[level]), "%s/l%d", path[level - 1], level);
		ASSERT_OK(mkdir(path[level], 0755));
		dir[level] = open(path[level], O_RDONLY | O_DIRECTORY);
		ASSERT_FD(dir[level]);
		fd[level] = -1;
		if (level <= DEEPEST) {
			fd[level] = open_group(&self->attr, dir[level]);
			ASSERT_FD(fd[level]);
			pc_enable(fd[level]);
		} else {
			EXPECT_ERRNO(E2BIG, open_group(&self->attr, dir[level]));
		}
	}
	/* A task that is deeper counts for all groups above it. */
	ASSERT_EQ(0, move(t->pid, path[DEEPEST + 1]));
	ASSERT_OK(pc_tell(t, PC_WORK));
	ASSERT_EQ(0, move(t->pid, path[5]));
	ASSERT_OK(pc_tell(t, PC_WORK));
	for (int level = 2; level <= DEEPEST; level++)
		EXPECT_EQ(level <= 5 ? 2 * t->arg : t->arg, pc_value(fd[level]));
	ASSERT_EQ(0, move(t->pid, TOP));
	for (int level = DEEPEST + 1; level >= 2; level--) {
		close(fd[level]);
		close(dir[level]);
		EXPECT_OK(rmdir(path[level]));
	}
}

PC_TEST(cgroup, an_offline_cpu_is_refused_alone)
{
	int cpu = self->cpus[self->n - 1], fd;

	if (self->n < 2 || pc_cpu_online(cpu, 0))
		SKIP(return, "no CPU can be taken offline");
	EXPECT_ERRNO(ENODEV, pc_open_raw(&self->attr, self->dir[OUTER], cpu, -1,
					 PERF_COUNTER_FLAG_PID_CGROUP));
	fd = open_group(&self->attr, self->dir[OUTER]);
	EXPECT_LE(0, fd);
	ASSERT_OK(pc_cpu_online(cpu, 1));
	ASSERT_OK(pc_pin_task(self->t[OUTER].pid, cpu));
	pc_enable(fd);
	ASSERT_OK(pc_tell(&self->t[OUTER], PC_WORK));
	EXPECT_EQ(FAULTS(OUTER), pc_value(fd));
	close(fd);
}

/* Threads that move tasks, open and close counters, while tasks of the groups work. */
static volatile int churn_ends;

static void *move_for_ever(void *arg)
{
	pid_t *pids = arg;

	for (unsigned int i = 0; !churn_ends; i++)
		move(pids[i % TASKS], dirs[i / TASKS % GROUPS]);
	return NULL;
}

static void *open_for_ever(void *arg)
{
	int *dir = arg;
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.disabled = 0;
	for (unsigned int i = 0; !churn_ends; i++) {
		attr.config = i % 2 ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = i % 2 ? 0 : 100 * 1000;
		close(open_group(&attr, dir[i % GROUPS]));
	}
	return NULL;
}

PC_TEST(cgroup, moves_opens_and_switches_race)
{
	pid_t pids[TASKS];
	pthread_t mover, opener;
	__u64 sum = 0;
	int all;

	/* Every task is below TOP from here on, wherever it is. */
	all = open(TOP, O_RDONLY | O_DIRECTORY);
	ASSERT_FD(all);
	for (int i = 0; i < TASKS; i++) {
		pids[i] = self->t[i].pid;
		ASSERT_EQ(0, move(pids[i], dirs[i % GROUPS]));
	}
	self->attr.disabled = 0;
	churn_ends = 0;
	int fd = open_group(&self->attr, all);

	ASSERT_FD(fd);
	ASSERT_EQ(0, pthread_create(&mover, NULL, move_for_ever, pids));
	ASSERT_EQ(0, pthread_create(&opener, NULL, open_for_ever, self->dir));
	for (int round = 0; round < pc_rounds(100); round++) {
		for (int i = 0; i < TASKS; i++) {
			ASSERT_OK(pc_order(&self->t[i], PC_WORK));
			sum += FAULTS(i);
		}
		for (int i = 0; i < TASKS; i++)
			ASSERT_OK(pc_reply(&self->t[i]));
	}
	churn_ends = 1;
	pthread_join(mover, NULL);
	pthread_join(opener, NULL);
	/* Moves between groups below TOP change nothing for TOP. */
	EXPECT_EQ(sum, pc_value(fd));
	close(fd);
	close(all);
}

FIXTURE(cgroup_pmu) {
	struct perf_counter_attr attr;
	struct pc_task t;
	int dir;
	bool none;
};

#define ROUNDS 100000

static void loop_main(struct pc_task *t)
{
	while (pc_await(t)) {
		pc_loop(ROUNDS);
		pc_done(t);
	}
}

FIXTURE_SETUP(cgroup_pmu)
{
	int fd;

	self->attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	fd = pc_open(&self->attr, 0, -1, -1);
	self->none = no_groups() || (fd < 0 && !getenv("PC_PMU"));
	close(fd);
	if (self->none)
		SKIP(return, "there is no PMU, or no cgroup2 at " ROOT);
	if (mkdir(TOP, 0755))
		ASSERT_EQ(EEXIST, errno);
	self->dir = open(TOP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_FD(self->dir);
	ASSERT_OK(pc_spawn(&self->t, loop_main, 0));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_EQ(0, move(self->t.pid, TOP));
}

FIXTURE_TEARDOWN(cgroup_pmu)
{
	if (self->none)
		return;
	pc_reap(&self->t);
	close(self->dir);
	rmdir(TOP);
}

/*
 * Instructions of the loop, and the most instructions that the task executes before and after the
 * loop.
 */
#define LOOP (ROUNDS * PC_LOOP_INSTRUCTIONS)
#define WAY 20000

PC_TEST(cgroup_pmu, instructions_of_the_group_count)
{
	int fd = open_group(&self->attr, self->dir);
	__u64 value;

	ASSERT_FD(fd);
	pc_enable(fd);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	value = pc_value(fd);
	EXPECT_LE(LOOP, value);
	EXPECT_GE(LOOP + WAY, value);
	pc_loop(ROUNDS);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	value = pc_value(fd);
	EXPECT_LE(2 * LOOP, value);
	EXPECT_GE(2 * (LOOP + WAY), value);
	close(fd);
}

/* The group has more counters than the PMU has registers: they take turns while the group runs. */
PC_TEST(cgroup_pmu, counters_of_the_group_take_turns)
{
	const __u64 format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	struct pc_values v;
	int fd[24], turns = 0;

	self->attr.read_format = format;
	self->attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	self->attr.disabled = 0;
	for (int i = 0; i < 24; i++) {
		fd[i] = open_group(&self->attr, self->dir);
		ASSERT_FD(fd[i]);
	}
	for (int i = 0; i < 200; i++)
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
	for (int i = 0; i < 24; i++) {
		ASSERT_LT(0, pc_read(fd[i], format, &v));
		EXPECT_LT(0, v.enabled);
		EXPECT_GE(v.enabled, v.running);
		turns += v.running && v.running < v.enabled;
		close(fd[i]);
	}
	EXPECT_LE(2, turns) TH_LOG("counters of the group have not taken turns");
}

/* Counters of the CPU, of the group and of the task share the PMU. */
PC_TEST(cgroup_pmu, a_group_counts_beside_the_cpu_and_the_task)
{
	int group, cpu, task;

	self->attr.pinned = 1;
	cpu = pc_open(&self->attr, -1, -1, -1);
	group = open_group(&self->attr, self->dir);
	task = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(cpu);
	ASSERT_FD(group);
	ASSERT_FD(task);
	pc_enable(cpu);
	pc_enable(group);
	pc_enable(task);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	pc_disable(task);
	pc_disable(group);
	pc_disable(cpu);
	EXPECT_LE(LOOP, pc_value(task));
	EXPECT_LE(pc_value(task), pc_value(group));
	EXPECT_GE(LOOP + WAY, pc_value(group));
	EXPECT_LE(pc_value(group), pc_value(cpu));
	close(task);
	close(group);
	close(cpu);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

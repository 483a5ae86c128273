// SPDX-License-Identifier: GPL-2.0
/*
 * Time off the CPU: how long a task did not run, for which reason, and where it had stopped.
 *
 * The test reads the clock four times: before the task can go to sleep, twice while /proc shows
 * that it sleeps, and after it was woken up. The sleep is at least as long as the inner interval
 * and at most as long as the outer one.
 * The clocks of the test and of the counter may differ by one part in a hundred.
 */
#include <signal.h>
#include <sys/wait.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#define MAX_SAMPLES	512

static union pc_record rec;

/* The fields of a sample. */
struct wait {
	__u32 pid, tid, cpu, reason;
	__u64 ip, period, time;
	__u16 misc;
	int kernel_frames, user_frames;
};

static struct wait waits[MAX_SAMPLES];

/* True for an address of the kernel. */
static bool is_kernel_address(__u64 ip)
{
	return ip >> 63;
}

/* Decode the samples in the buffer to waits[]. Returns their number, or -1. */
static int take_waits(const struct perf_counter_attr *attr, struct pc_ring *ring)
{
	static struct pc_sample s;
	int n = 0;

	while (pc_ring_next(ring, &rec)) {
		struct perf_counter_off_cpu raw;

		if (rec.header.type != PERF_RECORD_SAMPLE)
			return -1;
		if (n == MAX_SAMPLES || !pc_parse_sample(attr, &rec, &s) ||
		    s.raw_size != sizeof(raw))
			return -1;
		memcpy(&raw, s.raw, sizeof(raw));
		waits[n] = (struct wait) {
			.pid = s.pid, .tid = s.tid, .cpu = s.cpu, .reason = raw.reason,
			.ip = s.ip, .period = s.period, .time = s.time, .misc = rec.header.misc,
		};
		for (int i = 0; i < (int)s.nr; i++) {
			if (s.ips[i] >= PERF_CONTEXT_MAX)
				continue;
			waits[n].kernel_frames += is_kernel_address(s.ips[i]);
			waits[n].user_frames += !is_kernel_address(s.ips[i]);
		}
		n++;
	}
	return n;
}

/* The number of waits with this reason. */
static int with_reason(int n, __u32 reason)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		found += waits[i].reason == reason;
	return found;
}

static __u64 sum_of(int n, __u32 tid)
{
	__u64 sum = 0;

	for (int i = 0; i < n; i++)
		sum += tid && waits[i].tid != tid ? 0 : waits[i].period;
	return sum;
}

/*
 * The number of context switches of a task: voluntary ones if @own is set, otherwise involuntary
 * ones. Returns 0 on failure.
 */
static __u64 switches_of(pid_t pid, bool own)
{
	const char *name = own ? "voluntary_ctxt_switches:" : "nonvoluntary_ctxt_switches:";
	__u64 nr = ~0ULL;
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			nr = strtoull(line + strlen(name), NULL, 10);
	if (f)
		fclose(f);
	return nr;
}

/*
 * Expect numbers that differ by one at most: a task whose state is sleeping may still be about to
 * stop.
 */
#define EXPECT_ABOUT(expected, seen)						\
	do {									\
		__s64 __about = (expected), __number = (seen);			\
										\
		EXPECT_LE(__about - 1, __number);				\
		EXPECT_GE(__about + 1, __number);				\
	} while (0)

/* Wait until the clock has advanced by @ns. */
static void wait_ns(__u64 ns)
{
	__u64 end = pc_clock(CLOCK_MONOTONIC) + ns;

	while (pc_clock(CLOCK_MONOTONIC) < end)
		sched_yield();
}

#define LONG_TIME	5000000ULL	/* ns; much longer than the work beside it */

/*
 * Expect a value from @least to @most. The test and the kernel read different clocks, so 1 % less
 * or more is accepted.
 */
#define EXPECT_BETWEEN(least, value, most)					\
	do {									\
		__u64 __least = (least), __value = (value), __most = (most);	\
										\
		EXPECT_LE(__least - __least / 100, __value);			\
		EXPECT_GE(__most + __most / 100, __value);			\
	} while (0)

FIXTURE(off) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
	struct pc_task t;
};

FIXTURE_SETUP(off)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->fd = -1;
	self->attr = pc_attr(PERF_COUNT_SW_OFF_CPU);
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
				 PERF_SAMPLE_RAW;
}

FIXTURE_TEARDOWN(off)
{
	pc_ring_unmap(&self->ring);
	if (self->fd >= 0)
		close(self->fd);
}

/* Open a counter with a sample for each wait of @pid, and map its buffer. */
static int open_waits(struct _test_data_off *self, pid_t pid)
{
	self->attr.sample_period = 1;
	self->fd = pc_open(&self->attr, pid, -1, -1);
	return self->fd < 0 || pc_ring_map(&self->ring, self->fd, 64) ? -1 : 0;
}

/* Start a task that sleeps until it gets an order, with an enabled counter of its waits. */
static int watch_task(struct _test_data_off *self, void (*fn)(struct pc_task *t), long arg)
{
	if (pc_spawn(&self->t, fn, arg) || (fn == pc_worker && pc_warm(&self->t)) ||
	    !pc_wait_for_sleep(self->t.pid) || open_waits(self, self->t.pid))
		return -1;
	return pc_enable(self->fd);
}

PC_TEST(off, a_running_task_is_never_off_the_cpu)
{
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	/* The task may be preempted, but not in each of a thousand short intervals. */
	for (int i = 0; i < 1000; i++) {
		ASSERT_OK(pc_reset(self->fd));
		ASSERT_OK(pc_enable(self->fd));
		ASSERT_OK(pc_disable(self->fd));
		if (!pc_value(self->fd))
			return;
	}
	TH_LOG("the task was off the CPU each time");
	ASSERT_TRUE(false);
}

/* A task waits in the kernel: a counter that excludes user mode sees the whole wait. */
PC_TEST(off, a_sleep_is_an_event_of_the_kernel)
{
	__u64 slept;

	self->attr.sample_type = 0;
	self->attr.exclude_user = 1;
	ASSERT_OK(pc_spawn(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_enable(self->fd));
	wait_ns(LONG_TIME);
	slept = pc_value(self->fd);
	EXPECT_LE(LONG_TIME, slept);
	wait_ns(LONG_TIME);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_LE(slept + LONG_TIME, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, a_sleep_is_counted_with_its_length)
{
	struct timespec sleep = { .tv_nsec = 20000000 };
	__u64 outer, inner, ran;

	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ran = pc_clock(CLOCK_THREAD_CPUTIME_ID);
	outer = pc_clock(CLOCK_MONOTONIC);
	ASSERT_OK(pc_enable(self->fd));
	inner = pc_clock(CLOCK_MONOTONIC);
	ASSERT_OK(clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, NULL));
	inner = pc_clock(CLOCK_MONOTONIC) - inner;
	ASSERT_OK(pc_disable(self->fd));
	outer = pc_clock(CLOCK_MONOTONIC) - outer;
	ran = pc_clock(CLOCK_THREAD_CPUTIME_ID) - ran;
	/* The task was off the CPU in the whole interval, except for the time that it ran. */
	EXPECT_BETWEEN(inner > ran ? inner - ran : 0, pc_value(self->fd), outer);
}

PC_TEST(off, periods_of_samples_add_up_to_the_count)
{
	int n;

	ASSERT_OK(watch_task(self, pc_worker, 1));
	for (int i = 0; i < 20; i++) {
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
	}
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(20, n);
	EXPECT_EQ(sum_of(n, 0), pc_value(self->fd));
}

PC_TEST(off, each_switch_is_a_wait)
{
	__u64 own, others;
	int n, could_run;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	own = switches_of(self->t.pid, true);
	others = switches_of(self->t.pid, false);
	ASSERT_OK(open_waits(self, self->t.pid));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 50; i++) {
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	}
	own = switches_of(self->t.pid, true) - own;
	others = switches_of(self->t.pid, false) - others;
	ASSERT_OK(pc_disable(self->fd));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(50, n);
	could_run = with_reason(n, PERF_COUNTER_OFF_CPU_RUNNABLE);
	/* The reason is RUNNABLE, too, if a task is woken up before it has stopped. */
	EXPECT_ABOUT(own + others, n);
	EXPECT_LE((int)others - 1, could_run);
	/* The first wait began before the counter was opened. */
	EXPECT_EQ(1, with_reason(n, PERF_COUNTER_OFF_CPU_UNKNOWN));
	EXPECT_EQ(PERF_COUNTER_OFF_CPU_UNKNOWN, waits[0].reason);
	/* At most 10 of the 50 waits may be for a lock instead. */
	EXPECT_LE(40, with_reason(n, PERF_COUNTER_OFF_CPU_SLEEPING));
	for (int i = 0; i < n; i++) {
		EXPECT_EQ(self->t.pid, waits[i].tid);
		EXPECT_NE(0, waits[i].period);
	}
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, a_sleep_counts_from_the_enable)
{
	__u64 outer, inner;
	int n;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	wait_ns(LONG_TIME);
	ASSERT_OK(open_waits(self, self->t.pid));
	outer = pc_clock(CLOCK_MONOTONIC);
	ASSERT_OK(pc_enable(self->fd));
	inner = pc_clock(CLOCK_MONOTONIC);
	wait_ns(LONG_TIME);
	inner = pc_clock(CLOCK_MONOTONIC) - inner;
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	outer = pc_clock(CLOCK_MONOTONIC) - outer;
	ASSERT_OK(pc_disable(self->fd));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(1, n);
	EXPECT_BETWEEN(inner, waits[0].period, outer);
	EXPECT_EQ(PERF_COUNTER_OFF_CPU_UNKNOWN, waits[0].reason);
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, a_sleep_counts_in_each_read_until_the_disable)
{
	__u64 outer, inner, before, after, was;
	int n;

	ASSERT_OK(watch_task(self, pc_worker, 1));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));

	outer = pc_clock(CLOCK_MONOTONIC);
	before = pc_value(self->fd);
	inner = pc_clock(CLOCK_MONOTONIC);
	wait_ns(LONG_TIME);
	inner = pc_clock(CLOCK_MONOTONIC) - inner;
	after = pc_value(self->fd);
	outer = pc_clock(CLOCK_MONOTONIC) - outer;
	EXPECT_BETWEEN(inner, after - before, outer);

	/* After the wakeup, each ns is counted once, with reads in between or without. */
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	wait_ns(LONG_TIME);
	ASSERT_OK(pc_disable(self->fd));
	was = pc_value(self->fd);
	EXPECT_LE(after + LONG_TIME - LONG_TIME / 100, was);
	wait_ns(LONG_TIME);
	EXPECT_EQ(was, pc_value(self->fd));
	n = take_waits(&self->attr, &self->ring);
	/* The present wait has no sample yet. */
	EXPECT_BETWEEN(LONG_TIME, was - sum_of(n, 0), outer + 1000 * LONG_TIME);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(was, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, reads_during_a_sleep_do_not_change_the_sum)
{
	int n;

	ASSERT_OK(watch_task(self, pc_worker, 1));
	for (int i = 0; i < 10; i++) {
		__u64 last = 0, value;

		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
		for (int j = 0; j < 10; j++) {
			value = pc_value(self->fd);
			EXPECT_LE(last, value);
			last = value;
		}
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
	}
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(10, n);
	EXPECT_EQ(sum_of(n, 0), pc_value(self->fd));
}

PC_TEST(off, reset_clears_the_sleep_so_far)
{
	__u64 outer;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_enable(self->fd));
	wait_ns(LONG_TIME);
	EXPECT_LE(LONG_TIME - LONG_TIME / 100, pc_value(self->fd));
	outer = pc_clock(CLOCK_MONOTONIC);
	ASSERT_OK(pc_reset(self->fd));
	ASSERT_OK(pc_disable(self->fd));
	outer = pc_clock(CLOCK_MONOTONIC) - outer;
	EXPECT_BETWEEN(0, pc_value(self->fd), outer);
	EXPECT_EQ(0, pc_reap(&self->t));
}

/* A task that stops itself at each order, until the test continues it. */
static void stopper(struct pc_task *t)
{
	while (pc_await(t)) {
		raise(SIGSTOP);
		pc_done(t);
	}
}

PC_TEST(off, a_stopped_task_has_the_reason_stopped)
{
	int n;

	ASSERT_OK(watch_task(self, stopper, 0));
	/* A task that is continued before it has stopped goes on. */
	for (int i = 0; i < 20; i++) {
		ASSERT_OK(pc_order(&self->t, 's'));
		ASSERT_TRUE(pc_wait_for_state(self->t.pid, 'T'));
		ASSERT_OK(kill(self->t.pid, SIGCONT));
		ASSERT_OK(pc_reply(&self->t));
	}
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	EXPECT_LE(1, with_reason(n, PERF_COUNTER_OFF_CPU_STOPPED));
	EXPECT_GE(20, with_reason(n, PERF_COUNTER_OFF_CPU_STOPPED));
}

/* A task that waits in vfork() for a child, which waits for an order. */
static void wait_in_vfork(struct pc_task *t)
{
	while (pc_await(t)) {
		pid_t pid = vfork();

		if (!pid) {
			pc_await(t);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		pc_done(t);
	}
}

PC_TEST(off, a_vfork_parent_has_the_reason_uninterruptible)
{
	int n;

	ASSERT_OK(watch_task(self, wait_in_vfork, 0));
	for (int i = 0; i < 10; i++) {
		ASSERT_OK(pc_order(&self->t, 'a'));
		ASSERT_TRUE(pc_wait_for_state(self->t.pid, 'D'));
		ASSERT_OK(pc_tell(&self->t, 'b'));
	}
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	EXPECT_LE(1, with_reason(n, PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE));
	EXPECT_GE(10, with_reason(n, PERF_COUNTER_OFF_CPU_UNINTERRUPTIBLE));
}

PC_TEST(off, a_preempted_task_has_the_reason_runnable)
{
	struct pc_task other;
	int cpus[1], n;

	ASSERT_EQ(1, pc_cpus(cpus, 1));
	ASSERT_OK(pc_spawn_on(&self->t, cpus[0], pc_worker, 30000));
	ASSERT_OK(pc_spawn_on(&other, cpus[0], pc_worker, 30000));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	ASSERT_OK(open_waits(self, self->t.pid));
	ASSERT_OK(pc_enable(self->fd));
	/* Both tasks need the same CPU for 30 ms. */
	ASSERT_OK(pc_order(&self->t, PC_BURN));
	ASSERT_OK(pc_order(&other, PC_BURN));
	ASSERT_OK(pc_reply(&self->t));
	ASSERT_OK(pc_reply(&other));
	ASSERT_EQ(0, pc_reap(&self->t));
	ASSERT_EQ(0, pc_reap(&other));
	n = take_waits(&self->attr, &self->ring);
	EXPECT_LE(1, with_reason(n, PERF_COUNTER_OFF_CPU_RUNNABLE));
}

static void *idle_thread(void *t)
{
	pc_worker(t);
	return NULL;
}

/* A task that starts a thread, which waits. */
static void threaded(struct pc_task *t)
{
	pthread_t thread;

	pc_await(t);
	if (pthread_create(&thread, NULL, idle_thread, t) || pthread_join(thread, NULL))
		_exit(1);
}

PC_TEST(off, a_new_thread_waits_for_its_first_time_slice)
{
	int n, others = 0;
	__u32 first = 0;

	self->attr.inherit = 1;
	ASSERT_OK(watch_task(self, threaded, 1));
	ASSERT_OK(pc_order(&self->t, 'a'));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	for (int i = 0; i < n; i++) {
		if (waits[i].tid == self->t.pid)
			continue;
		EXPECT_EQ(self->t.pid, waits[i].pid);
		if (!others)
			first = waits[i].reason;
		others++;
	}
	EXPECT_LE(1, others);
	EXPECT_EQ(PERF_COUNTER_OFF_CPU_RUNNABLE, first);
	EXPECT_EQ(sum_of(n, 0), pc_value(self->fd));
}

PC_TEST(off, the_machine_has_the_same_waits_as_its_task)
{
	struct perf_counter_attr attr = self->attr;
	struct wait own[MAX_SAMPLES];
	int machine, n, all, same = 0;
	struct pc_ring ring;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	attr.sample_period = 1;
	machine = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(machine);
	ASSERT_OK(pc_ring_map(&ring, machine, 64));
	ASSERT_OK(open_waits(self, self->t.pid));
	ASSERT_OK(pc_enable(machine));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 5; i++) {
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	}
	ASSERT_OK(pc_disable(machine));
	ASSERT_OK(pc_disable(self->fd));
	n = take_waits(&self->attr, &self->ring);
	memcpy(own, waits, sizeof(own));
	all = take_waits(&attr, &ring);
	ASSERT_LE(n, all);
	for (int i = 0; i < all; i++) {
		/* The idle task never waits. */
		EXPECT_NE(0, waits[i].tid);
		if (waits[i].tid != self->t.pid)
			continue;
		ASSERT_GT(n, same);
		EXPECT_LE(own[same].period, waits[i].period);
		/*
		 * The counters were enabled one after the other, during the first wait that they
		 * sample. So only this wait, whose reason is unknown, has a different period in
		 * each counter's sample.
		 */
		EXPECT_EQ(own[same].reason != PERF_COUNTER_OFF_CPU_UNKNOWN,
			  own[same].period == waits[i].period);
		EXPECT_EQ(own[same].reason, waits[i].reason);
		EXPECT_EQ(own[same].cpu, waits[i].cpu);
		same++;
	}
	EXPECT_EQ(n, same);
	EXPECT_EQ(sum_of(all, 0), pc_value(machine));
	pc_ring_unmap(&ring);
	close(machine);
	EXPECT_EQ(0, pc_reap(&self->t));
}

/* Kernel threads have no command line. */
static bool is_kernel_thread(pid_t pid)
{
	char path[64], c;
	int fd, n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	n = read(fd, &c, 1);
	close(fd);
	return n == 0;
}

PC_TEST(off, waits_of_kernel_threads_are_kernel_events)
{
	int seen, n;

	self->attr.sample_period = 1;
	/* Some kernel thread runs after a while. */
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	for (seen = 0; !seen;) {
		sync();
		n = take_waits(&self->attr, &self->ring);
		ASSERT_LE(0, n);
		for (int i = 0; i < n; i++)
			seen += is_kernel_thread(waits[i].tid);
	}
	pc_ring_unmap(&self->ring);
	close(self->fd);

	self->attr.exclude_kernel = 1;
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	for (int i = 0; i < 20; i++) {
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
	}
	sync();
	ASSERT_OK(pc_disable(self->fd));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(20, n);
	for (int i = 0; i < n; i++) {
		EXPECT_FALSE(is_kernel_thread(waits[i].tid));
		EXPECT_FALSE(is_kernel_address(waits[i].ip));
		EXPECT_EQ(0, waits[i].kernel_frames);
	}
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, a_call_chain_shows_where_a_task_slept)
{
	int n;

	ASSERT_OK(watch_task(self, pc_worker, 1));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(1, n);
	for (int i = 0; i < n; i++) {
		EXPECT_TRUE(is_kernel_address(waits[i].ip));
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, waits[i].misc & PERF_RECORD_MISC_CPUMODE_MASK);
		/*
		 * The call chain has the scheduler, the socket and the system call, and the
		 * function that read from the socket.
		 */
		EXPECT_LE(4, waits[i].kernel_frames);
		EXPECT_LE(1, waits[i].user_frames);
	}
}

PC_TEST(off, exclude_callchain_user_keeps_the_kernel_part)
{
	int n;

	self->attr.exclude_user = 1;
	ASSERT_OK(watch_task(self, pc_worker, 1));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_EQ(0, pc_reap(&self->t));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(1, n);
	EXPECT_EQ(sum_of(n, 0), pc_value(self->fd));
	for (int i = 0; i < n; i++) {
		EXPECT_LE(4, waits[i].kernel_frames);
		EXPECT_EQ(0, waits[i].user_frames);
	}
}

/*
 * Check what a user without privileges sees of its own task. Returns the number of the error, or 0.
 */
static int as_nobody(struct _test_data_off *self)
{
	struct timespec sleep = { .tv_nsec = 10000000 };
	int n;

	pc_become_nobody(128 * pc_page());
	self->attr.exclude_kernel = 0;
	if (pc_open(&self->attr, 0, -1, -1) >= 0 || errno != EACCES)
		return 1;
	self->attr.exclude_kernel = 1;
	if (open_waits(self, 0))
		return 2;
	pc_enable(self->fd);
	for (int i = 0; i < 5; i++)
		nanosleep(&sleep, NULL);
	pc_disable(self->fd);
	n = take_waits(&self->attr, &self->ring);
	if (n < 1 || sum_of(n, 0) != pc_value(self->fd))
		return 3;
	if (with_reason(n, PERF_COUNTER_OFF_CPU_SLEEPING) < 1)
		return 4;
	for (int i = 0; i < n; i++) {
		if (is_kernel_address(waits[i].ip) || waits[i].kernel_frames ||
		    !waits[i].user_frames ||
		    (waits[i].misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
			return 5;
	}
	return 0;
}

PC_TEST(off, a_user_sees_waits_without_kernel_addresses)
{
	int status;
	pid_t pid;

	ASSERT_EQ(2, pc_sysctl_read("paranoid"));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(as_nobody(self));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) TH_LOG("step %d", WEXITSTATUS(status));
}

PC_TEST(off, a_period_is_a_time_in_ns)
{
	__u64 count;
	int n;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	self->attr.sample_period = LONG_TIME;
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 8; i++) {
		wait_ns(LONG_TIME / 3);
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	}
	ASSERT_EQ(0, pc_reap(&self->t));
	count = pc_value(self->fd);
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(2, n);
	EXPECT_LE(sum_of(n, 0), count);
	EXPECT_GT(sum_of(n, 0) + LONG_TIME, count);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(0, waits[i].period % LONG_TIME);
}

PC_TEST(off, config1_is_the_shortest_wait)
{
	__u64 outer, inner;
	int n;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	/* The shortest wait in config1 is longer than a host stops a guest. */
	self->attr.config1 = 1000 * LONG_TIME;
	ASSERT_OK(open_waits(self, self->t.pid));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 20; i++)
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(0, take_waits(&self->attr, &self->ring));
	EXPECT_EQ(0, pc_value(self->fd));
	pc_ring_unmap(&self->ring);
	close(self->fd);

	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	self->attr.config1 = LONG_TIME;
	ASSERT_OK(open_waits(self, self->t.pid));
	outer = pc_clock(CLOCK_MONOTONIC);
	ASSERT_OK(pc_enable(self->fd));
	inner = pc_clock(CLOCK_MONOTONIC);
	wait_ns(2 * LONG_TIME);
	inner = pc_clock(CLOCK_MONOTONIC) - inner;
	EXPECT_EQ(0, pc_value(self->fd));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	outer = pc_clock(CLOCK_MONOTONIC) - outer;
	ASSERT_OK(pc_disable(self->fd));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(1, n);
	EXPECT_BETWEEN(inner, waits[0].period, outer);
	for (int i = 0; i < n; i++)
		EXPECT_LE(LONG_TIME, waits[i].period);
	EXPECT_EQ(sum_of(n, 0), pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, waits_count_on_the_cpu_where_the_task_runs_next)
{
	int cpus[2], n;

	if (pc_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_OK(pc_spawn_on(&self->t, cpus[0], pc_worker, 1));
	ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	self->attr.sample_period = 1;
	self->fd = pc_open(&self->attr, self->t.pid, cpus[1], -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	}
	EXPECT_EQ(0, pc_value(self->fd));
	ASSERT_OK(pc_pin_task(self->t.pid, cpus[1]));
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
	}
	ASSERT_OK(pc_disable(self->fd));
	n = take_waits(&self->attr, &self->ring);
	ASSERT_LE(3, n);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(cpus[1], (int)waits[i].cpu);
	EXPECT_EQ(sum_of(n, 0), pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&self->t));
}

PC_TEST(off, a_frequency_is_refused)
{
	self->attr.freq = 1;
	self->attr.sample_freq = 100;
	EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, -1));
}

/* A counter that is disabled right after its task was woken up has counted the whole wait. */
PC_TEST(off, a_disable_after_a_wakeup_keeps_the_wait)
{
	__u64 inner;

	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	for (int i = 0; i < pc_rounds(200); i++) {
		ASSERT_TRUE(pc_wait_for_sleep(self->t.pid));
		ASSERT_OK(pc_enable(self->fd));
		/*
		 * Wait until the task has left the CPU: it still runs while it is about to sleep.
		 */
		while (!pc_value(self->fd))
			;
		inner = pc_clock(CLOCK_MONOTONIC);
		wait_ns(200000);
		inner = pc_clock(CLOCK_MONOTONIC) - inner;
		ASSERT_OK(pc_order(&self->t, PC_WORK));
		for (int j = 0; j < i % 64 * 8; j++)
			__asm__ volatile("" ::: "memory");
		ASSERT_OK(pc_disable(self->fd));
		ASSERT_LE(inner - inner / 100, pc_value(self->fd)) TH_LOG("round %d", i);
		ASSERT_OK(pc_reset(self->fd));
		ASSERT_OK(pc_reply(&self->t));
	}
	EXPECT_EQ(0, pc_reap(&self->t));
}

/* === Tasks whose address space is gone === */

/* Open files of a task that exits: closing them takes longer than a time slice. */
#define MANY_FILES	6000

/* Stacks of two tasks that share the memory of the test. The first task ends when @done is set. */
static _Alignas(4096) char busy_stack[65536];
static _Alignas(4096) char ending_stack[65536];
static bool done;

/* Read the stack of the other task, so that this CPU's TLB has its pages. */
static int keep_busy(void *unused)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		for (size_t i = 0; i < sizeof(ending_stack); i += 4096)
			pc_load(ending_stack + i);
	_exit(0);
}

static int end_at_once(void *unused)
{
	_exit(0);
}

/*
 * A task that closes its files after exit_mm() is scheduled out because another task waits for its
 * CPU. The sample of this wait has user registers, but the task has no memory any more: its stack
 * in the sample is empty, and its call chain is the address of its last instruction.
 */
PC_TEST(off, a_task_without_memory_has_no_frames)
{
	struct rlimit files = { 2 * MANY_FILES, 2 * MANY_FILES };
	int cpu, seen = 0;
	pid_t busy, ending;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	ASSERT_OK(setrlimit(RLIMIT_NOFILE, &files));
	self->attr.exclude_kernel = 1;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
				 PERF_SAMPLE_STACK_USER;
	self->attr.sample_stack_user = 64;
	self->fd = pc_open(&self->attr, -1, cpu, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	busy = clone(keep_busy, busy_stack + sizeof(busy_stack) - 256,
		     CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
	ASSERT_LT(0, busy);
	for (int i = 0; i < MANY_FILES; i++)
		ASSERT_LE(0, dup(2));
	ASSERT_OK(pc_enable(self->fd));
	while (seen < 5) {
		static struct pc_sample s;

		ending = clone(end_at_once, ending_stack + sizeof(ending_stack) - 256,
			       CLONE_VM | SIGCHLD, NULL);
		ASSERT_LT(0, ending);
		ASSERT_EQ(ending, waitpid(ending, NULL, 0));
		while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			if ((pid_t)s.tid != ending || s.stack_size)
				continue;
			seen++;
			ASSERT_EQ(2, s.nr);
			EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0]);
			EXPECT_EQ(s.ip, s.ips[1]);
			EXPECT_EQ(PERF_RECORD_MISC_USER, rec.header.misc);
		}
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	EXPECT_EQ(busy, waitpid(busy, NULL, 0));
}

PC_TEST(off, perf_event_open_refuses_the_event)
{
	long was = pc_sysctl_read("compat");
	int fd;

	ASSERT_OK(pc_sysctl_write("compat", 1));
	fd = syscall(__NR_perf_event_open, &self->attr, 0, -1, -1, 0);
	ASSERT_OK(pc_sysctl_write("compat", was));
	EXPECT_EQ(-1, fd);
	EXPECT_EQ(ENOENT, errno);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

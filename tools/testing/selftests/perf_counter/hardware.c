// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the PMU, on a machine whose PMU counts instructions exactly: an emulated one, or a
 * real one whose instruction counts are exact. Counts of the loop are known in advance; the
 * instructions of the kernel's entry and exit around it are measured with an empty loop.
 */
#include <linux/filter.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/klog.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "pc_hw.h"
#include "pc_raw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#define SYSLOG_ACTION_READ_ALL 3

#define ROUNDS 100000
#define MAX_CPUS 8
#define MAX_COUNTERS 9

static union pc_record rec;
static struct pc_sample s;

FIXTURE(hw) {
	struct perf_counter_attr attr;
	int fd;
	__u64 frame;		/* instructions counted around an empty loop */
	long rate;		/* rate limit before the test */
};

FIXTURE_SETUP(hw)
{
	self->attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	/* The first call takes page faults and programs registers. */
	pc_count_loop(self->fd, 1);
	self->frame = pc_count_loop(self->fd, 0);
	/* Samples must not be throttled. */
	self->rate = pc_sysctl_read("max_sample_rate");
	ASSERT_EQ(0, pc_sysctl_write("max_sample_rate", 1000000));
}

FIXTURE_TEARDOWN(hw)
{
	pc_sysctl_write("max_sample_rate", self->rate);
	if (!pc_on_perf_event())
		pc_sysctl_write("pmu", 2);
	close(self->fd);
}

PC_TEST(hw, user_instructions_are_exact)
{
	for (__u64 n = 1; n <= 1000000; n *= 10)
		EXPECT_EQ(n * PC_LOOP_INSTRUCTIONS, pc_count_loop(self->fd, n) - self->frame);
}

PC_TEST(hw, branches_are_exact)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fd = pc_open(&attr, 0, -1, -1);
	__u64 frame;

	ASSERT_FD(fd);
	pc_count_loop(fd, 1);
	/*
	 * The branch around the loop is taken only if the loop has no rounds: measure the other
	 * branches with one round, which takes one branch itself.
	 */
	frame = pc_count_loop(fd, 1) - 1;
	EXPECT_EQ(ROUNDS, pc_count_loop(fd, ROUNDS) - frame);
	close(fd);
}

/*
 * Return the fewest instructions that the kernel has executed in @n system calls that do nothing.
 * An attempt with an interrupt counts more than the others.
 */
static __u64 count_calls(int fd, int n)
{
	__u64 least = ~0ULL, before, count;

	for (int i = 0; i < 50; i++) {
		before = pc_value(fd);
		pc_enable(fd);
		for (int k = 0; k < n; k++)
			syscall(__NR_getppid);
		pc_disable(fd);
		count = pc_value(fd) - before;
		if (count < least)
			least = count;
	}
	return least;
}

PC_TEST(hw, kernel_instructions_are_exact)
{
	__u64 none, ten, twenty;
	int fd;

	self->attr.exclude_kernel = 0;
	self->attr.exclude_user = 1;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	none = count_calls(fd, 0);
	ten = count_calls(fd, 10);
	twenty = count_calls(fd, 20);
	EXPECT_LT(none, ten);
	EXPECT_EQ(ten - none, twenty - ten);
	close(fd);
}

PC_TEST(hw, user_and_kernel_add_up_to_both)
{
	struct perf_counter_attr attr = self->attr;
	struct pc_values r;
	int fds[3];

	if (!pc_starts_at_once())
		SKIP(return, "counters of this PMU start one after the other");
	attr.read_format = PERF_FORMAT_GROUP;
	fds[0] = pc_open(&attr, 0, -1, -1);
	attr.exclude_user = 1;
	attr.exclude_kernel = 0;
	attr.disabled = 0;
	fds[1] = pc_open(&attr, 0, -1, fds[0]);
	attr.exclude_user = 0;
	fds[2] = pc_open(&attr, 0, -1, fds[0]);
	ASSERT_FD(fds[2]);

	/* The loop is long enough for interrupts to come. */
	for (int i = 0; i < 10; i++) {
		pc_enable(fds[0]);
		pc_loop(ROUNDS);
		syscall(__NR_getppid);
		pc_disable(fds[0]);
		ASSERT_LT(0, pc_read(fds[0], PERF_FORMAT_GROUP, &r));
		ASSERT_EQ(3, r.nr);
		EXPECT_EQ(r.v[2].value, r.v[0].value + r.v[1].value);
		EXPECT_LT(0, r.v[1].value);
	}
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

PC_TEST(hw, a_group_of_four_counts_the_same)
{
	struct perf_counter_attr attr = self->attr;
	__u64 frame[4], count[4];
	struct pc_values r;
	int fds[4];

	attr.read_format = PERF_FORMAT_GROUP;
	for (int i = 0; i < 4; i++) {
		attr.disabled = !i;
		fds[i] = pc_open(&attr, 0, -1, i ? fds[0] : -1);
		ASSERT_FD(fds[i]);
	}
	for (int i = 0; i < 5; i++) {
		pc_reset(fds[0]);
		for (int k = 1; k < 4; k++)
			pc_reset(fds[k]);
		pc_enable(fds[0]);
		/*
		 * The first two rounds take page faults; the later ones have instructions around
		 * the loop only.
		 */
		pc_loop(i > 1 ? ROUNDS : 0);
		pc_disable(fds[0]);
		ASSERT_LT(0, pc_read(fds[0], PERF_FORMAT_GROUP, &r));
		for (int k = 0; k < 4; k++) {
			count[k] = r.v[k].value;
			if (i == 1)
				frame[k] = count[k];
			if (i > 1)
				EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS, count[k] - frame[k]);
		}
	}
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

/* Two reads of a group and the instructions of the loop between them. */
struct group_read {
	struct pc_values before;
	struct pc_values after;
};

static __u64 counted(const struct group_read *r, int i)
{
	return r->after.v[i].value - r->before.v[i].value;
}

/*
 * Read a group before and after @rounds of the loop. Stores the size of both results in *bytes, or
 * -1 if the sizes differ.
 */
static struct group_read read_around_loop(int fd, __u64 format, __u64 rounds, ssize_t *bytes)
{
	struct group_read r;

	*bytes = pc_read(fd, format, &r.before);
	pc_loop(rounds);
	if (pc_read(fd, format, &r.after) != *bytes)
		*bytes = -1;
	return r;
}

/*
 * A group whose leader and first member are counters of the PMU, and whose other members count page
 * faults, is read while it counts. The kernel has a fast path for a small group; the large group
 * has too many values for it.
 */
PC_TEST(hw, a_group_is_read_while_it_counts)
{
	const __u64 formats[] = {
		PERF_FORMAT_GROUP,
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	const int sizes[] = { 3, 14 };

	for (int k = 0; k < 4; k++) {
		__u64 format = formats[k & 1];
		int n = sizes[k / 2], fds[14];
		struct group_read one, many;
		ssize_t bytes;

		for (int i = 0; i < n; i++) {
			struct perf_counter_attr attr = self->attr;

			if (i == 1)
				attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
			if (i > 1)
				attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
			attr.read_format = format;
			attr.disabled = !i;
			fds[i] = pc_open(&attr, 0, -1, i ? fds[0] : -1);
			ASSERT_FD(fds[i]);
		}
		pc_enable(fds[0]);
		/* The first reads take page faults. */
		read_around_loop(fds[0], format, 1, &bytes);
		one = read_around_loop(fds[0], format, 1, &bytes);
		ASSERT_EQ(pc_read_size(format, n), bytes);
		many = read_around_loop(fds[0], format, 1 + ROUNDS, &bytes);
		ASSERT_EQ(pc_read_size(format, n), bytes);
		EXPECT_EQ(n, many.after.nr);
		EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS, counted(&many, 0) - counted(&one, 0));
		EXPECT_EQ(ROUNDS, counted(&many, 1) - counted(&one, 1));
		for (int i = 2; i < n; i++)
			EXPECT_EQ(0, counted(&many, i));
		if (format & PERF_FORMAT_ID) {
			for (int i = 0; i < n; i++) {
				EXPECT_EQ(pc_id(fds[i]), many.after.v[i].id);
				EXPECT_EQ(0, many.after.v[i].lost);
			}
			EXPECT_LT(many.before.running, many.after.running);
			EXPECT_EQ(many.after.enabled, many.after.running);
		}
		/* The descriptor of a member reads the same group. */
		ASSERT_EQ(bytes, pc_read(fds[1], format, &one.before));
		pc_faults(5);
		ASSERT_EQ(bytes, pc_read(fds[1], format, &one.after));
		for (int i = 2; i < n; i++)
			EXPECT_EQ(5, counted(&one, i));
		EXPECT_ERRNO(ENOSPC, read(fds[0], &one, bytes - 1));
		EXPECT_ERRNO(EFAULT, read(fds[0], NULL, bytes));
		pc_disable(fds[0]);
		/*
		 * A disabled group keeps its values. They have grown since the last read by the
		 * instructions of pc_disable() only.
		 */
		ASSERT_EQ(bytes, pc_read(fds[0], format, &one.before));
		ASSERT_EQ(bytes, pc_read(fds[0], format, &one.after));
		EXPECT_LE(many.after.v[0].value, one.before.v[0].value);
		EXPECT_EQ(0, memcmp(&one.before, &one.after, sizeof(one.before)));
		while (n--)
			close(fds[n]);
	}
}

/* The results of count_and_compare(): the number of wrong counts and of all counts. */
struct shared {
	__u64 wrong;
	__u64 done;
};

static struct shared *shared;

static void count_and_compare(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	__u64 frame;
	int fd;

	pc_pin(t->arg);
	fd = pc_open(&attr, 0, -1, -1);
	pc_count_loop(fd, 1);
	frame = pc_count_loop(fd, 0);
	while (pc_await(t)) {
		for (int i = 0; i < 50; i++) {
			if (pc_count_loop(fd, ROUNDS / 10) - frame !=
			    PC_LOOP_INSTRUCTIONS * ROUNDS / 10)
				__atomic_fetch_add(&shared->wrong, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&shared->done, 1, __ATOMIC_RELAXED);
		}
		pc_done(t);
	}
}

PC_TEST(hw, counters_of_all_cpus_at_once_are_exact)
{
	struct pc_task t[2 * MAX_CPUS];
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS);

	shared = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	/* Two tasks on each CPU compete for it. */
	for (int i = 0; i < 2 * n; i++)
		ASSERT_OK(pc_spawn(&t[i], count_and_compare, cpus[i % n]));
	for (int i = 0; i < 2 * n; i++)
		pc_order(&t[i], 'c');
	for (int i = 0; i < 2 * n; i++)
		ASSERT_OK(pc_reply(&t[i]));
	EXPECT_EQ(100 * n, shared->done);
	EXPECT_EQ(0, shared->wrong);
	for (int i = 0; i < 2 * n; i++)
		pc_reap(&t[i]);
}

static __u64 count_talk(int fd, struct pc_task *t, __u64 rounds)
{
	__u64 before = pc_value(fd);

	pc_enable(fd);
	for (int i = 0; i < 10; i++) {
		pc_switch(t, 50);
		pc_loop(rounds);
	}
	pc_disable(fd);
	return pc_value(fd) - before;
}

PC_TEST(hw, a_thousand_context_switches_change_nothing)
{
	struct pc_task t;
	int cpus[MAX_CPUS];
	__u64 frame;

	ASSERT_LT(0, pc_cpus(cpus, MAX_CPUS));
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	/* 500 switches to the task and 500 back. */
	count_talk(self->fd, &t, 1);
	frame = count_talk(self->fd, &t, 0);
	EXPECT_EQ(10 * PC_LOOP_INSTRUCTIONS * ROUNDS,
		  count_talk(self->fd, &t, ROUNDS) - frame);
	pc_reap(&t);
}

/* The count of @fd while four children run the loop. */
static __attribute__((noipa)) __u64 count_children(int fd, __u64 rounds)
{
	__u64 before = pc_value(fd);

	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();

		if (!pid) {
			pc_loop(rounds);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			return 0;
	}
	return pc_value(fd) - before;
}

PC_TEST(hw, children_count_for_their_parent)
{
	__u64 frame;

	self->attr.inherit = 1;
	close(self->fd);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	pc_enable(self->fd);
	count_children(self->fd, 1);
	frame = count_children(self->fd, 0);
	EXPECT_EQ(4 * PC_LOOP_INSTRUCTIONS * ROUNDS, count_children(self->fd, ROUNDS) - frame);
}

/*
 * Read all records. Returns the number of samples in the loop. Counts samples outside of the loop
 * in @outside, and records that are not samples in @others.
 */
static int samples_in_loop(struct pc_ring *ring, const struct perf_counter_attr *attr, int *outside,
			   int *others)
{
	int n = 0;

	*outside = 0;
	*others = 0;
	while (pc_ring_next(ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE) {
			(*others)++;
			continue;
		}
		n++;
		if (!pc_parse_sample(attr, &rec, &s) ||
		    s.ip < (uintptr_t)pc_loop_begin || s.ip > (uintptr_t)pc_loop_end)
			(*outside)++;
	}
	return n;
}

PC_TEST(hw, a_period_gives_the_exact_number_of_samples)
{
	static const int periods[] = { 1000, 10007, 100000 };
	int outside, others, fd;
	struct pc_ring ring;

	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		__u64 total = 500ULL * periods[i] + 500;

		self->attr.sample_period = periods[i];
		fd = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 64));
		total = pc_count_loop(fd, total / PC_LOOP_INSTRUCTIONS);
		EXPECT_EQ(total / periods[i],
			  samples_in_loop(&ring, &self->attr, &outside, &others))
			TH_LOG("period %d, %llu instructions", periods[i], total);
		EXPECT_EQ(0, outside);
		/*
		 * perf_events throttles at lower rates, and writes records other than samples then.
		 */
		if (!pc_on_perf_event())
			EXPECT_EQ(0, others);
		pc_ring_unmap(&ring);
		close(fd);
	}
}

/*
 * No sample is lost, and a handler claims each NMI. PC_SAMPLES is the number of samples. With
 * PC_OTHER_NMIS the CPUs are also asked for their stacks by NMIs. A CPU may answer such a request
 * in another NMI. The requested NMI has nothing to do then: if it comes soon, the PMU's handler
 * claims it as a late one. On a host whose CPUs may stop while the clock of the guest runs on, the
 * requested NMI may come too late, and the kernel reports an unknown NMI.
 */
PC_TEST(hw, every_nmi_has_a_handler)
{
	__u64 samples = getenv("PC_SAMPLES") ? strtoull(getenv("PC_SAMPLES"), NULL, 0) : 10000;
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS), outside, others, fd, status;
	const __u64 period = 4999, round = 1000;
	struct pc_ring ring;
	__u64 total = 0;

	ASSERT_LT(0, n);
	ASSERT_OK(pc_pin(cpus[n - 1]));
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.sample_period = period;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	for (__u64 seen = 0; seen < samples;) {
		pid_t asks = getenv("PC_OTHER_NMIS") ? fork() : -1;

		if (!asks) {
			pc_pin(cpus[0]);
			_exit(!!pc_write_text("/proc/sysrq-trigger", "l"));
		}
		total += pc_count_loop(fd, round * period / PC_LOOP_INSTRUCTIONS);
		seen += samples_in_loop(&ring, &self->attr, &outside, &others);
		EXPECT_EQ(0, others);
		ASSERT_EQ(total / period, seen);
		if (!getenv("PC_OTHER_NMIS"))
			continue;
		ASSERT_LT(0, asks);
		ASSERT_EQ(asks, waitpid(asks, &status, 0));
		ASSERT_EQ(0, status);
	}
	pc_ring_unmap(&ring);
	close(fd);
}

/* A counter that ran all the time has counted something, whatever the other counters are. */
PC_TEST(hw, a_running_counter_counts)
{
	int fds[MAX_COUNTERS], nr, ran = 0;
	__u64 value[3];

	if (!getenv("PC_ALL_EVENTS"))
		SKIP(return, "the emulator has few events");
	self->attr = pc_raw_attr(0);
	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (unsigned int event = 1; event < 256; event++) {
		for (unsigned int umask = 1; umask < 16; umask++) {
			self->attr.config = umask << 8 | event;
			for (nr = 0; nr < MAX_COUNTERS; nr++) {
				fds[nr] = pc_open(&self->attr, 0, -1, -1);
				if (fds[nr] < 0)
					break;
			}
			for (int i = 0; i < nr; i++)
				pc_enable(fds[i]);
			pc_loop(10);
			for (int i = 0; i < nr; i++) {
				pc_disable(fds[i]);
				ASSERT_EQ(sizeof(value), read(fds[i], value, sizeof(value)));
				/* A counter that takes turns may not have run in the loop. */
				if (value[1] != value[2])
					continue;
				ran++;
				EXPECT_LT(0, value[0])
					TH_LOG("event %#llx, counter %d", self->attr.config, i);
			}
			for (int i = 0; i < nr; i++)
				close(fds[i]);
		}
	}
	EXPECT_LT(255 * 15, ran);
}

PC_TEST(hw, the_rest_of_a_period_survives_a_context_switch)
{
	int cpus[MAX_CPUS], outside, others, fd;
	struct pc_ring ring;
	struct pc_task t;
	__u64 total;

	ASSERT_LT(0, pc_cpus(cpus, MAX_CPUS));
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.sample_period = 10007;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	total = count_talk(fd, &t, ROUNDS);
	EXPECT_EQ(total / 10007, samples_in_loop(&ring, &self->attr, &outside, &others));
	EXPECT_EQ(0, others);
	pc_ring_unmap(&ring);
	close(fd);
	pc_reap(&t);
}

/* The registers SP and IP of <asm/perf_regs.h>. */
#define SP_IP	(3ULL << 7)

/* The number of kernel addresses in the registers, the ip and the call chain of a sample. */
static int kernel_addresses(const struct pc_sample *sample)
{
	int n = sample->ip >> 63;

	for (int i = 0; i < 2; i++)
		n += (sample->user_regs[i] >> 63) + (sample->intr_regs[i] >> 63);

	for (__u64 i = 0; i < sample->nr; i++)
		n += sample->ips[i] >> 63 && sample->ips[i] != PERF_CONTEXT_USER;
	return n;
}

PC_TEST(hw, exclude_kernel_samples_have_no_kernel_address)
{
	int fd, n = 0, leaked = 0, user = 0;
	struct pc_ring ring;

	/* The period is so short that the NMI comes when the kernel has been entered. */
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				 PERF_SAMPLE_REGS_INTR;
	self->attr.sample_regs_user = SP_IP;
	self->attr.sample_regs_intr = SP_IP;
	self->attr.sample_period = 7;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_enable(fd);
	for (int i = 0; i < 300; i++)
		syscall(__NR_getppid);
	pc_disable(fd);
	while (pc_ring_next(&ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		leaked += kernel_addresses(&s);
		user += (rec.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			PERF_RECORD_MISC_USER;
	}
	EXPECT_LT(100, n);
	/* perf_events reports the address at which the NMI came. */
	if (!pc_on_perf_event()) {
		EXPECT_EQ(0, leaked);
		EXPECT_EQ(n, user);
	}
	pc_ring_unmap(&ring);
	close(fd);
}

/* An NMI may come anywhere, also while the entry code saves the registers of user mode. */
PC_TEST(hw, registers_and_stacks_are_those_of_the_mode)
{
	struct pc_ring ring;
	int fd, n[2] = { 0, 0 };

	self->attr.exclude_kernel = 0;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR |
				 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CODE_PAGE_SIZE;
	self->attr.sample_regs_user = SP_IP;
	self->attr.sample_regs_intr = SP_IP;
	self->attr.sample_stack_user = 64;
	/* The period is longer than an NMI, whose instructions count, too. */
	self->attr.sample_period = 20011;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_enable(fd);
	/* The share of each mode depends on the kernel: NMIs of a kernel with checkers are long. */
	while (n[0] < 100 || n[1] < 100) {
		syscall(__NR_getppid);
		pc_loop(500);
		while (pc_ring_next(&ring, &rec)) {
			bool user = (rec.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				    PERF_RECORD_MISC_USER;

			if (rec.header.type != PERF_RECORD_SAMPLE)
				continue;
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			n[user]++;
			EXPECT_EQ(s.ip, s.intr_regs[1]);
			EXPECT_EQ(!user, s.ip >> 63) TH_LOG("IP %#llx", s.ip);
			EXPECT_NE(0, s.code_page_size) TH_LOG("IP %#llx", s.ip);
			EXPECT_EQ(0, s.user_regs[0] >> 63) TH_LOG("SP %#llx", s.user_regs[0]);
			EXPECT_EQ(0, s.user_regs[1] >> 63) TH_LOG("IP %#llx", s.user_regs[1]);
			/*
			 * The first instructions of the kernel run with the stack pointer of user
			 * mode.
			 */
			if (!user)
				continue;
			EXPECT_EQ(0, s.intr_regs[0] >> 63) TH_LOG("SP %#llx", s.intr_regs[0]);
			EXPECT_EQ(sysconf(_SC_PAGESIZE), s.code_page_size);
			EXPECT_EQ(PERF_SAMPLE_REGS_ABI_64, s.user_abi);
			EXPECT_EQ(s.ip, s.user_regs[1]);
			EXPECT_EQ(64, s.stack_there);
		}
	}
	pc_disable(fd);
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(hw, a_period_may_be_wider_than_a_register)
{
	/*
	 * The legacy registers write only 31 bits of a counter: try periods at that limit and
	 * beyond it.
	 */
	static const __u64 periods[] = { (1ULL << 31) - 1, 1ULL << 31, 1ULL << 40, 1ULL << 62 };
	struct pc_ring ring;
	int fd;

	self->attr.sample_type = PERF_SAMPLE_IP;
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		self->attr.sample_period = periods[i];
		fd = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 1));
		pc_count_loop(fd, 1);
		self->frame = pc_count_loop(fd, 0);
		EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS, pc_count_loop(fd, ROUNDS) - self->frame);
		EXPECT_EQ(0, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
		pc_ring_unmap(&ring);
		close(fd);
	}
}

PC_TEST(hw, refresh_stops_after_n_samples)
{
	struct pollfd pollfd = { .events = POLLIN };
	int outside, others, fd;
	struct pc_ring ring;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.sample_period = 10000;
	self->attr.wakeup_events = 1;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	for (int i = 1; i < 5; i++) {
		ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_REFRESH, i));
		pc_loop(10 * ROUNDS);
		pollfd.fd = fd;
		do {
			ASSERT_EQ(1, poll(&pollfd, 1, 10000));
		} while (!(pollfd.revents & POLLHUP));
		EXPECT_EQ(i, samples_in_loop(&ring, &self->attr, &outside, &others));
		EXPECT_EQ(0, outside);
	}
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(hw, too_many_overflows_are_throttled)
{
	int fd, throttled = 0, unthrottled = 0, n = 0;
	struct pc_ring ring;

	/* Even the slowest machine exceeds this rate. */
	ASSERT_EQ(0, pc_sysctl_write("max_sample_rate", 1000));
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.sample_period = 1000;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 256));
	pc_enable(fd);
	/* A tick allows only some samples, however slow the machine is. */
	while (throttled < 3) {
		pc_loop(ROUNDS);
		while (pc_ring_next(&ring, &rec)) {
			n += rec.header.type == PERF_RECORD_SAMPLE;
			throttled += rec.header.type == PERF_RECORD_THROTTLE;
			unthrottled += rec.header.type == PERF_RECORD_UNTHROTTLE;
			/* Throttle and unthrottle records alternate. */
			ASSERT_LE(unthrottled, throttled);
			ASSERT_LE(throttled, unthrottled + 1);
		}
	}
	pc_disable(fd);
	EXPECT_LT(0, n);
	pc_ring_unmap(&ring);
	close(fd);
}

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/*
 * The kernel refuses the first member that does not fit. Programs find out the number of registers
 * that way.
 */
PC_TEST(hw, a_group_fits_as_a_whole_or_is_refused)
{
	int fds[24], n = 0, alone;
	struct pc_values r;

	self->attr.read_format = TIMES;
	/* No PMU has 24 registers. */
	for (; n < 24; n++) {
		self->attr.disabled = !n;
		fds[n] = pc_open(&self->attr, 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
	}
	EXPECT_EQ(EINVAL, errno);
	ASSERT_LE(4, n);
	ASSERT_GT(24, n);
	/* A counter outside of the group fits and takes turns with the group. */
	alone = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(alone);
	close(alone);
	pc_count_loop(fds[0], ROUNDS);
	for (int i = 0; i < n; i++) {
		ASSERT_LT(0, pc_read(fds[i], TIMES, &r));
		EXPECT_LT(0, r.running);
		EXPECT_EQ(r.enabled, r.running);
		EXPECT_LT(PC_LOOP_INSTRUCTIONS * ROUNDS, r.v[0].value);
	}
	while (n--)
		close(fds[n]);
}

PC_TEST(hw, a_pinned_group_without_room_is_in_error)
{
	int fds[24], n, last = -1;
	__u64 value;

	self->attr.pinned = 1;
	for (n = 0; n < 24; n++) {
		fds[n] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[n]);
		pc_enable(fds[n]);
	}
	pc_loop(ROUNDS);
	for (int i = 0; i < n; i++) {
		if (read(fds[i], &value, sizeof(value)) == 0)
			last = i;
		else
			EXPECT_LE(PC_LOOP_INSTRUCTIONS * ROUNDS, value);
	}
	/*
	 * Counters that found no free register are in error: their read() returns the end of file.
	 * The others work.
	 */
	ASSERT_LE(4, last);
	close(fds[0]);
	/* A counter in error can be enabled when there is room again. */
	pc_enable(fds[last]);
	EXPECT_EQ(sizeof(value), read(fds[last], &value, sizeof(value)));
	for (int i = 1; i < n; i++)
		close(fds[i]);
}

/* A pinned group in error has no values; a read() of any size returns the end of file. */
PC_TEST(hw, a_pinned_group_without_room_has_no_values)
{
	int fds[24], last = -1;
	struct pc_values r;

	self->attr.pinned = 1;
	self->attr.read_format = PERF_FORMAT_GROUP;
	for (int n = 0; n < 24; n++) {
		fds[n] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[n]);
		pc_enable(fds[n]);
	}
	for (int i = 0; i < 24; i++) {
		ssize_t bytes = pc_read(fds[i], PERF_FORMAT_GROUP, &r);

		if (!bytes)
			last = i;
		else
			EXPECT_EQ(2 * sizeof(__u64), bytes);
	}
	ASSERT_LE(4, last);
	for (int i = 0; i < 24; i++)
		close(fds[i]);
}

PC_TEST(hw, an_exclusive_group_is_alone)
{
	struct pc_values r[2];
	int fd;

	self->attr.read_format = TIMES;
	self->attr.exclusive = 1;
	fd = pc_open(&self->attr, 0, -1, -1);
	self->attr.exclusive = 0;
	close(self->fd);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_FD(self->fd);
	pc_enable(fd);
	pc_enable(self->fd);
	/* The counters take turns of some ticks. */
	do {
		pc_loop(ROUNDS);
		ASSERT_LT(0, pc_read(fd, TIMES, &r[0]));
		ASSERT_LT(0, pc_read(self->fd, TIMES, &r[1]));
	} while (!r[0].running || !r[1].running);
	pc_disable(self->fd);
	pc_disable(fd);
	ASSERT_LT(0, pc_read(fd, TIMES, &r[0]));
	ASSERT_LT(0, pc_read(self->fd, TIMES, &r[1]));
	EXPECT_GE(r[0].enabled, r[0].running + r[1].running);
	close(fd);
}

PC_TEST(hw, software_counters_of_a_group_run_with_it)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fds[40], n, faults[2];
	struct pc_values r[2];

	attr.read_format = TIMES;
	self->attr.read_format = TIMES;
	faults[0] = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(faults[0]);
	attr.disabled = 0;
	faults[1] = pc_open(&attr, 0, -1, faults[0]);
	self->attr.disabled = 0;
	fds[0] = pc_open(&self->attr, 0, -1, faults[0]);
	ASSERT_FD(faults[1]);
	ASSERT_FD(fds[0]);
	pc_fresh(1);
	pc_count_faults(faults[0], 1);
	ASSERT_LT(0, pc_read(faults[1], TIMES, &r[0]));
	pc_count_faults(faults[0], 100);
	ASSERT_LT(0, pc_read(faults[1], TIMES, &r[1]));
	EXPECT_EQ(100, r[1].v[0].value - r[0].v[0].value);
	EXPECT_EQ(r[1].enabled, r[1].running);

	/* Among other counters the group does not always run, and counts only while it runs. */
	self->attr.pinned = 1;
	for (n = 1; n < 40; n++) {
		fds[n] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[n]);
	}
	pc_count_faults(faults[0], 100);
	ASSERT_LT(0, pc_read(faults[1], TIMES, &r[0]));
	EXPECT_EQ(r[0].v[0].value, r[1].v[0].value);
	EXPECT_EQ(r[0].running, r[1].running);
	EXPECT_LT(r[1].enabled, r[0].enabled);
	while (n--)
		close(fds[n]);
	close(faults[1]);
	close(faults[0]);
}

/* A new period takes effect at once, even on an enabled counter. */
PC_TEST(hw, a_period_changes_while_the_counter_is_enabled)
{
	const __u64 never = 1ULL << 40, period = 70001;
	struct pc_ring ring;
	int fd, n = 0;

	self->attr.sample_period = never;
	self->attr.sample_type = PERF_SAMPLE_PERIOD;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 1));
	pc_enable(fd);
	pc_loop(ROUNDS);
	EXPECT_EQ(0, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_PERIOD, &period));
	/* The calls around the loop add a few instructions. */
	pc_loop(ROUNDS);
	pc_disable(fd);
	while (pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		EXPECT_EQ(period, s.period);
		n++;
	}
	EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS / period, n);
	EXPECT_LE(2 * PC_LOOP_INSTRUCTIONS * ROUNDS, pc_value(fd));
	pc_ring_unmap(&ring);
	close(fd);
}

/* After its task has exited, a counter is in no register, and the user page has the whole count. */
PC_TEST(hw, a_user_page_has_the_count_of_an_exited_task)
{
	struct perf_event_mmap_page *page;
	struct pc_task t;
	__u64 value;
	int fd;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 1));
	fd = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(fd);
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	pc_enable(fd);
	ASSERT_OK(pc_work_times(&t, 10));
	EXPECT_OK(pc_reap(&t));
	value = pc_value(fd);
	EXPECT_LT(0, value);
	EXPECT_EQ(0, page->index);
	EXPECT_EQ(value, page->offset);
	munmap(page, pc_page());
	close(fd);
}

/* The user page cannot convert the times of samples with another clock. */
PC_TEST(hw, a_user_page_does_not_convert_another_clock)
{
	bool explained[2];

	for (int i = 0; i < 2; i++) {
		struct perf_event_mmap_page *page;
		int fd;

		self->attr.use_clockid = i;
		self->attr.clockid = CLOCK_MONOTONIC;
		fd = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fd);
		page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, (void *)page);
		pc_enable(fd);
		explained[i] = page->cap_user_time_zero;
		munmap(page, pc_page());
		close(fd);
	}
	EXPECT_FALSE(explained[1]);
	if (!explained[0])
		SKIP(return, "this machine has no clock that programs can convert");
}

/* RDPMC and read() return the same count of the same loop. */
PC_TEST(hw, rdpmc_reads_the_count)
{
	struct perf_counter_attr attr = self->attr;
	struct perf_event_mmap_page *page;
	__u64 before, now, frame = 0;
	int fds[8];

	for (int i = 0; i < 8; i++) {
		/* Check the registers with kernel events and without. */
		attr.config = i & 1 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
		attr.exclude_kernel = !(i & 2);
		fds[i] = pc_open(&attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
		page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fds[i], 0);
		ASSERT_NE(MAP_FAILED, (void *)page);
		EXPECT_EQ(~0ULL, pc_rdpmc(page));
		pc_enable(fds[i]);
		for (int k = 0; k < 3; k++) {
			__u64 rounds = k == 2 ? 100 : 0;

			before = pc_rdpmc(page);
			ASSERT_NE(~0ULL, before) TH_LOG("counter %d", i);
			pc_loop(rounds);
			now = pc_rdpmc(page) - before;
			if (k < 2)
				frame = now;
			EXPECT_LE(rounds * PC_LOOP_INSTRUCTIONS, now);
			if (k == 2 && attr.exclude_kernel)
				EXPECT_EQ(rounds * PC_LOOP_INSTRUCTIONS, now - frame);
		}
		/* The result of read() lies between two results of RDPMC. */
		before = pc_rdpmc(page);
		now = pc_value(fds[i]);
		EXPECT_LE(before, now);
		EXPECT_GE(pc_rdpmc(page), now);
		pc_disable(fds[i]);
		EXPECT_EQ(~0ULL, pc_rdpmc(page));
		EXPECT_EQ(page->offset, pc_value(fds[i]));
		munmap(page, pc_page());
	}
	for (int i = 0; i < 8; i++)
		close(fds[i]);
}

PC_TEST(hw, differences_of_raw_registers_are_events)
{
	int cpus[MAX_CPUS], n;

	close(self->fd);
	self->fd = -1;
	n = pc_cpus(cpus, MAX_CPUS);
	ASSERT_LT(0, n);
	ASSERT_RIGHT(pc_raw_check(&self->attr, true, cpus, n));
}

/* The kernel writes the code of the filter in another address space, in which RDPMC is disabled. */
PC_TEST(hw, rdpmc_works_after_text_was_patched)
{
	struct sock_filter insns[] = { BPF_STMT(BPF_RET | BPF_K, 1) };
	struct sock_fprog filter = { .len = ARRAY_SIZE(insns), .filter = insns };
	struct perf_event_mmap_page *page;
	int sock = socket(AF_UNIX, SOCK_DGRAM, 0);
	__u64 before;

	ASSERT_FD(sock);
	ASSERT_OK(pc_write_text("/proc/sys/net/core/bpf_jit_enable", "1"));
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	pc_enable(self->fd);
	for (int i = 0; i < 10; i++) {
		before = pc_rdpmc(page);
		ASSERT_NE(~0ULL, before);
		ASSERT_OK(setsockopt(sock, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)));
		EXPECT_LT(before, pc_rdpmc(page));
	}
	munmap(page, pc_page());
	close(sock);
}

/* After the administrator disables RDPMC, programs lose it at their next context switch. */
PC_TEST(hw, the_sysfs_file_disables_rdpmc)
{
	static const char rdpmc[] = "/sys/bus/event_source/devices/cpu/rdpmc";
	struct perf_event_mmap_page *page;
	int cpus[MAX_CPUS];
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, "perf_events kills a program that reads on");
	ASSERT_LT(0, pc_cpus(cpus, MAX_CPUS));
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	pc_enable(self->fd);
	EXPECT_NE(~0ULL, pc_rdpmc(page));
	ASSERT_OK(pc_write_text(rdpmc, "0"));
	/* RDPMC does not fault, neither before the switch nor after it. */
	pc_rdpmc(page);
	pc_switch(&t, 1);
	EXPECT_EQ(~0ULL, pc_rdpmc(page));
	EXPECT_OK(pc_write_text(rdpmc, "1"));
	pc_switch(&t, 1);
	EXPECT_NE(~0ULL, pc_rdpmc(page));
	munmap(page, pc_page());
	pc_reap(&t);
}

PC_TEST(hw, rdpmc_works_right_after_a_context_switch)
{
	struct perf_event_mmap_page *page;
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS);
	__u64 last = 0, now, total;
	struct pc_task t;

	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	pc_enable(self->fd);
	for (int i = 0; i < 200; i++) {
		ASSERT_OK(pc_pin(cpus[i % n]));
		pc_switch(&t, 1);
		now = pc_rdpmc(page);
		ASSERT_NE(~0ULL, now);
		ASSERT_LT(last, now);
		last = now;
		total = pc_value(self->fd);
		ASSERT_LE(now, total);
		/* The C library adds some instructions between the two reads. */
		ASSERT_GE(now + 1000, total);
	}
	munmap(page, pc_page());
	pc_reap(&t);
}

static void read_any_register(int signal)
{
	_exit(signal == SIGSEGV ? 0 : 2);
}

PC_TEST(hw, rdpmc_needs_a_mapped_counter)
{
	struct perf_event_mmap_page *page;
	__u32 low, high;
	int status;
	pid_t pid;

	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	pc_enable(self->fd);
	ASSERT_NE(~0ULL, pc_rdpmc(page));
	for (int i = 0; i < 2; i++) {
		/* A child has no counter, and after close() the parent has none. */
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			signal(SIGSEGV, read_any_register);
			asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (0));
			_exit(1);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		munmap(page, pc_page());
	}
	pid = fork();
	if (!pid) {
		struct perf_counter_attr attr = self->attr;
		int fd = pc_open(&attr, 0, -1, -1);

		pc_enable(fd);
		page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fd, 0);
		if (pc_rdpmc(page) == ~0ULL)
			_exit(3);
		munmap(page, pc_page());
		signal(SIGSEGV, read_any_register);
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (0));
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static int open_errno(struct perf_counter_attr *attr, pid_t pid, int cpu)
{
	int fd = pc_open(attr, pid, cpu, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

PC_TEST(hw, unsupported_events_are_refused)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_MAX);

	EXPECT_EQ(EINVAL, open_errno(&attr, 0, -1));
	attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	attr.precise_ip = 1;
	EXPECT_EQ(EOPNOTSUPP, open_errno(&attr, 0, -1));

	attr = pc_hw_attr(PERF_COUNT_HW_CACHE_MAX);
	attr.type = PERF_TYPE_HW_CACHE;
	EXPECT_EQ(EINVAL, open_errno(&attr, 0, -1));
	/* No PMU counts writes to the instruction cache. */
	attr.config = PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_OP_WRITE << 8;
	if (pc_on_perf_event())
		return;
	EXPECT_EQ(ENOENT, open_errno(&attr, 0, -1));
	attr.config = PERF_COUNT_HW_CACHE_BPU | PERF_COUNT_HW_CACHE_OP_READ << 8;
	EXPECT_EQ(0, open_errno(&attr, 0, -1));

	for (int bit = 0; bit < 64; bit++) {
		/*
		 * Bits of the event select register that config may have: all but those with their
		 * own fields in the attr.
		 */
		static const __u64 allowed = 0xffd7ffff;

		attr = pc_raw_attr(1ULL << bit);
		/* Bits outside of the event code are valid only together with an event code. */
		if (bit >= 8)
			attr.config |= 0x3c;
		/* AMD's event codes have four bits more, which this test does not check. */
		if (bit / 4 == 8)
			continue;
		EXPECT_EQ(allowed & 1ULL << bit ? 0 : EINVAL, open_errno(&attr, 0, -1))
			TH_LOG("bit %d", bit);
	}
}

PC_TEST(hw, raw_events_count_like_generic_events)
{
	__u64 value;
	int fd;

	/* Event 0xc0 is retired instructions on both Intel and AMD. */
	self->attr = pc_raw_attr(0xc0);
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	pc_count_loop(fd, 1);
	value = pc_count_loop(fd, 0);
	EXPECT_EQ(PC_LOOP_INSTRUCTIONS * ROUNDS, pc_count_loop(fd, ROUNDS) - value);
	close(fd);
}

PC_TEST(hw, the_whole_machine_is_the_sum_of_its_cpus)
{
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS), fd;
	struct pc_task t[MAX_CPUS];
	__u64 least = 0, count;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	shared = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	for (int i = 0; i < n; i++)
		ASSERT_OK(pc_spawn(&t[i], count_and_compare, cpus[i]));
	fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 0; i < n; i++)
		pc_order(&t[i], 'c');
	for (int i = 0; i < n; i++)
		ASSERT_OK(pc_reply(&t[i]));
	pc_disable(fd);
	count = pc_value(fd);
	least = 50ULL * n * PC_LOOP_INSTRUCTIONS * ROUNDS / 10;
	EXPECT_LE(least, count);
	/* The instructions outside of the loops are less than a fifth of those in the loops. */
	EXPECT_GE(least * 12 / 10, count);
	EXPECT_EQ(0, shared->wrong);
	close(fd);
	for (int i = 0; i < n; i++)
		pc_reap(&t[i]);
}

PC_TEST(hw, a_cpu_counts_again_after_hotplug)
{
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS), fd;
	struct pc_task t;
	__u64 before;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	if (pc_cpu_online(cpus[n - 1], 1))
		SKIP(return, "no CPU here can be taken off");
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_cpu_online(cpus[n - 1], 0));
		before = pc_value(fd);
		ASSERT_OK(pc_cpu_online(cpus[n - 1], 1));
		shared = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		ASSERT_OK(pc_spawn(&t, count_and_compare, cpus[n - 1]));
		ASSERT_OK(pc_tell(&t, 'c'));
		EXPECT_LE(50ULL * PC_LOOP_INSTRUCTIONS * ROUNDS / 10, pc_value(fd) - before);
		EXPECT_EQ(0, shared->wrong);
		EXPECT_EQ(50, shared->done);
		pc_reap(&t);
	}
	close(fd);
}

/* More counters than any PMU has registers. */
#define TOO_MANY 40

/* True if all of @fds have run. */
static bool all_have_run(const int *fds)
{
	struct pc_values r;

	for (int i = 0; i < TOO_MANY; i++) {
		if (pc_read(fds[i], TIMES, &r) <= 0 || !r.running)
			return false;
	}
	return true;
}

/* Counters also take turns on a CPU that has been offline. */
PC_TEST(hw, counters_take_turns_again_after_hotplug)
{
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS), fds[TOO_MANY], last = cpus[n - 1];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (pc_cpu_online(last, 0))
		SKIP(return, "no CPU here can be taken off");
	ASSERT_OK(pc_cpu_online(last, 1));
	ASSERT_OK(pc_pin(last));
	self->attr.read_format = TIMES;
	for (int i = 0; i < TOO_MANY; i++) {
		fds[i] = pc_open(&self->attr, -1, last, -1);
		ASSERT_FD(fds[i]);
		pc_enable(fds[i]);
	}
	/* A turn takes some ms, and each counter needs one turn at most. */
	for (int i = 0; i < 2000 && !all_have_run(fds); i++)
		pc_loop(ROUNDS);
	EXPECT_TRUE(all_have_run(fds));
	for (int i = 0; i < TOO_MANY; i++)
		close(fds[i]);
}

/* Open a counter in the other subsystem. */
static int open_other(struct perf_counter_attr *attr, int pid, int cpu)
{
	return syscall(pc_on_perf_event() ? __NR_perf_counter_open : __NR_perf_event_open, attr,
		       pid, cpu, -1, 0);
}

/* The number of times that the kernel's log has this text. */
static int log_says(const char *what)
{
	static char log[1 << 20];
	int n = klogctl(SYSLOG_ACTION_READ_ALL, log, sizeof(log) - 1), found = 0;

	log[n > 0 ? n : 0] = '\0';
	for (char *at = log; (at = strstr(at, what)); at++)
		found++;
	return found;
}

PC_TEST(hw, the_second_subsystem_gets_ebusy)
{
	const char *line = pc_on_perf_event() ? "perf_events holds the PMU" :
						"perf_counter holds the PMU";
	int fd, other, said = log_says(line);
	time_t end = time(NULL) + 15;

	/*
	 * The kernel logs the reason at most ten times in five seconds, so earlier messages may
	 * have used that up: retry until it logs.
	 */
	do
		EXPECT_ERRNO(EBUSY, open_other(&self->attr, 0, -1));
	while (log_says(line) == said && time(NULL) < end);
	EXPECT_LT(said, log_says(line));
	close(self->fd);
	/* Closing the last counter gives the PMU back. */
	other = open_other(&self->attr, 0, -1);
	ASSERT_FD(other);
	EXPECT_ERRNO(EBUSY, pc_open(&self->attr, 0, -1, -1));
	pc_count_loop(other, ROUNDS);
	EXPECT_LE(PC_LOOP_INSTRUCTIONS * ROUNDS, pc_value(other));
	close(other);

	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	pc_count_loop(fd, 1);
	EXPECT_EQ(self->frame, pc_count_loop(fd, 0));
	close(fd);
	self->fd = -1;
}

/*
 * While perf_counter has the PMU, perf_events cannot open an event that perf_counter refuses: the
 * errno is that of the refusal, not EBUSY.
 */
PC_TEST(hw, a_refusal_is_not_ebusy)
{
	struct perf_counter_attr attr = self->attr;
	int fd;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	attr.precise_ip = 3;
	EXPECT_ERRNO(EOPNOTSUPP, pc_open(&attr, 0, -1, -1));
	EXPECT_ERRNO(EBUSY, open_other(&self->attr, 0, -1));
	ASSERT_OK(pc_sysctl_write("compat", 1));
	EXPECT_ERRNO(EOPNOTSUPP, open_other(&attr, 0, -1));
	attr.type = PERF_TYPE_RAW;
	attr.config = 0xc0;
	EXPECT_ERRNO(EOPNOTSUPP, open_other(&attr, 0, -1));
	/*
	 * A raw event may need the register in config1, so compat refuses config1 and does not drop
	 * it.
	 */
	attr.precise_ip = 0;
	attr.config1 = 1;
	EXPECT_ERRNO(EINVAL, open_other(&attr, 0, -1));
	attr.config1 = 0;
	fd = open_other(&attr, 0, -1);
	EXPECT_LE(0, fd);
	close(fd);
	ASSERT_OK(pc_sysctl_write("compat", 0));
}

/* The place to go on after a SIGSEGV of RDPMC. */
static sigjmp_buf refused;

static void on_refusal(int signal)
{
	siglongjmp(refused, 1);
}

/* True if RDPMC does not fault in this task. */
static bool may_read_register(void)
{
	__u32 low, high;

	signal(SIGSEGV, on_refusal);
	if (sigsetjmp(refused, 1)) {
		signal(SIGSEGV, SIG_DFL);
		return false;
	}
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (0));
	signal(SIGSEGV, SIG_DFL);
	return true;
}

PC_TEST(hw, the_sysctl_takes_the_pmu_back)
{
	struct perf_event_mmap_page *page;
	int cpus[MAX_CPUS], other;
	struct pc_values r;
	__u64 enabled, count;
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	close(self->fd);
	self->attr.read_format = TIMES;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	/* Programs can use RDPMC again, too. */
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	ASSERT_LT(0, pc_cpus(cpus, MAX_CPUS));
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	pc_enable(self->fd);
	EXPECT_NE(~0ULL, pc_rdpmc(page));
	EXPECT_TRUE(may_read_register());
	pc_loop(ROUNDS);
	ASSERT_OK(pc_sysctl_write("pmu", 0));
	pc_read(self->fd, TIMES, &r);
	enabled = r.enabled;
	count = r.v[0].value;
	EXPECT_LT(PC_LOOP_INSTRUCTIONS * ROUNDS, count);

	other = open_other(&self->attr, -1, cpus[0]);
	ASSERT_FD(other);
	EXPECT_ERRNO(EBUSY, pc_open(&self->attr, 0, -1, -1));
	/* Context switches happen meanwhile; they do not write the registers. */
	pc_enable(other);
	pc_loop(ROUNDS);
	pc_switch(&t, 1);
	pc_loop(ROUNDS);
	pc_disable(other);
	EXPECT_LE(PC_LOOP_INSTRUCTIONS * ROUNDS * 2, pc_value(other));
	EXPECT_EQ(~0ULL, pc_rdpmc(page));
	/* The register has a count of the other subsystem, which this task must not read. */
	EXPECT_FALSE(may_read_register());
	pc_read(self->fd, TIMES, &r);
	EXPECT_LT(enabled, r.enabled);
	EXPECT_GT(r.enabled, r.running);
	EXPECT_EQ(count, r.v[0].value);
	/* While perf_events uses the PMU, the sysctl refuses to give the PMU to perf_counter. */
	EXPECT_EQ(EBUSY, pc_sysctl_write("pmu", 2));
	EXPECT_EQ(0, pc_sysctl_read("pmu"));
	close(other);

	ASSERT_OK(pc_sysctl_write("pmu", 2));
	pc_loop(ROUNDS);
	pc_read(self->fd, TIMES, &r);
	EXPECT_LT(count + PC_LOOP_INSTRUCTIONS * ROUNDS, r.v[0].value);
	EXPECT_NE(~0ULL, pc_rdpmc(page));
	EXPECT_EQ(EINVAL, pc_sysctl_write("pmu", 3));
	munmap(page, pc_page());
	pc_reap(&t);
}

static int open_as_nobody(struct perf_counter_attr *attr)
{
	int status, pid = fork();

	if (!pid) {
		pc_become_nobody(RLIM_INFINITY);
		_exit(pc_open(attr, 0, -1, -1) < 0 ? errno : 0);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : WEXITSTATUS(status);
}

PC_TEST(hw, the_sysctl_refuses_the_pmu_to_users)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.exclude_kernel = 1;
	EXPECT_EQ(0, open_as_nobody(&self->attr));
	ASSERT_OK(pc_sysctl_write("pmu", 1));
	EXPECT_EQ(EACCES, open_as_nobody(&self->attr));
	EXPECT_LE(0, pc_open(&self->attr, 0, -1, -1));
	ASSERT_OK(pc_sysctl_write("pmu", 2));
	EXPECT_EQ(0, open_as_nobody(&self->attr));
}

int main(int argc, char **argv)
{
	return pc_hw_main(argc, argv);
}

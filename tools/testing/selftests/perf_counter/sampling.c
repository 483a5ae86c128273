// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: their number and every field of them.
 *
 * The event is usually a page fault: the program determines the time, the instruction and the
 * address of each, and so knows every sample in advance. Clocks are sampled only in tests of time.
 */
#include "pc_arch.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

/*
 * The functions in which samples are taken. Their order matters: in_toucher() and the others take
 * the beginning of the next function for the end of a function.
 */
static void toucher(char *map, int pages, long page)
{
	for (int i = 0; i < pages; i++)
		__atomic_store_n(map + i * page, 1, __ATOMIC_RELAXED);
}

static int caller(char *map, int pages)
{
	toucher(map, pages, pc_page());
	return pages;
}

static int outer(char *map, int pages)
{
	return caller(map, pages) + 1;
}

static int deep(char *map, int depth)
{
	if (depth)
		return deep(map, depth - 1) + 1;
	toucher(map, 1, 0);
	return 0;
}

/* Have the kernel write to new memory, from a system call inside of this function. */
static long zeroer(int fd, char *map, long len)
{
	return pc_read_here(fd, map, len);
}

static long zeroer_caller(int fd, char *map, long len)
{
	return zeroer(fd, map, len) + 0 * len;
}

static void spinner(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++)
		asm volatile("");
}

static void end_of_known_functions(void)
{
}

static bool in_toucher(__u64 ip)
{
	return PC_IN(toucher, caller, ip);
}

static bool in_caller(__u64 ip)
{
	return PC_IN(caller, outer, ip);
}

static bool in_outer(__u64 ip)
{
	return PC_IN(outer, deep, ip);
}

static bool in_deep(__u64 ip)
{
	return PC_IN(deep, zeroer, ip);
}

static bool in_zeroer(__u64 ip)
{
	return PC_IN(zeroer, zeroer_caller, ip);
}

static bool in_zeroer_caller(__u64 ip)
{
	return PC_IN(zeroer_caller, spinner, ip);
}

static bool in_spinner(__u64 ip)
{
	return PC_IN(spinner, end_of_known_functions, ip);
}

/* Use @ns of CPU time, nearly all of it in spinner(). */
static void spin(__u64 ns)
{
	__u64 end = pc_clock(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (pc_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		spinner(100000);
}

static const __u64 every_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
				PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER;

static union pc_record rec;
static struct pc_sample s;

/* A counter with its buffer. */
struct sampler {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE(sample) {
	struct sampler c;
	int cpu;
};

FIXTURE_SETUP(sample)
{
	self->c.attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->c.attr.sample_period = 1;
	self->c.attr.sample_type = PERF_SAMPLE_IP;
	self->c.fd = -1;
	ASSERT_EQ(1, pc_cpus(&self->cpu, 1));
	ASSERT_OK(pc_pin(self->cpu));
}

FIXTURE_TEARDOWN(sample)
{
	pc_ring_unmap(&self->c.ring);
	close(self->c.fd);
}

static int start(struct sampler *c, pid_t pid, int cpu, int pages)
{
	char *map = pc_fresh(2);

	c->fd = pc_open(&c->attr, pid, cpu, -1);
	if (c->fd < 0 || !map)
		return -1;
	/* Run the code once, so that later only the pages of the test fault. */
	outer(map, 1);
	munmap(map, 2 * pc_page());
	return pc_ring_map(&c->ring, c->fd, pages);
}

static void stop(struct sampler *c)
{
	pc_ring_unmap(&c->ring);
	close(c->fd);
	c->fd = -1;
}

/* Sample @n page faults at ascending addresses. Returns the first address. */
static char *sample_faults(struct sampler *c, int n)
{
	char *map = pc_fresh(n);

	pc_enable(c->fd);
	PC_FAULTS(outer, map, n);
	pc_disable(c->fd);
	munmap(map, n * pc_page());
	return map;
}

PC_TEST(sample, period_1_samples_every_fault_in_order)
{
	char *map;
	int n = 0;

	self->c.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	ASSERT_OK(start(&self->c, 0, -1, 8));
	map = sample_faults(&self->c, 200);
	while (pc_ring_next(&self->c.ring, &rec)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_EQ(PERF_RECORD_MISC_USER, rec.header.misc);
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		ASSERT_EQ((unsigned long)map + n * pc_page(), s.addr)
			TH_LOG("sample %d", n);
		ASSERT_TRUE(in_toucher(s.ip))
			TH_LOG("sample %d at %#llx", n, s.ip);
		n++;
	}
	EXPECT_EQ(200, n);
	EXPECT_EQ(200, pc_value(self->c.fd));
}

static void check_period(struct __test_metadata *_metadata, struct sampler *c, int period)
{
	char *map;
	int n = 0;

	c->attr.sample_period = period;
	ASSERT_OK(start(c, 0, -1, 8));
	map = sample_faults(c, 100);
	while (pc_ring_next(&c->ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&c->attr, &rec, &s));
		n++;
		ASSERT_EQ((unsigned long)map + (n * period - 1) * pc_page(), s.addr)
			TH_LOG("period %d, sample %d", period, n);
		if (c->attr.sample_type & PERF_SAMPLE_PERIOD) {
			ASSERT_EQ(period, s.period)
				TH_LOG("sample %d", n);
		}
	}
	EXPECT_EQ(100 / period, n) TH_LOG("100 faults, period %d", period);
	EXPECT_EQ(100, pc_value(c->fd));
	stop(c);
}

static const int periods[] = { 2, 3, 7, 100, 101 };

PC_TEST(sample, period_n_samples_every_nth_fault)
{
	self->c.attr.sample_type = PERF_SAMPLE_ADDR;
	for (int i = 0; i < ARRAY_SIZE(periods); i++)
		check_period(_metadata, &self->c, periods[i]);
}

PC_TEST(sample, samples_have_their_period)
{
	if (pc_on_perf_event())
		SKIP(return, "perf_events samples every software event if asked for PERIOD");
	self->c.attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	for (int i = 0; i < ARRAY_SIZE(periods); i++)
		check_period(_metadata, &self->c, periods[i]);
}

PC_TEST(sample, a_period_goes_on_after_a_disable)
{
	self->c.attr.sample_period = 10;
	ASSERT_OK(start(&self->c, 0, -1, 8));
	for (int i = 0; i < 10; i++)
		sample_faults(&self->c, 7);
	EXPECT_EQ(7, pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(70, pc_value(self->c.fd));
}

PC_TEST(sample, a_counter_without_a_period_takes_no_samples)
{
	self->c.attr.sample_period = 0;
	ASSERT_OK(start(&self->c, 0, -1, 1));
	sample_faults(&self->c, 50);
	EXPECT_EQ(0, pc_ring_head(&self->c.ring));
	EXPECT_EQ(50, pc_value(self->c.fd));
}

PC_TEST(sample, a_counter_without_a_buffer_counts_on)
{
	self->c.fd = pc_open(&self->c.attr, 0, -1, -1);
	ASSERT_FD(self->c.fd);
	pc_faults(1);
	sample_faults(&self->c, 1);
	pc_reset(self->c.fd);
	sample_faults(&self->c, 50);
	EXPECT_EQ(50, pc_value(self->c.fd));
	ASSERT_OK(pc_ring_map(&self->c.ring, self->c.fd, 1));
	EXPECT_EQ(0, pc_ring_head(&self->c.ring));
	sample_faults(&self->c, 3);
	EXPECT_EQ(3, pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE));
}

/* Expect that every field of the sample type has its value. */
static void check_type(struct __test_metadata *_metadata, struct sampler *c, int cpu, __u64 type)
{
	__u64 before, after, last = 0, id;
	char *map;
	int n = 0;

	c->attr.sample_type = type;
	ASSERT_OK(start(c, 0, -1, 2));
	id = pc_id(c->fd);
	before = pc_clock(CLOCK_MONOTONIC);
	map = sample_faults(c, 5);
	after = pc_clock(CLOCK_MONOTONIC);
	while (pc_ring_next(&c->ring, &rec)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type)
			TH_LOG("sample_type %#llx", type);
		ASSERT_TRUE(pc_parse_sample(&c->attr, &rec, &s))
			TH_LOG("sample_type %#llx: %u bytes", type, rec.header.size);
		if (type & PERF_SAMPLE_IP) {
			ASSERT_TRUE(in_toucher(s.ip))
				TH_LOG("sample_type %#llx: IP %#llx", type, s.ip);
		}
		if (type & PERF_SAMPLE_TID) {
			ASSERT_EQ(getpid(), s.pid)
				TH_LOG("sample_type %#llx", type);
			ASSERT_EQ(syscall(SYS_gettid), s.tid)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_TIME) {
			ASSERT_LE(before, s.time)
				TH_LOG("sample_type %#llx", type);
			ASSERT_GE(after, s.time)
				TH_LOG("sample_type %#llx", type);
			ASSERT_LE(last, s.time)
				TH_LOG("sample_type %#llx", type);
			last = s.time;
		}
		if (type & PERF_SAMPLE_ADDR) {
			ASSERT_EQ((unsigned long)map + n * pc_page(), s.addr)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_ID) {
			ASSERT_EQ(id, s.id)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_STREAM_ID) {
			ASSERT_EQ(id, s.stream_id)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_IDENTIFIER) {
			ASSERT_EQ(id, s.identifier)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_CPU) {
			ASSERT_EQ(cpu, s.cpu)
				TH_LOG("sample_type %#llx", type);
			ASSERT_EQ(0, s.reserved)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_PERIOD) {
			ASSERT_EQ(1, s.period)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_READ) {
			ASSERT_EQ(n + 1, s.read.v[0].value)
				TH_LOG("sample_type %#llx", type);
		}
		if (type & PERF_SAMPLE_CALLCHAIN) {
			ASSERT_LE(4, s.nr)
				TH_LOG("sample_type %#llx", type);
			ASSERT_EQ(PERF_CONTEXT_USER, s.ips[0])
				TH_LOG("sample_type %#llx", type);
			ASSERT_TRUE(in_toucher(s.ips[1]))
				TH_LOG("sample_type %#llx: %#llx", type, s.ips[1]);
		}
		n++;
	}
	EXPECT_EQ(5, n)
		TH_LOG("sample_type %#llx", type);
	stop(c);
}

PC_TEST(sample, every_sample_type_alone_and_none)
{
	self->c.attr.use_clockid = 1;
	self->c.attr.clockid = CLOCK_MONOTONIC;
	check_type(_metadata, &self->c, self->cpu, 0);
	for (int bit = 0; bit < 32; bit++)
		if (every_type & (1ULL << bit))
			check_type(_metadata, &self->c, self->cpu, 1ULL << bit);
}

PC_TEST(sample, every_pair_of_sample_types)
{
	self->c.attr.use_clockid = 1;
	self->c.attr.clockid = CLOCK_MONOTONIC;
	for (int a = 0; a < 32; a++)
		for (int b = 0; b < a; b++)
			if (every_type & (1ULL << a) && every_type & (1ULL << b))
				check_type(_metadata, &self->c, self->cpu, 1ULL << a | 1ULL << b);
}

PC_TEST(sample, all_sample_types_and_all_but_one)
{
	self->c.attr.use_clockid = 1;
	self->c.attr.clockid = CLOCK_MONOTONIC;
	check_type(_metadata, &self->c, self->cpu, every_type);
	for (int bit = 0; bit < 32; bit++)
		if (every_type & (1ULL << bit))
			check_type(_metadata, &self->c, self->cpu, every_type & ~(1ULL << bit));
}

PC_TEST(sample, times_are_those_of_the_clockid)
{
	static const int clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME,
				      CLOCK_BOOTTIME, CLOCK_TAI };

	self->c.attr.sample_type = PERF_SAMPLE_TIME;
	self->c.attr.use_clockid = 1;
	for (int i = 0; i < ARRAY_SIZE(clocks); i++) {
		__u64 before, after;

		self->c.attr.clockid = clocks[i];
		ASSERT_OK(start(&self->c, 0, -1, 1));
		before = pc_clock(clocks[i]);
		sample_faults(&self->c, 3);
		after = pc_clock(clocks[i]);
		for (int n = 0; n < 3; n++) {
			ASSERT_TRUE(pc_ring_next(&self->c.ring, &rec));
			ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
			EXPECT_LE(before, s.time)
				TH_LOG("clock %d", clocks[i]);
			EXPECT_GE(after, s.time)
				TH_LOG("clock %d", clocks[i]);
			before = s.time;
		}
		stop(&self->c);
	}
}

PC_TEST(sample, times_of_the_default_clock_only_grow)
{
	__u64 last = 0;
	int n = 0;

	self->c.attr.sample_type = PERF_SAMPLE_TIME;
	ASSERT_OK(start(&self->c, 0, -1, 8));
	sample_faults(&self->c, 500);
	for (; pc_ring_next(&self->c.ring, &rec); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		ASSERT_LE(last, s.time);
		last = s.time;
	}
	EXPECT_EQ(500, n);
	EXPECT_LT(0, last);
}

PC_TEST(sample, values_are_read_in_every_format)
{
	self->c.attr.sample_type = PERF_SAMPLE_READ;
	for (int format = 0; format < 32; format++) {
		__u64 last = 0;

		self->c.attr.read_format = format;
		ASSERT_OK(start(&self->c, 0, -1, 2));
		sample_faults(&self->c, 4);
		for (int n = 1; n <= 4; n++) {
			ASSERT_TRUE(pc_ring_next(&self->c.ring, &rec));
			ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s))
				TH_LOG("read_format %#x", format);
			EXPECT_EQ(1, s.read.nr);
			EXPECT_EQ(n, s.read.v[0].value)
				TH_LOG("read_format %#x", format);
			EXPECT_EQ(format & PERF_FORMAT_ID ? pc_id(self->c.fd) : 0, s.read.v[0].id)
				TH_LOG("read_format %#x", format);
			EXPECT_EQ(0, s.read.v[0].lost);
			if (format & PERF_FORMAT_TOTAL_TIME_ENABLED) {
				EXPECT_LT(last, s.read.enabled)
					TH_LOG("read_format %#x", format);
				last = s.read.enabled;
			}
			if ((format & 3) == 3) {
				EXPECT_EQ(s.read.enabled, s.read.running)
					TH_LOG("read_format %#x", format);
			}
		}
		EXPECT_FALSE(pc_ring_next(&self->c.ring, &rec));
		stop(&self->c);
	}
}

PC_TEST(sample, a_groups_values_are_read_in_every_format)
{
	struct perf_counter_attr member = pc_attr(PERF_COUNT_SW_DUMMY);

	self->c.attr.sample_type = PERF_SAMPLE_READ;
	member.disabled = 0;
	for (int format = 0; format < 32; format++) {
		int fds[2];

		self->c.attr.read_format = format | PERF_FORMAT_GROUP;
		ASSERT_OK(start(&self->c, 0, -1, 2));
		member.config = PERF_COUNT_SW_DUMMY;
		fds[0] = pc_open(&member, 0, -1, self->c.fd);
		ASSERT_FD(fds[0]);
		member.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
		fds[1] = pc_open(&member, 0, -1, self->c.fd);
		ASSERT_FD(fds[1]);
		sample_faults(&self->c, 4);
		for (int n = 1; n <= 4; n++) {
			ASSERT_TRUE(pc_ring_next(&self->c.ring, &rec));
			ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s))
				TH_LOG("read_format %#x: %u bytes", format, rec.header.size);
			ASSERT_EQ(3, s.read.nr);
			EXPECT_EQ(n, s.read.v[0].value);
			EXPECT_EQ(0, s.read.v[1].value);
			EXPECT_EQ(0, s.read.v[2].value);
			if (format & PERF_FORMAT_ID) {
				EXPECT_EQ(pc_id(self->c.fd), s.read.v[0].id);
				EXPECT_EQ(pc_id(fds[0]), s.read.v[1].id);
				EXPECT_EQ(pc_id(fds[1]), s.read.v[2].id);
			}
		}
		close(fds[0]);
		close(fds[1]);
		stop(&self->c);
	}
}

PC_TEST(sample, another_tasks_samples_carry_its_ids)
{
	struct pc_task t;
	int n = 0;

	self->c.attr.sample_type = PERF_SAMPLE_TID;
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 20));
	ASSERT_OK(start(&self->c, t.pid, -1, 2));
	pc_enable(self->c.fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->c.fd);
	for (; pc_ring_next(&self->c.ring, &rec); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		ASSERT_EQ(t.pid, s.pid);
		ASSERT_EQ(t.pid, s.tid);
	}
	EXPECT_EQ(20, n);
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(sample, a_threads_samples_carry_the_process_and_the_thread)
{
	struct pc_task t;
	int n = 0;

	self->c.attr.sample_type = PERF_SAMPLE_TID;
	ASSERT_OK(pc_thread_warm(&t, pc_worker, 20));
	ASSERT_OK(start(&self->c, t.pid, -1, 2));
	pc_enable(self->c.fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->c.fd);
	for (; pc_ring_next(&self->c.ring, &rec); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		ASSERT_EQ(getpid(), s.pid);
		ASSERT_EQ(t.pid, s.tid);
	}
	EXPECT_EQ(20, n);
	ASSERT_OK(pc_join(&t));
}

PC_TEST(sample, samples_of_a_child_have_the_parent_counters_id)
{
	__u64 id;
	struct pc_task t;
	int n = 0;

	/*
	 * The counter is bound to a CPU: perf_events refuses to map the buffer of an inherited
	 * counter that is not.
	 */
	self->c.attr.inherit = 1;
	self->c.attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				 PERF_SAMPLE_IDENTIFIER;
	ASSERT_OK(start(&self->c, 0, self->cpu, 2));
	id = pc_id(self->c.fd);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 20));
	pc_enable(self->c.fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->c.fd);
	while (pc_ring_next(&self->c.ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		/* The parent may take a fault of its own, on memory that was shared until now. */
		ASSERT_TRUE(s.pid == t.pid || s.pid == getpid())
			TH_LOG("pid %u", s.pid);
		n += s.pid == t.pid;
		ASSERT_EQ(id, s.id);
		ASSERT_EQ(id, s.identifier);
		/*
		 * The child's counter has its own id, but contexts of parent and child may be
		 * exchanged at a switch.
		 */
		ASSERT_NE(0, s.stream_id);
	}
	EXPECT_EQ(20, n);
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(sample, a_cpu_counter_samples_every_task_there)
{
	struct pc_task t[2];
	int n[2] = {};

	self->c.attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_spawn_warm(&t[i], pc_worker, 20 + i));
	ASSERT_OK(start(&self->c, -1, self->cpu, 16));
	pc_enable(self->c.fd);
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_tell(&t[i], PC_WORK));
	pc_disable(self->c.fd);
	while (pc_ring_next(&self->c.ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		ASSERT_EQ(self->cpu, s.cpu);
		for (int i = 0; i < 2; i++)
			n[i] += s.pid == t[i].pid;
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(20 + i, n[i])
			TH_LOG("task %d", i);
		EXPECT_OK(pc_reap(&t[i]));
	}
}

PC_TEST(sample, a_fault_in_the_kernel_has_the_kernels_mode_and_address)
{
	int zero = open("/dev/zero", O_RDONLY);
	char *map = pc_fresh(4);
	int n = 0;

	ASSERT_FD(zero);
	self->c.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	ASSERT_OK(start(&self->c, 0, -1, 1));
	zeroer_caller(zero, map, 1);
	munmap(map, 4 * pc_page());
	map = pc_fresh(4);
	pc_enable(self->c.fd);
	ASSERT_EQ(4 * pc_page(), zeroer_caller(zero, map, 4 * pc_page()));
	pc_disable(self->c.fd);
	for (; pc_ring_next(&self->c.ring, &rec); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		ASSERT_EQ(PERF_RECORD_MISC_KERNEL, rec.header.misc & PERF_RECORD_MISC_CPUMODE_MASK);
		ASSERT_EQ((unsigned long)map + n * pc_page(), s.addr);
		ASSERT_EQ(1, s.ip >> 63) TH_LOG("IP %#llx", s.ip);
	}
	EXPECT_EQ(4, n);
	close(zero);
}

FIXTURE(chain) {
	struct sampler c;
	int zero;
};

FIXTURE_SETUP(chain)
{
	self->c.attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->c.attr.sample_period = 1;
	self->c.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->c.fd = -1;
	self->zero = open("/dev/zero", O_RDONLY);
	ASSERT_FD(self->zero);
}

FIXTURE_TEARDOWN(chain)
{
	pc_ring_unmap(&self->c.ring);
	close(self->c.fd);
	close(self->zero);
}

/*
 * Remove an entry that is not a caller. toucher() and zeroer() call no function, so the return
 * address is only in the link register. The next entry of the chain is the return address in the
 * frame of the caller, which is left over from an earlier call.
 */
static void drop_unused_place(void)
{
	int place;

	if (!PC_LINK_FRAMES)
		return;
	for (place = 0; place < (int)s.nr && s.ips[place] != PERF_CONTEXT_USER; place++)
		;
	place += 3;
	if (place >= (int)s.nr)
		return;
	memmove(&s.ips[place], &s.ips[place + 1], (s.nr - place - 1) * sizeof(s.ips[0]));
	s.nr--;
}

/* Take one sample of a fault in user mode, or in a system call. */
static bool one_chain(struct sampler *c, int zero, bool in_kernel, int depth)
{
	char *map;
	bool ok;

	c->fd = pc_open(&c->attr, 0, -1, -1);
	if (c->fd < 0 || pc_ring_map(&c->ring, c->fd, 2))
		return false;
	for (int warm = 1; warm >= 0; warm--) {
		map = pc_fresh(1);
		if (!warm)
			pc_enable(c->fd);
		if (in_kernel)
			zeroer_caller(zero, map, 1);
		else if (depth)
			deep(map, depth);
		else
			outer(map, 1);
		if (!warm)
			pc_disable(c->fd);
		munmap(map, pc_page());
	}
	ok = pc_ring_next(&c->ring, &rec) && pc_parse_sample(&c->attr, &rec, &s);
	ok = ok && !pc_ring_next(&c->ring, &rec);
	pc_ring_unmap(&c->ring);
	close(c->fd);
	c->fd = -1;
	if (ok)
		drop_unused_place();
	return ok;
}

/* The index of a context marker in the chain; -1 if it is not there. */
static int context(__u64 marker)
{
	for (int i = 0; i < (int)s.nr; i++)
		if (s.ips[i] == marker)
			return i;
	return -1;
}

/* The number of entries of the chain that are addresses. */
static int frames(void)
{
	int n = 0;

	for (int i = 0; i < (int)s.nr; i++)
		n += s.ips[i] < PERF_CONTEXT_MAX;
	return n;
}

PC_TEST(chain, a_user_faults_chain_has_the_innermost_frame_first)
{
	ASSERT_TRUE(one_chain(&self->c, self->zero, false, 0));
	ASSERT_LE(5, s.nr);
	EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0]);
	EXPECT_EQ(s.ip, s.ips[1]);
	EXPECT_TRUE(in_toucher(s.ips[1])) TH_LOG("%#llx", s.ips[1]);
	EXPECT_TRUE(in_caller(s.ips[2])) TH_LOG("%#llx", s.ips[2]);
	EXPECT_TRUE(in_outer(s.ips[3])) TH_LOG("%#llx", s.ips[3]);
	EXPECT_EQ(-1, context(PERF_CONTEXT_KERNEL));
}

PC_TEST(chain, a_kernel_faults_chain_has_the_kernel_first)
{
	int user;

	ASSERT_TRUE(one_chain(&self->c, self->zero, true, 0));
	EXPECT_EQ(PERF_CONTEXT_KERNEL, s.ips[0]);
	EXPECT_EQ(s.ip, s.ips[1]);
	user = context(PERF_CONTEXT_USER);
	/* Between the fault and the program, the chain has the functions of the system call. */
	ASSERT_LE(4, user);
	for (int i = 1; i < user; i++) {
		EXPECT_EQ(1, s.ips[i] >> 63)
			TH_LOG("entry %d is %#llx", i, s.ips[i]);
	}
	ASSERT_LE(user + 3, s.nr);
	EXPECT_TRUE(in_zeroer(s.ips[user + 1])) TH_LOG("%#llx", s.ips[user + 1]);
	EXPECT_TRUE(in_zeroer_caller(s.ips[user + 2])) TH_LOG("%#llx", s.ips[user + 2]);
}

PC_TEST(chain, exclude_callchain_kernel_keeps_the_user_part)
{
	self->c.attr.exclude_callchain_kernel = 1;
	ASSERT_TRUE(one_chain(&self->c, self->zero, true, 0));
	EXPECT_EQ(-1, context(PERF_CONTEXT_KERNEL));
	ASSERT_LE(3, s.nr);
	EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0]);
	EXPECT_TRUE(in_zeroer(s.ips[1])) TH_LOG("%#llx", s.ips[1]);
	for (int i = 1; i < s.nr; i++) {
		EXPECT_EQ(0, s.ips[i] >> 63)
			TH_LOG("entry %d is %#llx", i, s.ips[i]);
	}
}

PC_TEST(chain, exclude_callchain_user_keeps_the_kernel_chain)
{
	self->c.attr.exclude_callchain_user = 1;
	ASSERT_TRUE(one_chain(&self->c, self->zero, true, 0));
	EXPECT_EQ(-1, context(PERF_CONTEXT_USER));
	ASSERT_LE(3, s.nr);
	EXPECT_EQ(PERF_CONTEXT_KERNEL, s.ips[0]);
	for (int i = 1; i < s.nr; i++) {
		EXPECT_EQ(1, s.ips[i] >> 63)
			TH_LOG("entry %d is %#llx", i, s.ips[i]);
	}
}

PC_TEST(chain, excluding_both_parts_leaves_an_empty_chain)
{
	self->c.attr.exclude_callchain_user = 1;
	self->c.attr.exclude_callchain_kernel = 1;
	ASSERT_TRUE(one_chain(&self->c, self->zero, false, 0));
	EXPECT_EQ(0, s.nr);
}

PC_TEST(chain, sample_max_stack_limits_the_frames)
{
	self->c.attr.sample_max_stack = 8;
	ASSERT_TRUE(one_chain(&self->c, self->zero, false, 40));
	EXPECT_EQ(8 - PC_LINK_FRAMES, frames());
	EXPECT_TRUE(in_toucher(s.ips[1]));
	for (int i = 2; i < 9 - PC_LINK_FRAMES; i++) {
		EXPECT_TRUE(in_deep(s.ips[i]))
			TH_LOG("frame %d is %#llx", i, s.ips[i]);
	}
}

PC_TEST(chain, a_deep_stack_is_cut_at_127_frames)
{
	ASSERT_TRUE(one_chain(&self->c, self->zero, false, 300));
	EXPECT_EQ(127 - PC_LINK_FRAMES, frames());
	EXPECT_TRUE(in_deep(s.ips[127 - PC_LINK_FRAMES]));
}

PC_TEST(chain, a_stack_below_the_limit_is_whole)
{
	int n;

	ASSERT_TRUE(one_chain(&self->c, self->zero, false, 60));
	EXPECT_TRUE(in_toucher(s.ips[1]));
	for (n = 2; n < s.nr && in_deep(s.ips[n]); n++)
		;
	EXPECT_EQ(61, n - 2) TH_LOG("deep() has 61 frames");
	EXPECT_LT(n, s.nr) TH_LOG("the chain has a caller, too");
}

#ifdef __x86_64__
/* Take a fault while the frame pointer is invalid: the chain has to end there. */
static void touch_with_frame(char *place, unsigned long frame)
{
	asm volatile("push %%rbp\n\t"
		     "mov %1, %%rbp\n\t"
		     "movb $1, (%0)\n\t"
		     "pop %%rbp\n\t"
		     : : "r" (place), "r" (frame) : "memory");
}

static void end_of_touch_with_frame(void)
{
}

PC_TEST(chain, an_invalid_frame_pointer_ends_the_chain)
{
	unsigned long loop[2] = { (unsigned long)loop, 0x1234 };
	const unsigned long bad[] = { 0, 1, 8, 0x123456789abcUL, 0x7ffffffffff0UL, ~0UL,
				      0xffff800000000000UL, 0xffffffff81000000UL,
				      (unsigned long)loop };

	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		char *map = pc_fresh(1);

		self->c.fd = pc_open(&self->c.attr, 0, -1, -1);
		ASSERT_FD(self->c.fd);
		ASSERT_OK(pc_ring_map(&self->c.ring, self->c.fd, 2));
		pc_enable(self->c.fd);
		touch_with_frame(map, bad[i]);
		pc_disable(self->c.fd);
		do {
			ASSERT_TRUE(pc_ring_next(&self->c.ring, &rec));
			ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
		} while (!PC_IN(touch_with_frame, end_of_touch_with_frame, s.ip));
		EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0])
			TH_LOG("frame pointer %#lx", bad[i]);
		EXPECT_EQ(s.ip, s.ips[1])
			TH_LOG("frame pointer %#lx", bad[i]);
		for (int j = 1; j < s.nr; j++) {
			EXPECT_EQ(0, s.ips[j] >> 63)
				TH_LOG("frame pointer %#lx: entry %#llx", bad[i], s.ips[j]);
		}
		EXPECT_GE(128, s.nr);
		/*
		 * A caller's frame has a higher address, so the kernel adds this frame to the chain
		 * once only.
		 */
		if (bad[i] == (unsigned long)loop && !pc_on_perf_event()) {
			EXPECT_EQ(3, s.nr);
			EXPECT_EQ(0x1234, s.ips[2]);
		}
		pc_ring_unmap(&self->c.ring);
		close(self->c.fd);
		munmap(map, pc_page());
	}
	self->c.fd = -1;
}
#endif

static const __u64 lost_format = PERF_FORMAT_LOST | PERF_FORMAT_ID;

/* Indices of a LOST record's words; the sample_id follows them. */
#define LOST_ID		1
#define LOST_NR		2

PC_TEST(sample, written_and_lost_samples_are_all_attempts)
{
	self->c.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	self->c.attr.read_format = lost_format;
	for (int pages = 1; pages <= 4; pages *= 2) {
		struct pc_values v;
		int written, fit;
		__u64 lost;

		ASSERT_OK(start(&self->c, 0, -1, pages));
		/* A sample has 24 bytes, and nothing is read meanwhile. */
		fit = pages * pc_page() / 24;
		sample_faults(&self->c, fit + 100);
		written = pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE);
		EXPECT_LT(0, written);
		EXPECT_GE(fit, written);
		pc_read(self->c.fd, lost_format, &v);
		EXPECT_EQ(fit + 100, v.v[0].value);
		EXPECT_EQ(fit + 100 - written, v.v[0].lost)
			TH_LOG("%d written", written);

		/* The next record has room, and the LOST record comes before it. */
		sample_faults(&self->c, 1);
		ASSERT_TRUE(pc_ring_next(&self->c.ring, &rec));
		ASSERT_EQ(PERF_RECORD_LOST, rec.header.type);
		EXPECT_EQ(24, rec.header.size);
		lost = rec.words[LOST_NR];
		EXPECT_EQ(fit + 100 - written, lost)
			TH_LOG("%d pages: %d attempted, %d written", pages, fit + 100, written);
		EXPECT_EQ(pc_id(self->c.fd), rec.words[LOST_ID]);
		ASSERT_TRUE(pc_ring_next(&self->c.ring, &rec));
		EXPECT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		EXPECT_FALSE(pc_ring_next(&self->c.ring, &rec));
		stop(&self->c);
	}
}

PC_TEST(sample, losses_add_up_over_many_full_buffers)
{
	__u64 lost = 0, written = 0, attempted = 0;
	int scale = pc_page() / 4096;
	struct pc_values v;

	self->c.attr.sample_type = every_type;
	self->c.attr.sample_id_all = 1;
	self->c.attr.read_format = lost_format;
	ASSERT_OK(start(&self->c, 0, -1, 1));
	for (int i = 0; i < 30; i++) {
		sample_faults(&self->c, 10 * i * scale);
		attempted += 10 * i * scale;
		while (pc_ring_next(&self->c.ring, &rec)) {
			if (rec.header.type == PERF_RECORD_LOST)
				lost += rec.words[LOST_NR];
			else
				written++;
		}
	}
	sample_faults(&self->c, 1);
	attempted++;
	while (pc_ring_next(&self->c.ring, &rec)) {
		if (rec.header.type == PERF_RECORD_LOST)
			lost += rec.words[LOST_NR];
		else
			written++;
	}
	EXPECT_LT(0, lost);
	EXPECT_EQ(attempted, written + lost);
	pc_read(self->c.fd, lost_format, &v);
	EXPECT_EQ(attempted, v.v[0].value);
	EXPECT_EQ(lost, v.v[0].lost);
}

PC_TEST(sample, a_lost_record_ends_with_the_sample_id)
{
	bool found = false;

	self->c.attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	self->c.attr.sample_id_all = 1;
	ASSERT_OK(start(&self->c, 0, -1, 1));
	sample_faults(&self->c, 200 * (pc_page() / 4096));
	pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE);
	sample_faults(&self->c, 1);
	while (pc_ring_next(&self->c.ring, &rec)) {
		if (rec.header.type != PERF_RECORD_LOST)
			continue;
		found = true;
		ASSERT_EQ(24 + 48, rec.header.size);
		ASSERT_EQ(48, pc_parse_id(&self->c.attr, &rec, &s));
		ASSERT_EQ(getpid(), s.pid);
		ASSERT_EQ(getpid(), s.tid);
		ASSERT_EQ(pc_id(self->c.fd), s.id);
		ASSERT_EQ(pc_id(self->c.fd), s.stream_id);
		ASSERT_EQ(pc_id(self->c.fd), s.identifier);
		ASSERT_EQ(self->cpu, s.cpu);
		ASSERT_NE(0, s.time);
	}
	EXPECT_TRUE(found);
}

PC_TEST(sample, an_invalid_data_tail_does_no_harm)
{
	static const __u64 lies[] = { 1, 7, 4095, 4097, 1ULL << 31, 1ULL << 32, 1ULL << 63,
				      ~0ULL, ~0ULL - 7, 0x5555555555555555ULL };
	__u64 head = 0;

	ASSERT_OK(start(&self->c, 0, -1, 1));
	for (int i = 0; i < ARRAY_SIZE(lies); i++) {
		for (int relative = 0; relative < 2; relative++) {
			__u64 lie = lies[i] + (relative ? head : 0);

			__atomic_store_n(&self->c.ring.page->data_tail, lie, __ATOMIC_RELEASE);
			sample_faults(&self->c, 300);
			ASSERT_LE(head, pc_ring_head(&self->c.ring))
				TH_LOG("data_tail was %#llx", lie);
			head = pc_ring_head(&self->c.ring);

			/* With a valid data_tail the buffer works again. */
			pc_ring_set_tail(&self->c.ring, head);
			sample_faults(&self->c, 5);
			EXPECT_EQ(5, pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE))
				TH_LOG("after data_tail was %#llx", lie);
			head = pc_ring_head(&self->c.ring);
		}
	}
}

static __u64 random64(__u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Overwrite the data of a buffer, or stop if a write raises SIGBUS. */
static void scribbler(struct pc_task *t)
{
	__u64 seed = 88172645463325252ULL;
	struct pc_ring ring;

	if (pc_ring_map(&ring, t->arg, 1))
		_exit(1);
	for (;;) {
		for (int i = 0; i < ring.size / 8; i++)
			((__u64 *)ring.data)[i] = random64(&seed);
		if (!pc_await(t))
			break;
		pc_done(t);
	}
}

PC_TEST(sample, garbage_in_the_user_page_does_no_harm)
{
	__u64 head, seed = 362436069362436069ULL;

	ASSERT_OK(start(&self->c, 0, -1, 1));
	for (int i = 0; i < 50; i++) {
		sample_faults(&self->c, 20);
		head = pc_ring_head(&self->c.ring);
		for (int j = 0; j < pc_page() / 8; j++)
			((__u64 *)self->c.ring.page)[j] = random64(&seed);
		sample_faults(&self->c, 20);
		pc_ring_set_tail(&self->c.ring, head);
		sample_faults(&self->c, 20);
		pc_ring_set_tail(&self->c.ring, pc_ring_head(&self->c.ring));
	}
	/* The next record restores data_head. */
	sample_faults(&self->c, 5);
	EXPECT_EQ(5, pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(50 * 60 + 5, pc_value(self->c.fd));
}

PC_TEST(sample, garbage_in_the_data_does_no_harm)
{
	struct pc_task t;
	int status;

	ASSERT_OK(start(&self->c, 0, -1, 1));
	ASSERT_OK(pc_spawn(&t, scribbler, self->c.fd));
	for (int i = 0; i < 50; i++) {
		sample_faults(&self->c, 30);
		if (pc_tell(&t, 's'))
			break;
		pc_ring_set_tail(&self->c.ring, pc_ring_head(&self->c.ring));
	}
	status = pc_reap(&t);
	EXPECT_TRUE(status == 0 || WTERMSIG(status) == SIGBUS) TH_LOG("status %#x", status);
	pc_ring_set_tail(&self->c.ring, pc_ring_head(&self->c.ring));
	sample_faults(&self->c, 5);
	EXPECT_EQ(5, pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE));
}

FIXTURE(clock_sample) {
	struct sampler c;
	long old_rate;
};

FIXTURE_VARIANT(clock_sample) {
	__u64 config;
};

FIXTURE_VARIANT_ADD(clock_sample, cpu_clock) {
	.config = PERF_COUNT_SW_CPU_CLOCK,
};

FIXTURE_VARIANT_ADD(clock_sample, task_clock) {
	.config = PERF_COUNT_SW_TASK_CLOCK,
};

FIXTURE_SETUP(clock_sample)
{
	int cpu;

	self->c.attr = pc_attr(variant->config);
	self->c.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	self->c.fd = -1;
	self->old_rate = -1;
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
}

FIXTURE_TEARDOWN(clock_sample)
{
	pc_ring_unmap(&self->c.ring);
	close(self->c.fd);
	if (self->old_rate > 0)
		pc_sysctl_write("max_sample_rate", self->old_rate);
}

static bool in_user_mode(void)
{
	return (rec.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

/* Open a counter and its buffer for sample_spin(). */
static int sampler_open(struct sampler *c)
{
	c->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	c->fd = pc_open(&c->attr, 0, -1, -1);
	return c->fd < 0 ? -1 : pc_ring_map(&c->ring, c->fd, 256);
}

/* Sample a loop. Returns the time for which the counter was enabled. */
static __u64 sample_spin(struct sampler *c, __u64 ns)
{
	struct pc_values before = {}, after = {};

	pc_read(c->fd, c->attr.read_format, &before);
	pc_enable(c->fd);
	spin(ns);
	pc_disable(c->fd);
	pc_read(c->fd, c->attr.read_format, &after);
	return after.enabled - before.enabled;
}

/*
 * A timer may fire late, and missed periods are not made up, so there may be fewer samples than
 * periods; there cannot be more. On a busy host a virtual CPU may stop for several periods, which
 * still count as time of the running task. If that was most of the time, the attempt shows nothing
 * and another one is made. One attempt in ATTEMPTS has to be right.
 */
#define ATTEMPTS 10

PC_TEST(clock_sample, samples_are_proportionate_to_time)
{
	const __u64 period = 10 * 1000 * 1000;
	__u64 enabled, last = 0, all_enabled = 0, all = 0;
	int n, spinning, user;

	self->c.attr.sample_period = period;
	ASSERT_OK(sampler_open(&self->c));
	for (int i = 0; i < ATTEMPTS; i++) {
		enabled = sample_spin(&self->c, 500 * 1000 * 1000);
		ASSERT_LT(0, enabled);
		n = 0;
		user = 0;
		spinning = 0;
		for (; pc_ring_find(&self->c.ring, &rec, PERF_RECORD_SAMPLE); n++) {
			ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
			ASSERT_EQ(period, s.period);
			ASSERT_LE(last, s.time);
			last = s.time;
			user += in_user_mode();
			spinning += in_spinner(s.ip);
		}
		/*
		 * A period goes on when the counter is enabled again, so the limit applies to all
		 * attempts together.
		 */
		all_enabled += enabled;
		all += n;
		EXPECT_GE(all_enabled / period, all);
		if (enabled / period / 4 <= n && user)
			break;
	}
	EXPECT_LE(enabled / period / 4, n);
	EXPECT_LT(0, user) TH_LOG("%d samples", n);
	EXPECT_LE(user / 2, spinning) TH_LOG("%d samples, %d in user mode", n, user);
}

/*
 * A period goes on when the task is scheduled in again. A period that ends while the task is
 * scheduled out has its sample when the task runs again: this task runs for a few microseconds at a
 * time.
 */
PC_TEST(clock_sample, a_task_that_sleeps_often_is_sampled_as_often)
{
	const struct timespec nap = { .tv_nsec = 1000 };
	const __u64 period = 10 * 1000 * 1000;
	struct pc_values before = {}, after = {};
	__u64 enabled, samples = 0, all = 0, all_enabled = 0;

	self->c.attr.sample_period = period;
	ASSERT_OK(sampler_open(&self->c));
	for (int i = 0; i < ATTEMPTS && !samples; i++) {
		pc_read(self->c.fd, self->c.attr.read_format, &before);
		pc_enable(self->c.fd);
		do {
			for (int n = 0; n < 100; n++)
				nanosleep(&nap, NULL);
			pc_read(self->c.fd, self->c.attr.read_format, &after);
			enabled = after.enabled - before.enabled;
		} while (enabled < 40 * period);
		pc_disable(self->c.fd);
		pc_read(self->c.fd, self->c.attr.read_format, &after);
		enabled = after.enabled - before.enabled;
		for (; pc_ring_find(&self->c.ring, &rec, PERF_RECORD_SAMPLE); samples++)
			;
		all += samples;
		all_enabled += enabled;
		EXPECT_GE(all_enabled / period, all);
		/*
		 * A virtual CPU that stopped may have missed many periods: then the test is
		 * repeated.
		 */
		if (samples < enabled / period * 3 / 4)
			samples = 0;
	}
	EXPECT_LT(0, samples) TH_LOG("%llu samples in %llu ns", all, all_enabled);
}

PC_TEST(clock_sample, a_frequency_is_samples_per_second_of_cpu_time)
{
	__u64 enabled;
	int n;

	self->c.attr.freq = 1;
	self->c.attr.sample_freq = 100;
	ASSERT_OK(sampler_open(&self->c));
	for (int i = 0; i < ATTEMPTS; i++) {
		enabled = sample_spin(&self->c, 500 * 1000 * 1000);
		ASSERT_LT(0, enabled);
		n = pc_ring_count(&self->c.ring, PERF_RECORD_SAMPLE);
		EXPECT_GE(enabled * 100 / 1000000000 + 1, n);
		if (enabled * 100 / 1000000000 / 4 <= n)
			break;
	}
	EXPECT_LE(enabled * 100 / 1000000000 / 4, n);
}

PC_TEST(clock_sample, excluding_the_kernel_leaves_user_samples_only)
{
	int n = 0;

	self->c.attr.sample_period = 1000 * 1000;
	self->c.attr.exclude_kernel = 1;
	ASSERT_OK(sampler_open(&self->c));
	for (int i = 0; i < ATTEMPTS && !pc_ring_head(&self->c.ring); i++)
		ASSERT_LT(0, sample_spin(&self->c, 100 * 1000 * 1000));
	for (; pc_ring_find(&self->c.ring, &rec, PERF_RECORD_SAMPLE); n++) {
		ASSERT_TRUE(in_user_mode())
			TH_LOG("sample %d", n);
	}
	EXPECT_LT(0, n);
}

static void spin_thread(struct pc_task *t)
{
	while (pc_await(t)) {
		spin(t->arg);
		pc_done(t);
	}
}

PC_TEST(clock_sample, every_task_of_a_tree_is_sampled)
{
	const __u64 period = 5 * 1000 * 1000;
	int samples[3], user[3], spinning[3], all, lacking = 3;
	struct pc_task t[3];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->c.attr.inherit = 1;
	self->c.attr.sample_period = period;
	self->c.attr.sample_type |= PERF_SAMPLE_TID;
	self->c.fd = pc_open(&self->c.attr, 0, -1, -1);
	ASSERT_FD(self->c.fd);
	ASSERT_OK(pc_ring_map(&self->c.ring, self->c.fd, 64));
	ASSERT_OK(pc_spawn(&t[0], spin_thread, 100 * 1000 * 1000));
	ASSERT_OK(pc_spawn(&t[1], spin_thread, 200 * 1000 * 1000));
	ASSERT_OK(pc_thread(&t[2], spin_thread, 100 * 1000 * 1000));
	for (int attempt = 0; attempt < ATTEMPTS && lacking; attempt++) {
		memset(samples, 0, sizeof(samples));
		memset(user, 0, sizeof(user));
		memset(spinning, 0, sizeof(spinning));
		pc_enable(self->c.fd);
		for (int i = 0; i < 3; i++)
			ASSERT_OK(pc_order(&t[i], 's'));
		for (int i = 0; i < 3; i++)
			ASSERT_OK(pc_reply(&t[i]));
		pc_disable(self->c.fd);
		for (all = 0; pc_ring_find(&self->c.ring, &rec, PERF_RECORD_SAMPLE); all++) {
			ASSERT_TRUE(pc_parse_sample(&self->c.attr, &rec, &s));
			for (int i = 0; i < 3; i++) {
				if (s.tid != t[i].pid)
					continue;
				samples[i]++;
				user[i] += in_user_mode();
				spinning[i] += in_spinner(s.ip);
			}
		}
		lacking = 0;
		/*
		 * Expect at least an eighth of the samples in each task: three tasks run at the
		 * same time, and virtual CPUs may stop.
		 */
		for (int i = 0; i < 3; i++)
			lacking += samples[i] < (int)(t[i].arg / period / 8) || !user[i];
	}
	for (int i = 0; i < 3; i++) {
		EXPECT_LE(t[i].arg / period / 8, samples[i])
			TH_LOG("task %d of 3, %d samples in all", i, all);
		EXPECT_LT(0, user[i])
			TH_LOG("task %d of 3, %d samples", i, samples[i]);
		EXPECT_LE(user[i] / 2, spinning[i])
			TH_LOG("task %d of 3, %d samples", i, samples[i]);
	}
	EXPECT_OK(pc_reap(&t[0]));
	EXPECT_OK(pc_reap(&t[1]));
	ASSERT_OK(pc_join(&t[2]));
}

/* Take all records. Throttle and unthrottle records alternate. */
static void take_throttled(struct __test_metadata *_metadata, struct sampler *c, int *throttled,
			   int *unthrottled, int *samples)
{
	while (pc_ring_next(&c->ring, &rec)) {
		if (rec.header.type == PERF_RECORD_THROTTLE) {
			ASSERT_EQ(*throttled, *unthrottled)
				TH_LOG("two throttle records without an unthrottle record");
			(*throttled)++;
		} else if (rec.header.type == PERF_RECORD_UNTHROTTLE) {
			(*unthrottled)++;
			ASSERT_EQ(*throttled, *unthrottled)
				TH_LOG("an unthrottle record without a throttle record");
		} else {
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			(*samples)++;
			continue;
		}
		/* The size of header, time, id and stream_id. */
		ASSERT_EQ(32, rec.header.size);
		ASSERT_EQ(pc_id(c->fd), rec.words[2]);
		ASSERT_EQ(pc_id(c->fd), rec.words[3]);
	}
}

PC_TEST(clock_sample, too_many_samples_are_throttled)
{
	int throttled = 0, unthrottled = 0, samples = 0;
	struct pc_values v;

	self->old_rate = pc_sysctl_read("max_sample_rate");
	ASSERT_LT(0, self->old_rate);
	ASSERT_OK(pc_sysctl_write("max_sample_rate", 1000));
	self->c.attr.sample_period = 50 * 1000;
	self->c.attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	ASSERT_OK(sampler_open(&self->c));
	/*
	 * Repeat until a tick has more samples than the limit: on a busy host the CPU may not run
	 * long enough.
	 */
	do {
		ASSERT_LT(0, sample_spin(&self->c, 300 * 1000 * 1000));
		take_throttled(_metadata, &self->c, &throttled, &unthrottled, &samples);
	} while (!unthrottled);
	EXPECT_LT(0, throttled);
	ASSERT_LT(0, pc_read(self->c.fd, self->c.attr.read_format, &v));
	/*
	 * The kernel converts the limit to samples in a tick and rounds up, so the rate may be up
	 * to 4 times the limit.
	 */
	EXPECT_GT(v.enabled / (1000 * 1000) * 4, samples);
	EXPECT_LT(0, samples);
}

PC_TEST(clock_sample, a_counter_that_was_throttled_counts_on)
{
	struct pc_values v;
	__u64 enabled;

	self->old_rate = pc_sysctl_read("max_sample_rate");
	ASSERT_LT(0, self->old_rate);
	ASSERT_OK(pc_sysctl_write("max_sample_rate", 1000));
	self->c.attr.sample_period = 50 * 1000;
	ASSERT_OK(sampler_open(&self->c));
	enabled = sample_spin(&self->c, 100 * 1000 * 1000);
	if (pc_on_perf_event() && variant->config == PERF_COUNT_SW_TASK_CLOCK)
		SKIP(return, "perf_events' task clock runs ahead when it is throttled");
	ASSERT_EQ(16, pc_read(self->c.fd, self->c.attr.read_format, &v));
	EXPECT_LE(v.v[0].value, enabled / 100 * 101);
	EXPECT_LT(0, v.v[0].value);
}

FIXTURE(budget) {
	struct sampler c;
	long old_rate;
	long old_percent;
};

FIXTURE_SETUP(budget)
{
	self->c.attr = pc_attr(PERF_COUNT_SW_CPU_CLOCK);
	/* The samples have the longest stacks, at the highest rate of a clock. */
	self->c.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER;
	self->c.attr.sample_stack_user = 32 * 1024;
	self->c.attr.sample_period = 10 * 1000;
	self->c.fd = -1;
	if (pc_on_perf_event())
		SKIP(return, "perf_events has other rules");
	self->old_rate = pc_sysctl_read("max_sample_rate");
	self->old_percent = pc_sysctl_read("cpu_time_max_percent");
	ASSERT_LT(0, self->old_rate);
	ASSERT_LE(0, self->old_percent);
	ASSERT_OK(pc_sysctl_write("max_sample_rate", 100000));
}

FIXTURE_TEARDOWN(budget)
{
	pc_ring_unmap(&self->c.ring);
	close(self->c.fd);
	if (pc_on_perf_event())
		return;
	pc_sysctl_write("max_sample_rate", self->old_rate);
	pc_sysctl_write("cpu_time_max_percent", self->old_percent);
}

/* A sample every 10 us takes more than a hundredth of the CPU's time. */
PC_TEST(budget, samples_that_take_too_long_lower_the_rate)
{
	long rate, tick = sysconf(_SC_CLK_TCK);

	ASSERT_OK(pc_sysctl_write("cpu_time_max_percent", 1));
	ASSERT_OK(sampler_open(&self->c));
	do {
		ASSERT_LT(0, sample_spin(&self->c, 300 * 1000 * 1000));
		rate = pc_sysctl_read("max_sample_rate");
	} while (rate == 100000);
	EXPECT_LE(tick, rate) TH_LOG("the rate is less than a sample per tick");
}

/* While samples take too much time, each limit that an administrator sets is lowered. */
PC_TEST(budget, the_rate_is_lowered_again_and_again)
{
	int cpu;

	/* Stay on one CPU: each CPU measures the time of its own samples. */
	ASSERT_LT(0, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	ASSERT_OK(pc_sysctl_write("cpu_time_max_percent", 1));
	ASSERT_OK(sampler_open(&self->c));
	pc_enable(self->c.fd);
	for (long rate = 100000; rate > 60000; rate -= 10000) {
		ASSERT_OK(pc_sysctl_write("max_sample_rate", rate));
		while (pc_sysctl_read("max_sample_rate") >= rate)
			;
	}
	pc_disable(self->c.fd);
}

/* With 0 and with 100 percent there is no limit. */
PC_TEST(budget, without_a_limit_the_rate_stays)
{
	for (int percent = 0; percent <= 100; percent += 100) {
		ASSERT_OK(pc_sysctl_write("cpu_time_max_percent", percent));
		if (!percent)
			ASSERT_OK(sampler_open(&self->c));
		ASSERT_LT(0, sample_spin(&self->c, 500 * 1000 * 1000));
		EXPECT_EQ(100000, pc_sysctl_read("max_sample_rate"))
			TH_LOG("%d %%", percent);
	}
}

PC_TEST(budget, the_limit_is_at_most_100_percent)
{
	EXPECT_EQ(EINVAL, pc_sysctl_write("cpu_time_max_percent", 101));
	EXPECT_EQ(EINVAL, pc_sysctl_write("cpu_time_max_percent", -1));
	EXPECT_EQ(self->old_percent, pc_sysctl_read("cpu_time_max_percent"));
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of POWER8, POWER9 and POWER10, on an emulator that counts instructions exactly: which
 * groups of events fit in the registers, as in perf_events; programs that read counters; and the
 * addresses of samples.
 */
#include <sys/resource.h>

#include "pc_arch.h"
#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

#ifdef __powerpc64__

#define ROUNDS 100000
#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* PM_INST_CMPL on PMC1 to PMC4, PM_RUN_INST_CMPL on PMC5, PM_RUN_CYC on PMC6. */
#define INST(pmc) ((pmc) << 16 | 0x02)
#define RUN_INST 0x500fa
#define RUN_CYCLES 0x600f4

static union pc_record rec;
static struct pc_sample s;

FIXTURE(power) {
	struct perf_counter_attr attr;
	int fd;
	__u64 frame;		/* instructions counted around an empty loop */
	long rate;		/* rate limit before the test */
};

FIXTURE_SETUP(power)
{
	self->attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	pc_count_loop(self->fd, 1);
	self->frame = pc_count_loop(self->fd, 0);
	self->rate = pc_sysctl_read("max_sample_rate");
	ASSERT_EQ(0, pc_sysctl_write("max_sample_rate", 1000000));
}

FIXTURE_TEARDOWN(power)
{
	pc_sysctl_write("max_sample_rate", self->rate);
	close(self->fd);
}

PC_TEST(power, instructions_are_exact)
{
	for (__u64 n = 1; n <= 1000000; n *= 10)
		EXPECT_EQ(n * PC_LOOP_INSTRUCTIONS, pc_count_loop(self->fd, n) - self->frame);
}

/* The counters are one group, so they start and stop together. */
PC_TEST(power, five_counters_count_the_same)
{
	static const __u64 codes[] = { INST(1), INST(2), INST(3), INST(4), RUN_INST };
	struct perf_counter_attr attr;
	struct pc_values r;
	int fds[5];

	for (int i = 0; i < 5; i++) {
		attr = pc_raw_attr(codes[i]);
		attr.disabled = !i;
		attr.read_format = PERF_FORMAT_GROUP | TIMES;
		fds[i] = pc_open(&attr, 0, -1, i ? fds[0] : -1);
		ASSERT_FD(fds[i]);
	}
	pc_enable(fds[0]);
	pc_loop(ROUNDS);
	pc_disable(fds[0]);
	ASSERT_LT(0, pc_read(fds[0], attr.read_format, &r));
	EXPECT_EQ(r.enabled, r.running);
	EXPECT_LE(PC_LOOP_INSTRUCTIONS * ROUNDS, r.v[0].value);
	EXPECT_GE(PC_LOOP_INSTRUCTIONS * ROUNDS + 1000, r.v[0].value);
	for (int i = 1; i < 5; i++)
		EXPECT_EQ(r.v[0].value, r.v[i].value);
	for (int i = 0; i < 5; i++)
		close(fds[i]);
}

static int open_group(const __u64 *codes, int n, bool perf_events)
{
	int fds[8], i, err = 0, nr = perf_events ? __NR_perf_event_open : __NR_perf_counter_open;

	for (i = 0; i < n; i++) {
		struct perf_counter_attr attr = pc_raw_attr(codes[i]);

		attr.disabled = !i;
		fds[i] = syscall(nr, &attr, 0, -1, i ? fds[0] : -1, 0);
		if (fds[i] < 0) {
			err = errno;
			break;
		}
	}
	while (i--)
		close(fds[i]);
	return err;
}

PC_TEST(power, groups_fit_or_are_refused)
{
	static const __u64 two_of_pmc4[] = { 0x4d05e, 0x400f6 };
	static const __u64 five_of_four[] = { INST(1), INST(2), INST(3), INST(4), 0x100fc };
	static const __u64 sampled_twice[] = { 0x10101, 0x1020102 };
	static const __u64 six[] = { INST(1), INST(2), INST(3), INST(4), 0x1e, 0x2 };
	static const __u64 bus[] = { 0x46080, 0x36880 };
	static const __u64 bus_of_pmc3[] = { INST(4), 0x36880 };

	EXPECT_EQ(EINVAL, open_group(two_of_pmc4, 2, false));
	EXPECT_EQ(EINVAL, open_group(five_of_four, 5, false));
	EXPECT_EQ(EINVAL, open_group(sampled_twice, 2, false));
	/* Generic cycles and instructions use PMC6 and PMC5. */
	EXPECT_EQ(0, open_group(six, 6, false));
	/* On POWER9 only PMC4 selects the bus; other events may use the selection of PMC4. */
	EXPECT_EQ(0, open_group(bus, 2, false));
	EXPECT_EQ(pc_power() == 9 ? EINVAL : 0, open_group(bus + 1, 1, false));
	EXPECT_EQ(pc_power() == 9 ? EINVAL : 0, open_group(bus_of_pmc3, 2, false));
}

static __u64 random_state = 1;

static __u64 random_bits(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return random_state >> 16;
}

/* A random event code: some fields are usually 0, and reserved bits are rarely set. */
static __u64 random_code(void)
{
	__u64 code = (random_bits() & 0xff) | (random_bits() % 7) << 16;

	if (random_bits() & 1)
		code |= (random_bits() & 0xf) << 12;
	if (!(random_bits() & 3))
		code |= (random_bits() & 7) << 9;
	if (!(random_bits() & 3))
		code |= 1 << 8 | (random_bits() & 0x1f) << 24;
	if (!(random_bits() & 7))
		code |= (random_bits() & 0xf) << 20;
	if (!(random_bits() & 7))
		code |= (random_bits() & 0x1fffff) << 29;
	if (!(random_bits() & 15))
		code |= (random_bits() & 0xfff) << 48;
	return code;
}

/*
 * Store the errno, or 0, of opening a counter in each subsystem. Returns nonzero if the two differ.
 */
static int compare(struct perf_counter_attr *attr, int *errs)
{
	for (int i = 0; i < 2; i++) {
		int fd = syscall(i ? __NR_perf_event_open : __NR_perf_counter_open, attr, 0, -1,
				 -1, 0);

		errs[i] = fd < 0 ? errno : 0;
		close(fd);
	}
	return errs[0] == errs[1];
}

PC_TEST(power, perf_events_accepts_the_same_events)
{
	int errs[2], opened = 0, refused = 0;
	struct perf_counter_attr attr;

	close(self->fd);
	for (int event = 0; event < PERF_COUNT_HW_MAX; event++) {
		attr = pc_hw_attr(event);
		EXPECT_TRUE(compare(&attr, errs))
			TH_LOG("generic event %d: %d, %d", event, errs[0], errs[1]);
	}
	for (int event = 0; event < 7 * 3 * 2; event++) {
		attr = pc_hw_attr(event / 6 | event / 2 % 3 << 8 | event % 2 << 16);
		attr.type = PERF_TYPE_HW_CACHE;
		EXPECT_TRUE(compare(&attr, errs))
			TH_LOG("cache event %#llx: %d, %d", attr.config, errs[0], errs[1]);
	}
	for (int i = 0; i < 2000; i++) {
		attr = pc_raw_attr(random_code());
		EXPECT_TRUE(compare(&attr, errs))
			TH_LOG("raw event %#llx: %d, %d", attr.config, errs[0], errs[1]);
		opened += !errs[0];
		refused += !!errs[0];
	}
	/* Some events are accepted and some are refused. */
	EXPECT_LT(200, opened);
	EXPECT_LT(200, refused);
	self->fd = -1;
}

/*
 * perf_events accepts some groups that do not count right: it does not compare some fields, and
 * accepts events of a bus that PMC4 does not select. Groups that perf_events refuses are refused.
 */
PC_TEST(power, groups_refused_by_perf_events_are_refused)
{
	int opened = 0, refused = 0, stricter = 0;
	__u64 codes[6];

	close(self->fd);
	for (int i = 0; i < 1000; i++) {
		int n = 2 + random_bits() % 3, ours, theirs;

		for (int k = 0; k < n; k++) {
			do
				codes[k] = random_code();
			while (open_group(&codes[k], 1, false));
		}
		ours = open_group(codes, n, false);
		theirs = open_group(codes, n, true);
		if (theirs)
			EXPECT_EQ(theirs, ours)
				TH_LOG("%d: %#llx %#llx %#llx %#llx", n, codes[0], codes[1],
				       n > 2 ? codes[2] : 0, n > 3 ? codes[3] : 0);
		opened += !ours;
		refused += !!theirs;
		stricter += ours && !theirs;
	}
	EXPECT_LT(50, opened);
	EXPECT_LT(50, refused);
	EXPECT_GT(100, stricter);
	self->fd = -1;
}

/*
 * Count the samples in a ring. Stores in *outside how many of them are outside of the loop or of
 * user mode.
 */
static int samples_in_loop(struct pc_ring *ring, const struct perf_counter_attr *attr, int *outside)
{
	int n = 0;

	*outside = 0;
	while (pc_ring_next(ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		if (!pc_parse_sample(attr, &rec, &s) ||
		    (rec.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
		    s.ip < (uintptr_t)pc_loop_begin || s.ip > (uintptr_t)pc_loop_end)
			(*outside)++;
	}
	return n;
}

/* Test each register: PMC1 and the other registers enable their alerts by different bits. */
PC_TEST(power, every_register_samples)
{
	static const __u64 codes[] = { INST(1), INST(2), INST(3), INST(4), RUN_INST };
	const int period = 1009;
	struct pc_ring ring;
	int fd, outside;
	__u64 total;

	for (int i = 0; i < ARRAY_SIZE(codes); i++) {
		struct perf_counter_attr attr = pc_raw_attr(codes[i]);

		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
		attr.sample_period = period;
		fd = pc_open(&attr, 0, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_ring_map(&ring, fd, 16));
		total = pc_count_loop(fd, ROUNDS);
		EXPECT_EQ(total / period, samples_in_loop(&ring, &attr, &outside))
			TH_LOG("PMC%d, %llu instructions", i + 1, total);
		EXPECT_EQ(0, outside);
		pc_ring_unmap(&ring);
		close(fd);
	}
}

/* Two counters overflow at the same instruction at times. */
PC_TEST(power, two_counters_sample_at_one_instruction)
{
	static const int periods[] = { 500, 1500 };
	struct pc_ring rings[2];
	int fds[2], outside;
	__u64 total;

	for (int i = 0; i < 2; i++) {
		struct perf_counter_attr attr = pc_raw_attr(INST(i + 1));

		attr.disabled = !i;
		attr.sample_type = PERF_SAMPLE_IP;
		attr.sample_period = periods[i];
		self->attr = attr;
		fds[i] = pc_open(&attr, 0, -1, i ? fds[0] : -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&rings[i], fds[i], 16));
	}
	pc_count_loop(fds[0], ROUNDS);
	for (int i = 0; i < 2; i++) {
		total = pc_value(fds[i]);
		EXPECT_EQ(total / periods[i],
			  samples_in_loop(&rings[i], &self->attr, &outside));
		EXPECT_EQ(0, outside);
	}
	for (int i = 0; i < 2; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

/* Counters that do not fit take turns, and each gets samples. */
PC_TEST(power, events_of_one_counter_take_turns)
{
	struct perf_counter_attr attr = pc_raw_attr(INST(1));
	struct pc_values r;
	int fds[3];
	bool all;

	attr.read_format = TIMES;
	for (int i = 0; i < 3; i++) {
		fds[i] = pc_open(&attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
		pc_enable(fds[i]);
	}
	do {
		pc_loop(ROUNDS);
		all = true;
		for (int i = 0; i < 3; i++) {
			ASSERT_LT(0, pc_read(fds[i], TIMES, &r));
			ASSERT_LE(r.running, r.enabled);
			all = all && r.running && r.running < r.enabled && r.v[0].value;
		}
	} while (!all);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

/* === Programs that read counters === */

#define READ_SPR(nr)	case nr: asm volatile("mfspr %0, " #nr : "=r" (value)); break

/* Read PMC1 to PMC6 as a program. */
static __u64 read_pmc(int nr)
{
	__u64 value = 0;

	switch (nr + 770) {
	READ_SPR(771);
	READ_SPR(772);
	READ_SPR(773);
	READ_SPR(774);
	READ_SPR(775);
	READ_SPR(776);
	}
	return value;
}

/*
 * The present count of the counter whose user page is mapped at @page; 0 if the counter is in no
 * register.
 */
static __u64 read_mapped(struct perf_event_mmap_page *page)
{
	__u32 lock, index;
	__u64 count;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
		count = __atomic_load_n(&page->offset, __ATOMIC_RELAXED);
		if (!index || !page->cap_user_rdpmc)
			return ~0ULL;
		count += read_pmc(index);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock || lock & 1);
	return count;
}

/* True if a child can read PMC1 to PMC6: without permission it gets SIGILL. */
static bool may_read(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct rlimit none = {};

		setrlimit(RLIMIT_CORE, &none);
		for (int nr = 1; nr <= 6; nr++)
			read_pmc(nr);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGILL;
}

PC_TEST(power, a_program_reads_registers)
{
	struct perf_event_mmap_page *page;
	__u64 before, after, last = 0;

	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	EXPECT_EQ(~0ULL, read_mapped(page));
	pc_enable(self->fd);
	/*
	 * Before POWER10, a program that may read counters could also read the registers with
	 * sampled addresses, so programs may read no register.
	 */
	EXPECT_EQ(pc_power() >= 10, (bool)page->cap_user_rdpmc);
	if (pc_power() < 10) {
		EXPECT_EQ(~0ULL, read_mapped(page));
		/* On a CPU where no counter has run, the registers are as at boot. */
		ASSERT_OK(pc_pin(sched_getcpu()));
		pc_loop(ROUNDS);
		EXPECT_FALSE(may_read());
		munmap(page, pc_page());
		return;
	}
	for (int i = 0; i < 100; i++) {
		before = read_mapped(page);
		pc_loop(1000);
		after = read_mapped(page);
		ASSERT_NE(~0ULL, before);
		ASSERT_LE(last, before);
		/* The read executes fewer than 200 instructions. */
		ASSERT_LE(before + 1000 * PC_LOOP_INSTRUCTIONS, after);
		ASSERT_GE(before + 1000 * PC_LOOP_INSTRUCTIONS + 200, after);
		last = after;
		if (!(i % 10))
			sched_yield();
	}
	ASSERT_LE(last, pc_value(self->fd));
	pc_disable(self->fd);
	EXPECT_EQ(~0ULL, read_mapped(page));
	munmap(page, pc_page());
}

PC_TEST(power, registers_need_a_mapped_counter)
{
	struct perf_event_mmap_page *page;

	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	pc_enable(self->fd);
	ASSERT_EQ(pc_power() >= 10, read_mapped(page) != ~0ULL);
	/*
	 * A child without a counter cannot read the registers, even on a CPU where a counter has
	 * run.
	 */
	ASSERT_OK(pc_pin(sched_getcpu()));
	pc_loop(ROUNDS);
	EXPECT_FALSE(may_read());
	munmap(page, pc_page());
}

/* Read the register of a counter and ignore the page's offset; ~0 if it is in no register. */
static __u64 read_raw(const struct perf_event_mmap_page *page)
{
	__u32 lock, index;
	__u64 value;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
		if (!index)
			return ~0ULL;
		value = read_pmc(index);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock || lock & 1);
	return value;
}

/**
 * struct reader - a counter whose register is read, and a second counter of the same events
 * @attr: attributes of the counter
 * @fd: descriptor of the counter
 * @page: user page of the counter
 * @all: descriptor of the second counter, which is never changed
 */
struct reader {
	struct perf_counter_attr attr;
	int fd;
	struct perf_event_mmap_page *page;
	int all;
};

/**
 * struct look - a reader at one moment
 * @before: value of the register before @total is read
 * @total: events of the second counter
 * @after: value of the register after @total was read
 * @preemptions: number of preemptions of the task before the moment
 */
struct look {
	__u64 before;
	__u64 total;
	__u64 after;
	long preemptions;
};

/* Return how often the kernel has made another task run in the place of this one. */
static long preemptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? -1 : usage.ru_nivcsw;
}

static struct look look_at(const struct reader *r)
{
	struct look look;

	do {
		look.preemptions = preemptions();
		look.before = read_raw(r->page);
		look.total = pc_value(r->all);
		look.after = read_raw(r->page);
	} while (look.preemptions != preemptions());
	return look;
}

/* Changes between two looks. @t is a task that runs pc_echo() on the reader's CPU. */
static void no_change(struct reader *r, struct pc_task *t)
{
}

static void reset_reader(struct reader *r, struct pc_task *t)
{
	ioctl(r->fd, PERF_COUNTER_IOC_RESET, 0);
}

static void open_another(struct reader *r, struct pc_task *t)
{
	struct perf_counter_attr attr = r->attr;
	void *page;
	int fd;

	attr.config = INST(3);
	fd = pc_open(&attr, 0, -1, -1);
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fd, 0);
	pc_enable(fd);
	if (page != MAP_FAILED)
		munmap(page, pc_page());
	close(fd);
}

static void turn_off_and_on(struct reader *r, struct pc_task *t)
{
	pc_disable(r->fd);
	pc_enable(r->fd);
}

static void switch_tasks(struct reader *r, struct pc_task *t)
{
	pc_switch(t, 5);
}

/* @anew: perf_events loads the counter again, and its register begins with 0. */
static const struct change {
	const char *name;
	void (*make)(struct reader *r, struct pc_task *t);
	bool anew;
} changes[] = {
	{ "no change", no_change, false },
	{ "a reset", reset_reader, false },
	{ "another counter", open_another, true },
	{ "disabling", turn_off_and_on, true },
	{ "a context switch", switch_tasks, true },
};

/*
 * Where the register goes on in perf_events, it does in perf_counter. Elsewhere perf_counter may
 * do either. If the task was preempted, its register may have begun with 0 at any time since @last.
 */
static bool register_is_right(const struct change *change, const struct look *last,
			      const struct look *now)
{
	bool preempted = preemptions() != last->preemptions;
	bool goes_on, anew;
	__u64 events = now->total - last->total;

	if (now->before == ~0ULL || now->after == ~0ULL || events < ROUNDS * PC_LOOP_INSTRUCTIONS)
		return false;
	goes_on = now->before - last->after <= events && events <= now->after - last->before;
	anew = now->before <= events &&
	       (preempted || now->before >= ROUNDS * PC_LOOP_INSTRUCTIONS);
	if (change->anew && pc_on_perf_event())
		return anew;
	return goes_on || ((change->anew || preempted) && anew);
}

/* Returns 0, or -1 on an error. */
static int open_reader(struct reader *r)
{
	struct perf_counter_attr attr = r->attr;

	r->fd = pc_open(&r->attr, 0, -1, -1);
	attr.config = INST(2);
	r->all = pc_open(&attr, 0, -1, -1);
	if (r->fd < 0 || r->all < 0)
		return -1;
	r->page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, r->fd, 0);
	if (r->page == MAP_FAILED)
		return -1;
	pc_enable(r->all);
	pc_enable(r->fd);
	return 0;
}

/*
 * perf_events has no user access on POWER10, and perf_counter has none before. So on each CPU the
 * one that has it is checked, and both have the same table.
 */
PC_TEST(power, a_register_goes_on_where_perf_events_lets_it)
{
	struct reader r = { .attr = pc_raw_attr(INST(1)) };
	const struct change *change;
	struct look last, now;
	struct pc_task t;
	int cpus[1];

	close(self->fd);
	self->fd = -1;
	ASSERT_LT(0, pc_cpus(cpus, 1));
	ASSERT_OK(pc_pin(cpus[0]));
	ASSERT_OK(pc_spawn(&t, pc_echo, cpus[0]));
	if (pc_power() < 10)
		setenv("PC_BACKEND", "perf_event", 1);
	ASSERT_OK(open_reader(&r));
	pc_loop(ROUNDS);
	last = look_at(&r);
	for (int step = 0; step < 3 * ARRAY_SIZE(changes); step++) {
		change = &changes[step % ARRAY_SIZE(changes)];
		pc_loop(ROUNDS);
		change->make(&r, &t);
		pc_loop(ROUNDS);
		now = look_at(&r);
		ASSERT_TRUE(register_is_right(change, &last, &now))
			TH_LOG("%s: register %llu to %llu, then %llu to %llu; %llu events",
			       change->name, last.before, last.after, now.before, now.after,
			       now.total - last.total);
		last = now;
	}
	munmap(r.page, pc_page());
	close(r.all);
	close(r.fd);
	unsetenv("PC_BACKEND");
	pc_reap(&t);
}

/* === Frozen counters === */

/* A counter that excludes both user mode and the kernel counts nothing. */
PC_TEST(power, excluded_modes_are_not_counted)
{
	struct perf_counter_attr attr = pc_raw_attr(INST(1));
	const __u64 rounds = 100 * ROUNDS;
	int none, kernel;

	attr.exclude_user = 1;
	none = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(none);
	EXPECT_EQ(0, pc_count_loop(none, ROUNDS));
	close(none);
	/*
	 * The kernel executes fewer instructions here than the program, so a counter of the kernel
	 * counts less.
	 */
	attr.exclude_kernel = 0;
	kernel = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(kernel);
	EXPECT_GT(rounds * PC_LOOP_INSTRUCTIONS / 2, pc_count_loop(kernel, rounds));
	close(kernel);
}

PC_TEST(power, a_counter_stops_at_its_refresh_limit)
{
	struct perf_counter_attr attr = pc_raw_attr(INST(1));
	struct pc_ring ring;
	int fd;

	attr.sample_period = 1000;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 1));
	ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_REFRESH, 1));
	pc_loop(ROUNDS);
	EXPECT_LE(1000, pc_value(fd));
	/* The program executes some more instructions before the interrupt stops the counter. */
	EXPECT_GE(1100, pc_value(fd));
	pc_ring_unmap(&ring);
	close(fd);
}

/* Run the loop in another task. */
static void loop_when_told(struct pc_task *t)
{
	while (pc_await(t)) {
		pc_loop(ROUNDS);
		pc_done(t);
	}
}

/*
 * A program that may read all counters disables its own. The register of this counter is free, and
 * does not count instructions of other tasks while a counter of the CPU keeps the PMU running.
 */
PC_TEST(power, a_free_register_does_not_count_other_tasks)
{
	struct perf_counter_attr attr = pc_raw_attr(INST(1));
	struct perf_event_mmap_page *page, *other;
	int cpu, of_cpu, mapped, fd;
	struct pc_task t;
	__u32 nr;

	if (pc_power() < 10)
		SKIP(return, "programs read no counters here");
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_spawn(&t, loop_when_told, 0));
	ASSERT_OK(pc_pin(cpu));
	ASSERT_OK(pc_pin_task(t.pid, cpu));
	attr.disabled = 0;
	attr.config = RUN_CYCLES;
	of_cpu = pc_open(&attr, -1, cpu, -1);
	ASSERT_FD(of_cpu);
	attr.disabled = 1;
	attr.config = INST(2);
	mapped = pc_open(&attr, 0, -1, -1);
	attr.config = INST(1);
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(mapped);
	ASSERT_FD(fd);
	other = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, mapped, 0);
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)other);
	ASSERT_NE(MAP_FAILED, (void *)page);
	ASSERT_OK(pc_enable(fd));
	nr = page->index;
	ASSERT_NE(0, nr);
	ASSERT_OK(pc_disable(fd));
	/* The first switch clears the rest of the task's own count. */
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_tell(&t, 'l'));
		EXPECT_EQ(0, read_pmc(nr)) TH_LOG("PMC%u", nr);
	}
	ASSERT_OK(pc_reap(&t));
	munmap(page, pc_page());
	munmap(other, pc_page());
	close(fd);
	close(mapped);
	close(of_cpu);
}

/* === Counts that exceed a register === */

/* Instructions in a round of long_loop(), which an emulator executes as one block. */
#define LONG_INSTRUCTIONS 64
/* More than 2^32 instructions, so that a register overflows twice. */
#define LONG_ROUNDS ((5ULL << 30) / LONG_INSTRUCTIONS)

static __attribute__((noipa)) void long_loop(__u64 n)
{
	asm volatile("mtctr %0\n"
		     "1:\n\t"
		     ".rept 63\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "bdnz 1b"
		     : : "r" (n) : "ctr");
}

/* Count a loop with five counters, and read the first counter as a program, too. */
static __attribute__((noipa)) void count_long(const int *fds, struct perf_event_mmap_page *page,
					      __u64 n, __u64 *counts, __u64 *mapped)
{
	struct pc_values r;
	__u64 before;

	ioctl(fds[0], PERF_COUNTER_IOC_RESET, PERF_IOC_FLAG_GROUP);
	pc_enable(fds[0]);
	before = read_mapped(page);
	long_loop(n);
	*mapped = read_mapped(page) - before;
	pc_disable(fds[0]);
	if (pc_read(fds[0], PERF_FORMAT_GROUP, &r) <= 0)
		abort();
	for (int i = 0; i < 5; i++)
		counts[i] = r.v[i].value;
}

PC_TEST(power, counts_may_exceed_a_register)
{
	static const __u64 codes[] = { RUN_INST, INST(1), INST(2), INST(3), INST(4) };
	const __u64 expected = (LONG_ROUNDS - 1) * LONG_INSTRUCTIONS;
	__u64 frame[5], counts[5], mapped_frame, mapped;
	struct perf_event_mmap_page *page;
	int fds[5];

	for (int i = 0; i < 5; i++) {
		struct perf_counter_attr attr = pc_raw_attr(codes[i]);

		attr.disabled = !i;
		attr.read_format = PERF_FORMAT_GROUP;
		fds[i] = pc_open(&attr, 0, -1, i ? fds[0] : -1);
		ASSERT_FD(fds[i]);
	}
	page = mmap(NULL, pc_page(), PROT_READ, MAP_SHARED, fds[0], 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	count_long(fds, page, 1, frame, &mapped_frame);
	count_long(fds, page, 1, frame, &mapped_frame);
	count_long(fds, page, LONG_ROUNDS, counts, &mapped);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(expected, counts[i] - frame[i])
			TH_LOG("%#llx", codes[i]);
	}
	/* Before POWER10 a program cannot read the counter. */
	EXPECT_EQ(pc_power() >= 10 ? expected : 0, mapped - mapped_frame);
	munmap(page, pc_page());
	for (int i = 0; i < 5; i++)
		close(fds[i]);
}

/* Count a loop in a child, with the parent's work of creating it. */
static __attribute__((noipa)) __u64 count_child(int fd, __u64 n)
{
	__u64 before = pc_value(fd);
	pid_t pid;

	pc_enable(fd);
	pid = fork();
	if (!pid) {
		long_loop(n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pc_disable(fd);
	return pc_value(fd) - before;
}

PC_TEST(power, the_count_of_a_child_may_exceed_a_register)
{
	struct perf_counter_attr attr = self->attr;
	__u64 frame;
	int fd;

	attr.inherit = 1;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	count_child(fd, 1);
	frame = count_child(fd, 1);
	EXPECT_EQ((LONG_ROUNDS - 1) * LONG_INSTRUCTIONS, count_child(fd, LONG_ROUNDS) - frame);
	close(fd);
}

/* === CPU hotplug === */

/* The count of a task from its first order to its end. */
static __u64 *counted;

static void count_orders(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = pc_open(&attr, 0, -1, -1);

	pc_enable(fd);
	while (pc_await(t)) {
		pc_loop(ROUNDS);
		pc_done(t);
	}
	pc_disable(fd);
	*counted = pc_value(fd);
	close(fd);
}

/*
 * A task loops on @cpu and then on another CPU, three times. If @goes is set, the task moves
 * because @cpu goes offline; otherwise the test moves it. Stores the count of @fd, which counts
 * @cpu. Returns the count of the task.
 */
static __u64 count_on_the_move(struct __test_metadata *_metadata, int cpu, int elsewhere,
			       bool goes, int fd, __u64 *of_cpu)
{
	__u64 before = pc_value(fd), gone;
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, count_orders, 0));
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_pin_task(t.pid, cpu));
		ASSERT_OK(pc_tell(&t, 'c'));
		if (goes)
			ASSERT_OK(pc_cpu_online(cpu, 0));
		else
			ASSERT_OK(pc_pin_task(t.pid, elsewhere));
		gone = pc_value(fd);
		ASSERT_OK(pc_tell(&t, 'c'));
		if (goes) {
			EXPECT_EQ(gone, pc_value(fd));
			ASSERT_OK(pc_cpu_online(cpu, 1));
		}
	}
	ASSERT_OK(pc_reap(&t));
	*of_cpu = pc_value(fd) - before;
	return *counted;
}

PC_TEST(power, counts_stay_when_a_cpu_goes_offline)
{
	/* The event is selected in MMCR1, which the kernel clears when a CPU comes online. */
	struct perf_counter_attr attr = pc_raw_attr(INST(2));
	int cpus[64], n = pc_cpus(cpus, 64), last, fd;
	const __u64 least = 3 * PC_LOOP_INSTRUCTIONS * ROUNDS;
	__u64 stays, goes, of_cpu;

	if (n < 2)
		SKIP(return, "the machine has one CPU");
	last = cpus[n - 1];
	if (pc_cpu_online(last, 0))
		SKIP(return, "no CPU here can be taken off");
	ASSERT_OK(pc_cpu_online(last, 1));
	ASSERT_OK(pc_pin(cpus[0]));
	counted = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)counted);
	fd = pc_open(&attr, -1, last, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	count_on_the_move(_metadata, last, cpus[0], false, fd, &of_cpu);
	stays = count_on_the_move(_metadata, last, cpus[0], false, fd, &of_cpu);
	EXPECT_LE(least, of_cpu);
	goes = count_on_the_move(_metadata, last, cpus[0], true, fd, &of_cpu);
	EXPECT_LE(least, of_cpu);
	EXPECT_EQ(stays, goes);
	EXPECT_LE(2 * least, goes);
	close(fd);
}

/* === Registers of the PMU in samples === */

/* Bits of the register masks. */
#define REG_MMCR0	(1ULL << 45)
#define REG_MMCR1	(1ULL << 46)
#define REG_PMC1	(1ULL << 51)
#define REG_SIAR	(1ULL << 58)

static struct perf_counter_attr attr_of_registers(void)
{
	struct perf_counter_attr attr = pc_raw_attr(INST(1));

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = REG_MMCR0 | REG_MMCR1 | REG_PMC1 | REG_SIAR;
	attr.sample_period = 1009;
	return attr;
}

static int open_registers(int unused)
{
	struct perf_counter_attr attr = attr_of_registers();
	int fd = pc_open(&attr, 0, -1, -1);

	return fd < 0 ? errno : 0;
}

PC_TEST(power, samples_have_registers_of_the_pmu)
{
	struct perf_counter_attr attr = attr_of_registers();
	struct pc_ring ring;
	int fd, n = 0;

	if (pc_power() < 9) {
		EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, -1));
		return;
	}
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 16));
	pc_count_loop(fd, ROUNDS);
	while (pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
		n++;
		/*
		 * MMCR0 says that an alert has occurred, MMCR1 selects event 2 for PMC1, and PMC1
		 * has overflowed.
		 */
		ASSERT_EQ(0x80, s.intr_regs[0] & 0x80);
		ASSERT_EQ(0x02, s.intr_regs[1] >> 24 & 0xff);
		ASSERT_LE(0x80000000, s.intr_regs[2]);
		ASSERT_GT(0x80000100, s.intr_regs[2]);
		ASSERT_LE((uintptr_t)pc_loop_begin, s.intr_regs[3]);
		ASSERT_GE((uintptr_t)pc_loop_end, s.intr_regs[3]);
	}
	EXPECT_LE(ROUNDS * PC_LOOP_INSTRUCTIONS / 1009, n);
	pc_ring_unmap(&ring);
	close(fd);
	/* The registers may be those of the kernel, even for a counter of user mode. */
	EXPECT_EQ(EACCES, pc_in_nobody(open_registers, 0, RLIM_INFINITY));
	/* Software events have no such registers. */
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	EXPECT_ERRNO(EOPNOTSUPP, pc_open(&attr, 0, -1, -1));
}

/* === The address of a sample === */

/* A number in the device tree; 0 if it does not exist. */
static __u32 tree_number(const char *path)
{
	unsigned char bytes[4] = {};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, bytes, 4) != 4)
		memset(bytes, 0, 4);
	close(fd);
	return (__u32)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static __u32 big_endian(__u32 value)
{
	return __builtin_bswap32(value);
}

/* Ask the firmware of a partition for the time of day: rtas(2). */
static long ask_firmware(__u32 token)
{
	__u32 args[19] = { big_endian(token), big_endian(0), big_endian(8) };

	return syscall(SYS_rtas, args);
}

/*
 * Have the kernel call firmware: RTAS in a partition, where @token is the number of the call, or
 * OPAL on bare metal, which prints the lines of the kernel's log on the console.
 */
static long call_firmware(__u32 token)
{
	return token ? ask_firmware(token) : pc_write_text("/dev/kmsg", "<6>pmu_power: a line\n");
}

/*
 * Firmware and the kernel's code around it run in real mode with interrupts disabled: SIAR has a
 * low address, and the interrupt comes later in the kernel. The counter excludes user mode, so no
 * sample may be one of the program. On bare metal OPAL runs in hypervisor state like the kernel.
 */
PC_TEST(power, samples_of_real_mode_are_in_the_kernel)
{
	struct perf_counter_attr attr = pc_raw_attr(INST(1));
	__u32 token = tree_number("/proc/device-tree/rtas/get-time-of-day");
	struct pc_ring ring;
	int fd, low = 0;

	if (!token && access("/proc/device-tree/ibm,opal", F_OK))
		SKIP(return, "no firmware to be called");
	attr.exclude_user = 1;
	attr.exclude_kernel = 0;
	attr.sample_type = PERF_SAMPLE_IP;
	/* The period is longer than the return from the interrupt of a sample. */
	attr.sample_period = 2003;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 16));
	do {
		pc_enable(fd);
		for (int i = 0; i < 20; i++)
			ASSERT_OK(call_firmware(token));
		pc_disable(fd);
		while (pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE)) {
			ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
			ASSERT_EQ(PERF_RECORD_MISC_KERNEL, rec.header.misc)
				TH_LOG("IP %#llx", s.ip);
			low += !(s.ip >> 63);
		}
	} while (low < 3);
	pc_ring_unmap(&ring);
	close(fd);
}

/*
 * SIAR has the address of the sampled instruction, and the registers are those of a later
 * instruction. The call chain has to begin with the address in SIAR.
 */
PC_TEST(power, chains_begin_where_the_sample_is)
{
	struct perf_counter_attr attr = pc_raw_attr(0x401e0);
	int fd, other = 0;
	struct pc_ring ring;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = 1ULL << 32;
	attr.sample_period = 1009;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 16));
	pc_count_loop(fd, ROUNDS);
	while (pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
		ASSERT_LT(1, s.nr);
		ASSERT_EQ(PERF_CONTEXT_USER, s.ips[0]);
		ASSERT_EQ(s.ip, s.ips[1]);
		other += s.intr_abi && s.intr_regs[0] != s.ip;
	}
	/*
	 * The test shows something only if SIAR and the registers have different addresses in some
	 * samples.
	 */
	EXPECT_LT(0, other);
	pc_ring_unmap(&ring);
	close(fd);
}

/* === Branches === */

PC_TEST(power, branch_records_are_those_of_the_loop)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd, known = 0, samples = 0;
	struct pc_ring ring;

	attr.sample_period = 10007;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_COND |
				  PERF_SAMPLE_BRANCH_TYPE_SAVE;
	fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_count_loop(fd, ROUNDS);
	while (pc_ring_next(&ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE)
			continue;
		ASSERT_TRUE(pc_parse_sample(&attr, &rec, &s));
		samples++;
		for (int i = 0; i < s.branch_nr; i++) {
			ASSERT_EQ(PERF_BR_COND, (int)s.branches[i].type);
			/* A counter that excludes the kernel gets no branches of the kernel. */
			ASSERT_GT(1ULL << 63, s.branches[i].from);
			ASSERT_GT(1ULL << 63, s.branches[i].to);
			known += s.branches[i].to == (uintptr_t)pc_loop_begin;
		}
	}
	EXPECT_LT(0, samples);
	if (!getenv("PC_BRANCHES") && !known)
		SKIP(return, "branches are not recorded here");
	EXPECT_LT(16 * samples, known);
	pc_ring_unmap(&ring);
	close(fd);
}

static int open_errno(struct perf_counter_attr *attr)
{
	int fd = pc_open(attr, 0, -1, -1), err = fd < 0 ? errno : 0;

	close(fd);
	return err;
}

PC_TEST(power, unsupported_events_are_refused)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);

	/* Only sampled instructions have a precise address. */
	attr.precise_ip = 2;
	EXPECT_ERRNO(EOPNOTSUPP, pc_open(&attr, 0, -1, -1));
	attr = pc_raw_attr(0x401e0);
	attr.precise_ip = 2;
	EXPECT_LE(0, pc_open(&attr, 0, -1, -1));
	/* Event-based branches are refused. */
	attr = pc_raw_attr(1ULL << 63 | INST(1));
	EXPECT_ERRNO(EOPNOTSUPP, pc_open(&attr, 0, -1, -1));
	/* Only POWER10 has thresholds for long latencies. */
	attr = pc_raw_attr(1 << 29 | INST(1));
	attr.config1 = 100;
	EXPECT_EQ(pc_power() == 10 ? 0 : EINVAL, open_errno(&attr));
	attr.config1 = 1 << 18;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, -1));
	/* POWER10 does not record branches of the kernel. */
	attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	attr.exclude_kernel = 0;
	attr.sample_period = 1000;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL;
	EXPECT_EQ(pc_power() == 10 ? EOPNOTSUPP : 0, open_errno(&attr));
}

/* The second subsystem gets EBUSY each time, until the first one has closed its counters. */
PC_TEST(power, one_subsystem_has_the_pmu)
{
	struct perf_counter_attr attr = self->attr;
	int other;

	for (int i = 0; i < 3; i++)
		EXPECT_ERRNO(EBUSY, syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0));
	close(self->fd);
	other = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	ASSERT_FD(other);
	for (int i = 0; i < 3; i++)
		EXPECT_ERRNO(EBUSY, pc_open(&attr, 0, -1, -1));
	pc_count_loop(other, ROUNDS);
	EXPECT_LE(PC_LOOP_INSTRUCTIONS * ROUNDS, pc_value(other));
	close(other);
	self->fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	pc_count_loop(self->fd, 1);
	EXPECT_EQ(self->frame, pc_count_loop(self->fd, 0));
}

/* Open the kernel's log at its end. */
static int log_end(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* The number of new lines in the log that report that the PMU is busy. */
static int log_says_busy(int fd)
{
	char line[8192];
	int lines = 0;
	ssize_t n;

	/* EPIPE means that lines were overwritten; the next read returns the oldest line. */
	while ((n = read(fd, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		line[n] = '\0';
		lines += !!strstr(line, "PMC hardware busy");
	}
	close(fd);
	return lines;
}

/* A user can cause refusals at any rate: the log gets ten lines in five seconds. */
PC_TEST(power, refusals_do_not_fill_the_log)
{
	struct perf_counter_attr attr = self->attr;
	struct timespec began, now;
	int log, other;

	close(self->fd);
	other = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	ASSERT_FD(other);
	log = log_end();
	ASSERT_FD(log);
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (int i = 0; i < 1000; i++)
		EXPECT_ERRNO(EBUSY, pc_open(&attr, 0, -1, -1));
	clock_gettime(CLOCK_MONOTONIC, &now);
	EXPECT_GE(10 * ((now.tv_sec - began.tv_sec) / 5 + 2), log_says_busy(log));
	close(other);
	self->fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(self->fd);
}

int main(int argc, char **argv)
{
	return pc_hw_main(argc, argv);
}

#else

int main(void)
{
	printf("1..0 # SKIP not this architecture\n");
	return KSFT_SKIP;
}

#endif

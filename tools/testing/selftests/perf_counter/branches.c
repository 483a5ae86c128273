// SPDX-License-Identifier: GPL-2.0
/*
 * Branch records and call stacks in samples, on an emulated machine that records branches exactly.
 * A loop whose branches are known gives known records in every sample, call stacks have the calls
 * that have not returned, and no task sees branches of another.
 */
#include <cpuid.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "pc_branch.h"
#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

/* Addresses of the kernel have this bit. */
#define KERNEL (1ULL << 63)

/* PERF_SAMPLE_BRANCH_COUNTERS and the first unknown filter, for headers that lack them. */
#define EVENTS_BETWEEN (1ULL << 19)
#define NEXT_FILTER (1ULL << 20)

#define CPU_TIME "/proc/sys/kernel/perf_cpu_time_max_percent"

#define PERIOD 1009
#define ROUNDS 20000

static union pc_record rec;
static struct pc_sample s;

struct branch {
	const char *from;
	const char *to;
	__u64 filters;		/* PERF_SAMPLE_BRANCH_* filters that pass it */
	unsigned int type;
};

#define ANY PERF_SAMPLE_BRANCH_ANY
#define USER PERF_SAMPLE_BRANCH_USER

/* The branches of a round in the order of their execution. */
static const struct branch branches[] = {
	{ br_jmp, br_jmp_to, ANY, PERF_BR_UNCOND },
	{ br_call, br_leaf, ANY | PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_CALL,
	  PERF_BR_CALL },
	{ br_ret, br_call_to, ANY | PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_BR_RET },
	{ br_ind, br_ind_to, ANY | PERF_SAMPLE_BRANCH_IND_JUMP, PERF_BR_IND },
	{ br_ind_call, br_leaf, ANY | PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_IND_CALL,
	  PERF_BR_IND_CALL },
	{ br_ret, br_ind_call_to, ANY | PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_BR_RET },
	{ br_cond, br_top, ANY | PERF_SAMPLE_BRANCH_COND, PERF_BR_COND },
};

#define BRANCHES ((int)ARRAY_SIZE(branches))

static struct perf_counter_attr br_attr(__u64 filter)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = filter;
	return attr;
}

static bool is_branch(const struct branch *branch, const struct perf_branch_entry *entry)
{
	return entry->from == (__u64)branch->from && entry->to == (__u64)branch->to;
}

/* Return the index of the last branch before @i that passes the filter. */
static int before(int i, __u64 filter)
{
	do
		i = (i + BRANCHES - 1) % BRANCHES;
	while (!(branches[i].filters & filter));
	return i;
}

/* Count how many of the newest records in a sample are those of br_work(). */
static unsigned int count_known(const struct pc_sample *s, __u64 filter, bool typed)
{
	unsigned int n = 0;
	int i;

	if (!s->branch_nr)
		return 0;
	for (i = 0; i < BRANCHES; i++)
		if ((branches[i].filters & filter) && is_branch(&branches[i], &s->branches[0]))
			break;
	if (i == BRANCHES)
		return 0;
	while (n < s->branch_nr && is_branch(&branches[i], &s->branches[n]) &&
	       s->branches[n].type == (typed ? branches[i].type : 0)) {
		i = before(i, filter);
		n++;
	}
	return n;
}

static bool in_work(__u64 ip)
{
	return ip >= (__u64)br_work && ip <= (__u64)br_ret;
}

FIXTURE(branches) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
	unsigned int depth;	/* largest number of records */
	bool calls;		/* call stacks are supported */
	bool kernel;		/* branches of the kernel are supported */
	long rate;		/* rate limit before the test */
};

/* Return the largest number of branch records in a sample. */
static unsigned int find_depth(struct perf_counter_attr *attr)
{
	struct pc_ring ring;
	unsigned int depth = 0;
	int fd = pc_open(attr, 0, -1, -1);

	if (fd < 0 || pc_ring_map(&ring, fd, 64))
		return 0;
	pc_enable(fd);
	br_work(1000);
	pc_disable(fd);
	while (pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE))
		if (pc_parse_sample(attr, &rec, &s) && s.branch_nr > depth)
			depth = s.branch_nr;
	pc_ring_unmap(&ring);
	close(fd);
	return depth;
}

/*
 * Return the number of branch records that most samples of a loop have at least. Nehalem and
 * Westmere record calls and returns only beside jumps, which take up to two thirds of the records.
 */
static unsigned int full_sample(unsigned int depth, __u64 filter)
{
	static const unsigned int nehalem[] = { 0x1a, 0x1e, 0x1f, 0x25, 0x2c, 0x2e, 0x2f };
	unsigned int eax, ebx, ecx, edx, model;

	if (!(filter & ANY) && __get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
		model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
		for (unsigned int i = 0; i < ARRAY_SIZE(nehalem); i++)
			if ((eax >> 8 & 0xf) == 6 && model == nehalem[i])
				return depth / 4;
	}
	return depth;
}

FIXTURE_SETUP(branches)
{
	self->attr = br_attr(ANY | USER);
	self->fd = -1;
	self->rate = pc_sysctl_read("max_sample_rate");
	/*
	 * perf_events must not throttle the samples, however much CPU time they take: 0 removes its
	 * limit. The rate can be set only while there is a limit.
	 */
	if (pc_on_perf_event())
		pc_write_text(CPU_TIME, "1");
	ASSERT_EQ(0, pc_sysctl_write("max_sample_rate", 1000000));
	if (pc_on_perf_event())
		pc_write_text(CPU_TIME, "0");
	self->depth = find_depth(&self->attr);
	ASSERT_TRUE(self->depth == 16 || self->depth == 32)
		TH_LOG("the depth is %u", self->depth);
	self->attr.branch_sample_type = ANY | PERF_SAMPLE_BRANCH_KERNEL;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	self->kernel = self->fd >= 0;
	if (!self->kernel)
		ASSERT_EQ(EOPNOTSUPP, errno);
	close(self->fd);
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	self->calls = self->fd >= 0;
	if (!self->calls)
		ASSERT_EQ(EOPNOTSUPP, errno);
	close(self->fd);
	self->fd = -1;
}

FIXTURE_TEARDOWN(branches)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	pc_sysctl_write("max_sample_rate", self->rate);
}

/* Sample br_work() with self->attr. */
static void record_work(struct __test_metadata *_metadata, FIXTURE_DATA(branches) * self)
{
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	br_work(ROUNDS);
	pc_disable(self->fd);
}

PC_TEST(branches, a_known_loop_gives_the_known_records)
{
	static const __u64 filters[] = {
		ANY, PERF_SAMPLE_BRANCH_ANY_CALL, PERF_SAMPLE_BRANCH_ANY_RETURN,
		PERF_SAMPLE_BRANCH_IND_CALL, PERF_SAMPLE_BRANCH_COND, PERF_SAMPLE_BRANCH_IND_JUMP,
		PERF_SAMPLE_BRANCH_CALL, PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_COND,
	};
	unsigned int samples, full;

	for (unsigned int i = 0; i < ARRAY_SIZE(filters); i++) {
		self->attr.branch_sample_type = filters[i] | USER;
		record_work(_metadata, self);
		samples = 0;
		full = 0;
		while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			/* The records of the first samples are older than the loop. */
			if (!in_work(s.ip) || samples++ < self->depth)
				continue;
			EXPECT_EQ(s.branch_nr, count_known(&s, filters[i], false))
				TH_LOG("filter %#llx: sample %u", filters[i], samples);
			ASSERT_GE(self->depth, s.branch_nr);
			/*
			 * One record may be that of the return from an interrupt, and after a
			 * context switch there may be no records.
			 */
			full += s.branch_nr >= full_sample(self->depth, filters[i]);
		}
		EXPECT_LT(100, samples);
		EXPECT_LT(samples / 2, full)
			TH_LOG("filter %#llx: %u of %u samples", filters[i], full, samples);
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
}

/* Clear the trap flag, bit 8 of the flags. */
static void end_single_step(int sig, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;
}

/* Raise a debug exception that causes no context switch. */
static int single_step(void)
{
	struct sigaction action = { .sa_sigaction = end_single_step, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGTRAP, &action, NULL))
		return -1;
	asm volatile("sub $128, %%rsp\n"	/* skip the red zone */
		     "pushfq\n"
		     "orq $0x100, (%%rsp)\n"
		     "popfq\n"
		     "nop\n"
		     "add $128, %%rsp\n" : : : "cc", "memory");
	return 0;
}

/* On older CPUs of Intel a debug exception disables the recorder of branches. */
PC_TEST(branches, records_go_on_after_a_debug_exception)
{
	unsigned int samples = 0, known = 0;

	self->attr.branch_sample_type = ANY | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	ASSERT_EQ(0, single_step());
	br_work(ROUNDS);
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (!in_work(s.ip))
			continue;
		samples++;
		known += count_known(&s, ANY, false) == self->depth;
	}
	EXPECT_LT(100, samples);
	EXPECT_LT(samples / 2, known)
		TH_LOG("%u of %u", known, samples);
}

PC_TEST(branches, the_newest_record_leads_to_the_sample)
{
	unsigned int samples = 0;

	self->attr.branch_sample_type = ANY | USER;
	record_work(_metadata, self);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (!in_work(s.ip) || !s.branch_nr || !in_work(s.branches[0].to))
			continue;
		/* Consecutive branches of br_work() are less than 20 bytes apart. */
		EXPECT_LE(s.branches[0].to, s.ip);
		EXPECT_GT(s.branches[0].to + 20, s.ip);
		for (unsigned int i = 1; i < s.branch_nr && in_work(s.branches[i].to); i++)
			EXPECT_LE(s.branches[i].to, s.branches[i - 1].from);
		samples++;
	}
	EXPECT_LT(100, samples);
}

PC_TEST(branches, records_have_branch_types)
{
	unsigned int samples = 0;

	self->attr.branch_sample_type = ANY | USER | PERF_SAMPLE_BRANCH_TYPE_SAVE;
	record_work(_metadata, self);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (in_work(s.ip) && samples++ > self->depth)
			EXPECT_EQ(s.branch_nr, count_known(&s, ANY, true));
	}
	EXPECT_LT(100, samples);
}

/*
 * A loop in the last bytes of a page, with no mapping after the page. Its last instruction is a
 * jump that is always taken. The jump is shorter than the longest instruction.
 */
static const unsigned char last_loop[] = {
	0xc3,			/* ret */
	0x48, 0xff, 0xcf,	/* dec %rdi */
	0x74, 0xfa,		/* jz to the ret */
	0x75, 0xf9,		/* jnz to the dec */
};

PC_TEST(branches, the_last_bytes_of_a_page_have_a_type)
{
	const size_t page = pc_page();
	unsigned int samples = 0;
	unsigned char *map, *end;

	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	end = map + page;
	memcpy(end - sizeof(last_loop), last_loop, sizeof(last_loop));
	ASSERT_EQ(0, munmap(end, page));
	self->attr.branch_sample_type = ANY | USER | PERF_SAMPLE_BRANCH_TYPE_SAVE;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	((void (*)(__u64 rounds))(end - sizeof(last_loop) + 1))(5 * ROUNDS);
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (!s.branch_nr || s.branches[0].from != (__u64)end - 2)
			continue;
		samples++;
		EXPECT_EQ((__u64)end - sizeof(last_loop) + 1, s.branches[0].to);
		EXPECT_EQ(PERF_BR_COND, (int)s.branches[0].type);
	}
	EXPECT_LT(100, samples);
}

PC_TEST(branches, no_flags_and_no_cycles_omit_both)
{
	unsigned int samples = 0;

	self->attr.branch_sample_type = ANY | USER | PERF_SAMPLE_BRANCH_NO_FLAGS |
					PERF_SAMPLE_BRANCH_NO_CYCLES |
					PERF_SAMPLE_BRANCH_HW_INDEX;
	record_work(_metadata, self);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		if (!in_work(s.ip) || !s.branch_nr)
			continue;
		samples++;
		/* Hardware with branch types has the cycles in the same register. */
		if (!pc_on_perf_event())
			EXPECT_EQ(0, (__u16)s.branches[0].cycles);
		EXPECT_GT(32, s.branch_index);
	}
	EXPECT_LT(100, samples);
}

PC_TEST(branches, kernel_branches_need_branch_kernel)
{
	unsigned int samples = 0;

	self->attr.branch_sample_type = ANY | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	for (int i = 0; i < 5000; i++) {
		br_work(1);
		syscall(__NR_getppid);
	}
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		samples++;
		for (unsigned int i = 0; i < s.branch_nr; i++) {
			EXPECT_GT(KERNEL, s.branches[i].from);
			EXPECT_GT(KERNEL, s.branches[i].to);
		}
	}
	EXPECT_LT(50, samples);
}

/* Sample system calls that do nothing, in the kernel only, with the branches of self->attr. */
static void record_calls(struct __test_metadata *_metadata, FIXTURE_DATA(branches) * self)
{
	self->attr.exclude_kernel = 0;
	self->attr.exclude_user = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	for (int i = 0; i < 5000; i++)
		syscall(__NR_getppid);
	pc_disable(self->fd);
}

PC_TEST(branches, kernel_branches_reach_up_to_the_sample)
{
	unsigned int samples = 0, leads = 0;

	if (!self->kernel)
		SKIP(return, "this machine does not record branches of the kernel");
	self->attr.branch_sample_type = ANY | USER | PERF_SAMPLE_BRANCH_KERNEL;
	record_calls(_metadata, self);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		samples++;
		/*
		 * The newest record has to be the branch before the sample, not the entry of the
		 * NMI handler: the code runs on from the target of that branch to the address of
		 * the sample.
		 */
		leads += s.branch_nr && s.branches[0].to <= s.ip &&
			 s.ip - s.branches[0].to < 1024;
	}
	EXPECT_LT(100, samples);
	/* An overflow during another NMI is handled after that NMI. */
	EXPECT_LT(samples * 9 / 10, leads)
		TH_LOG("%u of %u", leads, samples);
}

PC_TEST(branches, branch_kernel_alone_has_branches_into_the_kernel)
{
	unsigned int samples = 0, full = 0;

	if (!self->kernel)
		SKIP(return, "this machine does not record branches of the kernel");
	self->attr.branch_sample_type = ANY | PERF_SAMPLE_BRANCH_KERNEL;
	record_calls(_metadata, self);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		samples++;
		for (unsigned int i = 0; i < s.branch_nr; i++)
			EXPECT_LE(KERNEL, s.branches[i].to);
		full += s.branch_nr >= self->depth / 2;
	}
	EXPECT_LT(100, samples);
	EXPECT_LT(samples * 9 / 10, full);
}

/* === Call stacks === */

#define LEVELS 7

/* The number of times that level7() sleeps before its work. */
static int naps;

static __attribute__((noipa)) void level7(__u64 rounds)
{
	struct timespec nap = { .tv_nsec = 2000000 };

	for (int i = 0; i < naps; i++) {
		nanosleep(&nap, NULL);
		br_work(rounds);
	}
	br_work(rounds);
	asm volatile("" ::: "memory");
}

#define LEVEL(n, next)						\
static __attribute__((noipa)) void level##n(__u64 rounds)	\
{								\
	level##next(rounds);					\
	asm volatile("" ::: "memory");				\
}

LEVEL(6, 7)
LEVEL(5, 6)
LEVEL(4, 5)
LEVEL(3, 4)
LEVEL(2, 3)
LEVEL(1, 2)

/* True if a record is the call of this level, or the call of br_work() by the last level. */
static bool calls_level(const struct perf_branch_entry *entry, int level)
{
	static void (* const levels[])(__u64 rounds) = {
		level1, level2, level3, level4, level5, level6, level7, br_work,
	};

	return entry->to == (__u64)levels[level];
}

/* The number of the newest records of a sample that are calls from level1() to br_work(). */
static int count_levels(const struct pc_sample *s)
{
	unsigned int i = 0;
	int level = LEVELS;

	/* The sample may be inside of the call that br_work() makes. */
	if (i < s->branch_nr && s->branches[i].to == (__u64)br_leaf)
		i++;
	while (level >= 0 && i < s->branch_nr && calls_level(&s->branches[i], level)) {
		level--;
		i++;
	}
	return LEVELS - level;
}

/* Count the samples of @pid in br_work(), and those among them that have all calls. */
static void count_whole(struct perf_counter_attr *attr, struct pc_ring *ring, pid_t pid,
			unsigned int *samples, unsigned int *whole)
{
	*samples = 0;
	*whole = 0;
	while (pc_ring_find(ring, &rec, PERF_RECORD_SAMPLE)) {
		if (!pc_parse_sample(attr, &rec, &s) || s.tid != (__u32)pid || !in_work(s.ip))
			continue;
		++*samples;
		*whole += count_levels(&s) == LEVELS + 1;
	}
}

PC_TEST(branches, call_stacks_have_the_calls_without_return)
{
	unsigned int samples, whole;

	if (!self->calls)
		SKIP(return, "this machine records no calls");
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	level1(ROUNDS);
	pc_disable(self->fd);
	count_whole(&self->attr, &self->ring, getpid(), &samples, &whole);
	EXPECT_LT(100, samples);
	EXPECT_EQ(samples, whole);
}

/* A CPU loses its records in deep sleep; the task that runs next still has its calls. */
PC_TEST(branches, call_stacks_survive_the_sleep_of_a_cpu)
{
	unsigned int samples, whole;

	if (!self->calls)
		SKIP(return, "this machine records no calls");
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	ASSERT_EQ(0, pc_pin(0));
	naps = 20;
	pc_enable(self->fd);
	level1(ROUNDS / 20);
	pc_disable(self->fd);
	naps = 0;
	count_whole(&self->attr, &self->ring, getpid(), &samples, &whole);
	EXPECT_LT(100, samples);
	EXPECT_EQ(samples, whole);
}

/* A task that calls all levels while other_work() calls and returns on the same CPU. */
static void work_in_levels(struct pc_task *t)
{
	pc_pin(0);
	while (pc_await(t)) {
		level1(ROUNDS);
		pc_done(t);
	}
}

static void other_work(struct pc_task *t)
{
	pc_pin(0);
	for (;;) {
		br_work(100);
		sched_yield();
	}
}

/* Open another counter of call stacks, for a task, a CPU, or the machine. */
static void monitor(struct __test_metadata *_metadata, FIXTURE_DATA(branches) * self, pid_t pid,
		    int cpu)
{
	self->fd = pc_open(&self->attr, pid, cpu, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 512));
}

/* Give an order to the task and expect that all samples have all its calls. */
static void expect_all_calls(struct __test_metadata *_metadata, FIXTURE_DATA(branches) * self,
			     struct pc_task *task, int who)
{
	unsigned int samples, whole;

	pc_enable(self->fd);
	ASSERT_EQ(0, pc_tell(task, 'x'));
	pc_disable(self->fd);
	count_whole(&self->attr, &self->ring, task->pid, &samples, &whole);
	EXPECT_LT(100, samples);
	EXPECT_EQ(samples, whole)
		TH_LOG("monitor %d", who);
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/* Call stacks are complete for each kind of counter: of the task, of its CPU, of the machine. */
PC_TEST(branches, call_stacks_are_complete_for_each_target)
{
	struct pc_task task, other;
	unsigned int samples, whole;

	if (!self->calls)
		SKIP(return, "this machine records no calls");
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	ASSERT_EQ(0, pc_spawn(&task, work_in_levels, 0));
	ASSERT_EQ(0, pc_spawn(&other, other_work, 0));
	for (int who = 0; who < 3; who++) {
		if (pc_on_perf_event() && who)
			break;
		monitor(_metadata, self, who ? -1 : task.pid, who == 1 ? 0 : -1);
		ASSERT_EQ(0, pc_order(&task, 'x'));
		/*
		 * The task may be inside of its calls when the counter is enabled; earlier calls
		 * are not recorded.
		 */
		pc_enable(self->fd);
		ASSERT_EQ(0, pc_reply(&task));
		ASSERT_EQ(0, pc_tell(&task, 'x'));
		pc_disable(self->fd);
		/* During the first order some calls came before the counter was enabled. */
		count_whole(&self->attr, &self->ring, task.pid, &samples, &whole);
		EXPECT_LT(100, samples);
		EXPECT_LT(samples * 2 / 5, whole)
			TH_LOG("monitor %d: %u of %u", who, whole, samples);
		pc_ring_unmap(&self->ring);
		close(self->fd);

		/* The next orders start with the counter enabled, so all samples have all calls. */
		monitor(_metadata, self, who ? -1 : task.pid, who == 1 ? 0 : -1);
		expect_all_calls(_metadata, self, &task, who);
	}
	kill(other.pid, SIGKILL);
	pc_reap(&other);
	pc_reap(&task);
}

/* A child that is forked while a counter records call stacks gets them, too. */
PC_TEST(branches, a_child_has_call_stacks_from_its_start)
{
	struct pc_task task, other;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!self->calls)
		SKIP(return, "this machine records no calls");
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	for (int who = 0; who < 2; who++) {
		self->attr.inherit = !who;
		monitor(_metadata, self, who ? -1 : 0, -1);
		ASSERT_EQ(0, pc_spawn(&task, work_in_levels, 0));
		ASSERT_EQ(0, pc_spawn(&other, other_work, 0));
		expect_all_calls(_metadata, self, &task, who);
		kill(other.pid, SIGKILL);
		pc_reap(&other);
		pc_reap(&task);
	}
}

/* === Branches of other tasks === */

/* Two copies of br_work() at different addresses. */
static void (*copy[2])(__u64 rounds);

static int copy_work(void)
{
	size_t size = br_ret + 1 - (const char *)br_work;

	for (int i = 0; i < 2; i++) {
		copy[i] = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if ((void *)copy[i] == MAP_FAILED)
			return -1;
		memcpy((void *)copy[i], (const void *)br_work, size);
	}
	return 0;
}

static void copied_work(struct pc_task *t)
{
	pc_pin(0);
	pc_done(t);
	for (;;) {
		copy[t->arg](20);
		sched_yield();
	}
}

PC_TEST(branches, a_task_gets_no_branch_of_another_task)
{
	struct pc_task tasks[2];
	unsigned int samples[2] = {}, own[2] = {};
	struct timespec tick = { .tv_nsec = 1000000 };

	ASSERT_EQ(0, copy_work());
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pc_spawn(&tasks[i], copied_work, i));
	/* Wait until both tasks run before the counter samples them. */
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pc_reply(&tasks[i]));
	self->attr.branch_sample_type = ANY | USER;
	self->attr.sample_period = 211;
	self->fd = pc_open(&self->attr, -1, 0, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(self->fd);
	while (pc_ring_head(&self->ring) < self->ring.size / 2)
		nanosleep(&tick, NULL);
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		for (int i = 0; i < 2; i++) {
			if (s.tid != (__u32)tasks[i].pid)
				continue;
			samples[i]++;
			for (unsigned int k = 0; k < s.branch_nr; k++) {
				EXPECT_NE((__u64)copy[!i] / pc_page(),
					  s.branches[k].from / pc_page());
				own[i] += s.branches[k].from / pc_page() ==
					  (__u64)copy[i] / pc_page();
			}
		}
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_LT(50, samples[i]);
		EXPECT_LT(samples[i], own[i]);
		kill(tasks[i].pid, SIGKILL);
		pc_reap(&tasks[i]);
	}
}

/* A task on CPU arg / 2 calls its copy and lets the other task on the CPU run. */
static void call_in_copy(struct pc_task *t)
{
	if (pc_pin(t->arg / 2))
		_exit(1);
	for (;;) {
		copy[t->arg % 2](20);
		sched_yield();
	}
}

/* A task that forks: its children execute another program or exit at once. */
static void fork_and_exec(struct pc_task *t)
{
	for (unsigned int n = 0;; n++) {
		pid_t pid = fork();

		if (!pid) {
			copy[n % 2](3);
			if (n % 2)
				execl("/bin/true", "true", NULL);
			_exit(n % 2);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			_exit(1);
	}
}

/* Count records of the task's own copy and of other copies. */
static void count_own(struct perf_counter_attr *attr, struct pc_ring *ring,
		      const struct pc_task *tasks, int n, unsigned int *own, unsigned int *foreign)
{
	while (pc_ring_find(ring, &rec, PERF_RECORD_SAMPLE)) {
		if (!pc_parse_sample(attr, &rec, &s))
			abort();
		for (int i = 0; i < n; i++) {
			if (s.tid != (__u32)tasks[i].pid)
				continue;
			for (unsigned int k = 0; k < s.branch_nr; k++) {
				__u64 page = s.branches[k].to / pc_page();

				*own += page == (__u64)copy[i % 2] / pc_page();
				*foreign += page == (__u64)copy[!(i % 2)] / pc_page();
			}
		}
	}
}

/*
 * Tasks switch, fork, exec and exit on all CPUs while a counter of the machine records call stacks.
 * PC_SWITCHES is the number of switches.
 */
PC_TEST(branches, call_stacks_stay_with_their_tasks)
{
	const char *wanted = getenv("PC_SWITCHES");
	__u64 target = wanted ? strtoull(wanted, NULL, 0) : pc_rounds(20000);
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct timespec tick = { .tv_nsec = 20000000 };
	struct pc_task tasks[2 * 8], forker;
	unsigned int own = 0, foreign = 0;
	int cpus[8], n = 2 * pc_cpus(cpus, 8), switches;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!self->calls)
		SKIP(return, "this machine records no calls");
	ASSERT_EQ(0, copy_work());
	for (int i = 0; i < n; i++)
		ASSERT_EQ(0, pc_spawn(&tasks[i], call_in_copy, i));
	ASSERT_EQ(0, pc_spawn(&forker, fork_and_exec, 0));
	switches = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(switches);
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | USER;
	self->attr.sample_period = 10007;
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 256));
	pc_enable(switches);
	pc_enable(self->fd);
	while (pc_value(switches) < target || own < 1000) {
		nanosleep(&tick, NULL);
		count_own(&self->attr, &self->ring, tasks, n, &own, &foreign);
		ASSERT_EQ(0, foreign);
	}
	for (int i = 0; i < n; i++) {
		kill(tasks[i].pid, SIGKILL);
		pc_reap(&tasks[i]);
	}
	kill(forker.pid, SIGKILL);
	pc_reap(&forker);
	close(switches);
}

/* === Software events === */

PC_TEST(branches, a_page_fault_has_the_branches_before_it)
{
	unsigned int samples = 0, known = 0;
	const long page = pc_page();
	char *map;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.type = PERF_TYPE_SOFTWARE;
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.sample_period = 1;
	self->attr.branch_sample_type = ANY | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 64));
	map = pc_fresh(50);
	ASSERT_NE(NULL, map);
	pc_enable(self->fd);
	for (int i = 0; i < 50; i++) {
		br_work(10);
		__atomic_store_n(map + i * page, 1, __ATOMIC_RELAXED);
	}
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		samples++;
		/* The newest branch before the fault is the return from br_work(). */
		known += s.branch_nr && s.branches[0].from == (__u64)br_end;
	}
	EXPECT_LE(50, samples);
	EXPECT_LE(49, known);
}

/* A sample of a tracepoint in a system call has the last branch of user mode. */
PC_TEST(branches, a_tracepoint_has_the_branches_before_it)
{
	const struct perf_counter_attr event = pc_trace_attr("task/task_rename");
	unsigned int samples = 0, known = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!event.config)
		SKIP(return, "needs tracefs");
	self->attr.type = event.type;
	self->attr.config = event.config;
	self->attr.exclude_kernel = 0;
	self->attr.sample_period = 1;
	self->attr.branch_sample_type = ANY | USER;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_ring_map(&self->ring, self->fd, 64));
	/* The dynamic linker resolves the function at the first call, which has many branches. */
	prctl(PR_SET_NAME, "branches");
	pc_enable(self->fd);
	for (int i = 0; i < 20; i++) {
		br_work(10);
		prctl(PR_SET_NAME, "branches");
	}
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		samples++;
		for (unsigned int i = 0; i < s.branch_nr; i++) {
			EXPECT_GT(KERNEL, s.branches[i].from);
			if (s.branches[i].from == (__u64)br_end) {
				known++;
				break;
			}
		}
	}
	EXPECT_EQ(20, samples);
	EXPECT_EQ(20, known);
	EXPECT_EQ(20, pc_value(self->fd));
}

/* === Refusals === */

static int open_error(struct perf_counter_attr *attr)
{
	int fd = pc_open(attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? errno : 0;
}

PC_TEST(branches, unsupported_filters_are_refused)
{
	struct perf_counter_attr attr = self->attr;

	attr.branch_sample_type = 0;
	EXPECT_EQ(EINVAL, open_error(&attr));
	attr.branch_sample_type = USER;
	EXPECT_EQ(EINVAL, open_error(&attr));
	attr.branch_sample_type = NEXT_FILTER | ANY;
	EXPECT_EQ(EINVAL, open_error(&attr));
	attr.branch_sample_type = EVENTS_BETWEEN | ANY | USER;
	EXPECT_EQ(EINVAL, open_error(&attr));
	attr.branch_sample_type = ANY | USER;
	EXPECT_EQ(0, open_error(&attr));
	if (self->calls) {
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | ANY | USER;
		EXPECT_EQ(EINVAL, open_error(&attr));
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK |
					  PERF_SAMPLE_BRANCH_NO_TX | USER;
		EXPECT_EQ(EINVAL, open_error(&attr));
	}
	if (pc_on_perf_event())
		return;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_KERNEL;
	EXPECT_EQ(EOPNOTSUPP, open_error(&attr));
	/*
	 * For a software event, branches of the kernel would only show its path from the event to
	 * the sample.
	 */
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.branch_sample_type = ANY | PERF_SAMPLE_BRANCH_KERNEL;
	EXPECT_EQ(EOPNOTSUPP, open_error(&attr));
}

/*
 * Check what abi.rst allows and what it refuses to a user without privileges. Returns 0 if the
 * kernel does the same.
 */
static int open_as_user(int unused)
{
	struct perf_counter_attr attr = br_attr(ANY | PERF_SAMPLE_BRANCH_KERNEL);

	if (open_error(&attr) != EACCES)
		return 1;
	attr.branch_sample_type = ANY | USER;
	return !!open_error(&attr);
}

PC_TEST(branches, a_user_may_not_have_kernel_branches)
{
	EXPECT_EQ(0, pc_in_nobody(open_as_user, 0, 1 << 20));
}

int main(int argc, char **argv)
{
	struct perf_counter_attr attr = br_attr(ANY | USER);
	int fd = pc_open(&attr, 0, -1, -1);

	if (fd < 0 && !getenv("PC_PMU")) {
		printf("1..0 # SKIP no branches are recorded\n");
		return KSFT_SKIP;
	}
	close(fd);
	return pc_main(argc, argv);
}

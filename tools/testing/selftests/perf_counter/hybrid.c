// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a machine with two kinds of cores, whose PMUs are cpu_core and cpu_atom in sysfs. An
 * event without a type of PMU counts on both.
 */
#include "pc_hw.h"
#include "pc_raw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define DEVICES	"/sys/bus/event_source/devices/"
#define ROUNDS	100000
#define MAX_CPUS 4
#define TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define INSNS	0x00c0

enum { CORE, ATOM, KINDS };

FIXTURE(hybrid) {
	struct perf_counter_attr attr;
	int type[KINDS];
	int cpu[KINDS];
};

/* The first number in a file. */
static int number_in(const char *path)
{
	FILE *f = fopen(path, "r");
	int number = -1;

	if (f && fscanf(f, "%d", &number) != 1)
		number = -1;
	if (f)
		fclose(f);
	return number;
}

/*
 * Read a list of CPUs that is one range, such as "2-3". Returns their number, or -1 for another
 * list.
 */
static int cpus_in(const char *path, int *cpus, int max)
{
	FILE *f = fopen(path, "r");
	int first, last, fields = f ? fscanf(f, "%d-%d", &first, &last) : 0, n = 0;

	if (f)
		fclose(f);
	if (fields < 1)
		return -1;
	if (fields == 1)
		last = first;
	while (n < max && first <= last)
		cpus[n++] = first++;
	return n;
}

FIXTURE_SETUP(hybrid)
{
	if (access(DEVICES "cpu_atom", F_OK))
		SKIP(return, "all cores are alike");
	self->type[CORE] = number_in(DEVICES "cpu_core/type");
	self->type[ATOM] = number_in(DEVICES "cpu_atom/type");
	self->cpu[CORE] = number_in(DEVICES "cpu_core/cpus");
	self->cpu[ATOM] = number_in(DEVICES "cpu_atom/cpus");
	for (int kind = 0; kind < KINDS; kind++) {
		ASSERT_LE(0, self->type[kind]);
		ASSERT_LE(0, self->cpu[kind]);
	}
	self->attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->attr.read_format = TIMES;
}

FIXTURE_TEARDOWN(hybrid)
{
}

/*
 * Count the loop on a CPU. Returns the count of all rounds but one, and stores the times in @times.
 */
static __u64 count_on(int fd, int cpu, struct pc_values *times)
{
	struct pc_values before, after;
	__u64 value[2];

	if (pc_pin(cpu))
		return -1;
	for (int i = 0; i < 2; i++) {
		pc_read(fd, TIMES, &before);
		pc_enable(fd);
		pc_loop(i ? ROUNDS + 1 : 1);
		pc_disable(fd);
		pc_read(fd, TIMES, &after);
		value[i] = after.v[0].value - before.v[0].value;
		times->enabled = after.enabled - before.enabled;
		times->running = after.running - before.running;
	}
	return value[1] - value[0];
}

/*
 * Expect that a counter with these attributes counts on each kind exactly and all the time, or not
 * at all.
 */
static void expect_counts(struct __test_metadata *_metadata, const int *cpu,
			  struct perf_counter_attr *attr, bool core, bool atom)
{
	bool counts[KINDS] = { core, atom };
	struct pc_values times;
	int fd = pc_open(attr, 0, -1, -1);

	ASSERT_FD(fd);
	/* The first call takes page faults. */
	count_on(fd, cpu[CORE], &times);
	for (int kind = 0; kind < KINDS; kind++) {
		EXPECT_EQ(counts[kind] ? ROUNDS * PC_LOOP_INSTRUCTIONS : 0,
			  count_on(fd, cpu[kind], &times)) TH_LOG("kind %d", kind);
		EXPECT_LT(0, times.enabled);
		EXPECT_EQ(counts[kind] ? times.enabled : 0, times.running);
	}
	close(fd);
}

PC_TEST(hybrid, an_event_without_a_kind_counts_on_both)
{
	if (pc_on_perf_event())
		SKIP(return, "perf_events counts on the large cores only");
	expect_counts(_metadata, self->cpu, &self->attr, true, true);
}

PC_TEST(hybrid, an_event_counts_on_the_kind_that_it_names)
{
	for (int kind = 0; kind < KINDS; kind++) {
		self->attr.config = (__u64)self->type[kind] << 32 | PERF_COUNT_HW_INSTRUCTIONS;
		expect_counts(_metadata, self->cpu, &self->attr, kind == CORE, kind == ATOM);
	}
}

PC_TEST(hybrid, a_raw_event_counts_on_the_kind_of_its_type)
{
	self->attr.config = INSNS;
	for (int kind = 0; kind < KINDS; kind++) {
		self->attr.type = self->type[kind];
		expect_counts(_metadata, self->cpu, &self->attr, kind == CORE, kind == ATOM);
	}
}

/* Each kind has its own events, and a code may mean different events. */
PC_TEST(hybrid, each_kind_has_its_own_event_codes)
{
	/* BR_INST_RETIRED.COND */
	static const __u64 conditional[KINDS] = { 0x11c4, 0x7ec4 };
	struct pc_values times;
	int fd;

	for (int kind = 0; kind < KINDS; kind++) {
		for (int code = 0; code < KINDS; code++) {
			self->attr.type = self->type[kind];
			self->attr.config = conditional[code];
			fd = pc_open(&self->attr, 0, -1, -1);
			ASSERT_FD(fd);
			count_on(fd, self->cpu[kind], &times);
			EXPECT_EQ(kind == code ? ROUNDS : 0, count_on(fd, self->cpu[kind], &times))
				TH_LOG("kind %d, code of %d", kind, code);
			close(fd);
		}
	}
}

PC_TEST(hybrid, unsupported_events_are_refused)
{
	struct perf_counter_attr core = self->attr, atom = self->attr, cache = self->attr;
	int leader;

	core.config |= (__u64)self->type[CORE] << 32;
	atom.config |= (__u64)self->type[ATOM] << 32;
	/* An event of one kind cannot count on a CPU of the other kind. */
	EXPECT_ERRNO(ENOENT, pc_open(&atom, -1, self->cpu[CORE], -1));
	EXPECT_ERRNO(ENOENT, pc_open(&core, -1, self->cpu[ATOM], -1));
	EXPECT_ERRNO(ENOENT, pc_open(&atom, 0, self->cpu[CORE], -1));
	/* This type of PMU does not exist: perf_counter refuses it, and perf_events picks a PMU. */
	self->attr.config |= 77ULL << 32;
	if (!pc_on_perf_event())
		EXPECT_ERRNO(ENOENT, pc_open(&self->attr, 0, -1, -1));
	/* A group cannot have events of both kinds. */
	leader = pc_open(&core, 0, -1, -1);
	ASSERT_FD(leader);
	atom.disabled = 0;
	EXPECT_ERRNO(EINVAL, pc_open(&atom, 0, -1, leader));
	close(leader);
	/* Small cores cannot count misses of the first-level data cache. */
	cache.type = PERF_TYPE_HW_CACHE;
	cache.config = 0x10000 | (__u64)self->type[ATOM] << 32;
	EXPECT_ERRNO(ENOENT, pc_open(&cache, 0, -1, -1));
	cache.config = 0x10000;
	if (!pc_on_perf_event())
		EXPECT_ERRNO(ENOENT, pc_open(&cache, 0, -1, -1));
}

/* A pinned counter is not in error while its task is on the other kind of core. */
PC_TEST(hybrid, a_pinned_counter_waits_for_its_kind)
{
	self->attr.pinned = 1;
	self->attr.config |= (__u64)self->type[ATOM] << 32;
	expect_counts(_metadata, self->cpu, &self->attr, false, true);
}

/* A group with a software leader counts where its member can count. */
PC_TEST(hybrid, a_group_counts_where_its_members_can)
{
	struct perf_counter_attr clock = pc_attr(PERF_COUNT_SW_TASK_CLOCK);
	struct pc_values r[KINDS];
	int leader, member;

	clock.read_format = TIMES;
	leader = pc_open(&clock, 0, -1, -1);
	ASSERT_FD(leader);
	self->attr.disabled = 0;
	self->attr.config |= (__u64)self->type[ATOM] << 32;
	member = pc_open(&self->attr, 0, -1, leader);
	ASSERT_FD(member);
	ASSERT_OK(pc_pin(self->cpu[CORE]));
	pc_enable(leader);
	for (int kind = 0; kind < KINDS; kind++) {
		ASSERT_OK(pc_pin(self->cpu[kind]));
		pc_loop(ROUNDS);
		pc_read(member, TIMES, &r[kind]);
	}
	EXPECT_EQ(0, r[CORE].v[0].value);
	EXPECT_EQ(0, r[CORE].running);
	EXPECT_LE(ROUNDS * PC_LOOP_INSTRUCTIONS, r[ATOM].v[0].value);
	EXPECT_LT(0, r[ATOM].running);
	EXPECT_LT(r[ATOM].running, r[ATOM].enabled);
	close(member);
	close(leader);
}

/* The rest of a period moves with the task to the other kind of core. */
PC_TEST(hybrid, a_period_goes_on_from_kind_to_kind)
{
	const __u64 period = 10007;
	struct pc_values r;
	struct pc_ring ring;
	int fd, n;

	if (pc_on_perf_event())
		SKIP(return, "perf_events counts on the large cores only");
	self->attr.sample_period = period;
	self->attr.sample_type = PERF_SAMPLE_CPU;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	pc_enable(fd);
	for (int i = 0; i < 10; i++) {
		ASSERT_OK(pc_pin(self->cpu[i % KINDS]));
		pc_loop(ROUNDS);
	}
	pc_disable(fd);
	pc_read(fd, TIMES, &r);
	n = pc_ring_count(&ring, PERF_RECORD_SAMPLE);
	EXPECT_LE(10 * ROUNDS * PC_LOOP_INSTRUCTIONS, r.v[0].value);
	EXPECT_EQ(r.v[0].value / period, n);
	pc_ring_unmap(&ring);
	close(fd);
}

/*
 * A counter of the whole machine with an event of one kind counts on the CPUs of this kind only,
 * and its times are the times of these CPUs.
 */
PC_TEST(hybrid, a_machine_counter_counts_on_the_cpus_of_its_kind)
{
	const __u64 loop = 100ULL * ROUNDS * PC_LOOP_INSTRUCTIONS;
	struct pc_values r[KINDS + 1];
	int fd[KINDS + 1];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	for (int kind = 0; kind <= KINDS; kind++) {
		self->attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		if (kind < KINDS)
			self->attr.config |= (__u64)self->type[kind] << 32;
		fd[kind] = pc_open(&self->attr, -1, -1, -1);
		ASSERT_FD(fd[kind]);
	}
	for (int where = 0; where < KINDS; where++) {
		ASSERT_OK(pc_pin(self->cpu[where]));
		/*
		 * fd[KINDS] counts on all CPUs. It is enabled first, so it counts at least what the
		 * others count.
		 */
		for (int kind = KINDS; kind >= 0; kind--)
			pc_enable(fd[kind]);
		pc_loop(loop / PC_LOOP_INSTRUCTIONS);
		for (int kind = 0; kind <= KINDS; kind++) {
			pc_disable(fd[kind]);
			pc_read(fd[kind], TIMES, &r[kind]);
			EXPECT_LT(0, r[kind].running);
			EXPECT_EQ(r[kind].enabled, r[kind].running) TH_LOG("kind %d", kind);
		}
		EXPECT_LE(loop, r[where].v[0].value);
		EXPECT_LE(r[CORE].v[0].value + r[ATOM].v[0].value, r[KINDS].v[0].value);
	}
	/* The loop has run once on a CPU of each kind. */
	EXPECT_LE(2 * loop, r[KINDS].v[0].value);
	for (int kind = 0; kind <= KINDS; kind++)
		close(fd[kind]);
}

/* A group of the whole machine counts on the CPUs that have its events, of either kind. */
PC_TEST(hybrid, a_group_of_the_machine_counts_on_its_kind)
{
	const __u64 loop = ROUNDS * PC_LOOP_INSTRUCTIONS;
	struct pc_values r;
	int leader, member;

	self->attr.read_format |= PERF_FORMAT_GROUP;
	for (int kind = 0; kind < KINDS; kind++) {
		self->attr.config = (__u64)self->type[kind] << 32 | PERF_COUNT_HW_INSTRUCTIONS;
		self->attr.disabled = 1;
		leader = pc_open(&self->attr, -1, -1, -1);
		ASSERT_FD(leader);
		self->attr.disabled = 0;
		member = pc_open(&self->attr, -1, -1, leader);
		ASSERT_FD(member);
		ASSERT_OK(pc_pin(self->cpu[kind]));
		pc_enable(leader);
		pc_loop(ROUNDS);
		pc_disable(leader);
		pc_read(leader, self->attr.read_format, &r);
		EXPECT_EQ(2, r.nr);
		EXPECT_LE(loop, r.v[0].value);
		EXPECT_LE(loop, r.v[1].value);

		/* A counter of a task cannot be a member. */
		EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, leader));
		close(member);
		close(leader);
	}
}

/* The raw values of registers are checked on the CPUs of each kind and on all CPUs. */
PC_TEST(hybrid, differences_of_raw_registers_are_events)
{
	static const char *const lists[KINDS] = {
		DEVICES "cpu_core/cpus", DEVICES "cpu_atom/cpus"
	};
	bool both = !pc_on_perf_event();
	int cpus[2 * MAX_CPUS], first, n;

	self->attr.read_format = 0;
	for (int kind = 0; kind < KINDS; kind++) {
		n = cpus_in(lists[kind], cpus, MAX_CPUS);
		ASSERT_LT(0, n);
		self->attr.config = (__u64)self->type[kind] << 32 | PERF_COUNT_HW_INSTRUCTIONS;
		ASSERT_RIGHT(pc_raw_check(&self->attr, true, cpus, n));
	}
	if (!both)
		return;

	/* An event without a type of PMU counts on both kinds; perf_events lacks this. */
	first = cpus_in(lists[CORE], cpus, MAX_CPUS);
	n = cpus_in(lists[ATOM], cpus + first, MAX_CPUS);
	ASSERT_LT(0, n);
	self->attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	ASSERT_RIGHT(pc_raw_check(&self->attr, false, cpus, first + n));
}

int main(int argc, char **argv)
{
	return pc_hw_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open() served by perf_counter, with the compat sysctl set. The tests recognize
 * perf_counter by a mapping of an inherited counter without a CPU, which only perf_counter allows.
 */
#include <poll.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

static union pc_record rec;
static struct pc_sample s;

/* Call perf_event_open() as an existing program does. */
static int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return syscall(__NR_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr event_attr(__u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};

	return attr;
}

/* True if perf_counter serves perf_event_open() with @attr, of an inherited event. */
static bool is_ours(struct perf_event_attr *attr)
{
	struct pc_ring ring;
	bool yes;
	int fd;

	attr->inherit = 1;
	fd = event_open(attr, 0, -1, -1);
	if (fd < 0)
		return false;
	yes = !pc_ring_map(&ring, fd, 1);
	if (yes)
		pc_ring_unmap(&ring);
	close(fd);
	return yes;
}

/* True if perf_counter serves perf_event_open(). */
static bool ours(void)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_DUMMY);

	return is_ours(&attr);
}

FIXTURE(compat) {
	long old;
};

FIXTURE_SETUP(compat)
{
	self->old = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->old = pc_sysctl_read("compat");
	ASSERT_NE(LONG_MIN, self->old) TH_LOG("%s", pc_sysctl_path("compat"));
	ASSERT_OK(pc_sysctl_write("compat", 1));
}

FIXTURE_TEARDOWN(compat)
{
	if (self->old >= 0)
		pc_sysctl_write("compat", self->old);
}

PC_TEST(compat, the_sysctl_selects_the_subsystem)
{
	EXPECT_TRUE(ours());
	ASSERT_OK(pc_sysctl_write("compat", 0));
	EXPECT_FALSE(ours());
	ASSERT_OK(pc_sysctl_write("compat", 1));
	EXPECT_TRUE(ours());
}

PC_TEST(compat, a_descriptor_stays_with_its_subsystem)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	fd = event_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_sysctl_write("compat", 0));
	pc_faults(1);
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pc_faults(7);
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(7, pc_value(fd));
	close(fd);
}

PC_TEST(compat, an_existing_program_counts)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	const __u64 format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			     PERF_FORMAT_TOTAL_TIME_RUNNING;
	struct pc_values v;
	int leader, member;

	attr.read_format = format;
	leader = event_open(&attr, 0, -1, -1);
	ASSERT_FD(leader);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	attr.disabled = 0;
	member = event_open(&attr, 0, -1, leader);
	ASSERT_FD(member);
	pc_faults(1);
	pc_read(leader, format, &v);
	ASSERT_OK(ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	pc_faults(13);
	ASSERT_OK(ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(pc_read_size(format, 2), pc_read(leader, format, &v));
	EXPECT_EQ(2, v.nr);
	EXPECT_EQ(13, v.v[0].value);
	EXPECT_EQ(0, v.v[1].value);
	EXPECT_EQ(pc_id(member), v.v[1].id);
	EXPECT_LT(0, v.enabled);
	EXPECT_EQ(v.enabled, v.running);
	close(member);
	close(leader);
}

PC_TEST(compat, an_existing_program_samples)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_counter_attr layout = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					    PERF_SAMPLE_ADDR };
	struct pc_ring ring;
	char *map;
	int fd, n = 0;

	attr.sample_type = layout.sample_type;
	attr.sample_period = 1;
	fd = event_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 4));
	pc_faults(1);
	map = pc_fresh(30);
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pc_touch(map, 30);
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	for (; pc_ring_next(&ring, &rec); n++) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_TRUE(pc_parse_sample(&layout, &rec, &s));
		ASSERT_EQ(getpid(), s.pid);
		ASSERT_EQ((unsigned long)map + n * pc_page(), s.addr)
			TH_LOG("sample %d", n);
	}
	EXPECT_EQ(30, n);
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(compat, an_existing_program_counts_its_children)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_task t;
	int fd;

	attr.inherit = 1;
	fd = event_open(&attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 22));
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_OK(pc_tell(&t, PC_WORK));
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(22, pc_value(fd));
	EXPECT_OK(pc_reap(&t));
	EXPECT_EQ(22, pc_value(fd));
	close(fd);
}

/* The errno of perf_event_open() with or without the compat sysctl; 0 if it succeeds. */
static int answer(struct perf_event_attr attr, pid_t pid, int cpu, bool compat)
{
	int fd, err = 0;

	if (pc_sysctl_write("compat", compat))
		return -1;
	fd = event_open(&attr, pid, cpu, -1);
	if (fd < 0)
		err = errno;
	close(fd);
	return err;
}

/* The errno with and without the sysctl; -1 if the two differ. */
static int same_answer(struct perf_event_attr attr, pid_t pid, int cpu)
{
	int theirs = answer(attr, pid, cpu, false);

	return answer(attr, pid, cpu, true) == theirs ? theirs : -1;
}

/*
 * Programs learn from errno what a kernel lacks. perf_events opens the events that only perf_events
 * has.
 */
PC_TEST(compat, perf_events_answers_for_unsupported_features)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_DUMMY);
	int answer;

	attr.aux_output = 1;
	EXPECT_EQ(EOPNOTSUPP, same_answer(attr, 0, -1));
	attr = event_attr(PERF_COUNT_SW_DUMMY);
	attr.sample_type = PERF_SAMPLE_AUX;
	EXPECT_EQ(0, same_answer(attr, 0, -1));
	attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr.precise_ip = 2;
	EXPECT_EQ(0, same_answer(attr, 0, -1));
	attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr.config1 = 1;
	EXPECT_EQ(0, same_answer(attr, 0, -1));
	attr = event_attr(PERF_COUNT_SW_BPF_OUTPUT);
	EXPECT_EQ(0, same_answer(attr, -1, 0));
	attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	EXPECT_EQ(0, same_answer(attr, 0, -1));
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = 2;
	attr.bp_addr = (unsigned long)&attr;
	attr.bp_len = 4;
	attr.sigtrap = 0;
	attr.exclude_kernel = 1;
	/* Some machines have no breakpoints. */
	answer = same_answer(attr, 0, -1);
	EXPECT_TRUE(!answer || answer == ENODEV) TH_LOG("%d", answer);
	attr = event_attr(0);
	attr.type = 1000;
	EXPECT_EQ(ENOENT, same_answer(attr, 0, -1));
}

/* Programs may leave anything in a field that perf_events ignores for their event. */
PC_TEST(compat, ignored_fields_do_not_matter)
{
	/*
	 * Use struct perf_counter_attr, which has a field that an older <linux/perf_event.h> lacks.
	 */
	struct perf_counter_attr attrs[7];

	for (int i = 0; i < ARRAY_SIZE(attrs); i++)
		attrs[i] = pc_attr(PERF_COUNT_SW_DUMMY);
	attrs[0].aux_watermark = 1;
	attrs[1].sig_data = 1;
	attrs[2].bp_type = 1;
	attrs[3].config1 = 1;
	attrs[4].config2 = 1;
	attrs[5].config3 = 1;
	attrs[6].precise_ip = 1;
	for (int i = 0; i < ARRAY_SIZE(attrs); i++) {
		EXPECT_TRUE(is_ours((void *)&attrs[i]))
			TH_LOG("field %d", i);
	}
}

/* Features of perf_counter alone need perf_counter_open(). */
PC_TEST(compat, features_of_perf_counter_need_its_own_call)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_counter_attr own = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	EXPECT_EQ(EINVAL, same_answer(attr, -1, -1));
	own.munmap = 1;
	memcpy(&attr, &own, sizeof(attr));
	EXPECT_EQ(EINVAL, same_answer(attr, 0, -1));
	EXPECT_EQ(0, pc_sysctl_write("compat", 1));
}

/* Each wakeup is reported once, whether the records were read or not. */
PC_TEST(compat, each_wakeup_is_polled_once)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_ring ring;
	struct pollfd p = { .events = POLLIN };
	int wakeups[2] = {};

	attr.sample_period = 1;
	attr.wakeup_events = 1;
	attr.exclude_kernel = 1;
	for (int compat = 0; compat < 2; compat++) {
		ASSERT_OK(pc_sysctl_write("compat", compat));
		p.fd = event_open(&attr, 0, -1, -1);
		ASSERT_FD(p.fd);
		ASSERT_OK(pc_ring_map(&ring, p.fd, 8));
		pc_faults(1);
		EXPECT_EQ(0, poll(&p, 1, 0));
		ASSERT_OK(ioctl(p.fd, PERF_EVENT_IOC_ENABLE, 0));
		for (int i = 0; i < 10; i++) {
			pc_faults(1);
			wakeups[compat] += poll(&p, 1, 1000) == 1 && p.revents == POLLIN;
			EXPECT_EQ(0, poll(&p, 1, 0));
		}
		pc_ring_unmap(&ring);
		close(p.fd);
	}
	EXPECT_EQ(10, wakeups[0]) TH_LOG("perf_events");
	EXPECT_EQ(10, wakeups[1]);
}

static int asks_for_the_machine(int none)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_DUMMY);

	attr.exclude_kernel = 1;
	attr.ksymbol = 1;
	attr.bpf_event = 1;
	attr.cgroup = 1;
	return event_open(&attr, 0, -1, -1) < 0 ? errno : 0;
}

/*
 * perf always asks for these records of the machine, which perf_events gives to every user. With
 * the compat sysctl, perf_counter opens the counter for a user without permission, and leaves these
 * records out.
 */
PC_TEST(compat, records_of_the_machine_are_left_out_without_permission)
{
	long old = pc_sysctl_read("paranoid");

	for (long level = 2; level >= 0; level--) {
		ASSERT_OK(pc_sysctl_write("paranoid", level));
		EXPECT_EQ(0, pc_in_nobody(asks_for_the_machine, 0, 0))
			TH_LOG("at level %ld", level);
	}
	pc_sysctl_write("paranoid", old);
}

static struct perf_event_attr asked;

/* Open an event with the attributes @asked for this task, and close it. Returns 0 or an errno. */
static int asks(int none)
{
	int fd = event_open(&asked, 0, -1, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* perf_events decides whether a user may have the raw data of a tracepoint. */
PC_TEST(compat, perf_events_decides_about_raw_data_of_tracepoints)
{
	const struct perf_counter_attr event = pc_trace_attr("task/task_rename");
	int answers[2];

	if (!event.config)
		SKIP(return, "needs tracefs");
	asked = event_attr(event.config);
	asked.type = PERF_TYPE_TRACEPOINT;
	asked.sample_period = 1;
	asked.sample_type = PERF_SAMPLE_RAW;
	asked.exclude_kernel = 1;
	for (int compat = 0; compat < 2; compat++) {
		ASSERT_OK(pc_sysctl_write("compat", compat));
		EXPECT_EQ(0, asks(0));
		answers[compat] = pc_in_nobody(asks, 0, 0);
	}
	EXPECT_NE(0, answers[0]);
	EXPECT_EQ(answers[0], answers[1]);
}

PC_TEST(compat, prctl_is_for_both)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int theirs, compat, own;

	compat = event_open(&attr, 0, -1, -1);
	own = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_OK(pc_sysctl_write("compat", 0));
	theirs = event_open(&attr, 0, -1, -1);
	ASSERT_FD(compat);
	ASSERT_FD(own);
	ASSERT_FD(theirs);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_DISABLE));
	pc_faults(1);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_ENABLE));
	pc_faults(5);
	ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_DISABLE));
	EXPECT_EQ(5, pc_value(compat));
	EXPECT_EQ(5, pc_value(own));
	EXPECT_EQ(5, pc_value(theirs)) TH_LOG("the count of the perf_events counter");
	close(compat);
	close(own);
	close(theirs);
}

PC_TEST(compat, counters_of_both_count_side_by_side)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int theirs, own;

	ASSERT_OK(pc_sysctl_write("compat", 0));
	theirs = event_open(&attr, 0, -1, -1);
	own = pc_open_self(PERF_COUNT_SW_PAGE_FAULTS);
	ASSERT_FD(theirs);
	ASSERT_FD(own);
	pc_faults(1);
	pc_enable(theirs);
	pc_enable(own);
	pc_faults(100);
	pc_disable(theirs);
	pc_disable(own);
	EXPECT_EQ(100, pc_value(theirs));
	EXPECT_EQ(100, pc_value(own));
	/* Each system call refuses a group leader that the other system call has opened. */
	EXPECT_ERRNO(EBADF, event_open(&attr, 0, -1, own));
	EXPECT_ERRNO(EBADF, pc_open((struct perf_counter_attr *)&attr, 0, -1, theirs));
	close(theirs);
	close(own);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

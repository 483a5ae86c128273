// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions: the levels of the paranoid sysctl, capabilities, tasks of other users, programs that
 * change their user, and the sysctls themselves.
 *
 * Calls are tried in a child that has given up root. Its exit status is the errno, or 0.
 */
#include <poll.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <linux/capability.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_work.h"

#define SOME_UID	54322
#define ANOTHER_UID	54323

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static union pc_record rec;
static struct pc_sample s;

static int become(uid_t uid)
{
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -1;
	/*
	 * setresuid() has made the task undumpable. Undo that, so that its own user may trace the
	 * task.
	 */
	return prctl(PR_SET_DUMPABLE, 1);
}

/* Run fn(arg) as a user without privileges. Returns its result. */
static int as_user(uid_t uid, int (*fn)(long arg), long arg)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (become(uid))
			_exit(255);
		_exit(fn(arg));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int try_open(struct perf_counter_attr *attr, pid_t pid, int cpu)
{
	int fd = pc_open(attr, pid, cpu, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int open_self_with_kernel(long arg)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	return try_open(&attr, 0, -1);
}

static int open_self_user_only(long arg)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	return try_open(&attr, 0, -1);
}

static int open_self_on_cpu_user_only(long cpu)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	return try_open(&attr, 0, cpu);
}

static int open_cpu_user_only(long cpu)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	return try_open(&attr, -1, cpu);
}

static int open_cpu_with_kernel(long cpu)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	return try_open(&attr, -1, cpu);
}

static int open_kernel_callchain(long arg)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = !arg;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	return try_open(&attr, 0, -1);
}

static int open_pid_user_only(long pid)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	return try_open(&attr, pid, -1);
}

FIXTURE(paranoid) {
	long old;
	int cpu;
};

FIXTURE_SETUP(paranoid)
{
	self->old = pc_sysctl_read("paranoid");
	ASSERT_NE(LONG_MIN, self->old) TH_LOG("%s", pc_sysctl_path("paranoid"));
	ASSERT_EQ(1, pc_cpus(&self->cpu, 1));
}

FIXTURE_TEARDOWN(paranoid)
{
	pc_sysctl_write("paranoid", self->old);
}

PC_TEST(paranoid, level_2_allows_user_mode_of_own_tasks)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	EXPECT_EQ(0, as_user(SOME_UID, open_self_user_only, 0));
	EXPECT_EQ(0, as_user(SOME_UID, open_self_on_cpu_user_only, self->cpu));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_self_with_kernel, 0));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_cpu_user_only, self->cpu));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_cpu_with_kernel, self->cpu));
}

PC_TEST(paranoid, level_2_refuses_call_chains_of_the_kernel)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_kernel_callchain, true));
	ASSERT_OK(pc_sysctl_write("paranoid", 1));
	EXPECT_EQ(0, as_user(SOME_UID, open_kernel_callchain, true));
}

/* Chains with exclude_kernel have no kernel part, as the tests of a user's samples show. */
PC_TEST(paranoid, call_chains_of_user_mode_need_no_permission)
{
	if (pc_on_perf_event())
		SKIP(return, "perf_events of some releases asks for exclude_callchain_kernel");
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	EXPECT_EQ(0, as_user(SOME_UID, open_kernel_callchain, false));
}

PC_TEST(paranoid, level_1_allows_the_kernel)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 1));
	EXPECT_EQ(0, as_user(SOME_UID, open_self_user_only, 0));
	EXPECT_EQ(0, as_user(SOME_UID, open_self_with_kernel, 0));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_cpu_user_only, self->cpu));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_cpu_with_kernel, self->cpu));
}

PC_TEST(paranoid, level_0_allows_whole_cpus)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 0));
	EXPECT_EQ(0, as_user(SOME_UID, open_self_with_kernel, 0));
	EXPECT_EQ(0, as_user(SOME_UID, open_cpu_user_only, self->cpu));
	EXPECT_EQ(0, as_user(SOME_UID, open_cpu_with_kernel, self->cpu));
}

/* Run fn(arg) as a user with only this capability. */
static int with_capability(uid_t uid, int cap, int (*fn)(long arg), long arg)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	pid_t pid = fork();
	int status;

	if (!pid) {
		data[cap / 32].permitted = 1U << (cap % 32);
		data[cap / 32].effective = 1U << (cap % 32);
		if (prctl(PR_SET_KEEPCAPS, 1) || become(uid) ||
		    syscall(SYS_capset, &header, data))
			_exit(255);
		_exit(fn(arg));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/*
 * On Debian's kernels, perf_event_open() at level 3 refuses even a user's own user mode, also with
 * CAP_PERFMON.
 */
PC_TEST(paranoid, level_3_allows_nothing)
{
	if (pc_on_perf_event())
		SKIP(return, "only Debian's kernels have level 3");
	ASSERT_OK(pc_sysctl_write("paranoid", 3));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_self_user_only, 0));
	EXPECT_EQ(EACCES, with_capability(SOME_UID, CAP_PERFMON, open_self_user_only, 0));
	EXPECT_EQ(0, with_capability(SOME_UID, CAP_SYS_ADMIN, open_self_user_only, 0));
}

PC_TEST(paranoid, root_is_never_refused)
{
	for (int level = -1; level <= (pc_on_perf_event() ? 2 : 3); level++) {
		ASSERT_OK(pc_sysctl_write("paranoid", level));
		EXPECT_EQ(0, open_self_with_kernel(0))
			TH_LOG("level %d", level);
		EXPECT_EQ(0, open_cpu_with_kernel(self->cpu))
			TH_LOG("level %d", level);
		EXPECT_EQ(0, open_kernel_callchain(1))
			TH_LOG("level %d", level);
	}
}

PC_TEST(paranoid, cap_perfmon_is_enough_for_everything_on_the_machine)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	EXPECT_EQ(0, with_capability(SOME_UID, CAP_PERFMON, open_self_with_kernel, 0));
	EXPECT_EQ(0, with_capability(SOME_UID, CAP_PERFMON, open_cpu_with_kernel, self->cpu));
	EXPECT_EQ(0, with_capability(SOME_UID, CAP_PERFMON, open_kernel_callchain, 1));
}

PC_TEST(paranoid, cap_sys_admin_is_still_enough)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	EXPECT_EQ(0, with_capability(SOME_UID, CAP_SYS_ADMIN, open_cpu_with_kernel, self->cpu));
}

PC_TEST(paranoid, other_capabilities_do_not_help)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	EXPECT_EQ(EACCES, with_capability(SOME_UID, CAP_NET_ADMIN, open_self_with_kernel, 0));
	EXPECT_EQ(EACCES, with_capability(SOME_UID, CAP_IPC_LOCK, open_cpu_user_only, self->cpu));
}

/* Sample user and kernel code in turns. Returns the number of the error, or 0. */
static int sample_as_user(struct perf_counter_attr *attr)
{
	int zero = open("/dev/zero", O_RDONLY), n = 0, fd;
	struct pc_ring ring;
	char *map;

	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ADDR;
	attr->exclude_kernel = 1;
	fd = pc_open(attr, 0, -1, -1);
	if (fd < 0 || pc_ring_map(&ring, fd, 16) || pc_enable(fd))
		return 2;
	/* The first sample of a clock may be late on some machines. */
	for (int i = 0; i < 20 || (i < 2000 && !pc_ring_head(&ring)); i++) {
		map = pc_fresh(20);
		pc_touch(map, 10);
		pc_burn(1000 * 1000);
		if (read(zero, map + 10 * pc_page(), 10 * pc_page()) != 10 * pc_page())
			return 3;
		munmap(map, 20 * pc_page());
	}
	pc_disable(fd);
	while (pc_ring_next(&ring, &rec)) {
		if (rec.header.type != PERF_RECORD_SAMPLE)
			continue;
		if (!pc_parse_sample(attr, &rec, &s))
			return 4;
		n++;
		if (s.ip >> 63 || s.addr >> 63)
			return 5;
		if (rec.header.misc != PERF_RECORD_MISC_USER)
			return 6;
		for (int i = 0; i < s.nr; i++)
			if (s.ips[i] == PERF_CONTEXT_KERNEL ||
			    (s.ips[i] < PERF_CONTEXT_MAX && s.ips[i] >> 63))
				return 7;
	}
	return n ? 0 : 8;
}

static int sample_faults_as_user(long exclude_callchain_kernel)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.exclude_callchain_kernel = exclude_callchain_kernel;
	return sample_as_user(&attr);
}

static int sample_clock_as_user(long exclude_callchain_kernel)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CPU_CLOCK);

	attr.sample_period = 1000 * 1000;
	attr.exclude_callchain_kernel = exclude_callchain_kernel;
	return sample_as_user(&attr);
}

PC_TEST(paranoid, a_users_samples_show_nothing_of_the_kernel)
{
	ASSERT_OK(pc_sysctl_write("paranoid", 2));
	for (int exclude = pc_on_perf_event(); exclude < 2; exclude++) {
		EXPECT_EQ(0, as_user(SOME_UID, sample_faults_as_user, exclude))
			TH_LOG("5: kernel ip, 6: kernel mode, 7: kernel address in the chain");
		EXPECT_EQ(0, as_user(SOME_UID, sample_clock_as_user, exclude))
			TH_LOG("5: kernel ip, 6: kernel mode, 7: kernel address in the chain");
	}
}

FIXTURE(others) {
	long old;
	struct pc_task t;
};

/* A task that changes its user at the first order, and its dumpability at the second. */
static void changing(struct pc_task *t)
{
	if (pc_await(t)) {
		if (become(t->arg))
			_exit(1);
		pc_done(t);
	}
	if (pc_await(t)) {
		prctl(PR_SET_DUMPABLE, 0);
		pc_done(t);
	}
	pc_await(t);
}

FIXTURE_SETUP(others)
{
	self->old = pc_sysctl_read("paranoid");
	ASSERT_OK(pc_sysctl_write("paranoid", 1));
	ASSERT_OK(pc_spawn(&self->t, changing, SOME_UID));
}

FIXTURE_TEARDOWN(others)
{
	pc_reap(&self->t);
	pc_sysctl_write("paranoid", self->old);
}

PC_TEST(others, a_user_may_not_count_tasks_of_root)
{
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_pid_user_only, self->t.pid));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_pid_user_only, 1));
}

PC_TEST(others, a_users_task_may_be_counted_by_the_user_and_root)
{
	ASSERT_OK(pc_tell(&self->t, 'u'));
	EXPECT_EQ(0, as_user(SOME_UID, open_pid_user_only, self->t.pid));
	EXPECT_EQ(EACCES, as_user(ANOTHER_UID, open_pid_user_only, self->t.pid));
	EXPECT_EQ(0, open_pid_user_only(self->t.pid));
}

PC_TEST(others, a_task_that_is_not_dumpable_is_refused_to_its_user)
{
	ASSERT_OK(pc_tell(&self->t, 'u'));
	ASSERT_OK(pc_tell(&self->t, 'd'));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_pid_user_only, self->t.pid));
	EXPECT_EQ(0, open_pid_user_only(self->t.pid)) TH_LOG("root is allowed");
}

PC_TEST(others, cap_perfmon_allows_tasks_of_other_users)
{
	EXPECT_EQ(0, with_capability(ANOTHER_UID, CAP_PERFMON, open_pid_user_only, self->t.pid));
}

PC_TEST(others, a_passed_descriptor_works)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pc_open(&attr, 0, -1, -1);
	pid_t pid;
	int status;

	ASSERT_FD(fd);
	pc_faults(1);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (become(SOME_UID) || pc_enable(fd) || pc_disable(fd))
			_exit(1);
		_exit(pc_value(fd) == ~0ULL ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(fd);
}

/* The event of a system call, which root has looked up in tracefs. */
static struct perf_counter_attr call_attr;

/*
 * Open samples of a system call of another task, with @bytes of the memory that its arguments point
 * to.
 */
static int open_call_of(pid_t pid, unsigned int bytes)
{
	struct perf_counter_attr attr = call_attr;

	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.config1 = bytes;
	return try_open(&attr, pid, -1);
}

static int read_memory_of(long pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int open_call_with_memory(long pid)
{
	return open_call_of(pid, 1024);
}

static int open_call_alone(long pid)
{
	return open_call_of(pid, 0);
}

#define PTRACE_SCOPE	"/proc/sys/kernel/yama/ptrace_scope"

/* config1 needs the permission to read /proc/PID/mem, with Yama or without. */
PC_TEST(others, syscall_memory_needs_permission_to_read_proc_mem)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (access(PTRACE_SCOPE, W_OK))
		SKIP(return, "a kernel without Yama");
	ASSERT_OK(pc_tracefs());
	call_attr = pc_trace_attr("syscalls/sys_enter_write");
	ASSERT_NE(0, call_attr.config);
	ASSERT_OK(pc_tell(&self->t, 'u'));

	/* The kernel boots with 1; a failed test leaves 0 for the tests after it. */
	ASSERT_EQ(0, pc_write_text(PTRACE_SCOPE, "0"));
	EXPECT_EQ(0, as_user(SOME_UID, read_memory_of, self->t.pid));
	EXPECT_EQ(0, as_user(SOME_UID, open_call_with_memory, self->t.pid));

	ASSERT_EQ(0, pc_write_text(PTRACE_SCOPE, "1"));
	EXPECT_EQ(EACCES, as_user(SOME_UID, read_memory_of, self->t.pid));
	EXPECT_EQ(EACCES, as_user(SOME_UID, open_call_with_memory, self->t.pid));
	EXPECT_EQ(0, as_user(SOME_UID, open_call_alone, self->t.pid));
	EXPECT_EQ(0, with_capability(SOME_UID, CAP_PERFMON, open_call_with_memory, self->t.pid));
	ASSERT_EQ(0, pc_write_text(PTRACE_SCOPE, "0"));
}

/* Create a set-uid copy of this program. */
static char *suid_copy(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	static char path[32];
	struct statvfs fs;
	char buf[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/tmp/pc_suid_XXXXXX");
	to = mkstemp(path);
	if (from < 0 || to < 0 || fstatvfs(to, &fs) || fs.f_flag & (ST_NOSUID | ST_NOEXEC))
		return NULL;
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, n) != n)
			return NULL;
	if (n < 0 || fchown(to, 0, 0) || fchmod(to, 04755))
		return NULL;
	close(from);
	close(to);
	return path;
}

static const char *suid_program;

static void exec_suid(struct pc_task *t)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", t->child_end);
	if (!pc_await(t))
		_exit(1);
	execl(suid_program, "worker", "--worker", fd, "30", NULL);
	_exit(2);
}

/* A user counts its own task, which executes a set-uid program of root. */
static int count_across_suid(long arg)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pollfd p = { .events = POLLIN };
	struct pc_ring ring;
	struct pc_task t;
	__u64 value;

	attr.exclude_kernel = 1;
	attr.enable_on_exec = arg;
	if (pc_spawn(&t, exec_suid, 0))
		return 1;
	p.fd = pc_open(&attr, t.pid, -1, -1);
	if (p.fd < 0 || pc_ring_map(&ring, p.fd, 1))
		return 2;
	if (!arg && pc_enable(p.fd))
		return 3;
	if (pc_tell(&t, 'x') || pc_tell(&t, PC_WARM))
		return 4;
	value = pc_value(p.fd);
	if (pc_tell(&t, PC_WORK))
		return 5;
	if (pc_value(p.fd) != value)
		return 6;
	if (poll(&p, 1, 0) != 1 || !(p.revents & POLLHUP))
		return 7;
	return pc_reap(&t) ? 8 : 0;
}

PC_TEST(others, a_set_uid_exec_ends_the_counting)
{
	suid_program = suid_copy();
	if (!suid_program)
		SKIP(return, "/tmp cannot hold a set-uid program");
	EXPECT_EQ(0, as_user(SOME_UID, count_across_suid, 0))
		TH_LOG("6: the task is still counted, 7: there is no hangup");
	EXPECT_EQ(0, as_user(SOME_UID, count_across_suid, 1))
		TH_LOG("6: the task is still counted, 7: there is no hangup");
	unlink(suid_program);
}

FIXTURE(sysctl) {
	long paranoid, mlock_kb, rate;
};

FIXTURE_SETUP(sysctl)
{
	self->paranoid = pc_sysctl_read("paranoid");
	self->mlock_kb = pc_sysctl_read("mlock_kb");
	self->rate = pc_sysctl_read("max_sample_rate");
	ASSERT_NE(LONG_MIN, self->paranoid);
	ASSERT_NE(LONG_MIN, self->mlock_kb);
	ASSERT_NE(LONG_MIN, self->rate);
}

FIXTURE_TEARDOWN(sysctl)
{
	pc_sysctl_write("paranoid", self->paranoid);
	pc_sysctl_write("mlock_kb", self->mlock_kb);
	pc_sysctl_write("max_sample_rate", self->rate);
}

PC_TEST(sysctl, sysctls_have_their_defaults)
{
	if (pc_on_perf_event())
		SKIP(return, "the sysctls of the host may have been changed");
	EXPECT_EQ(2, self->paranoid);
	EXPECT_EQ(516, self->mlock_kb);
	EXPECT_EQ(100000, self->rate);
	EXPECT_EQ(0, pc_sysctl_read("compat"));
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_CONF) > 128 ? 32 * sysconf(_SC_NPROCESSORS_CONF) : 4096,
		  pc_sysctl_read("max_per_context"));
}

PC_TEST(sysctl, sysctls_return_the_written_value)
{
	for (int level = -1; level <= (pc_on_perf_event() ? 2 : 3); level++) {
		EXPECT_EQ(0, pc_sysctl_write("paranoid", level));
		EXPECT_EQ(level, pc_sysctl_read("paranoid"))
			TH_LOG("level %d", level);
	}
	EXPECT_EQ(0, pc_sysctl_write("mlock_kb", 1024));
	EXPECT_EQ(1024, pc_sysctl_read("mlock_kb"));
	EXPECT_EQ(0, pc_sysctl_write("max_sample_rate", 5000));
	EXPECT_EQ(5000, pc_sysctl_read("max_sample_rate"));
}

PC_TEST(sysctl, a_rate_below_one_is_refused)
{
	EXPECT_EQ(EINVAL, pc_sysctl_write("max_sample_rate", 0));
	EXPECT_EQ(EINVAL, pc_sysctl_write("max_sample_rate", -1));
	EXPECT_EQ(self->rate, pc_sysctl_read("max_sample_rate"));
	EXPECT_EQ(0, pc_sysctl_write("max_sample_rate", 1));
}

PC_TEST(sysctl, values_out_of_range_are_refused)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	EXPECT_EQ(EINVAL, pc_sysctl_write("paranoid", 4));
	EXPECT_EQ(EINVAL, pc_sysctl_write("paranoid", -2));
	EXPECT_EQ(self->paranoid, pc_sysctl_read("paranoid"));
	EXPECT_EQ(EINVAL, pc_sysctl_write("mlock_kb", -1));
	EXPECT_EQ(self->mlock_kb, pc_sysctl_read("mlock_kb"));
}

PC_TEST(sysctl, the_compat_sysctl_is_0_or_1)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	EXPECT_EQ(EINVAL, pc_sysctl_write("compat", 2));
	EXPECT_EQ(EINVAL, pc_sysctl_write("compat", -1));
	EXPECT_EQ(0, pc_sysctl_read("compat"));
	EXPECT_EQ(0, pc_sysctl_write("compat", 1));
	EXPECT_EQ(1, pc_sysctl_read("compat"));
	EXPECT_EQ(0, pc_sysctl_write("compat", 0));
}

PC_TEST(sysctl, the_rate_limits_frequencies_at_once)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.freq = 1;
	attr.sample_freq = 4000;
	ASSERT_OK(pc_sysctl_write("max_sample_rate", 3999));
	EXPECT_EQ(EINVAL, try_open(&attr, 0, -1));
	ASSERT_OK(pc_sysctl_write("max_sample_rate", 4000));
	EXPECT_EQ(0, try_open(&attr, 0, -1));
}

/*
 * The number of counters up to @max that this task can open; -1 if the errno is not the expected
 * one.
 */
static int counters_until_full(long max)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int n;

	attr.exclude_kernel = 1;
	attr.inherit = 1;
	for (n = 0; n < max; n++) {
		if (pc_open(&attr, 0, -1, -1) < 0)
			return errno == ENOSPC ? n : 255;
	}
	return n;
}

/* A child inherits its parent's counters, and has no room for more. */
static int counters_of_a_child(long max)
{
	int status;
	pid_t pid;

	if (counters_until_full(max) != 10)
		return 254;
	pid = fork();
	if (!pid)
		_exit(counters_until_full(max));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 253;
	return WEXITSTATUS(status);
}

PC_TEST(sysctl, max_per_context_limits_the_counters)
{
	long old = pc_sysctl_read("max_per_context");

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	EXPECT_EQ(EINVAL, pc_sysctl_write("max_per_context", 0));
	ASSERT_OK(pc_sysctl_write("max_per_context", 10));
	EXPECT_EQ(10, as_user(SOME_UID, counters_until_full, 20));
	EXPECT_EQ(0, as_user(SOME_UID, counters_of_a_child, 20));
	/* Counters of other users do not limit root. */
	EXPECT_EQ(20, as_user(0, counters_until_full, 20));
	ASSERT_OK(pc_sysctl_write("max_per_context", 12));
	EXPECT_EQ(12, as_user(SOME_UID, counters_until_full, 20));
	ASSERT_OK(pc_sysctl_write("max_per_context", old));
}

static int write_all(long arg)
{
	return pc_sysctl_write("paranoid", -1) == EACCES &&
	       pc_sysctl_write("mlock_kb", 1 << 20) == EACCES &&
	       pc_sysctl_write("max_sample_rate", 1 << 20) == EACCES;
}

static int read_all(long arg)
{
	return pc_sysctl_read("paranoid") != LONG_MIN &&
	       pc_sysctl_read("mlock_kb") != LONG_MIN &&
	       pc_sysctl_read("max_sample_rate") != LONG_MIN;
}

PC_TEST(sysctl, users_can_read_sysctls_but_not_write)
{
	EXPECT_EQ(1, as_user(SOME_UID, write_all, 0));
	EXPECT_EQ(1, as_user(SOME_UID, read_all, 0));
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}

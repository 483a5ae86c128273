// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals and their messages, and the arguments of the system calls, with fake
 * system calls: one opens descriptors of /dev/null, or fails as the test wants.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <perf_counter.h>

#include "fake_syscalls.h"
#include "tap.h"

/* errno of the fake perf_counter_open() and perf_event_open(); 0: success. */
static int counter_error, event_error;

/* The index of the first counter of a set that the fake calls refuse. */
static int fails_from;

/* The number of calls, and their arguments. */
static int counter_calls, event_calls, nr_attrs;
static struct perf_event_attr attrs[PC_MAX];
static int group_fds[PC_MAX];

/* True: the machine has no PMU, so all events but software events are refused. */
static bool no_pmu;

long __wrap_syscall(long nr, ...)
{
	const struct perf_event_attr *attr;
	int error, group_fd, pid, cpu;
	va_list args;

	va_start(args, nr);
	attr = va_arg(args, const struct perf_event_attr *);
	pid = va_arg(args, int);
	cpu = va_arg(args, int);
	group_fd = va_arg(args, int);
	va_end(args);
	CHECK_EQ(0, pid);
	CHECK(cpu == -1, "CPU %d", cpu);
	CHECK(nr == 900 || nr == __NR_perf_event_open, "system call %ld", nr);
	nr == 900 ? counter_calls++ : event_calls++;
	error = nr == 900 ? counter_error : event_error;
	/*
	 * After an unsupported event, the library tries to count instructions.
	 * Let that succeed: the machine has a PMU.
	 */
	if (error == EOPNOTSUPP && attr->type == PERF_TYPE_HARDWARE)
		error = 0;
	if (no_pmu && attr->type != PERF_TYPE_SOFTWARE)
		error = ENOENT;
	if (error && (nr_attrs >= fails_from || no_pmu || error == ENOSYS)) {
		errno = error;
		return -1;
	}
	if (nr_attrs < PC_MAX) {
		/* Copy the fields that every attr has. */
		memcpy(&attrs[nr_attrs], attr, PERF_ATTR_SIZE_VER0);
		group_fds[nr_attrs] = group_fd;
	}
	nr_attrs++;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static unsigned long last_ioctl;

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	CHECK(fd >= 0, "descriptor %d", fd);
	last_ioctl = request;
	return 0;
}

/* Refuse to map a user page of /dev/null. */
void *__wrap_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (fd < 0)
		return __real_mmap(addr, size, prot, flags, fd, offset);
	errno = ENODEV;
	return MAP_FAILED;
}

/*
 * Return counts and times. Count i grows by i + 1 with each call, and the set
 * is on the PMU for half of the time.
 */
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	static __u64 times;
	__u64 *values = to;

	CHECK(fd >= 0, "descriptor %d", fd);
	times++;
	values[0] = size / sizeof(__u64) - 3;
	values[1] = times * 2000;
	values[2] = times * 1000;
	for (__u64 i = 0; i < values[0]; i++)
		values[3 + i] = times * (i + 1);
	return size;
}

static void check_refused(const char *events, int error, const char *says)
{
	struct pc_set *set = pc_open(events);

	CHECK(!set, "'%s' is opened", events ? events : "NULL");
	CHECK_EQ(error, errno);
	CHECK_SAYS(pc_error(), says);
	CHECK(!strchr(pc_error(), '\n'), "it is more than a line");
	CHECK_EQ(0, access("/proc/self/fd/3", F_OK) == 0);
}

static void invalid_names_are_refused(void)
{
	check_refused(NULL, EINVAL, "a name is missing");
	check_refused("", EINVAL, "a name is missing");
	check_refused("instructions,", EINVAL, "a name is missing");
	check_refused(",instructions", EINVAL, "a name is missing");
	check_refused("instructions,,cycles", EINVAL, "a name is missing");
	check_refused("instruction", EINVAL, "event 'instruction': unknown name: see 'perf list'");
	check_refused("instructions cycles", EINVAL, "unknown name");
	check_refused("Instructions", EINVAL, "unknown name");
	check_refused("rxyz", EINVAL, "unknown name");
	check_refused("r", EINVAL, "unknown name");
	check_refused("r12345678123456789", EINVAL, "unknown name");
	check_refused("L1-dcache", EINVAL, "unknown name");
	check_refused("L1-dcache-loades", EINVAL, "unknown name");
	check_refused("L1-dcache-load", EINVAL, "unknown name");
	check_refused("L1-dcache-load-missed", EINVAL, "unknown name");
	check_refused("instructions:", EINVAL, "its modifiers are ''");
	check_refused("instructions:ux", EINVAL, "its modifiers are 'ux': use u, k or uk");
	check_refused("an-event-whose-name-is-longer-than-any-that-there-could-be", EINVAL,
		      "event 'an-event-whose-name-...': the name is too long");
	check_refused("r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10,r11", E2BIG,
		      "at most 16 counters");
}

static void check_attr(const char *name, __u32 type, __u64 config, bool user, bool kernel)
{
	struct pc_set *set;

	nr_attrs = 0;
	set = pc_open(name);
	NEED(set, "%s", pc_error());
	CHECK_EQ(1, nr_attrs);
	CHECK_EQ(type, attrs[0].type);
	CHECK_EQ(config, attrs[0].config);
	CHECK(attrs[0].exclude_user == !user, "%s: user mode", name);
	CHECK(attrs[0].exclude_kernel == !kernel, "%s: kernel", name);
	CHECK(attrs[0].exclude_hv, "%s: hypervisor", name);
	CHECK(!attrs[0].sample_period && !attrs[0].inherit, "%s samples or is inherited", name);
	CHECK(!strcmp(pc_name(set, 0), name), "%s", pc_name(set, 0));
	CHECK(!*pc_error(), "%s", pc_error());
	pc_close(set);
}

static void valid_names_are_found(void)
{
	check_attr("instructions", PERF_TYPE_HARDWARE, 1, true, false);
	check_attr("cycles:k", PERF_TYPE_HARDWARE, 0, false, true);
	check_attr("cpu-cycles:uk", PERF_TYPE_HARDWARE, 0, true, true);
	check_attr("branches:u", PERF_TYPE_HARDWARE, 4, true, false);
	check_attr("ref-cycles", PERF_TYPE_HARDWARE, 9, true, false);
	check_attr("page-faults", PERF_TYPE_SOFTWARE, 2, true, false);
	/* Context switches happen in the kernel. */
	check_attr("context-switches", PERF_TYPE_SOFTWARE, 3, true, true);
	check_attr("context-switches:u", PERF_TYPE_SOFTWARE, 3, true, false);
	check_attr("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, true, false);
	check_attr("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, true, false);
	check_attr("LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102, true, false);
	check_attr("dTLB-prefetches", PERF_TYPE_HW_CACHE, 0x203, true, false);
	check_attr("node-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10206, true, false);
	check_attr("rc0", PERF_TYPE_RAW, 0xc0, true, false);
	check_attr("r12345678aBcDeF01:k", PERF_TYPE_RAW, 0x12345678abcdef01, false, true);
}

static void a_set_is_one_group(void)
{
	struct pc_set *set = pc_open("instructions,cycles,rc4");

	NEED(set, "%s", pc_error());
	CHECK_EQ(3, nr_attrs);
	CHECK_EQ(3, pc_nr(set));
	CHECK(attrs[0].disabled && group_fds[0] == -1, "the leader is on at once");
	for (int i = 1; i < 3; i++)
		CHECK(!attrs[i].disabled && group_fds[i] == pc_fd(set, 0), "counter %d", i);
	CHECK_EQ(PERF_EVENT_IOC_ENABLE, last_ioctl);
	CHECK_EQ(PC_PERF_COUNTER, pc_interface(set));
	CHECK_EQ(0, event_calls);
	pc_close(set);
	CHECK(access("/proc/self/fd/3", F_OK), "a descriptor is left");
	pc_close(NULL);
}

static void invalid_attrs_are_refused(void)
{
	struct perf_counter_attr attr[2];

	memset(attr, 0, sizeof(attr));
	CHECK(!pc_open_attrs(attr, 0) && errno == EINVAL, "none");
	CHECK_SAYS(pc_error(), "a set has from 1 to 16 counters");
	CHECK(!pc_open_attrs(attr, 17) && errno == EINVAL, "17");
	CHECK(!pc_open_attrs(NULL, 1) && errno == EINVAL, "NULL");
	CHECK(!pc_open_sized(attr, 63, 1) && errno == EINVAL, "63 bytes");
	CHECK(!pc_open_sized(attr, 4096, 1) && errno == EINVAL, "4096 bytes");
	attr[1].sample_period = 1;
	CHECK(!pc_open_attrs(attr, 2) && errno == EINVAL, "sampling");
	CHECK_SAYS(pc_error(), "event 'type=0,config=0': sampling is not possible: set sample_period to 0");
	attr[1].sample_period = 0;
	attr[1].inherit = 1;
	CHECK(!pc_open_attrs(attr, 2) && errno == EINVAL, "inherit");
	CHECK_SAYS(pc_error(), "set inherit to 0");
	attr[1].inherit = 0;
	attr[1].size = sizeof(attr[1]) + 8;
	CHECK(!pc_open_attrs(attr, 2) && errno == E2BIG, "too large");
	CHECK_SAYS(pc_error(), "set it to 0");
	CHECK(access("/proc/self/fd/3", F_OK), "a descriptor is left");
	nr_attrs = 0;
	attr[1].size = 0;
	CHECK(pc_open_attrs(attr, 2), "%s", pc_error());
	CHECK_EQ(sizeof(attr[0]), attrs[0].size);
}

static void without_perf_counter_open_the_other_is_used(void)
{
	struct pc_set *set;

	counter_error = ENOSYS;
	set = pc_open("instructions,cycles");
	NEED(set, "%s", pc_error());
	CHECK_EQ(PC_PERF_EVENTS, pc_interface(set));
	CHECK_EQ(1, counter_calls);
	CHECK_EQ(2, event_calls);
	CHECK(!attrs[1].disabled && group_fds[1] == pc_fd(set, 0), "they are not one group");
	pc_close(set);

	event_error = ENOSYS;
	check_refused("cycles", ENOSYS, "it needs CONFIG_PERF_COUNTERS or CONFIG_PERF_EVENTS");
}

static void errors_of_the_kernel_are_explained(void)
{
	counter_error = EBUSY;
	check_refused("cycles", EBUSY, "has the PMU: ");
	counter_error = EACCES;
	check_refused("cycles:k", EACCES, "run 'sysctl kernel.perf_counter_paranoid=1'");
	check_refused("cycles", EACCES, "run 'sysctl kernel.perf_counter_paranoid=2'");
	counter_error = EMFILE;
	check_refused("cycles", EMFILE, "raise 'ulimit -n'");
	counter_error = ENOMEM;
	check_refused("cycles", ENOMEM, "event 'cycles': Cannot allocate memory");
	counter_error = EINVAL;
	check_refused("rffffffff", EINVAL, "event 'rffffffff': this kernel does not have the event");
	fails_from = 1;
	check_refused("cycles,branches", EINVAL,
		      "event 'branches': the group is full");
	nr_attrs = 0;
	counter_error = EOPNOTSUPP;
	fails_from = 0;
	check_refused("node-loads", EOPNOTSUPP, "this machine cannot count it: see 'perf list'");
	nr_attrs = 0;
	counter_error = ENOSYS;
	event_error = EACCES;
	check_refused("cycles", EACCES, "run 'sysctl kernel.perf_event_paranoid=2'");
	event_error = EBUSY;
	check_refused("cycles", EBUSY, "another subsystem has the PMU: end other profilers");
}

static void a_missing_pmu_is_reported(void)
{
	no_pmu = true;
	check_refused("cycles", ENOENT, "this machine has no PMU");
	check_refused("task-clock,rc0", ENOENT, "event 'rc0': this machine has no PMU");
	CHECK(pc_open("task-clock"), "%s", pc_error());
}

static void software_events_are_read_by_call(void)
{
	struct pc_set *set = pc_open("task-clock,page-faults");
	struct pc_values values;
	struct pc_region region;

	NEED(set, "%s", pc_error());
	CHECK_EQ(0, pc_reads_registers(set));
	CHECK(!pc_read(set, &values), "%s", pc_error());
	CHECK_EQ(2, values.nr);
	CHECK_EQ(2000, values.enabled);
	CHECK_EQ(1000, values.running);
	CHECK_EQ(1, values.count[0]);
	CHECK_EQ(2, values.count[1]);

	pc_region_init(&region, set);
	for (int i = 0; i < 2; i++) {
		pc_begin(&region);
		pc_end(&region);
		CHECK_EQ(1, pc_count(&region, 0));
		CHECK_EQ(2, pc_count(&region, 1));
		CHECK(!pc_result(&region, &values), "%s", pc_error());
		CHECK_EQ(2000, values.enabled);
		CHECK_EQ(1000, values.running);
		CHECK_EQ(4, pc_scaled(&values, 1));
	}
}

static const struct test tests[] = {
	TEST(invalid_names_are_refused),
	TEST(valid_names_are_found),
	TEST(a_set_is_one_group),
	TEST(invalid_attrs_are_refused),
	TEST(without_perf_counter_open_the_other_is_used),
	TEST(errors_of_the_kernel_are_explained),
	TEST(a_missing_pmu_is_reported),
	TEST(software_events_are_read_by_call),
};

int main(int argc, char **argv)
{
	(void)argc;
	/* Close descriptors from 3 on, so that a leaked one has number 3. */
	for (int fd = 3; fd < 20; fd++)
		close(fd);
	return run_tests(tests, ARRAY_SIZE(tests), argv + 1);
}

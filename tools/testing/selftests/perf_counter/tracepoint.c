// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: counts and records of events that the test raises itself, with a known number and
 * known fields.
 */
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "pc_arch.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

#define RENAME "task/task_rename"

static union pc_record rec;

/* The fields of the rename event, from its format file. */
static struct pc_rename fields;

/* Orders for renamer(), which also carries out the orders of pc_worker(). */
enum {
	RENAME_NOW = 'r',	/* rename t->arg times */
};

static void renamer(struct pc_task *t)
{
	char order;

	while ((order = pc_await(t))) {
		if (order == RENAME_NOW)
			pc_rename("child", t->arg);
		pc_done(t);
	}
}

/* Fork children that rename themselves, and exit. */
static void fork_renamers(struct pc_task *t)
{
	pid_t pid;

	while (pc_await(t)) {
		for (int i = 0; i < 3; i++) {
			pid = fork();
			if (!pid) {
				pc_rename("heir", t->arg);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
		}
		pc_done(t);
	}
}

/* True if @raw is the record of a rename of @pid to @name. */
static bool is_rename(const char *raw, pid_t pid, const char *name)
{
	return pc_raw_int(raw, fields.pid) == pid &&
	       !strncmp(raw + fields.newcomm.offset, name, fields.newcomm.size);
}

static void become(const char *name)
{
	prctl(PR_SET_NAME, name);
}

FIXTURE(trace) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(trace)
{
	ASSERT_OK(pc_tracefs());
	self->attr = pc_trace_attr(RENAME);
	ASSERT_NE(0, self->attr.config);
	fields = pc_rename_fields();
	ASSERT_EQ(4, fields.pid.size);
	ASSERT_EQ(16, fields.oldcomm.size);
	ASSERT_EQ(16, fields.newcomm.size);
	self->fd = -1;
}

FIXTURE_TEARDOWN(trace)
{
	pc_ring_unmap(&self->ring);
	if (self->fd >= 0)
		close(self->fd);
}

/* Open a counter of this task that samples with raw data, and map its buffer. */
static int open_raw(struct __test_metadata *_metadata, FIXTURE_DATA(trace) * self, int pages)
{
	self->attr.sample_type |= PERF_SAMPLE_RAW;
	if (!self->attr.sample_period)
		self->attr.sample_period = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, pages));
	return self->fd;
}

PC_TEST(trace, n_events_are_counted_n_times)
{
	static const int times[] = { 0, 1, 2, 1000 };

	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	for (int i = 0; i < ARRAY_SIZE(times); i++) {
		pc_reset(self->fd);
		pc_enable(self->fd);
		pc_rename("self", times[i]);
		pc_disable(self->fd);
		pc_rename("nobody", 5);
		EXPECT_EQ(times[i], pc_value(self->fd));
	}
}

/*
 * The kernel finds the counters of a task by the last five bits of the event's id. A counter of
 * another event whose id ends with the same bits must not count this event.
 */
PC_TEST(trace, events_with_similar_ids_are_sampled_apart)
{
	struct pc_field type = pc_event_field(RENAME, "common_type");
	struct perf_counter_attr alike = self->attr;
	struct pc_ring ring;
	struct pc_sample s;
	unsigned short id;
	int fd = -1, n = 0;

	alike.sample_period = 1;
	alike.sample_type = PERF_SAMPLE_RAW;
	for (alike.config %= 32; fd < 0 && alike.config < 4096; alike.config += 32) {
		if (alike.config != self->attr.config)
			fd = pc_open(&alike, 0, -1, -1);
	}
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 8));
	open_raw(_metadata, self, 8);
	pc_enable(fd);
	pc_enable(self->fd);
	pc_rename("alike", 20);
	pc_disable(self->fd);
	pc_disable(fd);
	EXPECT_EQ(20, pc_value(self->fd));
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		memcpy(&id, s.raw + type.offset, sizeof(id));
		EXPECT_EQ(self->attr.config, id);
		n++;
	}
	EXPECT_EQ(20, n);
	while (pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&alike, &rec, &s));
		memcpy(&id, s.raw + type.offset, sizeof(id));
		EXPECT_NE(self->attr.config, id);
	}
	pc_ring_unmap(&ring);
	close(fd);
}

/*
 * The id of the entry or exit event of a system call that this test does not make. The last five
 * bits of the id are those of @id. Returns 0 if there is no such event.
 */
static __u64 silent_event_like(__u64 id)
{
	static const char * const calls[] = {
		"acct", "add_key", "adjtimex", "chroot", "delete_module", "epoll_wait", "flock",
		"getgroups", "getitimer", "getsid", "init_module", "io_setup", "kexec_load",
		"mknod", "mlock", "mq_open", "msgget", "pivot_root", "quotactl", "reboot",
		"sched_yield", "semget", "setdomainname", "sethostname", "setns", "setpgid",
		"settimeofday", "shmget", "swapoff", "swapon", "sync", "sysinfo", "truncate",
		"umask", "ustat", "utime", "vhangup", "vmsplice",
	};
	char name[64];
	__u64 found;

	for (int i = 0; i < 2 * ARRAY_SIZE(calls); i++) {
		snprintf(name, sizeof(name), "syscalls/sys_%s_%s", i & 1 ? "exit" : "enter",
			 calls[i / 2]);
		found = pc_event_id(name);
		if (found && found % 32 == id % 32)
			return found;
	}
	return 0;
}

/* Two counters without samples, opened in either order: neither counts the events of the other. */
PC_TEST(trace, events_with_similar_ids_are_counted_apart)
{
	struct perf_counter_attr other = self->attr;
	int fds[4];

	other.config = silent_event_like(self->attr.config);
	if (!other.config)
		SKIP(return, "no event of a system call has such an id");
	for (int i = 0; i < 4; i++) {
		fds[i] = pc_open(i & 1 ? &self->attr : &other, 0, -1, -1);
		ASSERT_FD(fds[i]);
		pc_enable(fds[i]);
	}
	pc_rename("alike", 20);
	for (int i = 0; i < 4; i++) {
		pc_disable(fds[i]);
		EXPECT_EQ(i & 1 ? 20 : 0, pc_value(fds[i])) TH_LOG("counter %d", i);
		close(fds[i]);
	}
}

/* === Several counters of one event: each counts as if it were alone === */
/* A counter of a task on one CPU does not count what the task does on other CPUs. */
PC_TEST(trace, a_task_on_a_cpu_is_counted_there_only)
{
	struct pc_task task;
	int cpus[2];

	if (pc_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	ASSERT_OK(pc_spawn(&task, renamer, 100));
	self->attr.disabled = 0;
	self->fd = pc_open(&self->attr, task.pid, cpus[0], -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_pin_task(task.pid, cpus[1]));
	ASSERT_OK(pc_tell(&task, RENAME_NOW));
	EXPECT_EQ(0, pc_value(self->fd));
	ASSERT_OK(pc_pin_task(task.pid, cpus[0]));
	ASSERT_OK(pc_tell(&task, RENAME_NOW));
	EXPECT_EQ(100, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&task));
}

PC_TEST(trace, several_counters_count_an_event)
{
	char filter[32];
	struct pc_task task;
	int self_fd, of_task, of_task_on_cpu, of_cpu, of_machine, sampled, cpu;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_spawn(&task, renamer, 100));
	ASSERT_OK(pc_pin_task(task.pid, cpu));
	ASSERT_OK(pc_tell(&task, 'x'));
	snprintf(filter, sizeof(filter), "pid == %d", task.pid);

	self->attr.disabled = 0;
	self_fd = pc_open(&self->attr, 0, -1, -1);
	of_task = pc_open(&self->attr, task.pid, -1, -1);
	of_task_on_cpu = pc_open(&self->attr, task.pid, cpu, -1);
	of_cpu = pc_open(&self->attr, -1, cpu, -1);
	ASSERT_FD(self_fd);
	ASSERT_FD(of_task);
	ASSERT_FD(of_task_on_cpu);
	ASSERT_FD(of_cpu);
	ASSERT_OK(ioctl(of_cpu, PERF_EVENT_IOC_SET_FILTER, filter));
	of_machine = -1;
	if (!pc_on_perf_event()) {
		of_machine = pc_open(&self->attr, -1, -1, -1);
		ASSERT_FD(of_machine);
		ASSERT_OK(ioctl(of_machine, PERF_EVENT_IOC_SET_FILTER, filter));
	}
	self->attr.sample_period = 7;
	self->attr.sample_type = PERF_SAMPLE_RAW;
	sampled = pc_open(&self->attr, task.pid, -1, -1);
	ASSERT_FD(sampled);
	ASSERT_OK(pc_ring_map(&self->ring, sampled, 8));

	ASSERT_OK(pc_tell(&task, RENAME_NOW));

	EXPECT_EQ(0, pc_value(self_fd));
	EXPECT_EQ(100, pc_value(of_task));
	EXPECT_EQ(100, pc_value(of_task_on_cpu));
	EXPECT_EQ(100, pc_value(of_cpu));
	if (of_machine >= 0)
		EXPECT_EQ(100, pc_value(of_machine));
	EXPECT_EQ(100, pc_value(sampled));
	EXPECT_EQ(100 / 7, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, pc_reap(&task));
	close(self_fd);
	close(of_task);
	close(of_task_on_cpu);
	close(of_cpu);
	close(of_machine);
	close(sampled);
}

PC_TEST(trace, children_inherit_a_tracepoint)
{
	struct pc_task task;

	ASSERT_OK(pc_spawn(&task, fork_renamers, 50));
	self->attr.inherit = 1;
	self->attr.disabled = 0;
	self->fd = pc_open(&self->attr, task.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_tell(&task, 'x'));
	EXPECT_EQ(150, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&task));
	EXPECT_EQ(150, pc_value(self->fd));
}

/* The raw data of a record have the fields of its event, and the sample has the id of its task. */
PC_TEST(trace, a_record_has_the_fields_of_the_event)
{
	struct pc_field type = pc_event_field(RENAME, "common_type");
	struct pc_field pid = pc_event_field(RENAME, "common_pid");
	char before[16] = "before", name[16];
	struct pc_sample s;
	unsigned short id;

	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	open_raw(_metadata, self, 8);
	become("before");
	pc_enable(self->fd);
	pc_rename("record", 30);
	pc_disable(self->fd);

	for (int i = 0; i < 30; i++) {
		ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		snprintf(name, sizeof(name), "record%d", i);
		EXPECT_EQ(gettid(), s.tid);
		EXPECT_EQ(1, s.period);
		EXPECT_TRUE(is_rename(s.raw, gettid(), name));
		EXPECT_STREQ(before, s.raw + fields.oldcomm.offset);
		memcpy(&id, s.raw + type.offset, sizeof(id));
		EXPECT_EQ(self->attr.config, id);
		EXPECT_EQ(gettid(), pc_raw_int(s.raw, pid));
		memcpy(before, name, sizeof(before));
	}
	EXPECT_FALSE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	EXPECT_EQ(30, pc_value(self->fd));
}

/* Several counters take the same record with different sample types: each gets all of it. */
PC_TEST(trace, several_counters_get_the_whole_record)
{
	static const __u64 types[] = {
		PERF_SAMPLE_RAW, PERF_SAMPLE_RAW | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_RAW | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_DATA_SRC,
		PERF_SAMPLE_IP, PERF_SAMPLE_RAW,
	};
	static const char odd[] = "newcomm == \"all1\" || newcomm == \"all3\"";
	struct perf_counter_attr attrs[ARRAY_SIZE(types)];
	struct pc_ring rings[ARRAY_SIZE(types)];
	int fds[ARRAY_SIZE(types)];
	struct pc_sample s;
	char name[16];

	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		attrs[i] = self->attr;
		attrs[i].sample_period = 1;
		attrs[i].sample_type = types[i];
		attrs[i].sample_stack_user = types[i] & PERF_SAMPLE_STACK_USER ? 64 : 0;
		attrs[i].disabled = 0;
		fds[i] = pc_open(&attrs[i], 0, -1, -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&rings[i], fds[i], 8));
	}
	ASSERT_OK(ioctl(fds[4], PERF_EVENT_IOC_SET_FILTER, odd));
	pc_rename("all", 5);
	for (int i = 0; i < ARRAY_SIZE(types); i++)
		pc_disable(fds[i]);

	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		for (int j = 0; j < 5; j++) {
			if (i == 4 && j != 1 && j != 3)
				continue;
			ASSERT_TRUE(pc_ring_find(&rings[i], &rec, PERF_RECORD_SAMPLE));
			ASSERT_TRUE(pc_parse_sample(&attrs[i], &rec, &s));
			snprintf(name, sizeof(name), "all%d", j);
			if (types[i] & PERF_SAMPLE_RAW)
				EXPECT_TRUE(is_rename(s.raw, gettid(), name));
		}
		EXPECT_FALSE(pc_ring_find(&rings[i], &rec, PERF_RECORD_SAMPLE));
		EXPECT_EQ(i == 4 ? 2 : 5, pc_value(fds[i]));
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

/*
 * Clear the bits of common_flags that ask for a reschedule: an interrupt between the records of the
 * two subsystems may set them.
 */
static void forget_resched(const struct perf_counter_attr *attr, union pc_record *record)
{
	struct pc_field flags = pc_event_field(RENAME, "common_flags");
	struct pc_sample s;

	if (pc_parse_sample(attr, record, &s))
		record->bytes[s.raw + flags.offset - record->bytes] &= ~(0x04 | 0x20);
}

/* Samples of perf_events for the comparison. */
#define COMPARED 20
static union pc_record theirs[COMPARED];

static void prepare_compared(FIXTURE_DATA(trace) * self)
{
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
				 PERF_SAMPLE_CALLCHAIN;
	self->attr.sample_period = 1;
	/*
	 * An event without registers has functions of the subsystem in its kernel call chain. This
	 * program has no frame pointers, so its user call chain differs, too.
	 */
	self->attr.exclude_callchain_kernel = 1;
	self->attr.exclude_callchain_user = 1;
}

static int open_theirs(struct __test_metadata *_metadata, const struct perf_counter_attr *attr,
		       struct pc_ring *ring)
{
	int fd = syscall(__NR_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(ring, fd, 8));
	pc_enable(fd);
	return fd;
}

/* Disable the counter and keep its COMPARED samples. */
static void close_theirs(struct __test_metadata *_metadata, int fd, struct pc_ring *ring)
{
	pc_disable(fd);
	for (int i = 0; i < COMPARED; i++)
		ASSERT_TRUE(pc_ring_find(ring, &theirs[i], PERF_RECORD_SAMPLE));
	EXPECT_FALSE(pc_ring_find(ring, &rec, PERF_RECORD_SAMPLE));
	EXPECT_EQ(COMPARED, pc_value(fd));
	pc_ring_unmap(ring);
	close(fd);
}

/* The offset at which two records of the same size differ; -1 if they are equal. */
static int difference(const union pc_record *a, const union pc_record *b)
{
	for (int i = 0; i < a->header.size; i++)
		if (a->bytes[i] != b->bytes[i])
			return i;
	return -1;
}

static void compare_ours(struct __test_metadata *_metadata, FIXTURE_DATA(trace) * self)
{
	pc_disable(self->fd);
	for (int i = 0; i < COMPARED; i++) {
		ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_EQ(theirs[i].header.size, rec.header.size);
		forget_resched(&self->attr, &rec);
		forget_resched(&self->attr, &theirs[i]);
		EXPECT_EQ(-1, difference(&theirs[i], &rec))
			TH_LOG("record %d", i);
	}
	EXPECT_FALSE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	EXPECT_EQ(COMPARED, pc_value(self->fd));
}

/*
 * Compare the records of the two subsystems for the same events: they have to be equal to the byte.
 */
static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(trace) * self,
		    void (*raise)(int n))
{
	struct pc_ring ring;
	int fd;

	prepare_compared(self);
	open_raw(_metadata, self, 8);
	fd = open_theirs(_metadata, &self->attr, &ring);
	pc_enable(self->fd);
	raise(COMPARED);
	pc_disable(self->fd);
	close_theirs(_metadata, fd, &ring);
	compare_ours(_metadata, self);
}

/*
 * Compare records of events that are equal but for their time. The subsystems sample one after the
 * other, since each of them would change the records of the other.
 */
static void compare_in_turn(struct __test_metadata *_metadata, FIXTURE_DATA(trace) * self,
			    void (*raise)(int n))
{
	struct pc_ring ring;
	int fd, cpu;

	/* The samples contain the CPU, so run on one CPU only. */
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	prepare_compared(self);
	fd = open_theirs(_metadata, &self->attr, &ring);
	raise(COMPARED);
	close_theirs(_metadata, fd, &ring);
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	raise(COMPARED);
	compare_ours(_metadata, self);
}

static void rename_both(int n)
{
	pc_rename("both", n);
}

PC_TEST(trace, perf_events_has_the_same_record)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	compare(_metadata, self, rename_both);
}

static void get_priorities(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getpriority, PRIO_PROCESS, 12345 + i);
}

/* The event of a single system call has the registers of user mode in its record. */
PC_TEST(trace, perf_events_has_the_same_record_of_a_system_call)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_trace_attr("syscalls/sys_enter_getpriority");
	ASSERT_NE(0, self->attr.config);
	compare(_metadata, self, get_priorities);
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_sys_exit)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_trace_attr("syscalls/sys_exit_getpriority");
	ASSERT_NE(0, self->attr.config);
	compare(_metadata, self, get_priorities);
}

/*
 * The kernel passes a record to a filter in memory that may have held records of other tasks. The
 * padding in the record must not show the old contents, since every user may have the records of
 * its own system calls.
 */
PC_TEST(trace, a_record_shows_no_data_of_other_tasks)
{
	struct perf_counter_attr attr = pc_trace_attr("syscalls/sys_enter_getpriority");
	struct pc_field nr = pc_event_field("syscalls/sys_enter_getpriority", "__syscall_nr");
	struct pc_field which = pc_event_field("syscalls/sys_enter_getpriority", "which");
	struct pc_sample s;
	int cpu, fd;

	ASSERT_NE(0, attr.config);
	ASSERT_LT(nr.offset + nr.size, which.offset);
	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "pid > 0"));
	self->attr = attr;
	open_raw(_metadata, self, 8);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "who == 12345"));
	pc_enable(fd);
	pc_enable(self->fd);
	become("not zeros at all");
	get_priorities(1);
	ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
	for (unsigned int i = nr.offset + nr.size; i < which.offset; i++)
		EXPECT_EQ(0, s.raw[i]);
	EXPECT_EQ(1, pc_value(fd));
	close(fd);
}

/* Define a probe in tracefs and compare its records. */
static void compare_probe(struct __test_metadata *_metadata, FIXTURE_DATA(trace) * self,
			  const char *definition)
{
	static const char probes[] = PC_TRACEFS "/kprobe_events";

	ASSERT_EQ(0, pc_write_text(probes, definition));
	self->attr = pc_trace_attr("pc_selftest/probe");
	EXPECT_NE(0, self->attr.config);
	if (self->attr.config)
		compare(_metadata, self, get_priorities);
	/* A probe in use cannot be removed. */
	EXPECT_EQ(EBUSY, pc_write_text(probes, "-:pc_selftest/probe"));
	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, pc_write_text(probes, "-:pc_selftest/probe"));
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_kprobe)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	compare_probe(_metadata, self,
		      "p:pc_selftest/probe " PC_CALL_SYMBOL("getpriority") " regs=$arg1");
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_kretprobe)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	compare_probe(_metadata, self,
		      "r:pc_selftest/probe " PC_CALL_SYMBOL("getpriority") " ret=$retval");
}

static long probed(long n)
{
	return n + 1;
}

/* Call probed() by a pointer that the compiler does not know, so that the call is not inlined. */
static long call_probed(long n)
{
	long (*call)(long n) = probed;

	asm("" : "+r"(call));
	return call(n);
}

/* Probe a function of this program, also with exclude_kernel. */
PC_TEST(trace, calls_of_a_user_function_are_counted)
{
	static const char probes[] = PC_TRACEFS "/uprobe_events";
	char path[512], definition[600];
	struct pc_sample s;
	unsigned long offset;
	pid_t child;

	offset = pc_offset_in_file(probed, path);
	ASSERT_NE(0, offset);
	snprintf(definition, sizeof(definition), "p:pc_selftest/user %s:%#lx", path, offset);
	ASSERT_EQ(0, pc_write_text(probes, definition));
	self->attr = pc_trace_attr("pc_selftest/user");
	ASSERT_NE(0, self->attr.config);
	self->attr.exclude_kernel = 1;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	for (int i = 0; i < 30; i++)
		ASSERT_EQ(i + 1, call_probed(i));
	child = fork();
	if (!child)
		_exit(call_probed(1) != 2);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	pc_disable(self->fd);
	EXPECT_EQ(30, pc_value(self->fd));
	for (int i = 0; i < 30; i++) {
		ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		EXPECT_EQ((unsigned long)probed, s.ip);
		EXPECT_EQ(gettid(), s.tid);
		EXPECT_EQ(PERF_RECORD_MISC_USER,
			  rec.header.misc & PERF_RECORD_MISC_CPUMODE_MASK);
	}
	EXPECT_FALSE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, pc_write_text(probes, "-:pc_selftest/user"));
}

/*
 * A probe reads a string from a page that is not present, so events of page faults are raised while
 * its record is written. A counter counts each event, a disabled counter counts none, and a counter
 * that samples writes or misses each.
 */
PC_TEST(trace, events_inside_of_a_record_are_counted)
{
	static const char probes[] = PC_TRACEFS "/kprobe_events";
	struct perf_counter_attr fault = pc_trace_attr("exceptions/page_fault_kernel");
	enum { PLAIN, OFF, SAMPLES, NR };
	char *page = mmap(NULL, pc_page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct pc_ring ring;
	int fds[NR], rounds = 10;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (!fault.config)
		SKIP(return, "page faults of the kernel have no event on this architecture");
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, pc_write_text(probes,
				   "p:pc_selftest/nested do_sys_openat2 name=+0($arg2):ustring"));
	self->attr = pc_trace_attr("pc_selftest/nested");
	EXPECT_NE(0, self->attr.config);
	open_raw(_metadata, self, 8);
	for (int i = 0; i < NR; i++) {
		fault.sample_period = i == SAMPLES;
		fault.sample_type = PERF_SAMPLE_TID;
		fds[i] = pc_open(&fault, 0, -1, -1);
		ASSERT_FD(fds[i]);
	}
	ASSERT_OK(pc_ring_map(&ring, fds[SAMPLES], 8));
	pc_enable(self->fd);
	pc_enable(fds[SAMPLES]);
	pc_enable(fds[PLAIN]);
	for (int i = 0; i < rounds; i++) {
		madvise(page, pc_page(), MADV_DONTNEED);
		EXPECT_ERRNO(ENOENT, open(page, O_RDONLY | O_CLOEXEC));
	}
	pc_disable(fds[PLAIN]);
	pc_disable(fds[SAMPLES]);
	pc_disable(self->fd);
	EXPECT_EQ(rounds, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	/*
	 * Each open() takes at least two faults: one in the probe, and one in the system call
	 * itself.
	 */
	EXPECT_LE(2 * rounds, pc_value(fds[PLAIN]));
	EXPECT_EQ(0, pc_value(fds[OFF]));
	EXPECT_EQ(pc_value(fds[PLAIN]), pc_value(fds[SAMPLES]));
	EXPECT_LE(rounds, pc_missed(fds[SAMPLES]));
	EXPECT_EQ(pc_value(fds[SAMPLES]),
		  pc_ring_count(&ring, PERF_RECORD_SAMPLE) + pc_missed(fds[SAMPLES]));
	pc_ring_unmap(&ring);
	for (int i = 0; i < NR; i++)
		close(fds[i]);
	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, pc_write_text(probes, "-:pc_selftest/nested"));
	munmap(page, pc_page());
}

/* The event that the child without privileges opens; the parent has read its id from tracefs. */
static struct perf_counter_attr asked;

/* Open @asked for the calling task as a user without privileges. Returns 0 or an errno. */
static int open_as_nobody(int sample_type)
{
	int fd;

	asked.exclude_kernel = pc_sysctl_read("paranoid") > 1;
	asked.sample_period = !!sample_type;
	asked.sample_type = sample_type;
	fd = pc_open(&asked, 0, -1, -1);
	return fd < 0 ? errno : 0;
}

/* === Probes of the PMUs kprobe and uprobe, which tracefs does not show === */

static void call_both(int n)
{
	for (int i = 0; i < n; i++)
		call_probed(i);
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_pmu_kprobe)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0, 0);
	ASSERT_NE(0, self->attr.type);
	compare(_metadata, self, get_priorities);
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_pmu_kretprobe)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0, PC_PROBE_RETURNS);
	/*
	 * If both subsystems probed the return at the same time, one would see the return probe of
	 * the other.
	 */
	compare_in_turn(_metadata, self, get_priorities);
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_pmu_uprobe)
{
	char path[512];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(probed, path), 0);
	ASSERT_NE(0, self->attr.type);
	compare(_metadata, self, call_both);
}

PC_TEST(trace, perf_events_has_the_same_record_of_a_pmu_uretprobe)
{
	char path[512];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(probed, path),
				   PC_PROBE_RETURNS);
	compare(_metadata, self, call_both);
}

#ifdef __x86_64__
/*
 * The function saves the frame pointer in its first instruction; at that instruction it has no
 * frame yet.
 */
static __attribute__((naked)) void pushes(void)
{
	asm("push %rbp; mov %rsp, %rbp; pop %rbp; ret");
}

static __attribute__((naked)) void calls_pushes(void)
{
	asm("call %P0; ret" : : "i" (pushes));
}

PC_TEST(trace, a_uprobes_chain_has_the_caller_of_the_function)
{
	struct pc_sample s;
	char path[512];

	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(pushes, path), 0);
	ASSERT_NE(0, self->attr.type);
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	calls_pushes();
	pc_disable(self->fd);
	ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
	ASSERT_LE(3, s.nr);
	EXPECT_EQ(PERF_CONTEXT_USER, s.ips[0]);
	EXPECT_EQ((unsigned long)pushes, s.ips[1]);
	EXPECT_LT((unsigned long)calls_pushes, s.ips[2]);
	EXPECT_GT((unsigned long)calls_pushes + 16, s.ips[2]);
}
#endif

/* Two equal probes are independent: each counts with its own filter. */
PC_TEST(trace, equal_probes_are_independent)
{
	static const char name[] = PC_CALL_SYMBOL("getpriority");
	int fds[3];

	for (int i = 0; i < 3; i++) {
		self->attr = pc_probe_attr("kprobe", name, 0, 0);
		fds[i] = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(fds[i]);
		pc_enable(fds[i]);
	}
	get_priorities(10);
	close(fds[0]);
	get_priorities(10);
	pc_disable(fds[1]);
	get_priorities(10);
	EXPECT_EQ(20, pc_value(fds[1]));
	EXPECT_EQ(30, pc_value(fds[2]));
	close(fds[1]);
	close(fds[2]);
}

/* Shared memory for a child's result. */
static int *answer;

static int *share_answer(void)
{
	if (!answer)
		answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return answer == MAP_FAILED ? NULL : answer;
}

/* Ask a task for the first byte of probed() in its memory. Returns -1 on failure. */
static int ask_code(struct pc_task *task)
{
	return pc_tell(task, 'a') ? -1 : *answer;
}

static unsigned char first_byte(void *function)
{
	unsigned char *code = function;

	/* Have the compiler load the byte again: the kernel changes it. */
	asm volatile("" : "+r" (code) : : "memory");
	return *code;
}

static void call_or_ask(struct pc_task *t)
{
	char order;

	while ((order = pc_await(t))) {
		if (order == 'c')
			call_probed(t->arg);
		else
			*answer = first_byte(probed);
		pc_done(t);
	}
}

/*
 * A process without a counter hits the probe once; then its original code is restored. A process
 * with a counter keeps the probe, and so do its children.
 */
PC_TEST(trace, an_unwatched_process_hits_a_uprobe_once)
{
	unsigned char code = first_byte(probed);
	struct pc_task other, watched;
	char path[512];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_NE(NULL, share_answer());
	ASSERT_OK(pc_spawn(&other, call_or_ask, 1));
	ASSERT_OK(pc_spawn(&watched, call_or_ask, 1));
	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(probed, path), 0);
	self->fd = pc_open(&self->attr, watched.pid, -1, -1);
	ASSERT_FD(self->fd);
	pc_enable(self->fd);
	EXPECT_NE(code, ask_code(&other));
	for (int i = 0; i < 5; i++) {
		ASSERT_OK(pc_tell(&other, 'c'));
		ASSERT_OK(pc_tell(&watched, 'c'));
	}
	EXPECT_EQ(code, ask_code(&other));
	EXPECT_NE(code, ask_code(&watched));
	EXPECT_EQ(5, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&other));
	EXPECT_EQ(0, pc_reap(&watched));
}

/* With a counter of a CPU every process keeps the probe. */
PC_TEST(trace, a_cpu_counters_uprobe_is_in_all_processes)
{
	char path[512], filter[32];
	struct pc_task task;
	int cpu;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_spawn(&task, call_or_ask, 1));
	ASSERT_OK(pc_pin_task(task.pid, cpu));
	snprintf(filter, sizeof(filter), "common_pid == %d", task.pid);
	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(probed, path), 0);
	self->fd = pc_open(&self->attr, -1, cpu, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, filter));
	pc_enable(self->fd);
	for (int i = 0; i < 5; i++)
		ASSERT_OK(pc_tell(&task, 'c'));
	EXPECT_EQ(5, pc_value(self->fd));
	EXPECT_EQ(0, pc_reap(&task));
}

static void count_probes(struct pc_task *t)
{
	struct perf_counter_attr attr;

	attr = pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0, 0);
	*answer = pc_open(&attr, 0, -1, -1) < 0;
	pc_done(t);
	pc_await(t);
}

static int nr_kprobes(void)
{
	FILE *f = fopen("/sys/kernel/debug/kprobes/list", "re");
	char line[256];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, "getpriority");
	if (f)
		fclose(f);
	return f ? n : -1;
}

/* No probe of a killed task remains, and tracefs shows the probe at no time. */
PC_TEST(trace, a_probe_goes_with_its_descriptor)
{
	struct pc_task task;
	char text[16];
	int fd, status;

	if (access("/sys/kernel/debug/kprobes", R_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	ASSERT_EQ(0, nr_kprobes());
	ASSERT_NE(NULL, share_answer());
	ASSERT_OK(pc_spawn(&task, count_probes, 0));
	ASSERT_OK(pc_reply(&task));
	ASSERT_EQ(0, *answer);
	EXPECT_EQ(1, nr_kprobes());
	fd = open(PC_TRACEFS "/kprobe_events", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(0, read(fd, text, sizeof(text)));
	close(fd);
	kill(task.pid, SIGKILL);
	ASSERT_EQ(task.pid, waitpid(task.pid, &status, 0));
	EXPECT_EQ(0, nr_kprobes());
}

/*
 * A task with many descriptors of probes. The kernel has to release all of them when the task
 * exits.
 */
static void count_many_probes(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_trace_attr("pc_selftest/many");

	*answer = 0;
	for (int i = 0; i < t->arg; i++) {
		*answer |= pc_open(&attr, 0, -1, -1) < 0;
		attr = pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0, 0);
	}
	pc_done(t);
	pc_await(t);
}

PC_TEST(trace, an_exited_task_has_no_probes)
{
	static const char probes[] = PC_TRACEFS "/kprobe_events";
	struct pc_task task;
	int status;

	ASSERT_NE(NULL, share_answer());
	ASSERT_EQ(0, pc_write_text(probes, "p:pc_selftest/many " PC_CALL_SYMBOL("getpriority")));
	ASSERT_OK(pc_spawn(&task, count_many_probes, 40));
	ASSERT_OK(pc_reply(&task));
	EXPECT_EQ(0, *answer);
	EXPECT_EQ(EBUSY, pc_write_text(probes, "-:pc_selftest/many"));
	kill(task.pid, SIGKILL);
	ASSERT_EQ(task.pid, waitpid(task.pid, &status, 0));
	EXPECT_EQ(0, pc_write_text(probes, "-:pc_selftest/many"));
	EXPECT_EQ(0, nr_kprobes());
}

/* Closing the descriptor releases the file of a uprobe: its file system can be unmounted. */
PC_TEST(trace, a_file_system_can_be_unmounted_after_close)
{
	char dir[] = "/tmp/pc_probed_XXXXXX", path[64], line[512];
	int from, to;
	ssize_t n;

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_OK(mount("tmpfs", dir, "tmpfs", 0, NULL));
	snprintf(path, sizeof(path), "%s/program", dir);
	from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ASSERT_LE(0, from);
	ASSERT_LE(0, to);
	do {
		n = sendfile(to, from, NULL, 1 << 20);
	} while (n > 0);
	ASSERT_EQ(0, n);
	close(from);
	close(to);
	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(probed, line), 0);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	EXPECT_EQ(-1, umount(dir));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, umount(dir));
	rmdir(dir);
}

static __u64 stack_of_w[8 << 10][2];

/* A process that shares its parent's memory, and calls probed() when it gets an order. */
static int call_when_told(void *arg)
{
	struct pc_task *t = arg;

	pc_await(t);
	call_probed(1);
	pc_done(t);
	pc_await(t);
	_exit(0);
}

/*
 * The last thread of a process whose leader has exited and is not reaped. It starts a process that
 * shares its memory, reports its pid, and calls probed() when it gets an order.
 */
static void *go_on_alone(void *arg)
{
	struct pc_task *both = arg;

	*answer = clone(call_when_told, stack_of_w + ARRAY_SIZE(stack_of_w), CLONE_VM | SIGCHLD,
			&both[1]);
	pc_done(&both[0]);
	pc_await(&both[0]);
	call_probed(1);
	pc_done(&both[0]);
	pc_await(&both[0]);
	_exit(0);
}

static struct pc_task alone[2];

static void leave_a_thread_alone(struct pc_task *t)
{
	pthread_t thread;

	alone[0] = *t;
	pthread_create(&thread, NULL, go_on_alone, alone);
	pthread_exit(NULL);
}

/*
 * The probe stays in memory that is shared with a process without counters, whose leader has
 * exited.
 */
PC_TEST(trace, a_probe_survives_an_exited_thread_leader)
{
	struct pc_task task;
	char path[512];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_NE(NULL, share_answer());
	ASSERT_OK(pc_task_pipes(&alone[1]));
	ASSERT_OK(pc_spawn(&task, leave_a_thread_alone, 0));
	ASSERT_OK(pc_reply(&task));
	ASSERT_LT(0, *answer);
	self->attr = pc_probe_attr("uprobe", path, pc_offset_in_file(probed, path), 0);
	self->fd = pc_open(&self->attr, *answer, -1, -1);
	ASSERT_FD(self->fd);
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&task, 'c'));
	ASSERT_OK(pc_tell(&alone[1], 'c'));
	EXPECT_EQ(1, pc_value(self->fd));
	close(alone[1].parent_end);
	close(alone[1].child_end);
	kill(*answer, SIGKILL);
	kill(task.pid, SIGKILL);
	EXPECT_LE(0, pc_reap(&task));
}

/* Each errno is that of perf_events. */
PC_TEST(trace, invalid_probes_are_refused)
{
	char path[512], large[5000];
	unsigned long offset = pc_offset_in_file(probed, path);
	struct perf_counter_attr bad[] = {
		pc_probe_attr("kprobe", "no_such_function", 0, 0),
		pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 1, 0),
		pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 1 << 20, 0),
		pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 8, PC_PROBE_RETURNS),
		pc_probe_attr("kprobe", (const char *)8, 0, 0),
		pc_probe_attr("kprobe", large, 0, 0),
		pc_probe_attr("kprobe", NULL, 0, 0),
		pc_probe_attr("kprobe", "", 0, 0),
		pc_probe_attr("uprobe", "/no/such/file", 0, 0),
		pc_probe_attr("uprobe", "/", 0, 0),
		pc_probe_attr("uprobe", "/dev/null", 0, 0),
		pc_probe_attr("uprobe", "", 0, 0),
		pc_probe_attr("uprobe", NULL, 0, 0),
		pc_probe_attr("uprobe", (const char *)8, 0, 0),
		pc_probe_attr("uprobe", large, 0, 0),
		pc_probe_attr("uprobe", path, 1ULL << 40, 0),
	};
	int fd, error, nr_refused = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	memset(large, 'a', sizeof(large));
	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		fd = syscall(__NR_perf_event_open, &bad[i], 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		error = fd < 0 ? errno : 0;
		nr_refused += !!error;
		close(fd);
		fd = pc_open(&bad[i], 0, -1, -1);
		EXPECT_EQ(error, fd < 0 ? errno : 0)
			TH_LOG("number %d", i);
		close(fd);
	}
	/*
	 * Two of these attributes may open: the kernel notices their invalid address only when the
	 * probe is hit, as in perf_events.
	 */
	EXPECT_LE(ARRAY_SIZE(bad) - 2, nr_refused);
	asked = pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0, 0);
	EXPECT_EQ(EACCES, pc_in_nobody(open_as_nobody, 0, 0));
	asked = pc_probe_attr("uprobe", path, offset, 0);
	EXPECT_EQ(EACCES, pc_in_nobody(open_as_nobody, 0, 0));
}

/* Write the name of the first function in the first stack trace of @path to @name. */
static void first_function(const char *path, char name[64])
{
	FILE *f = fopen(path, "re");
	char line[512];

	name[0] = 0;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " => %63[^+\n ]", name) == 1)
			break;
	if (f)
		fclose(f);
}

#define INSTANCE PC_TRACEFS "/instances/pc_selftest"

static void rename_with_a_stack_trace(char first[64])
{
	pc_write_text(INSTANCE "/trace", "");
	pc_write_text(INSTANCE "/events/" RENAME "/enable", "1");
	become("renamed");
	pc_write_text(INSTANCE "/events/" RENAME "/enable", "0");
	first_function(INSTANCE "/trace", first);
}

/* True if /proc/kallsyms has @symbol. */
static bool has_symbol(const char *symbol)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %255s", name) == 1 && !strcmp(name, symbol);
	if (f)
		fclose(f);
	return found;
}

/*
 * ftrace leaves a fixed number of its own functions out of stack traces, with the ORC unwinder one
 * less than otherwise: the probe remains. perf_counter changes the functions that are left out,
 * and must not add a call to them.
 */
PC_TEST(trace, stack_traces_of_ftrace_begin_at_the_event)
{
	const char *expected = "__set_task_comm";
	char first[64];

	if (has_symbol("__start_orc_unwind"))
		expected = "trace_event_raw_event_task_rename";
	ASSERT_OK(mkdir(INSTANCE, 0755));
	EXPECT_EQ(0, pc_write_text(INSTANCE "/trace_options", "stacktrace"));
	rename_with_a_stack_trace(first);
	EXPECT_STREQ(expected, first);

	self->fd = pc_open(&self->attr, 0, -1, -1);
	EXPECT_LE(0, self->fd);
	rename_with_a_stack_trace(first);
	EXPECT_STREQ(expected, first);
	EXPECT_OK(rmdir(INSTANCE));
}

/* The call chain begins at the event in the kernel, and goes on with the caller in user mode. */
PC_TEST(trace, a_call_chain_begins_at_the_event)
{
	struct pc_sample s;

	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	become("where");
	pc_disable(self->fd);
	ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
	EXPECT_GT(0, (__s64)s.ip);
	ASSERT_LE(5, s.nr);
	EXPECT_EQ(PERF_CONTEXT_KERNEL, s.ips[0]);
	EXPECT_EQ(s.ip, s.ips[1]);
	EXPECT_GT(0, (__s64)s.ips[2]);
	for (int i = 2; i < s.nr; i++)
		if (s.ips[i] == PERF_CONTEXT_USER)
			return;
	EXPECT_TRUE(false)
		TH_LOG("the chain has no user frame");
}

PC_TEST(trace, a_period_of_n_samples_every_nth_event)
{
	struct pc_sample s;
	char name[16];

	self->attr.sample_period = 5;
	self->attr.sample_type = PERF_SAMPLE_PERIOD;
	/* With PERF_SAMPLE_PERIOD, perf_events ignores the period and samples each event. */
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	pc_rename("nth", 23);
	pc_disable(self->fd);
	for (int i = 4; i < 23; i += 5) {
		ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		snprintf(name, sizeof(name), "nth%d", i);
		EXPECT_EQ(5, s.period);
		EXPECT_TRUE(is_rename(s.raw, gettid(), name));
	}
	EXPECT_FALSE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	EXPECT_EQ(23, pc_value(self->fd));
}

/* An event that the filter rejects is not counted, and takes no room in the buffer. */
PC_TEST(trace, a_filter_rejects_events)
{
	struct pc_sample s;
	__u64 head;

	open_raw(_metadata, self, 8);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "newcomm == \"yes7\""));
	pc_enable(self->fd);
	pc_rename("no", 50);
	head = pc_ring_head(&self->ring);
	EXPECT_EQ(0, head);
	EXPECT_EQ(0, pc_value(self->fd));
	pc_rename("yes", 20);
	pc_disable(self->fd);
	EXPECT_EQ(1, pc_value(self->fd));
	ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
	EXPECT_TRUE(is_rename(s.raw, gettid(), "yes7"));
	EXPECT_FALSE(pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
}

PC_TEST(trace, a_filter_applies_to_counting)
{
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "newcomm ~ \"yes*\""));
	pc_enable(self->fd);
	pc_rename("no", 9);
	pc_rename("yes", 13);
	pc_disable(self->fd);
	EXPECT_EQ(13, pc_value(self->fd));
}

PC_TEST(trace, invalid_filters_are_refused)
{
	static const char *const bad[] = {
		"", "newcomm", "nosuch == 1", "pid == ", "pid == 1 &&", "pid ~ \"x\"",
	};
	struct perf_counter_attr software = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	char *large = malloc(8192);
	int fd;

	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	for (int i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, bad[i]));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, 8));
	memset(large, ' ', 8191);
	large[8191] = 0;
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, large));
	free(large);

	/* The failed calls have set no filter. */
	pc_enable(self->fd);
	pc_rename("still", 3);
	EXPECT_EQ(3, pc_value(self->fd));

	/* A counter of perf_events keeps its first filter. */
	EXPECT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "pid == 1"));
	EXPECT_ERRNO(EEXIST, ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "pid != 1"));
	pc_rename("none", 3);
	EXPECT_EQ(3, pc_value(self->fd));

	fd = pc_open(&software, 0, -1, -1);
	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "pid == 1"));
	close(fd);
}

PC_TEST(trace, unknown_event_ids_are_refused)
{
	__u64 ids[] = { 0, 0xffff, 0x10000, self->attr.config | 1ULL << 32, ~0ULL };

	for (int i = 0; i < ARRAY_SIZE(ids); i++) {
		self->attr.config = ids[i];
		EXPECT_ERRNO(EINVAL, pc_open(&self->attr, 0, -1, -1));
	}
}

/*
 * The statistics of the scheduler are in ns: the value of a counter is the sum of the ns in the
 * records.
 */
PC_TEST(trace, events_with_a_weight_count_it)
{
	struct pc_field runtime = pc_event_field("sched/sched_stat_runtime", "runtime");
	struct pc_sample s;
	__u64 sum = 0, ns;
	int n = 0;

	self->attr = pc_trace_attr("sched/sched_stat_runtime");
	ASSERT_NE(0, self->attr.config);
	ASSERT_EQ(8, runtime.size);
	/* With PERF_SAMPLE_PERIOD each event is a sample in perf_events, too. */
	self->attr.sample_type = PERF_SAMPLE_PERIOD;
	open_raw(_metadata, self, 256);
	pc_enable(self->fd);
	for (int i = 0; i < 20; i++)
		sched_yield();
	pc_burn(20000000);
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		memcpy(&ns, s.raw + runtime.offset, sizeof(ns));
		EXPECT_EQ(ns, s.period);
		sum += ns;
		n++;
	}
	EXPECT_LT(0, n);
	EXPECT_EQ(sum, pc_value(self->fd))
		TH_LOG("%d samples", n);
}

/* Records that do not fit are counted as lost: each event has a record that is written or lost. */
PC_TEST(trace, written_and_lost_records_are_all_events)
{
	struct pc_ring *ring = &self->ring;
	int written = 0, all = 1000 * (pc_page() / 4096);
	__u64 lost = 0;

	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	pc_rename("full", all);
	written += pc_ring_count(ring, PERF_RECORD_SAMPLE);
	/* The next record fits, and reports the losses. */
	pc_rename("fits", 1);
	pc_disable(self->fd);
	while (pc_ring_next(ring, &rec)) {
		written += rec.header.type == PERF_RECORD_SAMPLE;
		if (rec.header.type == PERF_RECORD_LOST)
			lost += rec.words[2];
	}
	EXPECT_LT(0, lost);
	EXPECT_EQ(all + 1, written + lost);
	EXPECT_EQ(all + 1, pc_value(self->fd));
}

/*
 * The probe records the path of an open() several times, so the length of the path determines the
 * size of the record. Some records are larger than a record can be. A record is written as a whole
 * or counted as missed.
 */
#define RAW_MAX 32768

static void define_strings(struct __test_metadata *_metadata, int n)
{
	char definition[4096];
	int len;

	len = snprintf(definition, sizeof(definition), "p:pc_selftest/strings do_sys_openat2");
	for (int i = 0; i < n; i++)
		len += snprintf(definition + len, sizeof(definition) - len,
				" s%d=+0($arg2):ustring", i);
	ASSERT_EQ(0, pc_write_text(PC_TRACEFS "/kprobe_events", definition));
}

static void open_long(int len)
{
	char path[4096];
	int fd;

	/* The path is "/./././dev/null" or "//./././dev/null". */
	for (int i = 0; i < len - 9; i++)
		path[i] = i % 2 == (len - 9) % 2 ? '/' : '.';
	path[0] = '/';
	memcpy(path + len - 9, "/dev/null", sizeof("/dev/null"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
}

/* True if @s has @n strings, each a path of @len characters. */
static bool has_paths(const struct pc_sample *s, int n, int len)
{
	char name[16];

	for (int i = 0; i < n; i++) {
		struct pc_field field;
		unsigned int loc;

		snprintf(name, sizeof(name), "s%d", i);
		field = pc_event_field("pc_selftest/strings", name);
		if (field.size != sizeof(loc))
			return false;
		loc = pc_raw_int(s->raw, field);
		if ((loc >> 16) != len + 1 || (loc & 0xffff) + len + 1 > s->raw_size ||
		    strnlen(s->raw + (loc & 0xffff), len + 1) != len ||
		    memcmp(s->raw + (loc & 0xffff) + len - 9, "/dev/null", 10))
			return false;
	}
	return true;
}

PC_TEST(trace, a_record_of_any_size_is_whole_or_missed)
{
	static const int strings[] = { 1, 2, 7, 8, 9, 15, 16, 17, 24, 48 };
	static const int lengths[] = { 12, 100, 681, 1300, 2047, 3600, 4085, 4090 };
	static const char probes[] = PC_TRACEFS "/kprobe_events";

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	for (int i = 0; i < ARRAY_SIZE(strings); i++) {
		__u64 missed = 0, tail;
		int n = strings[i];

		define_strings(_metadata, n);
		self->attr = pc_trace_attr("pc_selftest/strings");
		EXPECT_NE(0, self->attr.config);
		open_raw(_metadata, self, 128);
		for (int j = 0; j < ARRAY_SIZE(lengths); j++) {
			/*
			 * The record has a header, and for each string a field and the string
			 * itself.
			 */
			int len = lengths[j], least = n * (len + 1), most = least + 4 * n + 32;
			struct pc_sample s;
			bool got, fits = least <= RAW_MAX;

			pc_enable(self->fd);
			open_long(len);
			pc_disable(self->fd);
			got = pc_ring_next(&self->ring, &rec);
			EXPECT_EQ(1 + j, pc_value(self->fd));
			missed += !got;
			EXPECT_EQ(missed, pc_missed(self->fd));
			/*
			 * For sizes between these limits, the result depends on the size of the
			 * header.
			 */
			if (!fits || most <= RAW_MAX)
				EXPECT_EQ(fits, got) TH_LOG("%d strings of %d", n, len);
			if (got) {
				EXPECT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
				ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
				EXPECT_TRUE(has_paths(&s, n, len)) TH_LOG("%d of %d", n, len);
			}
			tail = self->ring.tail;
			EXPECT_EQ(tail, pc_ring_head(&self->ring));
		}
		pc_ring_unmap(&self->ring);
		close(self->fd);
		self->fd = -1;
		ASSERT_EQ(0, pc_write_text(probes, "-:pc_selftest/strings"));
	}
}

PC_TEST(trace, a_refresh_limit_is_kept)
{
	open_raw(_metadata, self, 8);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 3));
	pc_rename("limit", 10);
	EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(trace, a_reader_is_woken)
{
	struct pollfd poll_fd;
	struct pc_task task;

	ASSERT_OK(pc_spawn(&task, renamer, 3));
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_RAW;
	self->attr.wakeup_events = 3;
	self->attr.disabled = 0;
	self->fd = pc_open(&self->attr, task.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 8));
	ASSERT_OK(pc_order(&task, RENAME_NOW));
	poll_fd = (struct pollfd){ .fd = self->fd, .events = POLLIN };
	EXPECT_EQ(1, poll(&poll_fd, 1, -1));
	EXPECT_TRUE(poll_fd.revents & POLLIN);
	ASSERT_OK(pc_reply(&task));
	EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, pc_reap(&task));
}

/* Each sample sends a signal, with PERF_COUNTER_IOC_REFRESH and without it. */
PC_TEST(trace, a_sample_sends_a_signal)
{
	const struct timespec none = {}, patience = { .tv_sec = 60 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	ASSERT_OK(sigprocmask(SIG_BLOCK, &set, NULL));
	open_raw(_metadata, self, 8);
	ASSERT_OK(fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_OK(fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR | O_ASYNC));
	for (int limited = 0; limited < 2; limited++) {
		if (limited)
			ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 4));
		else
			ASSERT_OK(pc_enable(self->fd));
		for (int i = 0; i < 3; i++) {
			pc_rename("self", 1);
			ASSERT_EQ(SIGRTMIN, sigtimedwait(&set, &info, &patience));
			EXPECT_EQ(POLL_IN, info.si_code);
			EXPECT_EQ(self->fd, info.si_fd);
		}
		EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, &info, &none));
		ASSERT_OK(pc_disable(self->fd));
		EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	}
}

PC_TEST(trace, raw_data_need_permission)
{
	long paranoid = pc_sysctl_read("paranoid");

	for (int level = -1; level <= 2; level++) {
		ASSERT_OK(pc_sysctl_write("paranoid", level));
		asked = self->attr;
		EXPECT_EQ(0, pc_in_nobody(open_as_nobody, 0, 0));
		EXPECT_EQ(0, pc_in_nobody(open_as_nobody, PERF_SAMPLE_IP, 0));
		EXPECT_EQ(level < 0 ? 0 : EPERM, pc_in_nobody(open_as_nobody, PERF_SAMPLE_RAW, 0))
			TH_LOG("level %d", level);
		/* The tracepoint declares that every user may have its own records. */
		asked = pc_trace_attr("raw_syscalls/sys_enter");
		EXPECT_EQ(0, pc_in_nobody(open_as_nobody, PERF_SAMPLE_RAW, 0))
			TH_LOG("level %d", level);
	}
	ASSERT_OK(pc_sysctl_write("paranoid", paranoid));
}

/* System calls of a task are counted exactly, with their arguments. */
PC_TEST(trace, system_calls_are_counted_exactly)
{
	struct pc_field id = pc_event_field("raw_syscalls/sys_enter", "id");
	struct pc_field args = pc_event_field("raw_syscalls/sys_enter", "args");
	struct pc_sample s;
	__u64 word;
	int n = 0;

	self->attr = pc_trace_attr("raw_syscalls/sys_enter");
	ASSERT_NE(0, self->attr.config);
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	for (int i = 0; i < 40; i++)
		syscall(SYS_getpriority, 12345 + i, 2, 3, 4, 5, 6);
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		memcpy(&word, s.raw + id.offset, sizeof(word));
		if (word != SYS_getpriority)
			continue;
		memcpy(&word, s.raw + args.offset, sizeof(word));
		EXPECT_EQ(12345 + n, word);
		memcpy(&word, s.raw + args.offset + 5 * sizeof(word), sizeof(word));
		EXPECT_EQ(6, word);
		n++;
	}
	EXPECT_EQ(40, n);
	/* The ioctl() that disables the counter is one more system call. */
	EXPECT_EQ(41, pc_value(self->fd));
}

/*
 * A system call is not watched any more when its counter is closed, while others are. The closed
 * event's memory is used again: an event that comes later must not count the calls of the old one.
 */
PC_TEST(trace, a_closed_system_call_is_not_watched)
{
	static const char *const unused[] = {
		"accept", "accept4", "acct", "bind", "chroot", "connect", "delete_module", "fchdir",
		"fchmod", "fchown", "flock", "fsync", "ftruncate", "getitimer", "getpeername",
		"getsockname", "init_module", "kexec_load", "linkat", "listen", "mincore",
		"mkdirat", "mknodat", "mlock", "mlockall", "msgget", "msync", "pivot_root", "ptrace",
		"quotactl", "readahead", "recvmsg", "sched_getparam", "semget", "setdomainname",
		"sethostname", "setpriority", "settimeofday", "shmget", "shutdown", "socketpair",
		"swapoff", "swapon", "symlinkat", "sync", "syncfs", "tee", "truncate", "unlinkat",
		"unshare", "vhangup", "vmsplice",
	};
	struct perf_counter_attr attr = pc_trace_attr("syscalls/sys_enter_getpgid");
	int kept, closed, fds[ARRAY_SIZE(unused)], cpu;
	char name[64];

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	ASSERT_NE(0, attr.config);
	attr.disabled = 0;
	kept = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(kept);
	attr.config = pc_event_id("syscalls/sys_enter_getpriority");
	ASSERT_NE(0, attr.config);
	closed = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(closed);
	get_priorities(3);
	EXPECT_EQ(3, pc_value(closed));
	close(closed);
	/* Let the kernel free the event. */
	for (int i = 0; i < 3; i++)
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	for (int i = 0; i < ARRAY_SIZE(unused); i++) {
		snprintf(name, sizeof(name), "syscalls/sys_enter_%s", unused[i]);
		attr.config = pc_event_id(name);
		fds[i] = attr.config ? pc_open(&attr, 0, -1, -1) : -1;
	}
	get_priorities(5);
	syscall(SYS_getpgid, 0);
	EXPECT_EQ(1, pc_value(kept));
	for (int i = 0; i < ARRAY_SIZE(unused); i++) {
		if (fds[i] < 0)
			continue;
		EXPECT_EQ(0, pc_value(fds[i])) TH_LOG("%s", unused[i]);
		close(fds[i]);
	}
	close(kept);
}

/* Events of interrupts and of tasks are in one buffer, in order. */
PC_TEST(trace, events_of_interrupts_are_in_order)
{
	struct pc_sample s;
	__u64 last = 0;
	int n = 0;

	self->attr = pc_trace_attr(PC_TIMER_EVENT);
	ASSERT_NE(0, self->attr.config);
	self->attr.sample_type = PERF_SAMPLE_TIME;
	open_raw(_metadata, self, 8);
	pc_enable(self->fd);
	while (pc_value(self->fd) < 5)
		;
	pc_disable(self->fd);
	while (pc_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		EXPECT_LE(last, s.time);
		last = s.time;
		n++;
	}
	EXPECT_EQ(pc_value(self->fd), n);
}

struct race {
	struct perf_counter_attr attr;
	int stop;
};

/* Open, count and close until told to stop. */
static void *open_for_ever(void *arg)
{
	struct race *race = arg;
	int fd;

	while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED)) {
		fd = pc_open(&race->attr, 0, -1, -1);
		if (fd < 0)
			return strerror(errno);
		pc_enable(fd);
		prctl(PR_SET_NAME, "race");
		if (pc_value(fd) != 1)
			return "a rename was not counted once";
		close(fd);
	}
	return NULL;
}

/* Counters that are opened and closed do not disturb others of the event. */
PC_TEST(trace, a_counter_goes_on_while_others_close)
{
	struct race race = { .attr = self->attr };
	int rounds = pc_rounds(2000);
	pthread_t threads[2];
	void *error;

	for (int i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, open_for_ever, &race));
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_RAW;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	pc_enable(self->fd);
	for (int i = 0; i < rounds; i++) {
		become("stays");
		ASSERT_EQ(1, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	}
	EXPECT_EQ(rounds, pc_value(self->fd));
	__atomic_store_n(&race.stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &error);
		EXPECT_EQ(NULL, error)
			TH_LOG("%s", (char *)error);
	}
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation of a call fails once. The test repeats a call: in the first repetition the first
 * allocation fails, in the second repetition the second allocation, and so on until the call has no
 * more allocations. Each time the call has to fail with ENOMEM without any effect, or to succeed
 * and to do its work. The call in which no allocation fails has to succeed.
 *
 * The first call of its kind since boot allocates some memory that stays. This allocation is tested
 * only if no other program has made such a call.
 */
#include <link.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "pc_arch.h"
#include "pc_fail.h"
#include "pc_hw.h"
#include "pc_side.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_work.h"

/*
 * Limit on the repetitions of a call: more than any call has allocations. It ends the test of a
 * call that makes no progress.
 */
#define MOST 5000

/* Number of events that the work for a counter raises. */
#define EVENTS 3

#define MAX_CPUS 8

static union pc_record rec;

/**
 * struct call - a call whose allocations fail
 * @name: name of the call in messages
 * @before: function that prepares the call, or NULL
 * @call: function that makes the call; returns -1 with errno if it fails
 * @works: function that checks the work of a call that has returned the second argument
 * @undo: function that undoes a successful call; NULL if @works does
 * @error: errno beside ENOMEM that the rest of the kernel returns for a failure, or 0
 * @intact: function that checks that a failed call has changed nothing, or NULL
 * @attr: attributes of the counter that the call opens
 * @pid: task of this counter
 * @cpu: CPU of this counter, or the CPU that the call takes offline or online
 * @group: leader of this counter's group, or -1
 * @flags: flags of the call
 * @work: function that raises EVENTS events while the counter is enabled; NULL if their number is
 *	not known
 * @more: true if other tasks raise events, too
 * @fds: counters of the call
 * @nr: number of @fds
 * @total: count of the first counter
 * @pages: data pages of the buffer
 * @ring: mapping of the buffer
 * @task: task that the call's counter counts, if it is another task than the test
 * @path: file or filter of the call
 * @home: CPU that the test returns to after the call
 */
struct call {
	const char *name;
	int (*before)(struct call *c);
	long (*call)(struct call *c);
	bool (*works)(struct call *c, long ret);
	void (*undo)(struct call *c, long ret);
	int error;
	bool (*intact)(struct call *c);
	struct perf_counter_attr attr;
	pid_t pid;
	int cpu;
	int group;
	unsigned long flags;
	void (*work)(int fd);
	bool more;
	int fds[16];
	int nr;
	__u64 total;
	int pages;
	struct pc_ring ring;
	struct pc_task task;
	const char *path;
	int home;
};

/* Report an error in front of the result of the test. Returns false. */
static bool complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
	return false;
}

/* Return the lowest free descriptor. A call that leaves a descriptor open changes it. */
static int free_fd(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

	close(fd);
	return fd;
}

/*
 * Check the outcome of the call, whose result is @ret and whose errno is @err. Returns a
 * description of what is wrong, or NULL.
 */
static const char *check_outcome(struct call *c, long ret, int err, bool happened)
{
	if (ret >= 0) {
		if (!c->works(c, ret))
			return "it has succeeded half";
		if (c->undo)
			c->undo(c, ret);
		return NULL;
	}
	if (!happened)
		return "it fails, and no allocation has failed";
	if (err != ENOMEM && err != c->error)
		return strerror(err);
	return c->intact && !c->intact(c) ? "it has failed half" : NULL;
}

/*
 * Make the call once and have its @nth allocation fail; with 0 none fails. Returns 1 if an
 * allocation failed, 0 if the call made fewer, -1 if the outcome is wrong.
 */
static int attempt_call(struct call *c, int fail_fd, int nth, int *failures)
{
	const char *wrong;
	int fd = free_fd(), err;
	bool happened;
	long ret;

	if (c->before && c->before(c))
		return -1;
	pc_fail_nth(fail_fd, nth);
	ret = c->call(c);
	err = errno;
	happened = nth && pc_fail_happened(fail_fd);
	pc_fail_nth(fail_fd, 0);
	*failures += ret < 0;
	wrong = check_outcome(c, ret, err, happened);
	if (!wrong && free_fd() != fd)
		wrong = "a descriptor is left";
	if (!wrong)
		return happened;
	complain("%s, allocation %d: %s", c->name, nth, wrong);
	return -1;
}

/*
 * Repeat the call until none of its allocations fails. Returns the number of failures, or -1 if an
 * outcome is wrong.
 */
static int fail_each(struct call *c)
{
	int fd = pc_fail_open(), failures = 0, nth = 0, ret;

	if (fd < 0)
		return -1;
	do {
		ret = attempt_call(c, fd, ++nth, &failures);
		if (ret > 0 && attempt_call(c, fd, 0, &failures))
			ret = -1;
	} while (ret > 0 && nth < MOST);
	close(fd);
	printf("# %s: %d allocations, %d errors\n", c->name, nth - 1, failures);
	return ret ? -1 : failures;
}

static const char cannot_fail[] = "the kernel has no CONFIG_FAILSLAB and CONFIG_FAIL_PAGE_ALLOC";

/*
 * Have the allocations of all slab caches fail. There are hundreds of caches, so this is done only
 * once after boot.
 */
static int prepare_caches(void)
{
	char text[2] = "";
	int fd = open("/sys/kernel/slab/perf_counter_desc/failslab", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, text, 1) == 1 && *text == '1') {
		close(fd);
		return 0;
	}
	close(fd);
	return pc_fail_caches("");
}

FIXTURE(alloc) {
	struct call c;
	int cpus[MAX_CPUS];
	int nr_cpus;
	long mlock_kb;
};

FIXTURE_SETUP(alloc)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (getenv("PC_PMU"))
		SKIP(return, "the machine need not have a PMU");
	if (pc_fail_prepare())
		SKIP(return, "%s", cannot_fail);
	ASSERT_OK(prepare_caches());
	self->nr_cpus = pc_cpus(self->cpus, MAX_CPUS);
	ASSERT_LE(1, self->nr_cpus);
	ASSERT_OK(pc_pin(self->cpus[0]));
	ASSERT_OK(pc_tracefs());
	self->mlock_kb = pc_sysctl_read("mlock_kb");
	pc_faults(EVENTS);
}

FIXTURE_TEARDOWN(alloc)
{
	if (self->nr_cpus) {
		pc_sysctl_write("mlock_kb", self->mlock_kb);
		pc_fail_pages(false);
	}
}

/* The work_*() functions raise EVENTS events each. */
static void work_faults(int fd)
{
	pc_count_faults(fd, EVENTS);
}

static void work_renames(int fd)
{
	pc_enable(fd);
	pc_rename("fails", EVENTS);
	pc_disable(fd);
}

static void get_priorities(int n)
{
	while (n--)
		syscall(SYS_getpriority, PRIO_PROCESS, 0);
}

static void work_priorities(int fd)
{
	pc_enable(fd);
	get_priorities(EVENTS);
	pc_disable(fd);
}

static long probed(long n)
{
	return n + 1;
}

static void work_probed(int fd)
{
	/*
	 * Call probed() by a pointer that the compiler does not know, so that the call is not
	 * inlined.
	 */
	long (*call)(long n) = probed;

	asm("" : "+r"(call));
	pc_enable(fd);
	for (int i = 0; i < EVENTS; i++)
		call(i);
	pc_disable(fd);
}

/* === Opening === */
static long call_open(struct call *c)
{
	return pc_open_raw(&c->attr, c->pid, c->cpu, c->group, c->flags);
}

static bool opened_works(struct call *c, long fd)
{
	__u64 count;

	if (!c->work) {
		char values[1024];

		return pc_enable(fd) == 0 && read(fd, values, sizeof(values)) > 0;
	}
	c->work(fd);
	count = pc_value(fd);
	if (count == EVENTS || (c->more && count > EVENTS && count != ~0ULL))
		return true;
	return complain("%s: the counter has counted %llu events", c->name, count);
}

static void undo_open(struct call *c, long fd)
{
	close(fd);
}

static struct call a_call(const char *name, long (*call)(struct call *c),
			  bool (*works)(struct call *c, long ret))
{
	struct call c = { .name = name, .call = call, .works = works };

	return c;
}

/* Return a call that opens a counter of the current task. @work raises the counter's events. */
static struct call open_of(const char *name, struct perf_counter_attr attr, void (*work)(int fd))
{
	struct call c = a_call(name, call_open, opened_works);

	c.attr = attr;
	c.cpu = -1;
	c.group = -1;
	c.flags = PERF_COUNTER_FLAG_FD_CLOEXEC;
	c.work = work;
	c.undo = undo_open;
	return c;
}

/* Return a call that opens a counter of the whole machine. @work raises the counter's events. */
static struct call open_of_all(const char *name, struct perf_counter_attr attr,
			       void (*work)(int fd))
{
	struct call c = open_of(name, attr, work);

	c.pid = -1;
	c.more = true;
	return c;
}

PC_TEST(alloc, opening_a_tracepoint_survives_failures)
{
	struct perf_counter_attr attr = pc_trace_attr("task/task_rename");
	struct perf_counter_attr call = pc_trace_attr("syscalls/sys_enter_getpriority");

	ASSERT_NE(0, attr.config);
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN;
	attr.sample_period = 1;
	self->c = open_of("a tracepoint", attr, work_renames);
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_all("a tracepoint of the machine", attr, work_renames);
	EXPECT_LT(0, fail_each(&self->c));
	ASSERT_NE(0, call.config);
	call.sample_type = PERF_SAMPLE_RAW;
	call.sample_period = 1;
	call.config1 = 64;
	self->c = open_of("a system call with its arguments", call, work_priorities);
	EXPECT_LT(0, fail_each(&self->c));
}

/* Return the number of kprobes on the function that the tests call. */
static int nr_kprobes(void)
{
	FILE *f = fopen(PC_DEBUGFS "/kprobes/list", "re");
	char line[256];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, "getpriority");
	if (f)
		fclose(f);
	return f ? n : -1;
}

static bool no_kprobe(struct call *c)
{
	return !nr_kprobes() || complain("a probe is left");
}

/* First instruction of probed(), read while no probe has replaced it by a breakpoint. */
static __u32 instruction;

static __u32 read_instruction(void)
{
	__u32 now;

	memcpy(&now, probed, sizeof(now));
	return now;
}

static bool no_uprobe(struct call *c)
{
	return read_instruction() == instruction || complain("a breakpoint is left");
}

/* Open a counter of a probe without a failure, so that the call can close it. */
static int before_close(struct call *c)
{
	c->fds[0] = call_open(c);
	return c->fds[0] < 0 ? -1 : 0;
}

static long call_close(struct call *c)
{
	return close(c->fds[0]);
}

static bool closed_works(struct call *c, long ret)
{
	return c->intact(c);
}

static struct call close_of(const char *name, const struct call *open)
{
	struct call c = *open;

	c.name = name;
	c.before = before_close;
	c.call = call_close;
	c.works = closed_works;
	c.undo = NULL;
	return c;
}

PC_TEST(alloc, kprobes_survive_failures)
{
	struct perf_counter_attr attr, text = pc_attr(PERF_COUNT_SW_DUMMY);
	struct pc_ring ring;
	int fd;

	/* This counter gets the records of code that probes change. */
	text.text_poke = 1;
	text.ksymbol = 1;
	fd = pc_open(&text, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	attr = pc_probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0, 0);
	self->c = open_of("a kprobe", attr, work_priorities);
	self->c.intact = no_kprobe;
	EXPECT_LT(0, fail_each(&self->c));
	EXPECT_LT(0, pc_ring_count(&ring, PERF_RECORD_TEXT_POKE));
	self->c = close_of("closing a kprobe", &self->c);
	EXPECT_LE(0, fail_each(&self->c));
	attr.config |= PC_PROBE_RETURNS;
	self->c = open_of_all("a kretprobe of the machine", attr, work_priorities);
	self->c.intact = no_kprobe;
	EXPECT_LT(0, fail_each(&self->c));
	pc_ring_unmap(&ring);
	close(fd);
	EXPECT_EQ(0, nr_kprobes());
}

PC_TEST(alloc, uprobes_survive_failures)
{
	struct perf_counter_attr attr;
	unsigned long offset;
	char path[512];

	ASSERT_OK(pc_fail_pages(true));
	instruction = read_instruction();
	offset = pc_offset_in_file(probed, path);
	ASSERT_NE(0, offset);
	attr = pc_probe_attr("uprobe", path, offset, 0);
	self->c = open_of("a uprobe", attr, work_probed);
	self->c.intact = no_uprobe;
	EXPECT_LT(0, fail_each(&self->c));
	self->c = close_of("closing a uprobe", &self->c);
	EXPECT_LE(0, fail_each(&self->c));
	attr.config |= PC_PROBE_RETURNS;
	self->c = open_of("a uretprobe", attr, work_probed);
	self->c.intact = no_uprobe;
	EXPECT_LT(0, fail_each(&self->c));
	EXPECT_EQ(instruction, read_instruction());
}

/* A failed open leaves no reference to its probe: afterwards, tracefs can remove the probe. */
PC_TEST(alloc, failures_leave_no_probe_in_tracefs)
{
	static const char probes[] = PC_TRACEFS "/kprobe_events";

	ASSERT_EQ(0, pc_write_text(probes, "p:pc_fail/probe " PC_CALL_SYMBOL("getpriority")));
	self->c = open_of("a kprobe of tracefs", pc_trace_attr("pc_fail/probe"), work_priorities);
	EXPECT_NE(0, self->c.attr.config);
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_all("a kprobe of tracefs of the machine", self->c.attr, work_priorities);
	EXPECT_LT(0, fail_each(&self->c));
	EXPECT_EQ(0, pc_write_text(probes, "-:pc_fail/probe"));
	EXPECT_EQ(0, nr_kprobes());
}

static void waits(struct pc_task *t)
{
	pc_await(t);
}

/* Start another task that has no counter yet. */
static int before_other(struct call *c)
{
	if (pc_spawn(&c->task, waits, 0))
		return -1;
	c->pid = c->task.pid;
	return 0;
}

static long call_open_other(struct call *c)
{
	long fd = call_open(c);
	int err = errno;

	if (fd < 0) {
		pc_reap(&c->task);
		errno = err;
	}
	return fd;
}

static void undo_open_other(struct call *c, long fd)
{
	close(fd);
	pc_reap(&c->task);
}

static struct call open_of_other(const char *name, struct perf_counter_attr attr)
{
	struct call c = open_of(name, attr, NULL);

	c.before = before_other;
	c.call = call_open_other;
	c.undo = undo_open_other;
	return c;
}

PC_TEST(alloc, opening_software_events_survives_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	self->c = open_of("page faults", attr, work_faults);
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_all("page faults of the machine", attr, work_faults);
	EXPECT_LT(0, fail_each(&self->c));
	self->c.name = "page faults of a CPU";
	self->c.cpu = self->cpus[0];
	EXPECT_LT(0, fail_each(&self->c));
	attr.inherit = 1;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->c = open_of("samples of page faults", attr, work_faults);
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of("the CPU's clock", pc_attr(PERF_COUNT_SW_CPU_CLOCK), NULL);
	self->c.attr.sample_period = 10000000;
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of("time off the CPU", pc_attr(PERF_COUNT_SW_OFF_CPU), NULL);
	EXPECT_LT(0, fail_each(&self->c));
	/* The first counter of the time off the CPU gives each task memory for this time. */
	self->c = open_of_all("time off the CPU of all tasks", pc_attr(PERF_COUNT_SW_OFF_CPU),
			      NULL);
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_other("a clock of another task", pc_attr(PERF_COUNT_SW_TASK_CLOCK));
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_other("a tracepoint of another task", pc_trace_attr("task/task_rename"));
	EXPECT_LT(0, fail_each(&self->c));
}

PC_TEST(alloc, opening_side_band_survives_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.munmap = 1;
	attr.comm = 1;
	attr.task = 1;
	attr.context_switch = 1;
	attr.namespaces = 1;
	attr.cgroup = 1;
	attr.ksymbol = 1;
	attr.text_poke = 1;
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	self->c = open_of("side-band records", attr, NULL);
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_all("side-band records of the machine", attr, NULL);
	EXPECT_LT(0, fail_each(&self->c));
}

static long call_group_read(struct call *c)
{
	char values[1024];

	return read(c->fds[0], values, sizeof(values));
}

static bool group_read_works(struct call *c, long ret)
{
	return ret == (long)pc_read_size(c->attr.read_format, c->nr);
}

PC_TEST(alloc, groups_survive_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pc_ring ring;
	int leader;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	leader = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(leader);
	ASSERT_OK(pc_ring_map(&ring, leader, 1));
	self->c = open_of("a member with the leader's buffer",
			  pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES), NULL);
	self->c.group = leader;
	self->c.flags |= PERF_COUNTER_FLAG_FD_OUTPUT;
	EXPECT_LT(0, fail_each(&self->c));
	self->c.name = "a tracepoint as a member";
	self->c.attr = pc_trace_attr("task/task_rename");
	EXPECT_LT(0, fail_each(&self->c));
	pc_ring_unmap(&ring);

	/* The values do not fit on the kernel's stack, so the kernel allocates memory for them. */
	memset(&self->c, 0, sizeof(self->c));
	self->c = a_call("reading a group", call_group_read, group_read_works);
	self->c.fds[0] = leader;
	self->c.attr.read_format = attr.read_format;
	for (self->c.nr = 1; self->c.nr < 16; self->c.nr++) {
		attr = pc_attr(PERF_COUNT_SW_DUMMY);
		self->c.fds[self->c.nr] = pc_open(&attr, 0, -1, leader);
		ASSERT_FD(self->c.fds[self->c.nr]);
	}
	EXPECT_LT(0, fail_each(&self->c));
	for (int i = 0; i < self->c.nr; i++)
		close(self->c.fds[i]);
}

static long call_machine_read(struct call *c)
{
	return pc_value(c->fds[0]) == ~0ULL ? -1 : 0;
}

static long call_prctl(struct call *c)
{
	return prctl(PR_TASK_PERF_COUNTERS_DISABLE) || prctl(PR_TASK_PERF_COUNTERS_ENABLE) ? -1 : 0;
}

static bool always_works(struct call *c, long ret)
{
	return true;
}

/* These calls allocate no memory, or only memory for which the kernel injects no failures. */
PC_TEST(alloc, calls_without_injected_failures_succeed)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_TASK_CLOCK);
	int fd = pc_open(&attr, -1, -1, -1);

	ASSERT_FD(fd);
	self->c = a_call("reading the machine", call_machine_read, always_works);
	self->c.fds[0] = fd;
	EXPECT_EQ(0, fail_each(&self->c));
	self->c = a_call("prctl", call_prctl, always_works);
	EXPECT_EQ(0, fail_each(&self->c));
	close(fd);
}

/* === Buffers === */

/* KiB of memory that the user has locked beyond the sysctl's limit; -1 if /proc does not say. */
static long pinned_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];
	long kb = -1;

	while (f && kb < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "VmPin: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

static bool nothing_pinned(struct call *c)
{
	return !pinned_kb() || complain("%ld KiB are locked", pinned_kb());
}

static long call_mmap(struct call *c)
{
	void *map = mmap(NULL, (1 + c->pages) * pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED,
			 c->fds[0], 0);

	return map == MAP_FAILED ? -1 : (long)map;
}

/* Check that records arrive in the rings, and that no record is lost before the buffer is full. */
static bool mmap_works(struct call *c, long ret)
{
	struct pc_ring parts[PERF_COUNTER_SUBRINGS_MAX];
	int n, samples = 0;

	pc_ring_at(&c->ring, c->fds[0], (void *)ret, c->pages);
	if (!nothing_pinned(c))
		return false;
	if (!c->pages)
		return !pc_ring_more(&c->ring)->nr_rings;
	pc_count_faults(c->fds[0], EVENTS);
	n = pc_ring_split(&c->ring, parts);
	for (int i = 0; i < n; i++)
		samples += pc_ring_count(&parts[i], PERF_RECORD_SAMPLE);
	if (samples == EVENTS || (c->more && samples > EVENTS))
		return true;
	return complain("%s: %d samples in %d rings", c->name, samples, n);
}

static void undo_mmap(struct call *c, long ret)
{
	munmap((void *)ret, (1 + c->pages) * pc_page());
}

PC_TEST(alloc, mapping_a_buffer_survives_failures)
{
	static const int pages[] = { 0, 1, 8 };
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	ASSERT_OK(pc_fail_pages(true));
	self->c = a_call("a buffer of a task", call_mmap, mmap_works);
	self->c.undo = undo_mmap;
	self->c.intact = nothing_pinned;
	for (int i = 0; i < 2 * (int)ARRAY_SIZE(pages); i++) {
		bool machine = i >= (int)ARRAY_SIZE(pages);
		long each;

		attr.subrings = machine;
		self->c.more = machine;
		if (machine)
			self->c.name = "a buffer of the machine";
		self->c.pages = pages[i % ARRAY_SIZE(pages)];
		self->c.fds[0] = pc_open(&attr, machine ? -1 : 0, -1, -1);
		ASSERT_FD(self->c.fds[0]);
		/* This buffer uses up the sysctl's limit. */
		each = (1 + self->c.pages + self->nr_cpus - 1) / self->nr_cpus;
		ASSERT_EQ(0, pc_sysctl_write("mlock_kb", each * pc_page() / 1024));
		EXPECT_LT(0, fail_each(&self->c));
		close(self->c.fds[0]);
	}
}

#define SPLICED 200

static int before_splice(struct call *c)
{
	/*
	 * If the call before has failed, the ring still has the records that it should splice:
	 * write no further ones.
	 */
	if (pc_ring_head(&c->ring) == *c->ring.tail_at)
		pc_count_faults(c->fds[0], SPLICED);
	c->total = pc_ring_head(&c->ring) - *c->ring.tail_at;
	return c->total ? 0 : -1;
}

static long call_splice(struct call *c)
{
	return splice(c->fds[0], NULL, c->fds[2], NULL, 1 << 20, SPLICE_F_NONBLOCK);
}

static bool spliced_works(struct call *c, long ret)
{
	static char bytes[1 << 16];
	struct perf_event_header header;
	long len = read(c->fds[1], bytes, sizeof(bytes)), at;
	int n = 0;

	for (at = 0; at + (long)sizeof(header) <= len; at += header.size, n++) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.type != PERF_RECORD_SAMPLE || header.size < sizeof(header))
			return complain("a record of type %u in the pipe", header.type);
	}
	return (ret == len && ret == (long)c->total && at == len && n == SPLICED) ||
	       complain("%d records, %ld of %llu bytes in the pipe", n, len, c->total);
}

static bool splice_intact(struct call *c)
{
	return c->total == pc_ring_head(&c->ring) - *c->ring.tail_at ||
	       complain("records are gone");
}

PC_TEST(alloc, splice_survives_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	self->c = a_call("splice", call_splice, spliced_works);
	self->c.before = before_splice;
	self->c.intact = splice_intact;
	self->c.fds[0] = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(self->c.fds[0]);
	ASSERT_OK(pc_ring_map(&self->c.ring, self->c.fds[0], 4));
	ASSERT_OK(pipe2(self->c.fds + 1, O_CLOEXEC));
	ASSERT_OK(pc_fail_pages(true));
	EXPECT_LT(0, fail_each(&self->c));
	pc_ring_unmap(&self->c.ring);
	for (int i = 0; i < 3; i++)
		close(self->c.fds[i]);
}

static int before_filter(struct call *c)
{
	c->fds[0] = call_open(c);
	return c->fds[0] < 0 ? -1 : 0;
}

/*
 * Set a filter. If that fails, check that the counter has no filter: a second attempt has to
 * succeed.
 */
static long call_filter(struct call *c)
{
	int ret = ioctl(c->fds[0], PERF_EVENT_IOC_SET_FILTER, c->path), err = errno;

	if (ret) {
		ret = ioctl(c->fds[0], PERF_EVENT_IOC_SET_FILTER, c->path);
		if (ret)
			err = EEXIST;
		close(c->fds[0]);
		errno = err;
		return -1;
	}
	return 0;
}

static bool filtered_works(struct call *c, long ret)
{
	work_renames(c->fds[0]);
	return pc_value(c->fds[0]) == 1;
}

static void undo_filter(struct call *c, long ret)
{
	close(c->fds[0]);
}

PC_TEST(alloc, setting_a_filter_survives_failures)
{
	self->c = open_of("a filter", pc_trace_attr("task/task_rename"), NULL);
	self->c.before = before_filter;
	self->c.call = call_filter;
	self->c.works = filtered_works;
	self->c.undo = undo_filter;
	self->c.path = "newcomm == \"fails1\" && pid > 0";
	EXPECT_LT(0, fail_each(&self->c));
}

/* === Forks === */
static int child(void *arg)
{
	get_priorities(EVENTS);
	return 0;
}

static long call_clone(struct call *c)
{
	static __u64 stack[8 << 10][2];

	return clone(child, stack + ARRAY_SIZE(stack), c->flags | SIGCHLD, NULL);
}

/* Check that the counters have counted the events of their tasks and no others. */
static bool clone_intact(struct call *c)
{
	for (int i = 0; i < c->nr; i++)
		if (pc_value(c->fds[i]) != c->total)
			return complain("counter %d has %llu, not %llu", i, pc_value(c->fds[i]),
					c->total);
	/* The counters of the parent still count. */
	get_priorities(1);
	c->total++;
	return pc_value(c->fds[0]) == c->total;
}

static bool cloned_works(struct call *c, long pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		return complain("the child ended with %#x", status);
	c->total += EVENTS;
	return clone_intact(c);
}

/*
 * Open counters that a child inherits: @nr counters of one event and a group of @others counters.
 */
static int open_inherited(struct call *c, int nr, int others)
{
	static const __u64 events[] = {
		PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_OFF_CPU,
	};
	struct perf_counter_attr attr = pc_trace_attr("syscalls/sys_enter_getpriority");

	attr.inherit = 1;
	attr.disabled = 0;
	for (int i = 0; i < nr; i++) {
		c->fds[c->nr] = pc_open(&attr, 0, -1, -1);
		if (c->fds[c->nr++] < 0)
			return -1;
	}
	for (int i = 0; i < others; i++) {
		attr = pc_attr(events[i]);
		attr.inherit = 1;
		attr.disabled = 0;
		c->fds[c->nr + i] = pc_open(&attr, 0, -1, i ? c->fds[c->nr] : -1);
		if (c->fds[c->nr + i] < 0)
			return -1;
	}
	return 0;
}

static void close_all(struct call *c, int nr)
{
	while (nr--)
		close(c->fds[nr]);
}

PC_TEST(alloc, clone_inherits_or_fails)
{
	self->c = a_call("a fork that shares memory", call_clone, cloned_works);
	self->c.intact = clone_intact;
	self->c.flags = CLONE_VM | CLONE_FILES | CLONE_FS;
	ASSERT_OK(open_inherited(&self->c, 1, 0));
	EXPECT_LT(0, fail_each(&self->c));
	close_all(&self->c, 1);
}

PC_TEST(alloc, clone_inherits_groups_or_fails)
{
	self->c = a_call("a fork with several counters", call_clone, cloned_works);
	self->c.intact = clone_intact;
	self->c.flags = CLONE_VM | CLONE_FILES | CLONE_FS;
	ASSERT_OK(open_inherited(&self->c, 2, 3));
	EXPECT_LT(0, fail_each(&self->c));
	close_all(&self->c, 5);
}

PC_TEST(alloc, fork_inherits_or_fails)
{
	self->c = a_call("a fork", call_clone, cloned_works);
	self->c.intact = clone_intact;
	ASSERT_OK(open_inherited(&self->c, 1, 2));
	EXPECT_LT(0, fail_each(&self->c));
	close_all(&self->c, 3);
}

/* While all tasks need memory for their time off the CPU, a child gets it from the fork. */
PC_TEST(alloc, fork_gives_the_child_memory_or_fails)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_OFF_CPU);
	int watcher;

	attr.disabled = 0;
	watcher = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(watcher);
	self->c = a_call("a fork while all tasks are watched", call_clone, cloned_works);
	self->c.intact = clone_intact;
	self->c.flags = CLONE_VM | CLONE_FILES | CLONE_FS;
	ASSERT_OK(open_inherited(&self->c, 1, 0));
	EXPECT_LT(0, fail_each(&self->c));
	close_all(&self->c, 1);
	close(watcher);
}

/* === Side-band records: the event has happened, so the record must not be missing === */
static int open_watcher(struct call *c, struct perf_counter_attr attr)
{
	c->fds[0] = pc_open(&attr, 0, -1, -1);
	return c->fds[0] < 0 ? -1 : pc_ring_map(&c->ring, c->fds[0], 16);
}

static void close_watcher(struct call *c)
{
	pc_ring_unmap(&c->ring);
	close(c->fds[0]);
}

/* Drop records of an earlier call, so that they are not taken for those of the next one. */
static int before_record(struct call *c)
{
	pc_ring_count(&c->ring, PERF_RECORD_SAMPLE);
	return 0;
}

static long call_mkdir(struct call *c)
{
	return mkdir(c->path, 0755);
}

static bool cgroup_is_told(struct call *c, long ret)
{
	struct cgroup_record *told = (void *)&rec;

	if (!pc_ring_find(&c->ring, &rec, PERF_RECORD_CGROUP))
		return complain("there is no record of the control group");
	if (strcmp(told->path, strrchr(c->path, '/')))
		return complain("a record of %s", told->path);
	return !pc_ring_find(&c->ring, &rec, PERF_RECORD_CGROUP);
}

static void undo_mkdir(struct call *c, long ret)
{
	rmdir(c->path);
}

PC_TEST(alloc, control_groups_have_their_record_despite_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	if (access("/sys/fs/cgroup/cgroup.controllers", R_OK))
		SKIP(return, "there is no cgroup2 at /sys/fs/cgroup");
	attr.cgroup = 1;
	self->c = a_call("a control group", call_mkdir, cgroup_is_told);
	self->c.before = before_record;
	self->c.undo = undo_mkdir;
	self->c.path = "/sys/fs/cgroup/pc-allocations";
	ASSERT_OK(open_watcher(&self->c, attr));
	EXPECT_LT(0, fail_each(&self->c));
	/*
	 * For the files of the group, kernfs allocates a node of a tree only once in 64 calls, so
	 * the n-th allocation of a call may not be that of the next call. Have only allocations by
	 * kmalloc() fail, which are the same in each call.
	 */
	self->c.name = "a control group, without its files";
	ASSERT_OK(pc_fail_caches("kmalloc-"));
	EXPECT_LT(0, fail_each(&self->c));
	EXPECT_OK(pc_fail_caches(""));
	close_watcher(&self->c);
}

static const char * const space_names[NR_NAMESPACES] = {
	[NET_NS_INDEX] = "net", [UTS_NS_INDEX] = "uts", [IPC_NS_INDEX] = "ipc",
	[PID_NS_INDEX] = "pid", [USER_NS_INDEX] = "user", [MNT_NS_INDEX] = "mnt",
	[CGROUP_NS_INDEX] = "cgroup",
};

static long call_unshare(struct call *c)
{
	return unshare(c->flags);
}

static bool namespaces_are_told(struct call *c, long ret)
{
	struct namespaces_record *told = (void *)&rec;
	char path[64];
	struct stat st;

	if (!pc_ring_find(&c->ring, &rec, PERF_RECORD_NAMESPACES))
		return complain("there is no record of the namespaces");
	for (int i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", space_names[i]);
		if (stat(path, &st))
			continue;
		/*
		 * The record has the device number in the kernel's encoding for a major and a minor
		 * number of 8 bits.
		 */
		if (told->links[i].ino != st.st_ino ||
		    told->links[i].dev != (major(st.st_dev) << 8 | minor(st.st_dev)))
			return complain("%s is %#llx:%llu", path, told->links[i].dev,
					told->links[i].ino);
	}
	return !pc_ring_find(&c->ring, &rec, PERF_RECORD_NAMESPACES);
}

PC_TEST(alloc, namespaces_have_their_record_despite_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);

	if (unshare(CLONE_NEWCGROUP))
		SKIP(return, "no namespaces of control groups here");
	attr.namespaces = 1;
	attr.disabled = 0;
	self->c = a_call("a new namespace", call_unshare, namespaces_are_told);
	self->c.before = before_record;
	self->c.flags = CLONE_NEWCGROUP;
	/* The kernel returns ENOSPC if it cannot count one more namespace of the user. */
	self->c.error = ENOSPC;
	ASSERT_OK(open_watcher(&self->c, attr));
	EXPECT_LT(0, fail_each(&self->c));
	close_watcher(&self->c);
}

static long call_map_file(struct call *c)
{
	void *map = mmap(NULL, pc_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE, c->fds[1], 0);

	return map == MAP_FAILED ? -1 : (long)map;
}

static bool mapping_is_told(struct call *c, long ret)
{
	struct mmap_record *told = (void *)&rec;

	if (!pc_ring_find(&c->ring, &rec, PERF_RECORD_MMAP) || told->addr != (__u64)ret)
		return complain("there is no record of the mapping");
	if (strcmp(told->filename, c->path) && strcmp(told->filename, "//enomem"))
		return complain("a record of %s", told->filename);
	return !pc_ring_find(&c->ring, &rec, PERF_RECORD_MMAP);
}

static void undo_map_file(struct call *c, long ret)
{
	munmap((void *)ret, pc_page());
}

#define LONG_PATH_DIRS 3

/*
 * Make directories for a file whose path does not fit into memory that is allocated beforehand.
 * Store the path of the file @name in @path, which has room for 512 bytes. Returns 0 or -1.
 */
static int make_long_path(char *path, const char *name)
{
	char part[130] = "/";

	snprintf(path, 512, "/tmp/pc_long_XXXXXX");
	if (!mkdtemp(path))
		return -1;
	memset(part + 1, 'p', sizeof(part) - 2);
	for (int i = 0; i < LONG_PATH_DIRS; i++) {
		strcat(path, part);
		if (mkdir(path, 0755))
			return -1;
	}
	strcat(path, name);
	return 0;
}

/* Remove the file and the directories of make_long_path(). */
static void remove_long_path(char *path)
{
	unlink(path);
	for (int i = 0; i <= LONG_PATH_DIRS; i++) {
		*strrchr(path, '/') = 0;
		rmdir(path);
	}
}

PC_TEST(alloc, long_names_have_their_record_despite_failures)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	char path[512];

	ASSERT_OK(make_long_path(path, "/file"));
	self->c = a_call("mmap of a file", call_map_file, mapping_is_told);
	self->c.before = before_record;
	self->c.undo = undo_map_file;
	self->c.path = path;
	self->c.fds[1] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	ASSERT_FD(self->c.fds[1]);
	ASSERT_OK(ftruncate(self->c.fds[1], pc_page()));
	attr.mmap = 1;
	attr.disabled = 0;
	ASSERT_OK(open_watcher(&self->c, attr));
	EXPECT_LT(0, fail_each(&self->c));
	close_watcher(&self->c);
	close(self->c.fds[1]);
	remove_long_path(path);
}

/* === exec: it can fail before and after it has given up the old program === */
#define MAX_MAPS 16

/* The counters of struct exec. */
enum {
	RECORDS,	/* COMM and MMAP records */
	ENABLED,	/* enable_on_exec; counts an exec that has succeeded */
	REMOVED,	/* remove_on_exec; counts an exec before the old program is given up */
	REMOVED_EARLY,	/* remove_on_exec; would count an exec that has succeeded */
	EXEC_COUNTERS,
};

/**
 * struct exec - a task that calls exec, with its counters
 * @inherited: true if the task inherits the counters from the test
 * @program: path of the program
 * @task: the task
 * @fail: fail-nth file of the task
 * @fds: the counters
 * @ring: buffer of the first counter
 * @succeeded: number of execs that have succeeded since the counters were opened
 * @prepared: number of execs since then that have given up the old program
 * @maps: names in the MMAP records of an exec without failures, in their order
 * @nr_maps: number of @maps
 */
struct exec {
	bool inherited;
	char program[512];
	struct pc_task task;
	int fail;
	int fds[EXEC_COUNTERS];
	struct pc_ring ring;
	__u64 succeeded;
	__u64 prepared;
	char maps[MAX_MAPS][512];
	int nr_maps;
};

/* Path of the program for child_execs(), which has no struct exec. */
static const char *program;

/*
 * Call exec while its allocation number t->arg is set to fail. If the exec returns, stop, so that
 * the parent can look at the counters, and then call exec without failures. The parent is the
 * tracer: each of its children stops when an exec has succeeded.
 */
static void child_execs(struct pc_task *t)
{
	int fd = pc_fail_open(), err;

	if (!pc_await(t) || ptrace(PTRACE_TRACEME, 0, 0, 0))
		return;
	pc_fail_nth(fd, t->arg);
	execl(program, program, NULL);
	err = errno;
	/*
	 * The kernel also returns other errnos than ENOMEM, such as E2BIG without memory for the
	 * arguments.
	 */
	if (!pc_fail_happened(fd))
		_exit(err);
	raise(SIGSTOP);
	execl(program, program, NULL);
	_exit(errno);
}

static int open_exec_counters(struct exec *e, pid_t pid)
{
	struct perf_counter_attr attrs[EXEC_COUNTERS] = {
		[RECORDS] = pc_attr(PERF_COUNT_SW_DUMMY),
		[ENABLED] = pc_trace_attr("sched/sched_process_exec"),
		[REMOVED] = pc_trace_attr("sched/sched_prepare_exec"),
		[REMOVED_EARLY] = pc_trace_attr("sched/sched_process_exec"),
	};

	attrs[RECORDS].comm = 1;
	attrs[RECORDS].comm_exec = 1;
	attrs[RECORDS].mmap = 1;
	attrs[ENABLED].enable_on_exec = 1;
	attrs[REMOVED].remove_on_exec = 1;
	attrs[REMOVED_EARLY].remove_on_exec = 1;
	for (int i = 0; i < EXEC_COUNTERS; i++) {
		attrs[i].inherit = e->inherited;
		attrs[i].disabled = i == ENABLED;
		e->fds[i] = pc_open(&attrs[i], pid, -1, -1);
		if (e->fds[i] < 0)
			return -1;
	}
	e->succeeded = 0;
	e->prepared = 0;
	return pc_ring_map(&e->ring, e->fds[RECORDS], 16);
}

static void close_exec_counters(struct exec *e)
{
	pc_ring_unmap(&e->ring);
	for (int i = 0; i < EXEC_COUNTERS; i++)
		close(e->fds[i]);
}

/* Check the counts of the execs so far. */
static bool exec_is_counted(struct exec *e)
{
	const __u64 expected[EXEC_COUNTERS] = {
		[ENABLED] = e->succeeded, [REMOVED] = e->prepared,
	};

	for (int i = 0; i < EXEC_COUNTERS; i++)
		if (pc_value(e->fds[i]) != expected[i])
			return complain("counter %d has %llu, not %llu", i, pc_value(e->fds[i]),
					expected[i]);
	return true;
}

/*
 * Check the records of an exec that has succeeded: the new name, then the mappings. @enomem:
 * number of mappings that need not have their name.
 */
static bool exec_is_told(struct exec *e, int enomem)
{
	struct mmap_record *map = (void *)&rec;
	int n = 0;

	if (!pc_ring_find(&e->ring, &rec, PERF_RECORD_COMM) ||
	    strcmp(((struct comm_record *)&rec)->comm, strrchr(e->program, '/') + 1) ||
	    !(rec.header.misc & PERF_RECORD_MISC_COMM_EXEC))
		return complain("there is no record of the new name");
	while (pc_ring_next(&e->ring, &rec)) {
		if (rec.header.type == PERF_RECORD_COMM)
			return complain("there are two records of names");
		if (rec.header.type != PERF_RECORD_MMAP)
			continue;
		if (n >= e->nr_maps)
			return complain("a further mapping of %s", map->filename);
		if (strcmp(map->filename, e->maps[n]) &&
		    (strcmp(map->filename, "//enomem") || enomem-- <= 0))
			return complain("a mapping of %s, not %s", map->filename, e->maps[n]);
		n++;
	}
	return n == e->nr_maps || complain("%d mappings, not %d", n, e->nr_maps);
}

/* Check that an exec that has failed has no records. */
static bool nothing_is_told(struct exec *e)
{
	while (pc_ring_next(&e->ring, &rec))
		if (rec.header.type == PERF_RECORD_COMM || rec.header.type == PERF_RECORD_MMAP)
			return complain("a record of type %u", rec.header.type);
	return true;
}

/* Store the names of the mappings of an exec without failures. Returns false if there are few. */
static bool learn_maps(struct exec *e)
{
	struct mmap_record *map = (void *)&rec;

	while (e->nr_maps < MAX_MAPS && pc_ring_find(&e->ring, &rec, PERF_RECORD_MMAP))
		snprintf(e->maps[e->nr_maps++], sizeof(e->maps[0]), "%s", map->filename);
	return e->nr_maps && !strcmp(e->maps[0], e->program);
}

/* Wait until the task stops or ends. Returns a signal if it stopped, or 0. */
static int wait_for_stop(struct exec *e, int *status)
{
	if (waitpid(e->task.pid, status, 0) != e->task.pid)
		return 0;
	return WIFSTOPPED(*status) ? WSTOPSIG(*status) : 0;
}

/* Wait for an exec that succeeds. Returns false if the task does something else. */
static bool exec_succeeds(struct exec *e)
{
	int status = 0, sig = wait_for_stop(e, &status);

	if (sig != SIGTRAP)
		return complain("the exec ended with %#x", status);
	e->succeeded++;
	e->prepared++;
	return exec_is_counted(e);
}

/*
 * Check a task whose exec has returned an error, and which has stopped: its counts are unchanged,
 * it has no records, and its next exec succeeds.
 */
static bool returned_exec_works(struct exec *e)
{
	return exec_is_counted(e) && nothing_is_told(e) &&
	       !ptrace(PTRACE_CONT, e->task.pid, 0, 0) && exec_succeeds(e) && exec_is_told(e, 0);
}

/*
 * Check the outcome of an exec in which one allocation or none has failed. Add 1 to @errors if the
 * exec failed. Returns true if the outcome is right.
 */
static bool exec_works(struct exec *e, int *errors)
{
	int status = 0, sig = wait_for_stop(e, &status);

	if (sig == SIGTRAP) {
		e->succeeded++;
		e->prepared++;
		if (!exec_is_counted(e))
			return false;
		return e->nr_maps ? exec_is_told(e, pc_fail_happened(e->fail)) : learn_maps(e);
	}
	++*errors;
	if (sig == SIGSTOP)
		return returned_exec_works(e);
	/*
	 * The kernel kills a task that has given up its old program and has no new one; the tracer
	 * passes the signal on.
	 */
	if (sig == SIGSEGV && !ptrace(PTRACE_CONT, e->task.pid, 0, SIGSEGV))
		wait_for_stop(e, &status);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		return complain("the task ended with %#x", status);
	e->prepared++;
	/* Remove the records that the exec has written before it failed. */
	pc_ring_count(&e->ring, PERF_RECORD_COMM);
	return exec_is_counted(e);
}

/*
 * Start a task whose exec has its @nth allocation fail; with 0 none fails. Returns 1 if an
 * allocation failed, 0 if the exec made fewer, -1 if the outcome is wrong.
 */
static int attempt_exec(struct exec *e, int nth, int *errors)
{
	int old = *errors, ret = -1;
	char path[64];

	program = e->program;
	if (pc_spawn(&e->task, child_execs, nth))
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", e->task.pid);
	e->fail = open(path, O_RDWR | O_CLOEXEC);
	if (e->fail >= 0 && (e->inherited || !open_exec_counters(e, e->task.pid))) {
		pc_order(&e->task, 'x');
		if (!exec_works(e, errors))
			complain("exec, allocation %d", nth);
		else
			ret = nth && (*errors > old || pc_fail_happened(e->fail));
		if (!e->inherited)
			close_exec_counters(e);
	}
	close(e->fail);
	kill(e->task.pid, SIGKILL);
	pc_reap(&e->task);
	return ret;
}

/* Repeat the exec until none of its allocations fails. Returns the number of failures, or -1. */
static int fail_each_exec(struct exec *e)
{
	int errors = 0, nth = 0, fd, ret;

	if (e->inherited && open_exec_counters(e, 0))
		return -1;
	ret = attempt_exec(e, 0, &errors);
	fd = free_fd();
	if (!ret) {
		do {
			ret = attempt_exec(e, ++nth, &errors);
		} while (ret > 0 && nth < MOST);
	}
	if (!ret)
		ret = attempt_exec(e, 0, &errors);
	if (free_fd() != fd) {
		complain("a descriptor is left");
		ret = -1;
	}
	if (e->inherited)
		close_exec_counters(e);
	printf("# exec with %s counters: %d allocations, %d errors\n",
	       e->inherited ? "inherited" : "its own", nth - 1, errors);
	return ret ? -1 : errors;
}

/*
 * Write a program of one executable page, without an interpreter, to the path that make_long_path()
 * makes. The kernel loads the program, and the test ends its task before the first instruction.
 * Returns 0 or -1.
 */
static int make_program(char *path)
{
	struct {
		ElfW(Ehdr) head;
		ElfW(Phdr) load;
	} elf;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	/* Copy the ELF header of the test's own program, for the machine and the format. */
	n = read(fd, &elf.head, sizeof(elf.head));
	close(fd);
	if (n != sizeof(elf.head) || make_long_path(path, "/starts"))
		return -1;
	elf.head.e_type = ET_EXEC;
	elf.head.e_entry = 0x10000000 + sizeof(elf);
	elf.head.e_phoff = sizeof(elf.head);
	elf.head.e_phnum = 1;
	elf.head.e_shoff = 0;
	elf.head.e_shnum = 0;
	elf.head.e_shstrndx = 0;
	elf.load = (ElfW(Phdr)) {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x10000000,
		.p_paddr = 0x10000000, .p_filesz = sizeof(elf), .p_memsz = sizeof(elf),
		.p_align = 0x10000,
	};
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	n = write(fd, &elf, sizeof(elf));
	close(fd);
	return n == sizeof(elf) ? 0 : -1;
}

/*
 * An exec that returns an error has changed nothing. An exec that has given up the old program, and
 * then fails, ends the task: its counters have the events until then. In both cases the counters
 * work in the next exec.
 */
PC_TEST(alloc, exec_has_its_counts_and_records_or_fails)
{
	static struct exec e;

	ASSERT_OK(make_program(e.program));
	EXPECT_LT(0, fail_each_exec(&e));
	e.nr_maps = 0;
	e.inherited = true;
	EXPECT_LT(0, fail_each_exec(&e));
	remove_long_path(e.program);
}

/* === CPU hotplug with a counter of the machine === */
/* True if a task counts on the CPU while it is online, and if the CPU is in the expected state. */
static bool cpu_counts(struct call *c, bool online)
{
	char path[64], text[8] = "";
	__u64 before;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", c->cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (read(fd, text, sizeof(text) - 1) < 1)
		return complain("cannot read %s", path);
	close(fd);
	if (online != (*text == '1'))
		return complain("the CPU is %s", online ? "off" : "on");
	before = pc_value(c->fds[0]);
	if (online && pc_pin(c->cpu))
		return complain("the CPU cannot be used");
	get_priorities(EVENTS);
	pc_pin(c->home);
	return pc_value(c->fds[0]) - before == EVENTS;
}

/*
 * Have the first allocation fail, the second, the fourth and so on: taking a CPU offline and online
 * is slow.
 */
PC_TEST(alloc, cpus_go_and_come)
{
	struct perf_counter_attr attr = pc_trace_attr("syscalls/sys_enter_getpriority");
	int fd = pc_fail_open(), failures[2] = {};

	if (self->nr_cpus < 2 || pc_cpu_online(self->cpus[1], 1))
		SKIP(return, "no CPU goes here");
	ASSERT_FD(fd);
	ASSERT_OK(pc_pin(self->cpus[0]));
	self->c.cpu = self->cpus[1];
	self->c.home = self->cpus[0];
	attr.disabled = 0;
	self->c.fds[0] = pc_open(&attr, -1, -1, -1);
	ASSERT_FD(self->c.fds[0]);
	for (int on = 0; on < 2; on++) {
		bool happened = true;

		for (int nth = 1; happened && nth < MOST; nth *= 2) {
			long ret;

			ASSERT_OK(pc_cpu_online(self->c.cpu, !on));
			pc_fail_nth(fd, nth);
			ret = pc_cpu_online(self->c.cpu, on);
			happened = pc_fail_happened(fd);
			pc_fail_nth(fd, 0);
			failures[on] += !!ret;
			EXPECT_TRUE(cpu_counts(&self->c, ret ? !on : on))
				TH_LOG("on: %d, allocation %d", on, nth);
		}
		EXPECT_FALSE(happened);
	}
	EXPECT_OK(pc_cpu_online(self->c.cpu, 1));
	EXPECT_TRUE(cpu_counts(&self->c, true));
	printf("# a CPU failed to go %d times and to come %d times\n", failures[0], failures[1]);
	close(self->c.fds[0]);
	close(fd);
}

/*
 * Call perf_event_open() with the compat sysctl set; without memory perf_events may serve the call.
 */
static long call_compat(struct call *c)
{
	return syscall(__NR_perf_event_open, &c->attr, c->pid, c->cpu, c->group, c->flags);
}

PC_TEST(alloc, perf_event_open_survives_failures)
{
	self->c = open_of("perf_event_open", pc_attr(PERF_COUNT_SW_PAGE_FAULTS), work_faults);
	self->c.call = call_compat;
	ASSERT_EQ(0, pc_sysctl_write("compat", 1));
	EXPECT_LE(0, fail_each(&self->c));
	self->c.name = "perf_event_open of a CPU";
	self->c.pid = -1;
	self->c.cpu = self->cpus[0];
	self->c.more = true;
	EXPECT_LE(0, fail_each(&self->c));
	EXPECT_EQ(0, pc_sysctl_write("compat", 0));
}

/* === The PMU === */
FIXTURE(pmu) {
	struct call c;
	struct perf_counter_attr attr;
};

FIXTURE_SETUP(pmu)
{
	int fd;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (pc_fail_prepare())
		SKIP(return, "%s", cannot_fail);
	self->attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	fd = pc_open(&self->attr, 0, -1, -1);
	if (fd < 0 && !getenv("PC_PMU"))
		SKIP(return, "no PMU here");
	ASSERT_FD(fd);
	close(fd);
	ASSERT_OK(prepare_caches());
	ASSERT_OK(pc_tracefs());
	pc_faults(EVENTS);
}

FIXTURE_TEARDOWN(pmu)
{
}

/* True if perf_events can count with the PMU. */
static bool pmu_is_free(struct call *c)
{
	struct perf_counter_attr attr = pc_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_COUNTER_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return complain("the PMU is not free: %s", strerror(errno));
	close(fd);
	return true;
}

/* Count instructions exactly: more rounds add a known number of instructions. */
static bool hardware_works(struct call *c, long fd)
{
	__u64 frame;

	pc_count_loop(fd, 1);
	frame = pc_count_loop(fd, 0);
	return pc_count_loop(fd, 1000) - frame == 1000 * PC_LOOP_INSTRUCTIONS ||
	       complain("instructions are not exact");
}

PC_TEST(pmu, opening_hardware_events_survives_failures)
{
	self->c = open_of("instructions", self->attr, NULL);
	self->c.works = hardware_works;
	self->c.intact = pmu_is_free;
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_other("instructions of another task", self->attr);
	self->c.intact = pmu_is_free;
	EXPECT_LT(0, fail_each(&self->c));
	self->attr.sample_period = 100000;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	self->c = open_of_all("samples of instructions of the machine", self->attr, NULL);
	self->c.intact = pmu_is_free;
	EXPECT_LT(0, fail_each(&self->c));
	EXPECT_TRUE(pmu_is_free(&self->c));
}

PC_TEST(pmu, clone_inherits_or_fails)
{
	self->c = a_call("a fork with counters of the PMU", call_clone, cloned_works);
	self->c.intact = clone_intact;
	self->c.flags = CLONE_VM | CLONE_FILES | CLONE_FS;
	ASSERT_OK(open_inherited(&self->c, 1, 0));
	self->attr.inherit = 1;
	self->attr.disabled = 0;
	self->c.fds[1] = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->c.fds[1]);
	self->c.fds[2] = pc_open(&self->attr, 0, -1, self->c.fds[1]);
	ASSERT_FD(self->c.fds[2]);
	EXPECT_LT(0, fail_each(&self->c));
	close_all(&self->c, 3);
	EXPECT_TRUE(pmu_is_free(&self->c));
}

/* Ask for samples with call stacks. Returns false if the machine has none. */
static bool ask_for_calls(struct perf_counter_attr *attr)
{
	int fd;

	attr->sample_period = 100000;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	fd = pc_open(attr, 0, -1, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static const char no_calls[] = "no calls are recorded here";

PC_TEST(pmu, opening_branch_records_survives_failures)
{
	struct perf_counter_attr faults = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	if (!ask_for_calls(&self->attr))
		SKIP(return, "%s", no_calls);
	self->c = open_of("calls", self->attr, NULL);
	self->c.works = hardware_works;
	self->c.intact = pmu_is_free;
	EXPECT_LT(0, fail_each(&self->c));
	self->c = open_of_all("calls of the machine", self->attr, NULL);
	self->c.intact = pmu_is_free;
	EXPECT_LT(0, fail_each(&self->c));
	faults.sample_period = 1;
	faults.sample_type = self->attr.sample_type;
	faults.branch_sample_type = self->attr.branch_sample_type;
	self->c = open_of("calls with a software event", faults, work_faults);
	self->c.intact = pmu_is_free;
	EXPECT_LT(0, fail_each(&self->c));
	EXPECT_TRUE(pmu_is_free(&self->c));
}

/*
 * Call stacks need memory for each task. An open without memory for them fails, and does not leave
 * a task whose samples lack calls.
 */
PC_TEST(pmu, opening_call_stacks_without_memory_fails)
{
	if (!ask_for_calls(&self->attr))
		SKIP(return, "%s", no_calls);
	ASSERT_OK(pc_fail_caches(NULL));
	ASSERT_OK(pc_fail_cache("perf_counter_call_stack", true));
	self->c = open_of("calls", self->attr, NULL);
	EXPECT_EQ(1, fail_each(&self->c));
	self->c = open_of_other("calls of another task", self->attr);
	self->c.intact = pmu_is_free;
	EXPECT_EQ(1, fail_each(&self->c));
	self->c = open_of_all("calls of the machine", self->attr, NULL);
	self->c.intact = pmu_is_free;
	EXPECT_LT(1, fail_each(&self->c));
	EXPECT_OK(pc_fail_caches(""));
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on counters. Each test runs with three kinds of descriptors: of perf_counter_open(),
 * of perf_event_open() with the compat sysctl set, and of perf_events, which is the reference.
 *
 * The tests load programs by bpf(2) as instructions. A program counts in the only element of an
 * array, for the thread that loaded it or for all threads.
 */
#include <poll.h>
#include <pthread.h>
#include <linux/bpf.h>

#include "pc_arch.h"
#include "pc_hw.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int map_create(__u32 type, __u32 value_size, __u32 entries)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = sizeof(__u32),
		.value_size = value_size,
		.max_entries = entries,
	};

	return sys_bpf(BPF_MAP_CREATE, &attr);
}

static int map_set(int map, __u32 key, void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)value,
	};

	return sys_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static __u64 map_get(int map, __u32 key)
{
	__u64 value = ~0ULL;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)&value,
	};

	return sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr) ? ~0ULL : value;
}

#define INSN(c, d, s, o, i) \
	((struct bpf_insn) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV_REG(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_IMM(d, i)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define STORE_IMM(s, d, o, i)	INSN(BPF_ST | BPF_MEM | (s), d, 0, o, i)
#define LOAD(s, d, r, o)	INSN(BPF_LDX | BPF_MEM | (s), d, r, o, 0)
/* Loading the address of a map takes two instructions; the second is SECOND_HALF. */
#define LOAD_MAP(d, fd)		INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd)
#define SECOND_HALF		INSN(0, 0, 0, 0, 0)
/* Load BPF_F_CURRENT_CPU, which has 32 bits set. */
#define LOAD_CPU(d)		INSN(BPF_ALU | BPF_MOV | BPF_K, d, 0, 0, -1)
#define CALL(f)			INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define JNE32(d, i, o)		INSN(BPF_JMP32 | BPF_JNE | BPF_K, d, 0, o, i)
#define JEQ(d, i, o)		INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define ATOMIC_ADD(d, s, o)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define STORE(d, s, o)		INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int prog_load(__u32 type, const struct bpf_insn *insns, size_t n)
{
	static char log[4096];
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (unsigned long)insns,
		.insn_cnt = n,
		.license = (unsigned long)"GPL",
		.log_buf = (unsigned long)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int fd = sys_bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		printf("# bpf: %s: %s\n", strerror(errno), log);
	return fd;
}

/*
 * Load a program that adds 1 to the element of @map and returns @ret. It counts the thread @tid, or
 * all threads if @tid is 0.
 */
static int prog_counts(__u32 type, int map, pid_t tid, int ret)
{
	const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_get_current_pid_tgid),
		/* Without @tid the jump goes to the next instruction. */
		JNE32(BPF_REG_0, tid, tid ? 9 : 0),
		STORE_IMM(BPF_W, BPF_REG_10, -4, 0),
		MOV_REG(BPF_REG_2, BPF_REG_10),
		ADD_IMM(BPF_REG_2, -4),
		LOAD_MAP(BPF_REG_1, map),
		SECOND_HALF,
		CALL(BPF_FUNC_map_lookup_elem),
		JEQ(BPF_REG_0, 0, 2),
		MOV_IMM(BPF_REG_1, 1),
		ATOMIC_ADD(BPF_REG_0, BPF_REG_1, 0),
		MOV_IMM(BPF_REG_0, ret),
		EXIT(),
	};

	return prog_load(type, insns, sizeof(insns) / sizeof(*insns));
}

/*
 * Load a program that stores the value of this CPU's counter in @counters into the element of @map.
 */
static int prog_reads(__u32 type, int map, int counters, pid_t tid)
{
	const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_get_current_pid_tgid),
		JNE32(BPF_REG_0, tid, 16),
		LOAD_MAP(BPF_REG_1, counters),
		SECOND_HALF,
		LOAD_CPU(BPF_REG_2),
		MOV_REG(BPF_REG_3, BPF_REG_10),
		ADD_IMM(BPF_REG_3, -24),
		MOV_IMM(BPF_REG_4, sizeof(struct bpf_perf_event_value)),
		CALL(BPF_FUNC_perf_event_read_value),
		STORE_IMM(BPF_W, BPF_REG_10, -28, 0),
		MOV_REG(BPF_REG_2, BPF_REG_10),
		ADD_IMM(BPF_REG_2, -28),
		LOAD_MAP(BPF_REG_1, map),
		SECOND_HALF,
		CALL(BPF_FUNC_map_lookup_elem),
		JEQ(BPF_REG_0, 0, 2),
		LOAD(BPF_DW, BPF_REG_1, BPF_REG_10, -24),
		STORE(BPF_REG_0, BPF_REG_1, 0),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	return prog_load(type, insns, sizeof(insns) / sizeof(*insns));
}

/* Load a program that writes the word 0x123456789abcdef to this CPU's event in @events. */
static int prog_writes(__u32 type, int events, pid_t tid)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1),
		CALL(BPF_FUNC_get_current_pid_tgid),
		JNE32(BPF_REG_0, tid, 9),
		STORE_IMM(BPF_DW, BPF_REG_10, -8, 0x1234567),
		MOV_REG(BPF_REG_1, BPF_REG_6),
		LOAD_MAP(BPF_REG_2, events),
		SECOND_HALF,
		LOAD_CPU(BPF_REG_3),
		MOV_REG(BPF_REG_4, BPF_REG_10),
		ADD_IMM(BPF_REG_4, -8),
		MOV_IMM(BPF_REG_5, 8),
		CALL(BPF_FUNC_perf_event_output),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	return prog_load(type, insns, sizeof(insns) / sizeof(*insns));
}

static int link_create(int prog, int fd, __u64 cookie)
{
	union bpf_attr attr = {
		.link_create.prog_fd = prog,
		.link_create.target_fd = fd,
		.link_create.attach_type = BPF_PERF_EVENT,
		.link_create.perf_event.bpf_cookie = cookie,
	};

	return sys_bpf(BPF_LINK_CREATE, &attr);
}

static int set_bpf(int fd, int prog)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog);
}

static __u32 prog_id(int prog)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = {
		.info.bpf_fd = prog,
		.info.info_len = sizeof(info),
		.info.info = (unsigned long)&info,
	};

	return sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.id;
}

/* The kinds of descriptors. */
enum side { NATIVE, COMPAT, EVENTS };

FIXTURE(bpf) {
	struct perf_counter_attr attr;
	long old;
	int fd;
	int map;
	int prog;
};

FIXTURE_VARIANT(bpf) {
	enum side side;
};

FIXTURE_VARIANT_ADD(bpf, perf_counter) { .side = NATIVE };
FIXTURE_VARIANT_ADD(bpf, compat) { .side = COMPAT };
FIXTURE_VARIANT_ADD(bpf, perf_events) { .side = EVENTS };

FIXTURE_SETUP(bpf)
{
	self->fd = -1;
	self->map = -1;
	self->prog = -1;
	self->old = -1;
	if (pc_on_perf_event())
		SKIP(return, "the three sides are opened by this program");
	self->map = map_create(BPF_MAP_TYPE_ARRAY, sizeof(__u64), 1);
	if (self->map < 0 && errno == ENOSYS)
		SKIP(return, "needs CONFIG_BPF_SYSCALL");
	ASSERT_FD(self->map);
	self->old = pc_sysctl_read("compat");
	ASSERT_OK(pc_sysctl_write("compat", variant->side == COMPAT));
	ASSERT_EQ(0, pc_tracefs());
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	pc_faults(1);
}

FIXTURE_TEARDOWN(bpf)
{
	if (self->old >= 0)
		pc_sysctl_write("compat", self->old);
	if (self->fd >= 0)
		close(self->fd);
	if (self->prog >= 0)
		close(self->prog);
	if (self->map >= 0)
		close(self->map);
}

/* True if @fd is a descriptor of perf_counter. */
static bool is_ours(int fd)
{
	char path[64], target[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "[perf_counter]");
}

static int side_open(enum side side, struct perf_counter_attr *attr, pid_t pid, int cpu, int group)
{
	int fd = syscall(side == NATIVE ? __NR_perf_counter_open : __NR_perf_event_open, attr, pid,
			 cpu, group, PERF_COUNTER_FLAG_FD_CLOEXEC);
	bool ours = side != EVENTS;

	/* A descriptor of another kind would test nothing. */
	if (fd >= 0 && is_ours(fd) != ours) {
		close(fd);
		errno = EPROTO;
		return -1;
	}
	return fd;
}

#define OPEN() side_open(variant->side, &self->attr, 0, -1, -1)

PC_TEST(bpf, a_program_runs_at_each_overflow)
{
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	pc_faults(3);
	EXPECT_EQ(0, map_get(self->map, 0));
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(17);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(17, pc_value(self->fd));
	EXPECT_EQ(17, map_get(self->map, 0));
	pc_faults(3);
	EXPECT_EQ(17, map_get(self->map, 0));
}

PC_TEST(bpf, a_program_decides_what_is_sampled)
{
	struct pc_ring ring;

	self->attr.sample_type = PERF_SAMPLE_IP;
	for (int ret = 0; ret < 2; ret++) {
		int prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, ret);
		int fd = OPEN();

		ASSERT_FD(prog);
		ASSERT_FD(fd);
		ASSERT_OK(set_bpf(fd, prog));
		ASSERT_OK(pc_ring_map(&ring, fd, 8));
		ASSERT_OK(pc_enable(fd));
		pc_faults(11);
		ASSERT_OK(pc_disable(fd));
		EXPECT_EQ(11 * ret, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
		pc_ring_unmap(&ring);
		close(fd);
		close(prog);
	}
	EXPECT_EQ(22, map_get(self->map, 0));
}

PC_TEST(bpf, the_count_stays_when_a_program_is_attached)
{
	struct pc_values before, after;
	__u64 format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	self->attr.read_format = format;
	self->attr.disabled = 0;
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(pc_reset(self->fd));
	pc_faults(5);
	ASSERT_LT(0, pc_read(self->fd, format, &before));
	ASSERT_OK(set_bpf(self->fd, self->prog));
	ASSERT_LT(0, pc_read(self->fd, format, &after));
	EXPECT_LE(5, before.v[0].value);
	EXPECT_LE(before.v[0].value, after.v[0].value);
	EXPECT_LE(before.enabled, after.enabled);
	EXPECT_LE(before.running, after.running);
	/* The counter is still enabled. */
	before = after;
	pc_faults(7);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_LT(0, pc_read(self->fd, format, &after));
	EXPECT_LE(before.v[0].value + 7, after.v[0].value);
	EXPECT_LT(before.enabled, after.enabled);
	EXPECT_LE(7, map_get(self->map, 0));
	ASSERT_OK(pc_reset(self->fd));
	ASSERT_LT(0, pc_read(self->fd, format, &after));
	EXPECT_EQ(0, after.v[0].value);
	EXPECT_LT(before.enabled, after.enabled);
}

PC_TEST(bpf, a_count_without_events_in_between_is_exact)
{
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(5);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_OK(set_bpf(self->fd, self->prog));
	EXPECT_EQ(5, pc_value(self->fd));
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(7);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(12, pc_value(self->fd));
	EXPECT_EQ(7, map_get(self->map, 0));
}

PC_TEST(bpf, a_descriptor_with_a_program_works_as_before)
{
	struct pollfd poller = { .events = POLLIN };
	struct pc_ring ring;
	__u64 period = 4;

	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.wakeup_events = 1;
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	EXPECT_NE(0, pc_id(self->fd));
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_PERIOD, &period));
	ASSERT_OK(pc_ring_map(&ring, self->fd, 8));
	ASSERT_OK(prctl(PR_TASK_PERF_EVENTS_ENABLE));
	pc_faults(40);
	ASSERT_OK(prctl(PR_TASK_PERF_EVENTS_DISABLE));
	pc_faults(5);
	EXPECT_LE(40, pc_value(self->fd));
	EXPECT_GE(11, map_get(self->map, 0));
	EXPECT_LE(10, map_get(self->map, 0));
	poller.fd = self->fd;
	EXPECT_EQ(1, poll(&poller, 1, -1));
	EXPECT_EQ(POLLIN, poller.revents);
	EXPECT_EQ(map_get(self->map, 0), pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	EXPECT_ERRNO(ENOTTY, ioctl(self->fd, _IO('$', 63), 0));
	pc_ring_unmap(&ring);
}

static _Atomic int signals;

static void on_signal(int sig)
{
	signals++;
}

PC_TEST(bpf, a_counter_with_a_program_sends_signals)
{
	self->attr.wakeup_events = 1;
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	signal(SIGIO, on_signal);
	ASSERT_OK(fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_OK(fcntl(self->fd, F_SETFL, fcntl(self->fd, F_GETFL) | O_ASYNC));
	signals = 0;
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 1));
	pc_faults(2);
	/* The signal comes after the fault. The timeout of the test limits the loop. */
	while (!signals)
		sched_yield();
	EXPECT_EQ(1, map_get(self->map, 0));
	ASSERT_OK(fcntl(self->fd, F_SETFL, fcntl(self->fd, F_GETFL) & ~O_ASYNC));
	signal(SIGIO, SIG_DFL);
}

PC_TEST(bpf, children_inherit_the_program)
{
	int status;
	pid_t pid;

	self->attr.inherit = 1;
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	ASSERT_OK(pc_enable(self->fd));
	pid = fork();
	if (!pid) {
		pc_faults(100);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(0, status);
	EXPECT_LE(100, map_get(self->map, 0));
	EXPECT_EQ(map_get(self->map, 0), pc_value(self->fd));
}

PC_TEST(bpf, a_program_runs_at_a_tracepoint)
{
	struct perf_event_query_bpf *query;

	self->attr = pc_attr(0);
	self->attr.type = PERF_TYPE_TRACEPOINT;
	self->attr.config = pc_event_id("task/task_rename");
	ASSERT_NE(0, self->attr.config);
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, gettid(), 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	ASSERT_OK(pc_enable(self->fd));
	pc_rename("renamed", 23);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(23, pc_value(self->fd));
	EXPECT_EQ(23, map_get(self->map, 0));

	query = calloc(1, sizeof(*query) + 4 * sizeof(__u32));
	ASSERT_NE(NULL, query);
	query->ids_len = 4;
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_QUERY_BPF, query));
	EXPECT_EQ(1, query->prog_cnt);
	EXPECT_EQ(prog_id(self->prog), query->ids[0]);
	close(self->fd);
	/* A descriptor of the same event, of any kind, finds the program, too. */
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_QUERY_BPF, query));
	EXPECT_EQ(0, query->prog_cnt);
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, PERF_EVENT_IOC_QUERY_BPF, NULL));
	free(query);
	/* Closing the descriptor has detached the program. */
	pc_rename("renamed", 5);
	EXPECT_EQ(23, map_get(self->map, 0));
}

/* Attributes of a probe of the PMU @pmu. */
static struct perf_counter_attr probe_attr(const char *pmu, const char *where, __u64 offset)
{
	struct perf_counter_attr attr = pc_attr(0);

	attr.type = pc_pmu_type(pmu);
	attr.config1 = (unsigned long)where;
	attr.config2 = offset;
	return attr;
}

PC_TEST(bpf, a_program_runs_at_a_kprobe)
{
	/* The kernel reads the string when the probe is opened, and not later. */
	char where[64] = PC_CALL_SYMBOL("getpriority");

	self->attr = probe_attr("kprobe", where, 0);
	ASSERT_NE(0, self->attr.type);
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	snprintf(where, sizeof(where), PC_CALL_SYMBOL("getppid"));
	self->prog = prog_counts(BPF_PROG_TYPE_KPROBE, self->map, gettid(), 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 19; i++)
		getpriority(PRIO_PROCESS, 0);
	syscall(__NR_getppid);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(19, pc_value(self->fd));
	EXPECT_EQ(19, map_get(self->map, 0));
}

static int probed(int i)
{
	return i + 1;
}

/* Call probed() by a pointer that the compiler does not know, so that the call is not inlined. */
static int call_probed(int i)
{
	int (*call)(int i) = probed;

	asm("" : "+r"(call));
	return call(i);
}

PC_TEST(bpf, a_program_runs_at_a_uprobe)
{
	char path[512];
	__u64 offset = pc_offset_in_file(probed, path);

	ASSERT_NE(0, offset);
	self->attr = probe_attr("uprobe", path, offset);
	ASSERT_NE(0, self->attr.type);
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	snprintf(path, sizeof(path), "/nowhere");
	self->prog = prog_counts(BPF_PROG_TYPE_KPROBE, self->map, gettid(), 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 19; i++)
		ASSERT_EQ(i + 1, call_probed(i));
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(19, pc_value(self->fd));
	EXPECT_EQ(19, map_get(self->map, 0));
}

PC_TEST(bpf, a_link_holds_the_program)
{
	struct bpf_link_info info = {};
	union bpf_attr attr = {
		.info.info_len = sizeof(info),
		.info.info = (unsigned long)&info,
	};
	int link;

	self->attr = pc_attr(0);
	self->attr.type = PERF_TYPE_TRACEPOINT;
	self->attr.config = pc_event_id("task/task_rename");
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, gettid(), 1);
	ASSERT_FD(self->prog);
	link = link_create(self->prog, self->fd, 77);
	ASSERT_FD(link);
	attr.info.bpf_fd = link;
	ASSERT_OK(sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr));
	EXPECT_EQ(prog_id(self->prog), info.prog_id);
	pc_rename("linked", 3);
	EXPECT_EQ(3, map_get(self->map, 0));
	EXPECT_ERRNO(EEXIST, link_create(self->prog, self->fd, 0));
	EXPECT_ERRNO(EEXIST, set_bpf(self->fd, self->prog));
	/* The link keeps the event alive. */
	close(self->fd);
	self->fd = -1;
	pc_rename("linked", 4);
	EXPECT_EQ(7, map_get(self->map, 0));
	close(link);
	pc_rename("linked", 5);
	EXPECT_EQ(7, map_get(self->map, 0));
}

PC_TEST(bpf, other_descriptors_find_the_program)
{
	char name[64];
	union bpf_attr query = {
		.task_fd_query.pid = getpid(),
		.task_fd_query.buf_len = sizeof(name),
		.task_fd_query.buf = (unsigned long)name,
	};

	self->attr = pc_attr(0);
	self->attr.type = PERF_TYPE_TRACEPOINT;
	self->attr.config = pc_event_id("task/task_rename");
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, gettid(), 1);
	ASSERT_FD(self->prog);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	query.task_fd_query.fd = self->fd;
	ASSERT_OK(sys_bpf(BPF_TASK_FD_QUERY, &query));
	EXPECT_EQ(prog_id(self->prog), query.task_fd_query.prog_id);
	EXPECT_EQ(BPF_FD_TYPE_TRACEPOINT, query.task_fd_query.fd_type);
	EXPECT_STREQ("task_rename", name);
}

/* A program reads counters in a map, one for each CPU, that count page faults of all tasks. */
PC_TEST(bpf, a_program_reads_a_counter)
{
	int counters, cpus[64], n, fds[64], probe;
	struct perf_counter_attr attr = probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0);
	__u64 before, seen, after;

	n = pc_cpus(cpus, 64);
	counters = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(__u32), cpus[n - 1] + 1);
	ASSERT_FD(counters);
	self->attr.sample_period = 0;
	self->attr.disabled = 0;
	for (int i = 0; i < n; i++) {
		fds[i] = side_open(variant->side, &self->attr, -1, cpus[i], -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(map_set(counters, cpus[i], &fds[i]));
	}
	self->fd = side_open(variant->side, &attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	probe = prog_reads(BPF_PROG_TYPE_KPROBE, self->map, counters, gettid());
	ASSERT_FD(probe);
	ASSERT_OK(set_bpf(self->fd, probe));
	ASSERT_OK(pc_pin(cpus[n - 1]));
	pc_faults(1);
	before = pc_value(fds[n - 1]);
	pc_faults(31);
	getpriority(PRIO_PROCESS, 0);
	seen = map_get(self->map, 0);
	after = pc_value(fds[n - 1]);
	EXPECT_LE(before + 31, seen);
	EXPECT_LE(seen, after);
	for (int i = 0; i < n; i++)
		close(fds[i]);
	/* The map keeps the counters enabled. */
	before = seen;
	pc_faults(31);
	getpriority(PRIO_PROCESS, 0);
	close(counters);
	close(probe);
}

/* BPF front ends write their records to this event, which only perf_events has. */
PC_TEST(bpf, a_program_writes_to_a_buffer)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_BPF_OUTPUT);
	int events, cpus[64], n, cpu, fd, probe;
	struct pc_ring ring;
	__u32 size;
	__u64 word;

	n = pc_cpus(cpus, 64);
	cpu = cpus[n - 1];
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	attr.wakeup_events = 1;
	attr.disabled = 0;
	if (variant->side == NATIVE) {
		EXPECT_ERRNO(ENOENT, side_open(NATIVE, &attr, -1, cpu, -1));
		return;
	}
	fd = syscall(__NR_perf_event_open, &attr, -1, cpu, -1, 0);
	ASSERT_FD(fd);
	EXPECT_FALSE(is_ours(fd));
	events = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(__u32), cpu + 1);
	ASSERT_FD(events);
	ASSERT_OK(map_set(events, cpu, &fd));
	ASSERT_OK(pc_ring_map(&ring, fd, 8));

	self->attr = probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0);
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	probe = prog_writes(BPF_PROG_TYPE_KPROBE, events, gettid());
	ASSERT_FD(probe);
	ASSERT_OK(set_bpf(self->fd, probe));
	ASSERT_OK(pc_pin(cpu));
	for (int i = 0; i < 6; i++)
		getpriority(PRIO_PROCESS, 0);
	for (int i = 0; i < 6; i++) {
		ASSERT_TRUE(pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE));
		memcpy(&size, (char *)&rec + sizeof(rec.header), sizeof(size));
		memcpy(&word, (char *)&rec + sizeof(rec.header) + sizeof(size), sizeof(word));
		EXPECT_LE(8, size);
		EXPECT_EQ(0x1234567, word);
	}
	EXPECT_FALSE(pc_ring_find(&ring, &rec, PERF_RECORD_SAMPLE));
	pc_ring_unmap(&ring);
	close(fd);
	close(events);
	close(probe);
}

PC_TEST(bpf, a_refused_program_leaves_the_counter_as_it_was)
{
	int of_tracepoints, pipe_fds[2];

	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	of_tracepoints = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, 0, 1);
	ASSERT_FD(of_tracepoints);
	ASSERT_OK(pipe(pipe_fds));
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(3);
	EXPECT_ERRNO(EBADF, set_bpf(self->fd, -1));
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, pipe_fds[0]));
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, self->map));
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, of_tracepoints));
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_EVENT_IOC_QUERY_BPF, NULL));
	EXPECT_ERRNO(EINVAL, link_create(of_tracepoints, self->fd, 0));
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_LE(3, pc_value(self->fd));
	ASSERT_OK(pc_reset(self->fd));
	ASSERT_OK(set_bpf(self->fd, self->prog));
	EXPECT_ERRNO(EEXIST, set_bpf(self->fd, self->prog));
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(4);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(4, pc_value(self->fd));
	EXPECT_EQ(4, map_get(self->map, 0));
	close(of_tracepoints);

	/* A program for software events cannot be attached to a tracepoint or a probe. */
	close(self->fd);
	self->attr.type = PERF_TYPE_TRACEPOINT;
	self->attr.config = pc_event_id("task/task_rename");
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, self->prog));
	close(self->fd);
	self->attr = probe_attr("kprobe", PC_CALL_SYMBOL("getpriority"), 0);
	self->fd = OPEN();
	ASSERT_FD(self->fd);
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, self->prog));
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, PERF_EVENT_IOC_QUERY_BPF, NULL));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

/* The kernel checks the permission of the opener, since the descriptor may have been passed on. */
PC_TEST(bpf, another_user_may_attach_to_a_passed_descriptor)
{
	pid_t pid;
	int status;

	self->fd = OPEN();
	ASSERT_FD(self->fd);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	pid = fork();
	if (!pid) {
		pc_become_nobody(0);
		_exit(set_bpf(self->fd, self->prog) ? errno : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_OK(pc_enable(self->fd));
	pc_faults(6);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_EQ(6, map_get(self->map, 0));
}

/* === Counters that get no program because perf_events cannot take them over === */

FIXTURE(stays) {
	struct perf_counter_attr attr;
	int fd;
	int map;
	int prog;
};

FIXTURE_SETUP(stays)
{
	self->fd = -1;
	self->prog = -1;
	self->map = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->map = map_create(BPF_MAP_TYPE_ARRAY, sizeof(__u64), 1);
	if (self->map < 0 && errno == ENOSYS)
		SKIP(return, "needs CONFIG_BPF_SYSCALL");
	ASSERT_FD(self->map);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	pc_faults(1);
}

FIXTURE_TEARDOWN(stays)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->prog >= 0)
		close(self->prog);
	if (self->map >= 0)
		close(self->map);
}

/*
 * Expect that attaching a program to @fd fails with @err, that a link to @fd fails with the same
 * errno, and that @fd still counts.
 */
static void expect_stays(struct __test_metadata *_metadata, int fd, int prog, int err)
{
	EXPECT_ERRNO(err, set_bpf(fd, prog));
	EXPECT_ERRNO(err, link_create(prog, fd, 0));
	ASSERT_OK(pc_reset(fd));
	ASSERT_OK(pc_enable(fd));
	pc_faults(3);
	ASSERT_OK(pc_disable(fd));
	EXPECT_EQ(3, pc_value(fd));
}

PC_TEST(stays, a_descriptor_with_a_mapped_buffer_is_refused)
{
	struct pc_ring ring;

	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&ring, self->fd, 1));
	expect_stays(_metadata, self->fd, self->prog, EBUSY);
	EXPECT_EQ(3, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	pc_ring_unmap(&ring);
	EXPECT_OK(set_bpf(self->fd, self->prog));
}

PC_TEST(stays, a_descriptor_with_an_output_is_refused)
{
	struct pc_ring ring;
	int to = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(to);
	ASSERT_OK(pc_ring_map(&ring, to, 1));
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, to));
	expect_stays(_metadata, self->fd, self->prog, EBUSY);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, -1));
	EXPECT_OK(set_bpf(self->fd, self->prog));
	/* SET_OUTPUT does not work between the two subsystems. */
	EXPECT_ERRNO(EBADF, ioctl(self->fd, PERF_EVENT_IOC_SET_OUTPUT, to));
	EXPECT_ERRNO(EINVAL, ioctl(to, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	pc_ring_unmap(&ring);
	close(to);
}

PC_TEST(stays, a_group)
{
	struct perf_counter_attr other = pc_attr(PERF_COUNT_SW_DUMMY);
	int member;

	other.disabled = 0;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	member = pc_open(&other, 0, -1, self->fd);
	ASSERT_FD(member);
	expect_stays(_metadata, self->fd, self->prog, EBUSY);
	EXPECT_ERRNO(EBUSY, set_bpf(member, self->prog));
	close(member);
	EXPECT_OK(set_bpf(self->fd, self->prog));
	EXPECT_ERRNO(ENODEV, pc_open(&other, 0, -1, self->fd));
}

PC_TEST(stays, a_counter_that_a_child_inherited_is_refused)
{
	struct pc_task child;

	self->attr.inherit = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_spawn_warm(&child, pc_worker, 1));
	expect_stays(_metadata, self->fd, self->prog, EBUSY);
	ASSERT_EQ(0, pc_reap(&child));
	EXPECT_OK(set_bpf(self->fd, self->prog));
}

PC_TEST(stays, a_counter_with_a_refresh_limit_is_refused)
{
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 1000));
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, self->prog));
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 0));
	/* A limit that is used up still counts as a limit until the counter is enabled again. */
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 1));
	pc_faults(1);
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, self->prog));
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 0));
	EXPECT_OK(set_bpf(self->fd, self->prog));
}

PC_TEST(stays, a_counter_with_o_async_is_refused)
{
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(fcntl(self->fd, F_SETFL, fcntl(self->fd, F_GETFL) | O_ASYNC));
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, self->prog));
	ASSERT_OK(fcntl(self->fd, F_SETFL, fcntl(self->fd, F_GETFL) & ~O_ASYNC));
	EXPECT_OK(set_bpf(self->fd, self->prog));
}

PC_TEST(stays, a_tracepoint_with_a_filter_is_refused)
{
	int prog = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, gettid(), 1);

	ASSERT_FD(prog);
	ASSERT_EQ(0, pc_tracefs());
	self->attr.type = PERF_TYPE_TRACEPOINT;
	self->attr.config = pc_event_id("task/task_rename");
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, "pid > 0"));
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, prog));
	close(prog);
}

/* perf_events does not record what the arguments of a system call point to. */
PC_TEST(stays, a_counter_of_system_call_arguments_is_refused)
{
	int prog = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, gettid(), 1);

	ASSERT_FD(prog);
	ASSERT_EQ(0, pc_tracefs());
	self->attr = pc_trace_attr("raw_syscalls/sys_enter");
	ASSERT_NE(0, self->attr.config);
	self->attr.sample_type = PERF_SAMPLE_RAW;
	self->attr.sample_period = 1;
	self->attr.config1 = 64;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, prog));
	close(self->fd);
	self->attr.config1 = 0;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	EXPECT_OK(set_bpf(self->fd, prog));
	close(prog);
}

PC_TEST(stays, features_of_perf_counter_alone_are_refused)
{
	/* A counter of the whole machine gets no program. */
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, self->prog));
	close(self->fd);
	/* A counter of the time off the CPU gets no program. */
	self->attr.config = PERF_COUNT_SW_OFF_CPU;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	EXPECT_ERRNO(ENOENT, set_bpf(self->fd, self->prog));
	close(self->fd);
	/* A counter that asks for MUNMAP records gets no program. */
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.munmap = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	expect_stays(_metadata, self->fd, self->prog, EINVAL);
}

PC_TEST(stays, a_counter_of_an_exited_task_is_refused)
{
	struct pc_task child;

	ASSERT_EQ(0, pc_spawn_warm(&child, pc_worker, 1));
	self->fd = pc_open(&self->attr, child.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_EQ(0, pc_reap(&child));
	EXPECT_ERRNO(ESRCH, set_bpf(self->fd, self->prog));
}

/*
 * perf_events refuses a counter of the kernel to the opener, so the counter cannot get a program.
 */
PC_TEST(stays, a_counter_that_perf_events_would_refuse_is_refused)
{
	long old = pc_sysctl_read("paranoid");
	pid_t pid;
	int status;

	ASSERT_OK(pc_write_text("/proc/sys/kernel/perf_event_paranoid", "2"));
	ASSERT_OK(pc_sysctl_write("paranoid", -1));
	pid = fork();
	if (!pid) {
		int prog = self->prog;

		pc_become_nobody(0);
		/* perf_counter lets all users count the kernel now, and perf_events does not. */
		self->fd = pc_open(&self->attr, 0, -1, -1);
		if (self->fd < 0)
			_exit(101);
		_exit(set_bpf(self->fd, prog) ? errno : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EACCES, WEXITSTATUS(status));
	ASSERT_OK(pc_sysctl_write("paranoid", old));
}

/* === Counters of the PMU, which moves to perf_events with its only descriptor === */

FIXTURE(bpf_pmu) {
	struct perf_counter_attr attr;
	long compat;
	int fd;
	int map;
	int prog;
};

FIXTURE_SETUP(bpf_pmu)
{
	self->fd = -1;
	self->prog = -1;
	self->map = -1;
	self->compat = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_attr(PERF_COUNT_HW_INSTRUCTIONS);
	self->attr.type = PERF_TYPE_HARDWARE;
	self->attr.exclude_kernel = 1;
	self->attr.sample_period = 10000;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	/* With PC_PMU in the environment there has to be a PMU. */
	if (self->fd < 0 && !getenv("PC_PMU"))
		SKIP(return, "needs a PMU");
	ASSERT_FD(self->fd);
	self->map = map_create(BPF_MAP_TYPE_ARRAY, sizeof(__u64), 1);
	if (self->map < 0 && errno == ENOSYS)
		SKIP(return, "needs CONFIG_BPF_SYSCALL");
	ASSERT_FD(self->map);
	self->prog = prog_counts(BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
	self->compat = pc_sysctl_read("compat");
}

FIXTURE_TEARDOWN(bpf_pmu)
{
	if (self->compat >= 0)
		pc_sysctl_write("compat", self->compat);
	if (self->prog >= 0)
		close(self->prog);
	if (self->map >= 0)
		close(self->map);
	if (self->fd >= 0)
		close(self->fd);
}

/* Expect that @fd counts now. */
static void expect_counts(struct __test_metadata *_metadata, int fd)
{
	ASSERT_OK(pc_reset(fd));
	ASSERT_OK(pc_enable(fd));
	pc_loop(100000);
	ASSERT_OK(pc_disable(fd));
	EXPECT_LT(0, pc_value(fd));
}

/* Expect that perf_counter has the PMU, so that perf_events refuses its own event. */
static void expect_ours(struct __test_metadata *_metadata, struct perf_counter_attr *attr)
{
	EXPECT_ERRNO(EBUSY, syscall(__NR_perf_event_open, attr, 0, -1, -1, 0));
}

/*
 * The PMU moves with its only descriptor, and compat then opens further events in perf_events. The
 * PMU is free when perf_events has closed all of them.
 */
PC_TEST(bpf_pmu, the_pmu_moves_with_its_only_descriptor)
{
	int event;

	expect_ours(_metadata, &self->attr);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	expect_counts(_metadata, self->fd);
	EXPECT_LT(0, map_get(self->map, 0));
	EXPECT_ERRNO(EEXIST, set_bpf(self->fd, self->prog));
	/* perf_events has the PMU. */
	EXPECT_ERRNO(EBUSY, pc_open(&self->attr, 0, -1, -1));
	ASSERT_OK(pc_sysctl_write("compat", 1));
	event = side_open(EVENTS, &self->attr, 0, -1, -1);
	ASSERT_FD(event);
	EXPECT_OK(set_bpf(event, self->prog));
	close(self->fd);
	expect_counts(_metadata, event);
	EXPECT_ERRNO(EBUSY, pc_open(&self->attr, 0, -1, -1));
	close(event);
	/* Now compat serves the event with perf_counter again. */
	self->fd = side_open(COMPAT, &self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	expect_counts(_metadata, self->fd);
}

/*
 * Attach a program to the counter of each CPU: each counter is opened and gets its program before
 * the next one is opened.
 */
PC_TEST(bpf_pmu, each_cpu_gets_a_program)
{
	int cpus[MAX_CPUS], fds[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS);
	__u64 before;

	ASSERT_LT(0, n);
	close(self->fd);
	ASSERT_OK(pc_sysctl_write("compat", 1));
	for (int i = 0; i < n; i++) {
		fds[i] = syscall(__NR_perf_event_open, &self->attr, -1, cpus[i], -1, 0);
		ASSERT_FD(fds[i]);
		EXPECT_EQ(i == 0, is_ours(fds[i]));
		ASSERT_OK(set_bpf(fds[i], self->prog));
		ASSERT_OK(pc_enable(fds[i]));
	}
	for (int i = 0; i < n; i++) {
		ASSERT_OK(pc_pin(cpus[i]));
		before = map_get(self->map, 0);
		pc_loop(100000);
		EXPECT_LT(before, map_get(self->map, 0));
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
}

/* The count and the times go on when the PMU moves. */
PC_TEST(bpf_pmu, the_count_moves_with_the_pmu)
{
	__u64 before;

	/*
	 * After the move the loop is ten times shorter: the event counts more than before the move
	 * only if it continues the counter's count.
	 */
	ASSERT_OK(pc_enable(self->fd));
	pc_loop(1000000);
	before = pc_value(self->fd);
	EXPECT_LT(0, before);
	ASSERT_OK(set_bpf(self->fd, self->prog));
	pc_loop(100000);
	ASSERT_OK(pc_disable(self->fd));
	EXPECT_LT(before, pc_value(self->fd));
}

/* A PMU that another descriptor uses stays, and both descriptors count on. */
PC_TEST(bpf_pmu, a_pmu_with_two_descriptors_stays)
{
	int second = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(second);
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, self->prog));
	EXPECT_ERRNO(EBUSY, link_create(self->prog, self->fd, 0));
	EXPECT_ERRNO(EBUSY, set_bpf(second, self->prog));
	expect_ours(_metadata, &self->attr);
	expect_counts(_metadata, self->fd);
	expect_counts(_metadata, second);
	EXPECT_EQ(0, map_get(self->map, 0));
	close(second);
	EXPECT_OK(set_bpf(self->fd, self->prog));
}

/* The PMU comes back when the event, the program or the descriptor is refused. */
PC_TEST(bpf_pmu, the_pmu_comes_back_after_a_refusal)
{
	int of_tracepoints = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, 0, 1);
	long old = pc_sysctl_read("paranoid");
	struct pc_ring ring;
	int status;
	pid_t pid;

	ASSERT_FD(of_tracepoints);
	ASSERT_OK(pc_enable(self->fd));
	EXPECT_ERRNO(EINVAL, set_bpf(self->fd, of_tracepoints));
	expect_ours(_metadata, &self->attr);
	expect_counts(_metadata, self->fd);
	/* The descriptor is refused after its event has got the program: its buffer is mapped. */
	ASSERT_OK(pc_ring_map(&ring, self->fd, 1));
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, self->prog));
	expect_ours(_metadata, &self->attr);
	expect_counts(_metadata, self->fd);
	EXPECT_EQ(0, map_get(self->map, 0));
	pc_ring_unmap(&ring);
	close(self->fd);

	/* perf_events refuses a counter of the kernel to its opener. */
	ASSERT_OK(pc_write_text("/proc/sys/kernel/perf_event_paranoid", "2"));
	ASSERT_OK(pc_sysctl_write("paranoid", -1));
	self->attr.exclude_kernel = 0;
	pid = fork();
	if (!pid) {
		pc_become_nobody(0);
		self->fd = pc_open(&self->attr, 0, -1, -1);
		if (self->fd < 0)
			_exit(101);
		if (!set_bpf(self->fd, self->prog) || errno != EACCES)
			_exit(102);
		pc_enable(self->fd);
		pc_loop(100000);
		pc_disable(self->fd);
		_exit(pc_value(self->fd) ? 0 : 103);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_OK(pc_sysctl_write("paranoid", old));
	self->fd = -1;
	close(of_tracepoints);
}

/*
 * When the sysctl has taken the PMU from perf_counter, a descriptor can be handed over although
 * other descriptors of the PMU are open.
 */
PC_TEST(bpf_pmu, a_descriptor_moves_when_the_sysctl_has_taken_the_pmu)
{
	long pmu = pc_sysctl_read("pmu");
	int second = pc_open(&self->attr, 0, -1, -1), event;

	ASSERT_FD(second);
	EXPECT_ERRNO(EBUSY, set_bpf(self->fd, self->prog));
	EXPECT_EQ(0, pc_sysctl_write("pmu", 0));
	EXPECT_OK(set_bpf(self->fd, self->prog));
	expect_counts(_metadata, self->fd);
	EXPECT_LT(0, map_get(self->map, 0));

	EXPECT_EQ(0, pc_sysctl_write("compat", 1));
	event = side_open(EVENTS, &self->attr, 0, -1, -1);
	EXPECT_LE(0, event) TH_LOG("perf_event_open: %s", strerror(errno));
	EXPECT_OK(set_bpf(event, self->prog));
	close(event);
	/* perf_events must not use the PMU when perf_counter gets it back. */
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, pc_sysctl_write("pmu", pmu));
	expect_counts(_metadata, second);
	close(second);
}

struct pmu_racer {
	_Atomic int end;
	_Atomic long got;
	struct perf_counter_attr attr;
};

/* Open the PMU's event in both subsystems again and again. */
static void *wants_the_pmu(void *arg)
{
	struct pmu_racer *racer = arg;
	int fd;

	while (!racer->end) {
		fd = syscall(__NR_perf_event_open, &racer->attr, 0, -1, -1, 0);
		if (fd >= 0) {
			racer->got++;
			close(fd);
		}
		fd = pc_open(&racer->attr, 0, -1, -1);
		if (fd >= 0) {
			racer->got++;
			close(fd);
		}
	}
	return NULL;
}

/*
 * Other threads open events of the PMU while a move of the PMU fails. Whatever these opens return,
 * the descriptor has its PMU again at the end of the move.
 */
PC_TEST(bpf_pmu, a_racing_open_does_not_get_a_pmu_that_comes_back)
{
	int of_tracepoints = prog_counts(BPF_PROG_TYPE_TRACEPOINT, self->map, 0, 1);
	struct pmu_racer racer = { .attr = self->attr };
	pthread_t threads[2];
	int moved = 0;

	ASSERT_FD(of_tracepoints);
	close(self->fd);
	self->fd = -1;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, wants_the_pmu, &racer));
	/* Count the rounds in which no racer had a descriptor, so that the PMU moved. */
	while (moved < 20) {
		self->fd = pc_open(&self->attr, 0, -1, -1);
		if (self->fd < 0) {
			ASSERT_EQ(EBUSY, errno);
			continue;
		}
		ASSERT_EQ(-1, set_bpf(self->fd, of_tracepoints));
		ASSERT_TRUE(errno == EINVAL || errno == EBUSY) TH_LOG("%s", strerror(errno));
		moved += errno == EINVAL;
		ASSERT_OK(pc_enable(self->fd));
		/* After a refusal that came too early, the PMU comes back with the next tick. */
		while (!pc_value(self->fd))
			pc_loop(100000);
		close(self->fd);
		self->fd = -1;
	}
	racer.end = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_LT(0, racer.got);
	close(of_tracepoints);
}

/* === Races: other threads use the descriptor while it gets a program === */

/* Each round opens and closes an event of perf_events, which patches the kernel's code. */
#define ROUNDS 30

struct racer {
	_Atomic int fd;
	_Atomic int end;
	_Atomic long done;
	int prog;
	int map;
};

static void *reads(void *arg)
{
	struct racer *racer = arg;

	while (!racer->end) {
		__u64 value;
		int fd = racer->fd;

		if (fd >= 0 && read(fd, &value, sizeof(value)) == sizeof(value))
			racer->done++;
	}
	return NULL;
}

static void *maps(void *arg)
{
	struct racer *racer = arg;

	while (!racer->end) {
		struct pc_ring ring;
		int fd = racer->fd;

		if (fd < 0 || pc_ring_map(&ring, fd, 1))
			continue;
		racer->done++;
		pc_ring_unmap(&ring);
	}
	return NULL;
}

static void *operates(void *arg)
{
	struct racer *racer = arg;
	__u64 period = 1;

	while (!racer->end) {
		int fd = racer->fd;

		if (fd < 0)
			continue;
		pc_disable(fd);
		ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
		ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, NULL);
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1);
		pc_id(fd);
		pc_enable(fd);
		racer->done++;
	}
	return NULL;
}

static void *joins(void *arg)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	struct racer *racer = arg;

	attr.disabled = 0;
	while (!racer->end) {
		int fd = racer->fd, member;

		if (fd < 0)
			continue;
		/* The leader counts the main thread. */
		member = pc_open(&attr, getpid(), -1, fd);
		if (member >= 0) {
			racer->done++;
			close(member);
		}
	}
	return NULL;
}

static void *polls(void *arg)
{
	struct racer *racer = arg;

	while (!racer->end) {
		struct pollfd poller = { .fd = racer->fd, .events = POLLIN };

		if (poller.fd >= 0 && poll(&poller, 1, 0) >= 0)
			racer->done++;
		if (poller.fd >= 0) {
			fcntl(poller.fd, F_SETFL, fcntl(poller.fd, F_GETFL) | O_ASYNC);
			fcntl(poller.fd, F_SETFL, fcntl(poller.fd, F_GETFL) & ~O_ASYNC);
		}
	}
	return NULL;
}

static void *forks(void *arg)
{
	struct racer *racer = arg;

	while (!racer->end) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0 && waitpid(pid, NULL, 0) == pid)
			racer->done++;
	}
	return NULL;
}

/* Attach the program to the descriptor and put the descriptor into a map. */
static void *attach_again(void *arg)
{
	struct racer *racer = arg;

	while (!racer->end) {
		int fd = racer->fd;

		if (fd < 0)
			continue;
		set_bpf(fd, racer->prog);
		map_set(racer->map, 0, &fd);
		racer->done++;
	}
	return NULL;
}

FIXTURE(bpf_race) {
	struct perf_counter_attr attr;
	int map;
	int prog;
};

FIXTURE_VARIANT(bpf_race) {
	void *(*other)(void *arg);
	bool inherit;
	bool tracepoint;
};

FIXTURE_VARIANT_ADD(bpf_race, reads) { .other = reads };
FIXTURE_VARIANT_ADD(bpf_race, maps) { .other = maps };
FIXTURE_VARIANT_ADD(bpf_race, operates) { .other = operates };
FIXTURE_VARIANT_ADD(bpf_race, operates_on_a_tracepoint) { .other = operates, .tracepoint = true };
FIXTURE_VARIANT_ADD(bpf_race, joins) { .other = joins };
FIXTURE_VARIANT_ADD(bpf_race, polls) { .other = polls };
FIXTURE_VARIANT_ADD(bpf_race, forks) { .other = forks, .inherit = true };
FIXTURE_VARIANT_ADD(bpf_race, gives) { .other = attach_again };

FIXTURE_SETUP(bpf_race)
{
	self->map = -1;
	self->prog = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->map = map_create(BPF_MAP_TYPE_ARRAY, sizeof(__u64), 1);
	if (self->map < 0 && errno == ENOSYS)
		SKIP(return, "needs CONFIG_BPF_SYSCALL");
	ASSERT_FD(self->map);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.inherit = variant->inherit;
	if (variant->tracepoint) {
		ASSERT_EQ(0, pc_tracefs());
		self->attr.type = PERF_TYPE_TRACEPOINT;
		self->attr.config = pc_event_id("task/task_rename");
	}
	self->prog = prog_counts(variant->tracepoint ? BPF_PROG_TYPE_TRACEPOINT :
				 BPF_PROG_TYPE_PERF_EVENT, self->map, 0, 1);
	ASSERT_FD(self->prog);
}

FIXTURE_TEARDOWN(bpf_race)
{
	if (self->prog >= 0)
		close(self->prog);
	if (self->map >= 0)
		close(self->map);
}

PC_TEST(bpf_race, programs_are_attached_while_the_descriptor_is_used)
{
	struct racer racer = { .fd = -1, .prog = self->prog };
	pthread_t thread;
	long refused = 0, given = 0;

	racer.map = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(__u32), 1);
	ASSERT_FD(racer.map);
	ASSERT_EQ(0, pthread_create(&thread, NULL, variant->other, &racer));
	for (int i = 0; i < pc_rounds(ROUNDS); i++) {
		int fd = pc_open(&self->attr, 0, -1, -1);
		long before = racer.done;

		ASSERT_FD(fd);
		racer.fd = fd;
		/* Wait until the other thread is at work. */
		while (racer.done == before)
			sched_yield();
		while (set_bpf(fd, self->prog)) {
			/* The other thread has attached the program first. */
			if (errno == EEXIST)
				break;
			ASSERT_EQ(EBUSY, errno);
			refused++;
		}
		given++;
		EXPECT_ERRNO(EEXIST, set_bpf(fd, self->prog));
		/* The counter belongs to perf_counter or to perf_events now, and counts. */
		ASSERT_OK(pc_enable(fd));
		racer.fd = -1;
		before = racer.done;
		ASSERT_NE(~0ULL, pc_value(fd));
		close(fd);
	}
	racer.end = 1;
	pthread_join(thread, NULL);
	close(racer.map);
	EXPECT_EQ(pc_rounds(ROUNDS), given);
	printf("# refused %ld times in between\n", refused);
}

/*
 * A thread that enables or disables the descriptor while the main thread gives it a program. The
 * ioctl has to take effect.
 */
struct switcher {
	pthread_barrier_t barrier;
	_Atomic int fd;
	bool on;
	int err;
};

static void *switches(void *arg)
{
	struct switcher *switcher = arg;

	for (;;) {
		pthread_barrier_wait(&switcher->barrier);
		if (switcher->fd < 0)
			return NULL;
		switcher->err = switcher->on ? pc_enable(switcher->fd) : pc_disable(switcher->fd);
		pthread_barrier_wait(&switcher->barrier);
	}
}

PC_TEST(stays, enable_during_the_attachment_takes_effect)
{
	struct switcher switcher = { .fd = -1 };
	pthread_t thread;

	ASSERT_EQ(0, pthread_barrier_init(&switcher.barrier, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, switches, &switcher));
	for (int i = 0; i < pc_rounds(ROUNDS); i++) {
		switcher.on = i & 1;
		self->attr.disabled = switcher.on;
		self->fd = pc_open(&self->attr, 0, -1, -1);
		ASSERT_FD(self->fd);
		switcher.fd = self->fd;
		pthread_barrier_wait(&switcher.barrier);
		ASSERT_OK(set_bpf(self->fd, self->prog));
		pthread_barrier_wait(&switcher.barrier);
		ASSERT_EQ(0, switcher.err);
		ASSERT_OK(pc_reset(self->fd));
		pc_faults(2);
		EXPECT_EQ(switcher.on, pc_value(self->fd) >= 2) TH_LOG("round %d", i);
		if (!switcher.on)
			EXPECT_EQ(0, pc_value(self->fd));
		close(self->fd);
		self->fd = -1;
	}
	switcher.fd = -1;
	pthread_barrier_wait(&switcher.barrier);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

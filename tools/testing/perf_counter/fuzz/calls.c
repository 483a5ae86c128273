// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of programs. Each takes the words of its arguments in the order of its entry in
 * the table at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

/* Largest number of data pages of a mapping; without it root could lock all memory. */
#define PAGES_MAX	1025

/* === Opening and closing === */

static void open_target(long nr, const u64 *arg, int target, u64 flags)
{
	struct perf_counter_attr attr;
	const u64 *rest = arg + 1 + ATTR_WORDS;
	int fd;

	attr_resolve(arg + 1, &attr);
	fd = syscall(nr, &attr, target, (int)rest[1], slot_fd(rest[2]), rest[3] | flags);
	if (fd >= 0) {
		shared->opened++;
		slot_set(arg[0], fd);
	}
}

static void open_by(long nr, const u64 *arg)
{
	open_target(nr, arg, task_id(arg[1 + ATTR_WORDS]), 0);
}

static void call_open_cgroup(const u64 *arg)
{
	int dir = cgroup_open(arg[1 + ATTR_WORDS]);

	open_target(__NR_perf_counter_open, arg, dir, PERF_COUNTER_FLAG_PID_CGROUP);
	if (dir >= 0)
		close(dir);
}

static void call_open(const u64 *arg)
{
	open_by(__NR_perf_counter_open, arg);
}

static void call_open_event(const u64 *arg)
{
	open_by(__NR_perf_event_open, arg);
}

static void call_close(const u64 *arg)
{
	slot_set(arg[0], -1);
}

static void call_dup(const u64 *arg)
{
	int fd = dup(slot_fd(arg[1]));

	if (fd >= 0)
		slot_set(arg[0], fd);
}

/* === Control === */

static void call_ioctl(const u64 *arg)
{
	ioctl(slot_fd(arg[0]), arg[1], arg[2]);
}

/* Make an ioctl that reads or writes a number of 64 bits. */
static void call_ioctl_value(const u64 *arg)
{
	u64 values[4] = { spared_period(arg[2]), arg[2] >> 8, 0, 0 };

	ioctl(slot_fd(arg[0]), arg[1], values);
}

/* Memory for the values of each task; its contents do not matter. */
static u64 rows_memory[8192];

static void call_rows(const u64 *arg)
{
	struct perf_counter_rows rows = { .rows = (unsigned long)rows_memory, .size = arg[2] };

	ioctl(slot_fd(arg[0]), arg[1], &rows);
}

static void call_set_output(const u64 *arg)
{
	ioctl(slot_fd(arg[0]), PERF_COUNTER_IOC_SET_OUTPUT, (long)slot_fd(arg[1]));
}

static void call_filter(const u64 *arg)
{
	char text[TEXT_WORDS * sizeof(u64) + 1];

	memcpy(text, arg + 1, sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	ioctl(slot_fd(arg[0]), PERF_EVENT_IOC_SET_FILTER, text);
}

static void call_modify(const u64 *arg)
{
	struct perf_counter_attr attr;

	attr_resolve(arg + 1, &attr);
	ioctl(slot_fd(arg[0]), PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
}

static void call_switch(const u64 *arg)
{
	prctl(arg[0] & 1 ? PR_TASK_PERF_COUNTERS_ENABLE : PR_TASK_PERF_COUNTERS_DISABLE);
}

static void call_fcntl(const u64 *arg)
{
	int fd = slot_fd(arg[0]);

	switch (arg[1] % 4) {
	case 0:
		fcntl(fd, F_SETFL, arg[2]);
		break;
	case 1:
		fcntl(fd, F_SETOWN, arg[2] & 1 ? getpid() : task_id(TASK_CHILD0));
		break;
	case 2:
		fcntl(fd, F_SETSIG, arg[2] & 1 ? SIGRTMIN + 1 : SIGIO);
		break;
	default:
		fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
		fcntl(fd, F_SETOWN, getpid());
	}
}

/* === Mapping === */

static void call_mmap(const u64 *arg)
{
	size_t length = arg[2] % (PAGES_MAX + 1) * PAGE;
	char *at = map_address(arg[0]);

	if (mmap(at, length, arg[3], arg[4] | MAP_FIXED, slot_fd(arg[1]), arg[5]) == at)
		world.mapped[arg[0] % MAPS] = length;
}

/* Return the first byte of a part of a mapping, in whole pages, and its length. */
static char *part_of(const u64 *arg, size_t *length)
{
	size_t pages = world.mapped[arg[0] % MAPS] / PAGE + 1, first = arg[1] % pages;

	*length = arg[2] % (pages - first + 1) * PAGE;
	return map_address(arg[0]) + first * PAGE;
}

static void call_munmap(const u64 *arg)
{
	size_t length;
	char *at = part_of(arg, &length);

	munmap(at, length);
}

static void call_munmap_all(const u64 *arg)
{
	munmap(map_address(arg[0]), MAP_ROOM);
	world.mapped[arg[0] % MAPS] = 0;
}

static void call_mprotect(const u64 *arg)
{
	size_t length;
	char *at = part_of(arg, &length);

	mprotect(at, length, arg[3]);
}

static void call_mremap(const u64 *arg)
{
	size_t length;
	char *at = part_of(arg, &length);
	size_t wanted = arg[3] % (PAGES_MAX + 1) * PAGE;

	/* The upper half of the mapping's address range is free for moves. */
	if (arg[4] & 1)
		mremap(at, length, wanted, MREMAP_MAYMOVE | MREMAP_FIXED | (arg[4] & 4),
		       map_address(arg[0]) + MAP_ROOM / 2 + arg[1] % 64 * PAGE);
	else
		mremap(at, length, wanted, 0);
}

static void call_madvise(const u64 *arg)
{
	size_t length;
	char *at = part_of(arg, &length);

	madvise(at, length, arg[3]);
}

/* === Reading === */

struct touch {
	const u64 *arg;
	u64 sum;
};

static void scribble(void *data)
{
	struct touch *touch = data;
	const u64 *arg = touch->arg;
	size_t length = world.mapped[arg[0] % MAPS];
	/*
	 * Mostly write to the user page, whose fields are at its start and at 1024 to 4095.
	 */
	size_t offset = (arg[1] & 3 ? arg[1] % PAGE : arg[1] % (length + PAGE)) & ~7UL;

	for (u64 i = 0; i < 1 + arg[3] % 64; i++)
		store(map_address(arg[0]) + offset + i * sizeof(u64), arg[2] + i);
}

static void call_scribble(const u64 *arg)
{
	touch_memory(scribble, &(struct touch){ .arg = arg });
}

/* Read as a reader does: the records between tail and head, then advance the tail. */
static void consume(void *data)
{
	struct touch *touch = data;
	struct perf_event_mmap_page *page = (void *)map_address(touch->arg[0]);
	u64 head = load(&page->data_head), tail = load(&page->data_tail);
	u64 size = load(&page->data_size) & ~7ULL;
	const char *records = (char *)page + load(&page->data_offset);

	if (!size)
		return;
	for (u64 at = tail; at < head && at < tail + size; at += sizeof(u64))
		touch->sum += load(records + (at & ~7ULL) % size);
	store(&page->data_tail, touch->arg[1] & 3 ? head : head - touch->arg[1] % 256);
}

static void consume_subrings(void *data)
{
	struct touch *touch = data;
	char *page = map_address(touch->arg[0]);
	struct perf_counter_subring *ring = (void *)(page + PERF_COUNTER_SUBRING_OFFSET);
	/* The upper half of the word is nr_rings. */
	u64 n = load(page + PERF_COUNTER_MMAP_LAYOUT_OFFSET) >> 32;

	for (u64 i = 0; i < n && i < PERF_COUNTER_SUBRINGS_MAX; i++)
		store(&ring[i].tail, load(&ring[i].head) -
		      (touch->arg[1] & 3 ? 0 : touch->arg[1] % 256));
}

static void call_consume(const u64 *arg)
{
	struct touch touch = { .arg = arg };

	touch_memory(consume, &touch);
	touch_memory(consume_subrings, &touch);
}

static void call_read(const u64 *arg)
{
	static u64 words[2100];
	size_t size = arg[1] % (sizeof(words) + 1);

	if (arg[2] & 7)
		(void)!read(slot_fd(arg[0]), words, size);
	else
		(void)!read(slot_fd(arg[0]), map_address(arg[2]), size);
}

static void call_poll(const u64 *arg)
{
	struct pollfd p[2] = {
		{ .fd = slot_fd(arg[0]), .events = POLLIN },
		{ .fd = slot_fd(arg[1]), .events = POLLIN },
	};

	poll(p, 2, arg[2] % 3);
}

static void call_epoll(const u64 *arg)
{
	struct epoll_event event = { .events = arg[1] };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(fd, EPOLL_CTL_ADD, slot_fd(arg[0]), &event);
	epoll_wait(fd, &event, 1, arg[2] % 3);
	close(fd);
}

static void call_splice(const u64 *arg)
{
	static char bytes[4096];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return;
	if (arg[3] & 1)
		fcntl(ends[1], F_SETPIPE_SZ, 4096);
	splice(slot_fd(arg[0]), NULL, ends[1], NULL, arg[1], arg[2]);
	if (arg[3] & 2)
		(void)!read(ends[0], bytes, sizeof(bytes));
	/* The remaining records are freed with the pipe, maybe after the mapping. */
	close(ends[1]);
	close(ends[0]);
}

static void call_fdinfo(const u64 *arg)
{
	char path[64], text[1024];
	int fd;

	snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", slot_fd(arg[0]));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	(void)!read(fd, text, sizeof(text));
	close(fd);
}

/* === Between workers === */

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static void call_send(const u64 *arg)
{
	char byte = 0;
	struct iovec part = { &byte, 1 };
	union control control;
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int fd = slot_fd(arg[0]);

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	sendmsg(world.mailbox[0], &message, MSG_DONTWAIT);
}

static void call_receive(const u64 *arg)
{
	char byte;
	struct iovec part = { &byte, 1 };
	union control control;
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(world.mailbox[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return;
	if (message.msg_controllen < CMSG_LEN(sizeof(int)) ||
	    control.header.cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	slot_set(arg[0], fd);
}

/* === Tasks === */

/*
 * Return @kind or, if programs were executed too often, a kind of work that executes none: in
 * emulation, executing a program takes as long as a hundred other works.
 */
static u64 work_for_now(u64 kind)
{
	if (work_is_slow(kind) && !slow_for_now(&shared->next_exec, CALLS_PER_EXEC))
		return kind % 16;
	return kind;
}

static void call_work(const u64 *arg)
{
	work(work_for_now(arg[0]), arg[1]);
}

enum child_end { END_EXIT, END_EXEC, END_SIGNAL, END_STAY, END_ENDS };

static void live_as_child(u64 kind, u64 amount, enum child_end end)
{
	cover_start_child();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	work(kind, amount);
	switch (end) {
	case END_EXEC:
		execute_work(0, 1);
		break;
	case END_SIGNAL:
		kill(getpid(), SIGKILL);
		break;
	case END_STAY:
		for (int i = 0; i < 100; i++) {
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
			work(kind % 16, amount);
		}
		break;
	default:
		break;
	}
	_exit(0);
}

static void end_child(pid_t *child, int sig)
{
	int status;

	kill(*child, sig);
	if (waitpid(*child, &status, WNOHANG | __WALL) == *child &&
	    (WIFEXITED(status) || WIFSIGNALED(status)))
		*child = 0;
}

static void call_fork(const u64 *arg)
{
	pid_t *child = &world.child[arg[0] % CHILDREN];

	/* A slot has one child at a time. */
	if (*child > 0)
		end_child(child, SIGKILL);
	if (*child > 0)
		return;
	*child = fork();
	if (!*child)
		live_as_child(work_for_now(arg[1]), arg[2], arg[3] % END_ENDS);
}

static void call_kill(const u64 *arg)
{
	pid_t *child = &world.child[arg[0] % CHILDREN];

	if (*child > 0)
		end_child(child, arg[1] % 65);
}

static void call_ptrace(const u64 *arg)
{
	pid_t child = world.child[arg[0] % CHILDREN];
	int status;

	if (child <= 0)
		return;
	ptrace(arg[1], child, NULL, NULL);
	waitpid(child, &status, WNOHANG | __WALL | WUNTRACED);
}

static void call_affinity(const u64 *arg)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (int i = 0; i < 4; i++)
		if (arg[1] >> i & 1)
			CPU_SET(i, &cpus);
	sched_setaffinity(arg[0] > TASK_INIT ? task_id(arg[0]) : 0, sizeof(cpus), &cpus);
}

static void call_yield(const u64 *arg)
{
	nanosleep(&(struct timespec){ .tv_nsec = arg[0] % 2000 * 1000 }, NULL);
}

/* === Calls that change a process for good, and so need a child === */

static void call_setuid(const u64 *arg)
{
	(void)!setresgid(1000, 1000, 1000);
	(void)!setresuid(1000, arg[0] & 1 ? 1000 : 0, arg[0] & 2 ? 1000 : 0);
	prctl(PR_SET_DUMPABLE, arg[0] >> 2 & 1);
}

static void call_rlimit(const u64 *arg)
{
	struct rlimit limit = { .rlim_cur = arg[1], .rlim_max = arg[1] };

	setrlimit(arg[0], &limit);
}

static void call_unshare(const u64 *arg)
{
	/* CLONE_VM and CLONE_THREAD have no effect alone. */
	unshare(arg[0] & (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
			  CLONE_FILES | CLONE_FS | CLONE_NEWCGROUP));
}

static void call_exec(const u64 *arg)
{
	/* Descriptors without CLOEXEC stay open. */
	if (arg[0] & 1)
		fcntl(slot_fd(arg[0] % SLOTS), F_SETFD, 0);
	execute_work(4, 1);
}

/* === Failures === */

static void call_fail(const u64 *arg)
{
	world.fail_next = 1 + arg[0] % 20;
}

/* === Table of the calls === */

#define SLOT		{ .kind = ARG_SLOT }
#define NEW_SLOT	{ .kind = ARG_NEW_SLOT }
#define SLOT_OR_NONE	{ .kind = ARG_SLOT_OR_NONE }
#define MAP		{ .kind = ARG_MAP }
#define NEW_MAP		{ .kind = ARG_NEW_MAP }
#define CHILD		{ .kind = ARG_CHILD }
#define TASK		{ .kind = ARG_TASK }
#define CPU		{ .kind = ARG_CPU }
#define VALUE		{ .kind = ARG_VALUE }
#define ATTR		{ .kind = ARG_ATTR }
#define TEXT		{ .kind = ARG_TEXT }
#define BELOW(limit)	{ .kind = ARG_BELOW, .n = (limit) }
#define LIST(...)	((const u64 []){ __VA_ARGS__ })
#define COUNT(...)	(sizeof((u64 []){ __VA_ARGS__ }) / sizeof(u64))
#define PICK(...)	{ .kind = ARG_PICK, .values = LIST(__VA_ARGS__), .n = COUNT(__VA_ARGS__) }
#define FLAGS(...)	{ .kind = ARG_FLAGS, .values = LIST(__VA_ARGS__), .n = COUNT(__VA_ARGS__) }

const struct call_type call_types[] = {
	{ "open", { NEW_SLOT, ATTR, TASK, CPU, SLOT_OR_NONE, FLAGS(1, 2, 8) }, 60, call_open },
	{ "open_event", { NEW_SLOT, ATTR, TASK, CPU, SLOT_OR_NONE, FLAGS(1, 2, 4, 8) }, 8,
	  call_open_event },
	{ "open_cgroup", { NEW_SLOT, ATTR, BELOW(CGROUPS), CPU, SLOT_OR_NONE, FLAGS(1, 2, 8) }, 12,
	  call_open_cgroup },
	{ "close", { SLOT }, 10, call_close },
	{ "dup", { NEW_SLOT, SLOT }, 4, call_dup },
	{ "ioctl", { SLOT, PICK(PERF_COUNTER_IOC_ENABLE, PERF_COUNTER_IOC_DISABLE,
				PERF_COUNTER_IOC_RESET, PERF_COUNTER_IOC_REFRESH,
				PERF_COUNTER_IOC_PAUSE_OUTPUT, PERF_COUNTER_IOC_ENABLE,
				PERF_EVENT_IOC_SET_BPF, PERF_COUNTER_IOC_ID),
		     PICK(0, 1, 2, 3, 1UL << 31, -1UL) }, 25, call_ioctl },
	{ "ioctl_value", { SLOT, PICK(PERF_COUNTER_IOC_PERIOD, PERF_COUNTER_IOC_PERIOD,
				      PERF_COUNTER_IOC_ID, PERF_EVENT_IOC_QUERY_BPF), VALUE }, 12,
	  call_ioctl_value },
	{ "rows", { SLOT, PICK(PERF_COUNTER_IOC_READ_EACH, PERF_COUNTER_IOC_READ_SELF),
		    PICK(0, 15, 16, 64, 1024, sizeof(rows_memory), 1UL << 32, -1UL) }, 10,
	  call_rows },
	{ "set_output", { SLOT, SLOT_OR_NONE }, 12, call_set_output },
	{ "filter", { SLOT, TEXT }, 10, call_filter },
	{ "modify", { SLOT, ATTR }, 2, call_modify },
	{ "switch", { BELOW(2) }, 6, call_switch },
	{ "fcntl", { SLOT, BELOW(4), VALUE }, 5, call_fcntl },
	{ "mmap", { NEW_MAP, SLOT, PICK(1, 2, 3, 5, 9, 9, 17, 33, 65, 257, 1025),
		    PICK(PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_EXEC,
			 PROT_NONE),
		    PICK(MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED | MAP_POPULATE,
			 MAP_SHARED | MAP_LOCKED),
		    PICK(0, 0, 0, 0, 0, PAGE, 4 * PAGE, -PAGE) }, 40, call_mmap },
	{ "munmap", { MAP, VALUE, VALUE }, 5, call_munmap },
	{ "munmap_all", { MAP }, 6, call_munmap_all },
	{ "mprotect", { MAP, VALUE, VALUE, FLAGS(PROT_READ, PROT_WRITE, PROT_EXEC) }, 3,
	  call_mprotect },
	{ "mremap", { MAP, VALUE, VALUE, VALUE, BELOW(8) }, 4, call_mremap },
	{ "madvise", { MAP, VALUE, VALUE, BELOW(26) }, 4, call_madvise },
	{ "scribble", { MAP, VALUE, VALUE, BELOW(64) }, 10, call_scribble },
	{ "consume", { MAP, VALUE }, 10, call_consume },
	{ "read", { SLOT, PICK(8, 16, 24, 64, 512, 16384, 16800), BELOW(64) }, 12, call_read },
	{ "poll", { SLOT, SLOT, BELOW(3) }, 6, call_poll },
	{ "epoll", { SLOT, VALUE, BELOW(3) }, 3, call_epoll },
	{ "splice", { SLOT, PICK(8, 100, 4096, 65536, 1UL << 31, -1UL), FLAGS(1, 2, 4, 8),
		      BELOW(4) }, 12, call_splice },
	{ "fdinfo", { SLOT }, 4, call_fdinfo },
	{ "send", { SLOT }, 6, call_send },
	{ "receive", { NEW_SLOT }, 6, call_receive },
	{ "work", { BELOW(WORKS), VALUE }, 80, call_work },
	{ "fork", { CHILD, BELOW(WORKS), VALUE, BELOW(END_ENDS) }, 15, call_fork },
	{ "kill", { CHILD, PICK(0, SIGKILL, SIGTERM, SIGSTOP, SIGCONT, SIGUSR1) }, 6, call_kill },
	{ "ptrace", { CHILD, PICK(PTRACE_SEIZE, PTRACE_ATTACH, PTRACE_DETACH, PTRACE_CONT,
				  PTRACE_INTERRUPT, PTRACE_SINGLESTEP, PTRACE_SYSCALL) }, 4,
	  call_ptrace },
	{ "affinity", { TASK, BELOW(16) }, 5, call_affinity },
	{ "sleep", { VALUE }, 5, call_yield },
	{ "probe", { BELOW(PROBES), BELOW(2), BELOW(16) }, 3, change_probe },
	{ "sysctl", { BELOW(16), BELOW(4) }, 5, change_sysctl },
	{ "cpu", { BELOW(3), BELOW(2) }, 3, change_cpu },
	{ "cgroup", { BELOW(CGROUPS), BELOW(3), TASK }, 12, change_cgroup },
	{ "fail", { BELOW(20) }, 8, call_fail },
	{ "setuid", { BELOW(8) }, 2, call_setuid, true },
	{ "rlimit", { PICK(RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_AS, RLIMIT_FSIZE),
		      PICK(0, 8, 4096, 1UL << 20, 1UL << 28) }, 2, call_rlimit, true },
	{ "unshare", { VALUE }, 1, call_unshare, true },
	{ "exec", { BELOW(2) }, 2, call_exec, true },
};

const unsigned int nr_call_types = ARRAY_SIZE(call_types);

void run_call(const struct call *call)
{
	unsigned int fail = call->async ? 0 : world.fail_next;
	char number[16];

	if (fail) {
		world.fail_next = 0;
		snprintf(number, sizeof(number), "%u", fail);
		(void)!write(world.fail_nth, number, strlen(number));
	}
	call_types[call->kind].run(call->arg);
	if (fail)
		(void)!write(world.fail_nth, "0", 1);
}

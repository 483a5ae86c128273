// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that arguments of system calls point to, in samples of their entry: paths, strings,
 * addresses of sockets and written data.
 */
#include <linux/audit.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "pc_arch.h"
#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

#define ENTER "raw_syscalls/sys_enter"

static union pc_record rec;
static struct pc_field id, args;

/* The data of a sample of a system call. */
struct call {
	struct perf_counter_syscall head;
	const struct perf_counter_syscall_arg *args[6];
	long id;
	__u64 values[6];
};

FIXTURE(syscall) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(syscall)
{
	ASSERT_OK(pc_tracefs());
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr = pc_trace_attr(ENTER);
	ASSERT_NE(0, self->attr.config);
	self->attr.sample_type = PERF_SAMPLE_RAW;
	self->attr.sample_period = 1;
	self->attr.config1 = 64;
	id = pc_event_field(ENTER, "id");
	args = pc_event_field(ENTER, "args");
	ASSERT_EQ(48, args.size);
}

FIXTURE_TEARDOWN(syscall)
{
	pc_ring_unmap(&self->ring);
	if (self->fd >= 0)
		close(self->fd);
}

static int open_calls(struct __test_metadata *_metadata, FIXTURE_DATA(syscall) * self)
{
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	pc_enable(self->fd);
	return self->fd;
}

/* Decode the sample in rec. Returns false if its data are not well-formed. */
static bool parse(const struct perf_counter_attr *attr, struct call *call)
{
	const struct perf_counter_syscall_arg *arg;
	unsigned int record = args.offset + args.size, at, end;
	struct pc_sample s;

	memset(call, 0, sizeof(*call));
	if (!pc_parse_sample(attr, &rec, &s) || s.raw_size < record)
		return false;
	memcpy(&call->id, s.raw + id.offset, sizeof(call->id));
	memcpy(call->values, s.raw + args.offset, sizeof(call->values));
	/* Raw data are padded by four bytes. */
	if (s.raw_size < record + sizeof(call->head))
		return !attr->config1;
	memcpy(&call->head, s.raw + record, sizeof(call->head));
	at = record + sizeof(call->head);
	end = at + call->head.size;
	if (call->head.size % 8 || end + 4 != s.raw_size)
		return false;
	while (at < end) {
		arg = (const void *)(s.raw + at);
		if (arg->index > 5 || call->args[arg->index] || at + sizeof(*arg) + arg->size > end)
			return false;
		call->args[arg->index] = arg;
		at += (sizeof(*arg) + arg->size + 7) & ~7U;
	}
	return at == end;
}

/* Find the next sample of the system call @nr. */
static bool find(const struct perf_counter_attr *attr, struct pc_ring *ring, long nr,
		 struct call *call)
{
	while (pc_ring_find(ring, &rec, PERF_RECORD_SAMPLE)) {
		if (!parse(attr, call))
			return false;
		if (call->id == nr)
			return true;
	}
	return false;
}

static bool is_data(const struct perf_counter_syscall_arg *arg, const void *data, size_t size,
		    unsigned int flags)
{
	return arg && arg->flags == flags && arg->size == size && !memcmp(arg->data, data, size);
}

static bool is_string(const struct perf_counter_syscall_arg *arg, const char *string)
{
	return is_data(arg, string, strlen(string), 0);
}

PC_TEST(syscall, a_path_is_recorded)
{
	struct call call;

	open_calls(_metadata, self);
	syscall(SYS_openat, AT_FDCWD, "/no/such/file", O_RDONLY | O_DIRECTORY, 0);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
	EXPECT_EQ(AT_FDCWD, (int)call.values[0]);
	EXPECT_EQ(O_RDONLY | O_DIRECTORY, call.values[2]);
	EXPECT_TRUE(is_string(call.args[1], "/no/such/file"));
	EXPECT_EQ(NULL, call.args[0]);
	EXPECT_EQ(NULL, call.args[2]);
	if (PC_AUDIT_ARCH)
		EXPECT_EQ(PC_AUDIT_ARCH, call.head.arch);
}

/* Check all sizes from 0 to more than the length of the path. */
PC_TEST(syscall, paths_of_all_lengths_are_recorded)
{
	char path[40] = "";
	struct call call;

	self->attr.config1 = 20;
	open_calls(_metadata, self);
	for (int i = 0; i < 30; i++) {
		memset(path, 'a' + i % 26, i);
		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
		ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call))
			TH_LOG("%d bytes", i);
		EXPECT_TRUE(is_data(call.args[1], path, i < 20 ? i : 20,
				    i > 20 ? PERF_COUNTER_SYSCALL_ARG_CUT : 0))
			TH_LOG("%d bytes", i);
	}
}

PC_TEST(syscall, two_paths_are_recorded)
{
	struct call call;

	open_calls(_metadata, self);
	syscall(SYS_renameat2, AT_FDCWD, "/from/here", AT_FDCWD, "/to/where/it/is/not", 0);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_renameat2, &call));
	EXPECT_TRUE(is_string(call.args[1], "/from/here"));
	EXPECT_TRUE(is_string(call.args[3], "/to/where/it/is/not"));
}

/*
 * The kernel declares arguments of mount(2) as char *, although it does not write to the strings.
 */
PC_TEST(syscall, arguments_of_mount_are_recorded)
{
	struct call call;

	open_calls(_metadata, self);
	syscall(SYS_mount, "source", "/no/such/directory", "nosuchfs", 0, NULL);
	syscall(SYS_umount2, "/no/such/mount", 0);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_mount, &call));
	EXPECT_TRUE(is_string(call.args[0], "source"));
	EXPECT_TRUE(is_string(call.args[1], "/no/such/directory"));
	EXPECT_TRUE(is_string(call.args[2], "nosuchfs"));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_umount2, &call));
	EXPECT_TRUE(is_string(call.args[0], "/no/such/mount"));
}

/* If an argument is an int, the kernel ignores the upper half of its register. */
PC_TEST(syscall, a_length_of_type_int_has_32_bits)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct call call;

	open_calls(_metadata, self);
	syscall(SYS_bind, -1, &in, sizeof(in) | 1UL << 32);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_bind, &call));
	EXPECT_TRUE(is_data(call.args[1], &in, sizeof(in), 0));
}

/* A page of a file is not in memory before the first access. */
PC_TEST(syscall, a_path_that_is_not_in_memory_is_recorded)
{
	static const char path[] = "/no/such/file";
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned char present[2];
	int file = memfd_create("path", 0);
	struct call call;
	char *memory;

	ASSERT_LE(0, file);
	ASSERT_OK(ftruncate(file, 2 * page));
	/* Half of the path is on each page. */
	ASSERT_EQ(sizeof(path), pwrite(file, path, sizeof(path), page - 5));
	open_calls(_metadata, self);
	for (int i = 0; i < 10; i++) {
		memory = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, file, 0);
		ASSERT_NE(MAP_FAILED, memory);
		ASSERT_OK(madvise(memory, 2 * page, MADV_RANDOM));
		ASSERT_OK(mincore(memory, 2 * page, present));
		syscall(SYS_openat, AT_FDCWD, memory + page - 5, O_RDONLY, 0);
		ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
		EXPECT_TRUE(is_string(call.args[1], path));
		munmap(memory, 2 * page);
	}
	close(file);
}

PC_TEST(syscall, a_path_at_an_invalid_address_is_missing)
{
	struct call call;

	open_calls(_metadata, self);
	EXPECT_ERRNO(EFAULT, syscall(SYS_openat, AT_FDCWD, 4096, O_RDONLY, 0));
	EXPECT_ERRNO(EFAULT, syscall(SYS_openat, AT_FDCWD, -4096L, O_RDONLY, 0));
	EXPECT_ERRNO(EFAULT, syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY, 0));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
	EXPECT_TRUE(is_data(call.args[1], "", 0, PERF_COUNTER_SYSCALL_ARG_MISSING));
	EXPECT_EQ(4096, call.values[1]);
	/* A user may not read a kernel address. */
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
	EXPECT_TRUE(is_data(call.args[1], "", 0, PERF_COUNTER_SYSCALL_ARG_MISSING));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
	EXPECT_EQ(NULL, call.args[1]);
}

/* The string ends with the mapping: bytes after it are not needed. */
PC_TEST(syscall, a_path_at_the_end_of_a_mapping_is_recorded)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct call call;
	char *memory;

	memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	ASSERT_OK(munmap(memory + page, page));
	memcpy(memory + page - 5, "/end", 5);
	open_calls(_metadata, self);
	syscall(SYS_openat, AT_FDCWD, memory + page - 5, O_RDONLY, 0);
	memory[page - 1] = 'x';
	EXPECT_ERRNO(EFAULT, syscall(SYS_openat, AT_FDCWD, memory + page - 5, O_RDONLY, 0));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
	EXPECT_TRUE(is_string(call.args[1], "/end"));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
	EXPECT_TRUE(is_data(call.args[1], "", 0, PERF_COUNTER_SYSCALL_ARG_MISSING));
	munmap(memory, page);
}

/*
 * The string goes on in a page that was not accessed yet, which is all zeros, or in an unmapped
 * page.
 */
PC_TEST(syscall, a_long_path_goes_on_in_the_next_page)
{
	enum { MAX = PERF_COUNTER_SYSCALL_MAX };
	long page = pc_page();
	struct call call;

	self->attr.config1 = MAX;
	open_calls(_metadata, self);
	for (int len = MAX - 1; len <= MAX + 2; len++) {
		int size = len < MAX ? len : MAX, cut = PERF_COUNTER_SYSCALL_ARG_CUT;
		char *memory = pc_fresh(2), *path = memory + page - len;

		ASSERT_NE(NULL, memory);
		memset(path, 'x', len);
		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
		ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
		EXPECT_TRUE(is_data(call.args[1], path, size, len > MAX ? cut : 0))
			TH_LOG("%d characters: %d, flags %d", len, call.args[1]->size,
			       call.args[1]->flags);
		ASSERT_OK(munmap(memory + page, page));
		EXPECT_ERRNO(EFAULT, syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0));
		ASSERT_TRUE(find(&self->attr, &self->ring, SYS_openat, &call));
		EXPECT_TRUE(is_data(call.args[1], path, len > MAX ? MAX : 0,
				    len > MAX ? cut : PERF_COUNTER_SYSCALL_ARG_MISSING));
		munmap(memory, page);
	}
}

/* The end of the buffer is not mapped: the record has the mapped part only. */
PC_TEST(syscall, written_data_are_recorded_up_to_the_mappings_end)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct call call;
	char *memory;
	int file = memfd_create("written", 0);

	ASSERT_LE(0, file);
	memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	ASSERT_OK(munmap(memory + page, page));
	memset(memory, 'x', page);
	open_calls(_metadata, self);
	EXPECT_EQ(40, write(file, memory + page - 40, 60));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_write, &call));
	EXPECT_TRUE(is_data(call.args[1], memory + page - 40, 40,
			    PERF_COUNTER_SYSCALL_ARG_MISSING));
	munmap(memory, page);
	close(file);
}

/* The number of page faults of a call with an argument in a page that was not accessed yet. */
static long faults_of_a_call(void)
{
	struct rusage before, after;
	char *fresh = pc_fresh(1);

	getrusage(RUSAGE_SELF, &before);
	/* The descriptor is invalid, so the call itself does not access the page. */
	syscall(SYS_write, -1, fresh, 8);
	getrusage(RUSAGE_SELF, &after);
	munmap(fresh, pc_page());
	return after.ru_minflt - before.ru_minflt;
}

/*
 * The least of several results of faults_of_a_call(): a page of the program that the kernel has
 * dropped from memory adds a fault.
 */
static long least_faults(void)
{
	long least = LONG_MAX;

	for (int i = 0; i < 5; i++) {
		long faults = faults_of_a_call();

		if (faults < least)
			least = faults;
	}
	return least;
}

/*
 * Calls of a task without counters do not touch their arguments, even if other tasks were counted
 * before.
 */
PC_TEST(syscall, arguments_of_uncounted_tasks_are_not_touched)
{
	struct pc_task task;
	int cpu, fd, child;

	ASSERT_EQ(1, pc_cpus(&cpu, 1));
	ASSERT_OK(pc_pin(cpu));
	ASSERT_OK(pc_spawn(&task, pc_worker, 0));
	child = pc_open(&self->attr, task.pid, -1, -1);
	ASSERT_FD(child);
	EXPECT_EQ(0, least_faults());
	fd = pc_open(&self->attr, -1, cpu, -1);
	ASSERT_FD(fd);
	EXPECT_EQ(1, least_faults());
	close(fd);
	EXPECT_EQ(0, least_faults());
	close(child);
	EXPECT_EQ(0, pc_reap(&task));
}

PC_TEST(syscall, written_data_are_recorded)
{
	static const char zeros[100];
	struct call call;
	int fds[2];

	ASSERT_OK(pipe(fds));
	open_calls(_metadata, self);
	ASSERT_EQ(5, write(fds[1], "a\0b\nc", 5));
	ASSERT_EQ(100, write(fds[1], zeros, 100));
	ASSERT_EQ(0, write(fds[1], zeros, 0));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_write, &call));
	EXPECT_TRUE(is_data(call.args[1], "a\0b\nc", 5, 0));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_write, &call));
	EXPECT_TRUE(is_data(call.args[1], zeros, 64, PERF_COUNTER_SYSCALL_ARG_CUT));
	EXPECT_EQ(100, call.values[2]);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_write, &call));
	EXPECT_TRUE(is_data(call.args[1], zeros, 0, 0));
	close(fds[0]);
	close(fds[1]);
}

/* A buffer to read into has old contents, which are not recorded. */
PC_TEST(syscall, buffers_to_read_into_are_not_recorded)
{
	char buffer[16] = "old";
	struct call call;
	int fds[2];

	ASSERT_OK(pipe2(fds, O_NONBLOCK));
	open_calls(_metadata, self);
	ASSERT_EQ(-1, syscall(SYS_read, fds[0], buffer, sizeof(buffer)));
	syscall(SYS_getcwd, buffer, sizeof(buffer));
	syscall(SYS_readlinkat, AT_FDCWD, "/no/such/link", buffer, sizeof(buffer));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_read, &call));
	EXPECT_EQ(0, call.head.size);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_getcwd, &call));
	EXPECT_EQ(0, call.head.size);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_readlinkat, &call));
	EXPECT_TRUE(is_string(call.args[1], "/no/such/link"));
	EXPECT_EQ(NULL, call.args[2]);
	close(fds[0]);
	close(fds[1]);
}

PC_TEST(syscall, addresses_of_sockets_are_recorded)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/no/such/socket" };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct call call;

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	self->attr.config1 = 200;
	open_calls(_metadata, self);
	/* These calls need no sockets. */
	syscall(SYS_connect, -1, &local, sizeof(local));
	syscall(SYS_bind, -1, &in, sizeof(in));
	syscall(SYS_sendto, -1, "not this", 8, 0, &in, sizeof(in));
	syscall(SYS_accept, -1, &in, &in);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_connect, &call));
	EXPECT_TRUE(is_data(call.args[1], &local, sizeof(local), 0));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_bind, &call));
	EXPECT_TRUE(is_data(call.args[1], &in, sizeof(in), 0));
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_sendto, &call));
	EXPECT_TRUE(is_data(call.args[4], &in, sizeof(in), 0));
	EXPECT_EQ(NULL, call.args[1]);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_accept, &call));
	EXPECT_EQ(0, call.head.size);
}

/*
 * The record of openat's own tracepoint ends at this offset; the memory of the arguments follows.
 */
static unsigned int openat_end;

static __u64 openat_event(void)
{
	struct pc_field last = pc_event_field("syscalls/sys_enter_openat", "mode");

	openat_end = last.offset + last.size;
	return last.size == 8 ? pc_event_id("syscalls/sys_enter_openat") : 0;
}

/* True if the next sample is one of openat(2) with @path. */
static bool is_openat(const struct perf_counter_attr *attr, struct pc_ring *ring, const char *path)
{
	const struct perf_counter_syscall_arg *arg;
	struct pc_sample s;

	if (!pc_ring_find(ring, &rec, PERF_RECORD_SAMPLE) || !pc_parse_sample(attr, &rec, &s))
		return false;
	arg = (const void *)(s.raw + openat_end + sizeof(struct perf_counter_syscall));
	return s.raw_size > openat_end + sizeof(struct perf_counter_syscall) + sizeof(*arg) &&
	       arg->index == 1 && is_string(arg, path);
}

PC_TEST(syscall, one_system_calls_event_has_its_arguments)
{
	self->attr.config = openat_event();
	ASSERT_NE(0, self->attr.config);
	open_calls(_metadata, self);
	syscall(SYS_openat, AT_FDCWD, "/no/such/file", O_RDONLY, 0);
	EXPECT_TRUE(is_openat(&self->attr, &self->ring, "/no/such/file"));
}

/* Several counters write the record of one event, each with its own size or with a filter. */
PC_TEST(syscall, each_counter_has_its_own_size)
{
	static const unsigned int sizes[] = { 0, 4, PERF_COUNTER_SYSCALL_MAX, 8 };
	struct perf_counter_attr attrs[ARRAY_SIZE(sizes)];
	struct pc_ring rings[ARRAY_SIZE(sizes)];
	int fds[ARRAY_SIZE(sizes)];
	char path[PERF_COUNTER_SYSCALL_MAX], filter[32];
	unsigned int size, flags;
	struct call call;

	snprintf(filter, sizeof(filter), "id == %d", SYS_openat);
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = 0;
	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		attrs[i] = self->attr;
		attrs[i].config1 = sizes[i];
		fds[i] = pc_open(&attrs[i], 0, -1, -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&rings[i], fds[i], 16));
	}
	ASSERT_OK(ioctl(fds[3], PERF_EVENT_IOC_SET_FILTER, filter));
	for (int i = 0; i < ARRAY_SIZE(sizes); i++)
		pc_enable(fds[i]);
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
	for (int i = 0; i < ARRAY_SIZE(sizes); i++)
		pc_disable(fds[i]);
	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_TRUE(find(&attrs[i], &rings[i], SYS_openat, &call));
		size = sizes[i] < sizeof(path) ? sizes[i] : sizeof(path) - 1;
		flags = size < sizeof(path) - 1 ? PERF_COUNTER_SYSCALL_ARG_CUT : 0;
		EXPECT_TRUE(size ? is_data(call.args[1], path, size, flags) : !call.head.arch);
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

/* A call with three arguments has the largest data. */
PC_TEST(syscall, the_largest_arguments_are_recorded)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct call call;

	ASSERT_NE(MAP_FAILED, memory);
	memset(memory, 'm', 8191);
	self->attr.config1 = PERF_COUNTER_SYSCALL_MAX;
	open_calls(_metadata, self);
	syscall(SYS_mount, memory, memory, memory, 0, memory);
	ASSERT_TRUE(find(&self->attr, &self->ring, SYS_mount, &call));
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(is_data(call.args[i], memory, PERF_COUNTER_SYSCALL_MAX,
				    PERF_COUNTER_SYSCALL_ARG_CUT));
	munmap(memory, 8192);
}

#ifdef __x86_64__
/*
 * Number 80 is getgroups in i386, whose argument is no path, and chdir in x86-64. The data of i386
 * calls are not recorded.
 */
PC_TEST(syscall, arguments_of_i386_calls_are_not_recorded)
{
	char *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct call call;
	long ret;

	ASSERT_NE(MAP_FAILED, path);
	memcpy(path, "/no/such/directory", sizeof("/no/such/directory"));
	open_calls(_metadata, self);
	asm volatile("int $0x80" : "=a" (ret) : "0" (80), "b" (path), "c" (0)
		     : "memory", "r8", "r9", "r10", "r11");
	ASSERT_LE(0, ret);
	ASSERT_TRUE(find(&self->attr, &self->ring, 80, &call));
	EXPECT_EQ(AUDIT_ARCH_I386, call.head.arch);
	EXPECT_EQ(0, call.head.size);
	munmap(path, 4096);
}
#endif

/* The kernel knows nothing of the arguments of a system call that it does not have. */
PC_TEST(syscall, unknown_calls_have_no_arguments)
{
	const char *path = "/no/such/file";
	struct call call;

#ifdef __powerpc__
	SKIP(return, "powerpc has no events of such calls");
#endif
	open_calls(_metadata, self);
	for (long nr = -20; nr < 2000; nr = nr == -1 ? 1000 : nr + 1) {
		EXPECT_EQ(-1, syscall(nr, path, path, path, path, path, path));
		ASSERT_TRUE(find(&self->attr, &self->ring, nr, &call)) TH_LOG("call %ld", nr);
		EXPECT_EQ((unsigned long)path, call.values[5]);
		EXPECT_EQ(0, call.head.size) TH_LOG("call %ld", nr);
	}
}

/* A task that tries to open a file, t->arg times at each order. */
static void open_in_vain(struct pc_task *t)
{
	while (pc_await(t)) {
		for (int i = 0; i < t->arg; i++)
			syscall(SYS_openat, AT_FDCWD, "/of/another", O_RDONLY, 0);
		pc_done(t);
	}
}

PC_TEST(syscall, a_machine_counter_has_arguments_of_all_tasks)
{
	struct pc_task task;
	struct call call;
	char filter[32];
	int n = 0;

	ASSERT_OK(pc_spawn(&task, open_in_vain, 50));
	snprintf(filter, sizeof(filter), "common_pid == %d", task.pid);
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, filter));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&task, 'x'));
	pc_disable(self->fd);
	while (find(&self->attr, &self->ring, SYS_openat, &call)) {
		EXPECT_TRUE(is_string(call.args[1], "/of/another"));
		n++;
	}
	EXPECT_EQ(50, n);
	EXPECT_EQ(0, pc_reap(&task));
}

/* Attributes of the counter that trace_as_nobody() opens. */
static struct perf_counter_attr asked;

static int trace_as_nobody(int unused)
{
	struct pc_ring ring;
	int fd;

	fd = pc_open(&asked, 0, -1, -1);
	if (fd < 0 || pc_ring_map(&ring, fd, 1))
		return 1;
	pc_enable(fd);
	syscall(SYS_openat, AT_FDCWD, "/nobody", O_RDONLY, 0);
	return !is_openat(&asked, &ring, "/nobody");
}

PC_TEST(syscall, a_user_may_have_arguments_of_own_tasks)
{
	asked = self->attr;
	asked.exclude_kernel = 1;
	asked.config = openat_event();
	ASSERT_NE(0, asked.config);
	EXPECT_EQ(0, pc_in_nobody(trace_as_nobody, 0, 1 << 20));
}

PC_TEST(syscall, invalid_attrs_are_refused)
{
	static const char *const others[] = {
		"raw_syscalls/sys_exit", "syscalls/sys_exit_openat", "task/task_rename",
	};
	struct perf_counter_attr attr = self->attr;

	attr.config1 = PERF_COUNTER_SYSCALL_MAX;
	self->fd = pc_open(&attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	attr.config1 = PERF_COUNTER_SYSCALL_MAX + 1;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, -1));
	attr.config1 = 1ULL << 32;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, -1));
	/* config1 needs raw data in the sample. */
	attr.config1 = 64;
	attr.sample_type = PERF_SAMPLE_IP;
	EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, -1));
	attr.sample_type = PERF_SAMPLE_RAW;
	for (int i = 0; i < ARRAY_SIZE(others); i++) {
		attr.config = pc_event_id(others[i]);
		ASSERT_NE(0, attr.config);
		EXPECT_ERRNO(EINVAL, pc_open(&attr, 0, -1, -1));
	}
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

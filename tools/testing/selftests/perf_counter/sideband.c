// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records: names of tasks, mappings, forks, exits, and the counts of exited tasks.
 */
#include <limits.h>
#include <sys/sysmacros.h>

#include "pc_ring.h"
#include "pc_side.h"
#include "pc_test.h"
#include "pc_work.h"

static union pc_record rec;
static struct pc_sample s;
static struct comm_record *comm = (void *)&rec;
static struct mmap_record *mapped = (void *)&rec;
static struct mmap2_record *mapped2 = (void *)&rec;
static struct task_record *task = (void *)&rec;
static struct read_record *reading = (void *)&rec;

static const __u64 id_fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

FIXTURE(side) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
	int cpu;
};

FIXTURE_SETUP(side)
{
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	self->fd = -1;
	ASSERT_EQ(1, pc_cpus(&self->cpu, 1));
	ASSERT_OK(pc_pin(self->cpu));
}

FIXTURE_TEARDOWN(side)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

static int start(struct perf_counter_attr *attr, pid_t pid, int cpu, struct pc_ring *ring, int *fd)
{
	*fd = pc_open(attr, pid, cpu, -1);
	if (*fd < 0 || pc_ring_map(ring, *fd, 16))
		return -1;
	return pc_enable(*fd);
}

PC_TEST(side, a_new_name_is_a_comm_record)
{
	static const char * const names[] = { "a", "seven77", "eight888", "fifteen_letters",
					      "more than fifteen letters" };

	self->attr.comm = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		char expected[16] = {};

		ASSERT_OK(prctl(PR_SET_NAME, names[i]));
		snprintf(expected, sizeof(expected), "%.15s", names[i]);
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_EQ(PERF_RECORD_COMM, rec.header.type);
		EXPECT_EQ(0, rec.header.misc & PERF_RECORD_MISC_COMM_EXEC);
		EXPECT_EQ(getpid(), comm->pid);
		EXPECT_EQ(getpid(), comm->tid);
		EXPECT_STREQ(expected, comm->comm);
		/* The record ends with the name, a zero, and zeros up to a multiple of 8 bytes. */
		EXPECT_EQ(16 + (strlen(expected) + 8) / 8 * 8, rec.header.size)
			TH_LOG("%s", expected);
		for (int j = 16 + strlen(expected); j < rec.header.size; j++) {
			EXPECT_EQ(0, rec.bytes[j])
				TH_LOG("%s: byte %d", expected, j);
		}
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	}
}

/* The leader's state affects counting, not side-band records. */
PC_TEST(side, a_member_has_records_while_its_leader_is_disabled)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int leader = pc_open(&attr, 0, -1, -1);

	ASSERT_LE(0, leader);
	self->attr.comm = 1;
	self->attr.disabled = 0;
	self->fd = pc_open(&self->attr, 0, -1, leader);
	ASSERT_LE(0, self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 1));
	ASSERT_OK(prctl(PR_SET_NAME, "member"));
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_COMM, rec.header.type);
	EXPECT_STREQ("member", comm->comm);
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_OK(prctl(PR_SET_NAME, "off"));
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	close(leader);
}

PC_TEST(side, a_counter_gets_only_records_that_it_asks_for)
{
	pid_t pid;
	void *map;

	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	ASSERT_OK(prctl(PR_SET_NAME, "nobody cares"));
	map = mmap(NULL, pc_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	munmap(map, pc_page());
	EXPECT_EQ(0, pc_ring_head(&self->ring));
}

PC_TEST(side, a_disabled_counter_records_nothing)
{
	self->attr.comm = 1;
	self->attr.task = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	pc_disable(self->fd);
	ASSERT_OK(prctl(PR_SET_NAME, "off"));
	EXPECT_EQ(0, pc_ring_head(&self->ring));
	pc_enable(self->fd);
	ASSERT_OK(prctl(PR_SET_NAME, "on"));
	EXPECT_EQ(1, pc_ring_count(&self->ring, PERF_RECORD_COMM));
}

PC_TEST(side, exec_is_a_comm_record_with_the_exec_bit)
{
	struct pc_task t;

	self->attr.comm = 1;
	self->attr.comm_exec = 1;
	ASSERT_OK(pc_spawn(&t, pc_exec_worker, 0));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	/* The test executes /proc/self/exe, so the name is "exe". */
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_COMM, rec.header.type);
	EXPECT_NE(0, rec.header.misc & PERF_RECORD_MISC_COMM_EXEC);
	EXPECT_EQ(t.pid, comm->pid);
	EXPECT_EQ(t.pid, comm->tid);
	EXPECT_STREQ("exe", comm->comm);
	EXPECT_OK(pc_reap(&t));
}

static int exec_file(void)
{
	int fd = syscall(SYS_memfd_create, "pc_test", 0x10U /* MFD_EXEC */);

	/* Kernels before 6.3 refuse the flag. */
	if (fd < 0)
		fd = syscall(SYS_memfd_create, "pc_test", 0U);
	if (fd >= 0 && ftruncate(fd, 8 * pc_page()))
		return -1;
	return fd;
}

static const char exec_file_name[] = "/memfd:pc_test (deleted)";

PC_TEST(side, an_executable_mapping_of_a_file_is_an_mmap_record)
{
	int file = exec_file();
	char *map;

	ASSERT_FD(file);
	self->attr.mmap = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	map = mmap(NULL, 3 * pc_page(), PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 2 * pc_page());
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP, rec.header.type);
	EXPECT_EQ(PERF_RECORD_MISC_USER, rec.header.misc);
	EXPECT_EQ(getpid(), mapped->pid);
	EXPECT_EQ(getpid(), mapped->tid);
	EXPECT_EQ((unsigned long)map, mapped->addr);
	EXPECT_EQ(3 * pc_page(), mapped->len);
	EXPECT_EQ(2 * pc_page(), mapped->pgoff);
	EXPECT_STREQ(exec_file_name, mapped->filename);
	EXPECT_EQ(sizeof(*mapped) + (sizeof(exec_file_name) + 7) / 8 * 8, rec.header.size);
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	close(file);
}

PC_TEST(side, mmap2_adds_the_inode_and_the_protection)
{
	int file = exec_file();
	struct stat st;
	char *map;

	ASSERT_FD(file);
	ASSERT_OK(fstat(file, &st));
	self->attr.mmap = 1;
	self->attr.mmap2 = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	for (int shared = 0; shared < 2; shared++) {
		map = mmap(NULL, pc_page(), PROT_READ | PROT_EXEC,
			   shared ? MAP_SHARED : MAP_PRIVATE, file, pc_page());
		ASSERT_NE(MAP_FAILED, map);
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_EQ(PERF_RECORD_MMAP2, rec.header.type);
		EXPECT_EQ(PERF_RECORD_MISC_USER, rec.header.misc);
		EXPECT_EQ(getpid(), mapped2->pid);
		EXPECT_EQ(getpid(), mapped2->tid);
		EXPECT_EQ((unsigned long)map, mapped2->addr);
		EXPECT_EQ(pc_page(), mapped2->len);
		EXPECT_EQ(pc_page(), mapped2->pgoff);
		EXPECT_EQ(major(st.st_dev), mapped2->maj);
		EXPECT_EQ(minor(st.st_dev), mapped2->min);
		EXPECT_EQ(st.st_ino, mapped2->ino);
		EXPECT_EQ(PROT_READ | PROT_EXEC, mapped2->prot);
		EXPECT_EQ(shared ? MAP_SHARED : MAP_PRIVATE, mapped2->flags);
		EXPECT_STREQ(exec_file_name, mapped2->filename);
		EXPECT_EQ(sizeof(*mapped2) + (sizeof(exec_file_name) + 7) / 8 * 8, rec.header.size);
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	}
	close(file);
}

PC_TEST(side, executable_memory_without_a_file_is_called_anon)
{
	char *map;

	self->attr.mmap = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	map = mmap(NULL, 2 * pc_page(), PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP, rec.header.type);
	EXPECT_EQ((unsigned long)map, mapped->addr);
	EXPECT_EQ(2 * pc_page(), mapped->len);
	EXPECT_STREQ("//anon", mapped->filename);
}

PC_TEST(side, memory_that_becomes_executable_is_an_mmap_record)
{
	char *map;

	self->attr.mmap = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	map = mmap(NULL, 4 * pc_page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, pc_ring_head(&self->ring)) TH_LOG("the memory is not executable");
	ASSERT_OK(mprotect(map + pc_page(), 2 * pc_page(), PROT_READ | PROT_EXEC));
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP, rec.header.type);
	EXPECT_EQ((unsigned long)map + pc_page(), mapped->addr);
	EXPECT_EQ(2 * pc_page(), mapped->len);
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
}

PC_TEST(side, data_is_recorded_with_mmap_data_and_marked)
{
	int file = exec_file();
	char *map;

	ASSERT_FD(file);
	self->attr.mmap = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	map = mmap(NULL, pc_page(), PROT_READ, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, pc_ring_head(&self->ring)) TH_LOG("without mmap_data");
	pc_ring_unmap(&self->ring);
	close(self->fd);

	self->attr.mmap_data = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	pc_ring_count(&self->ring, PERF_RECORD_MMAP);
	map = mmap(NULL, pc_page(), PROT_READ, MAP_PRIVATE, file, pc_page());
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP, rec.header.type);
	EXPECT_EQ(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, rec.header.misc);
	EXPECT_EQ((unsigned long)map, mapped->addr);
	EXPECT_EQ(pc_page(), mapped->pgoff);
	EXPECT_STREQ(exec_file_name, mapped->filename);
	close(file);
}

PC_TEST(side, exec_maps_the_program_and_the_loader)
{
	bool program = false, after_comm = false;
	char exe[PATH_MAX];
	struct pc_task t;
	int len;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	ASSERT_LT(0, len);
	exe[len] = 0;
	self->attr.mmap = 1;
	self->attr.mmap2 = 1;
	self->attr.comm = 1;
	ASSERT_OK(pc_spawn(&t, pc_exec_worker, 0));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type == PERF_RECORD_COMM)
			after_comm = true;
		if (rec.header.type != PERF_RECORD_MMAP2)
			continue;
		EXPECT_TRUE(after_comm)
			TH_LOG("%s before the COMM record of the exec", mapped2->filename);
		EXPECT_EQ(t.pid, mapped2->pid);
		EXPECT_NE(0, mapped2->prot & PROT_EXEC);
		program |= !strcmp(mapped2->filename, exe);
	}
	EXPECT_TRUE(program) TH_LOG("no mapping of %s", exe);
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(side, fork_and_exit_of_a_process_are_recorded)
{
	pid_t pid;

	self->attr.task = 1;
	self->attr.inherit = 1;
	ASSERT_OK(start(&self->attr, 0, self->cpu, &self->ring, &self->fd));
	for (int i = 0; i < 10; i++) {
		__u64 forked;

		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		ASSERT_EQ(PERF_RECORD_FORK, rec.header.type);
		EXPECT_EQ(sizeof(*task), rec.header.size);
		EXPECT_EQ(pid, task->pid);
		EXPECT_EQ(pid, task->tid);
		EXPECT_EQ(getpid(), task->ppid);
		EXPECT_EQ(getpid(), task->ptid);
		forked = task->time;
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		ASSERT_EQ(PERF_RECORD_EXIT, rec.header.type);
		EXPECT_EQ(sizeof(*task), rec.header.size);
		EXPECT_EQ(pid, task->pid);
		EXPECT_EQ(pid, task->tid);
		EXPECT_EQ(getpid(), task->ppid);
		EXPECT_LE(forked, task->time);
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	}
}

PC_TEST(side, fork_and_exit_of_a_thread_are_recorded)
{
	struct pc_task t;

	self->attr.task = 1;
	self->attr.inherit = 1;
	ASSERT_OK(start(&self->attr, 0, self->cpu, &self->ring, &self->fd));
	ASSERT_OK(pc_thread(&t, pc_worker, 0));
	ASSERT_OK(pc_join(&t));
	ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
	ASSERT_EQ(PERF_RECORD_FORK, rec.header.type);
	EXPECT_EQ(getpid(), task->pid);
	EXPECT_EQ(getpid(), task->ppid);
	EXPECT_EQ(t.pid, task->tid);
	EXPECT_EQ(getpid(), task->ptid);
}

PC_TEST(side, an_exited_thread_has_an_exit_record)
{
	struct pc_task t;

	self->attr.task = 1;
	ASSERT_OK(pc_thread(&t, pc_worker, 0));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	ASSERT_OK(pc_join(&t));
	/* pthread_join() returns before the EXIT record is written. */
	while (!pc_ring_next(&self->ring, &rec))
		sched_yield();
	ASSERT_EQ(PERF_RECORD_EXIT, rec.header.type);
	EXPECT_EQ(getpid(), task->pid);
	EXPECT_EQ(t.pid, task->tid);
}

PC_TEST(side, comm_and_mmap_imply_fork_and_exit)
{
	for (int i = 0; i < 2; i++) {
		struct perf_counter_attr attr = self->attr;
		int forks = 0, exits = 0;
		pid_t pid;

		attr.comm = i == 0;
		attr.mmap = i == 1;
		attr.inherit = 1;
		ASSERT_OK(start(&attr, 0, self->cpu, &self->ring, &self->fd));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		while (pc_ring_next(&self->ring, &rec)) {
			forks += rec.header.type == PERF_RECORD_FORK;
			exits += rec.header.type == PERF_RECORD_EXIT;
		}
		EXPECT_EQ(1, forks)
			TH_LOG("with %s", i ? "mmap" : "comm");
		EXPECT_EQ(1, exits)
			TH_LOG("with %s", i ? "mmap" : "comm");
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

PC_TEST(side, samples_are_between_fork_and_exit)
{
	enum { UNBORN, ALIVE, DEAD } state = UNBORN;
	struct pc_task t;
	int samples = 0;

	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID;
	self->attr.task = 1;
	self->attr.inherit = 1;
	ASSERT_OK(start(&self->attr, 0, self->cpu, &self->ring, &self->fd));
	ASSERT_OK(pc_spawn(&t, pc_worker, 50));
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_OK(pc_reap(&t));
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type == PERF_RECORD_FORK && task->pid == t.pid) {
			ASSERT_EQ(UNBORN, state);
			state = ALIVE;
		} else if (rec.header.type == PERF_RECORD_EXIT && task->pid == t.pid) {
			ASSERT_EQ(ALIVE, state);
			state = DEAD;
		} else if (rec.header.type == PERF_RECORD_SAMPLE) {
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			if (s.pid != t.pid)
				continue;
			ASSERT_EQ(ALIVE, state) TH_LOG("sample %d", samples);
			samples++;
		}
	}
	EXPECT_EQ(DEAD, state);
	EXPECT_LE(50, samples);
}

PC_TEST(side, every_record_ends_with_the_sample_id)
{
	struct pc_task t;
	__u64 last = 0;
	int n = 0;

	self->attr.sample_type = id_fields;
	self->attr.sample_id_all = 1;
	self->attr.comm = 1;
	self->attr.mmap = 1;
	self->attr.mmap2 = 1;
	self->attr.task = 1;
	ASSERT_OK(pc_spawn(&t, pc_exec_worker, 0));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&t, 'x'));
	EXPECT_OK(pc_reap(&t));
	for (; pc_ring_next(&self->ring, &rec); n++) {
		int len = pc_parse_id(&self->attr, &rec, &s);

		ASSERT_EQ(48, len);
		ASSERT_EQ(t.pid, s.pid)
			TH_LOG("record %d of type %u", n, rec.header.type);
		ASSERT_EQ(t.pid, s.tid);
		ASSERT_EQ(pc_id(self->fd), s.id);
		ASSERT_EQ(pc_id(self->fd), s.stream_id);
		ASSERT_EQ(pc_id(self->fd), s.identifier);
		ASSERT_EQ(self->cpu, s.cpu);
		ASSERT_LE(last, s.time);
		last = s.time;
		switch (rec.header.type) {
		case PERF_RECORD_COMM:
			ASSERT_EQ(16 + (strlen(comm->comm) + 8) / 8 * 8 + len, rec.header.size);
			break;
		case PERF_RECORD_MMAP2:
			ASSERT_EQ(sizeof(*mapped2) + (strlen(mapped2->filename) + 8) / 8 * 8 + len,
				  rec.header.size);
			break;
		case PERF_RECORD_EXIT:
			ASSERT_EQ(sizeof(*task) + len, rec.header.size);
			break;
		default:
			ASSERT_EQ(0, rec.header.type);
		}
	}
	EXPECT_LE(3, n) TH_LOG("a COMM, an MMAP2 of the program and an EXIT");
}

PC_TEST(side, an_exit_has_a_read_record_with_its_counts)
{
	const __u64 format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			     PERF_FORMAT_TOTAL_TIME_RUNNING;
	struct pc_values v, total;
	struct pc_task t;
	int reads = 0, own;

	if (pc_on_perf_event())
		SKIP(return, "perf_events of today does not write READ records");
	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.disabled = 0;
	own = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(own);
	self->attr.disabled = 1;
	self->attr.inherit = 1;
	self->attr.inherit_stat = 1;
	self->attr.read_format = format;
	ASSERT_OK(start(&self->attr, 0, self->cpu, &self->ring, &self->fd));
	pc_disable(self->fd);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 42));
	pc_read(self->fd, format, &total);
	/*
	 * The counter of the tree minus the counter of this task is the count of the child from
	 * here on.
	 */
	pc_reset(own);
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	EXPECT_OK(pc_reap(&t));
	pc_disable(self->fd);
	pc_disable(own);
	ASSERT_LT(0, pc_read(self->fd, format, &total));
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type != PERF_RECORD_READ)
			continue;
		reads++;
		EXPECT_EQ(t.pid, reading->pid);
		EXPECT_EQ(t.pid, reading->tid);
		EXPECT_EQ(16 + pc_read_size(format, 1), rec.header.size);
		ASSERT_EQ(4, pc_parse_values(reading->values, format, &v));
		EXPECT_LE(42, v.v[0].value);
		EXPECT_EQ(total.v[0].value - pc_value(own), v.v[0].value)
			TH_LOG("%llu in all", total.v[0].value);
		EXPECT_EQ(pc_id(self->fd), v.v[0].id);
		EXPECT_EQ(v.enabled, v.running);
		EXPECT_GE(total.enabled, v.enabled);
	}
	EXPECT_EQ(1, reads);
	close(own);
}

PC_TEST(side, a_cpu_wide_counter_records_every_task_there)
{
	struct pc_task t[2];
	int names[2] = {}, forks[2] = {};

	self->attr.comm = 1;
	self->attr.task = 1;
	ASSERT_OK(start(&self->attr, -1, self->cpu, &self->ring, &self->fd));
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_spawn(&t[i], pc_exec_worker, 0));
		ASSERT_OK(pc_tell(&t[i], 'x'));
	}
	while (pc_ring_next(&self->ring, &rec)) {
		for (int i = 0; i < 2; i++) {
			names[i] += rec.header.type == PERF_RECORD_COMM && comm->pid == t[i].pid;
			forks[i] += rec.header.type == PERF_RECORD_FORK && task->pid == t[i].pid;
		}
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(1, names[i])
			TH_LOG("task %d", i);
		EXPECT_EQ(1, forks[i])
			TH_LOG("task %d", i);
		EXPECT_OK(pc_reap(&t[i]));
	}
}

/*
 * In a pid namespace the first task has pid 1. A counter that was opened inside shows this pid, and
 * a counter that was opened outside shows the pid of the outer namespace.
 */
static void inside(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	struct pc_ring ring;
	int fd, status;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		_exit(50);
	pid = fork();
	if (!pid) {
		attr.comm = 1;
		if (start(&attr, 0, -1, &ring, &fd))
			_exit(1);
		/* Wait until the test has got the pid of this process. */
		if (!pc_await(t))
			_exit(7);
		pc_done(t);
		if (!pc_await(t))
			_exit(2);
		prctl(PR_SET_NAME, "inside");
		if (!pc_ring_find(&ring, &rec, PERF_RECORD_COMM))
			_exit(3);
		if (comm->pid != 1 || comm->tid != 1)
			_exit(4);
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid != 2 || waitpid(pid, &status, 0) != pid ||
		    !pc_ring_find(&ring, &rec, PERF_RECORD_FORK))
			_exit(8);
		if (task->pid != 2 || task->tid != 2 || task->ppid != 1 || task->ptid != 1)
			_exit(9);
		_exit(0);
	}
	/* This process is outside of the namespace that it has created for its child. */
	if (write(t->child_end, &pid, sizeof(pid)) != sizeof(pid))
		_exit(5);
	if (waitpid(pid, &status, 0) != pid)
		_exit(6);
	_exit(WEXITSTATUS(status));
}

PC_TEST(side, pids_are_those_of_the_openers_namespace)
{
	struct pc_task t;
	pid_t outer;
	int status;

	ASSERT_OK(pc_spawn(&t, inside, 0));
	if (recv(t.parent_end, &outer, sizeof(outer), MSG_WAITALL) != sizeof(outer)) {
		status = pc_reap(&t);
		if (WEXITSTATUS(status) == 50)
			SKIP(return, "no pid namespaces here");
		ASSERT_EQ(0, status);
	}
	ASSERT_OK(pc_tell(&t, 'o'));
	self->attr.comm = 1;
	ASSERT_OK(start(&self->attr, outer, -1, &self->ring, &self->fd));
	ASSERT_OK(pc_order(&t, 'n'));
	status = pc_reap(&t);
	EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("4: wrong ids of samples; 9: wrong ids of a FORK");
	ASSERT_TRUE(pc_ring_find(&self->ring, &rec, PERF_RECORD_COMM));
	EXPECT_EQ(outer, comm->pid);
	EXPECT_EQ(outer, comm->tid);
	EXPECT_STREQ("inside", comm->comm);
}

/* perf_events has no buffer that follows a whole process tree. */
PC_TEST(side, one_buffer_has_all_records_of_a_tree)
{
	int forks = 0, exits = 0, execs = 0;
	struct pc_task t[3];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.comm = 1;
	self->attr.comm_exec = 1;
	self->attr.task = 1;
	self->attr.mmap = 1;
	self->attr.mmap2 = 1;
	self->attr.inherit = 1;
	ASSERT_OK(start(&self->attr, 0, -1, &self->ring, &self->fd));
	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_spawn(&t[i], pc_exec_worker, 0));
		ASSERT_OK(pc_tell(&t[i], 'x'));
	}
	for (int i = 0; i < 3; i++)
		EXPECT_OK(pc_reap(&t[i]));
	while (pc_ring_next(&self->ring, &rec)) {
		for (int i = 0; i < 3; i++) {
			forks += rec.header.type == PERF_RECORD_FORK && task->pid == t[i].pid;
			exits += rec.header.type == PERF_RECORD_EXIT && task->pid == t[i].pid;
			execs += rec.header.type == PERF_RECORD_COMM && comm->pid == t[i].pid &&
				 rec.header.misc & PERF_RECORD_MISC_COMM_EXEC;
		}
	}
	EXPECT_EQ(3, forks);
	EXPECT_EQ(3, exits);
	EXPECT_EQ(3, execs);
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}

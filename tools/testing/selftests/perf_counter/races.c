// SPDX-License-Identifier: GPL-2.0
/*
 * Races on as many CPUs as there are.
 *
 * Each race has a number of rounds and ends with a check that can fail: a sum that must be exact,
 * or a counter that must still work. The kernel's log has the findings of its own checkers
 * (lockdep, KASAN, warnings).
 */
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

static union pc_record rec;
static struct pc_sample s;

#define MAX_CPUS 8

FIXTURE(race) {
	struct perf_counter_attr attr;
	int cpus[MAX_CPUS];
	int n;
};

FIXTURE_SETUP(race)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	ASSERT_LE(1, self->n);
}

FIXTURE_TEARDOWN(race) {}

/* Run fn() once in a process on each CPU. Returns nonzero if one failed. */
static int on_every_cpu(int *cpus, int n, void (*fn)(struct pc_task *t))
{
	struct pc_task t[MAX_CPUS];
	int bad = 0;

	for (int i = 0; i < n; i++)
		if (pc_spawn(&t[i], fn, cpus[i]) || pc_pin_task(t[i].pid, cpus[i]))
			return -1;
	for (int i = 0; i < n; i++)
		bad += !!pc_order(&t[i], 'g');
	for (int i = 0; i < n; i++) {
		int status;

		if (waitpid(t[i].pid, &status, 0) != t[i].pid || status) {
			fprintf(stderr, "# process %d: status %#x\n", i, status);
			bad++;
		}
		close(t[i].parent_end);
	}
	return bad;
}

static void open_close(struct pc_task *t)
{
	pc_await(t);
	for (int i = 0; i < pc_rounds(300); i++) {
		struct perf_counter_attr attr = pc_attr(i % 10);
		int leader, member, cpu;

		attr.disabled = i & 1;
		attr.inherit = i >> 1 & 1;
		leader = pc_open(&attr, 0, -1, -1);
		member = pc_open(&attr, 0, -1, leader);
		attr.inherit = 0;
		cpu = pc_open(&attr, -1, t->arg, -1);
		if (leader < 0 || member < 0 || cpu < 0)
			_exit(1);
		if (i & 4)
			close(leader);
		close(member);
		close(cpu);
		if (!(i & 4))
			close(leader);
	}
}

PC_TEST(race, opening_and_closing_on_every_cpu)
{
	struct pc_values v;
	int fd = pc_open(&self->attr, 0, -1, -1);

	ASSERT_FD(fd);
	EXPECT_EQ(0, on_every_cpu(self->cpus, self->n, open_close));
	pc_faults(1);
	pc_enable(fd);
	pc_faults(7);
	pc_disable(fd);
	pc_read(fd, 0, &v);
	EXPECT_EQ(7, v.v[0].value);
	close(fd);
}

static void fork_and_fault(struct pc_task *t)
{
	pc_await(t);
	for (int i = 0; i < pc_rounds(60); i++) {
		pid_t pid = fork();

		if (pid < 0)
			_exit(1);
		if (!pid) {
			pc_faults(3);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			_exit(2);
	}
}

/* Expect that the counter has counted the minor faults of the children that getrusage() reports. */
static void storm_is_counted(struct __test_metadata *_metadata, int *cpus, int n, int fd)
{
	struct rusage children[2], outer[2], inner[2];
	__u64 value;

	getrusage(RUSAGE_SELF, &inner[0]);
	getrusage(RUSAGE_CHILDREN, &children[0]);
	getrusage(RUSAGE_SELF, &outer[0]);
	ASSERT_OK(pc_enable(fd));
	getrusage(RUSAGE_SELF, &inner[0]);
	EXPECT_EQ(0, on_every_cpu(cpus, n, fork_and_fault));
	getrusage(RUSAGE_SELF, &inner[1]);
	ASSERT_OK(pc_disable(fd));
	getrusage(RUSAGE_SELF, &outer[1]);
	getrusage(RUSAGE_CHILDREN, &children[1]);
	value = pc_value(fd);
	EXPECT_LE(children[1].ru_minflt - children[0].ru_minflt +
		  inner[1].ru_minflt - inner[0].ru_minflt, value);
	EXPECT_GE(children[1].ru_minflt - children[0].ru_minflt +
		  outer[1].ru_minflt - outer[0].ru_minflt, value);
}

PC_TEST(race, a_storm_of_forks_and_exits_is_counted_exactly)
{
	int fd;

	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	self->attr.inherit = 1;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	storm_is_counted(_metadata, self->cpus, self->n, fd);
	close(fd);
}

static void *read_for_ever(void *arg)
{
	struct { __u64 nr, v[4]; } r;
	int fd = ((int *)arg)[0];
	__u64 last = 0;

	while (!__atomic_load_n(&((int *)arg)[1], __ATOMIC_RELAXED)) {
		/* perf_events returns ECHILD when it finds a child that is exiting. */
		if (read(fd, &r, sizeof(r)) != 24) {
			if (pc_on_perf_event() && errno == ECHILD)
				continue;
			return "a read went wrong";
		}
		if (r.nr != 2)
			return "a member is missing";
		/* perf_events misses a child for a moment while it exits. */
		if (r.v[0] < last && !pc_on_perf_event())
			return "a count went back";
		last = r.v[0];
	}
	return NULL;
}

PC_TEST(race, groups_are_read_while_tasks_come_and_go)
{
	int args[2], member;
	pthread_t thread;
	void *error;

	self->attr.inherit = 1;
	self->attr.read_format = PERF_FORMAT_GROUP;
	args[0] = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(args[0]);
	self->attr.disabled = 0;
	self->attr.config = PERF_COUNT_SW_DUMMY;
	member = pc_open(&self->attr, 0, -1, args[0]);
	ASSERT_FD(member);
	args[1] = 0;
	pc_enable(args[0]);
	ASSERT_OK(pthread_create(&thread, NULL, read_for_ever, args));
	EXPECT_EQ(0, on_every_cpu(self->cpus, self->n, fork_and_fault));
	__atomic_store_n(&args[1], 1, __ATOMIC_RELAXED);
	ASSERT_OK(pthread_join(thread, &error));
	EXPECT_EQ(NULL, error) TH_LOG("%s", (char *)error);
	close(member);
	close(args[0]);
}

static void *switch_for_ever(void *arg)
{
	int fd = ((int *)arg)[0];

	while (!__atomic_load_n(&((int *)arg)[1], __ATOMIC_RELAXED))
		if (pc_disable(fd) || pc_enable(fd))
			return "a switch failed";
	return NULL;
}

PC_TEST(race, a_tree_is_enabled_while_it_forks_and_exits)
{
	struct pc_task t;
	pthread_t thread;
	__u64 before = 0;
	void *error;
	int args[2];

	self->attr.inherit = 1;
	args[0] = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(args[0]);
	args[1] = 0;
	ASSERT_OK(pthread_create(&thread, NULL, switch_for_ever, args));
	EXPECT_EQ(0, on_every_cpu(self->cpus, self->n, fork_and_fault));
	__atomic_store_n(&args[1], 1, __ATOMIC_RELAXED);
	ASSERT_OK(pthread_join(thread, &error));
	EXPECT_EQ(NULL, error) TH_LOG("%s", (char *)error);

	/*
	 * From here on the count has to be exact. This task is counted, too: the first round takes
	 * the faults of the first writes to pages after the fork.
	 */
	pc_disable(args[0]);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 25));
	for (int round = 0; round < 2; round++) {
		before = pc_value(args[0]);
		pc_enable(args[0]);
		ASSERT_OK(pc_tell(&t, PC_WORK));
		pc_disable(args[0]);
	}
	EXPECT_EQ(before + 25, pc_value(args[0]));
	EXPECT_OK(pc_reap(&t));
	close(args[0]);
}

PC_TEST(race, a_counter_is_opened_while_its_task_exits)
{
	int opened = 0, late = 0;

	self->attr.disabled = 0;
	for (int i = 0; i < pc_rounds(400); i++) {
		pid_t pid = fork();
		int fd;

		ASSERT_LE(0, pid);
		if (!pid)
			_exit(0);
		self->attr.inherit = i & 1;
		for (int tries = 0; ; tries++) {
			siginfo_t info;

			/*
			 * Wait for the exit after 20 attempts: on a busy machine the task may exit
			 * late.
			 */
			if (tries == 20)
				ASSERT_OK(waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
			fd = pc_open(&self->attr, pid, i & 2 ? self->cpus[0] : -1, -1);
			if (fd < 0)
				break;
			opened++;
			pc_disable(fd);
			pc_enable(fd);
			ASSERT_NE(~0ULL, pc_value(fd));
			close(fd);
		}
		ASSERT_EQ(ESRCH, errno) TH_LOG("%s", strerror(errno));
		late++;
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	EXPECT_EQ(pc_rounds(400), late);
	TH_LOG("%d attached before the end", opened);
}

#define SLOW_MAPPINGS	1000
#define CHILD_FAULTS	200

/*
 * struct forker - memory that the test shares with a process that forks
 * @state: FORKS from just before the fork, HAS_FORKED after it
 * @child: pid that the child will have
 * @delay: rounds of a loop between FORKS and the fork
 */
struct forker {
	enum { WAITS, FORKS, HAS_FORKED } state;
	pid_t child;
	int delay;
};

static struct forker *forker;

/* Map so much memory that a fork takes far longer than the check whether the child is visible. */
static int map_slowly(void)
{
	long page = pc_page();
	char *map = mmap(NULL, 2 * SLOW_MAPPINGS * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (map == MAP_FAILED)
		return -1;
	for (int i = 0; i < SLOW_MAPPINGS; i++)
		if (mprotect(map + 2 * i * page, page, PROT_READ))
			return -1;
	return 0;
}

/* Fork a child with a free id that is known in advance. */
static void fork_slowly(void)
{
	static pid_t id = 20000;
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&id, .set_tid_size = 1,
	};
	pid_t pid;

	do {
		forker->child = ++id;
		__atomic_store_n(&forker->state, FORKS, __ATOMIC_RELEASE);
		for (int i = 0; i < forker->delay; i++)
			__asm__ __volatile__("" : : : "memory");
		pid = syscall(SYS_clone3, &args, sizeof(args));
	} while (pid < 0 && errno == EEXIST);
	if (!pid) {
		pc_faults(CHILD_FAULTS);
		_exit(0);
	}
	__atomic_store_n(&forker->state, HAS_FORKED, __ATOMIC_RELEASE);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(1);
}

static void slow_forker(struct pc_task *t)
{
	if (map_slowly())
		_exit(1);
	while (pc_await(t)) {
		fork_slowly();
		pc_done(t);
	}
}

/*
 * A child that becomes visible only after a counter of its parent was opened inherits the counter.
 * The open begins when the parent is about to fork, and the delay before the fork differs in each
 * round: the open ends before the fork, or it overlaps with the beginning of the fork or with the
 * rest of the fork.
 */
PC_TEST(race, a_counter_is_opened_while_its_task_forks)
{
	int judged = 0, fd, visible, state;
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	forker = mmap(NULL, sizeof(*forker), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)forker);
	self->attr.disabled = 0;
	self->attr.inherit = 1;
	ASSERT_OK(pc_spawn(&t, slow_forker, 0));
	for (int round = 0; judged < pc_rounds(20); round++) {
		forker->state = WAITS;
		forker->delay = round % 32 * 4000;
		ASSERT_OK(pc_order(&t, PC_WORK));
		while (__atomic_load_n(&forker->state, __ATOMIC_ACQUIRE) == WAITS)
			ASSERT_EQ(0, waitpid(t.pid, NULL, WNOHANG));
		fd = pc_open(&self->attr, t.pid, -1, -1);
		ASSERT_FD(fd);
		visible = !kill(forker->child, 0);
		/* The child may have been visible and have exited since. */
		state = __atomic_load_n(&forker->state, __ATOMIC_ACQUIRE);
		ASSERT_OK(pc_reply(&t));
		if (state == FORKS && !visible) {
			ASSERT_LE(CHILD_FAULTS, pc_value(fd));
			judged++;
		}
		close(fd);
	}
	EXPECT_OK(pc_reap(&t));
}

static void exec_often(struct pc_task *t)
{
	char exe[] = "/proc/self/exe";

	pc_await(t);
	for (int i = 0; i < pc_rounds(15); i++) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			_exit(1);
		if (!pid) {
			/* The worker gets no orders: its end of the socket does not exist. */
			execl(exe, "worker", "--worker", "1000", "1", NULL);
			_exit(3);
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) == 3)
			_exit(2);
	}
}

PC_TEST(race, a_storm_of_execs_is_recorded)
{
	int execs = 0, forks = 0, exits = 0, fds[MAX_CPUS];
	struct pc_ring rings[MAX_CPUS];

	self->attr.config = PERF_COUNT_SW_DUMMY;
	self->attr.inherit = 1;
	self->attr.comm = 1;
	self->attr.comm_exec = 1;
	self->attr.mmap = 1;
	self->attr.mmap2 = 1;
	self->attr.enable_on_exec = 0;
	for (int i = 0; i < self->n; i++) {
		fds[i] = pc_open(&self->attr, 0, self->cpus[i], -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&rings[i], fds[i], 64));
		pc_enable(fds[i]);
	}
	EXPECT_EQ(0, on_every_cpu(self->cpus, self->n, exec_often));
	for (int i = 0; i < self->n; i++) {
		while (pc_ring_next(&rings[i], &rec)) {
			execs += rec.header.type == PERF_RECORD_COMM &&
				 rec.header.misc & PERF_RECORD_MISC_COMM_EXEC;
			forks += rec.header.type == PERF_RECORD_FORK;
			exits += rec.header.type == PERF_RECORD_EXIT;
			ASSERT_NE(PERF_RECORD_LOST, rec.header.type);
		}
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
	EXPECT_EQ(pc_rounds(15) * self->n, execs);
	EXPECT_EQ((pc_rounds(15) + 1) * self->n, forks);
	EXPECT_EQ((pc_rounds(15) + 1) * self->n, exits);
}

PC_TEST(race, exec_with_enable_on_exec_while_the_counter_is_closed)
{
	self->attr.enable_on_exec = 1;
	self->attr.inherit = 1;
	for (int i = 0; i < pc_rounds(30); i++) {
		struct pc_task t;
		int fd;

		ASSERT_OK(pc_spawn(&t, pc_exec_worker, 1));
		fd = pc_open(&self->attr, t.pid, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_order(&t, 'x'));
		if (i & 1)
			pc_enable(fd);
		close(fd);
		ASSERT_OK(pc_reply(&t));
		EXPECT_OK(pc_reap(&t));
	}
}

/* A task that takes page faults until it is told to stop. */
static void busy(struct pc_task *t)
{
	char order;

	for (;;) {
		ssize_t n = recv(t->child_end, &order, 1, MSG_DONTWAIT);

		if (!n || (n < 0 && errno != EAGAIN))
			break;
		if (n == 1)
			pc_done(t);
		pc_faults(20);
	}
}

PC_TEST(race, mapping_and_unmapping_while_samples_arrive)
{
	struct pc_ring ring;
	struct pc_task t;
	int fd, total = 0;

	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	ASSERT_OK(pc_spawn(&t, busy, 0));
	fd = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(fd);
	pc_enable(fd);
	for (int i = 0; i < pc_rounds(300); i++) {
		ASSERT_OK(pc_ring_map(&ring, fd, 1 << (i % 4)));
		if (i % 10 == 0)
			ASSERT_OK(pc_tell(&t, 'p'));
		while (pc_ring_next(&ring, &rec) && total < 1000000) {
			ASSERT_TRUE(rec.header.type == PERF_RECORD_LOST ||
				    pc_parse_sample(&self->attr, &rec, &s));
			total++;
			if (rec.header.type == PERF_RECORD_SAMPLE) {
				ASSERT_EQ(t.pid, s.pid)
					TH_LOG("record %d", total);
			}
			if (total % 64 == 0)
				break;
		}
		pc_ring_unmap(&ring);
	}
	EXPECT_LT(0, total);
	EXPECT_OK(pc_reap(&t));
	close(fd);
}

static void *greedy_reader(void *arg)
{
	struct pc_ring *ring = arg;
	__u64 sum = 0;

	/* Read the records, and store wrong positions in data_tail. */
	while (__atomic_load_n(&ring->fd, __ATOMIC_RELAXED) >= 0) {
		__u64 head = pc_ring_head(ring);

		for (__u64 i = 0; i < ring->size; i += 64)
			sum += ring->data[i];
		__atomic_store_n(&ring->page->data_tail, head - (sum & 0xff8), __ATOMIC_RELEASE);
	}
	return NULL;
}

PC_TEST(race, two_readers_that_disturb_each_other)
{
	struct pc_ring rings[2];
	pthread_t threads[2];
	struct pc_task t;
	int fd;

	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 2000));
	fd = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(fd);
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_ring_map(&rings[i], fd, 2));
		ASSERT_OK(pthread_create(&threads[i], NULL, greedy_reader, &rings[i]));
	}
	pc_enable(fd);
	for (int i = 0; i < 5; i++)
		ASSERT_OK(pc_tell(&t, PC_WORK));
	for (int i = 0; i < 2; i++) {
		__atomic_store_n(&rings[i].fd, -1, __ATOMIC_RELAXED);
		ASSERT_OK(pthread_join(threads[i], NULL));
	}
	EXPECT_EQ(10000, pc_value(fd));

	/* With one reader and valid positions the ring works. */
	pc_ring_set_tail(&rings[0], pc_ring_head(&rings[0]));
	t.arg = 10;
	EXPECT_OK(pc_reap(&t));
	close(fd);
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	pc_ring_unmap(&rings[0]);
	pc_ring_unmap(&rings[1]);
	ASSERT_OK(pc_ring_map(&rings[0], fd, 2));
	pc_faults(1);
	pc_enable(fd);
	pc_faults(10);
	pc_disable(fd);
	EXPECT_EQ(10, pc_ring_count(&rings[0], PERF_RECORD_SAMPLE));
	pc_ring_unmap(&rings[0]);
	close(fd);
}

PC_TEST(race, changing_the_output_while_samples_arrive)
{
	struct pc_ring rings[2];
	int outputs[2], fd, seen = 0;
	struct pc_task t;

	ASSERT_OK(pc_spawn(&t, busy, 0));
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID;
	fd = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(fd);
	self->attr.sample_period = 0;
	for (int i = 0; i < 2; i++) {
		outputs[i] = pc_open(&self->attr, t.pid, -1, -1);
		ASSERT_FD(outputs[i]);
		ASSERT_OK(pc_ring_map(&rings[i], outputs[i], 4));
	}
	pc_enable(fd);
	for (int i = 0; i < pc_rounds(300); i++) {
		ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, (long)outputs[i & 1]));
		if (i % 10 == 0)
			ASSERT_OK(pc_tell(&t, 'p'));
		if (i % 3 == 0)
			ASSERT_OK(ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, -1L));
		while (pc_ring_next(&rings[i & 1], &rec)) {
			if (rec.header.type == PERF_RECORD_LOST)
				continue;
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			ASSERT_EQ(t.pid, s.pid);
			if (++seen % 256 == 0)
				break;
		}
	}
	pc_disable(fd);
	EXPECT_LT(0, seen);
	EXPECT_LE(seen, pc_value(fd));
	EXPECT_OK(pc_reap(&t));
	for (int i = 0; i < 2; i++) {
		pc_ring_unmap(&rings[i]);
		close(outputs[i]);
	}
	close(fd);
}

/* Move from CPU to CPU, with some page faults on each. */
static void wanderer(struct pc_task *t)
{
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS);

	pc_faults(1);
	pc_done(t);
	pc_await(t);
	for (int i = 0; i < pc_rounds(200); i++) {
		pc_pin(cpus[i % n]);
		pc_faults(t->arg);
	}
	pc_done(t);
	pc_await(t);
}

PC_TEST(race, counts_of_all_cpus_add_up_to_the_tasks)
{
	int whole[3], parts[3][MAX_CPUS];
	struct pc_task t[3];

	for (int i = 0; i < 3; i++) {
		ASSERT_OK(pc_spawn(&t[i], wanderer, i + 1));
		ASSERT_OK(pc_reply(&t[i]));
		whole[i] = pc_open(&self->attr, t[i].pid, -1, -1);
		ASSERT_FD(whole[i]);
		pc_enable(whole[i]);
		for (int j = 0; j < self->n; j++) {
			parts[i][j] = pc_open(&self->attr, t[i].pid, self->cpus[j], -1);
			ASSERT_FD(parts[i][j]);
			pc_enable(parts[i][j]);
		}
	}
	for (int i = 0; i < 3; i++)
		ASSERT_OK(pc_order(&t[i], 'g'));
	for (int i = 0; i < 3; i++)
		ASSERT_OK(pc_reply(&t[i]));
	for (int i = 0; i < 3; i++) {
		__u64 sum = 0, value = pc_value(whole[i]);

		for (int j = 0; j < self->n; j++) {
			__u64 part = pc_value(parts[i][j]);

			EXPECT_LE(pc_rounds(200) / self->n * (i + 1), part)
				TH_LOG("task %d on CPU %d", i, self->cpus[j]);
			sum += part;
			close(parts[i][j]);
		}
		EXPECT_LE(pc_rounds(200) * (i + 1), value)
			TH_LOG("task %d", i);
		EXPECT_EQ(value, sum)
			TH_LOG("task %d", i);
		EXPECT_OK(pc_reap(&t[i]));
		close(whole[i]);
	}
}

/*
 * The buffer of a process tree: every CPU writes to it while one reader reads. No sample is torn or
 * duplicated, samples of a task are in order, and missing samples are counted as lost.
 */
#define STREAM_PAGES 200
#define STREAM_ROUNDS 10

static void streamer(struct pc_task *t)
{
	char *map = (char *)t->arg;

	pc_done(t);
	pc_await(t);
	for (int i = 0; i < STREAM_ROUNDS; i++) {
		pc_touch(map, STREAM_PAGES);
		madvise(map, STREAM_PAGES * pc_page(), MADV_DONTNEED);
	}
	pc_done(t);
	pc_await(t);
}

PC_TEST(race, every_cpu_writes_to_one_buffer)
{
	const __u64 format = PERF_FORMAT_LOST;
	__u64 lost = 0, addr[MAX_CPUS] = {};
	int seen[MAX_CPUS] = {}, round[MAX_CPUS] = {};
	bool done[MAX_CPUS] = {};
	struct pc_task t[MAX_CPUS];
	char *map = pc_fresh(STREAM_PAGES);
	struct pc_values v;
	struct pc_ring ring;
	int fd, running, total = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.inherit = 1;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
				 PERF_SAMPLE_PERIOD;
	self->attr.read_format = format;
	fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 4));
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_spawn(&t[i], streamer, (long)map));
		ASSERT_OK(pc_pin_task(t[i].pid, self->cpus[i]));
		ASSERT_OK(pc_reply(&t[i]));
	}
	pc_enable(fd);
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_order(&t[i], 'g'));
	/* Read until every task has answered, and once more. */
	for (running = self->n; running >= 0;) {
		bool last = !running;

		for (int i = 0; i < self->n; i++) {
			char c;

			if (!done[i] && recv(t[i].parent_end, &c, 1, MSG_DONTWAIT) == 1) {
				done[i] = true;
				running--;
			}
		}
		if (last)
			pc_disable(fd);
		while (pc_ring_next(&ring, &rec)) {
			int i;

			if (rec.header.type == PERF_RECORD_LOST) {
				lost += rec.words[2];
				continue;
			}
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			ASSERT_EQ(1, s.period);
			total++;
			for (i = 0; i < self->n && s.pid != t[i].pid; i++)
				;
			if (i == self->n)
				continue;
			ASSERT_EQ(self->cpus[i], s.cpu);
			if (s.addr < (unsigned long)map ||
			    s.addr >= (unsigned long)map + STREAM_PAGES * pc_page())
				continue;
			/* A new round begins at the same address or a lower one. */
			if (seen[i] && s.addr <= addr[i])
				round[i]++;
			addr[i] = s.addr;
			seen[i]++;
		}
		if (last)
			break;
	}
	for (int i = 0; i < self->n; i++) {
		EXPECT_GT(STREAM_ROUNDS, round[i])
			TH_LOG("CPU %d: samples out of order", self->cpus[i]);
		EXPECT_GE(STREAM_ROUNDS * STREAM_PAGES, seen[i])
			TH_LOG("CPU %d: samples twice", self->cpus[i]);
		EXPECT_OK(pc_reap(&t[i]));
	}
	ASSERT_LT(0, pc_read(fd, format, &v));
	EXPECT_EQ(v.v[0].value, total + v.v[0].lost)
		TH_LOG("%d samples, %llu lost of %llu", total, v.v[0].lost, v.v[0].value);
	/* Losses after the last record are in no LOST record, so the total may be higher. */
	EXPECT_GE(v.v[0].lost, lost);
	EXPECT_LE(self->n * STREAM_ROUNDS * STREAM_PAGES, v.v[0].value);
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(race, a_reader_that_waits_gets_everything_up_to_the_hangup)
{
	struct perf_counter_attr attr = self->attr;
	struct pollfd p = { .events = POLLIN };
	int n = 0, hangups = 0;
	struct pc_ring ring;
	struct pc_task t;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_ADDR;
	attr.wakeup_events = 10;
	attr.read_format = PERF_FORMAT_LOST;
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 3000));
	p.fd = pc_open(&attr, t.pid, -1, -1);
	ASSERT_FD(p.fd);
	ASSERT_OK(pc_ring_map(&ring, p.fd, 16));
	pc_enable(p.fd);
	ASSERT_OK(pc_order(&t, PC_WORK));
	shutdown(t.parent_end, SHUT_WR);
	while (!hangups) {
		ASSERT_EQ(1, poll(&p, 1, -1));
		hangups = p.revents & POLLHUP;
		while (pc_ring_next(&ring, &rec)) {
			if (rec.header.type == PERF_RECORD_LOST)
				n += rec.words[2];
			else
				n++;
		}
	}
	EXPECT_LE(3000, n);
	waitpid(t.pid, NULL, 0);
	pc_ring_unmap(&ring);
	close(p.fd);
}

static void *close_and_reopen(void *arg)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = ((int *)arg)[0];

	for (int i = 0; i < pc_rounds(500); i++) {
		int new = pc_open(&attr, 0, -1, -1);

		if (new < 0 || dup2(new, fd) != fd)
			return "cannot open again";
		close(new);
	}
	__atomic_store_n(&((int *)arg)[1], 1, __ATOMIC_RELAXED);
	return NULL;
}

PC_TEST(race, a_descriptor_that_is_replaced_while_it_is_used)
{
	pthread_t threads[2];
	void *error;
	int args[2];

	args[0] = pc_open(&self->attr, 0, -1, -1);
	args[1] = 0;
	ASSERT_FD(args[0]);
	ASSERT_OK(pthread_create(&threads[0], NULL, close_and_reopen, args));
	ASSERT_OK(pthread_create(&threads[1], NULL, switch_for_ever, args));
	while (!__atomic_load_n(&args[1], __ATOMIC_RELAXED)) {
		ASSERT_NE(~0ULL, pc_value(args[0]))
			TH_LOG("%s", strerror(errno));
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pthread_join(threads[i], &error));
		EXPECT_EQ(NULL, error)
			TH_LOG("%s", (char *)error);
	}
	close(args[0]);
}

static void *prctl_for_ever(void *arg)
{
	while (!__atomic_load_n((int *)arg, __ATOMIC_RELAXED))
		if (prctl(PR_TASK_PERF_COUNTERS_DISABLE) || prctl(PR_TASK_PERF_COUNTERS_ENABLE))
			return "prctl failed";
	return NULL;
}

PC_TEST(race, prctl_while_counters_come_and_go)
{
	pthread_t thread;
	int stop = 0;
	void *error;

	ASSERT_OK(pthread_create(&thread, NULL, prctl_for_ever, &stop));
	for (int i = 0; i < pc_rounds(500); i++) {
		int fd = pc_open(&self->attr, 0, -1, -1);

		ASSERT_FD(fd);
		ASSERT_OK(prctl(PR_TASK_PERF_COUNTERS_ENABLE));
		close(fd);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	ASSERT_OK(pthread_join(thread, &error));
	EXPECT_EQ(NULL, error);
}

static void faults_for_ever(struct pc_task *t)
{
	for (;;)
		pc_faults(16);
}

/* The limit holds even if it is used up before the call that sets it returns. */
PC_TEST(race, refresh_of_a_counter_that_is_on_and_busy)
{
	struct pollfd p = { .events = 0 };
	struct pc_task t;
	__u64 value;

	self->attr.sample_period = 1;
	self->attr.disabled = 0;
	ASSERT_OK(pc_spawn(&t, faults_for_ever, 0));
	p.fd = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(p.fd);
	ASSERT_OK(pc_ring_map(&(struct pc_ring){}, p.fd, 8));
	for (int i = 0; i < pc_rounds(100); i++) {
		/* Remove the limit that is left: a REFRESH of 0 means no limit. */
		ASSERT_OK(ioctl(p.fd, PERF_COUNTER_IOC_REFRESH, 0));
		ASSERT_OK(ioctl(p.fd, PERF_COUNTER_IOC_REFRESH, 1 + i % 3));
		/* Without a limit poll() would not return. */
		ASSERT_EQ(1, poll(&p, 1, -1));
		ASSERT_EQ(POLLHUP, p.revents);
		value = pc_value(p.fd);
		for (int j = 0; j < 20; j++)
			sched_yield();
		ASSERT_EQ(value, pc_value(p.fd))
			TH_LOG("round %d: it is off", i);
	}
	ASSERT_OK(kill(t.pid, SIGKILL));
	ASSERT_EQ(t.pid, waitpid(t.pid, NULL, 0));
	close(p.fd);
}

/* A task that has counters, buffers and counted children when the test kills it. */
static void hold_counters(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS);
	struct pc_ring ring;

	attr.disabled = 0;
	attr.inherit = 1;
	attr.sample_period = 1;
	for (int i = 0; i < n; i++)
		if (pc_ring_map(&ring, pc_open(&attr, 0, cpus[i], -1), 1))
			_exit(1);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != t->pid)
			_exit(0);
		for (;;)
			pc_faults(10);
	}
	pc_done(t);
	for (;;)
		pc_faults(10);
}

PC_TEST(race, a_process_with_counters_and_children_is_killed)
{
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	for (int i = 0; i < pc_rounds(20); i++) {
		struct pc_task t;
		int status;

		ASSERT_OK(pc_spawn(&t, hold_counters, 0));
		ASSERT_OK(pc_reply(&t));
		ASSERT_OK(kill(t.pid, SIGKILL));
		ASSERT_EQ(t.pid, waitpid(t.pid, &status, 0));
		EXPECT_EQ(SIGKILL, WTERMSIG(status));
		close(t.parent_end);
	}
	/* The children of the killed task are children of the test now, and are killed, too. */
	while (wait(NULL) > 0)
		;
}

FIXTURE(hotplug) {
	struct perf_counter_attr attr;
	int cpu;
};

FIXTURE_SETUP(hotplug)
{
	int cpus[64], n = pc_cpus(cpus, 64);

	self->cpu = -1;
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	if (pc_on_perf_event())
		SKIP(return, "not on a machine that others may be using");
	if (n < 2 || pc_cpu_online(cpus[n - 1], 0))
		SKIP(return, "no CPU can be taken offline here");
	self->cpu = cpus[n - 1];
	ASSERT_OK(pc_cpu_online(self->cpu, 1));
}

FIXTURE_TEARDOWN(hotplug)
{
	if (self->cpu >= 0)
		pc_cpu_online(self->cpu, 1);
}

PC_TEST(hotplug, an_offline_cpu_has_no_counters)
{
	int fd;

	ASSERT_OK(pc_cpu_online(self->cpu, 0));
	EXPECT_ERRNO(ENODEV, pc_open(&self->attr, -1, self->cpu, -1));
	ASSERT_OK(pc_cpu_online(self->cpu, 1));
	fd = pc_open(&self->attr, -1, self->cpu, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_pin(self->cpu));
	pc_enable(fd);
	pc_faults(10);
	pc_disable(fd);
	EXPECT_LE(10, pc_value(fd));
	close(fd);
}

PC_TEST(hotplug, counts_stay_when_their_cpu_goes_offline)
{
	struct pc_task t;
	__u64 value;
	int cpu_fd, task_fd, here_fd;

	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 40));
	ASSERT_OK(pc_pin_task(t.pid, self->cpu));
	ASSERT_OK(pc_tell(&t, PC_WARM));
	cpu_fd = pc_open(&self->attr, -1, self->cpu, -1);
	task_fd = pc_open(&self->attr, t.pid, -1, -1);
	here_fd = pc_open(&self->attr, t.pid, self->cpu, -1);
	ASSERT_FD(cpu_fd);
	ASSERT_FD(task_fd);
	ASSERT_FD(here_fd);
	pc_enable(cpu_fd);
	pc_enable(task_fd);
	pc_enable(here_fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	value = pc_value(cpu_fd);
	EXPECT_LE(40, value);
	for (int i = 0; i < 5; i++) {
		ASSERT_OK(pc_cpu_online(self->cpu, 0));
		EXPECT_LE(value, pc_value(cpu_fd)) {
			TH_LOG("round %d, offline", i);
		}
		value = pc_value(cpu_fd);
		ASSERT_OK(pc_tell(&t, PC_WORK));
		ASSERT_OK(pc_enable(cpu_fd));
		ASSERT_OK(pc_cpu_online(self->cpu, 1));
		EXPECT_LE(value, pc_value(cpu_fd)) {
			TH_LOG("round %d, online", i);
		}
		ASSERT_OK(pc_pin_task(t.pid, self->cpu));
	}
	pc_disable(task_fd);
	EXPECT_EQ(40 * 6, pc_value(task_fd)) TH_LOG("the task takes all faults, on any CPU");
	EXPECT_EQ(40, pc_value(here_fd))
		TH_LOG("40 faults were on this CPU, the others on other CPUs");
	EXPECT_OK(pc_reap(&t));
	close(cpu_fd);
	close(task_fd);
	close(here_fd);
}

PC_TEST(hotplug, opening_and_closing_while_a_cpu_comes_and_goes)
{
	pthread_t thread;
	void *error;
	int args[2];

	args[0] = self->cpu;
	args[1] = 0;
	ASSERT_OK(pthread_create(&thread, NULL, pc_plug_for_ever, args));
	for (int i = 0; i < pc_rounds(300); i++) {
		int fd = pc_open(&self->attr, -1, self->cpu, -1);

		if (fd < 0) {
			ASSERT_EQ(ENODEV, errno) TH_LOG("%s", strerror(errno));
			sched_yield();
			continue;
		}
		pc_enable(fd);
		ASSERT_NE(~0ULL, pc_value(fd));
		pc_disable(fd);
		close(fd);
	}
	__atomic_store_n(&args[1], 1, __ATOMIC_RELAXED);
	ASSERT_OK(pthread_join(thread, &error));
	EXPECT_EQ(NULL, error) TH_LOG("%s", (char *)error);
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}

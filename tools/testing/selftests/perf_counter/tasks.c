// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: the records of their beginning and their end, and what they do in between: context
 * switches, names, namespaces and control groups. Counters that an exec removes.
 *
 * The kernel guarantees that no sample of a task is later than its EXIT record, on any CPU and for
 * any counter.
 */
#include <poll.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <linux/sched.h>

#include "pc_side.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;
static struct comm_record *comm = (void *)&rec;
static struct task_record *task = (void *)&rec;
static struct switch_record *switched = (void *)&rec;
static struct namespaces_record *spaces = (void *)&rec;
static struct cgroup_record *cgroup = (void *)&rec;

static char why[256];

static const char *complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return why;
}

/* struct life has what the records of a log say about a task. lives[] is a hash table by tid. */
#define MAX_LIVES	(1 << 16)

struct life {
	__u32 pid, tid;
	__u32 ppid, ptid;	/* parent in the FORK record */
	__u32 last_ppid, last_ptid;	/* parent in the EXIT record */
	int forks, exits, samples, faults;
	__u64 end;
};

static struct life lives[MAX_LIVES];

static struct life *life_of(__u32 tid)
{
	__u32 i = tid * 2654435761U % MAX_LIVES;

	for (int n = 0; n < MAX_LIVES; n++, i = (i + 1) % MAX_LIVES) {
		if (lives[i].tid == tid)
			return &lives[i];
		if (!lives[i].tid) {
			lives[i].tid = tid;
			return &lives[i];
		}
	}
	abort();
}

/*
 * Check a log in the order of time. Returns what is wrong: a sample of a task before its FORK or
 * after its EXIT, a sample of an unknown task, or two records of one event.
 */
static const char *check_log(struct pc_log *log, const struct perf_counter_attr *attr,
			     const __u64 *faults, int n)
{
	memset(lives, 0, sizeof(lives));
	pc_log_sort(log);
	for (int i = 0; i < log->n; i++) {
		const union pc_record *r = log->entries[i].rec;
		const struct task_record *t = (void *)r;
		__u64 time = log->entries[i].time;
		struct life *l;

		switch (r->header.type) {
		case PERF_RECORD_FORK:
			l = life_of(t->tid);
			if (l->forks > l->exits || (l->samples && !l->exits))
				return complain("%u is forked, and was there before", t->tid);
			l->pid = t->pid;
			l->ppid = t->ppid;
			l->ptid = t->ptid;
			l->forks++;
			break;
		case PERF_RECORD_EXIT:
			l = life_of(t->tid);
			if (l->forks && (l->exits >= l->forks || l->pid != t->pid))
				return complain("%u ends as %u/%u, after %d exits", l->tid, t->pid,
						t->tid, l->exits);
			l->last_ppid = t->ppid;
			l->last_ptid = t->ptid;
			l->exits++;
			l->end = time;
			break;
		case PERF_RECORD_SAMPLE:
			pc_parse_sample(attr, r, &s);
			if (!s.tid)
				break;
			if (s.tid == (__u32)-1)
				return complain("a sample without a pid on CPU %u", s.cpu);
			l = life_of(s.tid);
			if (l->exits && l->exits >= l->forks)
				return complain("a sample of %u/%u on CPU %u, %llu ns too late",
						s.pid, s.tid, s.cpu, time - l->end);
			if (l->forks && s.pid != l->pid)
				return complain("a sample of %u/%u, which belongs to %u", s.pid,
						s.tid, l->pid);
			l->samples++;
			for (int j = 0; j < n; j++)
				l->faults += s.identifier == faults[j];
			break;
		}
	}
	return NULL;
}

/* Many tasks that exit at the same time while counters sample them. */
#define CREW		64		/* tasks that exit at the same time */
#define TOUCHES		6		/* pages that each task touches */
#define MAX_TASKS	4096

FIXTURE(end) {
	struct perf_counter_attr attr;
	struct pc_ring maps[MAX_CPUS], rings[MAX_CPUS * PERF_COUNTER_SUBRINGS_MAX];
	struct pc_log log;
	int fds[MAX_CPUS][3];
	int cpus[MAX_CPUS];
	int n;			/* number of targets: 1, or the number of CPUs */
	int nr_rings;
	__u64 faults[MAX_CPUS];	/* ids of the counters of page faults */
	int seen;		/* entries of the log that exits() has read */
	int exits;
	pid_t tids[MAX_TASKS];
	int nr_tids;
};

FIXTURE_VARIANT(end) {
	bool machine;
	bool each_cpu;
	bool subrings;
};

FIXTURE_VARIANT_ADD(end, tree) {};
FIXTURE_VARIANT_ADD(end, tree_rings) { .subrings = true };
FIXTURE_VARIANT_ADD(end, machine) { .machine = true };
FIXTURE_VARIANT_ADD(end, machine_rings) { .machine = true, .subrings = true };
FIXTURE_VARIANT_ADD(end, cpus) { .each_cpu = true };

FIXTURE_SETUP(end)
{
	static const __u64 events[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_CLOCK,
	};
	bool wide = variant->machine || variant->each_cpu;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	if (!variant->each_cpu)
		self->n = 1;
	self->attr = pc_attr(0);
	self->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CPU;
	self->attr.sample_id_all = 1;
	self->attr.inherit = !wide;
	self->attr.subrings = variant->subrings;
	self->attr.exclude_idle = 1;
	for (int i = 0; i < self->n; i++) {
		for (int j = 0; j < 3; j++) {
			struct perf_counter_attr attr = self->attr;

			attr.config = events[j];
			attr.sample_period = 1;
			if (events[j] == PERF_COUNT_SW_CPU_CLOCK) {
				attr.freq = 1;
				attr.sample_freq = 4000;
			}
			/* One of the counters gets the FORK and EXIT records. */
			attr.task = !j;
			self->fds[i][j] = pc_open(&attr, wide ? -1 : 0,
						  variant->each_cpu ? self->cpus[i] : -1, -1);
			ASSERT_FD(self->fds[i][j]);
			if (!j) {
				self->faults[i] = pc_id(self->fds[i][0]);
				ASSERT_OK(pc_ring_map(&self->maps[i], self->fds[i][0], 1024));
				self->nr_rings += pc_ring_split(&self->maps[i],
								&self->rings[self->nr_rings]);
			} else {
				ASSERT_OK(ioctl(self->fds[i][j], PERF_COUNTER_IOC_SET_OUTPUT,
						self->fds[i][0]));
			}
		}
	}
	ASSERT_OK(pc_log_open(&self->log, 48 << 20));
}

FIXTURE_TEARDOWN(end)
{
	if (pc_on_perf_event())
		return;
	for (int i = 0; i < self->n; i++) {
		pc_ring_unmap(&self->maps[i]);
		for (int j = 0; j < 3; j++)
			close(self->fds[i][j]);
	}
}

static int switch_all(FIXTURE_DATA(end) * self, bool on)
{
	for (int i = 0; i < self->n; i++)
		for (int j = 0; j < 3; j++)
			if (on ? pc_enable(self->fds[i][j]) : pc_disable(self->fds[i][j]))
				return -1;
	return 0;
}

/* Move the records to the log. Returns a description of an error, or NULL. */
static const char *take_records(FIXTURE_DATA(end) * self)
{
	for (int i = 0; i < self->nr_rings; i++)
		if (pc_log_take(&self->log, &self->rings[i], &self->attr))
			return "a record does not parse, or the log is full";
	if (self->log.lost)
		return complain("the buffer was too small: %llu records are lost", self->log.lost);
	return NULL;
}

static bool is_ours(FIXTURE_DATA(end) * self, pid_t tid)
{
	for (int i = 0; i < self->nr_tids; i++)
		if (self->tids[i] == tid)
			return true;
	return false;
}

/*
 * Move records to the log until it has the EXIT records of all tasks. The kernel may write an EXIT
 * record late.
 */
static const char *take_exits(FIXTURE_DATA(end) * self)
{
	for (;;) {
		const char *wrong = take_records(self);

		if (wrong)
			return wrong;
		for (; self->seen < self->log.n; self->seen++) {
			const struct task_record *t = (void *)self->log.entries[self->seen].rec;

			self->exits += t->header.type == PERF_RECORD_EXIT && is_ours(self, t->tid);
		}
		if (self->exits >= self->nr_tids)
			return NULL;
		sched_yield();
	}
}

static const char *account(FIXTURE_DATA(end) * self, bool threads)
{
	const char *wrong;

	/* Take the last records: no record of a task may be later than its EXIT record. */
	if (switch_all(self, false))
		return "cannot be switched off";
	wrong = take_records(self);
	if (!wrong)
		wrong = check_log(&self->log, &self->attr, self->faults, self->n);
	for (int i = 0; !wrong && i < self->nr_tids; i++) {
		const struct life *l = life_of(self->tids[i]);
		/*
		 * The parent of a thread is the parent of its process, although another task
		 * creates the thread.
		 */
		pid_t parent = threads ? getppid() : getpid();

		if (l->forks != 1 || l->exits != 1)
			wrong = complain("%u has %d FORK and %d EXIT records", l->tid, l->forks,
					 l->exits);
		else if (l->pid != (threads ? getpid() : l->tid))
			wrong = complain("%u has the pid %u in its FORK record", l->tid, l->pid);
		else if (l->ppid != getpid() || l->ptid != getpid())
			wrong = complain("%u is forked by %u/%u", l->tid, l->ppid, l->ptid);
		else if (l->last_ppid != parent || l->last_ptid != parent)
			wrong = complain("%u ends with the parent %u/%u, not %u", l->tid,
					 l->last_ppid, l->last_ptid, parent);
		else if (l->faults < TOUCHES)
			wrong = complain("%u has %d page faults", l->tid, l->faults);
	}
	return wrong;
}

struct member {
	pthread_t thread;
	pid_t *tid;
	char *pages;
};

static pthread_barrier_t gate;

static void *touch_and_end(void *arg)
{
	struct member *m = arg;

	*m->tid = syscall(SYS_gettid);
	pc_touch(m->pages, TOUCHES - 1);
	pthread_barrier_wait(&gate);
	pc_touch(m->pages + (TOUCHES - 1) * pc_page(), 1);
	return NULL;
}

PC_TEST(end, no_sample_of_a_thread_comes_after_its_exit)
{
	struct member crew[CREW];
	pthread_attr_t small;
	const char *wrong;

	ASSERT_EQ(0, pthread_attr_init(&small));
	ASSERT_EQ(0, pthread_attr_setstacksize(&small, 128 << 10));
	ASSERT_EQ(0, pthread_barrier_init(&gate, NULL, CREW));
	ASSERT_OK(switch_all(self, true));
	for (int round = 0; round < pc_rounds(16); round++) {
		char *map = pc_fresh(CREW * TOUCHES);

		ASSERT_NE(NULL, map);
		for (int i = 0; i < CREW; i++) {
			crew[i].tid = &self->tids[self->nr_tids + i];
			crew[i].pages = map + i * TOUCHES * pc_page();
			ASSERT_EQ(0, pthread_create(&crew[i].thread, &small, touch_and_end,
						    &crew[i]));
		}
		for (int i = 0; i < CREW; i++)
			ASSERT_EQ(0, pthread_join(crew[i].thread, NULL));
		self->nr_tids += CREW;
		wrong = take_exits(self);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("round %d: %s", round, wrong);
		munmap(map, CREW * TOUCHES * pc_page());
	}
	wrong = account(self, true);
	ASSERT_EQ(NULL, wrong)
		TH_LOG("%s", wrong);
	pthread_barrier_destroy(&gate);
}

/* Wait for the end of file, as all tasks of the crew do, and exit. */
static void wait_and_end(int fd, char *pages)
{
	char c;

	pc_touch(pages, TOUCHES - 1);
	if (read(fd, &c, 1))
		_exit(1);
	pc_touch(pages + (TOUCHES - 1) * pc_page(), 1);
	_exit(0);
}

PC_TEST(end, no_sample_of_a_process_comes_after_its_exit)
{
	const int crew = CREW / 4;
	const char *wrong;

	ASSERT_OK(switch_all(self, true));
	for (int round = 0; round < pc_rounds(16); round++) {
		char *pages = pc_fresh(TOUCHES);
		int pipes[2];

		ASSERT_NE(NULL, pages);
		ASSERT_OK(pipe(pipes));
		for (int i = 0; i < crew; i++) {
			pid_t pid = fork();

			ASSERT_LE(0, pid);
			if (!pid) {
				close(pipes[1]);
				wait_and_end(pipes[0], pages);
			}
			self->tids[self->nr_tids + i] = pid;
		}
		close(pipes[0]);
		close(pipes[1]);
		for (int i = 0; i < crew; i++) {
			int status;

			ASSERT_LT(0, wait(&status));
			ASSERT_EQ(0, status);
		}
		self->nr_tids += crew;
		wrong = take_exits(self);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("round %d: %s", round, wrong);
		munmap(pages, TOUCHES * pc_page());
	}
	wrong = account(self, false);
	ASSERT_EQ(NULL, wrong)
		TH_LOG("%s", wrong);
}

/* A process with busy threads, which is killed. */
static void busy_threads(struct pc_task *t)
{
	static struct pc_task threads[3];
	pid_t tids[4] = { getpid() };
	char *pages = pc_fresh(TOUCHES);

	for (int i = 0; i < 3; i++) {
		if (pc_thread(&threads[i], pc_worker, 5000000) || pc_order(&threads[i], PC_BURN))
			_exit(1);
		tids[1 + i] = threads[i].pid;
	}
	if (write(t->child_end, tids, sizeof(tids)) != sizeof(tids))
		_exit(2);
	for (;;) {
		pc_touch(pages, TOUCHES);
		madvise(pages, TOUCHES * pc_page(), MADV_DONTNEED);
	}
}

PC_TEST(end, no_sample_of_a_killed_task_comes_after_its_exit)
{
	const char *wrong;

	ASSERT_OK(switch_all(self, true));
	for (int round = 0; round < pc_rounds(24); round++) {
		struct pc_task t;

		ASSERT_OK(pc_spawn(&t, busy_threads, 0));
		ASSERT_EQ(4 * sizeof(pid_t), recv(t.parent_end, &self->tids[self->nr_tids],
						  4 * sizeof(pid_t), MSG_WAITALL));
		self->nr_tids += 4;
		ASSERT_OK(kill(t.pid, SIGKILL));
		ASSERT_EQ(SIGKILL, pc_reap(&t));
		wrong = take_exits(self);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("round %d: %s", round, wrong);
	}
	ASSERT_OK(switch_all(self, false));
	wrong = take_records(self);
	if (!wrong)
		wrong = check_log(&self->log, &self->attr, self->faults, self->n);
	ASSERT_EQ(NULL, wrong)
		TH_LOG("%s", wrong);
	for (int i = 0; i < self->nr_tids; i++) {
		EXPECT_EQ(1, life_of(self->tids[i])->forks)
			TH_LOG("task %d", i);
		EXPECT_EQ(1, life_of(self->tids[i])->exits)
			TH_LOG("task %d", i);
		EXPECT_EQ(self->tids[i & ~3], life_of(self->tids[i])->pid)
			TH_LOG("task %d", i);
		/* A process takes page faults when it starts. */
		if (i % 4 == 0) {
			EXPECT_LT(0, life_of(self->tids[i])->faults)
				TH_LOG("task %d", i);
		}
	}
}

static int samples_without_pid(const struct pc_log *log, const struct perf_counter_attr *attr)
{
	int n = 0;

	for (int i = 0; i < log->n; i++) {
		if (log->entries[i].rec->header.type != PERF_RECORD_SAMPLE)
			continue;
		pc_parse_sample(attr, log->entries[i].rec, &s);
		n += s.tid == (__u32)-1;
	}
	return n;
}

/*
 * A counter of the machine that was opened in another pid namespace gets the EXIT record while the
 * task still has a pid there. Later samples have no pid.
 */
static void from_inside(struct pc_task *t)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	const int crew = 8, rounds = 5;
	struct pc_log log;
	struct pc_ring ring;
	int fd, status;
	pid_t pid, pids[40];

	pc_await(t);
	if (unshare(CLONE_NEWPID))
		_exit(50);
	pid = fork();
	if (pid) {
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			_exit(1);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
	}
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_CPU;
	attr.sample_id_all = 1;
	attr.task = 1;
	fd = pc_open(&attr, -1, -1, -1);
	if (fd < 0 || pc_ring_map(&ring, fd, 512) || pc_log_open(&log, 8 << 20) || pc_enable(fd))
		_exit(3);
	for (int round = 0; round < rounds; round++) {
		int pipes[2];

		if (pipe(pipes))
			_exit(4);
		for (int i = 0; i < crew; i++) {
			pids[round * crew + i] = fork();
			if (!pids[round * crew + i]) {
				char c;

				close(pipes[1]);
				_exit(read(pipes[0], &c, 1));
			}
		}
		close(pipes[0]);
		close(pipes[1]);
		for (int i = 0; i < crew; i++)
			if (wait(&status) < 0 || status)
				_exit(5);
		if (pc_log_take(&log, &ring, &attr))
			_exit(6);
	}
	/* Each task is scheduled out once more after it was waited for. */
	while (samples_without_pid(&log, &attr) < rounds * crew) {
		sched_yield();
		if (pc_log_take(&log, &ring, &attr))
			_exit(6);
	}
	pc_disable(fd);
	if (pc_log_take(&log, &ring, &attr))
		_exit(6);
	if (log.lost)
		_exit(7);
	pc_log_sort(&log);
	memset(lives, 0, sizeof(lives));
	for (int i = 0; i < log.n; i++) {
		const union pc_record *r = log.entries[i].rec;
		const struct task_record *e = (void *)r;

		if (r->header.type == PERF_RECORD_FORK && e->tid)
			life_of(e->tid)->forks++;
		if (r->header.type == PERF_RECORD_EXIT && e->tid && e->tid != (__u32)-1)
			life_of(e->tid)->exits++;
		if (r->header.type != PERF_RECORD_SAMPLE)
			continue;
		pc_parse_sample(&attr, r, &s);
		if ((s.tid == (__u32)-1) != (s.pid == (__u32)-1))
			_exit(8);
		if (s.tid && s.tid != (__u32)-1 && life_of(s.tid)->exits)
			_exit(9);
	}
	for (int i = 0; i < rounds * crew; i++)
		if (life_of(pids[i])->forks != 1 || life_of(pids[i])->exits != 1)
			_exit(10);
}

FIXTURE(task) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

FIXTURE_SETUP(task)
{
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	self->fd = -1;
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	ASSERT_LE(1, self->n);
	/* perf_events allows a buffer of an inherited counter on a single CPU only. */
	if (pc_on_perf_event())
		ASSERT_OK(pc_pin(self->cpus[0]));
}

FIXTURE_TEARDOWN(task)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/* Open a counter of this task and its children, or of the task @pid. */
static int start(struct perf_counter_attr *attr, pid_t pid, int cpu, struct pc_ring *ring, int *fd)
{
	*fd = pc_open(attr, pid, cpu, -1);
	if (*fd < 0 || pc_ring_map(ring, *fd, 64))
		return -1;
	return pc_enable(*fd);
}

static int start_tree(struct perf_counter_attr *attr, const int *cpus, struct pc_ring *ring,
		      int *fd)
{
	attr->inherit = 1;
	return start(attr, 0, pc_on_perf_event() ? cpus[0] : -1, ring, fd);
}

PC_TEST(task, an_exit_seen_from_another_pid_namespace_is_early)
{
	struct pc_task t;
	int status;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(pc_spawn(&t, from_inside, 0));
	ASSERT_OK(pc_order(&t, 'g'));
	status = pc_reap(&t);
	if (WEXITSTATUS(status) == 50)
		SKIP(return, "no pid namespaces here");
	EXPECT_EQ(0, status)
		TH_LOG("7: lost; 8: ids; 9: a sample after the end; 10: FORK and EXIT; 11: %s",
		       "no samples without a pid");
}

static int nothing(void *arg)
{
	return 0;
}

/* Create a task in one of several ways and wait for its end. Returns its id, or -1. */
static pid_t make_task(int kind)
{
	static __u64 stack[2048];
	struct clone_args args = { .exit_signal = SIGCHLD };
	struct pc_task t;
	pid_t pid;

	switch (kind) {
	case 0:
		pid = fork();
		break;
	case 1:
		pid = vfork();
		if (!pid)
			_exit(0);
		break;
	case 2:
		pid = syscall(SYS_clone3, &args, sizeof(args));
		break;
	case 3:
		/* clone() without a signal at the exit. */
		pid = clone(nothing, stack + ARRAY_SIZE(stack), CLONE_VM, NULL);
		break;
	default:
		if (pc_thread(&t, pc_worker, 0) || pc_join(&t))
			return -1;
		return t.pid;
	}
	if (!pid)
		_exit(0);
	return waitpid(pid, NULL, __WALL) == pid ? pid : -1;
}

PC_TEST(task, each_way_of_creating_a_task_is_recorded)
{
	static const char * const bits[] = { "task", "comm", "mmap", "mmap_data", "mmap2" };

	/* In perf_events mmap2 alone does not ask for FORK and EXIT records. */
	for (int bit = 0; bit < ARRAY_SIZE(bits) - pc_on_perf_event(); bit++) {
		struct perf_counter_attr attr = self->attr;

		attr.task = bit == 0;
		attr.comm = bit == 1;
		attr.mmap = bit == 2;
		attr.mmap_data = bit == 3;
		attr.mmap2 = bit == 4;
		ASSERT_OK(start_tree(&attr, self->cpus, &self->ring, &self->fd));
		for (int kind = 0; kind < 5; kind++) {
			pid_t pid = make_task(kind);
			int forks = 0, exits = 0;

			ASSERT_LT(0, pid) TH_LOG("kind %d: %s", kind, strerror(errno));
			/* pthread_join() returns before the EXIT record is written. */
			while (!exits) {
				if (!pc_ring_next(&self->ring, &rec)) {
					sched_yield();
					continue;
				}
				if (rec.header.type == PERF_RECORD_FORK) {
					forks++;
					EXPECT_EQ(0, exits);
					EXPECT_EQ(getpid(), task->ppid);
					EXPECT_EQ(getpid(), task->ptid);
				} else if (rec.header.type == PERF_RECORD_EXIT) {
					exits++;
				} else {
					continue;
				}
				EXPECT_EQ(kind == 4 ? getpid() : pid, task->pid)
					TH_LOG("%s, kind %d", bits[bit], kind);
				EXPECT_EQ(pid, task->tid)
					TH_LOG("%s, kind %d", bits[bit], kind);
			}
			EXPECT_EQ(1, forks)
				TH_LOG("%s, kind %d", bits[bit], kind);
			EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_FORK));
		}
		pc_ring_unmap(&self->ring);
		close(self->fd);
	}
	self->fd = -1;
}

PC_TEST(task, a_clone_that_fails_leaves_no_record)
{
	pid_t taken[] = { getpid() };
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (unsigned long)taken, .set_tid_size = 1,
	};

	self->attr.task = 1;
	self->attr.comm = 1;
	ASSERT_OK(start_tree(&self->attr, self->cpus, &self->ring, &self->fd));
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(-1, syscall(SYS_clone3, &args, sizeof(args)));
	ASSERT_EQ(EEXIST, errno);
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec)) TH_LOG("type %u", rec.header.type);
}

/* A thread that is not the leader creates a thread and a process. */
static void *second_generation(void *arg)
{
	pid_t *ids = arg;
	struct pc_task t;

	ids[0] = syscall(SYS_gettid);
	ids[1] = pc_thread(&t, pc_worker, 0) || pc_join(&t) ? -1 : t.pid;
	ids[2] = fork();
	if (!ids[2])
		_exit(0);
	waitpid(ids[2], NULL, 0);
	return NULL;
}

PC_TEST(task, a_fork_record_has_the_creator_of_the_task)
{
	int made[3] = {};
	pthread_t thread;
	pid_t ids[3];

	self->attr.task = 1;
	ASSERT_OK(start_tree(&self->attr, self->cpus, &self->ring, &self->fd));
	ASSERT_EQ(0, pthread_create(&thread, NULL, second_generation, ids));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_LT(0, ids[1]);
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type != PERF_RECORD_FORK)
			continue;
		for (int i = 0; i < 3; i++) {
			if (task->tid != ids[i])
				continue;
			made[i]++;
			EXPECT_EQ(i < 2 ? getpid() : ids[2], task->pid);
			EXPECT_EQ(getpid(), task->ppid);
			EXPECT_EQ(i ? ids[0] : getpid(), task->ptid)
				TH_LOG("task %d", i);
		}
	}
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(1, made[i])
			TH_LOG("task %d", i);
	}
}

/* A process whose child outlives it. */
static void orphan_maker(struct pc_task *t)
{
	pid_t pid;

	pc_await(t);
	pid = fork();
	if (!pid) {
		char c;

		/* The read returns when this process and the test have closed the other end. */
		_exit(read(t->child_end, &c, 1));
	}
	if (write(t->child_end, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
}

PC_TEST(task, an_orphans_exit_record_has_its_new_parent)
{
	struct pc_task t;
	int ends = 0;
	pid_t orphan;

	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	self->attr.task = 1;
	ASSERT_OK(start_tree(&self->attr, self->cpus, &self->ring, &self->fd));
	ASSERT_OK(pc_spawn(&t, orphan_maker, 0));
	ASSERT_OK(pc_order(&t, 'g'));
	ASSERT_EQ(sizeof(orphan), recv(t.parent_end, &orphan, sizeof(orphan), MSG_WAITALL));
	/* The parent exits before the child, which waits for the end of file. */
	ASSERT_EQ(t.pid, waitpid(t.pid, NULL, 0));
	close(t.parent_end);
	ASSERT_EQ(orphan, waitpid(orphan, NULL, 0));
	while (pc_ring_next(&self->ring, &rec)) {
		if (task->tid != orphan)
			continue;
		if (rec.header.type == PERF_RECORD_FORK) {
			EXPECT_EQ(t.pid, task->ppid);
		} else {
			EXPECT_EQ(PERF_RECORD_EXIT, rec.header.type);
			EXPECT_EQ(getpid(), task->ppid);
			ends++;
		}
	}
	EXPECT_EQ(1, ends);
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 0));
}

PC_TEST(task, a_comm_record_is_of_the_renamed_thread)
{
	char path[64];
	struct pc_task t;
	int fd, names = 0;

	self->attr.comm = 1;
	ASSERT_OK(start_tree(&self->attr, self->cpus, &self->ring, &self->fd));
	ASSERT_OK(pc_thread(&t, pc_worker, 0));
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", t.pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ASSERT_FD(fd);
	ASSERT_EQ(9, write(fd, "new\nname!", 9));
	close(fd);
	ASSERT_OK(pc_join(&t));
	while (pc_ring_next(&self->ring, &rec)) {
		if (rec.header.type != PERF_RECORD_COMM)
			continue;
		names++;
		EXPECT_EQ(0, rec.header.misc & PERF_RECORD_MISC_COMM_EXEC);
		EXPECT_EQ(getpid(), comm->pid);
		EXPECT_EQ(t.pid, comm->tid);
		EXPECT_STREQ("new\nname!", comm->comm);
	}
	EXPECT_EQ(1, names);
}

/* Counters with remove_on_exec. */
FIXTURE(removed) {
	struct perf_counter_attr attr;
	struct pc_task t;
};

FIXTURE_SETUP(removed)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.remove_on_exec = 1;
	ASSERT_OK(pc_spawn(&self->t, pc_exec_worker, 27));
}

FIXTURE_TEARDOWN(removed)
{
	if (self->t.pid)
		pc_reap(&self->t);
}

PC_TEST(removed, a_removed_counter_keeps_its_count)
{
	struct pollfd p = { .events = POLLIN };
	struct pc_ring ring;
	__u64 value;

	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID;
	p.fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(p.fd);
	ASSERT_OK(pc_ring_map(&ring, p.fd, 64));
	ASSERT_OK(pc_enable(p.fd));
	ASSERT_EQ(0, poll(&p, 1, 0)) TH_LOG("%#x", p.revents);
	ASSERT_OK(pc_tell(&self->t, 'x'));
	value = pc_value(p.fd);
	EXPECT_LT(0, value) TH_LOG("the task was counted until the exec");
	EXPECT_EQ(value, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(value, pc_value(p.fd));
	EXPECT_FALSE(pc_ring_next(&ring, &rec));
	ASSERT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLHUP, p.revents);

	/* The ioctls on a removed counter succeed and have no effect. */
	ASSERT_OK(pc_enable(p.fd));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(value, pc_value(p.fd));
	ASSERT_OK(pc_disable(p.fd));
	ASSERT_OK(pc_reset(p.fd));
	EXPECT_EQ(0, pc_value(p.fd));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_EQ(0, pc_value(p.fd));
	pc_ring_unmap(&ring);
	close(p.fd);
}

PC_TEST(removed, waiters_see_the_hangup_at_the_exec)
{
	struct pollfd p = { .events = POLLIN };
	struct pc_ring ring;

	p.fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(p.fd);
	ASSERT_OK(pc_ring_map(&ring, p.fd, 1));
	ASSERT_OK(pc_enable(p.fd));
	ASSERT_OK(pc_order(&self->t, 'x'));
	/* The task lives on, so only the removal can wake this task up. */
	ASSERT_EQ(1, poll(&p, 1, -1));
	EXPECT_NE(0, p.revents & POLLHUP);
	ASSERT_OK(pc_reply(&self->t));
	pc_ring_unmap(&ring);
	close(p.fd);
}

PC_TEST(removed, members_stay_when_the_counter_is_removed)
{
	/* In one round the leader is removed, in the other one the member. */
	for (int leaves = 0; leaves < 2; leaves++) {
		struct perf_counter_attr attr = self->attr;
		__u64 gone, before;
		struct pc_task t;
		int fds[2];

		ASSERT_OK(pc_spawn(&t, pc_exec_worker, 27));
		for (int i = 0; i < 2; i++) {
			attr.remove_on_exec = i == leaves;
			attr.disabled = !i;
			fds[i] = pc_open(&attr, t.pid, -1, i ? fds[0] : -1);
			ASSERT_FD(fds[i]);
		}
		ASSERT_OK(pc_enable(fds[0]));
		ASSERT_OK(pc_tell(&t, 'x'));
		gone = pc_value(fds[leaves]);
		EXPECT_LT(0, gone);
		ASSERT_OK(pc_tell(&t, PC_WARM));
		ASSERT_OK(pc_tell(&t, PC_WARM));
		before = pc_value(fds[!leaves]);
		EXPECT_LT(gone, before)
			TH_LOG("the exec of a new program has page faults");
		ASSERT_OK(pc_tell(&t, PC_WORK));
		EXPECT_EQ(before + 27, pc_value(fds[!leaves]))
			TH_LOG("number %d left", leaves);
		EXPECT_EQ(gone, pc_value(fds[leaves]))
			TH_LOG("number %d left", leaves);
		EXPECT_OK(pc_reap(&t));
		for (int i = 0; i < 2; i++)
			close(fds[i]);
	}
}

PC_TEST(removed, inherited_counters_are_removed_at_the_childs_exec)
{
	struct pollfd p = { .events = POLLIN };
	struct pc_task t[2];
	struct pc_ring ring;
	__u64 value;

	self->attr.inherit = 1;
	p.fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(p.fd);
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_spawn(&t[i], i ? pc_worker : pc_exec_worker, 27));
	ASSERT_OK(pc_warm(&t[1]));
	ASSERT_OK(pc_enable(p.fd));
	ASSERT_OK(pc_tell(&t[0], 'x'));
	ASSERT_OK(pc_tell(&t[0], PC_WARM));
	ASSERT_OK(pc_tell(&t[1], PC_WARM));
	value = pc_value(p.fd);
	value = pc_value(p.fd);
	EXPECT_LT(0, value);
	ASSERT_OK(pc_tell(&t[0], PC_WORK));
	EXPECT_EQ(value, pc_value(p.fd)) TH_LOG("the counter has counted after the exec");
	ASSERT_OK(pc_tell(&t[1], PC_WORK));
	EXPECT_EQ(value + 27, pc_value(p.fd))
		TH_LOG("the counter without remove_on_exec has to count");
	/* Children of the task are not counted either. */
	if (!pc_on_perf_event()) {
		ASSERT_OK(pc_ring_map(&ring, p.fd, 1));
		EXPECT_EQ(0, poll(&p, 1, 0)) TH_LOG("the parent is still counted");
		pc_ring_unmap(&ring);
	}
	for (int i = 0; i < 2; i++)
		EXPECT_OK(pc_reap(&t[i]));
	close(p.fd);
}

/* Execute another program while a counter is closed, enabled and read. */
PC_TEST(removed, a_counter_is_removed_while_its_descriptor_is_used)
{
	for (int i = 0; i < pc_rounds(40); i++) {
		struct pc_task t;
		__u64 last = 0;
		int fd;

		ASSERT_OK(pc_spawn(&t, pc_exec_worker, 1));
		fd = pc_open(&self->attr, t.pid, -1, -1);
		ASSERT_FD(fd);
		ASSERT_OK(pc_enable(fd));
		ASSERT_OK(pc_order(&t, 'x'));
		for (int j = 0; j < i; j++) {
			__u64 value = pc_value(fd);

			ASSERT_LE(last, value);
			last = value;
			if (i & 1) {
				ASSERT_OK(pc_disable(fd));
				ASSERT_OK(pc_enable(fd));
			}
		}
		if (i & 2)
			close(fd);
		ASSERT_OK(pc_reply(&t));
		if (!(i & 2)) {
			last = pc_value(fd);
			ASSERT_OK(pc_tell(&t, PC_WORK));
			EXPECT_EQ(last, pc_value(fd));
			close(fd);
		}
		EXPECT_OK(pc_reap(&t));
	}
}

/* === Context switches === */
static const __u64 switch_ids = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

PC_TEST(task, a_task_stops_and_starts_in_turns)
{
	int ins = 0, outs = 0, last = -1;
	struct pc_task t;

	self->attr.context_switch = 1;
	self->attr.sample_id_all = 1;
	self->attr.sample_type = switch_ids;
	/* Both tasks are on one CPU, so the other task has stopped before this one goes on. */
	ASSERT_OK(pc_pin(self->cpus[0]));
	ASSERT_OK(pc_spawn_on(&t, self->cpus[0], pc_worker, 1));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	for (int i = 0; i < 50; i++)
		ASSERT_OK(pc_tell(&t, PC_WORK));
	ASSERT_OK(pc_disable(self->fd));
	while (pc_ring_next(&self->ring, &rec)) {
		int out = !!(rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT);

		ASSERT_EQ(PERF_RECORD_SWITCH, rec.header.type);
		/* The record consists of a header and the sample_id. */
		ASSERT_EQ(8 + 24, rec.header.size);
		ASSERT_EQ(24, pc_parse_id(&self->attr, &rec, &s));
		EXPECT_EQ(t.pid, s.pid);
		EXPECT_EQ(t.pid, s.tid);
		EXPECT_NE(last, out) TH_LOG("%s twice", out ? "out" : "in");
		if (!out)
			EXPECT_EQ(0, rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
		last = out;
		ins += !out;
		outs += out;
	}
	EXPECT_LE(50, outs);
	EXPECT_EQ(outs, ins);
	EXPECT_EQ(1, last) TH_LOG("the last record of a waiting task is a switch-out");
	EXPECT_OK(pc_reap(&t));
}

PC_TEST(task, a_switch_out_of_a_runnable_task_is_a_preemption)
{
	struct perf_counter_attr attr = self->attr;
	int preempted = 0, fd;
	struct pc_ring ring;
	struct pc_task t[2];

	attr.context_switch = 1;
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_spawn(&t[i], pc_worker, 10000));
		ASSERT_OK(pc_pin_task(t[i].pid, self->cpus[0]));
	}
	ASSERT_OK(start(&attr, t[0].pid, -1, &self->ring, &self->fd));
	ASSERT_OK(start(&attr, t[1].pid, -1, &ring, &fd));
	/* Two tasks that use the time of one CPU preempt each other after a while. */
	while (!preempted) {
		for (int i = 0; i < 2; i++)
			ASSERT_OK(pc_order(&t[i], PC_BURN));
		for (int i = 0; i < 2; i++)
			ASSERT_OK(pc_reply(&t[i]));
		while (pc_ring_next(&self->ring, &rec)) {
			ASSERT_EQ(PERF_RECORD_SWITCH, rec.header.type);
			preempted += !!(rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
			if (rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
				EXPECT_NE(0, rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT);
		}
		while (pc_ring_next(&ring, &rec))
			ASSERT_EQ(PERF_RECORD_SWITCH, rec.header.type);
	}
	for (int i = 0; i < 2; i++)
		EXPECT_OK(pc_reap(&t[i]));
	pc_ring_unmap(&ring);
	close(fd);
}

PC_TEST(task, switch_records_of_a_cpu_have_the_other_task)
{
	__u32 out_tid = 0, next_tid = 0;
	struct pc_task t[2];
	int n = 0, ours = 0, last = -1;

	self->attr.context_switch = 1;
	self->attr.sample_id_all = 1;
	self->attr.sample_type = switch_ids;
	/* All tasks are on one CPU, so a task goes on after the other one has stopped. */
	ASSERT_OK(pc_pin(self->cpus[0]));
	for (int i = 0; i < 2; i++)
		ASSERT_OK(pc_spawn_on(&t[i], self->cpus[0], pc_worker, 1));
	ASSERT_OK(start(&self->attr, -1, self->cpus[0], &self->ring, &self->fd));
	for (int i = 0; i < 40; i++)
		ASSERT_OK(pc_tell(&t[i & 1], PC_WORK));
	ASSERT_OK(pc_disable(self->fd));
	while (pc_ring_next(&self->ring, &rec)) {
		int out = !!(rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT);

		ASSERT_EQ(PERF_RECORD_SWITCH_CPU_WIDE, rec.header.type);
		ASSERT_EQ(sizeof(*switched) + 24, rec.header.size);
		ASSERT_EQ(24, pc_parse_id(&self->attr, &rec, &s));
		ASSERT_EQ(self->cpus[0], s.cpu);
		ASSERT_NE(last, out) TH_LOG("%s twice, after %d", out ? "out" : "in", n);
		if (out) {
			out_tid = s.tid;
			next_tid = switched->next_prev_tid;
		} else if (n) {
			ASSERT_EQ(next_tid, s.tid);
			/* perf_events has no pid of an exited task. */
			if (!pc_on_perf_event() || switched->next_prev_tid != (__u32)-1)
				ASSERT_EQ(out_tid, switched->next_prev_tid);
		}
		for (int i = 0; i < 2; i++) {
			if (s.tid != t[i].pid)
				continue;
			EXPECT_EQ(t[i].pid, s.pid);
			ours += out;
		}
		if (switched->next_prev_tid == t[0].pid)
			EXPECT_EQ(t[0].pid, switched->next_prev_pid);
		last = out;
		n++;
	}
	EXPECT_LE(40, ours) TH_LOG("not all of the 40 orders have a sample");
	for (int i = 0; i < 2; i++)
		EXPECT_OK(pc_reap(&t[i]));
}

PC_TEST(task, switches_of_the_machine_alternate_on_each_cpu)
{
	__u32 next_tid[MAX_CPUS] = {}, out_tid[MAX_CPUS] = {};
	int last[MAX_CPUS], n = 0;
	struct pc_task t[MAX_CPUS];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	memset(last, -1, sizeof(last));
	self->attr.context_switch = 1;
	self->attr.sample_id_all = 1;
	self->attr.sample_type = switch_ids;
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_spawn_on(&t[i], self->cpus[i], pc_worker, 1));
	self->fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 512));
	ASSERT_OK(pc_enable(self->fd));
	/* Tasks are created and exit meanwhile. */
	for (int i = 0; i < 20; i++) {
		ASSERT_OK(pc_work_all(t, self->n));
		ASSERT_LT(0, make_task(i % 5));
	}
	ASSERT_OK(pc_disable(self->fd));
	while (pc_ring_next(&self->ring, &rec)) {
		int out = !!(rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT), cpu;

		ASSERT_EQ(PERF_RECORD_SWITCH_CPU_WIDE, rec.header.type);
		ASSERT_EQ(24, pc_parse_id(&self->attr, &rec, &s));
		for (cpu = 0; cpu < self->n && self->cpus[cpu] != s.cpu; cpu++)
			;
		ASSERT_GT(self->n, cpu);
		ASSERT_NE(last[cpu], out) TH_LOG("CPU %u", s.cpu);
		if (out) {
			out_tid[cpu] = s.tid;
			next_tid[cpu] = switched->next_prev_tid;
		} else if (last[cpu] >= 0) {
			ASSERT_EQ(next_tid[cpu], s.tid);
			ASSERT_EQ(out_tid[cpu], switched->next_prev_tid);
		}
		last[cpu] = out;
		n++;
	}
	EXPECT_LE(20 * self->n, n);
	for (int i = 0; i < self->n; i++)
		EXPECT_OK(pc_reap(&t[i]));
}

/* === Namespaces === */
static const char * const space_names[NR_NAMESPACES] = {
	[NET_NS_INDEX] = "net", [UTS_NS_INDEX] = "uts", [IPC_NS_INDEX] = "ipc",
	[PID_NS_INDEX] = "pid", [USER_NS_INDEX] = "user", [MNT_NS_INDEX] = "mnt",
	[CGROUP_NS_INDEX] = "cgroup",
};

struct space {
	__u64 dev, ino;
};

/* Read the namespaces of a task from /proc; kinds that the kernel lacks are 0. */
static int spaces_of(pid_t pid, struct space *to)
{
	for (int i = 0; i < NR_NAMESPACES; i++) {
		unsigned int major, minor;
		char path[64];
		struct stat st;

		memset(&to[i], 0, sizeof(to[i]));
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, space_names[i]);
		if (stat(path, &st)) {
			if (errno == ENOENT)
				continue;
			return -1;
		}
		/* The encoding of a device number in 32 bits. */
		major = major(st.st_dev);
		minor = minor(st.st_dev);
		to[i].dev = (minor & 0xff) | major << 8 | (minor & ~0xff) << 12;
		to[i].ino = st.st_ino;
	}
	return 0;
}

static const char *tells_of(pid_t pid, const struct space *want)
{
	if (rec.header.type != PERF_RECORD_NAMESPACES)
		return complain("a record of type %u", rec.header.type);
	if (rec.header.size != sizeof(*spaces) + NR_NAMESPACES * 16 || spaces->nr != NR_NAMESPACES)
		return complain("%u bytes, %llu namespaces", rec.header.size, spaces->nr);
	if (spaces->pid != pid || spaces->tid != pid)
		return complain("it is of %u/%u, not of %d", spaces->pid, spaces->tid, pid);
	for (int i = 0; i < NR_NAMESPACES; i++)
		if (spaces->links[i].dev != want[i].dev || spaces->links[i].ino != want[i].ino)
			return complain("%s is %#llx:%llu, not %#llx:%llu", space_names[i],
					spaces->links[i].dev, spaces->links[i].ino, want[i].dev,
					want[i].ino);
	return NULL;
}

PC_TEST(task, a_new_task_has_a_namespaces_record)
{
	struct space want[NR_NAMESPACES];

	self->attr.namespaces = 1;
	self->attr.task = 1;
	ASSERT_OK(start_tree(&self->attr, self->cpus, &self->ring, &self->fd));
	ASSERT_OK(spaces_of(getpid(), want));
	EXPECT_NE(0, want[MNT_NS_INDEX].ino);
	EXPECT_NE(want[PID_NS_INDEX].ino, want[MNT_NS_INDEX].ino);
	for (int kind = 0; kind < 5; kind++) {
		pid_t pid = make_task(kind);
		int n = 0;

		ASSERT_LT(0, pid);
		while (pc_ring_next(&self->ring, &rec)) {
			const char *wrong;

			if (rec.header.type != PERF_RECORD_NAMESPACES)
				continue;
			/* The record of a thread has the pid of its process. */
			if (kind == 4) {
				EXPECT_EQ(getpid(), spaces->pid);
				spaces->pid = spaces->tid;
			}
			wrong = tells_of(pid, want);
			EXPECT_EQ(NULL, wrong)
				TH_LOG("kind %d: %s", kind, wrong);
			n++;
		}
		EXPECT_EQ(1, n)
			TH_LOG("kind %d", kind);
	}
}

/* The kinds of namespaces that changes_spaces() can change, one at each order. */
static const int space_flags[] = {
	CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWPID,
	CLONE_NEWUSER,
};

static void changes_spaces(struct pc_task *t)
{
	char order, path[64];

	while ((order = pc_await(t))) {
		int ret, fd;

		if (order >= 'a') {
			ret = unshare(space_flags[order - 'a']);
		} else {
			/* Return to the namespace of the parent. */
			snprintf(path, sizeof(path), "/proc/%d/ns/%s", getppid(),
				 space_names[order - 'A']);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			ret = fd < 0 ? -1 : setns(fd, 0);
			close(fd);
		}
		/* The answer tells whether the kernel has this kind of namespace. */
		if (write(t->child_end, ret ? "n" : "y", 1) != 1)
			_exit(1);
	}
}

static char asked(struct pc_task *t, char order)
{
	char answer;

	if (pc_order(t, order) || read(t->parent_end, &answer, 1) != 1)
		return 0;
	return answer;
}

PC_TEST(task, changed_namespaces_are_recorded)
{
	struct space old[NR_NAMESPACES], want[NR_NAMESPACES];
	struct pc_task t;
	int changed = 0;

	self->attr.namespaces = 1;
	ASSERT_OK(pc_spawn(&t, changes_spaces, 0));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	for (int i = 0; i < ARRAY_SIZE(space_flags); i++) {
		const char *wrong;
		char answer = asked(&t, 'a' + i);

		ASSERT_NE(0, answer);
		if (answer == 'n') {
			/* Nothing has changed, so there is no record. */
			EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
			continue;
		}
		ASSERT_OK(spaces_of(t.pid, want));
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		wrong = tells_of(t.pid, want);
		EXPECT_EQ(NULL, wrong)
			TH_LOG("unshare %#x: %s", space_flags[i], wrong);
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
		/*
		 * A new pid namespace is in the record, but only for children: the task itself
		 * stays in the old one.
		 */
		ASSERT_OK(spaces_of(getpid(), old));
		if (space_flags[i] != CLONE_NEWPID)
			EXPECT_NE(0, memcmp(old, want, sizeof(old)));
		changed++;
	}
	if (!changed) {
		EXPECT_OK(pc_reap(&t));
		SKIP(return, "no namespaces here");
	}
	EXPECT_OK(pc_reap(&t));
	pc_ring_unmap(&self->ring);
	close(self->fd);

	/* With setns() the task returns to the test's namespaces. */
	ASSERT_OK(pc_spawn(&t, changes_spaces, 0));
	ASSERT_OK(start(&self->attr, t.pid, -1, &self->ring, &self->fd));
	for (int i = 0; i < ARRAY_SIZE(space_flags) - 1; i++)
		ASSERT_NE(0, asked(&t, 'a' + i));
	while (pc_ring_next(&self->ring, &rec))
		;
	for (int i = 0; i < NR_NAMESPACES; i++) {
		const char *wrong;

		if (i == USER_NS_INDEX || asked(&t, 'A' + i) != 'y')
			continue;
		ASSERT_OK(spaces_of(t.pid, want));
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec)) TH_LOG("setns: %s", space_names[i]);
		wrong = tells_of(t.pid, want);
		EXPECT_EQ(NULL, wrong)
			TH_LOG("setns: %s", wrong);
		EXPECT_EQ(old[i].ino, want[i].ino)
			TH_LOG("setns: %s", space_names[i]);
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	}
	EXPECT_OK(pc_reap(&t));
}

/* Control groups. The hierarchy is mounted for this test. */
FIXTURE(cgroup) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	char dir[64];
	bool mounted;
	int fd;
};

/* Groups that the tests create. The groups of a failed test may remain. */
static const char * const groups[] = {
	"/pc_test", "/pc_test/inner", "/pc_test/with blanks", "/pc_test/seven__",
};

static void remove_groups(const char *dir)
{
	for (int i = ARRAY_SIZE(groups) - 1; i >= 0; i--) {
		char path[256];

		snprintf(path, sizeof(path), "%s%s", dir, groups[i]);
		rmdir(path);
	}
}

FIXTURE_SETUP(cgroup)
{
	self->fd = -1;
	self->attr = pc_attr(PERF_COUNT_SW_DUMMY);
	snprintf(self->dir, sizeof(self->dir), "/tmp/pc_cgroup.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("cgroup2", self->dir, "cgroup2", 0, NULL)) {
		rmdir(self->dir);
		SKIP(return, "no cgroup2 here: %s", strerror(errno));
	}
	self->mounted = true;
	remove_groups(self->dir);
}

FIXTURE_TEARDOWN(cgroup)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	if (self->mounted) {
		remove_groups(self->dir);
		umount(self->dir);
	}
	rmdir(self->dir);
}

PC_TEST(cgroup, created_control_groups_are_recorded)
{
	struct pc_task t;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.cgroup = 1;
	/*
	 * The counter is disabled, and it counts another task than the one that creates the groups.
	 */
	ASSERT_OK(pc_spawn(&t, pc_worker, 0));
	self->fd = pc_open(&self->attr, t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	for (int i = 0; i < ARRAY_SIZE(groups); i++) {
		char path[256];
		struct stat st;

		snprintf(path, sizeof(path), "%s%s", self->dir, groups[i]);
		ASSERT_OK(mkdir(path, 0700));
		ASSERT_OK(stat(path, &st));
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		EXPECT_EQ(PERF_RECORD_CGROUP, rec.header.type);
		EXPECT_EQ(st.st_ino, cgroup->id);
		EXPECT_STREQ(groups[i], cgroup->path);
		EXPECT_EQ(sizeof(*cgroup) + (strlen(groups[i]) + 8) / 8 * 8, rec.header.size);
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
		/* mkdir() of an existing group fails and has no record. */
		EXPECT_ERRNO(EEXIST, mkdir(path, 0700));
		EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	}
	remove_groups(self->dir);
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	EXPECT_OK(pc_reap(&t));
}

/* A task takes page faults in each of several control groups. */
PC_TEST(cgroup, samples_have_the_control_group_of_their_task)
{
	const __u64 fields = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP;
	struct stat st[3];
	struct pc_task t;

	self->attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	self->attr.sample_period = 1;
	self->attr.sample_type = fields;
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 5));
	self->fd = pc_open(&self->attr, t.pid, -1, -1);
	if (self->fd < 0 && pc_on_perf_event()) {
		EXPECT_OK(pc_reap(&t));
		SKIP(return, "perf_events is built without CONFIG_CGROUP_PERF");
	}
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	for (int i = 0; i < 3; i++) {
		char path[128], file[160], pid[16];
		int n = 0, procs;

		/* The groups are the root, a group in the root, and a group in that group. */
		snprintf(path, sizeof(path), "%s%s", self->dir, i ? groups[i - 1] : "");
		if (i)
			ASSERT_OK(mkdir(path, 0700));
		ASSERT_OK(stat(path, &st[i]));
		snprintf(file, sizeof(file), "%s/cgroup.procs", path);
		procs = open(file, O_WRONLY | O_CLOEXEC);
		ASSERT_FD(procs);
		snprintf(pid, sizeof(pid), "%d", t.pid);
		ASSERT_EQ(strlen(pid), write(procs, pid, strlen(pid)));
		close(procs);
		ASSERT_OK(pc_enable(self->fd));
		ASSERT_OK(pc_tell(&t, PC_WORK));
		ASSERT_OK(pc_disable(self->fd));
		while (pc_ring_next(&self->ring, &rec)) {
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			EXPECT_EQ(t.pid, s.tid);
			EXPECT_EQ(st[i].st_ino, s.cgroup)
				TH_LOG("group %d", i);
			n++;
		}
		EXPECT_EQ(5, n);
	}
	EXPECT_NE(st[0].st_ino, st[1].st_ino);
	EXPECT_NE(st[1].st_ino, st[2].st_ino);
	EXPECT_OK(pc_reap(&t));
}

/* A counter of a CPU gets the records of groups that are created on this CPU. */
PC_TEST(cgroup, a_cpu_counter_gets_cgroup_records_of_its_cpu)
{
	int cpus[MAX_CPUS], n = pc_cpus(cpus, MAX_CPUS), fds[MAX_CPUS];
	struct pc_ring rings[MAX_CPUS];
	char path[128];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.cgroup = 1;
	for (int i = 0; i < n; i++) {
		fds[i] = pc_open(&self->attr, i & 1 ? 0 : -1, cpus[i], -1);
		ASSERT_FD(fds[i]);
		ASSERT_OK(pc_ring_map(&rings[i], fds[i], 1));
	}
	snprintf(path, sizeof(path), "%s%s", self->dir, groups[0]);
	for (int i = 0; i < n; i++) {
		ASSERT_OK(pc_pin(cpus[i]));
		ASSERT_OK(mkdir(path, 0700));
		for (int j = 0; j < n; j++) {
			EXPECT_EQ(i == j, pc_ring_count(&rings[j], PERF_RECORD_CGROUP))
				TH_LOG("created on CPU %d, record on CPU %d", cpus[i], cpus[j]);
		}
		ASSERT_OK(rmdir(path));
	}
	for (int i = 0; i < n; i++) {
		pc_ring_unmap(&rings[i]);
		close(fds[i]);
	}
}

/*
 * A counter without the cgroup flag gets no records of control groups, even if it gets other
 * records of the machine.
 */
PC_TEST(cgroup, cgroup_records_need_the_cgroup_flag)
{
	char path[128];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.ksymbol = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 8));
	snprintf(path, sizeof(path), "%s%s", self->dir, groups[0]);
	ASSERT_OK(mkdir(path, 0700));
	EXPECT_EQ(0, pc_ring_count(&self->ring, PERF_RECORD_CGROUP));
}

/*
 * Samples have ids of the hierarchy of version 2, so groups of another hierarchy have no records.
 */
PC_TEST(cgroup, groups_of_version_1_are_not_recorded)
{
	char other[] = "/tmp/pc_cgroup1.XXXXXX", path[128];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.cgroup = 1;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 8));
	ASSERT_NE(NULL, mkdtemp(other));
	if (mount("none", other, "cgroup", 0, "none,name=pc_selftest")) {
		rmdir(other);
		SKIP(return, "no hierarchies of version 1 here: %s", strerror(errno));
	}
	snprintf(path, sizeof(path), "%s/inner", other);
	EXPECT_OK(mkdir(path, 0700));
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
	rmdir(path);
	umount(other);
	rmdir(other);
	snprintf(path, sizeof(path), "%s%s", self->dir, groups[0]);
	ASSERT_OK(mkdir(path, 0700));
	EXPECT_EQ(1, pc_ring_count(&self->ring, PERF_RECORD_CGROUP));
}

int main(int argc, char **argv)
{
	pc_exec_entry(argc, argv);
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile reader. It writes garbage into every word of its buffer, and applies each memory system
 * call to its mapping, from several threads and while records arrive. It may spoil its own buffer
 * but no other one, and after its end all memory that it had locked is uncharged.
 *
 * The kernel's log shows whether the kernel crashed, hung or warned.
 */
#include <linux/capability.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/uio.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_user.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

static __u64 random64(__u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static __u64 first_seed(void)
{
	const char *seed = getenv("PC_SEED");

	return seed ? strtoull(seed, NULL, 0) | 1 : 88172645463325252ULL;
}

/*
 * Page faults of a round of the victim. The victim is another user of perf_counter, whose records
 * have to be complete and right.
 */
#define FAULTS 60

struct victim {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_task t;
	int fd;
	int rounds;
};

static int victim_start(struct victim *v)
{
	v->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	v->attr.sample_period = 1;
	v->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	if (pc_spawn_warm(&v->t, pc_worker, FAULTS))
		return -1;
	v->fd = pc_open(&v->attr, v->t.pid, -1, -1);
	return v->fd < 0 || pc_ring_map(&v->ring, v->fd, 2) ? -1 : pc_enable(v->fd);
}

/* Take some faults. Returns true if each has its record and there is no other record. */
static bool victim_is_well(struct victim *v)
{
	__u64 addr = 0;
	int n = 0;

	if (pc_tell(&v->t, PC_WORK))
		return false;
	for (; pc_ring_next(&v->ring, &rec); n++) {
		if (rec.header.type != PERF_RECORD_SAMPLE || !pc_parse_sample(&v->attr, &rec, &s) ||
		    s.pid != v->t.pid || s.period != 1 || (n && s.addr != addr + pc_page()))
			return false;
		addr = s.addr;
	}
	v->rounds++;
	return n == FAULTS && pc_value(v->fd) == FAULTS * v->rounds;
}

static void victim_stop(struct victim *v)
{
	pc_ring_unmap(&v->ring);
	close(v->fd);
	if (v->t.pid)
		pc_reap(&v->t);
}

FIXTURE(hostile) {
	struct victim v;
	struct pc_task t;
	long mlock_kb;
	long paranoid;
	int allowance;
};

FIXTURE_VARIANT(hostile) {
	bool subrings;
	bool backward;
	int pages;
};

FIXTURE_VARIANT_ADD(hostile, one_ring) {
	.pages = 4,
};

FIXTURE_VARIANT_ADD(hostile, subrings) {
	.subrings = true,
	.pages = 8,
};

FIXTURE_VARIANT_ADD(hostile, backward) {
	.backward = true,
	.pages = 2,
};

/* 8 pages for each CPU are free of charge; the user is charged for the rest. */
FIXTURE_SETUP(hostile)
{
	if (pc_on_perf_event())
		SKIP(return, "the test is about the buffers of perf_counter");
	self->mlock_kb = pc_sysctl_read("mlock_kb");
	self->paranoid = pc_sysctl_read("paranoid");
	ASSERT_OK(pc_sysctl_write("mlock_kb", 8 * pc_page() / 1024));
	ASSERT_OK(pc_sysctl_write("paranoid", 0));
	self->allowance = pc_in_nobody(pc_map_until_refused, 200, 0);
	ASSERT_LT(0, self->allowance);
	ASSERT_OK(victim_start(&self->v));
}

FIXTURE_TEARDOWN(hostile)
{
	if (pc_on_perf_event())
		return;
	victim_stop(&self->v);
	pc_sysctl_write("mlock_kb", self->mlock_kb);
	pc_sysctl_write("paranoid", self->paranoid);
}

static struct perf_counter_attr hostile_attr;
static int hostile_pages;
static int hostile_fd;
static bool stop;

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* Write values to all words of an area; the kernel may change the area meanwhile. */
static void scribble(void *at, size_t len, __u64 *seed)
{
	static const __u64 evil[] = {
		0, 1, 7, 8, 64, 4088, 4096, 8192, 1ULL << 31, 1ULL << 32, 1ULL << 63, ~0ULL,
		~7ULL, ~4095ULL,
	};
	__u64 *end = (__u64 *)((char *)at + len);

	for (__u64 *word = at; word < end; word++) {
		__u64 r = random64(seed), bad = evil[(r >> 8) % ARRAY_SIZE(evil)];

		switch (r & 3) {
		case 0:
			__atomic_store_n(word, bad, __ATOMIC_RELAXED);
			break;
		case 1:
			__atomic_fetch_add(word, bad, __ATOMIC_RELAXED);
			break;
		case 2:
			__atomic_store_n(word, random64(seed), __ATOMIC_RELAXED);
			break;
		}
	}
}

/* Set a valid tail between two sweeps: with an invalid one the kernel would not write records. */
static void *control_scribbler(void *arg)
{
	struct pc_ring parts[PERF_COUNTER_SUBRINGS_MAX];
	__u64 seed = first_seed();
	int n = pc_ring_split(arg, parts);

	while (!stopped()) {
		scribble(parts[0].page, pc_page(), &seed);
		for (int i = 0; i < n; i++)
			pc_ring_set_tail(&parts[i], pc_ring_head(&parts[i]));
		sched_yield();
	}
	return NULL;
}

static void *data_scribbler(void *arg)
{
	struct pc_ring *ring = arg;
	__u64 seed = first_seed() * 3;

	while (!stopped()) {
		scribble(ring->data, ring->size, &seed);
		sched_yield();
	}
	return NULL;
}

/* Read and splice the records, and ignore what they contain. */
static void *splicer(void *arg)
{
	static char sink[65536];
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
		return "no pipe";
	for (__u64 seed = first_seed(); !stopped();) {
		struct pollfd p = { .fd = hostile_fd, .events = POLLIN };

		poll(&p, 1, 1);
		splice(hostile_fd, NULL, pipes[1], NULL, random64(&seed) & 0xffff,
		       SPLICE_F_NONBLOCK);
		while (read(pipes[0], sink, sizeof(sink)) > 0)
			;
		sched_yield();
	}
	close(pipes[0]);
	close(pipes[1]);
	return NULL;
}

static void *writer(void *arg)
{
	for (int i = 0; i < pc_rounds(12); i++)
		pc_faults(40);
	return NULL;
}

#define FAIL(status)							\
	do {								\
		fprintf(stderr, "# line %d: %s\n", __LINE__, strerror(errno));	\
		_exit(status);						\
	} while (0)

/* Tasks write records while threads overwrite them. */
static void garbage(struct pc_task *t)
{
	static void *(* const fns[])(void *) = { control_scribbler, data_scribbler, splicer };
	pthread_t spoilers[3], writers[4];
	struct pc_ring ring;

	pc_await(t);
	hostile_attr.inherit = 1;
	hostile_fd = pc_open(&hostile_attr, 0, -1, -1);
	if (hostile_fd < 0 || pc_ring_map(&ring, hostile_fd, hostile_pages) ||
	    pc_enable(hostile_fd))
		FAIL(1);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&spoilers[i], NULL, fns[i], &ring))
			FAIL(2);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&writers[i], NULL, writer, NULL))
			FAIL(3);
	for (int i = 0; i < 4; i++)
		pthread_join(writers[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(spoilers[i], NULL);

	/* The counter works with a new buffer. */
	pc_disable(hostile_fd);
	pc_ring_unmap(&ring);
	if (pc_ring_map(&ring, hostile_fd, hostile_pages))
		FAIL(4);
	if (!hostile_attr.write_backward && !hostile_attr.subrings) {
		pc_faults(1);
		pc_enable(hostile_fd);
		pc_faults(7);
		pc_disable(hostile_fd);
		if (pc_ring_count(&ring, PERF_RECORD_SAMPLE) != 7)
			FAIL(5);
	}
	pc_done(t);
	pc_await(t);
}

/* Run fn() in another process, and check the victim until the process answers. */
static int assault(struct __test_metadata *_metadata, struct victim *v, struct pc_task *t,
		   void (*fn)(struct pc_task *t), int answers)
{
	int status;

	ASSERT_OK(pc_spawn(t, fn, 0));
	ASSERT_TRUE(victim_is_well(v));
	pc_order(t, 'g');
	while (answers) {
		char c;
		ssize_t n = recv(t->parent_end, &c, 1, MSG_DONTWAIT);

		if (!n || (n < 0 && errno != EAGAIN))
			break;
		answers -= n == 1;
		EXPECT_TRUE(victim_is_well(v)) TH_LOG("round %d", v->rounds);
	}
	EXPECT_EQ(0, answers);
	status = pc_reap(t);
	EXPECT_TRUE(victim_is_well(v));
	return status;
}

PC_TEST(hostile, garbage_in_a_buffer_harms_only_its_owner)
{
	hostile_attr = self->v.attr;
	hostile_attr.subrings = variant->subrings;
	hostile_attr.write_backward = variant->backward;
	hostile_pages = variant->pages;
	EXPECT_EQ(0, assault(_metadata, &self->v, &self->t, garbage, 1));
}

/*
 * Threads apply memory system calls at random places of an arena, and access the pages whether they
 * are mapped or not.
 */
#define SLOTS 8
#define SLOT_PAGES 40
#define ARENA (SLOTS * SLOT_PAGES)
#define ACTIONS 100

static char *arena;
static int counters[3];
static __thread sigjmp_buf missed;
static __thread bool missing;

static void missed_it(int sig)
{
	if (!missing)
		_exit(90);
	siglongjmp(missed, 1);
}

static void touch(void *at, size_t len, __u64 *seed)
{
	missing = true;
	if (!sigsetjmp(missed, 1))
		scribble(at, len, seed);
	missing = false;
}

/*
 * These threads take their faults in memory that was mapped at the start: a new mapping might be
 * placed into a gap of the arena.
 */
#define OWN_PAGES 20

static char *own;
static __thread char *mine;

static void own_faults(int n)
{
	madvise(mine, n * pc_page(), MADV_DONTNEED);
	pc_touch(mine, n);
}

static void in_a_child(void *at, __u64 *seed)
{
	pid_t pid = fork();

	if (!pid) {
		touch(at, 2 * pc_page(), seed);
		mmap(at, 2 * pc_page(), PROT_READ, MAP_SHARED | MAP_FIXED, counters[0], 0);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void through_a_pipe(void *at)
{
	struct iovec io = { at, pc_page() };
	char sink[4096];
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
		return;
	vmsplice(pipes[1], &io, 1, SPLICE_F_NONBLOCK);
	/* A page in a pipe outlives its mapping. */
	munmap(at, pc_page());
	while (read(pipes[0], sink, sizeof(sink)) > 0)
		;
	close(pipes[0]);
	close(pipes[1]);
}

static void another_way_in(void *at, __u64 *seed)
{
	char buffer[256];
	struct iovec here = { buffer, sizeof(buffer) }, there = { at, sizeof(buffer) };
	int fd;

	process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	process_vm_writev(getpid(), &here, 1, &there, 1, 0);
	fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (pwrite(fd, seed, sizeof(*seed), (long)at + 1024) < 0)
		sched_yield();
	close(fd);
}

static void act(__u64 *seed)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_FREE, MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE,
		MADV_NOHUGEPAGE, MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_WILLNEED,
		MADV_DONTDUMP, MADV_WIPEONFORK, MADV_POPULATE_READ, MADV_POPULATE_WRITE,
	};
	__u64 r = random64(seed);
	char *slot = arena + (r % SLOTS) * SLOT_PAGES * pc_page();
	char *other = arena + ((r >> 8) % SLOTS) * SLOT_PAGES * pc_page();
	int first = (r >> 16) % 6, some = 1 + (r >> 20) % 6, log;
	int which = (r >> 28) % 3, fd = counters[which];
	char *part = slot + first * pc_page();
	size_t len = some * pc_page();
	void *map;

	/* A second mapping must have the size of the buffer, so other sizes are tried rarely. */
	log = (r >> 24 & 7) ? 1 + which : (r >> 52) % 5;

	switch ((r >> 32) % 20) {
	case 0: case 1: case 2: case 3: case 4:
		map = mmap(slot, (1 + (1 << log)) * pc_page(),
			   PROT_READ | (r >> 40 & 3 ? PROT_WRITE : 0), MAP_SHARED | MAP_FIXED,
			   fd, 0);
		if (map != MAP_FAILED)
			touch(map, (1 + (1 << log)) * pc_page(), seed);
		break;
	case 5:
		munmap(part, len);
		break;
	case 6:
		mprotect(part, len, (r >> 40) & (PROT_READ | PROT_WRITE | PROT_EXEC));
		break;
	case 7:
		if (slot != other)
			mremap(part, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, other);
		break;
	case 8:
		/*
		 * Shrink or grow the part. Then move it with an old length of 0, which would
		 * duplicate a shared mapping of another kind.
		 */
		mremap(part, len, ((r >> 40) % 8) * pc_page(), 0);
		if (slot != other)
			mremap(part, 0, len, MREMAP_MAYMOVE | MREMAP_FIXED, other);
		break;
	case 9: case 10:
		madvise(part, len, advices[(r >> 40) % ARRAY_SIZE(advices)]);
		break;
	case 11:
		madvise(slot, SLOT_PAGES * pc_page(), MADV_DOFORK);
		in_a_child(slot, seed);
		break;
	case 12:
		if (ftruncate(fd, (r >> 40) % 8 * pc_page()) && fallocate(fd, 0, 0, pc_page()))
			touch(part, len, seed);
		break;
	case 13:
		mlock(part, len);
		touch(part, len, seed);
		munlock(slot, SLOT_PAGES * pc_page());
		break;
	case 14:
		syscall(SYS_remap_file_pages, part, len, 0, (r >> 40) % 8, 0);
		msync(part, len, MS_SYNC | MS_INVALIDATE);
		break;
	case 15:
		through_a_pipe(part);
		break;
	case 16:
		another_way_in(part, seed);
		break;
	case 17:
		ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, (r >> 40) & 1 ? (long)counters[0] : -1L);
		break;
	case 18:
		ioctl(fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 0);
		touch(part, len, seed);
		break;
	case 19:
		own_faults(5);
		break;
	}
}

static void *actor(void *arg)
{
	__u64 seed = first_seed() * (3 + 2 * (long)arg);

	mine = own + (long)arg * OWN_PAGES * pc_page();
	for (int i = 0; i < ACTIONS; i++)
		act(&seed);
	return NULL;
}

static void *fault_for_ever(void *arg)
{
	mine = own + 3 * OWN_PAGES * pc_page();
	while (!stopped())
		own_faults(OWN_PAGES);
	return NULL;
}

/* The memory that this process has locked beyond the sysctl's limit, in KiB. */
static long vm_pin(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/*
 * Run all attacks at the same time, as a user with a small limit of locked memory; with @for_ever
 * until the process is killed.
 */
static void take_apart(struct pc_task *t, bool for_ever)
{
	struct sigaction action = { .sa_handler = missed_it, .sa_flags = SA_NODEFER };
	pthread_t actors[3], others[2];

	pc_await(t);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	pc_become_nobody(200 * pc_page());
	prctl(PR_SET_DUMPABLE, 1);
	/* setuid() clears the parent-death signal. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	hostile_attr.exclude_kernel = 1;
	hostile_attr.inherit = 1;
	for (int i = 0; i < 3; i++) {
		/* Counters of the task and of the machine, with different kinds of buffers. */
		counters[i] = pc_open(&hostile_attr, i == 1 ? -1 : 0, -1, -1);
		if (counters[i] < 0 || pc_enable(counters[i]))
			FAIL(1);
		hostile_attr.subrings ^= 1;
	}
	hostile_fd = counters[0];
	arena = mmap(NULL, ARENA * pc_page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	own = pc_fresh(4 * OWN_PAGES);
	if (arena == MAP_FAILED || !own)
		FAIL(2);
	if (pthread_create(&others[0], NULL, splicer, NULL) ||
	    pthread_create(&others[1], NULL, fault_for_ever, NULL))
		FAIL(3);
	do {
		for (long i = 0; i < 3; i++)
			if (pthread_create(&actors[i], NULL, actor, (void *)i))
				FAIL(4);
		if (for_ever)
			pc_done(t);
		for (int i = 0; i < 3; i++)
			pthread_join(actors[i], NULL);
	} while (for_ever);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	munmap(arena, ARENA * pc_page());
	munmap(own, 4 * OWN_PAGES * pc_page());
	if (vm_pin())
		FAIL(5);
	pc_done(t);
	pc_await(t);
}

static void taken_apart(struct pc_task *t)
{
	take_apart(t, false);
}

static void killed_meanwhile(struct pc_task *t)
{
	/* The test waits for the children of this process by their process group. */
	if (setpgid(0, 0))
		FAIL(6);
	take_apart(t, true);
}

PC_TEST(hostile, a_mapping_taken_apart_is_uncharged)
{
	hostile_attr = self->v.attr;
	hostile_attr.subrings = variant->subrings;
	hostile_attr.write_backward = variant->backward;
	hostile_pages = variant->pages;
	EXPECT_EQ(0, assault(_metadata, &self->v, &self->t, taken_apart, 1));
	EXPECT_EQ(self->allowance, pc_in_nobody(pc_map_until_refused, 200, 0))
		TH_LOG("memory that the process had locked is still charged");
}

PC_TEST(hostile, a_killed_process_is_uncharged)
{
	hostile_attr = self->v.attr;
	hostile_attr.subrings = variant->subrings;
	hostile_attr.write_backward = variant->backward;
	/* A child that was forked just before may keep the mappings for a while. */
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	for (int i = 0; i < 3; i++) {
		int status;

		ASSERT_OK(pc_spawn(&self->t, killed_meanwhile, 0));
		ASSERT_OK(pc_tell(&self->t, 'g'));
		ASSERT_TRUE(victim_is_well(&self->v));
		ASSERT_OK(kill(self->t.pid, SIGKILL));
		ASSERT_EQ(self->t.pid, waitpid(self->t.pid, &status, 0));
		EXPECT_EQ(SIGKILL, WTERMSIG(status))
			TH_LOG("status %#x", status);
		close(self->t.parent_end);
		while (waitpid(-self->t.pid, NULL, 0) > 0)
			;
		EXPECT_EQ(ECHILD, errno);
		EXPECT_TRUE(victim_is_well(&self->v));
	}
	EXPECT_EQ(self->allowance, pc_in_nobody(pc_map_until_refused, 200, 0))
		TH_LOG("memory that the process had locked is still charged");
}

/*
 * The ways in which a mapping ends. The process is charged for the buffer's memory beyond the
 * sysctl's limit as long as the buffer exists, and for nothing afterwards.
 */
#define BIG 32

struct account {
	struct pc_ring ring;
	int fd;
};

static bool by_munmap(struct account *a)
{
	return !munmap(a->ring.page, a->ring.len);
}

static bool with_the_descriptor_first(struct account *a)
{
	return !close(a->fd) && !munmap(a->ring.page, a->ring.len);
}

/* Unmapping a part is refused, and the whole mapping stays. */
static bool in_pieces(struct account *a)
{
	for (size_t at = 0; at < a->ring.len; at += 3 * pc_page())
		if (!munmap((char *)a->ring.page + at, 3 * pc_page()))
			return false;
	return !munmap(a->ring.page, a->ring.len);
}

static bool after_it_moved(struct account *a)
{
	void *to = mmap(NULL, a->ring.len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mremap(a->ring.page, a->ring.len, a->ring.len, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
	       to && !munmap(to, a->ring.len);
}

static bool under_something_else(struct account *a)
{
	return mmap(a->ring.page, a->ring.len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == a->ring.page;
}

static bool with_a_second_mapping(struct account *a)
{
	struct pc_ring second;

	return !pc_ring_map(&second, a->fd, BIG) && !munmap(a->ring.page, a->ring.len) &&
	       !munmap(second.page, second.len);
}

static bool after_a_fork(struct account *a)
{
	int status;
	pid_t pid;

	madvise(a->ring.page, a->ring.len, MADV_DOFORK);
	pid = fork();
	if (!pid)
		_exit(munmap(a->ring.page, a->ring.len));
	return waitpid(pid, &status, 0) == pid && !munmap(a->ring.page, a->ring.len);
}

static bool while_another_counter_writes_to_it(struct account *a)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	attr.exclude_kernel = 1;
	fd = pc_open(&attr, 0, -1, -1);
	return fd >= 0 && !ioctl(fd, PERF_COUNTER_IOC_SET_OUTPUT, (long)a->fd) &&
	       !munmap(a->ring.page, a->ring.len);
}

static bool (* const ways[])(struct account *a) = {
	by_munmap, with_the_descriptor_first, in_pieces, after_it_moved, under_something_else,
	with_a_second_mapping, after_a_fork, while_another_counter_writes_to_it,
};

/*
 * As a user who may lock 200 pages, end mappings in each way. Returns the number of the way that
 * went wrong, or 0.
 */
static int account_closes(int free_pages)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	prctl(PR_SET_DUMPABLE, 1);
	for (int subrings = 0; subrings < 2; subrings++) {
		for (int i = 0; i < ARRAY_SIZE(ways); i++) {
			bool (*end)(struct account *a) = ways[i];
			struct account a;

			attr.subrings = subrings;
			a.fd = pc_open(&attr, 0, -1, -1);
			if (a.fd < 0 || vm_pin() || pc_ring_map(&a.ring, a.fd, BIG))
				return 100 + i;
			if (vm_pin() != (1 + BIG - free_pages) * pc_page() / 1024)
				return 50 + i;
			if (!end(&a) || vm_pin())
				return 1 + i;
			close(a.fd);
		}
	}
	return 0;
}

FIXTURE(account) {
	long mlock_kb;
	int cpus;
};

FIXTURE_SETUP(account)
{
	if (pc_on_perf_event())
		SKIP(return, "the test is about the buffers of perf_counter");
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	self->mlock_kb = pc_sysctl_read("mlock_kb");
	ASSERT_OK(pc_sysctl_write("mlock_kb", 2 * pc_page() / 1024));
}

FIXTURE_TEARDOWN(account)
{
	if (!pc_on_perf_event())
		pc_sysctl_write("mlock_kb", self->mlock_kb);
}

PC_TEST(account, each_end_of_a_mapping_is_uncharged)
{
	EXPECT_EQ(0, pc_in_nobody(account_closes, 2 * self->cpus, 200 * pc_page()))
		TH_LOG("number of the way; from 50 on: while mapped; from 100 on: before");
	EXPECT_EQ(self->cpus, pc_in_nobody(pc_map_until_refused, 200, 0));
}

/*
 * While probes of ftrace write records, a reader stores to the data pages. If the kernel read
 * strings' offsets and lengths back from the record, the reader could choose them. The reader has
 * CAP_PERFMON and no other capability. Its second thread fills the data pages with one word and
 * moves data_tail, so that there is always room.
 */
#define LONG_PATH 4000

FIXTURE(probes) {
	struct pc_task t;
	bool defined;
};

FIXTURE_VARIANT(probes) {
	const char *event;
	const char *kprobe;	/* definition of the probe in tracefs */
	void (*act)(const char *path);
	const char *file;
	int times;
	__u64 fill;
};

static void exec_it(const char *path)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(path, path, NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		FAIL(10);
}

static void open_it(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		FAIL(11);
	close(fd);
}

#define EXEC								\
	.event = "sched/sched_prepare_exec", .act = exec_it, .file = "/bin/true", .times = 150
#define OPEN								\
	.event = "pc_selftest/hostile", .act = open_it, .file = "/dev/null", .times = 3000,	\
	.kprobe = "p:pc_selftest/hostile do_sys_openat2 a=+0($arg2):ustring b=+0($arg2):ustring"

FIXTURE_VARIANT_ADD(probes, exec_zeros) {
	EXEC,
	.fill = 0,
};

FIXTURE_VARIANT_ADD(probes, exec_ones) {
	EXEC,
	.fill = ~0ULL,
};

FIXTURE_VARIANT_ADD(probes, kprobe_zeros) {
	OPEN,
	.fill = 0,
};

FIXTURE_VARIANT_ADD(probes, kprobe_ones) {
	OPEN,
	.fill = ~0ULL,
};

FIXTURE_SETUP(probes)
{
	int cpus[2];

	if (pc_on_perf_event())
		SKIP(return, "the test is about the buffers of perf_counter");
	if (pc_cpus(cpus, 2) < 2)
		SKIP(return, "a CPU for each of two threads is needed");
	ASSERT_OK(pc_tracefs());
	if (variant->kprobe) {
		ASSERT_EQ(0, pc_write_text(PC_TRACEFS "/kprobe_events", variant->kprobe));
		self->defined = true;
	}
	hostile_attr = pc_trace_attr(variant->event);
	if (!hostile_attr.config)
		SKIP(return, "this kernel does not have the event");
}

FIXTURE_TEARDOWN(probes)
{
	/* The kernel releases the probe some time after the descriptor was closed. */
	while (self->defined && pc_write_text(PC_TRACEFS "/kprobe_events", "-:pc_selftest/hostile"))
		sched_yield();
}

/* The work of the thread that overwrites the data pages. */
struct filling {
	struct pc_ring ring;
	__u64 word;
	int cpu;
};

static void *filler(void *arg)
{
	struct filling *f = arg;
	__u64 *data = (__u64 *)f->ring.data;

	if (pc_pin(f->cpu))
		return "the CPU is not there";
	while (!stopped()) {
		for (size_t i = 0; i < f->ring.size / sizeof(*data); i++)
			__atomic_store_n(&data[i], f->word, __ATOMIC_RELAXED);
		pc_ring_set_tail(&f->ring, pc_ring_head(&f->ring));
	}
	return NULL;
}

static void keep_perfmon_alone(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = {};

	if (prctl(PR_SET_KEEPCAPS, 1))
		FAIL(12);
	pc_become_nobody(200 * pc_page());
	caps[CAP_TO_INDEX(CAP_PERFMON)].permitted = CAP_TO_MASK(CAP_PERFMON);
	caps[CAP_TO_INDEX(CAP_PERFMON)].effective = CAP_TO_MASK(CAP_PERFMON);
	if (syscall(SYS_capset, &header, caps))
		FAIL(13);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* The path "/./././bin/true" of more than LONG_PATH bytes. */
static const char *long_path(const char *file)
{
	static char path[LONG_PATH + 64];

	for (int i = 0; i < LONG_PATH; i += 2)
		memcpy(path + i, "/.", 2);
	snprintf(path + LONG_PATH, sizeof(path) - LONG_PATH, "%s", file);
	return path;
}

static const FIXTURE_VARIANT(probes) * acting;

static void read_hostilely(struct pc_task *t)
{
	struct filling f = { .word = acting->fill };
	const char *path = long_path(acting->file);
	pthread_t thread;
	int cpus[2], fd;
	void *said;

	keep_perfmon_alone();
	if (pc_cpus(cpus, 2) < 2 || pc_pin(cpus[0]))
		FAIL(1);
	f.cpu = cpus[1];
	hostile_attr.sample_period = 1;
	hostile_attr.sample_type = PERF_SAMPLE_RAW;
	hostile_attr.inherit = 1;
	fd = pc_open(&hostile_attr, 0, -1, -1);
	if (fd < 0 || pc_ring_map(&f.ring, fd, 4) || pc_enable(fd))
		FAIL(2);
	if (pthread_create(&thread, NULL, filler, &f))
		FAIL(3);
	for (int i = 0; i < pc_rounds(acting->times); i++)
		acting->act(path);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	if (pthread_join(thread, &said) || said)
		FAIL(4);
	/* The events were counted, and records were written. */
	if (pc_value(fd) < pc_rounds(acting->times) || pc_ring_head(&f.ring) < LONG_PATH)
		FAIL(5);
	pc_done(t);
	pc_await(t);
}

PC_TEST(probes, probes_do_not_read_back_their_records)
{
	acting = variant;
	ASSERT_OK(pc_spawn(&self->t, read_hostilely, 0));
	EXPECT_OK(pc_reply(&self->t));
	EXPECT_EQ(0, pc_reap(&self->t));
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

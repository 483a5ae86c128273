// SPDX-License-Identifier: GPL-2.0
/*
 * splice() from a descriptor: whole records go into a pipe, and from there to a file. No record
 * comes twice, and missing ones are reported as lost.
 */
#include <poll.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

#define MAX_CPUS 8

static union pc_record rec;
static struct pc_sample s;

/* The size of a sample with TID, ADDR and CPU. */
#define SAMPLE 32

FIXTURE(splice) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_task t;
	int pipes[2];
	int fd;
};

/* The counter counts a task that takes one fault at each order. */
FIXTURE_SETUP(splice)
{
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	signal(SIGPIPE, SIG_IGN);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
	self->attr.read_format = PERF_FORMAT_LOST;
	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pipe2(self->pipes, O_CLOEXEC));
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 1));
	ASSERT_OK(pc_enable(self->fd));
}

FIXTURE_TEARDOWN(splice)
{
	if (self->fd < 0)
		return;
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->pipes[0]);
	close(self->pipes[1]);
	if (self->t.pid)
		pc_reap(&self->t);
}

/* Take the records that splice() has left in the buffer. Returns their number. */
static int records_left(struct pc_ring *ring, __u32 type)
{
	ring->tail = ring->page->data_tail;
	return pc_ring_count(ring, type);
}

static ssize_t splice_to_pipe(int fd, int pipe, size_t len)
{
	return splice(fd, NULL, pipe, NULL, len, SPLICE_F_NONBLOCK);
}

/* Read exactly @n bytes from a pipe. */
static int drain(int fd, void *to, size_t n)
{
	for (ssize_t got; n; n -= got, to = (char *)to + got) {
		got = read(fd, to, n);
		if (got <= 0)
			return -1;
	}
	return 0;
}

PC_TEST(splice, splice_moves_the_records_that_a_reader_would_read)
{
	static char seen[4096], got[4096];

	/* 37 * 32 does not divide a page, so some records wrap. */
	for (int round = 0; round < 12; round++) {
		__u64 head;

		ASSERT_OK(pc_work_times(&self->t, 37));
		head = pc_ring_head(&self->ring);
		ASSERT_EQ(37 * SAMPLE, head - self->ring.page->data_tail);
		pc_ring_copy(&self->ring, self->ring.page->data_tail, seen, 37 * SAMPLE);
		ASSERT_EQ(37 * SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 1 << 20));
		EXPECT_EQ(head, self->ring.page->data_tail);
		ASSERT_OK(drain(self->pipes[0], got, 37 * SAMPLE));
		ASSERT_EQ(0, memcmp(seen, got, 37 * SAMPLE))
			TH_LOG("round %d", round);
		EXPECT_ERRNO(EAGAIN, splice_to_pipe(self->fd, self->pipes[1], 1 << 20));
	}
}

/* The length limits the bytes of all rings together. */
PC_TEST(splice, splice_moves_at_most_its_length_from_subrings)
{
	static char got[10 * SAMPLE];
	int cpus[2];

	if (pc_cpus(cpus, 2) < 2)
		SKIP(return, "needs 2 CPUs");
	pc_ring_unmap(&self->ring);
	close(self->fd);
	self->attr.inherit = 1;
	self->attr.subrings = 1;
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 64));
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(pc_pin_task(self->t.pid, cpus[i]));
		ASSERT_OK(pc_work_times(&self->t, 5));
	}
	EXPECT_EQ(6 * SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 6 * SAMPLE));
	EXPECT_EQ(4 * SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 6 * SAMPLE));
	ASSERT_OK(drain(self->pipes[0], got, 10 * SAMPLE));
}

PC_TEST(splice, splice_moves_whole_records_for_any_length)
{
	char got[512];

	for (int len = 0; len <= 5 * SAMPLE + 8; len += len < SAMPLE + 4 ? 1 : 7) {
		int whole = len / SAMPLE * SAMPLE;

		ASSERT_OK(pc_work_times(&self->t, 4));
		if (whole > 4 * SAMPLE)
			whole = 4 * SAMPLE;
		if (len && len < SAMPLE) {
			EXPECT_ERRNO(EMSGSIZE, splice_to_pipe(self->fd, self->pipes[1], len));
		} else {
			ASSERT_EQ(whole, splice_to_pipe(self->fd, self->pipes[1], len))
				TH_LOG("length %d", len);
		}
		ASSERT_OK(drain(self->pipes[0], got, whole));
		for (int at = 0; at < whole; at += SAMPLE) {
			EXPECT_EQ(SAMPLE, ((struct perf_event_header *)(got + at))->size)
				TH_LOG("length %d", len);
		}
		/* The other records are still in the buffer. */
		EXPECT_EQ(4 - whole / SAMPLE, records_left(&self->ring, PERF_RECORD_SAMPLE))
			TH_LOG("length %d", len);
	}
}

PC_TEST(splice, a_full_pipe_takes_nothing_and_loses_nothing)
{
	static char got[4096];
	int n = 0, before;

	ASSERT_EQ(pc_page(), fcntl(self->pipes[1], F_SETPIPE_SZ, pc_page()));
	ASSERT_OK(pc_work_times(&self->t, 100));
	ASSERT_EQ(3 * SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 100));
	EXPECT_ERRNO(EAGAIN, splice_to_pipe(self->fd, self->pipes[1], 100));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	EXPECT_ERRNO(EAGAIN, splice(self->fd, NULL, self->pipes[1], NULL, 100,
				    SPLICE_F_NONBLOCK));
	ASSERT_OK(drain(self->pipes[0], got, 3 * SAMPLE));
	before = 3;
	for (; before < 100; before += n) {
		n = splice_to_pipe(self->fd, self->pipes[1], 1 << 20);
		ASSERT_LT(0, n);
		ASSERT_EQ(0, n % SAMPLE);
		ASSERT_OK(drain(self->pipes[0], got, n));
		n /= SAMPLE;
	}
	EXPECT_EQ(100, before);
	EXPECT_EQ(0, records_left(&self->ring, PERF_RECORD_LOST));
}

PC_TEST(splice, an_empty_buffer_is_eagain_with_nonblock)
{
	EXPECT_ERRNO(EAGAIN, splice_to_pipe(self->fd, self->pipes[1], 4096));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	EXPECT_ERRNO(EAGAIN, splice(self->fd, NULL, self->pipes[1], NULL, 4096, 0));
	ASSERT_OK(pc_work_times(&self->t, 1));
	EXPECT_EQ(SAMPLE, splice(self->fd, NULL, self->pipes[1], NULL, 4096, 0));
}

PC_TEST(splice, unsupported_splices_are_refused)
{
	struct pc_ring ring;
	loff_t offset = 0;
	int fd, null;

	/* splice() fails for a counter without a buffer. */
	fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(fd);
	EXPECT_ERRNO(EINVAL, splice_to_pipe(fd, self->pipes[1], 4096));
	/* splice() fails for a read-only buffer, and for one that is written backward. */
	ASSERT_OK(pc_ring_map_as(&ring, fd, 1, PROT_READ));
	ASSERT_OK(pc_enable(fd));
	ASSERT_OK(pc_work_times(&self->t, 1));
	EXPECT_ERRNO(EINVAL, splice_to_pipe(fd, self->pipes[1], 4096));
	pc_ring_unmap(&ring);
	close(fd);
	self->attr.write_backward = 1;
	fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 1));
	ASSERT_OK(pc_enable(fd));
	ASSERT_OK(pc_work_times(&self->t, 1));
	EXPECT_ERRNO(EINVAL, splice_to_pipe(fd, self->pipes[1], 4096));
	pc_ring_unmap(&ring);
	close(fd);

	/*
	 * splice() fails into a counter, out of a counter at an offset, and to a file that is no
	 * pipe.
	 */
	ASSERT_EQ(1, write(self->pipes[1], "", 1));
	EXPECT_ERRNO(EINVAL, splice(self->pipes[0], NULL, self->fd, NULL, 1, 0));
	EXPECT_ERRNO(EINVAL, splice(self->fd, &offset, self->pipes[1], NULL, 4096, 0));
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ASSERT_FD(null);
	EXPECT_ERRNO(EINVAL, splice(self->fd, NULL, null, NULL, 4096, SPLICE_F_NONBLOCK));
	close(null);
	/* The records are still there. */
	EXPECT_EQ(2, records_left(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(splice, a_pipe_that_nobody_reads_is_broken)
{
	close(self->pipes[0]);
	ASSERT_OK(pc_work_times(&self->t, 3));
	EXPECT_ERRNO(EPIPE, splice_to_pipe(self->fd, self->pipes[1], 4096));
	EXPECT_EQ(3, records_left(&self->ring, PERF_RECORD_SAMPLE)) TH_LOG("a record was lost");
	self->pipes[0] = -1;
}

PC_TEST(splice, an_invalid_tail_is_an_error_until_it_is_valid)
{
	static const __u64 behind[] = { 1, 4, 7, 4096, 8192, 1ULL << 40, 1ULL << 62 };
	char got[SAMPLE];

	for (int i = 0; i < ARRAY_SIZE(behind); i++) {
		__u64 tail = pc_ring_head(&self->ring);

		ASSERT_OK(pc_work_times(&self->t, 1));
		__atomic_store_n(self->ring.tail_at, tail - behind[i], __ATOMIC_RELEASE);
		EXPECT_ERRNO(EIO, splice_to_pipe(self->fd, self->pipes[1], 4096));
		__atomic_store_n(self->ring.tail_at, tail, __ATOMIC_RELEASE);
		ASSERT_EQ(SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 4096))
			TH_LOG("tail was %llu behind", behind[i]);
		ASSERT_OK(drain(self->pipes[0], got, SAMPLE));
	}
	/* A data_tail beyond data_head gives up the records before it, and is accepted. */
	ASSERT_OK(pc_work_times(&self->t, 1));
	__atomic_store_n(self->ring.tail_at, pc_ring_head(&self->ring) + 64, __ATOMIC_RELEASE);
	EXPECT_ERRNO(EAGAIN, splice_to_pipe(self->fd, self->pipes[1], 4096));
}

PC_TEST(splice, an_invalid_record_is_an_error_until_it_is_valid)
{
	static const __u16 sizes[] = { 0, 1, 4, 7, 12, 33, 35, SAMPLE + 8, 4096, 65528, 65535 };
	struct perf_event_header *header;
	char got[2 * SAMPLE];

	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		ASSERT_OK(pc_work_times(&self->t, 1));
		header = (void *)(self->ring.data +
				  (self->ring.page->data_tail & (self->ring.size - 1)));
		header->size = sizes[i];
		EXPECT_ERRNO(EIO, splice_to_pipe(self->fd, self->pipes[1], 1 << 20));
		header->size = SAMPLE;
		ASSERT_EQ(SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 1 << 20))
			TH_LOG("size was %u", sizes[i]);
		ASSERT_OK(drain(self->pipes[0], got, SAMPLE));

		/* splice() moves the valid records before the invalid one. */
		ASSERT_OK(pc_work_times(&self->t, 2));
		header = (void *)(self->ring.data + ((self->ring.page->data_tail + SAMPLE) &
						     (self->ring.size - 1)));
		header->size = sizes[i];
		ASSERT_EQ(SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 1 << 20));
		EXPECT_ERRNO(EIO, splice_to_pipe(self->fd, self->pipes[1], 1 << 20));
		header->size = SAMPLE;
		ASSERT_EQ(SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 1 << 20));
		ASSERT_OK(drain(self->pipes[0], got, 2 * SAMPLE));
	}
}

/* A thread that splices until there is nothing more, or until an error. */
struct splicer {
	pthread_t thread;
	int fd;
	int pipe;
	int tid;
	ssize_t ret[8];
	int n;			/* number of results in ret */
	int max;		/* largest number of calls */
	int err;
};

static void nop(int sig)
{
}

static void *splicer(void *arg)
{
	struct splicer *sp = arg;

	__atomic_store_n(&sp->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (sp->n < sp->max) {
		sp->ret[sp->n] = splice(sp->fd, NULL, sp->pipe, NULL, 1 << 20, 0);
		sp->err = errno;
		if (sp->ret[sp->n++] <= 0)
			break;
	}
	return NULL;
}

/* True if the thread @tid sleeps in splice(). */
static bool asleep(int tid)
{
	char path[64], text[512];
	int fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return atoi(text) == SYS_splice;
}

static int splicer_start(struct splicer *sp, int fd, int pipe, int max)
{
	memset(sp, 0, sizeof(*sp));
	sp->fd = fd;
	sp->pipe = pipe;
	sp->max = max;
	if (pthread_create(&sp->thread, NULL, splicer, sp))
		return -1;
	while (!asleep(__atomic_load_n(&sp->tid, __ATOMIC_ACQUIRE)))
		sched_yield();
	return 0;
}

static int reopen(struct perf_counter_attr *attr, pid_t pid, struct pc_ring *ring, int pages,
		  int *fd)
{
	pc_ring_unmap(ring);
	close(*fd);
	*fd = pc_open(attr, pid, -1, -1);
	return *fd < 0 || pc_ring_map(ring, *fd, pages) ? -1 : pc_enable(*fd);
}

PC_TEST(splice, splice_waits_for_the_watermark)
{
	struct splicer sp;
	char got[10 * SAMPLE];

	self->attr.wakeup_events = 10;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	for (int round = 0; round < 5; round++) {
		ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
		/*
		 * A splice() that did not wait for the watermark would have moved fewer than 10
		 * records.
		 */
		ASSERT_OK(pc_work_times(&self->t, 10));
		ASSERT_OK(pthread_join(sp.thread, NULL));
		ASSERT_EQ(10 * SAMPLE, sp.ret[0])
			TH_LOG("round %d", round);
		ASSERT_OK(drain(self->pipes[0], got, 10 * SAMPLE));
	}
}

PC_TEST(splice, splice_waits_for_room_in_the_pipe)
{
	struct splicer sp;
	char got[4096];

	self->attr.wakeup_events = 1;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_EQ(pc_page(), fcntl(self->pipes[1], F_SETPIPE_SZ, pc_page()));
	ASSERT_EQ(1, write(self->pipes[1], "x", 1));
	ASSERT_OK(pc_work_times(&self->t, 3));
	ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
	ASSERT_OK(drain(self->pipes[0], got, 1));
	ASSERT_OK(pthread_join(sp.thread, NULL));
	EXPECT_EQ('x', got[0]);
	EXPECT_EQ(3 * SAMPLE, sp.ret[0]);
}

/* Records that splice() has copied, but not moved to the pipe, are still in the buffer. */
PC_TEST(splice, a_broken_pipe_ends_the_wait)
{
	struct splicer sp;

	self->attr.wakeup_events = 3;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
	close(self->pipes[0]);
	self->pipes[0] = -1;
	ASSERT_OK(pc_work_times(&self->t, 3));
	ASSERT_OK(pthread_join(sp.thread, NULL));
	EXPECT_EQ(-1, sp.ret[0]);
	EXPECT_EQ(EPIPE, sp.err);
	EXPECT_EQ(3, records_left(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(splice, splice_ends_with_the_target)
{
	struct splicer sp;
	int n = 0;
	char got[4096];

	self->attr.wakeup_events = 1000;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 8));
	ASSERT_OK(pc_work_times(&self->t, 5));
	ASSERT_OK(pc_reap(&self->t));
	self->t.pid = 0;
	ASSERT_OK(pthread_join(sp.thread, NULL));
	/*
	 * splice() has returned the sizes of the records, and 0 at the end. The task takes a few
	 * faults when it exits.
	 */
	EXPECT_EQ(0, sp.ret[sp.n - 1]);
	for (int i = 0; i < sp.n; i++)
		n += sp.ret[i];
	EXPECT_LE(5 * SAMPLE, n);
	EXPECT_EQ(0, n % SAMPLE);
	ASSERT_OK(drain(self->pipes[0], got, n));
	EXPECT_EQ(0, splice(self->fd, NULL, self->pipes[1], NULL, 4096, 0))
		TH_LOG("the second call returns 0, too");
	EXPECT_EQ(0, splice_to_pipe(self->fd, self->pipes[1], 4096))
		TH_LOG("the result has to be 0, not EAGAIN");
	EXPECT_EQ(0, records_left(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(splice, a_signal_ends_the_wait)
{
	struct sigaction act = { .sa_handler = nop };
	struct splicer sp;

	ASSERT_OK(sigaction(SIGUSR1, &act, NULL));
	self->attr.wakeup_events = 10;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_OK(pc_work_times(&self->t, 3));
	ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
	ASSERT_OK(pthread_kill(sp.thread, SIGUSR1));
	ASSERT_OK(pthread_join(sp.thread, NULL));
	EXPECT_EQ(-1, sp.ret[0]);
	EXPECT_EQ(EINTR, sp.err);
	EXPECT_EQ(3, records_left(&self->ring, PERF_RECORD_SAMPLE)) TH_LOG("a record was lost");
}

PC_TEST(splice, the_pipe_is_not_locked_during_the_wait)
{
	struct splicer sp;
	char got[SAMPLE];

	self->attr.wakeup_events = 1;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
	ASSERT_EQ(1, write(self->pipes[1], "x", 1));
	ASSERT_OK(drain(self->pipes[0], got, 1));
	EXPECT_EQ('x', got[0]);
	ASSERT_OK(pc_work_times(&self->t, 1));
	ASSERT_OK(pthread_join(sp.thread, NULL));
	ASSERT_EQ(SAMPLE, sp.ret[0]);
	ASSERT_OK(drain(self->pipes[0], got, SAMPLE));
}

/* splice() must not loop, whatever poll() reports. */
PC_TEST(splice, a_signal_ends_the_wait_with_a_tail_too_far_ahead)
{
	const __u64 far = 2 * pc_page();
	const __u64 tails[] = { 1ULL << 63 | 8, 1ULL << 63, 1ULL << 62, far, -far };
	struct sigaction act = { .sa_handler = nop };
	struct splicer sp;

	ASSERT_OK(sigaction(SIGUSR1, &act, NULL));
	self->attr.wakeup_events = 1000;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_OK(pc_work_times(&self->t, 16));
	for (int i = 0; i < (int)ARRAY_SIZE(tails); i++) {
		self->ring.page->data_tail = tails[i];
		ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
		ASSERT_OK(pthread_kill(sp.thread, SIGUSR1));
		ASSERT_OK(pthread_join(sp.thread, NULL));
		EXPECT_EQ(-1, sp.ret[0]);
		EXPECT_EQ(EINTR, sp.err)
			TH_LOG("tail %#llx: %s", tails[i], strerror(sp.err));
	}
}

PC_TEST(splice, unmapping_the_buffer_ends_the_wait)
{
	struct splicer sp;

	self->attr.wakeup_events = 10;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	ASSERT_OK(splicer_start(&sp, self->fd, self->pipes[1], 1));
	pc_ring_unmap(&self->ring);
	ASSERT_OK(pthread_join(sp.thread, NULL));
	EXPECT_GE(0, sp.ret[0]);
	EXPECT_ERRNO(EINVAL, splice_to_pipe(self->fd, self->pipes[1], 4096));
}

PC_TEST(splice, poll_sees_that_records_were_spliced)
{
	struct pollfd p = { .events = POLLIN };

	self->attr.wakeup_events = 5;
	ASSERT_OK(reopen(&self->attr, self->t.pid, &self->ring, 1, &self->fd));
	p.fd = self->fd;
	for (int round = 0; round < 3; round++) {
		ASSERT_OK(pc_work_times(&self->t, 4));
		EXPECT_EQ(0, poll(&p, 1, 0));
		ASSERT_OK(pc_work_times(&self->t, 1));
		EXPECT_EQ(1, poll(&p, 1, -1));
		EXPECT_EQ(5 * SAMPLE, splice_to_pipe(self->fd, self->pipes[1], 4096));
		EXPECT_EQ(0, poll(&p, 1, 0)) TH_LOG("round %d: all is gone", round);
	}
}

/*
 * Tasks write on every CPU, while a program moves the records to a file in chunks of many sizes.
 * The file has the same records as a reader of the mapping would get: samples of each task in
 * order, none torn or duplicated, and the missing ones reported.
 */
FIXTURE(flood) {
	struct perf_counter_attr attr;
	struct pc_task t[MAX_CPUS];
	struct pc_ring ring;
	char *map;
	int cpus[MAX_CPUS];
	int n;
	int fd;
};

FIXTURE_VARIANT(flood) {
	bool subrings;
	int pages;
	int splicers;
};

FIXTURE_VARIANT_ADD(flood, one_ring) {
	.pages = 2,
	.splicers = 1,
};

FIXTURE_VARIANT_ADD(flood, subrings) {
	.subrings = true,
	.pages = 8,
	.splicers = 1,
};

FIXTURE_VARIANT_ADD(flood, two_splicers) {
	.pages = 16,
	.splicers = 2,
};

FIXTURE_VARIANT_ADD(flood, two_splicers_of_subrings) {
	.subrings = true,
	.pages = 16,
	.splicers = 2,
};

#define FLOOD_PAGES 250
#define FLOOD_ROUNDS 4

static void flooder(struct pc_task *t)
{
	char *map = (char *)t->arg;

	pc_faults(1);
	pc_done(t);
	pc_await(t);
	for (int i = 0; i < FLOOD_ROUNDS; i++) {
		pc_touch(map, FLOOD_PAGES);
		madvise(map, FLOOD_PAGES * pc_page(), MADV_DONTNEED);
	}
	pc_done(t);
	pc_await(t);
}

FIXTURE_SETUP(flood)
{
	self->fd = -1;
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->n = pc_cpus(self->cpus, MAX_CPUS);
	self->map = pc_fresh(FLOOD_PAGES);
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.inherit = 1;
	self->attr.subrings = variant->subrings;
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
	self->attr.read_format = PERF_FORMAT_LOST;
	self->attr.wakeup_events = 20;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, variant->pages));
	for (int i = 0; i < self->n; i++) {
		ASSERT_OK(pc_spawn(&self->t[i], flooder, (long)self->map));
		ASSERT_OK(pc_pin_task(self->t[i].pid, self->cpus[i]));
		ASSERT_OK(pc_reply(&self->t[i]));
	}
}

FIXTURE_TEARDOWN(flood)
{
	if (self->fd < 0)
		return;
	pc_ring_unmap(&self->ring);
	close(self->fd);
	for (int i = 0; i < self->n; i++)
		pc_reap(&self->t[i]);
}

/* A thread that moves records to a file until the test stops it, and then moves the rest. */
struct mover {
	pthread_t thread;
	int fd;
	int file;
	int stop;
	const char *error;
	size_t moved;
};

static void *mover(void *arg)
{
	struct mover *m = arg;
	int pipes[2], round = 0;

	if (pipe2(pipes, O_CLOEXEC))
		return m->error = "no pipe", NULL;
	fcntl(pipes[1], F_SETPIPE_SZ, 8192);
	for (;;) {
		bool stop = __atomic_load_n(&m->stop, __ATOMIC_ACQUIRE);
		ssize_t n = splice_to_pipe(m->fd, pipes[1], 200 + 1000 * (round++ % 7));

		if (n < 0 && errno != EAGAIN)
			return m->error = strerror(errno), NULL;
		if (n <= 0 && stop)
			break;
		if (n <= 0)
			sched_yield();
		for (ssize_t out; n > 0; n -= out, m->moved += out) {
			out = splice(pipes[0], NULL, m->file, NULL, n, 0);
			if (out <= 0)
				return m->error = "the file took nothing", NULL;
		}
	}
	close(pipes[0]);
	close(pipes[1]);
	return NULL;
}

PC_TEST(flood, arrived_and_lost_samples_are_all_attempts)
{
	struct mover m[2] = {};
	__u64 addr[MAX_CPUS] = {}, lost = 0, total = 0;
	int seen[MAX_CPUS] = {}, round[MAX_CPUS] = {};
	struct pc_values v;

	for (int i = 0; i < variant->splicers; i++) {
		m[i].fd = self->fd;
		m[i].file = memfd_create("records", MFD_CLOEXEC);
		ASSERT_FD(m[i].file);
		ASSERT_OK(pthread_create(&m[i].thread, NULL, mover, &m[i]));
	}
	ASSERT_OK(pc_enable(self->fd));
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_order(&self->t[i], 'g'));
	for (int i = 0; i < self->n; i++)
		ASSERT_OK(pc_reply(&self->t[i]));
	ASSERT_OK(pc_disable(self->fd));
	for (int i = 0; i < variant->splicers; i++) {
		__atomic_store_n(&m[i].stop, 1, __ATOMIC_RELEASE);
		ASSERT_OK(pthread_join(m[i].thread, NULL));
		EXPECT_EQ(NULL, m[i].error) TH_LOG("%s", m[i].error);
	}
	for (int k = 0; k < variant->splicers; k++) {
		char *file;

		/* The other thread may have been faster each time. */
		if (!m[k].moved)
			continue;
		file = mmap(NULL, m[k].moved, PROT_READ, MAP_PRIVATE, m[k].file, 0);
		for (int i = 0; i < self->n; i++)
			addr[i] = ~0ULL;
		ASSERT_NE(MAP_FAILED, file);
		for (size_t at = 0; at < m[k].moved; at += rec.header.size) {
			memcpy(&rec.header, file + at, sizeof(rec.header));
			ASSERT_LE(at + rec.header.size, m[k].moved);
			ASSERT_LE(sizeof(rec.header), rec.header.size);
			memcpy(&rec, file + at, rec.header.size);
			if (rec.header.type == PERF_RECORD_LOST) {
				lost += rec.words[2];
				continue;
			}
			ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			total++;
			for (int i = 0; i < self->n; i++) {
				if (s.pid != self->t[i].pid ||
				    s.addr - (unsigned long)self->map >= FLOOD_PAGES * pc_page())
					continue;
				ASSERT_EQ(self->cpus[i], s.cpu);
				round[i] += s.addr <= addr[i];
				addr[i] = s.addr;
				seen[i]++;
			}
		}
		munmap(file, m[k].moved);
	}
	for (int k = 0; k < variant->splicers; k++)
		close(m[k].file);
	for (int i = 0; i < self->n; i++) {
		EXPECT_GE(FLOOD_ROUNDS * FLOOD_PAGES, seen[i])
			TH_LOG("CPU %d: samples twice", self->cpus[i]);
		EXPECT_GE(FLOOD_ROUNDS * variant->splicers, round[i])
			TH_LOG("CPU %d: samples out of order", self->cpus[i]);
	}
	ASSERT_LT(0, pc_read(self->fd, PERF_FORMAT_LOST, &v));
	EXPECT_LT(0, total);
	EXPECT_EQ(v.v[0].value, total + v.v[0].lost)
		TH_LOG("%llu arrived, %llu lost of %llu", total, v.v[0].lost, v.v[0].value);
	EXPECT_GE(v.v[0].lost, lost) TH_LOG("no record has reported the last losses");
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

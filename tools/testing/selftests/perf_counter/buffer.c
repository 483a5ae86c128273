// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer: mappings, the user page, notification of readers, and accounting.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_user.h"
#include "pc_work.h"

static union pc_record rec;
static struct pc_sample s;

FIXTURE(map) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	int fd;
};

FIXTURE_SETUP(map)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	pc_faults(2);
	pc_value(self->fd);
}

FIXTURE_TEARDOWN(map)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
}

/* A mapping is unmapped, moved or replaced as a whole only. */
PC_TEST(map, a_part_is_neither_unmapped_nor_moved_nor_mapped_over)
{
	int page = pc_page();
	struct pc_ring moved;
	char *map, *to;

	if (pc_on_perf_event())
		SKIP(return, "older kernels split it");
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
	ASSERT_OK(pc_enable(self->fd));
	map = (char *)self->ring.page;
	to = pc_fresh(5);
	for (int i = 0; i < 5; i++) {
		EXPECT_ERRNO(EINVAL, munmap(map + i * page, page));
		EXPECT_EQ(MAP_FAILED, mmap(map + i * page, page, PROT_READ,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0))
			TH_LOG("page %d", i);
		EXPECT_EQ(MAP_FAILED, mremap(map + i * page, page, page,
					     MREMAP_MAYMOVE | MREMAP_FIXED, to))
			TH_LOG("page %d", i);
		EXPECT_ERRNO(EINVAL, mprotect(map + i * page, page, PROT_READ));
	}
	pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
	pc_faults(3);
	EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	ASSERT_EQ(to, mremap(map, 5 * page, 5 * page, MREMAP_MAYMOVE | MREMAP_FIXED, to));
	pc_ring_at(&moved, self->fd, to, 4);
	moved.tail = self->ring.tail;
	self->ring.page = NULL;
	pc_ring_count(&moved, PERF_RECORD_SAMPLE);
	pc_faults(3);
	EXPECT_EQ(3, pc_ring_count(&moved, PERF_RECORD_SAMPLE))
		TH_LOG("samples after the mapping has moved");
	/* Replacing the whole mapping succeeds. */
	ASSERT_EQ(to, mmap(to, 5 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			   -1, 0));
}

static int read_fdinfo(int fd, char *text, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY | O_CLOEXEC);
	if (info >= 0) {
		n = read(info, text, size - 1);
		close(info);
	}
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? 0 : -1;
}

PC_TEST(map, fdinfo_describes_the_counter)
{
	static const char said[] =
		"\ncounts:\ttasks\ncpu:\t-1\nperiod:\t1\nlost:\t0\nended:\t0\nmissed:\t0\n";
	char text[1024], group[64];
	int member;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(read_fdinfo(self->fd, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "type:\t1\nconfig:\t0x2\nid:\t")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, said)) TH_LOG("%s", text);
	EXPECT_EQ(NULL, strstr(text, "pages:")) TH_LOG("%s", text);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
	self->attr.sample_period = 0;
	member = pc_open(&self->attr, 0, -1, self->fd);
	ASSERT_FD(member);
	ASSERT_OK(read_fdinfo(self->fd, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "\npages:\t4\nrings:\t1\n")) TH_LOG("%s", text);
	ASSERT_OK(read_fdinfo(member, text, sizeof(text)));
	snprintf(group, sizeof(group), "\nid:\t%llu\ngroup:\t%llu\n", pc_id(member),
		 pc_id(self->fd));
	EXPECT_NE(NULL, strstr(text, group)) TH_LOG("%s", text);
	EXPECT_EQ(NULL, strstr(text, "period:")) TH_LOG("%s", text);
	close(member);
}

PC_TEST(map, a_mapping_has_1_plus_a_power_of_two_pages)
{
	for (int n = 0; n <= 33; n++) {
		bool good = !(n & (n - 1));
		void *map = mmap(NULL, (1 + n) * pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED,
				 self->fd, 0);

		if (good) {
			EXPECT_NE(MAP_FAILED, map)
				TH_LOG("1 + %d pages: %s", n, strerror(errno));
		} else {
			EXPECT_EQ(MAP_FAILED, map)
				TH_LOG("1 + %d pages", n);
			EXPECT_EQ(EINVAL, errno)
				TH_LOG("1 + %d pages: %s", n, strerror(errno));
		}
		if (map != MAP_FAILED)
			munmap(map, (1 + n) * pc_page());
	}
}

PC_TEST(map, a_private_mapping_is_refused)
{
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * pc_page(), PROT_READ | PROT_WRITE, MAP_PRIVATE,
				   self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
}

PC_TEST(map, an_offset_is_refused)
{
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED,
				   self->fd, pc_page()));
	EXPECT_EQ(EINVAL, errno) TH_LOG("without a buffer");
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4 * pc_page(), PROT_READ | PROT_WRITE, MAP_SHARED,
				   self->fd, pc_page()));
	EXPECT_EQ(EINVAL, errno) TH_LOG("with a buffer");
}

PC_TEST(map, a_second_mapping_has_the_same_size_and_content)
{
	struct pc_ring second;
	int n = 0;

	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
	EXPECT_EQ(-1, pc_ring_map(&second, self->fd, 8));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, pc_ring_map(&second, self->fd, 2));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_OK(pc_ring_map(&second, self->fd, 4));
	pc_count_faults(self->fd, 10);
	EXPECT_EQ(pc_ring_head(&self->ring), pc_ring_head(&second));
	while (pc_ring_next(&second, &rec))
		n++;
	EXPECT_EQ(10, n);
	/* There is one data_tail, so either reader frees the space for both. */
	EXPECT_EQ(pc_ring_head(&self->ring), self->ring.page->data_tail);
	pc_ring_unmap(&second);
	pc_count_faults(self->fd, 5);
	self->ring.tail = self->ring.page->data_tail;
	EXPECT_EQ(5, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE))
		TH_LOG("the first mapping is still there");
}

PC_TEST(map, the_user_page_describes_the_data)
{
	for (int pages = 1; pages <= 16; pages *= 2) {
		ASSERT_OK(pc_ring_map(&self->ring, self->fd, pages));
		EXPECT_EQ(0, self->ring.page->compat_version);
		EXPECT_EQ(pc_page(), self->ring.page->data_offset)
			TH_LOG("%d pages", pages);
		EXPECT_EQ(pages * pc_page(), self->ring.page->data_size)
			TH_LOG("%d pages", pages);
		EXPECT_EQ(0, self->ring.page->data_head);
		EXPECT_EQ(0, self->ring.page->data_tail);
		EXPECT_EQ(0, self->ring.page->aux_size);
		EXPECT_EQ(0, self->ring.page->index) TH_LOG("the page has an index of a register");
		EXPECT_EQ(0, self->ring.page->lock & 1) TH_LOG("the lock of the page is odd");
		EXPECT_TRUE(!!self->ring.page->cap_bit0_is_deprecated);
		EXPECT_FALSE(!!self->ring.page->cap_user_rdpmc);
		pc_ring_unmap(&self->ring);
	}
}

PC_TEST(map, a_new_mapping_is_a_new_buffer)
{
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 1));
	pc_count_faults(self->fd, 10);
	EXPECT_EQ(160, pc_ring_head(&self->ring));
	pc_ring_unmap(&self->ring);
	pc_count_faults(self->fd, 10);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 8));
	EXPECT_EQ(0, pc_ring_head(&self->ring));
	pc_count_faults(self->fd, 3);
	EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	EXPECT_EQ(23, pc_value(self->fd));
}

PC_TEST(map, a_buffer_keeps_its_records_after_close)
{
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 8));
	pc_enable(self->fd);
	close(self->fd);
	self->fd = -1;
	pc_faults(10);
	EXPECT_LE(10, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

PC_TEST(map, a_child_does_not_inherit_the_mapping)
{
	pid_t pid;
	int status;

	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 1));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		unsigned char vec[2];

		_exit(mincore(self->ring.page, self->ring.len, vec) == -1 && errno == ENOMEM);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(1, WEXITSTATUS(status));
}

static void reader(struct pc_task *t)
{
	struct pc_ring ring;
	char n;

	if (pc_ring_map(&ring, t->arg, 4))
		_exit(1);
	pc_done(t);
	while (pc_await(t)) {
		n = pc_ring_count(&ring, PERF_RECORD_SAMPLE);
		if (write(t->child_end, &n, 1) != 1)
			_exit(2);
	}
}

PC_TEST(map, another_process_reads_the_same_buffer)
{
	struct pc_task t;
	char n;

	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
	ASSERT_OK(pc_spawn(&t, reader, self->fd));
	ASSERT_OK(pc_reply(&t));
	pc_faults(1);
	for (int i = 1; i < 100; i++) {
		pc_count_faults(self->fd, i);
		ASSERT_OK(pc_order(&t, 'r'));
		ASSERT_EQ(1, read(t.parent_end, &n, 1));
		ASSERT_EQ(i, n);
		ASSERT_EQ(pc_ring_head(&self->ring), self->ring.page->data_tail)
			TH_LOG("the other process has read a wrong number of records");
	}
	EXPECT_OK(pc_reap(&t));
}

/*
 * New records of a read-only buffer overwrite the oldest ones. A sample with an address has 16
 * bytes and divides the buffer, so the oldest record is whole.
 */
PC_TEST(map, a_read_only_buffer_keeps_the_last_records)
{
	int fits = 2 * pc_page() / 16, total = 5 * fits + 7;
	char *map;

	ASSERT_OK(pc_ring_map_as(&self->ring, self->fd, 2, PROT_READ));
	map = pc_count_faults(self->fd, total);
	EXPECT_EQ(total * 16, pc_ring_head(&self->ring));
	self->ring.tail = pc_ring_head(&self->ring) - self->ring.size;
	for (int i = total - fits; i < total; i++) {
		ASSERT_TRUE(pc_ring_next(&self->ring, &rec));
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_EQ((unsigned long)map + i * pc_page(), s.addr)
			TH_LOG("record %d of %d", i, total);
	}
	EXPECT_FALSE(pc_ring_next(&self->ring, &rec));
}

PC_TEST(map, a_writable_buffer_keeps_the_first_records)
{
	int fits = 2 * pc_page() / 16, n = 0;
	char *map;

	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 2));
	map = pc_count_faults(self->fd, 5 * fits);
	EXPECT_GE(2 * pc_page(), pc_ring_head(&self->ring));
	for (; pc_ring_next(&self->ring, &rec); n++) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_EQ((unsigned long)map + n * pc_page(), s.addr)
			TH_LOG("record %d", n);
	}
	EXPECT_LE(fits - 1, n) TH_LOG("%d samples would fit", fits);
	EXPECT_GE(fits, n) TH_LOG("%d samples would fit", fits);
}

PC_TEST(map, mprotect_keeps_the_overwrite_mode)
{
	const int writable = PROT_READ | PROT_WRITE;

	ASSERT_OK(pc_ring_map_as(&self->ring, self->fd, 1, PROT_READ));
	pc_count_faults(self->fd, 300);
	/* perf_events allows the call, and ignores data_tail also when the mapping is writable. */
	if (pc_on_perf_event()) {
		ASSERT_OK(mprotect(self->ring.page, self->ring.len, writable));
		self->ring.page->data_tail = 8;
	} else {
		EXPECT_ERRNO(EACCES, mprotect(self->ring.page, self->ring.len, writable));
	}
	pc_count_faults(self->fd, 300);
	EXPECT_EQ(600 * 16, pc_ring_head(&self->ring)) TH_LOG("nothing was lost");
}

PC_TEST(map, pausing_a_flight_recorder_freezes_it)
{
	__u64 head;

	ASSERT_OK(pc_ring_map_as(&self->ring, self->fd, 1, PROT_READ));
	pc_count_faults(self->fd, 1000);
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 1));
	head = pc_ring_head(&self->ring);
	pc_count_faults(self->fd, 1000);
	EXPECT_EQ(head, pc_ring_head(&self->ring));
	ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_PAUSE_OUTPUT, 0));
	pc_count_faults(self->fd, 1000);
	EXPECT_LT(head, pc_ring_head(&self->ring));
}

PC_TEST(map, records_that_wrap_around_the_end_are_whole)
{
	char *map;
	int total = 0;

	/* A record of 40 bytes does not divide a page. */
	self->attr.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME | PERF_SAMPLE_TID |
				 PERF_SAMPLE_PERIOD;
	close(self->fd);
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 1));
	for (int round = 0; round < 60; round++) {
		int n = 0;

		map = pc_count_faults(self->fd, 37);
		for (; pc_ring_next(&self->ring, &rec); n++) {
			ASSERT_EQ(40, rec.header.size);
			ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
			ASSERT_EQ((unsigned long)map + n * pc_page(), s.addr)
				TH_LOG("round %d record %d", round, n);
			ASSERT_EQ(getpid(), s.pid);
			ASSERT_EQ(1, s.period);
		}
		ASSERT_EQ(37, n);
		total += n;
	}
	EXPECT_EQ(total * 40, pc_ring_head(&self->ring));
}

/*
 * A process tree has one descriptor and one buffer; perf_events refuses to map inherited counters.
 */
PC_TEST(map, an_inherited_counter_of_a_tree_is_mapped_once)
{
	struct pc_task t[4], thread;
	int n[4] = {}, ours = 0, threads = 0, cpus[8], ncpus = pc_cpus(cpus, 8);

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	close(self->fd);
	self->attr.inherit = 1;
	self->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 16));
	for (int i = 0; i < 4; i++) {
		cpu_set_t set;

		ASSERT_OK(pc_spawn_warm(&t[i], pc_worker, 100 + i));
		CPU_ZERO(&set);
		CPU_SET(cpus[i % ncpus], &set);
		ASSERT_OK(sched_setaffinity(t[i].pid, sizeof(set), &set));
		ASSERT_OK(pc_tell(&t[i], PC_WARM));
	}
	ASSERT_OK(pc_thread_warm(&thread, pc_worker, 50));
	pc_faults(1);
	pc_enable(self->fd);
	for (int i = 0; i < 4; i++)
		ASSERT_OK(pc_order(&t[i], PC_WORK));
	for (int i = 0; i < 4; i++)
		ASSERT_OK(pc_reply(&t[i]));
	ASSERT_OK(pc_tell(&thread, PC_WORK));
	pc_faults(20);
	pc_disable(self->fd);
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, rec.header.type);
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		ASSERT_EQ(pc_id(self->fd), s.id);
		ours += s.tid == getpid();
		threads += s.tid == thread.pid;
		for (int i = 0; i < 4; i++) {
			if (s.pid != t[i].pid)
				continue;
			n[i]++;
			ASSERT_EQ(cpus[i % ncpus], s.cpu);
		}
	}
	EXPECT_EQ(20, ours);
	EXPECT_EQ(50, threads);
	EXPECT_EQ(20 + 50 + 100 + 101 + 102 + 103, pc_value(self->fd));
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(100 + i, n[i])
			TH_LOG("child %d", i);
		EXPECT_OK(pc_reap(&t[i]));
	}
	ASSERT_OK(pc_join(&thread));
}

PC_TEST(map, a_buffer_mapped_after_the_fork_covers_the_children)
{
	struct pc_task t;
	int n = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	close(self->fd);
	self->attr.inherit = 1;
	self->attr.sample_type = PERF_SAMPLE_TID;
	self->fd = pc_open(&self->attr, 0, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_spawn_warm(&t, pc_worker, 30));
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&t, PC_WORK));
	pc_disable(self->fd);
	while (pc_ring_next(&self->ring, &rec)) {
		ASSERT_TRUE(pc_parse_sample(&self->attr, &rec, &s));
		n += s.pid == t.pid;
	}
	EXPECT_EQ(30, n);
	EXPECT_OK(pc_reap(&t));
}

/*
 * These functions wait with different system calls. Each returns 1 if the descriptor is readable.
 */
static int wait_poll(int fd, int timeout, bool *hup)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n = poll(&p, 1, timeout);

	*hup = p.revents & POLLHUP;
	return n < 0 ? n : !!(p.revents & POLLIN);
}

static int wait_select(int fd, int timeout, bool *hup)
{
	struct timeval now = {};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	*hup = false;
	return select(fd + 1, &set, NULL, NULL, timeout < 0 ? NULL : &now);
}

/*
 * The epoll instance of the counter's descriptor. The descriptor is added when the counter is
 * opened, because EPOLL_CTL_ADD polls it and so clears a notification.
 */
static int epoll_fd = -1;

static int wait_epoll(int fd, int timeout, bool *hup)
{
	struct epoll_event e = {};
	int n = epoll_wait(epoll_fd, &e, 1, timeout);

	*hup = n > 0 && e.events & EPOLLHUP;
	return n > 0 ? !!(e.events & EPOLLIN) : n;
}

static int epoll_prepare(int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (epoll_fd < 0)
		epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

FIXTURE(wake) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_task t;
	int fd;
	bool hup;
};

FIXTURE_VARIANT(wake) {
	int (*wait)(int fd, int timeout, bool *hup);
};

FIXTURE_VARIANT_ADD(wake, poll) {
	.wait = wait_poll,
};

FIXTURE_VARIANT_ADD(wake, select) {
	.wait = wait_select,
};

FIXTURE_VARIANT_ADD(wake, epoll) {
	.wait = wait_epoll,
};

/* The counter counts another task, so that the waiter adds no events. */
FIXTURE_SETUP(wake)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR;
	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
	self->fd = -1;
}

FIXTURE_TEARDOWN(wake)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	if (self->t.pid)
		pc_reap(&self->t);
}

/* Open and enable a counter of the task @pid with a buffer, and add its descriptor to epoll. */
static int wake_open(struct perf_counter_attr *attr, pid_t pid, struct pc_ring *ring, int *fd)
{
	*fd = pc_open(attr, pid, -1, -1);
	if (*fd < 0 || pc_ring_map(ring, *fd, 4) || epoll_prepare(*fd))
		return -1;
	return pc_enable(*fd);
}

PC_TEST(wake, wakeup_events_wakes_every_nth_sample)
{
	self->attr.wakeup_events = 3;
	ASSERT_OK(wake_open(&self->attr, self->t.pid, &self->ring, &self->fd));
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 2; i++) {
			ASSERT_OK(pc_tell(&self->t, PC_WORK));
			EXPECT_EQ(0, variant->wait(self->fd, 0, &self->hup))
				TH_LOG("round %d: %d of 3 samples", round, i + 1);
		}
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		EXPECT_EQ(1, variant->wait(self->fd, -1, &self->hup))
			TH_LOG("round %d: 3 of 3 samples", round);
		EXPECT_EQ(3, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
		EXPECT_EQ(0, variant->wait(self->fd, 0, &self->hup))
			TH_LOG("round %d: all samples were read", round);
	}
	EXPECT_FALSE(self->hup);
}

PC_TEST(wake, wakeup_watermark_wakes_at_this_many_bytes)
{
	/* A sample has 16 bytes. */
	self->attr.watermark = 1;
	self->attr.wakeup_watermark = 160;
	ASSERT_OK(wake_open(&self->attr, self->t.pid, &self->ring, &self->fd));
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 9; i++) {
			ASSERT_OK(pc_tell(&self->t, PC_WORK));
			EXPECT_EQ(0, variant->wait(self->fd, 0, &self->hup))
				TH_LOG("round %d: %d of 10 samples", round, i + 1);
		}
		/* The kernel notifies at the watermark or one sample later. */
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		ASSERT_OK(pc_tell(&self->t, PC_WORK));
		EXPECT_EQ(1, variant->wait(self->fd, -1, &self->hup))
			TH_LOG("round %d: 11 samples", round);
		EXPECT_EQ(11, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
		EXPECT_EQ(0, variant->wait(self->fd, 0, &self->hup))
			TH_LOG("round %d: all samples were read", round);
		/*
		 * The ABI does not say when the next watermark is reached, so a new buffer is
		 * opened.
		 */
		pc_ring_unmap(&self->ring);
		close(self->fd);
		ASSERT_OK(wake_open(&self->attr, self->t.pid, &self->ring, &self->fd));
	}
}

PC_TEST(wake, the_default_watermark_is_half_a_buffer)
{
	struct pc_task many;

	ASSERT_OK(pc_spawn_warm(&many, pc_worker, 260 * (pc_page() / 4096)));
	ASSERT_OK(wake_open(&self->attr, many.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_tell(&many, PC_WORK));
	EXPECT_EQ(0, variant->wait(self->fd, 0, &self->hup))
		TH_LOG("a quarter of the buffer is unread");
	ASSERT_OK(pc_tell(&many, PC_WORK));
	EXPECT_EQ(1, variant->wait(self->fd, -1, &self->hup))
		TH_LOG("more than half of the buffer is unread");
	EXPECT_EQ(0, pc_reap(&many));
}

PC_TEST(wake, a_sleeping_waiter_is_woken)
{
	self->attr.wakeup_events = 1;
	ASSERT_OK(wake_open(&self->attr, self->t.pid, &self->ring, &self->fd));
	for (int i = 0; i < 50; i++) {
		/* The fault comes before or during the wait. */
		ASSERT_OK(pc_order(&self->t, PC_WORK));
		ASSERT_EQ(1, variant->wait(self->fd, -1, &self->hup));
		ASSERT_OK(pc_reply(&self->t));
		ASSERT_EQ(1, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	}
}

FIXTURE(end) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_task t;
	int fd;
};

FIXTURE_SETUP(end)
{
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR;
	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 10));
	self->fd = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(self->fd);
	ASSERT_OK(pc_ring_map(&self->ring, self->fd, 4));
}

FIXTURE_TEARDOWN(end)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	if (self->t.pid)
		pc_reap(&self->t);
}

PC_TEST(end, a_counter_of_an_exited_task_polls_as_a_hangup)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	EXPECT_EQ(0, poll(&p, 1, 0)) TH_LOG("the task still runs");
	pc_enable(self->fd);
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	EXPECT_OK(pc_reap(&self->t));
	self->t.pid = 0;
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_NE(0, p.revents & POLLHUP);
	EXPECT_LE(10, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE))
		TH_LOG("the records that splice() has left can be read");
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_NE(0, p.revents & POLLHUP) TH_LOG("the second poll() reports the hangup, too");
}

PC_TEST(end, a_waiter_is_woken_by_the_hangup)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	/* The task ends before or during the wait. */
	shutdown(self->t.parent_end, SHUT_RDWR);
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_NE(0, p.revents & POLLHUP);
}

/* A waiter sees the end of each limit, whether it waits before the end or comes later. */
PC_TEST(end, a_waiter_is_woken_at_the_end_of_a_limit)
{
	struct pollfd p = { .fd = self->fd };

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	for (int i = 0; i < 50; i++) {
		ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 5));
		ASSERT_OK(pc_order(&self->t, PC_WORK));
		ASSERT_EQ(1, poll(&p, 1, -1));
		ASSERT_EQ(POLLHUP, p.revents);
		ASSERT_OK(pc_reply(&self->t));
		EXPECT_EQ(5, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	}
}

PC_TEST(end, a_counter_without_a_buffer_polls_as_a_hangup)
{
	struct pollfd p = { .events = POLLIN };

	p.fd = pc_open_self(PERF_COUNT_SW_DUMMY);
	ASSERT_FD(p.fd);
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLHUP, p.revents & (POLLIN | POLLHUP));
	close(p.fd);
}

PC_TEST(end, samples_send_the_signal_of_f_setsig)
{
	siginfo_t info;
	sigset_t set;

	close(self->fd);
	pc_ring_unmap(&self->ring);
	self->attr.wakeup_events = 1;
	ASSERT_OK(wake_open(&self->attr, self->t.pid, &self->ring, &self->fd));
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	ASSERT_OK(sigprocmask(SIG_BLOCK, &set, NULL));
	ASSERT_OK(fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_OK(fcntl(self->fd, F_SETSIG, SIGRTMIN + 1));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR | O_ASYNC));
	ASSERT_OK(pc_tell(&self->t, PC_WORK));
	ASSERT_EQ(SIGRTMIN + 1, sigwaitinfo(&set, &info));
	EXPECT_EQ(self->fd, info.si_fd);
	EXPECT_EQ(POLL_IN, info.si_code);
	EXPECT_EQ(10, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
}

FIXTURE(locked) {
	long old_kb;
	int cpus;
};

FIXTURE_SETUP(locked)
{
	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	self->old_kb = pc_sysctl_read("mlock_kb");
	ASSERT_LT(0, self->old_kb);
	/* The sysctl allows 16 pages for each CPU. */
	ASSERT_OK(pc_sysctl_write("mlock_kb", 16 * pc_page() / 1024));
}

FIXTURE_TEARDOWN(locked)
{
	pc_sysctl_write("mlock_kb", self->old_kb);
}

PC_TEST(locked, a_user_may_map_the_sysctls_limit_per_cpu)
{
	EXPECT_EQ(8 * self->cpus, pc_in_nobody(pc_map_until_refused, 200, 0))
		TH_LOG("2 pages each, of 16 for each of %d CPUs", self->cpus);
}

PC_TEST(locked, rlimit_memlock_adds_to_the_sysctls_limit)
{
	EXPECT_EQ(8 * self->cpus + 5, pc_in_nobody(pc_map_until_refused, 200, 10 * pc_page()))
		TH_LOG("with 10 more pages of RLIMIT_MEMLOCK");
}

static int map_often(int rounds)
{
	int first = pc_map_until_refused(200);

	for (int i = 0; i < rounds; i++)
		if (pc_map_until_refused(200) != first)
			return 1;
	return first > 0 ? 0 : 2;
}

PC_TEST(locked, unmapping_uncharges_everything)
{
	EXPECT_EQ(0, pc_in_nobody(map_often, 20, 4 * pc_page()))
		TH_LOG("1: the number of mappings differs between rounds");
}

static int map_and_die(int max)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	struct pc_ring ring;

	attr.exclude_kernel = 1;
	return pc_ring_map(&ring, pc_open(&attr, 0, -1, -1), max);
}

/* The buffer needs one page more than the sysctl allows for all CPUs together. */
PC_TEST(locked, only_pages_beyond_the_sysctl_need_rlimit_memlock)
{
	int pages = 16 * self->cpus;

	if (pages & (pages - 1))
		SKIP(return, "no buffer is of so many pages");
	EXPECT_EQ(0, pc_in_nobody(map_and_die, pages, pc_page()));
	EXPECT_NE(0, pc_in_nobody(map_and_die, pages, 0));
}

PC_TEST(locked, an_exit_uncharges_everything)
{
	int pages = 1;

	while (2 * pages + 1 <= 16 * self->cpus)
		pages *= 2;
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(0, pc_in_nobody(map_and_die, pages, 0))
			TH_LOG("round %d of 1 + %d pages", i, pages);
	}
}

static int map_twice(int pages)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	struct pc_ring first, second;
	int fd;

	attr.exclude_kernel = 1;
	fd = pc_open(&attr, 0, -1, -1);
	if (pc_ring_map(&first, fd, pages))
		return 1;
	pc_ring_unmap(&first);
	close(fd);
	fd = pc_open(&attr, 0, -1, -1);
	if (pc_ring_map(&first, fd, pages))
		return 2;
	if (pc_ring_map(&second, fd, pages))
		return 3;
	pc_ring_unmap(&first);
	pc_ring_unmap(&second);
	return pc_ring_map(&first, fd, pages) ? 4 : 0;
}

PC_TEST(locked, a_second_mapping_is_uncharged)
{
	EXPECT_EQ(0, pc_in_nobody(map_twice, 1, 0));
}

/* Unmap and move parts of a mapping. The kernel may refuse each of these calls. */
static int map_in_pieces(int pages)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int first = pc_map_until_refused(200), fd;
	struct pc_ring ring;
	void *moved;

	attr.exclude_kernel = 1;
	attr.sample_period = 1;
	fd = pc_open(&attr, 0, -1, -1);
	for (int i = 0; i < 4; i++) {
		char *end;

		if (pc_ring_map(&ring, fd, pages))
			return 1;
		pc_enable(fd);
		end = (char *)ring.page + ring.len;
		switch (i) {
		case 0:
			munmap(end - pc_page(), pc_page());
			break;
		case 1:
			munmap((char *)ring.page + pc_page(), pc_page());
			break;
		case 2:
			munmap(ring.page, pc_page());
			break;
		default:
			moved = mremap(ring.page, ring.len, ring.len, MREMAP_MAYMOVE | MREMAP_FIXED,
				       pc_fresh(2 * pages));
			if (moved != MAP_FAILED) {
				pc_faults(5);
				munmap(moved, ring.len);
			}
			if (mremap(ring.page, ring.len, 2 * ring.len, MREMAP_MAYMOVE) != MAP_FAILED)
				return 2;
		}
		pc_faults(5);
		munmap(ring.page, ring.len);
		pc_disable(fd);
	}
	close(fd);
	return pc_map_until_refused(200) == first ? 0 : 3;
}

PC_TEST(locked, a_mapping_moved_in_pieces_is_uncharged)
{
	EXPECT_EQ(0, pc_in_nobody(map_in_pieces, 4, 0))
		TH_LOG("1: a second map failed, 2: a mapping grew, 3: memory is still charged");
}

#define GROUP "/sys/fs/cgroup/perf_counter_buffer"
/*
 * A second group: the kernel uncharges the memory of a task from the first group some time after
 * the task has exited.
 */
#define OTHER_GROUP "/sys/fs/cgroup/perf_counter_large_buffer"

static long memory_of(const char *file)
{
	long bytes = -1;
	FILE *f = fopen(file, "r");

	if (f) {
		if (fscanf(f, "%ld", &bytes) != 1)
			bytes = -1;
		fclose(f);
	}
	return bytes;
}

/*
 * In a control group with a limit of 4 MiB, check the charge of a mapping and that a larger mapping
 * is refused.
 */
static int map_in_group(void)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pc_open(&attr, 0, -1, -1), large = pc_open(&attr, 0, -1, -1);
	struct pc_ring ring;
	long before;

	if (pc_write_text(GROUP "/cgroup.procs", "0") || fd < 0 || large < 0)
		return 1;
	pc_faults(5);
	before = memory_of(GROUP "/memory.current");
	if (pc_ring_map(&ring, fd, 256))
		return 2;
	/* The kernel charges memory in batches of 64 pages. */
	if (memory_of(GROUP "/memory.current") - before < 256 * pc_page() - 64 * pc_page())
		return 3;
	if (!pc_ring_map(&ring, large, 2048))
		return 4;
	return errno == ENOMEM ? 0 : 5;
}

/* The number of data pages of a buffer whose page tables need more memory than a batch. */
#define LARGE 32768

/*
 * In a control group without a limit, expect that the charge of a large mapping covers all of its
 * memory.
 */
static int map_large_in_group(void)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pc_open(&attr, 0, -1, -1);
	/*
	 * The ring has a bit for each 8 bytes, and for each page a pointer and two page table
	 * entries.
	 */
	const long all = (1 + LARGE) * pc_page() + LARGE * (pc_page() / 64 + 8 + 2 * 8);
	struct pc_ring ring;
	long before;

	if (pc_write_text(OTHER_GROUP "/cgroup.procs", "0") || fd < 0)
		return 1;
	pc_faults(5);
	before = memory_of(OTHER_GROUP "/memory.current");
	if (pc_ring_map(&ring, fd, LARGE))
		return 2;
	return memory_of(OTHER_GROUP "/memory.current") - before < all - 64 * pc_page() ? 3 : 0;
}

static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn());
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

PC_TEST(locked, a_buffer_is_charged_to_its_control_group)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	if (pc_write_text("/sys/fs/cgroup/cgroup.subtree_control", "+memory"))
		SKIP(return, "the kernel counts no memory of control groups");
	ASSERT_OK(mkdir(GROUP, 0755));
	ASSERT_OK(pc_write_text(GROUP "/memory.max", "4194304"));
	EXPECT_EQ(0, in_child(map_in_group));
	ASSERT_OK(rmdir(GROUP));
	ASSERT_OK(mkdir(OTHER_GROUP, 0755));
	EXPECT_EQ(0, in_child(map_large_in_group));
	ASSERT_OK(rmdir(OTHER_GROUP));
}

PC_TEST(locked, root_is_not_limited)
{
	struct rlimit limit = { 0, 0 };

	ASSERT_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
	EXPECT_EQ(100, pc_map_until_refused(100));
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

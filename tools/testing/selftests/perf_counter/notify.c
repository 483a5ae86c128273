// SPDX-License-Identifier: GPL-2.0
/*
 * Notifications of a reader, beside the tests in "buffer": epoll with level and edge triggers, a
 * reader that leaves a part of a buffer unread, several waiters and several descriptors, signals,
 * and the hangup.
 */
#include <poll.h>
#include <sys/epoll.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_work.h"

/* The size of a sample in bytes: a header and an address. */
#define SAMPLE 16

FIXTURE(notify) {
	struct perf_counter_attr attr;
	struct pc_ring ring;
	struct pc_task t;
	int epoll;
	int fd;
};

static int start(struct perf_counter_attr *attr, pid_t pid, struct pc_ring *ring, int *fd)
{
	*fd = pc_open(attr, pid, -1, -1);
	return *fd < 0 || pc_ring_map(ring, *fd, 4) ? -1 : pc_enable(*fd);
}

FIXTURE_SETUP(notify)
{
	self->fd = -1;
	self->attr = pc_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr.sample_period = 1;
	self->attr.sample_type = PERF_SAMPLE_ADDR;
	self->epoll = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_FD(self->epoll);
	ASSERT_OK(pc_spawn_warm(&self->t, pc_worker, 1));
}

FIXTURE_TEARDOWN(notify)
{
	pc_ring_unmap(&self->ring);
	close(self->fd);
	close(self->epoll);
	if (self->t.pid)
		pc_reap(&self->t);
}

static int watch(int epoll, int fd, __u32 events)
{
	struct epoll_event e = { .events = events };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

/* The events that epoll reports; 0 if none. */
static __u32 reported(int epoll, int timeout)
{
	struct epoll_event e = {};

	return epoll_wait(epoll, &e, 1, timeout) == 1 ? e.events : 0;
}

static short polled(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout) == 1 ? p.revents : 0;
}

PC_TEST(notify, level_triggered_epoll_reports_unread_data)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.wakeup_events = 2;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(watch(self->epoll, self->fd, EPOLLIN));
	ASSERT_OK(pc_work_times(&self->t, 1));
	EXPECT_EQ(0, reported(self->epoll, 0));
	ASSERT_OK(pc_work_times(&self->t, 1));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(EPOLLIN, reported(self->epoll, i ? 0 : -1));
	/* Read one of the two samples: the other one is still unread. */
	pc_ring_set_tail(&self->ring, SAMPLE);
	EXPECT_EQ(EPOLLIN, reported(self->epoll, 0));
	EXPECT_EQ(POLLIN, polled(self->fd, 0));
	pc_ring_set_tail(&self->ring, 2 * SAMPLE);
	EXPECT_EQ(0, reported(self->epoll, 0));
	EXPECT_EQ(0, polled(self->fd, 0));
}

PC_TEST(notify, an_edge_is_reported_once_for_each_notification)
{
	self->attr.wakeup_events = 1;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(watch(self->epoll, self->fd, EPOLLIN | EPOLLET));
	EXPECT_EQ(0, reported(self->epoll, 0));
	for (int i = 1; i <= 20; i++) {
		/* Each sample is an edge, whether the one before it was read or not. */
		ASSERT_OK(pc_work_times(&self->t, 1));
		EXPECT_EQ(EPOLLIN, reported(self->epoll, -1))
			TH_LOG("sample %d", i);
		EXPECT_EQ(0, reported(self->epoll, 0))
			TH_LOG("sample %d: reported twice", i);
		if (i % 3 == 0)
			pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
	}
}

PC_TEST(notify, a_one_shot_is_armed_again_by_epoll_ctl)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT };

	self->attr.wakeup_events = 1;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(watch(self->epoll, self->fd, EPOLLIN | EPOLLONESHOT));
	for (int i = 0; i < 5; i++) {
		ASSERT_OK(pc_work_times(&self->t, 1));
		EXPECT_EQ(EPOLLIN, reported(self->epoll, -1));
		pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
		ASSERT_OK(pc_work_times(&self->t, 1));
		EXPECT_EQ(0, reported(self->epoll, 0)) TH_LOG("a one-shot event came twice");
		pc_ring_count(&self->ring, PERF_RECORD_SAMPLE);
		ASSERT_OK(epoll_ctl(self->epoll, EPOLL_CTL_MOD, self->fd, &e));
	}
}

/* A watermark counts unread bytes. */
PC_TEST(notify, a_watermark_is_reached_again_and_again)
{
	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.watermark = 1;
	self->attr.wakeup_watermark = 10 * SAMPLE;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	for (int round = 0; round < 12; round++) {
		ASSERT_OK(pc_work_times(&self->t, 9));
		EXPECT_EQ(0, polled(self->fd, 0))
			TH_LOG("round %d: 9 of 10", round);
		ASSERT_OK(pc_work_times(&self->t, 1));
		EXPECT_EQ(POLLIN, polled(self->fd, -1))
			TH_LOG("round %d: 10 of 10", round);
		EXPECT_EQ(10, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
		EXPECT_EQ(0, polled(self->fd, 0));
	}
}

/* A buffer notifies the waiters of each descriptor that writes to it. */
PC_TEST(notify, every_descriptor_of_a_buffer_notifies)
{
	int other;

	self->attr.wakeup_events = 2;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	self->attr.config = PERF_COUNT_SW_DUMMY;
	other = pc_open(&self->attr, self->t.pid, -1, -1);
	ASSERT_FD(other);
	ASSERT_OK(ioctl(other, PERF_COUNTER_IOC_SET_OUTPUT, self->fd));
	ASSERT_OK(watch(self->epoll, other, EPOLLIN));
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, reported(self->epoll, 0));
		ASSERT_OK(pc_work_times(&self->t, 1));
		ASSERT_OK(pc_order(&self->t, PC_WORK));
		EXPECT_EQ(EPOLLIN, reported(self->epoll, -1));
		ASSERT_OK(pc_reply(&self->t));
		EXPECT_EQ(2, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
	}
	close(other);
}

static void *waiter(void *arg)
{
	return (void *)(long)polled(*(int *)arg, -1);
}

PC_TEST(notify, all_waiters_are_woken)
{
	pthread_t threads[4];
	void *events;

	self->attr.wakeup_events = 1;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	for (int i = 0; i < 4; i++)
		ASSERT_OK(pthread_create(&threads[i], NULL, waiter, &self->fd));
	if (pc_on_perf_event()) {
		/* perf_events gives each notification to one waiter only. */
		for (int i = 0; i < 4; i++)
			pthread_detach(threads[i]);
		SKIP(return, PC_OURS);
	}
	ASSERT_OK(pc_work_times(&self->t, 1));
	for (int i = 0; i < 4; i++) {
		ASSERT_OK(pthread_join(threads[i], &events));
		EXPECT_EQ(POLLIN, (long)events)
			TH_LOG("thread %d", i);
	}
}

static int signals_to(int fd, int sig, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, sig);
	if (sigprocmask(SIG_BLOCK, set, NULL) || fcntl(fd, F_SETOWN, getpid()) ||
	    (sig != SIGIO && fcntl(fd, F_SETSIG, sig)))
		return -1;
	return fcntl(fd, F_SETFL, O_RDWR | O_ASYNC);
}

PC_TEST(notify, every_sample_sends_a_signal_with_o_async)
{
	struct timespec none = {};
	siginfo_t info;
	sigset_t set;

	self->attr.wakeup_events = 1;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(signals_to(self->fd, SIGRTMIN + 2, &set));
	for (int i = 0; i < 5; i++) {
		ASSERT_OK(pc_work_times(&self->t, 1));
		ASSERT_EQ(SIGRTMIN + 2, sigwaitinfo(&set, &info));
		EXPECT_EQ(POLL_IN, info.si_code);
		EXPECT_EQ(self->fd, info.si_fd);
		EXPECT_NE(0, info.si_band & POLLIN);
	}
	EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, &info, &none));
	ASSERT_OK(fcntl(self->fd, F_SETFL, O_RDWR));
	ASSERT_OK(pc_work_times(&self->t, 3));
	EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, &info, &none));
}

/* Records that are not samples count for a watermark, even if the counter has no samples. */
PC_TEST(notify, a_watermark_sends_a_signal)
{
	struct timespec none = {};
	siginfo_t info;
	sigset_t set;

	self->attr.config = PERF_COUNT_SW_DUMMY;
	self->attr.sample_period = 0;
	self->attr.comm = 1;
	self->attr.sample_id_all = 0;
	self->attr.watermark = 1;
	/* A COMM record with a name of 2 characters has 24 bytes. */
	self->attr.wakeup_watermark = 3 * 24;
	ASSERT_OK(start(&self->attr, 0, &self->ring, &self->fd));
	ASSERT_OK(signals_to(self->fd, SIGRTMIN + 2, &set));
	for (int i = 1; i <= 9; i++) {
		ASSERT_OK(prctl(PR_SET_NAME, "ab"));
		if (i % 3) {
			EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, &info, &none));
			continue;
		}
		ASSERT_EQ(SIGRTMIN + 2, sigwaitinfo(&set, &info));
		EXPECT_EQ(POLL_IN, info.si_code);
		EXPECT_EQ(self->fd, info.si_fd);
	}
}

PC_TEST(notify, the_default_signal_is_sigio)
{
	siginfo_t info;
	sigset_t set;

	self->attr.wakeup_events = 1;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(signals_to(self->fd, SIGIO, &set));
	ASSERT_OK(pc_work_times(&self->t, 1));
	EXPECT_EQ(SIGIO, sigwaitinfo(&set, &info));
}

PC_TEST(notify, refresh_signals_each_overflow_and_the_hangup)
{
	struct timespec none = {};
	siginfo_t info;
	sigset_t set;

	self->attr.wakeup_events = 1;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_disable(self->fd));
	ASSERT_OK(signals_to(self->fd, SIGRTMIN + 2, &set));
	for (int round = 0; round < 4; round++) {
		ASSERT_OK(ioctl(self->fd, PERF_COUNTER_IOC_REFRESH, 4));
		for (int i = 0; i < 4; i++) {
			ASSERT_OK(pc_work_times(&self->t, 1));
			ASSERT_EQ(SIGRTMIN + 2, sigwaitinfo(&set, &info));
			EXPECT_EQ(i == 3 ? POLL_HUP : POLL_IN, info.si_code)
				TH_LOG("sample %d of 4", i + 1);
			EXPECT_EQ(self->fd, info.si_fd);
		}
		ASSERT_OK(pc_work_times(&self->t, 3));
		EXPECT_ERRNO(EAGAIN, sigtimedwait(&set, &info, &none));
		EXPECT_EQ(4, pc_ring_count(&self->ring, PERF_RECORD_SAMPLE));
		/* The counter's limit of overflows is used up, and its buffer is empty. */
		if (!pc_on_perf_event()) {
			EXPECT_EQ(POLLHUP, polled(self->fd, -1))
				TH_LOG("round %d", round);
		}
	}
}

PC_TEST(notify, a_hangup_is_reported_beside_unread_data)
{
	int n = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	/* The test causes fewer samples, so none of them notifies. */
	self->attr.wakeup_events = 1000;
	ASSERT_OK(start(&self->attr, self->t.pid, &self->ring, &self->fd));
	ASSERT_OK(watch(self->epoll, self->fd, EPOLLIN));
	ASSERT_OK(pc_work_times(&self->t, 5));
	EXPECT_EQ(0, polled(self->fd, 0));
	EXPECT_EQ(0, reported(self->epoll, 0));
	ASSERT_OK(pc_reap(&self->t));
	self->t.pid = 0;
	EXPECT_EQ(EPOLLIN | EPOLLHUP, reported(self->epoll, -1));
	EXPECT_EQ(POLLIN | POLLHUP, polled(self->fd, -1));
	while (self->ring.tail != pc_ring_head(&self->ring)) {
		EXPECT_EQ(POLLIN | POLLHUP, polled(self->fd, 0))
			TH_LOG("%d read", n);
		pc_ring_set_tail(&self->ring, self->ring.tail + SAMPLE);
		n++;
	}
	EXPECT_LE(5, n);
	EXPECT_EQ(POLLHUP, polled(self->fd, -1));
	EXPECT_EQ(EPOLLHUP, reported(self->epoll, -1));
	EXPECT_EQ(POLLHUP, polled(self->fd, -1))
		TH_LOG("the second poll() reports the hangup, too");
}

/* A task that forks a child and sends its pid at the first order, and ends at the next order. */
static void fork_on_order(struct pc_task *t)
{
	pid_t pid;

	pc_await(t);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	if (write(t->child_end, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	pc_await(t);
}

/* The counter hangs up when the last task has exited, not when the first has. */
PC_TEST(notify, a_tree_hangs_up_with_its_last_task)
{
	struct pc_task t;
	pid_t pid;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	ASSERT_OK(pc_spawn(&t, fork_on_order, 0));
	self->attr.inherit = 1;
	ASSERT_OK(start(&self->attr, t.pid, &self->ring, &self->fd));
	ASSERT_OK(pc_order(&t, 'f'));
	ASSERT_EQ(sizeof(pid), read(t.parent_end, &pid, sizeof(pid)));
	ASSERT_LT(0, pid);
	ASSERT_OK(pc_order(&t, 'x'));
	ASSERT_EQ(t.pid, waitpid(t.pid, NULL, 0));
	EXPECT_EQ(0, polled(self->fd, 0) & POLLHUP) TH_LOG("the child of the task still runs");
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_NE(0, polled(self->fd, -1) & POLLHUP);
	close(t.parent_end);
}

/* A counter of a CPU never hangs up. */
PC_TEST(notify, a_counter_of_a_cpu_does_not_hang_up)
{
	int cpus[8], n = pc_cpus(cpus, 8), fd;
	struct pc_ring ring;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	self->attr.wakeup_events = 1;
	fd = pc_open(&self->attr, -1, -1, -1);
	ASSERT_FD(fd);
	ASSERT_OK(pc_ring_map(&ring, fd, 64));
	ASSERT_OK(watch(self->epoll, fd, EPOLLIN));
	for (int i = 0; i < 2 * n; i++) {
		ASSERT_OK(pc_pin_task(self->t.pid, cpus[i % n]));
		EXPECT_EQ(0, polled(fd, 0));
		ASSERT_OK(pc_enable(fd));
		ASSERT_OK(pc_order(&self->t, PC_WORK));
		EXPECT_EQ(EPOLLIN, reported(self->epoll, -1))
			TH_LOG("CPU %d", cpus[i % n]);
		ASSERT_OK(pc_reply(&self->t));
		ASSERT_OK(pc_disable(fd));
		EXPECT_LE(1, pc_ring_count(&ring, PERF_RECORD_SAMPLE));
	}
	EXPECT_EQ(0, polled(fd, 0));
	pc_ring_unmap(&ring);
	close(fd);
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

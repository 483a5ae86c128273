// SPDX-License-Identifier: GPL-2.0
/*
 * Many tracepoints of the kernel, of the whole machine, write to one buffer while tasks make all
 * kinds of system calls. Writing and reading raise events, too, in every context. Each event has to
 * be written, lost or missed.
 *
 * The test uses one tracepoint in twelve and takes seconds. With PC_STORM=all it uses all
 * tracepoints and takes minutes.
 */
#include <dirent.h>
#include <poll.h>

#include "pc_ring.h"
#include "pc_test.h"
#include "pc_trace.h"
#include "pc_work.h"

#define MAX_EVENTS	4096
#define BUFFER_PAGES	64

/*
 * The wakeup of the reader is an interrupt that the CPU sends to itself while it writes a record.
 * This tracepoint records that interrupt.
 */
#define WAKEUP_EVENT	"ipi/ipi_send_cpu"

struct event {
	int fd;
	__u64 id;		/* id of the descriptor; larger if it was opened later */
	__u64 type;		/* type of the event */
	__u64 written;
	char name[96];
};

static struct event events[MAX_EVENTS];
static int nr_events;

FIXTURE(many) {
	int unused;
};

FIXTURE_SETUP(many)
{
}

FIXTURE_TEARDOWN(many)
{
}

static bool all_events(void)
{
	const char *which = getenv("PC_STORM");

	return which && !strcmp(which, "all");
}

/* The fields of a sample that the test reads. */
struct head {
	struct perf_event_header header;
	__u64 id;
	__u64 time;
	__u32 raw_size;
	__u16 type;
	__u16 more;
};

/*
 * Open a tracepoint. Skip events that are not tracepoints, and tracepoints whose samples would
 * raise the event again (irq_vectors:irq_work_exit: a wakeup is irq_work). Returns 0 or an errno.
 */
static int open_event(const char *name, int output)
{
	struct event *event = &events[nr_events];
	struct perf_counter_attr attr;

	attr = pc_trace_attr(name);
	if (!attr.config || nr_events == MAX_EVENTS)
		return 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	attr.read_format = PERF_FORMAT_LOST;
	/* The reader is woken often, which raises events, too. */
	attr.watermark = 1;
	attr.wakeup_watermark = 8192;
	event->fd = pc_open_raw(&attr, -1, -1, output, PERF_COUNTER_FLAG_FD_CLOEXEC |
				(output < 0 ? 0 : PERF_COUNTER_FLAG_FD_OUTPUT |
						  PERF_COUNTER_FLAG_FD_NO_GROUP));
	if (event->fd < 0)
		return errno == EOPNOTSUPP || errno == EPERM ? 0 : errno;
	event->id = pc_id(event->fd);
	event->type = attr.config;
	snprintf(event->name, sizeof(event->name), "%s", name);
	nr_events++;
	return 0;
}

/* Open all events. Returns 0 or the errno of the first failure. */
static int open_events(int output)
{
	static const char top[] = PC_TRACEFS "/events";
	DIR *systems = opendir(top), *names;
	struct dirent *system, *name;
	char path[600];
	int err = 0, nr = 0;

	if (!systems)
		return errno;
	while (!err && (system = readdir(systems))) {
		snprintf(path, sizeof(path), "%s/%s", top, system->d_name);
		if (system->d_name[0] == '.' || system->d_type != DT_DIR)
			continue;
		names = opendir(path);
		while (!err && names && (name = readdir(names))) {
			snprintf(path, sizeof(path), "%s/%s", system->d_name, name->d_name);
			if (name->d_name[0] == '.' || name->d_type != DT_DIR)
				continue;
			if (strcmp(path, WAKEUP_EVENT) && (all_events() || nr++ % 12 == 0))
				err = open_event(path, output);
		}
		if (names)
			closedir(names);
	}
	closedir(systems);
	return err;
}

static struct event *find_event(__u64 id)
{
	int low = 0, high = nr_events;

	while (low < high) {
		int mid = (low + high) / 2;

		if (events[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < nr_events && events[low].id == id ? &events[low] : NULL;
}

/* Take all records. Returns the number of samples, or -1 if one has an unknown id. */
static long take_samples(struct pc_ring *ring)
{
	__u64 end = pc_ring_head(ring), at = ring->tail;
	struct event *event;
	struct head head;
	long n = 0;

	while (at != end) {
		pc_ring_copy(ring, at, &head, sizeof(head.header));
		if (head.header.type == PERF_RECORD_SAMPLE) {
			pc_ring_copy(ring, at, &head, sizeof(head));
			event = find_event(head.id);
			if (!event || head.type != event->type ||
			    head.header.size != offsetof(struct head, type) + head.raw_size)
				return -1;
			event->written++;
			n++;
		}
		at += head.header.size;
	}
	pc_ring_set_tail(ring, at);
	return n;
}

static void on_signal(int sig)
{
}

/* Make all kinds of system calls until killed. */
static void busy(struct pc_task *t)
{
	char bytes[512];
	pid_t pid;
	int fd;

	signal(SIGUSR1, on_signal);
	for (;;) {
		pc_faults(3);
		prctl(PR_SET_NAME, "storm");
		kill(getpid(), SIGUSR1);
		sched_yield();
		usleep(10);
		fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
		if (read(fd, bytes, sizeof(bytes)) < 0)
			_exit(1);
		close(fd);
		pid = fork();
		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Make t->arg system calls. */
static void call_often(struct pc_task *t)
{
	while (pc_await(t)) {
		for (long i = 0; i < t->arg; i++)
			syscall(SYS_getpriority, 0, 0);
		pc_done(t);
	}
}

static bool has_replied(const struct pc_task *t)
{
	struct pollfd poll_fd = { .fd = t->parent_end, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

FIXTURE(storm) {
	struct pc_ring ring;
	struct pc_task tasks[3];
};

FIXTURE_SETUP(storm)
{
	struct rlimit files = { MAX_EVENTS + 64, MAX_EVENTS + 64 };

	ASSERT_OK(setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_OK(pc_tracefs());
	for (int i = 0; i < ARRAY_SIZE(self->tasks); i++)
		ASSERT_OK(pc_spawn(&self->tasks[i], busy, 0));
}

FIXTURE_TEARDOWN(storm)
{
	for (int i = 0; i < ARRAY_SIZE(self->tasks); i++) {
		kill(self->tasks[i].pid, SIGKILL);
		waitpid(self->tasks[i].pid, NULL, 0);
	}
	pc_ring_unmap(&self->ring);
}

PC_TEST(storm, each_event_is_written_lost_or_missed)
{
	long n, all = 0, enough = pc_rounds(all_events() ? 100000 : 20000);
	__u64 lost = 0, missed = 0;
	struct pc_values v;
	int cpus[64];

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_EQ(0, open_event("sched/sched_switch", -1));
	ASSERT_EQ(1, nr_events);
	ASSERT_OK(pc_ring_map(&self->ring, events[0].fd, BUFFER_PAGES));
	ASSERT_EQ(0, open_event(WAKEUP_EVENT, events[0].fd));
	ASSERT_EQ(2, nr_events);
	ASSERT_EQ(0, open_events(events[0].fd))
		TH_LOG("after %s", events[nr_events - 1].name);
	ASSERT_LT(20, nr_events);

	for (int i = 0; i < nr_events; i++)
		ASSERT_OK(pc_enable(events[i].fd));
	while (all < enough) {
		n = take_samples(&self->ring);
		ASSERT_LE(0, n);
		all += n;
	}
	for (int i = 0; i < nr_events; i++) {
		ASSERT_OK(pc_disable(events[i].fd));
		n = take_samples(&self->ring);
		ASSERT_LE(0, n);
		all += n;
	}
	/*
	 * A counter may be disabled while an interrupted task writes a record. After this task has
	 * run on that CPU, the record is complete, because preemption is disabled during the write.
	 */
	n = pc_cpus(cpus, ARRAY_SIZE(cpus));
	ASSERT_LT(0, n);
	for (int i = 0; i < n; i++)
		ASSERT_OK(pc_pin(cpus[i]));
	n = take_samples(&self->ring);
	ASSERT_LE(0, n);
	all += n;
	for (int i = 0; i < nr_events; i++) {
		struct event *event = &events[i];
		__u64 event_missed = pc_missed(event->fd);

		ASSERT_LT(0, pc_read(event->fd, PERF_FORMAT_LOST, &v));
		/* The value of these events is in ns. */
		if (strncmp(event->name, "sched/sched_stat_", 17))
			EXPECT_EQ(v.v[0].value, event->written + v.v[0].lost + event_missed)
				TH_LOG("%s: %llu written, %llu lost, %llu missed", event->name,
				       event->written, v.v[0].lost, event_missed);
		lost += v.v[0].lost;
		missed += event_missed;
		close(event->fd);
	}
	EXPECT_LT(0, missed);
	TH_LOG("%d events: %ld written, %llu lost, %llu missed", nr_events, all, lost, missed);
}

/*
 * Raise events from four tasks at the same time, on as many CPUs as there are. Each event is
 * written or lost, and counted. PC_STORM_EVENTS is the number of events, 40,000 by default.
 */
PC_TEST(many, events_of_many_tasks_are_all_counted)
{
	static const char *const names[] = {
		"syscalls/sys_enter_getpriority", "syscalls/sys_exit_getpriority",
	};
	const char *wanted = getenv("PC_STORM_EVENTS");
	long raised = (wanted ? atol(wanted) : pc_rounds(40000)) / 8 * 4, n;
	struct pc_task tasks[4];
	struct pc_values v;
	struct pc_ring ring;
	int done = 0;

	if (pc_on_perf_event())
		SKIP(return, PC_OURS);
	ASSERT_OK(pc_tracefs());
	ASSERT_LT(0, raised);
	for (int i = 0; i < ARRAY_SIZE(tasks); i++)
		ASSERT_OK(pc_spawn(&tasks[i], call_often, raised / ARRAY_SIZE(tasks)));
	nr_events = 0;
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		ASSERT_EQ(0, open_event(names[i], i ? events[0].fd : -1));
		ASSERT_EQ(i + 1, nr_events);
		if (!i)
			ASSERT_OK(pc_ring_map(&ring, events[0].fd, BUFFER_PAGES));
		ASSERT_OK(pc_enable(events[i].fd));
	}
	for (int i = 0; i < ARRAY_SIZE(tasks); i++)
		ASSERT_OK(pc_order(&tasks[i], 'x'));
	while (done < ARRAY_SIZE(tasks)) {
		n = take_samples(&ring);
		ASSERT_LE(0, n);
		/* Each task answers when it has made all its calls. */
		while (done < ARRAY_SIZE(tasks) && has_replied(&tasks[done])) {
			ASSERT_OK(pc_reply(&tasks[done]));
			done++;
		}
	}
	ASSERT_LE(0, take_samples(&ring));
	for (int i = 0; i < nr_events; i++) {
		ASSERT_LT(0, pc_read(events[i].fd, PERF_FORMAT_LOST, &v));
		EXPECT_EQ(raised, v.v[0].value);
		EXPECT_EQ(raised, events[i].written + v.v[0].lost)
			TH_LOG("%s: %llu written, %llu lost", events[i].name, events[i].written,
			       v.v[0].lost);
		EXPECT_EQ(0, pc_missed(events[i].fd));
		EXPECT_LT(0, events[i].written);
		TH_LOG("%s: %ld raised, %llu written, %llu lost", events[i].name, raised,
		       events[i].written, v.v[0].lost);
		close(events[i].fd);
	}
	pc_ring_unmap(&ring);
	for (int i = 0; i < ARRAY_SIZE(tasks); i++)
		EXPECT_EQ(0, pc_reap(&tasks[i]));
}

int main(int argc, char **argv)
{
	return pc_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The rows: operations of a user on many counters, many mappings or many tasks at once.
 *
 * A row is prepared and measured in a process of its own. Its children are killed when this
 * process ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "limits.h"

/* A period that no counter reaches during a measurement. */
#define NEVER		1000000000000ULL
#define OFF_CPU		0x40000000
#define STACK_SIZE	65000
#define RING_PAGES	128
/* Rounds of a row whose operation is shorter than a tick. */
#define ROUNDS		20

static int fds[20000];
static unsigned int nr_fds;

/* A child and the pipe that it waits at; 0 and -1 without a child. */
static pid_t child;
static int go = -1;

static char *area;
static size_t area_size;

static struct perf_event_attr software(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = 1,
	};
}

static struct perf_event_attr clocks(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);

	attr.sample_period = NEVER;
	return attr;
}

static struct perf_event_attr instructions(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_HW_INSTRUCTIONS);

	attr.type = PERF_TYPE_HARDWARE;
	return attr;
}

/*
 * For some time after the last counter was closed, the PMU belongs to the other subsystem:
 * repeat the open of a counter of the PMU that fails with EBUSY.
 */
static int try_open(const struct side *side, struct perf_event_attr *attr, pid_t pid, int cpu,
		    int group)
{
	int fd;

	for (int i = 0; i < 300; i++) {
		fd = syscall(side->syscall_nr, attr, pid, cpu, group, 0UL);
		if (fd >= 0 || errno != EBUSY || attr->type != PERF_TYPE_HARDWARE)
			break;
		usleep(10000);
	}
	return fd;
}

static int open_counter(const struct side *side, struct perf_event_attr *attr, pid_t pid, int cpu,
			int group)
{
	int fd = try_open(side, attr, pid, cpu, group);

	if (fd < 0)
		die(side->name);
	fds[nr_fds++] = fd;
	return fd;
}

static void open_many(const struct side *side, struct perf_event_attr attr, pid_t pid, int cpu,
		      unsigned int size)
{
	while (nr_fds < size)
		open_counter(side, &attr, pid, cpu, -1);
}

/* The arguments of open_many_asleep(), for its thread. */
struct counters {
	const struct side	*side;
	struct perf_event_attr	attr;
	pid_t			task;
	unsigned int		size;
};

static void *open_in_thread(void *arg)
{
	const struct counters *counters = arg;

	open_many(counters->side, counters->attr, counters->task, -1, counters->size);
	return NULL;
}

/*
 * Open many enabled counters of this task in a thread, for which the task waits. On perf_events,
 * each open of a counter of a running task stops and starts all its counters, which takes
 * minutes for 4,096 of them.
 */
static void open_many_asleep(const struct side *side, struct perf_event_attr attr,
			     unsigned int size)
{
	struct counters counters = { side, attr, gettid(), size };
	pthread_t thread;

	errno = pthread_create(&thread, NULL, open_in_thread, &counters);
	if (errno)
		die("pthread_create");
	pthread_join(thread, NULL);
}

static void control(int fd, unsigned long request, unsigned long arg)
{
	if (ioctl(fd, request, arg))
		die("ioctl");
}

static void close_all(const struct side *side, unsigned int size)
{
	while (nr_fds)
		close(fds[--nr_fds]);
}

/* Make all counters write to one ring. */
static void map_ring(int protection, unsigned int pages)
{
	area_size = (1 + pages) * PAGE_SIZE;
	area = mmap(NULL, area_size, protection, MAP_SHARED, fds[0], 0);
	if (area == MAP_FAILED)
		die("mmap of a buffer");
	for (unsigned int i = 1; i < nr_fds; i++)
		control(fds[i], PERF_EVENT_IOC_SET_OUTPUT, fds[0]);
}

static void map_page(void)
{
	area = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		die("mmap");
}

static void no_preparation(const struct side *side, unsigned int size)
{
}

/* One group */

/* Open a group: a disabled leader that samples, with enabled members. */
static void open_group(const struct side *side, struct perf_event_attr attr, int cpu,
		       unsigned int size)
{
	pid_t pid = cpu < 0 ? 0 : -1;

	open_counter(side, &attr, pid, cpu, -1);
	attr.disabled = 0;
	while (nr_fds < size)
		open_counter(side, &attr, pid, cpu, fds[0]);
}

static void prepare_group(const struct side *side, unsigned int size)
{
	open_group(side, clocks(), -1, size);
}

static void prepare_group_of_cpu(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	open_group(side, attr, 0, size);
}

static void prepare_group_of_off(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	open_counter(side, &attr, 0, -1, -1);
	while (nr_fds < size)
		open_counter(side, &attr, 0, -1, fds[0]);
}

static void enable_first(const struct side *side, unsigned int size)
{
	control(fds[0], PERF_EVENT_IOC_ENABLE, 0);
}

static void disable_first(const struct side *side, unsigned int size)
{
	control(fds[0], PERF_EVENT_IOC_DISABLE, 0);
}

static void enable_group(const struct side *side, unsigned int size)
{
	control(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

static void disable_group(const struct side *side, unsigned int size)
{
	control(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

static void refresh_first(const struct side *side, unsigned int size)
{
	control(fds[0], PERF_EVENT_IOC_REFRESH, 1);
}

static void reset_group(const struct side *side, unsigned int size)
{
	control(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
}

static void change_period(const struct side *side, unsigned int size)
{
	uint64_t period = NEVER / 2;

	control(fds[0], PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

static void close_first(const struct side *side, unsigned int size)
{
	close(fds[0]);
}

static void prepare_running_group(const struct side *side, unsigned int size)
{
	prepare_group(side, size);
	enable_first(side, size);
}

static void prepare_running_group_of_cpu(const struct side *side, unsigned int size)
{
	prepare_group_of_cpu(side, size);
	enable_first(side, size);
}

static void prepare_group_that_runs_out(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	open_counter(side, &attr, 0, -1, -1);
	attr = clocks();
	attr.disabled = 0;
	while (nr_fds < size)
		open_counter(side, &attr, 0, -1, fds[0]);
	map_page();
	refresh_first(side, size);
}

static void fault_once(const struct side *side, unsigned int size)
{
	__atomic_store_n(area, 1, __ATOMIC_RELAXED);
}

static void prepare_group_to_read(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 0;
	open_group(side, attr, -1, size);
}

static void read_first(const struct side *side, unsigned int size)
{
	static uint64_t values[8192];

	if (read(fds[0], values, sizeof(values)) < (ssize_t)(size * sizeof(values[0])))
		die("read");
}

static void open_the_group(const struct side *side, unsigned int size)
{
	prepare_group(side, size);
}

/* Open a group of a CPU whose values are read together. */
static void prepare_group_of_cpu_to_read(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_CPU_CLOCK);

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 0;
	open_group(side, attr, 0, size);
	enable_first(side, size);
}

/* Many counters of a task, each a group of its own */

static void prepare_many(const struct side *side, unsigned int size)
{
	open_many(side, clocks(), 0, -1, size);
}

static void enable_all(const struct side *side, unsigned int size)
{
	if (prctl(PR_TASK_PERF_EVENTS_ENABLE))
		die("prctl");
}

static void disable_all(const struct side *side, unsigned int size)
{
	if (prctl(PR_TASK_PERF_EVENTS_DISABLE))
		die("prctl");
}

static void prepare_many_running(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.disabled = 0;
	open_many_asleep(side, attr, size);
}

/* prctl() disables counters that the calling task itself has opened. */
static void prepare_many_to_disable(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.disabled = 0;
	open_many(side, attr, 0, -1, size);
}

static void prepare_many_running_of_cpu(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.disabled = 0;
	open_many(side, attr, -1, 0, size);
}

static void prepare_many_of_pmu(const struct side *side, unsigned int size)
{
	open_many(side, instructions(), 0, -1, size);
}

static void prepare_many_of_pmu_running(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = instructions();

	attr.disabled = 0;
	open_many_asleep(side, attr, size);
}

static void prepare_many_of_pmu_of_cpu_running(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = instructions();

	attr.disabled = 0;
	open_many(side, attr, -1, 0, size);
}

/* Sleep, so that the CPU switches to another task and back. */
static void sleep_shortly(const struct side *side, unsigned int size)
{
	struct timespec time = { 0, 1000 };

	for (int i = 0; i < ROUNDS; i++)
		nanosleep(&time, NULL);
}

static void sleep_once(const struct side *side, unsigned int size)
{
	struct timespec time = { 0, 1000 };

	nanosleep(&time, NULL);
}

/* Sleep for some ticks, at which counters that wait for room take turns. */
static void wait_for_ticks(const struct side *side, unsigned int size)
{
	for (unsigned int i = 0; i < 20000000; i++)
		__asm__ __volatile__("");
}

/* Children */

static _Noreturn void run_child(int pipe_fd, bool executes)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(pipe_fd, &byte, 1) != 1)
		_exit(1);
	if (executes)
		execl("/proc/self/exe", "limits", "--after-exec", NULL);
	_exit(0);
}

/* Fork a child that waits, and then exits or executes a program. */
static void fork_child(bool executes)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		run_child(ends[0], executes);
	go = ends[1];
}

/* The program that the children execute. */
int after_exec(void)
{
	return 0;
}

static void let_go(const struct side *side, unsigned int size)
{
	int status;

	if (write(go, "", 1) != 1)
		die("write");
	if (waitpid(child, &status, 0) != child || status)
		die("a child");
}

static void prepare_end(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.disabled = 0;
	fork_child(false);
	open_many(side, attr, child, -1, size);
}

static void prepare_exec(const struct side *side, struct perf_event_attr attr, unsigned int size)
{
	fork_child(true);
	open_many(side, attr, child, -1, size);
}

static void prepare_enable_on_exec(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.enable_on_exec = 1;
	prepare_exec(side, attr, size);
}

static void prepare_enable_on_exec_group(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.enable_on_exec = 1;
	fork_child(true);
	while (nr_fds < size)
		open_counter(side, &attr, child, -1, nr_fds ? fds[0] : -1);
}

static void prepare_remove_on_exec(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = clocks();

	attr.disabled = 0;
	attr.remove_on_exec = 1;
	prepare_exec(side, attr, size);
}

static void prepare_pinned_on_exec(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = instructions();

	attr.enable_on_exec = 1;
	attr.pinned = 1;
	prepare_exec(side, attr, size);
}

static void prepare_flexible_on_exec(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = instructions();

	attr.enable_on_exec = 1;
	prepare_exec(side, attr, size);
}

static void prepare_inherited(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);

	attr.disabled = 0;
	attr.inherit = 1;
	open_many(side, attr, 0, -1, size);
}

static void prepare_inherited_group(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);

	attr.disabled = 0;
	attr.inherit = 1;
	while (nr_fds < size)
		open_counter(side, &attr, 0, -1, nr_fds ? fds[0] : -1);
}

static void fork_and_wait(const struct side *side, unsigned int size)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status)
		die("a child");
}

/* Mappings */

unsigned int mappings_counters = FEW_COUNTERS;

/* vm.max_map_count is 65,530; the rest is for the program's own mappings. */
#define MAPPINGS_MAX		65480

/* attr.munmap, for which <linux/perf_event.h> has no name. */
static void ask_for_munmap(struct perf_event_attr *attr)
{
	uint64_t bits;
	void *at = (char *)attr + offsetof(struct perf_event_attr, read_format) + sizeof(bits);

	memcpy(&bits, at, sizeof(bits));
	bits |= 1ULL << 63;
	memcpy(at, &bits, sizeof(bits));
}

/*
 * Make @size mappings of one page each. A page between two of them stays free, because adjacent
 * mappings would become one. A row's later mappings are larger than a page and do not fit there.
 */
static void map_many(unsigned int size)
{
	area_size = size * 2 * PAGE_SIZE;
	area = mmap(NULL, area_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || munmap(area, area_size))
		die("mmap");
	for (unsigned int i = 0; i < size; i++) {
		if (mmap(area + i * 2 * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			die("mmap");
	}
}

/* A counter that records mappings. */
static struct perf_event_attr listener(void)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_DUMMY);

	attr.disabled = 0;
	attr.mmap = 1;
	attr.mmap_data = 1;
	return attr;
}

static void open_listeners(const struct side *side, pid_t pid, unsigned int size)
{
	struct perf_event_attr attr = listener();

	if (side->ours)
		ask_for_munmap(&attr);
	open_many(side, attr, pid, -1, size);
	map_ring(PROT_READ | PROT_WRITE, 1);
}

static char *mappings;
static size_t mappings_size;

static void prepare_mappings_of(const struct side *side, unsigned int size, unsigned int counters)
{
	map_many(size);
	mappings = area;
	mappings_size = area_size;
	open_listeners(side, 0, counters);
}

static void prepare_mappings(const struct side *side, unsigned int size)
{
	prepare_mappings_of(side, size, mappings_counters);
}

static void prepare_mappings_of_many(const struct side *side, unsigned int size)
{
	prepare_mappings_of(side, size, MANY_COUNTERS);
}

static void unmap_mappings(const struct side *side, unsigned int size)
{
	if (munmap(mappings, mappings_size))
		die("munmap");
}

/* Fork a child with many mappings that waits, and then exits or executes a program. */
static void prepare_mappings_left(const struct side *side, unsigned int size, bool executes)
{
	map_many(size);
	fork_child(executes);
	open_listeners(side, child, mappings_counters);
}

static void prepare_mappings_exit(const struct side *side, unsigned int size)
{
	prepare_mappings_left(side, size, false);
}

static void prepare_mappings_exec(const struct side *side, unsigned int size)
{
	prepare_mappings_left(side, size, true);
}

/* Map many pages of code; opening a counter must not walk them. */
static void prepare_open(const struct side *side, unsigned int size)
{
	map_many(size);
}

static void open_listener(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = listener();

	open_counter(side, &attr, 0, -1, -1);
}

/* Wait until a record is written to the ring of the last counter that was opened. */
static void wait_for_record(void)
{
	struct perf_event_mmap_page *page;
	uint64_t begin;

	page = mmap(NULL, 2 * PAGE_SIZE, PROT_READ, MAP_SHARED, fds[nr_fds - 1], 0);
	if (page == MAP_FAILED)
		die("mmap of a buffer");
	begin = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED);
	if (write(go, "", 1) != 1)
		die("a child");
	while (__atomic_load_n(&page->data_head, __ATOMIC_RELAXED) == begin)
		sched_yield();
}

/*
 * Fork a child that is killed while it unmaps: a record of this process's own counter shows that
 * the child is in munmap(). The row ends when the child has ended.
 */
static void prepare_kill(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr;
	int ready[2], start[2];
	char byte;

	if (pipe2(ready, O_CLOEXEC) || pipe2(start, O_CLOEXEC))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prepare_mappings_of(side, size, FEW_COUNTERS);
		if (write(ready[1], "", 1) != 1 || read(start[0], &byte, 1) != 1)
			_exit(1);
		unmap_mappings(side, size);
		pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		die("a child");
	attr = listener();
	ask_for_munmap(&attr);
	open_counter(side, &attr, child, -1, -1);
	go = start[1];
	wait_for_record();
}

static void kill_child(const struct side *side, unsigned int size)
{
	uint64_t began = now();

	kill(child, SIGKILL);
	if (waitpid(child, NULL, 0) != child)
		die("waitpid");
	measure_as_wait(now() - began);
}

/* Samples */

/* Open many counters that write to one overwritten ring, which always has room. */
static void open_writers(const struct side *side, struct perf_event_attr attr, unsigned int size)
{
	attr.disabled = 0;
	attr.write_backward = 1;
	open_many_asleep(side, attr, size);
	map_ring(PROT_READ, RING_PAGES);
}

/* Call the operation with 64 KiB of stack in use. */
static void with_stack(void (*operate)(void))
{
	char stack[STACK_SIZE + 2 * PAGE_SIZE];

	memset(stack, 1, sizeof(stack));
	__asm__ __volatile__("" : : "r" (stack) : "memory");
	operate();
	__asm__ __volatile__("" : : "r" (stack) : "memory");
}

static struct perf_event_attr stacks(uint64_t config)
{
	struct perf_event_attr attr = software(config);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = STACK_SIZE - STACK_SIZE % 8;
	return attr;
}

/*
 * Return an event of time off the CPU; in perf_events context switches are the closest
 * event.
 */
static uint64_t off_cpu(const struct side *side)
{
	return side->ours ? OFF_CPU : PERF_COUNT_SW_CONTEXT_SWITCHES;
}

static void prepare_off_cpu(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = stacks(off_cpu(side));

	open_writers(side, attr, size);
}

static void prepare_switches(const struct side *side, unsigned int size)
{
	open_writers(side, stacks(PERF_COUNT_SW_CONTEXT_SWITCHES), size);
}

static void prepare_off_cpu_plain(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(off_cpu(side));

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	open_writers(side, attr, size);
}

static void prepare_off_cpu_reading(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(off_cpu(side));

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 0;
	attr.write_backward = 1;
	while (nr_fds < size)
		open_counter(side, &attr, 0, -1, nr_fds ? fds[0] : -1);
	map_ring(PROT_READ, RING_PAGES);
}

static void sleep_in_stack(void)
{
	sleep_once(NULL, 0);
}

static void sleep_with_stack(const struct side *side, unsigned int size)
{
	with_stack(sleep_in_stack);
}

/*
 * Open a counter that samples page faults and wakes its reader, and many others that share its
 * ring.
 */
static void prepare_notification(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);

	attr.sample_period = 1;
	attr.wakeup_events = 1;
	attr.disabled = 0;
	open_counter(side, &attr, 0, -1, -1);
	attr = software(PERF_COUNT_SW_DUMMY);
	open_many(side, attr, 0, -1, size);
	map_ring(PROT_READ | PROT_WRITE, RING_PAGES);
	map_page();
}

/* Open counters that only write side-band records, to one ring. */
static void prepare_mmap(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_DUMMY);

	attr.mmap = 1;
	open_writers(side, attr, size);
}

static void map_code(const struct side *side, unsigned int size)
{
	if (mmap(NULL, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	    MAP_FAILED)
		die("mmap");
}

static void prepare_comm(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_DUMMY);

	attr.comm = 1;
	open_writers(side, attr, size);
}

static void change_comm(const struct side *side, unsigned int size)
{
	if (prctl(PR_SET_NAME, "another"))
		die("prctl");
}

static void prepare_task(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_DUMMY);

	attr.task = 1;
	open_writers(side, attr, size);
}

static void prepare_output(const struct side *side, unsigned int size)
{
	open_many(side, software(PERF_COUNT_SW_DUMMY), 0, -1, size);
}

static void set_output(const struct side *side, unsigned int size)
{
	map_ring(PROT_READ | PROT_WRITE, RING_PAGES);
}

/* A pipe with room for all samples of a ring that is full of samples of the smallest size. */
static int splice_pipe[2];

static void prepare_splice(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
	char *page;

	attr.sample_period = 1;
	attr.disabled = 0;
	attr.wakeup_events = 1 << 30;
	open_counter(side, &attr, 0, -1, -1);
	map_ring(PROT_READ | PROT_WRITE, size);
	page = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		die("mmap");
	for (size_t i = 0; i < size * PAGE_SIZE / sizeof(struct perf_event_header); i++) {
		__atomic_store_n(page, 1, __ATOMIC_RELAXED);
		if (madvise(page, PAGE_SIZE, MADV_DONTNEED))
			die("madvise");
	}
	if (pipe2(splice_pipe, O_CLOEXEC) ||
	    fcntl(splice_pipe[1], F_SETPIPE_SZ, size * PAGE_SIZE) < 0)
		die("pipe");
}

static void splice_ring(const struct side *side, unsigned int size)
{
	if (splice(fds[0], NULL, splice_pipe[1], NULL, size * PAGE_SIZE, 0) <= 0)
		die("splice");
}

static void prepare_unmap_of_ring(const struct side *side, unsigned int size)
{
	open_writers(side, software(PERF_COUNT_SW_DUMMY), size);
}

static void unmap_ring(const struct side *side, unsigned int size)
{
	if (munmap(area, area_size))
		die("munmap");
}

/* Many tasks that inherit a group */

#define MEMBERS	4

static pid_t tasks[1000];

static void prepare_tasks(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);

	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 0;
	attr.inherit = 1;
	open_group(side, attr, -1, MEMBERS);
	for (unsigned int i = 0; i < size; i++) {
		tasks[i] = fork();
		if (tasks[i] < 0)
			die("fork");
		if (tasks[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static void read_tasks(const struct side *side, unsigned int size)
{
	read_first(side, MEMBERS);
}

/* Read the group again and again until the tasks have exited. */
static void read_while_tasks_end(const struct side *side, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		kill(tasks[i], SIGKILL);
	while (size) {
		read_first(side, MEMBERS);
		while (size && waitpid(-1, NULL, WNOHANG) > 0)
			size--;
	}
}

/* Sampling clocks */

static void prepare_clocks_that_tick(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = software(PERF_COUNT_SW_TASK_CLOCK);

	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP;
	open_writers(side, attr, size);
}

/* The PMU changes hands */

static void open_and_close(const struct side *side, unsigned int size)
{
	struct perf_event_attr attr = instructions();

	attr.exclude_kernel = 1;
	for (unsigned int i = 0; i < size; i++) {
		int fd = try_open(side, &attr, 0, -1, -1);

		if (fd < 0)
			die(side->name);
		close(fd);
	}
}

static void prepare_watchdog(const struct side *side, unsigned int size)
{
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		die("nmi_watchdog");
	close(fd);
	/* perf_counter, if measured before, keeps the PMU for up to two seconds. */
	if (!side->ours)
		open_and_close(side, 1);
}

/* Run two users that open and close a counter of the PMU, over and over. */
static void two_users(const struct side *side, unsigned int size)
{
	pid_t users[2];
	int status;

	for (int i = 0; i < 2; i++) {
		users[i] = fork();
		if (users[i] < 0)
			die("fork");
		if (!users[i]) {
			if (setuid(1000 + i))
				die("setuid");
			open_and_close(side, size);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++) {
		if (waitpid(users[i], &status, 0) != users[i] || status)
			die("a user");
	}
}

const struct row rows[] = {
	/* One group of a task. */
	{ "group: open", no_preparation, open_the_group, 1024, 4096, .many = true },
	{ "group: enable", prepare_group, enable_first, 1024, 4096 },
	{ "group: enable with the flag GROUP", prepare_group_of_off, enable_group, 1024, 4096 },
	{ "group: disable", prepare_running_group, disable_first, 1024, 4096 },
	{ "group: disable with the flag GROUP", prepare_running_group, disable_group, 1024, 4096 },
	{ "group: refresh", prepare_group, refresh_first, 1024, 4096 },
	{ "group: a refresh runs out", prepare_group_that_runs_out, fault_once, 1024, 4096 },
	{ "group: reset with the flag GROUP", prepare_running_group, reset_group, 1024, 4096 },
	{ "group: period", prepare_running_group, change_period, 1024, 4096 },
	{ "group: read", prepare_group_to_read, read_first, 511, 2044 },
	{ "group: context switch", prepare_running_group, sleep_shortly, 1024, 4096 },
	{ "group: close the leader", prepare_running_group, close_first, 1024, 4096 },
	{ "group: close all", prepare_running_group, close_all, 1024, 4096, .many = true },
	{ "group of a CPU: enable", prepare_group_of_cpu, enable_first, 1024, 4096 },
	{ "group of a CPU: disable", prepare_running_group_of_cpu, disable_first, 1024, 4096 },
	{ "group of a CPU: close the leader", prepare_running_group_of_cpu, close_first,
	  1024, 4096 },

	/* Many groups of one counter. */
	{ "task: enable all", prepare_many, enable_all, 256, 1024, 4096, .many = true },
	{ "task: disable all", prepare_many_to_disable, disable_all,
	  256, 1024, 4096, .many = true },
	{ "task: context switch", prepare_many_running, sleep_shortly, 1024, 4096 },
	{ "task: close all", prepare_many_running, close_all, 1024, 4096, .many = true },
	{ "CPU: context switch", prepare_many_running_of_cpu, sleep_shortly, 1024, 4096 },
	{ "CPU: disable all", prepare_many_running_of_cpu, disable_all, 1024, 4096, .many = true },
	{ "CPU: close all", prepare_many_running_of_cpu, close_all, 1024, 4096, .many = true },

	/* Fork, exec and exit. */
	{ "fork and exit: inherited", prepare_inherited, fork_and_wait, 1024, 4096 },
	{ "fork and exit: an inherited group", prepare_inherited_group, fork_and_wait, 1024, 4096 },
	{ "exit", prepare_end, let_go, 1024, 4096 },
	{ "exec: enable_on_exec", prepare_enable_on_exec, let_go, 1024, 4096 },
	{ "exec: enable_on_exec of a group", prepare_enable_on_exec_group, let_go, 1024, 4096 },
	{ "exec: remove_on_exec", prepare_remove_on_exec, let_go, 1024, 4096 },

	/* Counters of the PMU that wait for room. */
	{ "PMU, exec: enable_on_exec, pinned", prepare_pinned_on_exec, let_go, 1024, 4096 },
	{ "PMU, exec: enable_on_exec", prepare_flexible_on_exec, let_go, 1024, 4096 },
	{ "PMU: enable all", prepare_many_of_pmu, enable_all, 1024, 4096, .many = true },
	{ "PMU: context switch", prepare_many_of_pmu_running, sleep_shortly, 1024, 4096 },
	{ "PMU: taking turns", prepare_many_of_pmu_running, wait_for_ticks, 1024, 4096 },
	{ "PMU of a CPU: taking turns", prepare_many_of_pmu_of_cpu_running, wait_for_ticks,
	  1024, 4096 },
	{ "PMU: close all", prepare_many_of_pmu_running, close_all, 1024, 4096, .many = true },

	/* Tasks that have inherited a group of four. */
	{ "tasks of a group: read", prepare_tasks, read_tasks, 250, 1000 },
	{ "tasks of a group: read while they end", prepare_tasks, read_while_tasks_end,
	  250, 1000, .many = true },

	/* Counters that write side-band records of a task. */
	{ "side-band: mmap", prepare_mmap, map_code, 1024, 4096 },
	{ "side-band: comm", prepare_comm, change_comm, 1024, 4096 },
	{ "side-band: fork and exit", prepare_task, fork_and_wait, 1024, 4096 },

	/* Mappings, with 500 counters that record each, or 2,000. */
	{ "mappings: open a counter", prepare_open, open_listener, 1024, 4096, MAPPINGS_MAX },
	{ "mappings: munmap, 2,000 counters", prepare_mappings_of_many, unmap_mappings, 64, 256 },
	{ "mappings: munmap", prepare_mappings, unmap_mappings, 256, 1024, MAPPINGS_MAX },
	{ "mappings: exit", prepare_mappings_exit, let_go, 256, 1024, MAPPINGS_MAX },
	{ "mappings: kill during munmap", prepare_kill, kill_child, 256, 1024,
	  .only_ours = true },
	{ "mappings: exec", prepare_mappings_exec, let_go, 256, 1024, MAPPINGS_MAX },

	/* Samples of many counters at once, in one ring. */
	{ "samples: off the CPU, 64 KiB of stack", prepare_off_cpu, sleep_with_stack,
	  64, 256, 4096 },
	{ "samples: context switches, 64 KiB of stack", prepare_switches, sleep_with_stack,
	  64, 256, 4096 },
	{ "samples: off the CPU", prepare_off_cpu_plain, sleep_once, 1024, 4096 },
	{ "samples: off the CPU, reading the group", prepare_off_cpu_reading, sleep_once,
	  511, 2044 },
	{ "samples: a notification", prepare_notification, fault_once, 1024, 4096 },
	{ "samples: clocks that tick", prepare_clocks_that_tick, wait_for_ticks, 1024, 4096 },
	{ "ring of many: set the output", prepare_output, set_output,
	  1024, 4096, .many = true },
	{ "ring of many: close all", prepare_unmap_of_ring, close_all, 1024, 4096, .many = true },
	{ "ring: splice", prepare_splice, splice_ring, 64, 256, .only_ours = true },
	{ "ring of many: munmap", prepare_unmap_of_ring, unmap_ring, 1024, 4096 },

	/* The PMU changes hands. The NMI watchdog stays on after this row. */
	{ "watchdog: two users open and close", prepare_watchdog, two_users, 16, 64, .many = true },
};

const unsigned int nr_rows = ARRAY_SIZE(rows);

/* Operations on counters of CPU 0 from another CPU. */
const struct row ipi_rows[] = {
	{ "group of a CPU: enable", prepare_group_of_cpu, enable_first, .large = 512 },
	{ "group of a CPU: disable", prepare_running_group_of_cpu, disable_first, .large = 512 },
	{ "group of a CPU: reset with the flag GROUP", prepare_running_group_of_cpu, reset_group,
	  .large = 512 },
	{ "group of a CPU: read", prepare_group_of_cpu_to_read, read_first, .large = 512 },
	{ "group of a CPU: close the leader", prepare_running_group_of_cpu, close_first,
	  .large = 512 },
	{ "CPU: disable all", prepare_many_running_of_cpu, disable_all, .large = 512 },
	{ "CPU: close all", prepare_many_running_of_cpu, close_all, .large = 512 },
};

const unsigned int nr_ipi_rows = ARRAY_SIZE(ipi_rows);

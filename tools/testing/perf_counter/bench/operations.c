// SPDX-License-Identifier: GPL-2.0
/*
 * Measuring how many instructions each operation takes.
 *
 * Most operations take the same instructions every time, except for rare additions: a timer
 * tick, a full page table, an empty list of free pages. So each operation is timed separately,
 * and its cost is the lower quartile.
 *
 * Opening and closing leave work for RCU and workers. This work is part of the cost, so the
 * cost is the time of a long run, divided by its operations, less the share of the timer
 * ticks and the idle time: the TSC goes on while the CPU is idle.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "bench.h"

/* Number of operations that are timed one by one. */
#define SINGLES		400
#define SINGLES_QUICK	50
#define CHILDREN	100
/* Number of operations in a batch, and number of batches of a long run. */
#define BATCH		200
#define MAPPINGS	20
#define BATCHES		5

/* Pages of code that are mapped and unmapped. */
#define CODE_PAGES	16

/* Data pages of the buffer that is mapped and unmapped. */
#define MAPPED_PAGES	64

/* Bytes of samples that are written to a file at a time. */
#define RECORDING_SIZE	(256UL << 10)
/* Number of such writes. */
#define RECORDINGS	9
/* Number of page faults that fill a buffer with so many bytes. */
#define RECORDING	(RECORDING_SIZE / 32)

/* After so many forks, the cost of a fork does not change any more. */
#define FORKS_TO_WARM_UP	1500

/* Instructions of the loop that measures the share of the ticks: 25 ticks at 250 Hz. */
#define SPIN		100000000UL

/*
 * An idler that runs without interruption takes fewer instructions than this between two
 * reads of the clock.
 */
#define IDLE_STEP	100

/* True if the unit is accesses to the PMU, not instructions. */
static bool count_registers;

static unsigned int singles = SINGLES;
static uint64_t samples[SINGLES];

/* The part of all instructions that is not spent on timer ticks. */
static double without_ticks;

/* Instructions that the idler has executed. */
static uint64_t *idle;

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return the sorted sample at @nr / @part. */
static double quantile(unsigned int nr, unsigned int part)
{
	qsort(samples, nr, sizeof(*samples), compare);
	return samples[nr / part];
}

typedef void (*operation_fn)(void *arg);

/* Return how often an operation accesses registers of the PMU, on average. */
static double registers_of(unsigned int nr, operation_fn operation, void *arg)
{
	uint64_t start = registers_accessed();

	for (unsigned int i = 0; i < nr; i++)
		operation(arg);
	return (double)(registers_accessed() - start) / nr;
}

/*
 * Return the cost of an operation: time @nr operations, each separately, after half as many to warm
 * up.
 */
static double cost_of(unsigned int nr, operation_fn operation, void *arg)
{
	for (unsigned int i = 0; i < nr / 2; i++)
		operation(arg);
	if (count_registers)
		return registers_of(nr, operation, arg);
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t start = now();

		operation(arg);
		samples[i] = now() - start;
	}
	return quantile(nr, 4);
}

/*
 * Time operations with children, whose memory RCU frees. If RCU ran within the next
 * operations, half of the figures would include it, and the quartile would be a matter of
 * chance. So RCU runs before each operation starts.
 */
static double cost_of_children(operation_fn operation)
{
	for (unsigned int i = 0; i < CHILDREN / 2; i++)
		operation(NULL);
	for (unsigned int i = 0; i < CHILDREN; i++) {
		uint64_t start;

		rcu_barrier();
		start = now();
		operation(NULL);
		samples[i] = now() - start;
	}
	return quantile(CHILDREN, 4);
}

static uint64_t idle_time(void)
{
	return __atomic_load_n(idle, __ATOMIC_RELAXED);
}

/* Start a task of class SCHED_IDLE that records for how many instructions it runs. */
static pid_t start_idler(void)
{
	const struct sched_param none = { 0 };
	uint64_t last, next;
	pid_t idler = fork();

	if (idler < 0)
		die("fork");
	if (idler)
		return idler;
	if (sched_setscheduler(0, SCHED_IDLE, &none))
		_exit(1);
	for (last = now();; last = next) {
		next = now();
		if (next - last < IDLE_STEP)
			__atomic_fetch_add(idle, next - last, __ATOMIC_RELAXED);
	}
}

static void stop_idler(pid_t idler)
{
	kill(idler, SIGKILL);
	waitpid(idler, NULL, 0);
}

/* Return the cost of an operation: time BATCHES runs of @nr operations. */
static double mean_cost_of(unsigned int nr, operation_fn operation, void *arg)
{
	pid_t idler;

	if (count_registers)
		return registers_of(nr, operation, arg);

	idler = start_idler();
	operation(arg);
	for (unsigned int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = now(), idle_before = idle_time();

		for (unsigned int i = 0; i < nr; i++)
			operation(arg);
		samples[batch] = (now() - start) * without_ticks - (idle_time() - idle_before);
	}
	stop_idler(idler);
	return quantile(BATCHES, 2) / nr;
}

/*
 * Make system call @nr with the arguments of a read(); system calls that do nothing ignore
 * them.
 */
static void do_call(long nr, int fd)
{
	uint64_t values[3 + 2 * COUNTERS_MAX];

	syscall(nr, fd, values, sizeof(values));
}

static void do_nothing(void *arg)
{
	do_call(SYS_getppid, *(int *)arg);
}

static void do_read(void *arg)
{
	do_call(SYS_read, *(int *)arg);
}

/* Return the cost of a system call that does nothing. */
double cost_nothing(const struct row *row, const struct side *side)
{
	int fd = -1;

	return cost_of(singles, do_nothing, &fd);
}

double cost_read(const struct row *row, const struct side *side)
{
	int fd = counters_first();

	return cost_of(singles, do_read, &fd);
}

/* Arguments of counter_open() for an operation that opens and closes. */
struct opening {
	const struct row	*row;
	const struct side	*side;
};

static void do_open_close(void *arg)
{
	const struct opening *opening = arg;

	close(counter_open(opening->row, opening->side, -1));
}

double cost_open_close(const struct row *row, const struct side *side)
{
	struct opening opening = { row, side };

	return mean_cost_of(BATCH, do_open_close, &opening);
}

static void do_disable_enable(void *arg)
{
	int fd = *(int *)arg;

	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("ioctl");
}

double cost_disable_enable(const struct row *row, const struct side *side)
{
	int fd = counters_first();

	return cost_of(singles, do_disable_enable, &fd);
}

/* Read each page of the buffer: the first read of a page may cost a page fault. */
static void do_map_read_unmap(void *arg)
{
	struct perf_event_mmap_page *buffer = counter_map(*(int *)arg, MAPPED_PAGES);

	for (unsigned int i = 0; i <= MAPPED_PAGES; i++)
		__atomic_load_n((char *)buffer + i * PAGE_SIZE, __ATOMIC_RELAXED);
	counter_unmap(buffer, MAPPED_PAGES);
}

double cost_map_unmap(const struct row *row, const struct side *side)
{
	int fd = counters_first();

	return mean_cost_of(MAPPINGS, do_map_read_unmap, &fd);
}

static void pass_on(int from, int to)
{
	char byte;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		_exit(0);
}

/* Write to one pipe, and read from another. */
static void do_there_and_back(void *arg)
{
	const int *pipes = arg;
	char byte = 0;

	if (write(pipes[0], &byte, 1) != 1 || read(pipes[1], &byte, 1) != 1)
		die("pipe");
}

/*
 * Return the cost of two context switches: a byte goes to another task and back. The other task is
 * a child, so it has the inherited counters and no others.
 */
double cost_switch(const struct row *row, const struct side *side)
{
	int there[2], back[2];
	double cost;
	pid_t child;

	if (pipe(there) || pipe(back))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		close(there[1]);
		if (row->child_dir)
			group_join(row->child_dir);
		for (;;)
			pass_on(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	cost = cost_of(singles, do_there_and_back, (int[]){ there[1], back[0] }) / 2;
	close(there[1]);
	close(back[0]);
	waitpid(child, NULL, 0);
	return cost;
}

/* Return the cost of an operation that passes a tracepoint once. */
static double cost_of_passing(const struct row *row, const struct side *side,
			      operation_fn operation)
{
	uint64_t before = counters_value();
	double cost = cost_of(singles, operation, NULL);

	counters_check_events(row, side, before, singles + singles / 2);
	return cost;
}

static void do_rename(void *arg)
{
	prctl(PR_SET_NAME, "bench");
}

/* Return the cost of renaming the task: prctl(PR_SET_NAME). */
double cost_rename(const struct row *row, const struct side *side)
{
	return cost_of_passing(row, side, do_rename);
}

static void do_syscall(void *arg)
{
	syscall(SYS_getppid);
}

/*
 * Return the cost of a cheap system call. Each system call has two tracepoints; the counters of
 * @row count one of them.
 */
double cost_syscall(const struct row *row, const struct side *side)
{
	return cost_of_passing(row, side, do_syscall);
}

static void do_fork_exit_wait(void *arg)
{
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

double cost_fork(const struct row *row, const struct side *side)
{
	return cost_of_children(do_fork_exit_wait);
}

/* End this thread, which has no memory of its own except its stack. */
static int thread(void *arg)
{
	return 0;
}

/*
 * Call clone() directly, because all calls of the C library are slower after the library has
 * created a thread. At the end of the thread the kernel clears the id and wakes the waiter.
 */
static void do_clone_join(void *arg)
{
	/* The type gives the stack its alignment. */
	static __int128 stack[1024];
	static pid_t id;
	pid_t tid;

	tid = clone(thread, stack + ARRAY_SIZE(stack),
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		    NULL, &id, NULL, &id);
	if (tid < 0)
		die("clone");
	while (__atomic_load_n(&id, __ATOMIC_RELAXED))
		syscall(SYS_futex, &id, FUTEX_WAIT, tid, NULL, NULL, 0);
}

double cost_thread(const struct row *row, const struct side *side)
{
	return cost_of_children(do_clone_join);
}

/* Map and unmap code, as when a library is loaded and unloaded. */
static void do_map_unmap_code(void *arg)
{
	void *code = mmap(NULL, CODE_PAGES * PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			  *(int *)arg, 0);

	if (code == MAP_FAILED || munmap(code, CODE_PAGES * PAGE_SIZE))
		die("mmap of code");
}

double cost_map_unmap_code(const struct row *row, const struct side *side)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	double cost;

	if (fd < 0)
		die("/proc/self/exe");
	cost = cost_of(singles, do_map_unmap_code, &fd);
	counters_check_mappings(row, side, 3 * singles / 2);
	close(fd);
	return cost;
}

/*
 * Map and unmap code next to a populated mapping of a ring buffer's size. The cost depends on the
 * page tables of the neighbour, so a row without a buffer needs such a neighbour, too.
 */
double cost_map_unmap_code_beside(const struct row *row, const struct side *side)
{
	size_t size = (1 + SAMPLE_PAGES) * PAGE_SIZE;
	void *beside = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	double cost;

	if (beside == MAP_FAILED)
		die("mmap");
	cost = cost_map_unmap_code(row, side);
	munmap(beside, size);
	return cost;
}

/* Write to the next page of new memory. */
static void do_fault(void *arg)
{
	char **page = arg;

	__atomic_store_n(*page, 1, __ATOMIC_RELAXED);
	*page += PAGE_SIZE;
}

double cost_fault_in_frames(const struct row *row, const struct side *side)
{
	size_t size = 2 * SINGLES * PAGE_SIZE;
	char *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = counters_value();
	char *page = start;
	double cost;

	if (start == MAP_FAILED)
		die("mmap");
	cost = cost_of(singles, do_fault, &page);
	counters_check_faults(row, side, before, (page - start) / PAGE_SIZE);
	munmap(start, size);
	return cost;
}

/* Return the cost of a page fault. The row's counter overflows at each fault, but has no buffer. */
double cost_fault_unmapped(const struct row *row, const struct side *side)
{
	struct row unmapped = *row;
	double cost;

	unmapped.buffer_pages = 0;
	counters_open(&unmapped, side);
	cost = cost_fault(&unmapped, side);
	counters_close();
	return cost;
}

/*
 * A buffer that was filled with samples of page faults, and is written to a file. The file
 * is in memory and has its pages already, so only the copy is measured.
 */
struct recording {
	int				fd;
	struct perf_event_mmap_page	*buffer;
	uint64_t			tail;
	int				file;
	int				pipe[2];
};

static void recording_fill(const struct recording *recording)
{
	size_t size = RECORDING * PAGE_SIZE;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	for (char *page = pages;
	     recording->buffer->data_head - recording->tail < RECORDING_SIZE; page += PAGE_SIZE)
		__atomic_store_n(page, 1, __ATOMIC_RELAXED);
	munmap(pages, size);
}

static void write_out(struct recording *recording)
{
	uint64_t head = __atomic_load_n(&recording->buffer->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = recording->buffer->data_size;
	char *data = (char *)recording->buffer + PAGE_SIZE;

	while (recording->tail != head) {
		uint64_t at = recording->tail % size, len = head - recording->tail;

		if (len > size - at)
			len = size - at;
		if (write(recording->file, data + at, len) != (ssize_t)len)
			die("write");
		recording->tail += len;
	}
	__atomic_store_n(&recording->buffer->data_tail, head, __ATOMIC_RELEASE);
}

static void splice_out(struct recording *recording)
{
	uint64_t head = __atomic_load_n(&recording->buffer->data_head, __ATOMIC_ACQUIRE);
	ssize_t len, done;

	while (recording->tail != head) {
		len = splice(recording->fd, NULL, recording->pipe[1], NULL, RECORDING_SIZE,
			     SPLICE_F_NONBLOCK);
		if (len <= 0)
			die("splice from a counter");
		recording->tail += len;
		for (; len; len -= done) {
			done = splice(recording->pipe[0], NULL, recording->file, NULL, len, 0);
			if (done <= 0)
				die("splice to a file");
		}
	}
}

/* Return the cost of writing 1 MiB of samples to a file by @out. */
static double cost_recording(void (*out)(struct recording *recording))
{
	struct recording recording = { .fd = counters_first(), .file = memfd_create("", 0) };
	unsigned int i;

	recording.buffer = counter_map(recording.fd, SAMPLE_PAGES);
	if (recording.file < 0 || pipe(recording.pipe) ||
	    fcntl(recording.pipe[1], F_SETPIPE_SZ, RECORDING_SIZE) < 0)
		die("pipe");
	for (i = 0; i <= RECORDINGS; i++) {
		uint64_t start, before = recording.tail;

		recording_fill(&recording);
		lseek(recording.file, 0, SEEK_SET);
		start = now();
		out(&recording);
		/* The first write finds a file without pages, and is not counted. */
		if (i)
			samples[i - 1] = (now() - start) * (1 << 20) / (recording.tail - before);
	}
	counter_unmap(recording.buffer, SAMPLE_PAGES);
	close(recording.file);
	close(recording.pipe[0]);
	close(recording.pipe[1]);
	return quantile(RECORDINGS, 4);
}

double cost_record_write(const struct row *row, const struct side *side)
{
	return cost_recording(write_out);
}

/* Return the cost of recording by splice(); for perf_events, which has no splice(), by write(). */
double cost_record_splice(const struct row *row, const struct side *side)
{
	return cost_recording(side == &sides[0] ? write_out : splice_out);
}

/* Execute as many instructions in user mode as a period of the counter has. */
static void do_overflow(void *arg)
{
	spin(OVERFLOW_PERIOD);
}

double cost_overflow(const struct row *row, const struct side *side)
{
	return cost_of(singles, do_overflow, NULL);
}

void operations_count_registers(bool registers)
{
	count_registers = registers;
}

/* Choose the number of operations that are timed from now on: few, or all. */
void operations_quick(bool quick)
{
	singles = quick ? SINGLES_QUICK : SINGLES;
}

void operations_init(void)
{
	uint64_t start;

	/* Take a page fault for every page, not for every 512 pages. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		die("PR_SET_THP_DISABLE");

	idle = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (idle == MAP_FAILED)
		die("mmap");

	/*
	 * Keep ids below 4096: from there on the kernel's tree of ids has one more level, and
	 * the first of many forks would cost more than the others.
	 */
	write_to("/proc/sys/kernel/pid_max", "4000");
	for (int i = 0; i < FORKS_TO_WARM_UP; i++)
		do_fork_exit_wait(NULL);

	start = now();
	spin(SPIN);
	without_ticks = SPIN / (double)(now() - start);
}

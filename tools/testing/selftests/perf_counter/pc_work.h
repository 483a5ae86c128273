/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work whose events are known in advance: so many page faults, so much CPU
 * time, tasks that do as they are told and say when they have done it.
 *
 * Nothing here sleeps for a while to let something happen: whoever waits does
 * so for a byte in a pipe, or for a child to end.
 */
#ifndef PC_WORK_H
#define PC_WORK_H

#include <pthread.h>
#include <sys/socket.h>

#include "pc.h"

static inline long pc_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* Maps pages that nobody touched yet: each costs one minor fault, once. */
static inline char *pc_fresh(int pages)
{
	char *map = mmap(NULL, pages * pc_page(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	madvise(map, pages * pc_page(), MADV_NOHUGEPAGE);
	return map;
}

static inline char pc_load(const char *place)
{
	return __atomic_load_n(place, __ATOMIC_RELAXED);
}

/* Writes one byte to every page, in ascending order. */
static inline void pc_touch(char *map, int pages)
{
	long page = pc_page();

	for (int i = 0; i < pages; i++)
		__atomic_store_n(map + i * page, 1, __ATOMIC_RELAXED);
}

/* Pages that a loop of page faults holds at a time; 16 MiB where a page has 64 KiB. */
#define PC_HELD_PAGES 256

/*
 * PC_FAULTS - take a page fault for each of @pages pages, in ascending order
 *
 * @touch(place, n) writes to n pages. The pages are given back chunk by chunk:
 * when memory runs short, the kernel drops the pages of the test's own code,
 * and these fault again.
 */
#define PC_FAULTS(touch, map, pages)					\
	for (int _done = 0, _n; _done < (pages); _done += _n) {		\
		char *_place = (map) + _done * pc_page();		\
									\
		_n = (pages) - _done;					\
		if (_n > PC_HELD_PAGES)					\
			_n = PC_HELD_PAGES;				\
		touch(_place, _n);					\
		if (_n == PC_HELD_PAGES)				\
			madvise(_place, _n * pc_page(), MADV_DONTNEED);	\
	}

/*
 * pc_faults() - take exactly this many page faults
 *
 * The caller has called it before, so that its code, its stack and what it
 * calls are in memory already.
 */
static inline void pc_faults(int pages)
{
	char *map;

	if (!pages)
		return;
	map = pc_fresh(pages);
	if (!map)
		abort();
	PC_FAULTS(pc_touch, map, pages);
	munmap(map, pages * pc_page());
}

/* The same with a counter switched on meanwhile; returns where the pages were. */
static inline char *pc_count_faults(int fd, int pages)
{
	char *map = pc_fresh(pages);

	pc_enable(fd);
	PC_FAULTS(pc_touch, map, pages);
	pc_disable(fd);
	munmap(map, pages * pc_page());
	return map;
}

/* The CPUs that this task may use; returns how many. */
static inline int pc_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return n;
}

static inline int pc_pin_task(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

static inline int pc_pin(int cpu)
{
	return pc_pin_task(0, cpu);
}

/* Takes a CPU off or puts it on; returns 0, or -1 where that cannot be done. */
static inline int pc_cpu_online(int cpu, int on)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return pc_write_text(path, on ? "1" : "0") ? -1 : 0;
}

/* A thread that takes the CPU args[0] off and puts it on again until args[1] is set. */
static inline void *pc_plug_for_ever(void *arg)
{
	int *args = arg;

	while (!__atomic_load_n(&args[1], __ATOMIC_RELAXED))
		if (pc_cpu_online(args[0], 0) || pc_cpu_online(args[0], 1))
			return "a CPU did not go or come";
	return NULL;
}

static inline __u64 pc_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Uses the CPU until the calling thread has used so many nanoseconds of it. */
static inline void pc_burn(__u64 ns)
{
	__u64 end = pc_clock(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (pc_clock(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/*
 * A task that waits for orders, one byte each, and answers each with one byte
 * when it has been carried out. Both ends see end of file when the other dies.
 */
struct pc_task {
	pid_t pid;		/* process, or thread id of a thread */
	pthread_t thread;
	int parent_end;
	int child_end;
	void (*fn)(struct pc_task *t);
	long arg;
};

/* In the task: waits for an order; 0 at end of file. */
static inline char pc_await(struct pc_task *t)
{
	char order;

	return read(t->child_end, &order, 1) == 1 ? order : 0;
}

/* In the task: says that the order has been carried out. */
static inline void pc_done(struct pc_task *t)
{
	if (write(t->child_end, "", 1) != 1)
		_exit(1);
}

/* In the master: gives an order. */
static inline int pc_order(struct pc_task *t, char order)
{
	return send(t->parent_end, &order, 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* In the master: waits until an order has been carried out. */
static inline int pc_reply(struct pc_task *t)
{
	char c;

	return read(t->parent_end, &c, 1) == 1 ? 0 : -1;
}

static inline int pc_tell(struct pc_task *t, char order)
{
	return pc_order(t, order) ? -1 : pc_reply(t);
}

static inline int pc_task_pipes(struct pc_task *t)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return -1;
	t->parent_end = ends[0];
	t->child_end = ends[1];
	return 0;
}

/* Starts a process that runs fn() and exits with status 0 when it returns. */
static inline int pc_spawn(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	t->fn = fn;
	t->arg = arg;
	if (pc_task_pipes(t))
		return -1;
	t->pid = fork();
	if (t->pid < 0)
		return -1;
	if (!t->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(t->parent_end);
		t->pid = getpid();
		fn(t);
		_exit(0);
	}
	close(t->child_end);
	return 0;
}

static inline void *pc_thread_main(void *arg)
{
	struct pc_task *t = arg;

	t->pid = syscall(SYS_gettid);
	pc_done(t);
	t->fn(t);
	return NULL;
}

/* The same in a thread; its id is known when this returns. */
static inline int pc_thread(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	t->fn = fn;
	t->arg = arg;
	if (pc_task_pipes(t) || pthread_create(&t->thread, NULL, pc_thread_main, t))
		return -1;
	return pc_reply(t);
}

/*
 * Lets a process run to its end; returns its wait status, or -1. Tasks that
 * were started later hold copies of this end, so closing it would not do.
 */
static inline int pc_reap(struct pc_task *t)
{
	int status;

	shutdown(t->parent_end, SHUT_RDWR);
	close(t->parent_end);
	return waitpid(t->pid, &status, 0) == t->pid ? status : -1;
}

static inline int pc_join(struct pc_task *t)
{
	shutdown(t->parent_end, SHUT_RDWR);
	if (pthread_join(t->thread, NULL))
		return -1;
	close(t->parent_end);
	close(t->child_end);
	return 0;
}

/* Orders of pc_worker(). */
enum {
	PC_WARM = 'w',		/* touch one page: everything it needs is in memory now */
	PC_WORK = 'f',		/* take t->arg page faults */
	PC_BURN = 'b',		/* use t->arg microseconds of CPU */
};

/* What a task does for the tests that count its page faults or its time. */
static inline void pc_worker(struct pc_task *t)
{
	char order;

	while ((order = pc_await(t))) {
		switch (order) {
		case PC_WARM:
			pc_faults(1);
			pc_burn(1000);
			break;
		case PC_WORK:
			pc_faults(t->arg);
			break;
		case PC_BURN:
			pc_burn(t->arg * 1000);
			break;
		}
		pc_done(t);
	}
}

/*
 * Start a task that takes the orders above, and have it touch everything that
 * it needs: from then on it takes the faults that were ordered, and no others.
 */
static inline int pc_warm(struct pc_task *t)
{
	return pc_tell(t, PC_WARM) ? -1 : pc_tell(t, PC_WARM);
}

static inline int pc_spawn_warm(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	return pc_spawn(t, fn, arg) ? -1 : pc_warm(t);
}

/* In the task: answer orders on the CPU t->arg. The master hands the CPU over with each. */
static inline void pc_echo(struct pc_task *t)
{
	pc_pin(t->arg);
	while (pc_await(t))
		pc_done(t);
}

/* In the master: switch to a task that runs pc_echo() on this CPU and back, n times. */
static inline void pc_switch(struct pc_task *t, int n)
{
	for (int i = 0; i < n; i++)
		pc_tell(t, 'e');
}

/* The same on one CPU, and warm there. */
static inline int pc_spawn_on(struct pc_task *t, int cpu, void (*fn)(struct pc_task *t), long arg)
{
	if (pc_spawn(t, fn, arg) || pc_pin_task(t->pid, cpu))
		return -1;
	return pc_warm(t);
}

/* Orders a worker to take its faults n times, one time after the other. */
static inline int pc_work_times(struct pc_task *t, int n)
{
	while (n--)
		if (pc_tell(t, PC_WORK))
			return -1;
	return 0;
}

/* Orders n workers to take their faults, all of them at the same time. */
static inline int pc_work_all(struct pc_task *t, int n)
{
	int bad = 0;

	for (int i = 0; i < n; i++)
		bad |= pc_order(&t[i], PC_WORK);
	for (int i = 0; i < n; i++)
		bad |= pc_reply(&t[i]);
	return bad;
}

static inline int pc_thread_warm(struct pc_task *t, void (*fn)(struct pc_task *t), long arg)
{
	return pc_thread(t, fn, arg) ? -1 : pc_warm(t);
}

/*
 * The same after exec: a program's main() calls pc_exec_entry() first, and
 * pc_exec() in a task replaces it by a worker that keeps its end of the pipe.
 */
static inline void pc_exec(struct pc_task *t)
{
	char fd[16], arg[16];

	snprintf(fd, sizeof(fd), "%d", t->child_end);
	snprintf(arg, sizeof(arg), "%ld", t->arg);
	execl("/proc/self/exe", "worker", "--worker", fd, arg, NULL);
	_exit(1);
}

static inline void pc_exec_entry(int argc, char **argv)
{
	struct pc_task t = {};

	if (argc != 4 || strcmp(argv[1], "--worker"))
		return;
	t.pid = getpid();
	t.child_end = atoi(argv[2]);
	t.arg = atol(argv[3]);
	pc_done(&t);
	pc_worker(&t);
	_exit(0);
}

/* A worker that turns itself into another program at the first order. */
static inline void pc_exec_worker(struct pc_task *t)
{
	if (pc_await(t))
		pc_exec(t);
}

#endif /* PC_WORK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work whose events are known in advance: page faults, CPU time, and tasks that carry out orders
 * and answer each of them.
 *
 * No function here sleeps so that something can happen meanwhile: a task waits for a byte in a
 * socket, or for the end of a child.
 */
#ifndef PC_WORK_H
#define PC_WORK_H

#include <pthread.h>
#include <sys/socket.h>

#include "pc.h"

/* The size of a page, in bytes. */
static inline long pc_page(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* Map new pages: the first access to each is one minor fault. Returns NULL on failure. */
char *pc_fresh(int pages);

static inline char pc_load(const char *place)
{
	return __atomic_load_n(place, __ATOMIC_RELAXED);
}

/* Write one byte to every page, in ascending order. */
static inline void pc_touch(char *map, int pages)
{
	long page = pc_page();

	for (int i = 0; i < pages; i++)
		__atomic_store_n(map + i * page, 1, __ATOMIC_RELAXED);
}

/* Pages that a loop of page faults holds at a time: 16 MiB of pages of 64 KiB. */
#define PC_HELD_PAGES 256

/*
 * Take a page fault for each of @pages pages, in ascending order. @touch(place, n) writes to n
 * pages. The loop gives the pages back in chunks: when memory runs short, the kernel drops the
 * pages of the test's own code, and these fault again.
 */
#define PC_FAULTS(touch, map, pages)					\
	for (int _done = 0, _n, _all = (pages); _done < _all; _done += _n) { \
		char *_place = (map) + _done * pc_page();		\
									\
		_n = _all - _done;					\
		if (_n > PC_HELD_PAGES)					\
			_n = PC_HELD_PAGES;				\
		touch(_place, _n);					\
		if (_n == PC_HELD_PAGES)				\
			madvise(_place, _n * pc_page(), MADV_DONTNEED);	\
	}

/*
 * Take exactly @pages page faults. Call pc_faults() once before the measurement, so that its code
 * and its stack are in memory.
 */
void pc_faults(int pages);

/*
 * Take page faults while a counter is enabled. Returns the address of the pages, which are not
 * mapped any more.
 */
char *pc_count_faults(int fd, int pages);

/* Store the first @max CPUs that this task may use. Returns their number. */
int pc_cpus(int *cpus, int max);

int pc_pin_task(pid_t pid, int cpu);

int pc_pin(int cpu);

/* Take a CPU online or offline. Returns 0 or -1. */
int pc_cpu_online(int cpu, int on);

/*
 * The main function of a thread that takes the CPU args[0] offline and online until args[1] is
 * set. Returns NULL, or a description of a failure.
 */
void *pc_plug_for_ever(void *arg);

/* The time of a clock, in nanoseconds. */
__u64 pc_clock(clockid_t clock);

/* Loop until the calling thread has used @ns more nanoseconds of CPU time. */
void pc_burn(__u64 ns);

/*
 * A task that carries out orders of one byte and answers each with one byte. The task and the
 * test each see the end of file when the other one ends.
 */
struct pc_task {
	pid_t pid;		/* process, or thread id of a thread */
	pthread_t thread;
	int parent_end;
	int child_end;
	void (*fn)(struct pc_task *t);
	long arg;
};

/* In the task: wait for an order. Returns 0 at the end of file. */
char pc_await(struct pc_task *t);

/* In the task: answer an order. */
void pc_done(struct pc_task *t);

/* In the test: give an order. Returns 0 or -1. */
int pc_order(struct pc_task *t, char order);

/* In the test: wait for an answer. Returns 0 or -1. */
int pc_reply(struct pc_task *t);

/* In the test: give an order and wait for the answer. Returns 0 or -1. */
int pc_tell(struct pc_task *t, char order);

/* Create the two ends of a task's socket. Returns 0 or -1. */
int pc_task_pipes(struct pc_task *t);

/* Start a process that runs fn() and exits with status 0 when fn() returns. Returns 0 or -1. */
int pc_spawn(struct pc_task *t, void (*fn)(struct pc_task *t), long arg);

/* The main function of the thread of a struct pc_task. */
void *pc_thread_main(void *arg);

/* Start a thread that runs fn(). Its thread id is in t->pid afterwards. Returns 0 or -1. */
int pc_thread(struct pc_task *t, void (*fn)(struct pc_task *t), long arg);

/*
 * Tell a process to end and wait for it. Returns its wait status, or -1. The socket is shut down:
 * tasks that were started later hold copies of the test's end, so that a close() alone would not
 * reach the process.
 */
int pc_reap(struct pc_task *t);

/* Tell a thread to end and wait for it. Returns 0 or -1. */
int pc_join(struct pc_task *t);

/* Orders of pc_worker(). */
enum {
	PC_WARM = 'w',		/* run the code of the other orders once */
	PC_WORK = 'f',		/* take t->arg page faults */
	PC_BURN = 'b',		/* use t->arg microseconds of CPU time */
};

/* In the task: carry out one of these orders; the caller answers it. */
void pc_obey(struct pc_task *t, char order);

/* The main function of a task that takes page faults or uses CPU time as ordered. */
void pc_worker(struct pc_task *t);

/*
 * Have a task run all of its code and touch its stack: from then on it takes the page faults that
 * are ordered and no others. Returns 0 or -1.
 */
int pc_warm(struct pc_task *t);

/* Start a process as pc_spawn() does, and call pc_warm(). Returns 0 or -1. */
int pc_spawn_warm(struct pc_task *t, void (*fn)(struct pc_task *t), long arg);

/* Start a process as pc_spawn() does, pin it to a CPU, and call pc_warm(). Returns 0 or -1. */
int pc_spawn_on(struct pc_task *t, int cpu, void (*fn)(struct pc_task *t), long arg);

/* Start a thread as pc_thread() does, and call pc_warm(). Returns 0 or -1. */
int pc_thread_warm(struct pc_task *t, void (*fn)(struct pc_task *t), long arg);

/*
 * The main function of a task that runs on the CPU t->arg and answers orders. On this CPU each
 * answer causes a context switch.
 */
void pc_echo(struct pc_task *t);

/* In the test: switch to a task that runs pc_echo() on this CPU and back, @n times. */
void pc_switch(struct pc_task *t, int n);

/* Order a worker @n times to take its page faults. Returns 0 or -1. */
int pc_work_times(struct pc_task *t, int n);

/* Order @n workers to take their page faults at the same time. Returns 0 or -1. */
int pc_work_all(struct pc_task *t, int n);

/*
 * In a task: execute this program again as a worker that keeps its end of the socket. The main()
 * of such a program calls pc_exec_entry() first.
 */
void pc_exec(struct pc_task *t);

/* Run the worker of pc_exec(); returns if the program was started in another way. */
void pc_exec_entry(int argc, char **argv);

/* The main function of a task that calls pc_exec() at the first order. */
void pc_exec_worker(struct pc_task *t);

/*
 * Wait until a task is in a state of /proc that it leaves only when it is told to. Returns false if
 * the task has exited.
 */
bool pc_wait_for_state(pid_t pid, char state);

/*
 * Wait until a task that is about to sleep has left its CPU. A task in the state "sleeping" still
 * runs for a short time, or for as long as the host stops its CPU. Returns false on failure.
 */
bool pc_wait_for_sleep(pid_t pid);

#endif /* PC_WORK_H */

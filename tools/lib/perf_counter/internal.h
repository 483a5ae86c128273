/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interfaces between the files of libperf_counter. The files depend on one
 * another only downward in this list: region.c, set.c, events.c, error.c, then
 * clock.c and syscall.c.
 */
#ifndef PC_INTERNAL_H
#define PC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "perf_counter.h"

/* The size of a buffer for the name of a counter with its modifiers. */
#define PC_NAME_SIZE 48

/*
 * The size of a buffer for an attr. The fields at its start are those of every
 * kernel header since Linux 2.6.31.
 */
#define PC_ATTR_ROOM 256

/* An attr; attr.size bytes are valid. */
union pc_attr {
	struct perf_event_attr	attr;
	char			bytes[PC_ATTR_ROOM];
};

/**
 * struct pc_set - counters of a thread, opened as one group
 * @nr: number of counters
 * @interface: system call with which they were opened
 * @shared: the counters are inherited, and each thread may read its own
 * @registers: all counters use the PMU, and reading them by register is allowed
 * @owner: thread that opened the set, see thread_here()
 * @pid: process of that thread
 * @pages: user pages, one after the other, if @registers
 * @clocked: @mult and @shift come from the kernel
 * @mult: factor from time stamps to ns, before the shift
 * @shift: right shift from time stamps times @mult to ns
 * @stamp: time stamp at the opening of the set, to measure @mult
 * @ns: CLOCK_MONOTONIC at @stamp
 * @measured: ns since @stamp over which @mult was measured
 * @fd: descriptors
 * @name: names
 */
struct pc_set {
	unsigned int		nr;
	enum pc_interface	interface;
	bool			shared;
	bool			registers;
	const void		*owner;
	pid_t			pid;
	char			*pages;
	bool			clocked;
	__u64			mult;
	unsigned int		shift;
	__u64			stamp;
	__u64			ns;
	__u64			measured;
	int			fd[PC_MAX];
	char			name[PC_MAX][PC_NAME_SIZE];
};

/*
 * Return an address that identifies the calling thread: no other living thread
 * has the same address.
 */
const void *thread_here(void);

#ifndef __printf
#define __printf(string, first) __attribute((format(printf, string, first)))
#endif

/* Set the text of pc_error(), and errno to @error. Return: -1. */
__printf(2, 3) int fail(int error, const char *format, ...);
int explain(int error, const char *name, const char *reason, const char *remedy);
void no_error(void);

/**
 * event_parse() - parse a name
 * @name: event with modifiers, not longer than PC_NAME_SIZE - 1
 * @attr: receives the event; must be all zeros before the call
 *
 * Return: 0, or the value of fail().
 */
int event_parse(const char *name, struct perf_event_attr *attr);

/**
 * explain_open() - set the text of pc_error() for a counter that the kernel
 *	refused
 * @error: errno
 * @set: set with the counters opened before
 * @name: name of the counter
 * @attr: attr of the counter
 *
 * Return: -1, with errno set to @error.
 */
int explain_open(int error, const struct pc_set *set, const char *name,
		 const struct perf_event_attr *attr);

/* Open a counter. Return: a descriptor, or -1 with errno set. */
int counter_open(enum pc_interface interface, const struct perf_event_attr *attr, int group_fd);

/* Read the counts of a set by read(2). Return: 0, or the value of fail(). */
int set_read(const struct pc_set *set, struct pc_values *values);

/*
 * Read the counts of the calling thread, which is the owner or uses a shared set,
 * by a system call. Return: 0, or the value of fail().
 */
int set_read_self(const struct pc_set *set, struct pc_values *values);

#if PC_HAS_REGISTERS
static inline __u64 time_stamp(void)
{
	struct pc_pair pair;

	pc_read_clock(&pair);
	return pc_pair_value(&pair);
}
#endif

/* Convert @cycles of the time stamp counter to ns. */
__u64 set_ns(struct pc_set *set, __u64 cycles);

/*
 * Note the time at which a set is opened, to measure the rate of time stamps
 * later.
 */
void set_clock_init(struct pc_set *set);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of libperf_counter know of one another.
 */
#ifndef PC_INTERNAL_H
#define PC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "perf_counter.h"

/* A name that a counter is called by, and room for its modifiers. */
#define PC_NAME_SIZE 48

/* Bytes of an attr that any kernel's header has had since 2.6.31: for types and names. */
#define PC_ATTR_ROOM 256

/* What to count, in as many bytes as its size says. */
union pc_attr {
	struct perf_event_attr	attr;
	char			bytes[PC_ATTR_ROOM];
};

/**
 * struct pc_set - counters of a thread, opened as one group
 * @nr: counters
 * @interface: the system call they were opened with
 * @registers: all of them are counters of the PMU that may be read by register
 * @owner: of the thread that opened them; see thread_here()
 * @pid: of its process
 * @pages: their control pages, one after the other, if @registers
 * @clocked: @mult and @shift are the kernel's
 * @mult: ns of a time stamp are its product with this,
 * @shift: divided by two to the power of this
 * @stamp: time stamp when the set was opened, to find @mult from
 * @ns: CLOCK_MONOTONIC then
 * @measured: ns from then on that @mult was found from
 * @fd: descriptors
 * @name: names
 */
struct pc_set {
	unsigned int		nr;
	enum pc_interface	interface;
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

/* An address that no other thread that lives has. */
const void *thread_here(void);

#ifndef __printf
#define __printf(string, first) __attribute((format(printf, string, first)))
#endif

/* Have pc_error() say so. Return: -1, with errno @error. */
__printf(2, 3) int fail(int error, const char *format, ...);
int explain(int error, const char *name, const char *reason, const char *remedy);
void no_error(void);

/**
 * event_parse() - what a name says
 * @name: an event with modifiers, not longer than PC_NAME_SIZE - 1
 * @attr: all zero; gets what to count
 *
 * Return: 0, or -1 as fail().
 */
int event_parse(const char *name, struct perf_event_attr *attr);

/**
 * explain_open() - have pc_error() say why the kernel does not open a counter
 * @error: errno
 * @set: the set it was to belong to, with those that are open
 * @name: its name
 * @attr: its attr
 *
 * Return: -1, with errno @error.
 */
int explain_open(int error, const struct pc_set *set, const char *name,
		 const struct perf_event_attr *attr);

/* The system call. Return: a descriptor, or -1 with errno set. */
int counter_open(enum pc_interface interface, const struct perf_event_attr *attr, int group_fd);

/* The counts of a set by read(2). Return: 0, or -1 as fail(). */
int set_read(const struct pc_set *set, struct pc_values *values);

/* ns of @cycles of the time stamp counter. */
__u64 set_ns(struct pc_set *set, __u64 cycles);

/* A set has just been opened: what it takes to find out how fast time stamps go. */
void set_clock_init(struct pc_set *set);

#endif

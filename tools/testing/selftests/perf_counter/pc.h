/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libpc: the functions that the test programs share. This header has the functions that
 * open, control and read a counter; pc_test.h has the assertions and main().
 *
 * The tests use the ABI that perf_counter has in common with perf_events. With
 * PC_BACKEND=perf_event in the environment every call goes to perf_event_open(),
 * and a test that passes there shows what programs rely on today. A test of
 * something that only perf_counter does calls SKIP(return, PC_OURS) there.
 *
 * pc_enable(), pc_disable() and other code that runs while a counter is enabled is
 * inline: a function of the library may be on a page of the program that has to be
 * faulted in, and the counter would count this fault.
 */
#ifndef PC_H
#define PC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <linux/perf_counter.h>

#include "kselftest.h"

/* Headers of kernels before 6.0 lack this flag. */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST 0x10
#endif

/*
 * Seconds that a test may take: 120, times PC_TIMEOUT_SCALE. An emulated machine with all kernel
 * checks is a hundred times slower than a real one, and the limit only ends a test that hangs.
 */
unsigned int pc_timeout(void);

/* The number of rounds for a race: @n divided by PC_TIMEOUT_SCALE, and at least 1. */
int pc_rounds(int n);

/* True if the tests run on perf_events. */
bool pc_on_perf_event(void);

/* Open a counter; @attr may hold any bytes. Returns a descriptor, or -1 with errno. */
int pc_open_raw(void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);

/* Open a counter with PERF_COUNTER_FLAG_FD_CLOEXEC. Returns a descriptor, or -1 with errno. */
int pc_open(struct perf_counter_attr *attr, pid_t pid, int cpu, int group_fd);

/* Attributes of a software counter that begins disabled. */
struct perf_counter_attr pc_attr(__u64 config);

/* Open a software counter of the calling task; it begins disabled. */
int pc_open_self(__u64 config);

static inline int pc_enable(int fd)
{
	return ioctl(fd, PERF_COUNTER_IOC_ENABLE, 0);
}

static inline int pc_disable(int fd)
{
	return ioctl(fd, PERF_COUNTER_IOC_DISABLE, 0);
}

int pc_reset(int fd);

/* The id of a counter; 0 on failure. */
__u64 pc_id(int fd);

/* The value of a counter whose read_format is empty; all ones if read() fails. */
__u64 pc_value(int fd);

/* The number of missed events in a descriptor's /proc/PID/fdinfo; all ones if it has none. */
__u64 pc_missed(int fd);

/* The result of a read() with any read_format. Fields that the read_format lacks are zero. */
struct pc_values {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	struct {
		__u64 value;
		__u64 id;
		__u64 lost;
	} v[16];
};

/* Bytes that read() returns for a group of @nr counters, or for a single counter. */
size_t pc_read_size(__u64 format, int nr);

/*
 * Decode the counts in the result of a read() or in a sample. Returns their length in words, or -1
 * if there are counts of more than 16 counters.
 */
int pc_parse_values(const __u64 *words, __u64 format, struct pc_values *r);

/* Read and decode a counter. Returns the result of read(). */
ssize_t pc_read(int fd, __u64 format, struct pc_values *r);

/* Write @text to a file of procfs, sysfs or debugfs. Returns 0 or an errno. */
int pc_write_text(const char *path, const char *text);

/*
 * The path of a sysctl of the tested subsystem: /proc/sys/kernel/perf_counter_NAME or
 * perf_event_NAME.
 */
const char *pc_sysctl_path(const char *name);

/* The value of the sysctl at pc_sysctl_path(@name); LONG_MIN on failure. */
long pc_sysctl_read(const char *name);

/* Set the sysctl at pc_sysctl_path(@name). Returns 0 or an errno. */
int pc_sysctl_write(const char *name, long value);

#endif /* PC_H */

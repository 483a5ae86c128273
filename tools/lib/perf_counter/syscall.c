// SPDX-License-Identifier: GPL-2.0
/* The system calls that open counters. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#ifndef __NR_perf_counter_open
#define __NR_perf_counter_open 900
#endif

int counter_open(enum pc_interface interface, const struct perf_event_attr *attr, int group_fd)
{
	long nr = interface == PC_PERF_COUNTER ? __NR_perf_counter_open : __NR_perf_event_open;

	return syscall(nr, attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

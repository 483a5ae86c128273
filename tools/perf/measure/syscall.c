// SPDX-License-Identifier: GPL-2.0
/*
 * The system call that opens counters: perf_counter_open if the kernel has it, else
 * perf_event_open. PERF_SYSCALL in the environment overrides the choice. Both calls take the
 * same arguments and attr. The system's headers may be older than the kernel: attr.size tells
 * the kernel.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/util.h"
#include "syscall.h"

#include "../../../include/uapi/linux/perf_counter.h"

/*
 * The tool fills a perf_event_attr and the kernel reads a perf_counter_attr. Fields that only
 * one of the two headers has are beyond this size.
 */
#define ATTR_SIZE (sizeof(struct perf_event_attr) < sizeof(struct perf_counter_attr) ? \
		   sizeof(struct perf_event_attr) : sizeof(struct perf_counter_attr))
_Static_assert(offsetof(struct perf_event_attr, bp_type) ==
	       offsetof(struct perf_counter_attr, bp_type), "attr layouts differ");
_Static_assert(offsetof(struct perf_event_attr, sig_data) ==
	       offsetof(struct perf_counter_attr, sig_data), "attr layouts differ");

/*
 * Without an attr, a kernel that has the call returns EFAULT. A kernel without it, or a sandbox
 * that filters system calls, returns another error.
 */
bool syscall_has_perf_counter(void)
{
	return syscall(__NR_perf_counter_open, NULL, 0, -1, -1, 0) < 0 && errno == EFAULT;
}

/* Follow PERF_SYSCALL if it is set, or exit if that is impossible. */
static bool choose_perf_counter(void)
{
	const char *wanted = getenv("PERF_SYSCALL");
	bool has = syscall_has_perf_counter();

	if (wanted && !strcmp(wanted, "perf_event_open"))
		return false;
	if (wanted && strcmp(wanted, "perf_counter_open"))
		die("PERF_SYSCALL is '%s'; set it to perf_counter_open or perf_event_open", wanted);
	if (wanted && !has)
		die("PERF_SYSCALL is perf_counter_open, but this kernel does not have it; unset PERF_SYSCALL");
	return has;
}

/* Directory of the control group that is counted, or -1. */
static int cgroup_fd = -1;

/* System call that opens counters. */
static enum { UNKNOWN, PERF_EVENT_OPEN, PERF_COUNTER_OPEN } choice;

bool syscall_is_perf_counter(void)
{
	if (choice == UNKNOWN)
		choice = choose_perf_counter() ? PERF_COUNTER_OPEN : PERF_EVENT_OPEN;
	return choice == PERF_COUNTER_OPEN;
}

void syscall_announce(void)
{
	if (!syscall_is_perf_counter() && !getenv("PERF_SYSCALL"))
		fputs("perf: this kernel has no perf_counter_open, using perf_event_open\n",
		      stderr);
}

static bool raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_by(long nr, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	int fd;

	if (cgroup_fd >= 0 && pid == -1) {
		pid = cgroup_fd;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	attr->size = ATTR_SIZE;
	do {
		fd = syscall(nr, attr, pid, cpu, group_fd, flags);
	} while (fd < 0 && errno == EMFILE && raise_file_limit());
	return fd;
}

int syscall_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return open_by(syscall_is_perf_counter() ? __NR_perf_counter_open : __NR_perf_event_open,
		       attr, pid, cpu, group_fd);
}

void syscall_choose_cgroup(int fd)
{
	cgroup_fd = fd;
}

int syscall_open_perf_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return open_by(__NR_perf_event_open, attr, pid, cpu, group_fd);
}

/* Open an event with one system call and no options. Return: errno, or 0. */
static int answer_of(long nr, const struct perf_event_attr *attr)
{
	struct perf_event_attr ask = {
		.type = attr->type, .config = attr->config, .config1 = attr->config1,
		.config2 = attr->config2, .disabled = 1,
	};
	int fd = open_by(nr, &ask, 0, -1, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

bool syscall_is_perf_event_only(const struct perf_event_attr *attr)
{
	int answer;

	if (getenv("PERF_SYSCALL") || !syscall_is_perf_counter() ||
	    answer_of(__NR_perf_counter_open, attr) != ENOENT)
		return false;
	answer = answer_of(__NR_perf_event_open, attr);
	return answer != ENOENT && answer != ENOSYS;
}

int syscall_open_error(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall_open(attr, pid, cpu, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

bool syscall_accepts(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int error = syscall_open_error(attr, pid, cpu);

	errno = error;
	return !error || error == EACCES || error == EPERM;
}

bool syscall_can_count(const struct perf_event_attr *attr)
{
	struct perf_event_attr ask = {
		.type = attr->type, .config = attr->config, .config1 = attr->config1,
		.config2 = attr->config2, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};

	return syscall_accepts(&ask, 0, -1) || errno == EBUSY;
}

/* A counter that every user may open. It is used to test what the kernel supports. */
static const struct perf_event_attr harmless = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
};

int syscall_use_cgroup(int fd, struct error *err)
{
	struct perf_event_attr attr = harmless;

	cgroup_fd = fd;
	/*
	 * Use perf_event_open for groups of a hierarchy of version 1, and for older kernels, whose
	 * perf_counter_open refuses all groups.
	 */
	if (!syscall_is_perf_counter() || syscall_accepts(&attr, -1, -1))
		return 0;
	if (getenv("PERF_SYSCALL")) {
		error_set(err, "--cgroup: perf_counter_open does not count this control group: %s; unset PERF_SYSCALL",
			  errno == EBADF ? "it is not in a hierarchy of version 2" :
			  strerror(errno));
		return -1;
	}
	choice = PERF_EVENT_OPEN;
	return 0;
}

bool syscall_has_whole_machine(void)
{
	struct perf_event_attr attr = harmless;

	return syscall_is_perf_counter() && syscall_accepts(&attr, -1, -1);
}

bool syscall_has_subrings(void)
{
	struct perf_event_attr attr = harmless;

	attr_set_subrings(&attr, true);
	return syscall_is_perf_counter() && syscall_accepts(&attr, 0, -1);
}

void attr_set_subrings(struct perf_event_attr *attr, bool subrings)
{
	struct perf_counter_attr ours;

	memcpy(&ours, attr, ATTR_SIZE);
	ours.subrings = subrings;
	memcpy(attr, &ours, ATTR_SIZE);
}

bool syscall_has_munmap(void)
{
	struct perf_event_attr attr = harmless;

	attr.mmap = 1;
	attr.mmap2 = 1;
	attr_set_munmap(&attr);
	return syscall_is_perf_counter() && syscall_accepts(&attr, 0, -1);
}

void attr_set_munmap(struct perf_event_attr *attr)
{
	struct perf_counter_attr ours;

	memcpy(&ours, attr, ATTR_SIZE);
	ours.munmap = 1;
	memcpy(attr, &ours, ATTR_SIZE);
}

void attr_clear_extensions(struct perf_event_attr *attr)
{
	struct perf_counter_attr ours;

	memcpy(&ours, attr, ATTR_SIZE);
	ours.subrings = 0;
	ours.munmap = 0;
	memcpy(attr, &ours, ATTR_SIZE);
}

bool syscall_has_write_backward(void)
{
	struct perf_event_attr attr = harmless;

	attr.write_backward = 1;
	return syscall_accepts(&attr, 0, -1);
}

void syscall_finish_records(void)
{
	/*
	 * Records are written with preemption disabled, and membarrier() waits until each CPU
	 * has scheduled. A kernel with nohz_full CPUs refuses membarrier(); one record per CPU
	 * may be missed there.
	 */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

const char *perf_sysctl_name(const char *setting)
{
	static char name[64];

	snprintf(name, sizeof(name), "perf_%s_%s",
		 syscall_is_perf_counter() ? "counter" : "event", setting);
	return name;
}

bool perf_sysctl(const char *setting, long *value)
{
	char *path = xasprintf("/proc/sys/kernel/%s", perf_sysctl_name(setting));
	char *text = read_text_file(path, NULL);
	bool valid = false;
	char *end;

	if (text) {
		*value = strtol(text, &end, 10);
		valid = end != text;
	}
	free(text);
	free(path);
	return valid;
}

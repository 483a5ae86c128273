/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system call that opens counters: perf_counter_open if the kernel has it, else
 * perf_event_open. PERF_SYSCALL in the environment overrides the choice.
 */
#ifndef PERF_MEASURE_SYSCALL_H
#define PERF_MEASURE_SYSCALL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/util.h"

/* Return true if the kernel has perf_counter_open. */
bool syscall_has_perf_counter(void);

/**
 * syscall_is_perf_counter() - test whether counters are opened with perf_counter_open
 *
 * They are if the kernel has it and PERF_SYSCALL in the environment is not perf_event_open. The
 * answer of the kernel is cached.
 *
 * Return: true for perf_counter_open.
 */
bool syscall_is_perf_counter(void);

/**
 * syscall_use_cgroup() - find the system call for a control group, and choose the group
 * @fd: descriptor of its directory
 * @err: receives the reason of a failure
 *
 * If perf_counter_open refuses the group, perf_event_open opens all counters. The group is chosen
 * as by syscall_choose_cgroup().
 *
 * Return: 0; -1 with @err set if the user asked for perf_counter_open and it refuses the group.
 */
int syscall_use_cgroup(int fd, struct error *err);

/**
 * syscall_announce() - tell the user that the kernel has no perf_counter_open
 *
 * A command that opens counters calls this once if the user asks for details. Nothing is printed if
 * PERF_SYSCALL is set.
 */
void syscall_announce(void);

/**
 * syscall_open() - open a counter with the system call in use
 * @attr: event to count
 * @pid: task, 0 for the caller, -1 for all
 * @cpu: CPU, or -1 for any
 * @group_fd: descriptor of the group leader, or -1
 *
 * The soft limit on open files is raised to the hard limit when it is reached.
 *
 * Return: a close-on-exec descriptor, or -1 with errno set.
 */
int syscall_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);

/* Open a counter as syscall_open() does, but always with perf_event_open. */
int syscall_open_perf_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);

/*
 * From now on, counters of CPUs count only while a task of the control group runs that has this
 * descriptor; -1 stands for all tasks.
 */
void syscall_choose_cgroup(int fd);

/**
 * syscall_is_perf_event_only() - test whether only perf_event_open has an event
 * @attr: event; only its type and config matter
 *
 * Events of uncore PMUs, of energy and of IBS belong to perf_events; perf_counter_open fails
 * with ENOENT for them. If PERF_SYSCALL is set, the other system call is never used, and the
 * answer is false.
 *
 * Return: true if perf_event_open has the event and perf_counter_open has not.
 */
bool syscall_is_perf_event_only(const struct perf_event_attr *attr);

/* Try to open a counter. Return: the errno of the failure, or 0. */
int syscall_open_error(struct perf_event_attr *attr, pid_t pid, int cpu);

/*
 * Return true if a counter can be opened. A lack of permission counts as yes, because opening the
 * real counter reports it better. If the answer is no, errno has the reason.
 */
bool syscall_accepts(struct perf_event_attr *attr, pid_t pid, int cpu);

/*
 * Return true if this machine has the event, even if the caller lacks permission or the PMU is in
 * use. Only the fields of @attr that select the event matter.
 */
bool syscall_can_count(const struct perf_event_attr *attr);

/*
 * Return true if one descriptor can count the whole machine, which is possible only with
 * perf_counter_open.
 */
bool syscall_has_whole_machine(void);

/*
 * Return true if a mapping can have a ring per CPU, or per group of CPUs. struct perf_counter_attr
 * has a bit for this, but <linux/perf_event.h> lacks it.
 */
bool syscall_has_subrings(void);
/* Set or clear the bit for a ring per CPU. */
void attr_set_subrings(struct perf_event_attr *attr, bool subrings);

/*
 * Return true if the end of a mapping can be recorded. struct perf_counter_attr has a bit for this,
 * but <linux/perf_event.h> lacks it.
 */
bool syscall_has_munmap(void);
/* Set the bit that requests a MUNMAP record when a mapping ends. */
void attr_set_munmap(struct perf_event_attr *attr);
/*
 * Clear the two bits that <linux/perf_event.h> lacks. Call this before an attr is written to a
 * file.
 */
void attr_clear_extensions(struct perf_event_attr *attr);

/* Return true if a buffer can be written backward, so that it can be overwritten. */
bool syscall_has_write_backward(void);

/*
 * Wait for records that are being written. Counters that are disabled or whose output is paused
 * begin no further records. But an interrupt, perhaps the one that disabled the counter, may have
 * stopped the writing of a record halfway. That record is neither in the buffer nor lost.
 */
void syscall_finish_records(void);

/*
 * Compose the name of a sysctl: "paranoid" becomes perf_counter_paranoid or
 * perf_event_paranoid.
 */
const char *perf_sysctl_name(const char *setting);

/**
 * perf_sysctl() - read a sysctl of the subsystem in use
 * @setting: end of the name: "paranoid", "mlock_kb", "max_sample_rate"
 * @value: receives the value
 *
 * Return: true if it could be read.
 */
bool perf_sysctl(const char *setting, long *value);

#endif

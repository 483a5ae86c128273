/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which system call opens counters: perf_counter_open where the kernel has it,
 * perf_event_open elsewhere, or what PERF_SYSCALL in the environment says.
 */
#ifndef PERF_MEASURE_SYSCALL_H
#define PERF_MEASURE_SYSCALL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* Does this kernel have perf_counter_open? */
bool syscall_has_perf_counter(void);

/**
 * syscall_is_perf_counter() - is perf_counter_open what counters are opened with?
 *
 * It is if the kernel has it, and PERF_SYSCALL in the environment does not say
 * perf_event_open. The kernel is asked once.
 *
 * Return: true if it is.
 */
bool syscall_is_perf_counter(void);

/**
 * syscall_announce() - say that it is not, where the kernel has no perf_counter_open
 * @asked: say it to whoever reads stderr; else only to a terminal
 *
 * To be called once by a command that opens counters. Who set PERF_SYSCALL knows.
 */
void syscall_announce(bool asked);

/**
 * syscall_open() - open a counter with the system call that this kernel has
 * @attr: what to count
 * @pid: a task, 0 for the caller, -1 for all
 * @cpu: a CPU, or -1 for any
 * @group_fd: the leader's descriptor or -1
 *
 * The soft limit on open files is raised to the hard one when it is reached.
 *
 * Return: a close-on-exec descriptor, or -1 with errno set.
 */
int syscall_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);

/* The same with perf_event_open, whatever else is opened with. */
int syscall_open_perf_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd);

/**
 * syscall_is_perf_event_only() - ask whether perf_event_open alone has an event
 * @attr: the event; its type and config are looked at
 *
 * Events of uncore PMUs, of energy and of IBS are perf_events' alone. perf_counter_open says
 * ENOENT to them. With PERF_SYSCALL in the environment the answer is no: it says what is used.
 *
 * Return: true if so.
 */
bool syscall_is_perf_event_only(const struct perf_event_attr *attr);

/* Why it cannot be opened, as errno has it, or 0. */
int syscall_open_error(struct perf_event_attr *attr, pid_t pid, int cpu);

/*
 * Could it be opened? Without permission the answer is yes, and opening it tells more. If
 * the answer is no, errno says why.
 */
bool syscall_accepts(struct perf_event_attr *attr, pid_t pid, int cpu);

/*
 * Does this machine have the event? So it is where the caller lacks permission, or somebody else
 * has the PMU. Only what the event is matters in @attr, not how it is to be counted.
 */
bool syscall_can_count(const struct perf_event_attr *attr);

/* Can one descriptor count the whole machine? With perf_event_open it cannot. */
bool syscall_has_whole_machine(void);

/*
 * Can a mapping have a ring per CPU, or per few CPUs? Then struct
 * perf_counter_attr has a bit to ask for it, where <linux/perf_event.h> has none.
 */
bool syscall_has_subrings(void);
void attr_set_subrings(struct perf_event_attr *attr, bool subrings);

/*
 * Can the end of a mapping be recorded? There is a bit for it as well. Who sets one of
 * the two clears them before a perf_event_attr goes to those who do not know them.
 */
bool syscall_has_munmap(void);
void attr_set_munmap(struct perf_event_attr *attr);
void attr_clear_extensions(struct perf_event_attr *attr);

/* Can a buffer be written backward, and so be overwritten? */
bool syscall_has_write_backward(void);

/*
 * Wait for the records that are being written. Counters that are off, or whose
 * output is paused, begin no others; one that an interrupt, such as the one that
 * switched its counter off, holds up halfway is in no buffer and not lost either.
 */
void syscall_finish_records(void);

/* The /proc/sys/kernel name of a setting: "paranoid" is perf_counter_paranoid, ... */
const char *perf_sysctl_name(const char *setting);

/**
 * perf_sysctl() - the value of a setting
 * @setting: "paranoid", "mlock_kb", "max_sample_rate"
 * @value: gets it
 *
 * Return: whether it can be read.
 */
bool perf_sysctl(const char *setting, long *value);

#endif

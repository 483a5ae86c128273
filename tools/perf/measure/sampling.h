/* SPDX-License-Identifier: GPL-2.0 */
/* Options of sampling: the frequency, and the contents of samples. */
#ifndef PERF_MEASURE_SAMPLING_H
#define PERF_MEASURE_SAMPLING_H

#include <stdbool.h>
#include <time.h>

#include "events.h"

/**
 * struct sampling - sampling options of the user
 * @period: events per sample; 0 to sample by frequency
 * @freq: samples per second; 0 for the default, or the allowed maximum if that is less
 * @strict_freq: fail if @freq is more than the kernel allows
 * @freq_max: sample as often as the kernel allows
 * @callchain: samples have call chains
 * @lbr: call chains of user mode come from the hardware's record of calls, not from frame
 *	pointers
 * @user_stack: bytes of user stack in each sample, with the registers, for call chains by call
 *	frame information; a multiple of 8; 0 for none
 * @branches: PERF_SAMPLE_BRANCH_ bits of the branches in samples, unless an event has its own;
 *	0 for none
 * @more: further PERF_SAMPLE_ bits of samples
 * @intr_regs: registers in samples, as bits; 0 for none
 * @user_regs: registers of user mode in samples, as bits; 0 for none
 * @user_chains: call chains have only callers in user mode
 * @kernel_chains: call chains have only callers in the kernel
 * @only_user: events without modifiers count only user mode
 * @only_kernel: events without modifiers count only the kernel
 * @no_samples: events are counted and not sampled
 * @thread_counts: the counts of a thread are recorded when it exits
 * @cpu: samples have their CPU
 * @inherit: children of tasks are sampled, too
 * @overwrite: new samples overwrite the oldest
 * @apart: a separate event, which is never overwritten and enabled before the others are
 *	opened, records what tasks do
 * @data: record addresses of samples, and mappings that are not executable
 * @switches: record context switches
 * @namespaces: record the namespaces of tasks
 * @cgroups: record control groups, and the control group of each sample
 * @build_ids: mappings must have build-ids; otherwise they have them if the kernel can
 * @with_clock: take times from @clock, not from the kernel's default clock
 * @clock: clock id, CLOCK_*
 */
struct sampling {
	unsigned long long period;
	unsigned long freq;
	bool strict_freq;
	bool freq_max;
	bool callchain;
	bool lbr;
	unsigned int user_stack;
	__u64 branches;
	__u64 more;
	__u64 intr_regs;
	__u64 user_regs;
	bool user_chains;
	bool kernel_chains;
	bool only_user;
	bool only_kernel;
	bool no_samples;
	bool thread_counts;
	bool cpu;
	bool inherit;
	bool overwrite;
	bool apart;
	bool data;
	bool switches;
	bool namespaces;
	bool cgroups;
	bool build_ids;
	bool with_clock;
	clockid_t clock;
};

/* Maximum number of bytes of user stack in a sample. */
#define USER_STACK_MAX		65528
/* Default number of bytes of user stack in a sample. */
#define USER_STACK_DEFAULT	8192

/* Amount of messages about choices that the tool makes. */
enum loudness { QUIET, NORMAL, VERBOSE };

/**
 * sampling_add_default_event() - add the event to sample if the user names none
 * @s: sampling options
 * @events: receives cycles, or cpu-clock, which has no branches, if cycles cannot be sampled
 * @loudness: print a warning if the PMU is in use, unless QUIET; print one if there is no PMU,
 *	if VERBOSE
 * @err: receives the reason of a failure
 *
 * Return: 0 or an exit status.
 */
int sampling_add_default_event(const struct sampling *s, struct event_list *events,
			       enum loudness loudness, struct error *err);

/**
 * sampling_replace_cycles() - sample cpu-clock in the place of cycles on a machine without a PMU
 * @s: options; branches need the PMU, so that nothing is replaced with them
 * @events: events that the user named; an event of a group is not replaced
 * @loudness: a warning is printed unless it is QUIET
 */
void sampling_replace_cycles(const struct sampling *s, struct event_list *events,
			     enum loudness loudness);

/**
 * sampling_add_off_cpu() - add the event for time off the CPU, with call chains
 * @events: receives the event
 * @err: receives the reason of a failure
 *
 * Return: 0 or an exit status.
 */
int sampling_add_off_cpu(struct event_list *events, struct error *err);

/**
 * sampling_add_wall() - add events that say when, where and why threads stop and are woken up
 * @events: receives the event for time off the CPU if the kernel has it, otherwise tracepoints
 * @loudness: print a warning if wake-ups cannot be recorded, unless QUIET
 * @err: receives the reason of a failure
 *
 * Return: 0 or an exit status.
 */
int sampling_add_wall(struct event_list *events, enum loudness loudness, struct error *err);

/**
 * sampling_choose_freq() - choose the number of samples per second
 * @s: options; @freq is set
 * @err: receives the reason of a failure
 *
 * Return: 0, 1 if the frequency had to be lowered, or -1 with @err set.
 */
int sampling_choose_freq(struct sampling *s, struct error *err);

/**
 * sampling_prepare() - fill in the attrs of events
 * @s: options, with a frequency
 * @events: events
 * @err: receives the option that the kernel does not support, or a contradiction
 *
 * The first event records what tasks do (names, mappings, forks), or a separate event that is
 * added as the last one. Records that the user did not ask for are left out if the kernel lacks
 * them.
 *
 * Return: 0, or -1 with @err set.
 */
int sampling_prepare(const struct sampling *s, struct event_list *events, struct error *err);

/* The default number of recorded bytes of a string, and the maximum. */
#define SYSCALL_STRING_SIZE	256
#define SYSCALL_STRING_SIZE_MAX	1024

/**
 * sampling_add_strings() - record what arguments of system calls point to
 * @attr: attr of raw_syscalls:sys_enter, as sampling_prepare() leaves it
 * @size: number of bytes of each string; 0 for only addresses
 *
 * The records then have the ABI of the call, too (32 or 64 bits). If the kernel cannot record
 * strings, the samples get a register, because the ABI is recorded with registers.
 */
void sampling_add_strings(struct perf_event_attr *attr, size_t size);

/* Return true if mappings have build-ids. Call this after sampling_prepare(). */
bool sampling_has_build_ids(const struct event_list *events);

#endif

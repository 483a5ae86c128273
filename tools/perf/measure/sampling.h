/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How events are sampled: how often, and what a sample contains.
 */
#ifndef PERF_MEASURE_SAMPLING_H
#define PERF_MEASURE_SAMPLING_H

#include <stdbool.h>
#include <time.h>

#include "events.h"

/**
 * struct sampling - what the user wants
 * @period: events per sample; 0: by frequency
 * @freq: samples per second; 0: the default, or what is allowed if that is less
 * @freq_max: as many samples per second as are allowed
 * @callchain: with call chains
 * @lbr: those of user mode by the hardware's record of calls, not by frame pointers
 * @user_stack: those of user mode later, by call frame information: samples have the registers
 *	and so many bytes of the stack; a multiple of 8, 0: none
 * @branches: with these branches (PERF_SAMPLE_BRANCH_), unless an event says which; 0: none
 * @cpu: with the CPU that they were taken on
 * @inherit: of what tasks create, too
 * @overwrite: the oldest samples make room for new ones
 * @apart: what tasks do is recorded by an event of its own, which is never overwritten,
 *	and is on before the others are opened
 * @data: with mappings that are not executable, and the addresses of samples
 * @switches: with context switches
 * @namespaces: with the namespaces of tasks
 * @cgroups: with control groups, and those of samples
 * @build_ids: mappings must have build-ids instead of inodes; else where the kernel can
 * @with_clock: times are those of @clock, not the kernel's own
 * @clock: a CLOCK_
 */
struct sampling {
	unsigned long long period;
	unsigned long freq;
	bool freq_max;
	bool callchain;
	bool lbr;
	unsigned int user_stack;
	__u64 branches;
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

/* Bytes of stack that a sample has room for, and has unless the user says otherwise. */
#define USER_STACK_MAX		65528
#define USER_STACK_DEFAULT	8192

/* How much is said about decisions that nobody asked for. */
enum loudness { QUIET, NORMAL, VERBOSE };

/**
 * sampling_add_default_event() - add the event to sample when nobody says which
 * @s: what is wanted of it
 * @events: gets it: cycles, or where they cannot be sampled cpu-clock, which has no branches
 * @loudness: that the PMU is in use is said unless QUIET, that there is none if VERBOSE
 * @err: says why it failed
 *
 * Return: 0 or an exit status.
 */
int sampling_add_default_event(const struct sampling *s, struct event_list *events,
			       enum loudness loudness, struct error *err);

/**
 * sampling_add_off_cpu() - add the time for which tasks do not run, each with its call chain
 * @events: gets it
 * @err: says why it failed
 *
 * Return: 0 or an exit status.
 */
int sampling_add_off_cpu(struct event_list *events, struct error *err);

/**
 * sampling_choose_freq() - settle how many samples per second there are
 * @s: @freq is set
 * @err: says why there cannot be so many
 *
 * Return: 0, 1 when the default had to be lowered, or -1 with @err set.
 */
int sampling_choose_freq(struct sampling *s, struct error *err);

/**
 * sampling_prepare() - fill the attrs of events
 * @s: what is wanted, with a frequency
 * @events: the events
 * @err: says what the kernel does not do, or what is contradictory
 *
 * What tasks do (names, mappings, forks) comes with the first event, or apart from
 * the samples with another one that is added, the last. What nobody asked for, and
 * this kernel does not record, is left out.
 *
 * Return: 0, or -1 with @err set.
 */
int sampling_prepare(const struct sampling *s, struct event_list *events, struct error *err);

/* Whether mappings are recorded with build-ids, after sampling_prepare(). */
bool sampling_has_build_ids(const struct event_list *events);

#endif

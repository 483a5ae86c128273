/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples and call stacks of one recording, or of two that are compared, as tables.
 *
 * Functions are told apart by the facts that a reader sees: name, file and mode. So a function of
 * two recordings is one function.
 */
#ifndef PERF_HTML_PAGE_PROFILE_H
#define PERF_HTML_PAGE_PROFILE_H

#include "machine/machine.h"
#include "text_list.h"

/* The number of the stack that has no functions. */
#define NO_STACK 0

/**
 * struct page_frame - a function in call stacks
 * @name: number of its name, or of its address as text
 * @dso: number of the name of its file
 * @source: number of its source file; the text of number 0 is empty: unknown
 * @line: line of its beginning, or of an instruction if it is inlined; 0: unknown
 * @mode: enum cpu_mode
 */
struct page_frame {
	uint32_t name;
	uint32_t dso;
	uint32_t source;
	uint32_t line;
	enum cpu_mode mode;
};

/**
 * struct page_stack - a call stack: a function, and the stack of its callers
 * @caller: number of the stack of the callers, which is smaller than that of this stack
 * @frame: number of the function
 * @outermost: no caller is the same function
 */
struct page_stack {
	uint32_t caller;
	uint32_t frame;
	bool outermost;
};

/**
 * struct page_sample - a sample
 * @time: time in ns of the recording's clock
 * @period: period
 * @cpu: CPU
 * @thread: number of the thread
 * @event: number of the name of the event
 * @stack: number of the call stack
 * @cgroup: number of the control group; the text of number 0 is empty: unknown
 * @reason: number of the reason for being off the CPU; the text of number 0 is empty: none
 */
struct page_sample {
	uint64_t time;
	uint64_t period;
	uint32_t cpu;
	uint32_t thread;
	uint32_t event;
	uint32_t stack;
	uint32_t cgroup;
	uint32_t reason;
};

/**
 * struct page_thread - a thread under one name
 * @pid: process
 * @tid: thread
 * @comm: number of the name
 */
struct page_thread {
	uint32_t pid;
	uint32_t tid;
	uint32_t comm;
};

/**
 * struct page_recording - a recording
 * @path: path of the file
 * @command: command line, or NULL
 * @host: name of the machine, or NULL
 * @release: release of the kernel, or NULL
 * @cpu: description of the CPU, or NULL
 * @date: time when the file was written, in seconds since 1970; 0: unknown
 * @lost: number of lost samples
 * @samples: samples in the order of time
 * @nr: number of @samples
 * @room: allocated number of @samples
 */
struct page_recording {
	char *path;
	char *command;
	char *host;
	char *release;
	char *cpu;
	uint64_t date;
	uint64_t lost;
	struct page_sample *samples;
	size_t nr;
	size_t room;
};

/* Maximum number of recordings in a profile. */
#define PAGE_RECORDINGS 2

/**
 * struct page_profile - the tables
 * @names: names of functions, and addresses without a name
 * @dsos: names of files with code
 * @sources: source files
 * @comms: names of threads
 * @events: names of events
 * @cgroups: paths of control groups
 * @reasons: reasons for being off the CPU
 * @frames: functions
 * @nr_frames: number of @frames
 * @frames_room: allocated number of @frames
 * @frame_numbers: numbers of @frames by name, file and mode
 * @located: numbers of @frames by symbol, or address, of the latest recording
 * @stacks: call stacks; NO_STACK is the first one
 * @nr_stacks: number of @stacks
 * @stacks_room: allocated number of @stacks
 * @stack_numbers: numbers of @stacks by caller and function
 * @threads: threads
 * @nr_threads: number of @threads
 * @threads_room: allocated number of @threads
 * @thread_numbers: numbers of @threads by contents
 * @recordings: recordings; a baseline is the first one
 * @nr_recordings: number of @recordings
 */
struct page_profile {
	struct text_list names;
	struct text_list dsos;
	struct text_list sources;
	struct text_list comms;
	struct text_list events;
	struct text_list cgroups;
	struct text_list reasons;
	struct page_frame *frames;
	uint32_t nr_frames;
	uint32_t frames_room;
	struct hash_table frame_numbers;
	struct hash_table located;
	struct page_stack *stacks;
	uint32_t nr_stacks;
	uint32_t stacks_room;
	struct hash_table stack_numbers;
	struct page_thread *threads;
	uint32_t nr_threads;
	uint32_t threads_room;
	struct hash_table thread_numbers;
	struct page_recording recordings[PAGE_RECORDINGS];
	size_t nr_recordings;
};

void page_profile_init(struct page_profile *profile);

/* Begin a recording, to which the following samples belong. */
void page_profile_add_recording(struct page_profile *profile, const struct session *session);

/* Note what the session knows only after its last record. */
void page_profile_end_recording(struct page_profile *profile, const struct session *session);

/**
 * page_profile_add_stack() - Find or make a call stack
 * @profile: profile
 * @frames: functions, the innermost first
 * @nr: number of @frames
 *
 * Return: The number of the stack.
 */
uint32_t page_profile_add_stack(struct page_profile *profile, const struct location *frames,
				size_t nr);

/**
 * page_profile_add_sample() - Add a sample to the latest recording
 * @profile: profile
 * @session: recording
 * @record: sample
 * @stack: number of its call stack
 */
void page_profile_add_sample(struct page_profile *profile, struct session *session,
			     const struct record *record, uint32_t stack);

void page_profile_free(struct page_profile *profile);

#endif

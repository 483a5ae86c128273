/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a recording in tables, as the formats of other programs have them.
 *
 *	sample -> thread, event, control group
 *	  `-> stack -> parent stack ...
 *	        `-> location -> file, with its build-id
 *	              `-> frame, one for each inlined function -> function, source file
 *
 * Each element exists once, has a number, which counts from 0 in its table, and is never changed
 * or removed. Memory grows with the number of different stacks and, if the samples are kept one by
 * one, with the number of samples (struct profile_sample).
 */
#ifndef PERF_EXPORT_PROFILE_H
#define PERF_EXPORT_PROFILE_H

#include "file/file.h"
#include "machine/machine.h"
#include "util/util.h"

/* The name of a function or file that is not known. */
#define PROFILE_UNKNOWN "[unknown]"

/**
 * struct profile_string - a text: UTF-8 without control characters
 * @node: node in the table, by @text
 * @id: index in its table
 * @text: text
 */
struct profile_string {
	struct hash_node node;
	uint32_t id;
	char text[];
};

/**
 * struct profile_file - a file, or another thing that contains code
 * @node: node in the table, by @dso
 * @id: index in its table
 * @dso: dso; NULL stands for code outside all mappings
 * @name: base name, or "[something]"
 * @path: path as recorded, or "[something]"
 * @build_id: build-id in hexadecimal digits, or the empty string
 */
struct profile_file {
	struct hash_node node;
	uint32_t id;
	const struct dso *dso;
	const struct profile_string *name;
	const struct profile_string *path;
	const struct profile_string *build_id;
};

/**
 * struct profile_function - a function
 * @node: node in the table, by the members below
 * @id: index in its table
 * @name: name to show
 * @system_name: name in the file, perhaps mangled
 * @file: file with the code
 * @source: source file, or the empty string
 * @known: false if @name is PROFILE_UNKNOWN because the function is not known
 */
struct profile_function {
	struct hash_node node;
	uint32_t id;
	const struct profile_string *name;
	const struct profile_string *system_name;
	const struct profile_file *file;
	const struct profile_string *source;
	bool known;
};

/**
 * struct profile_frame - a function at a location
 * @function: function, whose source file has @line
 * @line: source line; 0 if it is not known
 */
struct profile_frame {
	const struct profile_function *function;
	uint32_t line;
};

/**
 * struct profile_location - an instruction
 * @node: node in the table, by @file, @address, @mode and the name of the outermost frame
 * @id: index in its table
 * @file: file with the code
 * @address: address in the ELF file, or in memory if there is none; of a call, an address in the
 *	call instruction
 * @offset: distance of @address from the start of the function in the symbol table; 0 without one
 * @mode: mode of the CPU
 * @nr: number of @frames, at least 1
 * @frames: functions that are inlined here, the innermost first, and the function that has the code
 */
struct profile_location {
	struct hash_node node;
	uint32_t id;
	const struct profile_file *file;
	uint64_t address;
	uint64_t offset;
	enum cpu_mode mode;
	uint32_t nr;
	struct profile_frame frames[];
};

/**
 * struct profile_stack - a call chain
 * @node: node in the table, by @parent and @location
 * @id: index in its table; larger than that of @parent
 * @depth: number of locations in the chain
 * @parent: chain of the caller, or NULL
 * @location: innermost location
 */
struct profile_stack {
	struct hash_node node;
	uint32_t id;
	uint32_t depth;
	const struct profile_stack *parent;
	const struct profile_location *location;
};

/**
 * struct profile_thread - a thread under one of its names
 * @node: node in the table, by @pid, @tid and @comm
 * @id: index in its table
 * @pid: process
 * @tid: thread
 * @comm: name
 */
struct profile_thread {
	struct hash_node node;
	uint32_t id;
	uint32_t pid;
	uint32_t tid;
	const struct profile_string *comm;
};

/**
 * struct profile_event - an event of the recording
 * @name: name
 * @unit: "nanoseconds", or "count"
 * @nr: number of samples
 * @weight: sum of the weights of the samples
 */
struct profile_event {
	const struct profile_string *name;
	const char *unit;
	uint64_t nr;
	uint64_t weight;
};

/* The CPU of a sample that has none. */
#define PROFILE_NO_CPU UINT32_MAX

/**
 * struct profile_sample - a sample, or the sum of equal ones
 * @node: node in the table of sums, by @stack, @thread and @event
 * @id: index in its table
 * @stack: call chain
 * @thread: thread
 * @cgroup: control group, or NULL
 * @time: time in ns; of a sum, that of the first sample
 * @weight: period
 * @nr: number of samples
 * @cpu: CPU, or PROFILE_NO_CPU
 * @event: number of the event
 */
struct profile_sample {
	struct hash_node node;
	uint32_t id;
	const struct profile_stack *stack;
	const struct profile_thread *thread;
	const struct profile_string *cgroup;
	uint64_t time;
	uint64_t weight;
	uint64_t nr;
	uint32_t cpu;
	uint32_t event;
};

/**
 * struct profile_switch - a context switch
 * @thread: thread
 * @time: time in ns
 * @cpu: CPU, or PROFILE_NO_CPU
 * @out: true if the thread leaves the CPU
 * @preempted: true if it leaves the CPU although it could run
 */
struct profile_switch {
	const struct profile_thread *thread;
	uint64_t time;
	uint32_t cpu;
	bool out;
	bool preempted;
};

/**
 * struct profile_step - a frame of a call chain
 * @at: location
 * @frame: frame of the location
 */
struct profile_step {
	const struct profile_location *at;
	const struct profile_frame *frame;
};

/* Elements of a table by their numbers. */
struct profile_table {
	struct hash_table table;
	void **list;
	uint32_t nr;
	uint32_t room;
};

/**
 * struct profile - the tables
 * @with_lines: look up source lines
 * @with_times: keep each sample and context switch; false: add up equal samples
 * @recorded: end of the recording by the clock of the wall, in ns since 1970; 0: unknown
 * @first_time: time of the first sample, in ns of the recording's clock
 * @last_time: time of the last sample
 * @strings: struct profile_string
 * @files: struct profile_file
 * @functions: struct profile_function
 * @locations: struct profile_location
 * @stacks: struct profile_stack
 * @threads: struct profile_thread
 * @samples: struct profile_sample in the order of time, or of the first one of each sum
 * @switches: context switches in the order of time
 * @nr_switches: number of @switches
 * @switches_room: allocated number of @switches
 * @events: events by their number in the recording
 * @nr_events: number of @events
 * @chain: chain of the current sample
 * @steps: result of profile_steps()
 * @steps_room: allocated number of @steps
 */
struct profile {
	bool with_lines;
	bool with_times;
	uint64_t recorded;
	uint64_t first_time;
	uint64_t last_time;
	struct profile_table strings;
	struct profile_table files;
	struct profile_table functions;
	struct profile_table locations;
	struct profile_table stacks;
	struct profile_table threads;
	struct profile_table samples;
	struct profile_switch *switches;
	size_t nr_switches;
	size_t switches_room;
	struct profile_event *events;
	size_t nr_events;
	struct callchain chain;
	struct profile_step *steps;
	size_t steps_room;
};

static inline const struct profile_string *profile_string(const struct profile *p, uint32_t id)
{
	return p->strings.list[id];
}

static inline const struct profile_file *profile_file(const struct profile *p, uint32_t id)
{
	return p->files.list[id];
}

static inline const struct profile_function *profile_function(const struct profile *p, uint32_t id)
{
	return p->functions.list[id];
}

static inline const struct profile_location *profile_location(const struct profile *p, uint32_t id)
{
	return p->locations.list[id];
}

static inline const struct profile_stack *profile_stack(const struct profile *p, uint32_t id)
{
	return p->stacks.list[id];
}

static inline const struct profile_thread *profile_thread(const struct profile *p, uint32_t id)
{
	return p->threads.list[id];
}

static inline const struct profile_sample *profile_sample(const struct profile *p, uint32_t id)
{
	return p->samples.list[id];
}

/* Return the time of the first sample in ns since 1970, or 0 if it is unknown. */
static inline uint64_t profile_begin_time(const struct profile *p)
{
	uint64_t duration = p->last_time - p->first_time;

	return p->recorded > duration ? p->recorded - duration : 0;
}

/* Return true if the code is that of the kernel. */
static inline bool profile_in_kernel(const struct profile_location *at)
{
	return at->mode == MODE_KERNEL || at->mode == MODE_GUEST_KERNEL;
}

const struct profile_string *profile_add_string(struct profile *p, const char *text);
void profile_add_sample(struct profile *p, struct session *session, const struct record *record);
void profile_add_switch(struct profile *p, struct session *session, const struct record *record);
int profile_main_event(const struct profile *p);
const struct profile_sample **profile_by_thread(const struct profile *p);
size_t profile_steps(struct profile *p, const struct profile_stack *stack);
void profile_free(struct profile *p);

#endif

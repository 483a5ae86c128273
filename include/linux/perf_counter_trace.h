/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: interface between kernel/trace/ and kernel/perf_counter/.
 *
 * For each tracepoint that is counted, perf_counter registers a trace_event_file of its own with
 * the probe that ftrace has for the event. So no event needs additional code. When the probe calls
 * ftrace (to ask whether the event is wanted, to reserve a record, to commit the record),
 * perf_counter answers for its own files. Those files have EVENT_FILE_FL_PERF_COUNTER set.
 */
#ifndef _LINUX_PERF_COUNTER_TRACE_H
#define _LINUX_PERF_COUNTER_TRACE_H

#include <linux/string.h>
#include <linux/trace_events.h>

struct perf_event_attr;
struct syscall_metadata;

/* Registers that an event has. */
enum perf_counter_trace_regs {
	PERF_COUNTER_TRACE_NO_REGS,	/* none; the event is at a place in the kernel */
	PERF_COUNTER_TRACE_TASK_REGS,	/* registers with which the task entered the kernel */
	PERF_COUNTER_TRACE_PROBE_REGS,	/* registers of a probe, which passes them on */
};

/**
 * struct perf_counter_tracepoint - a tracepoint that descriptors count
 * @file: trace_event_file that is registered with the probe
 * @id: id of the event in tracefs; for an event without one, a number above all ids in tracefs
 * @type: type of the event in its records
 * @regs: registers that the event has
 * @in_user: the event happens in user mode, and so do its registers
 * @weight: offset in a record of the number of events that the record stands for, 64 bits; 0: a
 *	record is one event
 * @syscall: the event is the entry of a system call
 * @for_all: users may record the event in their own tasks without privileges
 * @own: the event is a probe that was defined with its descriptor and is removed with it
 * @place: function or path of a probe with @own set; NULL for other events
 * @of_task: the probe with @own set belongs to the counter of a task
 * @users: number of descriptors
 * @node: link in the list of tracepoints in use; later in the list of those to be freed
 */
struct perf_counter_tracepoint {
	struct trace_event_file	file;
	u32			id;
	u32			weight;
	u16			type;
	enum perf_counter_trace_regs regs;
	bool			in_user;
	bool			syscall;
	bool			for_all;
	bool			own;
	bool			of_task;
	char			*place;
	unsigned int		users;
	struct list_head	node;
};

/* Tell whether a file belongs to perf_counter. Any context. */
static __always_inline bool perf_counter_trace_file(const struct trace_event_file *file)
{
	return IS_ENABLED(CONFIG_PERF_COUNTERS) &&
	       unlikely(file->flags & EVENT_FILE_FL_PERF_COUNTER);
}

/*
 * Attribute for the part of an ftrace function that handles files of ftrace. The function itself
 * only tests whether a file is perf_counter's, and otherwise jumps to this part. So files of ftrace
 * cost a test, but no saved registers. With frame pointers, gcc would make the jump a call, and
 * stack traces of ftrace would begin with one frame more than ftrace skips.
 */
#ifdef CONFIG_FRAME_POINTER
#define __ftrace_rest	__always_inline
#else
#define __ftrace_rest	noinline
#endif

/**
 * struct trace_perf_counter_loan - place of a probe, lent to perf_events
 * @place: function or path of the probe; NULL: none
 * @task: task that opens the event
 * @node: link in a list of trace_perf_counter.c
 */
struct trace_perf_counter_loan {
	const char		*place;
	struct task_struct	*task;
	struct list_head	node;
};

/* kernel/trace/trace_perf_counter.c */
struct perf_counter_tracepoint *trace_perf_counter_get(const struct perf_event_attr *attr,
						       bool task);
struct perf_counter_tracepoint *trace_perf_counter_get_probe(const struct perf_event_attr *attr,
							     bool user);
void trace_perf_counter_put(struct perf_counter_tracepoint *tracepoint);
int trace_perf_counter_filter(struct perf_counter_tracepoint *tracepoint, char *text,
			      struct event_filter **filter);
int trace_perf_counter_query_bpf(struct perf_counter_tracepoint *tracepoint, void __user *info);
void trace_perf_counter_free_filter(struct event_filter *filter);
void trace_perf_counter_lend(struct trace_perf_counter_loan *loan);
void trace_perf_counter_take_back(struct trace_perf_counter_loan *loan);

/* kernel/trace/trace_syscalls.c */

/* Return the number of the current system call; -1 for one of another ABI than the kernel's own. */
int trace_perf_counter_syscall_nr(struct pt_regs *regs);
/* Return the name and the parameters of a system call, or NULL. */
const struct syscall_metadata *trace_perf_counter_syscall(int nr);

/* kernel/perf_counter/source/tracepoint.c */
bool perf_counter_tracepoint_done(struct trace_event_file *file);
void *perf_counter_tracepoint_reserve(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len);
void perf_counter_tracepoint_commit(struct trace_event_buffer *fbuffer);

#if defined(CONFIG_PERF_COUNTERS) && defined(CONFIG_EVENT_TRACING)
extern unsigned int perf_counter_kprobe_type, perf_counter_uprobe_type;
bool perf_counter_trace_unwatched(const struct trace_event_file *file);
char *perf_counter_probe_string(u64 at, long size);

/*
 * Set the types that perf_events has given its PMUs kprobe and uprobe. Called at boot, before
 * initcalls.
 */
static inline void perf_counter_set_kprobe_type(unsigned int type)
{
	perf_counter_kprobe_type = type;
}

static inline void perf_counter_set_uprobe_type(unsigned int type)
{
	perf_counter_uprobe_type = type;
}
#else
static inline bool perf_counter_trace_unwatched(const struct trace_event_file *file)
{
	return false;
}

static inline char *perf_counter_probe_string(u64 at, long size)
{
	return strndup_user(u64_to_user_ptr(at), size);
}

static inline void perf_counter_set_kprobe_type(unsigned int type) { }
static inline void perf_counter_set_uprobe_type(unsigned int type) { }
#endif

#endif /* _LINUX_PERF_COUNTER_TRACE_H */

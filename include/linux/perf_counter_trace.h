/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: what kernel/trace/ and kernel/perf_counter/ have to do with one another.
 *
 * A tracepoint that somebody counts has a trace_event_file of perf_counter's own, which is
 * registered with the probe that ftrace has for the event already: no event gets code for
 * this. Whatever the probe asks of ftrace in turn (does nobody want it, room for a record,
 * the record is complete) is answered by perf_counter for files of its own: they say
 * EVENT_FILE_FL_PERF_COUNTER.
 */
#ifndef _LINUX_PERF_COUNTER_TRACE_H
#define _LINUX_PERF_COUNTER_TRACE_H

#include <linux/string.h>
#include <linux/trace_events.h>

struct perf_event_attr;
struct syscall_metadata;

/* Which registers an event has. */
enum perf_counter_trace_regs {
	PERF_COUNTER_TRACE_NO_REGS,	/* none; it has a place in the kernel */
	PERF_COUNTER_TRACE_TASK_REGS,	/* those that the task entered the kernel with */
	PERF_COUNTER_TRACE_PROBE_REGS,	/* those of a kprobe or uprobe; its probe hands them on */
};

/**
 * struct perf_counter_tracepoint - a tracepoint that descriptors count
 * @file: what the probe is registered with
 * @id: of the event, as tracefs has it; above all of these for one that it does not have
 * @type: of the event, as its records have it
 * @regs: which registers it has
 * @in_user: it is of user mode, as those are
 * @weight: where a record has the number of events that it stands for, 64 bits; 0: it is one
 * @syscall: it is the beginning of a system call
 * @for_all: everybody may have the records of what his own tasks do
 * @own: a probe that was defined with its descriptor, and goes with it
 * @place: of such a probe, the function or path that it was defined with; NULL: none
 * @of_task: and is of a task, which has its counter
 * @users: descriptors
 * @node: among those in use; later among those that wait to be freed
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

/* Is a file one of perf_counter's? Any context. */
static __always_inline bool perf_counter_trace_file(const struct trace_event_file *file)
{
	return IS_ENABLED(CONFIG_PERF_COUNTERS) &&
	       unlikely(file->flags & EVENT_FILE_FL_PERF_COUNTER);
}

/*
 * What a function of ftrace's does for files that are not perf_counter's. Apart from the test
 * for those, it costs them no saved registers: gcc ends the test with a jump. With frame
 * pointers gcc makes a call of that, and ftrace's stack traces would begin with one more frame
 * than ftrace skips.
 */
#ifdef CONFIG_FRAME_POINTER
#define __ftrace_rest	__always_inline
#else
#define __ftrace_rest	noinline
#endif

/**
 * struct trace_perf_counter_loan - the place of a probe, lent to perf_events
 * @place: function or path of the probe; NULL: none
 * @task: task that opens the event
 * @node: in a list of trace_perf_counter.c
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

/* The number of the current system call; -1 for one that is none of the kernel's own kind. */
int trace_perf_counter_syscall_nr(struct pt_regs *regs);
/* What it is called and takes, or NULL. */
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

/* perf_events has given its PMUs kprobe and uprobe these numbers. At boot, before initcalls. */
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints: interface between kernel/trace/ and kernel/perf_counter/.
 *
 * For each tracepoint, kprobe or uprobe that is counted, perf_counter registers a struct
 * trace_event_file of its own with the probe that ftrace has for the event. The file has
 * operations, which the probe calls where it would call ftrace otherwise: to ask whether the event
 * needs a record, to reserve memory for the record, and to commit the record. So no event needs
 * additional code. System calls have probes of perf_counter.
 */
#ifndef _LINUX_PERF_COUNTER_TRACE_H
#define _LINUX_PERF_COUNTER_TRACE_H

#include <linux/string.h>
#include <linux/trace_events.h>

struct perf_event_attr;
struct syscall_metadata;

/**
 * struct perf_counter_tracepoint - a tracepoint that descriptors count
 * @file: trace_event_file that is registered with the probe
 * @id: id of the event in tracefs; for an event without one, a number above all ids in tracefs
 * @type: type of the event in its records
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
	bool			in_user;
	bool			syscall;
	bool			for_all;
	bool			own;
	bool			of_task;
	char			*place;
	unsigned int		users;
	struct list_head	node;
};

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
extern const struct trace_event_file_ops perf_counter_trace_ops, perf_counter_trace_uprobe_ops;
bool perf_counter_tracepoint_done(struct trace_event_file *file, unsigned long ip,
				  struct pt_regs *regs);
void *perf_counter_tracepoint_reserve(struct trace_event_buffer *fbuffer,
				      struct trace_event_file *file, unsigned long len);
void perf_counter_tracepoint_commit(struct trace_event_buffer *fbuffer);

#if defined(CONFIG_PERF_COUNTERS) && defined(CONFIG_EVENT_TRACING)
extern unsigned int perf_counter_kprobe_type, perf_counter_uprobe_type;
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
static inline char *perf_counter_probe_string(u64 at, long size)
{
	return strndup_user(u64_to_user_ptr(at), size);
}

static inline void perf_counter_set_kprobe_type(unsigned int type) { }
static inline void perf_counter_set_uprobe_type(unsigned int type) { }
#endif

#endif /* _LINUX_PERF_COUNTER_TRACE_H */

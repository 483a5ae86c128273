// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints for perf_counter: an event is found by its id, and its probe registered,
 * once for all descriptors that count it. What happens when the event does is in
 * kernel/perf_counter/source/tracepoint.c.
 */

#include <linux/idr.h>
#include <linux/perf_counter_trace.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include "trace.h"
#include "trace_probe.h"

/* Those that are in use; and those whose probe may still be running. Both: event_mutex. */
static LIST_HEAD(used);
static LIST_HEAD(unregistered);

/* Ids of probes that tracefs does not have; its own are below, as records have 16 bits for them. */
static DEFINE_IDA(probe_ids);

static void destroy_probe(struct trace_event_call *call)
{
	bool __maybe_unused user = call->flags & TRACE_EVENT_FL_UPROBE;

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_UPROBE_EVENTS)
	if (user)
		destroy_local_trace_uprobe(call);
#endif
#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_KPROBE_EVENTS)
	if (!user)
		destroy_local_trace_kprobe(call);
#endif
}

static void free_unregistered(struct work_struct *work)
{
	struct perf_counter_tracepoint *tracepoint, *next;
	LIST_HEAD(list);

	mutex_lock(&event_mutex);
	list_splice_init(&unregistered, &list);
	mutex_unlock(&event_mutex);

	/* However many there are, they wait once. */
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(tracepoint, next, &list, node) {
		if (tracepoint->own) {
			destroy_probe(tracepoint->file.event_call);
			ida_free(&probe_ids, tracepoint->id);
			kfree(tracepoint->place);
		} else {
			trace_event_put_ref(tracepoint->file.event_call);
		}
		kfree(tracepoint);
	}
}

static DECLARE_WORK(free_work, free_unregistered);

static void wait_until_freed(struct callback_head *wait)
{
	kfree(wait);
	flush_work(&free_work);
}

/*
 * The current task gives back what it has unregistered before it returns to user mode, or has
 * ended: after close() a probe can be removed, a module unloaded, a file system unmounted.
 * A task that closes many descriptors at once, or ends with them, waits once for all of them.
 */
static void have_freed(void)
{
	struct callback_head *wait;

	schedule_work(&free_work);
	/* Nobody waits for a thread of the kernel to return to user mode. */
	if (current->flags & PF_KTHREAD)
		return;
	wait = kmalloc(sizeof(*wait), GFP_KERNEL);
	if (wait) {
		init_task_work(wait, wait_until_freed);
		if (!task_work_add(current, wait, TWA_RESUME))
			return;
	}
	/* Without memory, or at the very end of a task. */
	wait_until_freed(wait);
}

#ifdef CONFIG_PERF_EVENTS
/* An event of perf_events, for functions that know no others; to be freed. NULL: no memory. */
static struct perf_event *stand_in(struct trace_event_call *call,
				   const struct perf_event_attr *attr, bool task)
{
	struct perf_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	event->attr = *attr;
	event->attach_state = task ? PERF_ATTACH_TASK : 0;
	event->tp_event = call;
	return event;
}

/* May the caller have events of @call, if those have a word in it? */
static int may_have(struct trace_event_call *call, const struct perf_event_attr *attr, bool task)
{
	struct perf_event *event;
	int err;

	if (!call->perf_perm)
		return 0;
	event = stand_in(call, attr, task);
	if (!event)
		return -ENOMEM;
	err = call->perf_perm(call, event);
	kfree(event);
	return err;
}

/**
 * trace_perf_counter_query_bpf() - which BPF programs run when the event happens
 * @tracepoint: of which event
 * @info: struct perf_event_query_bpf
 *
 * They are attached to counters of perf_events, whoever has those.
 *
 * Context: may sleep.
 * Return: as PERF_EVENT_IOC_QUERY_BPF.
 */
int trace_perf_counter_query_bpf(struct perf_counter_tracepoint *tracepoint, void __user *info)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_event *event = stand_in(tracepoint->file.event_call, &attr, false);
	int err;

	if (!event)
		return -ENOMEM;
	err = perf_event_query_prog_array(event, info);
	kfree(event);
	return err;
}
#else
static int may_have(struct trace_event_call *call, const struct perf_event_attr *attr, bool task)
{
	return 0;
}

int trace_perf_counter_query_bpf(struct perf_counter_tracepoint *tracepoint, void __user *info)
{
	return -EOPNOTSUPP;
}
#endif

#ifdef CONFIG_FTRACE_SYSCALLS
/* Has the files of system calls: their probe looks for them in an instance of ftrace's. */
static struct trace_array *syscalls;

static bool is_syscall(const struct trace_event_call *call)
{
	return call->class == &event_class_syscall_enter ||
	       call->class == &event_class_syscall_exit;
}

/* Is it the beginning of a system call: of one, or of any? */
static bool is_syscall_enter(struct trace_event_call *call)
{
	if (is_syscall(call))
		return call->class == &event_class_syscall_enter;
	return !strcmp(call->class->system, "raw_syscalls") &&
	       !strcmp(trace_event_name(call), "sys_enter");
}

/* It stays once it is there. */
static int syscalls_prepare(struct trace_event_file *file)
{
	if (!syscalls)
		syscalls = kzalloc(sizeof(*syscalls), GFP_KERNEL);
	file->tr = syscalls;
	return syscalls ? 0 : -ENOMEM;
}
#else
static bool is_syscall(const struct trace_event_call *call)
{
	return false;
}

static bool is_syscall_enter(struct trace_event_call *call)
{
	return false;
}

static int syscalls_prepare(struct trace_event_file *file)
{
	return 0;
}
#endif

/* Does the event's probe ask? One of a synthetic event looks into a buffer of ftrace's. */
static bool can_count(const struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		return call->flags & (TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE);
	return call->class->reg == trace_event_reg || is_syscall(call);
}

static enum perf_counter_trace_regs regs_of(const struct trace_event_call *call)
{
	if (is_syscall(call))
		return PERF_COUNTER_TRACE_TASK_REGS;
	if (call->flags & (TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE))
		return PERF_COUNTER_TRACE_PROBE_REGS;
	return PERF_COUNTER_TRACE_NO_REGS;
}

/* Where records of the scheduler's statistics have the time that they count, ns; or 0. */
static u32 weight_of(struct trace_event_call *call)
{
	const char *name = trace_event_name(call);
	struct ftrace_event_field *field;

	if (strcmp(call->class->system, "sched") || !str_has_prefix(name, "sched_stat_"))
		return 0;
	field = trace_find_event_field(call, strcmp(name, "sched_stat_runtime") ?
				       "delay" : "runtime");
	return field && field->size == sizeof(u64) ? field->offset : 0;
}

/* Have the event's probe ask; @id: it is found by. With event_mutex held. */
static struct perf_counter_tracepoint *tracepoint_register(struct trace_event_call *call, u32 id)
{
	struct perf_counter_tracepoint *tracepoint;
	int err;

	tracepoint = kzalloc(sizeof(*tracepoint), GFP_KERNEL);
	if (!tracepoint)
		return ERR_PTR(-ENOMEM);
	tracepoint->id = id;
	tracepoint->type = call->event.type;
	tracepoint->weight = weight_of(call);
	tracepoint->regs = regs_of(call);
	tracepoint->in_user = is_syscall(call) || (call->flags & TRACE_EVENT_FL_UPROBE);
	tracepoint->syscall = is_syscall_enter(call);
	tracepoint->for_all = call->flags & TRACE_EVENT_FL_CAP_ANY;
	tracepoint->file.event_call = call;
	/* The flag that makes a probe ask. */
	tracepoint->file.flags = EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_PERF_COUNTER;

	err = is_syscall(call) ? syscalls_prepare(&tracepoint->file) : 0;
	if (!err)
		err = call->class->reg(call, TRACE_REG_REGISTER, &tracepoint->file);
	if (err) {
		kfree(tracepoint);
		return ERR_PTR(err);
	}
	list_add(&tracepoint->node, &used);
	return tracepoint;
}

static struct trace_event_call *find_call(u64 id)
{
	struct trace_event_call *call;

	list_for_each_entry(call, &ftrace_events, list) {
		if (call->event.type == id && call->class && call->class->reg)
			return call;
	}
	return NULL;
}

/* The same with event_mutex held, and a reference to @call, unless it fails. */
static struct perf_counter_tracepoint *tracepoint_get(struct trace_event_call *call,
						      const struct perf_event_attr *attr, bool task)
{
	struct perf_counter_tracepoint *tracepoint;
	int err;

	err = may_have(call, attr, task);
	if (err)
		return ERR_PTR(err);
	list_for_each_entry(tracepoint, &used, node) {
		if (tracepoint->file.event_call == call) {
			/* It has one already. */
			trace_event_put_ref(call);
			return tracepoint;
		}
	}
	return tracepoint_register(call, call->event.type);
}

/**
 * trace_perf_counter_get() - a descriptor counts a tracepoint
 * @attr: its attr; config is the id of the event
 * @task: it counts a task
 *
 * Context: may sleep.
 * Return: the tracepoint, to be put; -EINVAL when there is no such event; -EOPNOTSUPP for
 * one that neither a tracepoint nor a probe raises; -EINTR for a uprobe that perf_events
 * counts; -ENOMEM; or what the event itself says.
 */
struct perf_counter_tracepoint *trace_perf_counter_get(const struct perf_event_attr *attr,
						       bool task)
{
	struct perf_counter_tracepoint *tracepoint;
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);
	call = find_call(attr->config);
	if (!call)
		return ERR_PTR(-EINVAL);
	if (!can_count(call))
		return ERR_PTR(-EOPNOTSUPP);
	if (!trace_event_try_get_ref(call))
		return ERR_PTR(-EINVAL);
	tracepoint = tracepoint_get(call, attr, task);
	if (IS_ERR(tracepoint))
		trace_event_put_ref(call);
	else
		tracepoint->users++;
	return tracepoint;
}

/* === Probes of the PMUs kprobe and uprobe === */

#define PROBE_RETURNS		BIT(0)	/* attr.config: it is where the function returns */
#define PROBE_COUNTER_SHIFT	32	/* and from there on, of a uprobe, a semaphore's place */

/* A string of the user's, which is not empty; NULL: there is none. To be freed. */
static __maybe_unused char *get_string(u64 at, long size)
{
	char *string;

	if (!at)
		return NULL;
	string = strndup_user(u64_to_user_ptr(at), size);
	if (IS_ERR(string))
		return PTR_ERR(string) == -EINVAL ? ERR_PTR(-E2BIG) : string;
	if (*string)
		return string;
	kfree(string);
	return NULL;
}

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_KPROBE_EVENTS)
static struct trace_event_call *create_kprobe(const struct perf_event_attr *attr, char *function)
{
	return create_local_trace_kprobe(function, (void *)(unsigned long)attr->kprobe_addr,
					 attr->probe_offset, attr->config & PROBE_RETURNS);
}
#else
static struct trace_event_call *create_kprobe(const struct perf_event_attr *attr, char *function)
{
	return ERR_PTR(-ENOENT);
}
#endif

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_UPROBE_EVENTS)
static struct trace_event_call *create_uprobe(const struct perf_event_attr *attr, char *path)
{
	if (!path)
		return ERR_PTR(-EINVAL);
	return create_local_trace_uprobe(path, attr->probe_offset,
					 attr->config >> PROBE_COUNTER_SHIFT,
					 attr->config & PROBE_RETURNS);
}
#else
static struct trace_event_call *create_uprobe(const struct perf_event_attr *attr, char *path)
{
	return ERR_PTR(-ENOENT);
}
#endif

/**
 * trace_perf_counter_get_probe() - a descriptor counts a probe of its own
 * @attr: its attr, as that of perf_events' PMUs kprobe and uprobe
 * @user: it is a uprobe
 *
 * Context: may sleep.
 * Return: the tracepoint, to be put, with which the probe goes; or an error, as perf_events
 * has it.
 */
struct perf_counter_tracepoint *trace_perf_counter_get_probe(const struct perf_event_attr *attr,
							     bool user)
{
	char *place = user ? get_string(attr->uprobe_path, PATH_MAX) :
			     get_string(attr->kprobe_func, KSYM_NAME_LEN);
	struct perf_counter_tracepoint *tracepoint;
	struct trace_event_call *call;
	int id;

	if (IS_ERR(place))
		return ERR_CAST(place);
	call = user ? create_uprobe(attr, place) : create_kprobe(attr, place);
	if (IS_ERR(call)) {
		kfree(place);
		return ERR_CAST(call);
	}
	id = ida_alloc_min(&probe_ids, U16_MAX + 1, GFP_KERNEL);
	if (id < 0) {
		destroy_probe(call);
		kfree(place);
		return ERR_PTR(id);
	}
	scoped_guard(mutex, &event_mutex) {
		tracepoint = tracepoint_register(call, id);
		if (!IS_ERR(tracepoint)) {
			tracepoint->own = true;
			tracepoint->place = place;
			tracepoint->users = 1;
			return tracepoint;
		}
	}
	ida_free(&probe_ids, id);
	destroy_probe(call);
	kfree(place);
	return tracepoint;
}

/* Places of probes that tasks are handing over; @loans_lock guards the list. */
static LIST_HEAD(loans);
static DEFINE_SPINLOCK(loans_lock);

/**
 * trace_perf_counter_lend() - Give perf_events the place of a probe that it is to open
 * @loan: place, and room for what this function needs
 *
 * perf_events reads the place from memory of the program. That memory may have changed since
 * the descriptor was opened, or the current task may be another program. So the event that the
 * current task opens next gets the place that the descriptor was opened with, until
 * trace_perf_counter_take_back().
 *
 * Context: may sleep.
 */
void trace_perf_counter_lend(struct trace_perf_counter_loan *loan)
{
	loan->task = current;
	guard(spinlock)(&loans_lock);
	list_add(&loan->node, &loans);
}

/**
 * trace_perf_counter_take_back() - End a loan
 * @loan: from trace_perf_counter_lend(), by the same task
 *
 * Context: may sleep.
 */
void trace_perf_counter_take_back(struct trace_perf_counter_loan *loan)
{
	guard(spinlock)(&loans_lock);
	list_del(&loan->node);
}

/* The loan of the current task, which alone ends it; or NULL. */
static struct trace_perf_counter_loan *find_loan(void)
{
	struct trace_perf_counter_loan *loan;

	guard(spinlock)(&loans_lock);
	list_for_each_entry(loan, &loans, node) {
		if (loan->task == current)
			return loan;
	}
	return NULL;
}

/**
 * perf_counter_probe_string() - Copy the place of a probe that perf_events opens
 * @at: address of the string in memory of the program
 * @size: limit of its length, bytes
 *
 * Context: may sleep.
 * Return: the string, to be freed; it is the lent one if the current task has one, else that
 * of the program; or an error of strndup_user().
 */
char *perf_counter_probe_string(u64 at, long size)
{
	struct trace_perf_counter_loan *loan = find_loan();
	char *copy;

	if (!loan)
		return strndup_user(u64_to_user_ptr(at), size);
	copy = kstrdup(loan->place ?: "", GFP_KERNEL);
	return copy ?: ERR_PTR(-ENOMEM);
}

/**
 * trace_perf_counter_put() - Drop a descriptor's use of a tracepoint
 * @tracepoint: the tracepoint, from trace_perf_counter_get()
 *
 * The last user's system call returns when the probe, the module and the file are given back.
 *
 * Context: may sleep; no lock of perf_counter's or of ftrace's held.
 */
void trace_perf_counter_put(struct perf_counter_tracepoint *tracepoint)
{
	struct trace_event_call *call = tracepoint->file.event_call;

	scoped_guard(mutex, &event_mutex) {
		if (--tracepoint->users)
			return;
		call->class->reg(call, TRACE_REG_UNREGISTER, &tracepoint->file);
		list_move(&tracepoint->node, &unregistered);
	}
	have_freed();
}

/**
 * trace_perf_counter_filter() - make a filter
 * @tracepoint: of which event
 * @text: the filter, as tracefs takes it
 * @filter: set to it, for filter_match_preds()
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for what is no filter, or is about fields that the event does not have;
 * -ENOMEM.
 */
int trace_perf_counter_filter(struct perf_counter_tracepoint *tracepoint, char *text,
			      struct event_filter **filter)
{
	int err;

	guard(mutex)(&event_mutex);
	*filter = NULL;
	err = create_event_filter(NULL, tracepoint->file.event_call, text, false, filter);
	if (err)
		free_event_filter(*filter);
	return err;
}

/**
 * trace_perf_counter_free_filter() - free a filter
 * @filter: it, which nobody can be using any more; or NULL
 *
 * Context: any but NMI.
 */
void trace_perf_counter_free_filter(struct event_filter *filter)
{
	free_event_filter(filter);
}

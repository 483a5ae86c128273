// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints for perf_counter: find an event by its id and register its probe, once
 * for all descriptors that count the event. kernel/perf_counter/source/tracepoint.c
 * handles the event when it happens.
 */

#include <linux/idr.h>
#include <linux/perf_counter_trace.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>

#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>

#include "trace.h"
#include "trace_probe.h"

/*
 * Tracepoints in use, and unregistered tracepoints that a running probe may still use. Both lists
 * are guarded by event_mutex.
 */
static LIST_HEAD(tracepoints_used);
static LIST_HEAD(tracepoints_unregistered);

/* Ids of probes that are not in tracefs, above the ids of tracefs, which fit into 16 bits. */
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

static void tracepoint_free_unregistered(struct work_struct *work)
{
	struct perf_counter_tracepoint *tracepoint, *next;
	LIST_HEAD(list);

	mutex_lock(&event_mutex);
	list_splice_init(&tracepoints_unregistered, &list);
	mutex_unlock(&event_mutex);

	/* Wait once for all tracepoints on the list. */
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(tracepoint, next, &list, node) {
		if (tracepoint->own) {
			destroy_probe(tracepoint->file.event_call);
			ida_free(&probe_ids, tracepoint->id);
			kfree(tracepoint->place);
		} else {
			trace_event_put_ref(tracepoint->file.event_call);
		}
		static_branch_slow_dec_deferred(&trace_event_file_ops_key);
		kfree(tracepoint);
	}
}

static DECLARE_WORK(free_work, tracepoint_free_unregistered);

static void tracepoint_wait_free(struct callback_head *wait)
{
	kfree(wait);
	flush_work(&free_work);
}

/*
 * Free unregistered tracepoints before the current task returns to user mode or exits: after
 * close(), a program expects that it can remove a probe, unload a module or unmount a file system.
 * A task that closes many descriptors at once, or exits with them, waits once for all of them.
 */
static void tracepoint_schedule_free(void)
{
	struct callback_head *wait;

	schedule_work(&free_work);
	/* A kernel thread does not return to user mode. */
	if (current->flags & PF_KTHREAD)
		return;
	wait = kmalloc(sizeof(*wait), GFP_KERNEL);
	if (wait) {
		init_task_work(wait, tracepoint_wait_free);
		if (!task_work_add(current, wait, TWA_RESUME))
			return;
	}
	/* Wait here if there is no memory, or if the exiting task accepts no task work any more. */
	tracepoint_wait_free(wait);
}

#ifdef CONFIG_PERF_EVENTS
/*
 * Make a perf_event for functions that require one, to be freed with kfree(). Returns
 * NULL without memory.
 */
static struct perf_event *perf_event_stand_in(struct trace_event_call *call,
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

/* Check the permission for events of @call, if the event defines a check. */
static int tracepoint_check_permission(struct trace_event_call *call,
				       const struct perf_event_attr *attr, bool task)
{
	struct perf_event *event;
	int err;

	if (!call->perf_perm)
		return 0;
	event = perf_event_stand_in(call, attr, task);
	if (!event)
		return -ENOMEM;
	err = call->perf_perm(call, event);
	kfree(event);
	return err;
}

/**
 * trace_perf_counter_query_bpf() - List the BPF programs that run when an event happens
 * @tracepoint: tracepoint of the event
 * @info: user address of a struct perf_event_query_bpf
 *
 * The programs are attached to counters of perf_events, by any task.
 *
 * Context: may sleep.
 * Return: result of PERF_EVENT_IOC_QUERY_BPF.
 */
int trace_perf_counter_query_bpf(struct perf_counter_tracepoint *tracepoint, void __user *info)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_event *event = perf_event_stand_in(tracepoint->file.event_call, &attr, false);
	int err;

	if (!event)
		return -ENOMEM;
	err = perf_event_query_prog_array(event, info);
	kfree(event);
	return err;
}
#else
static int tracepoint_check_permission(struct trace_event_call *call,
				       const struct perf_event_attr *attr, bool task)
{
	return 0;
}

int trace_perf_counter_query_bpf(struct perf_counter_tracepoint *tracepoint, void __user *info)
{
	return -EOPNOTSUPP;
}
#endif

#ifdef CONFIG_FTRACE_SYSCALLS
static bool is_syscall(const struct trace_event_call *call)
{
	return call->class == &event_class_syscall_enter ||
	       call->class == &event_class_syscall_exit;
}

/* Test for the entry event of one system call or of all system calls. */
static bool is_syscall_enter(struct trace_event_call *call)
{
	if (is_syscall(call))
		return call->class == &event_class_syscall_enter;
	return !strcmp(call->class->system, "raw_syscalls") &&
	       !strcmp(trace_event_name(call), "sys_enter");
}

/**
 * struct syscall_files - counted system calls, either their entries or their exits
 * @nr: number of files
 * @file: event files of the system calls, by number
 */
struct syscall_files {
	unsigned int			nr;
	struct trace_event_file __rcu	*file[NR_syscalls];
};

/*
 * Allocated for the first entry or exit that is counted, never freed. event_mutex guards changes of
 * them; the probes read them with preemption disabled.
 */
static struct syscall_files *syscalls_entered, *syscalls_exited;

/* Return the event file of the current system call, or NULL. */
static struct trace_event_file *syscall_find_file(const struct syscall_files *files,
						  struct pt_regs *regs)
{
	int nr = trace_perf_counter_syscall_nr(regs);

	return nr >= 0 && nr < NR_syscalls ? rcu_dereference_sched(files->file[nr]) : NULL;
}

/* The two probes. A tracepoint calls them with preemption disabled. */
static void syscall_probe_enter(void *files, struct pt_regs *regs, long nr)
{
	struct trace_event_file *file = syscall_find_file(files, regs);
	const struct syscall_metadata *meta;
	struct trace_event_buffer fbuffer;
	struct syscall_trace_enter *entry;
	unsigned long args[SYSCALL_DEFINE_MAXARGS];

	if (!file || perf_counter_tracepoint_done(file, 0, regs))
		return;
	meta = file->event_call->data;
	entry = perf_counter_tracepoint_reserve(&fbuffer, file,
						struct_size(entry, args, meta->nb_args));
	if (!entry)
		return;
	entry->nr = meta->syscall_nr;
	syscall_get_arguments(current, regs, args);
	memcpy(entry->args, args, meta->nb_args * sizeof(args[0]));
	perf_counter_tracepoint_commit(&fbuffer);
}

static void syscall_probe_exit(void *files, struct pt_regs *regs, long ret)
{
	struct trace_event_file *file = syscall_find_file(files, regs);
	const struct syscall_metadata *meta;
	struct trace_event_buffer fbuffer;
	struct syscall_trace_exit *entry;

	if (!file || perf_counter_tracepoint_done(file, 0, regs))
		return;
	entry = perf_counter_tracepoint_reserve(&fbuffer, file, sizeof(*entry));
	if (!entry)
		return;
	meta = file->event_call->data;
	entry->nr = meta->syscall_nr;
	entry->ret = syscall_get_return_value(current, regs);
	perf_counter_tracepoint_commit(&fbuffer);
}

/*
 * Register @file for the entries or exits of its system call. event_mutex must be held.
 *
 * The probes of ftrace find the files of system calls in the trace instance that the files belong
 * to. These files belong to none, so they have probes of their own, as those of perf_events do.
 */
static int syscall_register(struct trace_event_file *file)
{
	const struct syscall_metadata *meta = file->event_call->data;
	bool enter = is_syscall_enter(file->event_call);
	struct syscall_files **where = enter ? &syscalls_entered : &syscalls_exited;
	int err;

	if (!*where)
		*where = kzalloc(sizeof(**where), GFP_KERNEL);
	if (!*where)
		return -ENOMEM;
	if (!(*where)->nr) {
		err = enter ? register_trace_sys_enter(syscall_probe_enter, *where) :
			      register_trace_sys_exit(syscall_probe_exit, *where);
		if (err)
			return err;
	}
	(*where)->nr++;
	rcu_assign_pointer((*where)->file[meta->syscall_nr], file);
	return 0;
}

/* event_mutex must be held. The probe may use @file for another grace period. */
static void syscall_unregister(struct trace_event_file *file)
{
	const struct syscall_metadata *meta = file->event_call->data;
	bool enter = is_syscall_enter(file->event_call);
	struct syscall_files *files = enter ? syscalls_entered : syscalls_exited;

	RCU_INIT_POINTER(files->file[meta->syscall_nr], NULL);
	if (--files->nr)
		return;
	if (enter)
		unregister_trace_sys_enter(syscall_probe_enter, files);
	else
		unregister_trace_sys_exit(syscall_probe_exit, files);
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

static int syscall_register(struct trace_event_file *file)
{
	return -EOPNOTSUPP;
}

static void syscall_unregister(struct trace_event_file *file)
{
}
#endif

/*
 * Test whether the probe of the event calls the operations of its file. The probe of a synthetic
 * event does not: it uses a buffer of ftrace.
 */
static bool tracepoint_can_count(const struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		return call->flags & (TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE);
	return call->class->reg == trace_event_reg || is_syscall(call);
}

/*
 * Return the offset of the counted time, in ns, in a record of the scheduler's statistics; 0 for
 * other events.
 */
static u32 tracepoint_weight_offset(struct trace_event_call *call)
{
	const char *name = trace_event_name(call);
	struct ftrace_event_field *field;

	if (strcmp(call->class->system, "sched") || !str_has_prefix(name, "sched_stat_"))
		return 0;
	field = trace_find_event_field(call, strcmp(name, "sched_stat_runtime") ?
				       "delay" : "runtime");
	return field && field->size == sizeof(u64) ? field->offset : 0;
}

/*
 * Register the event file with a probe. The key that makes probes look at a file's operations is on
 * before the first event can happen.
 */
static int file_register(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;
	int err;

	file->flags = EVENT_FILE_FL_OPS;
	file->ops = call->flags & TRACE_EVENT_FL_UPROBE ? &perf_counter_trace_uprobe_ops :
							  &perf_counter_trace_ops;
	static_branch_deferred_inc(&trace_event_file_ops_key);
	err = is_syscall(call) ? syscall_register(file) :
				 call->class->reg(call, TRACE_REG_REGISTER, file);
	if (err)
		static_branch_slow_dec_deferred(&trace_event_file_ops_key);
	return err;
}

static void file_unregister(struct trace_event_file *file)
{
	struct trace_event_call *call = file->event_call;

	if (is_syscall(call))
		syscall_unregister(file);
	else
		call->class->reg(call, TRACE_REG_UNREGISTER, file);
}

/*
 * Register the event's probe and make a tracepoint that is found by @id. event_mutex
 * must be held.
 */
static struct perf_counter_tracepoint *tracepoint_register(struct trace_event_call *call, u32 id)
{
	struct perf_counter_tracepoint *tracepoint;
	int err;

	tracepoint = kzalloc(sizeof(*tracepoint), GFP_KERNEL);
	if (!tracepoint)
		return ERR_PTR(-ENOMEM);
	tracepoint->id = id;
	tracepoint->type = call->event.type;
	tracepoint->weight = tracepoint_weight_offset(call);
	tracepoint->in_user = is_syscall(call) || (call->flags & TRACE_EVENT_FL_UPROBE);
	tracepoint->syscall = is_syscall_enter(call);
	tracepoint->for_all = call->flags & TRACE_EVENT_FL_CAP_ANY;
	tracepoint->file.event_call = call;

	err = file_register(&tracepoint->file);
	if (err) {
		kfree(tracepoint);
		return ERR_PTR(err);
	}
	list_add(&tracepoint->node, &tracepoints_used);
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

/*
 * Find or register the tracepoint of @call. event_mutex must be held. On success, the
 * tracepoint takes over the caller's reference to @call.
 */
static struct perf_counter_tracepoint *tracepoint_get(struct trace_event_call *call,
						      const struct perf_event_attr *attr, bool task)
{
	struct perf_counter_tracepoint *tracepoint;
	int err;

	err = tracepoint_check_permission(call, attr, task);
	if (err)
		return ERR_PTR(err);
	list_for_each_entry(tracepoint, &tracepoints_used, node) {
		if (tracepoint->file.event_call == call) {
			/* The registered tracepoint has a reference already. */
			trace_event_put_ref(call);
			return tracepoint;
		}
	}
	return tracepoint_register(call, call->event.type);
}

/**
 * trace_perf_counter_get() - Get the tracepoint of an event in tracefs
 * @attr: attr of the descriptor; config is the id of the event
 * @task: true if the descriptor counts a task, false if it counts a CPU
 *
 * Context: may sleep.
 * Return: tracepoint to release with trace_perf_counter_put(); -EINVAL without such an
 * event; -EOPNOTSUPP if neither a tracepoint nor a probe raises the event; -EINTR for a
 * uprobe that perf_events counts; -ENOMEM; or an error of the event's permission check.
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
	if (!tracepoint_can_count(call))
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

#define PROBE_RETURNS		BIT(0)	/* bit of attr.config: a return probe */
#define PROBE_COUNTER_SHIFT	32	/* attr.config: offset of a uprobe's semaphore */

/*
 * Copy a string from user memory, to be freed with kfree(). Returns NULL for no or an
 * empty string.
 */
static __maybe_unused char *probe_get_string(u64 at, long size)
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
 * trace_perf_counter_get_probe() - Make a probe and get its tracepoint
 * @attr: attr of the descriptor, as for the PMUs kprobe and uprobe of perf_events
 * @user: true for a uprobe, false for a kprobe
 *
 * Context: may sleep.
 * Return: tracepoint to release with trace_perf_counter_put(), which also removes the
 * probe; or an error as in perf_events.
 */
struct perf_counter_tracepoint *trace_perf_counter_get_probe(const struct perf_event_attr *attr,
							     bool user)
{
	char *place = user ? probe_get_string(attr->uprobe_path, PATH_MAX) :
			     probe_get_string(attr->kprobe_func, KSYM_NAME_LEN);
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

/* Places of probes that tasks are handing over to perf_events. Guarded by @loans_lock. */
static LIST_HEAD(loans);
static DEFINE_SPINLOCK(loans_lock);

/**
 * trace_perf_counter_lend() - Set the place of the probe that the current task opens
 * next
 * @loan: object with the place of the probe; the other fields are set here
 *
 * perf_events reads the place from memory of the program. That memory may have changed
 * since the descriptor was opened, or the current task may be another program. Until
 * trace_perf_counter_take_back(), perf_events uses the place that the descriptor was
 * opened with instead.
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
 * trace_perf_counter_take_back() - Let perf_events read places from user memory again
 * @loan: object passed to trace_perf_counter_lend() by the current task
 *
 * Context: may sleep.
 */
void trace_perf_counter_take_back(struct trace_perf_counter_loan *loan)
{
	guard(spinlock)(&loans_lock);
	list_del(&loan->node);
}

/* Find the loan of the current task, or NULL. Only the current task can end it. */
static struct trace_perf_counter_loan *probe_find_loan(void)
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
 * @at: user address of the string
 * @size: maximum length of the string in bytes
 *
 * Context: may sleep.
 * Return: string to free with kfree(): the place set by trace_perf_counter_lend() if
 * there is one, otherwise the string in user memory; or an error of strndup_user().
 */
char *perf_counter_probe_string(u64 at, long size)
{
	struct trace_perf_counter_loan *loan = probe_find_loan();
	char *copy;

	if (!loan)
		return strndup_user(u64_to_user_ptr(at), size);
	copy = kstrdup(loan->place ?: "", GFP_KERNEL);
	return copy ?: ERR_PTR(-ENOMEM);
}

/**
 * trace_perf_counter_put() - Release a tracepoint
 * @tracepoint: tracepoint from trace_perf_counter_get() or
 *	trace_perf_counter_get_probe()
 *
 * If it was the last user, the probe, the module and the file are released before the
 * current system call returns.
 *
 * Context: may sleep; no lock of perf_counter or ftrace held.
 */
void trace_perf_counter_put(struct perf_counter_tracepoint *tracepoint)
{
	scoped_guard(mutex, &event_mutex) {
		if (--tracepoint->users)
			return;
		file_unregister(&tracepoint->file);
		list_move(&tracepoint->node, &tracepoints_unregistered);
	}
	tracepoint_schedule_free();
}

/**
 * trace_perf_counter_filter() - Make a filter
 * @tracepoint: tracepoint of the events to filter
 * @text: text of the filter as in tracefs
 * @filter: result, an argument of filter_match_preds()
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if the text is not a filter or names fields that the event does
 * not have; -ENOMEM.
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
 * trace_perf_counter_free_filter() - Free a filter
 * @filter: filter that no event can be using, or NULL
 *
 * Context: any but NMI.
 */
void trace_perf_counter_free_filter(struct event_filter *filter)
{
	free_event_filter(filter);
}

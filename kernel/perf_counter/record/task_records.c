// SPDX-License-Identifier: GPL-2.0
/*
 * Records of tasks: creation, exit and names (FORK, EXIT, COMM), context switches
 * (SWITCH), and namespaces and control groups (NAMESPACES, CGROUP).
 *
 * A task's own counters are detached before its EXIT record is written. A CPU's counters
 * sample the exiting task until the last switch away from it, and get its EXIT record
 * only then. The task then has no ids except in the initial namespace: openers in other
 * namespaces get the EXIT record earlier, and later records name the task as -1 for them.
 */

#include <linux/cgroup.h>
#include <linux/kdev_t.h>
#include <linux/mutex.h>
#include <linux/ns_common.h>
#include <linux/nsproxy.h>
#include <linux/proc_ns.h>
#include <linux/sched/task.h>

#include "../counter/desc.h"
#include "../counter/task.h"
#include "record.h"

/* Fields of FORK and EXIT. */
struct task_fields {
	u32	pid, ppid;
	u32	tid, ptid;
	u64	time;
};

/**
 * struct task_record - a FORK or EXIT record
 * @task: task that is created or exits
 * @parent: task that creates @task (FORK), or parent of @task (EXIT); NULL if only the
 *	parent's ids are known
 * @ppid: process id of the parent in the initial namespace, if @parent is NULL
 * @ptid: thread id of the parent in the initial namespace, if @parent is NULL
 * @type: type of the record, PERF_RECORD_FORK or PERF_RECORD_EXIT
 */
struct task_record {
	struct task_struct	*task;
	struct task_struct	*parent;
	u32			ppid, ptid;
	u32			type;
};

static void task_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct task_record *info = data;
	struct perf_counter_record record;
	struct pid_namespace *ns = desc->records.ns;
	struct task_fields fields;

	if (!perf_counter_wants_task(&desc->attr))
		return;
	if (!perf_counter_output_begin(&record, counter, info->type, 0, sizeof(fields)))
		return;

	fields.pid = perf_counter_tgid_in(info->task, ns);
	fields.tid = perf_counter_pid_in(info->task, ns);
	fields.ppid = info->parent ? perf_counter_tgid_in(info->parent, ns) : info->ppid;
	fields.ptid = info->parent ? perf_counter_pid_in(info->parent, ns) : info->ptid;
	fields.time = desc->records.clock();
	perf_counter_put(&record, &fields, sizeof(fields));
	/* The trailer names the exiting task even if another task is running. */
	if (info->type == PERF_RECORD_EXIT)
		record.task = info->task;
	perf_counter_output_end(&record);
}

/**
 * perf_counter_record_fork() - Write FORK records for a child of the current task
 * @child: new task
 *
 * Context: preemptible.
 */
void perf_counter_record_fork(struct task_struct *child)
{
	struct task_record info = {
		.task	= child,
		.parent	= current,
		.type	= PERF_RECORD_FORK,
	};

	perf_counter_sideband_current(task_output, &info);
}

static void exit_output_early(struct perf_counter *counter, void *data)
{
	/*
	 * When the task has stopped for the last time, another task is current: the live contexts
	 * of control groups are those of that task.
	 */
	if (counter->desc->task || counter->desc->cgroup ||
	    counter->desc->records.ns != &init_pid_ns)
		task_output(counter, data);
}

static void exit_output_late(struct perf_counter *counter, void *data)
{
	if (!counter->desc->cgroup && counter->desc->records.ns == &init_pid_ns)
		task_output(counter, data);
}

/**
 * perf_counter_record_exit() - Write the EXIT records of the current task that are due
 * early
 * @ctx: former context of the task, in which no counter counts any more; NULL for none
 *
 * Context: preemptible.
 */
void perf_counter_record_exit(struct perf_counter_ctx *ctx)
{
	struct perf_counter_task *state = perf_counter_task_state(current);
	struct task_record info = {
		.task	= current,
		.type	= PERF_RECORD_EXIT,
	};

	guard(rcu)();
	info.parent = rcu_dereference(current->real_parent);
	if (state) {
		state->exit.ppid = task_tgid_nr(info.parent);
		state->exit.ptid = task_pid_nr(info.parent);
		/*
		 * From here on, records for openers in other namespaces do not name the task, and
		 * no later EXIT record is written for them.
		 */
		state->exit.done = true;
		barrier();
	}
	perf_counter_sideband_each(ctx, exit_output_early, &info);
}

/**
 * __perf_counter_task_dead() - Write the EXIT records of a task for counters of its
 * last CPU
 * @task: task that will never run again
 *
 * Context: preemption disabled.
 */
void __perf_counter_task_dead(struct task_struct *task)
{
	const struct perf_counter_task *state = perf_counter_task_state(task);
	struct task_record info = {
		.task	= task,
		.type	= PERF_RECORD_EXIT,
	};

	/* The parent's ids are not known if the hook was off when the task exited. */
	if (state && state->exit.done) {
		info.ppid = state->exit.ppid;
		info.ptid = state->exit.ptid;
	}
	perf_counter_sideband_cpu(exit_output_late, &info);
}

/**
 * struct comm_record - a COMM record
 * @task: task with a new name
 * @exec: true for an exec, false for prctl() and similar
 * @comm: name of the task, padded with zeros to a multiple of 8
 * @size: size of @comm in bytes with the padding of at least one zero
 */
struct comm_record {
	struct task_struct	*task;
	bool			exec;
	char			comm[TASK_COMM_LEN] __aligned(8);
	u32			size;
};

static void comm_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct comm_record *info = data;
	struct perf_counter_record record;
	u16 misc = 0;

	if (!desc->attr.comm)
		return;
	if (info->exec && desc->attr.comm_exec)
		misc = PERF_RECORD_MISC_COMM_EXEC;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_COMM, misc,
				       sizeof(u64) + info->size))
		return;

	perf_counter_put_word(&record, perf_counter_ids(desc, info->task));
	perf_counter_put(&record, info->comm, info->size);
	perf_counter_output_end(&record);
}

/**
 * __perf_counter_comm() - Write COMM records
 * @task: task with a new name
 * @exec: true for an exec, false for prctl() and similar
 *
 * Context: any.
 */
void __perf_counter_comm(struct task_struct *task, bool exec)
{
	struct comm_record info = { .task = task, .exec = exec };

	strscpy_pad(info.comm, task->comm, sizeof(info.comm));
	info.size = perf_counter_name_size(info.comm);
	/* If another thread renames the task, only RCU keeps the task's context. */
	rcu_read_lock();
	perf_counter_sideband_each(perf_counter_task_ctx(task), comm_output, &info);
	rcu_read_unlock();
}

/* A SWITCH or SWITCH_CPU_WIDE record of the current task. */
struct switch_record {
	struct task_struct	*other;
	u16			misc;
};

static void switch_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct switch_record *info = data;
	struct perf_counter_record record;
	bool wide = !desc->task;

	if (!desc->attr.context_switch)
		return;
	if (!perf_counter_output_begin(&record, counter,
				       wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH,
				       info->misc, wide ? sizeof(u64) : 0))
		return;
	if (wide)
		perf_counter_put_word(&record, perf_counter_ids(desc, info->other));
	perf_counter_output_end(&record);
}

/**
 * perf_counter_record_switch() - Write SWITCH records of the current task
 * @other: task that runs after or ran before the current one
 * @out: true if the current task stops running, false if it starts
 *
 * Context: IRQs off, rq->lock held.
 */
void perf_counter_record_switch(struct task_struct *other, bool out)
{
	struct switch_record info = {
		.other	= other,
		.misc	= out ? PERF_RECORD_MISC_SWITCH_OUT : 0,
	};

	if (out && task_is_runnable(current))
		info.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	perf_counter_sideband_current(switch_output, &info);
}

/* Fields of NAMESPACES after the ids. */
struct namespaces_fields {
	u64				nr;
	struct perf_ns_link_info	links[NR_NAMESPACES];
};

/* A NAMESPACES record of @task. */
struct namespaces_record {
	struct task_struct		*task;
	struct namespaces_fields	fields;
};

static const struct {
	unsigned int			index;
	const struct proc_ns_operations	*ops;
} namespaces[] = {
#ifdef CONFIG_NET_NS
	{ NET_NS_INDEX, &netns_operations },
#endif
#ifdef CONFIG_UTS_NS
	{ UTS_NS_INDEX, &utsns_operations },
#endif
#ifdef CONFIG_IPC_NS
	{ IPC_NS_INDEX, &ipcns_operations },
#endif
#ifdef CONFIG_PID_NS
	{ PID_NS_INDEX, &pidns_operations },
#endif
#ifdef CONFIG_USER_NS
	{ USER_NS_INDEX, &userns_operations },
#endif
	{ MNT_NS_INDEX, &mntns_operations },
#ifdef CONFIG_CGROUPS
	{ CGROUP_NS_INDEX, &cgroupns_operations },
#endif
};

static void namespaces_output(struct perf_counter *counter, void *data)
{
	struct perf_counter_desc *desc = counter->desc;
	const struct namespaces_record *info = data;
	struct perf_counter_record record;

	if (!desc->attr.namespaces)
		return;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_NAMESPACES, 0,
				       sizeof(u64) + sizeof(info->fields)))
		return;
	perf_counter_put_word(&record, perf_counter_ids(desc, info->task));
	perf_counter_put(&record, &info->fields, sizeof(info->fields));
	perf_counter_output_end(&record);
}

/* Device of the inodes of namespaces in nsfs, in the encoding of records. */
static u32 namespaces_dev __ro_after_init;

/**
 * __perf_counter_namespaces() - Write NAMESPACES records
 * @task: current task, or a task that it creates
 *
 * Gets the namespaces' inode numbers without creating inodes in nsfs, so that the record
 * is complete even if there is no memory for inodes.
 *
 * Context: may sleep.
 */
void __perf_counter_namespaces(struct task_struct *task)
{
	struct namespaces_record info = { .task = task, .fields.nr = NR_NAMESPACES };
	struct ns_common *ns;
	unsigned int i;

	if (!perf_counter_sideband_active())
		return;
	for (i = 0; i < ARRAY_SIZE(namespaces); i++) {
		struct perf_ns_link_info *link = &info.fields.links[namespaces[i].index];

		ns = namespaces[i].ops->get(task);
		if (!ns)
			continue;
		link->dev = namespaces_dev;
		link->ino = ns->inum;
		namespaces[i].ops->put(ns);
	}
	perf_counter_sideband_current(namespaces_output, &info);
}

static int __init namespaces_init(void)
{
	struct path path;
	int err;

	err = ns_get_path(&path, current, &mntns_operations);
	if (err)
		return err;
	namespaces_dev = new_encode_dev(path.dentry->d_sb->s_dev);
	path_put(&path);
	return 0;
}

/* path_put() uses fsnotify, which is initialized in a core_initcall. */
fs_initcall(namespaces_init);

#ifdef CONFIG_CGROUPS

/* A CGROUP record; zeros pad @path to @size bytes, a multiple of 8. */
struct cgroup_record {
	u64	id;
	char	*path;
	u32	size;
};

static void cgroup_output(struct perf_counter *counter, void *data)
{
	const struct cgroup_record *info = data;
	struct perf_counter_record record;

	if (!counter->desc->attr.cgroup)
		return;
	if (!perf_counter_output_begin(&record, counter, PERF_RECORD_CGROUP, 0,
				       sizeof(u64) + info->size))
		return;
	perf_counter_put_word(&record, info->id);
	perf_counter_put(&record, info->path, info->size);
	perf_counter_output_end(&record);
}

/*
 * Path of the record that is being written, with its padding. It is static, because the record
 * would be missing if an allocation failed.
 */
static char cgroup_record_path[PATH_MAX + sizeof(u64)];
static DEFINE_MUTEX(cgroup_record_mutex);

/**
 * __perf_counter_cgroup() - Write CGROUP records of a new control group
 * @cgroup: control group; only groups of the default hierarchy are recorded
 *
 * Context: may sleep; cgroup_mutex held; takes cgroup_record_mutex.
 */
void __perf_counter_cgroup(struct cgroup *cgroup)
{
	struct cgroup_record info = { .id = cgroup_id(cgroup), .path = cgroup_record_path };

	if (cgroup->root != &cgrp_dfl_root)
		return;
	guard(mutex)(&cgroup_record_mutex);
	/* A path that does not fit is truncated. */
	cgroup_path(cgroup, cgroup_record_path, PATH_MAX);
	memset(cgroup_record_path + strlen(cgroup_record_path), 0, sizeof(u64));
	info.size = perf_counter_name_size(cgroup_record_path);
	perf_counter_sideband_machine(cgroup_output, &info);
}

#endif /* CONFIG_CGROUPS */

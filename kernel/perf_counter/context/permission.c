// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions: the sysctl, capabilities, ptrace access and the labels of security modules.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "internal.h"

/*
 * Operations that need CAP_PERFMON. -1: none; 0: records of tracepoints and unlimited locked
 * memory; 1: these and counting whole CPUs; 2: these and counting the kernel. With 3, a value of
 * Debian's, every operation needs CAP_SYS_ADMIN.
 */
int sysctl_perf_counter_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

static const int paranoid_max = 3;

static struct ctl_table permission_sysctls[] = {
	{
		.procname	= "perf_counter_paranoid",
		.data		= &sysctl_perf_counter_paranoid,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_NEG_ONE,
		.extra2		= (void *)&paranoid_max,
	},
};

static int __init permission_init(void)
{
	register_sysctl_init("kernel", permission_sysctls);
	return 0;
}
fs_initcall(permission_init);

#ifdef CONFIG_PERF_EVENTS
#define lsm_may(type)	security_perf_event_open(type)
#else
#define lsm_may(type)	0
#endif

/**
 * perf_counter_may_open() - Check whether the caller may open a counter
 * @attr: checked attr
 * @plan: contents of the counter's records
 * @cpu_wide: the counter counts all tasks of a CPU
 *
 * Return: 0, -EACCES, or the error of the security module.
 */
int perf_counter_may_open(const struct perf_counter_attr *attr,
			  const struct perf_counter_plan *plan, bool cpu_wide)
{
	int paranoid = READ_ONCE(sysctl_perf_counter_paranoid);
	int err;

	if (paranoid > 2 && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	err = lsm_may(PERF_SECURITY_OPEN);
	if (err)
		return err;

	if (!attr->exclude_kernel || plan->reveals_kernel) {
		if (paranoid > 1 && !perfmon_capable())
			return -EACCES;
		err = lsm_may(PERF_SECURITY_KERNEL);
		if (err)
			return err;
	}
	if (cpu_wide || plan->machine) {
		if (paranoid > 0 && !perfmon_capable())
			return -EACCES;
		err = lsm_may(PERF_SECURITY_CPU);
		if (err)
			return err;
	}
	if (attr->namespaces && !perfmon_capable())
		return -EACCES;
	return plan->reveals_regs ? security_locked_down(LOCKDOWN_PERF) : 0;
}

/**
 * perf_counter_may_trace() - Check whether the caller may read records of tracepoints
 *
 * Return: 0, -EPERM, or the error of the security module.
 */
int perf_counter_may_trace(void)
{
	if (READ_ONCE(sysctl_perf_counter_paranoid) > -1 && !perfmon_capable())
		return -EPERM;
	return lsm_may(PERF_SECURITY_TRACEPOINT);
}

/**
 * perf_counter_drop_machine() - Clear the requests for records that the caller may not read
 * @attr: attr of a perf_event_open() call. perf_events accepts these requests from every user,
 *	and records only what the user's own tasks do
 */
void perf_counter_drop_machine(struct perf_counter_attr *attr)
{
	if (READ_ONCE(sysctl_perf_counter_paranoid) <= 0 || perfmon_capable())
		return;
	attr->ksymbol = 0;
	attr->bpf_event = 0;
	attr->cgroup = 0;
}

/**
 * perf_counter_may_watch() - Check whether the caller may watch a task
 * @task: the task; its exec_update_lock is held
 * @memory: samples contain memory of the task at addresses of the caller's choice
 *
 * For counts and registers, the caller needs the right to read a task's state, as in perf_events.
 * For memory, the caller needs the right that /proc/PID/mem and process_vm_readv() require, which
 * Yama restricts.
 *
 * Return: true if the caller may watch @task.
 */
bool perf_counter_may_watch(struct task_struct *task, bool memory)
{
	return perfmon_capable() ||
	       ptrace_may_access(task, memory ? PTRACE_MODE_ATTACH_REALCREDS :
						PTRACE_MODE_READ_REALCREDS);
}

#ifdef PERF_COUNTER_LABELS
static void label_put(struct perf_counter_label *label)
{
	if (!label || !refcount_dec_and_test(&label->refs))
		return;
	security_perf_event_free(&label->event);
	put_cred(label->cred);
	kfree(label);
}

static struct perf_counter_label *label_new(void)
{
	struct perf_counter_label *label = kzalloc(sizeof(*label), GFP_KERNEL_ACCOUNT);
	int err;

	if (!label)
		return ERR_PTR(-ENOMEM);
	err = security_perf_event_alloc(&label->event);
	if (err) {
		kfree(label);
		return ERR_PTR(err);
	}
	label->cred = get_current_cred();
	refcount_set(&label->refs, 1);
	return label;
}

/*
 * Return the label of the descriptor that the current task opened last, with a reference. Return
 * NULL if the task opened that descriptor with other credentials.
 */
static struct perf_counter_label *label_again(void)
{
	struct perf_counter_task *state = perf_counter_task_state(current);
	struct perf_counter_label *label = NULL;
	struct perf_counter_desc *last;

	if (!state)
		return NULL;
	mutex_lock(&state->owned.mutex);
	if (!list_empty(&state->owned.descs)) {
		last = list_last_entry(&state->owned.descs, struct perf_counter_desc, owner.node);
		if (last->label->cred == current_cred()) {
			label = last->label;
			refcount_inc(&label->refs);
		}
	}
	mutex_unlock(&state->owned.mutex);
	return label;
}

/**
 * perf_counter_label_alloc() - Get a label for a descriptor
 * @desc: a descriptor that the current task opens
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or the error of the security module.
 */
int perf_counter_label_alloc(struct perf_counter_desc *desc)
{
	struct perf_counter_label *label = label_again() ?: label_new();

	if (IS_ERR(label))
		return PTR_ERR(label);
	desc->label = label;
	return 0;
}

/**
 * perf_counter_label_free() - Release the label of a descriptor
 * @desc: the descriptor, which may have no label
 */
void perf_counter_label_free(struct perf_counter_desc *desc)
{
	label_put(desc->label);
}
#endif

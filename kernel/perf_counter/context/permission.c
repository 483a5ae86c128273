// SPDX-License-Identifier: GPL-2.0
/*
 * Who may have a counter, and what security modules say of it.
 */

#include <linux/capability.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "internal.h"

/*
 * What those without CAP_PERFMON may not do: from 0 on nothing yet, from 1 on
 * count what a whole CPU does, from 2 on count the kernel. -1: no limits, not
 * on locked memory either. 3 is Debian's: those without CAP_SYS_ADMIN may do nothing.
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
 * perf_counter_may_open() - may the caller have such a counter at all?
 * @attr: the checked attr
 * @cpu_wide: it counts every task
 *
 * Return: 0, -EACCES, or what the security module says.
 */
int perf_counter_may_open(const struct perf_counter_attr *attr, bool cpu_wide)
{
	/* They are of the kernel, and of what everybody does. */
	bool machine = perf_counter_wants_machine(attr);
	int paranoid = READ_ONCE(sysctl_perf_counter_paranoid);
	int err;

	if (paranoid > 2 && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	err = lsm_may(PERF_SECURITY_OPEN);
	if (err)
		return err;

	/*
	 * Call chains, and registers, of what does not count the kernel have no kernel
	 * part. Where memory lies is the kernel's.
	 */
	if (!attr->exclude_kernel || machine || (attr->sample_type & PERF_SAMPLE_PHYS_ADDR)) {
		if (paranoid > 1 && !perfmon_capable())
			return -EACCES;
		err = lsm_may(PERF_SECURITY_KERNEL);
		if (err)
			return err;
	}
	if (cpu_wide || machine) {
		if (paranoid > 0 && !perfmon_capable())
			return -EACCES;
		err = lsm_may(PERF_SECURITY_CPU);
		if (err)
			return err;
	}
	if (attr->namespaces && !perfmon_capable())
		return -EACCES;
	return attr->sample_type & PERF_SAMPLE_REGS_INTR ? security_locked_down(LOCKDOWN_PERF) : 0;
}

/**
 * perf_counter_drop_machine() - ask for no records of the machine, without the right to them
 * @attr: what a program asks perf_event_open() for, which grants them to anybody, of
 *	what its own tasks do
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
 * perf_counter_may_watch() - may the caller see what a task does?
 * @task: the task; its exec_update_lock is held
 *
 * Return: true if so.
 */
bool perf_counter_may_watch(struct task_struct *task)
{
	return perfmon_capable() || ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS);
}

#ifdef PERF_COUNTER_LABELS
/**
 * perf_counter_label_alloc() - have a descriptor labelled
 * @desc: the descriptor
 *
 * Security modules label a struct perf_event, and know no other. One that is nothing
 * but a label stands for the descriptor.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or what the security module says.
 */
int perf_counter_label_alloc(struct perf_counter_desc *desc)
{
	int err;

	desc->label = kzalloc(sizeof(*desc->label), GFP_KERNEL);
	if (!desc->label)
		return -ENOMEM;
	err = security_perf_event_alloc(desc->label);
	if (err) {
		kfree(desc->label);
		desc->label = NULL;
	}
	return err;
}

/**
 * perf_counter_label_free() - a descriptor needs no label any more
 * @desc: the descriptor, which need not have one
 */
void perf_counter_label_free(struct perf_counter_desc *desc)
{
	if (!desc->label)
		return;
	security_perf_event_free(desc->label);
	kfree(desc->label);
}
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * What may be asked of perf_counter, and by whom: the attr structure as it
 * comes from a program, the permissions, and the sysctls.
 */

#include <linux/capability.h>
#include <linux/ptrace.h>
#include <linux/security.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>

#include "perf_counter.h"

/*
 * What those without CAP_PERFMON may not do: from 0 on nothing yet, from 1 on
 * count what a whole CPU does, from 2 on count the kernel. -1: no limits, not
 * on locked memory either.
 */
int sysctl_perf_counter_paranoid __read_mostly = 2;

/* KiB of buffers that a user may have per CPU, beside RLIMIT_MEMLOCK. */
int sysctl_perf_counter_mlock_kb __read_mostly = 516;

/* Samples per second and counter. */
int sysctl_perf_counter_max_sample_rate __read_mostly = 100000;
unsigned int perf_counter_max_samples_per_tick __read_mostly = DIV_ROUND_UP(100000, HZ);

/* perf_event_open() is served here. */
static int sysctl_perf_counter_compat __read_mostly;

/**
 * perf_counter_serves_perf_event_open() - is kernel.perf_counter_compat set?
 *
 * Return: true when perf_event_open() is to hand its calls over.
 */
bool perf_counter_serves_perf_event_open(void)
{
	return READ_ONCE(sysctl_perf_counter_compat);
}

static int max_sample_rate_handler(const struct ctl_table *table, int write, void *buffer,
				   size_t *lenp, loff_t *ppos)
{
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (!err && write)
		WRITE_ONCE(perf_counter_max_samples_per_tick,
			   DIV_ROUND_UP(sysctl_perf_counter_max_sample_rate, HZ));
	return err;
}

static const int paranoid_max = 2;
/* One per ns. */
static const int sample_rate_max = NSEC_PER_SEC;

static struct ctl_table perf_counter_sysctls[] = {
	{
		.procname	= "perf_counter_paranoid",
		.data		= &sysctl_perf_counter_paranoid,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_NEG_ONE,
		.extra2		= (void *)&paranoid_max,
	},
	{
		.procname	= "perf_counter_mlock_kb",
		.data		= &sysctl_perf_counter_mlock_kb,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
	},
	{
		.procname	= "perf_counter_max_sample_rate",
		.data		= &sysctl_perf_counter_max_sample_rate,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= max_sample_rate_handler,
		.extra1		= SYSCTL_ONE,
		.extra2		= (void *)&sample_rate_max,
	},
	{
		.procname	= "perf_counter_compat",
		.data		= &sysctl_perf_counter_compat,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
};

static int __init perf_counter_sysctl_init(void)
{
	register_sysctl_init("kernel", perf_counter_sysctls);
	return 0;
}
fs_initcall(perf_counter_sysctl_init);

/* The word of bits behind read_format, as one number. */
static u64 attr_bits(const struct perf_counter_attr *attr)
{
	u64 bits;

	memcpy(&bits, (void *)attr + offsetofend(struct perf_counter_attr, read_format),
	       sizeof(bits));
	return bits;
}

/* The bits of this version. */
static const struct perf_counter_attr known_bits = {
	.disabled			= 1,
	.inherit			= 1,
	.pinned				= 1,
	.exclusive			= 1,
	.exclude_user			= 1,
	.exclude_kernel			= 1,
	.exclude_hv			= 1,
	.exclude_idle			= 1,
	.mmap				= 1,
	.comm				= 1,
	.freq				= 1,
	.inherit_stat			= 1,
	.enable_on_exec			= 1,
	.task				= 1,
	.watermark			= 1,
	.precise_ip			= 3,
	.mmap_data			= 1,
	.sample_id_all			= 1,
	.exclude_host			= 1,
	.exclude_guest			= 1,
	.exclude_callchain_kernel	= 1,
	.exclude_callchain_user		= 1,
	.mmap2				= 1,
	.comm_exec			= 1,
	.use_clockid			= 1,
	.context_switch			= 1,
	.write_backward			= 1,
	.namespaces			= 1,
	.ksymbol			= 1,
	.bpf_event			= 1,
	.cgroup				= 1,
	.text_poke			= 1,
	.build_id			= 1,
	.remove_on_exec			= 1,
	.subrings			= 1,
	.munmap				= 1,
};

/**
 * perf_counter_check_attr() - refuse what this version does not know
 * @attr: as it came; sample_max_stack 0 is replaced by the maximum
 *
 * Return: 0; -EINVAL for an unknown bit, type or format, a field that must be
 * zero and is not, and what contradicts itself; -EOVERFLOW for call chains
 * deeper than there are.
 */
int perf_counter_check_attr(struct perf_counter_attr *attr)
{
	if (attr_bits(attr) & ~attr_bits(&known_bits))
		return -EINVAL;
	if (attr->__reserved_2 || attr->__reserved_3)
		return -EINVAL;
	if (attr->sample_type & ~(u64)PERF_COUNTER_SAMPLE_TYPES)
		return -EINVAL;
	if (attr->read_format & ~(u64)PERF_COUNTER_READ_FORMATS)
		return -EINVAL;

	/* Fields of sample types and bits that are not known either. */
	if (attr->branch_sample_type || attr->sample_regs_user || attr->sample_stack_user ||
	    attr->sample_regs_intr || attr->aux_watermark || attr->aux_sample_size ||
	    attr->sig_data)
		return -EINVAL;

	if (attr->freq) {
		if (attr->sample_freq > READ_ONCE(sysctl_perf_counter_max_sample_rate))
			return -EINVAL;
	} else if (attr->sample_period & BIT_ULL(63)) {
		return -EINVAL;
	}

	/* It cannot both begin and end there. */
	if (attr->remove_on_exec && attr->enable_on_exec)
		return -EINVAL;

	/* Counts of one task's counter say nothing without the task. */
	if (attr->inherit && (attr->sample_type & PERF_SAMPLE_READ) &&
	    !(attr->sample_type & PERF_SAMPLE_TID))
		return -EINVAL;

	if (!attr->sample_max_stack)
		attr->sample_max_stack = PERF_COUNTER_MAX_STACK;
	if ((attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    attr->sample_max_stack > PERF_COUNTER_MAX_STACK)
		return -EOVERFLOW;
	return 0;
}

/**
 * perf_counter_copy_attr() - take an attr structure from a program
 * @uattr: the program's; its size field says how much of it there is
 * @attr: filled in; what the program's has not is zero
 *
 * Return: 0; -E2BIG, with the known size written back, for a size that cannot
 * be and for one whose unknown tail is not zero; -EFAULT; or what
 * perf_counter_check_attr() says.
 */
int perf_counter_copy_attr(struct perf_counter_attr __user *uattr, struct perf_counter_attr *attr)
{
	u32 size;
	int err;

	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (!size)
		size = PERF_COUNTER_ATTR_SIZE_VER0;

	err = -E2BIG;
	if (size >= PERF_COUNTER_ATTR_SIZE_VER0 && size <= PAGE_SIZE)
		err = copy_struct_from_user(attr, sizeof(*attr), uattr, size);
	/* That the size cannot be written back changes nothing about the refusal. */
	if (err == -E2BIG)
		put_user((u32)sizeof(*attr), &uattr->size);
	if (err)
		return err;

	attr->size = size;
	return perf_counter_check_attr(attr);
}

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

	err = lsm_may(PERF_SECURITY_OPEN);
	if (err)
		return err;

	/* Call chains of what does not count the kernel have no kernel part. */
	if (!attr->exclude_kernel || machine) {
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
	return attr->namespaces && !perfmon_capable() ? -EACCES : 0;
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

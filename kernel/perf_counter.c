// SPDX-License-Identifier: GPL-2.0
/*
 * The front door of perf_counter: the system call, and what can be done with a
 * descriptor.
 *
 * A descriptor has one counter where it was opened, or one on each CPU of the
 * whole machine, and one more in each task that inherits it. What a program
 * does to the descriptor is done to all of them; what it reads is their sum,
 * with what those of ended tasks had.
 *
 * The rooms behind are in perf_counter/, each with its header as the door:
 * source/ (where events come from), context/ (who counts when), record/ (what is
 * written about it), ring/ (where to). context/context.h has the lock order.
 */

#include <linux/anon_inodes.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/perf_counter_hw.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>

#include "perf_counter/context/context.h"

static const struct file_operations perf_counter_fops;

/* perf_event_open() is served here. */
static int sysctl_perf_counter_compat __read_mostly;

static struct ctl_table perf_counter_sysctls[] = {
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

static int __init perf_counter_init(void)
{
	register_sysctl_init("kernel", perf_counter_sysctls);
	return 0;
}
fs_initcall(perf_counter_init);

/* === Files === */

/*
 * The file of perf_events that @file's descriptor was handed over to, with its count; or NULL.
 * May sleep; mmap_lock is not held.
 */
static struct file *handed_over(struct perf_counter_desc *desc)
{
	struct file *handed = perf_counter_handed(desc);

	if (likely(!handed))
		return NULL;
	/* Until the mutex is free, the event may be without its count. */
	mutex_lock(&desc->mutex);
	mutex_unlock(&desc->mutex);
	return handed;
}

static int perf_counter_release(struct inode *inode, struct file *file)
{
	struct perf_counter_desc *desc = file->private_data;

	if (desc->handed) {
		fput(desc->handed);
		perf_counter_desc_put(desc);
		return 0;
	}
	perf_counter_leave_owner(desc);
	/* Alone, it stays alone: nobody joins it who has not got its file. */
	if (rcu_access_pointer(desc->leader) != desc || !list_empty_careful(&desc->members))
		perf_counter_group_leave(desc);
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
	return 0;
}

/* Out of line, so that it costs other descriptors no saved registers. */
static noinline ssize_t read_handed(struct perf_counter_desc *desc, char __user *buf,
				    size_t count, loff_t *ppos)
{
	struct file *handed = handed_over(desc);

	return handed->f_op->read(handed, buf, count, ppos);
}

static ssize_t perf_counter_read_file(struct file *file, char __user *buf, size_t count,
				      loff_t *ppos)
{
	struct perf_counter_desc *desc = file->private_data;
	int err;

	if (unlikely(perf_counter_handed(desc)))
		return read_handed(desc, buf, count, ppos);
	err = perf_counter_label_read(desc);
	if (err)
		return err;
	return perf_counter_read_desc(desc, buf, count);
}

/* === Control === */

/* The CPU that all records of @desc are written on, -1 for any. */
static int desc_writing_cpu(struct perf_counter_desc *desc)
{
	/* What a task had counted that inherited it, is written where the task ends. */
	if (desc->task && desc->attr.inherit && desc->attr.inherit_stat)
		return -1;
	return desc->cpu;
}

/* @desc's records go to the buffer of @to from now on, which has records of its kind. */
static int desc_redirect(struct perf_counter_desc *desc, struct perf_counter_desc *to)
{
	if (to->clock != desc->clock || to->attr.write_backward != desc->attr.write_backward)
		return -EINVAL;
	return perf_counter_buffer_redirect(&desc->writer, &to->writer, desc_writing_cpu(desc));
}

static int desc_set_output(struct perf_counter_desc *desc, int fd)
{
	CLASS(fd, output)(fd);

	if (fd == -1)
		return perf_counter_buffer_redirect(&desc->writer, NULL, -1);
	if (!fd_file(output) || fd_file(output)->f_op != &perf_counter_fops)
		return -EBADF;
	return desc_redirect(desc, fd_file(output)->private_data);
}

static int desc_set_filter(struct perf_counter_desc *desc, const char __user *text)
{
	char *copy __free(kfree) = NULL;
	int err;

	if (!desc->pmu->set_filter)
		return -EINVAL;
	copy = strndup_user(text, PAGE_SIZE);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	/*
	 * A descriptor that was handed over has no event any more. ftrace's locks, which a filter
	 * takes, are outside of desc->mutex: that is taken inside a fork, and CPU hotplug, which
	 * ftrace waits for, may wait for forks.
	 */
	if (wait_on_bit_lock(&desc->handing, 0, TASK_KILLABLE))
		return -EINTR;
	err = perf_counter_handed(desc) ? -ESTALE : desc->pmu->set_filter(desc, copy);
	clear_and_wake_up_bit(0, &desc->handing);
	return err;
}

#ifdef CONFIG_PERF_EVENTS
/* Have perf_events open the event of @file's descriptor, by the rights of its opener. */
static int open_handover(struct file *file, struct perf_counter_handover *handover)
{
	struct perf_counter_desc *desc = file->private_data;
	const struct cred *cred = override_creds(file->f_cred);
	int err;

	err = desc->pmu->hand_over ? desc->pmu->hand_over(desc, handover) :
				     perf_event_hand_over(handover);
	revert_creds(cred);
	return err;
}

/* The same for @prog, which is attached to the event, unless NULL; a reference to it is taken. */
static int hand_over_locked(struct file *file, struct bpf_prog *prog)
{
	struct perf_counter_desc *desc = file->private_data;
	struct perf_counter_handover handover = {};
	int err;

	err = perf_counter_handover_begin(desc, &handover);
	if (err)
		return err;
	err = open_handover(file, &handover);
	if (handover.task)
		put_task_struct(handover.task);
	if (err)
		return err;
	if (prog) {
		bpf_prog_inc(prog);
		err = perf_event_set_bpf_prog(handover.file->private_data, prog, 0);
		if (err)
			bpf_prog_put(prog);
	}
	if (!err)
		err = perf_counter_handover_end(desc, &handover);
	if (err)
		fput(handover.file);
	return err;
}

/*
 * Hand @file's descriptor over to perf_events, with @prog attached, unless NULL. A descriptor
 * that is refused, or whose program is, stays as it was. Returns 0, -EALREADY when the
 * descriptor has been handed over before, or another error.
 */
static int hand_over(struct file *file, struct bpf_prog *prog)
{
	struct perf_counter_desc *desc = file->private_data;
	int err;

	/* Each handover takes what the one before has left. */
	if (wait_on_bit_lock(&desc->handing, 0, TASK_KILLABLE))
		return -EINTR;
	err = perf_counter_handed(desc) ? -EALREADY : hand_over_locked(file, prog);
	clear_and_wake_up_bit(0, &desc->handing);
	return err;
}

/**
 * perf_counter_event_file_get() - Get the file of perf_events that a file stands for
 * @file: a file, with a reference, which is consumed
 *
 * A descriptor of perf_counter is handed over to perf_events.
 *
 * Context: may sleep; no lock held that perf_event_open() takes.
 * Return: the file of perf_events, with a reference; @file if it is none of perf_counter's; or
 * an error.
 */
struct file *perf_counter_event_file_get(struct file *file)
{
	struct perf_counter_desc *desc = file->private_data;
	struct file *handed;
	int err;

	if (file->f_op != &perf_counter_fops)
		return file;
	err = hand_over(file, NULL);
	handed = err && err != -EALREADY ? ERR_PTR(err) : get_file(desc->handed);
	fput(file);
	return handed;
}

/**
 * perf_counter_event_file() - Find the file of perf_events that a file stands for
 * @file: a file, which the caller holds
 *
 * Context: may sleep.
 * Return: the file of perf_events, which lives as long as @file, if that is a descriptor that
 * was handed over; else @file.
 */
struct file *perf_counter_event_file(struct file *file)
{
	if (file->f_op != &perf_counter_fops)
		return file;
	return handed_over(file->private_data) ?: file;
}

static int set_bpf(struct file *file, struct bpf_prog *prog)
{
	return hand_over(file, prog);
}
#else
static int set_bpf(struct file *file, struct bpf_prog *prog)
{
	return -EINVAL;
}
#endif

static int desc_set_bpf(struct file *file, int fd)
{
	struct bpf_prog *prog = bpf_prog_get(fd);
	int err;

	if (IS_ERR(prog))
		return PTR_ERR(prog);
	err = set_bpf(file, prog);
	bpf_prog_put(prog);
	return err;
}

/* What perf_events has for breakpoints and BPF. */
static long ioctl_of_others(struct file *file, unsigned int cmd, void __user *arg)
{
	struct perf_counter_desc *desc = file->private_data;
	struct perf_counter_attr attr;
	int err;

	switch (cmd) {
	case PERF_EVENT_IOC_SET_BPF:
		return desc_set_bpf(file, (unsigned long)arg);
	case PERF_EVENT_IOC_QUERY_BPF:
		if (desc->pmu->query_bpf)
			return desc->pmu->query_bpf(desc, arg);
		return perfmon_capable() ? -EINVAL : -EPERM;
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		err = perf_counter_copy_attr(arg, &attr);
		if (err)
			return err;
		return attr.type == desc->attr.type ? -EOPNOTSUPP : -EINVAL;
	default:
		return -ENOTTY;
	}
}

static long own_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct perf_counter_desc *desc = file->private_data;
	void (*op)(struct perf_counter_desc *desc);
	u64 value;

	switch (cmd) {
	case PERF_COUNTER_IOC_ENABLE:
		op = perf_counter_op_enable;
		break;
	case PERF_COUNTER_IOC_DISABLE:
		op = perf_counter_op_disable;
		break;
	case PERF_COUNTER_IOC_RESET:
		op = perf_counter_op_reset;
		break;
	case PERF_COUNTER_IOC_REFRESH:
		return perf_counter_desc_refresh(desc, arg);
	case PERF_COUNTER_IOC_PERIOD:
		if (copy_from_user(&value, (u64 __user *)arg, sizeof(value)))
			return -EFAULT;
		return perf_counter_desc_set_period(desc, value);
	case PERF_COUNTER_IOC_ID:
		return copy_to_user((u64 __user *)arg, &desc->id, sizeof(u64)) ? -EFAULT : 0;
	case PERF_COUNTER_IOC_SET_OUTPUT:
		return desc_set_output(desc, arg);
	case PERF_COUNTER_IOC_PAUSE_OUTPUT:
		return perf_counter_buffer_pause(&desc->writer, arg);
	case PERF_EVENT_IOC_SET_FILTER:
		return desc_set_filter(desc, (const char __user *)arg);
	default:
		return ioctl_of_others(file, cmd, (void __user *)arg);
	}

	/* Programs that leave the argument out pass anything. */
	if (arg & PERF_COUNTER_IOC_FLAG_GROUP)
		perf_counter_group_do(desc, op);
	else
		perf_counter_desc_do(desc, op);
	return 0;
}

static long perf_counter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct perf_counter_desc *desc = file->private_data;
	struct file *handed = handed_over(desc);
	long err;

	if (unlikely(handed))
		return handed->f_op->unlocked_ioctl(handed, cmd, arg);
	err = perf_counter_label_write(desc);
	if (err)
		return err;
	err = own_ioctl(file, cmd, arg);
	if (likely(!perf_counter_handed(desc)) || (cmd == PERF_EVENT_IOC_SET_BPF && !err))
		return err;
	/* It was handed over meanwhile: what was done may have been done to nothing. */
	handed = handed_over(desc);
	return handed->f_op->unlocked_ioctl(handed, cmd, arg);
}

#ifdef CONFIG_COMPAT
/* The number of an ioctl that takes a pointer to a pointer has its size in it. */
static long perf_counter_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	/* Their numbers have the size of a pointer in them. */
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(PERF_EVENT_IOC_SET_FILTER):
	case _IOC_NR(PERF_EVENT_IOC_ID):
	case _IOC_NR(PERF_EVENT_IOC_QUERY_BPF):
	case _IOC_NR(PERF_EVENT_IOC_MODIFY_ATTRIBUTES):
		if (_IOC_SIZE(cmd) == sizeof(compat_uptr_t))
			cmd += (sizeof(void *) - sizeof(compat_uptr_t)) << _IOC_SIZESHIFT;
	}
	return perf_counter_ioctl(file, cmd, arg);
}
#else
#define perf_counter_compat_ioctl	NULL
#endif

static __poll_t perf_counter_poll(struct file *file, poll_table *wait)
{
	struct perf_counter_desc *desc = file->private_data;
	struct file *handed = handed_over(desc);
	bool over;

	if (unlikely(handed))
		return vfs_poll(handed, wait);
	poll_wait(file, &desc->writer.waitq, wait);
	/* perf_events says that a wakeup came, once, and nothing else when tasks have ended. */
	if (desc->compat)
		return perf_counter_has_ended(desc) ? EPOLLHUP :
		       perf_counter_buffer_poll_once(&desc->writer);
	over = perf_counter_is_over(desc);
	/* Partner: the exchange that published the last record. */
	smp_rmb();
	return perf_counter_buffer_poll(&desc->writer, over) | (over ? EPOLLHUP : 0);
}

static int perf_counter_mmap_file(struct file *file, struct vm_area_struct *vma)
{
	struct perf_counter_desc *desc = file->private_data;
	const struct perf_counter_attr *attr = &desc->attr;
	struct perf_counter_buffer_config config = {
		.cpu		= desc_writing_cpu(desc),
		.subrings	= attr->subrings && desc->cpu < 0,
		.watermark	= attr->watermark ? attr->wakeup_watermark : 0,
		.backward	= attr->write_backward,
		.unlimited	= READ_ONCE(sysctl_perf_counter_paranoid) <= -1,
	};
	int err = -ESTALE;

	if (likely(!perf_counter_handed(desc))) {
		err = perf_counter_label_read(desc) ?:
		      perf_counter_buffer_mmap(&desc->writer, &config, vma);
	}
	if (likely(err != -ESTALE))
		return err;
	/* The memory is that of the other file, whose release waits for the unmapping. */
	vma_set_file(vma, perf_counter_handed(desc));
	return call_mmap(vma->vm_file, vma);
}

static ssize_t perf_counter_splice_file(struct file *file, loff_t *ppos,
					struct pipe_inode_info *pipe, size_t len,
					unsigned int flags)
{
	struct perf_counter_desc *desc = file->private_data;
	bool wait = !(flags & SPLICE_F_NONBLOCK) && !(file->f_flags & O_NONBLOCK);
	int err = perf_counter_label_read(desc);

	/* perf_events has no splice(). */
	if (perf_counter_handed(desc))
		return -EINVAL;
	return err ?: perf_counter_splice(&desc->writer, pipe, len, wait);
}

/* Those who get the signals of @desc; its mutex is held. */
static struct fasync_struct **signalled_by(struct perf_counter_desc *desc)
{
#ifdef CONFIG_PERF_EVENTS
	struct perf_event *event;

	if (perf_counter_handed(desc)) {
		event = desc->handed->private_data;
		return &event->fasync;
	}
#endif
	return &desc->fasync;
}

static int perf_counter_fasync(int fd, struct file *file, int on)
{
	struct perf_counter_desc *desc = file->private_data;

	if (on)
		perf_counter_desc_expect_signals(desc);
	/* Against a handover, which leaves no descriptor behind that sends signals. */
	guard(mutex)(&desc->mutex);
	return fasync_helper(fd, file, on, signalled_by(desc));
}

#ifdef CONFIG_PROC_FS
/* What /proc/PID/fdinfo says of a descriptor: nothing that its holder cannot ask for. */
static void perf_counter_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct perf_counter_desc *desc = file->private_data;
	struct perf_counter_buffer *buffer;
	struct perf_counter_desc *leader;

	guard(rcu)();
	leader = rcu_dereference(desc->leader);
	buffer = rcu_dereference(desc->writer.buffer);
	seq_printf(m, "type:\t%u\nconfig:\t%#llx\nid:\t%llu\ngroup:\t%llu\n",
		   desc->attr.type, desc->attr.config, desc->id, leader->id);
	seq_printf(m, "counts:\t%s\ncpu:\t%d\n", desc->task ? "tasks" : "cpus", desc->cpu);
	if (desc->attr.sample_period)
		seq_printf(m, "%s:\t%llu\n", desc->attr.freq ? "freq" : "period",
			   READ_ONCE(desc->attr.sample_period));
	if (perf_counter_handed(desc)) {
		seq_puts(m, "handed:\tperf_events\n");
		return;
	}
	seq_printf(m, "lost:\t%lld\nended:\t%d\n", atomic64_read(&desc->writer.lost),
		   perf_counter_is_over(desc));
	if (desc->tracepoint || desc->attr.sample_period)
		seq_printf(m, "missed:\t%lld\n", atomic64_read(&desc->missed));
	if (buffer)
		seq_printf(m, "pages:\t%u\nrings:\t%u\n", buffer->nr_pages, buffer->nr_rings);
}
#endif

static const struct file_operations perf_counter_fops = {
	.release	= perf_counter_release,
	.read		= perf_counter_read_file,
	.poll		= perf_counter_poll,
	.unlocked_ioctl	= perf_counter_ioctl,
	.compat_ioctl	= perf_counter_compat_ioctl,
	.mmap		= perf_counter_mmap_file,
	.splice_read	= perf_counter_splice_file,
	.fasync		= perf_counter_fasync,
#ifdef CONFIG_PROC_FS
	.show_fdinfo	= perf_counter_show_fdinfo,
#endif
};

static int owned_do(void (*op)(struct perf_counter_desc *desc))
{
	struct perf_counter_desc *desc;

	mutex_lock(&current->perf_counter_mutex);
	list_for_each_entry(desc, &current->perf_counter_owned, owner_node) {
		perf_counter_desc_do(desc, op);
		cond_resched();
		if (fatal_signal_pending(current))
			break;
	}
	mutex_unlock(&current->perf_counter_mutex);
	return 0;
}

/**
 * perf_counter_task_disable() - prctl(PR_TASK_PERF_COUNTERS_DISABLE)
 *
 * Return: 0.
 */
int perf_counter_task_disable(void)
{
	return owned_do(perf_counter_op_disable);
}

/**
 * perf_counter_task_enable() - prctl(PR_TASK_PERF_COUNTERS_ENABLE)
 *
 * Return: 0.
 */
int perf_counter_task_enable(void)
{
	return owned_do(perf_counter_op_enable);
}

/* === Opening === */

static struct task_struct *find_task(pid_t pid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid ? find_task_by_vpid(pid) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/* Make the descriptor and its file, and attach it to its context. */
static struct file *open_file(const struct perf_counter_attr *attr, struct task_struct *task,
			      int cpu, struct perf_counter_desc *group, unsigned long flags,
			      bool compat)
{
	struct perf_counter_desc *leader = group, *desc;
	struct file *file;
	int err;

	if (flags & PERF_COUNTER_FLAG_FD_NO_GROUP)
		leader = NULL;

	desc = perf_counter_desc_alloc(attr, task, cpu, NULL);
	if (IS_ERR(desc))
		return ERR_CAST(desc);
	desc->compat = compat;

	file = anon_inode_getfile("[perf_counter]", &perf_counter_fops, desc, O_RDWR);
	err = PTR_ERR_OR_ZERO(file);
	if (err)
		goto close;
	/* From here on, the release of the file undoes it all. */
	desc->owner = get_task_struct(current);
	INIT_LIST_HEAD(&desc->owner_node);

	err = 0;
	if (group && (flags & PERF_COUNTER_FLAG_FD_OUTPUT))
		err = desc_redirect(desc, group);
	if (!err && task)
		err = perf_counter_attach_task(desc, task, leader);
	else if (!err)
		err = perf_counter_attach_cpu(desc, leader);
	if (err) {
		fput(file);
		return ERR_PTR(err);
	}
	if (desc->pmu->attached)
		desc->pmu->attached(desc);

	mutex_lock(&current->perf_counter_mutex);
	list_add_tail(&desc->owner_node, &current->perf_counter_owned);
	mutex_unlock(&current->perf_counter_mutex);
	return file;

close:
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
	return ERR_PTR(err);
}

/* Most name no group: -1. */
EXTEND_CLASS(fd, _unless_none, fd == -1 ? EMPTY_FD : fdget(fd), int fd)

#define OPEN_FLAGS	(PERF_COUNTER_FLAG_FD_NO_GROUP | PERF_COUNTER_FLAG_FD_OUTPUT | \
			 PERF_COUNTER_FLAG_FD_CLOEXEC)

/*
 * Open a counter with a checked @attr, or @compat, what looks like an event of perf_events.
 * Returns a file descriptor or an error.
 */
static int open_attr(const struct perf_counter_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags, bool compat)
{
	struct perf_counter_desc *group = NULL;
	struct task_struct *task = NULL;
	struct file *file;
	int err, fd;

	err = perf_counter_may_open(attr, pid == -1);
	if (err)
		return err;
	if (cpu != -1 && (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -EINVAL;

	CLASS(fd_unless_none, group_file)(group_fd);
	if (group_fd != -1) {
		if (!fd_file(group_file) || fd_file(group_file)->f_op != &perf_counter_fops)
			return -EBADF;
		group = fd_file(group_file)->private_data;
	}
	if (pid != -1) {
		task = find_task(pid);
		if (!task)
			return -ESRCH;
	}

	fd = get_unused_fd_flags(O_RDWR |
				 (flags & PERF_COUNTER_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0));
	if (fd >= 0) {
		file = open_file(attr, task, cpu, group, flags, compat);
		if (IS_ERR(file)) {
			put_unused_fd(fd);
			fd = PTR_ERR(file);
		} else {
			fd_install(fd, file);
		}
	}
	if (task)
		put_task_struct(task);
	return fd;
}

/**
 * sys_perf_counter_open() - open a performance counter
 * @uattr: what to count, and what to record
 * @pid: 0 the caller, > 0 a task, -1 every task
 * @cpu: a CPU, -1 every CPU
 * @group_fd: whose group it joins; -1 for one of its own
 * @flags: PERF_COUNTER_FLAG_*
 *
 * Return: a file descriptor, or an error; see perf_counter_open(2).
 */
SYSCALL_DEFINE5(perf_counter_open, struct perf_counter_attr __user *, uattr, pid_t, pid,
		int, cpu, int, group_fd, unsigned long, flags)
{
	struct perf_counter_attr attr __uninitialized;
	int err;

	if (flags & ~OPEN_FLAGS)
		return -EINVAL;
	err = perf_counter_copy_attr(uattr, &attr);
	if (err)
		return err;
	return open_attr(&attr, pid, cpu, group_fd, flags, false);
}

#ifdef CONFIG_PERF_EVENTS
static bool is_ours(int fd)
{
	CLASS(fd_unless_none, file)(fd);

	return fd_file(file) && fd_file(file)->f_op == &perf_counter_fops;
}

/* What perf_events does not look at is not refused either. */
static void forget_ignored(struct perf_counter_attr *attr)
{
	attr->aux_watermark = 0;
	if (!attr->sigtrap)
		attr->sig_data = 0;
	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE &&
	    attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT)
		return;
	attr->bp_type = 0;
	attr->config1 = 0;
	attr->config2 = 0;
	attr->config3 = 0;
	if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
		attr->precise_ip = 0;
}

/* Of a PMU that is here perf_events has nothing. */
static bool is_of_our_pmu(const struct perf_counter_attr *attr)
{
	return perf_counter_hw_is_claimed() &&
	       (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW);
}

/**
 * perf_counter_open_event() - perf_event_open() may be served here
 * @attr: as for that call, which has checked it, and whether the caller may have it
 * @pid: as for that call
 * @cpu: likewise
 * @group_fd: likewise
 * @flags: likewise
 * @event_fd: if it is served here, set to a file descriptor, or an error
 *
 * Whatever is not had here, perf_events is to answer for, unless it would be of one of
 * our groups, or of the PMU that we have: then it is refused.
 *
 * Return: false when perf_events is to go on.
 */
bool perf_counter_open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			     unsigned long flags, int *event_fd)
{
	struct perf_counter_attr own;
	bool joins;
	int err = 0;

	/* The whole machine by one descriptor is nothing that perf_events has. */
	if (!READ_ONCE(sysctl_perf_counter_compat) || flags & ~OPEN_FLAGS ||
	    (pid == -1 && cpu == -1))
		return false;
	joins = is_ours(group_fd);
	if (group_fd != -1 && !joins)
		return false;

	/* An event of ours that it does not know: it is to say. */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_OFF_CPU)
		return joins;
	/* What a tracepoint has recorded, perf_events may refuse: it is to say. */
	if (attr->type == PERF_TYPE_TRACEPOINT && (attr->sample_type & PERF_SAMPLE_RAW) &&
	    perf_allow_tracepoint())
		return false;
	memcpy(&own, attr, sizeof(own));
	forget_ignored(&own);
	if (pid == -1)
		err = perf_allow_cpu();
	if (!err)
		err = perf_counter_check_attr(&own);
	perf_counter_drop_machine(&own);
	*event_fd = err ?: open_attr(&own, pid, cpu, group_fd, flags, true);
	return joins || *event_fd >= 0 || is_of_our_pmu(&own);
}
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The front of perf_counter: the system call, and the operations of a descriptor's
 * file.
 *
 * A descriptor has one counter where it was opened, or one on each CPU of the machine,
 * and one more in each task that inherits it. An operation on the descriptor applies to
 * all its counters. A read returns their sum plus the counts of tasks that have exited.
 *
 * The other files are in the folders of perf_counter/, each with one header for the
 * others: source/ (event sources), context/ (contexts and scheduling of counters),
 * record/ (contents of records), ring/ (ring buffers). context/context.h has the lock
 * order.
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
#include "perf_counter/context/label.h"
#include "perf_counter/record/record.h"

static const struct file_operations perf_counter_fops;

/* The sysctl kernel.perf_counter_compat: 1 if perf_counter serves perf_event_open(). */
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
 * Return the file of perf_events that @desc was handed over to, or NULL if there was no handover.
 * The event of the file has the count of @desc. May sleep; the caller must not hold mmap_lock.
 */
static struct file *perf_counter_handed_file(struct perf_counter_desc *desc)
{
	struct file *handed = perf_counter_handed(desc);

	if (likely(!handed))
		return NULL;
	/* Wait for the handover, which holds the mutex until the event has the count. */
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
	/*
	 * A descriptor joins a group through its file, which is being released: a descriptor
	 * without a group stays without one.
	 */
	if (rcu_access_pointer(desc->group.leader) != desc ||
	    !list_empty_careful(&desc->group.members))
		perf_counter_group_leave(desc);
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
	return 0;
}

/*
 * Read a descriptor that was handed over. Out of line, so that reads of other descriptors need not
 * save registers for this call.
 */
static noinline ssize_t desc_read_handed(struct perf_counter_desc *desc, char __user *buf,
					 size_t count, loff_t *ppos)
{
	struct file *handed = perf_counter_handed_file(desc);

	return handed->f_op->read(handed, buf, count, ppos);
}

static ssize_t perf_counter_read_file(struct file *file, char __user *buf, size_t count,
				      loff_t *ppos)
{
	struct perf_counter_desc *desc = file->private_data;
	int err;

	if (unlikely(perf_counter_handed(desc)))
		return desc_read_handed(desc, buf, count, ppos);
	err = perf_counter_label_read(desc);
	if (err)
		return err;
	return perf_counter_read_desc(desc, buf, count);
}

/* === Ioctls === */

/* Return the only CPU on which records of @desc are written, or -1 if there are several. */
static int desc_writing_cpu(struct perf_counter_desc *desc)
{
	/*
	 * READ records of exited tasks that inherited the counter are written where the
	 * task exits.
	 */
	if (desc->task && desc->attr.inherit && desc->attr.inherit_stat)
		return -1;
	return desc->cpu;
}

/* Send @desc's records to the buffer of @to, which must have the same clock and direction. */
static int desc_redirect(struct perf_counter_desc *desc, struct perf_counter_desc *to)
{
	if (to->records.clock != desc->records.clock ||
	    to->attr.write_backward != desc->attr.write_backward)
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
	 * A descriptor that was handed over cannot get a filter. A bit excludes the handover, not
	 * desc->mutex: setting a filter takes ftrace's locks, which must not be taken inside
	 * desc->mutex. A fork takes desc->mutex, and ftrace waits for CPU hotplug, which may wait
	 * for forks.
	 */
	if (wait_on_bit_lock(&desc->handing, 0, TASK_KILLABLE))
		return -EINTR;
	err = perf_counter_handed(desc) ? -ESTALE : desc->pmu->set_filter(desc, copy);
	clear_and_wake_up_bit(0, &desc->handing);
	return err;
}

#ifdef CONFIG_PERF_EVENTS
/* Have perf_events open the event of @file's descriptor, with the credentials of its opener. */
static int desc_open_handover(struct file *file, struct perf_counter_handover *handover)
{
	struct perf_counter_desc *desc = file->private_data;
	const struct cred *cred = override_creds(file->f_cred);
	int err;

	err = desc->pmu->hand_over ? desc->pmu->hand_over(desc, handover) :
				     perf_event_hand_over(handover);
	revert_creds(cred);
	return err;
}

/*
 * Hand @file's descriptor over to perf_events and attach @prog to the event, unless it
 * is NULL. The event takes a reference to @prog.
 */
static int desc_hand_over_locked(struct file *file, struct bpf_prog *prog)
{
	struct perf_counter_desc *desc = file->private_data;
	struct perf_counter_handover handover = {};
	int err;

	err = perf_counter_handover_begin(desc, &handover);
	if (err)
		return err;
	err = desc_open_handover(file, &handover);
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
	if (err) {
		/* Close the event at once: its PMU goes back to the descriptor. */
		__fput_sync(handover.file);
		if (desc->pmu->hand_back)
			desc->pmu->hand_back(desc);
	}
	return err;
}

/*
 * Hand @file's descriptor over to perf_events, with @prog attached unless it is NULL.
 * If the descriptor or the program is refused, the descriptor is not changed, but a counter of the
 * PMU may have missed events meanwhile. Returns 0, -EALREADY if the descriptor has been handed over
 * before, or another error.
 */
static int desc_hand_over(struct file *file, struct bpf_prog *prog)
{
	struct perf_counter_desc *desc = file->private_data;
	int err;

	/* Hand over once: a second caller waits here and then gets -EALREADY. */
	if (wait_on_bit_lock(&desc->handing, 0, TASK_KILLABLE))
		return -EINTR;
	err = perf_counter_handed(desc) ? -EALREADY : desc_hand_over_locked(file, prog);
	clear_and_wake_up_bit(0, &desc->handing);
	return err;
}

/**
 * perf_counter_event_file_get() - Get the file of perf_events that corresponds to a
 * file
 * @file: file with a reference, which is consumed
 *
 * Hands a descriptor of perf_counter over to perf_events.
 *
 * Context: may sleep; no lock held that perf_event_open() takes.
 * Return: file of perf_events with a reference; @file if it is not a descriptor of
 * perf_counter; or an error.
 */
struct file *perf_counter_event_file_get(struct file *file)
{
	struct perf_counter_desc *desc = file->private_data;
	struct file *handed;
	int err;

	if (file->f_op != &perf_counter_fops)
		return file;
	err = desc_hand_over(file, NULL);
	handed = err && err != -EALREADY ? ERR_PTR(err) : get_file(desc->handed);
	fput(file);
	return handed;
}

/**
 * perf_counter_event_file() - Find the file of perf_events that corresponds to a file
 * @file: file that the caller has a reference to
 *
 * Context: may sleep.
 * Return: for a descriptor of perf_counter that was handed over, the file of
 * perf_events, which lives as long as @file; otherwise @file.
 */
struct file *perf_counter_event_file(struct file *file)
{
	if (file->f_op != &perf_counter_fops)
		return file;
	return perf_counter_handed_file(file->private_data) ?: file;
}

static int set_bpf(struct file *file, struct bpf_prog *prog)
{
	return desc_hand_over(file, prog);
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

/* Handle the ioctls of perf_events for BPF programs and breakpoints. */
static long ioctl_of_perf_events(struct file *file, unsigned int cmd, void __user *arg)
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

static long desc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
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
	case PERF_COUNTER_IOC_READ_EACH:
		return perf_counter_label_read(desc) ?:
		       perf_counter_read_each(desc, (struct perf_counter_rows __user *)arg);
	case PERF_COUNTER_IOC_READ_SELF:
		return perf_counter_label_read(desc) ?:
		       perf_counter_read_self(desc, (struct perf_counter_rows __user *)arg);
	default:
		return ioctl_of_perf_events(file, cmd, (void __user *)arg);
	}

	/* Programs that leave the argument out pass any value, so ignore unknown bits. */
	if (arg & PERF_COUNTER_IOC_FLAG_GROUP)
		perf_counter_group_do(desc, op);
	else
		perf_counter_desc_do(desc, op);
	return 0;
}

static long perf_counter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct perf_counter_desc *desc = file->private_data;
	struct file *handed = perf_counter_handed_file(desc);
	long err;

	if (unlikely(handed))
		return handed->f_op->unlocked_ioctl(handed, cmd, arg);
	err = perf_counter_label_write(desc);
	if (err)
		return err;
	err = desc_ioctl(file, cmd, arg);
	if (likely(!perf_counter_handed(desc)) || (cmd == PERF_EVENT_IOC_SET_BPF && !err))
		return err;
	/*
	 * The descriptor was handed over meanwhile, and the ioctl may have had no
	 * effect: repeat it.
	 */
	handed = perf_counter_handed_file(desc);
	return handed->f_op->unlocked_ioctl(handed, cmd, arg);
}

#ifdef CONFIG_COMPAT
static long perf_counter_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	/*
	 * The numbers of these ioctls contain the size of a pointer: replace the size of a 32-bit
	 * pointer by that of a native one.
	 */
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
	struct file *handed = perf_counter_handed_file(desc);
	bool over;

	if (unlikely(handed))
		return vfs_poll(handed, wait);
	poll_wait(file, &desc->writer.waitq, wait);
	/*
	 * Like perf_events: report a wakeup once, and EPOLLHUP alone after the tasks
	 * have exited.
	 */
	if (desc->compat)
		return perf_counter_targets_exited(desc) ? EPOLLHUP :
		       perf_counter_buffer_poll_once(&desc->writer);
	over = perf_counter_no_more_records(desc);
	/* Pairs with the exchange that published the last record. */
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
		.no_mlock_limit = READ_ONCE(sysctl_perf_counter_paranoid) <= -1,
	};
	int err = -ESTALE;

	if (likely(!perf_counter_handed(desc))) {
		err = perf_counter_label_read(desc) ?:
		      perf_counter_buffer_mmap(&desc->writer, &config, vma);
	}
	if (likely(err != -ESTALE))
		return err;
	/* The pages belong to the file of perf_events; the mapping keeps this file open. */
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

/* Return the list of files that get signals for @desc. desc->mutex must be held. */
static struct fasync_struct **desc_fasync_list(struct perf_counter_desc *desc)
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
	/* desc->mutex excludes a handover, after which the descriptor sends no signals. */
	guard(mutex)(&desc->mutex);
	return fasync_helper(fd, file, on, desc_fasync_list(desc));
}

#ifdef CONFIG_PROC_FS
/* Show /proc/PID/fdinfo of a descriptor: only facts that its holder can get by other means. */
static void perf_counter_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct perf_counter_desc *desc = file->private_data;
	struct perf_counter_buffer *buffer;
	struct perf_counter_desc *leader;

	guard(rcu)();
	leader = rcu_dereference(desc->group.leader);
	buffer = rcu_dereference(desc->writer.buffer);
	seq_printf(m, "type:\t%u\nconfig:\t%#llx\nid:\t%llu\ngroup:\t%llu\n",
		   desc->attr.type, desc->attr.config, desc->id, leader->id);
	seq_printf(m, "counts:\t%s\ncpu:\t%d\n",
		   desc->task ? "tasks" : desc->cgroup ? "cgroup" : "cpus", desc->cpu);
	if (desc->attr.sample_period)
		seq_printf(m, "%s:\t%llu\n", desc->attr.freq ? "freq" : "period",
			   READ_ONCE(desc->attr.sample_period));
	if (perf_counter_handed(desc)) {
		seq_puts(m, "handed:\tperf_events\n");
		return;
	}
	seq_printf(m, "lost:\t%lld\nended:\t%d\n", atomic64_read(&desc->writer.lost),
		   perf_counter_no_more_records(desc));
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

static int task_owned_do(void (*op)(struct perf_counter_desc *desc))
{
	struct perf_counter_task *state = perf_counter_task_state(current);
	struct perf_counter_desc *desc;

	if (!state)
		return 0;
	mutex_lock(&state->owned.mutex);
	list_for_each_entry(desc, &state->owned.descs, owner.node) {
		perf_counter_desc_do(desc, op);
		cond_resched();
		if (fatal_signal_pending(current))
			break;
	}
	mutex_unlock(&state->owned.mutex);
	return 0;
}

/**
 * perf_counter_task_disable() - Disable all counters that the current task has opened
 *
 * Implements prctl(PR_TASK_PERF_COUNTERS_DISABLE).
 *
 * Context: may sleep.
 * Return: 0.
 */
int perf_counter_task_disable(void)
{
	return task_owned_do(perf_counter_op_disable);
}

/**
 * perf_counter_task_enable() - Enable all counters that the current task has opened
 *
 * Implements prctl(PR_TASK_PERF_COUNTERS_ENABLE).
 *
 * Context: may sleep.
 * Return: 0.
 */
int perf_counter_task_enable(void)
{
	return task_owned_do(perf_counter_op_enable);
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

/*
 * Create a descriptor and its file, and attach the descriptor to the context of @task, or of
 * @cgroup or all tasks on @cpu. Takes over the reference to @cgroup.
 */
static struct file *open_file(const struct perf_counter_attr *attr,
			      const struct perf_counter_plan *plan, struct task_struct *task,
			      struct perf_counter_cgroup *cgroup, int cpu,
			      struct perf_counter_desc *group, unsigned long flags, bool compat)
{
	struct perf_counter_desc *leader = group, *desc;
	struct perf_counter_task *owner = perf_counter_state_get(current);
	struct file *file;
	int err;

	if (flags & PERF_COUNTER_FLAG_FD_NO_GROUP)
		leader = NULL;

	desc = owner ? perf_counter_desc_alloc(attr, plan, task, cpu, NULL) : ERR_PTR(-ENOMEM);
	if (IS_ERR(desc)) {
		if (cgroup)
			perf_counter_cgroup_put(cgroup);
		return ERR_CAST(desc);
	}
	desc->compat = compat;
	desc->cgroup = cgroup;

	file = anon_inode_getfile("[perf_counter]", &perf_counter_fops, desc, O_RDWR);
	err = PTR_ERR_OR_ZERO(file);
	if (err)
		goto close;
	/* From here on, releasing the file undoes everything. */
	desc->owner.task = get_task_struct(current);
	INIT_LIST_HEAD(&desc->owner.node);

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

	mutex_lock(&owner->owned.mutex);
	list_add_tail(&desc->owner.node, &owner->owned.descs);
	mutex_unlock(&owner->owned.mutex);
	return file;

close:
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
	return ERR_PTR(err);
}

/* Most opens name no group: skip fdget() for -1. */
EXTEND_CLASS(fd, _unless_none, fd == -1 ? EMPTY_FD : fdget(fd), int fd)

#define OPEN_FLAGS	(PERF_COUNTER_FLAG_FD_NO_GROUP | PERF_COUNTER_FLAG_FD_OUTPUT | \
			 PERF_COUNTER_FLAG_PID_CGROUP | PERF_COUNTER_FLAG_FD_CLOEXEC)

/*
 * Open a counter with a checked @attr. @compat: the file has to behave like one of
 * perf_events. Returns a file descriptor or an error.
 */
static int open_attr(const struct perf_counter_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags, bool compat)
{
	bool of_cgroup = flags & PERF_COUNTER_FLAG_PID_CGROUP;
	struct perf_counter_cgroup *cgroup = NULL;
	struct perf_counter_desc *group = NULL;
	struct task_struct *task = NULL;
	struct perf_counter_plan plan;
	struct file *file;
	int err, fd;

	if (of_cgroup && pid == -1)
		return -EINVAL;
	perf_counter_plan_records(&plan, attr);
	err = perf_counter_may_open(attr, &plan, pid == -1 || of_cgroup);
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
	if (pid != -1 && !of_cgroup) {
		task = find_task(pid);
		if (!task)
			return -ESRCH;
	}

	fd = get_unused_fd_flags(O_RDWR |
				 (flags & PERF_COUNTER_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0));
	if (of_cgroup && fd >= 0)
		cgroup = perf_counter_cgroup_get(pid);
	if (fd >= 0) {
		file = IS_ERR(cgroup) ? ERR_CAST(cgroup) :
		       open_file(attr, &plan, task, cgroup, cpu, group, flags, compat);
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
 * sys_perf_counter_open() - Open a performance counter
 * @uattr: event to count, and what its records contain
 * @pid: id of the task to count; 0: the caller; -1: all tasks; with PERF_COUNTER_FLAG_PID_CGROUP,
 *	file descriptor of the directory of the control group to count
 * @cpu: number of the CPU to count on; -1: all CPUs
 * @group_fd: file descriptor of the group leader; -1 to open a new group
 * @flags: bits of PERF_COUNTER_FLAG_*
 *
 * Return: a file descriptor or an error; see perf_counter_open(2).
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
static bool is_perf_counter_fd(int fd)
{
	CLASS(fd_unless_none, file)(fd);

	return fd_file(file) && fd_file(file)->f_op == &perf_counter_fops;
}

/* Clear the fields that perf_events ignores, so that they are not refused. */
static void clear_ignored(struct perf_counter_attr *attr)
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

/* Return true if the event needs a PMU that perf_counter has claimed and perf_events cannot use. */
static bool needs_claimed_pmu(const struct perf_counter_attr *attr)
{
	return perf_counter_hw_is_claimed() &&
	       (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW);
}

/**
 * perf_counter_open_event() - Serve perf_event_open(), if enabled and possible
 * @attr: checked attr that the caller may use
 * @pid: argument of perf_event_open()
 * @cpu: argument of perf_event_open()
 * @group_fd: argument of perf_event_open()
 * @flags: argument of perf_event_open()
 * @event_fd: result: a file descriptor or an error; set only if the return value is
 *	true
 *
 * An event that perf_counter cannot serve is left to perf_events. It is refused instead if
 * it would join a group of perf_counter or count on a PMU that perf_counter has claimed.
 *
 * Return: true if perf_event_open() is done; false if perf_events has to serve it.
 */
bool perf_counter_open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			     unsigned long flags, int *event_fd)
{
	struct perf_counter_attr own;
	bool joins;
	int err = 0;

	/*
	 * Leave descriptors of the whole machine (@pid and @cpu are -1) to perf_events, which
	 * refuses them, and those of control groups, which it may find in another hierarchy.
	 */
	if (!READ_ONCE(sysctl_perf_counter_compat) ||
	    flags & ~(OPEN_FLAGS & ~PERF_COUNTER_FLAG_PID_CGROUP) ||
	    (pid == -1 && cpu == -1))
		return false;
	joins = is_perf_counter_fd(group_fd);
	if (group_fd != -1 && !joins)
		return false;

	/* perf_events refuses this event, which only perf_counter has. */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_OFF_CPU)
		return joins;
	/* Without the permission for raw data of tracepoints, let perf_events decide. */
	if (attr->type == PERF_TYPE_TRACEPOINT && (attr->sample_type & PERF_SAMPLE_RAW) &&
	    perf_allow_tracepoint())
		return false;
	memcpy(&own, attr, sizeof(own));
	clear_ignored(&own);
	if (pid == -1)
		err = perf_allow_cpu();
	if (!err)
		err = perf_counter_check_attr(&own);
	perf_counter_drop_machine(&own);
	*event_fd = err ?: open_attr(&own, pid, cpu, group_fd, flags, true);
	return joins || *event_fd >= 0 || needs_claimed_pmu(&own);
}
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Handing a descriptor over to perf_events, when it gets a BPF program or becomes part of a BPF
 * map: BPF programs, maps and links accept only events of perf_events.
 *
 * 1. perf_counter_handover_begin() describes the event for perf_events: the same event of the same
 *    task or CPU, disabled. The counter goes on counting, unless it is one of the PMU: the PMU then
 *    moves to perf_events, and the counter waits (source/hw_owner.c).
 * 2. perf_events opens the event. This takes locks of perf_events, and mmap_lock for a uprobe;
 *    desc->mutex and desc->writer.mutex are taken inside those locks, and so are not held here.
 * 3. perf_counter_handover_end() checks again that the descriptor can be handed over, and
 *    replaces it, with desc->mutex held.
 *
 * Other threads may use the descriptor at any time. kernel/perf_counter.c checks desc->handed
 * before an operation on a descriptor, and again after it:
 *
 * - Step 3 sees the effect of an operation that took desc->mutex before it. A later operation
 *   finds no counter, changes nothing, and is repeated on the event.
 * - An operation that sees desc->handed waits for desc->mutex, and so finds the event with its
 *   count, and enabled if the counter was.
 * - mmap() holds mmap_lock and must not wait for desc->mutex. desc->writer.mutex decides: either
 *   step 3 finds the buffer, or mmap() finds desc->handed.
 * - A fork either finds the counter before step 3, which then sees the child counter, or finds
 *   desc->closed.
 * - A new member either joins the group before step 3, which then sees it, or finds desc->closed.
 *
 * The counter is closed when it cannot be reached through the descriptor any more. An operation
 * that reached it before uses nothing that the close frees, or holds desc->mutex.
 */

#include <linux/perf_event.h>
#include <linux/sched/task.h>

#include "internal.h"

/* Return 0 if @desc can be handed over, or else the error. desc->mutex held. */
static int desc_stays(struct perf_counter_desc *desc)
{
	lockdep_assert_held(&desc->mutex);
	/* An event of perf_events cannot count on all CPUs. */
	if (desc->cpus)
		return -EINVAL;
	if (list_empty(&desc->counters))
		return -ESRCH;
	/* Refuse if groups, child counters, limits, filters or signals would be lost. */
	if (rcu_access_pointer(desc->group.leader) != desc || !list_empty(&desc->group.members) ||
	    !list_is_singular(&desc->counters) || !desc->first.ctx ||
	    atomic_read(&desc->refresh.limit) >= 0 || rcu_access_pointer(desc->filter) ||
	    desc->fasync)
		return -EBUSY;
	/*
	 * Refuse if a program polls the descriptor: epoll keeps waiting on the descriptor's wait
	 * queue after the handover. A poll that another thread begins at this moment is not
	 * noticed, and is not woken up.
	 */
	return waitqueue_active(&desc->writer.waitq) ? -EBUSY : 0;
}

/**
 * perf_counter_handover_begin() - Describe the event that perf_events opens for a descriptor
 * @desc: the descriptor
 * @handover: filled in, with a reference to the task
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for an event that perf_events does not have, and for a control group; -ESRCH
 * when the task has exited; -EBUSY when the descriptor is in a group or was inherited, or has a
 * filter, a limit of REFRESH, signals, or a program that polls it.
 */
int perf_counter_handover_begin(struct perf_counter_desc *desc,
				struct perf_counter_handover *handover)
{
	const struct perf_counter_attr *attr = &desc->attr;
	struct perf_event_attr *event_attr = &handover->attr;
	int err;

	/*
	 * config1 asks for the memory that system call arguments point to, which perf_events does
	 * not record.
	 */
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->config1)
		return -EINVAL;
	/* perf_events may count other control groups, or none. */
	if (desc->cgroup)
		return -EINVAL;

	guard(mutex)(&desc->mutex);
	err = desc_stays(desc);
	if (err)
		return err;
	static_assert(sizeof(*event_attr) == sizeof(*attr));
	memcpy(event_attr, attr, sizeof(*event_attr));
	event_attr->disabled = 1;
	/* Copy enable_on_exec from the counter: an exec may have cleared it there. */
	event_attr->enable_on_exec = desc->first.enable_on_exec;
	handover->cpu = desc->cpu;
	/* The task is valid: an exiting task takes desc->mutex to detach its counter. */
	handover->task = desc->first.ctx->task;
	if (handover->task)
		get_task_struct(handover->task);
	return 0;
}

/**
 * struct handover_end - arguments and result of detaching the counter of a descriptor
 * @desc: the descriptor
 * @enabled: result: the counter was enabled
 */
struct handover_end {
	struct perf_counter_desc	*desc;
	bool				enabled;
};

/* Add the count of the counter to its descriptor, and then detach the counter. */
static void end_fn(void *arg)
{
	struct handover_end *end = arg;
	struct perf_counter_desc *desc = end->desc;
	struct perf_counter *counter = &desc->first;
	struct perf_counter_value value;

	perf_counter_value_of(counter, perf_counter_ctx_time(counter->ctx), &value);
	end->enabled = counter->enabled;
	desc->exited.enabled += value.enabled;
	desc->exited.running += value.running;
	atomic64_add(value.count, &desc->exited.count);
	/* Pairs with the smp_rmb() in desc_lone_count(). */
	smp_wmb();
	perf_counter_detach(counter);
}

/* Replace @desc by @file. From here on, mmap() maps the buffer of @file. desc->mutex held. */
static int desc_replace(struct perf_counter_desc *desc, struct file *file)
{
	struct perf_counter_writer *writer = &desc->writer;

	guard(mutex)(&writer->mutex);
	if (rcu_access_pointer(writer->buffer))
		return -EBUSY;
	writer->retired = true;
	/* Pairs with the address dependency in the callers of perf_counter_handed(). */
	smp_store_release(&desc->handed, file);
	return 0;
}

/**
 * perf_counter_handover_end() - Replace a descriptor by an event of perf_events
 * @desc: the descriptor
 * @handover: result of perf_counter_handover_begin(), with the opened event. On success @desc
 *	keeps the reference to the file.
 *
 * The event starts with the count and the times of the descriptor, and is enabled if the
 * descriptor was. Events are not counted between the detaching of the counter and the enabling of
 * the event.
 *
 * Context: may sleep.
 * Return: 0, or an error of perf_counter_handover_begin(); -EBUSY also when a buffer is mapped
 * or the period was changed since.
 */
int perf_counter_handover_end(struct perf_counter_desc *desc,
			      struct perf_counter_handover *handover)
{
	struct perf_event *event = handover->file->private_data;
	struct handover_end end = { .desc = desc };
	int err;

	scoped_guard(mutex, &desc->mutex) {
		err = desc_stays(desc);
		if (!err && desc->attr.sample_period != handover->attr.sample_period)
			err = -EBUSY;
		if (!err)
			err = desc_replace(desc, handover->file);
		if (err)
			return err;
		desc->closed = true;
		perf_counter_ctx_call(desc->first.ctx, end_fn, &end, false);
		list_del(&desc->first.desc_node);

		/*
		 * The event does not count yet. Add the times where those of its exited children
		 * are added.
		 */
		local64_add(atomic64_read(&desc->exited.count), &event->count);
		atomic64_add(desc->exited.enabled, &event->child_total_time_enabled);
		atomic64_add(desc->exited.running, &event->child_total_time_running);
		if (end.enabled)
			perf_event_enable(event);
	}
	wake_up_all(&desc->writer.waitq);
	perf_counter_leave_owner(desc);
	perf_counter_desc_close(desc);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A descriptor is handed over to perf_events, because it gets a BPF program, or a BPF map is to
 * contain it: programs, maps and links know events of perf_events alone.
 *
 * 1. perf_counter_handover_begin() says what perf_events is to open: the same event, of the same
 *    task or CPU, disabled. The counter goes on counting.
 * 2. perf_events opens it. That takes locks of perf_events, and mmap_lock for a uprobe, inside
 *    of which desc->mutex and desc->writer.mutex are taken; so neither is held meanwhile.
 * 3. perf_counter_handover_end() looks again whether the descriptor may go, and then replaces
 *    it, with desc->mutex held.
 *
 * Other threads may use the descriptor at any time. The front door looks at desc->handed before
 * it does something to a descriptor, and again afterwards:
 *
 * - An operation that takes desc->mutex before step 3 is seen there; one that comes later finds
 *   no counter, changes nothing, and the front door repeats it on the event.
 * - An operation that sees desc->handed first waits for desc->mutex, so that it finds the event
 *   with its count, and enabled if it is to be.
 * - mmap() may not wait for desc->mutex, as it holds mmap_lock. It is decided by
 *   desc->writer.mutex: either step 3 finds the buffer, or mmap() finds desc->handed.
 * - A fork finds the counter before step 3, which sees the heir, or finds desc->closed.
 * - A member joins the group before step 3, which sees it, or finds desc->closed.
 *
 * The counter is closed when nobody can come to it by the descriptor any more; whoever came
 * before uses nothing that a close gives back, or holds desc->mutex.
 */

#include <linux/perf_event.h>
#include <linux/sched/task.h>

#include "internal.h"

/* Why @desc may not be handed over, or 0. Its mutex is held. */
static int desc_stays(struct perf_counter_desc *desc)
{
	lockdep_assert_held(&desc->mutex);
	/* perf_events has nothing that counts on all CPUs. */
	if (desc->cpus)
		return -EINVAL;
	if (list_empty(&desc->counters))
		return -ESRCH;
	/* perf_events would know nothing of a group, heirs, a limit, a filter, or signals. */
	if (rcu_access_pointer(desc->leader) != desc || !list_empty(&desc->members) ||
	    !list_is_singular(&desc->counters) || !desc->first.ctx ||
	    atomic_read(&desc->limit) >= 0 || rcu_access_pointer(desc->filter) || desc->fasync)
		return -EBUSY;
	/*
	 * A poll waits here, and may be an epoll that never asks again where to wait. It is not
	 * seen if it begins at this moment, in another thread: then it is told of nothing.
	 */
	return waitqueue_active(&desc->writer.waitq) ? -EBUSY : 0;
}

/**
 * perf_counter_handover_begin() - Say what perf_events is to open for a descriptor
 * @desc: the descriptor
 * @handover: filled in, with a reference to the task
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for what perf_events does not have; -ESRCH when the task has ended; -EBUSY
 * when the descriptor has more to it than a counter: a group, children that inherited it, a
 * filter, a limit of REFRESH, signals, or somebody who polls.
 */
int perf_counter_handover_begin(struct perf_counter_desc *desc,
				struct perf_counter_handover *handover)
{
	const struct perf_counter_attr *attr = &desc->attr;
	struct perf_event_attr *event_attr = &handover->attr;
	int err;

	/* Where the arguments of system calls point to: perf_events does not look at config1. */
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->config1)
		return -EINVAL;

	guard(mutex)(&desc->mutex);
	err = desc_stays(desc);
	if (err)
		return err;
	static_assert(sizeof(*event_attr) == sizeof(*attr));
	memcpy(event_attr, attr, sizeof(*event_attr));
	event_attr->disabled = 1;
	/* An exec that has passed does not enable it any more. */
	event_attr->enable_on_exec = desc->first.enable_on_exec;
	handover->cpu = desc->cpu;
	/* A task that ends takes desc->mutex before it loses its counter. */
	handover->task = desc->first.ctx->task;
	if (handover->task)
		get_task_struct(handover->task);
	return 0;
}

/**
 * struct handover_end - the end of a descriptor's counter
 * @desc: the descriptor
 * @enabled: the counter was enabled
 */
struct handover_end {
	struct perf_counter_desc	*desc;
	bool				enabled;
};

/* What the counter had is with the descriptor before the counter is seen to be gone. */
static void end_fn(void *arg)
{
	struct handover_end *end = arg;
	struct perf_counter_desc *desc = end->desc;
	struct perf_counter *counter = &desc->first;
	struct perf_counter_value value;

	perf_counter_value_of(counter, perf_counter_ctx_time(counter->ctx), &value);
	end->enabled = counter->enabled;
	desc->gone_enabled += value.enabled;
	desc->gone_running += value.running;
	atomic64_add(value.count, &desc->gone_count);
	/* Partner: the read barrier in desc_lone_count(). */
	smp_wmb();
	perf_counter_detach(counter);
}

/* From here on mmap() maps the buffer of @file. The mutex of @desc is held. */
static int desc_replace(struct perf_counter_desc *desc, struct file *file)
{
	struct perf_counter_writer *writer = &desc->writer;

	guard(mutex)(&writer->mutex);
	if (rcu_access_pointer(writer->buffer))
		return -EBUSY;
	writer->retired = true;
	/* Partner: the address dependency of those who call perf_counter_handed(). */
	smp_store_release(&desc->handed, file);
	return 0;
}

/**
 * perf_counter_handover_end() - Replace a descriptor by an event of perf_events
 * @desc: the descriptor
 * @handover: from perf_counter_handover_begin(), with the event opened. On success @desc keeps
 *	the reference to the file.
 *
 * The event begins with the count and the times of the descriptor, and is enabled if that was.
 * What happens between the end of the one and the enabling of the other is not counted.
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

		/* Nobody counts it yet. The times are summed up there as those of ended tasks. */
		local64_add(atomic64_read(&desc->gone_count), &event->count);
		atomic64_add(desc->gone_enabled, &event->child_total_time_enabled);
		atomic64_add(desc->gone_running, &event->child_total_time_running);
		if (end.enabled)
			perf_event_enable(event);
	}
	wake_up_all(&desc->writer.waitq);
	perf_counter_leave_owner(desc);
	perf_counter_desc_close(desc);
	return 0;
}

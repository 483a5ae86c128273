// SPDX-License-Identifier: GPL-2.0
/*
 * Records of perf_counter: begin and end of a record, its trailer with ids
 * (sample_id_all), and the records about counters themselves. sample.c writes samples.
 *
 * Sizes that are the same for all records of a counter are computed when it is opened.
 * Writing a record is one reservation in a ring, stores in place, and one commit.
 */

#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "internal.h"

/**
 * perf_counter_tgid_in() - Get a process id in a pid namespace
 * @task: a thread of the process
 * @ns: pid namespace
 *
 * Context: any.
 * Return: id of the process; 0 if it is not in @ns; -1 if it is being reaped.
 */
u32 perf_counter_tgid_in(struct task_struct *task, struct pid_namespace *ns)
{
	u32 pid;

	if (likely(ns == &init_pid_ns))
		return task->tgid;
	pid = task_tgid_nr_ns(task, ns);
	return pid || pid_alive(task) ? pid : -1;
}

/**
 * perf_counter_pid_in() - Get a thread id in a pid namespace
 * @task: the thread
 * @ns: pid namespace
 *
 * Context: any.
 * Return: id of the thread; 0 if it is not in @ns; -1 if it is being reaped.
 */
u32 perf_counter_pid_in(struct task_struct *task, struct pid_namespace *ns)
{
	u32 tid;

	if (likely(ns == &init_pid_ns))
		return task->pid;
	tid = task_pid_nr_ns(task, ns);
	return tid || pid_alive(task) ? tid : -1;
}

/* Return the ids of @task in the pid namespace of @desc's opener, as two words. */
static u64 ids_of(struct perf_counter_desc *desc, struct task_struct *task)
{
	return perf_counter_two_words(perf_counter_tgid_in(task, desc->records.ns),
				      perf_counter_pid_in(task, desc->records.ns));
}

/**
 * perf_counter_ids() - Get the ids of a task as a record has them
 * @desc: descriptor; the ids are those in its opener's pid namespace
 * @task: the task
 *
 * Context: any.
 * Return: ids of the process and the thread as two words; 0 if they are not in the namespace; -1 if
 * the opener is not in the initial namespace, and has already got the EXIT record of the task.
 */
u64 perf_counter_ids(struct perf_counter_desc *desc, struct task_struct *task)
{
	const struct perf_counter_task *state;

	if (unlikely(desc->records.ns != &init_pid_ns)) {
		state = perf_counter_task_state(task);
		if (state && state->exit.done)
			return perf_counter_two_words(-1, -1);
	}
	return ids_of(desc, task);
}

/* Write the trailer that all records but SAMPLE have. */
static void put_trailer(u64 __ring *at, struct perf_counter_desc *desc, struct task_struct *task,
			u64 stream_id)
{
	u64 type = desc->attr.sample_type;

	if (!desc->records.plan.id_size)
		return;
	if (type & PERF_SAMPLE_TID)
		at = ring_put(at, ids_of(desc, task));
	if (type & PERF_SAMPLE_TIME)
		at = ring_put(at, desc->records.clock());
	if (type & PERF_SAMPLE_ID)
		at = ring_put(at, desc->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		at = ring_put(at, stream_id);
	if (type & PERF_SAMPLE_CPU)
		at = ring_put(at, perf_counter_two_words(raw_smp_processor_id(), 0));
	if (type & PERF_SAMPLE_IDENTIFIER)
		at = ring_put(at, desc->id);
}

/**
 * perf_counter_output_lost() - Write a LOST record if there is room for it
 * @desc: descriptor of the record that is written next
 * @buffer: buffer of the record
 * @ring: ring of @buffer in which records were lost
 *
 * A LOST record that finds no room is not counted as lost itself.
 *
 * Context: any; preemption disabled.
 */
noinline void perf_counter_output_lost(struct perf_counter_desc *desc,
				       struct perf_counter_buffer *buffer,
				       struct perf_counter_ring *ring)
{
	u32 len = sizeof(struct perf_event_header) + 2 * sizeof(u64) + desc->records.plan.id_size;
	s64 lost = atomic64_xchg(&ring->lost, 0);
	u64 __ring *at;
	u64 pos;

	if (!lost)
		return;
	at = perf_counter_ring_reserve(ring, len, &pos);
	if (!at) {
		atomic64_add(lost - 1, &ring->lost);
		return;
	}
	at = ring_put(at, perf_counter_record_header(PERF_RECORD_LOST, 0, len));
	at = ring_put(at, desc->id);
	at = ring_put(at, lost);
	put_trailer(at, desc, current, desc->id);
	perf_counter_record_commit(buffer, ring, pos, len);
}

/**
 * perf_counter_output_begin() - Begin a record other than a sample
 * @record: object to fill in; the caller writes fields at @record->at
 * @counter: counter that the record belongs to
 * @type: type of the record, PERF_RECORD_*
 * @misc: misc bits of the record's header
 * @len: size of the fields in bytes without header and trailer, a multiple of 8
 *
 * After a success, the caller has to write exactly @len bytes, move @record->at to
 * their end, and call perf_counter_output_end(), without sleeping.
 *
 * Context: any; preemption disabled.
 * Return: false without a buffer, and if the record is lost: it does not fit into the
 * buffer or is longer than a record can be.
 */
bool perf_counter_output_begin(struct perf_counter_record *record, struct perf_counter *counter,
			       u32 type, u16 misc, size_t len)
{
	struct perf_counter_desc *desc = counter->desc;
	struct perf_counter_buffer *buffer = perf_counter_desc_buffer(desc);

	if (!buffer)
		return false;
	len += sizeof(struct perf_event_header) + desc->records.plan.id_size;
	record->ring = perf_counter_buffer_ring(buffer);
	record->at = perf_counter_record_reserve(desc, buffer, record->ring, len, &record->pos);
	if (!record->at)
		return false;
	record->counter = counter;
	record->task = current;
	record->buffer = buffer;
	record->len = len;
	perf_counter_put_word(record, perf_counter_record_header(type, misc, len));
	return true;
}

/**
 * perf_counter_output_end() - Complete a record other than a sample
 * @record: object that perf_counter_output_begin() has filled in
 *
 * Context: without having slept since perf_counter_output_begin().
 */
void perf_counter_output_end(struct perf_counter_record *record)
{
	struct perf_counter_desc *desc = record->counter->desc;

	put_trailer(record->at, desc, record->task, record->counter->stream_id);
	if (!perf_counter_record_commit(record->buffer, record->ring, record->pos, record->len))
		return;
	/* Send a signal for a reached watermark. Samples send their own signals. */
	if (READ_ONCE(desc->fasync))
		irq_work_queue(&desc->work);
}

/**
 * perf_counter_output_throttle() - Write a THROTTLE or UNTHROTTLE record
 * @counter: counter that is throttled or unthrottled
 * @throttled: true for THROTTLE, false for UNTHROTTLE
 *
 * Context: any; preemption disabled.
 */
void perf_counter_output_throttle(struct perf_counter *counter, bool throttled)
{
	struct perf_counter_desc *desc = counter->desc;
	struct perf_counter_record record;

	if (!perf_counter_output_begin(&record, counter,
				       throttled ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE,
				       0, 3 * sizeof(u64)))
		return;
	perf_counter_put_word(&record, desc->records.clock());
	perf_counter_put_word(&record, desc->id);
	perf_counter_put_word(&record, counter->stream_id);
	perf_counter_output_end(&record);
}

/**
 * perf_counter_output_drop() - Count a sample as lost instead of writing it
 * @counter: counter of the sample
 *
 * The next record in the ring is preceded by a LOST record, as after a full buffer.
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_output_drop(struct perf_counter *counter)
{
	struct perf_counter_buffer *buffer = perf_counter_desc_buffer(counter->desc);

	if (!buffer)
		return;
	atomic64_inc(&perf_counter_buffer_ring(buffer)->lost);
	atomic64_inc(&counter->desc->writer.lost);
}

/**
 * perf_counter_output_read() - Write a READ record with the counts of a task
 * @counter: inherited counter of the task, which is exiting
 * @task: the task
 *
 * Context: task; takes ctx->lock.
 */
void perf_counter_output_read(struct perf_counter *counter, struct task_struct *task)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	struct perf_counter_desc *desc = counter->desc;
	struct perf_counter_record record;
	unsigned int members;
	u32 len;

	raw_spin_lock_irq(&ctx->lock);
	members = counter->group.leader->group.nr_members;
	len = sizeof(u64) + perf_counter_read_size(desc, members);
	if (perf_counter_output_begin(&record, counter, PERF_RECORD_READ, 0, len)) {
		/*
		 * Do not use perf_counter_ids(), which returns -1 if the EXIT record has been
		 * written.
		 */
		perf_counter_put_word(&record, ids_of(desc, task));
		record.at = perf_counter_put_values(record.at, counter,
						    perf_counter_ctx_time(ctx), members);
		perf_counter_output_end(&record);
	}
	raw_spin_unlock_irq(&ctx->lock);
}

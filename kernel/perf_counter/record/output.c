// SPDX-License-Identifier: GPL-2.0
/*
 * Records of perf_counter: how one is begun and ended, the fields that identify it
 * (sample_id_all), and the records about counters themselves. Samples are in sample.c.
 *
 * The sizes that do not depend on the moment are worked out when a counter
 * is opened. A record is then one reservation, stores in place, one commit.
 */

#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "internal.h"

/* Sample types of the trailer that sample_id_all asks for, eight bytes each. */
#define WORDS_IN_TRAILER							\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |			\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/**
 * perf_counter_tgid_in() - a process as it is known in a pid namespace
 * @task: a thread of the process
 * @ns: the namespace
 *
 * Context: any.
 * Return: its id; 0 when it is not in there; -1 when it is being reaped.
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
 * perf_counter_pid_in() - a thread as it is known in a pid namespace
 * @task: the thread
 * @ns: the namespace
 *
 * Context: any.
 * Return: as perf_counter_tgid_in(), of the thread.
 */
u32 perf_counter_pid_in(struct task_struct *task, struct pid_namespace *ns)
{
	u32 tid;

	if (likely(ns == &init_pid_ns))
		return task->pid;
	tid = task_pid_nr_ns(task, ns);
	return tid || pid_alive(task) ? tid : -1;
}

/* The ids of @task for the opener of @desc. */
static u64 ids_of(struct perf_counter_desc *desc, struct task_struct *task)
{
	return perf_counter_two_words(perf_counter_tgid_in(task, desc->ns),
				      perf_counter_pid_in(task, desc->ns));
}

/**
 * perf_counter_ids() - a task as the opener of a descriptor knows it
 * @desc: the descriptor
 * @task: the task
 *
 * Context: any.
 * Return: the ids of its process and itself in the opener's pid namespace, as a record
 * has them; 0 when it is not in there; -1 when it has ended and the opener knows,
 * which is never so in the initial namespace.
 */
u64 perf_counter_ids(struct perf_counter_desc *desc, struct task_struct *task)
{
	if (unlikely(desc->ns != &init_pid_ns) && task->perf_counter_exited)
		return perf_counter_two_words(-1, -1);
	return ids_of(desc, task);
}

/**
 * perf_counter_read_size() - bytes that the values of a counter take
 * @desc: the descriptor that is read; its read_format counts
 * @members: with PERF_FORMAT_GROUP, counters in the group besides the leader
 *
 * Return: the size, for read(), PERF_SAMPLE_READ and READ records alike.
 */
unsigned int perf_counter_read_size(struct perf_counter_desc *desc, unsigned int members)
{
	u64 format = desc->attr.read_format;
	unsigned int times, words;

	times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (format & PERF_FORMAT_GROUP)
		return sizeof(u64) * (1 + times + words * (1 + members));
	return sizeof(u64) * (times + words);
}

/**
 * perf_counter_output_init() - work out the sizes of a descriptor's records
 * @desc: the descriptor, with its attr
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_output_init(struct perf_counter_desc *desc)
{
	if (desc->attr.sample_id_all)
		desc->id_size = sizeof(u64) * hweight64(desc->attr.sample_type & WORDS_IN_TRAILER);
	desc->read_size = perf_counter_read_size(desc, 0);
	if (!desc->attr.watermark)
		desc->wakeup_events = desc->attr.wakeup_events;
	return perf_counter_sample_init(desc);
}

/* The trailer of every record but SAMPLE. */
static void put_trailer(u64 __ring *at, struct perf_counter_desc *desc, struct task_struct *task,
			u64 stream_id)
{
	u64 type = desc->attr.sample_type;

	if (!desc->id_size)
		return;
	if (type & PERF_SAMPLE_TID)
		at = ring_put(at, ids_of(desc, task));
	if (type & PERF_SAMPLE_TIME)
		at = ring_put(at, desc->clock());
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
 * perf_counter_output_lost() - report what was lost, if there is room for that
 * @desc: whose record has room again
 * @buffer: where it goes
 * @ring: of those of the buffer
 *
 * A report that finds no room is no loss of its own: what the reservation counted is
 * taken back.
 *
 * Context: any; preemption disabled.
 */
noinline void perf_counter_output_lost(struct perf_counter_desc *desc,
				       struct perf_counter_buffer *buffer,
				       struct perf_counter_ring *ring)
{
	u32 len = sizeof(struct perf_event_header) + 2 * sizeof(u64) + desc->id_size;
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
 * perf_counter_output_begin() - begin a record that is not a sample
 * @record: filled in; @record->at is where its fields go
 * @counter: whose record it is
 * @type: PERF_RECORD_*
 * @misc: of its header
 * @len: bytes of its fields, a multiple of 8, trailer and header not included
 *
 * When true, exactly @len bytes are to be written, @record->at moved behind
 * them, and perf_counter_output_end() called, all without sleeping.
 *
 * Context: any; preemption disabled.
 * Return: false when there is no buffer; or no room in it, or the record is longer than one
 * can be, which counts as lost.
 */
bool perf_counter_output_begin(struct perf_counter_record *record, struct perf_counter *counter,
			       u32 type, u16 misc, size_t len)
{
	struct perf_counter_desc *desc = counter->desc;
	struct perf_counter_buffer *buffer = perf_counter_desc_buffer(desc);

	if (!buffer)
		return false;
	len += sizeof(struct perf_event_header) + desc->id_size;
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
 * perf_counter_output_end() - complete a record that is not a sample
 * @record: from perf_counter_output_begin()
 *
 * Context: as the begin.
 */
void perf_counter_output_end(struct perf_counter_record *record)
{
	struct perf_counter_desc *desc = record->counter->desc;

	put_trailer(record->at, desc, record->task, record->counter->stream_id);
	if (!perf_counter_record_commit(record->buffer, record->ring, record->pos, record->len))
		return;
	/* A signal, for whoever asked for one; of samples each has its own. */
	if (READ_ONCE(desc->fasync))
		irq_work_queue(&desc->work);
}

/* The value of one counter, as read_format has it. */
static u64 __ring *put_value(u64 __ring *at, u64 format, struct perf_counter *counter, u64 count)
{
	at = ring_put(at, count);
	return perf_counter_put_ids(at, format, counter->desc);
}

/**
 * perf_counter_put_values() - the values of a counter, as read_format has them
 * @at: where to
 * @counter: the counter; it is read in its own context
 * @now: the time of that
 * @members: with PERF_FORMAT_GROUP, for how many counters besides the leader there is
 *	room. Should the group shrink at this very moment, counters without an id and a
 *	value take the places.
 *
 * Context: any; as the read of the counters' PMUs.
 * Return: what is behind.
 */
u64 __ring *perf_counter_put_values(u64 __ring *at, struct perf_counter *counter, u64 now,
				    unsigned int members)
{
	u64 format = counter->desc->attr.read_format;
	struct perf_counter *leader, *member;
	struct perf_counter_value value;
	u64 __ring *end;

	if (!(format & PERF_FORMAT_GROUP)) {
		perf_counter_value_of(counter, now, &value);
		at = ring_put(at, value.count);
		at = perf_counter_put_times(at, format, &value);
		return perf_counter_put_ids(at, format, counter->desc);
	}

	end = at + perf_counter_read_size(counter->desc, members) / sizeof(u64);
	leader = READ_ONCE(counter->leader);
	perf_counter_value_of(leader, now, &value);
	at = ring_put(at, 1 + members);
	at = perf_counter_put_times(at, format, &value);
	at = put_value(at, format, leader, value.count);
	list_for_each_entry_rcu(member, &leader->members, member_node) {
		if (!members--)
			break;
		perf_counter_value_of(member, now, &value);
		at = put_value(at, format, member, value.count);
	}
	while (at < end)
		at = ring_put(at, 0);
	return at;
}

/**
 * perf_counter_output_throttle() - write a THROTTLE or UNTHROTTLE record
 * @counter: what is throttled, or no more
 * @throttled: which of the two
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
	perf_counter_put_word(&record, desc->clock());
	perf_counter_put_word(&record, desc->id);
	perf_counter_put_word(&record, counter->stream_id);
	perf_counter_output_end(&record);
}

/**
 * perf_counter_output_drop() - Count a sample as lost instead of writing it
 * @counter: whose sample it is
 *
 * As after a full buffer, the next record in its ring comes after a LOST record.
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
 * perf_counter_output_read() - write a READ record: what a task had counted
 * @counter: an inherited counter whose task is ending
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
	members = counter->leader->nr_members;
	len = sizeof(u64) + perf_counter_read_size(desc, members);
	if (perf_counter_output_begin(&record, counter, PERF_RECORD_READ, 0, len)) {
		/* The opener has heard of its end already. */
		perf_counter_put_word(&record, ids_of(desc, task));
		record.at = perf_counter_put_values(record.at, counter,
						    perf_counter_ctx_time(ctx), members);
		perf_counter_output_end(&record);
	}
	raw_spin_unlock_irq(&ctx->lock);
}

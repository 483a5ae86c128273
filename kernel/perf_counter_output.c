// SPDX-License-Identifier: GPL-2.0
/*
 * What a record of perf_counter contains: samples, the fields that identify
 * any record (sample_id_all), and the records about counters themselves.
 *
 * The sizes that do not depend on the moment are worked out when a counter
 * is opened. A record is then one reservation, stores in place, one commit.
 */

#include <linux/irq_work.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "perf_counter.h"

/* Sample types of eight bytes each, in a SAMPLE record. */
#define WORDS_IN_SAMPLE								\
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |		\
	 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |			\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* And those of the trailer that sample_id_all asks for. */
#define WORDS_IN_TRAILER							\
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |			\
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Sample types that most samples do without; asked for as one. */
#define RARE_SAMPLE_TYPES							\
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |		\
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |		\
	 PERF_SAMPLE_CALLCHAIN)

static u64 two_words(u32 first, u32 second)
{
	union {
		u32	word[2];
		u64	both;
	} u = { .word = { first, second } };

	return u.both;
}

static u64 record_header(u32 type, u16 misc, u16 size)
{
	union {
		struct perf_event_header	header;
		u64				word;
	} u = { .header = { .type = type, .misc = misc, .size = size } };

	return u.word;
}

/**
 * perf_counter_pid() - a process as the opener of a descriptor knows it
 * @desc: the descriptor
 * @task: a thread of the process
 *
 * Context: any.
 * Return: its id in the opener's pid namespace; 0 when it is not in there;
 * -1 when it is being reaped.
 */
u32 perf_counter_pid(struct perf_counter_desc *desc, struct task_struct *task)
{
	u32 pid;

	if (likely(desc->ns == &init_pid_ns))
		return task->tgid;
	pid = task_tgid_nr_ns(task, desc->ns);
	return pid || pid_alive(task) ? pid : -1;
}

/**
 * perf_counter_tid() - a thread as the opener of a descriptor knows it
 * @desc: the descriptor
 * @task: the thread
 *
 * Context: any.
 * Return: as perf_counter_pid(), of the thread.
 */
u32 perf_counter_tid(struct perf_counter_desc *desc, struct task_struct *task)
{
	u32 tid;

	if (likely(desc->ns == &init_pid_ns))
		return task->pid;
	tid = task_pid_nr_ns(task, desc->ns);
	return tid || pid_alive(task) ? tid : -1;
}

static u64 pid_tid(struct perf_counter_desc *desc, struct task_struct *task)
{
	return two_words(perf_counter_pid(desc, task), perf_counter_tid(desc, task));
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
	u64 type = desc->attr.sample_type;

	desc->sample_size = sizeof(struct perf_event_header) +
			    sizeof(u64) * hweight64(type & WORDS_IN_SAMPLE);
	if (desc->attr.sample_id_all)
		desc->id_size = sizeof(u64) * hweight64(type & WORDS_IN_TRAILER);
	if (type & PERF_SAMPLE_CALLCHAIN)
		return perf_counter_callchain_prepare();
	return 0;
}

/* The trailer of every record but SAMPLE. */
static void put_trailer(struct perf_counter_record *record, struct task_struct *task, u64 stream_id)
{
	struct perf_counter_desc *desc = record->desc;
	u64 type = desc->attr.sample_type;
	u64 *at = record->at;

	if (!desc->id_size)
		return;
	if (type & PERF_SAMPLE_TID)
		*at++ = pid_tid(desc, task);
	if (type & PERF_SAMPLE_TIME)
		*at++ = desc->clock();
	if (type & PERF_SAMPLE_ID)
		*at++ = desc->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*at++ = stream_id;
	if (type & PERF_SAMPLE_CPU)
		*at++ = two_words(raw_smp_processor_id(), 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = desc->id;
}

/* Reserve @len bytes, all in all, and write the header. */
static bool record_reserve(struct perf_counter_record *record, struct perf_counter_desc *desc,
			   struct perf_counter_buffer *buffer, u64 header, u32 len)
{
	record->at = perf_counter_ring_reserve(&buffer->ring, len, &record->pos);
	if (unlikely(!record->at))
		return false;
	record->desc = desc;
	record->buffer = buffer;
	record->len = len;
	*record->at++ = header;
	return true;
}

/*
 * Report what was lost, if there is room for that. A report that finds none
 * is no loss of its own: what the reservation counted is taken back.
 */
static noinline void output_lost(struct perf_counter_desc *desc, struct perf_counter_buffer *buffer)
{
	u32 len = sizeof(struct perf_event_header) + 2 * sizeof(u64) + desc->id_size;
	s64 lost = atomic64_xchg(&buffer->ring.lost, 0);
	struct perf_counter_record record;

	if (!lost)
		return;
	if (!record_reserve(&record, desc, buffer, record_header(PERF_RECORD_LOST, 0, len), len)) {
		atomic64_add(lost - 1, &buffer->ring.lost);
		return;
	}
	*record.at++ = desc->id;
	*record.at++ = lost;
	put_trailer(&record, current, desc->id);
	perf_counter_buffer_commit(&record, false);
}

/* Reserve @len bytes, or count the record as lost. Preemption disabled. */
static __always_inline bool record_begin(struct perf_counter_record *record,
					 struct perf_counter_desc *desc, u64 header, u32 len)
{
	struct perf_counter_buffer *buffer = rcu_dereference_sched(desc->buffer);

	if (!buffer || unlikely(!buffer->ring.nr_pages))
		return false;
	if (unlikely(atomic64_read(&buffer->ring.lost)) && !READ_ONCE(buffer->ring.paused))
		output_lost(desc, buffer);
	if (likely(record_reserve(record, desc, buffer, header, len)))
		return true;
	atomic64_inc(&desc->lost);
	return false;
}

/**
 * perf_counter_output_begin() - begin a record that is not a sample
 * @record: filled in; @record->at is where its fields go
 * @desc: for which descriptor
 * @type: PERF_RECORD_*
 * @misc: of its header
 * @len: bytes of its fields, a multiple of 8, trailer and header not included
 * @task: what task it is about
 *
 * When true, exactly @len bytes are to be written, @record->at moved behind
 * them, and perf_counter_output_end() called, all without sleeping.
 *
 * Context: any; preemption disabled.
 * Return: false when there is no buffer, or no room in it.
 */
bool perf_counter_output_begin(struct perf_counter_record *record, struct perf_counter_desc *desc,
			       u32 type, u16 misc, u32 len)
{
	len += sizeof(struct perf_event_header) + desc->id_size;
	return record_begin(record, desc, record_header(type, misc, len), len);
}

/**
 * perf_counter_output_end() - complete a record that is not a sample
 * @record: from perf_counter_output_begin()
 * @task: what task it is about
 *
 * Context: as the begin.
 */
void perf_counter_output_end(struct perf_counter_record *record, struct task_struct *task)
{
	put_trailer(record, task, record->desc->id);
	perf_counter_buffer_commit(record, false);
}

/* The value of one counter, as read_format has it. */
static u64 *put_value(u64 *at, u64 format, struct perf_counter *counter, u64 count)
{
	*at++ = count;
	if (format & PERF_FORMAT_ID)
		*at++ = counter->desc->id;
	if (format & PERF_FORMAT_LOST)
		*at++ = atomic64_read(&counter->desc->lost);
	return at;
}

static u64 *put_times(u64 *at, u64 format, const struct perf_counter_value *value)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = value->enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = value->running;
	return at;
}

/*
 * The values of @counter in its own context, as read_format has them, in the
 * room for @members counters besides the leader. Should the group shrink at
 * this very moment, counters without an id and a value take the places.
 */
static u64 *put_values(u64 *at, struct perf_counter *counter, u64 now, unsigned int members)
{
	u64 format = counter->desc->attr.read_format;
	struct perf_counter *leader, *member;
	struct perf_counter_value value;
	u64 *end;

	if (!(format & PERF_FORMAT_GROUP)) {
		perf_counter_value_of(counter, now, &value);
		*at++ = value.count;
		at = put_times(at, format, &value);
		if (format & PERF_FORMAT_ID)
			*at++ = counter->desc->id;
		if (format & PERF_FORMAT_LOST)
			*at++ = atomic64_read(&counter->desc->lost);
		return at;
	}

	end = at + perf_counter_read_size(counter->desc, members) / sizeof(u64);
	leader = READ_ONCE(counter->leader);
	perf_counter_value_of(leader, now, &value);
	*at++ = 1 + members;
	at = put_times(at, format, &value);
	at = put_value(at, format, leader, value.count);
	list_for_each_entry_rcu(member, &leader->members, member_node) {
		if (!members--)
			break;
		perf_counter_value_of(member, now, &value);
		at = put_value(at, format, member, value.count);
	}
	while (at < end)
		*at++ = 0;
	return at;
}

/**
 * perf_counter_output_sample() - write a SAMPLE record
 * @counter: what overflowed
 * @event: the event
 * @regs: its registers
 *
 * Context: any, NMI included; preemption disabled.
 */
void perf_counter_output_sample(struct perf_counter *counter,
				const struct perf_counter_event *event, struct pt_regs *regs)
{
	struct perf_counter_desc *desc = counter->desc;
	struct perf_counter_callchain *chain = NULL;
	u64 type = desc->attr.sample_type;
	struct perf_counter_record record;
	u32 len = desc->sample_size;
	unsigned int members = 0;
	u16 misc;
	u64 *at;

	if (!rcu_access_pointer(desc->buffer))
		return;

	if (type & PERF_SAMPLE_READ) {
		members = READ_ONCE(READ_ONCE(counter->leader)->nr_members);
		len += perf_counter_read_size(desc, members);
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		chain = perf_counter_callchain_get(desc, event, regs);
		len += sizeof(u64) * (1 + chain->nr);
	}

	misc = user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	if (!record_begin(&record, desc, record_header(PERF_RECORD_SAMPLE, misc, len), len))
		return;

	at = record.at;
	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = desc->id;
	if (type & PERF_SAMPLE_IP)
		*at++ = event->ip ?: instruction_pointer(regs);
	if (type & PERF_SAMPLE_TID)
		*at++ = pid_tid(desc, current);
	if (type & PERF_SAMPLE_TIME)
		*at++ = desc->clock();
	if (!(type & RARE_SAMPLE_TYPES))
		goto done;
	if (type & PERF_SAMPLE_ADDR)
		*at++ = event->addr;
	if (type & PERF_SAMPLE_ID)
		*at++ = desc->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*at++ = counter->stream_id;
	if (type & PERF_SAMPLE_CPU)
		*at++ = two_words(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_PERIOD)
		*at++ = event->period;
	if (type & PERF_SAMPLE_READ)
		at = put_values(at, counter, perf_counter_event_time(counter), members);
	if (chain) {
		*at++ = chain->nr;
		memcpy(at, chain->ips, sizeof(u64) * chain->nr);
	}
done:
	perf_counter_buffer_commit(&record, true);
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

	if (!perf_counter_output_begin(&record, desc,
				       throttled ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE,
				       0, 3 * sizeof(u64)))
		return;
	*record.at++ = desc->clock();
	*record.at++ = desc->id;
	*record.at++ = counter->stream_id;
	perf_counter_output_end(&record, current);
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
	if (perf_counter_output_begin(&record, desc, PERF_RECORD_READ, 0, len)) {
		*record.at++ = pid_tid(desc, task);
		record.at = put_values(record.at, counter, perf_counter_ctx_time(ctx), members);
		perf_counter_output_end(&record, task);
	}
	raw_spin_unlock_irq(&ctx->lock);
}

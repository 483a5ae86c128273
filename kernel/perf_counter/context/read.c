// SPDX-License-Identifier: GPL-2.0
/*
 * read() of a descriptor: the sum of its counters, or the sums of its group.
 *
 * In general, the counters are read one after the other, each on the CPU where it runs; the
 * counters of a group in one context are read at one moment. There are three short cuts: a single
 * counter whose count is in memory is read without a lock, a single hardware counter that is
 * loaded on the reader's CPU is read with IRQs off, and a group in one context that is live on the
 * reader's CPU is read from its counters, without the mutex of its descriptors.
 */

#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../record/read_format.h"
#include "internal.h"

/* Bits of read_format that ask for times. */
#define READ_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/**
 * perf_counter_sum_fn() - Add the value of a counter, or of a group in one context, to a sum
 * @arg: the struct perf_counter_sum
 *
 * Context: called by perf_counter_ctx_call().
 */
void perf_counter_sum_fn(void *arg)
{
	struct perf_counter_sum *sum = arg;
	struct perf_counter *counter = sum->counter, *member;
	struct perf_counter_value value;

	perf_counter_value_of(counter, perf_counter_ctx_time(counter->ctx), &value);
	perf_counter_value_add(&sum->value, &value);
	if (!sum->counts)
		return;
	list_for_each_entry(member, &counter->group.members, group.node) {
		/* A member that is being closed has no slot any more. */
		if (rcu_access_pointer(member->desc->group.leader) == counter->desc)
			sum->counts[member->desc->group.slot] += perf_counter_count(member);
	}
}

/**
 * perf_counter_exited_value() - Read the counts and times of exited tasks
 * @desc: the descriptor
 *
 * Context: desc->mutex held.
 * Return: the sum over all tasks that have exited.
 */
struct perf_counter_value perf_counter_exited_value(struct perf_counter_desc *desc)
{
	return (struct perf_counter_value) {
		.count		= atomic64_read(&desc->exited.count),
		.enabled	= desc->exited.enabled,
		.running	= desc->exited.running,
	};
}

/*
 * Return the sum of @desc's counters; incomplete if the program is being killed. desc->mutex held.
 */
static struct perf_counter_value desc_value(struct perf_counter_desc *desc)
{
	struct perf_counter_sum sum = { .value = perf_counter_exited_value(desc) };

	list_for_each_entry(sum.counter, &desc->counters, desc_node) {
		perf_counter_ctx_call(sum.counter->ctx, perf_counter_sum_fn, &sum, false);
		if (perf_counter_walk_ends(desc, sum.counter))
			break;
	}
	return sum.value;
}

/**
 * perf_counter_desc_value() - Read the count and the times of a descriptor
 * @desc: the descriptor
 *
 * Context: may sleep.
 * Return: the sum of its counters, exited tasks included.
 */
struct perf_counter_value perf_counter_desc_value(struct perf_counter_desc *desc)
{
	guard(mutex)(&desc->mutex);
	return desc_value(desc);
}

/* Return the count of @desc without its times, so that no clock is read. desc->mutex held. */
static u64 desc_count(struct perf_counter_desc *desc)
{
	u64 count = atomic64_read(&desc->exited.count);
	struct perf_counter *counter;

	list_for_each_entry(counter, &desc->counters, desc_node)
		count += perf_counter_count(counter);
	return count;
}

/*
 * Return the count of a descriptor with a single counter that is not inherited, without
 * desc->mutex. When the task exits, its count is added to the descriptor before the counter loses
 * its context.
 */
static u64 desc_lone_count(struct perf_counter_desc *desc)
{
	if (READ_ONCE(desc->first.ctx))
		return perf_counter_count(&desc->first);
	/* Pairs with the smp_wmb() in ctx_end_counter_locked(). */
	smp_rmb();
	return atomic64_read(&desc->exited.count);
}

/**
 * perf_counter_exited_counts() - Write the counts of exited tasks of the members of a group
 * @leader: leader of the group
 * @counts: array for the counts, by slot
 *
 * Context: leader->mutex held.
 */
void perf_counter_exited_counts(struct perf_counter_desc *leader, u64 *counts)
{
	struct perf_counter_desc *member;

	list_for_each_entry(member, &leader->group.members, group.node)
		counts[member->group.slot] = atomic64_read(&member->exited.count);
}

/*
 * Return the sum of @leader's counters, and write the sums of the members to @counts, by slot. The
 * counters of a group in one context are read at one moment. leader->mutex is held, so that no
 * counter of the group exits meanwhile: the count is either in its context, or in the exited
 * counts.
 */
static struct perf_counter_value group_value(struct perf_counter_desc *leader, u64 *counts)
{
	struct perf_counter_sum sum = {
		.value	= perf_counter_exited_value(leader),
		.counts	= counts,
	};

	lockdep_assert_held(&leader->mutex);
	perf_counter_exited_counts(leader, counts);
	list_for_each_entry(sum.counter, &leader->counters, desc_node) {
		perf_counter_ctx_call(sum.counter->ctx, perf_counter_sum_fn, &sum, true);
		if (perf_counter_walk_ends(leader, sum.counter))
			break;
	}
	return sum.value;
}

/*
 * Copy words to a program. This is the inlined form of perf_counter_words_to_user(), for short
 * functions that have the words on their stack.
 */
static __always_inline int words_to_user(char __user *buf, const u64 *words, size_t size)
{
	u64 __user *to = (u64 __user *)buf;
	size_t i;

	if (!user_write_access_begin(to, size))
		return -EFAULT;
	for (i = 0; i < size / sizeof(u64); i++)
		unsafe_put_user(words[i], &to[i], fault);
	user_write_access_end();
	return 0;
fault:
	user_write_access_end();
	return -EFAULT;
}

/**
 * perf_counter_words_to_user() - Copy a few words to a program
 * @buf: address in the program
 * @words: words to copy
 * @size: bytes to copy, a multiple of 8
 *
 * Takes fewer instructions than copy_to_user().
 *
 * Context: may sleep.
 * Return: 0, or -EFAULT.
 */
int perf_counter_words_to_user(char __user *buf, const u64 *words, size_t size)
{
	return words_to_user(buf, words, size);
}

/**
 * perf_counter_desc_failed() - Check whether a pinned counter found no room
 * @desc: the descriptor
 *
 * Checks the counters that @desc was opened with, and not the inherited ones.
 *
 * Context: desc->mutex held.
 * Return: true if one of the counters has failed.
 */
bool perf_counter_desc_failed(struct perf_counter_desc *desc)
{
	int cpu;

	if (!desc->attr.pinned)
		return false;
	for_each_cpu(cpu, perf_counter_desc_cpus(desc)) {
		if (READ_ONCE(perf_counter_opened(desc, cpu)->failed))
			return true;
	}
	return false;
}

/*
 * Return true if @counter, of a PMU with limited room, is loaded on this CPU. IRQs must be off:
 * while they stay off, the counter stays loaded, and its register can be read.
 */
static bool counter_loaded_this_cpu(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = READ_ONCE(counter->ctx);

	return ctx && READ_ONCE(ctx->live_cpu) == smp_processor_id() && counter->loaded;
}

/* Return the count of @counter, which is loaded on this CPU. IRQs off. */
static u64 count_this_cpu(struct perf_counter *counter)
{
	return counter->desc->pmu->read_here(&counter->hw) - counter->base;
}

/* Return the count of @counter, whose context is live on this CPU. IRQs off. */
static __always_inline u64 count_live(struct perf_counter *counter)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;

	if (!pmu->read)
		return perf_counter_count_in_memory(counter);
	return counter->loaded && pmu->read_here ? count_this_cpu(counter) :
						   perf_counter_count(counter);
}

/*
 * Return the value of @counter, whose context is live on this CPU. The value has times only if
 * @format asks for them. IRQs off.
 */
static struct perf_counter_value value_live(struct perf_counter *counter, u64 format)
{
	struct perf_counter_value value = {};

	if (format & READ_TIMES)
		perf_counter_times_of(counter, perf_counter_ctx_time(counter->ctx), &value);
	value.count = count_live(counter);
	return value;
}

/**
 * perf_counter_put_live() - Write the values of a counter whose context is live on this CPU
 * @at: memory with room for the values
 * @format: read_format of the descriptor; with PERF_FORMAT_GROUP, the group is written
 * @counter: the counter; a leader if the group is written
 *
 * A member of the group that is just being opened or closed is included if its counter is in the
 * context.
 *
 * Context: IRQs off; the group does not change.
 * Return: the address after the values.
 */
u64 __ring *perf_counter_put_live(u64 __ring *at, u64 format, struct perf_counter *counter)
{
	struct perf_counter_value value = value_live(counter, format);
	struct perf_counter *member;

	at = perf_counter_put_first(at, format, counter->desc, &value, counter->group.nr_members);
	if (!(format & PERF_FORMAT_GROUP))
		return at;
	list_for_each_entry(member, &counter->group.members, group.node) {
		at = ring_put(at, count_live(member));
		at = perf_counter_put_ids(at, format, member->desc);
	}
	return at;
}

/* Return true if @desc has a single counter, which cannot be inherited. */
static bool desc_is_lone(const struct perf_counter_desc *desc)
{
	return !desc->attr.inherit && !desc->cpus;
}

/* Read @desc if its single counter is loaded on this CPU. Return false if it is not. */
static bool desc_value_this_cpu(struct perf_counter_desc *desc, struct perf_counter_value *value,
				bool times)
{
	struct perf_counter *counter = &desc->first;

	if (!desc->pmu->read_here || !desc_is_lone(desc))
		return false;
	guard(irq)();
	if (!counter_loaded_this_cpu(counter))
		return false;
	if (times)
		perf_counter_times_of(counter, perf_counter_ctx_time(counter->ctx), value);
	value->count = count_this_cpu(counter);
	return true;
}

/*
 * Write the values of the group of @counter, whose context is live on this CPU, to @out, which has
 * @room words. Returns the number of words, or 0 if there is no room. The group does not change.
 */
static unsigned int group_put_live(struct perf_counter *counter, u64 *out, unsigned int room)
{
	struct perf_counter *leader = counter->group.leader;

	perf_counter_ctx_assert_this_cpu(counter->ctx);
	/*
	 * The values of the group take at most three words (the number of counters and two times),
	 * and three words for each counter (its value, id and lost count).
	 */
	if (3 + 3 * (1 + leader->group.nr_members) > room)
		return 0;
	return perf_counter_put_live(ring_memory(out), counter->desc->attr.read_format, leader) -
	       ring_memory(out);
}

/*
 * Write the values of the group of @desc, in the layout of read_format, to @out, which has @room
 * words, if the group counts in one context, and this context is live on this CPU. Returns the
 * number of words, or 0 if the context is not live on this CPU, the group waits for room, or @out
 * is too small. While the context is live, no task of the group has exited. A member that is just
 * being opened or closed is included if its counter is in the context.
 */
static unsigned int group_read_this_cpu(struct perf_counter_desc *desc, u64 *out, unsigned int room)
{
	struct perf_counter *counter = &desc->first;
	struct perf_counter_ctx *ctx;

	if (!desc_is_lone(desc))
		return 0;
	guard(irq)();
	ctx = READ_ONCE(counter->ctx);
	if (!ctx || READ_ONCE(ctx->live_cpu) != smp_processor_id())
		return 0;
	/* Only this CPU changes a context that has loaded counters. */
	if (counter->loaded)
		return group_put_live(counter, out, room);
	/* A group that waits for room may have failed, which only the caller finds out. */
	if (counter->needs_load)
		return 0;
	guard(raw_spinlock)(&ctx->lock);
	/* The counter may have left the context meanwhile. */
	return counter->ctx == ctx ? group_put_live(counter, out, room) : 0;
}

/**
 * perf_counter_put_sums() - Write the values of a descriptor, or of its group
 * @at: memory with room for the values
 * @format: read_format; with PERF_FORMAT_GROUP, the group of @desc is written
 * @desc: the descriptor; the leader if the group is written
 * @value: value of @desc
 * @counts: counts of the members, by slot, if the group is written
 *
 * Context: desc->mutex held if the group is written.
 * Return: the address after the values.
 */
u64 __ring *perf_counter_put_sums(u64 __ring *at, u64 format, struct perf_counter_desc *desc,
				  const struct perf_counter_value *value, const u64 *counts)
{
	struct perf_counter_desc *member;

	at = perf_counter_put_first(at, format, desc, value, desc->group.nr_members);
	if (!(format & PERF_FORMAT_GROUP))
		return at;
	list_for_each_entry(member, &desc->group.members, group.node) {
		at = ring_put(at, counts[member->group.slot]);
		at = perf_counter_put_ids(at, format, member);
	}
	return at;
}

/* Return true if @desc has a single counter, which is not inherited and has its count in memory. */
static bool desc_is_in_memory(struct perf_counter_desc *desc)
{
	return !desc->pmu->read && desc_is_lone(desc);
}

/*
 * Copy the count of a descriptor whose count is in memory and whose read_format is 0. Most reads
 * are like this, so they have a function that saves few registers and does not evaluate the layout.
 */
static noinline ssize_t read_count(struct perf_counter_desc *desc, char __user *buf)
{
	u64 value = desc_lone_count(desc);

	return words_to_user(buf, &value, sizeof(value)) ?: sizeof(value);
}

static noinline ssize_t read_one(struct perf_counter_desc *desc, char __user *buf, size_t count)
{
	/* Clear the bit for groups, so that the compiler leaves out the code for their layout. */
	u64 format = desc->attr.read_format & ~PERF_FORMAT_GROUP;
	struct perf_counter_value value = {};
	bool times = desc->pmu->read || (format & READ_TIMES);
	bool failed = false;
	u64 __ring *at;
	size_t size;
	u64 out[5] __uninitialized;

	if (count < desc->records.plan.read_size)
		return -ENOSPC;

	if (!(format & READ_TIMES) && desc_is_in_memory(desc)) {
		value.count = desc_lone_count(desc);
	} else if (!desc_value_this_cpu(desc, &value, format & READ_TIMES)) {
		mutex_lock(&desc->mutex);
		if (times)
			value = desc_value(desc);
		else
			value.count = desc_count(desc);
		failed = perf_counter_desc_failed(desc);
		mutex_unlock(&desc->mutex);
	}
	if (unlikely(failed))
		return 0;

	at = perf_counter_put_first(ring_memory(out), format, desc, &value, 0);
	size = (at - ring_memory(out)) * sizeof(*out);
	return words_to_user(buf, out, size) ?: size;
}

/*
 * Copy the count of a descriptor whose read_format is 0, and whose count is not in memory: its
 * single counter may be loaded on this CPU. The function does not evaluate the layout.
 */
static noinline ssize_t read_count_this_cpu(struct perf_counter_desc *desc, char __user *buf,
					    size_t count)
{
	struct perf_counter_value value __uninitialized;

	if (!desc_value_this_cpu(desc, &value, false))
		return read_one(desc, buf, count);
	return words_to_user(buf, &value.count, sizeof(value.count)) ?: sizeof(value.count);
}

static ssize_t read_group(struct perf_counter_desc *desc, char __user *buf, size_t count)
{
	/* Room for a group of eight counters with every format: 27 words to return and 9 counts. */
	u64 small[36] __uninitialized, *out = small;
	struct perf_counter_desc *leader;
	struct perf_counter_value value;
	size_t size, counts_size;
	u64 *counts;
	ssize_t ret;

	size = sizeof(u64) * group_read_this_cpu(desc, small, ARRAY_SIZE(small));
	if (size && count < size)
		return -ENOSPC;
	if (size)
		return perf_counter_words_to_user(buf, small, size) ?: size;

	leader = perf_counter_group_lock(desc);
	size = perf_counter_read_size(desc, leader->group.nr_members);
	counts_size = sizeof(u64) * (1 + leader->group.nr_members);
	ret = -ENOSPC;
	if (count < size)
		goto unlock;
	ret = 0;
	if (unlikely(perf_counter_desc_failed(leader)))
		goto unlock;
	if (size + counts_size > sizeof(small)) {
		ret = -ENOMEM;
		out = kmalloc(size + counts_size, GFP_KERNEL);
		if (!out)
			goto unlock;
	}
	counts = (void *)out + size;
	value = group_value(leader, counts);

	perf_counter_put_sums(ring_memory(out), desc->attr.read_format, leader, &value, counts);
	ret = size;
unlock:
	perf_counter_group_unlock(leader);
	if (ret > 0)
		ret = perf_counter_words_to_user(buf, out, size) ?: size;
	if (out != small)
		kfree(out);
	return ret;
}

/**
 * perf_counter_read_desc() - Copy the values of a descriptor, or of its group, to a program
 * @desc: the descriptor
 * @buf: buffer of the program
 * @count: size of @buf, bytes
 *
 * Context: may sleep.
 * Return: bytes written, in the layout of read_format; 0 when a pinned counter found no room on
 * the PMU; -ENOSPC when @count is too small; -EFAULT; -ENOMEM.
 */
ssize_t perf_counter_read_desc(struct perf_counter_desc *desc, char __user *buf, size_t count)
{
	u64 format = desc->attr.read_format;

	if (format & PERF_FORMAT_GROUP)
		return read_group(desc, buf, count);
	if (format)
		return read_one(desc, buf, count);
	if (count < sizeof(u64))
		return -ENOSPC;
	return desc_is_in_memory(desc) ? read_count(desc, buf) :
					 read_count_this_cpu(desc, buf, count);
}

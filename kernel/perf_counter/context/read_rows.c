// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_COUNTER_IOC_READ_EACH and PERF_COUNTER_IOC_READ_SELF: the values of the single counters of a
 * descriptor, where read() returns their sum.
 *
 * A row is struct perf_counter_row: a head, and values in the layout of read().
 */

#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../record/read_format.h"
#include "internal.h"

/* Words of a row's head. */
#define HEAD_WORDS	(sizeof(struct perf_counter_row) / sizeof(u64))

/**
 * struct rows - rows that are being made
 * @desc: descriptor that is read
 * @leader: leader of its group with PERF_FORMAT_GROUP; else @desc. Its mutex is held
 * @sum: value of the row that is being made
 * @counted: the counter of this row belongs to a task that has run
 * @row_size: size of a row, bytes
 * @at: address of the next row
 * @nr: number of rows so far
 */
struct rows {
	struct perf_counter_desc	*desc;
	struct perf_counter_desc	*leader;
	struct perf_counter_sum		sum;
	bool				counted;
	u32				row_size;
	void				*at;
	u32				nr;
};

static bool reads_group(const struct perf_counter_desc *desc)
{
	return desc->attr.read_format & PERF_FORMAT_GROUP;
}

/* Lock the group that @desc is read with, or @desc alone. Undone by perf_counter_group_unlock(). */
static struct perf_counter_desc *rows_lock(struct perf_counter_desc *desc)
{
	if (reads_group(desc))
		return perf_counter_group_lock(desc);
	refcount_inc(&desc->refs);
	mutex_lock(&desc->mutex);
	return desc;
}

static void put_row(struct rows *rows, s32 tid, s32 cpu)
{
	struct perf_counter_row *row = rows->at;

	row->tid = tid;
	row->cpu = cpu;
	perf_counter_put_sums(ring_memory(row->values), rows->desc->attr.read_format, rows->leader,
			      &rows->sum.value, rows->sum.counts);
	rows->at += rows->row_size;
	rows->nr++;
}

static void row_fn(void *arg)
{
	struct rows *rows = arg;
	struct perf_counter *counter = rows->sum.counter;
	struct perf_counter_ctx *ctx = counter->ctx;

	/* A child that is being forked has no pid yet. It has not run, so its values are 0. */
	rows->counted = counter == &rows->leader->first || !ctx->task || ctx->live_cpu >= 0 ||
			ctx->clock_frozen;
	if (rows->counted)
		perf_counter_sum_fn(&rows->sum);
}

/* Make the row of the exited tasks. */
static void put_exited(struct rows *rows)
{
	rows->sum.value = perf_counter_exited_value(rows->leader);
	if (rows->sum.counts)
		perf_counter_exited_counts(rows->leader, rows->sum.counts);
	put_row(rows, -1, -1);
}

/* Make the row of each counter. Return false if the program is being killed. */
static bool put_counters(struct rows *rows)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	unsigned int nr_members = rows->leader->group.nr_members;
	struct perf_counter *counter;
	struct task_struct *task;

	list_for_each_entry(counter, &rows->leader->counters, desc_node) {
		rows->sum.counter = counter;
		rows->sum.value = (struct perf_counter_value) {};
		if (rows->sum.counts)
			memset(rows->sum.counts, 0, (1 + nr_members) * sizeof(u64));
		perf_counter_ctx_call(counter->ctx, row_fn, rows, reads_group(rows->desc));
		task = counter->ctx->task;
		if (rows->counted)
			put_row(rows, task ? task_pid_nr_ns(task, ns) : -1, counter->cpu);
		if (perf_counter_walk_is_over(rows->leader))
			return false;
	}
	return true;
}

/* Count the rows that READ_EACH may need. Return 0 if the program is being killed. */
static u32 count_rows(struct perf_counter_desc *leader)
{
	struct perf_counter *counter;
	u32 nr = leader->task;

	list_for_each_entry(counter, &leader->counters, desc_node) {
		nr++;
		if (perf_counter_walk_is_over(leader))
			return 0;
	}
	return nr;
}

/* Make the rows in new memory of @size bytes at most. Return it, or an error. */
static void *make_rows(struct rows *rows, u64 size)
{
	unsigned int nr_members = reads_group(rows->desc) ? rows->leader->group.nr_members : 0;
	size_t row_bytes;
	void *memory;
	u32 nr;

	rows->row_size = sizeof(struct perf_counter_row) +
			 perf_counter_read_size(rows->desc, nr_members);
	nr = count_rows(rows->leader);
	if (!nr)
		return ERR_PTR(-EINTR);
	row_bytes = (size_t)nr * rows->row_size;
	rows->nr = nr;
	if (row_bytes > size)
		return ERR_PTR(-ENOSPC);
	/* The counts of the members are behind the rows. */
	memory = kvmalloc(row_bytes + (1 + nr_members) * sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!memory)
		return ERR_PTR(-ENOMEM);

	rows->nr = 0;
	rows->at = memory;
	if (reads_group(rows->desc))
		rows->sum.counts = memory + row_bytes;
	if (rows->leader->task)
		put_exited(rows);
	if (put_counters(rows))
		return memory;
	kvfree(memory);
	return ERR_PTR(-EINTR);
}

static int return_sizes(struct perf_counter_rows __user *arg, u32 row_size, u32 nr)
{
	return put_user(row_size, &arg->row_size) || put_user(nr, &arg->nr) ? -EFAULT : 0;
}

/**
 * perf_counter_read_each() - Copy the values of each counter of a descriptor to a program
 * @desc: the descriptor; with PERF_FORMAT_GROUP, its group is read
 * @arg: buffer for the rows; the sizes are returned here
 *
 * A descriptor of tasks has a row for the sum of the exited tasks, and one for each task. A
 * descriptor of CPUs has a row for each CPU that counts. The sum of all rows is what read() would
 * return.
 *
 * Context: may sleep.
 * Return: 0; -ENOSPC when the buffer is too small; -EINTR when the program is being killed;
 * -ENOMEM; -EFAULT.
 */
int perf_counter_read_each(struct perf_counter_desc *desc, struct perf_counter_rows __user *arg)
{
	struct rows rows = { .desc = desc };
	struct perf_counter_rows asked;
	void *memory;
	int err = 0;

	if (copy_from_user(&asked, arg, sizeof(asked)))
		return -EFAULT;
	rows.leader = rows_lock(desc);
	memory = make_rows(&rows, asked.size);
	perf_counter_group_unlock(rows.leader);
	if (IS_ERR(memory))
		return memory == ERR_PTR(-ENOSPC) ? return_sizes(arg, rows.row_size, rows.nr) ?:
						    -ENOSPC : PTR_ERR(memory);
	if (copy_to_user(u64_to_user_ptr(asked.rows), memory, (size_t)rows.nr * rows.row_size))
		err = -EFAULT;
	kvfree(memory);
	return err ?: return_sizes(arg, rows.row_size, rows.nr);
}

/* Return the counter of @desc in @ctx, or NULL. ctx->lock held. */
static struct perf_counter *find_counter(struct perf_counter_ctx *ctx,
					 struct perf_counter_desc *desc)
{
	struct perf_counter *counter;

	lockdep_assert_held(&ctx->lock);
	if (desc->first.ctx == ctx)
		return &desc->first;
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (counter->desc == desc)
			return counter;
	}
	return NULL;
}

/*
 * Write the values of the current thread's counter of @desc to @words, which has room for @room
 * bytes. Set @size to the size of the values in bytes.
 */
static int put_self(struct perf_counter_desc *desc, u64 *words, size_t room, size_t *size)
{
	struct perf_counter_ctx *ctx = READ_ONCE(current->perf_counter_ctx);
	u64 format = desc->attr.read_format;
	struct perf_counter *counter;

	if (!ctx)
		return -ESRCH;
	guard(raw_spinlock_irq)(&ctx->lock);
	counter = find_counter(ctx, desc);
	if (!counter)
		return -ESRCH;
	if (reads_group(desc))
		counter = counter->group.leader;
	*size = perf_counter_read_size(desc, counter->group.nr_members);
	if (*size > room)
		return -ENOSPC;
	perf_counter_put_live(ring_memory(words), format, counter);
	return 0;
}

/**
 * perf_counter_read_self() - Copy the calling thread's values of a descriptor to a program
 * @desc: a descriptor of tasks; with PERF_FORMAT_GROUP, its group is read
 * @arg: buffer for one row; the sizes are returned here
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for a descriptor of CPUs; -ESRCH when the descriptor does not count the
 * calling thread; -ENOSPC when the buffer is too small; -ENOMEM; -EFAULT.
 */
int perf_counter_read_self(struct perf_counter_desc *desc, struct perf_counter_rows __user *arg)
{
	/* Enough for a group of eight counters with every format. */
	u64 small[HEAD_WORDS + 27], *out = small;
	struct perf_counter_row *row;
	struct perf_counter_rows asked;
	size_t room, size = 0;
	int err;

	if (!desc->task)
		return -EINVAL;
	if (copy_from_user(&asked, arg, sizeof(asked)))
		return -EFAULT;
	room = min_t(u64, asked.size, sizeof(*row) + PERF_COUNTER_READ_SIZE_MAX);
	if (room > sizeof(small)) {
		out = kmalloc(room, GFP_KERNEL);
		if (!out)
			return -ENOMEM;
	}
	row = (void *)out;
	err = put_self(desc, out + HEAD_WORDS, max(room, sizeof(*row)) - sizeof(*row), &size);
	size += sizeof(*row);
	if (!err) {
		row->tid = task_pid_vnr(current);
		row->cpu = desc->cpu;
		err = perf_counter_words_to_user(u64_to_user_ptr(asked.rows), out, size);
	}
	if (out != small)
		kfree(out);
	if (err && err != -ENOSPC)
		return err;
	return return_sizes(arg, size, 1) ?: err;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_COUNTER_IOC_READ_EACH and PERF_COUNTER_IOC_READ_SELF: the values of each counter of a
 * descriptor. read() returns their sum.
 *
 * A row is struct perf_counter_row: a head, and values in the layout of read().
 *
 * READ_EACH copies each row to the program while it holds the mutex of the descriptor, so that it
 * needs memory for one row only, however many tasks there are. A page fault under this mutex is not
 * allowed: if a page is missing, the mutex is released, the program's buffer is brought into
 * memory, and all rows are made once more.
 */

#include <linux/cpu.h>
#include <linux/pagemap.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../record/read_format.h"
#include "internal.h"

/* Words of a row's head. */
#define HEAD_WORDS	(sizeof(struct perf_counter_row) / sizeof(u64))

/**
 * struct rows - rows that READ_EACH makes
 * @desc: descriptor that is read
 * @leader: with PERF_FORMAT_GROUP, leader of the group of @desc; else @desc. The mutex of @leader
 *         is held
 * @sum: value of the row that is being made
 * @exited: sum of the exited tasks
 * @ended: the counter that was read last belongs to a task that exits or has exited
 * @row: memory for one row
 * @row_size: size of a row, bytes
 * @to: address of the first row in the program
 * @nr: number of rows so far
 */
struct rows {
	struct perf_counter_desc	*desc;
	struct perf_counter_desc	*leader;
	struct perf_counter_sum		sum;
	struct perf_counter_sum		exited;
	bool				ended;
	struct perf_counter_row		*row;
	u32				row_size;
	void __user			*to;
	u32				nr;
};

static bool reads_group(const struct perf_counter_desc *desc)
{
	return desc->attr.read_format & PERF_FORMAT_GROUP;
}

static unsigned int nr_members(const struct rows *rows)
{
	return reads_group(rows->desc) ? rows->leader->group.nr_members : 0;
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

/* Make a row of @sum and copy it to the program. Return 0, or -EFAULT if a page is missing. */
static int put_row(struct rows *rows, s32 tid, s32 cpu, const struct perf_counter_sum *sum)
{
	void __user *to = rows->to + (size_t)rows->nr * rows->row_size;

	rows->row->tid = tid;
	rows->row->cpu = cpu;
	perf_counter_put_sums(ring_memory(rows->row->values), rows->desc->attr.read_format,
			      rows->leader, &sum->value, sum->counts);
	if (copy_to_user_nofault(to, rows->row, rows->row_size))
		return -EFAULT;
	rows->nr++;
	return 0;
}

/*
 * Read a counter of a task for its row, or add it to the sum of the exited tasks if its task exits.
 * An exit removes the counters of a task one after the other, and adds their values to that sum.
 */
static void row_fn(void *arg)
{
	struct rows *rows = arg;
	struct perf_counter *counter = rows->sum.counter;

	rows->ended = counter->ctx->live_cpu == CTX_DEAD;
	rows->exited.counter = counter;
	perf_counter_sum_fn(rows->ended ? &rows->exited : &rows->sum);
}

/* Make the row of one counter, unless its task exits. */
static int put_counter(struct rows *rows, struct perf_counter *counter)
{
	struct task_struct *task = counter->ctx->task;
	pid_t tid = -1;
	bool is_new;

	rows->sum.counter = counter;
	rows->sum.value = (struct perf_counter_value) {};
	if (rows->sum.counts)
		memset(rows->sum.counts, 0, (1 + nr_members(rows)) * sizeof(u64));
	perf_counter_ctx_call(counter->ctx, row_fn, rows, reads_group(rows->desc));
	if (rows->ended)
		return 0;
	/* Leave out a CPU that does not exist or was never online: it has a counter, too. */
	if (!task && !cpu_online(counter->cpu) && !rows->sum.value.enabled)
		return 0;
	if (task) {
		/*
		 * The pid of a child that is being forked is still that of its parent. Read the
		 * state before the pid: copy_process() stores the pid before wake_up_new_task()
		 * clears TASK_NEW.
		 */
		is_new = smp_load_acquire(&task->__state) & TASK_NEW;
		tid = is_new ? 0 : task_pid_nr_ns(task, task_active_pid_ns(current));
	}
	return put_row(rows, tid, counter->cpu, &rows->sum);
}

/*
 * Make all rows, one after the other, in @rows->row. The counts of a group use the memory after the
 * row.
 */
static int put_rows(struct rows *rows)
{
	struct perf_counter_desc *leader = rows->leader;
	struct perf_counter *counter;
	int err;

	rows->nr = 0;
	rows->exited.value = perf_counter_exited_value(leader);
	if (reads_group(rows->desc)) {
		rows->sum.counts = (void *)rows->row + rows->row_size;
		rows->exited.counts = rows->sum.counts + 1 + nr_members(rows);
		perf_counter_exited_counts(leader, rows->exited.counts);
	}
	list_for_each_entry(counter, &leader->counters, desc_node) {
		err = put_counter(rows, counter);
		if (err)
			return err;
		if (perf_counter_walk_is_over(leader))
			return -EINTR;
	}
	return leader->task ? put_row(rows, -1, -1, &rows->exited) : 0;
}

/* Set @rows->nr to the number of rows that may be needed. Return 0 or -EINTR. */
static int count_rows(struct rows *rows)
{
	struct perf_counter *counter;

	rows->nr = rows->leader->task;
	list_for_each_entry(counter, &rows->leader->counters, desc_node) {
		rows->nr++;
		if (perf_counter_walk_is_over(rows->leader))
			return -EINTR;
	}
	return 0;
}

/*
 * Make the rows in a buffer of @size bytes. Return 0, -EFAULT if a page of the buffer is missing,
 * or another error.
 */
static int make_rows(struct rows *rows, u64 size)
{
	int err;

	rows->row_size = sizeof(struct perf_counter_row) +
			 perf_counter_read_size(rows->desc, nr_members(rows));
	rows->nr = 0;
	/* A pinned counter that found no room has no values: read() returns nothing, either. */
	if (perf_counter_desc_failed(rows->leader))
		return 0;
	err = count_rows(rows);
	if (err)
		return err;
	if ((u64)rows->nr * rows->row_size > size)
		return -ENOSPC;
	rows->row = kvmalloc(rows->row_size + 2 * (1 + nr_members(rows)) * sizeof(u64),
			     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!rows->row)
		return -ENOMEM;
	err = put_rows(rows);
	kvfree(rows->row);
	return err;
}

static int return_sizes(struct perf_counter_rows __user *arg, u32 row_size, u32 nr)
{
	return put_user(row_size, &arg->row_size) || put_user(nr, &arg->nr) ? -EFAULT : 0;
}

/* Fault in those pages of the program's buffer that are about to be written. */
static int fault_in_rows(const struct rows *rows, u64 size)
{
	size = min_t(u64, size, ((u64)rows->nr + 64) * rows->row_size);
	if (fatal_signal_pending(current))
		return -EINTR;
	return fault_in_writeable(rows->to, size) ? -EFAULT : 0;
}

/**
 * perf_counter_read_each() - Copy the values of each counter of a descriptor to a program
 * @desc: the descriptor; with PERF_FORMAT_GROUP, its group is read
 * @arg: buffer for the rows; the sizes are returned here
 *
 * A descriptor of tasks has a row for each task, and one for the sum of the exited tasks. A
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
	int err;

	if (copy_from_user(&asked, arg, sizeof(asked)))
		return -EFAULT;
	rows.to = u64_to_user_ptr(asked.rows);
	for (;;) {
		rows.leader = rows_lock(desc);
		err = make_rows(&rows, asked.size);
		perf_counter_group_unlock(rows.leader);
		if (err != -EFAULT)
			break;
		err = fault_in_rows(&rows, asked.size);
		if (err)
			return err;
	}
	if (err && err != -ENOSPC)
		return err;
	return return_sizes(arg, rows.row_size, rows.nr) ?: err;
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
 * bytes. Set @size to the size of the values in bytes, 0 for a pinned counter that found no room.
 */
static int put_self(struct perf_counter_desc *desc, u64 *words, size_t room, size_t *size)
{
	struct perf_counter_ctx *ctx = perf_counter_task_ctx(current);
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
	if (counter->failed)
		*size = 0;
	else
		perf_counter_put_live(ring_memory(words), format, counter);
	return 0;
}

/* Make the current thread's row in @row, which has @room bytes, and copy it to @buffer. */
static int copy_self(struct perf_counter_desc *desc, struct perf_counter_row *row, size_t room,
		     void __user *buffer, size_t *size)
{
	int err = put_self(desc, row->values, max(room, sizeof(*row)) - sizeof(*row), size);

	if (err || !*size)
		return err;
	row->tid = task_pid_vnr(current);
	row->cpu = desc->cpu;
	return perf_counter_words_to_user(buffer, (u64 *)row, sizeof(*row) + *size);
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
	u64 small[HEAD_WORDS + 27];
	size_t room = sizeof(small), size = 0;
	struct perf_counter_rows asked;
	void *row = small;
	int err;

	if (!desc->task)
		return -EINVAL;
	if (copy_from_user(&asked, arg, sizeof(asked)))
		return -EFAULT;
	for (;;) {
		err = copy_self(desc, row, min_t(u64, room, asked.size),
				u64_to_user_ptr(asked.rows), &size);
		if (row != small)
			kfree(row);
		room = sizeof(struct perf_counter_row) + size;
		/*
		 * If the program's buffer has room for the row, and only @row was too small,
		 * allocate a larger @row and repeat.
		 */
		if (err != -ENOSPC || room > asked.size)
			break;
		row = kmalloc(room, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!row)
			return -ENOMEM;
	}
	if (err && err != -ENOSPC)
		return err;
	return return_sizes(arg, room, size ? 1 : 0) ?: err;
}

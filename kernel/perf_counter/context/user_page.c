// SPDX-License-Identifier: GPL-2.0
/*
 * The user page of a mapping. It has the value and the times of the counter and, for a hardware
 * counter that the program may read by itself, the register to read and the offset to add.
 *
 * The page is written with IRQs off on the CPU where the counter's context is live, so there is one
 * writer at a time. A reader copies the page, and uses the copy only if control->lock was the same
 * even number before and after copying.
 */

#include "internal.h"

/*
 * Return true if a program that maps @counter may read its register: the descriptor must have a
 * single counter, which does not sample. Each overflow of a sampling counter writes a new value to
 * its register.
 */
static bool user_page_is_readable(struct perf_counter *counter)
{
	struct perf_counter_desc *desc = counter->desc;

	return desc->pmu->user_read_allowed && desc->task && !desc->attr.inherit &&
	       !counter->sampling.period && desc->pmu->user_read_allowed();
}

/* Make the lock of the page odd before a change. Returns the odd value. */
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
static u64 user_page_begin(struct perf_event_mmap_page *control)
{
	int tries;
	u32 lock;

	/*
	 * In an NMI, perf_counter_user_page_moved() may change a lock that is even. The program
	 * that has mapped the page may change the lock at any time, so limit the number of tries.
	 */
	for (tries = 0; tries < 3; tries++) {
		lock = READ_ONCE(control->lock);
		if (cmpxchg_local(&control->lock, lock, lock | 1) == lock)
			break;
	}
	return lock | 1;
}
#else
static u64 user_page_begin(struct perf_event_mmap_page *control)
{
	u64 lock = control->lock | 1;

	WRITE_ONCE(control->lock, lock);
	return lock;
}
#endif

/* Write the page: @value, which @counter has at @clock, and its register if @readable. */
static void user_page_write(struct perf_counter_buffer *buffer, struct perf_counter *counter,
			    const struct perf_counter_value *value, u64 clock, bool readable)
{
	struct perf_event_mmap_page *control = buffer->control;
	u64 lock = user_page_begin(control);

	/* Pairs with the reader's barriers around its copy. */
	smp_wmb();
	control->index = 0;
	control->offset = value->count;
	control->time_enabled = value->enabled;
	control->time_running = value->running;
	control->capabilities = 0;
	control->cap_bit0_is_deprecated = 1;
	if (user_page_is_readable(counter)) {
		control->cap_user_rdpmc = 1;
		counter->desc->pmu->fill_user_page(counter, readable, clock, control);
		/* The clock that the page describes is not the clock of this counter's records. */
		if (counter->desc->attr.use_clockid)
			control->cap_user_time_zero = 0;
	}
	control->size = offsetof(struct perf_event_mmap_page, __reserved);
	control->data_offset = PAGE_SIZE;
	control->data_size = (u64)buffer->nr_pages << PAGE_SHIFT;
	/* Pairs with the reader's barriers around its copy. */
	smp_wmb();
	WRITE_ONCE(control->lock, lock + 1);
}

/* Return true if an NMI has found the page of @counter half written since the last call. */
static bool user_page_was_missed(struct perf_counter *counter)
{
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	return xchg(&counter->hw.moved, false);
#else
	return false;
#endif
}

static void user_page_load_once(struct perf_counter *counter)
{
	struct perf_counter_buffer *buffer = rcu_dereference_sched(counter->desc->writer.buffer);
	u64 clock = perf_counter_clock();
	struct perf_counter_value value;

	if (!buffer)
		return;
	perf_counter_value_of(counter, perf_counter_ctx_time_at(counter->ctx, clock), &value);
	user_page_write(buffer, counter, &value, clock, true);
}

/*
 * Publish the register of a hardware counter that has just been loaded, and runs. Context: IRQs
 * off, on the CPU where the counter is loaded.
 */
static void user_page_load(struct perf_counter *counter)
{
	do {
		user_page_load_once(counter);
	} while (user_page_was_missed(counter));
}

/**
 * perf_counter_update_user_pages() - Update the user pages of the current task's loaded counters
 * @cpu: PMU of the counters, on this CPU
 *
 * Context: IRQs off.
 */
void perf_counter_update_user_pages(struct perf_counter_pmu_cpu *cpu)
{
	struct perf_counter_ctx *ctx = live_ctx(LIVE_TASK);
	struct perf_counter *counter;

	if (!ctx)
		return;
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (!(counter->flags & COUNTER_USER_READ) || !counter->loaded)
			continue;
		if (counter->desc->pmu == cpu->pmu)
			user_page_load(counter);
	}
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/**
 * perf_counter_user_page_moved() - Publish a register that was written while its counter runs
 * @counter: a hardware counter
 *
 * If the NMI has interrupted a writer of the page, that writer writes the page once more.
 *
 * Context: NMI of the CPU where the counter is loaded.
 */
void perf_counter_user_page_moved(struct perf_counter *counter)
{
	struct perf_counter_buffer *buffer;

	if (!(counter->flags & COUNTER_USER_READ))
		return;
	buffer = rcu_dereference_sched(counter->desc->writer.buffer);
	if (!buffer)
		return;
	if (READ_ONCE(buffer->control->lock) & 1)
		WRITE_ONCE(counter->hw.moved, true);
	else
		user_page_load_once(counter);
}
#endif

/**
 * perf_counter_user_page_unload() - Withdraw the register of a counter that was unloaded
 * @counter: a hardware counter that has just been unloaded
 * @now: context time, ns
 *
 * Context: IRQs off, on the CPU where the counter was loaded.
 */
void perf_counter_user_page_unload(struct perf_counter *counter, u64 now)
{
	struct perf_counter_buffer *buffer = rcu_dereference_sched(counter->desc->writer.buffer);
	struct perf_counter_value value;

	if (!buffer)
		return;
	perf_counter_value_of(counter, now, &value);
	user_page_write(buffer, counter, &value, perf_counter_clock(), false);
}

/**
 * perf_counter_set_user() - Set whether a program reads a counter by itself
 * @counter: a counter in a task's context, of a PMU with @user_read_allowed
 * @user: true: the program reads the counter by itself
 *
 * Context: ctx->lock held, on the CPU where perf_counter_ctx_call() calls.
 */
void perf_counter_set_user(struct perf_counter *counter, bool user)
{
	struct perf_counter_pmu_ctx *pmu_ctx = counter->group.leader->pmu_ctx;
	struct perf_counter_pmu_cpu *cpu = this_cpu_ptr(pmu_ctx->pmu->cpu);
	struct perf_counter_ctx *ctx = counter->ctx;

	perf_counter_ctx_assert_this_cpu(ctx);
	if (!!(counter->flags & COUNTER_USER_READ) == user)
		return;
	WRITE_ONCE(counter->flags, counter->flags ^ COUNTER_USER_READ);
	counter->hw.user_read = user;
	pmu_ctx->nr_user_read += user ? 1 : -1;
	if (ctx->live_cpu < 0 || !cpu->present)
		return;
	perf_counter_pmu_begin(cpu);
	perf_counter_user_access(cpu, pmu_ctx->nr_user_read);
	perf_counter_pmu_end(cpu);
}

/* Return true if a program has mapped @counter, and so may read it by itself at any time. */
static bool user_page_wanted(struct perf_counter *counter)
{
	return atomic_read(&counter->desc->writer.mappings) && user_page_is_readable(counter);
}

/**
 * struct user_page_sum - sum of the counters of a descriptor, for its user page
 * @counter: counter to add next
 * @value: sum so far
 * @buffer: buffer whose page is written with the last counter; NULL before the last counter, and
 *	for a descriptor without a buffer
 * @last: @counter is the last one
 */
struct user_page_sum {
	struct perf_counter		*counter;
	struct perf_counter_value	value;
	struct perf_counter_buffer	*buffer;
	bool				last;
};

static void user_page_sum_fn(void *arg)
{
	struct user_page_sum *update = arg;
	struct perf_counter *counter = update->counter;
	struct perf_counter_value value;
	u64 clock, now;

	/* The task of the counter may have exited meanwhile. */
	if (!counter->ctx)
		return;
	clock = perf_counter_clock();
	now = counter->ctx->live_cpu < 0 ? perf_counter_ctx_time(counter->ctx) :
					   perf_counter_ctx_time_at(counter->ctx, clock);
	perf_counter_value_of(counter, now, &value);
	perf_counter_value_add(&update->value, &value);
	if (update->last && counter->desc->pmu->user_read_allowed)
		perf_counter_set_user(counter, user_page_wanted(counter));
	if (!update->buffer)
		return;
	user_page_write(update->buffer, counter, &update->value, clock,
			(counter->flags & COUNTER_USER_READ) && counter->loaded);
	if (user_page_was_missed(counter))
		user_page_load(counter);
	update->buffer = NULL;
}

/**
 * perf_counter_user_page_update() - Write the sum of a descriptor's counters to its user page
 * @desc: the descriptor, which is mapped, or was just unmapped
 *
 * Also sets whether a program may read the counter by itself, which needs a mapping.
 *
 * Context: may sleep; takes writer.mutex.
 */
void perf_counter_user_page_update(struct perf_counter_desc *desc)
{
	struct user_page_sum update = {};
	struct perf_counter_buffer *buffer;
	struct perf_counter_ctx *ctx;
	int cpu, last;

	if (!atomic_read(&desc->writer.mappings) &&
	    !(READ_ONCE(desc->first.flags) & COUNTER_USER_READ))
		return;

	mutex_lock(&desc->writer.mutex);
	buffer = rcu_dereference_protected(desc->writer.buffer,
					   lockdep_is_held(&desc->writer.mutex));
	/* Without a buffer, after SET_OUTPUT, no program reads a counter by itself. */
	last = cpumask_last(perf_counter_desc_cpus(desc));
	for_each_cpu(cpu, perf_counter_desc_cpus(desc)) {
		update.counter = perf_counter_opened(desc, cpu);
		update.last = cpu == last;
		update.buffer = update.last ? buffer : NULL;
		guard(rcu)();
		/* RCU keeps the context if the counter leaves it meanwhile. */
		ctx = READ_ONCE(update.counter->ctx);
		if (ctx)
			perf_counter_ctx_call(ctx, user_page_sum_fn, &update, false);
	}
	if (update.buffer)
		user_page_write(buffer, update.counter, &update.value, perf_counter_clock(), false);
	mutex_unlock(&desc->writer.mutex);
}

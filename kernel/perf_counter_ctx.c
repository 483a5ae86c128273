// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts of perf_counter and the counters in them: when they count, for how
 * long they did, and how they follow a task from its fork to its end.
 *
 * A software event happens in the task that it is about and finds its
 * counters by itself. So a context switch has little to do: it notes since
 * when the context runs, or how long it did. Only some counters are
 * loaded and unloaded with their context; see perf_counter_sched.c.
 *
 * Whoever changes a counter holds ctx->lock. When the context has counters to
 * be started or stopped and is running on another CPU, the change is made
 * there, by IPI; see ctx_call().
 */

#include <linux/cpuhotplug.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "perf_counter.h"

DEFINE_PER_CPU(struct perf_counter_ctx, perf_counter_cpu_ctx);

/**
 * struct inherited - all that a child inherits, in one allocation
 * @ctx: the child's context
 * @counters: one for each counter it inherits
 */
struct inherited {
	struct perf_counter_ctx	ctx;
	struct perf_counter	counters[];
};

/* For those with one counter, which most are. */
static struct kmem_cache *inherited_one_cache __ro_after_init;

/* === Hooks: static keys that counters hold === */

struct static_key_false perf_counter_hooks[PERF_COUNTER_HOOKS] = {
	[0 ... PERF_COUNTER_HOOKS - 1] = STATIC_KEY_FALSE_INIT
};

/* Guards the keys. */
static DEFINE_MUTEX(hooks_mutex);

/*
 * Who wants a hook; and one more while its key is on, so that nobody who comes
 * while it lingers has to wait for the mutex.
 */
static atomic_t hook_users[PERF_COUNTER_HOOKS];

/* Patching code is dear: a key stays on for a while after its last user. */
#define HOOK_LINGER	HZ

static void hooks_idle(struct work_struct *work)
{
	unsigned int hook;

	mutex_lock(&hooks_mutex);
	for (hook = 0; hook < PERF_COUNTER_HOOKS; hook++) {
		if (atomic_cmpxchg(&hook_users[hook], 1, 0) == 1)
			static_branch_disable(&perf_counter_hooks[hook]);
	}
	mutex_unlock(&hooks_mutex);
}

static DECLARE_DELAYED_WORK(hooks_idle_work, hooks_idle);

/**
 * perf_counter_hook_get() - have a hook called
 * @hook: enum perf_counter_hook, or a software event
 *
 * Context: may sleep.
 */
void perf_counter_hook_get(unsigned int hook)
{
	if (atomic_inc_not_zero(&hook_users[hook]))
		return;
	mutex_lock(&hooks_mutex);
	if (!atomic_inc_not_zero(&hook_users[hook])) {
		static_branch_enable(&perf_counter_hooks[hook]);
		/* No CPU is half-way through a switch that began without. */
		if (hook == PERF_COUNTER_HOOK_SCHED)
			synchronize_rcu();
		atomic_set_release(&hook_users[hook], 2);
	}
	mutex_unlock(&hooks_mutex);
}

/**
 * perf_counter_hook_put() - the hook is not needed any more
 * @hook: as it was got
 *
 * Context: any but where the locks of workqueues are held.
 */
void perf_counter_hook_put(unsigned int hook)
{
	if (atomic_dec_return(&hook_users[hook]) == 1 && !delayed_work_pending(&hooks_idle_work))
		schedule_delayed_work(&hooks_idle_work, HOOK_LINGER);
}

/* === Counters: state and time. ctx->lock is held throughout. === */

/* Make @counter active if it should be, and inactive if not. */
static void counter_update(struct perf_counter *counter, u64 now)
{
	bool on = counter->enabled && counter->leader->enabled;

	if (on == counter->on)
		return;
	if (on) {
		counter->on_stamp = now;
		/* Partner: the acquire of @on in events, which may read the stamp. */
		smp_store_release(&counter->on, true);
		if (counter->load && counter->ctx->live_cpu >= 0)
			perf_counter_load(counter, now);
	} else {
		if (counter->load)
			perf_counter_unload(counter, now);
		WRITE_ONCE(counter->on, false);
		counter->time_enabled += perf_counter_since(now, counter->on_stamp);
	}
}

/* If @ctx uses the PMU of this CPU now, what that counts is about to change. */
static bool ctx_hw_begin(struct perf_counter_ctx *ctx)
{
	if (!ctx->nr_hw || ctx->live_cpu < 0)
		return false;
	perf_counter_hw_begin();
	return true;
}

/**
 * perf_counter_set_enabled() - switch a counter on or off
 * @counter: the counter; when it leads a group, the group goes with it
 * @enabled: on or off
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_set_enabled(struct perf_counter *counter, bool enabled)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *member;
	bool hw = ctx_hw_begin(ctx);

	counter->failed &= !enabled;
	counter->enabled = enabled;
	counter_update(counter, now);
	list_for_each_entry(member, &counter->members, member_node)
		counter_update(member, now);
	if (hw)
		perf_counter_hw_end();
}

/**
 * perf_counter_set_period() - change the events per sample
 * @counter: a sampling counter
 * @period: events, or ns of a clock; the next sample is that far away
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_set_period(struct perf_counter *counter, u64 period)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	bool was_loaded = counter->is_loaded;
	bool hw = ctx_hw_begin(ctx);

	perf_counter_unload(counter, now);
	WRITE_ONCE(counter->period, period);
	local64_set(&counter->period_left, period);
	if (was_loaded)
		perf_counter_reload(counter, now);
	if (hw)
		perf_counter_hw_end();
}

/**
 * perf_counter_count() - what a counter has counted since its reset
 * @counter: the counter
 *
 * Context: as perf_counter_value_of(); when its PMU has no read, any.
 * Return: events, or ns of a clock.
 */
u64 perf_counter_count(struct perf_counter *counter)
{
	const struct perf_counter_pmu *pmu = counter->desc->pmu;
	u64 base;

	if (pmu->read)
		pmu->read(counter);
	/* The count after its base, which a reset sets to an earlier count. */
	base = smp_load_acquire(&counter->base);
	return local64_read(&counter->count) - base;
}

/**
 * perf_counter_value_of() - what a counter has counted
 * @counter: the counter
 * @now: context time
 * @value: filled in
 *
 * Context: ctx->lock held, or an event in the counter's context.
 */
void perf_counter_value_of(struct perf_counter *counter, u64 now, struct perf_counter_value *value)
{
	value->count = perf_counter_count(counter);
	value->enabled = counter->time_enabled;
	if (counter->on)
		value->enabled += perf_counter_since(now, counter->on_stamp);
	value->running = perf_counter_running(counter, now);
}

/**
 * perf_counter_init_counter() - prepare a counter that counts for a descriptor
 * @counter: all zero
 * @desc: the descriptor
 * @stream_id: unique
 */
void perf_counter_init_counter(struct perf_counter *counter, struct perf_counter_desc *desc,
			       u64 stream_id)
{
	counter->desc = desc;
	counter->stream_id = stream_id;
	counter->leader = counter;
	INIT_LIST_HEAD(&counter->members);
	INIT_LIST_HEAD(&counter->load_node);
	if (desc->pmu->counter_init)
		desc->pmu->counter_init(counter);
}

/* @counter, which has joined its context and group, may be loaded with them from now on. */
static void counter_join_load(struct perf_counter *counter, u64 now)
{
	struct perf_counter *leader = counter->leader, *member;
	struct perf_counter_ctx *ctx = counter->ctx;

	if (counter->load) {
		ctx->nr_load++;
		ctx->nr_hw += perf_counter_is_hw(counter->desc);
	}
	leader->hw_group |= perf_counter_is_hw(counter->desc);
	if ((counter->load || leader->hw_group) && list_empty(&leader->load_node))
		perf_counter_load_leader(leader);
	if (!leader->hw_group)
		return;
	/* What has room always counts only while the rest of its group has some. */
	if (!leader->load)
		perf_counter_set_load(leader, now);
	list_for_each_entry(member, &leader->members, member_node) {
		if (!member->load)
			perf_counter_set_load(member, now);
	}
}

/* @counter is not in its context any more. */
static void counter_leave_load(struct perf_counter *counter)
{
	if (counter->user)
		perf_counter_set_user(counter, false);
	if (counter->load) {
		counter->ctx->nr_load--;
		counter->ctx->nr_hw -= perf_counter_is_hw(counter->desc);
	}
	list_del_init(&counter->load_node);
}

/**
 * perf_counter_attach() - put a counter into a context
 * @ctx: the context
 * @counter: the counter, with its state
 * @leader: of its group in this context; itself if it leads
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_attach(struct perf_counter_ctx *ctx, struct perf_counter *counter,
			 struct perf_counter *leader)
{
	struct perf_counter_desc *desc = counter->desc;
	u64 now = perf_counter_ctx_time(ctx);

	counter->leader = leader;
	if (leader != counter) {
		list_add_tail_rcu(&counter->member_node, &leader->members);
		leader->nr_members++;
	}
	WRITE_ONCE(counter->ctx, ctx);
	list_add_tail(&counter->ctx_node, &ctx->counters);
	WRITE_ONCE(ctx->nr_counters, ctx->nr_counters + 1);
	if (ctx->live_cpu == CTX_EMPTY)
		WRITE_ONCE(ctx->live_cpu, CTX_STOPPED);
	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit + desc->attr.inherit);
	WRITE_ONCE(ctx->joined, ctx->joined | desc->attr.inherit);
	if (desc->event >= 0)
		hlist_add_head_rcu(&counter->event_node, &ctx->sw[desc->event]);
	if (desc->sideband)
		list_add_tail_rcu(&counter->sideband_node, &ctx->sideband);
	counter->load = desc->load;
	if (counter->load || leader->hw_group)
		counter_join_load(counter, now);
	counter_update(counter, now);
}

/* @ctx, which is live, runs no more; context time is @now. */
static __always_inline void ctx_stop_at(struct perf_counter_ctx *ctx, u64 now)
{
	/* As long as it is live, the later of the two is the time. */
	WRITE_ONCE(ctx->clock_frozen, now);
	if (ctx->nr_load)
		perf_counter_ctx_unload(ctx, now);
	barrier();
	WRITE_ONCE(ctx->live_cpu, CTX_STOPPED);
}

/**
 * perf_counter_detach() - take a counter out of its context
 * @counter: the counter. The members of a group that it leads are on their
 *	own from here on.
 *
 * Events may go on using it for an RCU grace period.
 *
 * Context: ctx->lock held; where ctx_call() calls.
 */
void perf_counter_detach(struct perf_counter *counter)
{
	struct perf_counter_ctx *ctx = counter->ctx;
	u64 now = perf_counter_ctx_time(ctx);
	struct perf_counter *member, *next;
	bool hw = ctx_hw_begin(ctx);

	counter->enabled = false;
	counter_update(counter, now);
	list_for_each_entry_safe(member, next, &counter->members, member_node) {
		list_del_rcu(&member->member_node);
		WRITE_ONCE(member->leader, member);
		if (member->load) {
			member->hw_group = counter->hw_group;
			perf_counter_load_leader(member);
		}
		counter_update(member, now);
	}
	counter->nr_members = 0;
	if (counter->leader != counter) {
		list_del_rcu(&counter->member_node);
		counter->leader->nr_members--;
	}

	if (counter->desc->event >= 0)
		hlist_del_rcu(&counter->event_node);
	if (counter->desc->sideband)
		list_del_rcu(&counter->sideband_node);
	counter_leave_load(counter);
	list_del(&counter->ctx_node);
	WRITE_ONCE(counter->ctx, NULL);
	if (hw)
		perf_counter_hw_end();

	WRITE_ONCE(ctx->nr_inherit, ctx->nr_inherit - counter->desc->attr.inherit);
	WRITE_ONCE(ctx->nr_counters, ctx->nr_counters - 1);
	if (ctx->nr_counters || !ctx->task || ctx->live_cpu == CTX_DEAD)
		return;
	if (ctx->live_cpu >= 0)
		ctx_stop_at(ctx, now);
	WRITE_ONCE(ctx->live_cpu, CTX_EMPTY);
}

/* === Contexts === */

/**
 * perf_counter_ctx_init() - prepare a context
 * @ctx: all zero
 * @task: whose it is, NULL for a CPU's
 */
void perf_counter_ctx_init(struct perf_counter_ctx *ctx, struct task_struct *task)
{
	ctx->task = task;
	raw_spin_lock_init(&ctx->lock);
	ctx->live_cpu = task ? CTX_EMPTY : CTX_STOPPED;
	INIT_LIST_HEAD(&ctx->sideband);
	INIT_LIST_HEAD(&ctx->pinned);
	INIT_LIST_HEAD(&ctx->flexible);
	INIT_LIST_HEAD(&ctx->counters);
	mutex_init(&ctx->mutex);
	refcount_set(&ctx->refs, 1);
}

/**
 * perf_counter_ctx_put() - drop a reference to a task's context
 * @ctx: the context
 *
 * Context: any but where ctx->lock or a runqueue's lock is held.
 */
void perf_counter_ctx_put(struct perf_counter_ctx *ctx)
{
	/* It may be the beginning of a struct inherited. */
	BUILD_BUG_ON(offsetof(struct inherited, ctx));
	if (refcount_dec_and_test(&ctx->refs))
		kvfree_rcu(ctx, rcu);
}

/**
 * perf_counter_ctx_start() - a context begins to run on this CPU
 * @ctx: not live
 * @clock: what perf_counter_clock() says now
 *
 * Context: IRQs off, ctx->lock held.
 */
void perf_counter_ctx_start(struct perf_counter_ctx *ctx, u64 clock)
{
	u64 now = ctx->clock_frozen;

	WRITE_ONCE(ctx->clock_offset, clock - now);
	/* An event's look at the time follows live_cpu to the offset. */
	barrier();
	WRITE_ONCE(ctx->live_cpu, smp_processor_id());
	if (ctx->nr_load)
		perf_counter_ctx_load(ctx, now);
}

/**
 * perf_counter_ctx_stop() - a context runs no more
 * @ctx: the context
 *
 * Context: IRQs off, ctx->lock held; on the CPU where it runs, or when it has
 * no counter to be stopped.
 */
void perf_counter_ctx_stop(struct perf_counter_ctx *ctx)
{
	if (ctx->live_cpu >= 0)
		ctx_stop_at(ctx, perf_counter_ctx_time(ctx));
}

struct ctx_call {
	struct perf_counter_ctx	*ctx;
	void			(*fn)(void *arg);
	void			*arg;
	bool			done;
};

static void ctx_call_here(void *info)
{
	struct ctx_call *call = info;

	raw_spin_lock(&call->ctx->lock);
	if (call->ctx->live_cpu == smp_processor_id()) {
		call->fn(call->arg);
		call->done = true;
	}
	raw_spin_unlock(&call->ctx->lock);
}

/* Call @fn on @cpu if @ctx is live there still, and the CPU is: was it called? */
static noinline bool ctx_call_there(struct perf_counter_ctx *ctx, int cpu, void (*fn)(void *arg),
				    void *arg)
{
	struct ctx_call call = { .ctx = ctx, .fn = fn, .arg = arg };

	smp_call_function_single(cpu, ctx_call_here, &call, true);
	return call.done;
}

/**
 * perf_counter_ctx_call() - call a function where a context is
 * @ctx: the context
 * @fn: the function, called with ctx->lock held and IRQs off
 * @arg: its argument
 * @atomic: the task of the context must not be running meanwhile elsewhere
 *
 * The function is called on the CPU where the context runs, when it must not
 * be running elsewhere or has counters that are started and stopped on their
 * CPU; and here when it runs nowhere or need not be stopped.
 *
 * Context: may be called with IRQs on alone.
 */
void perf_counter_ctx_call(struct perf_counter_ctx *ctx, void (*fn)(void *arg), void *arg,
			   bool atomic)
{
	int cpu;

	do {
		raw_spin_lock_irq(&ctx->lock);
		cpu = ctx->live_cpu;
		if (cpu < 0 || cpu == smp_processor_id() || (!atomic && !ctx->nr_load)) {
			fn(arg);
			raw_spin_unlock_irq(&ctx->lock);
			return;
		}
		raw_spin_unlock_irq(&ctx->lock);
	} while (!ctx_call_there(ctx, cpu, fn, arg));
}

/* === Scheduling === */

/*
 * What the clock said as the task before stopped, which is when the next one
 * starts: a switch reads the clock once. 0 when nobody has read it. Written at
 * the beginning of each switch; see perf_counter_hook_get() for the first.
 */
static DEFINE_PER_CPU(u64, switch_clock);

/* The current task, which has @ctx or none, makes room. IRQs off. */
static __always_inline void ctx_switch_out(struct perf_counter_ctx *ctx)
{
	u64 clock;

	if (!ctx) {
		__this_cpu_write(switch_clock, 0);
		return;
	}
	raw_spin_lock(&ctx->lock);
	if (likely(ctx->live_cpu >= 0)) {
		/* perf_counter_clock(), with preemption off anyway. */
		clock = local_clock_noinstr();
		__this_cpu_write(switch_clock, clock);
		ctx_stop_at(ctx, perf_counter_time_at(clock, ctx->clock_offset, ctx->clock_frozen));
	} else {
		__this_cpu_write(switch_clock, 0);
	}
	raw_spin_unlock(&ctx->lock);
}

/* The current task has @ctx, which may start; @switched: since the switch going on. IRQs off. */
static __always_inline void ctx_switch_in(struct perf_counter_ctx *ctx, bool switched)
{
	u64 clock = 0;

	raw_spin_lock(&ctx->lock);
	if (likely(ctx->live_cpu == CTX_STOPPED)) {
		if (switched)
			clock = __this_cpu_read(switch_clock);
		perf_counter_ctx_start(ctx, clock ?: perf_counter_clock());
	}
	raw_spin_unlock(&ctx->lock);
}

/* With an event, or records. */
static noinline void sched_out_told(struct perf_counter_ctx *ctx, struct task_struct *next,
				    unsigned long ip)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNT_SW_CONTEXT_SWITCHES]))
		perf_counter_sw_event_here(PERF_COUNT_SW_CONTEXT_SWITCHES, ip);
	ctx_switch_out(ctx);
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH_RECORD]))
		perf_counter_record_switch(next, true);
}

/**
 * __perf_counter_sched_out() - the current task stops running
 * @task: the task
 * @next: who runs after it
 *
 * Context: IRQs off, rq->lock held.
 */
void __perf_counter_sched_out(struct task_struct *task, struct task_struct *next)
{
	struct perf_counter_ctx *ctx = task->perf_counter_ctx;

	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH]))
		sched_out_told(ctx, next, _RET_IP_);
	else
		ctx_switch_out(ctx);
}

static noinline void sched_in_told(struct task_struct *prev, struct perf_counter_ctx *ctx,
				   unsigned long ip)
{
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH_RECORD]))
		perf_counter_record_switch(prev, false);
	if (ctx)
		ctx_switch_in(ctx, true);
	if (current->perf_counter_migrated) {
		current->perf_counter_migrated = 0;
		perf_counter_sw_event_here(PERF_COUNT_SW_CPU_MIGRATIONS, ip);
	}
}

/**
 * __perf_counter_sched_in() - the current task starts running
 * @prev: who ran before it
 * @task: the task
 *
 * Context: IRQs off, rq->lock held.
 */
void __perf_counter_sched_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_counter_ctx *ctx = task->perf_counter_ctx;

	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_SWITCH]))
		sched_in_told(prev, ctx, _RET_IP_);
	else if (ctx)
		ctx_switch_in(ctx, true);
}

struct ctx_activation {
	struct perf_counter_ctx	*ctx;
	bool			moved;
};

static void ctx_activate_here(void *info)
{
	struct ctx_activation *activation = info;
	struct perf_counter_ctx *ctx = activation->ctx;

	if (task_cpu(ctx->task) != smp_processor_id()) {
		activation->moved = true;
		return;
	}
	if (ctx->task == current)
		ctx_switch_in(ctx, false);
}

/**
 * perf_counter_ctx_activate() - a task got its first counter
 * @ctx: the task's context
 *
 * If the task is running, its context starts now; otherwise it will when the
 * task does.
 *
 * Context: may sleep.
 */
void perf_counter_ctx_activate(struct perf_counter_ctx *ctx)
{
	struct ctx_activation activation = { .ctx = ctx };

	if (ctx->task == current) {
		guard(irq)();
		ctx_switch_in(ctx, false);
		return;
	}
	/*
	 * The context before the task's CPU; the partner is the full barrier
	 * of the scheduler between a task's move to a CPU (or its choice there)
	 * and the hook that looks for the context. If the CPU read here is not
	 * the latest, the hook sees the context; if it is, the IPI finds the
	 * task running, or comes before the hook.
	 */
	smp_mb();
	do {
		activation.moved = false;
		if (smp_call_function_single(task_cpu(ctx->task), ctx_activate_here, &activation,
					     true))
			return;
	} while (activation.moved);
}

/* === CPUs coming and going === */

static int ctx_cpu_online(unsigned int cpu)
{
	struct perf_counter_ctx *ctx = this_cpu_ptr(&perf_counter_cpu_ctx);

	perf_counter_sched_online();
	raw_spin_lock_irq(&ctx->lock);
	if (perf_counter_backend)
		perf_counter_backend->reset();
	perf_counter_ctx_start(ctx, perf_counter_clock());
	raw_spin_unlock_irq(&ctx->lock);
	return 0;
}

static int ctx_cpu_offline(unsigned int cpu)
{
	struct perf_counter_ctx *ctx = this_cpu_ptr(&perf_counter_cpu_ctx);

	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_stop(ctx);
	if (perf_counter_backend)
		perf_counter_backend->reset();
	raw_spin_unlock_irq(&ctx->lock);
	perf_counter_sched_offline();
	return 0;
}

static int __init perf_counter_init(void)
{
	int cpu, err;

	inherited_one_cache = kmem_cache_create("perf_counter_inherited",
						struct_size_t(struct inherited, counters, 1), 0,
						SLAB_PANIC | SLAB_ACCOUNT, NULL);
	for_each_possible_cpu(cpu)
		perf_counter_ctx_init(per_cpu_ptr(&perf_counter_cpu_ctx, cpu), NULL);
	perf_counter_sched_init();
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf_counter:online", ctx_cpu_online,
				ctx_cpu_offline);
	return err < 0 ? err : 0;
}
core_initcall(perf_counter_init);

/* === From fork to exit === */

/* What @child's counter has from @parent's, whose ctx->lock is held. */
static void inherit_state(struct perf_counter *child, struct perf_counter *parent)
{
	child->cpu = parent->cpu;
	child->filter = parent->filter & ~FILTER_UNLOADED;
	child->enabled = parent->enabled;
	child->enable_on_exec = parent->enable_on_exec;
	/* In frequency mode, what the parent found out is where to start. */
	child->period = parent->period;
	local64_set(&child->period_left, parent->period);
}

/* Bring @child to life, unless @parent is being closed. */
static void inherit_counter(struct perf_counter_ctx *ctx, struct perf_counter *child,
			    struct perf_counter *parent)
{
	struct perf_counter_desc *desc = child->desc;
	struct perf_counter *leader = child;

	mutex_lock(&desc->mutex);
	if (!desc->closed) {
		raw_spin_lock_irq(&parent->ctx->lock);
		inherit_state(child, parent);
		if (parent->leader != parent)
			leader = parent->leader->heir;
		raw_spin_unlock_irq(&parent->ctx->lock);

		raw_spin_lock_irq(&ctx->lock);
		/* Leaders come first: theirs is there already, or was closed. */
		perf_counter_attach(ctx, child, leader->ctx ? leader : child);
		raw_spin_unlock_irq(&ctx->lock);
		list_add_tail(&child->desc_node, &desc->counters);
	}
	mutex_unlock(&desc->mutex);
}

/* Room for what a child inherits, all zero, or NULL. Freed by kvfree_rcu(). */
static struct inherited *inherited_alloc(unsigned int nr)
{
	size_t size = struct_size_t(struct inherited, counters, nr);
	struct inherited *inherited;

	if (nr == 1)
		inherited = kmem_cache_alloc(inherited_one_cache, GFP_KERNEL);
	else
		inherited = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	/* kvzalloc() would clear what the allocator rounds up to as well. */
	return inherited ? memset(inherited, 0, size) : NULL;
}

/* Hand the counters of @ctx, the current task's, on to @child. With ctx->mutex held. */
static int ctx_inherit(struct perf_counter_ctx *ctx, struct task_struct *child)
{
	struct inherited *inherited;
	struct perf_counter *counter;
	unsigned int i, nr;
	u64 stream_id;

	/* Nobody joins meanwhile; the number can but shrink. */
	WRITE_ONCE(ctx->joined, false);
	nr = READ_ONCE(ctx->nr_inherit);
	if (!nr)
		return 0;

	inherited = inherited_alloc(nr);
	if (!inherited)
		return -ENOMEM;
	perf_counter_ctx_init(&inherited->ctx, child);
	stream_id = perf_counter_new_ids(nr);

	/* Until it is brought to life, an heir points back to its parent. */
	i = 0;
	raw_spin_lock_irq(&ctx->lock);
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		if (!counter->desc->attr.inherit)
			continue;
		/* On the list, so not closed yet: there are references left. */
		refcount_inc(&counter->desc->refs);
		counter->heir = &inherited->counters[i];
		inherited->counters[i].desc = counter->desc;
		inherited->counters[i++].heir = counter;
	}
	raw_spin_unlock_irq(&ctx->lock);

	nr = i;
	for (i = 0; i < nr; i++) {
		struct perf_counter *heir = &inherited->counters[i];
		struct perf_counter_desc *desc = heir->desc;

		counter = heir->heir;
		heir->heir = NULL;
		perf_counter_init_counter(heir, desc, stream_id + i);
		inherit_counter(&inherited->ctx, heir, counter);
		perf_counter_desc_put(desc);
	}
	child->perf_counter_ctx = &inherited->ctx;
	return 0;
}

/**
 * __perf_counter_init_task() - hand the current task's counters on
 * @child: being forked, and unknown to others still
 *
 * Return: 0, or -ENOMEM.
 */
int __perf_counter_init_task(struct task_struct *child)
{
	struct perf_counter_ctx *ctx = current->perf_counter_ctx;
	int err;

	mutex_lock(&ctx->mutex);
	err = ctx_inherit(ctx, child);
	mutex_unlock(&ctx->mutex);
	return err;
}

/**
 * perf_counter_ctx_has_joined() - has a task got counters since it began to fork?
 * @ctx: its context; it is the current task
 *
 * Context: any.
 * Return: true when there are some that its child has to inherit.
 */
bool perf_counter_ctx_has_joined(struct perf_counter_ctx *ctx)
{
	return READ_ONCE(ctx->joined);
}

/**
 * perf_counter_init_again() - hand the current task's counters on, of which there are more now
 * @child: being forked, and unknown to others still
 *
 * When it succeeds, nobody joins until perf_counter_unlock_fork(): once is enough, however
 * fast others open counters.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM.
 */
int perf_counter_init_again(struct task_struct *child)
{
	struct perf_counter_ctx *ctx = current->perf_counter_ctx;
	int err;

	perf_counter_drop_task(child);
	mutex_lock(&ctx->mutex);
	err = ctx_inherit(ctx, child);
	if (err)
		mutex_unlock(&ctx->mutex);
	else
		ctx->forks = true;
	return err;
}

/**
 * perf_counter_ctx_unlock_fork() - let go of what perf_counter_init_again() holds
 * @ctx: the current task's context; nothing is held where its fork was not late
 *
 * Context: may sleep.
 */
void perf_counter_ctx_unlock_fork(struct perf_counter_ctx *ctx)
{
	if (!ctx->forks)
		return;
	ctx->forks = false;
	mutex_unlock(&ctx->mutex);
}

/*
 * The task of @counter's context is ending: what it counted goes to the
 * descriptor, unless a close was faster.
 */
static void ctx_end_counter(struct perf_counter_ctx *ctx, struct perf_counter *counter,
			    struct perf_counter_desc *desc)
{
	struct perf_counter_value value;

	mutex_lock(&desc->mutex);
	if (counter->ctx == ctx) {
		/* A child whose fork failed, or somebody else's, is no news. */
		if (desc->attr.inherit_stat && counter != &desc->first && ctx->task == current)
			perf_counter_output_read(counter, ctx->task);

		raw_spin_lock_irq(&ctx->lock);
		perf_counter_value_of(counter, perf_counter_ctx_time(ctx), &value);
		atomic64_add(value.count, &desc->gone_count);
		/* Partner: the read barrier in desc_lone_count(). */
		smp_wmb();
		perf_counter_detach(counter);
		raw_spin_unlock_irq(&ctx->lock);

		desc->gone_enabled += value.enabled;
		desc->gone_running += value.running;
		list_del(&counter->desc_node);
		if (list_empty(&desc->counters))
			wake_up_all(&desc->waitq);
	}
	mutex_unlock(&desc->mutex);
}

/* The last counter in @ctx, or the last with remove_on_exec. With ctx->lock held. */
static struct perf_counter *ctx_last_counter(struct perf_counter_ctx *ctx, bool on_exec)
{
	struct perf_counter *counter;

	/* Members before their leader, whose end a reader takes for the group's. */
	list_for_each_entry_reverse(counter, &ctx->counters, ctx_node) {
		if (!on_exec || counter->desc->attr.remove_on_exec)
			return counter;
	}
	return NULL;
}

/* Take all counters out of @ctx, or all with remove_on_exec. */
static void ctx_end_counters(struct perf_counter_ctx *ctx, bool on_exec)
{
	struct perf_counter_desc *desc;
	struct perf_counter *counter;

	mutex_lock(&ctx->mutex);
	while (READ_ONCE(ctx->nr_counters)) {
		raw_spin_lock_irq(&ctx->lock);
		counter = ctx_last_counter(ctx, on_exec);
		if (counter) {
			desc = counter->desc;
			/* On the list, so not closed yet: there are references left. */
			refcount_inc(&desc->refs);
		}
		raw_spin_unlock_irq(&ctx->lock);
		if (!counter)
			break;
		ctx_end_counter(ctx, counter, desc);
		perf_counter_desc_put(desc);
	}
	mutex_unlock(&ctx->mutex);
}

/* The task of @ctx has given it up. */
static void ctx_end(struct perf_counter_ctx *ctx)
{
	ctx_end_counters(ctx, false);
	perf_counter_ctx_put(ctx);
}

static void ctx_kill_fn(void *arg)
{
	struct perf_counter_ctx *ctx = arg;

	perf_counter_ctx_stop(ctx);
	WRITE_ONCE(ctx->live_cpu, CTX_DEAD);
}

/* Take the context from @task. From here on its events count no more. */
static struct perf_counter_ctx *task_ctx_take(struct task_struct *task)
{
	struct perf_counter_ctx *ctx;

	/* A switch passes it by from then on: no switch until it is stopped. */
	preempt_disable();
	ctx = xchg(&task->perf_counter_ctx, NULL);
	if (ctx)
		perf_counter_ctx_call(ctx, ctx_kill_fn, ctx, true);
	preempt_enable();
	return ctx;
}

/**
 * __perf_counter_drop_task() - take its counters from a task
 * @task: the current one, or one that never ran or is ending
 *
 * Context: may sleep.
 */
void __perf_counter_drop_task(struct task_struct *task)
{
	struct perf_counter_ctx *ctx = task_ctx_take(task);

	if (ctx)
		ctx_end(ctx);
}

/**
 * __perf_counter_exit_task() - the current task ends
 * @task: the task
 * @last: the last of its process to get here
 *
 * Context: may sleep.
 */
void __perf_counter_exit_task(struct task_struct *task, bool last)
{
	struct perf_counter_ctx *ctx;

	if (last && task->mm)
		perf_counter_mm_left(task->mm);
	ctx = task_ctx_take(task);
	/* After this record its own counters have nothing more to say of it. */
	if (static_branch_unlikely(&perf_counter_hooks[PERF_COUNTER_HOOK_TASK]))
		perf_counter_record_exit(ctx);
	if (ctx)
		ctx_end(ctx);
	perf_counter_disown(task);
}

/**
 * __perf_counter_exec() - the current task has a new program
 *
 * Switches on what waits for that, and removes what is to end with that.
 *
 * Context: may sleep.
 */
void __perf_counter_exec(void)
{
	struct perf_counter_ctx *ctx = current->perf_counter_ctx;
	struct perf_counter *counter;
	bool remove = false;

	raw_spin_lock_irq(&ctx->lock);
	list_for_each_entry(counter, &ctx->counters, ctx_node) {
		remove |= counter->desc->attr.remove_on_exec;
		if (!counter->enable_on_exec)
			continue;
		counter->enable_on_exec = false;
		perf_counter_set_enabled(counter, true);
	}
	raw_spin_unlock_irq(&ctx->lock);
	if (remove)
		ctx_end_counters(ctx, true);
}

/**
 * perf_counter_task_ctx_get() - the context of a task, made if need be
 * @task: the task
 *
 * Context: may sleep.
 * Return: the context with a reference; -ESRCH when the task is ending;
 * -ENOMEM.
 */
struct perf_counter_ctx *perf_counter_task_ctx_get(struct task_struct *task)
{
	struct perf_counter_ctx *ctx, *new;

again:
	rcu_read_lock();
	ctx = READ_ONCE(task->perf_counter_ctx);
	if (ctx && !refcount_inc_not_zero(&ctx->refs))
		ctx = NULL;
	rcu_read_unlock();
	if (ctx)
		return ctx;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);
	perf_counter_ctx_init(new, task);
	/* One reference for the task, one for the caller. */
	refcount_inc(&new->refs);
	/*
	 * Fully ordered: the context before the look at PF_EXITING. Partner:
	 * perf_counter_exit_task(), which sets one and then looks for the
	 * other, so not both can be missed.
	 */
	if (cmpxchg(&task->perf_counter_ctx, NULL, new)) {
		/* Another opener was faster. Have what it made. */
		kfree(new);
		goto again;
	}
	if (READ_ONCE(task->flags) & PF_EXITING) {
		/* Another opener may have set it going, where switches still stop it. */
		perf_counter_ctx_call(new, ctx_kill_fn, new, true);
		__perf_counter_drop_task(task);
		perf_counter_ctx_put(new);
		return ERR_PTR(-ESRCH);
	}
	return new;
}

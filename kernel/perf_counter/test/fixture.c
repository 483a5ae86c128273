// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors, buffers and contexts for the KUnit tests of counters.
 */

#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "test.h"

struct test_pmu test_pmu;

static int test_pmu_add(struct perf_counter *counter)
{
	test_pmu.adds++;
	return test_pmu.add_error;
}

static void test_pmu_del(struct perf_counter *counter, u64 now)
{
	test_pmu.dels++;
}

static void test_pmu_read(struct perf_counter *counter)
{
	if (test_pmu.count)
		local64_set(&counter->count, test_pmu.count);
}

struct perf_counter_pmu test_pmu_ops = {
	.add	= test_pmu_add,
	.del	= test_pmu_del,
	.read	= test_pmu_read,
};

/* The signals of a test's descriptor are not sent. */
static void test_no_work(struct irq_work *work)
{
}

static void test_desc_action(void *arg)
{
	struct perf_counter_desc *desc = arg;

	irq_work_sync(&desc->work);
	perf_counter_hooks_put(BIT(PERF_COUNTER_HOOK_SCHED));
	/* Wait for events that still use the counter. */
	synchronize_rcu();
}

/* Allocate a descriptor for a checked @attr, as an open does. Returns it, or an error. */
struct perf_counter_desc *test_alloc_desc(const struct perf_counter_attr *attr, bool task, int cpu)
{
	struct perf_counter_plan plan;

	perf_counter_plan_records(&plan, attr);
	return perf_counter_desc_alloc(attr, &plan, task, cpu, NULL);
}

/**
 * test_desc() - Make a descriptor as an open would
 * @test: KUnit test; the descriptor is freed at its end
 * @attr: complete attr; config is the number of a software event or a clock
 * @pmu: PMU of the descriptor
 *
 * Return: descriptor for all CPUs, in no context yet.
 */
struct perf_counter_desc *test_desc(struct kunit *test, const struct perf_counter_attr *attr,
				    const struct perf_counter_pmu *pmu)
{
	struct perf_counter_desc *desc = kunit_kzalloc(test, sizeof(*desc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, desc);
	desc->attr = *attr;
	desc->pmu = pmu;
	desc->event = attr->config < PERF_COUNT_SW_PAGE_FAULTS ? -1 : attr->config;
	desc->task = true;
	desc->cpu = -1;
	desc->needs_load = pmu == &test_pmu_ops;
	desc->records.clock = perf_counter_clock;
	desc->records.ns = &init_pid_ns;
	desc->id = perf_counter_new_ids(1);
	atomic_set(&desc->refresh.limit, -1);
	init_irq_work(&desc->work, test_no_work);
	perf_counter_writer_init(&desc->writer, NULL);
	mutex_init(&desc->mutex);
	INIT_LIST_HEAD(&desc->counters);
	INIT_LIST_HEAD(&desc->group.members);
	RCU_INIT_POINTER(desc->group.leader, desc);
	refcount_set(&desc->refs, 1);
	perf_counter_plan_records(&desc->records.plan, attr);
	KUNIT_ASSERT_EQ(test, perf_counter_sample_prepare(desc), 0);

	perf_counter_init_counter(&desc->first, desc, desc->id);
	desc->first.cpu = -1;
	desc->first.enabled = !attr->disabled;
	desc->first.sampling.period = attr->freq ? 1 : attr->sample_period;
	local64_set(&desc->first.sampling.period_left, desc->first.sampling.period);

	memset(&test_pmu, 0, sizeof(test_pmu));
	perf_counter_hooks_get(BIT(PERF_COUNTER_HOOK_SCHED));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, test_desc_action, desc), 0);
	return desc;
}

static void test_buffer_action(void *arg)
{
	struct perf_counter_buffer *buffer = arg;

	irq_work_sync(&buffer->notify);
	perf_counter_ring_destroy(&buffer->rings[0]);
	while (buffer->nr_pages)
		__free_page(buffer->pages[--buffer->nr_pages]);
}

/**
 * test_buffer() - Make a buffer of one page for the records of a descriptor
 * @test: KUnit test; the buffer is freed at its end
 * @desc: descriptor of the records
 *
 * Return: the buffer.
 */
struct perf_counter_buffer *test_buffer(struct kunit *test, struct perf_counter_desc *desc)
{
	return test_large_buffer(test, desc, 1);
}

/**
 * test_large_buffer() - Make a buffer for the records of a descriptor
 * @test: KUnit test; the buffer is freed at its end
 * @desc: descriptor of the records
 * @nr_pages: number of data pages, a power of two
 *
 * Return: the buffer.
 */
struct perf_counter_buffer *test_large_buffer(struct kunit *test, struct perf_counter_desc *desc,
					      unsigned int nr_pages)
{
	struct perf_counter_buffer *buffer;
	struct perf_counter_ring_config config = { .nr_pages = nr_pages };
	unsigned int i;
	u64 *shared;

	buffer = kunit_kzalloc(test, struct_size(buffer, rings, 1), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	buffer->pages = kunit_kcalloc(test, nr_pages, sizeof(*buffer->pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buffer->pages);
	buffer->control = kunit_kzalloc(test, sizeof(*buffer->control), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buffer->control);
	shared = kunit_kzalloc(test, sizeof(*shared), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, shared);
	for (i = 0; i < nr_pages; i++) {
		buffer->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_ASSERT_NOT_NULL(test, buffer->pages[i]);
	}
	buffer->nr_pages = nr_pages;

	config.pages = buffer->pages;
	config.data_head = ring_memory(&buffer->control->data_head);
	config.data_tail = ring_memory(&buffer->control->data_tail);
	config.data_reserved = ring_memory(shared);
	KUNIT_ASSERT_EQ(test, perf_counter_ring_init(&buffer->rings[0], &config), 0);
	buffer->nr_rings = 1;
	buffer->cpu = -1;
	refcount_set(&buffer->refs, 1);
	spin_lock_init(&buffer->lock);
	init_irq_work(&buffer->notify, test_no_work);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, test_buffer_action, buffer), 0);
	rcu_assign_pointer(desc->writer.buffer, buffer);
	return buffer;
}

static void test_state_action(void *arg)
{
	struct task_struct *task = arg;

	if (perf_counter_task_state(task))
		RCU_INIT_POINTER(perf_counter_task_state(task)->stack, NULL);
	perf_counter_task_freed(task);
}

/**
 * test_task() - Make a task that does not run
 * @test: KUnit test; the task and its state are freed at its end
 *
 * Return: the task, without a state.
 */
struct task_struct *test_task(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, test_state_action, task), 0);
	return task;
}

/**
 * test_state() - Get the state of a task
 * @test: KUnit test
 * @task: current task, or a test_task()
 *
 * Return: the state.
 */
struct perf_counter_task *test_state(struct kunit *test, struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_state_get(task);

	KUNIT_ASSERT_NOT_NULL(test, state);
	return state;
}

static void test_ctx_action(void *arg)
{
	perf_counter_pmu_ctx_free(arg);
}

/**
 * test_ctx() - Make a context that does not run
 * @test: KUnit test; the context is freed at its end
 * @task: task of the context, or NULL for a context of a CPU
 *
 * Return: the context, at time 0.
 */
struct perf_counter_ctx *test_ctx(struct kunit *test, struct task_struct *task)
{
	struct perf_counter_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	perf_counter_ctx_init(ctx, task);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, test_ctx_action, ctx), 0);
	return ctx;
}

/**
 * test_start() - Start a context on this CPU
 * @ctx: context to start
 * @now: context time in ns; the clock stands still, because it is set an hour back and
 *	the context shows at least the time of its last stop
 */
void test_start(struct perf_counter_ctx *ctx, u64 now)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->clock_frozen = now;
	perf_counter_ctx_start(ctx, perf_counter_clock());
	ctx->clock_offset = perf_counter_clock() + 3600 * NSEC_PER_SEC;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/**
 * test_stop() - Stop a context
 * @ctx: context to stop
 * @now: context time in ns
 */
void test_stop(struct perf_counter_ctx *ctx, u64 now)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->clock_frozen = now;
	perf_counter_ctx_stop(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/**
 * test_attach() - Attach a descriptor's counter to a context
 * @ctx: context to attach to
 * @desc: descriptor of the counter
 * @leader: descriptor of the group leader, or NULL
 * @now: context time in ns
 */
void test_attach(struct perf_counter_ctx *ctx, struct perf_counter_desc *desc,
		 struct perf_counter_desc *leader, u64 now)
{
	unsigned long flags;

	/* The entry needs no memory: it is the first pmu_ctx of the context, or exists already. */
	WARN_ON(perf_counter_pmu_ctx_prepare(ctx, perf_counter_scheduled_pmu(desc->pmu)));
	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->clock_frozen = now;
	perf_counter_attach(ctx, &desc->first, leader ? &leader->first : &desc->first);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/**
 * test_detach() - Detach a descriptor's counter from its context
 * @desc: descriptor of the counter
 * @now: context time in ns
 */
void test_detach(struct perf_counter_desc *desc, u64 now)
{
	struct perf_counter_ctx *ctx = desc->first.ctx;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->clock_frozen = now;
	perf_counter_detach(&desc->first);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/**
 * test_enable() - Enable or disable a descriptor's counter
 * @desc: descriptor of the counter
 * @enabled: true to enable, false to disable
 * @now: context time in ns
 */
void test_enable(struct perf_counter_desc *desc, bool enabled, u64 now)
{
	struct perf_counter_ctx *ctx = desc->first.ctx;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->clock_frozen = now;
	perf_counter_set_enabled(&desc->first, enabled);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/**
 * test_expect() - Expect the value and the times of a descriptor's counter
 * @test: KUnit test
 * @desc: descriptor of the counter
 * @now: context time in ns
 * @count: expected number of events
 * @enabled: expected enabled time in ns
 * @running: expected running time in ns
 */
void test_expect(struct kunit *test, struct perf_counter_desc *desc, u64 now, u64 count,
		 u64 enabled, u64 running)
{
	struct perf_counter_value value;

	perf_counter_value_of(&desc->first, now, &value);
	KUNIT_EXPECT_EQ_MSG(test, value.count, count, "at %llu", now);
	KUNIT_EXPECT_EQ_MSG(test, value.enabled, enabled, "at %llu", now);
	KUNIT_EXPECT_EQ_MSG(test, value.running, running, "at %llu", now);
}

struct test_join {
	struct perf_counter_ctx		*ctx;
	struct perf_counter_desc	*desc;
	struct perf_counter		*leader;
};

static void test_join_fn(void *arg)
{
	struct test_join *join = arg;

	perf_counter_attach(join->ctx, &join->desc->first, join->leader);
}

/**
 * test_join_current() - Attach a descriptor's counter to the current task
 * @test: test of the descriptor
 * @desc: descriptor of the counter
 * @leader: descriptor of the group leader, or NULL
 */
void test_join_current(struct kunit *test, struct perf_counter_desc *desc,
		       struct perf_counter_desc *leader)
{
	struct test_join join = {
		.ctx	= perf_counter_task_ctx_get(current),
		.desc	= desc,
		.leader	= leader ? &leader->first : &desc->first,
	};
	const struct perf_counter_pmu *pmu;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, join.ctx);
	pmu = perf_counter_scheduled_pmu(desc->pmu);
	KUNIT_ASSERT_EQ(test, 0, perf_counter_pmu_ctx_prepare(join.ctx, pmu));
	perf_counter_ctx_call(join.ctx, test_join_fn, &join, desc->needs_load);
	mutex_lock(&desc->mutex);
	list_add_tail(&desc->first.desc_node, &desc->counters);
	mutex_unlock(&desc->mutex);
	perf_counter_ctx_activate(join.ctx);
	perf_counter_ctx_put(join.ctx);
}

/**
 * test_raise() - Raise the dummy event, which only tests raise
 * @nr: number of events
 */
void test_raise(u64 nr)
{
	static struct pt_regs regs;

	__perf_counter_sw_event(PERF_COUNT_SW_DUMMY, nr, &regs, 0x1000);
}

/**
 * test_run_child() - Fork a child, and wait for its exit
 * @test: KUnit test
 * @fn: function that the child runs; it ends with do_exit()
 * @arg: argument of @fn
 *
 * Context: may sleep.
 */
void test_run_child(struct kunit *test, int (*fn)(void *arg), void *arg)
{
	pid_t pid;

	/* If SIGCHLD is ignored, children cannot be waited for. */
	kernel_sigaction(SIGCHLD, SIG_DFL);
	pid = user_mode_thread(fn, arg, SIGCHLD);
	KUNIT_EXPECT_GT(test, pid, 0);
	if (pid > 0)
		KUNIT_EXPECT_EQ(test, kernel_wait(pid, NULL), pid);
	kernel_sigaction(SIGCHLD, SIG_IGN);
}

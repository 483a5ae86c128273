// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of contexts and groups: context time, when counters count and for how
 * long, and the calls of their PMU. The tests set the times.
 */

#include <linux/sched.h>

#include "../record/read_format.h"
#include "test.h"

/* A CPU on which no context runs. */
#define ELSEWHERE	((int)nr_cpu_ids)

static const struct perf_counter_attr enabled_attr = {};
static const struct perf_counter_attr disabled_attr = { .disabled = 1 };

/* Bind the test to its CPU: the contexts that it starts stay there. */
static int stay_here(struct kunit *test)
{
	return set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
}

/* === Context time === */

/*
 * Wait until the clock advances. IRQs must be on: without a better source, the clock advances with
 * the tick.
 */
static void wait_for_clock(void)
{
	u64 then = perf_counter_clock();

	while (perf_counter_clock() == then)
		cpu_relax();
}

static void start(struct perf_counter_ctx *ctx)
{
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_start(ctx, perf_counter_clock());
	raw_spin_unlock_irq(&ctx->lock);
}

static void stop(struct perf_counter_ctx *ctx)
{
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_ctx_stop(ctx);
	raw_spin_unlock_irq(&ctx->lock);
}

static void time_stands_still_while_stopped(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	u64 stopped;

	KUNIT_EXPECT_EQ(test, perf_counter_ctx_time(ctx), 0);
	start(ctx);
	wait_for_clock();
	stop(ctx);

	stopped = perf_counter_ctx_time(ctx);
	KUNIT_EXPECT_GT(test, stopped, 0);
	wait_for_clock();
	KUNIT_EXPECT_EQ(test, perf_counter_ctx_time(ctx), stopped);
	/* Stopping a stopped context changes nothing. */
	test_stop(ctx, stopped);
	KUNIT_EXPECT_EQ(test, perf_counter_ctx_time(ctx), stopped);
}

/* Context time lies between the clock read inside and the clock read outside of each run. */
static void time_is_the_sum_of_its_runs(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	u64 before, after, begin, end, least = 0, most = 0;
	bool monotonic = true;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		before = perf_counter_ctx_time(ctx);
		most -= perf_counter_clock();
		start(ctx);
		begin = perf_counter_clock();
		wait_for_clock();
		after = perf_counter_ctx_time(ctx);
		monotonic &= after > before;
		end = perf_counter_clock();
		stop(ctx);
		most += perf_counter_clock();
		monotonic &= perf_counter_ctx_time(ctx) >= after;
		least += end - begin;
		wait_for_clock();
	}
	KUNIT_EXPECT_TRUE(test, monotonic);
	KUNIT_EXPECT_GE(test, perf_counter_ctx_time(ctx), least);
	KUNIT_EXPECT_LE(test, perf_counter_ctx_time(ctx), most);
}

/* The clock of the CPU where the context starts may be earlier than that of its last CPU. */
static void time_does_not_go_back(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);

	test_start(ctx, 5000);
	KUNIT_EXPECT_EQ(test, perf_counter_ctx_time(ctx), 5000);
	stop(ctx);
	KUNIT_EXPECT_EQ(test, perf_counter_ctx_time(ctx), 5000);
}

/* Switch from the context @from of this task to the context @to, which may both be NULL. */
static void switch_context(struct kunit *test, struct perf_counter_ctx *from,
			   struct perf_counter_ctx *to)
{
	struct perf_counter_task *state = test_state(test, current);
	struct perf_counter_ctx *own;

	guard(irqsave)();
	own = state->ctx;
	state->ctx = from;
	__perf_counter_sched_out(current, current);
	state->ctx = to;
	__perf_counter_sched_in(current, current);
	state->ctx = own;
}

/* A hook stays on for a second after its last user. Maximum delay on a busy host, in jiffies. */
#define LATE	(30 * HZ)

static bool hook_is_on(unsigned int hook)
{
	return static_key_enabled(&perf_counter_hooks[hook]);
}

/* Wait until a hook is off. Returns false if it stays on: another program may need it. */
static bool hook_goes_off(unsigned int hook)
{
	unsigned long end = jiffies + LATE;

	while (hook_is_on(hook) && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	return !hook_is_on(hook);
}

/* Expect that a switch from @from to @to starts @to at a clock that the switch itself has read. */
static void expect_start(struct kunit *test, struct perf_counter_ctx *from,
			 struct perf_counter_ctx *to)
{
	u64 before = perf_counter_clock();

	switch_context(test, from, to);
	KUNIT_EXPECT_EQ(test, to->live_cpu, raw_smp_processor_id());
	KUNIT_EXPECT_GE(test, to->clock_offset + to->clock_frozen, before);
	wait_for_clock();
}

/*
 * A switch reads the clock for the context that stops, and starts the next context at the same
 * clock. Without a context that stops, the clock of an earlier switch must not be used.
 */
static void expect_switches(struct kunit *test)
{
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *other = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_ctx *first = test_ctx(test, current);
	struct perf_counter_ctx *second = test_ctx(test, current);
	struct perf_counter_ctx *empty = test_ctx(test, current);
	u64 begin;

	desc->needs_load = false;
	other->needs_load = false;
	test_attach(first, desc, NULL, 0);
	test_attach(second, other, NULL, 0);
	expect_start(test, NULL, first);
	begin = first->clock_offset;
	/* An earlier switch has read the clock. */
	scoped_guard(irqsave)
		perf_counter_switch_clock();
	wait_for_clock();
	expect_start(test, first, second);
	KUNIT_EXPECT_EQ(test, first->live_cpu, CTX_STOPPED);
	KUNIT_EXPECT_EQ(test, first->clock_frozen, second->clock_offset - begin);
	switch_context(test, second, NULL);
	wait_for_clock();
	expect_start(test, empty, first);
	switch_context(test, first, NULL);
	wait_for_clock();
	expect_start(test, NULL, second);
	test_detach(desc, first->clock_frozen);
	test_detach(other, second->clock_frozen);
}

static void context_starts_at_the_clock_of_its_switch(struct kunit *test)
{
	/* Earlier tests have used the hook of counters of switches, which has its own path. */
	hook_goes_off(PERF_COUNTER_HOOK_SWITCH);
	expect_switches(test);
	perf_counter_hooks_get(BIT(PERF_COUNTER_HOOK_SWITCH));
	expect_switches(test);
	perf_counter_hooks_put(BIT(PERF_COUNTER_HOOK_SWITCH));
}

/* === Counters in a context === */

static void counter_is_timed_while_enabled(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &disabled_attr, &test_pmu_ops);

	test_start(ctx, 100);
	test_attach(ctx, desc, NULL, 150);
	test_expect(test, desc, 200, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 0);
	test_enable(desc, true, 300);
	test_expect(test, desc, 330, 0, 30, 30);
	/* Enabling an enabled counter changes nothing. */
	test_enable(desc, true, 340);
	test_enable(desc, false, 400);
	test_expect(test, desc, 900, 0, 100, 100);
	test_enable(desc, true, 1000);
	test_detach(desc, 1007);
	test_expect(test, desc, 5000, 0, 107, 107);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 2);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 2);
	KUNIT_EXPECT_PTR_EQ(test, desc->first.ctx, NULL);
	KUNIT_EXPECT_EQ(test, ctx->nr_counters, 0);
}

static void counter_is_loaded_with_its_context(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *off = test_desc(test, &disabled_attr, &test_pmu_ops);
	unsigned int i;

	test_attach(ctx, desc, NULL, 0);
	test_attach(ctx, off, NULL, 0);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 0);
	/* The context runs ten times, for 30 ns each. */
	for (i = 0; i < 10; i++) {
		test_start(ctx, 30 * i);
		KUNIT_EXPECT_TRUE(test, desc->first.loaded);
		test_stop(ctx, 30 * i + 30);
		KUNIT_EXPECT_FALSE(test, desc->first.loaded);
	}
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 10);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 10);
	test_expect(test, desc, 300, 0, 300, 300);
	test_expect(test, off, 300, 0, 0, 0);
	/*
	 * A counter that is enabled and disabled while its context does not run does not call the
	 * PMU.
	 */
	test_enable(off, true, 300);
	test_enable(off, false, 300);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 10);
}

/* A software event finds its counters without a slot, so the PMU is not called. */
static void counter_without_load_runs_while_enabled(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);

	desc->needs_load = false;
	test_attach(ctx, desc, NULL, 10);
	KUNIT_EXPECT_TRUE(test, !ctx->nr_needs_load);
	test_start(ctx, 10);
	test_stop(ctx, 25);
	test_expect(test, desc, 25, 0, 15, 15);
	test_detach(desc, 25);
	KUNIT_EXPECT_EQ(test, test_pmu.adds + test_pmu.dels, 0);
}

static void counter_of_another_cpu_does_not_run(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *here = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *there = test_desc(test, &enabled_attr, &test_pmu_ops);

	here->first.cpu = raw_smp_processor_id();
	there->first.cpu = ELSEWHERE;
	test_attach(ctx, here, NULL, 1000);
	test_attach(ctx, there, NULL, 1000);
	test_start(ctx, 1000);
	test_stop(ctx, 1700);
	test_expect(test, here, 1700, 0, 700, 700);
	test_expect(test, there, 1700, 0, 700, 0);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 1);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 1);

	/* On another CPU, the counter that is bound to that CPU runs. */
	test_start(ctx, 1700);
	test_stop(ctx, 1700);
	here->first.cpu = ELSEWHERE;
	there->first.cpu = raw_smp_processor_id();
	test_start(ctx, 1700);
	test_stop(ctx, 1750);
	test_expect(test, here, 1750, 0, 750, 700);
	test_expect(test, there, 1750, 0, 750, 50);
}

static void counter_waits_for_a_busy_pmu(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);

	test_pmu.add_error = -EAGAIN;
	test_attach(ctx, desc, NULL, 0);
	test_start(ctx, 0);
	test_expect(test, desc, 40, 0, 40, 0);
	test_stop(ctx, 100);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 1);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 0);
	/* The next try succeeds. */
	test_pmu.add_error = 0;
	test_start(ctx, 100);
	test_stop(ctx, 130);
	test_expect(test, desc, 130, 0, 130, 30);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 2);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 1);
}

static void counter_is_read_and_reset(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);

	test_attach(ctx, desc, NULL, 0);
	test_pmu.count = 77;
	test_expect(test, desc, 10, 77, 10, 0);
	desc->first.base = 70;
	test_pmu.count = 99;
	test_expect(test, desc, 20, 29, 20, 0);
}

static void counter_changes_its_period_unloaded(struct kunit *test)
{
	const struct perf_counter_attr attr = { .sample_period = 1000 };
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &attr, &test_pmu_ops);

	test_attach(ctx, desc, NULL, 0);
	raw_spin_lock_irq(&ctx->lock);
	perf_counter_set_period(&desc->first, 500);
	raw_spin_unlock_irq(&ctx->lock);
	KUNIT_EXPECT_EQ(test, test_pmu.adds + test_pmu.dels, 0);

	test_start(ctx, 0);
	local64_set(&desc->first.sampling.period_left, 3);
	raw_spin_lock_irq(&ctx->lock);
	ctx->clock_frozen = 40;
	perf_counter_set_period(&desc->first, 200);
	raw_spin_unlock_irq(&ctx->lock);
	KUNIT_EXPECT_EQ(test, desc->first.sampling.period, 200);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.sampling.period_left), 200);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 2);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 1);
	test_expect(test, desc, 60, 0, 60, 60);
}

/* The timer of a clock with a period of an hour is stopped, and started again with the rest. */
static void clock_goes_on_with_its_period(struct kunit *test)
{
	const struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 3600 * NSEC_PER_SEC,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_clock_pmu);
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	s64 left;

	desc->needs_load = true;
	test_attach(ctx, desc, NULL, 0);
	test_start(ctx, 0);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&desc->first.timer));
	wait_for_clock();
	test_stop(ctx, 100);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&desc->first.timer));
	left = local64_read(&desc->first.sampling.period_left);
	KUNIT_EXPECT_EQ(test, left, attr.sample_period - 100);
	test_start(ctx, 100);
	KUNIT_EXPECT_LE(test, ktime_to_ns(hrtimer_get_remaining(&desc->first.timer)), left);
	test_detach(desc, 200);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&desc->first.timer));
}

/* Switches skip an empty context of a task, but not that of a CPU. */
static void context_of_a_task_stops_when_empty(struct kunit *test)
{
	struct perf_counter_ctx *of_task = test_ctx(test, current);
	struct perf_counter_ctx *of_cpu = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *other = test_desc(test, &enabled_attr, &test_pmu_ops);

	test_attach(of_task, desc, NULL, 0);
	test_attach(of_task, other, NULL, 0);
	test_start(of_task, 0);
	test_detach(desc, 10);
	KUNIT_EXPECT_EQ(test, of_task->live_cpu, raw_smp_processor_id());
	test_detach(other, 20);
	KUNIT_EXPECT_EQ(test, of_task->live_cpu, CTX_EMPTY);
	KUNIT_EXPECT_EQ(test, perf_counter_ctx_time(of_task), 20);
	test_attach(of_task, other, NULL, 0);
	KUNIT_EXPECT_EQ(test, of_task->live_cpu, CTX_STOPPED);
	test_detach(other, 0);
	KUNIT_EXPECT_EQ(test, of_task->live_cpu, CTX_EMPTY);

	test_start(of_cpu, 0);
	test_attach(of_cpu, desc, NULL, 0);
	test_detach(desc, 10);
	KUNIT_EXPECT_EQ(test, of_cpu->live_cpu, raw_smp_processor_id());
}

/* A switch may start the context before the opener of its first counter does. */
static void context_that_runs_is_not_started_again(struct kunit *test)
{
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_ctx *ctx;
	u64 before;

	desc->needs_load = false;
	test_join_current(test, desc, NULL);
	ctx = desc->first.ctx;
	wait_for_clock();
	before = perf_counter_ctx_time(ctx);
	perf_counter_ctx_activate(ctx);
	KUNIT_EXPECT_GE(test, perf_counter_ctx_time(ctx), before);
}

/* Called on the CPU where the context runs. */
static void note_cpu(void *cpu)
{
	*(int *)cpu = smp_processor_id();
}

static void call_runs_on_the_contexts_cpu(struct kunit *test)
{
	unsigned int cpu;
	int called;

	for_each_online_cpu(cpu) {
		called = -1;
		perf_counter_ctx_call(per_cpu_ptr(&perf_counter_cpu_ctx, cpu), note_cpu, &called,
				      true);
		KUNIT_EXPECT_EQ(test, called, cpu);
	}
}

/* The period of an hour does not end in the test: the timer is queued on the counter's CPU. */
static void clock_is_started_where_the_context_is(struct kunit *test)
{
	const struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 3600 * NSEC_PER_SEC,
	};
	struct perf_counter_desc *desc;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		desc = perf_counter_kernel_open(&attr, NULL, cpu, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
		KUNIT_EXPECT_TRUE(test, hrtimer_active(&desc->first.timer));
		KUNIT_EXPECT_EQ(test, desc->first.timer.base->cpu_base->cpu, cpu);
		perf_counter_kernel_close(desc);
	}
}

static void ids_are_unique(struct kunit *test)
{
	u64 first = perf_counter_new_ids(3), second = perf_counter_new_ids(1);

	KUNIT_EXPECT_GT(test, first, 0);
	KUNIT_EXPECT_GE(test, second, first + 3);
	KUNIT_EXPECT_GT(test, perf_counter_new_ids(1), second);
}

/*
 * Two hooks that no other test uses, in the order in which they are checked for
 * switching off.
 */
#define ONE_HOOK	PERF_COUNTER_HOOK_CGROUP
#define OTHER_HOOK	PERF_COUNTER_HOOK_TEXT_POKE

/* Release one of two users of a hook; a hook without users is switched off. */
static void hook_stays_on_for_its_last_user(struct kunit *test)
{
	perf_counter_hooks_get(BIT(ONE_HOOK) | BIT(OTHER_HOOK));
	perf_counter_hooks_get(BIT(ONE_HOOK));
	perf_counter_hooks_put(BIT(ONE_HOOK) | BIT(OTHER_HOOK));
	KUNIT_EXPECT_TRUE(test, hook_goes_off(OTHER_HOOK));
	KUNIT_EXPECT_TRUE(test, hook_is_on(ONE_HOOK));
	perf_counter_hooks_put(BIT(ONE_HOOK));
}

#define HOOK(name)	BIT(PERF_COUNTER_HOOK_##name)

/* Hooks of a descriptor with @attr, of the current task or of CPU 0. */
static u32 hooks_of(struct kunit *test, struct perf_counter_attr attr, bool task)
{
	struct perf_counter_desc *desc;
	u32 hooks;

	attr.type = PERF_TYPE_SOFTWARE;
	desc = test_alloc_desc(&attr, task, task ? -1 : 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(desc));
	hooks = desc->hooks;
	perf_counter_kernel_close(desc);
	return hooks;
}

/* Each property of an attr needs its own hooks and no others. */
static void hooks_are_those_that_are_needed(struct kunit *test)
{
	static const struct {
		struct perf_counter_attr	attr;
		u32				hooks;
	} cases[] = {
		{ { .comm = 1 }, HOOK(TASK) | HOOK(COMM) },
		{ { .task = 1 }, HOOK(TASK) },
		{ { .mmap = 1 }, HOOK(TASK) | HOOK(MMAP) },
		{ { .mmap2 = 1 }, HOOK(TASK) | HOOK(MMAP) },
		{ { .mmap_data = 1 }, HOOK(TASK) | HOOK(MMAP) },
		{ { .munmap = 1 }, HOOK(MUNMAP) },
		{ { .context_switch = 1 }, HOOK(SCHED) | HOOK(SWITCH) | HOOK(SWITCH_RECORD) },
		{ { .namespaces = 1 }, HOOK(NAMESPACES) },
		{ { .cgroup = 1 }, HOOK(CGROUP) },
		{ { .ksymbol = 1 }, HOOK(KSYMBOL) },
		{ { .bpf_event = 1 }, HOOK(KSYMBOL) },
		{ { .text_poke = 1 }, HOOK(TEXT_POKE) },
		{ { .build_id = 1, .sample_id_all = 1, .exclude_user = 1 }, 0 },
	};
	const u32 dummy = BIT(PERF_COUNT_SW_DUMMY), faults = BIT(PERF_COUNT_SW_PAGE_FAULTS);
	struct perf_counter_attr attr = { .config = PERF_COUNT_SW_PAGE_FAULTS };
	unsigned int i;

	KUNIT_EXPECT_EQ(test, hooks_of(test, attr, false), faults);
	KUNIT_EXPECT_EQ(test, hooks_of(test, attr, true), faults | HOOK(SCHED));
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	KUNIT_EXPECT_EQ(test, hooks_of(test, attr, false),
			BIT(PERF_COUNT_SW_CONTEXT_SWITCHES) | HOOK(SCHED) | HOOK(SWITCH));
	attr.config = PERF_COUNT_SW_CPU_MIGRATIONS;
	KUNIT_EXPECT_EQ(test, hooks_of(test, attr, false),
			BIT(PERF_COUNT_SW_CPU_MIGRATIONS) | HOOK(SCHED) | HOOK(SWITCH));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		attr = cases[i].attr;
		attr.config = PERF_COUNT_SW_DUMMY;
		KUNIT_EXPECT_EQ_MSG(test, hooks_of(test, attr, false), dummy | cases[i].hooks,
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, hooks_of(test, attr, true),
				    dummy | cases[i].hooks | HOOK(SCHED), "case %u", i);
	}
}

static struct kunit_case ctx_cases[] = {
	KUNIT_CASE(hooks_are_those_that_are_needed),
	KUNIT_CASE(time_stands_still_while_stopped),
	KUNIT_CASE(time_is_the_sum_of_its_runs),
	KUNIT_CASE(time_does_not_go_back),
	KUNIT_CASE(context_starts_at_the_clock_of_its_switch),
	KUNIT_CASE(counter_is_timed_while_enabled),
	KUNIT_CASE(counter_is_loaded_with_its_context),
	KUNIT_CASE(counter_without_load_runs_while_enabled),
	KUNIT_CASE(counter_of_another_cpu_does_not_run),
	KUNIT_CASE(counter_waits_for_a_busy_pmu),
	KUNIT_CASE(counter_is_read_and_reset),
	KUNIT_CASE(counter_changes_its_period_unloaded),
	KUNIT_CASE(clock_goes_on_with_its_period),
	KUNIT_CASE(context_of_a_task_stops_when_empty),
	KUNIT_CASE(context_that_runs_is_not_started_again),
	KUNIT_CASE(call_runs_on_the_contexts_cpu),
	KUNIT_CASE(clock_is_started_where_the_context_is),
	KUNIT_CASE(ids_are_unique),
	KUNIT_CASE(hook_stays_on_for_its_last_user),
	{}
};

static struct kunit_suite ctx_suite = {
	.name = "perf_counter_ctx",
	.init = stay_here,
	.test_cases = ctx_cases,
};

/* === Groups === */

static void group_counts_when_its_leader_does(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *leader = test_desc(test, &disabled_attr, &test_pmu_ops);
	struct perf_counter_desc *member = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *off = test_desc(test, &disabled_attr, &test_pmu_ops);

	test_start(ctx, 0);
	test_attach(ctx, leader, NULL, 0);
	test_attach(ctx, member, leader, 0);
	test_attach(ctx, off, leader, 0);
	KUNIT_EXPECT_EQ(test, leader->first.group.nr_members, 2);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 0);

	test_enable(leader, true, 100);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 2);
	/* Enable only the member. */
	test_enable(member, false, 110);
	test_enable(member, true, 130);
	test_enable(leader, false, 200);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 3);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 3);
	KUNIT_EXPECT_TRUE(test, member->first.enabled);
	KUNIT_EXPECT_FALSE(test, member->first.group_enabled);
	test_expect(test, leader, 500, 0, 100, 100);
	test_expect(test, member, 500, 0, 80, 80);
	test_expect(test, off, 500, 0, 0, 0);
	/* Enable a member while its leader is disabled. */
	test_enable(off, true, 600);
	test_expect(test, off, 700, 0, 0, 0);
}

static void closing_the_leader_dissolves_the_group(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *leader = test_desc(test, &disabled_attr, &test_pmu_ops);
	struct perf_counter_desc *on = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *off = test_desc(test, &disabled_attr, &test_pmu_ops);

	test_start(ctx, 0);
	test_attach(ctx, leader, NULL, 0);
	test_attach(ctx, on, leader, 0);
	test_attach(ctx, off, leader, 0);
	test_detach(leader, 50);

	KUNIT_EXPECT_EQ(test, leader->first.group.nr_members, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&leader->first.group.members));
	KUNIT_EXPECT_PTR_EQ(test, on->first.group.leader, &on->first);
	KUNIT_EXPECT_PTR_EQ(test, off->first.group.leader, &off->first);
	KUNIT_EXPECT_EQ(test, ctx->nr_counters, 2);
	/* Each counter of the former group counts if it is enabled itself. */
	test_expect(test, on, 80, 0, 30, 30);
	test_expect(test, off, 80, 0, 0, 0);
	test_enable(off, true, 80);
	test_expect(test, off, 90, 0, 10, 10);
}

static void closing_a_member_leaves_the_group(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *leader = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *first = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *second = test_desc(test, &enabled_attr, &test_pmu_ops);

	test_start(ctx, 0);
	test_attach(ctx, leader, NULL, 0);
	test_attach(ctx, first, leader, 0);
	test_attach(ctx, second, leader, 0);
	test_detach(first, 10);
	KUNIT_EXPECT_EQ(test, leader->first.group.nr_members, 1);
	KUNIT_EXPECT_PTR_EQ(test, leader->first.group.members.next, &second->first.group.node);
	test_enable(leader, false, 30);
	test_expect(test, first, 99, 0, 10, 10);
	test_expect(test, second, 99, 0, 30, 30);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 3);
	KUNIT_EXPECT_EQ(test, test_pmu.dels, 3);
}

/* A group takes no member after its leader was closed or its tasks have exited. */
static void ended_group_takes_no_member(struct kunit *test)
{
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *leader = test_desc(test, &enabled_attr, &test_pmu_ops);
	struct perf_counter_desc *desc = test_desc(test, &enabled_attr, &test_pmu_ops);

	test_start(ctx, 0);
	test_attach(ctx, leader, NULL, 0);
	mutex_lock(&leader->mutex);
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, desc, ctx), 0);
	leader->closed = true;
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, desc, ctx), -ENODEV);
	leader->closed = false;
	mutex_unlock(&leader->mutex);

	test_detach(leader, 10);
	mutex_lock(&leader->mutex);
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, desc, ctx), -ENODEV);
	mutex_unlock(&leader->mutex);
}

static void group_read_size_follows_its_format(struct kunit *test)
{
	const u64 times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	const u64 ids = PERF_FORMAT_ID | PERF_FORMAT_LOST;

	KUNIT_EXPECT_EQ(test, perf_counter_values_size(0, 0), 8);
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(PERF_FORMAT_TOTAL_TIME_RUNNING, 0), 16);
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(times | ids, 0), 40);
	/* Without PERF_FORMAT_GROUP, the size does not depend on the group. */
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(times | ids, 7), 40);
	/*
	 * With PERF_FORMAT_GROUP, a read has the number of counters, and a value for each counter.
	 * The times add two words in all. The ids and the numbers of lost records add a word each
	 * for every counter.
	 */
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(PERF_FORMAT_GROUP, 0), 16);
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(PERF_FORMAT_GROUP, 3), 40);
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(PERF_FORMAT_GROUP | times, 3), 56);
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(PERF_FORMAT_GROUP | PERF_FORMAT_ID, 3), 72);
	KUNIT_EXPECT_EQ(test, perf_counter_values_size(PERF_FORMAT_GROUP | times | ids, 8), 240);
}

static struct kunit_case group_cases[] = {
	KUNIT_CASE(group_counts_when_its_leader_does),
	KUNIT_CASE(closing_the_leader_dissolves_the_group),
	KUNIT_CASE(closing_a_member_leaves_the_group),
	KUNIT_CASE(ended_group_takes_no_member),
	KUNIT_CASE(group_read_size_follows_its_format),
	{}
};

static struct kunit_suite group_suite = {
	.name = "perf_counter_group",
	.init = stay_here,
	.test_cases = group_cases,
};

kunit_test_suites(&ctx_suite, &group_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of PMU counters: which counters get a slot, when and for how long, and
 * when the next sample is due.
 *
 * The PMU is a fake one: the test sets the number of its slots and what they count.
 * From begin() to end(), IRQs are off, so that only the test changes which counters are
 * loaded. There are two contexts: that of this CPU and one that stands for the current
 * task's. The test sets their time.
 */

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "../counter/recorder.h"
#include "test.h"

#define FAKE_SLOTS	4

/* Masks of slots. */
#define ANY		GENMASK_ULL(FAKE_SLOTS - 1, 0)
#define ONLY(slot)	BIT_ULL(slot)

/**
 * struct fake - state of the fake PMU
 * @room: number of slots that can be used, from the first one on
 * @hw: counter that has each slot
 * @counted: events of each slot that are not in @hw->count yet
 * @running: flag: the slots count
 * @adds: number of calls of add, whether they succeeded or not
 * @wrong: number of calls in a state in which they are not allowed
 * @disables: number of calls of disable
 * @enables: number of calls of enable
 * @changes: number of calls of note_change()
 * @disables_at_change: value of @disables in the last call of note_change()
 * @enables_at_change: value of @enables in the last call of note_change()
 * @resets: number of calls of reset
 * @claims: number of successful calls of claim
 * @releases: number of calls of release
 * @busy: return value of claim
 * @init_error: return value of event_init
 * @not_first: flag: event_init sets no slots for the first kind of CPUs
 * @not_other: flag: event_init sets no slots for the other kind of CPUs
 */
static struct fake {
	unsigned int		room;
	struct perf_counter_hw	*hw[FAKE_SLOTS];
	u64			counted[FAKE_SLOTS];
	bool			running;
	unsigned int		adds;
	unsigned int		wrong;
	unsigned int		disables;
	unsigned int		enables;
	unsigned int		changes;
	unsigned int		disables_at_change;
	unsigned int		enables_at_change;
	unsigned int		resets;
	unsigned int		claims;
	unsigned int		releases;
	int			busy;
	int			init_error;
	bool			not_first;
	bool			not_other;
} fake;

static int fake_event_init(const struct perf_counter_attr *attr, struct perf_counter_hw *hw)
{
	hw->slots = fake.not_first ? 0 : ANY;
	hw->other_slots = fake.not_other ? 0 : ANY;
	hw->config = attr->config;
	return fake.init_error;
}

static int fake_claim(void)
{
	if (!fake.busy)
		fake.claims++;
	return fake.busy;
}

static void fake_release(void)
{
	fake.releases++;
}

static void fake_disable(void)
{
	fake.wrong += !fake.running || !irqs_disabled();
	fake.running = false;
	fake.disables++;
}

static bool fake_enable(void)
{
	fake.wrong += fake.running || !irqs_disabled();
	fake.running = true;
	fake.enables++;
	return true;
}

static int fake_add(struct perf_counter_hw *hw)
{
	unsigned int slot;

	fake.wrong += fake.running;
	fake.adds++;
	for (slot = 0; slot < fake.room; slot++) {
		if (fake.hw[slot] || !(hw->slots & BIT_ULL(slot)))
			continue;
		fake.hw[slot] = hw;
		fake.counted[slot] = 0;
		hw->slot = slot;
		return 0;
	}
	return -ENOSPC;
}

static void fake_del(struct perf_counter_hw *hw)
{
	fake.wrong += fake.running || fake.hw[hw->slot] != hw;
	hw->count += fake.counted[hw->slot];
	fake.hw[hw->slot] = NULL;
}

static u64 fake_read(const struct perf_counter_hw *hw)
{
	fake.wrong += fake.hw[hw->slot] != hw;
	return hw->count + fake.counted[hw->slot];
}

static void fake_reset(void)
{
	fake.resets++;
}

static const struct perf_counter_backend fake_backend = {
	.event_init	= fake_event_init,
	.claim		= fake_claim,
	.release	= fake_release,
	.disable	= fake_disable,
	.enable		= fake_enable,
	.add		= fake_add,
	.del		= fake_del,
	.read		= fake_read,
	.reset		= fake_reset,
};

/* The fake PMU on a machine with two kinds of CPUs. */
static struct cpumask first_cpus, other_cpus;
static struct perf_counter_backend hybrid_backend;

/* === A second PMU, which has one slot and counts nothing === */

/**
 * struct second - state of the second PMU
 * @hw: counter that has the slot
 * @disables: number of calls of disable
 * @enables: number of calls of enable
 */
static struct second {
	struct perf_counter_hw	*hw;
	unsigned int		disables;
	unsigned int		enables;
} second;

static void second_disable(void)
{
	second.disables++;
}

static bool second_enable(void)
{
	second.enables++;
	return false;
}

static int second_add(struct perf_counter_hw *hw)
{
	if (second.hw)
		return -ENOSPC;
	second.hw = hw;
	return 0;
}

static void second_del(struct perf_counter_hw *hw)
{
	fake.wrong += second.hw != hw;
	second.hw = NULL;
}

static u64 second_read(const struct perf_counter_hw *hw)
{
	return hw->count;
}

static void second_reset(void)
{
}

static const struct perf_counter_backend second_backend = {
	.disable	= second_disable,
	.enable		= second_enable,
	.add		= second_add,
	.del		= second_del,
	.read		= second_read,
	.reset		= second_reset,
};

static const struct perf_counter_backend absent_backend = {
	.cpus		= cpu_none_mask,
	.disable	= second_disable,
	.enable		= second_enable,
	.add		= second_add,
	.del		= second_del,
	.read		= second_read,
	.reset		= second_reset,
};

/* Let the slot of @desc count @nr events, if it is running. */
static void count(struct perf_counter_desc *desc, u64 nr)
{
	struct perf_counter_hw *hw = &desc->first.hw;

	if (fake.running && desc->first.loaded && !hw->stopped)
		fake.counted[hw->slot] += nr;
}

/* Let the slot of @desc count @nr events, and let it overflow afterwards at @regs. */
static void overflow_at(struct perf_counter_desc *desc, u64 nr, struct pt_regs *regs)
{
	struct perf_counter_hw *hw = &desc->first.hw;

	count(desc, nr);
	hw->count += fake.counted[hw->slot];
	fake.counted[hw->slot] = 0;
	hw->stopped = perf_counter_hw_overflow(hw, regs);
}

static void overflow(struct perf_counter_desc *desc, u64 nr)
{
	static struct pt_regs regs;

	overflow_at(desc, nr, &regs);
}

/* === The contexts of a test === */

/**
 * struct stage - pair of contexts, and the context that one of them replaces
 * @cpu: context of this CPU
 * @task: context of the current task from begin() to end()
 * @of_current: context of the current task before begin()
 * @cpu_time: context time of @cpu before begin()
 */
static struct stage {
	struct perf_counter_ctx	*cpu;
	struct perf_counter_ctx	*task;
	struct perf_counter_ctx	*of_current;
	u64			cpu_time;
} stage;

/* This PMU stays registered, because contexts of CPUs keep a pointer to it. */
static struct perf_counter_hw_pmu fake_pmu;

/* Make this CPU one of the first kind, or of the other kind. */
static void make_hybrid(bool other)
{
	hybrid_backend = fake_backend;
	hybrid_backend.first_cpus = &first_cpus;
	hybrid_backend.other_cpus = &other_cpus;
	cpumask_clear(&first_cpus);
	cpumask_clear(&other_cpus);
	cpumask_set_cpu(raw_smp_processor_id(), other ? &other_cpus : &first_cpus);
	fake_pmu.backend = &hybrid_backend;
}

/* State of the fake PMU on this CPU. */
static struct perf_counter_pmu_cpu *fake_here(void)
{
	return this_cpu_ptr(fake_pmu.pmu.cpu);
}

static bool a_tick_passes(void)
{
	return perf_counter_tick(fake_here());
}

static int stage_init(struct kunit *test)
{
	memset(&fake, 0, sizeof(fake));
	fake.running = true;
	test_state(test, current);
	stage.task = test_ctx(test, current);
	KUNIT_ASSERT_EQ(test, perf_counter_hw_pmu_register(&fake_pmu, &fake_backend), 0);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id())), 0);
	stage.cpu = this_cpu_ptr(&perf_counter_cpu_ctx);
	/* Allocate memory here, because counters are attached with IRQs off. */
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(stage.cpu, &fake_pmu.pmu), 0);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(stage.cpu, NULL), 0);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(stage.task, &fake_pmu.pmu), 0);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(stage.task, NULL), 0);
	return 0;
}

static void stage_exit(struct kunit *test)
{
	perf_counter_hw_pmu_unregister(&fake_pmu);
	KUNIT_EXPECT_EQ(test, fake.wrong, 0);
	KUNIT_EXPECT_EQ(test, fake.disables, fake.enables);
}

/* Set the time of both contexts to @now. */
static void at(u64 now)
{
	stage.cpu->clock_frozen = now;
	stage.task->clock_frozen = now;
}

/* Switch IRQs off and provide @room slots. */
static void begin(unsigned int room)
{
	struct perf_counter_task *state;

	local_irq_disable();
	fake.room = room;
	stage.cpu_time = perf_counter_ctx_time(stage.cpu);
	state = perf_counter_task_state(current);
	stage.of_current = state->ctx;
	state->ctx = stage.task;
	test_stop(stage.cpu, 0);
	test_start(stage.cpu, 0);
	test_start(stage.task, 0);
}

static void empty(struct perf_counter_ctx *ctx)
{
	struct perf_counter *counter, *next;

	list_for_each_entry_safe(counter, next, &ctx->counters, ctx_node)
		test_detach(counter->desc, ctx->clock_frozen);
}

static void end(struct kunit *test)
{
	unsigned int slot;

	empty(stage.task);
	empty(stage.cpu);
	for (slot = 0; slot < FAKE_SLOTS; slot++)
		fake.wrong += !!fake.hw[slot];
	test_stop(stage.task, 0);
	test_stop(stage.cpu, stage.cpu_time);
	raw_spin_lock(&stage.cpu->lock);
	perf_counter_ctx_start(stage.cpu, perf_counter_clock());
	raw_spin_unlock(&stage.cpu->lock);
	perf_counter_task_state(current)->ctx = stage.of_current;
	local_irq_enable();
	/* A requested tick must not come after the test. */
	perf_counter_tick_offline(fake_here());
	perf_counter_tick_online(fake_here());
}

/* Load all counters again by priority. */
static void reload(void)
{
	fake_pmu.pmu.halted = true;
	perf_counter_pmu_unload(fake_here());
	fake_pmu.pmu.halted = false;
	perf_counter_pmu_reload(fake_here());
}

/* This PMU stays registered, because contexts of CPUs keep a pointer to it. */
static struct perf_counter_hw_pmu second_pmu;

/* Register @backend as the second PMU until the test ends. */
static void second_begin(struct kunit *test, const struct perf_counter_backend *backend)
{
	memset(&second, 0, sizeof(second));
	KUNIT_ASSERT_EQ(test, perf_counter_hw_pmu_register(&second_pmu, backend), 0);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(stage.cpu, &second_pmu.pmu), 0);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(stage.task, &second_pmu.pmu), 0);
}

static void second_end(struct kunit *test)
{
	perf_counter_hw_pmu_unregister(&second_pmu);
	KUNIT_EXPECT_EQ(test, second.disables, second.enables);
}

/* Make a counter of the second PMU. */
static struct perf_counter_desc *second_desc(struct kunit *test,
					     const struct perf_counter_attr *attr)
{
	struct perf_counter_desc *desc = test_desc(test, attr, &second_pmu.pmu);

	desc->event = -1;
	desc->needs_load = true;
	desc->first.hw.backend = second_pmu.backend;
	desc->first.hw.slots = ANY;
	return desc;
}

/* Make a counter of the PMU that can use the slots of @mask. */
static struct perf_counter_desc *hw_desc(struct kunit *test, u64 mask,
					 const struct perf_counter_attr *attr)
{
	struct perf_counter_desc *desc = test_desc(test, attr, &fake_pmu.pmu);

	desc->event = -1;
	desc->needs_load = true;
	desc->first.hw.backend = &fake_backend;
	desc->first.hw.slots = mask;
	desc->first.hw.slot = -1;
	return desc;
}

static const struct perf_counter_attr flexible = {};
static const struct perf_counter_attr pinned = { .pinned = 1 };
static const struct perf_counter_attr exclusive = { .exclusive = 1 };
static const struct perf_counter_attr off = { .disabled = 1 };
static const struct perf_counter_attr off_pinned = { .disabled = 1, .pinned = 1 };

static bool loaded(struct perf_counter_desc *desc)
{
	return desc->first.loaded;
}

/* === Scheduling === */

/* All counters of a group get slots or none of them, whichever counter finds no slot. */
static void group_is_loaded_whole_or_not_at_all(struct kunit *test)
{
	struct perf_counter_desc *leader = hw_desc(test, ONLY(0), &flexible);
	struct perf_counter_desc *member = hw_desc(test, ONLY(1), &flexible);
	struct perf_counter_desc *third = hw_desc(test, ONLY(1), &off);

	begin(2);
	test_attach(stage.task, leader, NULL, 0);
	test_attach(stage.task, member, leader, 0);
	test_attach(stage.task, third, leader, 0);
	KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(member));
	/* A disabled counter needs no slot. */
	KUNIT_EXPECT_FALSE(test, loaded(third));

	test_enable(third, true, 10);
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member) || loaded(third));
	KUNIT_EXPECT_PTR_EQ(test, fake.hw[0], NULL);
	KUNIT_EXPECT_PTR_EQ(test, fake.hw[1], NULL);
	/* Each tick tries to load the group again. */
	KUNIT_EXPECT_TRUE(test, a_tick_passes());
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member) || loaded(third));
	test_enable(third, false, 20);
	KUNIT_EXPECT_FALSE(test, a_tick_passes());
	KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(member));

	/* Another counter has the leader's slot. */
	test_stop(stage.task, 30);
	fake.hw[0] = &third->first.hw;
	test_start(stage.task, 30);
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member));
	fake.hw[0] = NULL;
	end(test);
}

/*
 * Load four groups of one counter each, first with room for four of them, then for three, and so
 * on.
 */
static void higher_priority_gets_the_slots(struct kunit *test)
{
	struct perf_counter_desc *order[] = {
		hw_desc(test, ANY, &pinned), hw_desc(test, ANY, &pinned),
		hw_desc(test, ANY, &flexible), hw_desc(test, ANY, &flexible),
	};
	unsigned int room, i;

	begin(4);
	/* Attach the lowest priority first: flexible before pinned, the task's before the CPU's. */
	for (i = ARRAY_SIZE(order); i--;)
		test_attach(i % 2 ? stage.task : stage.cpu, order[i], NULL, 0);
	for (room = 4; ; room--) {
		fake.room = room;
		reload();
		for (i = 0; i < ARRAY_SIZE(order); i++) {
			KUNIT_EXPECT_EQ_MSG(test, loaded(order[i]), i < room, "%u of %u", i, room);
			KUNIT_EXPECT_EQ(test, order[i]->first.failed, i < 2 && i >= room);
		}
		if (!room)
			break;
	}
	end(test);
}

/* A pinned group does not wait for flexible groups, whatever their order. */
static void pinned_group_displaces_flexible_ones(struct kunit *test)
{
	struct perf_counter_desc *of_cpu = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *of_task = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *pinned_task = hw_desc(test, ANY, &off_pinned);
	struct perf_counter_desc *pinned_cpu = hw_desc(test, ANY, &off_pinned);

	begin(2);
	test_attach(stage.cpu, of_cpu, NULL, 0);
	test_attach(stage.task, of_task, NULL, 0);
	test_attach(stage.task, pinned_task, NULL, 0);
	test_attach(stage.cpu, pinned_cpu, NULL, 0);
	KUNIT_EXPECT_TRUE(test, loaded(of_cpu) && loaded(of_task));
	/* The CPU's pinned group precedes the task's. */
	test_enable(pinned_task, true, 1);
	KUNIT_EXPECT_TRUE(test, loaded(pinned_task) && loaded(of_cpu));
	KUNIT_EXPECT_FALSE(test, loaded(of_task));
	test_enable(pinned_cpu, true, 2);
	KUNIT_EXPECT_TRUE(test, loaded(pinned_task) && loaded(pinned_cpu));
	KUNIT_EXPECT_FALSE(test, loaded(of_task) || loaded(of_cpu));

	/* There is room while the task is scheduled out, but not after it is scheduled in again. */
	test_stop(stage.task, 3);
	at(3);
	a_tick_passes();
	KUNIT_EXPECT_TRUE(test, loaded(of_cpu));
	test_start(stage.task, 4);
	KUNIT_EXPECT_TRUE(test, loaded(pinned_task) && loaded(pinned_cpu));
	KUNIT_EXPECT_FALSE(test, loaded(of_task) || loaded(of_cpu));
	KUNIT_EXPECT_FALSE(test, pinned_task->first.failed || pinned_cpu->first.failed);
	end(test);
}

/* The CPU's pinned group precedes a task's that was attached earlier. */
static void pinned_group_of_the_cpu_goes_first(struct kunit *test)
{
	struct perf_counter_desc *of_task = hw_desc(test, ANY, &pinned);
	struct perf_counter_desc *of_cpu = hw_desc(test, ANY, &off_pinned);

	begin(1);
	test_attach(stage.task, of_task, NULL, 0);
	test_attach(stage.cpu, of_cpu, NULL, 0);
	KUNIT_EXPECT_TRUE(test, loaded(of_task));
	test_enable(of_cpu, true, 10);
	KUNIT_EXPECT_TRUE(test, loaded(of_cpu));
	KUNIT_EXPECT_TRUE(test, of_task->first.failed);
	KUNIT_EXPECT_FALSE(test, loaded(of_task));
	end(test);
}

/*
 * A pinned group without room fails and stops counting until there is room and it is
 * enabled again.
 */
static void pinned_without_room_fails(struct kunit *test)
{
	struct perf_counter_desc *first = hw_desc(test, ANY, &pinned);
	struct perf_counter_desc *leader = hw_desc(test, ANY, &off_pinned);
	struct perf_counter_desc *member = hw_desc(test, ANY, &flexible);

	begin(2);
	test_attach(stage.task, first, NULL, 0);
	test_attach(stage.task, leader, NULL, 0);
	test_attach(stage.task, member, leader, 0);
	test_enable(leader, true, 100);
	KUNIT_EXPECT_TRUE(test, leader->first.failed);
	KUNIT_EXPECT_FALSE(test, leader->first.enabled || leader->first.group_enabled);
	KUNIT_EXPECT_FALSE(test, member->first.group_enabled);
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member));
	KUNIT_EXPECT_TRUE(test, loaded(first));
	at(150);
	test_expect(test, leader, 150, 0, 0, 0);
	/* Room alone does not start the failed group again. */
	test_enable(first, false, 200);
	a_tick_passes();
	KUNIT_EXPECT_FALSE(test, loaded(leader));
	test_enable(leader, true, 300);
	KUNIT_EXPECT_FALSE(test, leader->first.failed);
	KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(member));
	test_expect(test, leader, 350, 0, 50, 50);
	test_expect(test, member, 350, 0, 50, 50);

	/* A member without room fails its group. */
	test_enable(member, false, 400);
	test_enable(first, true, 400);
	KUNIT_EXPECT_TRUE(test, loaded(first) && loaded(leader));
	test_enable(member, true, 450);
	KUNIT_EXPECT_TRUE(test, leader->first.failed);
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member));
	KUNIT_EXPECT_TRUE(test, loaded(first));
	test_expect(test, leader, 999, 0, 150, 150);
	end(test);
}

/*
 * A few pinned groups without room are followed by more tries, because a later group
 * may need less room. After many failures, the remaining groups fail without a try, so
 * that each costs little.
 */
static void many_pinned_fail_without_a_try(struct kunit *test)
{
	struct perf_counter_desc *few[] = {
		hw_desc(test, ONLY(0), &pinned), hw_desc(test, ONLY(0), &pinned),
		hw_desc(test, ONLY(1), &pinned),
	};
	struct perf_counter_desc *many[16], *elsewhere = hw_desc(test, 0, &pinned);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = hw_desc(test, ONLY(1), &pinned);
	begin(2);
	test_stop(stage.task, 0);
	for (i = 0; i < ARRAY_SIZE(few); i++)
		test_attach(stage.task, few[i], NULL, 0);
	test_start(stage.task, 0);
	KUNIT_EXPECT_TRUE(test, loaded(few[2]));
	KUNIT_EXPECT_TRUE(test, few[0]->first.failed != few[1]->first.failed);

	test_stop(stage.task, 1);
	for (i = 0; i < ARRAY_SIZE(many); i++)
		test_attach(stage.task, many[i], NULL, 1);
	elsewhere->unsupported_cpus = cpumask_of(raw_smp_processor_id());
	test_attach(stage.task, elsewhere, NULL, 1);
	fake.adds = 0;
	test_start(stage.task, 1);
	KUNIT_EXPECT_LT(test, fake.adds, ARRAY_SIZE(many) / 2);
	for (i = 0; i < ARRAY_SIZE(many); i++)
		KUNIT_EXPECT_NE(test, loaded(many[i]), many[i]->first.failed);
	/* Groups for other CPUs do not fail on this one. */
	KUNIT_EXPECT_FALSE(test, elsewhere->first.failed);
	end(test);
}

/* An exclusive group and another group are never loaded at the same time. */
static void exclusive_counts_alone(struct kunit *test)
{
	struct perf_counter_desc *alone = hw_desc(test, ANY, &exclusive);
	struct perf_counter_desc *member = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *other = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *of_cpu = hw_desc(test, ANY, &off);

	begin(4);
	test_attach(stage.task, alone, NULL, 0);
	test_attach(stage.task, member, alone, 0);
	test_attach(stage.task, other, NULL, 0);
	KUNIT_EXPECT_TRUE(test, loaded(alone) && loaded(member));
	KUNIT_EXPECT_FALSE(test, loaded(other));
	a_tick_passes();
	KUNIT_EXPECT_FALSE(test, loaded(alone) || loaded(member));
	KUNIT_EXPECT_TRUE(test, loaded(other));
	a_tick_passes();
	KUNIT_EXPECT_TRUE(test, loaded(alone) && loaded(member));
	KUNIT_EXPECT_FALSE(test, loaded(other));

	/* A leader whose member is disabled is still exclusive. */
	test_enable(member, false, 10);
	KUNIT_EXPECT_TRUE(test, loaded(alone));
	test_attach(stage.cpu, of_cpu, NULL, 10);
	test_enable(of_cpu, true, 10);
	KUNIT_EXPECT_FALSE(test, loaded(of_cpu));
	test_enable(alone, false, 20);
	test_enable(of_cpu, false, 20);
	test_enable(of_cpu, true, 20);
	KUNIT_EXPECT_TRUE(test, loaded(of_cpu));
	test_enable(alone, true, 30);
	KUNIT_EXPECT_FALSE(test, loaded(alone));
	end(test);
}

/*
 * Number of turns for each of @nr groups out of twelve turns, with @others groups in
 * the other context.
 */
static unsigned int fair_share(unsigned int nr, unsigned int others)
{
	return 12 / (nr * (others ? 2 : 1));
}

/*
 * One slot, up to three groups of the CPU and up to three of the task: both contexts
 * get the same number of turns, and so do the groups within a context. The first group
 * in the CPU's list is disabled and gets no turn.
 */
static void groups_share_turns_equally(struct kunit *test)
{
	static const unsigned int table[][2] = {
		{ 2, 0 }, { 3, 0 }, { 0, 2 }, { 0, 3 }, { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 },
		{ 2, 3 }, { 3, 3 },
	};
	struct perf_counter_desc *idle = hw_desc(test, ANY, &off), *descs[6];
	unsigned int turns[6], row, i, tick, wrong, loads;

	for (i = 0; i < ARRAY_SIZE(descs); i++)
		descs[i] = hw_desc(test, ANY, &flexible);
	for (row = 0; row < ARRAY_SIZE(table); row++) {
		memset(turns, 0, sizeof(turns));
		wrong = 0;
		begin(1);
		test_attach(stage.cpu, idle, NULL, 0);
		for (i = 0; i < ARRAY_SIZE(descs); i++) {
			if (i % 3 >= table[row][i / 3])
				continue;
			descs[i]->first.enabled = true;
			test_attach(i < 3 ? stage.cpu : stage.task, descs[i], NULL, 0);
		}
		for (tick = 0; tick < 12; tick++) {
			loads = 0;
			for (i = 0; i < ARRAY_SIZE(descs); i++) {
				turns[i] += loaded(descs[i]);
				loads += loaded(descs[i]);
			}
			wrong += loads != 1 || !a_tick_passes();
		}
		end(test);

		KUNIT_EXPECT_EQ(test, wrong, 0);
		for (i = 0; i < ARRAY_SIZE(descs); i++) {
			if (i % 3 < table[row][i / 3])
				KUNIT_EXPECT_EQ_MSG(test, turns[i],
						    fair_share(table[row][i / 3],
							       table[row][1 - i / 3]),
						    "%u of the CPU, %u of the task: number %u",
						    table[row][0], table[row][1], i);
		}
	}
}

/* Many groups that never fit do not keep another group from getting its turn. */
static void group_that_never_fits_is_skipped(struct kunit *test)
{
	struct perf_counter_desc *never[9], *fits = hw_desc(test, ANY, &flexible);
	unsigned int i, tick, turns = 0;

	for (i = 0; i < ARRAY_SIZE(never); i++)
		never[i] = hw_desc(test, ONLY(3), &flexible);
	begin(1);
	for (i = 0; i < ARRAY_SIZE(never); i++)
		test_attach(stage.task, never[i], NULL, 0);
	test_attach(stage.task, fits, NULL, 0);
	for (tick = 0; tick < 40; tick++) {
		turns += loaded(fits);
		a_tick_passes();
	}
	end(test);
	KUNIT_EXPECT_GE(test, turns, 2);
}

/*
 * The counter is enabled for 400 ns in three parts: with a slot, waiting for a slot, and with the
 * task scheduled out.
 */
static void time_without_a_slot_is_not_running(struct kunit *test)
{
	struct perf_counter_desc *first = hw_desc(test, ANY, &pinned);
	struct perf_counter_desc *second = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *elsewhere = hw_desc(test, ANY, &flexible);

	elsewhere->first.cpu = nr_cpu_ids;
	begin(1);
	test_attach(stage.task, second, NULL, 0);
	test_attach(stage.task, elsewhere, NULL, 0);
	count(second, 7);
	test_attach(stage.task, first, NULL, 100);
	count(second, 1000);
	test_expect(test, second, 150, 7, 150, 100);
	test_expect(test, first, 150, 0, 50, 50);
	count(first, 5);
	/* The context time of the task stands still while the task is scheduled out. */
	test_stop(stage.task, 200);
	test_start(stage.task, 200);
	count(first, 6);
	test_expect(test, first, 300, 11, 200, 200);
	test_enable(first, false, 300);
	at(310);
	a_tick_passes();
	count(second, 1);
	test_stop(stage.task, 400);
	test_expect(test, first, 400, 11, 200, 200);
	test_expect(test, second, 400, 8, 400, 190);
	test_expect(test, elsewhere, 400, 0, 400, 0);
	end(test);
}

static struct perf_counter_desc *sw_desc(struct kunit *test)
{
	const struct perf_counter_attr attr = { .config = PERF_COUNT_SW_DUMMY };

	return test_desc(test, &attr, &perf_counter_sw_pmu);
}

/* A software event counts only while the PMU counter in its group is loaded. */
static void software_counts_while_its_group_is_loaded(struct kunit *test)
{
	struct perf_counter_desc *leader = sw_desc(test), *member = sw_desc(test);
	struct perf_counter_desc *hw = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *first = hw_desc(test, ANY, &off_pinned);

	begin(1);
	/* A group of software events does not belong to the PMU. */
	test_attach(stage.task, leader, NULL, 0);
	test_raise(1);
	KUNIT_EXPECT_FALSE(test, leader->first.needs_load);
	test_attach(stage.task, first, NULL, 0);
	test_enable(first, true, 40);
	test_raise(2);
	/* A PMU counter joins the group, and there is no room for it. */
	test_attach(stage.task, hw, leader, 100);
	test_attach(stage.task, member, leader, 100);
	test_raise(4);
	test_expect(test, leader, 150, 3, 150, 100);
	test_expect(test, hw, 150, 0, 50, 0);
	test_expect(test, member, 150, 0, 50, 0);
	test_enable(first, false, 200);
	at(200);
	a_tick_passes();
	KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(hw) && loaded(member));
	test_raise(8);
	test_expect(test, leader, 230, 11, 230, 130);
	test_expect(test, hw, 230, 0, 130, 30);
	test_expect(test, member, 230, 8, 130, 30);
	/*
	 * The last counter of the group finds no room, so that the others do not count
	 * either.
	 */
	test_stop(stage.task, 250);
	fake.room = 0;
	test_start(stage.task, 250);
	test_raise(16);
	test_expect(test, leader, 290, 11, 290, 150);
	test_expect(test, member, 290, 8, 190, 50);
	end(test);
}

/* Any number of changes stops the PMU once; nested changes do not stop it again. */
static void changes_stop_the_pmu_once(struct kunit *test)
{
	struct perf_counter_desc *descs[4];
	struct perf_counter_desc *leader = hw_desc(test, ANY, &off);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(descs); i++)
		descs[i] = hw_desc(test, ANY, &flexible);
	begin(4);
	perf_counter_pmu_begin(fake_here());
	perf_counter_pmu_begin(fake_here());
	perf_counter_pmu_begin(fake_here());
	KUNIT_EXPECT_EQ(test, fake.disables, 1);
	perf_counter_pmu_end(fake_here());
	perf_counter_pmu_end(fake_here());
	KUNIT_EXPECT_EQ(test, fake.enables, 0);
	perf_counter_pmu_end(fake_here());
	KUNIT_EXPECT_EQ(test, fake.enables, 1);

	test_stop(stage.task, 0);
	test_attach(stage.task, leader, NULL, 0);
	for (i = 0; i < 2; i++)
		test_attach(stage.task, descs[i], leader, 0);
	for (; i < ARRAY_SIZE(descs); i++)
		test_attach(stage.task, descs[i], NULL, 0);
	KUNIT_EXPECT_EQ(test, fake.disables, 1);
	test_start(stage.task, 0);
	KUNIT_EXPECT_EQ(test, fake.disables, 2);
	/* The three counters do not all fit, so the tick loads them again by priority. */
	test_enable(leader, true, 0);
	KUNIT_EXPECT_EQ(test, fake.disables, 3);
	a_tick_passes();
	KUNIT_EXPECT_EQ(test, fake.disables, 4);
	test_enable(leader, false, 0);
	KUNIT_EXPECT_EQ(test, fake.disables, 5);
	test_stop(stage.task, 0);
	KUNIT_EXPECT_EQ(test, fake.disables, 6);
	KUNIT_EXPECT_EQ(test, fake.enables, 6);
	end(test);
}

static void note_change(void)
{
	fake.changes++;
	fake.enables_at_change = fake.enables;
	fake.disables_at_change = fake.disables;
}

/* A backend may have to write its registers for another reason than a counter. */
static void registers_change_while_nothing_counts(struct kunit *test)
{
	struct perf_counter_desc *desc = hw_desc(test, ANY, &flexible);
	int disables, enables;

	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	KUNIT_ASSERT_TRUE(test, loaded(desc));
	disables = fake.disables;
	enables = fake.enables;
	scoped_guard(irqsave)
		perf_counter_hw_change(&desc->first.hw, note_change);
	KUNIT_EXPECT_EQ(test, fake.changes, 1);
	KUNIT_EXPECT_EQ(test, fake.disables_at_change, disables + 1);
	KUNIT_EXPECT_EQ(test, fake.enables_at_change, enables);
	KUNIT_EXPECT_EQ(test, fake.disables, disables + 1);
	KUNIT_EXPECT_EQ(test, fake.enables, enables + 1);
	KUNIT_EXPECT_TRUE(test, loaded(desc));
	end(test);
}

/* Nothing is loaded while the PMU is halted, and no group has failed when it resumes. */
static void nothing_is_loaded_while_halted(struct kunit *test)
{
	struct perf_counter_desc *of_cpu = hw_desc(test, ANY, &pinned);
	struct perf_counter_desc *of_task = hw_desc(test, ANY, &flexible);

	begin(2);
	test_attach(stage.cpu, of_cpu, NULL, 0);
	test_attach(stage.task, of_task, NULL, 0);
	count(of_cpu, 3);
	at(10);
	fake_pmu.pmu.halted = true;
	perf_counter_pmu_unload(fake_here());
	KUNIT_EXPECT_EQ(test, fake.resets, 1);
	KUNIT_EXPECT_FALSE(test, loaded(of_cpu) || loaded(of_task));
	/* Context switches go on. */
	test_stop(stage.task, 20);
	test_start(stage.task, 20);
	test_enable(of_cpu, false, 20);
	test_enable(of_cpu, true, 20);
	KUNIT_EXPECT_FALSE(test, loaded(of_cpu) || loaded(of_task));
	KUNIT_EXPECT_FALSE(test, of_cpu->first.failed);
	at(30);
	fake_pmu.pmu.halted = false;
	perf_counter_pmu_reload(fake_here());
	KUNIT_EXPECT_TRUE(test, loaded(of_cpu) && loaded(of_task));
	test_expect(test, of_cpu, 35, 3, 35, 15);
	test_expect(test, of_task, 35, 0, 35, 15);
	end(test);
}

/*
 * A CPU that goes offline loads nothing for the tasks that still run there, until it is online
 * again.
 */
static void nothing_is_loaded_on_a_cpu_going_offline(struct kunit *test)
{
	struct perf_counter_desc *of_task = hw_desc(test, ANY, &pinned);

	begin(2);
	test_attach(stage.task, of_task, NULL, 0);
	count(of_task, 3);
	at(10);
	perf_counter_pmu_leave(fake_here());
	KUNIT_EXPECT_EQ(test, fake.resets, 1);
	KUNIT_EXPECT_FALSE(test, loaded(of_task));
	/*
	 * Nothing is loaded after a switch, after an enable, and after the end of a halt of the
	 * whole PMU.
	 */
	test_stop(stage.task, 20);
	test_start(stage.task, 20);
	KUNIT_EXPECT_FALSE(test, loaded(of_task));
	test_enable(of_task, false, 20);
	test_enable(of_task, true, 20);
	KUNIT_EXPECT_FALSE(test, loaded(of_task));
	perf_counter_pmu_go_on_this_cpu(fake_here());
	KUNIT_EXPECT_FALSE(test, loaded(of_task));
	KUNIT_EXPECT_FALSE(test, of_task->first.failed);
	at(30);
	perf_counter_pmu_come(fake_here());
	KUNIT_EXPECT_EQ(test, fake.resets, 2);
	KUNIT_EXPECT_TRUE(test, loaded(of_task));
	count(of_task, 4);
	test_expect(test, of_task, 35, 7, 35, 15);
	end(test);
}

/* Restrict the PMU to this CPU, so that only calls on this CPU are counted. */
static void pmu_halts_and_resumes(struct kunit *test)
{
	fake_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	perf_counter_pmu_halt(&fake_pmu.pmu);
	KUNIT_EXPECT_TRUE(test, fake_pmu.pmu.halted);
	KUNIT_EXPECT_EQ(test, fake.resets, 1);
	perf_counter_pmu_go_on(&fake_pmu.pmu);
	KUNIT_EXPECT_FALSE(test, fake_pmu.pmu.halted);
	KUNIT_EXPECT_EQ(test, fake.resets, 1);
	/* Suspend and resume act on all PMUs. */
	perf_counter_hw_suspend();
	KUNIT_EXPECT_TRUE(test, fake_pmu.pmu.halted);
	KUNIT_EXPECT_EQ(test, fake.resets, 2);
	perf_counter_hw_resume();
	KUNIT_EXPECT_FALSE(test, fake_pmu.pmu.halted);
	fake_pmu.pmu.cpus = NULL;
}

/* A PMU that an administrator has taken back stays halted after a resume. */
static void pmu_that_was_taken_back_stays_halted(struct kunit *test)
{
	fake_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(0), 0);
	KUNIT_EXPECT_TRUE(test, fake_pmu.pmu.halted);
	perf_counter_hw_suspend();
	perf_counter_hw_resume();
	KUNIT_EXPECT_TRUE(test, fake_pmu.pmu.halted);
	/* Let all tasks use the PMU, which is the default. */
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), 0);
	KUNIT_EXPECT_FALSE(test, fake_pmu.pmu.halted);
	fake_pmu.pmu.cpus = NULL;
}

/* Number of references of the second PMU's claim, and the error of its next claim. */
static int other_claims, other_busy;

static int other_claim(void)
{
	other_claims += !other_busy;
	return other_busy;
}

static void other_release(void)
{
	other_claims--;
}

static struct perf_counter_backend other_backend;

/* If perf_events holds one of two PMUs, both stay taken back and neither is claimed. */
static void pmus_are_granted_all_or_none(struct kunit *test)
{
	other_backend = second_backend;
	other_backend.claim = other_claim;
	other_backend.release = other_release;
	second_begin(test, &other_backend);
	fake_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	second_pmu.pmu.cpus = fake_pmu.pmu.cpus;
	/* Pretend that each PMU has one descriptor. */
	fake_pmu.users = 1;
	fake_pmu.claimed = true;
	fake.claims = 1;
	second_pmu.users = 1;
	second_pmu.claimed = true;
	other_claims = 1;
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(0), 0);
	KUNIT_EXPECT_EQ(test, fake.claims - fake.releases, 0);
	KUNIT_EXPECT_EQ(test, other_claims, 0);

	other_busy = -EBUSY;
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake.claims, 2);
	KUNIT_EXPECT_EQ(test, fake.releases, 2);
	KUNIT_EXPECT_TRUE(test, fake_pmu.pmu.halted);
	KUNIT_EXPECT_TRUE(test, second_pmu.pmu.halted);

	other_busy = 0;
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), 0);
	KUNIT_EXPECT_EQ(test, fake.claims - fake.releases, 1);
	KUNIT_EXPECT_EQ(test, other_claims, 1);
	KUNIT_EXPECT_FALSE(test, fake_pmu.pmu.halted);
	KUNIT_EXPECT_FALSE(test, second_pmu.pmu.halted);
	fake_pmu.users = 0;
	fake_pmu.claimed = false;
	fake_pmu.pmu.cpus = NULL;
	second_pmu.users = 0;
	second_pmu.claimed = false;
	second_pmu.pmu.cpus = NULL;
	other_claims = 0;
	second_end(test);
}

/* A PMU that is given back while the machine sleeps stays halted until the resume. */
static void pmu_that_was_given_back_sleeps_on(struct kunit *test)
{
	fake_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(0), 0);
	perf_counter_hw_suspend();
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), 0);
	KUNIT_EXPECT_TRUE(test, fake_pmu.pmu.halted);
	perf_counter_hw_resume();
	KUNIT_EXPECT_FALSE(test, fake_pmu.pmu.halted);
	fake_pmu.pmu.cpus = NULL;
}

/* === A PMU moves to perf_events with its only descriptor === */

static unsigned int no_users(void)
{
	return 0;
}

/* Prepare the second PMU as one that perf_events could use, with one descriptor. */
static void move_prepare(struct kunit *test)
{
	other_backend = second_backend;
	other_backend.claim = other_claim;
	other_backend.release = other_release;
	other_backend.perf_events = no_users;
	second_begin(test, &other_backend);
	second_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	KUNIT_ASSERT_EQ(test, perf_counter_hw_get(&second_pmu), 0);
	KUNIT_EXPECT_EQ(test, other_claims, 1);
}

/* Begin a move, which releases the PMU. */
static void move_begin(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, perf_counter_hw_begin_move(&second_pmu), 0);
	KUNIT_EXPECT_EQ(test, other_claims, 0);
	KUNIT_EXPECT_TRUE(test, second_pmu.pmu.halted);
}

/* Expect that the descriptor has the PMU, and that no move is left. */
static void expect_moved_back(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, other_claims, 1);
	KUNIT_EXPECT_FALSE(test, second_pmu.pmu.halted);
	KUNIT_EXPECT_FALSE(test, perf_counter_hw_moves());
	KUNIT_EXPECT_EQ(test, perf_counter_hw_get(&second_pmu), 0);
	perf_counter_hw_put(&second_pmu);
}

static void move_end(struct kunit *test)
{
	perf_counter_hw_put(&second_pmu);
	KUNIT_EXPECT_EQ(test, other_claims, 0);
	KUNIT_EXPECT_EQ(test, second_pmu.users, 0);
	KUNIT_EXPECT_FALSE(test, second_pmu.pmu.halted);
	KUNIT_EXPECT_FALSE(test, perf_counter_hw_moves());
	second_pmu.pmu.cpus = NULL;
	second_end(test);
}

/**
 * struct other_task - call of perf_counter_hw_moves() by a task other than the test's
 * @work: work item that makes the call
 * @moves: result: the return value of perf_counter_hw_moves()
 */
struct other_task {
	struct work_struct	work;
	bool			moves;
};

static void other_task_asks(struct work_struct *work)
{
	container_of(work, struct other_task, work)->moves = perf_counter_hw_moves();
}

/* Return true if another task may not open events of a PMU, because the PMU is moving. */
static bool moves_for_others(void)
{
	struct other_task other;

	INIT_WORK_ONSTACK(&other.work, other_task_asks);
	schedule_work(&other.work);
	flush_work(&other.work);
	destroy_work_on_stack(&other.work);
	return other.moves;
}

/* During a move, only the task that moves the PMU may use it, and only in perf_events. */
static void pmu_in_a_move_is_refused_to_others(struct kunit *test)
{
	move_prepare(test);
	KUNIT_EXPECT_FALSE(test, moves_for_others());
	move_begin(test);
	KUNIT_EXPECT_FALSE(test, perf_counter_hw_moves());
	KUNIT_EXPECT_TRUE(test, moves_for_others());
	KUNIT_EXPECT_EQ(test, perf_counter_hw_get(&second_pmu), -EBUSY);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_begin_move(&second_pmu), -EBUSY);
	perf_counter_hw_cancel_move(&second_pmu);
	KUNIT_EXPECT_FALSE(test, moves_for_others());
	expect_moved_back(test);
	move_end(test);
}

/* A PMU with two users does not move. */
static void shared_pmu_does_not_move(struct kunit *test)
{
	move_prepare(test);
	KUNIT_ASSERT_EQ(test, perf_counter_hw_get(&second_pmu), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_begin_move(&second_pmu), -EBUSY);
	KUNIT_EXPECT_EQ(test, other_claims, 1);
	KUNIT_EXPECT_FALSE(test, second_pmu.pmu.halted);
	perf_counter_hw_put(&second_pmu);
	move_end(test);
}

/* When the descriptor is closed during a move, the PMU is free for other users. */
static void pmu_is_free_after_a_move(struct kunit *test)
{
	move_prepare(test);
	move_begin(test);
	move_end(test);
	move_prepare(test);
	move_end(test);
}

/* If the PMU cannot be taken back at once, it is taken back as soon as it is free. */
static void pmu_is_taken_back_later(struct kunit *test)
{
	unsigned long patience = jiffies + 10 * HZ;

	move_prepare(test);
	move_begin(test);
	other_busy = -EBUSY;
	perf_counter_hw_cancel_move(&second_pmu);
	KUNIT_EXPECT_EQ(test, other_claims, 0);
	/* No task may use the PMU now. */
	KUNIT_EXPECT_TRUE(test, perf_counter_hw_moves());
	KUNIT_EXPECT_EQ(test, perf_counter_hw_get(&second_pmu), -EBUSY);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_begin_move(&second_pmu), -EBUSY);
	WRITE_ONCE(other_busy, 0);
	while (perf_counter_hw_moves() && time_before(jiffies, patience))
		cond_resched();
	expect_moved_back(test);
	/* A descriptor that is closed while it waits for its PMU ends the move. */
	move_begin(test);
	other_busy = -EBUSY;
	perf_counter_hw_cancel_move(&second_pmu);
	move_end(test);
	other_busy = 0;
}

/* A move and the sysctl, or a sleep of the machine, do not get in each other's way. */
static void pmu_moves_while_it_is_halted(struct kunit *test)
{
	move_prepare(test);
	/* The first PMU, which the sysctl halts too, is not prepared for other CPUs. */
	fake_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	/* Neither a resume nor the sysctl starts the PMU before the end of the move. */
	move_begin(test);
	perf_counter_hw_suspend();
	perf_counter_hw_resume();
	KUNIT_EXPECT_TRUE(test, second_pmu.pmu.halted);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(0), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), 0);
	KUNIT_EXPECT_EQ(test, other_claims, 0);
	KUNIT_EXPECT_TRUE(test, second_pmu.pmu.halted);
	perf_counter_hw_cancel_move(&second_pmu);
	expect_moved_back(test);
	/* The end of the move does not start a PMU that the sysctl has taken meanwhile. */
	move_begin(test);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(0), 0);
	perf_counter_hw_cancel_move(&second_pmu);
	KUNIT_EXPECT_EQ(test, other_claims, 0);
	KUNIT_EXPECT_TRUE(test, second_pmu.pmu.halted);
	/* A PMU that the sysctl has taken need not move. */
	KUNIT_EXPECT_EQ(test, perf_counter_hw_begin_move(&second_pmu), 0);
	KUNIT_EXPECT_FALSE(test, moves_for_others());
	perf_counter_hw_cancel_move(&second_pmu);
	KUNIT_EXPECT_EQ(test, other_claims, 0);
	KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), 0);
	expect_moved_back(test);
	/* A PMU that goes to perf_events while the machine sleeps is started by the resume. */
	move_begin(test);
	perf_counter_hw_suspend();
	perf_counter_hw_put(&second_pmu);
	KUNIT_EXPECT_TRUE(test, second_pmu.pmu.halted);
	perf_counter_hw_resume();
	fake_pmu.pmu.cpus = NULL;
	KUNIT_ASSERT_EQ(test, perf_counter_hw_get(&second_pmu), 0);
	move_end(test);
}

/*
 * The test does not call the tick itself: while a group waits for its turn, the timer of the tick
 * is armed, and its expiry rotates the groups.
 */
static void tick_timer_rotates_groups(struct kunit *test)
{
	struct perf_counter_desc *first = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *second = hw_desc(test, ANY, &flexible);
	unsigned long patience;

	begin(1);
	test_attach(stage.cpu, first, NULL, 0);
	test_attach(stage.cpu, second, NULL, 0);
	KUNIT_EXPECT_TRUE(test, loaded(first));
	KUNIT_EXPECT_FALSE(test, loaded(second));
	perf_counter_task_state(current)->ctx = stage.of_current;
	local_irq_enable();
	patience = jiffies + 10 * HZ;
	while (!READ_ONCE(second->first.loaded) && time_before(jiffies, patience))
		cond_resched();
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, patience));
	/* The timer expires again. */
	while (!READ_ONCE(first->first.loaded) && time_before(jiffies, patience))
		cond_resched();
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, patience));
	local_irq_disable();
	end(test);
}

/* === A PMU with a branch recorder === */

/* Number of starts of the recorder. */
static unsigned int recorder_starts;

static u32 idle_recording(void)
{
	return 0;
}

static bool idle_start(u32 what)
{
	recorder_starts++;
	return true;
}

static void idle_wipe(void)
{
}

static const struct perf_counter_recorder idle_recorder = {
	.recording	= idle_recording,
	.start		= idle_start,
	.wipe		= idle_wipe,
};

/* Taking back a PMU halts the recorder only if the recorder is the PMU's own. */
static void recorder_is_halted_with_its_own_pmu(struct kunit *test)
{
	const u32 what = PERF_COUNTER_BRANCH_USER | PERF_COUNTER_BRANCH_RET;
	const struct perf_counter_recorder *before = perf_counter_set_recorder(&idle_recorder);
	unsigned int own;

	if (before) {
		perf_counter_set_recorder(before);
		kunit_skip(test, "the machine has a recorder");
	}
	fake_pmu.pmu.cpus = cpumask_of(raw_smp_processor_id());
	for (own = 0; own < 2; own++) {
		other_backend = second_backend;
		other_backend.recorder = own ? &idle_recorder : NULL;
		second_begin(test, &other_backend);
		second_pmu.pmu.cpus = fake_pmu.pmu.cpus;
		KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(0), 0);
		local_irq_disable();
		recorder_starts = 0;
		KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(what));
		KUNIT_EXPECT_EQ(test, recorder_starts, !own);
		perf_counter_recorder_del(what);
		local_irq_enable();
		KUNIT_EXPECT_EQ(test, perf_counter_hw_set_users(2), 0);
		local_irq_disable();
		recorder_starts = 0;
		KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(what));
		KUNIT_EXPECT_EQ(test, recorder_starts, 1);
		perf_counter_recorder_del(what);
		local_irq_enable();
		second_end(test);
	}
	fake_pmu.pmu.cpus = NULL;
	perf_counter_set_recorder_pmu(NULL, NULL);
}

/*
 * The timer of the tick does not start on a CPU that goes offline, and does on one that
 * came online.
 */
static void tick_ends_with_its_cpu(struct kunit *test)
{
	struct perf_counter_pmu_cpu *cpu = fake_here();

	WRITE_ONCE(cpu->ticking, true);
	perf_counter_tick_offline(cpu);
	KUNIT_EXPECT_FALSE(test, cpu->online);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(cpu->ticking));
	migrate_disable();
	perf_counter_tick_start(&fake_pmu.pmu);
	migrate_enable();
	irq_work_sync(&cpu->kick);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(cpu->ticking));
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&cpu->tick));

	/* Clear the flag, which no timer would clear; the wait below would not end otherwise. */
	WRITE_ONCE(cpu->ticking, false);
	perf_counter_tick_online(cpu);
	KUNIT_EXPECT_TRUE(test, cpu->online);
	local_irq_disable();
	perf_counter_tick_start(&fake_pmu.pmu);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(cpu->ticking));
	local_irq_enable();
	irq_work_sync(&cpu->kick);
	/* The timer finds no waiting group when it expires. */
	while (READ_ONCE(cpu->ticking))
		cond_resched();
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(&cpu->tick));
}

/* Each PMU has its own slots, turns and exclusive group. */
static void pmus_are_independent(struct kunit *test)
{
	struct perf_counter_desc *of_first[2], *of_second[2];
	struct perf_counter_desc *alone;
	unsigned int i;

	second_begin(test, &second_backend);
	for (i = 0; i < 2; i++) {
		of_first[i] = hw_desc(test, ANY, &flexible);
		of_second[i] = second_desc(test, &flexible);
	}
	alone = hw_desc(test, ANY, &exclusive);
	begin(1);
	for (i = 0; i < 2; i++) {
		test_attach(stage.task, of_first[i], NULL, 0);
		test_attach(stage.cpu, of_second[i], NULL, 0);
	}
	KUNIT_EXPECT_TRUE(test, loaded(of_first[0]) && loaded(of_second[0]));
	KUNIT_EXPECT_FALSE(test, loaded(of_first[1]) || loaded(of_second[1]));
	/* Take a turn on the first PMU. */
	second.disables = 0;
	second.enables = 0;
	KUNIT_EXPECT_TRUE(test, a_tick_passes());
	KUNIT_EXPECT_TRUE(test, loaded(of_first[1]) && loaded(of_second[0]));
	KUNIT_EXPECT_FALSE(test, loaded(of_first[0]) || loaded(of_second[1]));
	KUNIT_EXPECT_EQ(test, second.disables, 0);
	/* Take a turn on the second PMU. */
	fake.disables = 0;
	fake.enables = 0;
	KUNIT_EXPECT_TRUE(test, perf_counter_tick(this_cpu_ptr(second_pmu.pmu.cpu)));
	KUNIT_EXPECT_TRUE(test, loaded(of_first[1]) && loaded(of_second[1]));
	KUNIT_EXPECT_EQ(test, fake.disables, 0);

	test_enable(of_first[0], false, 10);
	test_enable(of_first[1], false, 10);
	test_attach(stage.cpu, alone, NULL, 10);
	KUNIT_EXPECT_TRUE(test, loaded(alone) && loaded(of_second[1]));
	/* Stopping a context unloads its counters of both PMUs. */
	test_stop(stage.task, 20);
	test_stop(stage.cpu, 20);
	KUNIT_EXPECT_FALSE(test, loaded(alone) || loaded(of_second[1]));
	KUNIT_EXPECT_PTR_EQ(test, second.hw, NULL);
	test_start(stage.cpu, 20);
	test_start(stage.task, 20);
	KUNIT_EXPECT_TRUE(test, loaded(alone));
	KUNIT_EXPECT_PTR_NE(test, second.hw, NULL);
	end(test);
	second_end(test);
}

/* A PMU that this CPU does not have counts nothing here and is not called. */
static void pmu_of_other_cpus_is_not_called(struct kunit *test)
{
	struct perf_counter_desc *elsewhere, *pinned_elsewhere;
	struct perf_counter_desc *here = hw_desc(test, ANY, &flexible);

	second_begin(test, &absent_backend);
	elsewhere = second_desc(test, &flexible);
	pinned_elsewhere = second_desc(test, &pinned);
	begin(1);
	test_attach(stage.task, elsewhere, NULL, 0);
	test_attach(stage.task, pinned_elsewhere, NULL, 0);
	test_attach(stage.task, here, NULL, 0);
	test_stop(stage.task, 10);
	test_start(stage.task, 10);
	test_enable(elsewhere, false, 20);
	test_enable(elsewhere, true, 20);
	KUNIT_EXPECT_TRUE(test, loaded(here));
	KUNIT_EXPECT_FALSE(test, loaded(elsewhere) || loaded(pinned_elsewhere));
	/* The pinned group does not fail, as its task may move to a CPU that has the PMU. */
	KUNIT_EXPECT_FALSE(test, pinned_elsewhere->first.failed);
	test_expect(test, elsewhere, 30, 0, 30, 0);
	KUNIT_EXPECT_EQ(test, second.disables, 0);
	end(test);
	second_end(test);
}

/* A member of a second PMU is refused: it could have room when the other PMU has none. */
static void group_with_two_pmus_is_refused(struct kunit *test)
{
	struct perf_counter_desc *leader = sw_desc(test), *plain = sw_desc(test);
	struct perf_counter_desc *of_first = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *of_second;
	struct perf_counter_ctx *ctx = test_ctx(test, current);

	second_begin(test, &second_backend);
	of_second = second_desc(test, &flexible);
	test_attach(ctx, leader, NULL, 0);
	mutex_lock(&leader->mutex);
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, of_second, ctx), 0);
	perf_counter_group_join(leader, of_first);
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, of_second, ctx), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, plain, ctx), 0);
	/* The check also refuses a member of the second PMU if the group has other members. */
	perf_counter_group_join(leader, plain);
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, of_second, ctx), -EINVAL);
	mutex_unlock(&leader->mutex);
	perf_counter_group_leave(plain);
	perf_counter_group_leave(of_first);
	test_detach(leader, 0);
	second_end(test);
}

/* Members are refused if the group would not have room even with the PMU to itself. */
static void group_fits_the_pmu(struct kunit *test)
{
	static const struct {
		u64	slots;
		int	err;
	} members[] = {
		/*
		 * The leader can use slots 0 and 1, and moves to make room for a member; so does
		 * the member that takes the leader's slot.
		 */
		{ ONLY(0), 0 }, { ONLY(0) | ONLY(1), -EINVAL }, { ONLY(1) | ONLY(2), 0 },
		{ ONLY(0) | ONLY(1) | ONLY(2), -EINVAL }, { ONLY(2) | ONLY(3), 0 },
		{ ANY, -EINVAL },
	};
	struct perf_counter_desc *leader = hw_desc(test, ONLY(0) | ONLY(1), &flexible);
	struct perf_counter_desc *plain = sw_desc(test), *member;
	struct perf_counter_ctx *ctx = test_ctx(test, current);
	int i, err;

	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(ctx, &fake_pmu.pmu), 0);
	test_attach(ctx, leader, NULL, 0);
	mutex_lock(&leader->mutex);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		member = hw_desc(test, members[i].slots, &flexible);
		err = perf_counter_group_check(leader, member, ctx);
		KUNIT_EXPECT_EQ_MSG(test, err, members[i].err, "member %d", i);
		if (!err)
			perf_counter_group_join(leader, member);
	}
	KUNIT_EXPECT_EQ(test, perf_counter_group_check(leader, plain, ctx), 0);
	mutex_unlock(&leader->mutex);
	perf_counter_group_leave(leader);
	test_detach(leader, 0);
}

/*
 * A counter that takes two slots leaves room for two that take one, and not for another
 * pair.
 */
static void group_with_pairs_fits_the_pmu(struct kunit *test)
{
	static const struct {
		u64	slots;
		u64	also;
		int	err;
	} members[] = {
		{ ANY, 0, 0 }, { ONLY(0) | ONLY(2), ONLY(1) | ONLY(3), -EINVAL },
		{ ANY, 0, 0 }, { ANY, 0, -EINVAL },
	};
	struct perf_counter_desc *leader = hw_desc(test, ONLY(0) | ONLY(2), &flexible), *member;
	struct perf_counter_ctx *ctx = test_ctx(test, current);
	int i, err;

	leader->first.hw.also = ONLY(1) | ONLY(3);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(ctx, &fake_pmu.pmu), 0);
	test_attach(ctx, leader, NULL, 0);
	mutex_lock(&leader->mutex);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		member = hw_desc(test, members[i].slots, &flexible);
		member->first.hw.also = members[i].also;
		err = perf_counter_group_check(leader, member, ctx);
		KUNIT_EXPECT_EQ_MSG(test, err, members[i].err, "member %d", i);
		if (!err)
			perf_counter_group_join(leader, member);
	}
	mutex_unlock(&leader->mutex);
	perf_counter_group_leave(leader);
	test_detach(leader, 0);
}

/* On two kinds of CPUs, a group needs room on both kinds, or counts on one kind only. */
static void group_fits_each_kind_of_cpu(struct kunit *test)
{
	static const struct {
		u64	slots;
		u64	other_slots;
		int	err;
	} members[] = {
		{ ONLY(0), ONLY(0), -EINVAL }, { ONLY(1), ONLY(0), -EINVAL },
		{ ONLY(0), ONLY(1), -EINVAL }, { ONLY(1), ONLY(1), 0 },
		{ ANY, 0, -EINVAL }, { 0, ANY, -EINVAL },
		/* The fitting member stays in the group. */
		{ ONLY(2), ONLY(1), -EINVAL }, { ONLY(1), ONLY(2), -EINVAL },
	};
	struct perf_counter_desc *leader = hw_desc(test, ONLY(0), &flexible), *member;
	struct perf_counter_ctx *ctx = test_ctx(test, current);
	int i, err;

	make_hybrid(false);
	leader->first.hw.other_slots = ONLY(0);
	KUNIT_ASSERT_EQ(test, perf_counter_pmu_ctx_prepare(ctx, &fake_pmu.pmu), 0);
	test_attach(ctx, leader, NULL, 0);
	mutex_lock(&leader->mutex);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		member = hw_desc(test, members[i].slots, &flexible);
		member->first.hw.other_slots = members[i].other_slots;
		err = perf_counter_group_check(leader, member, ctx);
		KUNIT_EXPECT_EQ_MSG(test, err, members[i].err, "member %d", i);
		if (!err)
			perf_counter_group_join(leader, member);
	}
	mutex_unlock(&leader->mutex);
	perf_counter_group_leave(leader);
	test_detach(leader, 0);
}

/* A group that does not count on this CPU lacks no room: it gets no turn and does not fail. */
static void group_for_other_cpus_does_not_fail(struct kunit *test)
{
	struct perf_counter_desc *alone = hw_desc(test, 0, &flexible);
	struct perf_counter_desc *first = hw_desc(test, 0, &pinned);
	struct perf_counter_desc *leader = sw_desc(test), *member = hw_desc(test, 0, &flexible);
	struct perf_counter_desc *crowded = hw_desc(test, 0, &pinned);

	make_hybrid(true);
	alone->unsupported_cpus = &other_cpus;
	first->unsupported_cpus = &other_cpus;
	member->unsupported_cpus = &other_cpus;
	crowded->unsupported_cpus = &first_cpus;
	begin(1);
	test_attach(stage.task, alone, NULL, 0);
	test_attach(stage.task, first, NULL, 0);
	test_attach(stage.task, leader, NULL, 0);
	test_attach(stage.task, member, leader, 0);
	reload();
	KUNIT_EXPECT_FALSE(test, loaded(alone) || loaded(first) || loaded(member));
	KUNIT_EXPECT_FALSE(test, first->first.failed);
	KUNIT_EXPECT_FALSE(test, fake_here()->starved);
	test_attach(stage.task, crowded, NULL, 0);
	KUNIT_EXPECT_TRUE(test, crowded->first.failed);
	end(test);
}

/* A group of software events moves to the lists of the PMU when a PMU counter joins it. */
static void group_moves_to_the_pmu_that_it_needs(struct kunit *test)
{
	const struct perf_counter_attr clock = {
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = NSEC_PER_SEC,
	};
	struct perf_counter_desc *leader = test_desc(test, &clock, &perf_counter_clock_pmu);
	struct perf_counter_desc *member = hw_desc(test, ANY, &flexible);

	leader->event = -1;
	leader->needs_load = true;
	begin(0);
	test_attach(stage.task, leader, NULL, 0);
	KUNIT_EXPECT_TRUE(test, loaded(leader));
	KUNIT_EXPECT_PTR_EQ(test, leader->first.pmu_ctx->pmu, NULL);
	KUNIT_EXPECT_EQ(test, leader->first.pmu_ctx->nr, 1);
	test_attach(stage.task, member, leader, 10);
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member));
	KUNIT_EXPECT_PTR_EQ(test, leader->first.pmu_ctx->pmu, &fake_pmu.pmu);
	KUNIT_EXPECT_EQ(test, leader->first.pmu_ctx->nr, 2);
	KUNIT_EXPECT_EQ(test, perf_counter_pmu_ctx(stage.task, NULL)->nr, 0);
	fake.room = 1;
	reload();
	KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(member));
	/* The group stays in the PMU's lists when the PMU counter has left. */
	test_detach(member, 20);
	KUNIT_EXPECT_EQ(test, leader->first.pmu_ctx->nr, 1);
	KUNIT_EXPECT_EQ(test, stage.task->nr_needs_load, 1);
	end(test);
	hrtimer_cancel(&leader->first.timer);
}

/*
 * A member moves its group to the lists of its PMU; a child's group that is attached
 * earlier is not in these lists yet.
 */
static void child_has_the_lists_of_its_counters_pmus(struct kunit *test)
{
	const struct perf_counter_attr clock = {
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 3600 * NSEC_PER_SEC,
		.inherit = 1,
	};
	const struct perf_counter_attr inherits = { .inherit = 1 };
	struct perf_counter_desc *leader = test_desc(test, &clock, &perf_counter_clock_pmu);
	struct perf_counter_desc *member = hw_desc(test, ANY, &inherits);
	struct task_struct *child = test_task(test);

	leader->event = -1;
	leader->needs_load = true;
	test_join_current(test, leader, NULL);
	test_join_current(test, member, leader);
	KUNIT_ASSERT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_task_ctx(child)->nr_needs_load, 2);
	perf_counter_free_task(child);
}

/* === Programs that read registers === */

static bool user_has_access;

static void note_access(bool on)
{
	user_has_access = on;
}

static bool everybody_may(void)
{
	return true;
}

/*
 * A program loses access to the registers with its last mapping, whatever happened to
 * its buffer.
 */
static void access_ends_with_the_last_mapping(struct kunit *test)
{
	struct perf_counter_desc *desc = hw_desc(test, ANY, &flexible);
	struct perf_counter *counter = &desc->first;

	fake.room = 1;
	fake_pmu.pmu.user_read_allowed = everybody_may;
	fake_pmu.pmu.set_user_access = note_access;
	test_join_current(test, desc, NULL);
	raw_spin_lock_irq(&counter->ctx->lock);
	perf_counter_set_user(counter, true);
	raw_spin_unlock_irq(&counter->ctx->lock);
	KUNIT_EXPECT_TRUE(test, user_has_access);

	/* The last mapping is removed after SET_OUTPUT has replaced the buffer. */
	perf_counter_user_page_update(desc);
	KUNIT_EXPECT_FALSE(test, counter->flags & COUNTER_USER_READ);
	KUNIT_EXPECT_FALSE(test, user_has_access);
}

/* === Cost of enabling many counters === */

#define MANY	16

/* Attach a leader and @nr members to the task's context. */
static struct perf_counter_desc *attach_group(struct perf_counter_desc **group, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i <= nr; i++)
		test_attach(stage.task, group[i], i ? group[0] : NULL, 0);
	return group[0];
}

/*
 * A group without room asks the PMU once, not once for each member. While the group waits, enabling
 * a member does not ask; the member counts from its group's next turn on.
 */
static void group_without_room_asks_once(struct kunit *test)
{
	struct perf_counter_desc *group[MANY + 1], *leader;
	unsigned int nr, i;

	for (i = 0; i <= MANY; i++)
		group[i] = hw_desc(test, ANY, i ? &flexible : &off);
	for (nr = MANY / 2; nr <= MANY; nr *= 2) {
		begin(0);
		leader = attach_group(group, nr);
		fake.adds = 0;
		test_enable(leader, true, 1);
		KUNIT_EXPECT_EQ_MSG(test, fake.adds, 1, "with %u members", nr);

		for (i = 1; i <= nr; i++)
			test_enable(group[i], false, 2);
		for (i = 1; i <= nr; i++)
			test_enable(group[i], true, 3);
		KUNIT_EXPECT_EQ_MSG(test, fake.adds, 1, "with %u members", nr);

		for (i = 3; i <= nr; i++)
			test_enable(group[i], false, 4);
		fake.room = 3;
		a_tick_passes();
		KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(group[1]) && loaded(group[2]));
		test_enable(leader, false, 5);
		for (i = 3; i <= nr; i++)
			test_enable(group[i], true, 6);
		end(test);
		for (i = 0; i <= MANY; i++)
			group[i]->first.enabled = !!i;
	}
}

/*
 * Enabling a member loads it into its loaded group, or unloads the group if there is no
 * room.
 */
static void member_is_loaded_into_its_group(struct kunit *test)
{
	struct perf_counter_desc *leader = hw_desc(test, ANY, &flexible);
	struct perf_counter_desc *member = hw_desc(test, ANY, &off);
	struct perf_counter_desc *other = hw_desc(test, ANY, &off);

	begin(2);
	test_attach(stage.task, leader, NULL, 0);
	test_attach(stage.task, member, leader, 0);
	test_attach(stage.task, other, leader, 0);
	fake.adds = 0;
	test_enable(member, true, 1);
	KUNIT_EXPECT_TRUE(test, loaded(leader) && loaded(member));
	KUNIT_EXPECT_EQ(test, fake.adds, 1);
	test_enable(other, true, 2);
	KUNIT_EXPECT_FALSE(test, loaded(leader) || loaded(member) || loaded(other));
	KUNIT_EXPECT_TRUE(test, fake_here()->starved);
	end(test);
}

/*
 * An exec enables pinned counters together. The first finds room. After four counters without room,
 * the PMU is not asked for the remaining ones, however many they are.
 */
static void exec_asks_for_few_pinned(struct kunit *test)
{
	struct perf_counter_desc *desc[MANY];
	unsigned int nr, i, disables;

	for (i = 0; i < MANY; i++)
		desc[i] = hw_desc(test, ANY, &off_pinned);
	for (nr = MANY / 2; nr <= MANY; nr *= 2) {
		begin(1);
		for (i = 0; i < nr; i++) {
			desc[i]->first.enabled = false;
			desc[i]->first.failed = false;
			desc[i]->first.enable_on_exec = true;
			test_attach(stage.task, desc[i], NULL, 0);
		}
		fake.adds = 0;
		disables = fake.disables;
		raw_spin_lock(&stage.task->lock);
		perf_counter_ctx_enable_on_exec(stage.task);
		raw_spin_unlock(&stage.task->lock);
		KUNIT_EXPECT_EQ_MSG(test, fake.adds, 1 + 4, "%u counters", nr);
		KUNIT_EXPECT_EQ_MSG(test, fake.disables - disables, 1, "%u counters", nr);
		for (i = 0; i < nr; i++) {
			KUNIT_EXPECT_EQ(test, loaded(desc[i]), !i);
			KUNIT_EXPECT_EQ(test, desc[i]->first.failed, !!i);
			KUNIT_EXPECT_FALSE(test, desc[i]->first.enable_on_exec);
		}
		end(test);
	}
}

#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
/* === Samples with more data than the registers === */

/* Data of the next sample. */
static struct perf_counter_hw_sample next_known;

static bool tell_known(const struct perf_counter_hw *hw, u64 types, struct pt_regs *regs,
		       struct perf_counter_hw_sample *to)
{
	*to = next_known;
	return true;
}

/* Words of a sample with one frame: header, IP, call chain, registers of the interrupt. */
enum { HEADER, IP, NR, MARKER, FIRST_FRAME, REGS_ABI };

/* Let @desc overflow at @regs. Returns its sample. */
static const u64 *sample_described(struct kunit *test, struct perf_counter_desc *desc,
				   struct perf_counter_buffer *buffer, struct pt_regs *regs,
				   u64 ip, u16 mode)
{
	u64 pos = buffer->control->data_head;
	const u64 *words = buffer->rings[0].data + pos;

	next_known = (struct perf_counter_hw_sample) { .ip = ip, .mode = mode };
	overflow_at(desc, 1, regs);
	KUNIT_EXPECT_LT(test, pos, buffer->control->data_head);
	/* The call chain has the sampled instruction and no unknown frames. */
	KUNIT_EXPECT_EQ(test, words[NR], 2);
	KUNIT_EXPECT_EQ(test, words[MARKER], PERF_CONTEXT_KERNEL);
	KUNIT_EXPECT_EQ(test, words[FIRST_FRAME], words[IP]);
	return words;
}

static u16 mode_of_words(const u64 *words)
{
	return ((const struct perf_event_header *)words)->misc;
}

/* The samples are those of a kernel thread, which has no user mode. */
static void sample_has_the_hardwares_instruction(struct kunit *test)
{
	const struct perf_counter_attr attr = {
		.sample_period = 1, .sample_max_stack = PERF_COUNTER_MAX_STACK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = 1,
	};
	struct perf_counter_desc *desc = hw_desc(test, ANY, &attr);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	struct perf_counter_backend backend = fake_backend;
	struct pt_regs kernel = {}, user = {};
	const u64 late = 0xc000000000005678, real = 0x1234, early = 0xc000000000001234;
	const u64 *words;

	backend.fill_sample = tell_known;
	desc->first.hw.backend = &backend;
	instruction_pointer_set(&kernel, late);
	user.msr = MSR_PR;
	begin(2);
	test_attach(stage.task, desc, NULL, 0);
	words = sample_described(test, desc, buffer, &kernel, early, PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, words[IP], early);
	KUNIT_EXPECT_EQ(test, words[REGS_ABI], PERF_SAMPLE_REGS_ABI_64);
	/*
	 * A sample with a real address is from firmware, or from kernel code that runs without
	 * translation.
	 */
	words = sample_described(test, desc, buffer, &kernel, real, PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, words[IP], real);
	words = sample_described(test, desc, buffer, &kernel, real, PERF_RECORD_MISC_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, words[IP], real);
	/* Registers of user mode are not reported for an event in the kernel. */
	words = sample_described(test, desc, buffer, &user, early, PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, words[IP], early);
	KUNIT_EXPECT_EQ(test, words[REGS_ABI], PERF_SAMPLE_REGS_ABI_NONE);
	/* An event cannot have happened in a mode that is not counted. */
	desc->attr.exclude_hv = 1;
	words = sample_described(test, desc, buffer, &kernel, real, PERF_RECORD_MISC_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, words[IP], late);
	/*
	 * The event happened in a program that has exited: the sample is for the
	 * current kernel code.
	 */
	words = sample_described(test, desc, buffer, &kernel, real, PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, words[IP], late);
	/* A sample of the hypervisor has no data of the kernel. */
	desc->attr.exclude_hv = 0;
	desc->attr.exclude_kernel = 1;
	words = sample_described(test, desc, buffer, &kernel, real, PERF_RECORD_MISC_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, mode_of_words(words), PERF_RECORD_MISC_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, words[IP], real);
	KUNIT_EXPECT_EQ(test, words[REGS_ABI], PERF_SAMPLE_REGS_ABI_NONE);
	end(test);
}
#endif

static struct kunit_case turn_cases[] = {
	KUNIT_CASE(group_is_loaded_whole_or_not_at_all),
	KUNIT_CASE(higher_priority_gets_the_slots),
	KUNIT_CASE(pinned_group_displaces_flexible_ones),
	KUNIT_CASE(pinned_group_of_the_cpu_goes_first),
	KUNIT_CASE(pinned_without_room_fails),
	KUNIT_CASE(many_pinned_fail_without_a_try),
	KUNIT_CASE(exclusive_counts_alone),
	KUNIT_CASE(groups_share_turns_equally),
	KUNIT_CASE(group_that_never_fits_is_skipped),
	KUNIT_CASE(time_without_a_slot_is_not_running),
	KUNIT_CASE(software_counts_while_its_group_is_loaded),
	KUNIT_CASE(changes_stop_the_pmu_once),
	KUNIT_CASE(registers_change_while_nothing_counts),
	KUNIT_CASE(nothing_is_loaded_while_halted),
	KUNIT_CASE(nothing_is_loaded_on_a_cpu_going_offline),
	KUNIT_CASE(pmu_halts_and_resumes),
#ifdef CONFIG_HAVE_PERF_COUNTER_SETS
	KUNIT_CASE(sample_has_the_hardwares_instruction),
#endif
	KUNIT_CASE(pmu_that_was_taken_back_stays_halted),
	KUNIT_CASE(pmus_are_granted_all_or_none),
	KUNIT_CASE(pmu_that_was_given_back_sleeps_on),
	KUNIT_CASE(pmu_in_a_move_is_refused_to_others),
	KUNIT_CASE(shared_pmu_does_not_move),
	KUNIT_CASE(pmu_is_free_after_a_move),
	KUNIT_CASE(pmu_is_taken_back_later),
	KUNIT_CASE(pmu_moves_while_it_is_halted),
	KUNIT_CASE(recorder_is_halted_with_its_own_pmu),
	KUNIT_CASE(pmus_are_independent),
	KUNIT_CASE(pmu_of_other_cpus_is_not_called),
	KUNIT_CASE(group_with_two_pmus_is_refused),
	KUNIT_CASE(group_fits_the_pmu),
	KUNIT_CASE(group_with_pairs_fits_the_pmu),
	KUNIT_CASE(group_fits_each_kind_of_cpu),
	KUNIT_CASE(group_for_other_cpus_does_not_fail),
	KUNIT_CASE(group_moves_to_the_pmu_that_it_needs),
	KUNIT_CASE(child_has_the_lists_of_its_counters_pmus),
	KUNIT_CASE(tick_timer_rotates_groups),
	KUNIT_CASE(tick_ends_with_its_cpu),
	KUNIT_CASE(access_ends_with_the_last_mapping),
	KUNIT_CASE(group_without_room_asks_once),
	KUNIT_CASE(member_is_loaded_into_its_group),
	KUNIT_CASE(exec_asks_for_few_pinned),
	{}
};

static struct kunit_suite turn_suite = {
	.name = "perf_counter_hw_turns",
	.init = stage_init,
	.exit = stage_exit,
	.test_cases = turn_cases,
};

/* === Periods === */

/* Return the number of samples, which are records of {header, period}. */
static u64 samples_of(struct perf_counter_buffer *buffer)
{
	return buffer->control->data_head / 16;
}

static struct perf_counter_desc *sampling_desc(struct kunit *test, u64 period)
{
	return hw_desc(test, ANY, &(struct perf_counter_attr) {
		.sample_period = period, .sample_type = PERF_SAMPLE_PERIOD,
	});
}

static struct perf_counter_desc *freq_desc(struct kunit *test, u64 freq)
{
	return hw_desc(test, ANY, &(struct perf_counter_attr) {
		.freq = 1, .sample_freq = freq, .sample_type = PERF_SAMPLE_PERIOD,
	});
}

/* Return the count at which the next sample is due. */
static u64 next_of(struct perf_counter_desc *desc)
{
	return desc->first.hw.next;
}

static void rest_of_a_period_survives(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 1000);
	struct perf_counter_desc *plain = hw_desc(test, ANY, &flexible);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	begin(2);
	test_attach(stage.task, desc, NULL, 0);
	test_attach(stage.task, plain, NULL, 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1000);
	KUNIT_EXPECT_EQ(test, next_of(plain), 0);
	count(desc, 300);
	count(plain, 300);
	test_stop(stage.task, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.sampling.period_left), 700);
	test_start(stage.task, 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1000);
	count(desc, 699);
	test_stop(stage.task, 0);
	test_start(stage.task, 0);
	KUNIT_EXPECT_EQ(test, desc->first.hw.count, 999);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1000);
	/*
	 * The sample became due without an overflow before the counter was unloaded, so it is taken
	 * at the next event.
	 */
	count(desc, 4);
	test_stop(stage.task, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.sampling.period_left), -3);
	test_start(stage.task, 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1000);
	overflow(desc, 1);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	KUNIT_EXPECT_EQ(test, next_of(desc), 2000);
	test_expect(test, plain, 0, 300, 0, 0);
	end(test);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
/* State of the guest, set by the test. */
static unsigned int in_guest;

static unsigned int guest_state(void)
{
	return in_guest;
}

static unsigned long guest_ip(void)
{
	return 0x9e57;
}

static struct perf_guest_info_callbacks guest_callbacks = {
	.state = guest_state, .get_ip = guest_ip,
};

/* In a guest, too, only user mode is counted. */
static void samples_in_a_guest_have_the_guests_ip(struct kunit *test)
{
	struct perf_counter_desc *desc = hw_desc(test, ANY, &(struct perf_counter_attr) {
		.sample_period = 100, .sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1,
	});
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	const struct perf_event_header *header = buffer->rings[0].data;

	perf_register_guest_info_callbacks(&guest_callbacks);
	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	/* This task has no user mode. */
	overflow(desc, 100);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 0);
	in_guest = PERF_GUEST_ACTIVE | PERF_GUEST_USER;
	overflow(desc, 100);
	in_guest = 0;
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 16);
	KUNIT_EXPECT_EQ(test, header->misc, PERF_RECORD_MISC_GUEST_USER);
	KUNIT_EXPECT_EQ(test, *(const u64 *)(header + 1), 0x9e57);
	end(test);
	perf_unregister_guest_info_callbacks(&guest_callbacks);
}
#endif

/*
 * The slot of a counter without samples overflows: it keeps counting, and the next tick
 * sets it to its lowest value. No event is lost.
 */
static void tick_rewinds_a_slot_that_only_counts(struct kunit *test)
{
	struct perf_counter_desc *desc = hw_desc(test, ANY, &flexible);
	unsigned int adds;

	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	adds = fake.adds;
	overflow(desc, 1000);
	KUNIT_EXPECT_FALSE(test, desc->first.hw.stopped);
	KUNIT_EXPECT_TRUE(test, desc->first.rewind);
	count(desc, 7);
	KUNIT_EXPECT_EQ(test, fake.adds, adds);
	at(10);
	a_tick_passes();
	KUNIT_EXPECT_EQ(test, fake.adds, adds + 1);
	KUNIT_EXPECT_FALSE(test, desc->first.rewind);
	KUNIT_EXPECT_TRUE(test, loaded(desc));
	count(desc, 5);
	test_expect(test, desc, 20, 1012, 20, 20);
	/* The next tick does not program the counter again. */
	a_tick_passes();
	KUNIT_EXPECT_EQ(test, fake.adds, adds + 1);
	end(test);
}

static void samples_are_a_period_apart(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 100);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	overflow(desc, 100);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	KUNIT_EXPECT_EQ(test, next_of(desc), 200);
	/* The overflow is seven events late, but the next sample is due on time. */
	overflow(desc, 107);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	KUNIT_EXPECT_EQ(test, next_of(desc), 300);
	/*
	 * After 299 events there is no sample: the slot was too narrow for the rest of the period,
	 * or the NMI was for another counter.
	 */
	overflow(desc, 92);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	KUNIT_EXPECT_EQ(test, next_of(desc), 300);
	/*
	 * The overflow is so late that the next period has ended, too. There is one sample, and the
	 * next is due a period from now.
	 */
	overflow(desc, 1 + 150);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 3);
	KUNIT_EXPECT_EQ(test, next_of(desc), 550);
	/* The overflow is exactly a period late. */
	overflow(desc, 100 + 100);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 4);
	KUNIT_EXPECT_EQ(test, next_of(desc), 750);
	KUNIT_EXPECT_EQ(test, desc->first.hw.count, 650);
	KUNIT_EXPECT_FALSE(test, desc->first.hw.stopped);
	end(test);
}

/* Periods up to 2^63 - 1 are allowed: sums of counts and periods wrap. */
static void widest_period_is_not_cut(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, S64_MAX);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	begin(1);
	local64_set(&desc->first.count, 10);
	test_attach(stage.task, desc, NULL, 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), BIT_ULL(63) + 9);
	overflow(desc, BIT_ULL(47));
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), BIT_ULL(63) + 9);
	test_stop(stage.task, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.sampling.period_left),
			S64_MAX - BIT_ULL(47));
	test_start(stage.task, 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), BIT_ULL(63) + 9);
	/* The overflow comes first one event early, then two events late. */
	overflow(desc, BIT_ULL(63) - 2 - BIT_ULL(47));
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 0);
	overflow(desc, 3);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	KUNIT_EXPECT_EQ(test, desc->first.hw.count, BIT_ULL(63) + 11);
	KUNIT_EXPECT_EQ(test, next_of(desc), 8);
	/* The count itself has wrapped; the sample is not due yet. */
	overflow(desc, 100);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	KUNIT_EXPECT_EQ(test, next_of(desc), 8);
	overflow(desc, BIT_ULL(63) - 104);
	KUNIT_EXPECT_EQ(test, desc->first.hw.count, 7);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 1);
	overflow(desc, 1);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	KUNIT_EXPECT_EQ(test, next_of(desc), BIT_ULL(63) + 7);
	end(test);
}

/*
 * With a limit of 0 samples in a tick, the first overflow throttles the counter. The tick ends the
 * throttling, with a larger limit.
 */
static void counter_is_throttled_until_the_tick(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 10);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	unsigned int allowed = perf_counter_max_samples_per_tick;

	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	WRITE_ONCE(perf_counter_max_samples_per_tick, 0);
	overflow(desc, 12);
	KUNIT_EXPECT_TRUE(test, desc->first.throttle.throttled && desc->first.hw.stopped);
	/* There is only a THROTTLE record: header, time, ids. */
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 32);
	count(desc, 50);
	test_expect(test, desc, 0, 12, 0, 0);
	WRITE_ONCE(perf_counter_max_samples_per_tick, 100);
	/* Without a frequency, the counter needs no further tick. */
	KUNIT_EXPECT_FALSE(test, a_tick_passes());
	KUNIT_EXPECT_FALSE(test, desc->first.throttle.throttled || desc->first.hw.stopped);
	KUNIT_EXPECT_TRUE(test, loaded(desc));
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 64);
	/*
	 * The due sample is taken at once. The next sample is due a period after the count at which
	 * this one was due.
	 */
	KUNIT_EXPECT_EQ(test, next_of(desc), 10);
	overflow(desc, 1);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 80);
	KUNIT_EXPECT_EQ(test, next_of(desc), 20);
	KUNIT_EXPECT_FALSE(test, desc->first.hw.stopped);
	/* A tick leaves counters alone that are not throttled. */
	count(desc, 4);
	a_tick_passes();
	KUNIT_EXPECT_EQ(test, desc->first.hw.count, 13);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 80);
	WRITE_ONCE(perf_counter_max_samples_per_tick, allowed);
	end(test);
}

/* REFRESH has allowed two samples: the second one stops the counter. */
static void counter_stops_at_its_limit(struct kunit *test)
{
	struct perf_counter_desc *desc = sampling_desc(test, 10);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);

	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	atomic_set(&desc->refresh.limit, 2);
	overflow(desc, 10);
	KUNIT_EXPECT_FALSE(test, desc->first.hw.stopped);
	overflow(desc, 10);
	KUNIT_EXPECT_TRUE(test, desc->first.hw.stopped);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	KUNIT_EXPECT_TRUE(test, atomic_read(&desc->refresh.hangup));
	/*
	 * Before the counter is disabled, a switch loads it again: it has a slot and
	 * does not count.
	 */
	test_stop(stage.task, 0);
	test_start(stage.task, 0);
	KUNIT_EXPECT_TRUE(test, desc->first.hw.stopped);
	overflow(desc, 10);
	KUNIT_EXPECT_EQ(test, samples_of(buffer), 2);
	test_stop(stage.task, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&desc->first.count), 20);
	/* Set a new limit. */
	atomic_set(&desc->refresh.limit, 1);
	test_start(stage.task, 0);
	KUNIT_EXPECT_FALSE(test, desc->first.hw.stopped);
	end(test);
}

/* Return the period for 1000 samples a second after @events events of @desc since @then. */
static u64 period_after(struct perf_counter_desc *desc, u64 events, u64 then)
{
	return div64_u64(events * (NSEC_PER_SEC / 1000),
			 perf_counter_run_time(&desc->first) - then);
}

/* Ten seconds pass between two samples; the running time goes on meanwhile. */
static void overflow_follows_the_frequency(struct kunit *test)
{
	struct perf_counter_desc *desc = freq_desc(test, 1000);
	u64 period, then;

	begin(1);
	test_attach(stage.task, desc, NULL, 0);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1);
	desc->first.sampling.period = 1000;
	then = perf_counter_run_time(&desc->first) - 10 * NSEC_PER_SEC;
	desc->first.sampling.freq_stamp = then;
	overflow(desc, 20000000);
	period = desc->first.sampling.period;
	KUNIT_EXPECT_LE(test, period, 2000);
	KUNIT_EXPECT_GE(test, period, period_after(desc, 20000000, then));
	/* The overflow is more than a period late: the next period begins now. */
	KUNIT_EXPECT_EQ(test, next_of(desc), 20000000 + period);
	KUNIT_EXPECT_EQ(test, desc->first.sampling.freq_count, 20000000);
	end(test);
}

/* Events have become rare: the tick shortens the rest of a long period. */
static void tick_follows_the_frequency(struct kunit *test)
{
	struct perf_counter_desc *desc = freq_desc(test, 1000);
	u64 then, period;

	begin(1);
	desc->first.sampling.period = 1000000;
	local64_set(&desc->first.sampling.period_left, 1000000);
	test_attach(stage.task, desc, NULL, 0);
	count(desc, 50000);
	/*
	 * The context's clock stands still. No more than a tick has passed since the last
	 * adaptation, so nothing changes.
	 */
	desc->first.sampling.freq_stamp = perf_counter_run_time(&desc->first) - TICK_NSEC;
	KUNIT_EXPECT_TRUE(test, a_tick_passes());
	KUNIT_EXPECT_EQ(test, desc->first.sampling.period, 1000000);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1000000);

	then = perf_counter_run_time(&desc->first) - 10 * NSEC_PER_SEC;
	desc->first.sampling.freq_stamp = then;
	KUNIT_EXPECT_TRUE(test, a_tick_passes());
	period = desc->first.sampling.period;
	KUNIT_EXPECT_LE(test, period, 5);
	KUNIT_EXPECT_GE(test, period, period_after(desc, 50000, then));
	KUNIT_EXPECT_EQ(test, next_of(desc), 50000 + period);
	KUNIT_EXPECT_TRUE(test, loaded(desc));

	/* Events are frequent again: a longer period begins with the next sample. */
	count(desc, 50000);
	desc->first.sampling.freq_stamp = perf_counter_run_time(&desc->first) - NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, a_tick_passes());
	KUNIT_EXPECT_GT(test, desc->first.sampling.period, period);
	KUNIT_EXPECT_EQ(test, next_of(desc), 50000 + period);
	end(test);
}

/* Events have become rare, but the next sample is due before a new period would end. */
static void tick_keeps_a_sample_that_is_due_soon(struct kunit *test)
{
	struct perf_counter_desc *desc = freq_desc(test, 1000);

	begin(1);
	desc->first.sampling.period = 1000000;
	local64_set(&desc->first.sampling.period_left, 1000000);
	test_attach(stage.task, desc, NULL, 0);
	count(desc, 999999);
	/* The last ten seconds had 100 events per millisecond, or fewer on a slow machine. */
	desc->first.sampling.freq_stamp = perf_counter_run_time(&desc->first) - 10 * NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, a_tick_passes());
	KUNIT_EXPECT_LT(test, desc->first.sampling.period, 200);
	KUNIT_EXPECT_GT(test, desc->first.sampling.period, 1);
	KUNIT_EXPECT_EQ(test, next_of(desc), 1000000);
	end(test);
}

static struct kunit_case period_cases[] = {
	KUNIT_CASE(rest_of_a_period_survives),
	KUNIT_CASE(tick_rewinds_a_slot_that_only_counts),
	KUNIT_CASE(samples_are_a_period_apart),
#ifdef CONFIG_GUEST_PERF_EVENTS
	KUNIT_CASE(samples_in_a_guest_have_the_guests_ip),
#endif
	KUNIT_CASE(widest_period_is_not_cut),
	KUNIT_CASE(counter_is_throttled_until_the_tick),
	KUNIT_CASE(counter_stops_at_its_limit),
	KUNIT_CASE(overflow_follows_the_frequency),
	KUNIT_CASE(tick_follows_the_frequency),
	KUNIT_CASE(tick_keeps_a_sample_that_is_due_soon),
	{}
};

static struct kunit_suite period_suite = {
	.name = "perf_counter_hw_period",
	.init = stage_init,
	.exit = stage_exit,
	.test_cases = period_cases,
};

/* === Opening === */

static int init_error(struct perf_counter_desc *desc, const struct perf_counter_attr *attr)
{
	desc->attr = *attr;
	desc->pmu = &fake_pmu.pmu;
	desc->first.hw = (struct perf_counter_hw) {};
	return fake_pmu.pmu.event_init(&fake_pmu.pmu, desc);
}

static void event_is_accepted_or_refused(struct kunit *test)
{
	const struct perf_counter_attr cycles = { .type = PERF_TYPE_HARDWARE };
	struct perf_counter_desc *desc = kunit_kzalloc(test, sizeof(*desc), GFP_KERNEL);
	static const struct {
		struct perf_counter_attr	attr;
		int				err;
	} table[] = {
		{ { .type = PERF_TYPE_RAW, .bp_type = 1 }, -EINVAL },
		{ { .type = PERF_TYPE_RAW, .config1 = 1 }, -EINVAL },
		{ { .type = PERF_TYPE_RAW, .config2 = 1 }, -EINVAL },
		{ { .type = PERF_TYPE_RAW, .config3 = 1 }, -EINVAL },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 1 }, -EOPNOTSUPP },
		/*
		 * Without support by the PMU, exclude_idle is accepted only for a counter of a
		 * task. This counter is of a CPU.
		 */
		{ { .type = PERF_TYPE_HARDWARE, .exclude_idle = 1 }, -EOPNOTSUPP },
	};
	static const u32 unknown_types[] = {
		PERF_TYPE_BREAKPOINT, PERF_TYPE_MAX, 31, 32, 33, U32_MAX,
	};
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, desc);
	for (i = 0; i < ARRAY_SIZE(table); i++)
		KUNIT_EXPECT_EQ_MSG(test, init_error(desc, &table[i].attr), table[i].err,
				    "number %u", i);
	/* Errors of the backend are returned. */
	fake.init_error = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, init_error(desc, &cycles), -EOPNOTSUPP);
	fake.init_error = 0;
	KUNIT_EXPECT_EQ(test, fake.claims, 0);
	/* No PMU knows these types. */
	desc->cpu = -1;
	for (i = 0; i < ARRAY_SIZE(unknown_types); i++) {
		desc->attr = (struct perf_counter_attr) { .type = unknown_types[i] };
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_find_pmu(desc), -ENOENT, "type %u",
				    unknown_types[i]);
	}
	/* No tracepoint has the id 0. */
	desc->attr = (struct perf_counter_attr) { .type = PERF_TYPE_TRACEPOINT };
	KUNIT_EXPECT_EQ(test, perf_counter_find_pmu(desc),
			IS_ENABLED(CONFIG_EVENT_TRACING) ? -EINVAL : -ENOENT);

	desc->task = true;
	KUNIT_EXPECT_EQ(test, init_error(desc, &(struct perf_counter_attr) {
		.type = PERF_TYPE_RAW, .config = 0x1234, .exclude_idle = 1,
	}), 0);
	KUNIT_EXPECT_EQ(test, desc->first.hw.config, 0x1234);
	KUNIT_EXPECT_EQ(test, desc->first.hw.slots, ANY);
	KUNIT_EXPECT_EQ(test, desc->first.hw.slot, -1);
	KUNIT_EXPECT_EQ(test, desc->event, -1);
	KUNIT_EXPECT_TRUE(test, desc->needs_load);
	fake_pmu.pmu.event_exit(desc);
}

/* An event can count on both kinds of CPUs, on one kind, or on one CPU. */
static void event_counts_on_its_kinds_of_cpu(struct kunit *test)
{
	const struct perf_counter_attr attr = { .type = PERF_TYPE_HARDWARE };
	const struct cpumask *kinds[] = { &first_cpus, &other_cpus };
	struct perf_counter_desc *desc;
	int kind, cpu = raw_smp_processor_id();
	struct perf_counter_hw *hw;

	for (kind = 0; kind < 2; kind++) {
		make_hybrid(kind);
		desc = kunit_kzalloc(test, sizeof(*desc), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, desc);
		hw = &desc->first.hw;
		desc->cpu = -1;
		KUNIT_EXPECT_EQ(test, init_error(desc, &attr), 0);
		KUNIT_EXPECT_PTR_EQ(test, desc->unsupported_cpus, NULL);
		fake.not_other = true;
		KUNIT_EXPECT_EQ(test, init_error(desc, &attr), 0);
		KUNIT_EXPECT_PTR_EQ(test, desc->unsupported_cpus, kinds[1]);
		fake.not_other = false;
		fake.not_first = true;
		KUNIT_EXPECT_EQ(test, init_error(desc, &attr), 0);
		KUNIT_EXPECT_PTR_EQ(test, desc->unsupported_cpus, kinds[0]);
		/* This CPU belongs to one kind. */
		desc->cpu = cpu;
		desc->unsupported_cpus = NULL;
		KUNIT_EXPECT_EQ(test, init_error(desc, &attr), kind ? 0 : -ENOENT);
		fake.not_first = false;
		fake.not_other = true;
		KUNIT_EXPECT_EQ(test, init_error(desc, &attr), kind ? -ENOENT : 0);
		fake.not_other = false;
		KUNIT_EXPECT_EQ(test, init_error(desc, &attr), 0);
		KUNIT_EXPECT_EQ(test, hw->slots, kind ? 0 : ANY);
		KUNIT_EXPECT_EQ(test, hw->other_slots, kind ? ANY : 0);
		KUNIT_EXPECT_PTR_EQ(test, desc->unsupported_cpus, NULL);
		for (int i = 0; i < 5; i++)
			fake_pmu.pmu.event_exit(desc);
	}
	KUNIT_EXPECT_EQ(test, fake.claims, 2);
	KUNIT_EXPECT_EQ(test, fake.releases, 2);
}

/* Return value of event_init, and the number of its calls. */
static struct {
	int		says;
	unsigned int	asked;
} asked_pmu;

static int asked_event_init(const struct perf_counter_pmu *pmu, struct perf_counter_desc *desc)
{
	asked_pmu.asked++;
	return asked_pmu.says;
}

/*
 * The PMU is asked only for descriptors that count on one of its CPUs and have a type that it
 * knows. The PMU of this test has no CPUs, and a type of its own.
 */
static void pmu_is_asked_for_its_cpus_and_type(struct kunit *test)
{
	struct perf_counter_pmu pmu = {
		.types = BIT(31), .cpus = cpu_none_mask, .event_init = asked_event_init,
	};
	struct perf_counter_desc *desc = kunit_kzalloc(test, sizeof(*desc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, desc);
	memset(&asked_pmu, 0, sizeof(asked_pmu));
	desc->attr.type = 31;
	KUNIT_ASSERT_EQ(test, perf_counter_register_pmu(&pmu), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_find_pmu(desc), -ENOENT);
	KUNIT_EXPECT_EQ(test, asked_pmu.asked, 0);
	/* A descriptor of all CPUs does not name a CPU that the PMU lacks. */
	desc->cpu = -1;
	KUNIT_EXPECT_EQ(test, perf_counter_find_pmu(desc), 0);
	KUNIT_EXPECT_PTR_EQ(test, desc->pmu, &pmu);
	asked_pmu.says = -EINVAL;
	KUNIT_EXPECT_EQ(test, perf_counter_find_pmu(desc), -EINVAL);
	perf_counter_unregister_pmu(&pmu);
	KUNIT_EXPECT_EQ(test, perf_counter_find_pmu(desc), -ENOENT);
}

/* A child inherits a counter that never had a slot. */
static void child_counts_the_same_event(struct kunit *test)
{
	struct perf_counter_desc *desc = hw_desc(test, ONLY(1), &flexible);
	struct perf_counter *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, child);
	desc->first.hw.config = 0x1234;
	desc->first.hw.exclude_guest = true;
	desc->first.hw.min_left = 128;
	desc->first.hw.also = ONLY(2);
	desc->first.hw.slot = 1;
	perf_counter_init_counter(child, desc, 0);
	KUNIT_EXPECT_EQ(test, child->hw.config, 0x1234);
	KUNIT_EXPECT_TRUE(test, child->hw.exclude_guest);
	KUNIT_EXPECT_EQ(test, child->hw.min_left, 128);
	KUNIT_EXPECT_EQ(test, child->hw.slots, ONLY(1));
	KUNIT_EXPECT_EQ(test, child->hw.also, ONLY(2));
	KUNIT_EXPECT_EQ(test, child->hw.slot, -1);
	KUNIT_EXPECT_PTR_EQ(test, child->hw.backend, &fake_backend);
}

/* The first counter claims the PMU, and the last one releases it. */
static void pmu_is_claimed_once(struct kunit *test)
{
	const struct perf_counter_attr cycles = { .type = PERF_TYPE_HARDWARE };
	struct perf_counter_desc *desc = kunit_kzalloc(test, sizeof(*desc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, desc);
	fake.busy = -EBUSY;
	KUNIT_EXPECT_EQ(test, init_error(desc, &cycles), -EBUSY);
	fake.busy = 0;
	KUNIT_EXPECT_EQ(test, init_error(desc, &cycles), 0);
	KUNIT_EXPECT_EQ(test, init_error(desc, &cycles), 0);
	KUNIT_EXPECT_EQ(test, fake.claims, 1);
	fake_pmu.pmu.event_exit(desc);
	KUNIT_EXPECT_EQ(test, fake.releases, 0);
	fake_pmu.pmu.event_exit(desc);
	KUNIT_EXPECT_EQ(test, fake.releases, 1);
	KUNIT_EXPECT_EQ(test, init_error(desc, &cycles), 0);
	KUNIT_EXPECT_EQ(test, fake.claims, 2);
	fake_pmu.pmu.event_exit(desc);
	KUNIT_EXPECT_EQ(test, fake.releases, 2);
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE(event_is_accepted_or_refused),
	KUNIT_CASE(event_counts_on_its_kinds_of_cpu),
	KUNIT_CASE(pmu_is_asked_for_its_cpus_and_type),
	KUNIT_CASE(child_counts_the_same_event),
	KUNIT_CASE(pmu_is_claimed_once),
	{}
};

static struct kunit_suite open_suite = {
	.name = "perf_counter_hw_open",
	.init = stage_init,
	.exit = stage_exit,
	.test_cases = open_cases,
};

kunit_test_suites(&turn_suite, &period_suite, &open_suite);

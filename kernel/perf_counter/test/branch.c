// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of branch records in samples, with a fake recorder: the task whose
 * branches it holds, when it is cleared, when call stacks are restored, and the
 * branches in a sample.
 */

#include <linux/irqflags.h>
#include <linux/perf_counter.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>

#include "../record/internal.h"
#include "test.h"

#define USER	PERF_COUNTER_BRANCH_USER
#define CALLS	(PERF_COUNTER_BRANCH_CALL_STACK | USER)

/* A fake recorder. Tests set the depth of its call stack. */
static struct {
	u32					what;
	bool					foreign;
	unsigned int				starts;
	unsigned int				wipes;
	unsigned int				resumes;
	unsigned int				restores;
	const struct perf_counter_call_stack	*restored;
	u32					depth;
	u64					index;
	unsigned int				nr;
	struct perf_branch_entry		entries[8];
} fake;

static u32 fake_recording(void)
{
	return fake.what;
}

static bool fake_start(u32 what)
{
	fake.what = what;
	fake.starts++;
	return !fake.foreign;
}

static void fake_resume(void)
{
	fake.resumes++;
}

static void fake_stop(void)
{
	fake.what = 0;
}

static void fake_read(struct perf_counter_branches *branches, u32 what)
{
	branches->nr = fake.nr;
	branches->index = fake.index;
	memcpy(branches->entries, fake.entries, sizeof(fake.entries));
}

/* Use the cycles of an entry as its type. */
static void fake_type(struct perf_branch_entry *entry)
{
	entry->type = entry->cycles;
}

static void fake_wipe(void)
{
	fake.wipes++;
}

static void fake_save(struct perf_counter_call_stack *stack)
{
	stack->nr = fake.depth;
}

static void fake_restore(const struct perf_counter_call_stack *stack)
{
	fake.restores++;
	fake.restored = stack;
	fake.depth = stack ? stack->nr : 0;
}

static bool fake_is_empty(void)
{
	return !fake.depth;
}

static const struct perf_counter_recorder fake_recorder = {
	.can		= (BIT(PERF_COUNTER_BRANCH_BITS) - 1) | PERF_COUNTER_BRANCH_TX,
	.recording	= fake_recording,
	.start		= fake_start,
	.resume		= fake_resume,
	.stop		= fake_stop,
	.read		= fake_read,
	.type		= fake_type,
	.wipe		= fake_wipe,
	.save		= fake_save,
	.restore	= fake_restore,
	.is_empty	= fake_is_empty,
};

/* The machine's own recorder, or NULL. */
static const struct perf_counter_recorder *machine_recorder;

/* Two user tasks and a kernel thread, and the call stacks of the user tasks. */
static struct task_struct *tasks[2], *kernel_task;
static struct perf_counter_call_stack stacks[2];

static int branch_test_init(struct kunit *test)
{
	unsigned int i;

	memset(&fake, 0, sizeof(fake));
	fake.index = 3;
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = test_task(test);
		stacks[i] = (struct perf_counter_call_stack) { .cpu = -1 };
		RCU_INIT_POINTER(test_state(test, tasks[i])->stack, &stacks[i]);
	}
	kernel_task = test_task(test);
	kernel_task->flags = PF_KTHREAD;
	machine_recorder = perf_counter_set_recorder(&fake_recorder);
	return 0;
}

static void branch_test_exit(struct kunit *test)
{
	perf_counter_set_recorder(machine_recorder);
}

/* Switch from one task to another. IRQs must be off. */
static void switch_to_task(struct task_struct *from, struct task_struct *to)
{
	perf_counter_recorder_sched_out(from);
	perf_counter_recorder_sched_in(to);
}

/* Add a counter that wants @what while @task runs. IRQs must be off. */
static void add_counter_while(struct kunit *test, struct task_struct *task, u32 what)
{
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(what));
	/* The counter was added in the thread of the test. */
	switch_to_task(current, task);
}

/* Make a descriptor of a software event with all user branches in its samples. */
static struct perf_counter_desc *software_desc(struct kunit *test)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);

	KUNIT_ASSERT_EQ(test, perf_counter_branches_init(desc), 0);
	return desc;
}

/*
 * Return the number of branches in a sample of @desc when the recorder holds two. IRQs must be off.
 */
static u64 nr_sampled(struct kunit *test, const struct perf_counter_desc *desc)
{
	struct perf_counter_branches *branches;
	u64 nr;

	fake.nr = 2;
	fake.entries[0] = (struct perf_branch_entry) { .from = 0x1000, .to = 0x2000 };
	fake.entries[1] = fake.entries[0];
	branches = perf_counter_branches_get(desc);
	KUNIT_ASSERT_NOT_NULL(test, branches);
	nr = branches->nr;
	perf_counter_branches_put(branches);
	return nr;
}

static void branches_are_cleared_at_a_switch(struct kunit *test)
{
	unsigned int wipes;

	guard(irqsave)();
	add_counter_while(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_RET);
	wipes = fake.wipes;
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	/* A kernel thread has no user branches to record. */
	switch_to_task(tasks[1], kernel_task);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	/* The recorder goes on until a task without counters runs. */
	KUNIT_EXPECT_NE(test, fake.what, 0);
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.what, 0);
}

static void new_counter_sees_no_branches_of_unmonitored_tasks(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	unsigned int wipes;

	guard(irqsave)();
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_RET));
	KUNIT_EXPECT_EQ(test, nr_sampled(test, desc), 2);
	/* Without counters, the hooks of switches are off and the recorder goes on. */
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, nr_sampled(test, desc), 0);
	wipes = fake.wipes;
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_RET));
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	KUNIT_EXPECT_EQ(test, nr_sampled(test, desc), 2);
	/* With one of two counters removed, the branches still belong to the task. */
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_RET));
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	KUNIT_EXPECT_EQ(test, nr_sampled(test, desc), 2);
	/* A kernel thread does not see the branches of the previous task. */
	switch_to_task(current, kernel_task);
	KUNIT_EXPECT_EQ(test, nr_sampled(test, desc), 0);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(kernel_task, tasks[0]);
}

static void kernel_threads_record_kernel_branches(struct kunit *test)
{
	const u32 what = PERF_COUNTER_BRANCH_KERNEL | PERF_COUNTER_BRANCH_RET;
	unsigned int wipes;

	guard(irqsave)();
	add_counter_while(test, tasks[0], what);
	wipes = fake.wipes;
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	perf_counter_recorder_del(what);
	switch_to_task(kernel_task, tasks[0]);
}

static void recorder_records_what_any_counter_wants(struct kunit *test)
{
	guard(irqsave)();
	add_counter_while(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_COND));
	KUNIT_EXPECT_EQ(test, fake.what,
			USER | PERF_COUNTER_BRANCH_RET | PERF_COUNTER_BRANCH_COND);
	/* Loaded counters want branches, so a counter that wants call stacks cannot be added. */
	KUNIT_EXPECT_FALSE(test, perf_counter_recorder_add(CALLS));
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_COND);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_COND);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	KUNIT_EXPECT_FALSE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_COND));
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[1], tasks[0]);
}

static void calls_are_restored_when_their_task_runs(struct kunit *test)
{
	unsigned int restores;

	guard(irqsave)();
	add_counter_while(test, tasks[0], CALLS);
	fake.depth = 5;
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 5);
	KUNIT_EXPECT_PTR_EQ(test, fake.restored, &stacks[1]);
	KUNIT_EXPECT_EQ(test, fake.depth, 0);
	fake.depth = 2;
	/* A task that runs again after a kernel thread finds its calls in the recorder. */
	restores = fake.restores;
	switch_to_task(tasks[1], kernel_task);
	switch_to_task(kernel_task, tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores);
	KUNIT_EXPECT_EQ(test, fake.depth, 2);
	switch_to_task(tasks[1], tasks[0]);
	KUNIT_EXPECT_PTR_EQ(test, fake.restored, &stacks[0]);
	KUNIT_EXPECT_EQ(test, fake.depth, 5);
	/* If the task has run on another CPU meanwhile, its calls are restored. */
	switch_to_task(tasks[0], kernel_task);
	stacks[0].cpu = smp_processor_id() + 1;
	restores = fake.restores;
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

static void calls_are_restored_after_a_deep_sleep(struct kunit *test)
{
	unsigned int restores;

	guard(irqsave)();
	add_counter_while(test, tasks[0], CALLS);
	fake.depth = 5;
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 5);
	fake.depth = 0;
	restores = fake.restores;
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	KUNIT_EXPECT_EQ(test, fake.depth, 5);
	/* If the task has returned from all calls, nothing is restored. */
	fake.depth = 0;
	switch_to_task(tasks[0], kernel_task);
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	/*
	 * The task's calls are saved and restored even if its counter is removed before the switch.
	 */
	fake.depth = 2;
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 2);
	fake.depth = 0;
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.depth, 2);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

/* The recorder holds the calls of the task that it was switched to last. */
static void calls_of_another_task_are_not_saved(struct kunit *test)
{
	guard(irqsave)();
	add_counter_while(test, tasks[0], CALLS);
	fake.depth = 5;
	perf_counter_recorder_sched_out(tasks[1]);
	KUNIT_EXPECT_EQ(test, stacks[1].nr, 0);
	perf_counter_recorder_sched_in(tasks[0]);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

static void stopped_recorder_saves_no_calls(struct kunit *test)
{
	guard(irqsave)();
	add_counter_while(test, tasks[0], CALLS);
	fake.depth = 5;
	/* perf_events uses the recorder meanwhile. */
	fake.what = 0;
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 0);
	perf_counter_recorder_del(CALLS);
	switch_to_task(kernel_task, tasks[1]);
}

static void recorder_resumes_after_a_hardware_stop(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	unsigned int starts, resumes;

	guard(irqsave)();
	add_counter_while(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	starts = fake.starts;
	resumes = fake.resumes;
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.starts, starts);
	KUNIT_EXPECT_EQ(test, fake.resumes, resumes + 1);
	/* A task that runs alone is never switched, but its samples read branches. */
	nr_sampled(test, desc);
	KUNIT_EXPECT_EQ(test, fake.resumes, resumes + 2);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(tasks[1], tasks[0]);
}

static void task_without_memory_has_an_empty_call_stack(struct kunit *test)
{
	guard(irqsave)();
	add_counter_while(test, tasks[0], CALLS);
	fake.depth = 5;
	RCU_INIT_POINTER(perf_counter_task_state(tasks[1])->stack, NULL);
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_NULL(test, fake.restored);
	KUNIT_EXPECT_EQ(test, fake.depth, 0);
	fake.depth = 3;
	switch_to_task(tasks[1], tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.depth, 5);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

static void contents_left_by_perf_events_are_not_shown(struct kunit *test)
{
	struct perf_counter_task *state = test_state(test, current);
	unsigned int restores;

	guard(irqsave)();
	rcu_assign_pointer(state->stack, &stacks[0]);
	add_counter_while(test, current, CALLS);
	/* A counter that is removed and added again finds the calls in the recorder. */
	restores = fake.restores;
	perf_counter_recorder_del(CALLS);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	KUNIT_EXPECT_EQ(test, fake.restores, restores);
	/* If perf_events has used the registers meanwhile, the calls are restored. */
	perf_counter_recorder_del(CALLS);
	fake.what = 0;
	fake.foreign = true;
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	rcu_assign_pointer(state->stack, NULL);
	perf_counter_recorder_del(CALLS);
	switch_to_task(current, tasks[1]);
}

static void exec_clears_the_branches(struct kunit *test)
{
	struct perf_counter_call_stack *stack = &stacks[0];
	struct perf_counter_task *state = test_state(test, current);
	unsigned int restores;

	guard(irqsave)();
	rcu_assign_pointer(state->stack, stack);
	add_counter_while(test, current, CALLS);
	stack->nr = 4;
	fake.depth = 4;
	restores = fake.restores;
	perf_counter_branches_exec();
	KUNIT_EXPECT_EQ(test, stack->nr, 0);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	KUNIT_EXPECT_EQ(test, fake.depth, 0);
	rcu_assign_pointer(state->stack, NULL);
	perf_counter_recorder_del(CALLS);
	switch_to_task(current, tasks[1]);
}

static void halted_recorder_records_nothing(struct kunit *test)
{
	guard(irqsave)();
	perf_counter_halt_recorder(true);
	add_counter_while(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.what, 0);
	perf_counter_halt_recorder(false);
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_RET);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(tasks[1], tasks[0]);
}

/* === Branches of a sample === */

#define KERNEL_ADDR	((u64)TASK_SIZE_MAX + 0x1000)

/* A PMU with interrupts, which may hit the kernel. */
static DEFINE_PER_CPU(struct perf_counter_pmu_cpu, interrupting_cpu);
static const struct perf_counter_pmu interrupting_pmu = { .cpu = &interrupting_cpu };

/* Initialize the branches of a descriptor of @pmu. */
static int init_branches(struct perf_counter_desc *desc, const struct perf_counter_pmu *pmu)
{
	desc->pmu = pmu;
	return perf_counter_branches_init(desc);
}

/*
 * Return the branches in a sample with the branch_sample_type @asked, from the entries of the fake
 * recorder.
 */
static struct perf_counter_branches *branches_of(struct kunit *test, u64 asked)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = asked,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_branches *branches;
	struct perf_branch_entry entry;

	/* A PMU with interrupts captures the branches first. */
	KUNIT_ASSERT_EQ(test, init_branches(desc, &interrupting_pmu), 0);
	guard(irqsave)();
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(desc->records.branches));
	entry = fake.entries[0];
	fake.index = asked;
	perf_counter_capture_branches();
	fake.entries[0].from = 0;
	fake.index = 0;
	branches = perf_counter_branches_get(desc);
	fake.entries[0] = entry;
	KUNIT_ASSERT_NOT_NULL(test, branches);
	KUNIT_EXPECT_EQ(test, branches->index, asked);
	KUNIT_EXPECT_NULL(test, perf_counter_branches_get(desc));
	perf_counter_branches_put(branches);
	perf_counter_recorder_del(desc->records.branches);
	desc->pmu = &perf_counter_sw_pmu;
	return branches;
}

static void branches_are_filtered_by_type(struct kunit *test)
{
	static const struct {
		u64	asked;
		u32	types;
	} cases[] = {
		{ PERF_SAMPLE_BRANCH_ANY, 0xffff },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, BIT(PERF_BR_CALL) | BIT(PERF_BR_IND_CALL) |
		  BIT(PERF_BR_SYSCALL) | BIT(PERF_BR_IRQ) | BIT(PERF_COUNTER_BR_INT) },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN,
		  BIT(PERF_BR_RET) | BIT(PERF_BR_SYSRET) | BIT(PERF_BR_ERET) },
		{ PERF_SAMPLE_BRANCH_IND_CALL, BIT(PERF_BR_IND_CALL) },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, BIT(PERF_BR_IND) },
		{ PERF_SAMPLE_BRANCH_CALL, BIT(PERF_BR_CALL) },
		{ PERF_SAMPLE_BRANCH_COND, BIT(PERF_BR_COND) },
		{ PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL,
		  BIT(PERF_BR_COND) | BIT(PERF_BR_CALL) },
	};
	struct perf_counter_branches *branches;
	unsigned int i, type;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (type = 0; type < 16; type++) {
			/* PERF_BR_NO_TX is a mark in the record and no branch type. */
			if (type == PERF_BR_NO_TX)
				continue;
			fake.nr = 1;
			fake.entries[0] = (struct perf_branch_entry) {
				.from = 0x1000, .to = 0x2000, .cycles = type,
			};
			branches = branches_of(test, cases[i].asked | PERF_SAMPLE_BRANCH_USER);
			KUNIT_EXPECT_EQ_MSG(test, branches->nr, !!(cases[i].types & BIT(type)),
					    "case %u, type %u", i, type);
		}
	}
}

static void branches_are_filtered_by_privilege(struct kunit *test)
{
	static const struct {
		u64	asked;
		/*
		 * True for each way that is visible: from user to user, from user to kernel, from
		 * kernel to user, from kernel to kernel.
		 */
		bool	seen[4];
	} cases[] = {
		{ PERF_SAMPLE_BRANCH_USER, { true } },
		{ PERF_SAMPLE_BRANCH_KERNEL, { false, true, false, true } },
		{ PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL, { true, true, true, true } },
	};
	struct perf_counter_branches *branches;
	unsigned int i, way;

	fake.nr = 1;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (way = 0; way < 4; way++) {
			fake.entries[0] = (struct perf_branch_entry) {
				.from = way & 2 ? KERNEL_ADDR : 0x1000,
				.to = way & 1 ? KERNEL_ADDR : 0x1000,
			};
			branches = branches_of(test, PERF_SAMPLE_BRANCH_ANY | cases[i].asked);
			KUNIT_EXPECT_EQ_MSG(test, branches->nr, cases[i].seen[way],
					    "case %u, way %u", i, way);
		}
	}
}

static void branches_have_the_fields_asked_for(struct kunit *test)
{
	struct perf_counter_branches *branches;

	fake.nr = 2;
	fake.entries[0] = (struct perf_branch_entry) {
		.from = 0x1000, .to = 0x2000, .cycles = PERF_COUNTER_BR_INT,
	};
	fake.entries[1] = (struct perf_branch_entry) {
		.from = 0x3000, .to = 0x4000, .cycles = PERF_BR_RET, .in_tx = 1,
	};
	branches = branches_of(test, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	KUNIT_EXPECT_EQ(test, branches->nr, 2);
	/* Far branches are not recorded, as they would push out user branches. */
	KUNIT_EXPECT_EQ(test, fake.what & PERF_COUNTER_BRANCH_FAR, 0);
	KUNIT_EXPECT_EQ(test, (u32)branches->entries[1].type, PERF_BR_UNKNOWN);
	branches = branches_of(test, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				     PERF_SAMPLE_BRANCH_TYPE_SAVE |
				     PERF_SAMPLE_BRANCH_PRIV_SAVE);
	KUNIT_EXPECT_EQ(test, (u32)branches->entries[0].type, PERF_BR_UNKNOWN);
	KUNIT_EXPECT_EQ(test, (u32)branches->entries[1].type, PERF_BR_RET);
	KUNIT_EXPECT_EQ(test, (u32)branches->entries[1].priv, PERF_BR_PRIV_USER);
	branches = branches_of(test, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				     PERF_SAMPLE_BRANCH_IN_TX);
	KUNIT_EXPECT_EQ(test, branches->nr, 1);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x3000);
	branches = branches_of(test, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				     PERF_SAMPLE_BRANCH_NO_TX);
	KUNIT_EXPECT_EQ(test, branches->nr, 1);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x1000);
}

static void software_reads_the_branches_itself(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	struct perf_counter_branches *branches;

	guard(irqsave)();
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(desc->records.branches));
	fake.nr = 0;
	perf_counter_capture_branches();
	fake.nr = 1;
	fake.entries[0] = (struct perf_branch_entry) { .from = 0x1000, .to = 0x2000 };
	branches = perf_counter_branches_get(desc);
	KUNIT_ASSERT_NOT_NULL(test, branches);
	KUNIT_EXPECT_EQ(test, branches->nr, 1);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x1000);
	perf_counter_branches_put(branches);
	perf_counter_recorder_del(desc->records.branches);
}

static void sample_has_no_branches_of_an_older_interrupt(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	struct perf_counter_branches *branches;
	u64 nr;

	KUNIT_ASSERT_EQ(test, init_branches(desc, &interrupting_pmu), 0);
	guard(irqsave)();
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(desc->records.branches));
	fake.nr = 2;
	perf_counter_capture_branches();
	/*
	 * While the recorder is being started, an overflow finds it off and captures
	 * nothing.
	 */
	fake.what = 0;
	branches = perf_counter_branches_get(desc);
	KUNIT_ASSERT_NOT_NULL(test, branches);
	nr = branches->nr;
	perf_counter_branches_put(branches);
	KUNIT_EXPECT_EQ(test, nr, 0);
	KUNIT_EXPECT_EQ(test, branches->index, -1ULL);
	perf_counter_recorder_del(desc->records.branches);
	desc->pmu = &perf_counter_sw_pmu;
}

/*
 * An event that reading branches raises in the same context is missed, and its call
 * chain's buffer is released.
 */
static void sample_is_missed_while_branches_are_read(struct kunit *test)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
		.exclude_callchain_kernel = 1, .exclude_callchain_user = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_buffer *buffer = test_buffer(test, desc);
	static struct pt_regs regs;
	const struct perf_counter_sample sample = { .regs = &regs, .ip = 1 };
	struct perf_counter_branches *branches;

	KUNIT_ASSERT_EQ(test, perf_counter_branches_init(desc), 0);
	scoped_guard(preempt) {
		branches = perf_counter_branches_get(desc);
		perf_counter_output_sample(&desc->first, &sample);
		perf_counter_branches_put(branches);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->missed), 1);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 0);

	scoped_guard(preempt)
		perf_counter_output_sample(&desc->first, &sample);
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->missed), 1);
	/* The sample has a header, the number of frames and the number of branches. */
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 3 * sizeof(u64));
}

static void impossible_branches_are_refused(struct kunit *test)
{
	struct perf_counter_recorder no_tx = fake_recorder;
	static const u64 tx[] = {
		PERF_SAMPLE_BRANCH_IN_TX, PERF_SAMPLE_BRANCH_NO_TX, PERF_SAMPLE_BRANCH_ABORT_TX,
	};
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	u64 *asked = &desc->attr.branch_sample_type;

	*asked = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &perf_counter_sw_pmu), 0);
	*asked |= PERF_SAMPLE_BRANCH_COND;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &perf_counter_sw_pmu), -EINVAL);
	*asked ^= PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_NO_TX;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &perf_counter_sw_pmu), -EINVAL);
	*asked = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_KERNEL;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &interrupting_pmu), -EOPNOTSUPP);
	*asked = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &interrupting_pmu), 0);
	KUNIT_EXPECT_EQ(test, init_branches(desc, &perf_counter_sw_pmu), -EOPNOTSUPP);
	*asked = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_COUNTERS;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &interrupting_pmu), -EINVAL);
	no_tx.can &= ~PERF_COUNTER_BRANCH_TX;
	for (unsigned int i = 0; i < ARRAY_SIZE(tx); i++) {
		*asked = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | tx[i];
		KUNIT_EXPECT_EQ(test, init_branches(desc, &interrupting_pmu), 0);
		perf_counter_set_recorder(&no_tx);
		KUNIT_EXPECT_EQ(test, init_branches(desc, &interrupting_pmu), -EOPNOTSUPP);
		perf_counter_set_recorder(&fake_recorder);
	}
	perf_counter_set_recorder(NULL);
	*asked = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_EQ(test, init_branches(desc, &interrupting_pmu), -EOPNOTSUPP);
	desc->pmu = &perf_counter_sw_pmu;
}

/* The recorder reads flags, cycles and types of branches for the counters that use them. */
static void details_are_recorded_if_asked_for(struct kunit *test)
{
	const u64 plain = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	const u64 no_flags = PERF_SAMPLE_BRANCH_NO_FLAGS, no_cycles = PERF_SAMPLE_BRANCH_NO_CYCLES;
	const struct {
		u64	asked;
		bool	details;
	} cases[] = {
		{ plain, true },
		{ plain | no_flags, true },
		{ plain | no_cycles, true },
		{ plain | no_flags | no_cycles, false },
		{ plain | no_flags | no_cycles | PERF_SAMPLE_BRANCH_TYPE_SAVE, true },
		{ PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER | no_flags | no_cycles,
		  true },
	};
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		desc->attr.branch_sample_type = cases[i].asked;
		KUNIT_EXPECT_EQ(test, init_branches(desc, &perf_counter_sw_pmu), 0);
		KUNIT_EXPECT_EQ_MSG(test, !!(desc->records.branches & PERF_COUNTER_BRANCH_INFO),
				    cases[i].details, "case %u", i);
	}
}

/* An attr without privilege levels gets the privilege levels of the modes that it counts in. */
static void branches_have_the_privileges_of_the_event(struct kunit *test)
{
	struct perf_counter_attr attr = { .branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL };

	KUNIT_EXPECT_EQ(test, perf_counter_check_branches(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_PLM_ALL);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	KUNIT_EXPECT_EQ(test, perf_counter_check_branches(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	KUNIT_EXPECT_EQ(test, perf_counter_check_branches(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL);
	/* Given privilege levels stay unchanged. */
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_EQ(test, perf_counter_check_branches(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
}

/* A counter for which the recorder or the PMU has no room leaves no trace in the recorder. */
static void counter_without_room_records_nothing(struct kunit *test)
{
	static const struct perf_counter_attr attr;
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &attr, &test_pmu_ops);

	desc->records.branches = USER | PERF_COUNTER_BRANCH_RET;
	desc->first.flags = COUNTER_BRANCHES;
	guard(irqsave)();
	test_start(ctx, 0);
	/* A loaded counter wants call stacks, so that no other branches can be recorded. */
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	test_attach(ctx, desc, NULL, 0);
	KUNIT_EXPECT_FALSE(test, desc->first.loaded);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 0);
	perf_counter_recorder_del(CALLS);

	test_pmu.add_error = -ENOSPC;
	test_enable(desc, false, 10);
	test_enable(desc, true, 10);
	KUNIT_EXPECT_FALSE(test, desc->first.loaded);
	KUNIT_EXPECT_EQ(test, test_pmu.adds, 1);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	perf_counter_recorder_del(CALLS);

	test_pmu.add_error = 0;
	test_enable(desc, false, 20);
	test_enable(desc, true, 20);
	KUNIT_EXPECT_TRUE(test, desc->first.loaded);
	KUNIT_EXPECT_FALSE(test, perf_counter_recorder_add(CALLS));
	test_detach(desc, 30);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	perf_counter_recorder_del(CALLS);
}

/* Number of references to a PMU for its recorder, and the error for the next one. */
static int recorder_claims, claim_error;

static int fake_recorder_get(const struct perf_counter_pmu *pmu)
{
	recorder_claims += !claim_error;
	return claim_error;
}

static void fake_recorder_put(const struct perf_counter_pmu *pmu)
{
	recorder_claims--;
}

static const struct perf_counter_pmu holding_pmu = {
	.recorder_get	= fake_recorder_get,
	.recorder_put	= fake_recorder_put,
};

/* An event of another PMU than the recorder's claims the recorder's PMU while it is open. */
static void software_event_claims_the_recorders_pmu(struct kunit *test)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	const struct perf_counter_pmu *machine_pmu =
		perf_counter_set_recorder_pmu(&holding_pmu, &fake_recorder);

	recorder_claims = 0;
	claim_error = 0;
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(desc), 0);
	KUNIT_EXPECT_EQ(test, recorder_claims, 1);
	/* The recorder runs while the counter is loaded. */
	KUNIT_EXPECT_TRUE(test, desc->needs_load);
	perf_counter_branches_close(desc);
	KUNIT_EXPECT_EQ(test, recorder_claims, 0);

	claim_error = -EBUSY;
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(desc), -EBUSY);
	KUNIT_EXPECT_EQ(test, recorder_claims, 0);

	/* Events of the recorder's PMU have claimed it already. */
	claim_error = 0;
	desc->pmu = &holding_pmu;
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(desc), 0);
	perf_counter_branches_close(desc);
	KUNIT_EXPECT_EQ(test, recorder_claims, 0);
	desc->pmu = &perf_counter_sw_pmu;

	perf_counter_set_recorder_pmu(machine_pmu, &fake_recorder);
}

/*
 * Return the call stack of @task, or NULL. The pointer is only compared: the task may free the
 * stack.
 */
static const void *call_stack_of(struct task_struct *task)
{
	struct perf_counter_task *state = perf_counter_task_state(task);

	return state ? rcu_access_pointer(state->stack) : NULL;
}

/* All tasks have a stack for their calls while a descriptor of a CPU asks for calls. */
static void call_stacks_go_with_their_last_user(struct kunit *test)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER,
	};
	struct perf_counter_desc *first = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *second = test_desc(test, &attr, &perf_counter_sw_pmu);
	const struct perf_counter_pmu *machine_pmu =
		perf_counter_set_recorder_pmu(&holding_pmu, &fake_recorder);
	/* The first program, or the thread that becomes it. */
	struct task_struct *init = init_pid_ns.child_reaper;

	claim_error = 0;
	first->task = false;
	second->task = false;
	KUNIT_EXPECT_NULL(test, call_stack_of(init));
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(first), 0);
	KUNIT_EXPECT_NOT_NULL(test, call_stack_of(init));
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(second), 0);
	perf_counter_branches_close(first);
	KUNIT_EXPECT_NOT_NULL(test, call_stack_of(init));
	perf_counter_branches_close(second);
	KUNIT_EXPECT_NULL(test, call_stack_of(init));

	/* A child that is forked from here on has no stack either. */
	RCU_INIT_POINTER(perf_counter_task_state(tasks[0])->stack, NULL);
	perf_counter_stack_fork(tasks[0]);
	KUNIT_EXPECT_NULL(test, call_stack_of(tasks[0]));

	perf_counter_set_recorder_pmu(machine_pmu, &fake_recorder);
}

/* Give the current task a call stack, as a counter with calls would, and exit. */
static int child_has_a_call_stack(void *arg)
{
	struct task_struct **child = arg;

	if (!perf_counter_stack_give(current) && call_stack_of(current))
		*child = get_task_struct(current);
	do_exit(0);
}

static void call_stack_goes_with_its_task(struct kunit *test)
{
	struct task_struct *child = NULL;

	test_run_child(test, child_has_a_call_stack, &child);
	KUNIT_ASSERT_NOT_NULL(test, child);
	KUNIT_EXPECT_NULL(test, call_stack_of(child));
	put_task_struct(child);
}

/* An open that fails leaves the number of references to the PMU unchanged. */
static void failed_open_leaves_the_claim_unchanged(struct kunit *test)
{
	/* Only events of a PMU have these registers. */
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = PERF_REG_EXTENDED_MASK,
	};
	const struct perf_counter_pmu *machine_pmu;

	if (!PERF_REG_EXTENDED_MASK)
		kunit_skip(test, "no such registers on this architecture");
	machine_pmu = perf_counter_set_recorder_pmu(&holding_pmu, &fake_recorder);
	recorder_claims = 0;
	claim_error = 0;
	KUNIT_EXPECT_TRUE(test, IS_ERR(test_alloc_desc(&attr, true, -1)));
	KUNIT_EXPECT_EQ(test, recorder_claims, 0);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_TRUE(test, IS_ERR(test_alloc_desc(&attr, true, -1)));
	KUNIT_EXPECT_EQ(test, recorder_claims, 0);

	perf_counter_set_recorder_pmu(machine_pmu, &fake_recorder);
}

/* A sample of a software event only has branches that pass its filter. */
static void branches_of_software_are_filtered(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	struct perf_counter_branches *branches;

	fake.nr = 3;
	fake.entries[0] = (struct perf_branch_entry) { .from = 0x1000, .to = KERNEL_ADDR };
	fake.entries[1] = (struct perf_branch_entry) { .from = 0x3000, .to = 0x4000 };
	fake.entries[2] = (struct perf_branch_entry) { .from = KERNEL_ADDR, .to = 0x5000 };
	guard(irqsave)();
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(desc->records.branches));
	branches = perf_counter_branches_get(desc);
	KUNIT_EXPECT_EQ(test, branches->nr, 1);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x3000);
	perf_counter_branches_put(branches);
	perf_counter_recorder_del(desc->records.branches);
}

static struct kunit_case branch_cases[] = {
	KUNIT_CASE(branches_are_cleared_at_a_switch),
	KUNIT_CASE(new_counter_sees_no_branches_of_unmonitored_tasks),
	KUNIT_CASE(kernel_threads_record_kernel_branches),
	KUNIT_CASE(recorder_records_what_any_counter_wants),
	KUNIT_CASE(calls_are_restored_when_their_task_runs),
	KUNIT_CASE(calls_are_restored_after_a_deep_sleep),
	KUNIT_CASE(calls_of_another_task_are_not_saved),
	KUNIT_CASE(stopped_recorder_saves_no_calls),
	KUNIT_CASE(recorder_resumes_after_a_hardware_stop),
	KUNIT_CASE(task_without_memory_has_an_empty_call_stack),
	KUNIT_CASE(contents_left_by_perf_events_are_not_shown),
	KUNIT_CASE(exec_clears_the_branches),
	KUNIT_CASE(halted_recorder_records_nothing),
	KUNIT_CASE(branches_are_filtered_by_type),
	KUNIT_CASE(branches_are_filtered_by_privilege),
	KUNIT_CASE(branches_have_the_fields_asked_for),
	KUNIT_CASE(software_reads_the_branches_itself),
	KUNIT_CASE(software_event_claims_the_recorders_pmu),
	KUNIT_CASE(call_stacks_go_with_their_last_user),
	KUNIT_CASE(call_stack_goes_with_its_task),
	KUNIT_CASE(failed_open_leaves_the_claim_unchanged),
	KUNIT_CASE(branches_of_software_are_filtered),
	KUNIT_CASE(sample_has_no_branches_of_an_older_interrupt),
	KUNIT_CASE(sample_is_missed_while_branches_are_read),
	KUNIT_CASE(impossible_branches_are_refused),
	KUNIT_CASE(details_are_recorded_if_asked_for),
	KUNIT_CASE(branches_have_the_privileges_of_the_event),
	KUNIT_CASE(counter_without_room_records_nothing),
	{}
};

static struct kunit_suite branch_suite = {
	.name		= "perf_counter_branch",
	.init		= branch_test_init,
	.exit		= branch_test_exit,
	.test_cases	= branch_cases,
};

kunit_test_suite(branch_suite);

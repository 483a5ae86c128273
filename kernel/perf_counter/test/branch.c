// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of branches in samples, with a recorder that tells what it was asked: whose
 * branches it has, when they are forgotten and when calls come back, and what a sample has of
 * them.
 */

#include <linux/irqflags.h>
#include <linux/perf_counter.h>
#include <linux/perf_event.h>

#include "../record/internal.h"
#include "test.h"

#define USER	PERF_COUNTER_BRANCH_USER
#define CALLS	(PERF_COUNTER_BRANCH_STACK | USER)

/* A recorder whose stack of calls is as deep as the number that it is given. */
static struct {
	u32					what;
	bool					foreign;
	unsigned int				starts;
	unsigned int				wipes;
	unsigned int				resumes;
	unsigned int				restores;
	const struct perf_counter_branch_stack	*restored;
	u32					depth;
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
	branches->index = 3;
	memcpy(branches->entries, fake.entries, sizeof(fake.entries));
}

/* The cycles of an entry say what type it has. */
static void fake_type(struct perf_branch_entry *entry)
{
	entry->type = entry->cycles;
}

static void fake_wipe(void)
{
	fake.wipes++;
}

static void fake_save(struct perf_counter_branch_stack *stack)
{
	stack->nr = fake.depth;
}

static void fake_restore(const struct perf_counter_branch_stack *stack)
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

/* The one that the machine has, if it has one. */
static const struct perf_counter_recorder *machine_recorder;

/* Two tasks of programs and one of the kernel, and what the two have of calls. */
static struct task_struct *tasks[2], *kernel_task;
static struct perf_counter_branch_stack stacks[2];

static int branch_test_init(struct kunit *test)
{
	unsigned int i;

	memset(&fake, 0, sizeof(fake));
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kunit_kzalloc(test, sizeof(struct task_struct), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, tasks[i]);
		stacks[i] = (struct perf_counter_branch_stack) { .cpu = -1 };
		RCU_INIT_POINTER(tasks[i]->perf_counter_stack, &stacks[i]);
	}
	kernel_task = kunit_kzalloc(test, sizeof(struct task_struct), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, kernel_task);
	kernel_task->flags = PF_KTHREAD;
	machine_recorder = perf_counter_set_recorder(&fake_recorder);
	return 0;
}

static void branch_test_exit(struct kunit *test)
{
	perf_counter_set_recorder(machine_recorder);
}

/* One task makes room for another. IRQs off. */
static void switch_to_task(struct task_struct *from, struct task_struct *to)
{
	perf_counter_recorder_sched_out(from);
	perf_counter_recorder_sched_in(to);
}

/* A counter that is loaded while tasks come and go, and what it wants. IRQs off. */
static void add_for(struct kunit *test, struct task_struct *task, u32 what)
{
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(what));
	/* It came in the thread of the test. */
	switch_to_task(current, task);
}

/* A descriptor of software events whose samples have all branches of user mode. */
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

/* The number of branches in a sample of @desc when the recorder has two. IRQs off. */
static u64 nr_seen(struct kunit *test, const struct perf_counter_desc *desc)
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

static void branches_are_forgotten_at_a_switch(struct kunit *test)
{
	unsigned int wipes;

	guard(irqsave)();
	add_for(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_RET);
	wipes = fake.wipes;
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	/* Of the kernel's threads nothing is recorded. */
	switch_to_task(tasks[1], kernel_task);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	/* It goes on until somebody runs whom nobody monitors. */
	KUNIT_EXPECT_NE(test, fake.what, 0);
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.what, 0);
}

static void a_new_counter_sees_nothing_of_tasks_that_ran_untold(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	unsigned int wipes;

	guard(irqsave)();
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_RET));
	KUNIT_EXPECT_EQ(test, nr_seen(test, desc), 2);
	/* Without counters switches are not told, and the recorder goes on. */
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, nr_seen(test, desc), 0);
	wipes = fake.wipes;
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_RET));
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	KUNIT_EXPECT_EQ(test, nr_seen(test, desc), 2);
	/* One counter of two: the other one's branches are the task's still. */
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_RET));
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	KUNIT_EXPECT_EQ(test, nr_seen(test, desc), 2);
	/* A kernel thread does not see those of the task before it. */
	switch_to_task(current, kernel_task);
	KUNIT_EXPECT_EQ(test, nr_seen(test, desc), 0);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(kernel_task, tasks[0]);
}

static void branches_of_the_kernel_are_those_of_its_threads_too(struct kunit *test)
{
	const u32 what = PERF_COUNTER_BRANCH_KERNEL | PERF_COUNTER_BRANCH_RET;
	unsigned int wipes;

	guard(irqsave)();
	add_for(test, tasks[0], what);
	wipes = fake.wipes;
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, fake.wipes, wipes + 1);
	perf_counter_recorder_del(what);
	switch_to_task(kernel_task, tasks[0]);
}

static void all_that_somebody_wants_is_recorded(struct kunit *test)
{
	guard(irqsave)();
	add_for(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(USER | PERF_COUNTER_BRANCH_COND));
	KUNIT_EXPECT_EQ(test, fake.what,
			USER | PERF_COUNTER_BRANCH_RET | PERF_COUNTER_BRANCH_COND);
	/* Others want branches: stacks of calls have to wait. */
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

static void calls_are_there_again_when_their_task_runs(struct kunit *test)
{
	unsigned int restores;

	guard(irqsave)();
	add_for(test, tasks[0], CALLS);
	fake.depth = 5;
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 5);
	KUNIT_EXPECT_PTR_EQ(test, fake.restored, &stacks[1]);
	KUNIT_EXPECT_EQ(test, fake.depth, 0);
	fake.depth = 2;
	/* Who comes back from a kernel's thread finds them as they were. */
	restores = fake.restores;
	switch_to_task(tasks[1], kernel_task);
	switch_to_task(kernel_task, tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores);
	KUNIT_EXPECT_EQ(test, fake.depth, 2);
	switch_to_task(tasks[1], tasks[0]);
	KUNIT_EXPECT_PTR_EQ(test, fake.restored, &stacks[0]);
	KUNIT_EXPECT_EQ(test, fake.depth, 5);
	/* Not if they have been elsewhere meanwhile. */
	switch_to_task(tasks[0], kernel_task);
	stacks[0].cpu = smp_processor_id() + 1;
	restores = fake.restores;
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

static void calls_come_back_where_the_cpu_lost_them_in_its_sleep(struct kunit *test)
{
	unsigned int restores;

	guard(irqsave)();
	add_for(test, tasks[0], CALLS);
	fake.depth = 5;
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 5);
	fake.depth = 0;
	restores = fake.restores;
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	KUNIT_EXPECT_EQ(test, fake.depth, 5);
	/* A task that has returned from all of them has none to lose. */
	fake.depth = 0;
	switch_to_task(tasks[0], kernel_task);
	switch_to_task(kernel_task, tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	/* Its calls are kept while the recorder goes on without a counter. */
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

/* The registers hold the calls of the task that was told last. */
static void calls_of_another_task_are_not_saved(struct kunit *test)
{
	guard(irqsave)();
	add_for(test, tasks[0], CALLS);
	fake.depth = 5;
	perf_counter_recorder_sched_out(tasks[1]);
	KUNIT_EXPECT_EQ(test, stacks[1].nr, 0);
	perf_counter_recorder_sched_in(tasks[0]);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

/* A new task_struct is a copy of its parent's, which keeps the stack. */
static void child_of_a_fork_has_no_call_stack_yet(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, perf_counter_can_fork(tasks[0]), 0);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(tasks[0]->perf_counter_stack));
	RCU_INIT_POINTER(tasks[0]->perf_counter_stack, NULL);
	perf_counter_cancel_fork(tasks[0]);
}

static void nothing_is_saved_of_a_recorder_that_records_nothing(struct kunit *test)
{
	guard(irqsave)();
	add_for(test, tasks[0], CALLS);
	fake.depth = 5;
	/* Somebody else has it meanwhile. */
	fake.what = 0;
	switch_to_task(tasks[0], kernel_task);
	KUNIT_EXPECT_EQ(test, stacks[0].nr, 0);
	perf_counter_recorder_del(CALLS);
	switch_to_task(kernel_task, tasks[1]);
}

static void a_recorder_goes_on_where_the_hardware_stopped(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	unsigned int starts, resumes;

	guard(irqsave)();
	add_for(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	starts = fake.starts;
	resumes = fake.resumes;
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.starts, starts);
	KUNIT_EXPECT_EQ(test, fake.resumes, resumes + 1);
	/* No switch comes where one task runs alone, but samples do. */
	nr_seen(test, desc);
	KUNIT_EXPECT_EQ(test, fake.resumes, resumes + 2);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(tasks[1], tasks[0]);
}

static void who_has_no_memory_has_an_empty_stack(struct kunit *test)
{
	guard(irqsave)();
	add_for(test, tasks[0], CALLS);
	fake.depth = 5;
	RCU_INIT_POINTER(tasks[1]->perf_counter_stack, NULL);
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_NULL(test, fake.restored);
	KUNIT_EXPECT_EQ(test, fake.depth, 0);
	fake.depth = 3;
	switch_to_task(tasks[1], tasks[0]);
	KUNIT_EXPECT_EQ(test, fake.depth, 5);
	perf_counter_recorder_del(CALLS);
	switch_to_task(tasks[0], tasks[1]);
}

static void what_others_left_is_nobodys(struct kunit *test)
{
	unsigned int restores;

	guard(irqsave)();
	rcu_assign_pointer(current->perf_counter_stack, &stacks[0]);
	add_for(test, current, CALLS);
	/* Unloaded and loaded again, it goes on where it was. */
	restores = fake.restores;
	perf_counter_recorder_del(CALLS);
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	KUNIT_EXPECT_EQ(test, fake.restores, restores);
	/* Unless the registers were somebody else's. */
	perf_counter_recorder_del(CALLS);
	fake.what = 0;
	fake.foreign = true;
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(CALLS));
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	rcu_assign_pointer(current->perf_counter_stack, NULL);
	perf_counter_recorder_del(CALLS);
	switch_to_task(current, tasks[1]);
}

static void an_exec_forgets(struct kunit *test)
{
	struct perf_counter_branch_stack *stack = &stacks[0];
	unsigned int restores;

	guard(irqsave)();
	rcu_assign_pointer(current->perf_counter_stack, stack);
	add_for(test, current, CALLS);
	stack->nr = 4;
	fake.depth = 4;
	restores = fake.restores;
	perf_counter_branches_exec();
	KUNIT_EXPECT_EQ(test, stack->nr, 0);
	KUNIT_EXPECT_EQ(test, fake.restores, restores + 1);
	KUNIT_EXPECT_EQ(test, fake.depth, 0);
	rcu_assign_pointer(current->perf_counter_stack, NULL);
	perf_counter_recorder_del(CALLS);
	switch_to_task(current, tasks[1]);
}

static void a_recorder_that_was_taken_back_records_nothing(struct kunit *test)
{
	guard(irqsave)();
	perf_counter_halt_recorder(true);
	add_for(test, tasks[0], USER | PERF_COUNTER_BRANCH_RET);
	KUNIT_EXPECT_EQ(test, fake.what, 0);
	perf_counter_halt_recorder(false);
	switch_to_task(tasks[0], tasks[1]);
	KUNIT_EXPECT_EQ(test, fake.what, USER | PERF_COUNTER_BRANCH_RET);
	perf_counter_recorder_del(USER | PERF_COUNTER_BRANCH_RET);
	switch_to_task(tasks[1], tasks[0]);
}

/* === In a sample === */

#define KERNEL_ADDR	((u64)TASK_SIZE_MAX + 0x1000)

/* One that interrupts the kernel. */
static DEFINE_PER_CPU(struct perf_counter_pmu_cpu, interrupting_cpu);
static const struct perf_counter_pmu interrupting_pmu = { .cpu = &interrupting_cpu };

/* What samples of @pmu may have. */
static int init_branches(struct perf_counter_desc *desc, const struct perf_counter_pmu *pmu)
{
	desc->pmu = pmu;
	return perf_counter_branches_init(desc);
}

/* What samples have, whose branch_sample_type is that, of the entries of fake. */
static struct perf_counter_branches *branches_of(struct kunit *test, u64 asked)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = asked,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_branches *branches;
	struct perf_branch_entry entry;

	/* Of an interrupt, as it captured them. */
	KUNIT_ASSERT_EQ(test, init_branches(desc, &interrupting_pmu), 0);
	guard(irqsave)();
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(desc->branches));
	entry = fake.entries[0];
	perf_counter_capture_branches();
	fake.entries[0].from = 0;
	branches = perf_counter_branches_get(desc);
	fake.entries[0] = entry;
	KUNIT_ASSERT_NOT_NULL(test, branches);
	KUNIT_EXPECT_NULL(test, perf_counter_branches_get(desc));
	perf_counter_branches_put(branches);
	perf_counter_recorder_del(desc->branches);
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
			/* Not a branch, but a mark. */
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
		/* From user to user, user to kernel, kernel to user, kernel to kernel. */
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

static void branches_say_what_was_asked(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, branches->index, 3);
	/* Those would leave no room for others. */
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
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(desc->branches));
	fake.nr = 0;
	perf_counter_capture_branches();
	fake.nr = 1;
	fake.entries[0] = (struct perf_branch_entry) { .from = 0x1000, .to = 0x2000 };
	branches = perf_counter_branches_get(desc);
	KUNIT_ASSERT_NOT_NULL(test, branches);
	KUNIT_EXPECT_EQ(test, branches->nr, 1);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x1000);
	perf_counter_branches_put(branches);
	perf_counter_recorder_del(desc->branches);
}

static void what_was_captured_is_of_one_interrupt(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	struct perf_counter_branches *branches;
	u64 nr;

	KUNIT_ASSERT_EQ(test, init_branches(desc, &interrupting_pmu), 0);
	guard(irqsave)();
	KUNIT_ASSERT_TRUE(test, perf_counter_recorder_add(desc->branches));
	fake.nr = 2;
	perf_counter_capture_branches();
	/* It is being started: an overflow finds it off, and captures nothing. */
	fake.what = 0;
	branches = perf_counter_branches_get(desc);
	KUNIT_ASSERT_NOT_NULL(test, branches);
	nr = branches->nr;
	perf_counter_branches_put(branches);
	KUNIT_EXPECT_EQ(test, nr, 0);
	KUNIT_EXPECT_EQ(test, branches->index, -1ULL);
	perf_counter_recorder_del(desc->branches);
	desc->pmu = &perf_counter_sw_pmu;
}

/*
 * An event that the reading of branches raises in the same context is missed, and gives back the
 * buffer of its call chain.
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
	const struct perf_counter_sample sample = { .ip = 1 };
	struct perf_counter_branches *branches;
	static struct pt_regs regs;

	KUNIT_ASSERT_EQ(test, perf_counter_branches_init(desc), 0);
	scoped_guard(preempt) {
		branches = perf_counter_branches_get(desc);
		perf_counter_output_sample(&desc->first, &sample, &regs);
		perf_counter_branches_put(branches);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->missed), 1);
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 0);

	scoped_guard(preempt)
		perf_counter_output_sample(&desc->first, &sample, &regs);
	KUNIT_EXPECT_EQ(test, atomic64_read(&desc->missed), 1);
	/* The header, the numbers of frames and of branches. */
	KUNIT_EXPECT_EQ(test, buffer->control->data_head, 3 * sizeof(u64));
}

static void branches_that_cannot_be_are_refused(struct kunit *test)
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

/* An attr that names no privilege asks for the branches of the modes that it counts in. */
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
	/* What is named stays as it is. */
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_EQ(test, perf_counter_check_branches(&attr), 0);
	KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
			PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
}

/* A counter for which the recorder or the PMU has no room leaves nothing in the recorder. */
static void counter_without_room_records_nothing(struct kunit *test)
{
	static const struct perf_counter_attr attr;
	struct perf_counter_ctx *ctx = test_ctx(test, NULL);
	struct perf_counter_desc *desc = test_desc(test, &attr, &test_pmu_ops);

	desc->branches = USER | PERF_COUNTER_BRANCH_RET;
	desc->first.with = WITH_BRANCHES;
	guard(irqsave)();
	test_start(ctx, 0);
	/* Another counter has the recorder keep a stack of calls: no other branches then. */
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

/* A PMU that counts how often it is held for branches, less how often it is let go. */
static int held, hold_error;

static int fake_hold(const struct perf_counter_pmu *pmu)
{
	held += !hold_error;
	return hold_error;
}

static void fake_let_go(const struct perf_counter_pmu *pmu)
{
	held--;
}

static const struct perf_counter_pmu holding_pmu = {
	.hold	= fake_hold,
	.let_go	= fake_let_go,
};

/* An event that is not of the recorder's PMU holds that PMU as long as it is open. */
static void software_holds_the_recorders_pmu(struct kunit *test)
{
	struct perf_counter_attr attr = {
		.config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
	};
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);
	const struct perf_counter_pmu *machine_pmu =
		perf_counter_set_recorder_pmu(&holding_pmu, &fake_recorder);

	held = 0;
	hold_error = 0;
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(desc), 0);
	KUNIT_EXPECT_EQ(test, held, 1);
	/* A loaded counter has the recorder run. */
	KUNIT_EXPECT_TRUE(test, desc->needs_load);
	perf_counter_branches_close(desc);
	KUNIT_EXPECT_EQ(test, held, 0);

	hold_error = -EBUSY;
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(desc), -EBUSY);
	KUNIT_EXPECT_EQ(test, held, 0);

	/* Its own events hold it already. */
	hold_error = 0;
	desc->pmu = &holding_pmu;
	KUNIT_EXPECT_EQ(test, perf_counter_branches_open(desc), 0);
	perf_counter_branches_close(desc);
	KUNIT_EXPECT_EQ(test, held, 0);
	desc->pmu = &perf_counter_sw_pmu;

	perf_counter_set_recorder_pmu(machine_pmu, &fake_recorder);
}

/* Of a descriptor that is refused, the PMU is held no more, and no less, than before. */
static void a_refused_descriptor_leaves_the_pmu_as_it_was(struct kunit *test)
{
	/* Only a PMU has those registers. */
	struct perf_counter_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1,
		.sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = PERF_REG_EXTENDED_MASK,
	};
	const struct perf_counter_pmu *machine_pmu;

	if (!PERF_REG_EXTENDED_MASK)
		kunit_skip(test, "no such registers on this architecture");
	machine_pmu = perf_counter_set_recorder_pmu(&holding_pmu, &fake_recorder);
	held = 0;
	hold_error = 0;
	KUNIT_EXPECT_TRUE(test, IS_ERR(perf_counter_desc_alloc(&attr, true, -1, NULL)));
	KUNIT_EXPECT_EQ(test, held, 0);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	KUNIT_EXPECT_TRUE(test, IS_ERR(perf_counter_desc_alloc(&attr, true, -1, NULL)));
	KUNIT_EXPECT_EQ(test, held, 0);

	perf_counter_set_recorder_pmu(machine_pmu, &fake_recorder);
}

/* The sample of a software event has those that its filter lets through, and no others. */
static void branches_of_software_are_filtered(struct kunit *test)
{
	struct perf_counter_desc *desc = software_desc(test);
	struct perf_counter_branches *branches;

	fake.nr = 3;
	fake.entries[0] = (struct perf_branch_entry) { .from = 0x1000, .to = KERNEL_ADDR };
	fake.entries[1] = (struct perf_branch_entry) { .from = 0x3000, .to = 0x4000 };
	fake.entries[2] = (struct perf_branch_entry) { .from = KERNEL_ADDR, .to = 0x5000 };
	guard(irqsave)();
	KUNIT_EXPECT_TRUE(test, perf_counter_recorder_add(desc->branches));
	branches = perf_counter_branches_get(desc);
	KUNIT_EXPECT_EQ(test, branches->nr, 1);
	KUNIT_EXPECT_EQ(test, branches->entries[0].from, 0x3000);
	perf_counter_branches_put(branches);
	perf_counter_recorder_del(desc->branches);
}

static struct kunit_case branch_cases[] = {
	KUNIT_CASE(branches_are_forgotten_at_a_switch),
	KUNIT_CASE(a_new_counter_sees_nothing_of_tasks_that_ran_untold),
	KUNIT_CASE(branches_of_the_kernel_are_those_of_its_threads_too),
	KUNIT_CASE(all_that_somebody_wants_is_recorded),
	KUNIT_CASE(calls_are_there_again_when_their_task_runs),
	KUNIT_CASE(calls_come_back_where_the_cpu_lost_them_in_its_sleep),
	KUNIT_CASE(calls_of_another_task_are_not_saved),
	KUNIT_CASE(child_of_a_fork_has_no_call_stack_yet),
	KUNIT_CASE(nothing_is_saved_of_a_recorder_that_records_nothing),
	KUNIT_CASE(a_recorder_goes_on_where_the_hardware_stopped),
	KUNIT_CASE(who_has_no_memory_has_an_empty_stack),
	KUNIT_CASE(what_others_left_is_nobodys),
	KUNIT_CASE(an_exec_forgets),
	KUNIT_CASE(a_recorder_that_was_taken_back_records_nothing),
	KUNIT_CASE(branches_are_filtered_by_type),
	KUNIT_CASE(branches_are_filtered_by_privilege),
	KUNIT_CASE(branches_say_what_was_asked),
	KUNIT_CASE(software_reads_the_branches_itself),
	KUNIT_CASE(software_holds_the_recorders_pmu),
	KUNIT_CASE(a_refused_descriptor_leaves_the_pmu_as_it_was),
	KUNIT_CASE(branches_of_software_are_filtered),
	KUNIT_CASE(what_was_captured_is_of_one_interrupt),
	KUNIT_CASE(sample_is_missed_while_branches_are_read),
	KUNIT_CASE(branches_that_cannot_be_are_refused),
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

// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the states of tasks: which task has one, from when on, and that a fork which runs
 * at the same time is not missed.
 */

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "../record/record.h"
#include "test.h"

/* Number of forks in the race of forks and opens. */
#define FORKS	200

/* Maximum time until a fork in progress has ended on a busy host, in jiffies. */
#define LATE	(30 * HZ)

/* A fork leaves nothing in a task without a state, and its child has no state either. */
static void fork_of_a_task_without_a_state_leaves_none(struct kunit *test)
{
	struct task_struct *child = test_task(test);
	int failed;

	KUNIT_ASSERT_NULL(test, current->perf_counter);
	for (failed = 0; failed < 2; failed++) {
		KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
		KUNIT_EXPECT_PTR_EQ(test, current->perf_counter, PERF_COUNTER_FORKING);
		KUNIT_EXPECT_NULL(test, perf_counter_task_state(current));
		KUNIT_EXPECT_NULL(test, perf_counter_task_ctx(current));
		if (failed)
			perf_counter_free_task(child);
		else
			perf_counter_fork(child);
		KUNIT_EXPECT_NULL(test, current->perf_counter);
		KUNIT_EXPECT_NULL(test, child->perf_counter);
	}
}

/* A task that gets its state during a fork has an odd number of begins and ends of forks. */
static void state_that_comes_during_a_fork_knows_of_it(struct kunit *test)
{
	struct task_struct *child = test_task(test);
	struct perf_counter_task *state;

	KUNIT_ASSERT_NULL(test, current->perf_counter);
	KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
	state = test_state(test, current);
	KUNIT_EXPECT_PTR_EQ(test, current->perf_counter, state);
	KUNIT_EXPECT_TRUE(test, state->forks & 1);
	perf_counter_fork(child);
	KUNIT_EXPECT_PTR_EQ(test, current->perf_counter, state);
	KUNIT_EXPECT_FALSE(test, state->forks & 1);

	/* Another caller gets the same state. */
	KUNIT_EXPECT_PTR_EQ(test, perf_counter_state_get(current), state);
	KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_TRUE(test, state->forks & 1);
	perf_counter_free_task(child);
	KUNIT_EXPECT_FALSE(test, state->forks & 1);
}

/* Each hook that stores something for any task does nothing for a task without a state. */
static void hooks_expect_a_task_without_a_state(struct kunit *test)
{
	struct task_struct *task = test_task(test);
	unsigned long flags;

	KUNIT_ASSERT_NULL(test, current->perf_counter);
	local_irq_save(flags);
	__perf_counter_task_migrate(task);
	perf_counter_off_cpu_stop(perf_counter_clock());
	perf_counter_off_cpu_new(task);
	perf_counter_off_cpu_start(perf_counter_clock(), _THIS_IP_, NULL);
	__perf_counter_sched_out(current, task);
	__perf_counter_sched_in(task, current);
	local_irq_restore(flags);
	perf_counter_record_exit(NULL);
	preempt_disable();
	__perf_counter_task_dead(task);
	preempt_enable();
	__perf_counter_comm(task, true);
	perf_counter_branches_exec();
	KUNIT_EXPECT_EQ(test, perf_counter_task_enable(), 0);
	KUNIT_EXPECT_EQ(test, perf_counter_task_disable(), 0);
	KUNIT_EXPECT_NULL(test, current->perf_counter);
	KUNIT_EXPECT_NULL(test, task->perf_counter);
}

static int child_has_a_state(void *arg)
{
	bool *has_state = arg;

	*has_state = perf_counter_task_state(current);
	do_exit(0);
}

static bool a_task_has_no_state(void)
{
	struct task_struct *process, *task;

	guard(rcu)();
	for_each_process_thread(process, task) {
		if (!perf_counter_task_state(task))
			return true;
	}
	return false;
}

/* While at least one descriptor wants states, all tasks except idle ones have a state. */
static void all_tasks_have_a_state_while_one_wants_it(struct kunit *test)
{
	unsigned long patience = jiffies + LATE;
	bool has_state = true;
	int cpu;

	test_run_child(test, child_has_a_state, &has_state);
	KUNIT_EXPECT_FALSE(test, has_state);

	KUNIT_ASSERT_EQ(test, perf_counter_states_open(), 0);
	/* A new task is visible before its fork gives it a state. */
	while (a_task_has_no_state() && time_before(jiffies, patience))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_FALSE(test, a_task_has_no_state());
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_NULL(test, idle_task(cpu)->perf_counter);
	KUNIT_EXPECT_NULL(test, init_task.perf_counter);
	test_run_child(test, child_has_a_state, &has_state);
	KUNIT_EXPECT_TRUE(test, has_state);

	KUNIT_ASSERT_EQ(test, perf_counter_states_open(), 0);
	perf_counter_states_close();
	test_run_child(test, child_has_a_state, &has_state);
	KUNIT_EXPECT_TRUE(test, has_state);
	perf_counter_states_close();
	test_run_child(test, child_has_a_state, &has_state);
	/* The parent keeps its state, and the child gets none. */
	KUNIT_EXPECT_NOT_NULL(test, perf_counter_task_state(current));
	KUNIT_EXPECT_FALSE(test, has_state);
}

/* Descriptors of CPUs want the states if hooks store something for them. */
static void descriptors_of_cpus_want_the_states(struct kunit *test)
{
	static const struct {
		struct perf_counter_attr	attr;
		bool				wants;
	} cases[] = {
		{ { .config = PERF_COUNT_SW_DUMMY }, false },
		{ { .config = PERF_COUNT_SW_CONTEXT_SWITCHES }, false },
		{ { .config = PERF_COUNT_SW_CPU_MIGRATIONS }, true },
		{ { .config = PERF_COUNT_SW_OFF_CPU }, true },
	};
	struct perf_counter_attr attr;
	struct perf_counter_desc *desc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		attr = cases[i].attr;
		attr.type = PERF_TYPE_SOFTWARE;
		desc = perf_counter_kernel_open(&attr, NULL, 0, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
		KUNIT_EXPECT_EQ_MSG(test, perf_counter_state_users, cases[i].wants, "case %u", i);
		perf_counter_kernel_close(desc);
		KUNIT_EXPECT_EQ(test, perf_counter_state_users, 0);

		/* A descriptor of a task wants no state but the task's. */
		desc = perf_counter_kernel_open(&attr, current, -1, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
		KUNIT_EXPECT_EQ(test, perf_counter_state_users, 0);
		KUNIT_EXPECT_NOT_NULL(test, perf_counter_task_ctx(current));
		perf_counter_kernel_close(desc);
	}
}

/* A child that became visible after the search for tasks gets its state from the fork. */
static void fork_that_began_before_gives_a_state(struct kunit *test)
{
	struct task_struct *child = test_task(test);

	KUNIT_EXPECT_EQ(test, perf_counter_init_task(child), 0);
	KUNIT_EXPECT_NULL(test, child->perf_counter);
	KUNIT_ASSERT_EQ(test, perf_counter_states_open(), 0);
	KUNIT_EXPECT_NULL(test, child->perf_counter);
	KUNIT_EXPECT_TRUE(test, perf_counter_task_state(current)->forks & 1);
	perf_counter_fork(child);
	KUNIT_EXPECT_NOT_NULL(test, perf_counter_task_state(child));
	KUNIT_EXPECT_FALSE(test, perf_counter_task_state(current)->forks & 1);
	perf_counter_states_close();
}

/**
 * struct race - opens while another task forks
 * @opened: all tasks have a state, and children get one
 * @stop: the test asks the opener to end
 * @wrong: number of errors seen
 * @opener: completed when the opener ends
 */
struct race {
	bool			opened;
	bool			stop;
	atomic_t		wrong;
	struct completion	opener;
};

static int open_and_close(void *arg)
{
	struct race *race = arg;

	while (!READ_ONCE(race->stop)) {
		if (perf_counter_states_open()) {
			atomic_inc(&race->wrong);
			break;
		}
		/* Pairs with the acquire in child_of_the_race(). */
		smp_store_release(&race->opened, true);
		cond_resched();
		WRITE_ONCE(race->opened, false);
		perf_counter_states_close();
		cond_resched();
	}
	complete(&race->opener);
	return 0;
}

static int child_of_the_race(void *arg)
{
	struct race *race = arg;

	/* Pairs with the release in open_and_close(): the child sees its state. */
	if (smp_load_acquire(&race->opened) && !perf_counter_task_state(current))
		atomic_inc(&race->wrong);
	do_exit(0);
}

static void no_task_is_missed_while_others_fork(struct kunit *test)
{
	struct race race = { .wrong = ATOMIC_INIT(0) };
	unsigned int i;

	init_completion(&race.opener);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(open_and_close, &race, "opener")));
	for (i = 0; i < FORKS; i++)
		test_run_child(test, child_of_the_race, &race);
	WRITE_ONCE(race.stop, true);
	wait_for_completion(&race.opener);
	KUNIT_EXPECT_EQ(test, atomic_read(&race.wrong), 0);
}

static struct kunit_case task_cases[] = {
	KUNIT_CASE(fork_of_a_task_without_a_state_leaves_none),
	KUNIT_CASE(state_that_comes_during_a_fork_knows_of_it),
	KUNIT_CASE(hooks_expect_a_task_without_a_state),
	KUNIT_CASE(all_tasks_have_a_state_while_one_wants_it),
	KUNIT_CASE(descriptors_of_cpus_want_the_states),
	KUNIT_CASE(fork_that_began_before_gives_a_state),
	KUNIT_CASE(no_task_is_missed_while_others_fork),
	{}
};

static struct kunit_suite task_suite = {
	.name		= "perf_counter_task",
	.test_cases	= task_cases,
};

kunit_test_suite(task_suite);

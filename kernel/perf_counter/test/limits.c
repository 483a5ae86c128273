// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of work whose size a user chooses: it lets others run, ends with its task, and
 * does not start again for what other tasks do.
 */

#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/wait_bit.h>

#include "test.h"

/* === Tasks that end while their group is read === */

#define EVENTS	5

/**
 * struct child - A child that ends when it may
 * @task: the child
 * @ends: it may end
 */
struct child {
	struct task_struct	*task;
	bool			ends;
};

static int child_waits(void *arg)
{
	struct child *child = arg;

	test_raise(EVENTS);
	store_release_wake_up(&child->task, current);
	wait_var_event(&child->ends, smp_load_acquire(&child->ends));
	do_exit(0);
}

/* Does a task wait for the mutex of @desc? */
static bool is_waited_for(struct perf_counter_desc *desc)
{
	bool waits;

	raw_spin_lock(&desc->mutex.wait_lock);
	waits = !list_empty(&desc->mutex.wait_list);
	raw_spin_unlock(&desc->mutex.wait_lock);
	return waits;
}

/*
 * Whoever reads a group holds the leader's mutex. Until it is given back, all counters of a task
 * that ends are where they were, those of members included: the reader finds each of them once
 * and need not look again.
 */
static void group_stands_still_for_its_reader(struct kunit *test)
{
	const struct perf_counter_attr attr = { .config = PERF_COUNT_SW_DUMMY, .inherit = 1 };
	struct perf_counter_desc *leader = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *member = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *locked;
	struct child child = {};
	pid_t pid;

	test_join_current(test, leader, NULL);
	test_join_current(test, member, leader);
	rcu_assign_pointer(member->leader, leader);
	/* Children of those who ignore the signal cannot be waited for. */
	kernel_sigaction(SIGCHLD, SIG_DFL);
	pid = user_mode_thread(child_waits, &child, SIGCHLD);
	KUNIT_ASSERT_GT(test, pid, 0);
	wait_var_event(&child.task, smp_load_acquire(&child.task));

	locked = perf_counter_group_lock(member);
	KUNIT_EXPECT_PTR_EQ(test, locked, leader);
	store_release_wake_up(&child.ends, true);
	/* The end of the member, or of the leader if the former did not wait. */
	while (!is_waited_for(leader))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&member->gone_count), 0);
	KUNIT_EXPECT_FALSE(test, list_is_singular(&member->counters));
	perf_counter_group_unlock(locked);

	KUNIT_EXPECT_EQ(test, kernel_wait(pid, NULL), pid);
	kernel_sigaction(SIGCHLD, SIG_IGN);
	KUNIT_EXPECT_EQ(test, atomic64_read(&member->gone_count), EVENTS);
	KUNIT_EXPECT_EQ(test, atomic64_read(&leader->gone_count), EVENTS);
	rcu_assign_pointer(member->leader, member);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(group_stands_still_for_its_reader),
	{}
};

static struct kunit_suite limits_suite = {
	.name		= "perf_counter_limits",
	.test_cases	= limits_cases,
};

kunit_test_suite(limits_suite);

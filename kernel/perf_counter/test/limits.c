// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of work whose size a user chooses: it lets others run, ends with its task, and
 * does not start again for what other tasks do.
 */

#include <linux/kernel.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/wait_bit.h>

#include "test.h"

/* === Very many mappings === */

#define MAPPINGS	3

/**
 * struct unmapping - What was seen while mappings were recorded
 * @names: names that were asked for, one for each record
 * @held_up: of them, those for which the CPU had not been given up since the last
 */
static struct unmapping {
	unsigned int	names;
	unsigned int	held_up;
} unmapping;

/* The scheduler wants the CPU from here on, until the thread gives it up. */
static const char *mapping_name(struct vm_area_struct *vma)
{
	unmapping.names++;
	unmapping.held_up += test_tsk_need_resched(current);
	set_tsk_need_resched(current);
	/* Where the count of preemption has the flag as well, cond_resched() looks there. */
	set_preempt_need_resched();
	return "[mapping]";
}

static const struct vm_operations_struct mapping_ops = { .name = mapping_name };

/* Have the current thread record that MAPPINGS mappings are gone. Returns how many records. */
static unsigned int unmap(struct kunit *test)
{
	struct maple_tree tree = MTREE_INIT(tree, MT_FLAGS_LOCK_EXTERN);
	struct vm_area_struct *vma;
	struct ma_state mas;
	unsigned int i;

	mt_on_stack(tree);
	mas_init(&mas, &tree, 0);
	vma = kunit_kcalloc(test, MAPPINGS, sizeof(*vma), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vma);
	for (i = 0; i < MAPPINGS; i++) {
		vma[i].vm_start = i * PAGE_SIZE;
		vma[i].vm_end = vma[i].vm_start + PAGE_SIZE;
		vm_flags_init(&vma[i], VM_EXEC);
		vma[i].vm_ops = &mapping_ops;
		mas_set(&mas, i);
		KUNIT_ASSERT_EQ(test, mas_store_gfp(&mas, &vma[i], GFP_KERNEL), 0);
	}
	memset(&unmapping, 0, sizeof(unmapping));
	__perf_counter_munmap(&mas);
	__mt_destroy(&tree);
	return unmapping.names;
}

static void watch_mappings(struct kunit *test)
{
	const struct perf_counter_attr attr = { .config = PERF_COUNT_SW_DUMMY, .munmap = 1 };
	struct perf_counter_desc *desc = test_desc(test, &attr, &perf_counter_sw_pmu);

	desc->sideband = true;
	test_buffer(test, desc);
	test_join_current(test, desc, NULL);
}

static void mappings_let_others_run(struct kunit *test)
{
	unsigned int tries = 10;

	watch_mappings(test);
	/* A tick may want the CPU as well, between two mappings. */
	do {
		KUNIT_EXPECT_EQ(test, unmap(test), MAPPINGS);
	} while (unmapping.held_up && --tries);
	KUNIT_EXPECT_EQ(test, unmapping.held_up, 0);
}

/* While the thread is being killed, it stops after the mapping that it is at. */
static void mappings_end_with_their_task(struct kunit *test)
{
	unsigned int records;

	watch_mappings(test);
	spin_lock_irq(&current->sighand->siglock);
	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	spin_unlock_irq(&current->sighand->siglock);
	KUNIT_EXPECT_TRUE(test, fatal_signal_pending(current));
	records = unmap(test);

	spin_lock_irq(&current->sighand->siglock);
	sigdelset(&current->pending.signal, SIGKILL);
	recalc_sigpending();
	spin_unlock_irq(&current->sighand->siglock);
	KUNIT_EXPECT_EQ(test, records, 1);
}

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
	/* Partner: the release where the test lets it end. */
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
	/* Partner: the release in child_waits(). */
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

/* === Descriptors that outlive the task that opened them === */

/* A descriptor keeps its owner's task_struct no longer than the owner lives. */
static void descriptors_keep_no_dead_task(struct kunit *test)
{
	const struct perf_counter_attr attr = { .config = PERF_COUNT_SW_DUMMY };
	struct perf_counter_desc *passed_on = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *closed = test_desc(test, &attr, &perf_counter_sw_pmu);
	unsigned int before = refcount_read(&current->usage);

	passed_on->owner = get_task_struct(current);
	list_add_tail(&passed_on->owner_node, &current->perf_counter_owned);
	closed->owner = get_task_struct(current);
	list_add_tail(&closed->owner_node, &current->perf_counter_owned);

	perf_counter_leave_owner(closed);
	KUNIT_EXPECT_PTR_EQ(test, closed->owner, NULL);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), before + 1);
	perf_counter_disown(current);
	KUNIT_EXPECT_PTR_EQ(test, passed_on->owner, NULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&current->perf_counter_owned));
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), before);
	perf_counter_leave_owner(passed_on);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), before);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(mappings_let_others_run),
	KUNIT_CASE(mappings_end_with_their_task),
	KUNIT_CASE(group_stands_still_for_its_reader),
	KUNIT_CASE(descriptors_keep_no_dead_task),
	{}
};

static struct kunit_suite limits_suite = {
	.name		= "perf_counter_limits",
	.test_cases	= limits_cases,
};

kunit_test_suite(limits_suite);

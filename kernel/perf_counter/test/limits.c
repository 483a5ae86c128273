// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of work whose amount a user chooses: such work reschedules, stops when its task is
 * killed, and is not repeated when other tasks exit.
 */

#include <linux/kernel.h>
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/wait_bit.h>

#include "test.h"

/* === Many mappings === */

#define MAPPINGS	3

/**
 * struct unmapping - observations while mappings are recorded
 * @names: number of lookups of a name, one for each record
 * @held_up: number of lookups without a reschedule since the previous lookup
 */
static struct unmapping {
	unsigned int	names;
	unsigned int	held_up;
} unmapping;

/* Request a reschedule at each lookup of a name. */
static const char *mapping_name(struct vm_area_struct *vma)
{
	unmapping.names++;
	unmapping.held_up += test_tsk_need_resched(current);
	set_tsk_need_resched(current);
	/* On some architectures, cond_resched() reads the flag in the preemption count. */
	set_preempt_need_resched();
	return "[mapping]";
}

static const struct vm_operations_struct mapping_ops = { .name = mapping_name };

/*
 * Record in the current thread that MAPPINGS mappings are unmapped. Returns the number
 * of records.
 */
static unsigned int record_unmaps(struct kunit *test)
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

	desc->records.plan.sideband = true;
	test_buffer(test, desc);
	test_join_current(test, desc, NULL);
}

static void recording_mappings_reschedules(struct kunit *test)
{
	unsigned int tries = 10;

	watch_mappings(test);
	/* A tick may reschedule, too, between two mappings. */
	do {
		KUNIT_EXPECT_EQ(test, record_unmaps(test), MAPPINGS);
	} while (unmapping.held_up && --tries);
	KUNIT_EXPECT_EQ(test, unmapping.held_up, 0);
}

/* While the thread is being killed, recording stops after the current mapping. */
static void recording_mappings_ends_with_the_task(struct kunit *test)
{
	unsigned int records;

	watch_mappings(test);
	spin_lock_irq(&current->sighand->siglock);
	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	spin_unlock_irq(&current->sighand->siglock);
	KUNIT_EXPECT_TRUE(test, fatal_signal_pending(current));
	records = record_unmaps(test);

	spin_lock_irq(&current->sighand->siglock);
	sigdelset(&current->pending.signal, SIGKILL);
	recalc_sigpending();
	spin_unlock_irq(&current->sighand->siglock);
	KUNIT_EXPECT_EQ(test, records, 1);
}

/* === Tasks that exit while their group is read === */

#define EVENTS	5

/**
 * struct child - a child that exits when the test allows it
 * @task: task of the child
 * @ends: flag: the child may exit
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
	/* Pairs with the release in the test, which allows the child to exit. */
	wait_var_event(&child->ends, smp_load_acquire(&child->ends));
	do_exit(0);
}

/* Test whether a task waits for the mutex of @desc. */
static bool is_waited_for(struct perf_counter_desc *desc)
{
	bool waits;

	raw_spin_lock(&desc->mutex.wait_lock);
	waits = !list_empty(&desc->mutex.wait_list);
	raw_spin_unlock(&desc->mutex.wait_lock);
	return waits;
}

/*
 * The reader of a group holds the leader's mutex. Until it is released, the counters of
 * an exiting task stay in place, those of members included: the reader finds each
 * counter once and need not read again.
 */
static void group_is_stable_while_it_is_read(struct kunit *test)
{
	const struct perf_counter_attr attr = { .config = PERF_COUNT_SW_DUMMY, .inherit = 1 };
	struct perf_counter_desc *leader = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *member = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *locked;
	struct child child = {};
	pid_t pid;

	test_join_current(test, leader, NULL);
	test_join_current(test, member, leader);
	rcu_assign_pointer(member->group.leader, leader);
	/* If SIGCHLD is ignored, children cannot be waited for. */
	kernel_sigaction(SIGCHLD, SIG_DFL);
	pid = user_mode_thread(child_waits, &child, SIGCHLD);
	KUNIT_ASSERT_GT(test, pid, 0);
	/* Pairs with the release in child_waits(). */
	wait_var_event(&child.task, smp_load_acquire(&child.task));

	locked = perf_counter_group_lock(member);
	KUNIT_EXPECT_PTR_EQ(test, locked, leader);
	store_release_wake_up(&child.ends, true);
	/*
	 * The exit waits for the mutex of the member, or of the leader if it did not
	 * wait there.
	 */
	while (!is_waited_for(leader))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&member->exited.count), 0);
	KUNIT_EXPECT_FALSE(test, list_is_singular(&member->counters));
	perf_counter_group_unlock(locked);

	KUNIT_EXPECT_EQ(test, kernel_wait(pid, NULL), pid);
	kernel_sigaction(SIGCHLD, SIG_IGN);
	KUNIT_EXPECT_EQ(test, atomic64_read(&member->exited.count), EVENTS);
	KUNIT_EXPECT_EQ(test, atomic64_read(&leader->exited.count), EVENTS);
	rcu_assign_pointer(member->group.leader, member);
}

/* === Descriptors that outlive the task that opened them === */

/* A descriptor does not keep the task_struct of its owner after the owner has exited. */
static void descriptor_keeps_no_exited_task(struct kunit *test)
{
	const struct perf_counter_attr attr = { .config = PERF_COUNT_SW_DUMMY };
	struct perf_counter_desc *passed_on = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_desc *closed = test_desc(test, &attr, &perf_counter_sw_pmu);
	struct perf_counter_task *state = test_state(test, current);
	unsigned int before = refcount_read(&current->usage);

	passed_on->owner.task = get_task_struct(current);
	list_add_tail(&passed_on->owner.node, &state->owned.descs);
	closed->owner.task = get_task_struct(current);
	list_add_tail(&closed->owner.node, &state->owned.descs);

	perf_counter_leave_owner(closed);
	KUNIT_EXPECT_PTR_EQ(test, closed->owner.task, NULL);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), before + 1);
	perf_counter_disown(current);
	KUNIT_EXPECT_PTR_EQ(test, passed_on->owner.task, NULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&state->owned.descs));
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), before);
	perf_counter_leave_owner(passed_on);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), before);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(recording_mappings_reschedules),
	KUNIT_CASE(recording_mappings_ends_with_the_task),
	KUNIT_CASE(group_is_stable_while_it_is_read),
	KUNIT_CASE(descriptor_keeps_no_exited_task),
	{}
};

static struct kunit_suite limits_suite = {
	.name		= "perf_counter_limits",
	.test_cases	= limits_cases,
};

kunit_test_suite(limits_suite);

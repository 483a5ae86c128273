// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of page faults, from the fault to the count that a program reads: the test's thread
 * gets memory of a program, and touches pages of it for the first time.
 */

#include <linux/mman.h>
#include <linux/uaccess.h>

#include "test.h"

#define NR_PAGES	5

static const struct perf_counter_attr faults = {
	.type		= PERF_TYPE_SOFTWARE,
	.config		= PERF_COUNT_SW_PAGE_FAULTS,
};

static void close_action(void *desc)
{
	perf_counter_desc_close(desc);
	perf_counter_desc_put(desc);
}

/* Open a counter of the test's thread with @attr, as the system call does. */
static struct perf_counter_desc *open_own(struct kunit *test, const struct perf_counter_attr *attr)
{
	struct perf_counter_attr checked = *attr;
	struct perf_counter_plan plan;
	struct perf_counter_desc *desc;

	KUNIT_ASSERT_EQ(test, 0, perf_counter_check_attr(&checked));
	perf_counter_plan_records(&plan, &checked);
	desc = perf_counter_desc_alloc(&checked, &plan, true, -1, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, desc);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, close_action, desc));
	KUNIT_ASSERT_EQ(test, 0, perf_counter_attach_task(desc, current, NULL));
	return desc;
}

/* Return the address of @nr pages that the test's thread has not touched yet. */
static u8 __user *new_pages(struct kunit *test, unsigned int nr)
{
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, nr * PAGE_SIZE, PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	return (u8 __user *)addr;
}

/* Write a byte to each of @nr pages at @pages. */
static void touch(struct kunit *test, u8 __user *pages, unsigned int nr)
{
	while (nr--)
		KUNIT_ASSERT_EQ(test, 0, put_user(1, pages + nr * PAGE_SIZE));
}

static void fault_counts_each_page_once(struct kunit *test)
{
	u8 __user *pages = new_pages(test, NR_PAGES);
	struct perf_counter_desc *desc = open_own(test, &faults);

	touch(test, pages, NR_PAGES);
	KUNIT_EXPECT_EQ(test, NR_PAGES, perf_counter_desc_value(desc).count);
	touch(test, pages, NR_PAGES);
	KUNIT_EXPECT_EQ(test, NR_PAGES, perf_counter_desc_value(desc).count);
}

static void fault_does_not_count_while_disabled(struct kunit *test)
{
	struct perf_counter_attr attr = faults;
	u8 __user *pages = new_pages(test, NR_PAGES);
	struct perf_counter_desc *desc;

	attr.disabled = 1;
	desc = open_own(test, &attr);
	touch(test, pages, NR_PAGES);
	KUNIT_EXPECT_EQ(test, 0, perf_counter_desc_value(desc).count);
}

/* The kernel writes to the pages, so a counter of user mode counts none of their faults. */
static void fault_is_of_a_mode(struct kunit *test)
{
	struct perf_counter_attr user = faults, kernel = faults;
	u8 __user *pages = new_pages(test, NR_PAGES);
	struct perf_counter_desc *in_user, *in_kernel;

	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	in_user = open_own(test, &user);
	in_kernel = open_own(test, &kernel);
	touch(test, pages, NR_PAGES);
	KUNIT_EXPECT_EQ(test, 0, perf_counter_desc_value(in_user).count);
	KUNIT_EXPECT_EQ(test, NR_PAGES, perf_counter_desc_value(in_kernel).count);
}

static void fault_count_is_read(struct kunit *test)
{
	u8 __user *pages = new_pages(test, NR_PAGES);
	u64 __user *buf = (u64 __user *)new_pages(test, 1);
	struct perf_counter_attr attr = faults;
	struct perf_counter_desc *desc;
	u64 id = 0, count = 0;

	/* Make the page of the buffer present. */
	touch(test, (u8 __user *)buf, 1);
	attr.read_format = PERF_FORMAT_ID;
	desc = open_own(test, &attr);
	touch(test, pages, NR_PAGES);
	KUNIT_EXPECT_EQ(test, -ENOSPC, perf_counter_read_desc(desc, (char __user *)buf, 8));
	KUNIT_EXPECT_EQ(test, 16, perf_counter_read_desc(desc, (char __user *)buf, 16));
	KUNIT_ASSERT_EQ(test, 0, get_user(count, buf));
	KUNIT_ASSERT_EQ(test, 0, get_user(id, buf + 1));
	KUNIT_EXPECT_EQ(test, NR_PAGES, count);
	KUNIT_EXPECT_EQ(test, desc->id, id);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(fault_counts_each_page_once),
	KUNIT_CASE(fault_does_not_count_while_disabled),
	KUNIT_CASE(fault_is_of_a_mode),
	KUNIT_CASE(fault_count_is_read),
	{}
};

static struct kunit_suite fault_suite = {
	.name		= "perf_counter_fault",
	.test_cases	= fault_cases,
};

kunit_test_suite(fault_suite);

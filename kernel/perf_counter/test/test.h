/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the KUnit tests of counters share: descriptors, buffers and
 * contexts made without a file, and contexts whose clock the test sets.
 */
#ifndef _KERNEL_PERF_COUNTER_TEST_H
#define _KERNEL_PERF_COUNTER_TEST_H

#include <kunit/test.h>

#include "../context/internal.h"
#include "../source/source.h"

/**
 * struct test_pmu - state of a PMU that only counts its calls
 * @adds: number of calls of add
 * @dels: number of calls of del
 * @add_error: return value of add
 * @count: value that read stores in each count; 0 to leave the count unchanged
 */
struct test_pmu {
	unsigned int	adds;
	unsigned int	dels;
	int		add_error;
	u64		count;
};

extern struct test_pmu test_pmu;
extern struct perf_counter_pmu test_pmu_ops;

struct perf_counter_desc *test_alloc_desc(const struct perf_counter_attr *attr, bool task, int cpu);
struct perf_counter_desc *test_desc(struct kunit *test, const struct perf_counter_attr *attr,
				    const struct perf_counter_pmu *pmu);
struct perf_counter_buffer *test_buffer(struct kunit *test, struct perf_counter_desc *desc);
struct perf_counter_buffer *test_large_buffer(struct kunit *test, struct perf_counter_desc *desc,
					      unsigned int nr_pages);

/* Tasks that do not run, and the states of tasks. */
struct task_struct *test_task(struct kunit *test);
struct perf_counter_task *test_state(struct kunit *test, struct task_struct *task);

/* Contexts with a clock that only the test sets, in ns. */
struct perf_counter_ctx *test_ctx(struct kunit *test, struct task_struct *task);
void test_start(struct perf_counter_ctx *ctx, u64 now);
void test_stop(struct perf_counter_ctx *ctx, u64 now);
void test_attach(struct perf_counter_ctx *ctx, struct perf_counter_desc *desc,
		 struct perf_counter_desc *leader, u64 now);
void test_detach(struct perf_counter_desc *desc, u64 now);
void test_enable(struct perf_counter_desc *desc, bool enabled, u64 now);
void test_expect(struct kunit *test, struct perf_counter_desc *desc, u64 now, u64 count,
		 u64 enabled, u64 running);

/* Attach the counter of @desc to the context of the current task, which is the test's thread. */
void test_join_current(struct kunit *test, struct perf_counter_desc *desc,
		       struct perf_counter_desc *leader);
/* Raise @nr software events of a number that only tests use, in the current task. */
void test_raise(u64 nr);
void test_run_child(struct kunit *test, int (*fn)(void *arg), void *arg);

#endif /* _KERNEL_PERF_COUNTER_TEST_H */

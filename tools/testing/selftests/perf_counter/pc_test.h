/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The assertions and main() of a test program, on top of kselftest's harness. A program includes
 * this header once; libpc itself is compiled without the harness.
 */
#ifndef PC_TEST_H
#define PC_TEST_H

#include "kselftest_harness.h"

#include "pc.h"

/* The reason for skipping a test on perf_events. */
#define PC_OURS "only perf_counter does this"

/*
 * Every test belongs to a fixture: TEST_F() shares the results of assertions with forked tasks.
 * The harness evaluates the timeout when it registers the test, before main().
 */
#define PC_TEST(fixture, name) TEST_F_TIMEOUT(fixture, name, pc_timeout())

/* Assertions about system calls. They add the text of errno to the message. */
#define ASSERT_OK(call)							\
	do {								\
		int __ret = (call);					\
									\
		ASSERT_EQ(0, __ret)					\
			TH_LOG("%s: %s", #call, strerror(errno));	\
	} while (0)

#define EXPECT_OK(call)							\
	do {								\
		int __ret = (call);					\
									\
		EXPECT_EQ(0, __ret)					\
			TH_LOG("%s: %s", #call, strerror(errno));	\
	} while (0)

#define ASSERT_FD(fd)							\
	do {								\
		int __fd = (fd);					\
									\
		ASSERT_LE(0, __fd)					\
			TH_LOG("%s: %s", #fd, strerror(errno));		\
	} while (0)

/* Expect that a call returns -1 with this errno. */
#define EXPECT_ERRNO(err, call)						\
	do {								\
		int __want = (err);					\
									\
		errno = 0;						\
		EXPECT_EQ(-1, (int)(call));				\
		EXPECT_EQ(__want, errno)				\
			TH_LOG("%s: %s, expected %s", #call,		\
			       strerror(errno), strerror(__want));	\
	} while (0)

/*
 * Expect NULL of a function that returns a description of what is wrong; the description is in
 * the message.
 */
#define ASSERT_RIGHT(call)						\
	do {								\
		const char *__wrong = (call);				\
									\
		ASSERT_EQ(NULL, __wrong)				\
			TH_LOG("%s", __wrong);				\
	} while (0)

#define EXPECT_RIGHT(call)						\
	do {								\
		const char *__wrong = (call);				\
									\
		EXPECT_EQ(NULL, __wrong)				\
			TH_LOG("%s", __wrong);				\
	} while (0)

/*
 * The main() of a test program. The program fails, and is not skipped, on a kernel without the
 * system call: a skipped program would hide that the system call was forgotten.
 */
static inline int pc_main(int argc, char **argv)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_SW_DUMMY);
	int fd = pc_open(&attr, 0, -1, -1);

	if (fd < 0) {
		printf("Bail out! cannot open a counter: %s; needs root and %s\n", strerror(errno),
		       "CONFIG_PERF_COUNTERS=y (or PC_BACKEND=perf_event)");
		return KSFT_FAIL;
	}
	close(fd);
	return test_harness_run(argc, argv);
}

/*
 * The main() of a program that tests a PMU. A machine without a PMU skips the program; with PC_PMU
 * in the environment there has to be one, and the program fails.
 */
static inline int pc_hw_main(int argc, char **argv)
{
	struct perf_counter_attr attr = pc_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int fd;

	attr.type = PERF_TYPE_HARDWARE;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = pc_open(&attr, 0, -1, -1);
	if (fd < 0 && errno == ENOENT && !getenv("PC_PMU")) {
		printf("1..0 # SKIP there is no PMU\n");
		return KSFT_SKIP;
	}
	close(fd);
	return pc_main(argc, argv);
}

#endif /* PC_TEST_H */

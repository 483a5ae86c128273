/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests that print TAP. Each runs in a process of its own: a crash is a
 * failure.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct test {
	const char	*name;
	void		(*run)(void);
};

#define TEST(function) { #function, function }
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define SKIP_STATUS 4

/* The number of failed checks in this test. */
static int nr_wrong;

#define CHECK(condition, ...) do {						\
	if (!(condition)) {							\
		nr_wrong++;							\
		printf("# %s:%d: %s: ", __FILE__, __LINE__, #condition);	\
		printf(__VA_ARGS__);						\
		printf("\n");							\
	}									\
} while (0)

#define CHECK_EQ(expected, got) do {						\
	unsigned long long check_e = (expected), check_g = (got);		\
										\
	CHECK(check_e == check_g, "%s is %llu, expected %llu", #got, check_g, check_e); \
} while (0)

/* Check that @text contains @part. */
#define CHECK_SAYS(text, part) do {						\
	const char *check_t = (text), *check_p = (part);			\
										\
	CHECK(strstr(check_t, check_p), "it says '%s', and not '%s'", check_t, check_p); \
} while (0)

/* Check a precondition, and end the test if it does not hold. */
#define NEED(condition, ...) do {						\
	CHECK(condition, __VA_ARGS__);						\
	if (nr_wrong)								\
		exit(1);							\
} while (0)

static inline void skip(const char *reason)
{
	printf("# SKIP %s\n", reason);
	exit(SKIP_STATUS);
}

static inline bool run_test(const struct test *test, unsigned int nr)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		test->run();
		exit(nr_wrong != 0);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIP_STATUS) {
		printf("ok %u - %s # SKIP\n", nr, test->name);
		return true;
	}
	printf("%sok %u - %s\n", status ? "not " : "", nr, test->name);
	return !status;
}

/*
 * Run all tests, or those with the given names. Return: the exit status of
 * main().
 */
static inline int run_tests(const struct test *tests, unsigned int nr, char **names)
{
	unsigned int i, n, chosen = 0;
	bool good = true;

	for (i = 0; i < nr; i++) {
		for (n = 0; names[n] && strcmp(names[n], tests[i].name); n++)
			;
		if (names[0] && !names[n])
			continue;
		good &= run_test(&tests[i], ++chosen);
	}
	printf("1..%u\n", chosen);
	return !good || !chosen;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The switches of a kernel with mutants. scripts/mutate builds this file into kernels of its
 * own, in which MUTANT(n) of a changed file is true while mutant n is on.
 *
 * On the command line as mutant.NAME=, and in /sys/module/mutant/parameters:
 *
 *   on		the number of the mutant that is on; 0: none
 *   hits	the mutants whose code was reached; writing clears them
 *   tests	a list of the KUnit tests to run: the next one has the number 0
 */

#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"mutant."

#define MUTANTS	4096
#define TESTS	1024

int perf_counter_mutant __read_mostly;
unsigned char perf_counter_mutant_hits[MUTANTS];

static DECLARE_BITMAP(chosen, TESTS);
static bool choose;
/* The number of the next test. */
static int test;

static int list_hits(char *buffer, size_t size)
{
	int n, len = 0;

	for (n = 1; n < MUTANTS; n++) {
		if (READ_ONCE(perf_counter_mutant_hits[n]))
			len += scnprintf(buffer + len, size - len, " %d", n);
	}
	return len;
}

static int hits_get(char *buffer, const struct kernel_param *param)
{
	return list_hits(buffer, PAGE_SIZE);
}

static int hits_set(const char *value, const struct kernel_param *param)
{
	memset(perf_counter_mutant_hits, 0, sizeof(perf_counter_mutant_hits));
	return 0;
}

static const struct kernel_param_ops hits_ops = {
	.set = hits_set,
	.get = hits_get,
};

module_param_named(on, perf_counter_mutant, int, 0644);
module_param_cb(hits, &hits_ops, NULL, 0644);

static int tests_set(const char *list, const struct kernel_param *param)
{
	choose = true;
	test = 0;
	return bitmap_parselist(list, chosen, TESTS);
}

static const struct kernel_param_ops tests_ops = {
	.set = tests_set,
};

module_param_cb(tests, &tests_ops, NULL, 0200);

/* Return whether to run the next test. KUnit calls this before each test. */
bool perf_counter_mutant_test(void)
{
	int number = test++;

	return !choose || test_bit(number, chosen);
}

/*
 * KUnit has run a test: print the mutants that it has reached, a few on each line. With a
 * list of tests, the hits stay for readers of the parameter.
 */
void perf_counter_mutant_tested(const char *suite, const char *name)
{
	char line[512];
	int n, len = 0;

	if (perf_counter_mutant || choose)
		return;
	for (n = 1; n <= MUTANTS; n++) {
		if (n < MUTANTS && READ_ONCE(perf_counter_mutant_hits[n]))
			len += scnprintf(line + len, sizeof(line) - len, " %d", n);
		if (len && (n == MUTANTS || len > sizeof(line) - 16)) {
			pr_info("mutants: %d %s.%s:%s\n", test - 1, suite, name, line);
			len = 0;
		}
	}
	hits_set(NULL, NULL);
}

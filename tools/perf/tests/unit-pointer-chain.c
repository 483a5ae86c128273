// SPDX-License-Identifier: GPL-2.0
/* Chains of frame pointers: which of them are broken, and how many are too many. */
#include "machine/pointer_chain.h"
#include "unit.h"

static struct dso file = { .kind = DSO_FILE }, heap = { .kind = DSO_PLAIN };
static struct symbol names[] = {
	{ .name = "burn" }, { .name = "main" }, { .name = "mainly" }, { .name = "__clone3" },
	{ .name = "__libc_start_call_main" }, { .name = "_start" }, { .name = "_start_of" },
};

#define IN(symbol_at) { .mode = MODE_USER, .dso = &file, .symbol = symbol_at }
#define KERNEL { .mode = MODE_KERNEL }

/* Return true if a chain counts as broken. */
#define IS_BROKEN(...) is_broken((struct location[]){ __VA_ARGS__ }, \
				 ARRAY_SIZE(((struct location[]){ __VA_ARGS__ })))

static bool is_broken(const struct location *frames, size_t nr)
{
	struct pointer_counts counts = { 0 };
	struct pointer_walk walk = { 0 };

	pointer_chain_count(&counts, frames, nr, &walk);
	return counts.broken;
}

int main(void)
{
	struct location in_kernel[] = { KERNEL, KERNEL };
	struct pointer_counts counts = { 0 };
	struct pointer_walk walk = { 0 };

	check(IS_BROKEN(IN(&names[0])), "one function");
	check(IS_BROKEN(IN(&names[0]), IN(&names[2])), "two functions");
	check(!IS_BROKEN(IN(&names[0]), IN(&names[2]), IN(&names[0])), "three functions");
	check(!IS_BROKEN(IN(&names[0]), IN(&names[1])), "a function and the first one of its program");
	check(!IS_BROKEN(IN(&names[3])), "the beginning of a thread");
	check(!IS_BROKEN(IN(&names[4])), "the beginning of a program");
	check(!IS_BROKEN(IN(&names[5])), "the first function of a program");
	check(IS_BROKEN(IN(&names[6])), "a function with a similar name");
	check(IS_BROKEN(IN(&names[0]), IN(&names[0]), { .mode = MODE_USER, .ip = 5 }),
	      "an address that is not mapped");
	check(IS_BROKEN(IN(&names[0]), IN(&names[0]), { .mode = MODE_USER, .dso = &heap }),
	      "an address without code");
	check(IS_BROKEN(KERNEL, KERNEL, KERNEL, IN(&names[0])), "one function below the kernel's");
	pointer_chain_count(&counts, in_kernel, ARRAY_SIZE(in_kernel), &walk);
	pointer_chain_count(&counts, in_kernel, 0, &walk);
	check_number(counts.all, 0, "chains without user mode do not count");

	counts = (struct pointer_counts){ .all = 19, .broken = 19 };
	check(!pointer_chains_are_broken(&counts), "19 chains are too few to judge");
	counts = (struct pointer_counts){ .all = 400, .broken = 100 };
	check(!pointer_chains_are_broken(&counts), "a quarter may be broken");
	counts.broken++;
	check(pointer_chains_are_broken(&counts), "more than a quarter is broken");
	counts = (struct pointer_counts){ .all = 400, .lacking = 40 };
	check(!pointer_chains_lack_callers(&counts), "1 in 10 chains may lack callers");
	counts.lacking++;
	check(pointer_chains_lack_callers(&counts), "more than 1 in 10 chains lack callers");
	return unit_finish();
}

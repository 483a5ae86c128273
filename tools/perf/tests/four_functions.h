/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Four functions of one program, and samples in them, for unit tests.
 */
#ifndef PERF_TESTS_FOUR_FUNCTIONS_H
#define PERF_TESTS_FOUR_FUNCTIONS_H

#include "machine/machine.h"

static struct symbol symbols[] = {
	{ .name = (char *)"main" },
	{ .name = (char *)"work" },
	{ .name = (char *)"hash" },
	{ .name = (char *)"read" },
};

enum { MAIN, WORK, HASH, READ };

static struct dso dso = { .name = (char *)"prog", .long_name = (char *)"/bin/prog" };

static struct location at(int symbol)
{
	return (struct location){
		.ip = 0x1000 + symbol,
		.addr = 0x1000 + symbol,
		.mode = MODE_USER,
		.dso = &dso,
		.symbol = &symbols[symbol],
	};
}

/*
 * Make the call chain of a sample. @functions are the innermost first and end with -1; @frames has
 * room for them.
 */
static struct callchain chain_of(const int *functions, struct location *frames)
{
	struct callchain chain = { .frames = frames };

	while (functions[chain.nr] >= 0) {
		frames[chain.nr] = at(functions[chain.nr]);
		chain.nr++;
	}
	return chain;
}

#endif

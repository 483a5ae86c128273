/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of ringtest and ringsim, and the loop that both use. */
#ifndef _RINGTEST_OPTIONS_H
#define _RINGTEST_OPTIONS_H

#include "torture.h"

/**
 * struct options - values of the command line
 * @threads: largest number of writers
 * @signals: largest depth of nested interrupts
 * @records: number of records to be written or lost in all
 * @seconds: time that each mode takes, instead of @records; 0: unused
 * @seed: first seed of the random numbers
 * @mode: the only mode to run, or NULL for all
 */
struct options {
	unsigned int		threads;
	unsigned int		signals;
	u64			records;
	double			seconds;
	u64			seed;
	const struct mode	*mode;
};

void options_parse(struct options *options, int argc, char **argv, const char *what);
void options_rounds(const struct options *options, struct torture *torture,
		    void (*round)(const struct mode *mode, u64 seed,
				  const struct options *options));

#endif /* _RINGTEST_OPTIONS_H */

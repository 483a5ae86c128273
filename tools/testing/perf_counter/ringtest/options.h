/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of ringtest and ringsim, and what both do with it. */
#ifndef _RINGTEST_OPTIONS_H
#define _RINGTEST_OPTIONS_H

#include "torture.h"

/**
 * struct options - what to do
 * @threads: writers, at most
 * @signals: how deep they are interrupted
 * @records: to be written or lost in all
 * @seconds: if not 0, how long each mode goes on, instead
 * @seed: where chance begins
 * @mode: the only one, or NULL for all
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

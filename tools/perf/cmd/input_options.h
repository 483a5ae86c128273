/* SPDX-License-Identifier: GPL-2.0 */
/* The options of every command that reads a recording. */
#ifndef PERF_CMD_INPUT_OPTIONS_H
#define PERF_CMD_INPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "machine/machine.h"

/**
 * struct input_options - options that choose a recording and its symbols
 * @path: path of the recording
 * @sources: places of symbols
 * @comms: commands whose samples are wanted, separated by commas; NULL for all
 * @stitch: take callers from the previous sample if the branch records of a sample had no room for
 *	them
 * @no_inline: leave inlined functions out of call chains
 * @dump: print the records instead of the command's output
 * @verbose: number of -v options
 */
struct input_options {
	const char *path;
	struct symbol_sources sources;
	const char *comms;
	bool stitch;
	bool no_inline;
	bool dump;
	int verbose;
};

/* A parser for struct argp.children; its input is a struct input_options. */
extern const struct argp input_argp;

int input_open(struct session *session, struct input_options *options);

#endif

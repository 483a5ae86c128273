/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of every command that reads a recording.
 */
#ifndef PERF_CMD_INPUT_OPTIONS_H
#define PERF_CMD_INPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "machine/machine.h"

/**
 * struct input_options - which recording, and what belongs to it
 * @path: the file
 * @sources: where symbols are
 * @comms: of which commands, separated by commas; NULL: all
 * @stitch: call chains go on below what branch records hold, as the sample before has it
 * @dump: print the records instead of what the command is for
 * @verbose: how often -v was given
 */
struct input_options {
	const char *path;
	struct symbol_sources sources;
	const char *comms;
	bool stitch;
	bool dump;
	int verbose;
};

/* A parser for struct argp.children; its input is a struct input_options. */
extern const struct argp input_argp;

int input_open(struct session *session, struct input_options *options);

#endif

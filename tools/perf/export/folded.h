/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folded stacks: a line for each call chain, as stackcollapse-perf.pl prints them.
 */
#ifndef PERF_EXPORT_FOLDED_H
#define PERF_EXPORT_FOLDED_H

#include <stdio.h>

#include "profile.h"

/* The first name of a line. */
enum folded_root {
	FOLDED_COMM,		/* "command" */
	FOLDED_PID,		/* "command-PID" */
	FOLDED_TID,		/* "command-PID/TID" */
};

/**
 * export_folded() - Write "command;outermost;...;innermost weight" lines, sorted
 * @out: stream
 * @p: tables
 * @event: number of the event whose samples are written
 * @root: form of the first name
 */
void export_folded(FILE *out, struct profile *p, uint32_t event, enum folded_root root);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Prints annotated functions. */
#ifndef PERF_CMD_ANNOTATE_PRINT_H
#define PERF_CMD_ANNOTATE_PRINT_H

#include <stdio.h>

#include "annotate/annotate.h"

/* Contents of the columns of events. */
enum annotate_column {
	COLUMN_PERCENT,
	COLUMN_SAMPLES,
	COLUMN_PERIOD,
};

/**
 * struct annotate_style - form of the output
 * @column: contents of the columns of events
 * @type: whole that percentages refer to
 * @raw: print the bytes of instructions
 * @no_jumps: draw no jumps, and mark neither loops nor the hot path
 * @print_line: print the source line after each instruction with samples, and a summary
 * @full_paths: print the path of the file with the code
 * @no_titles: print no titles
 * @ascii: draw only with ASCII characters
 * @has_runs: print how often branch records went through each instruction
 * @has_branches: print how many branch records each instruction has
 * @has_cycles: print the cycles of branch records
 */
struct annotate_style {
	enum annotate_column column;
	enum percent_type type;
	bool raw;
	bool no_jumps;
	bool print_line;
	bool full_paths;
	bool no_titles;
	bool ascii;
	bool has_runs;
	bool has_branches;
	bool has_cycles;
};

/**
 * annotate_print_title() - Print the titles of a listing
 * @out: stream
 * @style: form of the output
 * @function: function
 * @events: names of the events, separated by commas
 * @nr_events: number of events
 * @nr: number of samples of the first event in the function
 */
void annotate_print_title(FILE *out, const struct annotate_style *style,
			  const struct function_hits *function, const char *events,
			  size_t nr_events, uint64_t nr);

/* Print the lines of an annotated function. */
void annotate_print(FILE *out, const struct annotate_style *style, const struct listing *listing);

#endif

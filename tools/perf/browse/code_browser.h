/* SPDX-License-Identifier: GPL-2.0 */
/* The browser of perf annotate: annotated functions, one after the other. */
#ifndef PERF_BROWSE_CODE_BROWSER_H
#define PERF_BROWSE_CODE_BROWSER_H

#include "code_view.h"

/**
 * struct code_input - functions to browse
 * @subjects: functions
 * @nr: number of @subjects, at least 1
 * @style: form of the functions
 */
struct code_input {
	const struct code_subject *subjects;
	size_t nr;
	struct code_style *style;
};

/**
 * struct code_browser - the browser
 * @input: functions
 * @at: index of the function that is shown
 * @view: the shown function, if it has code here
 * @missing: the reason why the function has no code here; otherwise NULL
 * @quit: the user wants to quit
 */
struct code_browser {
	const struct code_input *input;
	size_t at;
	struct code_view view;
	char *missing;
	bool quit;
};

/* Show the first function. */
void code_browser_init(struct code_browser *b, const struct code_input *input);

void code_browser_key(struct code_browser *b, uint32_t key);

void code_browser_draw(struct code_browser *b, struct grid *grid);

void code_browser_free(struct code_browser *b);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The browsers on a terminal. */
#ifndef PERF_BROWSE_RUN_H
#define PERF_BROWSE_RUN_H

#include "browser.h"
#include "code_browser.h"
#include "screen.h"

/* Return the page of a browser of tables. */
struct screen_page browser_page(struct browser *b);

/**
 * browse() - Browse the samples of a recording until the user quits
 * @input: samples to browse
 *
 * Return: 0; 1 if the terminal cannot be used; the number of a signal that ended the browser,
 * plus 128.
 */
int browse(const struct browse_input *input);

/**
 * browse_code() - Browse annotated functions until the user quits
 * @input: functions
 *
 * Return: as browse().
 */
int browse_code(const struct code_input *input);

#endif

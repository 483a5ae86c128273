/* SPDX-License-Identifier: GPL-2.0 */
/* The browser on a terminal, with ncurses. */
#ifndef PERF_BROWSE_SCREEN_H
#define PERF_BROWSE_SCREEN_H

#include "browser.h"

/**
 * browse() - Run the browser until the user quits
 * @input: samples to browse
 *
 * Return: 0; 1 if the terminal cannot be used; the number of a signal that ended the browser,
 * plus 128.
 */
int browse(const struct browse_input *input);

#endif

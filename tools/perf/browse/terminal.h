/* SPDX-License-Identifier: GPL-2.0 */
/* Tests whether the browser can use the terminal. */
#ifndef PERF_BROWSE_TERMINAL_H
#define PERF_BROWSE_TERMINAL_H

#include <stdbool.h>

struct error;

/**
 * browse_can_open() - Find out whether the browser can run
 * @err: set to the reason if it cannot
 *
 * Return: true if standard input and output are a terminal that ncurses can draw on.
 */
bool browse_can_open(struct error *err);

#endif

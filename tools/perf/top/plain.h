/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf top without a screen: plain lines that are printed repeatedly, and keys from standard input.
 */
#ifndef PERF_TOP_PLAIN_H
#define PERF_TOP_PLAIN_H

#include <stdbool.h>

#include "keys.h"
#include "view.h"

/* Get keys without waiting for a newline, unless another process group has the terminal. */
void top_plain_open(void);

/* Print a page of rows, or @entries rows if that is not 0. Return false if the output is closed. */
bool top_plain_draw(const struct top_view *view, size_t entries);

/* Print the help. Return false if the output is closed. */
bool top_plain_help(void);

/* Set the action of the next key. Return false if no key was pressed. */
bool top_plain_key(enum top_action *action);

/* Restore the terminal; a second call has no effect. */
void top_plain_close(void);

#endif

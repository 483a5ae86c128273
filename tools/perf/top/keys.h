/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The actions of perf top, and the keys of plain mode. The browser has other keys for some actions.
 */
#ifndef PERF_TOP_KEYS_H
#define PERF_TOP_KEYS_H

/* The action of a key. */
enum top_action {
	TOP_NOTHING,
	TOP_QUIT,
	TOP_HELP,
	TOP_NOW,
	TOP_ZERO,
	TOP_FASTER,
	TOP_SLOWER,
	TOP_HIDE_KERNEL,
	TOP_HIDE_USER,
};

/* Return the action of a character in plain mode. */
enum top_action top_action_of(int character);

/* Lines of the help text of plain mode; NULL is the last. */
extern const char *const top_help[];

/* Help for the keys of the browser that other browsers do not have. */
extern const char top_browser_help[];

#endif

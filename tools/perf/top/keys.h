/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of perf top, on the screen and in plain mode.
 */
#ifndef PERF_TOP_KEYS_H
#define PERF_TOP_KEYS_H

/* The action of a key. */
enum top_action {
	TOP_NOTHING,
	TOP_QUIT,
	TOP_HELP,
	TOP_UP,
	TOP_DOWN,
	TOP_PAGE_UP,
	TOP_PAGE_DOWN,
	TOP_FIRST,
	TOP_LAST,
	TOP_NOW,
	TOP_ZERO,
	TOP_FASTER,
	TOP_SLOWER,
	TOP_HIDE_KERNEL,
	TOP_HIDE_USER,
	TOP_NEXT_EVENT,
};

/* Return the action of a character. The screen handles cursor keys. */
enum top_action top_action_of(int character);

/* Lines of the help text; NULL is the last. */
extern const char *const top_help[];

#endif

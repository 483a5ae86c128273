/* SPDX-License-Identifier: GPL-2.0 */
/* Keys that are not characters, as numbers beyond those of characters. */
#ifndef PERF_BROWSE_KEYS_H
#define PERF_BROWSE_KEYS_H

enum browse_key {
	KEY_OF_NOTHING = 0x110000,
	KEY_OF_UP,
	KEY_OF_DOWN,
	KEY_OF_LEFT,
	KEY_OF_RIGHT,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
	KEY_OF_FIRST,
	KEY_OF_LAST,
	KEY_OF_ENTER,
	KEY_OF_BACKSPACE,
	KEY_OF_TAB,
	KEY_OF_TAB_BACK,
	KEY_OF_ESCAPE,
	KEY_OF_BACK,		/* Alt and the left arrow, or Alt and < */
	KEY_OF_FORTH,		/* Alt and the right arrow, or Alt and > */
	KEY_OF_HELP,
	KEY_OF_REDRAW,
};

/* The key of Ctrl and a letter. */
#define CONTROL(letter) ((letter) & 0x1f)

#endif

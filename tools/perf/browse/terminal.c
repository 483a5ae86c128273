// SPDX-License-Identifier: GPL-2.0
/*
 * Tests whether the browser can use the terminal. <term.h> defines "lines" and "columns" as macros,
 * so this file includes no header of the browser that has such names.
 */
#include <ncurses.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

#include "util/util.h"
#include "terminal.h"

bool browse_can_open(struct error *err)
{
	const char *term = getenv("TERM");
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		error_set(err, "standard input and output are not a terminal");
		return false;
	}
	if (!term || !*term || setupterm(term, STDOUT_FILENO, &found) != OK) {
		error_set(err, "ncurses does not know the terminal '%s' of $TERM", term ?: "");
		return false;
	}
	if (!cursor_address || !clear_screen) {
		error_set(err, "the terminal '%s' of $TERM cannot move its cursor", term);
		del_curterm(cur_term);
		return false;
	}
	del_curterm(cur_term);
	return true;
}

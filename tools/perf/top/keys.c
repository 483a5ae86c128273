// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of perf top, on the screen and in plain mode.
 */
#include "keys.h"

/* Without line mode, a terminal sends Ctrl-D as this character. */
#define END_OF_INPUT 4

const char *const top_help[] = {
	"q         quit",
	"h or ?    this help; any key leaves it",
	"space     update the display now",
	"z         zero: drop all samples so far",
	"f         faster: half the delay between two displays",
	"d         slower: twice the delay",
	"K         hide the kernel, or show it again; drops all samples so far",
	"U         hide user mode, or show it again; drops all samples so far",
	"Tab       the next event, if there are several",
	"up, down, page up, page down, home, end    scroll",
	0,
};

enum top_action top_action_of(int character)
{
	switch (character) {
	case 'q':
	case 'Q':
	case END_OF_INPUT:
		return TOP_QUIT;
	case 'h':
	case 'H':
	case '?':
		return TOP_HELP;
	case ' ':
		return TOP_NOW;
	case 'z':
		return TOP_ZERO;
	case 'f':
		return TOP_FASTER;
	case 'd':
		return TOP_SLOWER;
	case 'K':
		return TOP_HIDE_KERNEL;
	case 'U':
		return TOP_HIDE_USER;
	case '\t':
		return TOP_NEXT_EVENT;
	default:
		return TOP_NOTHING;
	}
}

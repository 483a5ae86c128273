// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of perf top, on the screen and in plain mode.
 */
#include "keys.h"

/* Ctrl-D, which a terminal sends as a character when it does not wait for lines. */
#define END_OF_INPUT 4

const char *const top_help[] = {
	"q         quit",
	"h or ?    this help; any key leaves it",
	"space     display now what there is, and again when it is time",
	"z         zero: forget all samples",
	"f         faster: half the delay between two displays",
	"d         slower: twice the delay",
	"K         hide the kernel, or show it again; starts from zero",
	"U         hide user mode, or show it again; starts from zero",
	"Tab       the next event, where there are several",
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

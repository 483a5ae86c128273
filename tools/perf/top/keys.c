// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of perf top in plain mode, and help for those of the browser.
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
	0,
};

const char top_browser_help[] =
"Samples\n"
"  p                      pause: show the samples so far, and leave new ones out; p goes on\n"
"  z                      zero: drop all samples so far\n"
"  Space                  update the rows now\n"
"  F, S                   faster, slower: half, or twice, the delay between two updates\n"
"  K, U                   hide the kernel, or user mode, or show it again; drops all samples\n"
"\n"
"Updates leave the cursor on its row, except at the first row after Home or at the start.\n"
"\n";

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
	default:
		return TOP_NOTHING;
	}
}

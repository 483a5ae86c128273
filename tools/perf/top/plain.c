// SPDX-License-Identifier: GPL-2.0
/*
 * perf top without a screen: prints a table for each update, which on a terminal takes the place of
 * the previous table. Reads keys from standard input.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "plain.h"

/* Number of lines on a page that are not rows: facts, titles, and two empty lines. */
#define OTHER_LINES 4

/* Number of rows if the output is not a terminal. */
#define DEFAULT_ROWS 20

static struct termios saved;
static bool changed;

void top_plain_open(void)
{
	struct termios t;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &saved))
		return;
	t = saved;
	t.c_lflag &= ~(ICANON | ECHO);
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	changed = !tcsetattr(STDIN_FILENO, TCSANOW, &t);
}

void top_plain_close(void)
{
	if (changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	changed = false;
}

static size_t page_plain(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return DEFAULT_ROWS;
	return size.ws_row > OTHER_LINES + 1 ? size.ws_row - OTHER_LINES - 1 : 1;
}

/* Go to the upper left corner and clear the terminal. */
static void start_page(void)
{
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
}

bool top_plain_draw(const struct top_view *view, size_t entries)
{
	size_t i, nr = entries ? entries : page_plain();

	start_page();
	printf("%s\n\n%s\n", view->facts, view->titles);
	for (i = 0; i < view->nr_rows && nr--; i++)
		puts(view->rows[i]);
	putchar('\n');
	return !fflush(stdout);
}

bool top_plain_help(void)
{
	size_t i;

	start_page();
	for (i = 0; top_help[i]; i++)
		puts(top_help[i]);
	return !fflush(stdout);
}

bool top_plain_key(enum top_action *action)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char c;

	if (poll(&input, 1, 0) <= 0)
		return false;
	*action = read(STDIN_FILENO, &c, 1) == 1 ? top_action_of(c) : TOP_QUIT;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * perf top on a screen, with ncurses. Messages to stderr would overwrite the screen, so they are
 * kept and printed after the screen is closed.
 */
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "display.h"

/* Number of lines on the screen that are not rows: facts, titles, and the line about keys. */
#define OTHER_LINES 3

static SCREEN *screen;
static FILE *kept;		/* messages to print later */
static int stderr_fd = -1;	/* copy of the real stderr */

static void keep_stderr(void)
{
	kept = tmpfile();
	if (!kept)
		return;
	fflush(stderr);
	stderr_fd = dup(STDERR_FILENO);
	if (stderr_fd >= 0)
		dup2(fileno(kept), STDERR_FILENO);
}

static void say_kept(void)
{
	char bytes[512];
	size_t nr;

	if (stderr_fd >= 0) {
		fflush(stderr);
		dup2(stderr_fd, STDERR_FILENO);
		close(stderr_fd);
		stderr_fd = -1;
	}
	if (!kept)
		return;
	rewind(kept);
	while ((nr = fread(bytes, 1, sizeof(bytes), kept)))
		fwrite(bytes, 1, nr, stderr);
	fclose(kept);
	kept = NULL;
}

static void close_screen(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	say_kept();
}

static bool open_screen(void)
{
	setlocale(LC_CTYPE, "");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return false;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	/* Restore the terminal whenever perf exits. */
	atexit(close_screen);
	keep_stderr();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return true;
}

static size_t page_screen(void)
{
	int lines = getmaxy(stdscr);

	return lines > OTHER_LINES ? lines - OTHER_LINES : 1;
}

static void draw_line(int y, const char *line, attr_t attributes)
{
	attron(attributes);
	mvaddnstr(y, 0, line, getmaxx(stdscr));
	attroff(attributes);
}

static bool draw_screen(const struct top_view *view, size_t first, size_t entries)
{
	size_t i, nr = page_screen();

	if (entries && entries < nr)
		nr = entries;
	erase();
	draw_line(0, view->facts, A_NORMAL);
	draw_line(1, view->titles, A_REVERSE);
	for (i = 0; i < nr && first + i < view->nr_rows; i++)
		draw_line(2 + i, view->rows[first + i], A_NORMAL);
	draw_line(getmaxy(stdscr) - 1, "q: quit  h: help", A_REVERSE);
	return refresh() != ERR;
}

static bool draw_help_screen(void)
{
	size_t i;

	erase();
	for (i = 0; top_help[i]; i++)
		draw_line(i, top_help[i], A_NORMAL);
	return refresh() != ERR;
}

static void resize_screen(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	/* ncurses must draw every line, because a smaller terminal may have lost some. */
	clearok(curscr, TRUE);
}

static enum top_action action_of(int key)
{
	switch (key) {
	case KEY_UP:
		return TOP_UP;
	case KEY_DOWN:
		return TOP_DOWN;
	case KEY_PPAGE:
		return TOP_PAGE_UP;
	case KEY_NPAGE:
		return TOP_PAGE_DOWN;
	case KEY_HOME:
		return TOP_FIRST;
	case KEY_END:
		return TOP_LAST;
	default:
		return top_action_of(key);
	}
}

static bool key_screen(enum top_action *action)
{
	int waiting, key;

	/* A terminal that was closed always polls readable, but FIONREAD fails. */
	if (ioctl(STDIN_FILENO, FIONREAD, &waiting)) {
		*action = TOP_QUIT;
		return true;
	}
	do {
		key = getch();
	} while (key == KEY_RESIZE);
	*action = action_of(key);
	return key != ERR;
}

const struct top_display top_screen = {
	.open = open_screen,
	.draw = draw_screen,
	.draw_help = draw_help_screen,
	.page = page_screen,
	.resize = resize_screen,
	.key = key_screen,
	.close = close_screen,
};

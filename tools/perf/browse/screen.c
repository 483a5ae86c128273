// SPDX-License-Identifier: GPL-2.0
/*
 * A page on a terminal, with ncurses: keys and clicks are passed on, and the grid is copied to the
 * screen. Messages to stderr would overwrite the screen, so they are kept until it is closed.
 */
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "util/util.h"
#include "screen.h"

/* Milliseconds that ncurses waits for the rest of a sequence that begins with Escape. */
#define ESCAPE_DELAY 50

/* Keys that ncurses has no number for. */
enum {
	OWN_ALT_LEFT = KEY_MAX + 1,
	OWN_ALT_RIGHT,
};

enum { PAIR_HOT = 1, PAIR_WARM, PAIR_FAINT, PAIR_BOX };

static SCREEN *screen;
static struct grid grid;
static FILE *kept;		/* messages to print later */
static int stderr_fd = -1;	/* copy of the real stderr */
static bool with_colours;
static volatile sig_atomic_t ending;

static void note_end(int signal_number)
{
	ending = signal_number;
}

static void note_change(int signal_number)
{
	(void)signal_number;
}

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

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	grid_free(&grid);
	say_kept();
}

static void start_colours(void)
{
	const char *no_color = getenv("NO_COLOR");

	with_colours = has_colors() && (!no_color || !*no_color);
	if (!with_colours)
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_HOT, COLOR_RED, -1);
	init_pair(PAIR_WARM, COLOR_GREEN, -1);
	init_pair(PAIR_FAINT, COLOR_CYAN, -1);
	init_pair(PAIR_BOX, COLOR_WHITE, COLOR_BLUE);
}

static void handle_signals(void)
{
	const struct sigaction end = { .sa_handler = note_end };
	const struct sigaction change = { .sa_handler = note_change };

	ending = 0;
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGQUIT, &end, NULL);
	sigaction(SIGWINCH, &change, NULL);
}

bool screen_open(void)
{
	use_terminal_charset();
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	/* Restore the terminal whenever perf exits. */
	atexit(screen_close);
	keep_stderr();
	set_escdelay(ESCAPE_DELAY);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	define_key("\033[1;3D", OWN_ALT_LEFT);
	define_key("\033[1;3C", OWN_ALT_RIGHT);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	start_colours();
	return true;
}

static attr_t attributes_of(enum cell_style style, short *pair)
{
	*pair = 0;
	switch (style) {
	case STYLE_PLAIN:
		return A_NORMAL;
	case STYLE_TITLE:
		return A_BOLD | (with_colours ? A_NORMAL : A_UNDERLINE);
	case STYLE_HOT:
		*pair = PAIR_HOT;
		return A_NORMAL;
	case STYLE_WARM:
		*pair = PAIR_WARM;
		return A_NORMAL;
	case STYLE_FAINT:
		*pair = PAIR_FAINT;
		return A_NORMAL;
	case STYLE_CHOSEN:
		return A_REVERSE;
	case STYLE_BOX:
		*pair = PAIR_BOX;
		return A_NORMAL;
	case STYLE_BOX_CHOSEN:
		return A_REVERSE | A_BOLD;
	}
	return A_NORMAL;
}

static void put_cell(int line, int column, const struct cell *cell)
{
	wchar_t characters[CELL_MARKS + 2] = { cell->character };
	attr_t attributes;
	cchar_t complex;
	short pair;
	size_t i;

	for (i = 0; i < CELL_MARKS; i++)
		characters[1 + i] = cell->marks[i];
	attributes = attributes_of(cell->style, &pair);
	if (setcchar(&complex, characters, attributes, with_colours ? pair : 0, NULL) == OK)
		mvadd_wch(line, column, &complex);
}

static void show(void)
{
	size_t line, column;

	erase();
	for (line = 0; line < grid.lines; line++) {
		for (column = 0; column < grid.columns; column++) {
			const struct cell *cell = &grid.cells[line * grid.columns + column];

			if (cell->character)
				put_cell(line, column, cell);
		}
	}
	refresh();
}

/* Adapt to the size of the terminal. */
static void fit(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    (size.ws_row != getmaxy(stdscr) || size.ws_col != getmaxx(stdscr))) {
		resizeterm(size.ws_row, size.ws_col);
		/* ncurses must draw every line, because a smaller terminal may have lost some. */
		clearok(curscr, TRUE);
	}
	grid_resize(&grid, getmaxy(stdscr), getmaxx(stdscr));
}

/* Return true if the terminal was closed: it always polls readable then, but FIONREAD fails. */
static bool is_closed(void)
{
	int waiting;

	return ioctl(STDIN_FILENO, FIONREAD, &waiting) || !waiting;
}

/* Wait for a key, a signal, or a change of the terminal. Return: true if there is a key. */
static bool wait_for_key(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	sigset_t blocked, before;
	int ret;

	/* A signal that comes before the wait must end it. */
	sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	ret = ending ? -1 : ppoll(&input, 1, NULL, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret > 0 && !ending;
}

static uint32_t key_of_number(wint_t key)
{
	switch (key) {
	case KEY_UP:
		return KEY_OF_UP;
	case KEY_DOWN:
		return KEY_OF_DOWN;
	case KEY_LEFT:
		return KEY_OF_LEFT;
	case KEY_RIGHT:
		return KEY_OF_RIGHT;
	case KEY_PPAGE:
		return KEY_OF_PAGE_UP;
	case KEY_NPAGE:
		return KEY_OF_PAGE_DOWN;
	case KEY_HOME:
		return KEY_OF_FIRST;
	case KEY_END:
		return KEY_OF_LAST;
	case KEY_ENTER:
		return KEY_OF_ENTER;
	case KEY_BACKSPACE:
		return KEY_OF_BACKSPACE;
	case KEY_BTAB:
		return KEY_OF_TAB_BACK;
	case KEY_F(1):
		return KEY_OF_HELP;
	case OWN_ALT_LEFT:
		return KEY_OF_BACK;
	case OWN_ALT_RIGHT:
		return KEY_OF_FORTH;
	default:
		return KEY_OF_NOTHING;
	}
}

/* Return the key of Escape, or of Alt and a character, which come as Escape and the character. */
static uint32_t key_of_escape(void)
{
	wint_t next;

	if (get_wch(&next) == ERR)
		return KEY_OF_ESCAPE;
	if (next == '<' || next == '>')
		return next;
	unget_wch(next);
	return KEY_OF_ESCAPE;
}

static uint32_t key_of_character(wint_t c)
{
	switch (c) {
	case '\r':
	case '\n':
		return KEY_OF_ENTER;
	case '\t':
		return KEY_OF_TAB;
	case '\b':
	case 0x7f:
		return KEY_OF_BACKSPACE;
	case CONTROL('l'):
		return KEY_OF_REDRAW;
	case CONTROL('['):
		return key_of_escape();
	default:
		return c;
	}
}

static void handle_mouse(const struct screen_page *page)
{
	MEVENT event;
	int i;

	if (getmouse(&event) != OK)
		return;
	if (event.bstate & BUTTON1_PRESSED)
		page->click(page->context, &grid, event.y);
	for (i = 0; i < 3 && event.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED); i++)
		page->key(page->context,
			  event.bstate & BUTTON4_PRESSED ? KEY_OF_UP : KEY_OF_DOWN);
}

bool screen_keys(const struct screen_page *page)
{
	wint_t key;
	uint32_t known;
	int kind;

	if (is_closed())
		return false;
	while (!page->is_over(page->context) && (kind = get_wch(&key)) != ERR) {
		if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
			handle_mouse(page);
			continue;
		}
		known = kind == KEY_CODE_YES ? key_of_number(key) : key_of_character(key);
		if (known == KEY_OF_REDRAW)
			clearok(curscr, TRUE);
		else if (known != KEY_OF_NOTHING)
			page->key(page->context, known);
	}
	return true;
}

void screen_say_working(void)
{
	mvaddstr(getmaxy(stdscr) - 1, 0, " Working...");
	clrtoeol();
	refresh();
}

void screen_draw(const struct screen_page *page)
{
	fit();
	page->draw(page->context, &grid);
	show();
}

int screen_run(const struct screen_page *page)
{
	handle_signals();
	while (!page->is_over(page->context) && !ending) {
		screen_draw(page);
		if (wait_for_key() && !screen_keys(page))
			ending = SIGHUP;
	}
	return ending ? 128 + ending : 0;
}

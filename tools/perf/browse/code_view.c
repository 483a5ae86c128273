// SPDX-License-Identifier: GPL-2.0
/* An annotated function: its visible lines, and the keys. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "code_view.h"
#include "help.h"

/* Number of lines above the code: title, and titles of columns. */
#define HEADER 2

static const struct listing_line *line_at(const struct code_view *view, size_t i)
{
	return &view->listing.lines[view->shown[i]];
}

void code_view_say(struct code_view *view, char *message)
{
	free(view->message);
	view->message = message;
}

static void go_to(struct code_view *view, size_t line)
{
	view->cursor = line < view->nr ? line : view->nr - 1;
}

static void move(struct code_view *view, long lines)
{
	if (lines < 0 && (size_t)-lines > view->cursor)
		go_to(view, 0);
	else
		go_to(view, view->cursor + lines);
}

/* Put the chosen line into the middle of the screen. */
static void centre(struct code_view *view)
{
	size_t half = view->page / 2;

	view->top = view->cursor > half ? view->cursor - half : 0;
}

/* Go to an instruction. */
static void go_to_code(struct code_view *view, uint32_t code)
{
	uint32_t i;

	for (i = 0; i < view->nr; i++) {
		if (line_at(view, i)->kind == LINE_CODE && line_at(view, i)->code == code)
			break;
	}
	go_to(view, i);
	if (view->cursor < view->top || view->cursor >= view->top + view->page)
		centre(view);
}

static bool is_hidden(const struct code_view *view, const struct listing_line *line)
{
	if (line->kind == LINE_SOURCE || line->kind == LINE_FUNCTION)
		return view->style->no_source;
	return line->kind == LINE_LOOP && view->style->no_jumps;
}

/* Fill in the lines that are not hidden. The cursor stays on its line, or on the code below. */
static void show_lines(struct code_view *view)
{
	size_t before = view->nr ? view->shown[view->cursor] : 0, i, cursor = 0;

	view->nr = 0;
	for (i = 0; i < view->listing.nr_lines; i++) {
		if (is_hidden(view, &view->listing.lines[i]))
			continue;
		if (i < before)
			cursor = view->nr + 1;
		view->shown[view->nr++] = i;
	}
	go_to(view, cursor);
}

static uint64_t weight_of(const struct listing *listing, uint32_t code)
{
	return listing->shares[code * listing->nr_events].period;
}

static int compare_heat(const void *x, const void *y, void *context)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t first = weight_of(context, a), second = weight_of(context, b);

	if (first != second)
		return first > second ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void find_hot(struct code_view *view)
{
	uint32_t i;

	view->nr_hot = 0;
	for (i = 0; i < view->listing.nr; i++) {
		if (weight_of(&view->listing, i))
			view->hot[view->nr_hot++] = i;
	}
	qsort_r(view->hot, view->nr_hot, sizeof(*view->hot), compare_heat, &view->listing);
}

static char *title_of(const struct code_subject *subject)
{
	const struct location *at = &subject->function->at;
	struct share own = function_share(subject->function, subject->events[0]);
	struct share all = code_hits_share(subject->hits, subject->events[0]);

	return xasprintf("%s of %s: %" PRIu64 " samples of '%s', %.2f%%",
			 symbol_name(at->symbol), at->dso->name, own.nr, subject->names,
			 all.period ? 100.0 * own.period / all.period : 0.0);
}

static void say_what_is_missing(struct code_view *view)
{
	if (view->listing.nr_outside)
		code_view_say(view, xasprintf("%" PRIu64 " samples are at hidden addresses",
					      view->listing.nr_outside));
	else if (view->listing.cut)
		code_view_say(view, xstrdup("the function is larger; the rest is not shown"));
	else if (!view->nr_hot)
		code_view_say(view, xstrdup("no samples in this function itself"));
}

int code_view_open(struct code_view *view, const struct code_subject *subject,
		   struct code_style *style, struct error *err)
{
	*view = (struct code_view){ .style = style };
	style->listing.with_source = true;
	if (listing_make(&view->listing, subject->hits, subject->function, subject->events,
			 subject->nr_events, &style->listing, err))
		return -1;
	if (!view->listing.nr) {
		error_set(err, "the function has no instructions");
		listing_free(&view->listing);
		*view = (struct code_view){ 0 };
		return -1;
	}
	view->title = title_of(subject);
	view->has_runs = subject->hits->has_runs;
	view->has_branches = subject->hits->has_branches;
	view->has_cycles = subject->hits->has_cycles;
	view->shown = xcalloc(view->listing.nr_lines, sizeof(*view->shown));
	view->hot = xcalloc(view->listing.nr, sizeof(*view->hot));
	find_hot(view);
	show_lines(view);
	go_to_code(view, view->nr_hot ? view->hot[0] : 0);
	say_what_is_missing(view);
	return 0;
}

void code_view_refresh(struct code_view *view, const struct code_subject *subject)
{
	listing_refresh(&view->listing, subject->hits, subject->function, subject->events);
	free(view->title);
	view->title = title_of(subject);
	find_hot(view);
	view->hot_at = 0;
}

char *code_view_text(const struct code_view *view, size_t i)
{
	const struct listing_line *line = line_at(view, i);
	const struct code_line *code = &view->listing.code[line->code];
	const struct loop *loop;

	switch (line->kind) {
	case LINE_CODE:
		return xasprintf("%" PRIx64 ": %s", code->addr, code->text);
	case LINE_FUNCTION:
		return xasprintf("%s:", line->text);
	case LINE_SOURCE:
		return xasprintf("%s:%" PRIu32 "%s%s", source_file_text(code->file), code->line,
				 line->text ? "  " : "", line->text ?: "");
	case LINE_LOOP:
		break;
	}
	loop = &view->listing.loops[line->loop];
	return xasprintf("loop of %" PRIu32 " instructions to %" PRIx64 ": %.2f%%",
			 loop->last - loop->first + 1, view->listing.code[loop->last].addr,
			 listing_percent(&view->listing,
					 &view->listing.loop_shares[line->loop *
								    view->listing.nr_events],
					 0, view->style->type));
}

/* Go to the next line with the text of the prompt, from @start on. */
static void search(struct code_view *view, size_t start, int step)
{
	size_t i, line = start, nr = view->nr;
	bool found = false;
	char *text;

	for (i = 0; i < nr && !found; i++) {
		text = code_view_text(view, line % nr);
		found = strcasestr(text, view->prompt);
		free(text);
		if (found)
			go_to(view, line % nr);
		line = (line % nr) + (step > 0 ? 1 : nr - 1);
	}
	if (!found)
		code_view_say(view, xasprintf("no line has '%s'", view->prompt));
}

static void prompt_mode_key(struct code_view *view, uint32_t key)
{
	switch (prompt_key(view->prompt, key)) {
	case PROMPT_UNCHANGED:
		break;
	case PROMPT_CHANGED:
		if (*view->prompt)
			search(view, view->before, 1);
		break;
	case PROMPT_CANCELLED:
		go_to(view, view->before);
		view->typing = false;
		break;
	case PROMPT_DONE:
		view->typing = false;
		break;
	}
}

static void search_again(struct code_view *view, int step)
{
	if (*view->prompt)
		search(view, view->cursor + (step > 0 ? 1 : view->nr - 1), step);
	else
		code_view_say(view, xstrdup("press / to search"));
}

/* Go to the next hot instruction, or to the previous one. */
static void go_hot(struct code_view *view, int step)
{
	if (!view->nr_hot) {
		code_view_say(view, xstrdup("no instruction has samples"));
		return;
	}
	view->hot_at = (view->hot_at + view->nr_hot + step) % view->nr_hot;
	go_to_code(view, view->hot[view->hot_at]);
	code_view_say(view, xasprintf("instruction %" PRIu32 " of %" PRIu32 " with samples",
				      view->hot_at + 1, view->nr_hot));
}

/* Go to where the jump of the chosen line leads. */
static void follow(struct code_view *view)
{
	const struct listing_line *line = line_at(view, view->cursor);
	uint32_t target = line->kind == LINE_CODE ? view->listing.code[line->code].target :
			  NO_INDEX;

	if (target == NO_INDEX)
		code_view_say(view, xstrdup("this line has no jump within the function"));
	else
		go_to_code(view, target);
}

static bool move_key(struct code_view *view, uint32_t key)
{
	switch (key) {
	case KEY_OF_UP:
	case 'k':
		move(view, -1);
		return true;
	case KEY_OF_DOWN:
		move(view, 1);
		return true;
	case KEY_OF_PAGE_UP:
	case CONTROL('b'):
		move(view, -(long)view->page);
		return true;
	case KEY_OF_PAGE_DOWN:
	case CONTROL('f'):
	case ' ':
		move(view, view->page);
		return true;
	case KEY_OF_FIRST:
		go_to(view, 0);
		return true;
	case KEY_OF_LAST:
		go_to(view, view->nr);
		return true;
	case KEY_OF_ENTER:
		follow(view);
		return true;
	default:
		return false;
	}
}

static bool view_key(struct code_view *view, uint32_t key)
{
	switch (key) {
	case 'H':
	case KEY_OF_TAB:
		go_hot(view, 1);
		return true;
	case KEY_OF_TAB_BACK:
		go_hot(view, -1);
		return true;
	case 's':
		view->style->no_source = !view->style->no_source;
		show_lines(view);
		return true;
	case 'j':
	case 'o':
		view->style->no_jumps = !view->style->no_jumps;
		show_lines(view);
		return true;
	case '/':
		view->typing = true;
		view->before = view->cursor;
		view->prompt[0] = '\0';
		return true;
	case 'n':
		search_again(view, 1);
		return true;
	case 'N':
		search_again(view, -1);
		return true;
	case '?':
	case KEY_OF_HELP:
		text_view_set(&view->help, "Keys of an annotated function", code_help);
		view->helping = true;
		return true;
	default:
		return false;
	}
}

bool code_view_key(struct code_view *view, uint32_t key)
{
	code_view_say(view, NULL);
	if (view->helping) {
		if (!text_view_key(&view->help, key) &&
		    (key == 'q' || key == '?' || key == KEY_OF_ESCAPE || key == KEY_OF_BACKSPACE))
			view->helping = false;
		return true;
	}
	if (view->typing) {
		prompt_mode_key(view, key);
		return true;
	}
	return move_key(view, key) || view_key(view, key);
}

void code_view_click(struct code_view *view, size_t line)
{
	if (!view->helping && line >= HEADER && line - HEADER < view->page &&
	    view->top + line - HEADER < view->nr)
		go_to(view, view->top + line - HEADER);
}

void code_view_close(struct code_view *view)
{
	if (view->style)
		listing_free(&view->listing);
	text_view_free(&view->help);
	free(view->shown);
	free(view->hot);
	free(view->title);
	free(view->message);
	*view = (struct code_view){ 0 };
}

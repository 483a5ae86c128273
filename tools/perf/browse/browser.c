// SPDX-License-Identifier: GPL-2.0
/* The browser without its terminal: the effects of keys. */
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"
#include "browser.h"
#include "code_samples.h"
#include "help.h"
#include "save.h"

/* The actions of menus. */
enum action {
	ACTION_FOLD,
	ACTION_ZOOM_KEY,	/* argument: index of the sort key */
	ACTION_ZOOM_CALLER,
	ACTION_ANNOTATE,
	ACTION_HIDE,
	ACTION_SORT_MENU,
	ACTION_SAVE,
	ACTION_SORT,		/* the text of the line is the list of keys */
	ACTION_SORT_DEFAULT,
	ACTION_SORT_OTHER,
};

void browser_init(struct browser *b, const struct browse_input *input)
{
	memset(b, 0, sizeof(*b));
	model_init(&b->model, input);
}

static void say(struct browser *b, char *message)
{
	free(b->message);
	b->message = message;
}

static void before_work(const struct browser *b)
{
	if (b->working)
		b->working();
}

/* Return the function of the chosen row, or NULL. */
static struct symbol *symbol_of(const struct browser *b)
{
	const struct browse_row *row = model_row(&b->model);

	if (!row)
		return NULL;
	if (row->fold)
		return row->node && row->node->step ? row->node->step->symbol : NULL;
	if (!sort_keys_have(b->model.hist.keys, "sym") &&
	    !sort_keys_have(b->model.hist.keys, "symbol_to"))
		return NULL;
	return model_entry(&b->model)->point.at.symbol;
}

/* Return the name of the function of the chosen row, or NULL. */
static const char *function_of(const struct browser *b, char buffer[CHAIN_LABEL_SIZE])
{
	const struct browse_row *row = model_row(&b->model);

	if (row && row->fold)
		return row->node && chain_node_is_code(row->node) ?
		       chain_label(row->node, buffer) : NULL;
	return symbol_of(b) ? symbol_name(symbol_of(b)) : NULL;
}

static void apply(struct browser *b, struct zoom *zoom)
{
	before_work(b);
	if (!model_zoom(&b->model, zoom))
		say(b, xstrdup("no more restrictions are possible"));
	free(zoom->text);
}

/* Show only samples in the function of the chosen row, and in functions that it called. */
static void zoom_caller(struct browser *b)
{
	const struct browse_row *row = model_row(&b->model);
	char buffer[CHAIN_LABEL_SIZE];
	const char *name = function_of(b, buffer);
	struct zoom zoom = { 0 };

	if (!name) {
		say(b, xstrdup("this row is no function; choose one in a chain, or sort by sym"));
		return;
	}
	if (row->fold) {
		zoom.symbol = row->node->step->symbol;
		zoom.ip = row->node->step->ip;
	} else {
		zoom.symbol = model_entry(&b->model)->point.at.symbol;
	}
	zoom.text = xasprintf("in or below %s", name);
	apply(b, &zoom);
}

/* Return the text of a key without the blanks at its start; the caller frees it. */
static char *key_text(const struct sort_key *key, const struct sample_point *point)
{
	char *text = sort_key_text(key, point, false), *copy;

	copy = xstrdup(text + strspn(text, " "));
	free(text);
	return copy;
}

/* Show only samples whose value of a sort key is that of the chosen row. */
static void zoom_key(struct browser *b, size_t i)
{
	const struct sample_point *point = &model_entry(&b->model)->point;
	struct zoom zoom = { .key = b->model.hist.keys->keys[i] };
	char *text = key_text(zoom.key, point);

	zoom.value = sort_key_value(zoom.key, point);
	zoom.text = xasprintf("%s %s", zoom.key->name, text);
	free(text);
	apply(b, &zoom);
}

/*
 * Show only samples with the same value of a sort key as the chosen row. The key is the first of
 * @keys by which the rows are sorted.
 */
static void zoom_to(struct browser *b, const char *keys)
{
	const struct sort_keys *sorted = b->model.hist.keys;
	const char *list = keys;

	for (; *list && model_row(&b->model); list += strcspn(list, ","), list += *list == ',') {
		size_t i, size = strcspn(list, ",");

		for (i = 0; i < sorted->nr; i++) {
			if (strlen(sorted->keys[i]->name) == size &&
			    !strncmp(sorted->keys[i]->name, list, size)) {
				zoom_key(b, i);
				return;
			}
		}
	}
	say(b, xasprintf("rows are not sorted by %.*s; press s to do so",
			 (int)strcspn(keys, ","), keys));
}

/* Show a text that is too long for a message, in lines of at most 76 characters. */
static void show_text(struct browser *b, const char *title, const char *text)
{
	char *wrapped = xstrdup(text), *line = wrapped, *at, *blank = NULL;

	for (at = wrapped; *at; at++) {
		if (*at == ' ')
			blank = at;
		if (at - line >= 76 && blank) {
			*blank = '\n';
			line = blank + 1;
			blank = NULL;
		}
	}
	text_view_set(&b->text, title, wrapped);
	free(wrapped);
	b->mode = MODE_TEXT;
}

/* Sum up the samples of the view by address. */
static struct code_subject make_subject(struct browser *b)
{
	static const size_t only;
	const struct browse_event *event = model_event(&b->model);

	code_hits_free(&b->hits);
	b->hits = (struct code_hits){ 0 };
	code_samples_add(&b->hits, &b->model.now.view, event, b->model.input->machine);
	return (struct code_subject){
		.hits = &b->hits, .function = code_hits_function(&b->hits, &b->place),
		.events = &only, .nr_events = 1, .names = event->name,
	};
}

static void annotate(struct browser *b)
{
	struct symbol *symbol = symbol_of(b);
	struct code_subject subject;
	struct error err;

	if (!symbol || !b->model.input->code) {
		say(b, xstrdup(symbol ? "functions cannot be annotated here" :
			       "this row is no function with a name; sort by sym"));
		return;
	}
	before_work(b);
	if (!code_samples_place(model_event(&b->model), symbol, &b->place)) {
		say(b, xstrdup("no sample has an address in this function"));
		return;
	}
	subject = make_subject(b);
	code_view_close(&b->code);
	if (code_view_open(&b->code, &subject, b->model.input->code, &err))
		show_text(b, "This function cannot be annotated", err.text);
	else
		b->mode = MODE_CODE;
}

void browser_update(struct browser *b)
{
	struct code_subject subject;

	model_update(&b->model);
	if (b->mode != MODE_CODE)
		return;
	subject = make_subject(b);
	code_view_refresh(&b->code, &subject);
}

static void start_menu(struct browser *b, const char *title)
{
	menu_free(&b->menu);
	b->menu.title = title;
	b->mode = MODE_MENU;
}

static void open_row_menu(struct browser *b)
{
	const struct browse_row *row = model_row(&b->model);
	char buffer[CHAIN_LABEL_SIZE];
	const char *name;
	size_t i;

	if (!row)
		return;
	start_menu(b, " Row ");
	if (symbol_of(b) && b->model.input->code)
		menu_add(&b->menu, xasprintf("Annotate %s", symbol_name(symbol_of(b))),
			 ACTION_ANNOTATE, 0);
	if (row_has_below(&b->model.list, row))
		menu_add(&b->menu, xstrdup(row_is_open(&b->model.list, row) ?
					   "Fold the call chains" : "Unfold the call chains"),
			 ACTION_FOLD, 0);
	for (i = 0; !row->fold && i < b->model.hist.keys->nr; i++) {
		const struct sort_key *key = b->model.hist.keys->keys[i];
		char *text = key_text(key, &model_entry(&b->model)->point);

		menu_add(&b->menu, xasprintf("Only samples with %s %s", key->name, text),
			 ACTION_ZOOM_KEY, i);
		free(text);
	}
	name = function_of(b, buffer);
	if (name && model_event(&b->model)->chains)
		menu_add(&b->menu, xasprintf("Only samples in or below %s", name),
			 ACTION_ZOOM_CALLER, 0);
	menu_add(&b->menu, xstrdup("Hide this row"), ACTION_HIDE, 0);
	menu_add(&b->menu, xstrdup("Sort by other keys..."), ACTION_SORT_MENU, 0);
	menu_add(&b->menu, xstrdup("Write the rows to a file..."), ACTION_SAVE, 0);
}

static void open_sort_menu(struct browser *b)
{
	static const char * const lists[] = { "sym", "dso,sym", "comm,dso", "tid,sym", "cpu,sym" };
	const struct browse_event *event = model_event(&b->model);
	const struct sort_key *key;
	char *keys = model_keys_text(event->keys);
	size_t i;

	start_menu(b, " Sort by ");
	menu_add(&b->menu, xasprintf("%s (first order)", keys), ACTION_SORT_DEFAULT, 0);
	free(keys);
	for (i = 0; (key = sort_key_number(i)); i++) {
		if (event_offers_key(event, key))
			menu_add(&b->menu, xstrdup(key->name), ACTION_SORT, 0);
	}
	for (i = 1; i < ARRAY_SIZE(lists) && !event->branches; i++) {
		if (strncmp(lists[i], "cpu", 3) || event->sample_type & PERF_SAMPLE_CPU)
			menu_add(&b->menu, xstrdup(lists[i]), ACTION_SORT, 0);
	}
	menu_add(&b->menu, xstrdup("other keys..."), ACTION_SORT_OTHER, 0);
}

static void start_prompt(struct browser *b, enum prompt_purpose purpose, const char *text)
{
	b->mode = MODE_PROMPT;
	b->purpose = purpose;
	b->cursor_before = b->model.now.cursor;
	free(b->before);
	b->before = xstrdup(b->model.now.filter);
	snprintf(b->prompt, sizeof(b->prompt), "%s", text);
}

static void sort_by(struct browser *b, const char *keys)
{
	struct error err;

	before_work(b);
	if (!model_sort(&b->model, keys, &err))
		say(b, xstrdup(err.text));
}

static void toggle_fold(struct browser *b)
{
	model_set_open(&b->model, !row_is_open(&b->model.list, model_row(&b->model)));
}

static void run_action(struct browser *b, const struct menu_line *line)
{
	b->mode = MODE_ROWS;
	switch (line->action) {
	case ACTION_FOLD:
		toggle_fold(b);
		break;
	case ACTION_ZOOM_KEY:
		zoom_key(b, line->argument);
		break;
	case ACTION_ZOOM_CALLER:
		zoom_caller(b);
		break;
	case ACTION_ANNOTATE:
		annotate(b);
		break;
	case ACTION_HIDE:
		model_hide(&b->model);
		break;
	case ACTION_SORT_MENU:
		open_sort_menu(b);
		break;
	case ACTION_SAVE:
		start_prompt(b, PURPOSE_SAVE, "report.txt");
		break;
	case ACTION_SORT:
		sort_by(b, line->text);
		break;
	case ACTION_SORT_DEFAULT:
		sort_by(b, "");
		break;
	case ACTION_SORT_OTHER:
		start_prompt(b, PURPOSE_SORT, "");
		break;
	}
}

static void menu_mode_key(struct browser *b, uint32_t key)
{
	struct menu_line line;

	if (menu_key(&b->menu, key))
		return;
	if (key == KEY_OF_ENTER || key == KEY_OF_RIGHT) {
		/* The action may make another menu. */
		line = b->menu.lines[b->menu.chosen];
		line.text = xstrdup(line.text);
		run_action(b, &line);
		free(line.text);
	} else if (key == KEY_OF_ESCAPE || key == 'q' || key == KEY_OF_LEFT ||
		   key == KEY_OF_BACKSPACE) {
		b->mode = MODE_ROWS;
	}
}

static void save(struct browser *b, bool replace)
{
	struct error err;
	int ret = save_rows(&b->model, b->prompt, replace, &err);

	b->mode = ret == 1 ? MODE_ASK : MODE_ROWS;
	if (ret < 0)
		say(b, xstrdup(err.text));
	else if (!ret)
		say(b, xasprintf("wrote %zu rows to %s", b->model.list.nr, b->prompt));
}

/* Apply the text of a prompt while the user types it. */
static void prompt_changed(struct browser *b)
{
	if (b->purpose == PURPOSE_FILTER)
		model_filter(&b->model, b->prompt);
	if (b->purpose == PURPOSE_SEARCH && *b->prompt &&
	    !model_search(&b->model, b->prompt, b->cursor_before, 1))
		say(b, xasprintf("no row has '%s'", b->prompt));
}

static void end_prompt(struct browser *b)
{
	b->mode = MODE_ROWS;
	switch (b->purpose) {
	case PURPOSE_FILTER:
		break;
	case PURPOSE_SEARCH:
		free(b->searched);
		b->searched = xstrdup(b->prompt);
		break;
	case PURPOSE_SORT:
		if (*b->prompt)
			sort_by(b, b->prompt);
		break;
	case PURPOSE_SAVE:
		if (*b->prompt)
			save(b, false);
		break;
	}
}

static void cancel_prompt(struct browser *b)
{
	b->mode = MODE_ROWS;
	if (b->purpose == PURPOSE_FILTER)
		model_filter(&b->model, "");
	if (b->purpose == PURPOSE_SEARCH)
		model_go_to(&b->model, b->cursor_before);
}

static void prompt_mode_key(struct browser *b, uint32_t key)
{
	switch (prompt_key(b->prompt, key)) {
	case PROMPT_UNCHANGED:
		break;
	case PROMPT_CHANGED:
		prompt_changed(b);
		break;
	case PROMPT_DONE:
		end_prompt(b);
		break;
	case PROMPT_CANCELLED:
		cancel_prompt(b);
		break;
	}
}

static void ask_mode_key(struct browser *b, uint32_t key)
{
	if (key == 'y' || key == 'Y') {
		save(b, true);
	} else if (key < KEY_OF_NOTHING || key == KEY_OF_ESCAPE || key == KEY_OF_ENTER) {
		b->mode = MODE_ROWS;
		say(b, xasprintf("%s is unchanged", b->prompt));
	}
}

static void show_help(struct browser *b)
{
	const struct browse_live *live = b->model.input->live;
	char *text = xasprintf("%s%s", live ? live->help : "", browse_help);

	text_view_set(&b->text, live ? "Keys of perf top" : "Keys of perf report", text);
	b->mode = MODE_TEXT;
	free(text);
}

static void travel(struct browser *b, int step)
{
	before_work(b);
	if (!model_travel(&b->model, step))
		say(b, xstrdup(step < 0 ? "this is the first view" : "this is the last view"));
}

static void search_again(struct browser *b, int step)
{
	size_t nr = b->model.list.nr;

	if (!b->searched || !*b->searched)
		say(b, xstrdup("press i to search"));
	else if (!nr || !model_search(&b->model, b->searched,
				      b->model.now.cursor + (step > 0 ? 1 : nr - 1), step))
		say(b, xasprintf("no row has '%s'", b->searched));
}

static void go_left(struct browser *b)
{
	const struct browse_row *row = model_row(&b->model);

	if (row && row_is_open(&b->model.list, row))
		model_set_open(&b->model, false);
	else if (!model_go_up(&b->model))
		travel(b, -1);
}

static void next_event(struct browser *b, int step)
{
	if (b->model.input->nr_events == 1)
		say(b, xstrdup("there is one event with samples"));
	before_work(b);
	model_next_event(&b->model, step);
}

static bool move_key(struct browser *b, uint32_t key)
{
	struct browse_model *m = &b->model;

	switch (key) {
	case KEY_OF_UP:
	case 'k':
		model_move(m, -1);
		return true;
	case KEY_OF_DOWN:
	case 'j':
		model_move(m, 1);
		return true;
	case KEY_OF_PAGE_UP:
	case CONTROL('b'):
		model_move(m, -(long)m->page);
		return true;
	case KEY_OF_PAGE_DOWN:
	case CONTROL('f'):
	case ' ':
		model_move(m, m->page);
		return true;
	case KEY_OF_FIRST:
		model_go_first(m);
		return true;
	case KEY_OF_LAST:
		model_go_to(m, m->list.nr);
		return true;
	default:
		return false;
	}
}

static bool fold_key(struct browser *b, uint32_t key)
{
	struct browse_model *m = &b->model;

	switch (key) {
	case '+':
	case KEY_OF_RIGHT:
		model_set_open(m, true);
		return true;
	case '-':
		model_set_open(m, false);
		return true;
	case KEY_OF_LEFT:
		go_left(b);
		return true;
	case 'e':
		before_work(b);
		model_set_all(m, true);
		return true;
	case 'c':
		model_set_all(m, false);
		return true;
	case 'o':
		if (!model_event(m)->chains) {
			say(b, xstrdup("the samples have no call chains"));
			return true;
		}
		before_work(b);
		model_toggle_children(m);
		return true;
	default:
		return false;
	}
}

static bool view_key(struct browser *b, uint32_t key)
{
	switch (key) {
	case KEY_OF_ENTER:
		if (symbol_of(b) && b->model.input->code)
			annotate(b);
		else
			open_row_menu(b);
		return true;
	case 'a':
		annotate(b);
		return true;
	case 'm':
		open_row_menu(b);
		return true;
	case 't':
		zoom_to(b, "tid,pid,comm");
		return true;
	case 'd':
		zoom_to(b, "dso,dso_to");
		return true;
	case 'f':
		zoom_to(b, "sym,symbol_to");
		return true;
	case 'u':
		zoom_caller(b);
		return true;
	case KEY_OF_BACKSPACE:
	case KEY_OF_BACK:
	case '<':
		travel(b, -1);
		return true;
	case KEY_OF_FORTH:
	case '>':
		travel(b, 1);
		return true;
	case KEY_OF_TAB:
	case 'E':
		next_event(b, 1);
		return true;
	case KEY_OF_TAB_BACK:
		next_event(b, -1);
		return true;
	case '%':
		before_work(b);
		model_toggle_relative(&b->model);
		return true;
	default:
		return false;
	}
}

static void row_key(struct browser *b, uint32_t key)
{
	switch (key) {
	case 's':
		open_sort_menu(b);
		break;
	case '/':
		start_prompt(b, PURPOSE_FILTER, b->model.now.filter);
		break;
	case KEY_OF_ESCAPE:
		model_filter(&b->model, "");
		break;
	case 'i':
		start_prompt(b, PURPOSE_SEARCH, "");
		break;
	case 'n':
		search_again(b, 1);
		break;
	case 'N':
		search_again(b, -1);
		break;
	case 'h':
		model_hide(&b->model);
		break;
	case 'H':
		model_show_hidden(&b->model);
		break;
	case 'w':
		start_prompt(b, PURPOSE_SAVE, "report.txt");
		break;
	case '?':
	case KEY_OF_HELP:
		show_help(b);
		break;
	case 'q':
	case 'Q':
	case CONTROL('d'):
		b->quit = true;
		break;
	}
}

/*
 * Handle a key of the running machine. Return false if the samples are of a recording, or if the
 * running machine has no use for the key.
 */
static bool live_key(struct browser *b, uint32_t key)
{
	const struct browse_live *live = b->model.input->live;
	char *message = NULL;

	if (!live || !live->key(live->context, key, &message))
		return false;
	if (b->mode == MODE_CODE)
		code_view_say(&b->code, message);
	else
		say(b, message);
	return true;
}

static void code_mode_key(struct browser *b, uint32_t key)
{
	bool text = b->code.typing || b->code.helping;

	if ((!text && live_key(b, key)) || code_view_key(&b->code, key))
		return;
	if (key == 'q' || key == KEY_OF_ESCAPE || key == KEY_OF_LEFT ||
	    key == KEY_OF_BACKSPACE) {
		b->mode = MODE_ROWS;
		code_view_close(&b->code);
		code_hits_free(&b->hits);
		b->hits = (struct code_hits){ 0 };
	} else if (key == 'Q' || key == CONTROL('d')) {
		b->quit = true;
	}
}

void browser_key(struct browser *b, uint32_t key)
{
	say(b, NULL);
	switch (b->mode) {
	case MODE_MENU:
		menu_mode_key(b, key);
		break;
	case MODE_PROMPT:
		prompt_mode_key(b, key);
		break;
	case MODE_ASK:
		ask_mode_key(b, key);
		break;
	case MODE_TEXT:
		if (!text_view_key(&b->text, key) &&
		    (key == 'q' || key == '?' || key == KEY_OF_ESCAPE || key == KEY_OF_BACKSPACE))
			b->mode = MODE_ROWS;
		break;
	case MODE_CODE:
		code_mode_key(b, key);
		break;
	case MODE_ROWS:
		if (!live_key(b, key) && !move_key(b, key) && !fold_key(b, key) &&
		    !view_key(b, key))
			row_key(b, key);
		break;
	}
}

void browser_click(struct browser *b, const struct grid *grid, size_t line)
{
	size_t row = b->model.now.top + line - b->header;

	if (b->mode == MODE_MENU) {
		browser_key(b, menu_choose_at(&b->menu, grid, line) ? KEY_OF_ENTER : KEY_OF_ESCAPE);
		return;
	}
	if (b->mode == MODE_CODE)
		code_view_click(&b->code, line);
	if (b->mode != MODE_ROWS || line < b->header || line + 1 >= grid->lines ||
	    row >= b->model.list.nr)
		return;
	if (row == b->model.now.cursor)
		open_row_menu(b);
	else
		model_go_to(&b->model, row);
}

void browser_free(struct browser *b)
{
	model_free(&b->model);
	menu_free(&b->menu);
	text_view_free(&b->text);
	code_view_close(&b->code);
	code_hits_free(&b->hits);
	free(b->before);
	free(b->searched);
	free(b->message);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Parses definitions of events that users write.
 *
 * The parts of a definition are copied to a line for the kernel, which separates parts by blanks
 * and takes '#' for the start of a comment. So no part may contain blanks or '#'.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "definition.h"

#define BLANKS " \t\n\v\f\r"

static bool is_name_byte(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

size_t identifier_length(const char *text)
{
	size_t length = 0;

	if (isascii(*text) && isdigit(*text))
		return 0;
	while (is_name_byte(text[length]))
		length++;
	return length;
}

static bool is_identifier(const char *text)
{
	size_t length = identifier_length(text);

	return length && !text[length];
}

/* C and C++ allow letters of all languages, which compilers write in UTF-8. */
static bool is_function_byte(char c)
{
	return is_name_byte(c) || !isascii(c);
}

/* Return true if @text is the name of a symbol, which may contain dots and dollars. */
static bool is_function_name(const char *text)
{
	if (!is_function_byte(*text) || (isascii(*text) && isdigit(*text)))
		return false;
	/* Names of C++ and Rust have scopes. */
	while (is_function_byte(*text) || *text == '.' || *text == '$' ||
	       (text[0] == ':' && text[1] == ':' && is_function_byte(text[2])))
		text += *text == ':' ? 2 : 1;
	return !*text;
}

static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (!isascii(*text) || !isgraph(*text) || *text == '#')
			return false;
	}
	return true;
}

static int take_name(char **name, const char *text, const char *what, struct error *err)
{
	if (!is_identifier(text)) {
		error_set(err, "'%s' is not a name for %s; use letters, digits and _", text, what);
		return -1;
	}
	if (strlen(text) > EVENT_NAME_MAX) {
		error_set(err, "'%s' is too long as a name for %s; use at most %d bytes", text,
			  what, EVENT_NAME_MAX);
		return -1;
	}
	*name = xstrdup(text);
	return 0;
}

/* Parse [GROUP:]EVENT; @text is modified. */
static int parse_name(struct definition *d, char *text, struct error *err)
{
	char *colon = strchr(text, ':');

	if (colon) {
		*colon = '\0';
		if (take_name(&d->group, text, "a group", err))
			return -1;
		text = colon + 1;
	}
	return take_name(&d->event, text, "an event", err);
}

static int parse_whole(const char *text, uint64_t max, uint64_t *number)
{
	bool is_hex = text[0] == '0' && text[1] == 'x';
	char *end;

	if (!isdigit(*text) || (is_hex && !isxdigit(text[2])))
		return -1;
	errno = 0;
	*number = strtoull(text, &end, is_hex ? 16 : 10);
	return errno || *end || *number > max ? -1 : 0;
}

/* Parse FILE:LINE or FUNCTION:LINE with the colon at @colon; a file has a dot or a slash. */
static int parse_line(struct definition *d, char *place, char *colon, struct error *err)
{
	bool is_file;
	uint64_t line;

	*colon = '\0';
	is_file = strpbrk(place, "./");
	if (parse_whole(colon + 1, INT_MAX, &line) || (is_file && !line)) {
		error_set(err, "'%s' is not a line number; use FILE:LINE or FUNCTION:LINE",
			  colon + 1);
		return -1;
	}
	if (!(is_file ? is_plain(place) && *place : is_function_name(place))) {
		error_set(err, "'%s' is neither a function nor a file", place);
		return -1;
	}
	d->line = line;
	d->has_line = true;
	*(is_file ? &d->file : &d->function) = xstrdup(place);
	return 0;
}

static int parse_function(struct definition *d, char *place, struct error *err)
{
	char *plus = strchr(place, '+');

	if (plus) {
		*plus = '\0';
		if (parse_whole(plus + 1, INT_MAX, &d->offset)) {
			error_set(err, "'%s' is not an offset; use FUNCTION+OFFSET, in bytes",
				  plus + 1);
			return -1;
		}
	}
	if (!is_function_name(place)) {
		error_set(err, "'%s' is not the name of a function", place);
		return -1;
	}
	d->function = xstrdup(place);
	return 0;
}

static int parse_place(struct definition *d, char *place, struct error *err)
{
	static const char mark[] = "%return";
	char *percent = strchr(place, '%'), *colon;
	int ret;

	if (percent) {
		if (strcmp(percent, mark)) {
			error_set(err, "'%s' is unknown; %% is only for FUNCTION%s", percent, mark);
			return -1;
		}
		*percent = '\0';
		d->is_return = true;
	}
	colon = strrchr(place, ':');
	if (colon && colon > place && colon[-1] == ':')
		colon = NULL;
	ret = colon ? parse_line(d, place, colon, err) : parse_function(d, place, err);
	if (!ret && d->is_return && (d->has_line || d->offset)) {
		error_set(err, "%s is for a whole function; leave out the offset or the line",
			  mark);
		return -1;
	}
	return ret;
}

/* Return true if @text is NAME, followed by any number of "->MEMBER" and ".MEMBER". */
static bool is_variable(const char *text)
{
	size_t length = identifier_length(text);

	while (length) {
		text += length;
		if (!*text)
			return true;
		if (*text == '.')
			text++;
		else if (text[0] == '-' && text[1] == '>')
			text += 2;
		else
			return false;
		length = identifier_length(text);
	}
	return false;
}

static bool is_raw(const char *text)
{
	return (*text && strchr("%$@+-", *text)) || strchr(text, '(');
}

static int parse_arg(struct definition *d, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	struct probe_arg *arg;
	char *name = NULL;
	int ret = 0;

	d->args = xreallocarray(d->args, d->nr_args + 1, sizeof(*d->args));
	arg = &d->args[d->nr_args++];
	*arg = (struct probe_arg){ 0 };
	if (equals) {
		name = xstrndup(text, equals - text);
		ret = take_name(&arg->name, name, "a field", err);
		free(name);
		text = equals + 1;
	}
	if (ret)
		return -1;
	arg->raw = is_raw(text);
	arg->text = xstrdup(text);
	if (!is_plain(text) || !(arg->raw || is_variable(text))) {
		error_set(err, "'%s' is neither a variable nor in the form of tracefs; use NAME, %s",
			  text, "NAME->MEMBER, NAME.MEMBER, or a form such as +8(%di):u32");
		return -1;
	}
	if (!d->is_return && strstr(text, "$retval")) {
		error_set(err, "'%s' needs the return of a function; use FUNCTION%%return",
			  text);
		return -1;
	}
	return 0;
}

static int parse_words(struct definition *d, char *rest, struct error *err)
{
	char *place = strtok_r(rest, BLANKS, &rest), *word, *equals;

	if (!place) {
		error_set(err, "the definition is empty; use [[GROUP:]EVENT=]FUNCTION [ARG...]");
		return -1;
	}
	equals = strchr(place, '=');
	if (equals) {
		*equals = '\0';
		if (parse_name(d, place, err))
			return -1;
		place = equals + 1;
	}
	if (parse_place(d, place, err))
		return -1;
	while ((word = strtok_r(NULL, BLANKS, &rest))) {
		if (parse_arg(d, word, err))
			return -1;
	}
	return 0;
}

int definition_parse(struct definition *definition, const char *text, struct error *err)
{
	char *copy = xstrdup(text);
	int ret;

	*definition = (struct definition){ 0 };
	ret = parse_words(definition, copy, err);
	free(copy);
	return ret;
}

void definition_free(struct definition *definition)
{
	size_t i;

	for (i = 0; i < definition->nr_args; i++) {
		free(definition->args[i].name);
		free(definition->args[i].text);
	}
	free(definition->args);
	free(definition->group);
	free(definition->event);
	free(definition->function);
	free(definition->file);
	*definition = (struct definition){ 0 };
}

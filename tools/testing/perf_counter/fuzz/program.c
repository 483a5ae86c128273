// SPDX-License-Identifier: GPL-2.0
/*
 * Programs as text: a call on each line, "name argument...", and an empty line after each
 * program. Numbers are hexadecimal; an attr is {field=value ...}, without the fields that are
 * 0; a text is "...", with \xNN for unprintable bytes. With "& " in front of a call, the helper
 * thread makes it. Lines that begin with # are comments.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const char *const attr_names[ATTR_WORDS] = {
	"type_size", "config", "period", "sample_type", "read_format", "bits", "wakeup_bp",
	"config1", "config2", "branch", "regs_user", "stack_clock", "regs_intr", "aux_stack",
	"aux_size", "sig_data", "config3",
};

unsigned int arg_words(enum arg_kind kind)
{
	switch (kind) {
	case ARG_END:
		return 0;
	case ARG_ATTR:
		return ATTR_WORDS;
	case ARG_TEXT:
		return TEXT_WORDS;
	default:
		return 1;
	}
}

/* Return whether @program changes its process for good. */
bool program_needs_child(const struct program *program)
{
	for (unsigned int i = 0; i < program->n; i++)
		if (call_types[program->calls[i].kind].child)
			return true;
	return false;
}

static void print_attr(const u64 *words, FILE *to)
{
	const char *space = "";

	fputs(" {", to);
	for (int i = 0; i < ATTR_WORDS; i++)
		if (words[i]) {
			fprintf(to, "%s%s=%llx", space, attr_names[i],
				(unsigned long long)words[i]);
			space = " ";
		}
	fputc('}', to);
}

static void print_text(const char *text, FILE *to)
{
	fputs(" \"", to);
	for (size_t i = 0; i < TEXT_WORDS * sizeof(u64) && text[i]; i++)
		if (isprint((unsigned char)text[i]) && text[i] != '"' && text[i] != '\\')
			fputc(text[i], to);
		else
			fprintf(to, "\\x%02x", (unsigned char)text[i]);
	fputc('"', to);
}

static void print_call(const struct call *call, FILE *to)
{
	const struct call_type *type = &call_types[call->kind];
	const u64 *word = call->arg;

	fprintf(to, "%s%s", call->async ? "& " : "", type->name);
	for (const struct arg_type *arg = type->args; arg->kind; arg++) {
		if (arg->kind == ARG_ATTR)
			print_attr(word, to);
		else if (arg->kind == ARG_TEXT)
			print_text((const char *)word, to);
		else
			fprintf(to, " %llx", (unsigned long long)*word);
		word += arg_words(arg->kind);
	}
	fputc('\n', to);
}

void program_print(const struct program *program, FILE *to)
{
	for (unsigned int i = 0; i < program->n; i++)
		print_call(&program->calls[i], to);
	fputc('\n', to);
}

static const char *skip_space(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

/* The functions below return the rest of @s after the argument, or NULL. */
static const char *parse_number(const char *s, u64 *word)
{
	char *end;

	*word = strtoull(s, &end, 16);
	return end == s ? NULL : end;
}

static const char *parse_attr(const char *s, u64 *words)
{
	if (*s++ != '{')
		return NULL;
	for (;;) {
		int i;

		s = skip_space(s);
		if (*s == '}')
			return s + 1;
		for (i = 0; i < ATTR_WORDS; i++) {
			size_t n = strlen(attr_names[i]);

			if (!strncmp(s, attr_names[i], n) && s[n] == '=') {
				s = parse_number(s + n + 1, &words[i]);
				break;
			}
		}
		if (i == ATTR_WORDS || !s)
			return NULL;
	}
}

static const char *parse_text(const char *s, char *text)
{
	unsigned int c;

	if (*s++ != '"')
		return NULL;
	for (size_t i = 0; *s != '"'; i++) {
		if (!*s || i >= TEXT_WORDS * sizeof(u64))
			return NULL;
		if (sscanf(s, "\\x%2x", &c) == 1) {
			text[i] = c;
			s += 4;
		} else {
			text[i] = *s++;
		}
	}
	return s + 1;
}

static bool parse_call(const char *s, struct call *call)
{
	const struct arg_type *arg;
	size_t length;
	u64 *word;

	memset(call, 0, sizeof(*call));
	if (*s == '&') {
		call->async = true;
		s = skip_space(s + 1);
	}
	length = strcspn(s, "\n ");
	for (call->kind = 0; call->kind < nr_call_types; call->kind++)
		if (strlen(call_types[call->kind].name) == length &&
		    !strncmp(s, call_types[call->kind].name, length))
			break;
	if (call->kind == nr_call_types)
		return false;
	s += length;
	word = call->arg;
	for (arg = call_types[call->kind].args; s && arg->kind; arg++) {
		s = skip_space(s);
		if (arg->kind == ARG_ATTR)
			s = parse_attr(s, word);
		else if (arg->kind == ARG_TEXT)
			s = parse_text(s, (char *)word);
		else
			s = parse_number(s, word);
		word += arg_words(arg->kind);
	}
	return s && *skip_space(s) == '\n';
}

int programs_read(FILE *from, const char *name, struct program *programs, int max)
{
	struct program *program = programs;
	char line[4096];
	int n = 0;

	program->n = 0;
	for (int nr = 1; n < max && fgets(line, sizeof(line), from); nr++) {
		if (line[0] == '#')
			continue;
		if (line[0] == '\n') {
			if (program->n && ++n < max)
				(++program)->n = 0;
			continue;
		}
		if (program->n == CALLS_MAX || !parse_call(line, &program->calls[program->n])) {
			fprintf(stderr, "fuzz: %s:%d: no call of a program: %s", name, nr, line);
			return -1;
		}
		program->n++;
	}
	return n < max && program->n ? n + 1 : n;
}

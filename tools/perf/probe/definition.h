/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions of events as users write them.
 */
#ifndef PERF_PROBE_DEFINITION_H
#define PERF_PROBE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

/* Groups and events have names as long as that; the kernel has room for 63 bytes. */
#define EVENT_NAME_MAX 60

/**
 * struct probe_arg - what an event fetches
 * @name: of the field; NULL: none was given
 * @text: a variable with its members, or what tracefs understands
 * @raw: tracefs takes @text as it is
 */
struct probe_arg {
	char *name;
	char *text;
	bool raw;
};

/**
 * struct definition - [[GROUP:]EVENT=]PLACE [ARG...]
 * @group: NULL: none was given
 * @event: NULL: none was given
 * @function: of FUNCTION, FUNCTION+OFFSET or FUNCTION:LINE; NULL: it is FILE:LINE
 * @file: of FILE:LINE; NULL: it is a function
 * @offset: bytes behind the function's beginning
 * @line: number of the line, from 1 in a file, from 0 in a function
 * @has_line: there is a @line
 * @is_return: where the function returns
 * @args: what is fetched
 * @nr_args: number of @args
 */
struct definition {
	char *group;
	char *event;
	char *function;
	char *file;
	uint64_t offset;
	unsigned int line;
	bool has_line;
	bool is_return;
	struct probe_arg *args;
	size_t nr_args;
};

/**
 * definition_parse() - read a definition
 * @definition: where to
 * @text: what the user has written; parts are separated by blanks
 * @err: says what is wrong with it
 *
 * Return: 0, or -1 with @err set. It is to be freed in both cases.
 */
int definition_parse(struct definition *definition, const char *text, struct error *err);
void definition_free(struct definition *definition);

/* How many bytes of @text are a name as C has it; 0: it begins with none. */
size_t identifier_length(const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses definitions of events that users write.
 */
#ifndef PERF_PROBE_DEFINITION_H
#define PERF_PROBE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

/* Maximum length of names in bytes; the kernel has room for 63. */
#define EVENT_NAME_MAX 60

/**
 * struct probe_arg - a value that an event fetches
 * @name: name of the field, or NULL
 * @text: variable with its members, or text for tracefs
 * @raw: true if @text is for tracefs
 */
struct probe_arg {
	char *name;
	char *text;
	bool raw;
};

/**
 * struct definition - [[GROUP:]EVENT=]PLACE [ARG...]
 * @group: group, or NULL
 * @event: event, or NULL
 * @function: function of FUNCTION, FUNCTION+OFFSET or FUNCTION:LINE; otherwise NULL
 * @file: file of FILE:LINE; otherwise NULL
 * @offset: distance in bytes from the start of the function
 * @line: line number, from 1 in a file, from 0 in a function
 * @has_line: true if there is a @line
 * @is_return: true if the event happens when the function returns
 * @args: values to fetch
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
 * definition_parse() - Parse a definition
 * @definition: filled in; the caller frees it with definition_free(), also after an
 *	error
 * @text: definition that the user wrote; blanks separate its parts
 * @err: set to the reason if parsing fails
 *
 * Return: 0, or -1 with @err set.
 */
int definition_parse(struct definition *definition, const char *text, struct error *err);
void definition_free(struct definition *definition);

/* Return the length in bytes of the C identifier that @text begins with, or 0. */
size_t identifier_length(const char *text);

#endif

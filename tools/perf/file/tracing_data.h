/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the records of tracepoints look like: the TRACING_DATA section of perf.data.
 */
#ifndef PERF_FILE_TRACING_DATA_H
#define PERF_FILE_TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tracing_data;

/**
 * tracing_data_parse() - read the section
 * @bytes: it, or what follows a HEADER_TRACING_DATA record
 * @size: its size
 *
 * Of a section that is damaged, what precedes the damage is kept. It is tried in another
 * process first, which must be no more than one with this one thread.
 *
 * Return: what it says, to be given to tracing_data_free(); NULL when it is no such section,
 * of a machine with the other byte order, or damaged so that nobody can read it.
 */
struct tracing_data *tracing_data_parse(const void *bytes, size_t size);
bool tracing_data_is_damaged(const struct tracing_data *t);
void tracing_data_free(struct tracing_data *t);

/*
 * What is called with @context for the name of the kernel's function at @addr, which becomes
 * where that begins; NULL when there is none.
 */
typedef const char *(*tracing_function_name)(void *context, uint64_t *addr);

/* Have addresses of functions printed by name. */
void tracing_data_name_functions(struct tracing_data *t, tracing_function_name name, void *context);

/**
 * tracing_data_print() - print the fields of an event as the kernel would
 * @t: what the records look like; NULL: nothing is known
 * @out: where to
 * @id: which event, by its attr's config
 * @cpu: where it happened
 * @raw: its record
 * @size: bytes of @raw
 *
 * Return: false when the section has no such event, or the record is too short for one; then
 * nothing was printed.
 */
bool tracing_data_print(const struct tracing_data *t, FILE *out, uint64_t id, uint32_t cpu,
			const void *raw, size_t size);

/* Do records of an event have a field of that name? */
bool tracing_data_has_field(const struct tracing_data *t, uint64_t id, const char *field);

/* Print a field of a record; false when it is not there, and nothing was printed. */
bool tracing_data_print_field(const struct tracing_data *t, FILE *out, uint64_t id,
			      const void *raw, size_t size, const char *field);

/* A field of a record that is a number, sign extended; false when there is none of that name. */
bool tracing_data_number(const struct tracing_data *t, uint64_t id, const void *raw, size_t size,
			 const char *field, uint64_t *value);

/*
 * A field that is an array of characters, of fixed or changing length: at most @room - 1 of
 * them, and a NUL.
 */
bool tracing_data_string(const struct tracing_data *t, uint64_t id, const void *raw, size_t size,
			 const char *field, char *string, size_t room);

#endif

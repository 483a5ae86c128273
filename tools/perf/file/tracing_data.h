/* SPDX-License-Identifier: GPL-2.0 */
/* The formats of tracepoints' records: the TRACING_DATA section of perf.data. */
#ifndef PERF_FILE_TRACING_DATA_H
#define PERF_FILE_TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tracing_data;

/**
 * tracing_data_parse() - parse the section
 * @bytes: section, or the bytes after a HEADER_TRACING_DATA record
 * @size: size of @bytes
 *
 * Of a damaged section, the part before the damage is kept. A forked process parses it first,
 * so the caller must have only one thread.
 *
 * Return: the formats, to be freed by tracing_data_free(); NULL if the bytes are no such
 *   section, are from a machine with the other byte order, or are too damaged to be parsed.
 */
struct tracing_data *tracing_data_parse(const void *bytes, size_t size);
bool tracing_data_is_damaged(const struct tracing_data *t);
void tracing_data_free(struct tracing_data *t);

/*
 * A callback that returns the name of the kernel's function at @addr, and sets @addr to the
 * start of the function; NULL if there is no function.
 */
typedef const char *(*tracing_function_name)(void *context, uint64_t *addr);

/* Print the addresses of functions by name from now on. */
void tracing_data_name_functions(struct tracing_data *t, tracing_function_name name, void *context);

/**
 * tracing_data_print() - print the fields of a record in the format of tracefs
 * @t: formats; NULL: none
 * @out: output
 * @id: config of the event's attr
 * @cpu: CPU of the record
 * @raw: record
 * @size: bytes of @raw
 *
 * A record whose format may leave it is printed by a child process. If the child crashes, one
 * warning is printed for each event.
 *
 * Return: true if printed; false, with nothing printed, if the section lacks the event, the record
 *   is too short or its format cannot be printed.
 */
bool tracing_data_print(struct tracing_data *t, FILE *out, uint64_t id, uint32_t cpu,
			const void *raw, size_t size);

/* Return true if records of an event have the field @field. */
bool tracing_data_has_field(const struct tracing_data *t, uint64_t id, const char *field);

/*
 * Get the place of a field in records of an event, in bytes. Return: true if there is the field.
 */
bool tracing_data_place(const struct tracing_data *t, uint64_t id, const char *field,
			unsigned int *offset, unsigned int *size);

/*
 * Print a field of a record. Return: true if printed; false, with nothing printed, if the record
 * does not have the field.
 */
bool tracing_data_print_field(const struct tracing_data *t, FILE *out, uint64_t id,
			      const void *raw, size_t size, const char *field);

/* Get a field that is a number, sign-extended. Return: true if the record has the field. */
bool tracing_data_number(const struct tracing_data *t, uint64_t id, const void *raw, size_t size,
			 const char *field, uint64_t *value);

/*
 * Get a field that is an array of characters, of fixed or variable length: at most @room - 1 of
 * them and a NUL. Return: true if the record has the field.
 */
bool tracing_data_string(const struct tracing_data *t, uint64_t id, const void *raw, size_t size,
			 const char *field, char *string, size_t room);

#endif

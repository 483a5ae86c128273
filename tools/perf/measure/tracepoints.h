/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, as tracefs has them.
 */
#ifndef PERF_MEASURE_TRACEPOINTS_H
#define PERF_MEASURE_TRACEPOINTS_H

#include <stdbool.h>

/* Where tracefs is, or NULL when it cannot be found. */
const char *tracefs_path(void);

/*
 * Is it one of user mode? A single system call is, as it has the registers that it was called
 * with; other events but uprobes are of the kernel.
 */
bool tracepoint_is_in_user(const char *name);

/* The number of tracepoint @system:@name; or -1, EACCES in errno if it may not be read. */
long tracepoint_id(const char *system, const char *name);

/* What is called with each; not 0 ends the walk. */
typedef int (*tracepoint_visitor)(void *context, const char *system, const char *name);

/**
 * tracepoint_walk() - call a function with all whose names match
 * @system: pattern of the system, see fnmatch(3)
 * @name: pattern of the name
 * @visit: the function
 * @context: passed to it
 *
 * In the order of their names.
 *
 * Return: what @visit has returned last; 0 when none matches.
 */
int tracepoint_walk(const char *system, const char *name, tracepoint_visitor visit,
		    void *context);

/**
 * struct tracepoint_field - a field of a tracepoint's record
 * @type: its type, as C has it
 * @name: its name
 * @offset: where it is in the record
 * @size: bytes of it
 */
struct tracepoint_field {
	char *type;
	char *name;
	unsigned int offset;
	unsigned int size;
};

/* What is called with each; the field is not there any more afterwards. */
typedef void (*tracepoint_field_visitor)(void *context, const struct tracepoint_field *field);

/**
 * tracepoint_walk_fields() - call a function with all fields of a tracepoint's records
 * @system: its system
 * @name: its name
 * @visit: the function
 * @context: passed to it
 *
 * In their order.
 *
 * Return: 0, or -1 when there is no such tracepoint, or it may not be read.
 */
int tracepoint_walk_fields(const char *system, const char *name, tracepoint_field_visitor visit,
			   void *context);

/* The names of its fields, with commas in between, which the caller frees; NULL without any. */
char *tracepoint_fields(const char *system, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints in tracefs. */
#ifndef PERF_MEASURE_TRACEPOINTS_H
#define PERF_MEASURE_TRACEPOINTS_H

#include <stdbool.h>

/* Return the path of tracefs, or NULL if it cannot be found. */
const char *tracefs_path(void);

/*
 * Return true if the tracepoint belongs to user mode. Tracepoints of single system calls do,
 * because their records have only arguments of the task, and so do uprobes. All others belong to
 * the kernel.
 */
bool tracepoint_is_in_user(const char *name);

/*
 * Read the id of @system:@name. Return: the id, or -1 with errno set (EACCES: no permission).
 */
long tracepoint_id(const char *system, const char *name);

/* A function that is called for each tracepoint; a nonzero return value ends the walk. */
typedef int (*tracepoint_visitor)(void *context, const char *system, const char *name);

/**
 * tracepoint_walk() - call a function for all matching tracepoints, in alphabetical order
 * @system: pattern of the system, see fnmatch(3)
 * @name: pattern of the name
 * @visit: function to call
 * @context: argument of @visit
 *
 * Return: the last value of @visit; 0 if no tracepoint matches.
 */
int tracepoint_walk(const char *system, const char *name, tracepoint_visitor visit,
		    void *context);

/**
 * struct tracepoint_field - a field of a tracepoint's record
 * @type: type in C
 * @name: name of the field
 * @offset: offset in the record, bytes
 * @size: size in bytes
 */
struct tracepoint_field {
	char *type;
	char *name;
	unsigned int offset;
	unsigned int size;
};

/* A function that is called for each field; the field is freed afterwards. */
typedef void (*tracepoint_field_visitor)(void *context, const struct tracepoint_field *field);

/**
 * tracepoint_walk_fields() - call a function for all fields of a tracepoint, in order
 * @system: system of the tracepoint
 * @name: name of the tracepoint
 * @visit: function to call
 * @context: argument of @visit
 *
 * Return: 0, or -1 if the tracepoint does not exist or may not be read.
 */
int tracepoint_walk_fields(const char *system, const char *name, tracepoint_field_visitor visit,
			   void *context);

/*
 * List the names of the fields, separated by commas. Return: the text, which the caller frees; NULL
 * if there are no fields.
 */
char *tracepoint_fields(const char *system, const char *name);

#endif

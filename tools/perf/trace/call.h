/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A system call of a traced thread: its arguments and its result.
 */
#ifndef PERF_TRACE_CALL_H
#define PERF_TRACE_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "syscalls.h"

/**
 * struct arg_data - the data that an argument points to
 * @bytes: bytes; NULL: not recorded
 * @size: number of @bytes
 * @cut: true if there were more bytes
 */
struct arg_data {
	const char *bytes;
	size_t size;
	bool cut;
};

/**
 * struct call - a system call of a traced thread
 * @syscall: name and arguments of the system call
 * @nr: number of the system call
 * @values: values of the arguments
 * @record: record that @data points into, or NULL
 * @data: data that the arguments point to
 * @begin: time in ns when the call began; 0: not seen
 * @end: time in ns when the call returned; 0: not returned
 * @ret: return value
 */
struct call {
	const struct syscall *syscall;
	long nr;
	uint64_t values[SYSCALL_ARGS];
	char *record;
	struct arg_data data[SYSCALL_ARGS];
	uint64_t begin;
	uint64_t end;
	int64_t ret;
};

/**
 * struct call_layout - offsets of fields in records of raw_syscalls
 * @enter_id: number of the system call in sys_enter, a long
 * @enter_args: arguments in sys_enter, six longs
 * @exit_id: number of the system call in sys_exit, a long
 * @exit_ret: return value in sys_exit, a long
 */
struct call_layout {
	unsigned int enter_id;
	unsigned int enter_args;
	unsigned int exit_id;
	unsigned int exit_ret;
};

/* Read the layout from tracefs. Return: 0, or -1 if a tracepoint or a field is missing. */
int call_layout_find(struct call_layout *layout);

/**
 * call_decode() - Decode a sys_enter record
 * @call: set to the call; call_free() frees it
 * @layout: layout of the records
 * @table: system calls by number
 * @arch: architecture of the number, if the record does not have one
 * @raw: raw data of the sample
 * @size: size of @raw in bytes
 *
 * Return: 0, or -1 if the record is damaged.
 */
int call_decode(struct call *call, const struct call_layout *layout, struct syscall_table *table,
		uint32_t arch, const void *raw, size_t size);

/* Decode a sys_exit record. Return: 0, or -1 if the record is damaged. */
int call_decode_return(const struct call_layout *layout, const void *raw, size_t size, long *nr,
		       int64_t *ret);

/* Return true if the call has failed. -@call->ret is then the errno. */
bool call_has_failed(const struct call *call);

/* Return the name of an errno; NULL if it has none. */
const char *call_error_name(int error);

void call_print_name(const struct call *call, FILE *out);

/* Print the arguments: "name: value, ...". */
void call_print_args(const struct call *call, FILE *out);
/* Print the result: "-1 ENOENT (No such file ...)". */
void call_print_return(const struct call *call, FILE *out);

/* Print members of a JSON object: "args": {...}, "ret": N. */
void call_print_json(const struct call *call, FILE *out);

void call_free(struct call *call);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A system call of a traced thread: its arguments and its result.
 */
#ifndef PERF_TRACE_CALL_H
#define PERF_TRACE_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fd_paths.h"
#include "held_lines.h"
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
 * @paths: paths of the descriptors in the arguments; NULL: not known
 * @begin: time in ns when the call began; 0: not seen
 * @end: time in ns when the call returned; 0: not returned
 * @ret: return value
 * @cpu: CPU where the call began; -1: not known
 */
struct call {
	const struct syscall *syscall;
	long nr;
	uint64_t values[SYSCALL_ARGS];
	char *record;
	struct arg_data data[SYSCALL_ARGS];
	struct fd_path *paths[SYSCALL_ARGS];
	uint64_t begin;
	uint64_t end;
	int64_t ret;
	int cpu;
};

/**
 * struct call_layout - places in the records of a tracepoint at the start or the return of calls
 * @nr: offset of the number of the system call
 * @nr_size: size of the number, 4 or 8 bytes
 * @values: offset of the arguments or of the return value, each of 8 bytes
 * @only_own: true if records have only the arguments of the call (syscalls:sys_enter_*); false for
 *	all six registers, and perhaps data of perf_counter (raw_syscalls:sys_enter)
 */
struct call_layout {
	unsigned int nr;
	unsigned int nr_size;
	unsigned int values;
	bool only_own;
};

/*
 * Read the layouts of raw_syscalls:sys_enter and sys_exit from tracefs. Return: 0, or -1 if a
 * tracepoint or a field is missing.
 */
int call_layout_find(struct call_layout *enter, struct call_layout *leave);

/**
 * call_decode() - Decode a record of the start of a call
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

/* Decode a record of a return. Return: 0, or -1 if the record is damaged. */
int call_decode_return(const struct call_layout *layout, const void *raw, size_t size, long *nr,
		       int64_t *ret);

/* Return true if the call has failed. -@call->ret is then the errno. */
bool call_has_failed(const struct call *call);

/* Return the name of an errno; NULL if it has none. */
const char *call_error_name(int error);

void call_print_name(const struct call *call, FILE *out);

/* Print the arguments: "name: value, ...". Paths of descriptors are printed to @held, if given. */
void call_print_args(const struct call *call, FILE *out, struct held_lines *held);
/* Print the result: "-1 ENOENT (No such file ...)". */
void call_print_return(const struct call *call, FILE *out);

/* Print members of a JSON object: "args": {...}, "ret": N. */
void call_print_json(const struct call *call, FILE *out, struct held_lines *held);

void call_free(struct call *call);

#endif

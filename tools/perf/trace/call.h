/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A system call that was made: its arguments, and how it came out.
 */
#ifndef PERF_TRACE_CALL_H
#define PERF_TRACE_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "syscalls.h"

/**
 * struct arg_data - what an argument points to
 * @bytes: it; NULL: nothing is known
 * @size: how many there are
 * @cut: there were more
 */
struct arg_data {
	const char *bytes;
	size_t size;
	bool cut;
};

/**
 * struct call - a system call that was made
 * @syscall: which one
 * @nr: its number
 * @values: of its arguments
 * @record: what it was decoded from, which @data points into; or NULL
 * @data: what they point to
 * @begin: when it was made; 0: that was not seen
 * @end: when it returned; 0: it did not
 * @ret: what it returned
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
 * struct call_layout - where records of raw_syscalls have what
 * @enter_id: number of the call, a long
 * @enter_args: its arguments, six longs
 * @exit_id: likewise, when it returns
 * @exit_ret: what it returns
 */
struct call_layout {
	unsigned int enter_id;
	unsigned int enter_args;
	unsigned int exit_id;
	unsigned int exit_ret;
};

/* As tracefs has it. Return: 0, or -1 when there is no such tracepoint, or it has other fields. */
int call_layout_find(struct call_layout *layout);

/**
 * call_decode() - a system call begins
 * @call: gets it; to be ended with call_free()
 * @layout: of records
 * @table: the system calls
 * @arch: whose number it is, if the record does not say
 * @raw: raw data of the sample
 * @size: bytes of it
 *
 * Return: 0, or -1 when they are not what they should be.
 */
int call_decode(struct call *call, const struct call_layout *layout, struct syscall_table *table,
		uint32_t arch, const void *raw, size_t size);

/* A system call returns: which number, and what. Return: as call_decode(). */
int call_decode_return(const struct call_layout *layout, const void *raw, size_t size, long *nr,
		       int64_t *ret);

/* Has it failed? Then @ret is the negative errno. */
bool call_has_failed(const struct call *call);

void call_print_name(const struct call *call, FILE *out);

/* Its arguments, "name: value, ..."; what it has returned, "-1 ENOENT (No such file ...)". */
void call_print_args(const struct call *call, FILE *out);
void call_print_return(const struct call *call, FILE *out);

/* As members of an object of JSON: "args": {...}, "ret": N. */
void call_print_json(const struct call *call, FILE *out);

void call_free(struct call *call);

#endif

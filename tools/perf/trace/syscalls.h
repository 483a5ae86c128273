/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls by their numbers: what they are called, and what their arguments are.
 */
#ifndef PERF_TRACE_SYSCALLS_H
#define PERF_TRACE_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"
#include "constants.h"

#define SYSCALL_ARGS 6

/* How the value of an argument is written. */
enum arg_form {
	ARG_SIGNED,		/* int */
	ARG_UNSIGNED,		/* unsigned int */
	ARG_LONG,
	ARG_UNSIGNED_LONG,
	ARG_ADDRESS,		/* in hexadecimal; 0 is NULL */
	ARG_OCTAL,		/* a mode */
	ARG_DIRECTORY,		/* an open directory, or AT_FDCWD */
	ARG_CONSTANTS,		/* by name */
	ARG_SOCKADDR,		/* an address of a socket */
};

/**
 * struct syscall_arg - an argument
 * @name: what it is called
 * @form: how it is written
 * @constants: for ARG_CONSTANTS
 */
struct syscall_arg {
	char *name;
	enum arg_form form;
	const struct constants *constants;
};

/**
 * struct syscall - a system call
 * @node: in the table, by @arch and @nr
 * @arch: whose numbers they are: an AUDIT_ARCH_
 * @nr: its number
 * @name: what it is called; NULL for all numbers that nobody knows
 * @knows_args: the kernel says what its arguments are; else all six may be some
 * @nr_args: how many it has
 * @args: they
 * @returns_address: it returns an address
 */
struct syscall {
	struct hash_node node;
	uint32_t arch;
	long nr;
	char *name;
	bool knows_args;
	size_t nr_args;
	struct syscall_arg args[SYSCALL_ARGS];
	bool returns_address;
};

/* Those that were asked for. */
struct syscall_table {
	struct hash_table calls;
	struct syscall unknown;
};

/* Whose numbers this machine's programs use; and those of 32 bits, which may be others. */
uint32_t syscalls_native_arch(void);
uint32_t syscalls_32_bit_arch(void);

/**
 * syscalls_get() - the system call of a number
 * @table: remembers it
 * @arch: whose number: an AUDIT_ARCH_
 * @nr: the number
 *
 * Return: it, for as long as the table is there.
 */
const struct syscall *syscalls_get(struct syscall_table *table, uint32_t arch, long nr);

/**
 * syscalls_numbers() - the numbers of a system call, on all that this machine's kernel runs
 * @pattern: its name, or a pattern of names as fnmatch(3) has it
 * @numbers: gets them, each once
 *
 * Return: whether there is such a call.
 */
bool syscalls_numbers(const char *pattern, struct int_list *numbers);

/* Does a name match a pattern? */
bool syscall_matches(const char *pattern, const char *name);

/* Add to @near which name may be meant. */
void syscalls_consider(struct suggestions *near);

void syscalls_free(struct syscall_table *table);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls by number: their names and arguments.
 */
#ifndef PERF_TRACE_SYSCALLS_H
#define PERF_TRACE_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"
#include "constants.h"

#define SYSCALL_ARGS 6

/* Forms in which the value of an argument is printed. */
enum arg_form {
	ARG_SIGNED,		/* int */
	ARG_DESCRIPTOR,
	ARG_UNSIGNED,		/* unsigned int */
	ARG_LONG,
	ARG_UNSIGNED_LONG,
	ARG_ADDRESS,		/* hexadecimal; 0 is NULL */
	ARG_OCTAL,		/* mode of a file */
	ARG_HEX,		/* a number or an address, depending on another argument */
	ARG_DIRECTORY,		/* descriptor of a directory, or AT_FDCWD */
	ARG_CONSTANTS,		/* names of constants */
	ARG_SOCKADDR,		/* pointer to a socket address */
};

/**
 * struct syscall_arg - an argument of a system call
 * @name: name
 * @form: form in which it is printed
 * @constants: names of its values, for ARG_CONSTANTS
 */
struct syscall_arg {
	char *name;
	enum arg_form form;
	const struct constants *constants;
};

struct fd_call;

/**
 * struct syscall - a system call
 * @node: node in the table, by @arch and @nr
 * @arch: architecture, an AUDIT_ARCH_* number
 * @nr: number
 * @name: name; NULL in the entry of all unknown calls
 * @knows_args: true if the arguments are known; otherwise all six registers may be arguments
 * @nr_args: number of arguments
 * @args: arguments
 * @returns_address: true if the return value is an address
 * @fd_call: effect on descriptors, or NULL
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
	const struct fd_call *fd_call;
};

/* The system calls that have been looked up. */
struct syscall_table {
	struct hash_table calls;
	struct syscall unknown;
};

/* Return this machine's architecture. */
uint32_t syscalls_native_arch(void);
/* Return the architecture of this machine's 32-bit programs. */
uint32_t syscalls_32_bit_arch(void);

/*
 * Return the architecture of programs by the machine name of uname(2), such as "x86_64"; 0 if it is
 * unknown.
 */
uint32_t syscalls_arch_of(const char *machine);

/**
 * syscalls_get() - Look up a system call
 * @table: system calls that have been looked up
 * @arch: architecture, an AUDIT_ARCH_* number
 * @nr: number
 *
 * Return: The system call, which lives as long as the table.
 */
const struct syscall *syscalls_get(struct syscall_table *table, uint32_t arch, long nr);

/**
 * syscalls_numbers() - Find the numbers of a system call for all architectures of this kernel
 * @pattern: name, or a pattern as in fnmatch(3)
 * @numbers: gets each number once
 *
 * Return: False if no system call matches.
 */
bool syscalls_numbers(const char *pattern, struct int_list *numbers);

/* Return true if a name matches a pattern. */
bool syscall_matches(const char *pattern, const char *name);

/**
 * syscall_group() - Find a group of system calls
 * @name: name of a group: file, network, memory, process, ipc or signal. A percent sign may precede
 *	it. "signal" without a percent sign is the system call signal(), not the group.
 *
 * Return: names and patterns, and a final NULL; or NULL if there is no such group.
 */
const char *const *syscall_group(const char *name);

/* Add the names of all system calls to @near. */
void syscalls_consider(struct suggestions *near);

void syscalls_free(struct syscall_table *table);

#endif

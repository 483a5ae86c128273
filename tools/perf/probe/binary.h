/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens a program, a library or vmlinux, and finds its functions.
 */
#ifndef PERF_PROBE_BINARY_H
#define PERF_PROBE_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol.h"
#include "util/util.h"

/**
 * struct binary - an open file with code
 * @path: absolute path without symbolic links
 * @file: file and its debug information
 */
struct binary {
	char *path;
	struct dwarf_file file;
};

/* A function of the symbol table; @size is 0 if it is unknown. */
struct binary_function {
	uint64_t addr;
	uint64_t size;
};

/**
 * binary_open() - Open a file, and its debug file if it has one
 * @binary: filled in; the caller closes it with binary_close(), also after an error
 * @path: path of the file
 * @err: set to the reason if opening fails
 *
 * Return: 0, or -1 with @err set.
 */
int binary_open(struct binary *binary, const char *path, struct error *err);
void binary_close(struct binary *binary);

/* Say that a place has no debug information. Return: -1. */
int binary_refuse_without_debug(const struct binary *binary, struct error *err);

/* Return true if the code is for x86-64, the only machine whose registers are known here. */
bool binary_is_x86_64(const struct binary *binary);

/*
 * Find a function by name. Return: 0; -ENOENT with @err set if there is none; -1 with @err set if
 * there are several.
 */
int binary_function(const struct binary *binary, const char *name,
		    struct binary_function *function, struct error *err);

/*
 * Return true if source code can call the function of @symbol by @name: "match" or "detail::match"
 * for market::detail::match(). The ending that a compiler adds to the symbol of a changed copy,
 * such as .constprop.0, is ignored. A part of a function, whose symbol contains .cold or .part.,
 * has no name in the source.
 */
bool binary_is_name_in_source(const char *symbol, const char *name);

/* Return the name of the function with the code at @addr, and set @function; NULL: none. */
const char *binary_function_at(const struct binary *binary, uint64_t addr,
			       struct binary_function *function);

/* Call @visit for each function of the symbol table. */
void binary_walk_functions(const struct binary *binary,
			   void (*visit)(void *context, const char *name), void *context);

/* Set @offset to the place in the file of the code at @addr. Return 0, or -1 without such code. */
int binary_offset(const struct binary *binary, uint64_t addr, uint64_t *offset);

/* Set @addr to the address of the code at @offset in a file. Return 0, or -1 without such code. */
int binary_addr(const struct binary *binary, uint64_t offset, uint64_t *addr);

#endif

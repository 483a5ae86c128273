/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file that code and debug information are in: a program, a library, or vmlinux.
 */
#ifndef PERF_PROBE_BINARY_H
#define PERF_PROBE_BINARY_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"

/**
 * struct binary - a file that is open
 * @path: where it is, with no link in it
 * @dwfl: what keeps it open
 * @module: the file, and its debug file
 * @elf: the file
 * @bias: of addresses of @module, what is taken off for those in the file
 * @dwarf: its debug information; NULL: it has none
 * @to_dwarf: what is added to an address in the file for one in @dwarf
 */
struct binary {
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	uint64_t bias;
	Dwarf *dwarf;
	uint64_t to_dwarf;
};

/* A function of its symbol table; @size is 0 where that does not say. */
struct binary_function {
	uint64_t addr;
	uint64_t size;
};

/**
 * binary_open() - open a file, and its debug file as far as there is one
 * @binary: where to
 * @path: the file
 * @err: why it failed
 *
 * Return: 0, or -1 with @err set; it is to be closed in both cases.
 */
int binary_open(struct binary *binary, const char *path, struct error *err);
void binary_close(struct binary *binary);

/* Is it code of x86-64, whose registers are known here? */
bool binary_is_x86_64(const struct binary *binary);

/* Find a function by the name of its symbol; -1 with @err set: there is none, or several. */
int binary_function(const struct binary *binary, const char *name,
		    struct binary_function *function, struct error *err);

/* Where in the file the code at @addr is; -1: no code is loaded there. */
int binary_offset(const struct binary *binary, uint64_t addr, uint64_t *offset);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens the debug information of a program, a library, a kernel module or vmlinux.
 */
#ifndef PERF_SYMBOL_DWARF_FILE_H
#define PERF_SYMBOL_DWARF_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/util.h"

/**
 * struct dwarf_file - an open file with code, and its debug information
 * @dwfl: session of libdwfl
 * @module: file and its debug file
 * @elf: file
 * @bias: difference between addresses in @module and addresses in the file
 * @dwarf: debug information, or NULL
 * @to_dwarf: difference between addresses in @dwarf and addresses in the file
 * @alt: debug information that several files share (.gnu_debugaltlink), or NULL
 * @alt_fd: descriptor of the file with @alt, or -1
 * @trusted: the file and its debug file belong to root or the user
 */
struct dwarf_file {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	uint64_t bias;
	Dwarf *dwarf;
	uint64_t to_dwarf;
	Dwarf *alt;
	int alt_fd;
	bool trusted;
};

/**
 * dwarf_file_open() - Open a file, and its debug file if it has one
 * @file: filled in; the caller closes it with dwarf_file_close(), also after an
 *	error
 * @path: path of the file
 * @err: set to the reason if opening fails
 *
 * A file without debug information is opened, too; @file->dwarf is NULL then.
 *
 * Return: 0, or -1 with @err set.
 */
int dwarf_file_open(struct dwarf_file *file, const char *path, struct error *err);
void dwarf_file_close(struct dwarf_file *file);

#endif

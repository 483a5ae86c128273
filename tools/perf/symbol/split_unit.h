/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The split debug information of a compilation unit: finds the file, and has libdw read it.
 */
#ifndef PERF_SYMBOL_SPLIT_UNIT_H
#define PERF_SYMBOL_SPLIT_UNIT_H

#include "dwarf_file.h"
#include "split_ranges.h"

/* Budget of all .dwo and .dwp files of one program, in bytes. */
#define SPLIT_SIZE_MAX (1ULL << 30)

/**
 * struct split_unit - the split debug information of a unit
 * @file: .dwo file, or NULL if a package has the unit
 * @elf: sections of the unit, as a file in memory
 * @dwarf: debug information in @elf
 * @die: entry of the unit
 * @addresses: addresses, and lists of ranges
 */
struct split_unit {
	struct split_file *file;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_Die die;
	struct split_addresses addresses;
};

/**
 * struct split_files - the split debug information of a program; all zeros: nothing was opened
 * @package: .dwp file, or NULL
 * @looked: the package was looked for
 * @package_error: reason why a package that exists was not opened, or empty
 * @used: size of the opened files in bytes
 * @memory: descriptor that libelf gets for files in memory, plus 1
 * @missing: number of units without their debug information
 * @reason: reason why the first of these units lacks it
 */
struct split_files {
	struct split_file *package;
	bool looked;
	struct error package_error;
	uint64_t used;
	int memory;
	size_t missing;
	struct error reason;
};

/**
 * split_unit_open() - Open the split debug information of a unit
 * @files: files of the program
 * @program: program
 * @path: path of the program
 * @skeleton: entry of the unit in the program
 *
 * Return: The unit, which split_unit_close() frees; NULL if it cannot be read, which is noted
 * in @files.
 */
struct split_unit *split_unit_open(struct split_files *files, const struct dwarf_file *program,
				   const char *path, Dwarf_Die *skeleton);

void split_unit_close(struct split_unit *unit);
void split_files_close(struct split_files *files);

#endif

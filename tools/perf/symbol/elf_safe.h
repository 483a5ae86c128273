/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens ELF files for libelf and libdw, which map a file and believe the sizes in it.
 *
 * Both get a descriptor whose contents no other process can change, and whose sizes are within
 * budgets.
 */
#ifndef PERF_SYMBOL_ELF_SAFE_H
#define PERF_SYMBOL_ELF_SAFE_H

#include "util/util.h"

/* Budget of all sections and segments of notes together, in bytes. */
#define ELF_NOTES_MAX		(64ULL << 20)
/* Budget of all compressed sections together when they are expanded, in bytes. */
#define ELF_EXPANDED_MAX	(1ULL << 30)

/**
 * elf_safe_fd() - Make an open file safe for libelf and libdw
 * @fd: descriptor of the file; closed if another one is returned, and on failure
 * @path: path of the file, for messages
 * @err: set to the reason of a failure
 *
 * A .gnu_debugdata section beyond its budget is removed from the copy, with a warning.
 *
 * Return: A descriptor; -1 with @err set.
 */
int elf_safe_fd(int fd, const char *path, struct error *err);

/* Open a regular file, and make it safe as elf_safe_fd() does. */
int elf_safe_open(const char *path, struct error *err);

#endif

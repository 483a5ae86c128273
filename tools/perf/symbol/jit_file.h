/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens files in which programs describe the code that they generate. The files are in
 * directories that all users may write to.
 */
#ifndef PERF_SYMBOL_JIT_FILE_H
#define PERF_SYMBOL_JIT_FILE_H

#include <stdint.h>
#include <sys/stat.h>

#include "util/util.h"

/**
 * jit_file_open() - Open a file that describes generated code, if its owner is trusted
 * @path: ".../perf-PID.map" or ".../jit-PID.dump"
 * @st: set to the status of the file
 * @err: set to the reason if the file is not opened
 *
 * The file must be a regular file, not a link. Its owner must be root, the user, or the user of
 * process PID while that process exists. Other owners could give wrong names to functions.
 *
 * Return: A descriptor; -ENOENT if there is no such file; another negative errno. @err is set.
 */
int jit_file_open(const char *path, struct stat *st, struct error *err);

/**
 * jit_file_open_of() - Open a file that describes generated code, as its process sees it if it
 * still runs
 * @pid: process
 * @path: path as the process sees it, with its number in its own PID namespace
 * @st: set to the status of the file
 *
 * The file must have an owner whom jit_file_open() accepts.
 *
 * Return: A descriptor, or -1.
 */
int jit_file_open_of(uint32_t pid, const char *path, struct stat *st);

#endif

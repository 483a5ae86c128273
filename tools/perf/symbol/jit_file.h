/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files in which programs tell about the code that they generate. They are in directories
 * that everybody may write to.
 */
#ifndef PERF_SYMBOL_JIT_FILE_H
#define PERF_SYMBOL_JIT_FILE_H

#include <sys/stat.h>

#include "util/util.h"

/**
 * jit_file_open() - open a file that is the process's whose number is in its name
 * @path: ".../perf-PID.map" or ".../jit-PID.dump"
 * @st: gets what it is
 * @err: says why it is not open
 *
 * It has to be a regular file, no link, of root, of the user, or of the user of process PID as
 * long as there is one. Whoever else has it could name functions of others.
 *
 * Return: a descriptor; -ENOENT if there is no such file; another -errno. @err is set.
 */
int jit_file_open(const char *path, struct stat *st, struct error *err);

#endif

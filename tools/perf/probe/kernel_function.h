/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the running kernel has.
 */
#ifndef PERF_PROBE_KERNEL_FUNCTION_H
#define PERF_PROBE_KERNEL_FUNCTION_H

#include "util/util.h"

/* Is there exactly one function of that name? 0, or -1 with @err set. */
int kernel_function_check(const char *name, struct error *err);

/**
 * kernel_vmlinux() - the file of the running kernel with its debug information
 * @path: the user's; NULL: where a package has it
 * @err: why not; empty: there is no package's
 *
 * Return: its path, which the caller frees; NULL with @err set, also where it is another kernel's.
 */
char *kernel_vmlinux(const char *path, struct error *err);

#endif

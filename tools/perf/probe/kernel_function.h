/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks functions of the running kernel, and finds its vmlinux.
 */
#ifndef PERF_PROBE_KERNEL_FUNCTION_H
#define PERF_PROBE_KERNEL_FUNCTION_H

#include "util/util.h"

/* Check that the kernel has exactly one function @name. Return: 0, or -1 with @err set. */
int kernel_function_check(const char *name, struct error *err);

/**
 * kernel_vmlinux() - Find the running kernel's file with debug information
 * @path: path from the user; NULL: look for the file of a package
 * @err: set to the reason if the file is not the running kernel's; empty if no package has one
 *
 * Return: The path, which the caller frees; NULL if there is none, with @err set or empty.
 */
char *kernel_vmlinux(const char *path, struct error *err);

#endif

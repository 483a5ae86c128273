/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Demangles names of C++ and Rust functions.
 */
#ifndef PERF_SYMBOL_DEMANGLE_H
#define PERF_SYMBOL_DEMANGLE_H

char *demangle(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names as they are in C++ and Rust sources, from names as linkers see them.
 */
#ifndef PERF_SYMBOL_DEMANGLE_H
#define PERF_SYMBOL_DEMANGLE_H

char *demangle(const char *name);

#endif

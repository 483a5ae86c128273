/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Demangles names of C++, Rust, D and OCaml functions.
 */
#ifndef PERF_SYMBOL_DEMANGLE_H
#define PERF_SYMBOL_DEMANGLE_H

#include <stdbool.h>

/* Maximum length of a demangled name in bytes; a longer one stays mangled. */
#define DEMANGLED_MAX 32768

/* Return the demangled @name without parameters, or NULL; the caller frees it. */
char *demangle(const char *name);

/* Leave all names mangled from now on. */
void demangle_disable(void);

/* Return true if @name is mangled by the rules of Swift, which demangle() does not know. */
bool is_swift_name(const char *name);

#endif

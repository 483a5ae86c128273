// SPDX-License-Identifier: GPL-2.0
/*
 * Names as they are in C++ and Rust sources, from names as linkers see them.
 *
 * In a file of its own because libiberty's headers and util.h declare some of
 * the same names.
 */
#include <libiberty/demangle.h>

#include "demangle.h"

/* The demangled @name, without parameters, or NULL if it is not mangled; the caller frees it. */
char *demangle(const char *name)
{
	return cplus_demangle(name, DMGL_AUTO);
}

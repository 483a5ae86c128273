// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles names of C++ and Rust functions.
 *
 * This is a file of its own because libiberty's headers and util.h declare functions of the same
 * names.
 */
#include <libiberty/demangle.h>

#include "demangle.h"

/* Return the demangled @name without parameters, or NULL; the caller frees it. */
char *demangle(const char *name)
{
	return cplus_demangle(name, DMGL_AUTO);
}

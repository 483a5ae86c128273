// SPDX-License-Identifier: GPL-2.0
/*
 * Distinguishes the functions of a program that ask for a wait or a wake-up from the functions
 * below them that carry out the request.
 */
#include <string.h>

#include "lock/lock.h"
#include "callers.h"

/* Return true if a dso is the C library, whose functions wait on behalf of their callers. */
static bool is_c_library(const struct dso *dso)
{
	static const char *const starts[] = { "libc.so", "libc-", "libpthread", "ld-", "[vdso]" };
	size_t i;

	for (i = 0; dso && i < ARRAY_SIZE(starts); i++) {
		if (!strncmp(dso->name, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

bool is_user_caller(const struct location *at)
{
	return at->mode == MODE_USER && !is_c_library(at->dso) &&
	       !(at->symbol && lock_is_wait_function(symbol_name(at->symbol)));
}

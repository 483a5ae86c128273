/* SPDX-License-Identifier: GPL-2.0 */
/* Error messages of one line for the user. */
#ifndef PERF_UTIL_ERROR_H
#define PERF_UTIL_ERROR_H

#include "macros.h"

/* Exit codes that every command uses. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 129,
};

/**
 * struct error - the reason of a failure, as one line for the user
 * @text: the failed thing, the reason and, if there is one, the remedy; no newline
 */
struct error {
	char text[1024];
};

void error_set(struct error *err, const char *fmt, ...) __printf(2, 3);

/* Append to the text of @err, cut off where the room ends. */
void error_add(struct error *err, const char *fmt, ...) __printf(2, 3);

/* Print a message on stderr, with control characters escaped. die() then exits with EXIT_FAILED. */
void warn(const char *fmt, ...) __printf(1, 2);
void complain(const char *fmt, ...) __printf(1, 2);
_Noreturn void die(const char *fmt, ...) __printf(1, 2);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why something failed, in one line for the user.
 */
#ifndef PERF_UTIL_ERROR_H
#define PERF_UTIL_ERROR_H

#include "macros.h"

/* Exit codes of every command. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 129,
};

/**
 * struct error - why something failed, as one line for the user
 * @text: the thing, the reason and, where there is one, the remedy; no newline
 */
struct error {
	char text[1024];
};

void error_set(struct error *err, const char *fmt, ...) __printf(2, 3);

/* Behind what is there, as far as there is room. */
void error_add(struct error *err, const char *fmt, ...) __printf(2, 3);

/* Say it on stderr, control characters escaped; die() exits with EXIT_FAILED. */
void warn(const char *fmt, ...) __printf(1, 2);
void complain(const char *fmt, ...) __printf(1, 2);
_Noreturn void die(const char *fmt, ...) __printf(1, 2);

#endif

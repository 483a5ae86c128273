/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distinguishes the functions of a program that ask for a wait or a wake-up from the functions
 * below them that carry out the request.
 */
#ifndef PERF_CMD_CALLERS_H
#define PERF_CMD_CALLERS_H

#include <stdbool.h>

#include "symbol/symbol.h"

/*
 * Return true if a location is code of a program, and neither code of the C library nor a function
 * that only waits.
 */
bool is_user_caller(const struct location *at);

#endif

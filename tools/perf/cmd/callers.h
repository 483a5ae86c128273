/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that call others to wait for them, or to wake threads up. */
#ifndef PERF_CMD_CALLERS_H
#define PERF_CMD_CALLERS_H

#include <stdbool.h>

#include "symbol/symbol.h"

/* Return true if a location is code of a program that is no part of the C library's waiting. */
bool is_user_caller(const struct location *at);

#endif

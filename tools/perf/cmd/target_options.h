/* SPDX-License-Identifier: GPL-2.0 */
/* The options of every command that measures: the target of the measurement. */
#ifndef PERF_CMD_TARGET_OPTIONS_H
#define PERF_CMD_TARGET_OPTIONS_H

#include <argp.h>

#include "measure/measure.h"

/* A parser for struct argp.children; its input is a struct target_options. */
extern const struct argp target_argp;

#endif

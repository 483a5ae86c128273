/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of perf record that add contents to samples, or remove contents.
 */
#ifndef PERF_CMD_RECORD_CONTENT_H
#define PERF_CMD_RECORD_CONTENT_H

#include <argp.h>

#include "measure/measure.h"

/* A parser for struct argp.children; its input is a struct sampling. */
extern const struct argp record_content_argp;

#endif

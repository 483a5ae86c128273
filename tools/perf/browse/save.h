/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the visible rows to a file. */
#ifndef PERF_BROWSE_SAVE_H
#define PERF_BROWSE_SAVE_H

#include "model.h"

/**
 * save_rows() - Write the visible rows to a file, with whole names
 * @m: model
 * @path: path of the file
 * @replace: replace an existing file
 * @err: set to the reason of a failure
 *
 * Return: 0, or -1 with @err set; 1 if the file exists and @replace is false.
 */
int save_rows(const struct browse_model *m, const char *path, bool replace, struct error *err);

#endif

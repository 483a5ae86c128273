/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the places where a function that has no code of its own is inlined. */
#ifndef PERF_PROBE_INLINED_H
#define PERF_PROBE_INLINED_H

#include "binary.h"

/**
 * inlined_refuse() - Explain that a function exists only in inlined copies, and
 * name their places
 * @binary: program without a symbol for the function
 * @name: name of the function in the source
 * @err: set to a message with definitions of the places, if there are any
 *
 * Return: True if the function is inlined somewhere.
 */
bool inlined_refuse(const struct binary *binary, const char *name, struct error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints socket addresses.
 */
#ifndef PERF_TRACE_SOCKADDR_H
#define PERF_TRACE_SOCKADDR_H

#include <stddef.h>
#include <stdio.h>

/**
 * sockaddr_print() - Print a socket address
 * @bytes: address as the program passed it; need not be aligned
 * @size: number of @bytes
 * @out: stream to print to
 */
void sockaddr_print(const char *bytes, size_t size, FILE *out);

#endif

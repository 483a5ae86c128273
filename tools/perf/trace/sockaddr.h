/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of sockets.
 */
#ifndef PERF_TRACE_SOCKADDR_H
#define PERF_TRACE_SOCKADDR_H

#include <stddef.h>
#include <stdio.h>

/**
 * sockaddr_print() - write an address of a socket
 * @bytes: what a program has given as such, perhaps not aligned
 * @size: how many there are
 * @out: where to
 */
void sockaddr_print(const char *bytes, size_t size, FILE *out);

#endif

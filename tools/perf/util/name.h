/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that are safe to print, and lists of names.
 */
#ifndef PERF_UTIL_NAME_H
#define PERF_UTIL_NAME_H

#include <stdbool.h>
#include <stdio.h>

/* A copy of @name in which nothing can control a terminal; the caller frees it. */
char *escape_name(const char *name);
void fput_name(const char *name, FILE *out);

/* Bytes as a string of C has them, in quotation marks. */
void fput_quoted(const char *bytes, size_t size, FILE *out);

/**
 * in_list() - whether a comma-separated list has a name
 * @list: the list; NULL stands for one that has every name
 * @name: the name
 *
 * Return: whether it does.
 */
bool in_list(const char *list, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Escaping of names before they are printed, and comma-separated lists of names. */
#ifndef PERF_UTIL_NAME_H
#define PERF_UTIL_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Return true if a terminal does not print a character in sequence: C0 and C1 controls, DEL, line
 * and paragraph separators, and characters that change the direction of text.
 */
bool is_control_character(uint32_t c);

/*
 * Copy @name with everything escaped that could control a terminal; the caller frees the copy.
 */
char *escape_name(const char *name);
void fput_name(const char *name, FILE *out);

/* Print bytes in the syntax of a C string, in quotation marks. */
void fput_quoted(const char *bytes, size_t size, FILE *out);

/**
 * in_list() - test whether a comma-separated list contains a name
 * @list: the list; NULL contains every name
 * @name: the name
 *
 * Return: true if @list contains @name.
 */
bool in_list(const char *list, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small things every part of the tool uses: errors as one line of text,
 * allocations that cannot fail, and names that are safe to print.
 */
#ifndef PERF_UTIL_H
#define PERF_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a recording says it was written by (the VERSION feature of perf.data). */
#define PERF_TOOL_VERSION "perf_counter 0.1"

/* Arguments are checked as those of printf(). */
#define __printf(string, first) __attribute((format(printf, string, first)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Exit codes of every command. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 129,
};

/**
 * struct error - why something failed, as one line for the user
 * @text: the thing, the reason and, where there is one, the remedy; no newline
 */
struct error {
	char text[1024];
};

void error_set(struct error *err, const char *fmt, ...) __printf(2, 3);

/* Say it on stderr, control characters escaped; die() exits with EXIT_FAILED. */
void warn(const char *fmt, ...) __printf(1, 2);
void complain(const char *fmt, ...) __printf(1, 2);
_Noreturn void die(const char *fmt, ...) __printf(1, 2);

/* Allocations: the tool has nothing better to do without memory than to say so and exit. */
void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *old, size_t nr, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __printf(1, 2);

/* A copy of @name in which nothing can control a terminal; the caller frees it. */
char *escape_name(const char *name);
void fput_name(const char *name, FILE *out);

/**
 * open_regular() - open a file to read, whose name a recording has
 * @path: its name; it may lead to a device or a fifo, too
 *
 * Return: a close-on-exec descriptor; -EINVAL if it is no regular file; another -errno.
 */
int open_regular(const char *path);

/* The whole of a small text file (/proc, /sys), NUL-terminated, or NULL with errno set. */
char *read_text_file(const char *path, size_t *size);

#endif

// SPDX-License-Identifier: GPL-2.0
/* Error messages of one line for the user. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "name.h"

void error_set(struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
}

void error_add(struct error *err, const char *fmt, ...)
{
	size_t used = strlen(err->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text + used, sizeof(err->text) - used, fmt, ap);
	va_end(ap);
}

static void print_message(const char *kind, const char *fmt, va_list ap)
{
	char *text;

	fflush(stdout);
	fputs(kind, stderr);
	if (vasprintf(&text, fmt, ap) < 0) {
		fputs(fmt, stderr);
	} else {
		fput_name(text, stderr);
		free(text);
	}
	fputc('\n', stderr);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message("Warning: ", fmt, ap);
	va_end(ap);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message("Error: ", fmt, ap);
	va_end(ap);
}

_Noreturn void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message("Error: ", fmt, ap);
	va_end(ap);
	exit(EXIT_FAILED);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of a command's arguments. argp and getopt() print messages on stderr and repeat arguments
 * in them as they are. While they run, stderr is a stream that escapes control characters.
 * In glibc, stderr is a variable that may be set.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"
#include "arguments.h"

/* Write the lines in @text to the standard error, and escape all but the ends of the lines. */
static ssize_t write_escaped(void *cookie, const char *text, size_t size)
{
	const char *at = text, *end = text + size, *stop;
	char *line, *safe;

	(void)cookie;
	while (at < end) {
		stop = memchr(at, '\n', end - at);
		line = xstrndup(at, (stop ? stop : end) - at);
		safe = escape_name(line);
		dprintf(STDERR_FILENO, "%s%s", safe, stop ? "\n" : "");
		free(safe);
		free(line);
		at = stop ? stop + 1 : end;
	}
	return size;
}

void parse_arguments(const struct argp *argp, int argc, char **argv, unsigned int flags,
		     void *input)
{
	FILE *saved = stderr;
	FILE *escaped = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_escaped });

	if (!escaped)
		die("out of memory");
	setvbuf(escaped, NULL, _IOLBF, 0);
	stderr = escaped;
	argp_parse(argp, argc, argv, flags, NULL, input);
	stderr = saved;
	fclose(escaped);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Small things every part of the tool uses: errors as one line of text,
 * allocations that cannot fail, and names that are safe to print.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

void error_set(struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
}

static void say(const char *kind, const char *fmt, va_list ap)
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
	say("Warning: ", fmt, ap);
	va_end(ap);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("Error: ", fmt, ap);
	va_end(ap);
}

_Noreturn void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("Error: ", fmt, ap);
	va_end(ap);
	exit(EXIT_FAILED);
}

static void *check_alloc(void *p)
{
	if (!p) {
		fputs("Error: out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return check_alloc(malloc(size ? size : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	return check_alloc(calloc(nr ? nr : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	return check_alloc(reallocarray(old, nr ? nr : 1, size ? size : 1));
}

/*
 * libiberty's demanglers call xmalloc() and this. With both here, its own, in one
 * object and so in conflict with ours, stay out of the program.
 */
void *xrealloc(void *old, size_t size)
{
	return check_alloc(realloc(old, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check_alloc(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return check_alloc(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return check_alloc(n < 0 ? NULL : s);
}

/*
 * Characters that do not print one after the other: C0 and C1 controls, DEL, those
 * that end a line or change its direction.
 */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* How many bytes a character of UTF-8 has whose first one is @byte; 0: none has that. */
static size_t utf8_length(unsigned char byte)
{
	if (byte < 0x80)
		return 1;
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if (byte >= 0xe0 && byte <= 0xef)
		return 3;
	return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/*
 * The length of the UTF-8 character at @s when it may go to a terminal as it is, 0
 * when its first byte must be escaped: controls, and bytes that are no UTF-8 (a
 * terminal in an 8-bit mode may take them for C1, and who parses UTF-8 stops there).
 */
static size_t printable_length(const unsigned char *s)
{
	/* The smallest number that needs so many bytes; others have no business there. */
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n = utf8_length(s[0]);
	uint32_t c;

	if (n <= 1)
		return n && !is_control(s[0]);
	c = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || is_control(c))
		return 0;
	return n;
}

char *escape_name(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	char *copy, *out;
	size_t n;

	copy = xreallocarray(NULL, strlen(name) + 1, 4);
	out = copy;
	while (*s) {
		n = printable_length(s);
		if (n) {
			memcpy(out, s, n);
			out += n;
			s += n;
		} else {
			out += sprintf(out, "\\x%02x", *s++);
		}
	}
	*out = '\0';
	return copy;
}

void fput_name(const char *name, FILE *out)
{
	char *safe = escape_name(name);

	fputs(safe, out);
	free(safe);
}

int open_regular(const char *path)
{
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

char *read_text_file(const char *path, size_t *size)
{
	size_t used = 0, room = 4096;
	char *text;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = xmalloc(room);
	while ((n = read(fd, text + used, room - used - 1)) != 0) {
		if (n < 0) {
			int saved = errno;

			if (saved == EINTR)
				continue;
			free(text);
			close(fd);
			errno = saved;
			return NULL;
		}
		used += n;
		if (room - used < 2) {
			room *= 2;
			text = xreallocarray(text, room, 1);
		}
	}
	close(fd);
	text[used] = '\0';
	if (size)
		*size = used;
	return text;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles names of C++, Rust, D and OCaml functions.
 *
 * A short name may stand for an exponentially long one, because a part of a name may refer to
 * earlier parts. Any user can write such a name into a file, so the length of the result and the
 * time for one name are bounded.
 *
 * This is a file of its own because libiberty's headers and util.h declare functions of the same
 * names.
 */
#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "demangle.h"

/* CPU time for one name in microseconds. */
#define TIME_MAX 200000
/*
 * Length in bytes below which a name needs no timer: it has too few parts to repeat others often.
 */
#define SHORT_NAME 128
/* Maximum number of references in a name of D to its earlier parts; each may double the result. */
#define D_REFERENCES_MAX 12

/**
 * struct text - a demangled name
 * @bytes: name so far; one byte larger than DEMANGLED_MAX
 * @size: size of the name so far in bytes
 * @give_up: where to continue if the name becomes too long or takes too long
 */
struct text {
	char *bytes;
	size_t size;
	sigjmp_buf give_up;
};

typedef int (*demangler)(const char *mangled, int options, demangle_callbackref take, void *text);

/* The name that the timer is running for. */
static struct text *timed;

/*
 * libiberty's demanglers do not stop when asked to. Those with a callback keep their state on the
 * stack, so that a jump out of them leaves nothing allocated.
 */
static void take(const char *part, size_t size, void *opaque)
{
	struct text *text = opaque;

	if (size > DEMANGLED_MAX - text->size)
		siglongjmp(text->give_up, 1);
	memcpy(text->bytes + text->size, part, size);
	text->size += size;
}

static void handle_timer(int signal)
{
	(void)signal;
	siglongjmp(timed->give_up, 1);
}

static void start_timer(struct text *text, struct sigaction *before)
{
	struct sigaction action = { .sa_handler = handle_timer };
	struct itimerval limit = { .it_value = { .tv_usec = TIME_MAX } };

	timed = text;
	sigaction(SIGPROF, &action, before);
	setitimer(ITIMER_PROF, &limit, NULL);
}

static void stop_timer(const struct sigaction *before)
{
	static const struct itimerval stopped;

	setitimer(ITIMER_PROF, &stopped, NULL);
	sigaction(SIGPROF, before, NULL);
}

/* Return the result of @run, which the caller frees; NULL if @name is not mangled that way. */
static char *demangle_with(demangler run, const char *name)
{
	struct text text = { .bytes = malloc(DEMANGLED_MAX + 1) };
	bool is_long = strlen(name) >= SHORT_NAME;
	struct sigaction before;
	volatile bool good = false;
	char *fitting;

	if (!text.bytes)
		return NULL;
	if (is_long)
		start_timer(&text, &before);
	if (!sigsetjmp(text.give_up, 1))
		good = run(name, DMGL_AUTO, take, &text);
	if (is_long)
		stop_timer(&before);
	if (!good || !text.size) {
		free(text.bytes);
		return NULL;
	}
	text.bytes[text.size] = '\0';
	fitting = realloc(text.bytes, text.size + 1);
	return fitting ? fitting : text.bytes;
}

static bool is_d_name(const char *name)
{
	size_t references = 0;
	const char *c;

	for (c = name; *c; c++)
		references += *c == 'Q';
	return name[0] == '_' && name[1] == 'D' && isdigit((unsigned char)name[2]) &&
	       c - name < DEMANGLED_MAX && references <= D_REFERENCES_MAX;
}

static char *demangle_d(const char *name)
{
	char *text = dlang_demangle(name, DMGL_DLANG);

	if (text && strlen(text) > DEMANGLED_MAX) {
		free(text);
		return NULL;
	}
	return text;
}

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * OCaml writes Module.name as camlModule__name, and a character that assemblers do not take as $
 * and its two hexadecimal digits.
 */
static bool is_ocaml_name(const char *name)
{
	return !strncmp(name, "caml", 4) && isupper((unsigned char)name[4]) &&
	       strstr(name, "__");
}

static char *demangle_ocaml(const char *name)
{
	char *text = malloc(strlen(name) + 1), *end = text;
	const char *c = name + strlen("caml");

	while (text && *c) {
		if (c[0] == '_' && c[1] == '_') {
			*end++ = '.';
			c += 2;
		} else if (c[0] == '$' && digit_value(c[1]) > 0 && digit_value(c[2]) >= 0) {
			*end++ = digit_value(c[1]) << 4 | digit_value(c[2]);
			c += 3;
		} else {
			*end++ = *c++;
		}
	}
	if (text)
		*end = '\0';
	return text;
}

static bool disabled;

void demangle_disable(void)
{
	disabled = true;
}

char *demangle(const char *name)
{
	char *text;

	if (disabled)
		return NULL;
	if (is_d_name(name))
		return demangle_d(name);
	if (is_ocaml_name(name))
		return demangle_ocaml(name);
	text = demangle_with(rust_demangle_callback, name);
	return text ? text : demangle_with(cplus_demangle_v3_callback, name);
}

bool is_swift_name(const char *name)
{
	name += name[0] == '_';
	return name[0] == '$' && (name[1] == 's' || name[1] == 'S') && name[2] &&
	       strchr("0123456789Ss", name[2]);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the running kernel has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "kernel_function.h"

#define KALLSYMS "/proc/kallsyms"

/* The name in a line "ADDRESS TYPE NAME[\t[MODULE]]", which the caller frees; NULL: no code. */
static char *function_of_line(const char *line)
{
	const char *type = line + strcspn(line, "\n ");

	if (type[0] != ' ' || !type[1] || !strchr("tTwW", type[1]) || type[2] != ' ')
		return NULL;
	return xstrndup(type + 3, strcspn(type + 3, "\t\n"));
}

static const char *next_line(const char *line)
{
	line = strchrnul(line, '\n');
	return *line ? line + 1 : line;
}

static int refuse_name(const char *text, const char *name, struct error *err)
{
	struct suggestions near = { .typed = name };
	char *other;

	error_set(err, "the kernel has no function '%s'", name);
	for (; *text; text = next_line(text)) {
		other = function_of_line(text);
		if (other)
			suggestions_add(&near, other);
		free(other);
	}
	if (!suggestions_say(&near, err))
		error_add(err, "; it may be inlined everywhere; see " KALLSYMS);
	return -1;
}

int kernel_function_check(const char *name, struct error *err)
{
	char *text = read_text_file(KALLSYMS, NULL), *other;
	const char *line;
	int nr = 0, ret = 0;

	if (!text) {
		error_set(err, KALLSYMS ": %s", strerror(errno));
		return -1;
	}
	for (line = text; *line; line = next_line(line)) {
		other = function_of_line(line);
		nr += other && !strcmp(other, name);
		free(other);
	}
	if (!nr)
		ret = refuse_name(text, name, err);
	free(text);
	if (nr <= 1)
		return ret;
	error_set(err, "the kernel has %d functions '%s', and takes no name of several", nr, name);
	return -1;
}

static bool is_running(const char *path)
{
	uint8_t running[BUILD_ID_MAX], id[BUILD_ID_MAX];
	ssize_t running_size = 0, id_size;
	size_t size;
	char *notes = read_text_file("/sys/kernel/notes", &size);

	if (notes)
		running_size = build_id_of_notes(notes, size, running);
	free(notes);
	id_size = elf_build_id(path, id);
	return id_size > 0 && id_size == running_size && !memcmp(id, running, id_size);
}

char *kernel_vmlinux(const char *path, struct error *err)
{
	struct utsname uts;
	char *found;

	if (path) {
		found = xstrdup(path);
	} else {
		uname(&uts);
		found = xasprintf("/usr/lib/debug/boot/vmlinux-%s", uts.release);
	}
	err->text[0] = '\0';
	if ((path || !access(found, F_OK)) && !is_running(found))
		error_set(err, "%s: not the vmlinux of the kernel that runs: %s", found,
			  "its build-id is another one, or none");
	else if (path || !access(found, F_OK))
		return found;
	free(found);
	return NULL;
}

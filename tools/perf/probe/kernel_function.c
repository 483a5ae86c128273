// SPDX-License-Identifier: GPL-2.0
/*
 * Checks functions of the running kernel, and finds its vmlinux.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "symbol/symbol.h"
#include "kernel_function.h"

#define KALLSYMS "/proc/kallsyms"

static bool is_called(const struct kallsym *k, const char *name)
{
	return k->name_size == strlen(name) && !strncmp(k->name, name, k->name_size);
}

static int refuse_name(const char *text, const char *name, struct error *err)
{
	struct suggestions near = { .typed = name };
	struct kallsym k;
	char *other;

	error_set(err, "the kernel has no function '%s'", name);
	while (text && *text) {
		text = kallsym_parse(text, &k);
		if (!kallsym_is_code(&k))
			continue;
		other = xstrndup(k.name, k.name_size);
		suggestions_add(&near, other);
		free(other);
	}
	if (!suggestions_say(&near, err))
		error_add(err, "; it may be inlined everywhere; see " KALLSYMS);
	return -1;
}

int kernel_function_check(const char *name, struct error *err)
{
	char *text = read_text_file(KALLSYMS, NULL);
	const char *line = text;
	int nr = 0, ret = 0;
	struct kallsym k;

	if (!text) {
		error_set(err, KALLSYMS ": %s", strerror(errno));
		return -1;
	}
	while (line && *line) {
		line = kallsym_parse(line, &k);
		nr += kallsym_is_code(&k) && is_called(&k, name);
	}
	if (!nr)
		ret = refuse_name(text, name, err);
	free(text);
	if (nr <= 1)
		return ret;
	error_set(err, "the kernel has %d functions '%s'; a probe needs a name of only one", nr,
		  name);
	return -1;
}

static bool is_running(const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	ssize_t size = elf_build_id(path, id);

	return size > 0 && running_kernel_has_id(id, size);
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
		error_set(err, "%s: not the vmlinux of the running kernel: %s", found,
			  "its build-id differs, or is missing");
	else if (path || !access(found, F_OK))
		return found;
	free(found);
	return NULL;
}

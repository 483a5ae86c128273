// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the functions of a program or of the running kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "name_filter.h"

#define KALLSYMS "/proc/kallsyms"

/* Names of functions; @names has room for a power of two. */
struct names {
	const char *filter;
	char **names;
	size_t nr;
	size_t room;
	size_t nr_all;
};

static void add_name(struct names *names, const char *name, size_t size)
{
	char *copy = xstrndup(name, size);

	names->nr_all++;
	if (!*copy || !name_filter_matches(names->filter, copy)) {
		free(copy);
		return;
	}
	if (names->nr == names->room) {
		names->room = names->room ? 2 * names->room : 64;
		names->names = xreallocarray(names->names, names->room, sizeof(*names->names));
	}
	names->names[names->nr++] = copy;
}

/* Return true if the symbol is in the module, or for NULL in the kernel itself. */
static bool is_in(const struct kallsym *k, const char *module)
{
	size_t size;

	if (!module || !k->module)
		return !module && !k->module;
	/* kallsyms has the module in brackets. */
	size = strlen(module);
	return k->module_size == size + 2 && !strncmp(k->module + 1, module, size);
}

static int add_kernel(struct names *names, const char *module, struct error *err)
{
	char *text = read_text_file(KALLSYMS, NULL);
	const char *line = text;
	struct kallsym k;

	if (!text) {
		error_set(err, KALLSYMS ": %s", strerror(errno));
		return -1;
	}
	while (line && *line) {
		line = kallsym_parse(line, &k);
		if (kallsym_is_code(&k) && is_in(&k, module))
			add_name(names, k.name, k.name_size);
	}
	free(text);
	return 0;
}

static void add_one(void *names, const char *name)
{
	add_name(names, name, strlen(name));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_names(FILE *out, const struct names *names)
{
	size_t i;

	if (names->nr)
		qsort(names->names, names->nr, sizeof(*names->names), by_name);
	for (i = 0; i < names->nr; i++) {
		if (i && !strcmp(names->names[i], names->names[i - 1]))
			continue;
		fput_name(names->names[i], out);
		fputc('\n', out);
	}
}

int functions_print(FILE *out, const struct binary *binary, const char *module,
		    const char *filter, struct error *err)
{
	struct names names = { .filter = filter };
	int ret = 0;
	size_t i;

	if (binary)
		binary_walk_functions(binary, add_one, &names);
	else
		ret = add_kernel(&names, module, err);
	print_names(out, &names);
	if (!ret && !names.nr_all) {
		if (binary)
			error_set(err, "%s has no functions; install its debug file", binary->path);
		else
			error_set(err, "the kernel has no functions of a module '%s'", module ?: "");
		ret = -1;
	}
	for (i = 0; i < names.nr; i++)
		free(names.names[i]);
	free(names.names);
	return ret;
}

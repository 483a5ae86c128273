// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the file of a kernel module.
 */
#include <string.h>

#include "util/util.h"
#include "module_path.h"

/*
 * Return true if @file, of @length bytes, is the file of @module: "a/b/nf-nat.ko.xz" is for nf_nat.
 */
static bool is_file_of_module(const char *file, size_t length, const char *module)
{
	const char *base = memrchr(file, '/', length);
	size_t i;

	if (base) {
		length -= base + 1 - file;
		file = base + 1;
	}
	for (i = 0; i < length && module[i]; i++) {
		if (file[i] != module[i] && !(file[i] == '-' && module[i] == '_'))
			return false;
	}
	return !module[i] && length - i >= 3 && !strncmp(file + i, ".ko", 3);
}

char *module_path(const char *dep, const char *directory, const char *module)
{
	const char *line = dep, *colon;

	while (line && *line) {
		colon = strpbrk(line, ":\n");
		if (colon && *colon == ':' && is_file_of_module(line, colon - line, module))
			return xasprintf("%s/%.*s", directory, (int)(colon - line), line);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return xasprintf("[%s]", module);
}

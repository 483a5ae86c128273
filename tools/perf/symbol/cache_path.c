// SPDX-License-Identifier: GPL-2.0
/* The directory that holds copies of files, named by build-id. */
#include <stdio.h>
#include <stdlib.h>

#include "cache_path.h"

static const char *other_directory;

void file_cache_use(const char *directory)
{
	other_directory = directory;
}

char *file_cache_path(void)
{
	const char *home = getenv("HOME");

	if (other_directory)
		return xstrdup(other_directory);
	return home && *home ? xasprintf("%s/.debug", home) : NULL;
}

void build_id_hex(const uint8_t *id, size_t size, char *text)
{
	size_t i;

	*text = '\0';
	for (i = 0; i < size && i < BUILD_ID_MAX; i++)
		sprintf(text + i * 2, "%02x", id[i]);
}

// SPDX-License-Identifier: GPL-2.0
/* Files that are read as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory.h"
#include "text_file.h"

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

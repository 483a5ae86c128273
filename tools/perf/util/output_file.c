// SPDX-License-Identifier: GPL-2.0
/* Opening of the file that a user names for text output. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_file.h"

static bool is_of_system(const char *path)
{
	static const char devices[] = "/dev/";

	return !strncmp(path, devices, strlen(devices)) && !strstr(path, "/../");
}

/* Return the reason not to write to the open file, or NULL. */
static const char *refuse(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return strerror(errno);
	if (S_ISREG(st.st_mode) && st.st_nlink > 1)
		return "the file has other names (hard links), and is not written";
	return NULL;
}

FILE *open_output_file(const char *path, bool append, struct error *err)
{
	int flags = O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC | (append ? O_APPEND : 0);
	const char *refusal = NULL;
	FILE *out = NULL;
	int fd;

	fd = open(path, flags | (is_of_system(path) ? 0 : O_NOFOLLOW), 0666);
	if (fd < 0 && errno == ELOOP)
		refusal = "a symbolic link, which is not followed; give the file itself";
	else if (fd < 0)
		refusal = strerror(errno);
	else
		refusal = refuse(fd);
	/* Devices and pipes cannot be truncated. */
	if (!refusal && !append && ftruncate(fd, 0) && errno != EINVAL)
		refusal = strerror(errno);
	if (!refusal) {
		out = fdopen(fd, append ? "a" : "w");
		if (!out)
			refusal = strerror(errno);
	}
	if (refusal) {
		error_set(err, "%s: %s", path, refusal);
		if (fd >= 0)
			close(fd);
	}
	return out;
}

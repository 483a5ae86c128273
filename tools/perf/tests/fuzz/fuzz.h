/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the targets for libFuzzer: an input as a file.
 *
 * A target includes this header in its only file, and defines LLVMFuzzerTestOneInput().
 */
#ifndef PERF_TESTS_FUZZ_H
#define PERF_TESTS_FUZZ_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * __wrap_fork() takes the place of fork(). With FUZZ_FORKS, the child process runs without
 * libFuzzer's threads and coverage, and only the limits of time are set in it: AddressSanitizer has
 * mapped more memory than the limit of data allows. Without FUZZ_FORKS, there are no child
 * processes.
 */
pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __wrap_setrlimit(int resource, const void *limit);

#ifdef FUZZ_FORKS
pid_t __wrap_fork(void)
{
	return __real_fork();
}
#else
pid_t __wrap_fork(void)
{
	return -1;
}
#endif

int __wrap_setrlimit(int resource, const void *limit)
{
	(void)resource;
	(void)limit;
	return 0;
}

static char fuzz_path[64];

static inline void fuzz_remove_file(void)
{
	unlink(fuzz_path);
}

/*
 * Write an input to a file in memory, whose name begins with @prefix and ends with @suffix. Return:
 * its path, which is the same for each input.
 */
static inline const char *fuzz_file(const char *prefix, const char *suffix, const uint8_t *data,
				    size_t size)
{
	static int fd = -1;

	if (fd < 0) {
		snprintf(fuzz_path, sizeof(fuzz_path), "/dev/shm/%s%d%s", prefix, getpid(), suffix);
		fd = open(fuzz_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
		atexit(fuzz_remove_file);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return fuzz_path;
}

#endif
